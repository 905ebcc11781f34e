"""Pairs of columns: what their rows say of two at a time, where both cells are there. Dependence is learned from this.

In:  the blocks of a product, and memberships.
Out: PairStatistics, which add and subtract as all statistics do.

    two categories               counts of their levels together
    any other column, given a    the statistics of its own family, with components class × level: a family given the
    category                     level of another column is the same family with more components
    two numbers                  mass, means and scatter matrix, with components class × pair
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import add, sub

import numpy as np

from suffice.arrays import Array, Codes, close, placed
from suffice.errors import FileError
from suffice.families.counts import checked
from suffice.families.gaussian.moments import Moments
from suffice.families.memberships import Memberships, by_component
from suffice.families.protocol import Block, Family, Statistics
from suffice.families.rows import BEHIND, Rows, after
from suffice.families.sums import Low, Sums, joined_low, restored_low, taken_off
from suffice.kernels.moments import every_two
from suffice.lazy import lazy


@dataclass(frozen=True)
class Place:
    """Where a column is: in which block, and where in it; of a number that is kept as codes, what they stand for."""

    block: int
    column: int
    values: tuple[float, ...] | None = None

    def cells(self, blocks: tuple[Block, ...]) -> Block:
        found = blocks[self.block][:, self.column]
        return found if self.values is None else np.array([*self.values, np.nan])[found]


@dataclass(frozen=True)
class PairFamily:
    categories: tuple[Place, ...]
    sizes: tuple[int, ...]  # levels of each category
    numbers: tuple[Place, ...]
    others: tuple[tuple[tuple[Place, ...], Family[Statistics]], ...]  # columns that are no categories, by their family

    @lazy
    def bounds(self) -> Codes:
        """Between the cells of each category."""
        return np.cumsum((0, *self.sizes)).astype(np.intp)

    @property
    def pairs(self) -> int:
        return len(self.numbers) * (len(self.numbers) - 1) // 2

    def size(self, components: int) -> int:
        """How many numbers the statistics are, about."""
        cells = int(self.bounds[-1])
        return components * (cells * (cells + sum(3 * family.columns for _, family in self.others)) + 9 * self.pairs)

    def statistics(self, blocks: tuple[Block, ...], memberships: Memberships) -> "PairStatistics":
        codes = _side_by_side(self.categories, blocks, np.intp)
        others = [(family, _side_by_side(places, blocks, float)) for places, family in self.others]
        levels = (memberships.given(codes[:, j], size) for j, size in enumerate(self.sizes))
        given = tuple(tuple(family.statistics(block, some) for family, block in others) for some in levels if others)
        numbers = pair_moments(_side_by_side(self.numbers, blocks, float), memberships)
        counts, counted = memberships.pair_counts(codes, self.bounds), memberships.counted
        if counted is None:
            return PairStatistics(counts, given, numbers)
        behind = counts if counted is memberships else counted.pair_counts(codes, self.bounds)
        return PairStatistics(counts, given, numbers, Rows(np.zeros(0), behind), {})

    def restored(self, arrays: Mapping[str, Array], components: int) -> "PairStatistics":
        """From `arrays`, refusing what cannot be statistics of pairs."""
        cells = int(self.bounds[-1])
        shape, some = (components, cells, cells), {n: arrays[n] for n in ("counts_low", "rows", BEHIND) if n in arrays}
        shapes = {"counts": shape} | {name: (0,) if name == "rows" else shape for name in some}
        found = checked({"counts": arrays["counts"], **some}, shapes)
        counts, rows = found["counts"], Rows.restored(found, found["counts"])
        if (counts < 0).any() or not np.array_equal(counts, np.swapaxes(counts, 1, 2)):
            raise FileError("The file holds impossible counts of pairs.")
        given = tuple(
            tuple(
                family.restored(_under(f"given/{j}/{i}/", arrays), components * size)
                for i, (_, family) in enumerate(self.others)
            )
            for j, size in enumerate(self.sizes if self.others else ())
        )
        numbers = Moments.restored(_under("numbers/", arrays), components * self.pairs, 2, crosswise=True)
        return PairStatistics(counts, given, numbers, rows, restored_low(found, ("counts",)))


@dataclass(frozen=True, eq=False)
class PairStatistics:
    counts: Array  # (K, C, C) mass of the rows with both cells, of categories one after the other; symmetric
    given: tuple[tuple[Statistics, ...], ...]  # for each category, of each other family: component k · S + level
    numbers: Moments  # of two columns: component k · P + pair, pairs in the order of combinations
    rows: Rows | None = None  # behind each of the counts; None where nobody has counted them
    low: Low = None  # what floats cannot hold of the counts; None where they are enough

    @property
    def sums(self) -> Sums:
        return Sums({"counts": self.counts}, self.low)

    def __add__(self, other: "PairStatistics") -> "PairStatistics":
        rows = self.rows and self.rows.added(other.rows)
        return self._with(other, add, self.sums + other.sums, rows)

    def __sub__(self, other: "PairStatistics") -> "PairStatistics":
        whole, part = (self.sums, self.rows), (other.sums, other.rows)
        rest, left = taken_off(whole, part, lambda rows: {"counts": rows.behind == 0}, ("counts",))
        return self._with(other, sub, rest, left)

    def joined(self, other: "PairStatistics") -> "PairStatistics":
        rows, low = self.rows and self.rows.added(other.rows), joined_low(self.low, other.low)
        return self._with(other, lambda a, b: a.joined(b), Sums({"counts": self.counts + other.counts}, low), rows)

    def _with(
        self,
        other: "PairStatistics",
        both: Callable[[Statistics, Statistics], Statistics],
        sums: Sums,
        rows: Rows | None,
    ) -> "PairStatistics":
        columns = zip(self.given, other.given, strict=True)
        given = tuple(tuple(both(a, b) for a, b in zip(mine, theirs, strict=True)) for mine, theirs in columns)
        numbers = both(self.numbers, other.numbers)
        assert isinstance(numbers, Moments)
        counts = sums.high["counts"]
        return PairStatistics(counts, given, numbers, rows and rows.sharing(rows.of, counts), sums.low)

    def alike(self, other: "PairStatistics", tolerance: float) -> bool:
        columns = zip(self.given, other.given, strict=True)
        pairs = (pair for mine, theirs in columns for pair in zip(mine, theirs, strict=True))
        return (
            close(self.counts, other.counts, tolerance)
            and self.numbers.alike(other.numbers, tolerance)
            and all(a.alike(b, tolerance) for a, b in pairs)
        )

    def plain(self) -> "PairStatistics":
        """In single floats, as models take them."""
        return replace(self._each(lambda part, _: part.plain(), np.asarray), rows=None, low=None)

    def onto(self, components: Codes, size: int) -> "PairStatistics":
        """The same rows on a longer component axis."""
        return self._each(
            lambda part, many: part.onto(within(components, many), size * many),
            lambda part: placed(part, components, size),
        )

    def only(self, components: Codes) -> "PairStatistics":
        """The rows of some of the components."""
        return self._each(lambda part, many: part.only(within(components, many)), lambda part: part[components])

    def _each(
        self, change: Callable[[Statistics, int], Statistics], counted: Callable[[Array], Array]
    ) -> "PairStatistics":
        """With other components of each record, which has so many for each component, and of the counts."""
        classes = max(1, len(self.counts))
        given = tuple(tuple(change(part, len(part.weight) // classes) for part in parts) for parts in self.given)
        numbers = change(self.numbers, len(self.numbers.weight) // classes)
        assert isinstance(numbers, Moments)
        return self.recounted(counted, given, numbers)

    def recounted(
        self, change: Callable[[Array], Array], given: tuple[tuple[Statistics, ...], ...], numbers: Moments
    ) -> "PairStatistics":
        """With other counts, and other records beside them."""
        sums = self.sums.each(lambda _, part: change(part))
        counts = sums.high["counts"]
        rows = after(self.rows, change, (self.rows.of, self.rows.of), (self.counts, counts)) if self.rows else None
        return PairStatistics(counts, given, numbers, rows, sums.low)

    def arrays(self) -> dict[str, Array]:
        out = self.sums.arrays() | (self.rows.arrays(self.counts) if self.rows else {})
        out |= {f"numbers/{name}": array for name, array in self.numbers.arrays().items()}
        for j, parts in enumerate(self.given):
            for i, part in enumerate(parts):
                out |= {f"given/{j}/{i}/{name}": array for name, array in part.arrays().items()}
        return out


def pair_moments(x: Array, memberships: Memberships) -> Moments:
    """Of every two columns, over the rows that have both."""
    first, second = np.triu_indices(x.shape[1], 1)
    components, counted = len(memberships.weight), memberships.counted
    if not len(first):
        zero = np.zeros((0, 2))
        rows = None if counted is None else Rows(np.zeros(0), zero)
        return Moments(np.zeros(0), zero, zero, np.zeros((0, 2, 2)), {}, rows)
    if np.isnan(x).any():
        mass, near, off, scatter = by_component(every_two, x, memberships)
    else:
        both = np.stack([first, second], axis=1)
        sums = memberships.crosswise(np.ascontiguousarray(x))
        mass, near, off = (part[:, both] for part in sums[:3])
        scatter = sums[3][:, both[:, :, None], both[:, None, :]]
    mass, near, off = (part.reshape(components * len(first), 2) for part in (mass, near, off))
    weight, behind = mass[:, 0].copy(), mass
    if counted is not None and counted is not memberships:
        there = ~np.isnan(x)
        behind = np.repeat(counted.sums(there[:, first] * there[:, second] * 1.0).reshape(-1, 1), 2, axis=1)
    rows = None if counted is None else Rows(behind[:, 0].copy(), behind)
    return Moments.of(weight, (mass, near, off, scatter.reshape(-1, 2, 2)), rows)


def within(components: Codes, many: int) -> Codes:
    """The records of some components, where each has so many."""
    return np.asarray((components[:, None] * many + np.arange(many)).ravel())


def _side_by_side(places: Sequence[Place], blocks: tuple[Block, ...], kind: type) -> Block:
    if len({place.block for place in places}) == 1 and all(place.values is None for place in places):
        return blocks[places[0].block][:, [place.column for place in places]]
    out = np.empty((blocks[0].shape[0], len(places)), dtype=kind)
    for j, place in enumerate(places):
        out[:, j] = place.cells(blocks)
    return out


def _under(prefix: str, arrays: Mapping[str, Array]) -> dict[str, Array]:
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
