"""The conjugate belief about Gaussian means when the variances are known: normal.

In:  Moments with a sum of squares for each column, or with a scatter matrix for columns modelled together.
Out: Gaussian densities; the predictive is Gaussian too.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import scipy
from numpy.typing import NDArray

from suffice.arrays import LOG_2PI, Array
from suffice.errors import ImproperPriorError, ParameterError, SingularError
from suffice.families.capabilities import Covarying
from suffice.families.gaussian.chart import Columnwise, GaussianChart, Pull, together
from suffice.families.gaussian.covariances import Covariances
from suffice.families.gaussian.densities import GaussianDensity, scaled_normals, titled
from suffice.families.gaussian.marginals import refuse_zero
from suffice.families.gaussian.patterns import AnyMoments
from suffice.families.gaussian.shapes import FULL, Shape
from suffice.families.protocol import Distribution, Names, Parametric
from suffice.families.stacked import stacked


@dataclass(frozen=True, eq=False)
class NormalMeanPrior(Covarying[AnyMoments]):
    """Means ~ N(location, variance) of columns whose own variance, or covariance matrix, is known."""

    about = "means and variances"

    location: Array  # (K, D)
    variance: Array  # (K, D) or (K, D, D) of the belief about the means; infinite where it is flat
    known: Array  # (K′, D) or (K′, D, D) of the columns within a component
    family: Covariances = field(repr=False)

    def on(self, family: Covariances, components: int) -> "NormalMeanPrior":
        """One column by itself has the same variance in every shape."""
        columns, one = self.location.shape[1], self.location.shape[1] == 1
        if family.columns != columns or not (one or family.shape == FULL):
            raise ParameterError(
                "NormalMean is about a column by itself, or about columns with a full covariance; found a belief about "
                f"{columns} for {family.columns} columns of shape {family.shape.name}."
            )
        variance, known = (
            family.shape.matrix(part.reshape(1, 1)) if one else part for part in (self.variance, self.known)
        )
        owners = family.models if family.shared else components
        location, variance = (np.repeat(part, components, axis=0) for part in (self.location, variance))
        return NormalMeanPrior(location, variance, np.repeat(known, owners, axis=0), family)

    def parameters(self, components: int) -> int:
        return components * int(self.family.columns)  # the variances are known

    def stacked(self, others: Sequence["NormalMeanPrior"]) -> "NormalMeanPrior":
        if self.family.shared:
            return stacked([self, *others], ["location", "variance"], ["known"])
        return stacked([self, *others], ["location", "variance", "known"])

    def after(self, statistics: AnyMoments) -> "NormalMeanPrior":
        rows, shape = statistics.complete(), self._shape
        information = shape.scaled(shape.inverse(self.known), shape.mass(rows.seen))  # of the rows
        precision = self._precision + information
        learned = precision.any(axis=tuple(range(1, precision.ndim)))  # (K,) a flat belief needs a row
        variance, moved = np.repeat(self.variance[:1], len(precision), axis=0), np.zeros_like(rows.mean)
        variance[learned] = shape.inverse(precision[learned])
        pull = shape.dot(information, rows.mean - self.location)
        moved[learned] = shape.dot(variance[learned], pull[learned])
        return replace(self, location=self.location + moved, variance=variance)

    def covariance(self) -> Array:
        return np.atleast_2d(self.variance[0])

    @property
    def _precision(self) -> Array:
        """Of the belief: nothing where it is flat."""
        out = np.zeros_like(self.variance)
        out[~self._flat] = self._shape.inverse(self.variance[~self._flat])
        return out

    @property
    def _flat(self) -> NDArray[np.bool_]:
        """Where any mean is believed as much as any other."""  # (K,)
        return np.asarray(np.isinf(self.variance).any(axis=tuple(range(1, self.variance.ndim))))

    @property
    def proper(self) -> bool:
        return not self._flat.any()

    def _refuse_improper(self, wanted: str) -> None:
        if not self.proper:
            raise ImproperPriorError(
                f"A flat belief about a mean has no {wanted}: give a finite variance, or learn from a row first."
            )

    def mode(self) -> GaussianDensity:
        if self._flat.any():
            raise SingularError("there are no rows to estimate the mean of", int(np.argmax(self._flat)), [0])
        return GaussianDensity(self.location, self.known, self._shape)

    mean = mode  # of a normal

    def predictive(self) -> GaussianDensity:
        self._refuse_improper("predictive")
        return GaussianDensity(self.location, self.known + self.variance, self._shape)

    def maximum_likelihood(self, statistics: AnyMoments) -> GaussianDensity:
        rows = statistics.complete()
        refuse_zero(rows.seen)
        return GaussianDensity(rows.mean, self.known, self._shape)

    def marginals(self, names: Names) -> dict[str, dict[str, Distribution]]:
        self._refuse_improper("marginals")
        scales = np.sqrt(self._shape.diagonal(self.variance, self.family.columns))
        columns = zip(self.location.T, scales.T, strict=True)
        return titled(names, self._shape, [{"mean": scipy.stats.norm(m, s)} for m, s in columns])

    def draw(self, rng: np.random.Generator) -> GaussianDensity:
        self._refuse_improper("draws")
        off = scaled_normals(self.variance, self._shape, np.arange(len(self.location)), self.location, rng)
        return GaussianDensity(self.location + off, self.known, self._shape)

    def expected_log_density(self, other: "NormalMeanPrior") -> Array:
        self._refuse_improper("entropy")
        other._refuse_improper("divergence")
        spread = self._shape.trace(self.variance, other.variance)
        return np.asarray(other._log_densities(self.location) - 0.5 * spread)

    def log_density(self, density: Parametric[AnyMoments]) -> Array:
        assert isinstance(density, GaussianDensity)  # there is no other with known parameters
        return self._log_densities(density.mean) if self.proper else np.zeros(len(self.location))

    def log_evidence(self, statistics: AnyMoments) -> Array:
        """The scatter around the sample mean, and that mean around the belief."""
        self._refuse_improper("evidence")
        rows, shape = statistics.complete(), self._shape
        n, own = shape.mass(rows.seen), shape.log_determinant(self.known)
        widened = self.known + shape.scaled(self.variance, n)
        off = _distances(shape, np.sqrt(rows.seen) * (rows.mean - self.location), widened)
        spread = (n * own + shape.log_determinant(widened) - own).sum(axis=1)
        around = shape.trace(rows.scatter, self.known) + rows.seen.sum(axis=1) * LOG_2PI
        return np.asarray(-0.5 * (around + spread + off))

    def chart(self, density: Parametric[AnyMoments], statistics: AnyMoments) -> GaussianChart:
        assert isinstance(density, GaussianDensity)  # there is no other with known parameters
        if self._shape.crosswise:
            nothing = Pull(np.zeros((0, 1)), self.known[:0], np.zeros_like(self.location), self.location)
            return together(density, nothing, statistics, self._precision)
        belief = self.after(statistics)
        pull = Pull(np.zeros((0, 1)), self.known[:0], self.known / belief.variance, belief.location)
        return Columnwise(density=density, pull=pull, spreads=False)

    @property
    def _shape(self) -> Shape:
        return self.family.shape

    def _log_densities(self, mean: Array) -> Array:
        """Of means (K, D), each under its component's belief."""
        distance = _distances(self._shape, mean - self.location, self.variance)
        spread = self._shape.log_determinant(self.variance).sum(axis=1)
        return np.asarray(-0.5 * (distance + spread + mean.shape[1] * LOG_2PI))


def _distances(shape: Shape, vectors: Array, covariance: Array) -> Array:
    """Of each vector (K, D), squared and in units of its own covariance."""
    return np.asarray((vectors * shape.dot(shape.inverse(covariance), vectors)).sum(axis=1))
