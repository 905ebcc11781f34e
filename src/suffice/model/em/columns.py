"""Stage 3, the columns of rows whose components are hidden: how a step of EM reads them, and what it learns of them.

In:  families and beliefs.
Out: HiddenColumns, which is all that `hidden` asks of the columns of a model; Pieces, where blocks do not depend on
     each other. `em/tree` has those of a tree.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add

import numpy as np

from suffice.arrays import Array
from suffice.families.accumulator import Accumulator, Sums
from suffice.families.mass import Mass
from suffice.families.memberships import Memberships, Soft
from suffice.families.product import Product, ProductDensity, ProductStatistics, RowDensity
from suffice.families.protocol import Block, Family, FillsCells, Parametric, Prior, S, Statistics
from suffice.model.tree import Tree

Parts = tuple[Statistics, ...]
Read = Sequence[Block]  # rows as a reader has read them, which no other looks at


class Reader(ABC):
    """Reads rows once, for their densities and for their statistics alike."""

    @property
    @abstractmethod
    def width(self) -> int: ...  # numbers that a row is read as

    @abstractmethod
    def read(self, blocks: tuple[Block, ...]) -> Read: ...

    @abstractmethod
    def add_log_density(self, read: Read, so_far: Array, logs: Array) -> None: ...  # (K, n), into `logs`

    @abstractmethod
    def sums(self, read: Read, memberships: Soft) -> tuple[Sums, ...]: ...

    @abstractmethod
    def statistics(self, sums: Sequence[Sums]) -> tuple[Parts, float]: ...  # of all rows, and the entropy of cells


class HiddenColumns(ABC):
    tree: Tree | None  # which column each depends on, where they do

    @property
    @abstractmethod
    def families(self) -> tuple[Family[Statistics], ...]: ...  # of each block

    @property
    @abstractmethod
    def proper(self) -> bool: ...  # whether beliefs stand in for rows where a component has none

    @property
    @abstractmethod
    def free(self) -> bool: ...  # whether many models can be learned side by side

    @abstractmethod
    def parameters(self, components: int) -> int: ...  # how many numbers the rows are free to choose

    @abstractmethod
    def reader(self, density: RowDensity, rows: int) -> Reader: ...

    @abstractmethod
    def statistics(self, blocks: tuple[Block, ...], memberships: Memberships) -> ProductStatistics: ...

    def initially(self, found: ProductStatistics) -> tuple[ProductStatistics, float]:
        """With missing cells as EM first expects them, and the entropy of those cells."""
        return found, 0.0

    @abstractmethod
    def mode(self, found: ProductStatistics) -> RowDensity: ...

    @abstractmethod
    def log_priors(self, density: RowDensity, models: int) -> Array: ...  # (M,)

    @abstractmethod
    def log_likelihood(self, density: RowDensity, found: ProductStatistics) -> float: ...  # had all been seen


@dataclass(frozen=True, eq=False)
class Pieces(HiddenColumns):
    """Blocks that do not depend on each other."""

    family: Product
    priors: tuple[Prior[Statistics], ...]  # of each piece
    pooled: Parts  # statistics of each piece, all rows in one component
    tree: Tree | None = None  # one of no columns

    @property
    def families(self) -> tuple[Family[Statistics], ...]:
        return self.family.parts

    @property
    def proper(self) -> bool:
        return all(prior.proper for prior in self.priors)

    @property
    def free(self) -> bool:
        return bool(self.priors) and all(prior.proper and not prior.shares for prior in self.priors)

    def parameters(self, components: int) -> int:
        return sum(prior.parameters(components) for prior in self.priors)

    def side_by_side(self, models: int) -> "Pieces":
        return replace(self, priors=tuple(prior.side_by_side(models) for prior in self.priors))

    def reader(self, density: RowDensity, rows: int) -> "PieceReader":
        densities = known(density)
        each = zip(self.family.parts, densities, self.pooled, strict=True)
        return PieceReader([family.accumulator(own, pooled, rows) for family, own, pooled in each], densities)

    def statistics(self, blocks: tuple[Block, ...], memberships: Memberships) -> ProductStatistics:
        return self.family.statistics(blocks, memberships)

    def initially(self, found: ProductStatistics) -> tuple[ProductStatistics, float]:
        expected = [initially(family, part) for family, part in zip(self.family.parts, found.parts, strict=True)]
        parts = tuple(part for part, _ in expected)
        return ProductStatistics(Mass(found.weight), parts), sum(entropy for _, entropy in expected)

    def mode(self, found: ProductStatistics) -> ProductDensity:
        return ProductDensity(
            tuple(prior.after(those).mode() for prior, those in zip(self.priors, found.parts, strict=True))
        )

    def log_priors(self, density: RowDensity, models: int) -> Array:
        total = np.zeros(models)
        for prior, own in zip(self.priors, known(density), strict=True):
            total += prior.log_density(own).reshape(models, -1).sum(axis=1)
        return total

    def log_likelihood(self, density: RowDensity, found: ProductStatistics) -> float:
        pairs = zip(known(density), found.parts, strict=True)
        return float(sum(own.log_likelihood(those) for own, those in pairs))


def initially(family: Family[S], statistics: S) -> tuple[S, float]:
    """The statistics with missing cells as EM first expects them, and the entropy of those cells."""
    if not isinstance(family, FillsCells):
        return statistics, 0.0
    start = family.initial_parameters(statistics)
    return statistics.filled(start), statistics.entropy(start)


def together(statistics: S, levels: int = 1) -> S:
    """All rows in one component, or in one for each level of another column."""
    each = np.arange(len(statistics.weight)).reshape(-1, levels)
    return reduce(add, (statistics.only(some) for some in each))


def known(density: RowDensity) -> tuple[Parametric[Statistics], ...]:
    """The parts of a density that such pieces have been learned as."""
    assert isinstance(density, ProductDensity)  # what `Pieces.mode` gives
    return density.known


@dataclass(frozen=True, eq=False)
class PieceReader(Reader):
    accumulators: Sequence[Accumulator[Sums, Statistics]]
    densities: Sequence[Parametric[Statistics]]

    @property
    def width(self) -> int:
        return sum(accumulator.width for accumulator in self.accumulators)

    def read(self, blocks: tuple[Block, ...]) -> Read:
        pairs = zip(self.accumulators, blocks, strict=True)
        return [accumulator.read(block, piece) for piece, (accumulator, block) in enumerate(pairs)]

    def add_log_density(self, read: Read, so_far: Array, logs: Array) -> None:
        if not self.accumulators:
            logs[:] = so_far
        for accumulator, some in zip(self.accumulators, read, strict=True):
            so_far = np.add(so_far, accumulator.log_density(some).T, out=logs)

    def sums(self, read: Read, memberships: Soft) -> tuple[Sums, ...]:
        pairs = zip(self.accumulators, read, strict=True)
        return tuple(accumulator.sums(some, memberships) for accumulator, some in pairs)

    def statistics(self, sums: Sequence[Sums]) -> tuple[Parts, float]:
        """Missing cells are as the densities expect them."""
        parts = [accumulator.statistics(some) for accumulator, some in zip(self.accumulators, sums, strict=True)]
        pairs = list(zip(parts, self.densities, strict=True))
        filled = tuple(part.filled(density) if part.hidden else part for part, density in pairs)
        return filled, float(sum(part.entropy(density) for part, density in pairs if part.hidden))
