"""Weights and numbers at the limits of floats: right, or refused with what is the matter; zeros that say nothing."""

import numpy as np
import pytest

from suffice import (
    AveragedOneDependence,
    Beta,
    ComplementNaiveBayes,
    Dirichlet,
    Gamma,
    GaussianDiscriminant,
    InverseGamma,
    LatentClass,
    LinearDiscriminant,
    LogisticClassifier,
    MarginClassifier,
    Mixture,
    NaiveBayes,
    NearestMean,
    NormalInverseGamma,
    NormalInverseWishart,
    QuadraticDiscriminant,
    TreeAugmentedBayes,
    collect,
    leave_one_out,
)
from suffice.errors import ConstantColumnWarning, KindError, ParameterError, SufficeError

N = 48
Y = np.arange(N) % 2
KINDS = {"c": "categorical", "b": "binary", "k": ("binomial", 5), "p": "poisson", "e": "exponential", "g": "gaussian"}


def mixed():
    rng = np.random.default_rng(0)
    return {
        "c": np.where(rng.random(N) < 0.6, "u", "v"),
        "b": rng.integers(0, 2, N),
        "k": rng.integers(0, 6, N),
        "p": rng.poisson(3 + Y),
        "e": rng.exponential(1 + Y),
        "g": rng.normal(Y),
    }


def numbers():
    rng = np.random.default_rng(1)
    return {"g": rng.normal(Y), "h": rng.normal(size=N), "i": rng.normal(size=N) - Y}


def counts():
    return {name: np.random.default_rng(j).integers(0, 4, N) for j, name in enumerate("uvw")}


MODELS = {
    "every kind": (NaiveBayes(kinds=KINDS, smoothing=0, estimate="ml"), mixed),
    "words": (NaiveBayes(kinds="counts", smoothing=0, estimate="ml"), counts),
    "joint": (NaiveBayes(joint=[["g", "h"]], estimate="ml"), numbers),
    "linear": (LinearDiscriminant(estimate="ml"), numbers),
    "quadratic": (QuadraticDiscriminant(estimate="ml"), numbers),
    "shrunk": (GaussianDiscriminant(shrink_shared=0.4, shrink_spherical=0.1, estimate="ml"), numbers),
    "spherical": (GaussianDiscriminant(shape="spherical", estimate="ml"), numbers),
    "spherical shared": (GaussianDiscriminant(shape="spherical", shared=True, estimate="ml"), numbers),
    "diagonal shared": (GaussianDiscriminant(shape="diagonal", shared=True, estimate="ml"), numbers),
}


@pytest.mark.parametrize("weight", [1e-250, 1e-17, 1e-12, 1e12, 1e300])
@pytest.mark.parametrize("model", MODELS)
def test_weights_of_any_size_cancel(model, weight):
    model, table = MODELS[model]
    expected = model.fit(table(), Y).predict_proba(table())
    found = model.fit(table(), Y, sample_weight=np.full(N, weight)).predict_proba(table())
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("weight", [1e-17, 1e12])
@pytest.mark.parametrize("model", ["every kind", "linear", "quadratic"])
def test_rows_of_any_weight_can_be_left_out(model, weight):
    model, table = MODELS[model]
    expected, found = (leave_one_out(model, table(), Y, sample_weight=np.full(N, w)).log_loss for w in (1.0, weight))
    assert found == pytest.approx(expected, rel=1e-9)


def test_smoothing_far_below_one_is_not_lost():
    model = NaiveBayes(smoothing=1e-20, estimate="map").fit({"c": ["u", "u", "v", "v"]}, [0, 0, 1, 1])
    table = model.predict_log_proba({"c": ["v"]})
    assert table[0, 0] == pytest.approx(np.log(1e-20 / 2), rel=1e-9)


def test_latent_classes_of_light_rows():
    table = {name: np.where(cells > 1, "many", "few") for name, cells in counts().items()}
    model = LatentClass(2, smoothing=0, restarts=1)
    expected, found = (model.fit(table, sample_weight=np.full(N, w)).predict_proba(table) for w in (1.0, 1e-12))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)


FACES = [
    NaiveBayes(),
    LinearDiscriminant(),
    QuadraticDiscriminant(),
    NearestMean(),
    GaussianDiscriminant(shape="spherical"),
    Mixture(2, restarts=1),
    Mixture(2, shape="spherical", restarts=1),
]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("face", FACES, ids=str)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda x: x * 1e160, "(?i)too large.*'[ghi]'"),
        (lambda x: x * 1e200 + 1e200, "(?i)too large.*'[ghi]'"),
        (lambda x: x * 1e-165, "'[ghi]'.*too small"),
        (lambda x: x * 1e-170 + 1e-168, "'[ghi]'.*too small"),
        (lambda x: x + 1e15, "'[ghi]'.*too far from 0 for their spread.*Subtract"),
        (lambda x: x * 1e-5 - 1e10, "'[ghi]'.*too far from 0 for their spread.*Subtract"),
    ],
    ids=["large", "large and far", "small", "small and far", "far", "narrow and far"],
)
def test_what_floats_cannot_hold_is_told_by_name(face, change, message):
    table = {name: change(cells) for name, cells in numbers().items()}
    known = () if isinstance(face, Mixture) else (Y,)
    with pytest.raises(KindError, match=message):
        face.fit(table, *known)


@pytest.mark.filterwarnings("error")
def test_one_class_too_far_from_0():
    x = np.where(Y == 1, 1e15, 0.0) + np.random.default_rng(0).normal(size=N)
    with pytest.raises(SufficeError, match=r"class 1.*too far from 0 for their spread.*'x'"):
        NaiveBayes(estimate="ml").fit({"x": x}, Y)


@pytest.mark.filterwarnings("error")
def test_summaries_and_weights_that_add_up_to_too_much():
    part = collect({"x": [4e153, -4e153]}, [0, 0])
    with pytest.raises(KindError, match="'x' are too large"):
        sum([part] * 8)
    with pytest.raises(KindError, match=r"(?i)'x'.*too large|too large.*'x'"):
        collect({"x": [1e10, -1e10]}, [0, 0], sample_weight=[1e300, 1e300])


@pytest.mark.parametrize("kind", ["gaussian", "log-gaussian", "logit-gaussian"])
@pytest.mark.parametrize("cell", [0.3, 1 / 3, 0.81])
@pytest.mark.parametrize("estimate", ["ml", "unbiased", "map"])
def test_a_column_met_in_a_later_class_only_is_constant_whatever_its_weight(kind, cell, estimate):
    table = {"a": np.arange(8.0) ** 2, "c": [None, None, cell, *[None] * 5]}
    model = NaiveBayes(kinds={"c": kind, "a": "gaussian"}, estimate=estimate, smoothing=0)
    with pytest.warns(ConstantColumnWarning, match="never vary or are all missing: 'c'"):
        model.fit(table, [False, False, True, True, *[False] * 4], [1, 1, 3.5, 0.7, *[0.25] * 4])


@pytest.mark.parametrize("size", [3.3, 1e140, 1e-200, 1e15])
def test_constant_columns_are_constant_whatever_their_size(size):
    with pytest.warns(ConstantColumnWarning, match="never vary or are all missing: 'c'"):
        NaiveBayes().fit({"c": np.full(N, size), **numbers()}, Y)


@pytest.mark.parametrize(
    ("belief", "rows"),
    [
        (NormalInverseGamma(0, 1, 1, 1), [1e200, -1e200]),
        (InverseGamma(2, 1, mean=0), [1e180, 2.0]),
        (NormalInverseWishart([0, 0], 1, 4, [[1, 0], [0, 1]]), [[1e170, 0.0], [0.0, 1.0]]),
    ],
    ids=["normal inverse gamma", "inverse gamma", "normal inverse Wishart"],
)
def test_beliefs_refuse_numbers_too_large_to_square(belief, rows):
    with pytest.raises(KindError, match="Numbers that are too large"):
        belief.after(rows)


@pytest.mark.parametrize("kind", ["poisson", "exponential"])
@pytest.mark.parametrize(
    "cells", [np.zeros(N), np.full(N, np.nan), np.where(Y == 0, 0.0, np.nan)], ids=["0", "nan", "both"]
)
def test_rates_of_nothing_are_left_out(kind, cells):
    kinds = {"p": kind, **dict.fromkeys("ghi", "gaussian")}
    with pytest.warns(ConstantColumnWarning, match="'p'"):
        model = NaiveBayes(kinds=kinds).fit({"p": cells, **numbers()}, Y)
    expected = NaiveBayes().fit(numbers(), Y).predict_proba(numbers())
    np.testing.assert_array_equal(model.predict_proba({"p": np.arange(N), **numbers()}), expected)


@pytest.mark.parametrize("cells", [np.full(N, 2.5), np.where(Y == 0, -0.7, np.nan), np.full(N, np.nan)])
def test_angles_that_never_vary_are_left_out(cells):
    with pytest.warns(ConstantColumnWarning, match="never vary or are all missing: 'c'"):
        NaiveBayes(kinds={"c": ("von-mises", 2.0)}).fit({"c": cells, **numbers()}, Y)


def test_a_belief_about_zeros_keeps_them():
    model = NaiveBayes(kinds={"p": "poisson"}, parameter_prior={"p": Gamma(2, 1)})
    model.fit({"p": np.zeros(N), **numbers()}, Y)
    assert "p" in model.tables()


@pytest.mark.parametrize("unit", [1e-300, 1e-150, 1e150, 1e300])
@pytest.mark.parametrize(("kind", "shape"), [("exponential", 1.0), (("gamma", 3.0), 3.0)])
def test_waiting_times_in_any_unit(kind, shape, unit):
    x = np.random.default_rng(2).gamma(shape, 1 + Y, N)
    rates = [shape / x[k == Y].mean() for k in range(2)]
    odds = shape * np.log(rates[1] / rates[0]) - (rates[1] - rates[0]) * x
    found = NaiveBayes(kinds=kind, estimate="ml").fit({"x": x * unit}, Y).predict_proba({"x": x * unit})
    np.testing.assert_allclose(found[:, 1], 1 / (1 + np.exp(-odds)), rtol=1e-11)


@pytest.mark.parametrize("kind", ["von-mises", "von-mises-degrees"])
@pytest.mark.parametrize("far", [1e15, -1e154])
def test_angles_of_which_no_turn_is_known_are_refused(kind, far):
    with pytest.raises(KindError, match=r"von Mises .*1e\+12"):
        NaiveBayes(kinds=(kind, 2.0)).fit({"x": far + np.arange(N)}, Y)
    model = NaiveBayes(kinds=(kind, 2.0)).fit({"x": np.arange(N) % 3}, Y)
    with pytest.raises(KindError, match="von Mises"):
        model.predict({"x": [far]})


# every model, whatever the weights


EVERY = {
    "naive Bayes": (NaiveBayes(), mixed),
    "tree": (TreeAugmentedBayes(), counts),  # of numbers, a heavy row alone in a cell leaves its variance open
    "averaged": (AveragedOneDependence(), counts),
    "beside": (GaussianDiscriminant(kinds={"p": "poisson"}), mixed),
    "linear": (LinearDiscriminant(), numbers),
    "quadratic": (QuadraticDiscriminant(), numbers),
    "means": (NearestMean(), numbers),
    "complement": (ComplementNaiveBayes(), counts),
    "logistic": (LogisticClassifier(), mixed),
    "margin": (MarginClassifier(), numbers),
}
LARGEST_SUM = 1e305  # of weights, squares and products of few cells
ABSURD = [1e308, 1e300, 1e200, 1e120, 1e80, 1e-80, 1e-200, 1e-300, 1e-320]


@pytest.mark.parametrize("weight", ABSURD, ids=repr)
@pytest.mark.parametrize("model", EVERY)
@pytest.mark.filterwarnings("ignore::suffice.errors.SufficeWarning")
def test_every_model_answers_or_refuses_weights_of_any_size_in_its_own_words(model, weight):
    face, table = EVERY[model]
    heaviest = getattr(face.RECIPE, "HEAVIEST", LARGEST_SUM)
    if weight < heaviest:
        assert np.isfinite(face.fit(table(), Y, sample_weight=np.full(N, weight)).decision_function(table())).all()
    else:
        with pytest.raises(SufficeError, match="weight"):
            face.fit(table(), Y, sample_weight=np.full(N, weight))


@pytest.mark.parametrize("smoothing", [1e308, 2e100])
@pytest.mark.parametrize("face", [NaiveBayes, TreeAugmentedBayes, AveragedOneDependence, ComplementNaiveBayes])
def test_smoothing_that_leaves_nothing_of_the_rows_is_refused(face, smoothing):
    with pytest.raises(ParameterError, match=r"smoothing must be a number of rows.* at most 1e\+100; found"):
        face(smoothing=smoothing).fit(counts(), Y)


@pytest.mark.parametrize(
    "belief",
    [
        lambda: Beta(1e308, 1e308),
        lambda: Dirichlet({"a": 1e200, "b": 2}),
        lambda: NormalInverseGamma(1e308, 1, 1, 1),
        lambda: NormalInverseWishart([0, 1e200], 1, 4, np.eye(2)),
    ],
)
def test_a_belief_in_numbers_that_cannot_be_squared_is_refused(belief):
    with pytest.raises(ParameterError, match=r"takes numbers up to 1e\+150 for .*; found"):
        belief()
