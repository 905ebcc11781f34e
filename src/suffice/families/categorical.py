"""Categorical columns: codes in, counts of levels, a Dirichlet belief, class-wise log probabilities out.

In:  codes (N, D) into the levels of each column; MISSING for a missing cell, UNSEEN for a level fitting never met.
Out: everything in `cells`; here is only how codes fall into cells.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from suffice.arrays import Array, Codes, Matrix
from suffice.data.levels import UNSEEN
from suffice.families.cells import Cells
from suffice.families.memberships import Memberships
from suffice.families.protocol import Names
from suffice.kernels.codes import look_up, one_hot


def Categorical(levels: Sequence[Sequence[Any]]) -> Cells:
    """Independent columns of categories, each with its own levels."""
    return Cells(Levels(tuple(tuple(column) for column in levels)))


@dataclass(frozen=True)
class Levels:
    levels: tuple[tuple[Any, ...], ...]  # of each column, in the order of the codes
    one_draw = True

    @property
    def columns(self) -> int:
        return len(self.levels)

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(len(levels) for levels in self.levels)

    @cached_property
    def starts(self) -> Codes:
        return np.cumsum((0, *self.sizes))[:-1].astype(np.intp)

    def amounts(self, codes: Codes) -> Matrix:
        return one_hot(codes, self.starts, sum(self.sizes))

    def log_base(self, codes: Codes) -> Array:
        return np.zeros((len(codes), 1))

    def sums(self, codes: Codes, memberships: Memberships) -> tuple[Array, Array]:
        counts = memberships.code_counts(codes, self.starts, sum(self.sizes))
        return counts, np.zeros((len(counts), self.columns))

    def scores(self, codes: Codes, log_probability: Array) -> Array:
        return look_up(codes, self.starts, log_probability, UNSEEN)

    def draw(self, probabilities: Array, rng: np.random.Generator) -> Codes:
        out = np.empty((len(probabilities), self.columns), dtype=np.intp)
        ends = np.cumsum(self.sizes)
        for j, (end, size) in enumerate(zip(ends, self.sizes, strict=True)):
            ladder = np.cumsum(probabilities[:, end - size : end], axis=1)
            below = ladder < rng.random(len(out))[:, None] * ladder[:, -1:]
            out[:, j] = np.minimum(below.sum(axis=1), size - 1)
        return out

    def titles(self, names: Names) -> list[str]:
        return list(names)

    def headings(self) -> list[tuple[Any, ...]]:
        return list(self.levels)

    def take(self, columns: Sequence[int]) -> "Levels":
        return Levels(tuple(self.levels[j] for j in columns))
