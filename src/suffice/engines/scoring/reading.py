"""Columns of a table in a database as the cells that formulas take.

In:  the schema of a model, and what it does with levels it does not know.
Out: Reading: two layers of a query. The first has columns as doubles, or as text, with NaN as NULL; the second has the
     cells, NULL where missing; and which rows are refused, as `data.blocks` would: cells of another type than in
     fitting, numbers that a kind does not allow, infinite ones, a count that is missing, and, where that is an error, a
     level never seen. Rows with numbers whose squares may be too large are refused if they turn out to be.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

import numpy as np

from suffice.data.blocks import IGNORE_ALOUD, LARGEST
from suffice.data.hints import EXACT
from suffice.data.kinds import KINDS, Range
from suffice.data.levels import as_float
from suffice.data.schema import BlockPlan, ColumnPlan, Schema
from suffice.engines.scoring.dialects import Dialect
from suffice.engines.scoring.writing import balanced
from suffice.formulas import (
    ONE,
    All,
    Among,
    Cases,
    Cell,
    Compared,
    Condition,
    Expression,
    Formula,
    Function,
    Missing,
    Not,
    Number,
    added,
)

OfCells = Callable[[Sequence[Sequence[Expression]]], Formula]  # ln p of a row, of the cells of each block
SQUARED = 1e153  # up to which numbers have squares that are floats, whatever is added to them


@dataclass(frozen=True, eq=False)
class Column:
    """A column of the table: how it is read, the cell it becomes, and which rows are refused for it."""

    read: str
    cell: Expression
    refused: tuple[Condition, ...]
    large: tuple[Condition, ...] = ()  # when it depends on what becomes of it
    odd: str = ""  # SQL: whether a cell is of another type than in fitting


@dataclass(frozen=True, eq=False)
class Reading:
    source: dict[str, str]  # first layer: name → SQL
    cells: dict[str, Expression]  # second layer
    refused: tuple[Condition, ...]  # of what the first one has
    large: tuple[Condition, ...]  # likewise: rows without an answer if their scores are not finite
    blocks: tuple[tuple[Cell, ...], ...]  # the cells of each block, by name


def reading(schema: Schema, unseen: str, dialect: Dialect, table: str) -> Reading:
    """`table` is what the query calls it."""
    dialect.refuse_alike([column.name for column in schema.columns])
    number, source, cells, blocks = count(), dict[str, str](), dict[str, Expression](), []
    columns = list[Column]()
    for block in schema.blocks:
        names = [f"c{next(number)}" for _ in block.columns]
        for name, plan in zip(names, block.columns, strict=True):
            own = f"{table}.{dialect.quoted(plan.name)}"
            column = _column(block, plan, unseen, dialect, own, Cell(f"r{name}"))
            source[f"r{name}"], cells[name] = column.read, column.cell
            columns.append(column)
        blocks.append(tuple(map(Cell, names)))
    refused = [condition for column in columns for condition in column.refused]
    odd = [column.odd for column in columns if column.odd]
    if odd:
        source["odd_type"] = f"CASE WHEN {balanced(odd, ' OR ')} THEN 1 ELSE 0 END"
        refused.append(Compared(Cell("odd_type"), "=", ONE))
    large = [condition for column in columns for condition in column.large]
    return Reading(source, cells, tuple(refused), tuple(large), tuple(blocks))


def in_own_units(blocks: Sequence[BlockPlan], formula: OfCells) -> OfCells:
    """The formula of cells as the table has them, from that of cells as the families of the blocks take them."""

    def own(cells: Sequence[Sequence[Expression]]) -> Formula:
        turned, volumes = list[Sequence[Expression]](), list[Expression]()
        for block, some in zip(blocks, cells, strict=True):
            each = [(cell, None) if block.transform is None else block.transform.turned(cell) for cell in some]
            turned.append([cell for cell, _ in each])
            volumes += [volume for _, volume in each if volume is not None]
        found = formula(turned)
        return replace(found, common=found.common - added(volumes)) if volumes else found

    return own


def _column(block: BlockPlan, plan: ColumnPlan, unseen: str, dialect: Dialect, name: str, raw: Cell) -> Column:
    if block.coded:
        return _levels(plan, unseen, dialect, name, raw)
    read, odd = dialect.number.format(name), dialect.no_number.format(name)
    if block.numeric:
        large = Compared(Function("abs", raw), ">", Number(LARGEST))  # whose squares may be too large
        if dialect.strict:
            return Column(read, Cases(((Not(large), raw),)), (large,), odd=odd)
        return Column(read, raw, (Compared(Function("abs", raw), ">", Number(SQUARED)),), (large,), odd)
    allowed = KINDS[block.kind].allows(*plan.numbers)
    outside = All((Not(Missing(raw)), Not(_within(raw, Range() if plan.chosen else allowed))))
    refused = (outside, Missing(raw)) if block.words else (outside,)
    return Column(read, Cases(((_within(raw, allowed), raw),)), refused, odd=odd)


def _levels(plan: ColumnPlan, unseen: str, dialect: Dialect, name: str, raw: Cell) -> Column:
    known, (template, other) = Among(raw, tuple(plan.levels)), _templates(plan, dialect)
    read, odd = template.format(name), other.format(name)
    if unseen == "error":
        return Column(read, raw, (All((Not(Missing(raw)), Not(known))),), odd=odd)
    return Column(read, Cases(((known, raw),)) if unseen in ("ignore", IGNORE_ALOUD) else raw, (), odd=odd)


def _templates(plan: ColumnPlan, dialect: Dialect) -> tuple[str, str]:
    """How levels are read, and what says that a cell cannot be one of them."""
    if any(isinstance(level, str) for level in plan.levels):
        return dialect.text, dialect.no_text
    if any(isinstance(level, bool) for level in plan.levels):
        return dialect.truth, dialect.no_number
    exact = all(abs(as_float(level)) < EXACT for level in plan.levels)
    return dialect.number if exact else dialect.level, dialect.no_number


def _within(cell: Expression, allowed: Range) -> Condition:
    return All(tuple(_tests(cell, allowed)))


def _tests(cell: Expression, allowed: Range) -> Iterator[Condition]:
    least, most = (not (allowed.above or np.isinf(end)) for end in (allowed.least, allowed.most))
    yield Compared(cell, ">=" if least else ">", Number(allowed.least))
    yield Compared(cell, "<=" if most else "<", Number(allowed.most))
    if allowed.whole:
        yield Compared(cell, "=", Function("floor", cell))
