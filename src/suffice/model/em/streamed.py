"""Stage 3, hidden components of rows that come in batches: one pass to know them, then one pass for each step of EM.

In:  a source of batches, the names of its labels and weights, and how to plan its first rows.
Out: Streamed: the summary by class, and a sample of the rows, drawn in the same pass, from which EM begins; then parts
     of rows for `hidden`, as often as it asks.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, cast

import numpy as np

from suffice.arrays import Array, Codes
from suffice.data.batches import Batches, told_where
from suffice.data.blocks import Blocks, cut
from suffice.data.files import Batch
from suffice.data.frames import named_apart
from suffice.data.hints import tell
from suffice.data.labels import IntoLabels, Labels, read_labels
from suffice.data.levels import Level, Levels, union
from suffice.data.persisted import T, added
from suffice.data.planning import like
from suffice.data.schema import Schema
from suffice.data.table import Table, read_table
from suffice.errors import TableError, UnknownLabelsError
from suffice.extras import needed
from suffice.model.collect import PlanOf, Source, columns_named, row_weights
from suffice.model.em.parts import Batched, Part
from suffice.model.summary import Summary, summarise

if TYPE_CHECKING:  # which is imported when it is needed
    import pyarrow as pa

SAMPLE = 50_000  # rows from which EM begins, at most


@dataclass(frozen=True)
class Roles:
    """What columns are for; it is sent to whoever holds rows."""

    label: str | None
    weight: str | None
    left_out: str | None = None  # a column that is no feature
    unknown: Level | None = None
    silent: float = 1.0  # what a row without a label counts

    def rows(self, batches: Iterable[Batch]) -> Iterator[tuple["Rows", Batch]]:
        """Rows that count, with their labels, batch by batch."""
        for batch in batches:
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
class Stream:
    """A source with what its columns are for."""

    batches: Batches
    roles: Roles

    @classmethod
    def of(cls, source: Source, unknown: Level | None = None) -> "Stream":
        assert source.batches is not None  # as its rows come in batches
        columns_named(source.batches.names, source.labels, source.weights)
        named = cast(str | None, source.labels), cast(str | None, source.weights)
        return cls(source.batches, Roles(*named, unknown=unknown))

    def close(self) -> None:
        self.batches.close()

    def but(self, **changed: Any) -> "Stream":
        """With other roles."""
        return replace(self, roles=replace(self.roles, **changed))

    def planned(self, plan_of: PlanOf) -> Schema:
        roles = self.roles
        names = columns_named(self.batches.names, roles.label, roles.weight, roles.left_out)
        return plan_of(read_table(named_apart(self.batches.head, *names)[0]))

    def columns(self, schema: Schema | None = None) -> list[str]:
        """Those of a schema, or all, with labels and weights."""
        own = self.batches.names if schema is None else [column.name for column in schema.columns]
        wanted = {*own, self.roles.label, self.roles.weight} - {self.roles.left_out}
        return [name for name in self.batches.names if name in wanted]


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
        roles = self.stream.roles
        table = read_table(named_apart(self.sample, roles.label, roles.weight)[0])
        over = partial(_over_parts, self.stream, schema, self.labels.classes, len(self.labels.options) - 1)
        return cut(table, schema), np.ones(table.rows), Batched(over, self.number, float(self.apart.n))


def _over_parts(stream: Stream, schema: Schema, classes: Levels, last: int, work: Callable[[Part], T]) -> T:
    """What a step of EM makes of all rows; a row of no class says the last thing that labels can say."""
    found = stream.batches.summed(stream.columns(schema), _Stepping(stream.roles, schema, classes, last, work))
    assert found is not None  # the first pass met rows
    return found


@dataclass(frozen=True, eq=False)
class _Stepping(Generic[T]):
    roles: Roles
    schema: Schema
    classes: Levels
    last: int
    work: Callable[[Part], T]

    def __call__(self, partition: int, batches: Iterator[Batch]) -> T | None:
        return added(self.work(part) for part in self._parts(batches))

    def _parts(self, batches: Iterator[Batch]) -> Iterator[Part]:
        for rows, _ in self.roles.rows(batches):
            places = np.array([*(self.classes.index(name) for name in rows.classes), self.last], dtype=np.intp)
            yield Part(cut(rows.table, self.schema), rows.weights, places[rows.codes])


def first_pass(
    stream: Stream,
    plan_of: PlanOf,
    classes: Iterable[Level] | None,
    rng: np.random.Generator,
    heard: set[tuple[str, str]],
) -> Streamed:
    """Statistics by class, and a sample."""
    schema = stream.planned(plan_of)
    tell(schema.hints, heard)
    work = _Passing(stream.roles, schema, int(rng.integers(2**31)))
    met = stream.batches.summed(stream.columns(), work)
    if met is None:
        raise TableError("There is no row with a weight above 0.")
    found = met.found
    names = union(found[True].classes, ()) if True in found else ()
    labels = _options(names if classes is None else union(classes, ()), bool(stream.roles.label), False in found)
    return Streamed(stream, _apart(found, labels.classes), labels, met.number, met.sample.drawn())


@dataclass(frozen=True, eq=False)
class _Met:
    """Of some rows: summaries of those whose class is known and of those whose is not, their number, and a sample."""

    found: dict[bool, Summary]
    number: int
    sample: "_Sample"

    def __add__(self, other: "_Met") -> "_Met":
        both = {known: added([some.found.get(known) for some in (self, other)]) for known in (True, False)}
        found = {known: summary for known, summary in both.items() if summary is not None}
        return _Met(found, self.number + other.number, self.sample + other.sample)


@dataclass(frozen=True, eq=False)
class _Passing:
    roles: Roles
    schema: Schema
    seed: int

    def __call__(self, partition: int, batches: Iterator[Batch]) -> _Met | None:
        rng = np.random.default_rng([self.seed, SAMPLE, partition])  # not what others draw by the seed
        return added(self._met(rows, batch, rng) for rows, batch in self.roles.rows(batches))

    def _met(self, rows: Rows, batch: Batch, rng: np.random.Generator) -> _Met:
        found = {part.classes is not UNKNOWN: part for part in rows.summaries(self.schema)}
        return _Met(found, len(rows.weights), _Sample.of(rng.random(len(rows.kept)), batch.table, rows.kept))


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


@dataclass(frozen=True, eq=False)
class _Sample:
    """Rows drawn from all that come by, each as likely as any other: those of the least random numbers."""

    keys: Array  # (n,)
    table: "pa.Table"

    @classmethod
    def of(cls, keys: Array, table: "pa.Table", kept: Codes) -> "_Sample":
        """Of the rows of a table that count."""
        least = _least(keys)
        return cls(keys[least], table.take(kept[least]))

    def __add__(self, other: "_Sample") -> "_Sample":
        keys = np.append(self.keys, other.keys)
        arrow = needed("pyarrow", "arrow", "A stream of Arrow")
        return _Sample(keys, arrow.concat_tables([self.table, other.table], promote_options="default"))._pruned(2)

    def _pruned(self, room: int) -> "_Sample":
        """No more rows than there is room for, so that pruning is rare."""
        if len(self.keys) <= room * SAMPLE:
            return self
        least = _least(self.keys)
        return _Sample(self.keys[least], self.table.take(least))

    def drawn(self) -> "pa.Table":
        return self._pruned(1).table


def _least(keys: Array) -> Codes:
    """Where the least are, in order of the rows."""
    return np.sort(np.argpartition(keys, SAMPLE - 1)[:SAMPLE]) if len(keys) > SAMPLE else np.arange(len(keys))
