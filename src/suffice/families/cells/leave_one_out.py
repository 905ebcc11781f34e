"""Rows left out of cells: the probability of what a row hits, had the row not been counted.

In:  the amounts that rows put into cells, their components and weights, and the concentrations after all rows.
Out: log densities of each row under its own component without it. Work is proportional to the cells hit, so that a
     short document does not pay for every word there is.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from suffice.arrays import Array, Codes, Matrix, log, ratio
from suffice.families.cells.integrated import gains, takes
from suffice.kernels.left_out import LEAST_KEPT
from suffice.lazy import lazy


class Grouped(Protocol):
    """Cells in groups."""

    @property
    def sizes(self) -> tuple[int, ...]: ...  # cells in each group

    @property
    def starts(self) -> Codes: ...  # the first cell of each group

    @property
    def groups(self) -> Codes: ...  # (C,) which group each cell is in

    def totals(self, cells: Array) -> Array: ...  # sums over the cells of each group, (K, C) → (K, G)


@dataclass(frozen=True, eq=False)
class CellEntries:
    """One entry, E in all, for each cell that a row hits."""

    family: Grouped
    labels: Codes  # (N,)
    row: Codes  # (E,)
    group: Codes  # (E,) of the cell
    amount: Array  # (E,)
    weight: Array  # (E,) of the row
    here: Array  # (E,) concentration of the cell in the row's component
    concentration: Array  # (K, C)

    @classmethod
    def of(cls, family: Grouped, amounts: Matrix, labels: Codes, weights: Array, concentration: Array) -> "CellEntries":
        entries = sparse.csr_array(amounts, copy=True)
        entries.eliminate_zeros()
        row, cell = np.repeat(np.arange(len(labels)), np.diff(entries.indptr)), entries.indices
        group = family.groups[cell]
        return cls(
            family, labels, row, group, entries.data, weights[row], concentration[labels[row], cell], concentration
        )

    @lazy
    def left(self) -> Array:
        """What the cells keep without the row."""
        return np.maximum(self.here - self.weight * self.amount, 0.0)

    @property
    def lost(self) -> NDArray[np.bool_]:
        poor = (self.left > 0) & (self.left < LEAST_KEPT * self.here)
        return self.by_row(poor.astype(float)) > 0

    def multinomial(self) -> Array:
        """Σ amount · ln (share of the cell in its group)."""
        whole = self._rest(self.family.totals(self.concentration)[self.labels], self.here - self.left)  # (N, G)
        even = 1 / np.asarray(self.family.sizes)[self.group]
        return self.by_row(self.amount * log(ratio(self.left, whole[self.row, self.group], even)))

    def integrated(self) -> Array:
        whole = self.family.totals(self.concentration)[self.labels]
        whole = self._rest(whole, self.weight * self.amount)
        gained = self.by_row(gains(self.left, self.amount, whole[self.row, self.group]))
        taken = takes(whole, self._by_group(self.amount), np.asarray(self.family.sizes))
        return np.asarray(gained - taken.sum(axis=1))

    def _rest(self, whole: Array, gone: Array) -> Array:
        rest = whole - self._by_group(gone)
        return np.where(rest <= 1e-12 * whole, 0.0, rest)

    def _by_group(self, values: Array) -> Array:
        """Sums over the entries of each row and group."""  # (E,) → (N, G)
        groups = len(self.family.starts)
        sums = np.bincount(self.row * groups + self.group, values, len(self.labels) * groups)
        return np.asarray(sums.reshape(len(self.labels), groups), dtype=float)

    def by_row(self, values: Array) -> Array:
        return np.asarray(np.bincount(self.row, values, len(self.labels)), dtype=float)
