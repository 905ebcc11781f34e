"""Means and covariances of a summary, from the first row on."""

import numpy as np
import pytest

from suffice import collect, example
from suffice.errors import ParameterError

ROWS = np.random.default_rng(0).normal(size=(7, 3)) * [1, 10, 0.1] + [0, 100, 5]
TABLE = dict(zip("abc", ROWS.T, strict=True))


def test_the_recursion_of_the_texts():
    """m ← m + (x − m)/N, Σ ← (N − 1)/N (Σ + (x − m)(x − m)ᵀ/N), from one row on."""
    summary = collect({name: cells[:1] for name, cells in TABLE.items()}, ["all"])
    mean, sigma = ROWS[0], np.zeros((3, 3))
    for n, row in enumerate(ROWS[1:], start=2):
        found = summary.moments()
        np.testing.assert_allclose(found.means, [mean], rtol=1e-12)
        np.testing.assert_allclose(found.covariances[0], sigma, rtol=1e-9, atol=1e-12)
        assert found.counts.tolist() == [[n - 1] * 3]
        summary = summary + collect({name: [cells[n - 1]] for name, cells in TABLE.items()}, ["all"])
        off = row - mean
        mean, sigma = mean + off / n, (n - 1) / n * (sigma + np.outer(off, off) / n)
    np.testing.assert_allclose(summary.moments(ddof=1).covariances[0], np.cov(ROWS.T), rtol=1e-9)


def test_one_row_has_no_unbiased_covariance():
    found = collect({name: cells[:1] for name, cells in TABLE.items()}, ["all"]).moments(ddof=1)
    assert np.isnan(found.covariances).all()
    np.testing.assert_allclose(found.means, ROWS[:1])


def test_by_class_and_weight():
    labels, weights = np.array(list("uuvvvuu")), np.array([1.0, 2, 1, 0.5, 3, 1, 1])
    found = collect(TABLE, labels, sample_weight=weights).moments()
    for k, name in enumerate("uv"):
        own = labels == name
        np.testing.assert_allclose(found.means[k], np.average(ROWS[own], axis=0, weights=weights[own]))
        np.testing.assert_allclose(found.covariances[k], np.cov(ROWS[own].T, aweights=weights[own], ddof=0))
        assert found.counts[k].tolist() == [weights[own].sum()] * 3


def test_missing_cells_leave_the_rows_that_have_both():
    holes = ROWS.copy()
    holes[0, 0] = holes[3, 1] = np.nan
    table = dict(zip("abc", holes.T, strict=True))
    found = collect(table, ["all"] * 7).moments(ddof=1)
    np.testing.assert_allclose(found.means[0], np.nanmean(holes, axis=0))
    assert found.counts.tolist() == [[6, 6, 7]]
    for i, j in ((0, 0), (0, 1), (1, 2), (0, 2)):
        both = ~np.isnan(holes[:, [i, j]]).any(axis=1)
        assert found.covariances[0, i, j] == pytest.approx(np.cov(holes[both][:, [i, j]].T)[0, 1 if i != j else 0])


def test_columns_kept_each_by_itself_have_variances_only():
    found = collect(TABLE, ["all"] * 7, joint=False).moments()
    np.testing.assert_allclose(np.diagonal(found.covariances[0]), ROWS.var(axis=0))
    assert np.isnan(found.covariances[0, 0, 1])


def test_columns_come_in_the_order_of_the_table_and_categories_are_counted():
    melons, ripe = example("watermelon")
    found = collect(melons, ripe, kinds={"编号": "ignore"}).moments()
    assert found.columns == ("密度", "含糖率")
    assert found.cells["色泽"]["青绿"].tolist() == [3, 3]
    with pytest.raises(ParameterError, match="ddof"):
        collect(melons, ripe, kinds={"编号": "ignore"}).moments(ddof=2)
