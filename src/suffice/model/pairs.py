"""Stage 3, pairs of columns: which statistics of two at a time a summary keeps, and what they say, by name.

In:  a Schema whose `pairs` names columns, and the statistics that were gathered under it.
Out: the family of its pairs; the same statistics under another schema, with levels more or fewer and tallied columns as
     numbers; Pairs, to be asked about two columns by name.

Columns stand in sorted order, so that summaries of the same columns in another order agree.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from suffice.arrays import Array, Codes
from suffice.data.kinds import GAUSSIAN, TALLIED
from suffice.data.levels import as_float
from suffice.data.schema import BlockPlan, ColumnPlan, Schema
from suffice.errors import LargeSummaryWarning, ParameterError, warn
from suffice.families.counts import Counts
from suffice.families.gaussian.moments import Moments
from suffice.families.kinds import family_of
from suffice.families.mass import Mass
from suffice.families.pairs import PairFamily, PairStatistics, Place
from suffice.families.protocol import Statistics
from suffice.lazy import lazy
from suffice.model.piece import Piece, numbers_of
from suffice.options import several, shown
from suffice.words import listed

MOST = 1 << 27  # numbers, of eight bytes: a gigabyte
MANY = 1 << 24  # of which one wants to know beforehand
WIDEST = 4  # columns that a message names


@dataclass(frozen=True)
class Layout:
    """The columns of a schema of which pairs are kept, in sorted order."""

    categories: tuple[ColumnPlan, ...]  # tallied ones included
    numbers: tuple[str, ...]  # tallied ones included
    others: tuple[BlockPlan, ...]  # all columns that are no categories, by kind, each by itself

    @classmethod
    def of(cls, schema: Schema) -> "Layout":
        wanted, tallied = set(schema.pairs), set(schema.tallied)
        coded = [c for block in schema.blocks if block.coded for c in block.columns if c.name in wanted]
        rest: dict[str, list[ColumnPlan]] = {}
        for block in schema.blocks:
            kind = GAUSSIAN if block.crosswise else block.kind
            if not (block.coded or block.words):
                rest.setdefault(kind, []).extend(
                    replace(c, kind=kind) for c in block.columns if c.name in wanted - tallied
                )
        others = tuple(BlockPlan(kind, _in_order(rest[kind])) for kind in sorted(rest) if rest[kind])
        numbers = [column.name for column in rest.get(GAUSSIAN, ())]
        return cls(_in_order(coded), tuple(sorted({*numbers, *(wanted & tallied)})), others)

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.categories]

    @property
    def sizes(self) -> tuple[int, ...]:
        """Cells of each category: its levels, or one that nobody hits."""
        return tuple(max(1, len(column.levels)) for column in self.categories)

    @lazy
    def bounds(self) -> Codes:
        return np.cumsum((0, *self.sizes)).astype(np.intp)

    def column(self, name: str) -> ColumnPlan:
        """A category."""
        return self.categories[self.names.index(name)]

    def cells(self, name: str) -> slice:
        """Those of a category among all."""
        j = self.names.index(name)
        return slice(int(self.bounds[j]), int(self.bounds[j + 1]))


def _in_order(columns: Iterable[ColumnPlan]) -> tuple[ColumnPlan, ...]:
    return tuple(sorted(columns, key=lambda column: column.name))


def read_pairs(given: Any) -> bool | list[str]:
    """Whether pairs are kept, or of which columns, as a user says it."""
    if isinstance(given, bool | np.bool_):
        return bool(given)
    names = several(given)
    if names is None:
        raise ParameterError(f"pairs must be True, False or a list of columns; found {shown(given)}.")
    return [str(name) for name in names]


def with_pairs(schema: Schema, asked: bool | list[str]) -> Schema:
    """A schema that keeps pairs of all its columns, or of those that were named; of rows of counts there are none."""
    able = {column.name for block in schema.blocks if not block.words for column in block.columns}
    if isinstance(asked, bool):
        return replace(schema, pairs=tuple(sorted(able)) if asked else ())
    unable = [name for name in asked if name not in able]
    if unable:
        raise ParameterError(
            f"pairs names {listed(unable)}, which cannot be kept in pairs; {listed(sorted(able))} can. Words in a row "
            "of counts and ignored columns have no pairs."
        )
    return replace(schema, pairs=tuple(sorted(set(asked))))


def pair_family(schema: Schema) -> PairFamily:
    """How pairs are counted from the blocks of a schema that has some."""
    layout, places = Layout.of(schema), _places(schema)
    others = tuple((tuple(places[c.name] for c in block.columns), family_of(block)) for block in layout.others)
    categories = tuple(replace(places[name], values=None) for name in layout.names)
    return PairFamily(categories, layout.sizes, tuple(places[name] for name in layout.numbers), others)


def _places(schema: Schema) -> dict[str, Place]:
    """Where each column is; one that is tallied is codes, which stand for numbers."""
    coded = sorted(enumerate(schema.blocks), key=lambda found: found[1].tallied)
    return {
        column.name: Place(i, j, tuple(map(as_float, column.levels)) if block.tallied else None)
        for i, block in coded
        for j, column in enumerate(block.columns)
    }


def refuse_large(family: PairFamily, schema: Schema, classes: int) -> None:
    """Say how large statistics of pairs will be, before any memory is taken."""
    size, layout = family.size(classes), Layout.of(schema)
    if size <= MANY:
        return
    widest = sorted(layout.categories, key=lambda column: -len(column.levels))[:WIDEST]
    named = ", ".join(f"'{column.name}' ({len(column.levels):,} levels)" for column in widest)
    gigabytes, named = size / 2**27, f"The widest columns: {named or listed(layout.numbers)}"
    found = (
        f"Pairs of {len(schema.pairs)} columns over {classes} classes are {size:,} numbers, {gigabytes:.2g} gigabytes"
    )
    if size > MOST:
        raise ParameterError(
            f"{found}; no more than {MOST:,} are kept. {named}. Keep pairs of fewer columns (pairs=[columns]), merge "
            "rare levels, or declare columns 'ignore'."
        )
    warn(f"{found}. {named}; pairs=[columns] keeps fewer.", LargeSummaryWarning)


def relaid(pairs: PairStatistics, old: Schema, new: Schema) -> PairStatistics:
    """The same rows under a schema with other levels, or with tallied columns as numbers."""
    before, after = Pairs(Layout.of(old), pairs), Layout.of(new)
    if before.layout == after:
        return pairs
    sources = [_sources(before.layout, column) for column in after.categories]
    cells = np.concatenate([np.zeros(0, dtype=np.intp), *sources])
    given = tuple(
        tuple(_levels_moved(before.block(column.name, block), before.layout, column, some) for block in after.others)
        for column, some in zip(after.categories, sources, strict=True)
        if after.others
    )

    def moved(counts: Array) -> Array:
        return np.pad(counts, ((0, 0), (0, 1), (0, 1)))[:, cells[:, None], cells]  # −1 is the one that is empty

    return pairs.recounted(moved, given, pairs.numbers)


def _sources(before: Layout, column: ColumnPlan) -> Codes:
    """For each level of a category the cell that it was, or −1."""
    first, levels = before.cells(column.name).start, before.column(column.name).levels
    places = {level: first + code for code, level in enumerate(levels)}
    return np.array([places.get(level, -1) for level in column.levels] or [-1], dtype=np.intp)


def _levels_moved(statistics: Statistics, before: Layout, column: ColumnPlan, sources: Codes) -> Statistics:
    """Components class × level, of the levels that a column has now."""
    cells, now, there = before.cells(column.name), len(sources), np.flatnonzero(sources >= 0)
    was = cells.stop - cells.start
    classes = np.arange(len(statistics.weight) // was)[:, None]
    kept = statistics.only((classes * was + sources[there] - cells.start).ravel())
    return kept.onto((classes * now + there).ravel(), len(classes) * now)


@dataclass(frozen=True, eq=False)
class Pairs:
    """What rows say of two columns at a time, each over the rows in which both cells are there."""

    layout: Layout
    statistics: PairStatistics

    @property
    def classes(self) -> int:
        return len(self.statistics.counts)

    def plain(self) -> "Pairs":
        """As models are made from them: see `Piece.plain`."""
        return replace(self, statistics=self.statistics.plain())

    def counts(self, first: str, second: str) -> Array:
        """Of two categories, the mass of the rows of each class with each two levels."""  # (K, S, S′)
        return self.statistics.counts[:, self.layout.cells(first), self.layout.cells(second)]

    def given(self, parent: str, child: str) -> Piece:
        """Any column that is no category, by level of one: components are class × level, k · S + level."""
        block = next(block for block in self.layout.others if child in block.names)
        return Piece(block, family_of(block), self.block(parent, block)).only([child])

    def columns(self, parent: str, children: Sequence[str]) -> Statistics:
        """The same of several columns of one family."""
        block = next(block for block in self.layout.others if children[0] in block.names)
        some = Piece(block, family_of(block), self.block(parent, block))
        return some.take([block.names.index(child) for child in children]).statistics

    def moments(self, first: str, second: str) -> Moments:
        """Of two numbers, in this order, for each class."""
        found = self.moments_of([(first, second)])
        return found if first < second else found.take([1, 0])

    def moments_of(self, some: Sequence[tuple[str, str]]) -> Moments:
        """Of every two numbers, in sorted order, for each class: components are pair × class."""
        many, place = len(self.layout.numbers), {name: i for i, name in enumerate(self.layout.numbers)}
        i, j = np.sort([[place[name] for name in pair] for pair in some], axis=1).T
        pair, pairs = i * many - i * (i + 1) // 2 + j - i - 1, many * (many - 1) // 2
        return self.statistics.numbers.only((pair[:, None] + np.arange(self.classes) * pairs).ravel())

    def block(self, parent: str, block: BlockPlan) -> Statistics:
        """What rows say about columns that are no categories by level of one, tallied ones as numbers."""
        pieces = self._pieces(parent)
        if block.columnwise:
            return numbers_of(block.names, pieces, Mass(self._weight(parent)))
        return next(piece for piece in pieces if piece.block.kind == block.kind).statistics

    def _weight(self, parent: str) -> Array:
        """Of the rows of each class and level of a category."""  # (K · S,)
        return np.asarray(np.einsum("kss->ks", self.counts(parent, parent)).ravel())

    def _pieces(self, parent: str) -> list[Piece]:
        layout, own = self.layout, self.layout.names.index(parent)
        found = zip(layout.others, self.statistics.given[own] if layout.others else (), strict=True)
        pieces = [Piece(block, family_of(block), statistics) for block, statistics in found]
        tallied = tuple(c for c in layout.categories if c.tallied and c.name != parent)
        if tallied:
            cells = np.concatenate([layout.cells(c.name).start + np.arange(len(c.levels)) for c in tallied])
            weight, block = self._weight(parent), BlockPlan(TALLIED, tallied)
            counts = self.statistics.counts[:, layout.cells(parent)][:, :, cells].reshape(len(weight), len(cells))
            nothing = np.zeros((len(weight), len(tallied)))
            pieces.append(Piece(block, family_of(block), Counts(weight, counts, nothing[:, :0], nothing)))
        return pieces
