"""The product of independent blocks: naive Bayes is this, one part for each kind of column.

In:  a tuple of blocks, one for each part.
Out: statistics, beliefs and densities that are tuples too; log densities, evidences and priors add over the parts.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import iadd
from typing import Any

import numpy as np

from suffice.arrays import Array, Codes, close, placed
from suffice.families.counts import taken_away
from suffice.families.memberships import Memberships
from suffice.families.protocol import Density, Family, Names, Prior


@dataclass(frozen=True, eq=False)
class ProductStatistics:
    weight: Array  # (K,), also when there is no part at all
    parts: tuple[Any, ...]

    def __add__(self, other: "ProductStatistics") -> "ProductStatistics":
        pairs = zip(self.parts, other.parts, strict=True)
        return ProductStatistics(self.weight + other.weight, tuple(a + b for a, b in pairs))

    def __sub__(self, other: "ProductStatistics") -> "ProductStatistics":
        pairs = zip(self.parts, other.parts, strict=True)
        return ProductStatistics(taken_away(self.weight, other.weight), tuple(a - b for a, b in pairs))

    def alike(self, other: "ProductStatistics", tolerance: float) -> bool:
        pairs = zip(self.parts, other.parts, strict=True)
        return close(self.weight, other.weight, tolerance) and all(a.alike(b, tolerance) for a, b in pairs)

    def only(self, components: Codes) -> "ProductStatistics":
        return ProductStatistics(self.weight[components], tuple(part.only(components) for part in self.parts))

    def onto(self, components: Codes, size: int) -> "ProductStatistics":
        parts = tuple(part.onto(components, size) for part in self.parts)
        return ProductStatistics(placed(self.weight, components, size), parts)


@dataclass(frozen=True)
class Product:
    parts: tuple[Family, ...]

    @property
    def columns(self) -> int:
        return sum(part.columns for part in self.parts)

    def statistics(self, blocks: tuple[Any, ...], memberships: Memberships) -> ProductStatistics:
        parts = (part.statistics(block, memberships) for part, block in zip(self.parts, blocks, strict=True))
        return ProductStatistics(memberships.weight, tuple(parts))

    def flat(self, components: int = 1) -> "ProductPrior":
        return ProductPrior(tuple(part.flat(components) for part in self.parts))

    def unbiased(self, components: int = 1) -> "ProductPrior":
        return ProductPrior(tuple(part.unbiased(components) for part in self.parts))

    def reference(self, components: int = 1) -> "ProductPrior":
        return ProductPrior(tuple(part.reference(components) for part in self.parts))

    def weak(self, statistics: ProductStatistics) -> "ProductPrior":
        pairs = zip(self.parts, statistics.parts, strict=True)
        return ProductPrior(tuple(part.weak(those) for part, those in pairs))


@dataclass(frozen=True, eq=False)
class ProductPrior:
    parts: tuple[Prior, ...]

    def parameters(self, components: int) -> int:
        return sum(part.parameters(components) for part in self.parts)

    def after(self, statistics: ProductStatistics) -> "ProductPrior":
        pairs = zip(self.parts, statistics.parts, strict=True)
        return ProductPrior(tuple(part.after(those) for part, those in pairs))

    def mode(self) -> "ProductDensity":
        return ProductDensity(tuple(part.mode() for part in self.parts))

    def mean(self) -> "ProductDensity":
        return ProductDensity(tuple(part.mean() for part in self.parts))

    def predictive(self) -> "ProductDensity":
        return ProductDensity(tuple(part.predictive() for part in self.parts))

    def maximum_likelihood(self, statistics: ProductStatistics) -> "ProductDensity":
        pairs = zip(self.parts, statistics.parts, strict=True)
        return ProductDensity(tuple(part.maximum_likelihood(those) for part, those in pairs))

    def marginals(self, names: Sequence[Names]) -> dict[str, dict[str, Any]]:
        """The tables of all parts, each of which has its own names."""
        pairs = zip(self.parts, names, strict=True)
        return {title: table for part, its in pairs for title, table in part.marginals(its).items()}

    def draw(self, rng: np.random.Generator) -> "ProductDensity":
        return ProductDensity(tuple(part.draw(rng) for part in self.parts))

    def expected_log_density(self, other: "ProductPrior") -> Array:
        pairs = zip(self.parts, other.parts, strict=True)
        return np.asarray(sum(part.expected_log_density(those) for part, those in pairs))

    def log_density(self, density: "ProductDensity") -> float:
        return sum(part.log_density(those) for part, those in zip(self.parts, density.parts, strict=True))

    def log_evidence(self, statistics: ProductStatistics) -> Array:
        pairs = zip(self.parts, statistics.parts, strict=True)
        return np.asarray(sum(part.log_evidence(those) for part, those in pairs))


@dataclass(frozen=True, eq=False)
class ProductDensity:
    parts: tuple[Density, ...]

    def log_density(self, blocks: tuple[Any, ...]) -> Array:
        return _added(part.log_density(block) for part, block in zip(self.parts, blocks, strict=True))

    def scores(self, blocks: tuple[Any, ...]) -> Array:
        return _added(part.scores(block) for part, block in zip(self.parts, blocks, strict=True))

    def only(self, components: Codes) -> "ProductDensity":
        parts: Any = self.parts
        return ProductDensity(tuple(part.only(components) for part in parts))

    def sample(self, components: Codes, rng: np.random.Generator) -> tuple[Any, ...]:
        return tuple(part.sample(components, rng) for part in self.parts)


def _added(terms: Iterable[Array]) -> Array:
    """Their sum, in the memory of the first; 0 where there is none."""
    return reduce(iadd, terms) if (terms := list(terms)) else np.zeros(())
