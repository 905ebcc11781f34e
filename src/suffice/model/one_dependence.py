"""Stage 3, categories that depend on one of them: what counts of pairs say of every two cells.

In:  counts (K, C, C) of the rows of each class with every two cells, of D columns one after the other, and λ.
Out: ln P(class, x_j) and ln P(x_i | class, x_j), each over the rows in which the cells are there:

         P(class, x_j)       = (N(class, x_j) + λ) / (N_j + λ K S_j)                   N_j: rows with column j
         P(x_i | class, x_j) = (N(class, x_j, x_i) + λ) / (N_i(class, x_j) + λ S_i)    N_i: of them, with column i

     Where class probabilities π are given, each P(class, x_j) is multiplied by π_class / P(class), where P(class) =
     (N_class + λ) / (N + λ K), as other probabilities of classes are multiplied into any posterior.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from suffice.arrays import MISSING, Array, Codes, log, ratio
from suffice.families.protocol import log_odds
from suffice.lazy import lazy

ROUNDING = 1e-9  # of the mass of a level: what sums of weights may be short of


@dataclass(frozen=True, eq=False)
class OneDependence:
    counts: Array  # (K, C, C)
    bounds: Codes  # (D + 1,) between the cells of each column
    smoothing: float  # λ
    least: float  # rows of a level from which on its column is a parent
    shift: Array  # (K,) ln (π / P(class)), nothing where class probabilities are learned

    # cells of rows: those of the columns, then D for levels never seen, then one for all that is missing

    def cells(self, codes: Codes) -> Codes:
        """Of codes (N, D)."""
        last, columns = int(self.bounds[-1]), codes.shape[1]
        if codes.min(initial=0) >= 0:
            return codes + self.bounds[:-1]
        unseen = np.where(codes == MISSING, last + columns, last + np.arange(columns))
        return np.where(codes >= 0, codes + self.bounds[:-1], unseen)

    @lazy
    def column(self) -> Codes:
        """Of each cell."""  # (C,)
        return np.repeat(np.arange(len(self.sizes)), np.diff(self.bounds))

    @lazy
    def sizes(self) -> Array:
        """Cells of each column."""  # (D,)
        return np.diff(self.bounds).astype(float)

    # masses of rows

    @lazy
    def hits(self) -> Array:
        """Rows of each class in each cell."""  # (C, K)
        return np.asarray(np.einsum("kcc->ck", self.counts))

    @lazy
    def seen(self) -> Array:
        """Rows of each class in each cell that have each column."""  # (K, C, D)
        return self._by_column(self.counts, axis=2)

    @lazy
    def there(self) -> Array:
        """Rows of each class that have each column."""  # (D, K)
        return self._by_column(self.hits, axis=0)

    def _by_column(self, cells: Array, axis: int) -> Array:
        if not len(self.sizes):
            return np.zeros([0 if i == axis else size for i, size in enumerate(cells.shape)])
        return np.asarray(np.add.reduceat(cells, self.bounds[:-1], axis=axis))

    # what follows from them

    @lazy
    def first(self) -> Array:
        """Ln P(class, cell); no class where the column is no parent, and last where there is no cell."""  # (C + 1, K)
        found = np.where(self.parents[:-1, None], self.log_first_of_all, -np.inf)
        return np.vstack([found, np.full((1, len(self.counts)), -np.inf)])

    @lazy
    def log_first_of_all(self) -> Array:
        """Ln P(class, cell), of a parent or not."""  # (C, K)
        return self.log_first(self.hits, self.there[self.column], self.column, self.shift)

    @lazy
    def parents(self) -> NDArray[np.bool_]:
        """Cells whose column is a parent."""  # (C + 1,)
        return np.append(self.enough(self.hits.sum(axis=1)), False)

    def enough(self, mass: Array) -> NDArray[np.bool_]:
        return np.asarray((mass > 0) & (mass >= self.least * (1 - ROUNDING)))

    def log_first(self, hits: Array, there: Array, column: Codes, shift: Array) -> Array:
        """From masses of cells and of their columns, both (…, K)."""
        cells = hits.shape[-1] * self.sizes[column]
        return self.share(hits, there.sum(axis=-1, keepdims=True), cells[..., None]) + shift

    def share(self, hits: Array, among: Array, cells: Array) -> Array:
        """Ln of the smoothed share of one of so many cells; 0 of nothing is impossible."""
        return log(ratio(hits + self.smoothing, among + self.smoothing * cells))

    @lazy
    def given(self) -> Array:
        """Ln P(cell | class, parent's cell), nothing for a column beside itself."""  # (C + 1, C + D + 1, K)
        classes, parents, columns = self.seen.shape
        out = np.zeros((parents + 1, parents + columns + 1, classes))
        known = self.share(self.counts, self.seen[:, :, self.column], self.sizes[self.column])
        unseen = self.share(np.zeros(1), self.seen, self.sizes + 1)  # one more cell, that no row is in
        for columns_of, part in ((self.column, known), (np.arange(columns), unseen)):
            itself = self.column[:, None] == columns_of
            first = 0 if part is known else parents
            out[:-1, first : first + len(columns_of)] = np.where(itself, 0.0, part).transpose(1, 2, 0)
        return out

    # log odds between two classes: of the classes by themselves, and of a parent's cell given them

    def log_odds_of_classes(self, column: int, a: int, b: int) -> float:
        """Where the rows have that column, and as they are given."""
        first, second = (log(self.there[column] + self.smoothing * self.sizes[column]) + self.shift)[[a, b]]
        return float(first - second)

    def log_odds_of_cells(self, cells: Codes, column: int, a: int, b: int) -> Array:
        """Of cells of one column; nothing where there is none."""
        hits = np.vstack([self.hits, np.zeros((1, len(self.counts)))])[cells]
        found = self.share(hits, self.there[column], self.sizes[column])
        return np.where(cells < len(self.hits), log_odds(found, a, b), 0.0)
