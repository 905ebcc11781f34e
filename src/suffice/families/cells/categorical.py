"""Categorical columns: codes in, counts of levels, a Dirichlet belief, class-wise log probabilities out.

In:  codes (N, D) into the levels of each column; MISSING for a missing cell, UNSEEN for a level fitting never met.
Out: everything in `cells`; here is only how codes fall into cells.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from suffice.arrays import MISSING, Array, Codes, Matrix
from suffice.families.cells.family import Cells
from suffice.families.cells.layout import Layout
from suffice.families.cells.leave_one_out import Grouped
from suffice.families.memberships import Memberships
from suffice.families.protocol import Embedding
from suffice.formulas import Expression, added, level_formula
from suffice.kernels import codes as categories
from suffice.kernels.left_out import Lost, own_shares
from suffice.lazy import lazy


def Categorical(levels: Sequence[Sequence[Hashable]]) -> Cells:
    """Independent columns of categories, each with its own levels."""
    return Cells(Levels(tuple(tuple(column) for column in levels)))


@dataclass(frozen=True)
class Levels(Layout):
    levels: tuple[tuple[Hashable, ...], ...]  # of each column, in the order of the codes
    one_draw = True

    @property
    def columns(self) -> int:
        return len(self.levels)

    @lazy
    def sizes(self) -> tuple[int, ...]:
        return tuple(len(levels) for levels in self.levels)

    @lazy
    def _bounds(self) -> Codes:
        """Between the cells of each column."""  # (D + 1,)
        return np.cumsum((0, *self.sizes)).astype(np.intp)

    def amounts(self, codes: Codes) -> Matrix:
        return categories.one_hot(codes, self._bounds)

    def sums(self, codes: Codes, memberships: Memberships) -> Array:
        return memberships.code_counts(codes, self._bounds)

    def scores(self, codes: Codes, log_probability: Array) -> Array:
        return categories.look_up(codes, self._bounds, log_probability, MISSING)

    def own_densities(
        self, family: Grouped, codes: Codes, labels: Codes, weights: Array, concentration: Array, integrated: bool
    ) -> tuple[Array, Lost]:
        """A row is one unit in each column, so that its share is all there is to it, integrated or not."""
        return own_shares(codes, self._bounds, labels, weights, concentration)

    def scores_formula(self, cells: Sequence[Expression], log_probability: Array) -> Expression:
        """What was never seen has the column's own cell, behind all others."""
        *seen, unseen = np.split(log_probability, self._bounds[1:])
        columns = zip(cells, self.levels, seen, unseen, strict=True)
        return added(level_formula(cell, levels, logs, new) for cell, levels, logs, new in columns)

    def expected(self, memberships: Array, probabilities: Array) -> Codes:
        """The most probable level of each column."""
        parts = np.split(memberships @ probabilities, np.cumsum(self.sizes)[:-1], axis=1)
        return np.stack([part.argmax(axis=1) for part in parts], axis=1)

    def completed(self, codes: Codes, others: Codes) -> Codes:
        return np.where(codes < 0, others, codes)

    def draw(self, probabilities: Array, rng: np.random.Generator) -> Codes:
        out = np.empty((len(probabilities), self.columns), dtype=np.intp)
        ends = np.cumsum(self.sizes)
        for j, (end, size) in enumerate(zip(ends, self.sizes, strict=True)):
            ladder = np.cumsum(probabilities[:, end - size : end], axis=1)
            below = ladder < rng.random(len(out))[:, None] * ladder[:, -1:]
            out[:, j] = np.minimum(below.sum(axis=1), size - 1)
        return out

    def embedding(self, sample: Codes) -> Embedding:
        """A category is as far from another as two numbers that differ by √2 of their standard deviations."""
        sizes = list(enumerate(self.sizes))
        return lambda codes: np.concatenate([codes[:, [j]] == np.arange(n) for j, n in sizes], axis=1) * 1.0

    def headings(self) -> list[tuple[Hashable, ...]]:
        return list(self.levels)

    def take(self, columns: Sequence[int]) -> "Levels":
        return Levels(tuple(self.levels[j] for j in columns))
