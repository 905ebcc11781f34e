"""Stage 3, from rows to a summary: work on labelled rows, read once for however many models, wherever they are.

In:  labelled rows, or a part of them, and a schema.
Out: their Summary. It is gathered once however many models ask for it.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from suffice.arrays import Codes
from suffice.data.kinds import GAUSSIAN, JOINT
from suffice.data.labelled import Labelled
from suffice.data.planning import Groups, Kinds, like
from suffice.data.rows import Rows
from suffice.data.schema import BlockPlan, ColumnPlan, Schema
from suffice.data.table import Table
from suffice.errors import ParameterError, TableError
from suffice.model.summary import Summary, summarise

PlanOf = Callable[[Table], Schema]  # the plan of a table


def summary_of(known: Labelled, schema: Schema) -> Summary:
    """What the rows say under a schema."""
    codes = known.codes
    found = known.learned.get(schema, lambda: summarise(known.table, schema, known.classes, codes, known.weights))
    assert isinstance(found, Summary)  # there is nothing else that is learned so
    return found


def summary_of_some(known: Labelled, rows: Codes, schema: Schema) -> Summary:
    """What some of the rows say, with the classes and levels of all."""
    part = summarise(known.table.take(rows), schema, known.classes, known.codes[rows], known.weights[rows])
    return part.onto(summary_of(known, schema).schema, known.classes)


@dataclass(frozen=True)
class Summing:
    """Work on rows: their summary under a schema, with the levels that each part has."""

    schema: Schema

    def __call__(self, part: Labelled) -> Summary:
        return summary_of(part, self.schema if part.whole else like(self.schema, part.table))


def collected(rows: Rows, schema: Schema) -> Summary:
    """The summary of rows that have been planned by their head."""
    total = rows.fold(Summing(schema), [column.name for column in schema.columns])
    if total is None:
        raise TableError("There are no batches to collect from, or all of their rows have weight zero.")
    return total


def read_schema(given: Schema | Summary, kinds: Kinds, counts: Groups) -> Schema:
    if isinstance(given, Summary):
        given = given.schema
    if not isinstance(given, Schema):
        raise ParameterError(f"schema must be a summary, or the schema of one; found {type(given).__name__}.")
    if kinds is not None or counts:
        raise ParameterError("A schema says the kinds of all columns; leave out kinds and counts, or the schema.")
    return given


def numbers_together(schema: Schema) -> Schema:
    """The same schema with all numeric columns in one block that keeps the scatter between them, beside tallies."""
    numbers = {name for block in schema.blocks if block.columnwise or block.tallied for name in block.names}
    numeric = tuple(ColumnPlan(name, GAUSSIAN) for name in schema.names if name in numbers)
    others = tuple(block for block in schema.blocks if not block.columnwise)
    return replace(schema, blocks=(*others, BlockPlan(JOINT, numeric)) if numeric else others)
