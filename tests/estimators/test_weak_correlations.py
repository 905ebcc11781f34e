"""The weak prior of a full covariance has the correlations of the rows, and is proper whatever the rows; its worth."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.covariance import OAS
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from suffice import GaussianDiscriminant, LinearDiscriminant, QuadraticDiscriminant, compare
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
    ours = typical(found.complete(), 1, np.ones((1, 6)), np.full(1, 15.0))[0]
    theirs = OAS(assume_centered=True).fit(np.delete(X, 0, axis=0)).shrinkage_  # of 29 rows: a mean was spent
    squares, free = np.sum((X.T @ X / 30) ** 2), 29
    share = ((1 - 2 / 6) * squares + 36) / ((free + 1 - 2 / 6) * (squares - 6))
    np.testing.assert_allclose(ours, (1 - share) * X.T @ X / 30 + share * np.eye(6), rtol=1e-10)
    assert share == pytest.approx(theirs, rel=0.25)


def test_the_share_fades_where_rows_are_plenty():
    """Fifteen degrees of freedom for each column are; twice as many leave a quarter of it."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(181, 6)) @ rng.normal(size=(6, 6))
    X -= X.mean(axis=0)
    X /= X.std(axis=0)
    _, found = statistics(X, np.zeros(181, dtype=np.intp))
    correlations, free = X.T @ X / 181, 180
    squares = np.sum(correlations**2)
    share = ((1 - 2 / 6) * squares + 36) / ((free + 1 - 2 / 6) * (squares - 6)) / 4
    ours = typical(found.complete(), 1, np.ones((1, 6)), np.full(1, 15.0), plenty=15)[0]
    np.testing.assert_allclose(ours, (1 - share) * correlations + share * np.eye(6), rtol=1e-10)


@pytest.mark.parametrize(
    "rows, columns, shared, worth",
    [
        (300, 4, False, 100),  # as many as a class has
        (300, 4, True, 200),  # all of them, but 50 for each column at most
        (120, 4, True, 120),
        (9, 4, False, 10),  # the least that is proper, 2D + 2
        (300, 1, False, 4),  # a column by itself has no correlations to say anything about
    ],
)
def test_what_it_is_worth(rows, columns, shared, worth):
    X, y = correlated(rows, columns, 3)
    family, found = statistics(X, y)
    family = replace(family, shared=shared)
    covariance, scatter = family.weak(found).mode().covariance, family.weak(found).scatter
    np.testing.assert_allclose(scatter, worth * covariance, rtol=1e-12)
    least = 2 * columns + 1 + (3 if shared else 1)
    prior = family.just_proper(found)
    np.testing.assert_allclose(prior.scatter, least * prior.mode().covariance, rtol=1e-12)


def test_the_mode_lies_between_own_and_pooled_covariances():
    """Half way where classes are equally large, as with shrink_shared=0.5."""
    X, y = load_iris(return_X_y=True)
    mode = QuadraticDiscriminant(estimate="map").fit(X, y).covariance_
    own = np.array([np.cov(X[y == k].T, bias=True) for k in range(3)])
    np.testing.assert_allclose(mode, (own + own.mean(axis=0)) / 2, rtol=0.15)


def test_evidence_is_that_of_the_least_that_is_proper():
    """Rows must not speak twice where models are compared by what they make of the rows."""
    X, y = load_iris(return_X_y=True)
    family, found = statistics(X, y)
    by_hand = family.just_proper(found).log_evidence(found).sum()
    assert compare([QuadraticDiscriminant()], X, y).trials[0].log_evidence == pytest.approx(by_hand, rel=1e-12)
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 4)), np.arange(300) % 3
    assert compare([GaussianDiscriminant("diagonal"), GaussianDiscriminant()], X, y).log_bayes_factor(0, 1) > 0


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


def row_losses(model, X, y, folds):
    out = np.empty(len(y))
    for learned, tested in folds:
        posterior = model.fit(X[learned], y[learned]).predict_proba(X[tested])
        out[tested] = -np.log(np.maximum(posterior[np.arange(len(tested)), y[tested]], 1e-15))
    return out


def some_digits(return_X_y=True):
    X, y = load_digits(return_X_y=return_X_y)
    return X[:1000], y[:1000]


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


@pytest.mark.filterwarnings(
    "ignore::suffice.errors.UndeterminedWarning", "ignore::suffice.errors.ConstantColumnWarning"
)
@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer, some_digits])
@pytest.mark.parametrize(
    "ours, theirs",
    [
        (LinearDiscriminant(), LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")),
        (QuadraticDiscriminant(), QuadraticDiscriminantAnalysis(reg_param=0.1)),
    ],
    ids=["linear", "quadratic"],
)
def test_defaults_are_not_worse_than_what_people_regularise_with(load, ours, theirs):
    """By more than two paired standard errors, over ten folds; theirs has columns in standard deviations."""
    X, y = load(return_X_y=True)
    folds = list(StratifiedKFold(10, shuffle=True, random_state=0).split(X, y))
    losses = [row_losses(model, X, y, folds) for model in (ours, make_pipeline(StandardScaler(), theirs))]
    difference = losses[0] - losses[1]
    assert difference.mean() < 2 * difference.std() / np.sqrt(len(y))
