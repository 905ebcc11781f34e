"""How a block is read in a step of EM: once, for the densities of its rows and for their statistics alike.

In:  the density of the step before, and blocks of rows.
Out: log densities (n, K), then statistics under the memberships that follow from them.

`RowAccumulator` asks density and family, one after the other. Gaussians over complete rows have faster ones.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Generic, Protocol, Self, TypeVar, cast

import numpy as np

from suffice.arrays import Array
from suffice.families.distributions import Block, Density, S, Statistics
from suffice.families.memberships import Memberships, Soft

Seen = np.ndarray[Any, Any]  # a block as it has been read


class Sums(Protocol):
    """What is summed over rows: statistics, or an array."""

    def __add__(self, other: Self, /) -> Self: ...


Q = TypeVar("Q", bound=Sums)


class Accumulator(ABC, Generic[Q, S]):
    @property
    @abstractmethod
    def width(self) -> int: ...  # numbers that a row is read as

    @abstractmethod
    def read(self, block: Block, piece: int) -> Seen: ...  # what the other two look at, in memory of that piece

    @abstractmethod
    def log_density(self, seen: Seen) -> Array: ...  # (n, K)

    @abstractmethod
    def sums(self, seen: Seen, memberships: Soft) -> Q: ...

    @abstractmethod
    def statistics(self, sums: Q) -> S: ...  # of all blocks together


def unseen_sums(accumulator: Accumulator[Q, S]) -> Accumulator[Sums, S]:
    """The same: what it sums only it looks at again, so that nobody else need know what that is."""
    return cast("Accumulator[Sums, S]", accumulator)


S_co = TypeVar("S_co", bound=Statistics, covariant=True)


class Gathers(Protocol[S_co]):
    """A family, as far as it gathers statistics."""

    @property
    def columns(self) -> int: ...

    def statistics(self, block: Block, memberships: Memberships) -> S_co: ...


@dataclass(frozen=True, eq=False)
class RowAccumulator(Accumulator[S, S]):
    family: Gathers[S]
    density: Density

    @property
    def width(self) -> int:
        return self.family.columns

    def read(self, block: Block, piece: int) -> Seen:
        return block

    def log_density(self, seen: Seen) -> Array:
        return self.density.log_density(seen)

    def sums(self, seen: Seen, memberships: Soft) -> S:
        return self.family.statistics(seen, memberships)

    def statistics(self, sums: S) -> S:
        return sums
