"""Stage 1, one column: its type, and how to read it as numbers or as codes.

In:  a numpy array; one of objects is judged by what it holds.
Out: Column, which reads when asked. What we cannot read is an error only then, so that it can be ignored.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from suffice.arrays import Codes
from suffice.data.levels import Encoded, encoded_objects, encoded_values
from suffice.errors import TableError, TableTypeError

NUMBER, INTEGER, BOOLEAN, TEXT, DATE = "number", "integer", "boolean", "text", "date"
EMPTY = "empty"  # all cells missing, and no type that says what they would be
OTHER = "other"  # what we cannot read, and need not if it is ignored


@dataclass(frozen=True)
class Column:
    """One column as it was found; `values` and `encoded` read it."""

    type: str
    rows: int
    values: Callable[[], Any]  # numbers (N,)
    encoded: Callable[[], Encoded]

    def take(self, rows: Codes) -> "Column":
        """Some of the rows."""
        return Column(self.type, len(rows), lambda: self.values()[rows], lambda: self.encoded().take(rows))


def column_of(values: np.ndarray[Any, Any], name: str) -> Column:
    """A numpy column; one of objects is judged by what it holds."""
    if values.ndim != 1:
        return odd_column(name, len(values) if values.ndim else 0, ["list"])
    kind, rows = values.dtype.kind, len(values)
    if kind in "fiu":
        return Column(NUMBER if kind == "f" else INTEGER, rows, lambda: values, lambda: encoded_values(values))
    if kind == "b":
        return Column(BOOLEAN, rows, unreadable, lambda: encoded_values(values))
    if kind in "mM":
        return Column(DATE, rows, unreadable, unreadable)
    try:
        found = encoded_objects(values.tolist())
    except TypeError:  # a cell that cannot be hashed
        return odd_column(name, rows, sorted({type(value).__name__ for value in values}))
    if not found.levels:
        return Column(EMPTY, rows, lambda: np.full(rows, np.nan), lambda: found)
    if all(isinstance(level, str) for level in found.levels):
        return Column(TEXT, rows, unreadable, lambda: found)
    if all(isinstance(level, bool) for level in found.levels):
        codes = np.where(found.codes < 0, -1, np.asarray([*found.levels, False])[found.codes])
        return Column(BOOLEAN, rows, unreadable, lambda: Encoded(codes, (False, True), declared=True))
    if all(isinstance(level, date) for level in found.levels):
        return Column(DATE, rows, unreadable, unreadable)
    if all(isinstance(level, Real | Decimal) and not isinstance(level, bool) for level in found.levels):
        numbers = np.asarray([*map(float, found.levels), np.nan])[found.codes]
        whole = all(isinstance(level, int) for level in found.levels)  # which may be more than a float can tell apart
        return Column(NUMBER, rows, lambda: numbers, lambda: found if whole else encoded_values(numbers))
    return odd_column(name, rows, sorted({type(level).__name__ for level in found.levels}))


def odd_column(name: str, rows: int, types: Sequence[str]) -> Column:
    """A column that is an error as soon as it is asked for."""

    def refuse() -> Any:
        raise TableTypeError(
            f"Column '{name}': the argument must be a string or a number in every cell, and one of them throughout; "
            f"found cells of types {', '.join(types)}. Convert it, or declare it 'ignore'."
        )

    return Column(OTHER, rows, refuse, refuse)


def unreadable() -> Any:
    raise TableError("This column holds no numbers.")
