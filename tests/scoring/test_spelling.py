"""Functions that engines lack have all their digits."""

import sqlite3
from contextlib import closing
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import gammaln

from suffice.engines.scoring.dialects import SQLITE
from suffice.engines.scoring.writing import Writer
from suffice.formulas import Cell, Function, gained, lgamma


def worked_out(expression, values):
    with closing(sqlite3.connect(":memory:")) as database:
        query = f"SELECT {Writer(SQLITE, {})(expression)} FROM (SELECT ? AS x)"
        return np.array([database.execute(query, [value]).fetchone()[0] for value in values])


def test_log_gamma():
    x = np.concatenate([np.geomspace(1e-6, 1e8, 200), np.arange(1.0, 30.0), [0.5, 1.5, 2.5]])
    np.testing.assert_allclose(worked_out(lgamma(Cell("x")), x.tolist()), gammaln(x), rtol=1e-14, atol=2e-14)


def test_log1p():
    u = np.concatenate([[0.0], np.geomspace(1e-20, 1e10, 200)])
    np.testing.assert_allclose(worked_out(Function("log1p", Cell("x")), u.tolist()), np.log1p(u), rtol=1e-15)


@pytest.mark.parametrize("before", [0.5, 3.0, 8.0, 1e3, 1e9, 1e14])
def test_what_counts_gain(before):
    """Ln Γ(before + n) − ln Γ(before) is ln of a product, exact in whole fractions."""
    counts = [0, 1, 2, 7, 40]
    products = [Fraction(1)]
    for i in range(max(counts)):
        products.append(products[-1] * (Fraction(before) + i))
    wanted = [np.log(float(products[n] / Fraction(10) ** (8 * n))) + 8 * n * np.log(10.0) for n in counts]
    found = worked_out(gained(Cell("x"), before), [float(n) for n in counts])
    np.testing.assert_allclose(found, wanted, rtol=1e-13, atol=1e-13)
