"""The product of independent blocks: naive Bayes is this, one part for each kind of column.

In:  a tuple of blocks, one for each part.
Out: statistics, beliefs and densities that are tuples too; log densities, evidences and priors add over the parts.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import iadd
from typing import Self

import numpy as np

from suffice.arrays import Array, Codes, close
from suffice.families.mass import Mass
from suffice.families.memberships import Memberships
from suffice.families.pairs import PairFamily, PairStatistics
from suffice.families.protocol import Block, Density, Factors, Family, Names, Parametric, Statistics, Tables, Terms
from suffice.formulas import Expression, Formula, Pattern, total

Cells = Sequence[Sequence[Expression]]  # of each block


@dataclass(frozen=True, eq=False)
class ProductStatistics:
    weight: Array  # (K,), also when there is no part at all
    parts: tuple[Statistics, ...]
    pairs: PairStatistics | None = None  # of two columns at a time, where they are kept
    counted: Mass | None = field(default=None, kw_only=True)  # the weight with the number of rows, if it is known

    @classmethod
    def of(cls, mass: Mass, parts: Iterable[Statistics], pairs: PairStatistics | None = None) -> "ProductStatistics":
        return cls(mass.weight, tuple(parts), pairs, counted=mass)

    @property
    def mass(self) -> Mass:
        """The weight of the classes, with the number of their rows."""
        return self.counted or Mass(self.weight)

    def __add__(self, other: "ProductStatistics") -> "ProductStatistics":
        parts = (a + b for a, b in zip(self.parts, other.parts, strict=True))
        pairs = self.pairs + other.pairs if self.pairs and other.pairs else None
        return ProductStatistics.of(self.mass + other.mass, parts, pairs)

    def __sub__(self, other: "ProductStatistics") -> "ProductStatistics":
        parts = (a - b for a, b in zip(self.parts, other.parts, strict=True))
        pairs = self.pairs - other.pairs if self.pairs and other.pairs else None
        return ProductStatistics.of(self.mass - other.mass, parts, pairs)

    def joined(self, other: "ProductStatistics") -> "ProductStatistics":
        parts = (a.joined(b) for a, b in zip(self.parts, other.parts, strict=True))
        pairs = self.pairs.joined(other.pairs) if self.pairs and other.pairs else None
        return ProductStatistics.of(self.mass.joined(other.mass), parts, pairs)

    def sealed(self) -> "ProductStatistics":
        """As one collect, of which rows may come off together or apart."""
        return ProductStatistics.of(self.mass.sealed(), self.parts, self.pairs)

    def alike(self, other: "ProductStatistics", tolerance: float) -> bool:
        parts = zip(self.parts, other.parts, strict=True)
        pairs = self.pairs is None or other.pairs is None or self.pairs.alike(other.pairs, tolerance)
        return close(self.weight, other.weight, tolerance) and pairs and all(a.alike(b, tolerance) for a, b in parts)

    def only(self, components: Codes) -> "ProductStatistics":
        parts = tuple(part.only(components) for part in self.parts)
        return ProductStatistics.of(self.mass.only(components), parts, self.pairs and self.pairs.only(components))

    def onto(self, components: Codes, size: int) -> "ProductStatistics":
        parts = tuple(part.onto(components, size) for part in self.parts)
        pairs = self.pairs and self.pairs.onto(components, size)
        return ProductStatistics.of(self.mass.onto(components, size), parts, pairs)


@dataclass(frozen=True)
class Product:
    parts: tuple[Family[Statistics], ...]
    pairs: PairFamily | None = None

    @property
    def columns(self) -> int:
        return sum(part.columns for part in self.parts)

    def statistics(self, blocks: tuple[Block, ...], memberships: Memberships) -> ProductStatistics:
        parts = (part.statistics(block, memberships) for part, block in zip(self.parts, blocks, strict=True))
        pairs = self.pairs.statistics(blocks, memberships) if self.pairs else None
        return ProductStatistics.of(Mass.within(memberships), parts, pairs)


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
    def filled(self, blocks: tuple[Block, ...], memberships: Array) -> tuple[Block, ...]: ...  # cells as expected

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

    def filled(self, blocks: tuple[Block, ...], memberships: Array) -> tuple[Block, ...]:
        return tuple(part.filled(block, memberships) for part, block in zip(self.known, blocks, strict=True))

    def refilled(self, blocks: tuple[Block, ...], components: Codes, rng: np.random.Generator) -> tuple[Block, ...]:
        return tuple(part.refilled(block, components, rng) for part, block in zip(self.known, blocks, strict=True))

    def tables(self, names: Sequence[Names]) -> list[Tables]:
        return [part.tables(some) for part, some in zip(self.parts, names, strict=True)]


def _added(terms: Iterable[Array]) -> Array:
    """Their sum, in the memory of the first; 0 where there is none."""
    return reduce(iadd, terms) if (terms := list(terms)) else np.zeros(())
