"""Codes of categories: how often each was met, and what a table says about those of a row.

In:  codes (N, D), below 0 where there is none; the first cell of each column among all C cells.
Out: counts (K, C), or sums of a table's entries (N, K).
"""

import numpy as np
from scipy import sparse

from suffice.arrays import Array, Codes, Matrix
from suffice.kernels.choice import compiled


def one_hot(codes: Codes, starts: Codes, size: int) -> Matrix:
    """A one in the cell of each code (N, C): what `counts` are sums of."""
    known = codes >= 0
    ends = np.concatenate([[0], np.cumsum(known.sum(axis=1))])
    return sparse.csr_array((np.ones(ends[-1]), (codes + starts)[known], ends), shape=(len(codes), size))


def hard_counts(codes: Codes, starts: Codes, size: int, labels: Codes, weights: Array, components: int) -> Array | None:
    """Sums of `one_hot` over the rows of each label; None where the compiled twin does not serve."""
    fast = compiled(codes.size)
    if fast is None:
        return None
    out = np.zeros((components, size))
    fast.hard_counts(np.ascontiguousarray(codes), starts, labels, weights, out)
    return out


def soft_counts(codes: Codes, starts: Codes, size: int, shares: Array) -> Array | None:
    """Sums of `one_hot` over all rows, with the shares of each component."""
    fast = compiled(codes.size)
    if fast is None:
        return None
    out = np.zeros((size, shares.shape[1]))
    fast.soft_counts(np.ascontiguousarray(codes), starts, np.ascontiguousarray(shares), out)
    return out.T


def look_up(codes: Codes, starts: Codes, table: Array, unseen: int) -> Array:
    """Σ_j of the table's entry for each code; a code `unseen` has the column's own cell behind all others."""
    size, components = len(table) - len(starts), table.shape[1]  # (C + D, K) → (N, K)
    fast = compiled(codes.size)
    if fast is not None:
        out = np.empty((len(codes), components))
        fast.look_up(np.ascontiguousarray(codes), starts, size, unseen, table, out)
        return out
    entries = np.concatenate([table, np.zeros((1, components))])  # the last says nothing, of a cell that is not there
    total = np.zeros((len(codes), components))
    for j, start in enumerate(starts):
        code = codes[:, j]
        total += entries[np.where(code >= 0, code + start, np.where(code == unseen, size + j, -1))]
    return total


def ranges(values: Codes) -> tuple[Codes, Codes]:
    """The smallest and largest number of each column."""
    fast = compiled(values.size)
    if fast is None:
        return values.min(axis=0), values.max(axis=0)
    lowest, highest = values[0].copy(), values[0].copy()
    fast.ranges(np.ascontiguousarray(values), lowest, highest)
    return lowest, highest
