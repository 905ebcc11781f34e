"""Stage 3, hidden components of rows that come in batches: one pass to know them, then one pass for each step of EM.

In:  rows that come in batches, and how to plan the first of them.
Out: Streamed: the summary by class, and a sample of the rows, drawn in the same pass, from which EM begins; then parts
     of rows for `hidden`, as often as it asks.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic

import numpy as np

from suffice.arrays import Array, Codes
from suffice.data.blocks import Blocks, cut
from suffice.data.frames import named_apart
from suffice.data.hints import tell
from suffice.data.labelled import Classes, Labelled
from suffice.data.labels import Labels
from suffice.data.levels import Levels, union
from suffice.data.persisted import T, added
from suffice.data.planning import like
from suffice.data.rows import InBatches
from suffice.data.schema import Schema
from suffice.data.table import read_table
from suffice.errors import TableError
from suffice.extras import needed
from suffice.model.collect import PlanOf
from suffice.model.em.parts import Batched, Part
from suffice.model.summary import Summary, summarise

if TYPE_CHECKING:  # which is imported when it is needed
    import pyarrow as pa

SAMPLE = 50_000  # rows from which EM begins, at most


@dataclass(frozen=True, eq=False)
class Streamed:
    """What one pass has told of a source."""

    rows: InBatches
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

    def cut_to(self, schema: Schema) -> tuple[Blocks, Array, Batched]:
        """The rows cut to pieces: of the sample, and batch by batch of all."""
        roles, last = self.rows.roles, len(self.labels.options) - 1
        table = read_table(named_apart(self.sample, roles.label, roles.weight)[0])
        columns = [column.name for column in schema.columns]

        def over(work: Callable[[Part], T], /) -> T:
            found = self.rows.fold(_Stepping(schema, self.labels.classes, last, work), columns)
            assert found is not None  # the first pass met rows
            return found

        return cut(table, schema), np.ones(table.rows), Batched(over, self.number, float(self.apart.n))


@dataclass(frozen=True, eq=False)
class _Stepping(Generic[T]):
    """Work on rows: what a step of EM makes of them; a row of no class says the last thing that labels can say."""

    schema: Schema
    classes: Levels
    last: int
    work: Callable[[Part], T]

    def __call__(self, part: Labelled) -> T:
        places = np.array([*(self.classes.index(name) for name in part.classes), self.last], dtype=np.intp)
        return self.work(Part(cut(part.table, self.schema), part.weights, places[part.labels.certain]))


def first_pass(
    rows: InBatches, plan_of: PlanOf, classes: Classes, rng: np.random.Generator, heard: set[tuple[str, str]]
) -> Streamed:
    """Statistics by class, and a sample."""
    schema = plan_of(rows.head)
    tell(schema.hints, heard)
    met = rows.fold(_Surveying(schema, int(rng.integers(2**31))))
    if met is None:
        raise TableError("There is no row with a weight above 0.")
    found = met.found
    names = union(found[True].classes, ()) if True in found else ()
    labels = _options(names if classes is None else union(classes, ()), bool(rows.roles.label), False in found)
    return Streamed(rows, _apart(found, labels.classes), labels, met.number, met.sample.drawn())


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
class _Surveying:
    """Work on rows: what they are, for a problem to be set up."""

    schema: Schema
    seed: int

    def __call__(self, part: Labelled) -> _Met:
        (batch, partition, first), rows = part.came, part.rows
        rng = np.random.default_rng([self.seed, SAMPLE, partition, first])  # not what others draw by the seed
        sample = _Sample.of(rng.random(len(rows)), batch.table, rows)
        return _Met(dict(_summaries(part, self.schema)), len(rows), sample)


def _summaries(part: Labelled, schema: Schema) -> Iterator[tuple[bool, Summary]]:
    """Of rows whose class is known, by class; and of those whose class is not."""
    certain = part.labels.certain
    for known in (True, False):
        some = np.flatnonzero((certain >= 0) == known)
        if len(some):
            rows = part if len(some) == len(certain) else part.take(some)
            classes, codes = (rows.classes, rows.labels.certain) if known else (UNKNOWN, np.zeros(len(some), np.intp))
            yield known, summarise(rows.table, like(schema, rows.table), classes, codes, rows.weights)


UNKNOWN: Levels = ("unknown",)


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
