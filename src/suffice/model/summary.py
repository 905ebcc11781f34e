"""Stage 3, what is kept of the rows: a schema, the classes, and statistics for each class. No more is needed.

In:  a table cut into blocks, and the class of each row.
Out: Summary, a value: `+` is other rows together, `−` rows taken away; classes and levels are united, in sorted order.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from os import PathLike
from typing import Any

import numpy as np

from suffice.arrays import Array, Codes, row_blocks
from suffice.data.blocks import cut
from suffice.data.kinds import FEW, GAUSSIAN
from suffice.data.levels import Levels, names_of_file, union
from suffice.data.schema import BlockPlan, Schema
from suffice.data.table import Table
from suffice.errors import FileError, KindError, LostDigitsWarning, NotInSummaryError, ParameterError, warn
from suffice.families.capabilities import ColumnMoments, Numeric, Patterned
from suffice.families.counts import checked
from suffice.families.kinds import family_of
from suffice.families.mass import MASS, Mass
from suffice.families.memberships import memberships
from suffice.families.pairs import PairStatistics
from suffice.families.product import Product, ProductStatistics
from suffice.families.protocol import Statistics
from suffice.families.volumes import Volume
from suffice.lazy import lazy
from suffice.model.files_of_before import as_now
from suffice.model.moments import SummaryMoments, moments_of
from suffice.model.pairs import Layout, Pairs, pair_family, refuse_large, relaid
from suffice.model.piece import Piece, numbers_of, without_empty_levels
from suffice.options import whole
from suffice.printing.description import Description, Series, Sheet, Text, sizes
from suffice.printing.language import word, worded
from suffice.printing.numbers import amount
from suffice.printing.printed import Printed
from suffice.store import Header, write
from suffice.threads import over_rows
from suffice.words import listed

TOLERANCE = 1e-10  # relative: to what summaries must agree to be equal
ENOUGH = 6  # digits of a variance: fewer are worth a word

SMALL, SMALLEST = 1e-125, 1e-300  # means of columns that may be too small, and sums of squares that are


@dataclass(frozen=True, eq=False, repr=False)
class Summary(Printed):
    """A summary of labelled rows: `collect` makes it, and models are fitted from it.

    `a + b` stands for the rows of both, `a - b` for the rows of `a` without those of `b`, and `a == b` compares to ten
    digits. `n` is the number of rows (or the sum of their weights) and `classes` are their classes; `moments()` gives
    means and covariances, `marginal()` drops the scatter between columns, and `save(path)` writes a file.
    """

    schema: Schema
    classes: Levels
    statistics: ProductStatistics

    def __add__(self, other: "Summary") -> "Summary":
        if not isinstance(other, Summary):
            return NotImplemented
        mine, theirs = self._alike(other)
        with np.errstate(over="ignore", invalid="ignore"):  # refused by name
            return Summary(mine.schema, mine.classes, mine.statistics + theirs.statistics).within_range()._while_few()

    def __radd__(self, other: Any) -> "Summary":
        """So that `sum` of summaries works, which begins with 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __sub__(self, other: "Summary") -> "Summary":
        if not isinstance(other, Summary):
            return NotImplemented
        if self.schema.suppressed or other.schema.suppressed:
            raise NotInSummaryError(
                "Records of few rows were dropped from one of these summaries, so nothing can be subtracted exactly. "
                "Subtract before dropping records."
            )
        mine, theirs = self._alike(other)
        rest = Summary(mine.schema, mine.classes, mine.statistics - theirs.statistics)
        rest._warn_of_lost_digits()
        return rest._trimmed()

    def __eq__(self, other: object) -> bool:
        """The same columns, kinds, levels and classes, and statistics that agree to ten digits.

        What only one of them has tallied is compared as numbers.
        """
        if not isinstance(other, Summary):
            return NotImplemented
        tallied = set(self.schema.tallied) ^ set(other.schema.tallied)
        if tallied:
            return self.as_numbers(tallied) == other.as_numbers(tallied)
        mine, theirs = ((s.schema.outline, s.schema.pairs, s.classes) for s in (self, other))
        if mine != theirs:
            return False
        same = other.onto(self.schema, self.classes) if self._levels() == other._levels() else None
        return same is not None and self.statistics.alike(same.statistics, TOLERANCE)

    def description(self) -> Description:
        columns = {column.name for column in self.schema.columns}
        many = sizes({"row": self.n, "class": len(self.classes), "column": len(columns)})
        pairs = [word("pairs of {names}", names=", ".join(self.schema.pairs))] if self.schema.pairs else []
        classes = Sheet(word("class"), self.classes, [Series(word("rows"), self.statistics.weight, amount)])
        below = self.schema.suppressed
        dropped = [word("records of fewer than {rows} rows were dropped", rows=f"{below:g}")] if below else []
        return Description((word("Summary"), *many), [classes, [*map(_described, self.pieces()), *pairs, *dropped]])

    def marginal(self) -> "Summary":
        """The same rows with each column by itself and without pairs: smaller, and enough for naive Bayes."""
        tallied = set(self.schema.tallied)
        once = (p if p.block.tallied else p.only(set(p.names) - tallied) for p in self.pieces())
        alone = replace(self, schema=replace(self.schema, pairs=()), statistics=replace(self.statistics, pairs=None))
        return alone.with_pieces(_columnwise(piece) for piece in once if piece.names)

    def pairs(self) -> Pairs:
        """What the rows say about two columns at a time."""
        if self.statistics.pairs is None:
            raise ParameterError(
                "This summary keeps no pairs of columns, from which dependence is learned. Collect it with pairs=True."
            )
        return Pairs(Layout.of(self.schema), self.statistics.pairs)

    def as_numbers(self, names: Container[str]) -> "Summary":
        """The same rows with some of the tallied columns as numbers, of which moments are kept."""
        schema = self.schema.as_numbers(names)
        if schema is self.schema:
            return self
        return self.with_pieces(self._said_of(block) for block in schema.blocks)

    def _said_of(self, block: BlockPlan) -> Piece:
        """What the rows say of the columns of a block, some of which may have been tallied."""
        if block.columnwise:
            moments = numbers_of(block.names, self.pieces(), self.statistics.mass)
            return Piece(block, family_of(block), moments, volume=Volume.none(len(self.classes)))
        of_kind = (piece for piece in self.pieces() if piece.block.kind == block.kind)
        return next(piece for piece in of_kind if set(block.names) <= set(piece.names)).only(block.names)

    def _while_few(self) -> "Summary":
        """With the tallies of columns whose values are few, as all others are numbers."""
        tallied = (column for block in self.schema.blocks if block.tallied for column in block.columns)
        return self.as_numbers([column.name for column in tallied if len(column.levels) > FEW])

    def moments(self, ddof: int = 0) -> SummaryMoments:
        """Means, covariances and counts by class and column.

        Scatters are divided by N − ddof: by N, as maximum likelihood does, or with ddof=1 by N − 1.
        """
        less = whole(ddof, "ddof, which a covariance subtracts from N, must be 0 or 1", least=0, most=1)
        return moments_of(self.as_numbers(self.schema.tallied).pieces(), self.classes, self.schema.names, less)

    def save(self, path: str | PathLike[str]) -> None:
        """Write it to a file that `suffice.load` reads back bit for bit."""
        header, arrays = self.packed()
        Summary.unpacked(header, arrays)  # what load would refuse is refused now
        write(path, {"holds": "summary", **header}, arrays)

    def packed(self) -> tuple[Header, dict[str, Array]]:
        """The summary as plain data and arrays."""
        parts = enumerate(self.statistics.parts)
        arrays = {f"{i}/{name}": array for i, those in parts for name, array in those.arrays().items()}
        if self.statistics.pairs is not None:
            arrays |= {f"pairs/{name}": array for name, array in self.statistics.pairs.arrays().items()}
        volumes = enumerate(self.statistics.volumes)
        arrays |= {f"volume/{i}/{name}": array for i, own in volumes for name, array in own.arrays().items()}
        header = {"schema": self.schema.plain(), "classes": list(self.classes)}
        return header, {**self.statistics.mass.arrays(), **arrays}

    @classmethod
    def unpacked(cls, header: Header, arrays: Mapping[str, Array]) -> "Summary":
        """The summary that was `packed`, or an error if that cannot have been one."""
        schema, classes = Schema.from_plain(header["schema"]), names_of_file(header["classes"])
        layout = Layout.of(schema)
        arrays = as_now(schema, len(layout.categories), layout.others, arrays)
        own = {name: arrays[name] for name in MASS if name in arrays}
        mass = Mass.restored(checked(own, {name: (len(classes),) for name in ("weight", *own)}))
        named = {i: f"{i}/" for i in range(len(schema.blocks))}
        mine = [{n.removeprefix(p): a for n, a in arrays.items() if n.startswith(p)} for p in named.values()]
        _refuse_infinite("the classes", own)
        for block, some in zip(schema.blocks, mine, strict=True):
            _refuse_infinite(listed(block.names), some)
        parts = [family_of(b).restored(some, len(classes)) for b, some in zip(schema.blocks, mine, strict=True)]
        volumes = [_volume_of(i, block, arrays, len(classes)) for i, block in enumerate(schema.blocks)]
        of_pairs = {n.removeprefix("pairs/"): a for n, a in arrays.items() if n.startswith("pairs/")}
        _refuse_infinite("pairs", of_pairs)
        pairs = pair_family(schema).restored(of_pairs, len(classes)) if schema.pairs else None
        restored = cls(schema, classes, ProductStatistics(mass, tuple(parts), pairs, tuple(volumes)))
        same_rows = all(np.allclose(part.weight, mass.weight, rtol=1e-9, atol=0) for part in parts)
        if not same_rows or set(restored.packed()[1]) != set(arrays):
            raise FileError("The parts of the file are not about the same rows.")
        return restored

    def _levels(self) -> dict[str, Levels]:
        return {column.name: column.levels for column in self.schema.columns if column.levels}

    @property
    def n(self) -> float:
        """The number of rows, or the sum of their weights."""
        return float(self.statistics.weight.sum())

    @lazy
    def family(self) -> Product:
        return product_of(self.schema)

    def pieces(self) -> Iterator[Piece]:
        kept = self.statistics
        each = zip(self.schema.blocks, self.family.parts, kept.parts, kept.volumes, strict=True)
        return (Piece(block, family, statistics, volume=volume) for block, family, statistics, volume in each)

    def with_pieces(self, changed: Iterable[Piece]) -> "Summary":
        """The same rows and classes, in other pieces."""
        pieces = tuple(changed)
        schema = replace(self.schema, blocks=tuple(piece.block for piece in pieces))
        return replace(self, schema=schema, statistics=self._product(pieces, schema))

    def _product(self, pieces: Sequence[Piece], schema: Schema) -> ProductStatistics:
        parts, volumes = (tuple(piece.statistics for piece in pieces), tuple(piece.volume for piece in pieces))
        return ProductStatistics(self.statistics.mass, parts, self._pairs_in(schema), volumes)

    def _pairs_in(self, schema: Schema) -> PairStatistics | None:
        pairs = self.statistics.pairs
        return pairs and relaid(pairs, self.schema, schema)

    def onto(self, schema: Schema, classes: Levels) -> "Summary":
        """The same rows under a schema with more levels or words, its columns in another order, and more classes."""
        self = self.as_numbers(set(self.schema.tallied) - set(schema.tallied))
        pieces = [_adopted(block, self._piece_of(block)) for block in schema.blocks]
        places = np.array([classes.index(name) for name in self.classes], dtype=np.intp)
        return Summary(schema, classes, self._product(pieces, schema).onto(places, len(classes)))

    def _piece_of(self, block: BlockPlan) -> Piece:
        """The piece that a block of more levels or words, or in another order, is about."""
        names = set(block.names)
        alike = (piece for piece in self.pieces() if piece.block.kind == block.kind)
        return next(piece for piece in alike if names.issuperset(piece.names))

    def within_range(self) -> "Summary":
        """Itself, unless squares or weights have added up to more than a float can hold."""
        for piece in self.pieces():
            if _finite(piece.statistics):
                continue
            moments = _moments_of(piece.statistics)
            fine = np.isfinite(moments.squares() + moments.mean) if moments else np.ones((1, len(piece.names)))
            names = [name for name, good in zip(piece.names, fine.T, strict=True) if not good.all()] or piece.names
            raise KindError(
                f"The numbers of {listed(names)} are too large: their squares, or their weights, add up to more than a "
                "float can hold (about 1e308). Give the column in a larger unit (divide it by a power of ten), or "
                "smaller weights."
            )
        return self

    def _warn_of_lost_digits(self) -> None:
        """Where what was taken away was so large that little is known of the spread of the rest."""
        light = self.statistics.mass.digits()
        if (light < ENOUGH).any():
            warn(_lost_weight(self.classes, light), LostDigitsWarning)
        for piece in self.pieces():
            if (piece.statistics.digits() < ENOUGH).any():
                warn(_lost_digits(piece, self.classes), LostDigitsWarning)

    def _trimmed(self) -> "Summary":
        """Without the classes, and the levels that no type declares, of which no row is left: as if never seen."""
        present = np.flatnonzero(self.statistics.weight)
        if len(present) == 0:
            return self
        classes = tuple(self.classes[k] for k in present)
        return Summary(self.schema, classes, self.statistics.only(present)).without_empty_levels()

    def without_empty_levels(self) -> "Summary":
        if all(not block.coded for block in self.schema.blocks):
            return self
        kept = [without_empty_levels(piece) for piece in self.pieces()]
        same = all(piece.block is own for piece, own in zip(kept, self.schema.blocks, strict=True))
        return self if same else self.with_pieces(kept)

    def _alike(self, other: "Summary") -> tuple["Summary", "Summary"]:
        schema, classes = self.schema.union(other.schema), union(self.classes, other.classes)
        return self.onto(schema, classes), other.onto(schema, classes)


def _refuse_infinite(whose: str, arrays: Mapping[str, Array]) -> None:
    odd = [name for name, array in arrays.items() if not np.isfinite(array).all()]
    if odd:
        raise FileError(
            f"The statistics of {whose} are not finite ({', '.join(odd)}), so they cannot be saved: cells or weights "
            "are too large. Scale them down before they are collected."
        )


def _finite(statistics: Statistics) -> bool:
    return bool(np.isfinite(sum(float(array.sum()) for array in statistics.arrays().values())))


def _moments_of(statistics: Statistics) -> ColumnMoments | None:
    """Those of each column by itself, where there are any."""
    return statistics.alone() if isinstance(statistics, Numeric) else None


def _lost_digits(piece: Piece, classes: Levels) -> str:
    digits, doubtful = piece.statistics.digits(), piece.statistics.doubtful()
    few = [
        f"'{piece.names[j]}' in class {classes[k]!r}: {digits[k, j]:.0f} (rounding is worth a standard deviation of "
        f"{doubtful[k, j]:.2g})"
        for k, j in np.argwhere(digits < ENOUGH)
    ]
    return (
        f"Subtracting rows has left few digits of a variance. Digits left for column {'; of '.join(few[:5])}"
        f"{f'; and {len(few) - 5} more' if len(few) > 5 else ''}. The rows left have a much smaller spread than those "
        "taken away. Subtract whole summaries as they were added, which is exact up to 1e11 standard deviations, or "
        "collect the remaining rows again."
    )


def _lost_weight(classes: Levels, digits: Array) -> str:
    few = [f"{classes[k]!r} ({digits[k]:.0f})" for k in np.flatnonzero(digits < ENOUGH)]
    return (
        f"Subtracting rows has left few digits of the weight of class {', '.join(few)}. The rows left weigh much less "
        "than those taken away, which were collected together with others. Subtract whole summaries as they were "
        "added, which is exact, or collect the remaining rows again."
    )


def _described(piece: Piece) -> Text:
    names, kind = ", ".join(piece.names), worded(piece.block.kind)
    every = range(len(piece.names))
    patterns = len(piece.statistics.patterns_of(every)) if isinstance(piece.statistics, Patterned) else 1
    if patterns > 1:
        return word("{kind}: {names} ({n} patterns of missing cells)", kind=kind, names=names, n=patterns)
    return word("{kind}: {names}", kind=kind, names=names)


def _columnwise(piece: Piece) -> Piece:
    if piece.block.crosswise and isinstance(piece.statistics, Numeric):
        return replace(piece, block=BlockPlan(GAUSSIAN, piece.block.columns), statistics=piece.statistics.alone())
    return piece


def product_of(schema: Schema) -> Product:
    parts, transforms = (tuple(family_of(block) for block in schema.blocks), tuple(b.transform for b in schema.blocks))
    return Product(parts, pair_family(schema) if schema.pairs else None, transforms)


def _adopted(block: BlockPlan, piece: Piece) -> Piece:
    """The piece as the family of another block of the same columns would have gathered it."""
    if not block.words:  # the words of a row of counts are found by name, below
        piece = piece.take([piece.names.index(name) for name in block.names])
    family = family_of(block)
    return replace(piece, block=block, family=family, statistics=family.adopt(piece.statistics, piece.family))


def _volume_of(number: int, block: BlockPlan, arrays: Mapping[str, Array], classes: int) -> Volume:
    if block.transform is None:
        return Volume.none(classes)
    where = f"volume/{number}/"
    found = {name.removeprefix(where): array for name, array in arrays.items() if name.startswith(where)}
    _refuse_infinite(listed(block.names), found)
    return Volume.restored(found, classes, len(block.columns))


def summarise(
    table: Table,
    schema: Schema,
    classes: Levels,
    labels: Codes,
    row_weights: Array,
    numbers: Array | None = None,
) -> Summary:
    """One pass over the rows, block by block; `numbers` says how many rows each stands for, if not one."""
    family, joined = product_of(schema), ProductStatistics.joined
    if family.pairs is not None:
        refuse_large(family.pairs, schema, len(classes))
    belonging = memberships(labels, len(classes), row_weights, numbers)
    cells = cut(table, schema, passing=True)

    def summed(blocks: Sequence[slice]) -> ProductStatistics:
        with np.errstate(over="ignore", invalid="ignore"):  # an infinite or large cell is refused below, by name
            return reduce(joined, (family.statistics(cells[rows], belonging[rows]) for rows in blocks))

    record = len(classes) * len(table.names) + (family.pairs.size(len(classes)) if family.pairs else 0)
    shares = over_rows(summed, table.rows, cells.width, record)
    with np.errstate(over="ignore", invalid="ignore"):
        whole = Summary(schema, classes, reduce(joined, shares).sealed())
        if not all(map(_finite, whole.statistics.parts)):
            for rows in row_blocks(table.rows, cells.width):
                cells.check(rows)
            whole.within_range()
    refuse_too_small(whole, lambda name: _ends(table, name))
    return whole.without_empty_levels()._while_few()


def _ends(table: Table, name: str) -> tuple[float, float]:
    """The least and the largest cell of a column."""
    cells = table.numbers((name,), slice(0, table.rows))
    return float(np.nanmin(cells)), float(np.nanmax(cells))


def refuse_too_small(summary: Summary, ends: Callable[[str], tuple[float, float]]) -> None:
    """Cells whose squares are below the smallest float seem not to vary, though they do: `ends` of a column say so."""
    for block, statistics in zip(summary.schema.blocks, summary.statistics.parts, strict=True):
        moments = _moments_of(statistics)
        if moments is None:
            continue
        near_zero = (np.abs(moments.mean) < SMALL).all(axis=0)
        if not near_zero.any():
            continue
        tiny = near_zero & (moments.squares().sum(axis=0) < SMALLEST) & moments.seen.any(axis=0)
        for j in np.flatnonzero(tiny):
            least, most = ends(block.names[j])
            if least < most:
                raise KindError(
                    f"Column '{block.names[j]}' holds numbers of at most {max(-least, most):.3g}, or rows of so "
                    "little weight, that their squares are too small for a float (below about 1e-308), so its variance "
                    "would be lost. Give the column in a smaller unit: multiply it by a power of ten."
                )
