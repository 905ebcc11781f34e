"""Directions: the additive record of angles, sums of cosines and sines.

In:  sums over the rows of each component.
Out: what a von Mises belief adds to itself: the resultant Σ e^(ix), whose angle is the mean direction.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from suffice.arrays import Array, Codes, Complex, close, placed, ratio
from suffice.errors import FileError, NotInSummaryError
from suffice.families.counts import SUBTRACTION_ERROR, checked, taken_away
from suffice.families.protocol import Statistics

ROUNDING = (
    1e-12  # of the mass of the rows: a resultant shorter than that points nowhere, one that lacks less is of one angle
)


@dataclass(frozen=True, eq=False)
class Directions(Statistics):
    weight: Array  # (K,)
    seen: Array  # (K, D) mass of the rows in which the column is not missing
    cosines: Array  # (K, D)
    sines: Array  # (K, D)

    @property
    def resultant(self) -> Complex:
        """Where opposite angles cancel it is 0, not what rounding leaves of them."""
        found = self.cosines + 1j * self.sines
        return np.where(np.abs(found) > ROUNDING * self.seen, found, 0.0)

    def __add__(self, other: "Directions") -> "Directions":
        pairs = zip(self.arrays().values(), other.arrays().values(), strict=True)
        return Directions(*(mine + theirs for mine, theirs in pairs))

    def __sub__(self, other: "Directions") -> "Directions":
        """A resultant is never longer than the mass of its rows; one that is was not made of these rows."""
        weight, seen = taken_away(self.weight, other.weight), taken_away(self.seen, other.seen)
        rest = np.where(seen > 0, self.resultant - other.resultant, 0.0)
        if np.any(np.abs(rest) > seen + SUBTRACTION_ERROR * self.seen):
            raise NotInSummaryError(
                "These rows are not in this summary: taking them away would leave impossible angles. "
                "Subtract only rows that were added before, with the same weights."
            )
        return Directions(weight, seen, rest.real, rest.imag)

    def alike(self, other: "Directions", tolerance: float) -> bool:
        """Whether masses agree, and sums of cosines and sines to what the mass behind them allows."""
        masses = close(self.weight, other.weight, tolerance) and close(self.seen, other.seen, tolerance)
        return masses and bool(np.all(np.abs(self.resultant - other.resultant) <= tolerance * self.seen))

    @classmethod
    def restored(cls, arrays: Mapping[str, Array], components: int, columns: int) -> "Directions":
        """From `arrays`, refusing what cannot be sums of cosines and sines."""
        wide = (components, columns)
        found = cls(**checked(arrays, {"weight": (components,), "seen": wide, "cosines": wide, "sines": wide}))
        possible = (found.weight >= 0).all() and (found.seen >= 0).all()
        if not possible or (np.abs(found.resultant) > found.seen * (1 + SUBTRACTION_ERROR)).any():
            raise FileError("The file holds impossible sums of cosines and sines.")
        return found

    def plain(self) -> "Directions":
        return self

    def onto(self, components: Codes, size: int) -> "Directions":
        return Directions(*(placed(part, components, size) for part in self.arrays().values()))

    def only(self, components: Codes) -> "Directions":
        return Directions(*(part[components] for part in self.arrays().values()))

    def take(self, columns: Sequence[int]) -> "Directions":
        chosen = list(columns)
        return Directions(self.weight, self.seen[:, chosen], self.cosines[:, chosen], self.sines[:, chosen])

    def kept(self, whole: "Directions") -> Array:
        """The least share of a column's mass that is left of the whole."""  # (K,)
        return np.asarray(ratio(self.seen, whole.seen, 1.0).min(axis=1, initial=1.0))
