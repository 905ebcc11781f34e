"""Sums that come off again: floats, and beside them what floats cannot hold, so that light rows outlive heavy ones.

In:  arrays of sums by name; those of weights are masses, never below 0, and rows tell where nothing is left.
Out: Sums, which add to some thirty digits; what was added comes off again. Whole numbers are exact without.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from suffice.arrays import Array
from suffice.errors import FileError, NotInSummaryError
from suffice.families.rows import Rows
from suffice.families.twofold import Twofold

Low = Mapping[str, Array] | None  # what floats could not hold, by name, where there is any; None: floats are enough
Mask = NDArray[np.bool_]
WHOLE = 2.0**53  # up to where floats have every whole number
SUBTRACTION_ERROR = 1e-9  # of the minuend: what rounding can leave behind, with room to spare
NOT_THERE = (
    "These rows are not in this summary: taking them away would leave a count below 0 ({least:.3g}). Subtract only "
    "rows that were added before, with the same weights."
)


@dataclass(frozen=True, eq=False)
class Sums:
    high: Mapping[str, Array]
    low: Low = None

    def __getitem__(self, name: str) -> Twofold:
        high = self.high[name]
        found = (self.low or {}).get(name)
        return Twofold(high, np.zeros_like(high) if found is None else found)

    def __add__(self, other: "Sums") -> "Sums":
        if self.low is None or other.low is None:
            return Sums({name: part + other.high[name] for name, part in self.high.items()})
        return _of({name: self._plus(other, name) for name in self.high})

    def _plus(self, other: "Sums", name: str) -> Twofold:
        assert self.low is not None
        assert other.low is not None
        if name in self.low or name in other.low:
            return self[name] + other[name]
        return Twofold.sum(self.high[name], other.high[name])

    def less(self, other: "Sums", none: Mapping[str, Mask] | None, masses: tuple[str, ...]) -> "Sums":
        """What is left; `none` says, where rows are known, in which entries none is: what is there is rounding."""
        rest = {name: self._minus(other, name) for name in self.high}
        for name in masses:
            rest[name] = _mass(rest[name], self.high[name], other.high[name], (none or {}).get(name))
        return Sums({n: p.high for n, p in rest.items()}) if self._plain(other) else _of(rest)

    def _plain(self, other: "Sums") -> bool:
        return self.low is None or other.low is None

    def _minus(self, other: "Sums", name: str) -> Twofold:
        if self._plain(other):
            high = self.high[name] - other.high[name]
            return Twofold(high, np.zeros_like(high))
        return self[name] - other[name]

    def without(self, names: Mapping[str, Mask]) -> "Sums":
        """With 0 in some entries."""
        return self.each(lambda name, part: np.where(names[name], 0.0, part) if name in names else part)

    def agrees(self, other: "Sums", none: Mapping[str, Mask], masses: tuple[str, ...]) -> bool:
        """Whether nothing but rounding is left where there are no rows."""
        known = [name for name in masses if name in none]
        rests = ((name, self._minus(other, name).high, _rounding(self.high[name], other.high[name])) for name in known)
        return not any((none[name] & (rest > bound)).any() for name, rest, bound in rests)

    def each(self, change: Callable[[str, Array], Array]) -> "Sums":
        high, low = (
            {name: change(name, part) for name, part in parts.items()} for parts in (self.high, self.low or {})
        )
        return Sums(high, None if self.low is None else low)

    def arrays(self) -> dict[str, Array]:
        """All of them, by name; what floats could not hold behind them."""
        return {**self.high, **{f"{name}_low": part for name, part in (self.low or {}).items()}}


def restored_low(arrays: Mapping[str, Array], names: tuple[str, ...]) -> dict[str, Array]:
    """What is beside the sums of a file, which must be small beside them."""
    low = {name: arrays[f"{name}_low"] for name in names if f"{name}_low" in arrays}
    if any((np.abs(part) > 1e-15 * np.abs(arrays[name])).any() for name, part in low.items()):
        raise FileError("The file holds sums that do not fit together.")
    return low


def _of(parts: Mapping[str, Twofold]) -> Sums:
    return Sums({n: part.high for n, part in parts.items()}, {n: p.low for n, p in parts.items() if p.low.any()})


def _mass(rest: Twofold, whole: Array, part: Array, none: Mask | None) -> Twofold:
    """A mass of what is left: 0 where no row is, or where nothing but rounding may be and nobody has counted rows."""
    bound = _rounding(whole, part)
    if (rest.high < -bound).any():
        raise NotInSummaryError(NOT_THERE.format(least=rest.high.min()))
    gone = rest.high <= bound if none is None else none | (rest.high <= 0)
    return rest.where(~gone, 0.0)


def _rounding(whole: Array, part: Array) -> Array:
    """What rounding can leave of a mass; whole numbers are exact."""
    rounded = (whole % 1 != 0) | (part % 1 != 0) | (whole > WHOLE)
    return np.where(rounded, SUBTRACTION_ERROR * np.abs(whole), 0.0)


def taken_off(
    whole: tuple[Sums, Rows | None],
    part: tuple[Sums, Rows | None],
    none: Callable[[Rows], Mapping[str, Mask]],
    masses: tuple[str, ...],
) -> tuple[Sums, Rows | None]:
    """What is left of sums and of the rows behind them.

    `none` says where no row is left. Where weights say otherwise, as when half the weight of a row is taken away,
    nobody knows how many rows there are.
    """
    (mine, rows), (theirs, others) = whole, part
    left = None if rows is None else rows.less(others)
    where = None if left is None else none(left)
    if where is not None and not mine.agrees(theirs, where, masses):
        left, where = None, None
    return mine.less(theirs, where, masses), left


def joined_low(mine: Low, theirs: Low) -> Low:
    """Of blocks of one collect, which are joined in floats."""
    return None if mine is None or theirs is None else {}


def none_left(left: Rows) -> dict[str, Mask]:
    """Where no row is left, of records by column."""
    return {"weight": left.of == 0, "seen": left.behind == 0}


def taken_away(whole: Array, part: Array) -> Array:
    """Whole − part in floats: below zero by rounding is zero, and what is further below was never in there."""
    return _mass(Twofold(whole - part, np.zeros_like(whole)), whole, part, None).high
