"""Levels of categories: distinct values in sorted order, and codes that point at them.

In:  numbers or Python objects of one column.
Out: Encoded. Sorted order makes two summaries of other rows agree without talking to each other; whole floats become
     integers, because a column of integers turns into floats as soon as a cell is missing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from numbers import Number
from typing import Any, Protocol

import numpy as np

from suffice.arrays import MISSING, Codes, Values
from suffice.errors import FileError, TableTypeError

CLOSE = 2.0**62  # whole numbers below it are codes as they are
MIXER = np.uint64(0x9E3779B97F4A7C15)  # odd and without a pattern, so that different texts have different numbers
TRUTH = {bool, np.bool_}
KEPT_BY_NUMPY = (bool, int, str)  # types of which an array holds the very values, if they are all of one


class Level(Protocol):
    """A category or a class: text, a number, a truth value, or whatever else has an order and a hash."""

    def __hash__(self) -> int: ...

    def __lt__(self, other: Any, /) -> bool: ...


Levels = tuple[Level, ...]


@dataclass(frozen=True, eq=False)
class Encoded:
    codes: Codes  # (N,), −1 where missing
    levels: Levels
    declared: bool = False  # whether the type of the column says which levels there are, met or not

    def take(self, rows: Codes) -> "Encoded":
        """Some of the rows, with the levels that are met in them."""
        some = replace(self, codes=self.codes[rows])
        return some if self.declared else some.met()

    def met(self) -> "Encoded":
        """The same cells, with the levels that are met in them."""
        present = np.flatnonzero(np.bincount(self.codes + 1, minlength=len(self.levels) + 1)[1:])
        if len(present) == len(self.levels):
            return replace(self, declared=False)
        rank = np.full(len(self.levels) + 1, MISSING, dtype=np.intp)
        rank[present] = np.arange(len(present))
        return Encoded(rank[self.codes], tuple(self.levels[code] for code in present))


def encoded_values(values: Values) -> Encoded:
    """Numbers or booleans; NaN is missing."""
    if values.dtype.kind == "b":
        return Encoded(values.astype(np.intp), (False, True), declared=True)
    known = ~np.isnan(values) if values.dtype.kind == "f" else None
    if known is None or known.all():
        return _encoded(values)
    found = _encoded(values[known])
    codes = np.full(len(values), MISSING, dtype=np.intp)
    codes[known] = found.codes
    return Encoded(codes, found.levels)


def _encoded(values: Values) -> Encoded:
    """Numbers of which none is missing."""
    if len(values):
        first, last = values.min().item(), values.max().item()
        near = first > -CLOSE and last < CLOSE and int(last) - int(first) < len(values)
        if near and (values.dtype.kind in "iu" or (values == np.rint(values)).all()):
            return _numbered(values, int(first), int(last) - int(first) + 1)
    levels, codes = np.unique(values, return_inverse=True)
    return Encoded(codes.astype(np.intp, copy=False), tuple(plain(level) for level in levels.tolist()))


def _numbered(values: Values, first: int, span: int) -> Encoded:
    """Whole numbers that lie close together, without sorting them."""
    off = values.astype(np.intp, copy=False) - first if first else values.astype(np.intp, copy=False)
    met = np.bincount(off, minlength=span) > 0
    levels = tuple((np.flatnonzero(met) + first).tolist())
    return Encoded(off if met.all() else (np.cumsum(met) - 1)[off], levels)


def encoded_texts(texts: Values) -> Encoded:
    """Texts of one width, told apart by a number made of their characters."""
    characters = np.ascontiguousarray(texts)
    words = characters.view(np.uint64 if characters.itemsize % 8 == 0 else np.uint32).reshape(len(texts), -1)
    sums = words[:, 0].astype(np.uint64)
    for word in words.T[1:]:
        sums *= MIXER
        sums ^= word
    numbers = np.unique(sums)
    codes = np.searchsorted(numbers, sums)
    row = np.empty(len(numbers), dtype=np.intp)  # some row that has the code
    row[codes] = np.arange(len(codes))
    if not np.array_equal(characters[row][codes], characters):  # two texts of one number
        return encoded_objects(texts.tolist())
    return in_order(Encoded(codes, tuple(characters[row].tolist())))


def encoded_objects(values: list[Any]) -> Encoded:
    """Python objects of any one type; codes in order of appearance unless they can be sorted."""
    try:
        distinct = dict.fromkeys(values)
    except TypeError:  # a cell without a hash; a signalling NaN is missing all the same
        values = [None if missing(value) else value for value in values]
        distinct = dict.fromkeys(values)
    if True in distinct or False in distinct:  # which are keys as 1 and 0 are
        _refuse_truth_among_numbers(values)
    place = dict(zip(distinct, range(len(distinct)), strict=True))
    codes = np.fromiter(map(place.__getitem__, values), np.intp, len(values))
    found: dict[Any, int] = {}
    rank = [MISSING if missing(value) else found.setdefault(plain(value), len(found)) for value in distinct]
    return in_order(Encoded(np.array(rank, dtype=np.intp)[codes], tuple(found)))


def _refuse_truth_among_numbers(values: list[Any]) -> None:
    types = set(map(type, values))
    if types & TRUTH and any(issubclass(t, Number) for t in types - TRUTH):
        types = {type(value) for value in values if not missing(value)}
        if types - TRUTH:
            raise TypeError("truth values and numbers")


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


def union(first: Iterable[Level], second: Iterable[Level]) -> Levels:
    """All levels of both, sorted."""
    return tuple(sorted(set(of_one_type([*first, *second]))))


def of_one_type(levels: Sequence[Level]) -> Sequence[Level]:
    """The levels, refused if some are text and others numbers or booleans."""
    kinds = {bool: "boolean", str: "text"}
    types = sorted({kinds.get(type(level), "number") for level in levels})
    if len(types) > 1:
        raise TableTypeError(f"Classes, and levels of a column, must be of one type; found {' and '.join(types)}.")
    return levels


def missing(value: Any) -> bool:
    return not isinstance(value, str) and (
        value is None
        or type(value).__name__ in ("NAType", "NaTType")
        or (isinstance(value, float | np.floating) and bool(value != value))
        or (isinstance(value, Decimal) and value.is_nan())
    )


def plain(value: Any) -> Any:
    """A Python value: numpy scalars unwrapped, numbers as integers if they are whole, else as floats."""
    if type(value) is str:  # most are
        return value
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Decimal | Fraction | np.longdouble):
        value = _integer_or_float(value)
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _integer_or_float(value: Decimal | Fraction | np.longdouble) -> int | float:
    if isinstance(value, Decimal) and value.is_nan():  # a signalling one is no float
        return float("nan")
    if isinstance(value, Decimal | np.longdouble) and value in (np.inf, -np.inf):
        return float(value)
    above, below = value.as_integer_ratio()
    return int(above) if below == 1 else as_float(value)


def as_float(number: Any) -> float:
    """A number as a float, infinite where it is too large for one."""
    try:
        return float(number)
    except OverflowError:
        return np.inf if number > 0 else -np.inf


def names_of_file(data: object) -> Levels:
    """Classes or levels as a file lists them: each once, in sorted order."""
    if not isinstance(data, list | tuple) or not {type(name) for name in data} <= {str, int, float, bool}:
        raise FileError(f"The classes or levels of the file are no list of names: {data!r:.100}.")
    names = tuple(data)
    if len(set(names)) != len(names) or union(names, ()) != names:
        raise FileError(f"The classes or levels of the file are not in order: {data!r:.100}.")
    return names


def array_of(names: Sequence[Level]) -> Values:
    """Names in an array that gives back each as it is: of Python objects, where they are not all of one type."""
    alike = {type(name) for name in names}
    if len(alike) == 1 and alike < set(KEPT_BY_NUMPY):
        held = np.array(names)
        if held.dtype.kind != "f" and held.tolist() == list(names):  # no integer too large, no text that ends in NUL
            return held
    out = np.empty(len(names), dtype=object)
    for place, name in enumerate(names):  # one by one: a tuple is a name, not several
        out[place] = name
    return out
