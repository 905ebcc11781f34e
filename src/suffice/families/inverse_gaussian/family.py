"""Waits until a drifting walk has come so far: positive numbers in, log densities of inverse Gaussians out.

    p(x) = √(λ / 2πx³) e^(−λ (x − μ)² / 2μ²x), with mean μ and shape λ, both learned; the variance is μ³/λ

In:  a block (N, D), NaN where missing, else above 0.
Out: Reciprocals that add; the belief is in `normal_gamma`, the densities are in `densities`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from suffice.arrays import Array, ratio, repeated
from suffice.errors import FileError, ParameterError
from suffice.families.counts import checked
from suffice.families.inverse_gaussian.densities import InverseGaussianDensity
from suffice.families.inverse_gaussian.normal_gamma import NormalGammaPrior
from suffice.families.inverse_gaussian.reciprocals import Reciprocals
from suffice.families.memberships import Memberships
from suffice.families.protocol import Embedding, LeavesOut, Names, Prior, Recorded, Statistics, Tables, standardised
from suffice.families.records import Records
from suffice.families.rows import Rows, rows_with
from suffice.families.sums import Mask
from suffice.words import listed


@dataclass(frozen=True)
class InverseGaussian(LeavesOut[Reciprocals], Recorded[Reciprocals]):
    """The family: independent columns, each with a mean and a shape."""

    about = "means and shapes"

    size: int
    models: int = 1  # side by side on the component axis

    @property
    def columns(self) -> int:
        return self.size

    def statistics(self, x: Array, memberships: Memberships) -> Reciprocals:
        weight, counted, parts = memberships.weight, memberships.counted, _amounts(x)
        seen, total, logs = (memberships.sums(part) for part in parts)
        mean = ratio(total, seen, 1.0)
        around = ((part, x[rows], weights) for part, (rows, weights) in zip(mean, memberships.parts(), strict=True))
        excess = np.array([weights @ _apart(cells, part) for part, cells, weights in around])
        found = Reciprocals(weight, seen, total, excess.reshape(seen.shape), logs)
        if counted is None:
            return found
        rows = Rows(weight, seen) if counted is memberships else rows_with(counted, ~np.isnan(x))
        return replace(found, rows=rows, low={})

    def singly(self, x: Array, weights: Array) -> Reciprocals:
        seen, total, logs = (weights[:, None] * part for part in _amounts(x))
        return Reciprocals(weights, seen, total, np.zeros_like(seen), logs)

    def side_by_side(self, models: int) -> "InverseGaussian":
        return replace(self, models=models)

    def flat(self, components: int = 1) -> NormalGammaPrior:
        return NormalGammaPrior.uninformed(self.columns, 1.0)

    def unbiased(self, components: int = 1) -> NormalGammaPrior:
        """Its mode divides the excess, which estimates 1/λ, by N − 1."""
        return NormalGammaPrior.uninformed(self.columns, 0.0)

    def reference(self, components: int = 1) -> NormalGammaPrior:
        """Flat in 1/μ and ln λ: N − 1 degrees of freedom."""
        return NormalGammaPrior.uninformed(self.columns, -1.0)

    def weak(self, statistics: Reciprocals) -> NormalGammaPrior:
        """Flat, after one row at the overall mean, with the overall excess of a row."""
        seen, total, excess = statistics.pooled(self.models)
        size, one = len(statistics.weight), np.ones_like(seen)
        row = (one, ratio(total, seen, 1.0), ratio(excess, seen, 1.0), 2 * one)
        one, mean, excess, degrees = (repeated(part, size) for part in row)
        return NormalGammaPrior(one, mean, excess, degrees)

    def embedding(self, sample: Array) -> Embedding:
        """Logarithms, in standard deviations."""
        points = standardised(np.log(sample))
        return lambda x: points(np.log(x))

    def holding(self, belief: Prior[Statistics], components: int) -> NormalGammaPrior:
        if not isinstance(belief, NormalGammaPrior):
            raise ParameterError(f"Expected a belief about {self.about}; found one about {belief.about}.")
        belief.refuse_other_columns(self.columns)
        return belief

    def take(self, columns: Sequence[int]) -> "InverseGaussian":
        return replace(self, size=len(columns))

    def marginal(self, statistics: Reciprocals, columns: Sequence[int]) -> Reciprocals:
        return statistics.take(columns)

    def restored(self, arrays: Mapping[str, Array], components: int) -> Reciprocals:
        return Reciprocals.restored(arrays, components, self.columns)

    def density(self, arrays: Mapping[str, Array], components: int) -> InverseGaussianDensity:
        wide = (components, self.columns)
        parts = checked(arrays, {"mean": wide, "shape": wide})
        if any(not (part > 0).all() for part in parts.values()):
            raise FileError("The file holds means or shapes that are not above 0.")
        return InverseGaussianDensity(**parts)

    def from_tables(self, tables: Tables, names: Names) -> InverseGaussianDensity:
        parts = [np.stack([tables[name][heading] for name in names], axis=1) for heading in ("mean", "shape")]
        least = min(part.min() for part in parts)
        if not (np.isfinite(parts).all() and least > 0):
            raise ParameterError(f"The means and shapes of {listed(names)} must be above 0; found {least:g}.")
        return InverseGaussianDensity(*parts)

    beside = True

    def records(self, statistics: Reciprocals, names: Names) -> Records:
        return Records.counted(list(names), statistics.rows, len(statistics.weight))

    def alike(self, statistics: Reciprocals, names: Names) -> Records:
        """Records in which nothing exceeds what the mean says."""
        return self.records(statistics, names).only(statistics.spread == 0)

    def there(self, statistics: Reciprocals) -> Array:
        return self.records(statistics, range(self.columns)).rows

    def without(self, statistics: Reciprocals, few: Mask) -> Reciprocals:
        """And without Σ ln x of all rows, a third number that few rows could be told from."""
        parts = (statistics.seen, statistics.total, statistics.excess)
        seen, total, excess = (np.where(few, 0.0, part) for part in parts)
        rows = statistics.rows and statistics.rows.outside(few, statistics.weight, seen)
        return Reciprocals(statistics.weight, seen, total, excess, np.zeros_like(seen), rows, {})

    def constant(self, statistics: Reciprocals) -> list[int]:
        """Columns whose numbers are all one, or all missing."""
        _, _, excess = statistics.pooled()
        return np.flatnonzero(excess[0] == 0).tolist()


def _amounts(x: Array) -> tuple[Array, Array, Array]:
    """One, x and ln x of the cells, nothing for missing ones."""
    there = ~np.isnan(x)
    return there * 1.0, np.where(there, x, 0.0), np.log(x, where=there, out=np.zeros(x.shape))


def _apart(x: Array, mean: Array) -> Array:
    """(x − mean)² / (x mean²), nothing for missing cells."""
    return np.nan_to_num(((x - mean) / mean) ** 2 / x, posinf=np.inf)
