"""How two records of moments become one, and how one is taken off again: Chan, Golub and LeVeque.

In:  mass, mean and scatter of both, in floats or in twofold numbers: the rule is the same.
Out: mass, mean and scatter of both together, or of what is left.

Twofold numbers are two floats, high + low, which together hold some thirty digits: what records that are kept add up
in. Sums, products and quotients are right to about 2⁻¹⁰⁴, by the algorithms of Dekker and Knuth, on whatever scale:
only a low part below the smallest float is lost.
"""

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from suffice.arrays import Array, ratio

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


Number = TypeVar("Number", Array, Twofold)


def together(
    mine: tuple[Number, Number, Number], theirs: tuple[Number, Number, Number], crosswise: bool
) -> tuple[Number, Number, Number, Number]:
    """Mass, mean and scatter of both, and how much of the scatter is between them."""
    seen, mean, between = merged(mine[0], mine[1], theirs[0], theirs[1], crosswise)
    return seen, mean, mine[2] + theirs[2] + between, between


def apart(
    mine: tuple[Number, Number, Number],
    theirs: tuple[Number, Number, Number],
    left: NDArray[np.bool_],
    crosswise: bool,
) -> tuple[Number, Number, Number, Number, Number]:
    """The same of what is left of mine without theirs, and the mass by which the scatter between them counted."""
    (mass, mean, scatter), (gone, their_mean, their_scatter) = mine, theirs
    seen, off = where(left, mass - gone, 0.0), mean - their_mean
    moved = gone * where(left, divided(mass, seen), 1.0)  # where nothing is left, the two means must be one
    between = weighed(squared(off, crosswise), moved)
    kept = where(left, mean + divided(gone, seen) * off, 0.0)
    return seen, kept, scatter - their_scatter - between, between, moved


def merged(
    mass_a: Number, mean_a: Number, mass_b: Number, mean_b: Number, crosswise: bool
) -> tuple[Number, Number, Number]:
    """Mass and mean of both, (K, D), and the scatter between them, (K, D) or (K, D, D)."""
    mass, off = mass_a + mass_b, mean_b - mean_a
    share = divided(mass_b, mass)
    return mass, mean_a + share * off, weighed(squared(off, crosswise), mass_a * share)


def squared(deviations: Number, crosswise: bool) -> Number:
    """Squares of deviations, or their outer products: whichever the scatter holds."""  # (K, D) → (K, D) or (K, D, D)
    return deviations[:, :, None] * deviations[:, None, :] if crosswise else deviations * deviations


def weighed(squares: Number, mass: Number) -> Number:
    """Squares or outer products times the mass of each column; columns modelled together have the same."""
    high = squares.high if isinstance(squares, Twofold) else squares
    return squares * (mass if high.ndim == 2 else mass[:, :, None])


def divided(a: Number, b: Number) -> Number:
    """The quotient; nothing over nothing is nothing."""
    return a / b if isinstance(a, Twofold) else ratio(a, b)


def where(condition: NDArray[np.bool_], number: Number, otherwise: float) -> Number:
    if isinstance(number, Twofold):
        return number.where(condition, otherwise)
    return np.where(condition, number, otherwise)
