"""Rows and labels as scikit-learn's users give them, read once for however many models.

In:  X, y and sample_weight, as they were handed in.
Out: a Table, and the rows that count with their labels.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.validation import column_or_1d

from suffice.data.frames import is_frame, named_apart, read_frame
from suffice.data.levels import Level
from suffice.data.table import IntoTable, Table, read_table
from suffice.errors import TableError, warn
from suffice.lazy import Known, lazy
from suffice.model.collect import Labelled, labelled

Weights = ArrayLike | str | None  # of the rows, or the name of their column
Classes = Iterable[Level] | None  # all that there can be; None: those of the rows
ONE_COLUMN = "A column-vector y was passed when a 1d array was expected: it is read as its one column."


@dataclass(frozen=True, eq=False)
class Source:
    """A table with its classes and weights."""

    X: IntoTable
    y: Any
    sample_weight: Weights
    classes: Classes = None  # all that there can be, where some may have no rows
    read: Known[Any, Labelled] = field(default_factory=Known, repr=False)

    @classmethod
    def of(cls, X: IntoTable, y: Any, sample_weight: Weights = None, classes: Classes = None) -> Self:
        """Labels and weights may be the names of columns, which are then no features."""
        table, labels, weights = named_apart(X, y, sample_weight)
        return cls(table, labels, weights, classes)

    @lazy
    def table(self) -> Table:
        return read_table(self.X)

    def known(self, unknown: Any) -> Labelled:
        """The rows that count, with their labels where that value means "not known"."""
        key = (type(unknown), unknown)
        return self.read.get(key, lambda: self._labelled(unknown))

    def _labelled(self, unknown: Any) -> Labelled:
        return labelled(self.table, one_column(self.y), self.sample_weight, self.classes, unknown)


def one_column(y: Any) -> Any:
    """scikit-learn accepts a column vector, with a warning; so do we. A frame of several columns is partial labels."""
    frame = read_frame(y) if is_frame(y) else None
    if frame is not None:
        if frame.shape[1] != 1:
            return y
        warn(ONE_COLUMN, DataConversionWarning)
        return frame[frame.columns[0]].to_native()
    if not isinstance(y, np.ndarray) or y.ndim != 2:
        return y
    if y.shape[1] != 1:
        raise TableError(f"y should be a 1d array, one label for each row; got an array of shape {y.shape} instead.")
    warn(ONE_COLUMN, DataConversionWarning)
    return column_or_1d(y)
