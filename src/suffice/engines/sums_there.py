"""Sums that are made where the rows are: a summary from the answers of an engine, equal to one of rows that came here.

In:  a lazy frame, the names of its labels and weights, and how to plan the first rows.
Out: Summary. Columns of numbers are summed (`moments_there`); columns of values that can be counted are, value by value
     and class by class, and the few counts go the way that rows go: each is a row of that weight.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from suffice.data.frames import LazyFrame
from suffice.data.kinds import EXPONENTIAL, FEW, GAUSSIAN, JOINT, KINDS, LOG_GAUSSIAN, TALLIED
from suffice.data.labels import read_labels
from suffice.data.levels import Level, Levels
from suffice.data.planning import like
from suffice.data.schema import BlockPlan, Schema
from suffice.data.table import Table, read_table
from suffice.engines.lazy_rows import LABEL, MASS, LazyRows
from suffice.engines.moments_there import Group, Question, alone, asked, by_pattern
from suffice.families.counts import Counts
from suffice.families.mass import Mass
from suffice.families.product import ProductStatistics
from suffice.families.protocol import Statistics
from suffice.families.rows import Rows
from suffice.families.transformed import LOG, TransformedStatistics
from suffice.model.summary import Summary, summarise

SUMMED = (GAUSSIAN, JOINT, LOG_GAUSSIAN, EXPONENTIAL)  # of which sums are asked for; all that is discrete is counted
Places = Mapping[Any, int]  # of a label, as the engine says it, among the classes


class Cell(NamedTuple):
    """A cell of one column, and the mass of the rows of a class that have it."""

    label: Any
    column: str
    value: Any
    mass: float


def obstacle(schema: Schema) -> str | None:
    """Why sums cannot be made elsewhere, if they cannot."""
    if schema.pairs:
        return "it does not count pairs of columns"
    odd = [b for b in schema.blocks if b.kind not in SUMMED and not (KINDS[b.kind].discrete and not b.together)]
    return f"it does not sum columns of the kind {odd[0].kind}" if odd else None


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
    numbers = {name for block in schema.blocks if block.kind in (*SUMMED, TALLIED) for name in block.names}
    rows = LazyRows.of(frame, label, weight, names, numbers).that_count()
    mass = rows.asked([LABEL], [rows.counted()])
    known = read_labels(mass[LABEL], len(mass[LABEL]), unknown)
    known = known if classes is None else known.among(classes)
    places = dict(zip(mass[LABEL], known.told().tolist(), strict=True))
    weights = np.bincount(known.told(), mass[MASS], len(known.classes)).astype(float)
    whole = Mass(weights, None if rows.weighted else weights, {}).sealed()  # only weights of one are numbers of rows
    return _assembled(rows, _still_tallied(rows, schema), first, places, whole, known.classes)


def _assembled(rows: LazyRows, schema: Schema, first: Table, places: Places, whole: Mass, every: Levels) -> Summary:
    sums = {block.kind: _sums(rows, block, first) for block in schema.blocks if block.kind in SUMMED}
    counted = [block for block in schema.blocks if block.kind not in SUMMED or block.kind == EXPONENTIAL]
    cells = [cell for block in counted for cell in _cells(rows, block, sums.get(block.kind, ()))]
    found = _few_rows(cells, replace(schema, blocks=tuple(counted)), places, every)
    of_counts = iter(zip(found.schema.blocks, found.statistics.parts, strict=True) if found else ())
    parts: list[tuple[BlockPlan, Statistics]] = []
    for block in schema.blocks:
        if block in counted:
            met, statistics = next(of_counts)  # with the levels that were met
            assert isinstance(statistics, Counts)  # as all have whose values are counted
            behind = None if whole.rows is None or statistics.rows is None else Rows(whole.rows, statistics.rows.behind)
            parts.append((met, replace(statistics, weight=whole.weight, rows=behind)))
        else:
            parts.append((block, _statistics(block, sums[block.kind], places, whole)))
    schema = replace(schema, blocks=tuple(block for block, _ in parts))
    return Summary(schema, every, ProductStatistics.of(whole, (those for _, those in parts)))


def _still_tallied(rows: LazyRows, schema: Schema) -> Schema:
    """Columns of few whole values so far are numbers if they have more."""
    many = []
    for name in schema.tallied:
        values = rows.distinct(name, FEW + 2)
        if len(values) > FEW or any(value % 1 for value in values):
            many.append(name)
    return schema.as_numbers(many)


def _sums(rows: LazyRows, block: BlockPlan, first: Table) -> list[Group]:
    """Moments of a block, shifted by the mean of the first rows."""
    allowed = tuple(KINDS[block.kind].allows(*column.numbers) for column in block.columns)
    question = Question(block.names, allowed, block.kind == JOINT)
    if block.kind == LOG_GAUSSIAN:
        question = replace(question, turned=lambda cell: cell.log(), into=LOG.into)
    with np.errstate(all="ignore"):  # cells that are not allowed are refused later
        cells = question.into(first.numbers(block.names, slice(0, first.rows)))
    finite = np.where(np.isfinite(cells), cells, 0.0)
    return asked(rows, question, finite.sum(axis=0) / np.maximum(np.isfinite(cells).sum(axis=0), 1))


def _statistics(block: BlockPlan, groups: Sequence[Group], places: Places, whole: Mass) -> Statistics:
    if block.kind == JOINT:
        return by_pattern(groups, places, whole, len(block.columns))
    moments = alone(groups, places, whole, len(block.columns))
    if block.kind == LOG_GAUSSIAN:  # of which ln |dx/dz| is z itself
        return TransformedStatistics(moments, moments.seen * moments.mean, {})
    return moments


def _cells(rows: LazyRows, block: BlockPlan, groups: Sequence[Group]) -> Iterator[Cell]:
    """Cells with the mass of the rows that have them, class by class; of waiting times their mean says all."""
    if block.kind == EXPONENTIAL:
        for group in groups:
            means = zip(group.there.tolist(), group.near + group.off, group.seen, strict=True)
            yield from (Cell(group.label, block.names[j], float(mean), float(mass)) for j, mean, mass in means)
        return
    for name in block.names:
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
    masses = np.array([cell.mass for cell in some])
    return summarise(table, like(schema, table), every, codes, masses, masses)
