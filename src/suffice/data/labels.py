"""Stage 1, the labels: the class of each row, as codes into the sorted classes.

In:  labels as an array, a sequence or a series: text in any script, whole numbers or booleans.
Out: codes (N,) and the classes.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from suffice.arrays import Codes
from suffice.data.columns import DATE, NUMBER
from suffice.data.levels import plain, union
from suffice.data.table import read_column
from suffice.errors import ParameterError, TableError

Classes = tuple[Any, ...]


def read_labels(labels: Any, rows: int) -> tuple[Codes, Classes]:
    if labels is None:
        raise TableError("This classifier requires y to be passed, but the target y is None.")
    if isinstance(labels, str | bytes):
        raise TableError(f"y must be one label for each row; found the text {labels!r}.")
    column = read_column(labels, "y")
    if column.rows != rows:
        raise TableError(
            f"Found input variables with inconsistent numbers of samples: {rows} rows, {column.rows} labels."
        )
    if column.type == DATE:
        raise TableError("Unknown label type: dates. Classes are text, whole numbers or booleans.")
    if column.type == NUMBER:
        _refuse_continuous(column.values())
    found = column.encoded()
    if (found.codes < 0).any():
        row = int(np.flatnonzero(found.codes < 0)[0])
        raise TableError(f"Input y contains NaN or None (the first in row {row}): give every row its class.")
    met = np.bincount(found.codes, minlength=len(found.levels)) > 0  # a type may declare more classes than there are
    codes = found.codes if met.all() else (np.cumsum(met) - 1)[found.codes]
    return codes, union((found.levels[code] for code in np.flatnonzero(met)), ())


def among(codes: Codes, found: Classes, declared: Iterable[Any]) -> tuple[Codes, Classes]:
    """The same labels as codes into all classes that the user declared."""
    classes = union((plain(name) for name in declared), ())
    strange = [name for name in found if name not in classes]
    if strange:
        raise ParameterError(f"y holds {strange}, which are not among the classes given: {list(classes)}.")
    return np.array([classes.index(name) for name in found], dtype=np.intp)[codes], classes


def _refuse_continuous(values: np.ndarray[Any, Any]) -> None:
    if np.isinf(values).any():
        raise TableError("Input y contains infinity or a value too large: classes are text, whole numbers or booleans.")
    if (values % 1 > 0).any():
        raise TableError(
            "Unknown label type: continuous. Classes are text, whole numbers or booleans; "
            "a number to be predicted is a task for regression."
        )
