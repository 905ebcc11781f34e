"""Mean and centred scatter of weighted rows: the hot loop of the Gaussian families.

In:  rows x (N, D), NaN where missing, and who they belong to: labels and weights (N,), or shares (N, K).
Out: for each component observed mass, mean and scatter; the mean in two parts, a number near it and what that is off
     by, whose sum a float may have no room for. Squares are summed around that number, and what it is off by is taken
     off again; where it was too far off for twelve digits, once more around the mean itself.
"""

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from suffice.arrays import CACHED_CELLS, Array, Codes, ratio, row_blocks, workspace
from suffice.kernels.twins import compiled

Sums = tuple[Array, Array, Array, Array]  # mass, a number near the mean, what it is off by, scatter
Kernel = Callable[[Array, Array, Codes | slice], Sums]  # of x, and of some of its rows their weights and positions
Adding = Callable[..., None]  # adds to the sums it is given, around the shift it is given
SAME = 1e-12  # of squares around a shift: less is left only where no cell differs
FAR = 100.0  # squared standard deviations between the shift and the mean that cost two digits

AT_ONCE = 2 * CACHED_CELLS  # cells of rows, columns and components that are worth having side by side


def grouped(x: Array, labels: Codes, sums: Callable[[Array], Array]) -> Sums:
    """Mass, mean and sum of squares of each column, missing cells left out, for the rows of each label.

    `sums` adds up the rows of each label, with their weights.
    """  # (K, D) each
    missing = np.isnan(x)
    holed = missing.any()
    mass = sums(1.0 - missing)
    shift = ratio(sums(np.where(missing, 0.0, x) if holed else x), mass)
    z = x - shift[labels]
    if holed:
        z[missing] = 0.0
    first = sums(z)
    off = ratio(first, mass)
    z *= z
    squares = sums(z)
    return mass, shift, off, _told_apart(squares - off * first, squares)


def columnwise(x: Array, w: Array, rows: Codes | slice = slice(None)) -> Sums:
    """`grouped`, where some rows are of one label and the others of none."""  # (D,) each
    sums = grouped(x[rows], np.zeros(len(w), dtype=np.intp), lambda cells: w[None, :] @ cells)
    [mass], [near], [off], [scatter] = sums
    return mass, near, off, scatter


def hard_columnwise(x: Array, labels: Codes, weights: Array, mass: Array) -> Sums | None:
    """`grouped`, where the mass of each label is known, in one read of all rows.

    None where the compiled twin does not serve.
    """
    fast = compiled(x.size)
    if fast is None:
        return None
    x, weights, shift = np.ascontiguousarray(x), np.ascontiguousarray(weights), np.empty((len(mass), x.shape[1]))
    fast.first_cells(x, labels, shift)
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
    return mass, np.where(mass > 0, shift, 0.0), off, _told_apart(scatter, second)


def crosswise(x: Array, w: Array, rows: Codes | slice = slice(None)) -> Sums:
    """Mass (D,), mean (D,) and scatter matrix (D, D) of some rows, all of them complete; a slice is of all rows."""
    total, columns = w.sum(), x.shape[1]
    if total == 0:
        return np.zeros(columns), np.zeros(columns), np.zeros(columns), np.zeros((columns, columns))
    mean = (w @ x[rows]) / total if isinstance(rows, slice) else x[rows[0]]
    rows = np.arange(len(x))[rows] if isinstance(rows, slice) else rows
    first, scatter = _crosswise_around(mean, x, w, rows)
    if (FAR * np.diagonal(scatter - _between(first, total)) < np.diagonal(_between(first, total))).any():
        mean = mean + first / total
        first, scatter = _crosswise_around(mean, x, w, rows)
    return np.full(columns, total), mean, first / total, _matrix_told_apart(scatter - _between(first, total), scatter)


def _crosswise_around(shift: Array, x: Array, w: Array, rows: Codes) -> tuple[Array, Array]:
    """What the rows are off a shift, in sum (D,), and in squares and products (D, D)."""
    columns, fast = x.shape[1], compiled(x.size)
    first, second, roots = np.zeros(columns), np.zeros((columns, columns)), np.sqrt(w)
    for some in row_blocks(len(rows), columns, 2 * CACHED_CELLS):
        z = workspace("crosswise", some.stop - some.start, columns)
        if fast is not None:
            fast.centred(x, rows[some], roots[some], shift, z)
        else:
            np.take(x, rows[some], axis=0, out=z, mode="clip")  # which, unlike "raise", writes there at once
            z -= shift
            z *= roots[some, None]
        first += roots[some] @ z
        second += z.T @ z  # of one array with itself: half the work, and exactly symmetric
    return first, second


def hard_crosswise(x: Array, labels: Codes, weights: Array, mass: Array) -> Sums | None:
    """`crosswise` of the rows of each label, whose mass is known, in one read of them all; (K, D, D) in the end.

    None where the compiled twin does not serve.
    """
    fast = compiled(x.size)
    if fast is None:
        return None
    shift, weights = np.empty((len(mass), x.shape[1])), np.ascontiguousarray(weights)
    fast.first_cells(x, labels, shift)
    first, squares = _dealt_around(fast.dealt, shift, x, labels, weights)
    between = _between(first, mass)
    if (FAR * np.einsum("kdd->kd", squares - between) < np.einsum("kdd->kd", between)).any():
        shift += ratio(first, mass[:, None])
        first, squares = _dealt_around(fast.dealt, shift, x, labels, weights)
        between = _between(first, mass)
    seen = np.repeat(mass[:, None], x.shape[1], axis=1)
    return seen, np.where(seen > 0, shift, 0.0), ratio(first, seen), _matrix_told_apart(squares - between, squares)


def soft_crosswise(x: Array, shares: Array) -> Sums | None:
    """`crosswise` of all rows with the shares of each component, for all components at once.

    None where that takes much room, or where means are so far from 0 that squares are to be summed once more.
    """
    if x.size * shares.shape[1] > AT_ONCE:
        return None
    mass, roots = shares.sum(axis=0), np.sqrt(shares.T)  # (K,), (K, N)
    near = ratio(shares.T @ x, mass[:, None])
    z = (x - near[:, None, :]) * roots[:, :, None]  # (K, N, D)
    first, squares = np.einsum("kn,knd->kd", roots, z), np.swapaxes(z, 1, 2) @ z
    between = _between(first, mass)
    if (FAR * np.einsum("kdd->kd", squares - between) < np.einsum("kdd->kd", between)).any():
        return None
    seen = np.repeat(mass[:, None], x.shape[1], axis=1)
    return seen, near, ratio(first, seen), _matrix_told_apart(squares - between, squares)


def _dealt_around(deal: Adding, shift: Array, x: Array, labels: Codes, weights: Array) -> tuple[Array, Array]:
    """What the rows of each label are off its shift, in sum (K, D), and in squares and products (K, D, D)."""
    bounds = np.cumsum(np.bincount(labels + 1, minlength=len(shift) + 1))
    z, first = workspace("crosswise", *x.shape), np.zeros(shift.shape)
    deal(x, labels, np.sqrt(weights), shift, bounds[:-1].copy(), z, first)
    return first, np.array([z[start:end].T @ z[start:end] for start, end in pairwise(bounds)])


def _between(first: Array, mass: Array) -> Array:
    """What a shift adds to squares and products; sums of weights as large as floats get are not squared."""
    off = ratio(first, np.sqrt(mass)[..., None])
    return np.asarray(off[..., :, None] * off[..., None, :])


def _told_apart(scatter: Array, squares: Array) -> Array:
    """The scatter, without what rounding leaves of the squares around a shift where all cells are the same."""
    return np.where(scatter < SAME * squares, 0.0, scatter)


def _matrix_told_apart(scatter: Array, squares: Array) -> Array:
    """The same of matrices (…, D, D), by their diagonals."""
    own, whole = (np.einsum("...dd->...d", part) for part in (scatter, squares))
    gone = own < SAME * whole
    return np.where(gone[..., :, None] | gone[..., None, :], 0.0, scatter) if gone.any() else scatter


def every_two(x: Array, w: Array, rows: Codes | slice = slice(None)) -> Sums:
    """Mass, mean and scatter matrix of every two columns, (P, 2) and (P, 2, 2), over the rows that have both cells."""
    some, (first, second) = x[rows], np.triu_indices(x.shape[1], 1)
    _, near, off, _ = columnwise(some, w)
    shift = near + off
    there = ~np.isnan(some)
    z, seen = np.where(there, some - shift, 0.0), there * w[:, None]
    with_other = (seen.T @ there, (z * w[:, None]).T @ there, (z * z * w[:, None]).T @ there)  # of [i, j]: where j is
    mass, sums, squares = (np.stack([part[first, second], part[second, first]], axis=1) for part in with_other)
    products = (z.T @ (z * w[:, None]))[first, second]
    off = ratio(sums, mass)
    whole = np.stack([squares[:, 0], products, products, squares[:, 1]], axis=1).reshape(-1, 2, 2)
    scatter = whole - off[:, :, None] * sums[:, None, :]
    near = np.where(mass > 0, np.stack([shift[first], shift[second]], axis=1), 0.0)
    own, between = np.einsum("pdd->pd", scatter), off * sums
    scatter = _matrix_told_apart((scatter + np.swapaxes(scatter, 1, 2)) / 2, whole)
    for p in np.flatnonzero((between > FAR * own).any(axis=1) & (mass[:, 0] > 0)):  # once more, by itself
        both = there[:, first[p]] & there[:, second[p]]
        pair = crosswise(some[both][:, [first[p], second[p]]], w[both])
        mass[p], near[p], off[p], scatter[p] = pair
    return mass, near, off, scatter


def products(z: Array, shares: Array, size: int) -> Array:
    """Σ_n share_kn z_in z_jn, for j not before i; `size` is how many cells there are in all."""  # → (K, P, P)
    fast = compiled(size)
    if fast is None:
        return np.stack([(z * share) @ z.T for share in shares])
    out = np.zeros((len(shares), len(z), len(z)))
    fast.products(z, shares, out)
    return out
