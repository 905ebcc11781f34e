"""How two records of moments become one, and how one is taken off again: Chan, Golub and LeVeque.

In:  mass, mean and scatter of both, in floats or in twofold numbers: the rule is the same.
Out: mass, mean and scatter of both together, or of what is left.
"""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from suffice.arrays import Array, ratio
from suffice.families.twofold import Twofold

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
