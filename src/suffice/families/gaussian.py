"""Gaussian columns: numbers in, moments, and class-wise log densities out, in three shapes, own or shared.

In:  a block (N, D) of finite numbers, NaN where missing.
Out: Moments; the belief is in `normal_wishart`, what the shape changes is in `shapes`.

Missing cells: diagonal and spherical shapes leave them out; the full shape keeps a record for each pattern of them.
Log densities of every shape are of the observed cells.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from suffice.arrays import Array
from suffice.families.memberships import Memberships
from suffice.families.moments import Moments
from suffice.families.normal import GaussianDensity
from suffice.families.normal_wishart import NormalInverseWishart
from suffice.families.patterns import PatternMoments, pattern_moments
from suffice.families.shapes import DIAGONAL, Shape

AnyMoments = Moments | PatternMoments


@dataclass(frozen=True)
class Gaussian:
    """The family: `shape` says which variances and covariances there are, `shared` whether all components have one."""

    about = "means and variances"

    columns: int
    shape: Shape = DIAGONAL
    shared: bool = False
    to_shared: float = 0.0  # Friedman's λ: own covariances towards the shared one
    to_spherical: float = 0.0  # Friedman's γ: covariances towards their mean variance

    def statistics(self, x: Array, memberships: Memberships) -> AnyMoments:
        if self.shape.ndim == 3:
            return pattern_moments(x, memberships)
        return Moments.of(memberships.weight, memberships.columnwise(x))

    def flat(self, components: int = 1) -> NormalInverseWishart:
        return self._improper(components, -(self.shape.size(self.columns) + 1) - self.means(components))

    def unbiased(self, components: int = 1) -> NormalInverseWishart:
        """The improper belief whose mode divides by N − 1: one degree more is spent on each mean."""
        return self._improper(components, -(self.shape.size(self.columns) + 1) - 2 * self.means(components))

    def reference(self, components: int = 1) -> NormalInverseWishart:
        return self._improper(components, -self.means(components))

    def weak(self, statistics: AnyMoments) -> NormalInverseWishart:
        """Just proper, around the pooled variance within components; means vary as much as the column does overall."""
        mean, total, within = statistics.pooled()
        components, size = len(statistics.weight), self.shape.size(self.columns)
        kappa = np.minimum(1.0, within / total)[None, :]
        if self.shape.ndim == 3:
            kappa = np.full_like(kappa, kappa.min())
        pseudo_rows = 2 * size + 1 + self.means(components)  # the divisor of the mode before any row
        scatter = pseudo_rows * self.shape.matrix(within[None, :])
        return self.belief(kappa, mean[None, :], float(size), scatter, components)

    def even(self, amount: float) -> None:
        return None

    def take(self, columns: Sequence[int]) -> "Gaussian":
        return replace(self, columns=len(columns))

    def marginal(self, statistics: AnyMoments, columns: Sequence[int]) -> AnyMoments:
        return statistics.take(columns)

    def adopt(self, statistics: AnyMoments, gathered_by: "Gaussian") -> AnyMoments:
        return statistics

    def restored(self, arrays: Mapping[str, Array], components: int) -> AnyMoments:
        if self.shape.ndim == 3:
            return PatternMoments.restored(arrays, components, self.columns)
        return Moments.restored(arrays, components, self.columns, 2)

    def constant(self, statistics: AnyMoments) -> list[int]:
        _, total, _ = statistics.pooled()
        return [int(j) for j in np.flatnonzero(total <= statistics.noise())]

    @property
    def shrinks(self) -> bool:
        return self.to_shared > 0 or self.to_spherical > 0

    @property
    def remedy(self) -> str:
        """What to do about a variance that rows do not determine."""
        return "Use estimate='map', which adds a weak prior"

    def suited(self, statistics: AnyMoments) -> AnyMoments:
        """Statistics that may say more than this shape asks for, cut down to what it takes."""
        return statistics if self.shape.ndim == 3 else statistics.alone()

    def start(self, statistics: PatternMoments) -> GaussianDensity:
        """Where EM over missing cells begins: means of what is there, the variance within, no correlation."""
        alone = statistics.alone()
        mean, _, within = alone.pooled()
        owners = 1 if self.shared else len(statistics.weight)
        matrix = np.repeat(self.shape.matrix(within[None, :]), owners, axis=0)
        return GaussianDensity(np.where(alone.seen > 0, alone.mean, mean), matrix, self.shape)

    def means(self, components: int) -> int:
        """How many means stand on each variance."""
        return self.shape.means(self.columns) * (components if self.shared else 1)

    def _improper(self, components: int, degrees: float) -> NormalInverseWishart:
        zero = np.zeros((1, self.columns))
        return self.belief(zero, zero, degrees, self.shape.matrix(zero), components)

    def belief(
        self, kappa: Array, mean: Array, degrees: float, scatter: Array, components: int
    ) -> NormalInverseWishart:
        """Arrays with their component axis: K for the means, K′ for the covariances."""
        owners = 1 if self.shared else components
        groups = self.shape.mass(np.zeros((1, self.columns))).shape[1]
        wide = (components, self.columns)
        return NormalInverseWishart(
            np.broadcast_to(mean, wide),
            np.broadcast_to(kappa, wide),
            np.full((owners, groups), degrees),
            np.broadcast_to(scatter, (owners, *scatter.shape[1:])),
            self,
        )
