"""The weak prior of components not known: mclust's, with correlations shrunk by what chance would make of them."""

import numpy as np
import pytest

from suffice import Mixture
from suffice.families.gaussian.family import Gaussian
from suffice.families.gaussian.shapes import DIAGONAL, FULL, SPHERICAL
from suffice.families.memberships import memberships


def prior(X, components, shape):
    family = Gaussian(X.shape[1], shape)
    return family.weak_unlabelled(family.statistics(X, memberships(np.zeros(len(X), dtype=int), 1)), components)


def together(rows, columns=3, seed=0):
    """Rows whose columns go together."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, columns)) + 2 * rng.normal(size=(rows, 1)) + np.arange(columns)


@pytest.mark.parametrize("components", [1, 2, 5])
def test_with_many_rows_it_is_the_covariance_of_all_rows_over_k_to_the_two_over_d(components):
    X = together(20_000)
    found = prior(X, components, FULL)
    expected = np.cov(X.T, bias=True) / components ** (2 / 3)
    np.testing.assert_allclose(found.scatter, np.repeat(expected[None], components, axis=0), rtol=1e-3)
    np.testing.assert_allclose(found.location, np.repeat(X.mean(axis=0)[None], components, axis=0))
    assert (found.kappa == 0.01).all()
    assert (found.degrees == 3 + 2).all()


def test_variances_are_those_of_the_rows_however_few():
    X = together(4, columns=6)
    found = prior(X, 2, FULL)
    np.testing.assert_allclose(np.diagonal(found.scatter[0]) * 2 ** (2 / 6), X.var(axis=0))
    assert found.proper
    assert np.linalg.eigvalsh(found.scatter[0])[0] > 0


def test_correlations_are_shrunk_by_a_constant_over_the_rows():
    """The share of what is lost falls as one over the number of rows."""
    lost = []
    for rows in (50, 500, 5000):
        X = together(rows)
        found, seen = prior(X, 1, FULL).scatter[0], np.cov(X.T, bias=True)
        lost.append(rows * (1 - found[0, 1] / seen[0, 1]))
    assert max(lost) < 3 * min(lost)


@pytest.mark.parametrize("shape", [DIAGONAL, SPHERICAL])
def test_other_shapes_have_variances_only(shape):
    X = together(40)
    variances = X.var(axis=0)[None] if shape is DIAGONAL else X.var(axis=0).mean()[None, None]
    np.testing.assert_allclose(prior(X, 2, shape).scatter, np.repeat(variances, 2, axis=0) / 2 ** (2 / 3))


def test_columns_that_follow_from_others_are_no_obstacle():
    X = together(60)
    X = np.column_stack([X, X.sum(axis=1)])
    assert np.isfinite(Mixture(2).fit(X).score(X))


def test_missing_cells_leave_it_proper():
    X = together(60)
    X[np.arange(60), np.arange(60) % 3] = np.nan
    assert prior(X, 2, FULL).proper
    assert Mixture(2).fit(X).converged_
