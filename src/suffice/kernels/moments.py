"""Mean and centred scatter of weighted rows: the hot loop of the Gaussian families.

In:  rows x (N, D), NaN where missing, and who they belong to: labels and weights (N,), or shares (N, K).
Out: for each component observed mass, mean and scatter. Squares are summed around a point near the mean, and what that
     point is off by is taken off again; where it was too far off for twelve digits, once more around the mean itself.
"""

from collections.abc import Callable

import numpy as np

from suffice.arrays import Array, Codes, ratio, workspace
from suffice.kernels.choice import compiled

Sums = tuple[Array, Array, Array]  # mass, mean, scatter
Kernel = Callable[[Array, Array, Codes | slice], Sums]  # of x, and of some of its rows their weights and positions
Adding = Callable[..., None]  # adds to the sums it is given, around the shift it is given
FAR = 100.0  # squared standard deviations between the shift and the mean that cost two digits


def columnwise(x: Array, w: Array, rows: Codes | slice = slice(None)) -> Sums:
    """Mass, mean and sum of squares of each column, missing cells left out: the twin of the two below."""  # (D,) each
    x = x[rows]
    missing = np.isnan(x)
    weights = np.where(missing, 0.0, w[:, None])
    x = np.where(missing, 0.0, x)
    mass = weights.sum(axis=0)
    mean = ratio((weights * x).sum(axis=0), mass)
    z = x - mean
    first = (weights * z).sum(axis=0)
    return mass, mean + ratio(first, mass), (weights * z * z).sum(axis=0) - ratio(first * first, mass)


def hard_columnwise(x: Array, labels: Codes, weights: Array, components: int) -> Sums | None:
    """`columnwise` of the rows of each label in one read of them all; None where the compiled twin does not serve."""
    fast = compiled(x.size)
    if fast is None:
        return None
    x, shift = np.ascontiguousarray(x), np.empty((components, x.shape[1]))
    fast.first_cells(x, labels, shift)
    mass = np.bincount(labels + 1, weights, components + 1)[1:].astype(float)
    return _around(
        shift,
        mass,
        lambda *sums: fast.hard_complete(x, labels, weights, *sums),
        lambda *sums: fast.hard_holed(x, labels, weights, *sums),
    )


def soft_columnwise(x: Array, shares: Array) -> Sums | None:
    """`columnwise` of all rows with the shares of each component."""
    fast = compiled(x.size)
    if fast is None:
        return None
    x, shares = np.ascontiguousarray(x), np.ascontiguousarray(shares)
    mass = shares.sum(axis=0)
    shift = ratio(shares.T @ x, mass[:, None])
    shift = np.where(np.isfinite(shift), shift, 0.0)  # 0 where cells are missing: far off, if need be
    return _around(
        shift,
        mass,
        lambda *sums: fast.soft_complete(x, shares, *sums),
        lambda *sums: fast.soft_holed(x, shares, *sums),
    )


def _around(shift: Array, weight: Array, complete: Adding, holed: Adding, again: bool = True) -> Sums:
    """Sums around a shift, as if no cell were missing; if one is, a sum says so."""
    mass = np.repeat(weight[:, None], shift.shape[1], axis=1)
    first, second = np.zeros((2, *shift.shape))
    complete(shift, first, second)
    if np.isnan(first).any():
        mass, first, second = np.zeros((3, *shift.shape))
        holed(shift, mass, first, second)
    off = ratio(first, mass)
    scatter = second - off * first
    if again and (off * off * mass > FAR * scatter).any():
        return _around(shift + off, weight, complete, holed, again=False)
    return mass, np.where(mass > 0, shift + off, 0.0), np.maximum(scatter, 0.0)


def crosswise(x: Array, w: Array, rows: Codes | slice = slice(None)) -> Sums:
    """Mass (D,), mean (D,) and scatter matrix (D, D) of some rows, all of them complete."""
    total, columns = w.sum(), x.shape[1]
    if total == 0:
        return np.zeros(columns), np.zeros(columns), np.zeros((columns, columns))
    z = workspace("crosswise", len(w), columns)
    if isinstance(rows, slice):
        z[:] = x[rows]
    else:
        np.take(x, rows, axis=0, out=z, mode="clip")  # which, unlike "raise", writes there at once
    mean = (w @ z) / total
    z -= mean
    first = w @ z
    if not (w == 1.0).all():
        z *= np.sqrt(w)[:, None]
    scatter = z.T @ z  # of one array with itself: half the work, and exactly symmetric
    return np.full(columns, total), mean + first / total, scatter - np.outer(first, first) / total


def distances(x: Array, mean: Array, scale: Array) -> Array:
    """Σ_j ((x_j − mean_kj) · scale_kj)²; NaN where a cell is missing."""  # (N, D), (K, D), (K, D) → (N, K)
    out = np.empty((len(x), len(mean)))
    fast = compiled(x.size)
    if fast is not None:
        fast.distances(np.ascontiguousarray(x), np.ascontiguousarray(mean), np.ascontiguousarray(scale), out)
        return out
    for k, (m, s) in enumerate(zip(mean, scale, strict=True)):
        z = (x - m) * s
        out[:, k] = np.einsum("nd,nd->n", z, z)
    return out
