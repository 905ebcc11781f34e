"""Directions: the additive record of angles, sums of cosines and sines.

In:  sums over the rows of each component.
Out: what a von Mises belief adds to itself: the resultant Σ e^(ix), whose angle is the mean direction.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from suffice.arrays import Array, Codes, Complex, close, placed, ratio
from suffice.errors import FileError, NotInSummaryError
from suffice.families.counts import checked
from suffice.families.protocol import Statistics
from suffice.families.rows import BEHIND, Rows, after
from suffice.families.sums import SUBTRACTION_ERROR, Low, Sums, none_left, restored_low, taken_off

MASSES = ("weight", "seen")
ROUNDING = (
    1e-12  # of the mass of the rows: a resultant shorter than that points nowhere, one that lacks less is of one angle
)


@dataclass(frozen=True, eq=False)
class Directions(Statistics):
    weight: Array  # (K,)
    seen: Array  # (K, D) mass of the rows in which the column is not missing
    cosines: Array  # (K, D)
    sines: Array  # (K, D)
    rows: Rows | None = None  # behind each column, (K, D); None where nobody has counted them
    low: Low = None  # what floats cannot hold of the four; None for a record that floats are enough for

    @property
    def sums(self) -> Sums:
        high = {"weight": self.weight, "seen": self.seen, "cosines": self.cosines, "sines": self.sines}
        return Sums(high, self.low)

    @classmethod
    def of(cls, sums: Sums, rows: Rows | None) -> "Directions":
        shared = rows and rows.sharing(sums.high["weight"], sums.high["seen"])
        return cls(**sums.high, rows=shared, low=sums.low)

    @property
    def resultant(self) -> Complex:
        """Where opposite angles cancel it is 0, not what rounding leaves of them."""
        found = self.cosines + 1j * self.sines
        return np.where(np.abs(found) > ROUNDING * self.seen, found, 0.0)

    def __add__(self, other: "Directions") -> "Directions":
        return Directions.of(self.sums + other.sums, self.rows and self.rows.added(other.rows))

    def __sub__(self, other: "Directions") -> "Directions":
        """A resultant is never longer than the mass of its rows; one that is was not made of these rows."""
        rest, left = taken_off((self.sums, self.rows), (other.sums, other.rows), none_left, MASSES)
        nothing = rest.high["seen"] == 0 if left is None else left.behind == 0
        found = Directions.of(rest.without({"cosines": nothing, "sines": nothing}), left)
        if np.any(np.abs(found.resultant) > found.seen + SUBTRACTION_ERROR * self.seen):
            raise NotInSummaryError(
                "These rows are not in this summary: taking them away would leave impossible angles. "
                "Subtract only rows that were added before, with the same weights."
            )
        return found

    def alike(self, other: "Directions", tolerance: float) -> bool:
        """Whether masses agree, and sums of cosines and sines to what the mass behind them allows."""
        masses = close(self.weight, other.weight, tolerance) and close(self.seen, other.seen, tolerance)
        return masses and bool(np.all(np.abs(self.resultant - other.resultant) <= tolerance * self.seen))

    @classmethod
    def restored(cls, arrays: Mapping[str, Array], components: int, columns: int) -> "Directions":
        """From `arrays`, refusing what cannot be sums of cosines and sines."""
        wide = (components, columns)
        shapes = {"weight": (components,), "seen": wide, "cosines": wide, "sines": wide}
        extra = {f"{name}_low": shape for name, shape in shapes.items()} | {"rows": (components,), BEHIND: wide}
        parts = checked(arrays, shapes | {name: shape for name, shape in extra.items() if name in arrays})
        high, rows = {name: parts[name] for name in shapes}, Rows.restored(parts, parts["seen"])
        found = cls(**high, rows=rows, low=restored_low(parts, tuple(shapes)))
        possible = (found.weight >= 0).all() and (found.seen >= 0).all()
        if not possible or (np.abs(found.resultant) > found.seen * (1 + SUBTRACTION_ERROR)).any():
            raise FileError("The file holds impossible sums of cosines and sines.")
        return found

    def arrays(self) -> dict[str, Array]:
        return self.sums.arrays() | (self.rows.arrays(self.seen) if self.rows else {})

    def plain(self) -> "Directions":
        return replace(self, rows=None, low=None)

    def onto(self, components: Codes, size: int) -> "Directions":
        return self._each(lambda part: placed(part, components, size))

    def only(self, components: Codes) -> "Directions":
        return self._each(lambda part: part[components])

    def take(self, columns: Sequence[int]) -> "Directions":
        chosen = list(columns)
        return self._each(lambda part: part if part.ndim == 1 else part[:, chosen])

    def _each(self, change: Callable[[Array], Array]) -> "Directions":
        """With other components, or other columns."""
        sums = self.sums.each(lambda _, part: change(part))
        weight, seen = sums.high["weight"], sums.high["seen"]
        rows = after(self.rows, change, (self.weight, weight), (self.seen, seen))
        return Directions(**sums.high, rows=rows, low=sums.low)

    def kept(self, whole: "Directions") -> Array:
        """The least share of a column's mass that is left of the whole."""  # (K,)
        return np.asarray(ratio(self.seen, whole.seen, 1.0).min(axis=1, initial=1.0))
