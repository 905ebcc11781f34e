"""Logistic loss: against scikit-learn at its finest, slopes by differences, and both ways down."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import approx_fprime
from sklearn.linear_model import LogisticRegression

from suffice.discriminative import logistic
from suffice.discriminative.logistic import Softmax, least_logistic_loss


def drawn(classes, seed=0):
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(90, 4))
    codes = 1 * (z[:, 0] + rng.normal(size=90) > 0) + (z[:, 1] > 0.5) * (classes > 2)
    return z, codes, rng.uniform(0.5, 2, 90)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("cost", [0.01, 1.0, 50.0])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_weights_are_those_of_scikit_learn(classes, cost, form):
    z, codes, weights = drawn(classes)
    found = least_logistic_loss(form(z), codes, classes, cost * weights, 1e-12)
    theirs = LogisticRegression(C=cost, tol=1e-12, max_iter=100_000, solver="newton-cg").fit(z, codes, weights)
    np.testing.assert_allclose(found.w, theirs.coef_, atol=1e-8)
    level = theirs.intercept_ - theirs.intercept_.mean() if classes > 2 else theirs.intercept_
    np.testing.assert_allclose(found.b, level, atol=1e-8)


@pytest.mark.parametrize("classes", [2, 3])
def test_slope_and_curvature_are_those_of_the_objective(classes):
    z, codes, weights = drawn(classes)
    losses = Softmax(z, codes, classes, weights)
    theta = np.random.default_rng(1).normal(size=losses.shape) * 0.3
    at = theta.ravel()
    numeric = approx_fprime(at, lambda t: losses.passed(t.reshape(theta.shape)).value, 1e-6)
    np.testing.assert_allclose(losses.passed(theta).slope.ravel(), numeric, atol=1e-4)

    def slope(t):
        return losses.passed(t.reshape(theta.shape)).slope.ravel()

    bent = np.array([(slope(at + step) - slope(at - step)) / 2e-5 for step in 1e-5 * np.eye(len(at))])
    held = losses.passed(theta, bend=True).matrix
    if classes > 2:  # what holds the sum of all b where it is
        ends = np.arange(theta.shape[1] - 1, theta.size, theta.shape[1])
        held[np.ix_(ends, ends)] -= weights.mean()
    np.testing.assert_allclose(held, bent, atol=1e-5)


@pytest.mark.parametrize("classes", [2, 3])
def test_a_large_problem_goes_by_the_slope_alone(classes, monkeypatch):
    z, codes, weights = drawn(classes)
    exact = least_logistic_loss(z, codes, classes, weights, 1e-12)
    monkeypatch.setattr(logistic, "LARGEST", 1)
    found = least_logistic_loss(z, codes, classes, weights, 1e-10)
    np.testing.assert_allclose(found.w, exact.w, atol=1e-6)
    np.testing.assert_allclose(found.b, exact.b, atol=1e-6)


def test_the_objective_never_rises(monkeypatch):
    """Watched from the slopes that steps are solved for: one for each state."""
    z, codes, weights = drawn(3, seed=4)
    states, plain = [], Softmax.passed

    def watched(self, theta, bend=False):
        found = plain(self, theta, bend)
        states.append((found.slope, found.value))
        return found

    solved_at = []
    monkeypatch.setattr(Softmax, "passed", watched)
    solve = logistic.solved
    monkeypatch.setattr(logistic, "solved", lambda bent, slope: solved_at.append(slope.copy()) or solve(bent, slope))
    least_logistic_loss(30 * z, codes, 3, 1e4 * weights, 1e-12)
    values = [next(value for known, value in states if np.array_equal(known.ravel(), at)) for at in solved_at]
    assert len(values) > 4
    assert (np.diff(values) <= 1e-9 * np.abs(values[:-1])).all()


def test_many_rows_begin_with_some_of_them_and_go_in_blocks(monkeypatch):
    rng = np.random.default_rng(0)
    z = rng.normal(size=(3000, 5))
    codes = rng.integers(0, 3, 3000) * (z[:, 0] > 0)
    exact = least_logistic_loss(z, codes, 3, np.ones(3000), 1e-12)
    monkeypatch.setattr("suffice.discriminative.margin.SAMPLE", 200)
    monkeypatch.setattr("suffice.arrays.BLOCK_CELLS", 1000)
    found = least_logistic_loss(z, codes, 3, np.ones(3000), 1e-12)
    np.testing.assert_allclose(found.w, exact.w, atol=1e-9)
    np.testing.assert_allclose(found.b, exact.b, atol=1e-9)


def test_a_start_elsewhere_ends_at_the_same_place():
    z, codes, weights = drawn(3)
    first = least_logistic_loss(z, codes, 3, weights, 1e-12)
    found = least_logistic_loss(z, codes, 3, 20 * weights, 1e-12, start=first)
    anew = least_logistic_loss(z, codes, 3, 20 * weights, 1e-12)
    np.testing.assert_allclose(found.w, anew.w, atol=1e-8)
    np.testing.assert_allclose(found.b, anew.b, atol=1e-8)
