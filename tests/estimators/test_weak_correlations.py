"""The weak prior of a full covariance has the correlations of the rows, and is proper whatever the rows."""

import numpy as np
import pytest
from sklearn.covariance import OAS
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold

from suffice import GaussianDiscriminant, LinearDiscriminant, QuadraticDiscriminant
from suffice.families.gaussian.correlations import typical
from suffice.families.gaussian.family import Gaussian
from suffice.families.gaussian.shapes import FULL
from suffice.families.memberships import memberships


def statistics(X, y):
    family = Gaussian(X.shape[1], FULL)
    return family, family.statistics(X, memberships(y, int(y.max()) + 1))


def prior_covariance(X, y):
    """What the weak prior takes for typical, and its correlations."""
    family, found = statistics(X, y)
    prior = family.weak(found)
    covariance = prior.mode().covariance[0]
    deviation = np.sqrt(np.diag(covariance))
    return covariance, covariance / deviation / deviation[:, None]


def within(X, y):
    off = X - np.array([X[y == k].mean(axis=0) for k in range(y.max() + 1)])[y]
    return off.T @ off / len(y)


def correlated(rows, columns, classes=2, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(rows) % classes
    size = rng.normal(size=(rows, 1))  # of an animal, of which every column is a measure
    return size + 0.1 * rng.normal(size=(rows, columns)) + 0.15 * y[:, None] * (np.arange(columns) % 2), y


def test_the_prior_is_around_the_covariance_within_classes():
    X, y = load_iris(return_X_y=True)
    covariance, correlations = prior_covariance(X, y)
    expected = within(X, y)
    np.testing.assert_allclose(np.diag(covariance), np.diag(expected), rtol=1e-12)
    deviation = np.sqrt(np.diag(expected))
    shrunk = expected / deviation / deviation[:, None]
    share = 1 - correlations[0, 1] / shrunk[0, 1]
    assert 0 < share < 0.05
    np.testing.assert_allclose(correlations, (1 - share) * shrunk + share * np.eye(4), rtol=1e-10)


def test_the_share_is_that_of_oracle_approximating_shrinkage():
    """As scikit-learn has it, of rows with variance 1 around a mean that is known."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 6)) @ rng.normal(size=(6, 6))
    X -= X.mean(axis=0)
    X /= X.std(axis=0)
    _, found = statistics(X, np.zeros(30, dtype=np.intp))
    ours = typical(found.complete(), 1, np.ones((1, 6)), 15.0)[0]
    theirs = OAS(assume_centered=True).fit(np.delete(X, 0, axis=0)).shrinkage_  # of 29 rows: a mean was spent
    squares, free = np.sum((X.T @ X / 30) ** 2), 29
    share = ((1 - 2 / 6) * squares + 36) / ((free + 1 - 2 / 6) * (squares - 6))
    np.testing.assert_allclose(ours, (1 - share) * X.T @ X / 30 + share * np.eye(6), rtol=1e-10)
    assert share == pytest.approx(theirs, rel=0.25)


@pytest.mark.parametrize("rows, columns", [(4, 1), (4, 12), (30, 12), (300, 3)])
@pytest.mark.parametrize("copies", [1, 2])
def test_it_is_definite_whatever_the_rows(rows, columns, copies):
    X, y = correlated(rows, columns)
    X = np.tile(X, (1, copies))
    assert np.linalg.eigvalsh(prior_covariance(X, y)[1]).min() > 1e-9


@pytest.mark.parametrize("weight", [1e-9, 1e-3, 1e6, 1e9])
def test_a_mode_answers_however_much_rows_weigh(weight):
    X, y = correlated(50, 4)
    X = np.column_stack([X, X[:, 0]])
    for face in (LinearDiscriminant, QuadraticDiscriminant):
        model = face(estimate="map").fit(X, y, sample_weight=np.full(50, weight))
        assert np.isfinite(model.predict_log_proba(X)).all()


def test_missing_cells_only_weaken_correlations():
    X, y = correlated(200, 3)
    holed = np.where(np.random.default_rng(0).random(X.shape) < 0.2, np.nan, X)
    whole, weaker = (prior_covariance_of(some, y) for some in (X, holed))
    assert (weaker[np.triu_indices(3, 1)] < whole[np.triu_indices(3, 1)]).all()
    assert (weaker[np.triu_indices(3, 1)] > 0.4).all()


def prior_covariance_of(X, y):
    family, found = statistics(X, y)
    scatter = family.weak(found).scatter[0]
    deviation = np.sqrt(np.diag(scatter))
    return scatter / deviation / deviation[:, None]


def loss(model, X, y):
    """Log loss of ten folds."""
    posterior = np.empty((len(y), len(np.unique(y))))
    for learned, tested in StratifiedKFold(10, shuffle=True, random_state=0).split(X, y):
        posterior[tested] = model.fit(X[learned], y[learned]).predict_proba(X[tested])
    return log_loss(y, posterior)


TABLES = {
    "iris": load_iris(return_X_y=True),
    "wine": load_wine(return_X_y=True),
    "breast cancer": load_breast_cancer(return_X_y=True),
    "sizes": correlated(200, 5, 4),
}


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("name", TABLES)
def test_a_mode_does_not_hurt_where_columns_go_together(name, shared):
    X, y = TABLES[name]
    textbook, mode = (loss(GaussianDiscriminant(shared=shared, estimate=e), X, y) for e in ("unbiased", "map"))
    assert mode < textbook + 0.005
