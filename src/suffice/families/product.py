"""The product of independent blocks: naive Bayes is this, one part for each kind of column.

In:  a tuple of blocks, one for each part.
Out: statistics, beliefs and densities that are tuples too; log densities, evidences and priors add over the parts.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import iadd
from typing import Self

import numpy as np

from suffice.arrays import Array, Codes, close
from suffice.families.mass import Mass
from suffice.families.memberships import Memberships
from suffice.families.pairs import PairFamily, PairStatistics
from suffice.families.protocol import Block, Density, Factors, Family, Names, Parametric, S, Statistics, Tables, Terms
from suffice.families.volumes import Volume
from suffice.formulas import Expression, Formula, Pattern, total
from suffice.transforms import Transform

Cells = Sequence[Sequence[Expression]]  # of each block
Transforms = Sequence[Transform | None]  # of each block
Volumes = tuple[Volume, ...]  # of the cells of each part


@dataclass(frozen=True, eq=False)
class ProductStatistics:
    mass: Mass  # of the classes, also when there is no part at all
    parts: tuple[Statistics, ...]
    pairs: PairStatistics | None = None  # of two columns at a time, where they are kept
    volumes: Volumes = ()  # of each part; left out in a step of EM, where nothing depends on them

    @property
    def weight(self) -> Array:
        """The mass of each class."""  # (K,), also when there is no part at all
        return self.mass.weight

    def __add__(self, other: "ProductStatistics") -> "ProductStatistics":
        parts = (a + b for a, b in zip(self.parts, other.parts, strict=True))
        pairs = self.pairs + other.pairs if self.pairs and other.pairs else None
        return ProductStatistics(self.mass + other.mass, tuple(parts), pairs, self._both(other, Volume.__add__))

    def __sub__(self, other: "ProductStatistics") -> "ProductStatistics":
        parts = (a - b for a, b in zip(self.parts, other.parts, strict=True))
        pairs = self.pairs - other.pairs if self.pairs and other.pairs else None
        mass = self.mass - other.mass
        volumes = self._both(other, lambda mine, theirs: mine.less(theirs, mass.weight))
        return ProductStatistics(mass, tuple(parts), pairs, volumes)

    def joined(self, other: "ProductStatistics") -> "ProductStatistics":
        parts = (a.joined(b) for a, b in zip(self.parts, other.parts, strict=True))
        pairs = self.pairs.joined(other.pairs) if self.pairs and other.pairs else None
        volumes = self._both(other, Volume.joined)
        return ProductStatistics(self.mass.joined(other.mass), tuple(parts), pairs, volumes)

    def _both(self, other: "ProductStatistics", merged: Callable[[Volume, Volume], Volume]) -> Volumes:
        return tuple(merged(mine, theirs) for mine, theirs in zip(self.volumes, other.volumes, strict=True))

    def sealed(self) -> "ProductStatistics":
        """As one collect, of which rows may come off together or apart."""
        return replace(self, mass=self.mass.sealed())

    def alike(self, other: "ProductStatistics", tolerance: float) -> bool:
        parts = zip(self.parts, other.parts, strict=True)
        pairs = self.pairs is None or other.pairs is None or self.pairs.alike(other.pairs, tolerance)
        volumes = zip(self.volumes, other.volumes, strict=True)
        return (
            close(self.weight, other.weight, tolerance)
            and pairs
            and all(a.alike(b, tolerance) for a, b in parts)
            and all(mine.alike(theirs, tolerance, self.weight) for mine, theirs in volumes)
        )

    def only(self, components: Codes) -> "ProductStatistics":
        parts = tuple(part.only(components) for part in self.parts)
        pairs, volumes = self.pairs and self.pairs.only(components), tuple(own.only(components) for own in self.volumes)
        return ProductStatistics(self.mass.only(components), parts, pairs, volumes)

    def onto(self, components: Codes, size: int) -> "ProductStatistics":
        parts = tuple(part.onto(components, size) for part in self.parts)
        pairs = self.pairs and self.pairs.onto(components, size)
        volumes = tuple(own.onto(components, size) for own in self.volumes)
        return ProductStatistics(self.mass.onto(components, size), parts, pairs, volumes)


@dataclass(frozen=True)
class Product:
    parts: tuple[Family[Statistics], ...]
    pairs: PairFamily | None = None
    transforms: Transforms = ()  # by which the cells of each part have been turned; left out in EM, as volumes are

    @property
    def columns(self) -> int:
        return sum(part.columns for part in self.parts)

    def statistics(self, blocks: tuple[Block, ...], memberships: Memberships) -> ProductStatistics:
        parts = (part.statistics(block, memberships) for part, block in zip(self.parts, blocks, strict=True))
        pairs = self.pairs.statistics(blocks, memberships) if self.pairs else None
        volumes = volumes_of(self.transforms, blocks, memberships)
        return ProductStatistics(Mass.within(memberships), tuple(parts), pairs, volumes)


def volumes_of(transforms: Transforms, blocks: tuple[Block, ...], memberships: Memberships) -> Volumes:
    """Of the cells of each block, summed as its statistics are."""
    each = zip(transforms, blocks, strict=True) if transforms else ()
    return tuple(Volume.of(block, by, memberships) for by, block in each)


class RowDensity(ABC):
    """K distributions of rows, cut into blocks."""

    parts: tuple[Density, ...]  # of each block by itself: an error where blocks depend on each other

    @property
    @abstractmethod
    def independent(self) -> bool: ...  # whether it is the product of its parts

    @property
    @abstractmethod
    def plug_in(self) -> bool: ...  # whether all parameters are known

    @abstractmethod
    def arrays(self) -> dict[str, Array]: ...  # known parameters, by name: to store

    @abstractmethod
    def log_density(self, blocks: tuple[Block, ...]) -> Array: ...  # (N, K)

    def scores(self, blocks: tuple[Block, ...]) -> Array:
        """The same up to a term common to all components."""
        return self.log_density(blocks)

    @abstractmethod
    def formula(self, cells: Cells, patterns: Sequence[Sequence[Pattern]]) -> Formula: ...  # of each block, see Density

    @abstractmethod
    def terms(self, blocks: tuple[Block, ...], a: int, b: int) -> list[Terms]: ...  # log odds, of each block by columns

    @abstractmethod
    def factors(self, blocks: tuple[Block, ...]) -> list[Factors]: ...  # what adds up to ln p, of each block by columns

    @abstractmethod
    def only(self, components: Codes) -> Self: ...

    @abstractmethod
    def sample(self, components: Codes, rng: np.random.Generator) -> tuple[Block, ...]: ...

    @abstractmethod
    def filled(
        self, blocks: tuple[Block, ...], memberships: Array, transforms: Transforms
    ) -> tuple[Block, ...]: ...  # cells as expected in the user's own units

    @abstractmethod
    def refilled(
        self, blocks: tuple[Block, ...], components: Codes, rng: np.random.Generator
    ) -> tuple[Block, ...]: ...  # drawn

    @abstractmethod
    def tables(self, names: Sequence[Names]) -> list[Tables]: ...  # of each block


@dataclass(frozen=True, eq=False)
class ProductDensity(RowDensity):
    parts: tuple[Density, ...]
    independent = True

    @property
    def plug_in(self) -> bool:
        return len(self.known) == len(self.parts)

    @property
    def known(self) -> tuple[Parametric[Statistics], ...]:
        """The parts, which must all have known parameters."""
        return tuple(part for part in self.parts if isinstance(part, Parametric))

    def arrays(self) -> dict[str, Array]:
        parts = ((i, part) for i, part in enumerate(self.parts) if isinstance(part, Parametric))
        return {f"{i}/{name}": array for i, part in parts for name, array in part.arrays().items()}

    def log_density(self, blocks: tuple[Block, ...]) -> Array:
        return _added(part.log_density(block) for part, block in zip(self.parts, blocks, strict=True))

    def scores(self, blocks: tuple[Block, ...]) -> Array:
        return _added(part.scores(block) for part, block in zip(self.parts, blocks, strict=True))

    def formula(self, cells: Cells, patterns: Sequence[Sequence[Pattern]]) -> Formula:
        blocks = zip(self.parts, cells, patterns, strict=True)
        return total([part.formula(own, there) for part, own, there in blocks])

    def terms(self, blocks: tuple[Block, ...], a: int, b: int) -> list[Terms]:
        return [part.terms(block, a, b) for part, block in zip(self.parts, blocks, strict=True)]

    def factors(self, blocks: tuple[Block, ...]) -> list[Factors]:
        return [part.factors(block) for part, block in zip(self.parts, blocks, strict=True)]

    def only(self, components: Codes) -> "ProductDensity":
        return ProductDensity(tuple(part.only(components) for part in self.parts))

    def sample(self, components: Codes, rng: np.random.Generator) -> tuple[Block, ...]:
        return tuple(part.sample(components, rng) for part in self.parts)

    def filled(self, blocks: tuple[Block, ...], memberships: Array, transforms: Transforms) -> tuple[Block, ...]:
        each = zip(self.known, blocks, transforms, strict=True)
        return tuple(filled(part, block, memberships, by) for part, block, by in each)

    def refilled(self, blocks: tuple[Block, ...], components: Codes, rng: np.random.Generator) -> tuple[Block, ...]:
        return tuple(part.refilled(block, components, rng) for part, block in zip(self.known, blocks, strict=True))

    def tables(self, names: Sequence[Names]) -> list[Tables]:
        return [part.tables(some) for part, some in zip(self.parts, names, strict=True)]


def filled(density: Parametric[S], z: Block, memberships: Array, transform: Transform | None) -> Block:
    """Missing cells as they are expected in the user's own units, where that is known: it is not at the mean of z."""
    means = None if transform is None or transform.mean is None else density.means(transform.mean)
    if transform is None or means is None:
        return density.filled(z, memberships)
    return np.where(np.isnan(z), transform.into(memberships @ means), z)


def _added(terms: Iterable[Array]) -> Array:
    """Their sum, in the memory of the first; 0 where there is none."""
    return reduce(iadd, terms) if (terms := list(terms)) else np.zeros(())
