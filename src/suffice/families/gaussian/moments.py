"""Moments: weight, mean and centred scatter, the additive record of the Gaussian families.

In:  rows of a block, centred on the mean of their component before anything is squared.
Out: merged by Chan, Golub and LeVeque's rule; never Σx², which cancels. A normal–inverse-Wishart belief merges
     with the same rule, so "posterior = prior + statistics" is literally `merged`.

Scatter is (K, D), a sum of squares for each column, or (K, D, D) where columns are modelled together.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from suffice.arrays import Array, Codes, placed, ratio, side_by_side
from suffice.errors import FileError, NotInSummaryError
from suffice.families.counts import checked, taken_away

EPSILON = float(np.finfo(float).eps)
NOT_THERE = (
    "These rows are not in this summary: taking them away would leave a variance that cannot be. "
    "Subtract only rows, with the weights, that were added before."
)


@dataclass(frozen=True, eq=False)
class Moments:
    weight: Array  # (K,) mass of rows
    seen: Array  # (K, D) mass of the rows in which the column is not missing
    mean: Array  # (K, D)
    scatter: Array  # (K, D) or (K, D, D)
    reach: Array  # (K, D) mass times size of all numbers added or taken away so far: what rounding is relative to

    @classmethod
    def of(cls, weight: Array, sums: tuple[Array, Array, Array]) -> "Moments":
        """From the mass, mean and scatter that a kernel found."""
        seen, mean, scatter = sums
        return cls(weight, seen, mean, scatter, seen * np.abs(mean))

    def __add__(self, other: "Moments") -> "Moments":
        seen, mean, between = merged(self.seen, self.mean, other.seen, other.mean)
        scatter = self.scatter + other.scatter + squared(between, self.scatter.ndim)
        return Moments(self.weight + other.weight, seen, mean, scatter, self.reach + other.reach)

    def __sub__(self, other: "Moments") -> "Moments":
        seen = taken_away(self.seen, other.seen)
        mean = np.where(seen > 0, self.mean + ratio(other.seen, seen) * (self.mean - other.mean), 0.0)
        between = np.where(  # where nothing is left, the two means must be one
            seen == 0, np.sqrt(other.seen) * (self.mean - other.mean), merged(seen, mean, other.seen, other.mean)[2]
        )
        rest = self.scatter - other.scatter - squared(between, self.scatter.ndim)
        weight, reach = taken_away(self.weight, other.weight), self.reach + other.reach  # rounding is never taken back
        return Moments(weight, seen, mean, self._cleared(rest, seen), reach)

    def _cleared(self, rest: Array, seen: Array) -> Array:
        """The scatter left by a subtraction: 0 where it may all be rounding, an error where it is truly negative."""
        full = rest.ndim == 3
        squares = np.diagonal(rest, axis1=1, axis2=2) if full else rest
        whole = np.diagonal(self.scatter, axis1=1, axis2=2) if full else self.scatter
        error = np.sqrt(self.seen * noise(ratio(self.reach, self.seen)))  # of a deviation, which is then squared
        rounding = 64 * EPSILON * whole + error**2 + 2 * error * np.sqrt(whole)
        bound = 1e-9 * whole + rounding
        if np.any(squares < -bound) or np.any((seen == 0) & (squares > bound)):
            raise NotInSummaryError(NOT_THERE)
        gone = (squares <= rounding) | (seen == 0)
        return np.where(gone[:, :, None] | gone[:, None, :] if full else gone, 0.0, rest)

    def onto(self, components: Codes, size: int) -> "Moments":
        return Moments(*(placed(part, components, size) for part in self.arrays().values()))

    def only(self, components: Codes) -> "Moments":
        return Moments(*(part[components] for part in self.arrays().values()))

    def take(self, columns: Sequence[int]) -> "Moments":
        chosen = list(columns)
        scatter = self.scatter[:, chosen] if self.scatter.ndim == 2 else self.scatter[:, chosen][:, :, chosen]
        return Moments(self.weight, self.seen[:, chosen], self.mean[:, chosen], scatter, self.reach[:, chosen])

    def arrays(self) -> dict[str, Array]:
        return dict(vars(self))

    @classmethod
    def restored(cls, arrays: Mapping[str, Array], components: int, columns: int, ndim: int) -> "Moments":
        """From `arrays`, refusing what cannot be moments."""
        wide = (components, columns)
        scatter = (*wide, columns)[:ndim]
        shapes = {"weight": (components,), "seen": wide, "mean": wide, "scatter": scatter, "reach": wide}
        moments = cls(**checked(arrays, shapes))
        symmetric = ndim == 2 or np.array_equal(moments.scatter, np.swapaxes(moments.scatter, 1, 2))
        amounts = (moments.weight, moments.seen, moments.squares(), moments.reach)
        if not symmetric or any((part < 0).any() for part in amounts):
            raise FileError("The file holds negative weights, or scatters that cannot be.")
        if (moments.seen > moments.weight[:, None] * (1 + 1e-9)).any():
            raise FileError("The file holds columns seen in more rows than there are.")
        return moments

    @property
    def hidden(self) -> bool:
        """Missing cells are left out of these, so nothing is hidden."""
        return False

    def complete(self) -> "Moments":
        return self

    def alone(self) -> "Moments":
        """What the rows say about each column by itself."""
        return Moments(self.weight, self.seen, self.mean, self.squares(), self.reach)

    def squares(self) -> Array:
        """The scatter of each column by itself."""  # (K, D)
        return self.scatter if self.scatter.ndim == 2 else np.diagonal(self.scatter, axis1=1, axis2=2)

    def pooled(self, models: int = 1) -> tuple[Array, Array, Array]:
        """Of each column: mean, variance, and variance within components (all of it, if it varies only between).

        Each (M, D): components may belong to several models side by side.
        """
        mass, mean, within, between = self._apart(models)
        total, within = ratio(within + between, mass), ratio(within, mass)
        return mean, total, np.where(within > self.noise(models) + noise(np.sqrt(total)), within, total)

    def spread(self) -> Array:
        """The variance of each column over all components."""  # (D,)
        [mass], _, [within], [between] = self._apart(1)
        return ratio(within + between, mass)

    def _apart(self, models: int) -> tuple[Array, Array, Array, Array]:
        """Mass and mean of each column, and its scatter within and between components."""  # (M, D)
        seen, means = (side_by_side(part, models) for part in (self.seen, self.mean))  # (M, K, D)
        mass = seen.sum(axis=1)
        mean = ratio((seen * means).sum(axis=1), mass)
        within = side_by_side(self.squares(), models).sum(axis=1)
        return mass, mean, within, (seen * (means - mean[:, None]) ** 2).sum(axis=1)

    def noise(self, models: int = 1) -> Array:
        """The variance that rounding alone can give to each column."""  # (M, D)
        return noise(side_by_side(ratio(self.reach, self.seen), models).max(axis=1, initial=0.0))

    def kept(self, whole: "Moments") -> Array:
        """The least share of a column's scatter that is left of the whole."""  # (K,)
        return np.asarray(ratio(self.squares(), whole.squares(), 1.0).min(axis=1, initial=1.0))


def merged(mass_a: Array, mean_a: Array, mass_b: Array, mean_b: Array) -> tuple[Array, Array, Array]:
    """Mass and mean of both, and the deviation between them whose square joins the scatter."""  # each (K, D)
    mass = mass_a + mass_b
    share = ratio(mass_b, mass)
    mean = mean_a + share * (mean_b - mean_a)
    return mass, np.where(mass_a == 0, mean_b, mean), np.sqrt(mass_a * share) * (mean_b - mean_a)


def squared(deviations: Array, ndim: int) -> Array:
    """Squares of deviations, or their outer products: whichever the scatter holds."""  # (K, D) → (K, D) or (K, D, D)
    return deviations**2 if ndim == 2 else deviations[:, :, None] * deviations[:, None, :]


def noise(mean: Array) -> Array:
    """The mean square that rounding alone can give to cells of this size."""
    return (8 * EPSILON * mean) ** 2
