"""Rows that no class can have produced: who is called that, and what is said about it."""

import warnings

import numpy as np
import pytest

from suffice import (
    GaussianDiscriminant,
    LinearDiscriminant,
    Mixture,
    NaiveBayes,
    NearestMean,
    QuadraticDiscriminant,
    cross_validate,
    leave_one_out,
)
from suffice.errors import ImpossibleRowWarning

RNG = np.random.default_rng(0)
Y = np.arange(40) % 2
EMPTY = [0, 3, 8]
X = RNG.normal(size=(40, 2)) + Y[:, None]
X[EMPTY] = np.nan
MODELS = [
    LinearDiscriminant(),
    LinearDiscriminant(estimate="predictive"),
    LinearDiscriminant(shape="diagonal"),
    QuadraticDiscriminant(estimate="unbiased"),
    QuadraticDiscriminant(estimate="map"),
    QuadraticDiscriminant(estimate="predictive"),
    QuadraticDiscriminant(shrink_spherical=0.3, shrink_shared=0.3),
    GaussianDiscriminant("spherical", estimate="predictive"),
    NearestMean(),
    NaiveBayes(joint=[["x0", "x1"]]),
    NaiveBayes(),
]


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_a_row_without_cells_says_nothing_and_is_not_impossible(model):
    with warnings.catch_warnings():
        warnings.simplefilter("error", ImpossibleRowWarning)
        left_out, folds = leave_one_out(model, X, Y), cross_validate(model, X, Y, folds=5)
        predicted = model.fit(X, Y).predict_proba(X)
    for row in EMPTY:
        others = np.bincount(np.delete(Y, row)) / 39
        np.testing.assert_allclose(left_out.posterior[row], others)
        np.testing.assert_allclose(predicted[row], [0.5, 0.5])
        np.testing.assert_allclose(folds.posterior[row].sum(), 1)


@pytest.mark.filterwarnings("ignore::suffice.errors.UndeterminedWarning")
@pytest.mark.parametrize("model", MODELS[:2] + MODELS[3:7], ids=repr)
def test_beside_rows_without_cells_the_others_are_left_out_exactly(model):
    found = leave_one_out(model, X, Y).posterior
    for row in (1, 2, 5):
        others = np.delete(np.arange(40), row)
        again = model.fit(X[others], Y[others]).predict_proba(X[[row]])[0]
        np.testing.assert_allclose(found[row], again, rtol=1e-8)


FAR, NEAR = np.array([[1e149, 1e149]]), 1e-10 * X[~np.isnan(X[:, 0])]  # so near each other that squares overflow
CATEGORIES = {"c": ["p", "p", "q", "q"], "d": ["u", "u", "v", "v"]}
SEEN = NaiveBayes(smoothing=0).fit(CATEGORIES, list("xxyy"))


@pytest.mark.parametrize(
    ("answer", "said", "unsaid"),
    [
        (
            lambda: NaiveBayes(estimate="map").fit(NEAR, Y[~np.isnan(X[:, 0])]).predict(FAR),
            "Numbers may be so far",
            "moothing",
        ),
        (lambda: Mixture(2).fit(NEAR).predict_proba(FAR), "Numbers may be so far", "moothing"),
        (
            lambda: (
                NaiveBayes(kinds="poisson", estimate="ml")
                .fit({"a": [0, 0, 1, 2], "b": [1, 2, 0, 0]}, [0, 0, 1, 1])
                .predict_proba({"a": [2], "b": [1]})
            ),
            "parameter_prior='weak'",
            "moothing",
        ),
        (lambda: SEEN.predict_proba({"c": ["p"], "d": ["v"]}), "Smoothing above 0", "Numbers"),
    ],
    ids=["gaussian", "mixture", "poisson", "categorical"],
)
def test_the_advice_is_about_columns_of_that_kind(answer, said, unsaid):
    with pytest.warns(ImpossibleRowWarning, match=said) as caught:
        answer()
    assert not any(unsaid in str(warning.message) for warning in caught)
