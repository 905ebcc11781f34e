"""Stage 3, what is kept of the rows: a schema, the classes, and statistics for each class. No more is needed.

In:  a table cut into blocks, and the class of each row.
Out: Summary, a value: `+` is other rows together, `−` rows taken away; classes and levels are united, in sorted order.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from os import PathLike
from typing import Any

import numpy as np

from suffice.arrays import Array, Codes
from suffice.data.blocks import cut
from suffice.data.kinds import CATEGORICAL, COUNTS, GAUSSIAN, JOINT, LOG_GAUSSIAN
from suffice.data.levels import union
from suffice.data.schema import BlockPlan, Schema
from suffice.data.table import Table
from suffice.errors import FileError, KindError, LostDigitsWarning, warn
from suffice.families.counts import checked
from suffice.families.kinds import family_of
from suffice.families.memberships import memberships
from suffice.families.product import Product, ProductStatistics
from suffice.families.protocol import Family, Statistics
from suffice.store import Header, write
from suffice.threads import over_rows
from suffice.words import listed

TOLERANCE = 1e-10  # relative: to what summaries must agree to be equal
ENOUGH = 6  # digits of a variance: fewer are worth a word

NUMBERS = (GAUSSIAN, JOINT)
SMALL, SMALLEST = 1e-125, 1e-300  # means of columns that may be too small, and sums of squares that are
MOMENTS = (GAUSSIAN, JOINT, LOG_GAUSSIAN)  # kinds whose statistics are moments

Part = tuple[BlockPlan, Family[Any], Any]  # a block, its family, and the statistics of its columns


@dataclass(frozen=True, eq=False)
class Summary:
    """What is kept of labelled rows: `collect` makes it, models are fitted from it.

    `a + b` is the rows of both, `a - b` the rows of `a` without those of `b`, `a == b` compares to ten digits; `n` is
    the mass of the rows, `classes` are theirs, `marginal()` drops the scatter between columns, `save(path)` writes a
    file.
    """

    schema: Schema
    classes: tuple[Any, ...]
    statistics: ProductStatistics

    def __add__(self, other: "Summary") -> "Summary":
        if not isinstance(other, Summary):
            return NotImplemented
        mine, theirs = self._alike(other)
        with np.errstate(over="ignore", invalid="ignore"):  # refused by name
            return Summary(mine.schema, mine.classes, mine.statistics + theirs.statistics)._within_range()

    def __radd__(self, other: Any) -> "Summary":
        """So that `sum` of summaries works, which begins with 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __sub__(self, other: "Summary") -> "Summary":
        if not isinstance(other, Summary):
            return NotImplemented
        mine, theirs = self._alike(other)
        rest = Summary(mine.schema, mine.classes, mine.statistics - theirs.statistics)._trimmed()
        rest._warn_of_lost_digits()
        return rest

    def __eq__(self, other: object) -> bool:
        """The same columns, kinds, levels and classes, and statistics that agree to ten digits."""
        if not isinstance(other, Summary):
            return NotImplemented
        if self.schema.outline != other.schema.outline or self.classes != other.classes:
            return False
        theirs = other.onto(self.schema, self.classes) if self._levels() == other._levels() else None
        return theirs is not None and self.statistics.alike(theirs.statistics, TOLERANCE)

    __hash__ = None  # type: ignore[assignment] # equal up to rounding is no ground for a hash

    def __repr__(self) -> str:
        sizes = {"row": self.n, "class": len(self.classes), "column": len(self.schema.columns)}
        classes = zip(self.classes, self.statistics.weight, strict=True)
        lines = [f"Summary of {' · '.join(counted(number, noun) for noun, number in sizes.items())}"]
        lines += [" · ".join(f"{name} {weight:,.6g}" for name, weight in classes)]
        lines += [_described(block, statistics) for block, _, statistics in self.parts()]
        return "\n".join(lines)

    def marginal(self) -> "Summary":
        """The same rows with each numeric column by itself: smaller, and enough for naive Bayes."""
        parts = [(block, those.alone() if block.kind == JOINT else those) for block, _, those in self.parts()]
        kinds = {JOINT: GAUSSIAN}
        blocks = tuple(BlockPlan(kinds.get(block.kind, block.kind), block.columns) for block, _ in parts)
        statistics = ProductStatistics(self.statistics.weight, tuple(those for _, those in parts))
        return Summary(replace(self.schema, blocks=blocks), self.classes, statistics)

    def save(self, path: str | PathLike[str]) -> None:
        """Write it to a file that `suffice.load` reads back bit for bit."""
        header, arrays = self.packed()
        Summary.unpacked(header, arrays)  # what load would refuse is refused now
        write(path, {"holds": "summary", **header}, arrays)

    def packed(self) -> tuple[Header, dict[str, Array]]:
        """The summary as plain data and arrays."""
        parts = enumerate(self.statistics.parts)
        arrays = {f"{i}/{name}": array for i, those in parts for name, array in those.arrays().items()}
        header = {"schema": self.schema.plain(), "classes": list(self.classes)}
        return header, {"weight": self.statistics.weight, **arrays}

    @classmethod
    def unpacked(cls, header: Header, arrays: Mapping[str, Array]) -> "Summary":
        """The summary that was `packed`, or an error if that cannot have been one."""
        schema, classes = Schema.from_plain(header["schema"]), tuple(header["classes"])
        if len(set(classes)) != len(classes) or union(classes, ()) != classes:
            raise FileError(f"The classes of the file are not in order: {list(classes)}.")
        weight = checked({"weight": arrays["weight"]}, {"weight": (len(classes),)})["weight"]
        named = {i: f"{i}/" for i in range(len(schema.blocks))}
        mine = [{n.removeprefix(p): a for n, a in arrays.items() if n.startswith(p)} for p in named.values()]
        _refuse_infinite("the classes", {"weight": weight})
        for block, some in zip(schema.blocks, mine, strict=True):
            _refuse_infinite(listed(block.names), some)
        parts = [family_of(b).restored(some, len(classes)) for b, some in zip(schema.blocks, mine, strict=True)]
        restored = cls(schema, classes, ProductStatistics(weight, tuple(parts)))
        same_rows = all(np.allclose(part.weight, weight, rtol=1e-9, atol=0) for part in parts)
        if not same_rows or set(restored.packed()[1]) != set(arrays):
            raise FileError("The parts of the file are not about the same rows.")
        return restored

    def _levels(self) -> dict[str, tuple[Any, ...]]:
        return {column.name: column.levels for column in self.schema.columns}

    @property
    def n(self) -> float:
        """The mass of the rows: their number, or the sum of their weights."""
        return float(self.statistics.weight.sum())

    @property
    def family(self) -> Product:
        return Product(tuple(family_of(block) for block in self.schema.blocks))

    def parts(self) -> Iterator[Part]:
        return zip(self.schema.blocks, self.family.parts, self.statistics.parts, strict=True)

    def onto(self, schema: Schema, classes: tuple[Any, ...]) -> "Summary":
        """The same rows under a schema with more levels or words, its columns in another order, and more classes."""
        found = ((block, self._part_of(block)) for block in schema.blocks)
        places = np.array([classes.index(name) for name in self.classes], dtype=np.intp)
        statistics = ProductStatistics(self.statistics.weight, tuple(_adopted(block, part) for block, part in found))
        return Summary(schema, classes, statistics.onto(places, len(classes)))

    def _part_of(self, block: BlockPlan) -> Part:
        """The part that a block of more levels or words, or in another order, is about."""
        names = set(block.names)
        return next(part for part in self.parts() if part[0].kind == block.kind and names.issuperset(part[0].names))

    def _within_range(self) -> "Summary":
        """Itself, unless squares or weights have added up to more than a float can hold."""
        for block, _, statistics in self.parts():
            if _finite(statistics):
                continue
            wrong = np.zeros(len(block.columns), dtype=bool)
            if block.kind in MOMENTS:
                moments = statistics.alone()
                wrong = ~(np.isfinite(moments.squares()) & np.isfinite(moments.mean)).all(axis=0)
            names = [name for name, bad in zip(block.names, wrong, strict=True) if bad] or block.names
            raise KindError(
                f"The numbers of {listed(names)} are too large: their squares, or their weights, add up to more than a "
                "float can hold (about 1e308). Give the column in a larger unit (divide it by a power of ten), or "
                "smaller weights."
            )
        return self

    def _warn_of_lost_digits(self) -> None:
        """Where what was taken away was so large that little is known of the spread of the rest."""
        for block, _, statistics in self.parts():
            if (statistics.digits() < ENOUGH).any():
                warn(_lost_digits(block, self.classes, statistics), LostDigitsWarning)

    def _trimmed(self) -> "Summary":
        """Without the classes, and the levels that no type declares, of which no row is left: as if never seen."""
        present = np.flatnonzero(self.statistics.weight)
        if len(present) == 0:
            return self
        classes = tuple(self.classes[k] for k in present)
        return Summary(self.schema, classes, self.statistics.only(present))._without_empty_levels()

    def _without_empty_levels(self) -> "Summary":
        if all(block.kind != CATEGORICAL for block in self.schema.blocks):
            return self
        trimmed = [
            _without_empty_levels(block, family, those) if block.kind == CATEGORICAL else (block, those)
            for block, family, those in self.parts()
        ]
        schema = replace(self.schema, blocks=tuple(block for block, _ in trimmed))
        parts = ProductStatistics(self.statistics.weight, tuple(those for _, those in trimmed))
        return Summary(schema, self.classes, parts)

    def _alike(self, other: "Summary") -> tuple["Summary", "Summary"]:
        schema, classes = self.schema.union(other.schema), union(self.classes, other.classes)
        return self.onto(schema, classes), other.onto(schema, classes)


def _refuse_infinite(whose: str, arrays: Mapping[str, Array]) -> None:
    odd = [name for name, array in arrays.items() if not np.isfinite(array).all()]
    if odd:
        raise FileError(
            f"The statistics of {whose} are not finite ({', '.join(odd)}), so no file holds them: cells or weights are "
            "too large. Scale them down before they are collected."
        )


def _finite(statistics: Statistics) -> bool:
    return bool(np.isfinite(sum(float(array.sum()) for array in statistics.arrays().values())))


def _lost_digits(block: BlockPlan, classes: tuple[Any, ...], statistics: Statistics) -> str:
    digits, doubtful = statistics.digits(), statistics.doubtful()
    few = [
        f"'{block.names[j]}' in class {classes[k]!r}: {digits[k, j]:.0f} (rounding is worth a standard deviation of "
        f"{doubtful[k, j]:.2g})"
        for k, j in np.argwhere(digits < ENOUGH)
    ]
    return (
        f"Taking rows away has left few digits of a variance. Digits left of column {'; of '.join(few[:5])}"
        f"{f'; and {len(few) - 5} more' if len(few) > 5 else ''}. What is left has a much smaller spread than what was "
        "taken away. Summaries that were added come off again exactly, up to 1e11 standard deviations: subtract those, "
        "or collect the rows that stay anew."
    )


def _described(block: BlockPlan, statistics: Any) -> str:
    patterns = len(statistics.parts) if block.kind == JOINT else 1
    missing = f" ({patterns} patterns of missing cells)" if patterns > 1 else ""
    return f"{block.kind}: {', '.join(block.names)}{missing}"


def counted(number: float, noun: str) -> str:
    plural = noun + ("es" if noun.endswith("s") else "s")
    return f"{number:,.6g} {noun if number == 1 else plural}"


def _without_empty_levels(block: BlockPlan, family: Any, statistics: Any) -> tuple[BlockPlan, Any]:
    met = [
        np.arange(len(column.levels)) if column.declared else cells
        for column, cells in zip(block.columns, family.met(statistics), strict=True)
    ]
    columns = (
        replace(c, levels=tuple(c.levels[i] for i in cells)) for c, cells in zip(block.columns, met, strict=True)
    )
    kept = np.concatenate([start + cells for start, cells in zip(family.starts, met, strict=True)])
    return BlockPlan(block.kind, tuple(columns)), statistics.take(kept, range(len(met)))


def _adopted(block: BlockPlan, part: Part) -> Any:
    """Statistics as the family of another block of the same columns would have gathered them."""
    old, family, statistics = part
    if block.kind != COUNTS:  # the words of a row of counts are found by name, below
        order = [old.names.index(name) for name in block.names]
        family, statistics = family.take(order), family.marginal(statistics, order)
    return family_of(block).adopt(statistics, family)


def summarise(table: Table, schema: Schema, classes: tuple[Any, ...], labels: Codes, row_weights: Array) -> Summary:
    """One pass over the rows, block by block."""
    family = Product(tuple(family_of(block) for block in schema.blocks))
    belonging, cells = memberships(labels, len(classes), row_weights), cut(table, schema)

    def statistics(rows: slice) -> ProductStatistics:
        with np.errstate(over="ignore", invalid="ignore"):  # an infinite or large cell is refused below, by name
            found = family.statistics(cells[rows], belonging[rows])
            finite = all(map(_finite, found.parts))
        if not finite:
            cells.check(rows)
        return found

    record = len(classes) * len(table.names)
    shares = over_rows(lambda blocks: reduce(add, map(statistics, blocks)), table.rows, cells.width, record)
    with np.errstate(over="ignore", invalid="ignore"):
        whole = Summary(schema, classes, reduce(add, shares))._within_range()
    _refuse_too_small(whole, table)
    return whole._without_empty_levels()


def _refuse_too_small(summary: Summary, table: Table) -> None:
    """Cells whose squares are below the smallest float seem not to vary, though they do."""
    for block, _, statistics in summary.parts():
        if block.kind not in NUMBERS:
            continue
        moments = statistics.alone()
        tiny = (np.abs(moments.mean) < SMALL).all(axis=0) & (moments.squares().sum(axis=0) < SMALLEST)
        for j in np.flatnonzero(tiny & moments.seen.any(axis=0)):
            cells = table.numbers((block.names[j],), slice(0, table.rows))
            if np.nanmin(cells) < np.nanmax(cells):
                raise KindError(
                    f"Column '{block.names[j]}' holds numbers of at most {np.nanmax(np.abs(cells)):.3g}, or rows of so "
                    "little weight, that their squares are too small for a float (below about 1e-308), so its variance "
                    "would be lost. Give the column in a smaller unit: multiply it by a power of ten."
                )
