"""Stage 1, rows as users give them: a table with its classes and weights, or a source of batches.

In:  the arguments of `fit` and its kin.
Out: Source, which what sees rows one by one reads as a whole, and what sums them goes over in parts.
"""

from dataclasses import dataclass, field
from typing import Self

from numpy.typing import ArrayLike

from suffice.data.batches import Batches, IntoRows, is_source, open_batches
from suffice.data.frames import named_apart
from suffice.data.labelled import Classes, Labelled, labelled
from suffice.data.labels import IntoLabels
from suffice.data.levels import Level
from suffice.data.planning import Kinds
from suffice.data.reading import Reading
from suffice.data.rows import InBatches, rows_of
from suffice.data.schema import Schema
from suffice.data.table import IntoTable, Table, read_table
from suffice.data.weights import Weights
from suffice.lazy import Known, lazy


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
        return self.read.get(key, lambda: labelled(self.table, self.y, self.sample_weight, self.classes, unknown))

    def in_batches(self, unknown: Level | None = None) -> InBatches:
        """The rows of a source of batches, to be gone over several times."""
        found = rows_of(self.batches, self.labels, self.weights, None, unknown, again=True)
        assert isinstance(found, InBatches)  # as its rows come in batches
        return found
