"""Which row belongs to which component, and how much: integer labels, or shares that may be soft or sparse.

In:  labels (N,) or shares (N, K), and the weights of the rows.
Out: sums over the rows of each component, the only thing statistics ever ask for. Row weights are folded in here
     once, so that weight 2 is the row twice and weight 0 the row absent for every family alike. Every sum can be had
     from `sums` or `parts`; where a compiled kernel serves, it gives the same in one read.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol, Self

import numpy as np
from scipy import sparse
from scipy.special import xlogy

from suffice.arrays import CACHED_CELLS, Array, Codes, Matrix, is_sparse, ones
from suffice.kernels import codes as categories
from suffice.kernels import moments, words
from suffice.lazy import lazy


class Memberships(Protocol):
    def __getitem__(self, rows: slice | Codes) -> Self: ...

    @property
    def weight(self) -> Array: ...  # (K,)

    @property
    def counted(self) -> Self | None: ...  # each row as one, whatever it weighs: itself if all do; None where shared

    def entropy(self, row_weights: Array) -> float: ...  # in nats; NaN where a row belongs to none

    def given(self, codes: Codes, size: int) -> Self: ...  # of component k and code s: component k · size + s

    def sums(self, features: Matrix) -> Array: ...  # (N, F) → (K, F)

    def parts(self) -> Iterator[tuple[Codes | slice, Array]]: ...  # for each component its rows and their weights

    def code_counts(self, codes: Codes, bounds: Codes) -> Array: ...  # (N, D) → (K, C)

    def pair_counts(self, codes: Codes, bounds: Codes) -> Array: ...  # (N, D) → (K, C, C)

    def words_and_rows(self, counts: Matrix) -> tuple[Array, Array | None]: ...  # (N, C) → (K, C), and rows with each

    def columnwise(self, x: Array) -> moments.Sums: ...  # (N, D) → sums, (K, D) each

    def crosswise(self, x: Array) -> moments.Sums: ...  # (N, D) → the same, scatter (K, D, D)


@dataclass(frozen=True, eq=False)
class Hard:
    """One component for each row; −1 belongs to none."""

    labels: Codes  # (N,)
    row_weights: Array  # (N,)
    components: int
    rows: Array | None = None  # (N,) how many rows each is; None where that is what it weighs

    def __getitem__(self, rows: slice | Codes) -> "Hard":
        many = None if self.rows is None else np.ascontiguousarray(self.rows[rows])
        return Hard(self.labels[rows], np.ascontiguousarray(self.row_weights[rows]), self.components, many)

    @lazy
    def counted(self) -> "Hard":
        return self if self.rows is None else Hard(self.labels, self.rows, self.components)

    @lazy
    def weight(self) -> Array:
        return np.bincount(self.labels + 1, self.row_weights, self.components + 1)[1:].astype(float)

    def entropy(self, row_weights: Array) -> float:
        return np.nan if self.labels.min(initial=0) < 0 else 0.0

    def given(self, codes: Codes, size: int) -> "Hard":
        labels = np.where((self.labels >= 0) & (codes >= 0), self.labels * size + codes, -1)
        return Hard(labels, self.row_weights, self.components * size, self.rows)

    def sums(self, features: Matrix) -> Array:
        return _dense(self._shares @ features)[:-1]

    @lazy
    def _shares(self) -> Matrix:
        """The weight of each row beside its component, or beside the last, which is none of them."""  # (K + 1, N)
        shape, rows = (self.components + 1, len(self.labels)), np.arange(len(self.labels) + 1)
        if shape[0] * shape[1] > CACHED_CELLS:
            return sparse.csc_array((self.row_weights, self.labels % shape[0], rows), shape=shape)
        shares = np.zeros(shape)  # a sparse one would take longer to make than to use
        shares[self.labels, rows[:-1]] = self.row_weights
        return shares

    def parts(self) -> Iterator[tuple[Codes | slice, Array]]:
        small = np.min_scalar_type(-self.components - 1)  # few bytes sort by radix, in one sweep
        order = np.argsort(self.labels.astype(small), kind="stable")
        bounds = np.cumsum(np.bincount(self.labels + 1, minlength=self.components + 1))
        for first, last in pairwise(bounds):
            rows = order[first:last]
            yield rows, self.row_weights[rows]

    def code_counts(self, codes: Codes, bounds: Codes) -> Array:
        return categories.hard_counts(codes, bounds, self.labels, self.row_weights, self.components)

    def pair_counts(self, codes: Codes, bounds: Codes) -> Array:
        found = categories.pair_counts(codes, bounds, self.labels, self.row_weights, self.components)
        return by_column(codes, bounds, self) if found is None else found

    def words_and_rows(self, counts: Matrix) -> tuple[Array, Array]:
        many = self.counted
        found = words.hard_sums_and_rows(counts, self.labels, self.row_weights, many.row_weights, self.components)
        return (self.sums(counts), many.sums(words.words_there(counts))) if found is None else found

    def columnwise(self, x: Array) -> moments.Sums:
        found = moments.hard_columnwise(x, self.labels, self.row_weights, self.weight)
        return moments.grouped(x, self.labels, self.sums) if found is None else found

    def crosswise(self, x: Array) -> moments.Sums:
        found = moments.hard_crosswise(x, self.labels, self.row_weights, self.weight)
        return by_component(moments.crosswise, x, self) if found is None else found


@dataclass(frozen=True, eq=False)
class Soft:
    """A share of every component for each row, row weights already multiplied in; dense or sparse."""

    shares: Matrix  # (N, K)

    @property
    def counted(self) -> "Soft | None":
        return None

    def __getitem__(self, rows: slice | Codes) -> "Soft":
        return Soft(self.shares[rows])

    @lazy
    def weight(self) -> Array:
        return np.asarray(self.shares.sum(axis=0), dtype=float).ravel()

    def entropy(self, row_weights: Array) -> float:
        """Σ w ln w less Σ s ln s of the shares s, which have the weights w of their rows in them."""
        shares = self.shares.data if is_sparse(self.shares) else self.shares
        return float(xlogy(row_weights, row_weights).sum() - xlogy(shares, shares).sum())

    def given(self, codes: Codes, size: int) -> "Soft":
        entries = sparse.coo_array(self.shares)
        code, shape = codes[entries.row], (len(codes), self.shares.shape[1] * size)
        there = code >= 0
        places = entries.row[there], (entries.col * size + code)[there]
        return Soft(sparse.csr_array((entries.data[there], places), shape=shape))

    def sums(self, features: Matrix) -> Array:
        return _dense(self.shares.T @ features)

    def parts(self) -> Iterator[tuple[Codes | slice, Array]]:
        if is_sparse(self.shares):
            by_column = self.shares.tocsc()
            for first, last in pairwise(by_column.indptr):
                yield by_column.indices[first:last].astype(np.intp), by_column.data[first:last]
        else:
            yield from ((slice(None), shares) for shares in self.shares.T)

    def code_counts(self, codes: Codes, bounds: Codes) -> Array:
        found = None if is_sparse(self.shares) else categories.soft_counts(codes, bounds, self.shares)
        return self.sums(categories.one_hot(codes, bounds)) if found is None else found

    def pair_counts(self, codes: Codes, bounds: Codes) -> Array:
        return by_column(codes, bounds, self)

    def words_and_rows(self, counts: Matrix) -> tuple[Array, None]:
        return self.sums(counts), None

    def columnwise(self, x: Array) -> moments.Sums:
        found = None if is_sparse(self.shares) else moments.soft_columnwise(x, self.shares)
        return by_component(moments.columnwise, x, self) if found is None else found

    def crosswise(self, x: Array) -> moments.Sums:
        found = None if is_sparse(self.shares) else moments.soft_crosswise(x, self.shares)
        return by_component(moments.crosswise, x, self) if found is None else found


def memberships(
    given: Matrix,
    components: int | None = None,
    row_weights: Array | None = None,
    numbers: Array | None = None,
) -> Memberships:
    """Integer labels (N,), or shares (N, K) dense or sparse, with the weights of the rows.

    Each is one row, unless `numbers` says how many it is.
    """
    rows = given.shape[0]
    weights = ones(rows) if row_weights is None else np.asarray(row_weights, dtype=float)
    if is_sparse(given):
        return Soft(sparse.csr_array(given.multiply(weights[:, None])))
    given = np.asarray(given)
    if given.ndim == 2:
        return Soft(given * weights[:, None])
    return Hard(
        given.astype(np.intp, copy=False),
        weights,
        int(given.max(initial=-1)) + 1 if components is None else components,
        _numbers(weights, numbers),
    )


def _numbers(weights: Array, numbers: Array | None) -> Array | None:
    """How many rows each is; None where that is what it weighs. A row of weight 0 is none."""
    if numbers is None:
        same = weights.strides == (0,) or bool((weights == 1).all())
        return None if same else (weights > 0).astype(np.float64)
    return None if np.array_equal(weights, numbers) else numbers


def by_component(kernel: moments.Kernel, x: Array, belonging: Memberships) -> moments.Sums:
    """What a kernel makes of the rows of each component."""
    parts: Iterable[moments.Sums] = (kernel(x, weights, rows) for rows, weights in belonging.parts())
    mass, near, off, scatter = (np.array(part) for part in zip(*parts, strict=True))
    return mass, near, off, scatter


def by_column(codes: Codes, bounds: Codes, belonging: Memberships) -> Array:
    """How often each two cells were met together: counts of all columns, given the code of one after another."""
    sizes, components = np.diff(bounds), len(belonging.weight)
    given = (belonging.given(codes[:, j], size) for j, size in enumerate(sizes.tolist()))
    parts = (some.code_counts(codes, bounds).reshape(components, -1, bounds[-1]) for some in given)
    return np.concatenate([np.zeros((components, 0, bounds[-1])), *parts], axis=1)  # (K, C, C)


def _dense(sums: Matrix) -> Array:
    return np.asarray(sums.toarray() if is_sparse(sums) else sums, dtype=float)
