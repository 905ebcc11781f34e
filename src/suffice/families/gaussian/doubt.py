"""How much rounding may be in a scatter: what is left of its digits when rows have been taken away.

In:  records as they were collected, whose scatter is right to about thirteen digits.
Out: Doubt, which adds and subtracts as the records do. A record that was added and is taken away again takes its
     rounding with it, to the last digit. Rows that come off in another grouping than they were collected in do not:
     then the doubt of a large scatter stays behind, though large scatters may have cancelled.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from suffice.arrays import Array
from suffice.families.twofold import COLLECTED, Twofold, exact, scrambled

MERGED = 2.0**-102  # of what is merged: rounding in twofold arithmetic
SMALLEST = 2.0**-1070  # about the smallest float


@dataclass(frozen=True, eq=False)
class Doubt:
    total: Twofold  # (K, D) Σ of what each collect leaves open
    sealed: Twofold  # (K, D) the same, each times a number of its own between ½ and 1: it tells collects apart
    merging: Array  # (K, D) rounding of merges so far, which nothing takes away again

    @classmethod
    def of(cls, seen: Array, mean: Twofold, squares: Array) -> "Doubt":
        """What a record as it was collected leaves open; rows in another order are another one, by its last bit."""
        left_open, own = COLLECTED * squares, scrambled(squares, mean.high, mean.low, seen)
        return cls(exact(left_open), exact(left_open * (0.5 + 0.5 * own)), np.zeros_like(seen))

    def __add__(self, other: "Doubt") -> "Doubt":
        return Doubt(self.total + other.total, self.sealed + other.sealed, self.merging + other.merging)

    def __sub__(self, other: "Doubt") -> "Doubt":
        return Doubt(self.total - other.total, self.sealed - other.sealed, self.merging + other.merging)

    def after(self, mass: Array, between: Array, size: Array, whole: Array) -> "Doubt":
        """With the rounding of one merge, of means of that size and of the whole sums of squares."""
        new = MERGED * (whole + between + np.sqrt(mass * between) * size) + SMALLEST
        return replace(self, merging=self.merging + new)

    def bound(self) -> Array:
        """At least the error of each sum of squares. Were all that is left whole collects, `sealed` were below `total`;
        where it is not, they are the rests of large ones.
        """  # (K, D)
        return np.asarray(np.maximum(np.abs(self.total.high), 2 * np.abs(self.sealed.high)) + self.merging)

    def varied(self) -> NDArray[np.bool_]:
        """Whether a collect that is left varied by itself."""
        return np.asarray(self.sealed.high != 0)
