"""Ways in that users take without asking: named priors, lists of batches, weights by name, and mistakes beside them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import NotFittedError

from suffice import Beta, Gamma, LinearDiscriminant, NaiveBayes, NearestMean, QuadraticDiscriminant, collect, example
from suffice.errors import ParameterError

COLUMNS, SPECIES = example("penguins")
NUMBERS = {name: COLUMNS[name] for name in ("bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g")}
FRAME = pd.DataFrame(NUMBERS).assign(species=SPECIES, 重=np.arange(len(SPECIES)) % 3)
HALVES = [FRAME.iloc[:150], FRAME.iloc[150:]]
COMPLETE = FRAME.dropna()


def test_priors_of_a_series_go_by_its_names():
    shares = {"Gentoo": 0.2, "Adelie": 0.5, "Chinstrap": 0.3}
    found = NaiveBayes(priors=pd.Series(shares)).fit(NUMBERS, SPECIES).priors_
    assert found.tolist() == [shares[name] for name in sorted(shares)]


def test_batches_may_be_a_list_and_summaries_may_be_summed():
    whole = collect(FRAME.drop(columns="重"), "species")
    assert collect([half.drop(columns="重") for half in HALVES], "species") == whole
    pairs = [(half.drop(columns=["重", "species"]), half["species"]) for half in HALVES]
    assert collect(pairs) == whole
    assert sum(collect(*pair) for pair in pairs) == whole


def test_weights_may_be_a_column():
    by_name = collect(FRAME, "species", sample_weight="重")
    assert by_name == collect(NUMBERS, SPECIES, sample_weight=FRAME["重"])
    assert collect(HALVES, "species", sample_weight="重") == by_name


@pytest.mark.parametrize(
    ("mistake", "text"),
    [
        (lambda: collect([(NUMBERS, SPECIES)], "species"), "The batches bring their labels"),
        (lambda: NaiveBayes.from_summary(FRAME), "takes what collect"),
        (lambda: with_prior(Gamma(1, 1)), "belief about rates"),
        (lambda: with_prior(Beta(1, 1)), "probabilities of cells"),
        (lambda: NaiveBayes().fit({"a": 1.0}, ["x"]), "holds one value"),
        (
            lambda: LinearDiscriminant(kinds={"body_mass_g": "poisson"}).fit(NUMBERS, SPECIES),
            "which models other kinds beside",
        ),
        (lambda: collect(np.ones((2, 2)), "species"), "named columns"),
    ],
)
def test_mistakes_are_told_as_such(mistake, text):
    with pytest.raises(ValueError, match=text):
        mistake()


def with_prior(prior):
    NaiveBayes(parameter_prior={"body_mass_g": prior}).fit(NUMBERS, SPECIES)


def test_what_was_left_out_cannot_come_back():
    summary = collect(COLUMNS, SPECIES, kinds={"year": "ignore"})
    with pytest.raises(ParameterError, match="'year' was left out when the rows were collected"):
        NaiveBayes.from_summary(summary, kinds={"year": "gaussian"})
    with pytest.raises(ParameterError, match="'ignor'"):
        NaiveBayes.from_summary(summary, kinds={"sex": "ignor"})


@pytest.mark.parametrize("name", ["priors_", "estimate_", "joint_", "coef_", "means_"])
def test_nothing_is_known_before_fitting(name):
    with pytest.raises(NotFittedError):
        getattr(LinearDiscriminant(), name)


@pytest.mark.parametrize(
    "model", [LinearDiscriminant(), NearestMean(), QuadraticDiscriminant(), LinearDiscriminant("diagonal")]
)
def test_means_and_covariances_can_be_read_off(model):
    X, y = COMPLETE[list(NUMBERS)], COMPLETE["species"]
    model.fit(X, y)
    np.testing.assert_allclose(model.means_, X.groupby(y).mean())
    shape = (4, 4) if model.recipe().gaussian().shared else (3, 4, 4)
    assert model.covariance_.shape == shape
    if isinstance(model, QuadraticDiscriminant):
        np.testing.assert_allclose(model.covariance_[0], X[y == "Adelie"].cov())


def test_scores_can_be_calibrated_class_by_class():
    X, y = COMPLETE[list(NUMBERS)], COMPLETE["species"]
    assert CalibratedClassifierCV(LinearDiscriminant()).fit(X, y).score(X, y) > 0.97


def test_labels_may_be_a_frame_of_one_column():
    with pytest.warns(Warning, match="column-vector y"):
        found = NaiveBayes().fit(NUMBERS, FRAME[["species"]])
    np.testing.assert_array_equal(found.predict(NUMBERS), NaiveBayes().fit(NUMBERS, SPECIES).predict(NUMBERS))


def test_every_row_of_counts_has_a_table_of_its_own():
    """Also where several begin with the same words, or a column is called as a group would be."""
    words = [f"w{i}" for i in range(8)]
    table = {name: np.arange(6) % (i + 2) for i, name in enumerate(words)} | {"w0, w1, w2, w3": np.arange(6.0)}
    model = NaiveBayes(counts=[words[:4], words[4:]], kinds={"w0, w1, w2, w3": "poisson"}).fit(table, [0, 1] * 3)
    found = model.tables()
    assert {"class", "w0, w1, w2, w3", "w4, w5, w6, w7"} < set(found)
    assert len(found) == 4
    headings = [set(part) - {"class", "rate", "prior"} for part in found.values()]
    assert all(set(group) in headings for group in (words[:4], words[4:]))
    single = NaiveBayes(kinds="counts").fit(np.arange(12).reshape(3, 4), [0, 1, 0])
    assert "x0, x1, x2, x3" in single.tables()
