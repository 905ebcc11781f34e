"""The conjugate belief about Gaussian means and covariances: normal–inverse-Wishart, of any shape, own or shared.

In:  Moments. The belief is such a record too (kappa rows at the mean, with their scatter) plus degrees of freedom ν,
     and `after` merges the two with the rule by which Moments add.
Out: Gaussian densities (mode, mean) or Student-t densities (predictive).

For one column this is the normal–inverse-gamma with a = ν/2, b = scatter/2. With q the rows of each covariance
matrix and M the means that stand on it, the joint mode divides the scatter by ν + q + 1 + M.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import scipy
from scipy.special import digamma, multigammaln

from suffice.arrays import LOG_2PI, Array, repeated, side_by_side
from suffice.errors import ImproperPriorError, ParameterError, SingularError
from suffice.families.capabilities import Covarying
from suffice.families.gaussian.chart import Columnwise, GaussianChart, Pull, together
from suffice.families.gaussian.covariances import Covariances
from suffice.families.gaussian.densities import (
    GaussianDensity,
    StudentDensity,
    scaled_normals,
    titled,
)
from suffice.families.gaussian.marginals import refuse_zero, spreads
from suffice.families.gaussian.merging import merged, squared
from suffice.families.gaussian.patterns import AnyMoments
from suffice.families.gaussian.shapes import DIAGONAL, FULL
from suffice.families.protocol import Distribution, LastStep, Names, Parametric
from suffice.families.stacked import stacked
from suffice.lazy import lazy


@dataclass(frozen=True, eq=False)
class NormalInverseWishartPrior(Covarying[AnyMoments]):
    """Means ~ N(location, Σ/kappa) given Σ ~ inverse Wishart (scatter, degrees)."""

    about = "means and variances"

    location: Array  # (K, D) where the means are believed to lie
    kappa: Array  # (K, D) rows that the belief about the mean is worth
    degrees: Array  # (K′, G)
    scatter: Array  # (K′, D, D), (K′, D) or (K′, 1) by the shape
    family: Covariances = field(repr=False)
    power: Array | None = field(default=None, repr=False)  # what the mode divides by, where a sum would lose light rows

    @classmethod
    def of(
        cls, family: Covariances, kappa: Array, mean: Array, degrees: float | Array, scatter: Array, components: int
    ) -> "NormalInverseWishartPrior":
        """A belief from arrays with their component axis: K for the means, K′ for the covariances."""
        owners = family.models if family.shared else components
        groups = family.shape.mass(np.zeros((1, family.columns))).shape[1]
        return cls(
            repeated(mean, components),
            repeated(kappa, components),
            np.broadcast_to(repeated(np.atleast_2d(degrees), owners), (owners, groups)),
            repeated(scatter, owners),
            family,
        )

    def on(self, family: Covariances, components: int) -> "NormalInverseWishartPrior":
        """One column by itself has the same scatter in every shape."""
        columns, one = self.location.shape[1], self.location.shape[1] == 1
        if columns != family.columns or not (one or family.shape == self.family.shape):
            raise ParameterError(
                f"This prior is about {columns} columns with a scatter of shape {self.scatter.shape[1:]}; "
                f"the block has {family.columns} columns of shape {family.shape.name}."
            )
        scatter = family.shape.matrix(self.scatter.reshape(1, 1)) if one else self.scatter
        degrees = float(self.degrees[0, 0])
        return NormalInverseWishartPrior.of(family, self.kappa, self.location, degrees, scatter, components)

    def parameters(self, components: int) -> int:
        columns = self.family.columns
        return int(components * columns + len(self.scatter) * self.family.shape.entries(columns))

    def stacked(self, others: Sequence["NormalInverseWishartPrior"]) -> "NormalInverseWishartPrior":
        means, covariances = ["location", "kappa"], ["degrees", "scatter"]
        parts = [replace(part, power=None) for part in (self, *others)]
        return stacked(parts, means, covariances) if self.family.shared else stacked(parts, means + covariances)

    def evenly_wide(self, rows: Array, step: LastStep) -> "NormalInverseWishartPrior":
        """The same degrees, and such scatters that components which vary as believed end up equally wide by that step.

        `rows` (K,) are those that each will learn from. What believed scatter and n rows come to, worth + n, is divided
        by d + n. For the mode d is the worth; for other steps it is less, which widens components of few rows the most.
        So scatters are worth g (d + n) − n instead, with g the width that components have with n rows on average.
        """
        n, worth, divisor = rows[:, None], self.divisor(LastStep.MODE), self.divisor(step)  # (K, 1)
        models = self.family.models
        mean = repeated(side_by_side(n, models).mean(axis=1), len(n))
        exists = repeated(side_by_side(divisor + n, models).min(axis=1), len(n)) > 0  # such a step, in its model
        width = (worth + mean) / np.where(exists, divisor + mean, 1.0)
        times = np.where(exists, (width * (divisor + n) - n) / worth, 1.0)
        return replace(self, scatter=self.family.shape.scaled(self.scatter, times))

    def after(self, statistics: AnyMoments) -> "NormalInverseWishartPrior":
        statistics = statistics.complete()
        shape, mass = self.family.shape, self._shared(self.family.shape.mass(statistics.seen))
        kappa, location, between = statistics.seen, statistics.mean, np.zeros(1)
        if self.kappa.any():  # else the rows have all to say about the means
            kappa, location, between = merged(self.kappa, self.location, kappa, location, statistics.crosswise)
        return replace(
            self,
            location=location,
            kappa=kappa,
            degrees=self.degrees + mass,
            power=self._power + mass,
            scatter=self.scatter + self._shared(shape.pooled(statistics.scatter + between)),
        )

    def mode(self) -> GaussianDensity:
        return self._gaussian(self._power)

    def mean(self) -> GaussianDensity:
        return self._gaussian(self.divisor(LastStep.MEAN))

    def divisor(self, step: LastStep) -> Array:
        return self._power if step is LastStep.MODE else self.degrees + self.spent(step)

    def spent(self, step: LastStep) -> int:
        """What each last step adds to the degrees of freedom before it divides the scatter by them."""
        q = self._size
        return {LastStep.MODE: q + 1 + self._means, LastStep.MEAN: -q - 1, LastStep.PREDICTIVE: 1 - q}[step]

    def predictive(self) -> StudentDensity:
        if self.family.shrinks:
            raise ParameterError(
                "A predictive density has no covariance to shrink: leave shrinkage out, or use estimate='map'."
            )
        df = self._free
        covariance = self._gaussian(df).covariance  # refuses a scatter that determines no scale
        wide, spread = repeated(covariance, len(self.kappa)), (self.kappa + 1) / self.kappa  # (K, …), (K, D)
        if self.family.shape == FULL:
            return StudentDensity(self.location, wide * spread[:, :1, None], df, FULL, together=True)
        return StudentDensity(self.location, wide * spread, df, DIAGONAL, self.family.shape != DIAGONAL)

    def covariance(self) -> Array:
        """The covariance of the means, whatever the covariance of the columns."""
        return np.atleast_2d(self.mean().covariance[0] / self.kappa[0])

    def maximum_likelihood(self, statistics: AnyMoments) -> GaussianDensity:
        return flat(self.family, len(self.location)).after(statistics).mode()

    def marginals(self, names: Names) -> dict[str, dict[str, Distribution]]:
        self._refuse_improper("marginals")
        shape, wide = self.family.shape, self.location.shape
        squares = np.broadcast_to(shape.diagonal(self.scatter, wide[1]), wide)
        parts = (self.location, self.kappa, np.broadcast_to(self._free, wide), squares)
        inflated = self.family.inflated
        columns = zip(*(part.T for part in parts), strict=True)
        return titled(names, shape, [_column_marginals(inflated, *column) for column in columns])

    def draw(self, rng: np.random.Generator) -> GaussianDensity:
        self._refuse_improper("draws")
        shape, everyone = self.family.shape, np.arange(len(self.location))
        covariance = shape.draw(self.scatter, self.degrees, rng)
        off = scaled_normals(covariance, shape, everyone, self.location, rng) / np.sqrt(self.kappa)
        return GaussianDensity(self.location + off, covariance, shape).inflated(self.family.inflated)

    def expected_log_density(self, other: "NormalInverseWishartPrior") -> Array:
        """From E ln|Σ| = ln|Ψ| − q ln 2 − ψ_q(ν/2) and E Σ⁻¹ = ν Ψ⁻¹, which 1/κ joins for the means."""
        shape, q = self.family.shape, self._size
        halves = (self.degrees[:, :, None] - np.arange(q)) / 2
        log_determinant = shape.log_determinant(self.scatter) - q * np.log(2) - digamma(halves).sum(axis=2)
        typical = shape.divided(self.scatter, self.degrees)  # 1 / E Σ⁻¹
        spread = self._shared((other.kappa / self.kappa).sum(axis=1, keepdims=True))[:, 0]
        trace = shape.trace(other.scatter + other._squares(self.location), typical)
        kernel = (other._power * log_determinant).sum(axis=1) + trace + spread
        return np.asarray(-0.5 * kernel - other._log_normaliser())

    def log_density(self, density: Parametric[AnyMoments]) -> Array:
        assert isinstance(density, GaussianDensity)  # there is no other with known parameters
        shape = self.family.shape
        kernel = -0.5 * (
            (self._power * density.log_determinant).sum(axis=1)
            + shape.trace(self.scatter + self._squares(density.mean), density.covariance)
        )
        return np.asarray(kernel - self.constant)

    def log_evidence(self, statistics: AnyMoments) -> Array:
        self._refuse_improper("evidence")
        gained = self.after(statistics)._log_normaliser() - self._log_normaliser()
        cells = self._shared(statistics.complete().seen).sum(axis=1)
        return np.asarray(gained - 0.5 * cells * LOG_2PI)

    def chart(self, density: Parametric[AnyMoments], statistics: AnyMoments) -> GaussianChart:
        assert isinstance(density, GaussianDensity)  # there is no other with known parameters
        if self.family.shape.crosswise:
            return together(density, self._pull, statistics)
        return Columnwise(density=density, pull=self.after(statistics)._pull)

    @property
    def _pull(self) -> Pull:
        return Pull(self._power, self.scatter, self.kappa, self.location)

    @property
    def _size(self) -> int:
        return int(self.family.shape.size(self.family.columns))

    @property
    def _free(self) -> Array:
        """The degrees of the Student-t of a mean, or of a row; half of them are the shape of a variance."""  # (K′, G)
        return self.degrees + self.spent(LastStep.PREDICTIVE)

    @property
    def _power(self) -> Array:
        """Of 1/|Σ| in the joint density of means and covariances, twice."""  # (K′, G)
        return self.degrees + self.spent(LastStep.MODE) if self.power is None else self.power

    @property
    def _means(self) -> int:
        return int(self.family.means(len(self.location)))

    def _shared(self, per_component: Array) -> Array:
        return self._pooled(per_component) if self.family.shared else per_component

    def _pooled(self, per_component: Array) -> Array:
        return np.asarray(side_by_side(per_component, self.family.models).sum(axis=1))

    def _refuse_improper(self, wanted: str) -> None:
        if not self.proper:
            raise ImproperPriorError(
                f"An improper prior about means and variances has no {wanted}: "
                'give a proper one, or use parameter_prior="weak".'
            )

    @property
    def shares(self) -> bool:
        return self.family.shared

    @property
    def proper(self) -> bool:
        return bool(np.all(self.kappa > 0) and np.all(self.degrees > self._size - 1) and np.any(self.scatter != 0))

    def refuse_unseen(self, statistics: AnyMoments) -> None:
        """A mean that neither the rows nor the belief say anything about cannot be estimated."""
        refuse_zero(self.kappa + statistics.alone().seen)
        apart = None if np.any(self.scatter) else statistics.never_together()
        if apart is not None:
            raise SingularError("there is no row with both of", None, apart)

    def _gaussian(self, divisor: Array) -> GaussianDensity:
        refuse_zero(self.kappa)
        covariance = self._covariance(divisor)
        self.family.check(self.location, covariance)
        return GaussianDensity(self.location, covariance, self.family.shape)

    def _covariance(self, divisor: Array) -> Array:
        """Scatter / divisor, shrunk as Friedman does: own → shared → spherical."""
        shape, to_shared = self.family.shape, self.family.to_shared
        needed = divisor if to_shared < 1 else self._pooled(divisor)
        if not np.all(needed > 0):
            component, column = (int(i) for i in np.argwhere(~(needed > 0))[0])
            columns = [column] if divisor.shape[1] > 1 else list(range(self.family.columns))
            owner = None if self.family.shared or to_shared == 1 else component
            raise SingularError(
                "there are too few rows to estimate the variance of", owner, columns, ("shared", "shrink_shared")
            )
        if to_shared > 0:
            pooled = shape.divided(self._pooled(self.scatter), self._pooled(divisor))
            own = shape.divided(self.scatter, np.where(divisor > 0, divisor, np.inf))
            covariance = (1 - to_shared) * own + to_shared * repeated(pooled, len(own))
        else:
            covariance = shape.divided(self.scatter, divisor)
        return np.asarray(
            shape.shrunk(covariance, self.family.to_spherical) if self.family.to_spherical else covariance
        )

    def _squares(self, mean: Array) -> Array:
        """Kappa (μ − m)(μ − m)ᵀ, as a scatter is laid out."""
        z = np.sqrt(self.kappa) * (mean - self.location)  # (K, D)
        return self._shared(self.family.shape.pooled(squared(z, self.family.shape.crosswise)))

    @lazy
    def constant(self) -> Array:
        """What its log density subtracts; an improper belief has none."""  # (K′,)
        return self._log_normaliser() if self.proper else np.zeros(len(self.scatter))

    def _log_normaliser(self) -> Array:
        """Ln of the integral of the kernel, for each owner of a covariance."""  # (K′,)
        q, nu = self._size, self.degrees
        wishart = 0.5 * nu * (q * np.log(2) - self.family.shape.log_determinant(self.scatter)) + multigammaln(nu / 2, q)
        means = 0.5 * np.log(2 * np.pi / self.kappa)
        return np.asarray(wishart.sum(axis=1) + self._shared(means).sum(axis=1))


def flat(family: Covariances, components: int) -> NormalInverseWishartPrior:
    """The improper belief whose mode is maximum likelihood."""
    return improper(family, components, -(family.shape.size(family.columns) + 1) - family.means(components))


def improper(family: Covariances, components: int, degrees: float) -> NormalInverseWishartPrior:
    """A belief that says nothing by itself, but for its degrees of freedom."""
    zero = np.zeros((1, family.columns))
    return NormalInverseWishartPrior.of(family, zero, zero, degrees, family.shape.matrix(zero), components)


def _column_marginals(
    inflated: float, location: Array, kappa: Array, free: Array, square: Array
) -> dict[str, Distribution]:
    """Of one column: its mean, and its standard deviation and variance as they are inflated."""
    mean = scipy.stats.t(free, location, np.sqrt(square / (free * kappa)))
    return {"mean": mean, **spreads(free / 2, inflated * square / 2)}
