"""What rows put into cells, in the three forms it comes in: dense numbers, one code for each column, counts of words.

In:  amounts (N, C), as a Layout of `cells` makes them from a block.
Out: their sums over the rows of each component, their products with a table, and the plain matrix that both are about.
"""

from dataclasses import dataclass
from typing import Protocol

from suffice.arrays import MISSING, Array, Codes, Matrix, log_dot
from suffice.families.memberships import Memberships
from suffice.kernels import codes as categories


class Amounts(Protocol):
    @property
    def matrix(self) -> Matrix: ...  # (N, C)

    def sums(self, memberships: Memberships) -> Array: ...  # (K, C)

    def scores(self, log_probability: Array) -> Array: ...  # (C + G, K) → Σ amounts · ln p, (N, K)


@dataclass(frozen=True, eq=False)
class Dense:
    matrix: Array

    def sums(self, memberships: Memberships) -> Array:
        return memberships.sums(self.matrix)

    def scores(self, log_probability: Array) -> Array:
        return log_dot(self.matrix, log_probability[: self.matrix.shape[1]].T)


@dataclass(frozen=True, eq=False)
class OneHot:
    """One unit in the cell of each code; a level never seen has the column's own cell, behind all others."""

    codes: Codes  # (N, D)
    bounds: Codes  # (D + 1,) between the cells of each column

    @property
    def matrix(self) -> Matrix:
        return categories.one_hot(self.codes, self.bounds)

    def sums(self, memberships: Memberships) -> Array:
        return memberships.code_counts(self.codes, self.bounds)

    def scores(self, log_probability: Array) -> Array:
        return categories.look_up(self.codes, self.bounds, log_probability, MISSING)


@dataclass(frozen=True, eq=False)
class Words:
    matrix: Matrix  # dense or sparse

    def sums(self, memberships: Memberships) -> Array:
        return memberships.word_counts(self.matrix)

    def scores(self, log_probability: Array) -> Array:
        return log_dot(self.matrix, log_probability[: self.matrix.shape[1]].T)
