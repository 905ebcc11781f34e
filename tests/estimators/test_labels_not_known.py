"""Labels that are not known, in every classifier: learned from by EM, or refused in words; never taken for a class."""

import numpy as np
import polars as pl
import pytest

from suffice import (
    AveragedOneDependence,
    Calibrated,
    ComplementNaiveBayes,
    LinearDiscriminant,
    LogisticClassifier,
    MarginClassifier,
    NaiveBayes,
    TreeAugmentedBayes,
    collect,
    cross_validate,
)
from suffice.errors import HiddenLabelsError, SufficeError, UnknownLabelsError

RNG = np.random.default_rng(5)
X = {name: RNG.integers(0, 4, 40) for name in "abc"}
Y = np.repeat([0, 1], 20)
WITHOUT = {
    "average": AveragedOneDependence(),
    "margin": MarginClassifier(),
    "logistic": LogisticClassifier(),
    "calibrated": Calibrated(NaiveBayes()),
    "calibrated logistic": Calibrated(LogisticClassifier()),
    "complement": ComplementNaiveBayes(),
}
EVERY = WITHOUT | {
    "naive Bayes": NaiveBayes(),
    "tree": TreeAugmentedBayes(),
    "discriminant": LinearDiscriminant(estimate="map"),
}
UNKNOWN = {
    "some of both classes": [None if row % 7 == 0 else int(label) for row, label in enumerate(Y)],
    "some, one class known": [None if row % 7 == 0 else 0 for row in range(40)],
    "NaN among numbers": np.where(np.arange(40) % 7 == 0, np.nan, Y.astype(float)),
    "a class left open": {"0": [1] * 40, "1": [1] + [0] * 39},
}


@pytest.mark.filterwarnings("ignore::suffice.errors.KindHint")
@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("labels", UNKNOWN.values(), ids=UNKNOWN)
def test_a_score_needs_the_class_of_every_row(name, labels):
    model = EVERY[name].fit(X, Y)
    with pytest.raises(UnknownLabelsError, match="every row needs its class"):
        model.score(X, labels)


@pytest.mark.filterwarnings("ignore::suffice.errors.KindHint")
@pytest.mark.parametrize("name", WITHOUT)
@pytest.mark.parametrize("labels", UNKNOWN.values(), ids=UNKNOWN)
def test_a_model_that_cannot_guess_classes_does_not_learn_from_such_rows(name, labels):
    with pytest.raises((UnknownLabelsError, HiddenLabelsError), match=r"[Ll]eave|not known"):
        WITHOUT[name].fit(X, labels)


@pytest.mark.filterwarnings("ignore::suffice.errors.KindHint")
@pytest.mark.parametrize("name", sorted(set(WITHOUT) - {"complement"}))
def test_nor_in_folds(name):
    with pytest.raises(SufficeError, match=r"[Ll]eave|not known"):
        cross_validate(WITHOUT[name], X, UNKNOWN["some of both classes"], folds=3)


@pytest.mark.parametrize("labels", [Y, Y.astype(bool), np.array(["no", "yes"])[Y], Y.astype(object)])
@pytest.mark.filterwarnings("ignore::suffice.errors.KindHint")
@pytest.mark.parametrize("name", EVERY)
def test_a_score_is_the_share_of_rows_that_are_right_whatever_the_type_of_labels(name, labels):
    model, weights = EVERY[name].fit(X, labels), np.arange(40.0)
    right = np.array([a == b for a, b in zip(model.predict(X).tolist(), labels.tolist(), strict=True)])
    assert model.score(X, labels, weights) == pytest.approx(weights[right].sum() / weights.sum())
    assert model.score(X, ["none of them"] * 40) == 0.0


@pytest.mark.parametrize("model", [AveragedOneDependence(), ComplementNaiveBayes()], ids=repr)
def test_a_first_batch_with_unknown_labels_is_not_sent_to_em_that_is_not_there(model):
    with pytest.raises(HiddenLabelsError) as said:
        model.partial_fit(X, [None, *Y[1:]])
    assert "which finds what is hidden by EM" not in str(said.value)


def test_an_engine_that_counts_labels_does_not_name_a_row():
    frame = pl.LazyFrame({"a": [1.0, 2.0, 3.0], "y": ["u", "u", None]})
    with pytest.raises(UnknownLabelsError, match="leaves a class open; here") as said:
        collect(frame, "y", where="engine")
    assert "row 0" not in str(said.value)
