"""Codes of categories: how often each was met, and what a table says about those of a row.

In:  codes (N, D), below 0 where there is none to count; the bounds (D + 1,) of each column's cells among all C cells.
Out: counts (K, C), or sums of a table's entries (N, K).
"""

from itertools import pairwise

import numpy as np
from scipy import sparse

from suffice.arrays import Array, Codes, Matrix
from suffice.kernels.twins import compiled, compiled_alike


def one_hot(codes: Codes, bounds: Codes) -> Matrix:
    """A one in the cell of each code (N, C): what counts are sums of."""
    known = codes >= 0
    ends = np.concatenate([[0], np.cumsum(known.sum(axis=1))])
    return sparse.csr_array((np.ones(ends[-1]), (codes + bounds[:-1])[known], ends), shape=(len(codes), bounds[-1]))


def hard_counts(codes: Codes, bounds: Codes, labels: Codes, weights: Array, components: int) -> Array:
    """Sums of `one_hot` over the rows of each label."""
    fast, cells = compiled_alike(codes.size), int(bounds[-1])
    if fast is not None:
        out = np.zeros((components, cells))
        fast.hard_counts(np.ascontiguousarray(codes), bounds, labels, np.ascontiguousarray(weights), out)
        return out
    last = components * cells  # the place of what is not counted
    places = np.where((codes >= 0) & (labels >= 0)[:, None], codes + bounds[:-1] + (labels * cells)[:, None], last)
    counts = np.bincount(places.ravel(), np.repeat(weights, codes.shape[1]), last + 1).astype(float, copy=False)
    return counts[:-1].reshape(components, cells)


def pair_counts(codes: Codes, bounds: Codes, labels: Codes, weights: Array, components: int) -> Array | None:
    """Sums of `one_hot` times itself, each cell with each, over the rows of each label, (K, C, C); None as above."""
    fast = compiled(codes.size * codes.shape[1])
    if fast is None:
        return None
    out = np.zeros((components, bounds[-1], bounds[-1]))
    fast.pair_counts(np.ascontiguousarray(codes), bounds, labels, np.ascontiguousarray(weights), out)
    out += np.swapaxes(np.tril(out, -1), 1, 2)
    return out


def soft_counts(codes: Codes, bounds: Codes, shares: Array) -> Array | None:
    """Sums of `one_hot` over all rows, with the shares of each component; None as above."""
    fast = compiled(codes.size)
    if fast is None:
        return None
    out = np.zeros((bounds[-1], shares.shape[1]))
    fast.soft_counts(np.ascontiguousarray(codes), bounds, np.ascontiguousarray(shares), out)
    return out.T


def look_up(codes: Codes, bounds: Codes, table: Array, missing: int) -> Array:
    """Σ_j of the table's entry for each code; one that is no level has the column's own entry, behind all cells."""
    components = table.shape[1]  # (C + D, K) → (N, K)
    fast = compiled(codes.size)
    if fast is not None:
        wide = np.pad(table, ((0, 0), (0, -components % 4)))
        out = np.empty((len(codes), wide.shape[1]))
        fast.look_up(np.ascontiguousarray(codes), bounds, missing, wide, out)
        return out[:, :components]
    total = np.zeros((len(codes), components))
    for j, (first, last) in enumerate(pairwise(bounds)):
        code = codes[:, j]
        known = (code >= 0) & (code < last - first)
        entries = table[np.where(known, code + first, bounds[-1] + j)]
        entries[code == missing] = 0.0
        total += entries
    return total


def look_up_pairs(cells: Codes, table: Array, first: Array) -> Array:
    """Of each cell of a row its own entry, and Σ_i of the table's entries for it beside every other cell."""
    parents, components = len(first) - 1, first.shape[1]  # (P + 1, C, K), (P + 1, K), the last for none → (D, N, K)
    out = np.empty((cells.shape[1], len(cells), components))
    fast = compiled(cells.size)
    if fast is not None:
        wide = np.pad(table, ((0, 0), (0, 0), (0, components % 2)))
        fast.look_up_pairs(np.ascontiguousarray(cells), wide, first, out)
        return out
    beside = np.minimum(cells, parents)
    for j, found in enumerate(out):
        np.add(table[beside[:, j, None], cells].sum(axis=1), first[beside[:, j]], out=found)
    return out


def look_up_given(codes: Codes, sizes: Codes, parents: Codes, table: Array, missing: int) -> Array:
    """Σ_j of the table's entry for the code of column j and that of its parent, −1 where it has none.

    Entries of a column are its codes and one that is no level, for each of those of its parent; columns follow each
    other. NaN where a parent is missing.
    """  # (C, K) → (N, K)
    parent_sizes = np.where(parents < 0, 0, sizes[parents] + 1)
    bounds = np.cumsum([0, *(np.maximum(parent_sizes, 1) * (sizes + 1))])
    fast, components = compiled(codes.size), table.shape[1]
    if fast is not None:
        wide = np.pad(table, ((0, 0), (0, -components % 4)))
        out = np.empty((len(codes), wide.shape[1]))
        fast.look_up_given(np.ascontiguousarray(codes), sizes, parents, bounds, missing, wide, out)
        return out[:, :components]
    level = np.where((codes >= 0) & (codes < sizes), codes, sizes)
    cells = bounds[:-1] + np.where(parents < 0, 0, level[:, parents]) * (sizes + 1) + level
    entries = table[cells]  # (N, D, K)
    entries[(parents >= 0) & (codes[:, parents] == missing)] = np.nan
    entries[codes == missing] = 0.0
    return np.asarray(entries.sum(axis=1))


def ranges(values: Codes, narrow: int) -> tuple[Codes, Codes]:
    """Two numbers for each column between which all its cells lie: the closest, or 0 and a few bits."""
    bits = np.bitwise_or.reduce(values, axis=0)
    if ((bits >= 0) & (bits < narrow)).all():
        return np.zeros_like(bits), bits
    return values.min(axis=0), values.max(axis=0)
