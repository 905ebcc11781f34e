"""Stage 1, the labels: what is known about the class of each row.

In:  labels as an array, a sequence or a series (text in any script, whole numbers or booleans), where None, NaN or a
     value of the user's mean "not known"; or a table of 0 and 1 with a column for each class that is possible.
Out: Labels: for each row the classes it may be of.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np
from narwhals.typing import IntoDataFrame, IntoSeries
from numpy.typing import NDArray
from sklearn.exceptions import DataConversionWarning

from suffice.arrays import Codes, Values
from suffice.data.columns import TEMPORAL, TEXT
from suffice.data.frames import Frame, read_frame
from suffice.data.levels import Encoded, Level, Levels, missing, plain, union
from suffice.data.table import read_column, read_table
from suffice.errors import ParameterError, TableError, UnknownLabelsError, warn
from suffice.lazy import lazy
from suffice.options import several, shown

IntoLabels = (
    IntoSeries | IntoDataFrame | Mapping[Any, Any] | Sequence[Any] | Values | None
)  # of the rows, which classes each may have, or the name of a column
UNKNOWN = (
    "Input y contains NaN, None or the value for unknown, or leaves a class open{}; here every row needs its class. "
    "Leave such rows out, or learn from them with fit(X, y) of NaiveBayes or a discriminant, which use EM."
)
ONE_COLUMN = "A column-vector y was passed when a 1d array was expected: it is read as its one column."


@dataclass(frozen=True, eq=False)
class Labels:
    codes: Codes  # (N,) into the options
    options: NDArray[np.bool_]  # (L, C) the classes that each may mean
    classes: Levels
    declared: bool = False  # whether the classes are more than those that rows are known to have
    silent: int = 0  # how many of the options, the last ones, say nothing: unknown, even where there is but one class

    @lazy
    def certain(self) -> Codes:
        """The class of each row, −1 where it is not certain."""
        meant = self.meant[: self._used].tolist()
        return self.codes if meant == list(range(len(meant))) else self.meant[self.codes]

    @lazy
    def hidden(self) -> bool:
        if min(self.meant[: self._used].tolist(), default=0) >= 0:
            return False
        met = np.bincount(self.codes, minlength=len(self.options)) > 0
        return bool((met & (self.meant < 0)).any())

    def refuse_one_known(self) -> None:
        """Rows of unknown class would all be given to the only class that is known."""
        if self.hidden and len(self.classes) == 1:
            raise UnknownLabelsError(
                f"The only class in y is {self.classes[0]!r}, and that of the other rows is not known (None, NaN or "
                "the value for unknown; in text files also cells such as NA). If they are of other classes, give their "
                "labels, or name all classes: classes=[...]."
            )

    def known(self, rows: Codes | None = None) -> Codes:
        """The class of each row, where all must be known; `rows` says where they are in the user's table."""
        if self.hidden:
            first = int(np.flatnonzero(self.certain < 0)[0])
            raise UnknownLabelsError(UNKNOWN.format(f" (the first in row {first if rows is None else rows[first]})"))
        return self.certain

    def told(self) -> Codes:
        """The class of each label that an engine has met, which does not say where."""
        if self.hidden:
            raise UnknownLabelsError(UNKNOWN.format(""))
        return self.certain

    @lazy
    def _used(self) -> int:
        """How many options there are up to the last that a row has."""
        return int(self.codes.max(initial=-1)) + 1

    @lazy
    def meant(self) -> Codes:
        """The class that each option means, −1 where it may mean several or says nothing."""
        certain = self.options.sum(axis=1) == 1
        certain[len(certain) - self.silent :] = False
        return np.where(certain, self.options.argmax(axis=1), -1) if self.classes else np.full(len(certain), -1)

    def take(self, rows: Codes) -> "Labels":
        """Some of the rows; classes that none of them is known to have are gone."""
        some = replace(self, codes=self.codes[rows])
        if self.declared:
            return some
        present = np.unique(some.certain[some.certain >= 0])
        return replace(some, options=self.options[:, present], classes=tuple(self.classes[k] for k in present))

    def among(self, declared: Iterable[Level]) -> "Labels":
        """The same labels where the user says which classes there are; a row not known may be of any of them."""
        classes = union(_named(declared), ())
        strange = [name for name in self.classes if name not in classes]
        if strange:
            raise ParameterError(f"y holds {strange}, which are not among the classes given: {list(classes)}.")
        options = np.zeros((len(self.options), len(classes)), dtype=bool)
        options[:, [classes.index(name) for name in self.classes]] = self.options
        options[len(options) - self.silent :] = True
        return replace(self, options=options, classes=classes, declared=True)


def read_labels(labels: IntoLabels, rows: int, unknown: Level | None = None) -> Labels:
    if isinstance(labels, Mapping):
        return _partial(labels, rows)
    frame = None if isinstance(labels, np.ndarray | list) else read_frame(labels)
    if frame is not None and frame.shape[1] != 1:
        return _partial(labels, rows)
    found = _encoded(_one_column(labels) if frame is None else _from_frame(frame), rows)
    every = int(found.codes.min(initial=0)) >= 0
    met = np.ones(len(found.levels), bool)
    if found.declared:  # and a type may declare more levels than there are
        met = np.bincount(found.codes + 1, minlength=len(met) + 1)[1:] > 0
    if not missing(unknown):
        [value] = _labels([unknown], "unknown must be a label, the value of y that means 'not known'")
        met &= np.array([level != value for level in found.levels], dtype=bool)
    present = np.flatnonzero(met)
    if not len(present):
        raise UnknownLabelsError("Input y contains NaN, None or the value for unknown in every row: no class is known.")
    options = np.eye(len(present) + 1, len(present), dtype=bool)
    options[-1] = True  # the option after the classes: any of them
    codes = found.codes
    if not (every and len(present) == len(met)):
        option = np.full(len(met) + 1, len(present), dtype=np.intp)
        option[present] = np.arange(len(present))
        codes = option[codes]
    return Labels(codes, options, union((found.levels[code] for code in present), ()), silent=1)


def nothing_known(rows: int) -> Labels:
    """Labels of rows of which none is known, nor what classes there are."""
    return Labels(np.zeros(rows, dtype=np.intp), np.ones((1, 0), dtype=bool), (), silent=1)


def without_labels(rows: int) -> Labels:
    """Labels of rows that are all alike: of one class, by the name of "all"."""
    return Labels(np.zeros(rows, dtype=np.intp), np.ones((1, 1), dtype=bool), ("all",), declared=True)


def _one_column(labels: IntoLabels) -> Any:
    """scikit-learn accepts a column vector, with a warning; so do we."""
    if not isinstance(labels, np.ndarray) or labels.ndim != 2:
        return labels
    if labels.shape[1] != 1:
        raise TableError(
            f"y should be a 1d array, one label for each row; got an array of shape {labels.shape} instead."
        )
    warn(ONE_COLUMN, DataConversionWarning)
    return labels.ravel()


def _from_frame(frame: Frame) -> Any:
    warn(ONE_COLUMN, DataConversionWarning)
    return frame[frame.columns[0]].to_native()


def _named(classes: Any) -> list[Level]:
    expected = "classes must be a list of all possible classes: text, whole numbers or booleans"
    names = None if isinstance(classes, Mapping) else several(classes)
    if names is None:
        raise ParameterError(f"{expected}; found {shown(classes)}.")
    return _labels(names, expected)


def _labels(given: Iterable[Any], expected: str) -> list[Level]:
    """Labels as plain values."""
    names = [plain(name) for name in given]
    if not all(isinstance(name, str | Real) and not missing(name) for name in names):
        raise ParameterError(f"{expected}; found {shown(given)}.")
    return names


def known_labels(labels: IntoLabels, rows: int, unknown: Level | None = None) -> tuple[Codes, Levels]:
    """The class of each row as codes into the classes, where all must be known."""
    found = read_labels(labels, rows, unknown)
    return found.known(), found.classes


def _partial(labels: IntoLabels, rows: int) -> Labels:
    """A column for each class: 1 where a row may be of it."""
    table = read_table(labels)
    _refuse_other_length(table.rows, rows)
    cells = table.numbers(table.names, slice(0, rows))
    if any(table.type(name) == TEXT for name in table.names) or not np.isin(cells, (0, 1)).all():
        raise TableError("Partial labels must be a table of 0 and 1 with a column for each class; found other values.")
    if not cells.any(axis=1).all():
        row = int(np.flatnonzero(~cells.any(axis=1))[0])
        raise TableError(
            f"Row {row} of the partial labels allows no class; a row whose class is unknown must allow all."
        )
    options, codes = np.unique(cells.astype(bool), axis=0, return_inverse=True)
    order = [table.names.index(name) for name in sorted(table.names)]
    return Labels(codes.ravel().astype(np.intp), options[:, order], tuple(sorted(table.names)), declared=True)


def _encoded(labels: IntoLabels, rows: int) -> Encoded:
    if labels is None:
        raise TableError("This classifier requires y to be passed, but the target y is None.")
    if isinstance(labels, str | bytes):
        raise TableError(f"y must be one label for each row; found the text {labels!r}. Give the column itself.")
    column = read_column(labels, "y")
    _refuse_other_length(column.rows, rows)
    temporal = column.spelled or column.type
    if temporal in TEMPORAL:
        raise TableError(f"Unknown label type: {temporal}. Classes are text, whole numbers or booleans.")
    found = column.encoded()
    _refuse_continuous(found.levels)
    return found


def _refuse_other_length(found: int, rows: int) -> None:
    if found != rows:
        raise TableError(f"Found input variables with inconsistent numbers of samples: {rows} rows, {found} labels.")


def _refuse_continuous(levels: Levels) -> None:
    """Levels that are whole are integers by now."""
    fractions = [level for level in levels if isinstance(level, float)]
    if np.inf in fractions or -np.inf in fractions:
        raise TableError("Input y contains infinity or a value too large: classes are text, whole numbers or booleans.")
    if fractions:
        raise TableError(
            "Unknown label type: continuous. Classes are text, whole numbers or booleans; predicting a number is a "
            "task for regression."
        )
