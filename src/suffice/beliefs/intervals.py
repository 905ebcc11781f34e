"""Intervals of a belief about one number.

In:  a frozen scipy distribution, and how much of it the interval should hold.
Out: two ends: with equal tails, or the shortest, which is where the density is highest.
"""

import numpy as np
from scipy.optimize import brentq

from suffice.families.protocol import Distribution
from suffice.options import number

STEEP = 1e3  # nats: beyond this it no longer matters how much one end is better than the other


def equal_tailed(distribution: Distribution, level: float) -> tuple[float, float]:
    tail = (1 - checked(level)) / 2
    return float(distribution.ppf(tail)), float(distribution.isf(tail))


def highest_density(distribution: Distribution, level: float) -> tuple[float, float]:
    """Both ends equally likely; where the density only falls, or only rises, the interval starts at that end.

    A density that rises towards both ends has no one such interval; the shorter of those two is given.
    """
    last = 1 - checked(level)

    def ends(below: float) -> tuple[float, float]:
        return float(distribution.ppf(below)), float(distribution.isf(last - below))

    def height(end: float) -> float:
        return -STEEP if np.isinf(end) else float(np.clip(distribution.logpdf(end), -STEEP, STEEP))

    def gain(below: float) -> float:
        """How much likelier the upper end is: an interval should move up while it is."""
        lower, upper = ends(below)
        return height(upper) - height(lower)

    if gain(0.0) > 0 > gain(last):
        return ends(brentq(gain, 0.0, last, xtol=1e-16, rtol=1e-14))
    return min(ends(0.0), ends(last), key=lambda pair: pair[1] - pair[0])


def checked(level: float) -> float:
    return number(
        level, ("level must be the probability of an interval, above 0 and below 1"), lambda share: 0 < share < 1
    )
