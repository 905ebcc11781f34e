"""Stage 1, labelled rows that are here: those that count, with what is known of their classes.

In:  a table, labels and weights; or a batch of a source.
Out: Labelled, all rows of a table or a part of others. Weight 0 is the row absent.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from suffice.arrays import Array, Codes
from suffice.data.files import Batch
from suffice.data.labels import IntoLabels, Labels, read_labels
from suffice.data.levels import Level, Levels
from suffice.data.persisted import Adds
from suffice.data.schema import Schema
from suffice.data.table import Table
from suffice.data.weights import row_weights
from suffice.lazy import Known, lazy

Classes = Iterable[Level] | None  # all that there can be; None: those of the rows


class Came(NamedTuple):
    """Where a part of the rows comes from."""

    batch: Batch
    partition: int  # which its holder has
    first: int  # the number of the batch's first row among those of the partition


@dataclass(frozen=True, eq=False)
class Labelled:
    """Rows that are here and count, with what is known of their classes: all of a table, or a part of other rows."""

    table: Table
    labels: Labels
    weights: Array  # (N,) above 0
    kept: Codes | None = None  # where they are in the table, or batch, that was given, if not all of it is here
    whole: bool = True  # whether these are all rows that there are
    of_batch: Came | None = None
    learned: Known[Schema, Adds] = field(default_factory=Known, repr=False)  # from all of them, by what was asked

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
        """Where they are in the table, or batch, that was given."""
        return np.arange(self.table.rows) if self.kept is None else self.kept

    def aside(self, rows: int) -> Codes:
        """Where the others, of weight 0, are in that table, which has so many rows."""
        return np.delete(np.arange(rows), self.rows)

    @property
    def came(self) -> Came:
        """Where they come from, of rows that come in batches."""
        assert self.of_batch is not None  # who asks has work for such
        return self.of_batch

    def take(self, rows: Codes) -> "Labelled":
        return replace(
            self,
            table=self.table.take(rows),
            labels=self.labels.take(rows),
            weights=self.weights[rows],
            kept=self.rows[rows],
            learned=Known(),
        )


def labelled(
    table: Table,
    labels: IntoLabels,
    sample_weight: ArrayLike | None,
    classes: Classes = None,
    unknown: Level | None = None,
) -> Labelled:
    """The rows of a table that count."""
    return that_count(table, read_labels(labels, table.rows, unknown), sample_weight, classes)


def that_count(table: Table, known: Labels, sample_weight: ArrayLike | None, classes: Classes) -> Labelled:
    """Weight 0 is the row absent, its class and its categories with it."""
    weights = row_weights(sample_weight, table.rows)
    kept = None if sample_weight is None or weights.all() else np.flatnonzero(weights)
    if kept is not None:
        table, weights, known = table.take(kept), weights[kept], known.take(kept)
    return Labelled(table, known if classes is None else known.among(classes), weights, kept)
