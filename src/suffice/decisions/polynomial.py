"""Stage 4, a polynomial of second degree as text, with as many digits as its surface needs.

In:  coefficients around a centre, exactly as they are; the spread of each column; how far off the text may be.
Out: text around 0, in the names of the columns. Far from 0 the terms cancel, so that each needs more digits than five.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from math import prod

import numpy as np

from suffice.arrays import Array

FEWEST, MOST = 5, 60  # digits of a coefficient
NOTHING = 1e-9  # of the tolerance: what rounding leaves of a term that cancels
REACH = 5  # spreads around the centre within which a text has to be right
Powers = tuple[int, ...]  # (i, j) stands for x_i x_j, (i,) for x_i, () for the constant


@dataclass(frozen=True, eq=False)
class Polynomial:
    terms: Mapping[Powers, Fraction]  # around 0
    centre: Array  # (D,) where it has to be right
    spread: Array  # (D,) and how far around there

    def divided(self, by: Fraction, without: Powers) -> "Polynomial":
        """What one of the terms is equal to."""
        rest = {powers: c / by for powers, c in self.terms.items() if powers != without}
        return Polynomial(rest, self.centre, self.spread)

    def written(self, tolerance: float, name: Callable[[int], str], square: str, product: str) -> str:
        """With so many digits that it is off by no more than the tolerance anywhere near the centre."""
        kept = {p: c for p, c in self.terms.items() if self._weight(p, c) > NOTHING * tolerance} or {(): Fraction(0)}
        digits = FEWEST
        while True:
            texts = {powers: _rounded(c, digits) for powers, c in kept.items()}
            off = self._off({powers: float(Fraction(texts[powers]) - c) for powers, c in kept.items()})
            if off <= tolerance or digits >= MOST:
                return _joined([(text, _product(powers, name, square, product)) for powers, text in texts.items()])
            digits = min(MOST, digits + max(1, int(np.ceil(np.log10(off / tolerance)))))

    def _weight(self, powers: Powers, coefficient: Fraction) -> float:
        """How much a term comes to near the centre, at most."""
        return prod((abs(self.centre[i]) + REACH * self.spread[i] for i in powers), start=abs(float(coefficient)))

    def _off(self, wrong: Mapping[Powers, float]) -> float:
        """How much coefficients that are wrong by so much change the polynomial near the centre, at most."""
        c, s = self.centre, REACH * self.spread
        level, slope, off = wrong.get((), 0.0), np.zeros(len(c)), 0.0
        for powers, error in wrong.items():
            if len(powers) == 1:
                level += error * c[powers[0]]
                slope[powers[0]] += error
            elif powers:
                i, j = powers
                level += error * c[i] * c[j]
                slope[i] += error * c[j]
                slope[j] += error * c[i]
                off += abs(error) * s[i] * s[j]
        return float(off + abs(level) + np.abs(slope) @ s)


def around_zero(centre: Array, curvature: Array, slope: Array, level: float, spread: Array) -> Polynomial:
    """Expanded without rounding: level + slopeᵀ(x − c) + (x − c)ᵀ W (x − c)."""
    d = range(len(centre))
    c, b = (tuple(Fraction(float(value)) for value in values) for values in (centre, slope))
    w = [[Fraction(float(curvature[i, j])) for j in d] for i in d]
    terms: dict[Powers, Fraction] = {(i, j): w[i][j] * (1 if i == j else 2) for i in d for j in d if i <= j}
    terms |= {(i,): b[i] - 2 * sum((w[i][j] * c[j] for j in d), Fraction(0)) for i in d}
    constant = sum((w[i][j] * c[i] * c[j] for i in d for j in d), Fraction(level))
    return Polynomial(terms | {(): constant - sum((b[i] * c[i] for i in d), Fraction(0))}, centre, spread)


def _rounded(value: Fraction, digits: int) -> str:
    if digits <= 15:
        return f"{float(value):.{digits}g}"
    with localcontext(prec=digits):
        return str(Decimal(value.numerator) / Decimal(value.denominator)).lower()


def _product(powers: Powers, name: Callable[[int], str], square: str, product: str) -> str:
    squared = len(powers) == 2 and powers[0] == powers[1]
    names = [name(powers[0]) + square] if squared else [name(i) for i in powers]
    return "".join(product + each for each in names)


def _joined(terms: list[tuple[str, str]]) -> str:
    """Signs between the terms, and before the first only where it is a minus."""
    text = " ".join(f"{'−' if text.startswith('-') else '+'} {text.removeprefix('-')}{rest}" for text, rest in terms)
    return f"−{text.removeprefix('− ')}" if text.startswith("−") else text.removeprefix("+ ")
