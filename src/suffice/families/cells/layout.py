"""How a block falls into cells: the only thing that differs between the families here.

In:  a block of one kind.
Out: Layout: amounts in cells, what is summed and looked up of them, ln h, and all that as formulas; how to draw, fill
     in and name cells.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from typing import Self

import numpy as np
from scipy.special import rel_entr

from suffice.arrays import Array, Codes, Matrix, log_dot, log_sum_exp
from suffice.families.capabilities import Separation
from suffice.families.cells.leave_one_out import CellEntries, Grouped
from suffice.families.memberships import Memberships
from suffice.families.protocol import Block, Embedding, Names, standardised
from suffice.formulas import ZERO, Expression, added, if_there, times_log
from suffice.kernels.left_out import Lost


class Layout(ABC):
    """One kind of block."""

    @property
    @abstractmethod
    def columns(self) -> int: ...

    @property
    @abstractmethod
    def sizes(self) -> tuple[int, ...]: ...  # cells in each group

    @property
    @abstractmethod
    def one_draw(self) -> bool: ...  # a row puts one unit in each group: then the predictive is the mean

    @abstractmethod
    def amounts(self, block: Block) -> Matrix: ...  # (N, C), dense or sparse

    def sums(self, block: Block, memberships: Memberships) -> Array:
        """Amounts over the rows of each component."""  # (K, C)
        return memberships.sums(self.amounts(block))

    def sums_and_rows(self, block: Block, memberships: Memberships) -> tuple[Array, Array | None]:
        """The same, and how many rows are behind the record of each cell, if rows are counted."""
        counts, counted = self.sums(block, memberships), memberships.counted
        if counted is None or (counted is memberships and self.one_draw):  # a row is one unit in a cell
            return counts, None if counted is None else counts
        return counts, self.rows(block, counted)

    def rows(self, block: Block, counted: Memberships) -> Array:
        """How many rows of each component are behind the record of each cell: those that put something into it."""
        return self.sums(block, counted)  # (K, C)

    def scores(self, block: Block, log_probability: Array) -> Array:
        """Σ amounts · ln p, of cells and then of each group's cell for what was never seen."""  # (C + G, K) → (N, K)
        amounts = self.amounts(block)
        return log_dot(amounts, log_probability[: amounts.shape[1]].T)

    def own_densities(
        self, family: Grouped, block: Block, labels: Codes, weights: Array, concentration: Array, integrated: bool
    ) -> tuple[Array, Lost]:
        """Ln p of each row under its own component without it, and which rows are lost."""
        entries = CellEntries.of(family, self.amounts(block), labels, weights, concentration)
        return entries.integrated() if integrated else entries.multinomial(), entries.lost

    def log_base(self, block: Block) -> Array:
        """Ln h of each group, (N, G): asked only where a row is more than one draw."""
        return np.zeros((len(block), len(self.sizes)))

    def log_base_formula(self, cells: Sequence[Expression]) -> Expression:
        """Ln h of all groups, as a formula."""
        return ZERO

    @abstractmethod
    def scores_formula(self, cells: Sequence[Expression], log_probability: Array) -> Expression: ...  # of (C + G,)

    @abstractmethod
    def draw(self, probabilities: Array, rng: np.random.Generator) -> Block: ...  # (N, C) → a block

    @abstractmethod
    def expected(self, memberships: Array, probabilities: Array) -> Block: ...  # (N, K), (K, C) → a block, or levels

    def completed(self, block: Block, others: Block) -> Block:
        """The block, with the others' cells where missing."""
        return np.where(np.isnan(block), others, block)

    def titles(self, names: Names) -> list[str]:
        """Of each group."""
        return list(names)

    def embedding(self, sample: Block) -> Embedding:
        """Rows as points, where EM looks for rows that are far apart."""
        return standardised(sample)

    @abstractmethod
    def headings(self) -> list[tuple[Hashable, ...]]: ...  # of each group: what its cells are called

    @abstractmethod
    def take(self, columns: Sequence[int]) -> Self: ...

    def divergences(self, pairs: Sequence[tuple[Array, Array]]) -> list[Separation]:
        """The distances between two sets of log probabilities, group by group; here one row is one draw."""
        return [(kl(np.exp(p), np.exp(q)), -float(log_sum_exp((p + q)[None, :] / 2)[0])) for p, q in pairs]


def kl(p: Array, q: Array) -> float:
    """Kullback and Leibler's divergence of q from p, both probabilities of the same cells."""
    return float(rel_entr(p, q).sum())


class Divided(Layout):
    """Rows that divide a number of units among the cells of each group."""

    @abstractmethod
    def amounts_formula(self, cells: Sequence[Expression]) -> list[tuple[Expression, ...]]: ...  # of each group

    @abstractmethod
    def totals_formula(self, cells: Sequence[Expression]) -> list[Expression]: ...  # of each group, their sum

    def scores_formula(self, cells: Sequence[Expression], log_probability: Array) -> Expression:
        """Σ amounts · ln p."""
        place = iter(log_probability.tolist())
        groups = (added([times_log(amount, next(place)) for amount in some]) for some in self.amounts_formula(cells))
        return added(map(if_there, groups))
