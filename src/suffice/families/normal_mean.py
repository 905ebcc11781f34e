"""The conjugate belief about Gaussian means when the variances are known: normal.

In:  Moments with a sum of squares for each column. Out: Gaussian densities; the predictive is Gaussian too.
"""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from suffice.arrays import Array
from suffice.errors import ParameterError
from suffice.families.moments import Moments
from suffice.families.normal import LOG_2PI, GaussianDensity
from suffice.families.shapes import DIAGONAL


@dataclass(frozen=True, eq=False)
class NormalMean:
    """A mean ~ N(location, variance) of a column whose own variance is known."""

    about = "means and variances"

    location: Any  # (K, D); a user gives one number
    variance: Any  # (K, D) of the belief about the mean
    known: Any  # (1, D) variance of the column within a component
    family: Any = field(default=None, repr=False)  # the Gaussian it is about; None until `on` says which

    def on(self, family: Any, components: int) -> "NormalMean":
        if family.shape is not DIAGONAL or not (self.variance > 0 and self.known > 0):
            raise ParameterError(
                "NormalMean is about a column by itself, with variance and known above 0; "
                f"found {self.variance} and {self.known} for {family.columns} columns of shape {family.shape.name}."
            )
        wide = (components, family.columns)
        known = np.full((1, family.columns), float(self.known))
        return NormalMean(np.full(wide, float(self.location)), np.full(wide, float(self.variance)), known, family)

    def after(self, statistics: Moments) -> "NormalMean":
        precision = 1 / self.variance + statistics.seen / self.known
        moved = statistics.seen / self.known * (statistics.mean - self.location) / precision
        return replace(self, location=self.location + moved, variance=1 / precision)

    def mode(self) -> GaussianDensity:
        return GaussianDensity(self.location, self.known, DIAGONAL)

    mean = mode  # of a normal

    def predictive(self) -> GaussianDensity:
        return GaussianDensity(self.location, self.known + self.variance, DIAGONAL)

    def log_density(self, density: GaussianDensity) -> float:
        distance = (density.mean - self.location) ** 2 / self.variance
        return float(-0.5 * (distance + np.log(self.variance) + LOG_2PI).sum())

    def log_evidence(self, statistics: Moments) -> Array:
        """The scatter around the sample mean, and that mean around the belief."""
        n, off = statistics.seen, (statistics.mean - self.location) ** 2
        around = statistics.scatter / self.known + n * (LOG_2PI + np.log(self.known))
        growth = 1 + n * self.variance / self.known
        return np.asarray(-0.5 * (around + np.log(growth) + n * off / (self.known * growth)).sum(axis=1))
