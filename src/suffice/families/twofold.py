"""Twofold numbers: two floats, high + low, which hold some thirty digits: what records that are kept add up in.

In:  floats, or twofold numbers.
Out: sums, products and quotients right to about 2⁻¹⁰⁴, by the algorithms of Dekker and Knuth, on whatever scale: only a
     low part below the smallest float is lost.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.arrays import Array

COLLECTED = 2.0**-44  # of a sum: rounding in one collect
SPLITTER = float(2**27 + 1)


@dataclass(frozen=True, eq=False)
class Twofold:
    high: Array
    low: Array

    @classmethod
    def sum(cls, a: Array, b: Array) -> "Twofold":
        """The sum of floats, with nothing lost."""
        high = np.asarray(a + b)
        other = high - a
        return cls(high, (a - (high - other)) + (b - other))

    @classmethod
    def product(cls, a: Array, b: Array) -> "Twofold":
        """The product of floats, with nothing lost."""
        (a, a_power), (b, b_power) = np.frexp(a), np.frexp(b)  # so that splitting neither overflows nor underflows
        high, power = np.asarray(a * b), a_power + b_power
        (a_high, a_low), (b_high, b_low) = _split(a), _split(b)
        low = ((a_high * b_high - high) + (a_high * b_low + a_low * b_high)) + a_low * b_low
        return cls(np.ldexp(high, power), np.ldexp(low, power))

    def __neg__(self) -> "Twofold":
        return Twofold(-self.high, -self.low)

    def __add__(self, other: "Twofold") -> "Twofold":
        high, low = Twofold.sum(self.high, other.high), Twofold.sum(self.low, other.low)
        first = _in_order(high.high, high.low + low.high)
        return _in_order(first.high, first.low + low.low)

    def __sub__(self, other: "Twofold") -> "Twofold":
        return self + -other

    def __mul__(self, other: "Twofold") -> "Twofold":
        exact = Twofold.product(self.high, other.high)
        return _in_order(exact.high, exact.low + (self.high * other.low + self.low * other.high))

    def __truediv__(self, other: "Twofold") -> "Twofold":
        """Long division, three digits of a float each; nothing over nothing is nothing."""
        divisor = Twofold(np.where(other.high == 0, 1.0, other.high), other.low)
        rest, total = self, Twofold(np.zeros_like(self.high), np.zeros_like(self.high))
        for _ in range(3):
            digit = Twofold(np.asarray(rest.high / divisor.high), np.zeros_like(rest.high))
            rest, total = rest - digit * divisor, total + digit
        return total.where(other.high != 0, 0.0)

    def where(self, condition: NDArray[np.bool_], otherwise: float) -> "Twofold":
        return Twofold(np.where(condition, self.high, otherwise), np.where(condition, self.low, 0.0))

    def __getitem__(self, index: Any) -> "Twofold":
        return Twofold(self.high[index], self.low[index])


def _in_order(high: Array, low: Array) -> Twofold:
    """The same number with nothing in low that high has room for."""
    total = high + low
    return Twofold(total, low - (total - high))


def _split(a: Array) -> tuple[Array, Array]:
    """Two halves of the digits, whose products with such halves are exact."""
    wide = SPLITTER * a
    high = wide - (wide - a)
    return high, a - high


def exact(values: Array) -> Twofold:
    return Twofold(values, np.zeros_like(values))


def scrambled(*arrays: Array) -> Array:
    """A number from 0 to 1 that looks like chance, and changes with any digit of any array."""
    mixed = np.zeros(arrays[0].shape, dtype=np.uint64)
    for array in arrays:
        mixed = (mixed ^ np.ascontiguousarray(array, dtype=float).view(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return np.asarray((mixed >> np.uint64(11)) * 2.0**-53)
