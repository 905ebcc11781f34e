"""Reciprocals: the additive record of positive numbers, Σ x and by how much Σ 1/x exceeds that of numbers all alike.

In:  sums over the rows of each component.
Out: what a belief about inverse Gaussians adds to itself. The excess Σ 1/x − n²/Σ x = Σ (x − mean)²/(x mean²) is kept
     by itself: what is left of 1/x once the mean is known, never as a difference of large numbers.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from suffice.arrays import Array, Codes, close, placed, ratio, side_by_side
from suffice.errors import FileError, NotInSummaryError
from suffice.families.counts import checked
from suffice.families.protocol import Statistics
from suffice.families.rows import BEHIND, Rows, after
from suffice.families.sums import SUBTRACTION_ERROR, Low, Mask, Sums, joined_low, none_left, restored_low, taken_off
from suffice.families.twofold import Twofold

MASSES = ("weight", "seen", "total")
ROUNDING = 1e-12  # of the mean: numbers that differ by less are one number
TWOFOLD_ERROR = 1e-24  # of the minuend, in twofold numbers: what rounding can leave behind, with room to spare


@dataclass(frozen=True, eq=False)
class Reciprocals(Statistics):
    weight: Array  # (K,)
    seen: Array  # (K, D) mass of the rows in which the column is not missing
    total: Array  # (K, D) Σ x
    excess: Array  # (K, D) Σ 1/x − seen²/total
    logs: Array  # (K, D) Σ ln x, which only evidence needs
    rows: Rows | None = None  # behind each column, (K, D); None where nobody has counted them
    low: Low = None  # what floats cannot hold of the five; None for a record that floats are enough for

    @property
    def sums(self) -> Sums:
        high = {"weight": self.weight, "seen": self.seen, "total": self.total}
        return Sums({**high, "excess": self.excess, "logs": self.logs}, self.low)

    @classmethod
    def of(cls, sums: Sums, rows: Rows | None) -> "Reciprocals":
        shared = rows and rows.sharing(sums.high["weight"], sums.high["seen"])
        return cls(**sums.high, rows=shared, low=sums.low)

    @property
    def spread(self) -> Array:
        """The excess; where all numbers are one it is 0, not what rounding leaves of it."""
        return _varied(self.seen, self.total, self.excess)

    def __add__(self, other: "Reciprocals") -> "Reciprocals":
        sums, between = self.sums + other.sums, _between(self.sums, other.sums)
        rows = self.rows and self.rows.added(other.rows)
        return Reciprocals.of(_having(sums, sums["excess"] + between), rows)

    def __sub__(self, other: "Reciprocals") -> "Reciprocals":
        """An excess is never below 0; one that would be was not made of these rows."""
        rest, left = taken_off((self.sums, self.rows), (other.sums, other.rows), _none_left, MASSES)
        excess = rest["excess"] - _between(rest, other.sums)
        if (excess.high < -SUBTRACTION_ERROR * self.excess).any():
            raise NotInSummaryError(
                "These rows are not in this summary: taking them away would leave an impossible spread. "
                "Subtract only rows that were added before, with the same weights."
            )
        floats = self.low is None or other.low is None
        rounding = (SUBTRACTION_ERROR * ROUNDING if floats else TWOFOLD_ERROR) * self.excess
        nothing = rest.high["seen"] == 0 if left is None else left.behind == 0
        alone = nothing if left is None else left.behind <= 1
        excess = excess.where((excess.high > rounding) & ~alone, 0.0)
        return Reciprocals.of(_having(rest, excess).without({"logs": nothing}), left)

    def joined(self, other: "Reciprocals") -> "Reciprocals":
        """Add in floats, as within a block."""
        plain = replace(self, low=None) + replace(other, low=None)
        return replace(plain, low=joined_low(self.low, other.low))

    def alike(self, other: "Reciprocals", tolerance: float) -> bool:
        """Compare each number; sums of logarithms may come near 0, and are as good as their terms."""
        mine, theirs = self.sums.high, other.sums.high
        close_logs = close(self.logs, other.logs, tolerance, tolerance * self.seen)
        return close_logs and all(close(mine[name], theirs[name], tolerance) for name in (*MASSES, "excess"))

    def pooled(self, models: int = 1) -> tuple[Array, Array, Array]:
        """Mass, sum and excess of the rows of all components of each model together."""  # (M, D) each
        seen, total, excess = (side_by_side(part, models) for part in (self.seen, self.total, self.excess))
        mass, whole = seen.sum(axis=1, keepdims=True), total.sum(axis=1, keepdims=True)
        apart = ratio(total * mass - whole * seen, whole) ** 2
        mass, whole, excess = mass[:, 0], whole[:, 0], (excess + ratio(apart, total)).sum(axis=1)
        return mass, whole, _varied(mass, whole, excess)

    @classmethod
    def restored(cls, arrays: Mapping[str, Array], components: int, columns: int) -> "Reciprocals":
        """Read `arrays`, refusing what cannot be sums of positive numbers."""
        wide = (components, columns)
        shapes = {"weight": (components,), "seen": wide, "total": wide, "excess": wide, "logs": wide}
        extra = {f"{name}_low": shape for name, shape in shapes.items()} | {"rows": (components,), BEHIND: wide}
        parts = checked(arrays, shapes | {name: shape for name, shape in extra.items() if name in arrays})
        if any(not (parts[name] >= 0).all() for name in (*MASSES, "excess")):
            raise FileError("The file holds impossible sums of positive numbers.")
        high, rows = {name: parts[name] for name in shapes}, Rows.restored(parts, parts["seen"])
        return cls(**high, rows=rows, low=restored_low(parts, tuple(shapes)))

    def arrays(self) -> dict[str, Array]:
        return self.sums.arrays() | (self.rows.arrays(self.seen) if self.rows else {})

    def plain(self) -> "Reciprocals":
        return replace(self, rows=None, low=None)

    def onto(self, components: Codes, size: int) -> "Reciprocals":
        return self._each(lambda part: placed(part, components, size))

    def only(self, components: Codes) -> "Reciprocals":
        return self._each(lambda part: part[components])

    def take(self, columns: Sequence[int]) -> "Reciprocals":
        chosen = list(columns)
        return self._each(lambda part: part if part.ndim == 1 else part[:, chosen])

    def _each(self, change: Callable[[Array], Array]) -> "Reciprocals":
        """Change components, or columns."""
        sums = self.sums.each(lambda _, part: change(part))
        weight, seen = sums.high["weight"], sums.high["seen"]
        rows = after(self.rows, change, (self.weight, weight), (self.seen, seen))
        return Reciprocals(**sums.high, rows=rows, low=sums.low)

    def kept(self, whole: "Reciprocals") -> Array:
        """The least share of a column's mass or spread that is left of the whole; nothing left of it is exact."""
        shares = [ratio(self.seen, whole.seen, 1.0), ratio(self.spread, whole.spread, 1.0)]
        left = np.concatenate(shares, axis=1)
        return np.asarray(np.where(left > 0, left, 1.0).min(axis=1, initial=1.0))  # (K,)


def _varied(seen: Array, total: Array, excess: Array) -> Array:
    return np.where(np.sqrt(excess) * np.sqrt(total) > ROUNDING * seen, excess, 0.0)


def between(seen: Array, total: Array, others: Array, whole: Array) -> Array:
    """The growth of the excess of two groups of rows, beyond both, where their means differ."""
    apart = total * others - whole * seen
    return np.asarray(ratio(apart, total) * ratio(apart, whole) * ratio(np.ones(1), total + whole))


def _between(one: Sums, other: Sums) -> Twofold:
    """The same in twofold numbers."""
    apart = one["total"] * other["seen"] - other["total"] * one["seen"]
    return (apart / one["total"]) * (apart / other["total"]) / (one["total"] + other["total"])


def _having(sums: Sums, excess: Twofold) -> Sums:
    high = {**sums.high, "excess": excess.high}
    if sums.low is None:
        return Sums(high)
    low = {name: part for name, part in sums.low.items() if name != "excess"}
    return Sums(high, low | ({"excess": excess.low} if excess.low.any() else {}))


def _none_left(left: Rows) -> dict[str, Mask]:
    """Find components of which no row is left."""
    return none_left(left) | {"total": left.behind == 0}
