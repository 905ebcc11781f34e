"""Stage 1, labelled rows, wherever they are: work is folded over them, a part at a time.

In:  a table with its labels and weights, tables one after the other, or batches: files, streams, partitions.
Out: Rows: a head to plan by, and `fold`, which adds up what a piece of work makes of each part. A table is one part.
     Work is a value, so that it can be sent to whoever holds rows; no part is kept.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Generic

import numpy as np

from suffice.data.batches import Batches, IntoRows, refuse_absent, told_where
from suffice.data.files import Batch
from suffice.data.frames import named_apart
from suffice.data.labelled import Came, Classes, Labelled, labelled, that_count
from suffice.data.labels import IntoLabels, Labels, nothing_known, read_labels, without_labels
from suffice.data.levels import Level
from suffice.data.persisted import T, added
from suffice.data.table import IntoTable, Table, is_batches, read_table
from suffice.data.weights import Weights, idle, row_weights
from suffice.errors import ParameterError, TableError, UnknownLabelsError
from suffice.lazy import lazy

Work = Callable[[Labelled], T | None]  # what is made of a part; it adds up


class Rows(ABC):
    @property
    @abstractmethod
    def head(self) -> Table:
        """The features of the first rows: what a plan looks at."""

    @abstractmethod
    def fold(self, work: Work[T], columns: Iterable[str] | None = None) -> T | None:
        """Add up what work makes of each part, given these columns or all; None where there is no row that counts."""


@dataclass(frozen=True, eq=False)
class Here(Rows):
    """A table in memory, which is one part."""

    known: Labelled

    @property
    def head(self) -> Table:
        return self.known.table

    def fold(self, work: Work[T], columns: Iterable[str] | None = None) -> T | None:
        return work(self.known)


@dataclass(frozen=True, eq=False)
class InTurn(Rows):
    """Tables that come one after the other, and only once."""

    parts: Iterator[Labelled]

    @lazy
    def _first(self) -> Labelled:
        first = next(self.parts, None)
        if first is None:
            raise TableError("There are no batches to collect from, or all of their rows have weight zero.")
        return first

    @property
    def head(self) -> Table:
        return self._first.table

    def fold(self, work: Work[T], columns: Iterable[str] | None = None) -> T | None:
        return added(work(part) for part in chain([self._first], self.parts))


@dataclass(frozen=True)
class Roles:
    """What columns are for, and what their labels mean; it is sent to whoever holds rows."""

    label: str | None  # None: rows of which nobody asks for the class
    weight: str | None
    left_out: str | None = None  # a column that is no feature
    unknown: Level | None = None  # the label that means "not known"
    classes: tuple[Level, ...] | None = None  # all that there can be
    silent: float = 1.0  # what a row without a label counts

    def parts(self, partition: int, batches: Iterable[Batch]) -> Iterator[Labelled]:
        """Rows that count, batch by batch."""
        first = 0
        for batch in batches:
            with told_where(batch.place):
                part = self._part(batch)
            if part is not None:
                yield replace(part, whole=False, of_batch=Came(batch, partition, first))
            first += len(batch.table)

    def _part(self, batch: Batch) -> Labelled | None:
        table, labels, weights = named_apart(batch.table, self.label, self.weight)
        if idle(weights):
            return None
        known = self._known(labels, len(batch.table))
        if self.silent != 1.0:
            given = np.ones(len(batch.table)) if weights is None else row_weights(weights, len(batch.table))
            weights = given * np.where(known.certain < 0, self.silent, 1.0)
            if idle(weights):
                return None
        return that_count(read_table(table), known, weights, self.classes)

    def _known(self, labels: IntoLabels, rows: int) -> Labels:
        if labels is None:
            return without_labels(rows)
        try:
            return read_labels(labels, rows, self.unknown)
        except UnknownLabelsError:  # of this batch
            return nothing_known(rows)


@dataclass(frozen=True, eq=False)
class InBatches(Rows):
    """Rows of a source of batches: files, streams, and partitions that stay where they are."""

    batches: Batches
    roles: Roles
    again: bool = False  # whether they are gone over several times: then holders keep their columns until `close`

    @lazy
    def head(self) -> Table:
        given = (self.roles.label, self.roles.weight, self.roles.left_out)
        return read_table(named_apart(self.batches.head, *(name for name in given if name))[0])

    def taken(self, roles: Roles) -> "InBatches":
        """The same rows with other roles of columns."""
        return replace(self, roles=roles)

    def fold(self, work: Work[T], columns: Iterable[str] | None = None) -> T | None:
        return self.batches.summed(self._wanted(columns), _OverParts(self.roles, work), self.again)

    def _wanted(self, columns: Iterable[str] | None) -> list[str]:
        """Those columns, with labels and weights."""
        own = {*(self.batches.names if columns is None else columns), self.roles.label, self.roles.weight}
        return [name for name in self.batches.names if name in own - {self.roles.left_out}]

    def close(self) -> None:
        self.batches.close()


@dataclass(frozen=True, eq=False)
class _OverParts(Generic[T]):
    """Work on each part of the batches of a partition."""

    roles: Roles
    work: Work[T]

    def __call__(self, partition: int, batches: Iterator[Batch]) -> T | None:
        return added(self._worked(part) for part in self.roles.parts(partition, batches))

    def _worked(self, part: Labelled) -> T | None:
        with told_where(part.came.batch.place):
            return self.work(part)


def rows_of(
    rows: IntoRows | Iterable[Any],
    labels: IntoLabels,
    weights: Weights,
    classes: Classes = None,
    unknown: Level | None = None,
    again: bool = False,
) -> Rows:
    """Labelled rows of any sort; labels and weights may be the names of columns, which are then no features."""
    if isinstance(rows, Batches):
        columns_named(rows.names, labels, weights)
        named = None if classes is None else tuple(classes)
        return InBatches(rows, Roles(_name(labels), _name(weights), unknown=unknown, classes=named), again)
    if isinstance(rows, Iterator) or is_batches(rows):
        return InTurn(_in_turn(rows, labels, weights, classes, unknown))
    table, labels, weights = named_apart(rows, labels, weights)
    return Here(labelled(read_table(table), labels, weights, classes, unknown))


def _name(given: IntoLabels | Weights) -> str | None:
    return given if isinstance(given, str) else None


def _in_turn(
    rows: Any, labels: IntoLabels, weights: Weights, classes: Classes, unknown: Level | None
) -> Iterator[Labelled]:
    """Tables that bring their labels and weights, or have them in columns of those names."""
    if weights is not None and not isinstance(weights, str):
        raise ParameterError(
            "For batches, sample_weight comes with each batch: give (table, labels, weights) for each."
        )
    classes = None if classes is None else tuple(classes)
    for batch in rows:
        some, *rest = batch if isinstance(batch, tuple) else (batch,)
        if rest and labels is not None:
            raise ParameterError("The batches bring their labels; leave out the argument labels.")
        given = (*rest, *(labels, weights)[len(rest) :])
        some, mine, own = named_apart(some, *given)
        if not (_empty(some) or idle(own)):
            yield replace(labelled(read_table(some), mine, own, classes, unknown), whole=False)


def columns_named(there: Sequence[str], *given: IntoLabels | Weights) -> list[str]:
    """Labels and weights where rows come from elsewhere: by the names of their columns, which must be `there`."""
    named = [name for name in given if isinstance(name, str)]
    if len(named) < sum(name is not None for name in given):
        raise ParameterError("For files and streams, give labels and weights by the names of their columns.")
    refuse_absent(named, there)
    return named


def _empty(table: IntoTable) -> bool:
    """Whether a batch has no rows, as when nothing of a file has passed a filter."""
    if isinstance(table, Mapping):
        return bool(table) and all(isinstance(cells, Sized) and len(cells) == 0 for cells in table.values())
    return bool(table.shape[0] == 0 if hasattr(table, "shape") else isinstance(table, Sized) and len(table) == 0)
