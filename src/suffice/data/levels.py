"""Levels of categories: distinct values in sorted order, and codes that point at them.

In:  numbers or Python objects of one column.
Out: Encoded. Sorted order makes two summaries of other rows agree without talking to each other; whole floats become
     integers, because a column of integers turns into floats as soon as a cell is missing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from suffice.arrays import Codes
from suffice.errors import TableTypeError

MISSING, UNSEEN = -1, -2  # codes of a missing cell, and of a level that a model does not know


@dataclass(frozen=True, eq=False)
class Encoded:
    codes: Codes  # (N,), −1 where missing
    levels: tuple[Any, ...]
    declared: bool = False  # whether the type of the column says which levels there are, met or not

    def take(self, rows: Codes) -> "Encoded":
        """Some of the rows, with the levels that are met in them."""
        codes = self.codes[rows]
        if self.declared:
            return Encoded(codes, self.levels, True)
        present = np.unique(codes[codes >= 0])
        rank = np.full(len(self.levels) + 1, MISSING, dtype=np.intp)
        rank[present] = np.arange(len(present))
        return Encoded(rank[codes], tuple(self.levels[code] for code in present))


def encoded_values(values: np.ndarray[Any, Any]) -> Encoded:
    """Numbers or booleans; NaN is missing."""
    if values.dtype.kind == "b":
        return Encoded(values.astype(np.intp), (False, True), declared=True)
    if values.dtype.kind in "iu" and len(values):
        first, last = int(values.min()), int(values.max())
        if last - first < len(values) and last <= np.iinfo(np.intp).max:
            return _numbered(values, first, last - first + 1)
    known = ~np.isnan(values) if values.dtype.kind == "f" else np.ones(len(values), bool)
    levels, codes = np.unique(values[known], return_inverse=True)
    out = np.full(len(values), -1, dtype=np.intp)
    out[known] = codes
    return Encoded(out, tuple(plain(level) for level in levels.tolist()))


def _numbered(values: np.ndarray[Any, Any], first: int, span: int) -> Encoded:
    """Integers that lie close together, without sorting them."""
    off = values.astype(np.intp, copy=False) - first if first else values.astype(np.intp, copy=False)
    met = np.bincount(off, minlength=span) > 0
    levels = tuple((np.flatnonzero(met) + first).tolist())
    return Encoded(off if met.all() else (np.cumsum(met) - 1)[off], levels)


def encoded_objects(values: list[Any]) -> Encoded:
    """Python objects of any one type; codes in order of appearance unless they can be sorted."""
    found: dict[Any, int] = {}
    codes = [MISSING if missing(value) else found.setdefault(plain(value), len(found)) for value in values]
    return in_order(Encoded(np.asarray(codes, dtype=np.intp), tuple(found)))


def in_order(found: Encoded) -> Encoded:
    """The same column with its levels sorted; levels that cannot be compared keep their order."""
    try:
        order = sorted(range(len(found.levels)), key=found.levels.__getitem__)
    except TypeError:
        return found
    if order == list(range(len(order))):
        return found
    rank = np.empty(len(order) + 1, dtype=np.intp)
    rank[order], rank[-1] = np.arange(len(order)), -1
    return Encoded(rank[found.codes], tuple(found.levels[i] for i in order), found.declared)


def union(first: Iterable[Any], second: Iterable[Any]) -> tuple[Any, ...]:
    """All levels of both, sorted."""
    return tuple(sorted(set(of_one_type([*first, *second]))))


def of_one_type(levels: Sequence[Any]) -> Sequence[Any]:
    """The levels, refused if some are text and others numbers or booleans."""
    kinds = {bool: "boolean", str: "text"}
    types = sorted({kinds.get(type(level), "number") for level in levels})
    if len(types) > 1:
        raise TableTypeError(f"Classes, and levels of a column, must be of one type; found {' and '.join(types)}.")
    return levels


def missing(value: Any) -> bool:
    return (
        value is None
        or type(value).__name__ in ("NAType", "NaTType")
        or (isinstance(value, float | np.floating | Decimal) and bool(value != value))
    )


def plain(value: Any) -> Any:
    """A Python value: numpy scalars unwrapped, whole floats as integers."""
    if isinstance(value, np.generic):
        value = value.item()
    return int(value) if isinstance(value, float) and value.is_integer() else value
