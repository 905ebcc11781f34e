"""Multinomial rows: counts of words in, a Dirichlet belief over words, log probabilities of rows out.

In:  counts (N, D), dense or sparse. A missing count leaves the row's total unknown, so the table refuses it.
Out: everything in `cells`; the cells are the columns themselves, in one group. Counts need not be whole numbers.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from suffice.arrays import Array, Matrix
from suffice.families.cells.family import Cells
from suffice.families.cells.layout import Divided
from suffice.families.memberships import Memberships
from suffice.families.protocol import Embedding, Names
from suffice.formulas import Expression, Once, added, lgamma
from suffice.kernels.words import log_coefficients

DIRECTIONS = 50  # in which rows of counts are compared


def Multinomial(words: Sequence[str], total: int = 1) -> Cells:
    """Rows of counts over named columns; given its total, a row is multinomial. `total` is for sampling."""
    return Cells(Words(tuple(words), total))


@dataclass(frozen=True)
class Words(Divided):
    words: tuple[str, ...]
    total: int
    one_draw = False

    @property
    def columns(self) -> int:
        return len(self.words)

    @property
    def sizes(self) -> tuple[int, ...]:
        return (self.columns,)

    def amounts(self, counts: Matrix) -> Matrix:
        return counts

    def sums_and_rows(self, counts: Matrix, memberships: Memberships) -> tuple[Array, Array | None]:
        """Behind a word are the rows that have it, however often."""
        return memberships.words_and_rows(counts)

    def log_base(self, counts: Matrix) -> Array:
        return log_coefficients(counts)

    def amounts_formula(self, cells: Sequence[Expression]) -> list[tuple[Expression, ...]]:
        return [tuple(cells)]

    def totals_formula(self, cells: Sequence[Expression]) -> list[Expression]:
        return [Once(added(cells))]

    def log_base_formula(self, cells: Sequence[Expression]) -> Expression:
        [whole] = self.totals_formula(cells)
        return lgamma(whole + 1) - added(lgamma(count + 1) for count in cells)

    def expected(self, memberships: Array, probabilities: Array) -> Array:
        return np.asarray(memberships @ probabilities * self.total)

    def completed(self, counts: Matrix, others: Array) -> Matrix:
        return counts  # none can be missing

    def draw(self, probabilities: Array, rng: np.random.Generator) -> Array:
        return rng.multinomial(self.total, probabilities).astype(float)

    def titles(self, names: Names) -> list[str]:
        return [", ".join(self.words)]

    def embedding(self, sample: Matrix) -> Embedding:
        """Shares of the words, in directions drawn at random, which keep distances."""
        onto = np.random.default_rng(0).normal(0.0, 1 / np.sqrt(DIRECTIONS), (self.columns, DIRECTIONS))
        return lambda counts: np.asarray(np.sqrt(2 * counts / np.maximum(counts.sum(axis=1), 1.0)[:, None]) @ onto)

    def headings(self) -> list[tuple[Hashable, ...]]:
        return [self.words]

    def take(self, columns: Sequence[int]) -> "Words":
        return Words(tuple(self.words[j] for j in columns), self.total)
