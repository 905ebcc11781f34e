"""Intervals belong to the model: its own posterior lies inside, whatever the estimator and the estimate."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from suffice import GaussianDiscriminant, LinearDiscriminant, NaiveBayes, QuadraticDiscriminant
from suffice.decisions.posterior_intervals import intervals

ESTIMATES = ["auto", "ml", "unbiased", "map", "mean", "predictive"]
FACES = [
    LinearDiscriminant(),
    QuadraticDiscriminant(),
    GaussianDiscriminant("diagonal"),
    GaussianDiscriminant("spherical", shared=True),
    NaiveBayes(),
    NaiveBayes({"x0": "poisson", "x1": "log-gaussian", "x2": "exponential"}),
    NaiveBayes(joint=[["x0", "x1"]], priors="uniform"),
]
each_face = pytest.mark.parametrize("model", FACES, ids=repr)
each_estimate = pytest.mark.parametrize("estimate", ESTIMATES)


def some(load, rows=90, seed=0):
    X, y = load(return_X_y=True)
    chosen = np.random.default_rng(seed).permutation(len(y))[:rows]
    return X[chosen], y[chosen]


def fitted(model, estimate, X, y):
    return type(model)(**model.get_params() | {"estimate": estimate}).fit(X, y)


@pytest.mark.filterwarnings("ignore::suffice.errors.UndeterminedWarning")
@each_estimate
@each_face
def test_a_posterior_lies_inside_its_own_interval(model, estimate):
    X, y = some(load_iris)
    X = np.rint(10 * X)  # counts, for the kinds that take them
    model = fitted(model, estimate, X, y)
    new = np.concatenate([X[:20], X[:5] + 40])  # and rows like none before
    low, high = model.predict_interval(new, level=0.8, draws=40)
    posterior = model.predict_proba(new)
    assert ((low <= posterior) & (posterior <= high)).all()


@pytest.mark.parametrize("load, columns", [(load_iris, 4), (load_wine, 6), (load_breast_cancer, 10)])
@pytest.mark.parametrize("estimate", ["unbiased", "ml"])
@pytest.mark.parametrize("face", [LinearDiscriminant, QuadraticDiscriminant, NaiveBayes])
def test_without_a_prior_the_draws_are_around_the_estimate(face, estimate, load, columns):
    """So that they alone hold the posterior of nearly every row."""
    X, y = some(load, 150)
    X = X[:, :columns]
    model = face(estimate=estimate).fit(X, y)
    low, high = intervals(model.model_.uncertain(), model.model_.table(X), "error", 0.95, 100, 0)
    posterior = model.predict_proba(X)
    assert ((low <= posterior) & (posterior <= high)).mean() > 0.98


def test_the_centre_of_what_rows_alone_say_is_the_unbiased_covariance():
    X, y = some(load_iris, 150)
    model = LinearDiscriminant(estimate="unbiased").fit(X, y)
    [belief] = model.model_.uncertain().beliefs
    precision = belief.degrees[0, 0] * np.linalg.inv(belief.scatter[0])  # the mean of a Wishart
    np.testing.assert_allclose(precision, np.linalg.inv(model.covariance_), rtol=1e-9)
    np.testing.assert_allclose(belief.location, model.means_, rtol=1e-12)
