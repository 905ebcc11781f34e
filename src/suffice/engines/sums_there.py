"""Sums that are made where the rows are: a summary from the answers of an engine, equal to one of rows that came here.

In:  a lazy frame, the names of its labels and weights, and how to plan the first rows.
Out: Summary. What an engine is asked, the families of its columns say (`families.summable`): sums (`moments_there`), or
     values and how often each comes. The few values go the way that rows go: each is a row of that weight.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from suffice.data.frames import LazyFrame
from suffice.data.kinds import FEW, KINDS
from suffice.data.labels import read_labels
from suffice.data.levels import Level, Levels, union
from suffice.data.planning import like
from suffice.data.schema import BlockPlan, ColumnPlan, Schema
from suffice.data.table import Table, read_table
from suffice.engines.lazy_rows import LABEL, MASS, LazyRows
from suffice.engines.moments_there import Group, Question, asked
from suffice.families.kinds import family_of
from suffice.families.mass import Mass
from suffice.families.product import ProductStatistics
from suffice.families.protocol import Statistics
from suffice.families.summable import Asked, CellSums, Countable, Summable, Told
from suffice.families.volumes import Volume
from suffice.model.summary import Summary, refuse_too_small, summarise
from suffice.transforms import LOG

Places = Mapping[Any, int]  # of a label, as the engine says it, among the classes


class Cell(NamedTuple):
    """A cell of one column, and the mass of the rows of a class that have it."""

    label: Any
    column: str
    value: Any
    mass: float


@dataclass(frozen=True)
class Asking:
    """A block, and what the engine is asked about it."""

    block: BlockPlan
    family: Countable[Statistics] | Summable[Statistics]

    @classmethod
    def about(cls, block: BlockPlan) -> "Asking | None":
        """What there is to ask about a block, or None where its rows must be seen."""
        family, transform = family_of(block), block.transform
        if isinstance(family, Summable) and family.asks and transform in (None, LOG):
            return cls(block, family)
        if not isinstance(family, Countable) or block.together:
            return None
        mean_of_others = family.told_by is Told.MEANS and transform is not None  # engines would sum x, not what it is
        return cls(block, family) if family.told_by and not mean_of_others else None

    @property
    def asks(self) -> Asked | Told | None:
        return self.family.asks if isinstance(self.family, Summable) else self.family.told_by

    @property
    def numbers(self) -> bool:
        """Whether its cells are asked for as numbers."""
        return self.asks is not Told.VALUES or self.block.tallied

    def question(self) -> Question:
        allowed = tuple(KINDS[self.block.kind].allows(*column.numbers) for column in self.block.columns)
        question = Question(self.block.names, allowed, self.asks is Asked.PRODUCTS, self.asks is not Told.MEANS)
        logarithms = self.block.transform == LOG  # engines are told no other transform
        return replace(question, turned=lambda cell: cell.log(), into=LOG.into) if logarithms else question


def obstacle(schema: Schema) -> str | None:
    """Why sums cannot be made elsewhere, if they cannot."""
    if schema.pairs:
        return "it does not count pairs of columns"
    odd = [block.kind for block in schema.blocks if Asking.about(block) is None]
    return f"it does not sum columns of the kind {odd[0]}" if odd else None


def summed_there(
    frame: LazyFrame,
    schema: Schema,
    first: Table,
    label: str,
    weight: str | None,
    classes: Iterable[Level] | None,
    unknown: Level | None,
) -> Summary:
    """The summary of a frame, planned by its first rows; its levels are those of all rows."""
    names = list(dict.fromkeys(column.name for column in schema.columns))
    numbers = {name for asking in _askings(schema) if asking.numbers for name in asking.block.names}
    rows = LazyRows.of(frame, label, weight, names, numbers).that_count()
    mass = rows.asked([LABEL], [rows.counted()])
    known = read_labels(mass[LABEL], len(mass[LABEL]), unknown)
    known = known if classes is None else known.among(classes)
    places = dict(zip(mass[LABEL], known.told().tolist(), strict=True))
    weights = np.bincount(known.told(), mass[MASS], len(known.classes)).astype(float)
    whole = Mass(weights, None if rows.weighted else weights, {}).sealed()  # only weights of one are numbers of rows
    return _assembled(rows, _still_tallied(rows, schema), first, places, whole, known.classes)


def _askings(schema: Schema) -> Iterator[Asking]:
    """What is asked about each block, of a schema to which there is no obstacle."""
    return (asking for block in schema.blocks if (asking := Asking.about(block)))


def _assembled(rows: LazyRows, schema: Schema, first: Table, places: Places, mass: Mass, every: Levels) -> Summary:
    askings = list(_askings(schema))
    sums = [() if asking.asks is Told.VALUES else _sums(rows, asking, first) for asking in askings]
    cells = [cell for one, some in zip(askings, sums, strict=True) for cell in _cells(rows, one, some)]
    counted = replace(schema, blocks=tuple(one.block for one in askings if isinstance(one.asks, Told)))
    of_cells = _few_rows(cells, counted, places, every)
    with np.errstate(over="ignore", invalid="ignore"):  # refused by name
        pieces = [_piece(one, some, of_cells, places, mass) for one, some in zip(askings, sums, strict=True)]
        blocks, parts, volumes = (tuple(part) for part in zip(*pieces, strict=True)) if pieces else ((), (), ())
        statistics = ProductStatistics(mass, parts, volumes=volumes)
        whole = Summary(replace(schema, blocks=blocks), every, statistics).within_range()
    ends = _ends(askings, sums)
    refuse_too_small(whole, lambda name: ends[name])
    return whole


def _piece(
    asking: Asking, sums: Sequence[Group], of_cells: Summary | None, places: Places, mass: Mass
) -> tuple[BlockPlan, Statistics, Volume]:
    """A block, with the levels that were met, its statistics, and Σ ln |dx/dz| of its cells."""
    if isinstance(asking.family, Summable):
        told = [group.sums(places[group.label]) for group in sums]
        return asking.block, asking.family.of_sums(told, mass), _volume(asking.block, told, len(mass.weight))
    assert of_cells is not None  # as some cells were counted
    piece = next(piece for piece in of_cells.pieces() if set(piece.names) == set(asking.block.names))
    return piece.block, asking.family.of_mass(piece.statistics, mass), piece.volume


def _volume(block: BlockPlan, sums: Sequence[CellSums], components: int) -> Volume:
    """Of cells modelled as logarithms it is the sum of those; of others there is none."""
    if block.transform is None:
        return Volume.none(components)
    volume = np.zeros((components, len(block.columns)))
    for some in sums:
        volume[some.component, some.there] += some.seen * (some.near + some.off)
    return Volume(volume, {})


def _ends(askings: Sequence[Asking], sums: Sequence[Sequence[Group]]) -> dict[str, tuple[float, float]]:
    """The least and the largest cell of the columns that were summed."""
    found: dict[str, tuple[float, float]] = {}
    for asking, groups in zip(askings, sums, strict=True):
        for group in groups:
            for j, least, most in zip(group.there.tolist(), group.least, group.most, strict=True):
                low, high = found.get(asking.block.names[j], (np.inf, -np.inf))
                found[asking.block.names[j]] = min(low, float(least)), max(high, float(most))
    return found


def _still_tallied(rows: LazyRows, schema: Schema) -> Schema:
    """Columns of few whole values so far are numbers if they have more."""
    many = []
    for name in schema.tallied:
        values = rows.distinct(name, FEW + 2)
        if len(values) > FEW or any(value % 1 for value in values):
            many.append(name)
    return schema.as_numbers(many)


def _sums(rows: LazyRows, asking: Asking, first: Table) -> list[Group]:
    """Sums of a block, shifted by the mean of the first rows."""
    question = asking.question()
    with np.errstate(all="ignore"):  # cells that are not allowed are refused later
        cells = question.into(first.numbers(question.names, slice(0, first.rows)))
        finite = np.where(np.isfinite(cells), cells, 0.0)
        shift = finite.sum(axis=0) / np.maximum(np.isfinite(cells).sum(axis=0), 1)
    return asked(rows, question, np.where(np.isfinite(shift), shift, 0.0))


def _cells(rows: LazyRows, asking: Asking, groups: Sequence[Group]) -> Iterator[Cell]:
    """Cells with the mass of the rows that have them, class by class, or their mean where that says all."""
    if asking.asks is Told.MEANS:
        for group in groups:
            means = zip(group.there.tolist(), group.near + group.off, group.seen, strict=True)
            yield from (Cell(group.label, asking.block.names[j], float(mean), float(mass)) for j, mean, mass in means)
    elif asking.asks is Told.VALUES:
        for name in asking.block.names:
            found = rows.asked([LABEL, rows.own[name]], [rows.counted()])
            cells = zip(found[LABEL], found[rows.own[name]], found[MASS], strict=True)
            yield from (Cell(label, name, value, float(mass)) for label, value, mass in cells if value is not None)


def _few_rows(cells: Sequence[Cell], schema: Schema, places: Places, every: Levels) -> Summary | None:
    """The summary of cells that stand each in a row of its own, beside missing ones."""
    names = [column.name for column in schema.columns]
    if not names:
        return None
    some = cells or [Cell(next(iter(places)), names[0], None, 1.0)]
    table = read_table({name: [cell.value if cell.column == name else None for cell in some] for name in names})
    codes = np.array([places[cell.label] for cell in some], dtype=np.intp)
    declared = {column.name: column.declared for column in schema.columns}
    met = like(schema, table).with_columns(lambda column: _declaring(column, declared[column.name]))
    masses = np.array([cell.mass for cell in some])
    return summarise(table, met, every, codes, masses, masses)


def _declaring(column: ColumnPlan, levels: Levels) -> ColumnPlan:
    """A column with the levels that its type declares in the frame, which values that were met do not say."""
    if not levels or column.closed:
        return column
    return replace(column, levels=union(column.levels, levels), declared=union(column.declared, levels))
