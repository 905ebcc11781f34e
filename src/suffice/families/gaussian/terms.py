"""Log odds between two Gaussians as a sum: a term for each column, for each pair of columns, and one for all.

In:  two means, their covariances or the one they share, and a block x (N, D), NaN where missing.
Out: terms (N,) by the columns they are of.

With u = x − m from the middle m = (μ_a + μ_b)/2, half the way d = (μ_a − μ_b)/2, and A, B the inverse covariances over
the cells that are there, the log odds are the sum of

    column j    u_j ((A + B) d)_j − ½ (A − B)_jj (u_j² + d_j²) − ½ ln(σ²_aj / σ²_bj)
    pair i, j   − (A − B)_ij (u_i u_j + d_i d_j)
    all         − ½ ln(|R_a| / |R_b|), of the correlations R

Where A = B only w_j (x_j − m_j) are left, w = Σ⁻¹(μ_a − μ_b). Where columns are not correlated each has the log odds
that it has by itself. No term depends on units or on where 0 is, and one with a missing cell is 0.
"""

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from suffice.arrays import Array
from suffice.families.gaussian.distances import patterns
from suffice.families.protocol import Terms

ALL: tuple[int, ...] = ()  # columns, however many there are


def terms_between(x: Array, mean: Array, covariance: Array) -> Terms:
    """`mean` is (2, D); `covariance` is (2, D, D), or (1, D, D) where both share it."""
    every = tuple(range(x.shape[1]))
    crosswise = [*combinations(every, 2), every] if len(covariance) > 1 else []
    out = {columns: np.zeros(len(x)) for columns in [*((j,) for j in every), *crosswise]}
    for rows, here in patterns(~np.isnan(x)):
        part = covariance[:, here][:, :, here]
        for columns, term in _of_cells(x[rows][:, here], mean[:, here], part):
            out[tuple(here[list(columns)].tolist()) if columns else every][rows] += term
    return out


def _of_cells(x: Array, mean: Array, covariance: Array) -> Iterator[tuple[tuple[int, ...], Array]]:
    """The same where no cell is missing."""
    u, d = x - mean.mean(axis=0), (mean[0] - mean[1]) / 2
    inverse, variance = np.linalg.inv(covariance), np.diagonal(covariance, axis1=1, axis2=2)
    slopes, bends = (inverse[0] + inverse[-1]) @ d, inverse[0] - inverse[-1]
    for j in range(len(d)):
        log_ratio = np.log(variance[0, j] / variance[-1, j])
        yield (j,), u[:, j] * slopes[j] - 0.5 * (bends[j, j] * (u[:, j] ** 2 + d[j] ** 2) + log_ratio)
    if len(covariance) > 1:
        for i, j in combinations(range(len(d)), 2):
            yield (i, j), -bends[i, j] * (u[:, i] * u[:, j] + d[i] * d[j])
        log_determinants = np.linalg.slogdet(covariance)[1] - np.log(variance).sum(axis=1)  # of the correlations
        yield ALL, np.full(len(x), 0.5 * (log_determinants[1] - log_determinants[0]))
