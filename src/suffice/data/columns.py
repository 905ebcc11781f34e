"""Stage 1, one column: its type, and how to read it as numbers or as codes.

In:  a numpy array; one of objects is judged by what it holds.
Out: Column, which reads when asked. What we cannot read is an error only then, so that it can be ignored.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, time, timedelta
from typing import Any, NoReturn, TypeVar

import numpy as np

from suffice.arrays import Codes, Values
from suffice.data.levels import Encoded, as_float, encoded_objects, encoded_texts, encoded_values
from suffice.errors import TableError, TableTypeError

NUMBER, INTEGER, BOOLEAN, TEXT = "number", "integer", "boolean", "text"
DATE, DURATION, TIME = "dates", "durations", "times of day"
TEMPORAL = {  # what to do with them, since they are neither numbers nor categories
    DATE: "Convert it to what matters about them (a number of days, the month as a category)",
    DURATION: "Convert it to a number in a unit of your own, such as seconds",
    TIME: "Convert it to a number, such as hours since midnight",
}
OBJECTS = {date: DATE, timedelta: DURATION, time: TIME}
DTYPES = {"M": DATE, "m": DURATION}  # by the kind of a NumPy type
T = TypeVar("T")
EMPTY = "empty"  # all cells missing, and no type that says what they would be
OTHER = "other"  # what we cannot read, and need not if it is ignored


@dataclass(frozen=True)
class Column:
    """One column as it was found; `values` and `encoded` read it."""

    type: str
    rows: int
    values: Callable[[], Values]  # numbers (N,)
    encoded: Callable[[], Encoded]
    spelled: str | None = None  # the temporal type whose values are written out as its levels

    def take(self, rows: Codes) -> "Column":
        """Some of the rows."""
        return Column(self.type, len(rows), lambda: self.values()[rows], lambda: self.encoded().take(rows))

    def undeclared(self) -> "Column":
        """The same cells, whose type names no levels: some may be met elsewhere only."""
        return replace(self, encoded=once(lambda: replace(self.encoded(), declared=False)))


def column_of(values: Values, name: str) -> Column:
    """A numpy column; one of objects is judged by what it holds."""
    if values.ndim != 1:
        return odd_column(name, len(values) if values.ndim else 0, ["list"])
    kind, rows = values.dtype.kind, len(values)
    if kind in "fiu":
        return Column(NUMBER if kind == "f" else INTEGER, rows, lambda: values, once(lambda: encoded_values(values)))
    if kind == "b":
        return Column(BOOLEAN, rows, unreadable, lambda: encoded_values(values))
    if kind == "U":
        return Column(TEXT, rows, unreadable, once(lambda: encoded_texts(values)))
    if kind in DTYPES:
        return Column(DTYPES[kind], rows, unreadable, unreadable)
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
    for types, temporal in OBJECTS.items():
        if all(isinstance(level, types) for level in found.levels):
            return Column(temporal, rows, unreadable, unreadable)
    if all(isinstance(level, int | float) and not isinstance(level, bool) for level in found.levels):
        whole = all(isinstance(level, int) for level in found.levels)
        numbers = once(lambda: np.array([*map(as_float, found.levels), np.nan])[found.codes])
        return Column(INTEGER if whole else NUMBER, rows, numbers, lambda: found)
    return odd_column(name, rows, sorted({type(level).__name__ for level in found.levels}))


def odd_column(name: str, rows: int, types: Sequence[str]) -> Column:
    """A column that is an error as soon as it is asked for."""

    def refuse() -> NoReturn:
        raise TableTypeError(
            f"Column '{name}': the argument must be a string or a number in every cell, and the same throughout; found "
            f"cells of types {', '.join(types)}. Convert it, or declare it 'ignore'."
        )

    return Column(OTHER, rows, refuse, refuse)


def once(read: Callable[[], T]) -> Callable[[], T]:
    """The same answer, worked out when it is first asked for."""
    kept: list[T] = []

    def answer() -> T:
        if not kept:
            kept.append(read())
        return kept[0]

    return answer


def unreadable() -> NoReturn:
    raise TableError("This column holds no numbers.")


def are_rows(data: Any) -> bool:
    """Whether it is a list of rows as dicts, {column: cell}."""
    return isinstance(data, list | tuple) and bool(data) and isinstance(data[0], Mapping)


def columns_of_rows(rows: Sequence[Any]) -> dict[Any, list[Any]]:
    """Columns of rows that are dicts, in the order in which they are first met; what a row lacks is missing."""
    odd = next((place for place, row in enumerate(rows) if not isinstance(row, Mapping)), None)
    if odd is not None:
        raise TableTypeError(
            f"The first row is a dict, {{column: cell}}, but row {odd} is {type(rows[odd]).__name__}. Give rows that "
            "are all dicts, or a list for each column."
        )
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}
