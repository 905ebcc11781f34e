"""The conjugate belief about Gaussian means and covariances: normal–inverse-Wishart, of any shape, own or shared.

In:  Moments. The belief is such a record too (kappa rows at the mean, with their scatter) plus degrees of freedom ν,
     and `after` merges the two with the rule by which Moments add.
Out: Gaussian densities (mode, mean) or Student-t densities (predictive).

For one column this is the normal–inverse-gamma with a = ν/2, b = scatter/2. With q the rows of each covariance
matrix and M the means that stand on it, the joint mode divides the scatter by ν + q + 1 + M.
"""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.special import multigammaln

from suffice.arrays import Array
from suffice.errors import ImproperPriorError, ParameterError, SingularError
from suffice.families.moments import Moments, merged, squared
from suffice.families.normal import LOG_2PI, GaussianDensity, StudentDensity
from suffice.families.patterns import PatternMoments
from suffice.families.shapes import DIAGONAL, FULL


def NormalInverseGamma(location: float, kappa: float, a: float, b: float) -> "NormalInverseWishart":
    """One column: its mean ~ N(location, σ²/kappa) given σ² ~ inverse gamma (a, b)."""
    return NormalInverseWishart(location, kappa, 2 * a, 2 * b)


@dataclass(frozen=True, eq=False)
class NormalInverseWishart:
    """Means ~ N(location, Σ/kappa) given Σ ~ inverse Wishart (scatter, degrees)."""

    about = "means and variances"

    location: Any  # (K, D) where the means are believed to lie; a user gives (D,)
    kappa: Any  # (K, D) rows that the belief about the mean is worth; a user gives one number
    degrees: Any  # (K′, G)
    scatter: Any  # (K′, D, D), (K′, D) or (K′, 1) by the shape; a user gives (D, D), or one number for one column
    family: Any = field(default=None, repr=False)  # the Gaussian it is about; None until `on` says which

    def on(self, family: Any, components: int) -> "NormalInverseWishart":
        location, scatter = (np.atleast_1d(np.asarray(part, float)) for part in (self.location, self.scatter))
        wanted = (family.columns,) * (2 if family.shape is FULL else 1)
        size = family.shape.size(family.columns)
        if location.shape != (family.columns,) or scatter.shape != wanted:
            raise ParameterError(
                f"This prior is about {location.size} columns with a scatter of shape {scatter.shape}; "
                f"the block has {family.columns} and needs {wanted}."
            )
        if not (self.kappa > 0 and self.degrees > size - 1):
            raise ParameterError(
                f"A normal–inverse-Wishart prior needs kappa above 0 and degrees above {size - 1}; "
                f"found {self.kappa} and {self.degrees}."
            )
        kappa = np.full((1, family.columns), float(self.kappa))
        belief: NormalInverseWishart = family.belief(
            kappa, location[None], float(self.degrees), scatter[None], components
        )
        return belief

    def after(self, statistics: Moments | PatternMoments) -> "NormalInverseWishart":
        statistics = statistics.complete()
        kappa, location, between = merged(self.kappa, self.location, statistics.seen, statistics.mean)
        scatter = statistics.scatter + squared(between, statistics.scatter.ndim)
        shape = self.family.shape
        return replace(
            self,
            location=location,
            kappa=kappa,
            degrees=self.degrees + self._shared(shape.mass(statistics.seen)),
            scatter=self.scatter + self._shared(shape.pooled(scatter)),
        )

    def mode(self) -> GaussianDensity:
        return self._gaussian(self.degrees + self._size + 1 + self._means)

    def mean(self) -> GaussianDensity:
        return self._gaussian(self.degrees - self._size - 1)

    def predictive(self) -> StudentDensity:
        if self.family.shrinks:
            raise ParameterError("A predictive has no covariance to shrink: leave shrinkage out, or estimate='map'.")
        df = self.degrees - self._size + 1
        self._gaussian(df)  # refuses a scatter that determines no scale
        spread = (self.kappa + 1) / self.kappa  # (K, D)
        if self.family.shape is FULL:
            scale = self.scatter / df[:, :, None] * spread[:, :1, None]
            return StudentDensity(self.location, scale, df, FULL, together=True)
        scale, together = self.scatter / df * spread, self.family.shape is not DIAGONAL
        return StudentDensity(self.location, scale, df, DIAGONAL, together)

    def log_density(self, density: GaussianDensity) -> float:
        shape, columns = self.family.shape, self.family.columns
        power = self.degrees + self._size + 1 + self._means
        distance = self._mean_distances(density)
        kernel = -0.5 * (
            (power * shape.log_determinant(density.covariance)).sum()
            + shape.trace(self.scatter, density.covariance)
            + distance
        )
        return float(kernel - self._log_normaliser().sum()) if self._proper(columns) else float(kernel)

    def log_evidence(self, statistics: Moments | PatternMoments) -> Array:
        if not self._proper(self.family.columns):
            raise ImproperPriorError(
                "An improper prior about means and variances has no evidence: "
                'give a proper one, or parameter_prior="weak".'
            )
        gained = self.after(statistics)._log_normaliser() - self._log_normaliser()
        cells = self._shared(statistics.complete().seen).sum(axis=1)
        return np.asarray(gained - 0.5 * cells * LOG_2PI)

    @property
    def _size(self) -> int:
        return int(self.family.shape.size(self.family.columns))

    @property
    def _means(self) -> int:
        return int(self.family.means(len(self.location)))

    def _shared(self, per_component: Array) -> Array:
        return per_component.sum(axis=0, keepdims=True) if self.family.shared else per_component

    def _proper(self, columns: int) -> bool:
        return bool(np.all(self.kappa > 0) and np.all(self.degrees > self._size - 1) and np.any(self.scatter != 0))

    def refuse_unseen(self, statistics: PatternMoments) -> None:
        """A mean that neither the rows nor the belief say anything about cannot be estimated."""
        _refuse_zero(self.kappa + statistics.alone().seen)
        apart = None if np.any(self.scatter) else statistics.never_together()
        if apart is not None:
            raise SingularError("there is no row with both of", None, apart)

    def _gaussian(self, divisor: Array) -> GaussianDensity:
        _refuse_zero(self.kappa)
        covariance = self._covariance(divisor)
        try:
            self.family.shape.check(self.location, covariance)
        except SingularError as error:
            owner = None if self.family.shared else error.component
            raise SingularError(str(error), owner, error.columns, error.remedy) from None
        return GaussianDensity(self.location, covariance, self.family.shape)

    def _covariance(self, divisor: Array) -> Array:
        """Scatter / divisor, shrunk as Friedman does: own → shared → spherical."""
        shape, to_shared = self.family.shape, self.family.to_shared
        if not np.all(divisor > 0) and to_shared < 1:
            component, column = (int(i) for i in np.argwhere(~(divisor > 0))[0])
            columns = [column] if divisor.shape[1] > 1 else list(range(self.family.columns))
            owner = None if self.family.shared else component
            raise SingularError("there are too few rows for a variance of", owner, columns, "a shared covariance")
        if to_shared > 0:
            pooled = shape.over(self.scatter.sum(axis=0, keepdims=True), divisor.sum(axis=0, keepdims=True))
            own = shape.over(self.scatter, np.where(divisor > 0, divisor, np.inf))
            covariance = (1 - to_shared) * own + to_shared * pooled
        else:
            covariance = shape.over(self.scatter, divisor)
        return np.asarray(
            shape.rounder(covariance, self.family.to_spherical) if self.family.to_spherical else covariance
        )

    def _mean_distances(self, density: GaussianDensity) -> float:
        """Σ kappa (μ − m)ᵀ Σ⁻¹ (μ − m)."""
        z = np.sqrt(self.kappa) * (density.mean - self.location)  # (K, D)
        distance, _, _ = self.family.shape.metric(np.zeros_like(z), density.covariance).distances(z)
        return float(np.trace(distance))

    def _log_normaliser(self) -> Array:
        """Ln of the integral of the kernel, for each owner of a covariance."""  # (K′,)
        q, nu = self._size, self.degrees
        wishart = 0.5 * nu * (q * np.log(2) - self.family.shape.log_determinant(self.scatter)) + multigammaln(nu / 2, q)
        means = 0.5 * np.log(2 * np.pi / self.kappa)
        return np.asarray(wishart.sum(axis=1) + self._shared(means).sum(axis=1))


def _refuse_zero(mass: Array) -> None:
    if not mass.all():
        component, column = np.argwhere(mass == 0)[0]
        raise SingularError("there are no rows for the mean of", int(component), [int(column)])
