"""The columns of a tree, each given the class and its parent: categories by tables, other columns by the densities of
their families, numbers by a line through another number.

In:  what `model.tree` has learned.
Out: nodes, of which `density` makes one density of rows.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from suffice.arrays import LOG_2PI, UNSEEN, Array, Codes
from suffice.families.gaussian.densities import GaussianDensity
from suffice.families.gaussian.shapes import FULL
from suffice.families.pairs import within
from suffice.families.protocol import Block, Density, Parametric
from suffice.formulas import Expression, Square, ln, times_log1p
from suffice.kernels.distances import log_student
from suffice.lazy import lazy

Blocks = tuple[Block, ...]
Place = tuple[int, int]  # block, and column in it


def column(blocks: Blocks, place: Place) -> Array:
    return np.asarray(blocks[place[0]][:, place[1]], dtype=float)


def side_by_side(blocks: Blocks, places: Sequence[Place]) -> Block:
    """Columns of any blocks as one; a block as it is, if they are all of it."""
    first = blocks[places[0][0]]
    if [*places] == [(places[0][0], j) for j in range(first.shape[1])]:
        return first
    return np.stack([blocks[block][:, at] for block, at in places], axis=1)


@dataclass(frozen=True, eq=False)
class Category:
    """A column of categories: ln P(level | class, level of its parent), where the last is a level never seen."""

    place: Place
    levels: tuple[Hashable, ...]
    parent: int  # which category, before this one; −1: none
    table: Array  # (K, P, S + 1), P levels of the parent and one never seen, or 1

    @property
    def size(self) -> int:
        return len(self.levels)

    def code(self, blocks: Blocks) -> Codes:
        """Of its cells, a level never seen behind all others."""
        found = blocks[self.place[0]][:, self.place[1]]
        return np.where(found == UNSEEN, self.size, np.minimum(found, self.size)).astype(np.intp, copy=False)

    @lazy
    def probability(self) -> Array:
        """Of the levels that were seen."""  # (K, P, S)
        return np.exp(self.table[:, :, : self.size])

    def arrays(self) -> dict[str, Array]:
        return {"log_probability": self.table}

    def only(self, components: Codes) -> "Category":
        return replace(self, table=self.table[components])


@dataclass(frozen=True, eq=False)
class Leaf:
    """Columns of one family, whose components are class × level of a category (the last never seen), or the classes."""

    block: int
    columns: tuple[int, ...]
    parent: int
    density: Density
    classes: int  # K
    levels: int  # of the parent, and one never seen; 1 where there is none

    @property
    def place(self) -> Place:
        """Of the first of its columns."""
        return self.block, self.columns[0]

    def arrays(self) -> dict[str, Array]:
        return self.density.arrays() if isinstance(self.density, Parametric) else {}

    def cells(self, blocks: Blocks) -> Block:
        block = blocks[self.block]
        return block if self.columns == tuple(range(block.shape[1])) else block[:, list(self.columns)]

    @lazy
    def by_level(self) -> list[Density]:
        """The K components of each level."""
        classes = np.arange(self.classes) * self.levels
        return [self.density.only(classes + level) for level in range(self.levels)]

    def take(self, some: Sequence[int]) -> "Leaf":
        """Some of its columns."""
        if len(some) == len(self.columns):
            return self
        return replace(self, columns=tuple(self.columns[i] for i in some), density=self.density.take(some))

    def only(self, components: Codes) -> "Leaf":
        density = self.density.only(within(components, self.levels))
        return replace(self, density=density, classes=len(components))


@dataclass(frozen=True, eq=False)
class Regression:
    """A number given another: Gaussian around a line in each class; Student-t where parameters are integrated out."""

    child: Place
    parent: Place
    mean: Array  # (K, 2) of child and parent
    slope: Array  # (K,)
    variance: Array  # (K,) around the line
    spread: Array  # (K,) of the parent
    degrees: Array | None = None  # (K,) of the two together

    @property
    def place(self) -> Place:
        return self.child

    def arrays(self) -> dict[str, Array]:
        return {"mean": self.mean, "slope": self.slope, "variance": self.variance, "spread": self.spread}

    def line(self, child: float, parent: float) -> tuple[Array, ...]:
        """What `kernels.lines` takes for ln p of the child, cells counted from the two numbers given."""  # (K,) each
        place = self.mean[:, 1] - parent
        start = (self.mean[:, 0] - child) - self.slope * place
        if self.degrees is None:
            return start, self.slope, np.sqrt(0.5 / self.variance), -0.5 * (LOG_2PI + np.log(self.variance))
        peak = log_student(np.zeros(1), np.log(self.variance / (self.degrees + 1)), 1, self.degrees + 1)
        spread = np.sqrt(1 / self.spread)
        return start, self.slope, np.sqrt(1 / self.variance), peak, place, spread, self.degrees

    def formula(self, k: int, child: Expression, parent: Expression) -> Expression:
        """Ln p of the child under one component; its cells are counted from the means."""
        (middle, where), slope, variance = self.mean[k].tolist(), float(self.slope[k]), float(self.variance[k])
        off = (child - middle) - (parent - where) * slope
        if self.degrees is None:
            return -0.5 * float(np.log(2 * np.pi * variance)) - Square(off * float(np.sqrt(0.5 / variance)))
        degrees, spread = float(self.degrees[k]), float(self.spread[k])
        peak = log_student(np.zeros(()), np.log(variance / (degrees + 1)), 1, np.asarray(degrees + 1)).item()
        wider = Square((parent - where) * float(np.sqrt(1 / spread))) + degrees
        tail = times_log1p(-0.5 * (degrees + 2), Square(off * float(np.sqrt(1 / variance))) / wider)
        return tail - ln(wider) * 0.5 + peak

    def log_density(self, child: Array, parent: Array) -> Array:
        """0 where the child is missing."""  # (n, K)
        return self.paired(child[:, None], parent[:, None])

    def paired(self, child: Array, parent: Array) -> Array:
        """Of each row in the component of the same number, (K,), or in all of them."""
        off, variance = child - self._line(parent), self._variance(parent)
        if self.degrees is None:
            out = -0.5 * (off**2 / variance + np.log(variance) + LOG_2PI)
        else:
            out = log_student(off**2 / variance, np.log(variance), 1, self.degrees + 1)
        return np.where(np.isnan(child), 0.0, out)

    def _line(self, parent: Array) -> Array:
        return np.asarray(self.mean[:, 0] + self.slope * (parent - self.mean[:, 1]))

    def _variance(self, parent: Array) -> Array:
        if self.degrees is None:
            return self.variance
        distance = (parent - self.mean[:, 1]) ** 2 / self.spread
        return np.asarray(self.variance * (self.degrees + distance) / (self.degrees + 1))

    def sample(self, components: Codes, parent: Array, rng: np.random.Generator) -> Array:
        own, z = self.only(components), rng.standard_normal(len(parent))
        if own.degrees is not None:
            z = z / np.sqrt(rng.chisquare(own.degrees + 1) / (own.degrees + 1))
        return np.asarray(own._line(parent) + np.sqrt(own._variance(parent)) * z)

    def only(self, components: Codes) -> "Regression":
        arrays = {name: getattr(self, name)[components] for name in ("mean", "slope", "variance", "spread")}
        degrees = None if self.degrees is None else self.degrees[components]
        return replace(self, **arrays, degrees=degrees)


Node = Category | Leaf | Regression


@dataclass(frozen=True, eq=False)
class Group:
    """Numbers that depend on each other, the first of them on a category or on none: one Gaussian given its level."""

    places: tuple[Place, ...]
    parent: int
    density: GaussianDensity  # components class × level

    def cells(self, blocks: Blocks) -> Array:
        return np.stack([column(blocks, place) for place in self.places], axis=1)


def group_of(leaf: Leaf, first: int, regressions: Sequence[Regression]) -> Group:
    """A number of a leaf, and all that depend on it, directly or not, in each class and level."""
    density = leaf.density.take([first])
    assert isinstance(density, GaussianDensity)  # numbers with known parameters
    places, means, size = [(leaf.block, leaf.columns[first])], [density.mean[:, 0]], len(density.mean)
    covariance = density.covariance.reshape(size, 1, 1)
    for arc in regressions:
        if arc.parent not in places:
            continue
        at = places.index(arc.parent)
        slope, variance, mean = (np.repeat(part, leaf.levels, axis=0) for part in (arc.slope, arc.variance, arc.mean))
        means.append(mean[:, 0] + slope * (means[at] - mean[:, 1]))
        across = slope[:, None] * covariance[:, at]  # with those that are there
        own = variance + slope**2 * covariance[:, at, at]
        wider = np.concatenate([covariance, across[:, None, :]], axis=1)
        last = np.concatenate([across, own[:, None]], axis=1)[:, :, None]
        covariance = np.concatenate([wider, last], axis=2)
        places.append(arc.child)
    return Group(tuple(places), leaf.parent, GaussianDensity(np.stack(means, axis=1), covariance, FULL))
