"""Stage 3, hidden components of rows that come in batches: one pass to know them, then one pass for each step of EM.

In:  a source of batches, the names of its labels and weights, and how to plan its first rows.
Out: Streamed: the summary by class, and a sample of the rows, drawn in the same pass, from which EM begins; then parts
     of rows for `hidden`, as often as it asks.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from suffice.arrays import Array, Codes
from suffice.data.batches import Batches, told_where
from suffice.data.blocks import Blocks, cut
from suffice.data.files import Batch
from suffice.data.frames import named_apart
from suffice.data.hints import tell
from suffice.data.labels import IntoLabels, Labels, read_labels
from suffice.data.levels import Level, Levels, union
from suffice.data.planning import like
from suffice.data.schema import Schema
from suffice.data.table import Table, read_table
from suffice.errors import TableError, UnknownLabelsError
from suffice.extras import needed
from suffice.model.collect import PlanOf, Source, columns_named, row_weights
from suffice.model.em.hidden import Batched, Part
from suffice.model.summary import Summary, summarise

if TYPE_CHECKING:  # which is imported when it is needed
    import pyarrow as pa

SAMPLE = 50_000  # rows from which EM begins, at most


@dataclass(frozen=True, eq=False)
class Stream:
    """A source with what its columns are for."""

    batches: Batches
    label: str | None
    weight: str | None
    left_out: str | None = None  # a column that is no feature
    unknown: Level | None = None
    silent: float = 1.0  # what a row without a label counts

    @classmethod
    def of(cls, source: Source, unknown: Level | None = None) -> "Stream":
        assert source.batches is not None  # as its rows come in batches
        columns_named(source.batches.names, source.labels, source.weights)
        return cls(source.batches, cast(str | None, source.labels), cast(str | None, source.weights), unknown=unknown)

    @property
    def roles(self) -> tuple[str | None, str | None, str | None]:
        return self.label, self.weight, self.left_out

    def planned(self, plan_of: PlanOf) -> Schema:
        names = columns_named(self.batches.names, *self.roles)
        return plan_of(read_table(named_apart(self.batches.head, *names)[0]))

    def read(self, schema: Schema | None = None) -> Iterator[tuple["Rows", Batch]]:
        """Rows that count, with their labels, batch by batch: of the columns of a schema, or of all."""
        own = self.batches.names if schema is None else [column.name for column in schema.columns]
        wanted = {*own, self.label, self.weight} - {self.left_out}
        for batch in self.batches.read([name for name in self.batches.names if name in wanted]):
            with told_where(batch.place):
                rows = self._rows(batch)
                if rows is not None:
                    yield rows, batch

    def _rows(self, batch: Batch) -> "Rows | None":
        table, labels, given = named_apart(batch.table, self.label, self.weight)
        count = len(batch.table)
        codes, classes = _classes_of(labels, count, self.unknown)
        weights = np.asarray(given, dtype=float) if given is not None else np.ones(count)
        if given is not None and weights.any():
            weights = row_weights(given, count)
        weights = weights * np.where(codes < 0, self.silent, 1.0)
        kept = np.flatnonzero(weights)
        if not len(kept):
            return None
        found = Rows(read_table(table), codes, classes, weights, kept)
        return found if len(kept) == count else found.take(kept)


@dataclass(frozen=True, eq=False)
class Rows:
    table: Table
    codes: Codes  # (n,) into the classes, −1 where not known
    classes: Levels
    weights: Array  # (n,) above 0
    kept: Codes  # (n,) where they are in their batch

    def take(self, some: Codes) -> "Rows":
        return replace(self, table=self.table.take(some), codes=self.codes[some], weights=self.weights[some])

    def summaries(self, schema: Schema) -> Iterator[Summary]:
        """Of rows whose class is known, by class; and of those whose class is not."""
        for known in (True, False):
            some = np.flatnonzero((self.codes >= 0) == known)
            if len(some):
                rows = self if len(some) == len(self.codes) else self.take(some)
                classes, codes = (self.classes, rows.codes) if known else (UNKNOWN, np.zeros(len(some), dtype=np.intp))
                yield summarise(rows.table, like(schema, rows.table), classes, codes, rows.weights)


UNKNOWN: Levels = ("unknown",)


@dataclass(frozen=True, eq=False)
class Streamed:
    """What one pass has told of a source."""

    stream: Stream
    apart: Summary  # by class, and last of rows whose class is not known
    labels: Labels  # what they can say, and which of that is met
    number: int
    sample: "pa.Table"  # all rows, if they are not too many

    @property
    def whole(self) -> bool:
        return len(self.sample) == self.number

    @property
    def schema(self) -> Schema:
        return self.apart.schema

    @property
    def labelled(self) -> Summary:
        """Of the rows whose class is known."""
        classes = self.labels.classes
        return replace(self.apart, classes=classes, statistics=self.apart.statistics.only(np.arange(len(classes))))

    def rows(self, schema: Schema) -> tuple[Blocks, Array, Batched]:
        """The rows cut to pieces: of the sample, and batch by batch of all."""
        table = read_table(named_apart(self.sample, self.stream.label, self.stream.weight)[0])
        batched = Batched(partial(self._parts, schema), self.number, float(self.apart.n))
        return cut(table, schema), np.ones(table.rows), batched

    def _parts(self, schema: Schema) -> Iterator[Part]:
        last, classes = len(self.labels.options) - 1, self.labels.classes
        for rows, _ in self.stream.read(schema):
            places = np.array([*(classes.index(name) for name in rows.classes), last], dtype=np.intp)
            yield Part(cut(rows.table, schema), rows.weights, places[rows.codes])


def first_pass(
    stream: Stream,
    plan_of: PlanOf,
    classes: Iterable[Level] | None,
    rng: np.random.Generator,
    heard: set[tuple[str, str]],
) -> Streamed:
    """Statistics by class, and a sample."""
    schema, number = stream.planned(plan_of), 0
    tell(schema.hints, heard)
    found: dict[bool, Summary] = {}
    sample = _Sample(np.random.default_rng([int(rng.integers(2**31)), SAMPLE]))  # not what others draw by the seed
    for rows, batch in stream.read():
        for part in rows.summaries(schema):
            known = part.classes is not UNKNOWN
            found[known] = found[known] + part if known in found else part
        number += len(rows.weights)
        sample.add(batch.table.take(rows.kept))
    if not number:
        raise TableError("There is no row that counts.")
    names = union(found[True].classes, ()) if True in found else ()
    labels = _options(names if classes is None else union(classes, ()), bool(stream.label), False in found)
    return Streamed(stream, _apart(found, labels.classes), labels, number, sample.drawn())


def _classes_of(labels: IntoLabels, rows: int, unknown: Level | None) -> tuple[Codes, Levels]:
    """The class of each row of a batch, −1 where it is not known; of all in one where there are no labels."""
    if labels is None:
        return np.zeros(rows, dtype=np.intp), ("all",)
    try:
        found = read_labels(labels, rows, unknown)
    except UnknownLabelsError:  # none is known in this batch
        return np.full(rows, -1), ()
    return found.certain, found.classes


def _options(classes: Levels, labelled: bool, silent: bool) -> Labels:
    """What labels can say: each of the classes, and where some are not known, nothing."""
    size = len(classes)
    if not labelled:
        return Labels(np.zeros(1, dtype=np.intp), np.ones((1, 1), dtype=bool), classes, declared=True)
    options = np.vstack([np.eye(size, dtype=bool), np.ones((1, size), dtype=bool)])
    met = np.arange(size + silent)  # the last of which is nothing
    return Labels(met, options, classes, declared=True, silent=1)


def _apart(found: dict[bool, Summary], classes: Levels) -> Summary:
    """A group of rows for each class, and a last one for those whose class is not known, as `run` asks for."""
    last, groups = len(classes), []
    if True in found:
        places = tuple(classes.index(name) for name in found[True].classes)
        groups.append(replace(found[True], classes=places))
    if False in found:
        groups.append(replace(found[False], classes=(last,)))
    total: Summary = sum(groups)  # type: ignore[assignment] # of one summary at least
    return total.onto(total.schema, tuple(range(last + 1)))


class _Sample:
    """Rows drawn from all that come by, each as likely as any other: those of the least random numbers."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng, self.keys, self.tables = rng, np.zeros(0), list[Any]()

    def add(self, table: "pa.Table") -> None:
        keys = self.rng.random(len(table))
        if len(self.keys) >= SAMPLE:  # only those that can still be among the least
            near = np.flatnonzero(keys < np.partition(self.keys, SAMPLE - 1)[SAMPLE - 1])
            keys, table = keys[near], table.take(near)
        self.keys, self.tables = np.append(self.keys, keys), [*self.tables, table]
        if len(self.keys) > 2 * SAMPLE:
            self._pruned()

    def _pruned(self) -> None:
        least = np.sort(np.argpartition(self.keys, SAMPLE - 1)[:SAMPLE])
        self.keys, self.tables = self.keys[least], [self._together().take(least)]

    def _together(self) -> "pa.Table":
        return needed("pyarrow", "arrow", "A stream of Arrow").concat_tables(self.tables, promote_options="default")

    def drawn(self) -> "pa.Table":
        if len(self.keys) > SAMPLE:
            self._pruned()
        return self._together()
