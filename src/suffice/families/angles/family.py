"""Angles: radians in, a belief about the mean direction of each column, log densities out.

    p(x) = e^(κ cos(x − μ)) / (2π I₀(κ)), the von Mises density; κ is known beforehand, μ is learned

In:  a block (N, D), NaN where missing. Angles that differ by full turns are the same.
Out: Directions that add; the belief and the densities are in `von_mises`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from suffice.arrays import Array, ratio, side_by_side
from suffice.errors import ParameterError
from suffice.families.angles.directions import ROUNDING, Directions
from suffice.families.angles.von_mises import VonMisesDensity, VonMisesPrior
from suffice.families.counts import checked
from suffice.families.memberships import Memberships
from suffice.families.protocol import Embedding, LeavesOut, Names, Prior, Recorded, Statistics, Tables
from suffice.families.records import Records
from suffice.families.rows import Rows, rows_with
from suffice.families.sums import Mask


@dataclass(frozen=True)
class Angles(LeavesOut[Directions], Recorded[Directions]):
    """The family: independent columns, each with a known concentration."""

    about = "directions"

    concentration: tuple[float, ...]  # κ of each column
    models: int = 1  # side by side on the component axis

    @property
    def columns(self) -> int:
        return len(self.concentration)

    @property
    def kappa(self) -> Array:
        return np.asarray(self.concentration, dtype=float)  # (D,)

    def statistics(self, x: Array, memberships: Memberships) -> Directions:
        weight, counted = memberships.weight, memberships.counted
        seen, cosines, sines = (memberships.sums(part) for part in (~np.isnan(x) * 1.0, *_turned(x)))
        if counted is None:
            return Directions(weight, seen, cosines, sines)
        rows = Rows(weight, seen) if counted is memberships else rows_with(counted, ~np.isnan(x))
        return Directions(weight, seen, cosines, sines, rows, {})

    def singly(self, x: Array, weights: Array) -> Directions:
        seen, cosines, sines = (weights[:, None] * part for part in (~np.isnan(x) * 1.0, *_turned(x)))
        return Directions(weights, seen, cosines, sines)

    def side_by_side(self, models: int) -> "Angles":
        return replace(self, models=models)

    def flat(self, components: int = 1) -> VonMisesPrior:
        """Every direction alike, which on a circle is a proper belief."""
        return VonMisesPrior(np.zeros((1, self.columns), dtype=complex), self)

    reference = flat

    def weak(self, statistics: Directions) -> VonMisesPrior:
        """After one row that is the overall mean of e^(ix)."""
        parts = (side_by_side(part, self.models) for part in (statistics.seen, statistics.cosines, statistics.sines))
        seen, cosines, sines = (part.sum(axis=1) for part in parts)  # (M, D)
        pull = np.asarray(self.kappa * (ratio(cosines, seen) + 1j * ratio(sines, seen)), dtype=complex)
        return VonMisesPrior(np.repeat(pull, len(statistics.weight) // len(pull), axis=0), self)

    def embedding(self, sample: Array) -> Embedding:
        """Points on a circle; a missing cell is in its middle."""
        return lambda x: np.concatenate(_turned(x), axis=1)

    def holding(self, belief: Prior[Statistics], components: int) -> VonMisesPrior:
        if not isinstance(belief, VonMisesPrior):
            raise ParameterError(f"Expected a belief about {self.about}; found one about {belief.about}.")
        return belief.on(self)

    def take(self, columns: Sequence[int]) -> "Angles":
        return replace(self, concentration=tuple(self.concentration[j] for j in columns))

    def marginal(self, statistics: Directions, columns: Sequence[int]) -> Directions:
        return statistics.take(columns)

    def restored(self, arrays: Mapping[str, Array], components: int) -> Directions:
        return Directions.restored(arrays, components, self.columns)

    def density(self, arrays: Mapping[str, Array], components: int) -> VonMisesDensity:
        return VonMisesDensity(checked(arrays, {"mean": (components, self.columns)})["mean"], self)

    def from_tables(self, tables: Tables, names: Names) -> VonMisesDensity:
        return VonMisesDensity(np.stack([tables[name]["direction"] for name in names], axis=1), self)

    beside = False

    def records(self, statistics: Directions, names: Names) -> Records:
        return Records.counted(list(names), statistics.rows, len(statistics.weight))

    def alike(self, statistics: Directions, names: Names) -> Records:
        """Where the resultant is as long as the rows are many."""
        same = statistics.seen - np.abs(statistics.resultant) <= ROUNDING * statistics.seen
        return self.records(statistics, names).only(same)

    def there(self, statistics: Directions) -> Array:
        return self.records(statistics, range(self.columns)).rows

    def without(self, statistics: Directions, few: Mask) -> Directions:
        weight, *sums = (statistics.weight, statistics.seen, statistics.cosines, statistics.sines)
        seen, cosines, sines = (np.where(few, 0.0, part) for part in sums)
        rows = statistics.rows and statistics.rows.outside(few, weight, seen)
        return Directions(weight, seen, cosines, sines, rows, {})

    def constant(self, statistics: Directions) -> list[int]:
        """Where the angles of all rows are one, the resultant is as long as they are many."""
        seen, resultant = statistics.seen.sum(axis=0), statistics.resultant.sum(axis=0)
        return np.flatnonzero(seen - np.abs(resultant) <= ROUNDING * seen).tolist()


def _turned(x: Array) -> tuple[Array, Array]:
    """Cosines and sines, nothing for missing cells."""
    there = ~np.isnan(x)
    return np.cos(x, where=there, out=np.zeros(x.shape)), np.sin(x, where=there, out=np.zeros(x.shape))
