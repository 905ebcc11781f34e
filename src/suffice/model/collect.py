"""Stage 3, from rows to a summary: one table, read once for however many models, or batches of one as they come.

In:  tables and labels, an iterable of them, or a source of batches: files, streams; the weights of the rows.
Out: the rows that count with their labels, and their Summary. No batch is kept: memory is bounded by one or two.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from suffice.arrays import Array, Codes, ones
from suffice.data.batches import Batches, IntoRows, is_source, open_batches, refuse_absent, told_where
from suffice.data.frames import named_apart
from suffice.data.hints import tell
from suffice.data.kinds import GAUSSIAN, JOINT, TALLIED
from suffice.data.labels import IntoLabels, Labels, read_labels
from suffice.data.levels import Level, Levels
from suffice.data.planning import Groups, Kinds, like
from suffice.data.reading import Reading
from suffice.data.schema import BlockPlan, ColumnPlan, Schema
from suffice.data.table import IntoTable, Table, is_batches, read_table
from suffice.errors import ParameterError, TableError
from suffice.lazy import Known, lazy
from suffice.model.summary import Summary, summarise

Weights = ArrayLike | str | None  # of the rows, or the name of their column
Classes = Iterable[Level] | None  # all that there can be; None: those of the rows
PlanOf = Callable[[Table], Schema]  # the plan of a table


def summed(
    rows: IntoRows,
    labels: IntoLabels,
    sample_weight: Weights,
    plan_of: PlanOf,
    classes: Classes = None,
    unknown: Level | None = None,
    heard: set[tuple[str, str]] | None = None,
) -> Summary:
    """The summary of a table, or of batches: planned once, by the first rows, and obeyed by all others."""
    total = summed_if_any(rows, labels, sample_weight, plan_of, classes, unknown, heard)
    if total is None:
        raise TableError("There are no batches to collect from, or all of their rows have weight zero.")
    return total


def summed_if_any(
    rows: IntoRows | Iterator[IntoTable],
    labels: IntoLabels,
    sample_weight: Weights,
    plan_of: PlanOf,
    classes: Classes = None,
    unknown: Level | None = None,
    heard: set[tuple[str, str]] | None = None,
) -> Summary | None:
    """The same, or None where no row counts."""
    total: Summary | None = None
    heard = set() if heard is None else heard
    for batch in _batches(rows, labels, sample_weight, plan_of):
        with told_where(batch.place):
            planned = partial(like, total.schema) if total else batch.plan_of
            part = collected(read_table(batch.table), planned, batch.labels, batch.weights, classes, unknown)
            tell(part.schema.hints, heard)
            total = total + part if total else part
    return total


def read_schema(given: Schema | Summary, kinds: Kinds, counts: Groups) -> Schema:
    if isinstance(given, Summary):
        given = given.schema
    if not isinstance(given, Schema):
        raise ParameterError(f"schema must be a summary, or the schema of one; found {type(given).__name__}.")
    if kinds is not None or counts:
        raise ParameterError("A schema says the kinds of all columns; leave out kinds and counts, or the schema.")
    return given


@dataclass(frozen=True, eq=False)
class Labelled:
    """Rows that count, with their classes."""

    table: Table
    labels: Labels
    weights: Array  # (N,) above 0
    kept: Codes | None = None  # where they are in the table that was given, if not all of it is here
    summaries: Known[Schema, Summary] = field(default_factory=Known, repr=False)

    @property
    def classes(self) -> Levels:
        return self.labels.classes

    @lazy
    def codes(self) -> Codes:
        """The class of each row, where all are known."""  # (N,)
        return self.labels.known(self.kept)

    def refuse_hidden(self) -> None:
        """An error where a row has no class, for what learns from labelled rows alone."""
        self.labels.known(self.kept)

    @property
    def rows(self) -> Codes:
        """Where they are in the table that was given."""
        return np.arange(self.table.rows) if self.kept is None else self.kept

    def take(self, rows: Codes) -> "Labelled":
        return Labelled(self.table.take(rows), self.labels.take(rows), self.weights[rows], self.rows[rows])

    def summary_of(self, rows: Codes, schema: Schema) -> Summary:
        """What some of the rows say, with the classes and levels of all."""
        part = summarise(self.table.take(rows), schema, self.classes, self.codes[rows], self.weights[rows])
        return part.onto(self.summary(schema).schema, self.classes)

    def summary(self, schema: Schema) -> Summary:
        """What the rows say under a schema, gathered once however many models ask."""
        codes = self.codes
        return self.summaries.get(schema, lambda: summarise(self.table, schema, self.classes, codes, self.weights))


def labelled(
    table: Table,
    labels: IntoLabels,
    sample_weight: ArrayLike | None,
    classes: Iterable[Level] | None = None,
    unknown: Level | None = None,
) -> Labelled:
    known = read_labels(labels, table.rows, unknown)
    weights = row_weights(sample_weight, table.rows)
    kept = None if sample_weight is None or weights.all() else np.flatnonzero(weights)
    if kept is not None:  # weight 0 is the row absent, its class and its categories with it
        table, weights, known = table.take(kept), weights[kept], known.take(kept)
    return Labelled(table, known if classes is None else known.among(classes), weights, kept)


@dataclass(frozen=True, eq=False)
class Source:
    """A table with its classes and weights, or batches of one, which what sees rows one by one reads as a whole."""

    rows: IntoRows
    labels: IntoLabels
    weights: Weights
    classes: Classes = None  # all that there can be, where some may have no rows
    schema: Schema | None = None  # which has types, for files that have none
    kinds: Kinds = None  # that were declared, for the same
    read: Known[tuple[type, Level | None], Labelled] = field(default_factory=Known, repr=False)

    @classmethod
    def of(
        cls,
        X: IntoRows,
        y: IntoLabels,
        sample_weight: Weights = None,
        classes: Classes = None,
        schema: Schema | None = None,
        kinds: Kinds = None,
    ) -> Self:
        """Labels and weights may be the names of columns, which are then no features."""
        return cls(X, y, sample_weight, classes, schema, kinds)

    @property
    def streams(self) -> bool:
        """Whether its rows come in batches."""
        return is_source(self.rows)

    @lazy
    def batches(self) -> Batches | None:
        return open_batches(self.rows, self.reading)

    @property
    def reading(self) -> Reading:
        """What is known of files that have no types of their own."""
        return Reading(self.schema, self.labels if isinstance(self.labels, str) else None, self.classes, self.kinds)

    @lazy
    def apart(self) -> tuple[IntoTable, IntoLabels, ArrayLike | None]:
        """The table, labels and weights."""
        whole = self.rows if self.batches is None else self.batches.whole()
        if not (isinstance(self.labels, str) or isinstance(self.weights, str)):
            return whole, self.labels, self.weights
        table, labels, weights = named_apart(whole, self.labels, self.weights)
        return table, labels, weights

    @property
    def X(self) -> IntoTable:
        return self.apart[0]

    @property
    def y(self) -> IntoLabels:
        return self.apart[1]

    @property
    def sample_weight(self) -> ArrayLike | None:
        return self.apart[2]

    @lazy
    def table(self) -> Table:
        return read_table(self.X)

    def known(self, unknown: Level | None) -> Labelled:
        """The rows that count, with their labels where that value means "not known"."""
        key = (type(unknown), unknown)
        return self.read.get(key, lambda: self._labelled(unknown))

    def _labelled(self, unknown: Level | None) -> Labelled:
        return labelled(self.table, self.y, self.sample_weight, self.classes, unknown)


def collected(
    table: Table,
    schema_of: Callable[[Table], Schema],
    labels: IntoLabels,
    sample_weight: ArrayLike | None,
    classes: Iterable[Level] | None = None,
    unknown: Level | None = None,
) -> Summary:
    """The summary of one table."""
    rows = labelled(table, labels, sample_weight, classes, unknown)
    return rows.summary(schema_of(rows.table))


class _Batch(NamedTuple):
    """A table with its labels and weights, how to plan it if it is the first, and where its rows are."""

    table: IntoTable
    labels: IntoLabels
    weights: ArrayLike | None
    plan_of: PlanOf
    place: str = ""


def _batches(rows: Any, labels: Any, sample_weight: Any, plan_of: PlanOf) -> Iterator[_Batch]:
    """Tables with their labels and weights, either of which may be the name of a column."""
    if isinstance(rows, Batches):
        yield from _streamed(rows, labels, sample_weight, plan_of)
        return
    several = isinstance(rows, Iterator) or is_batches(rows)
    if several and sample_weight is not None and not isinstance(sample_weight, str):
        raise ParameterError(
            "For batches, sample_weight comes with each batch: give (table, labels, weights) for each."
        )
    for batch in rows if several else [(rows, labels, sample_weight)]:
        some, *rest = batch if isinstance(batch, tuple) else (batch,)
        if several and rest and labels is not None:
            raise ParameterError("The batches bring their labels; leave out the argument labels.")
        those, weights = (*rest, *(labels, sample_weight)[len(rest) :])
        some, those, weights = named_apart(some, those, weights)
        if not (several and (_empty(some) or _idle(weights))):
            yield _Batch(some, those, weights, plan_of)


def _streamed(source: Batches, labels: Any, sample_weight: Any, plan_of: PlanOf) -> Iterator[_Batch]:
    """Batches of the columns that a plan of the head models, with labels and weights by name."""
    named = columns_named(source.names, labels, sample_weight)
    schema = plan_of(read_table(named_apart(source.head, *named)[0]))
    columns = [*named, *(column.name for column in schema.columns)]
    for batch in source.read(columns):
        some, those, weights = named_apart(batch.table, labels, sample_weight)
        if not _idle(weights):
            yield _Batch(some, those, weights, partial(like, schema), batch.place)


def columns_named(there: Sequence[str], *given: Any) -> list[str]:
    """Labels and weights where rows come from elsewhere: by the names of their columns."""
    named = [name for name in given if name is not None]
    if not all(isinstance(name, str) for name in named):
        raise ParameterError("For files and streams, give labels and weights by the names of their columns.")
    refuse_absent(named, there)
    return named


def _idle(weights: ArrayLike | None) -> bool:
    """Whether no row of a batch counts."""
    return weights is not None and not checked_weights(weights).any()


def _empty(table: Any) -> bool:
    """Whether a batch has no rows, as when nothing of a file has passed a filter."""
    if isinstance(table, Mapping):
        return bool(table) and all(isinstance(cells, Sized) and len(cells) == 0 for cells in table.values())
    return bool(table.shape[0] == 0 if hasattr(table, "shape") else isinstance(table, Sized) and len(table) == 0)


def numbers_together(schema: Schema) -> Schema:
    """The same schema with all numeric columns in one block that keeps the scatter between them, beside tallies."""
    numbers = {name for block in schema.blocks if block.kind in (GAUSSIAN, TALLIED) for name in block.names}
    numeric = tuple(ColumnPlan(name, GAUSSIAN) for name in schema.names if name in numbers)
    others = tuple(block for block in schema.blocks if block.kind != GAUSSIAN)
    return replace(schema, blocks=(*others, BlockPlan(JOINT, numeric)) if numeric else others)


def row_weights(given: ArrayLike | None, rows: int) -> Array:
    if given is None:
        return ones(rows)
    weights = checked_weights(given)
    if weights.shape != (rows,):
        raise ParameterError(f"sample_weight.shape == {weights.shape}, expected {(rows,)}: one weight for each row.")
    if not weights.any():
        raise ParameterError("All rows have weight zero, so there is nothing to learn from.")
    return weights


def checked_weights(given: ArrayLike) -> Array:
    """Weights as numbers, of which none can be negative."""
    try:
        weights = np.asarray(np.ma.filled(given, np.nan) if np.ma.isMaskedArray(given) else given)
        weights = weights.astype(float, casting="unsafe" if weights.dtype.kind in "biufO" else "no")
    except (TypeError, ValueError, OverflowError):
        raise ParameterError(
            f"sample_weight must be one number for each row; found {type(given).__name__} with cells that are not."
        ) from None
    if not (np.isfinite(weights).all() and (weights >= 0).all()):
        raise ParameterError("sample_weight must be finite and 0 or more: a weight is how often a row counts.")
    return weights
