"""The conjugate belief about Gaussian variances when the means are known: inverse gamma.

In:  Moments with a sum of squares for each column.
Out: Gaussian densities (mode, mean, draw) or Student-t densities (predictive), all around the known means.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.special import digamma, gammaln

from suffice.arrays import LOG_2PI, Array
from suffice.errors import ParameterError, SingularError
from suffice.families.gaussian.chart import Columnwise, Pull
from suffice.families.gaussian.covariances import Covariances
from suffice.families.gaussian.densities import GaussianDensity, StudentDensity
from suffice.families.gaussian.marginals import spreads
from suffice.families.gaussian.patterns import AnyMoments
from suffice.families.gaussian.shapes import DIAGONAL
from suffice.families.protocol import Distribution, Names, Parametric, Prior
from suffice.families.stacked import stacked


@dataclass(frozen=True, eq=False)
class InverseGammaPrior(Prior[AnyMoments]):
    """Variances ~ inverse gamma (a, b) of columns whose means are known: density ∝ σ²^−(a+1) e^(−b/σ²)."""

    about = "means and variances"
    proper = True

    a: Array  # (K′, D)
    b: Array  # (K′, D)
    known: Array  # (K, D) means
    family: Covariances = field(repr=False)
    power: Array | None = field(default=None, repr=False)  # a + 1, where a sum would lose light rows

    def on(self, family: Covariances, components: int) -> "InverseGammaPrior":
        if family.shape != DIAGONAL or family.columns != self.known.shape[1]:
            raise ParameterError(
                "InverseGamma is about the variance of a column by itself; "
                f"found {family.columns} columns of shape {family.shape.name}."
            )
        owners = family.models if family.shared else components
        a, b = (np.repeat(part, owners, axis=0) for part in (self.a, self.b))
        return InverseGammaPrior(a, b, np.repeat(self.known, components, axis=0), family)

    @property
    def shares(self) -> bool:
        return self.family.shared

    def parameters(self, components: int) -> int:
        return int(self.a.size)  # the means are known

    def stacked(self, others: Sequence["InverseGammaPrior"]) -> "InverseGammaPrior":
        parts = [replace(part, power=None) for part in (self, *others)]
        if self.family.shared:
            return stacked(parts, ["known"], ["a", "b"])
        return stacked(parts, ["a", "b", "known"])

    def after(self, statistics: AnyMoments) -> "InverseGammaPrior":
        rows = statistics.complete()
        squares = rows.scatter + rows.seen * (rows.mean - self.known) ** 2
        a, b = (self._shared(part / 2) for part in (rows.seen, squares))
        return replace(self, a=self.a + a, b=self.b + b, power=self._power + a)

    def mode(self) -> GaussianDensity:
        return self._gaussian(self._power)

    @property
    def _power(self) -> Array:
        return self.a + 1 if self.power is None else self.power

    def mean(self) -> GaussianDensity:
        return self._gaussian(self.a - 1)

    def predictive(self) -> StudentDensity:
        scale = np.broadcast_to(self.b / self.a, self.known.shape)
        return StudentDensity(self.known, scale, 2 * self.a, DIAGONAL, together=False)

    def maximum_likelihood(self, statistics: AnyMoments) -> GaussianDensity:
        flat = replace(self, a=np.full_like(self.a, -1.0), b=np.zeros_like(self.b), power=None)
        return flat.after(statistics).mode()

    def marginals(self, names: Names) -> dict[str, dict[str, Distribution]]:
        a, b = (np.broadcast_to(part, self.known.shape).T for part in (self.a, self.b))
        return {name: spreads(*column) for name, *column in zip(names, a, b, strict=True)}

    def draw(self, rng: np.random.Generator) -> GaussianDensity:
        return GaussianDensity(self.known, self.b / rng.standard_gamma(self.a), DIAGONAL)

    def expected_log_density(self, other: "InverseGammaPrior") -> Array:
        log_variance, precision = np.log(self.b) - digamma(self.a), self.a / self.b
        return np.asarray(other._log_densities(log_variance, precision).sum(axis=1))

    def log_density(self, density: Parametric[AnyMoments]) -> Array:
        assert isinstance(density, GaussianDensity)  # there is no other with known parameters
        return np.asarray(self._log_densities(np.log(density.covariance), 1 / density.covariance).sum(axis=1))

    def log_evidence(self, statistics: AnyMoments) -> Array:
        gained = self.after(statistics)._log_normaliser() - self._log_normaliser()
        return np.asarray((gained - 0.5 * LOG_2PI * self._shared(statistics.complete().seen)).sum(axis=1))

    def chart(self, density: Parametric[AnyMoments], statistics: AnyMoments) -> Columnwise:
        assert isinstance(density, GaussianDensity)  # there is no other with known parameters
        belief = self.after(statistics)
        pull = Pull(2 * belief._power, 2 * belief.b, np.zeros_like(self.known), self.known)
        return Columnwise(density=density, pull=pull, means=False)

    def _shared(self, per_component: Array) -> Array:
        return per_component.sum(axis=0, keepdims=True) if self.family.shared else per_component

    def _log_densities(self, log_variance: Array, precision: Array) -> Array:
        return -self._power * log_variance - self.b * precision - self._log_normaliser()

    def _log_normaliser(self) -> Array:
        return np.asarray(gammaln(self.a) - self.a * np.log(self.b))

    def _gaussian(self, divisor: Array) -> GaussianDensity:
        if not np.all(divisor > 0):
            component, column = (int(i) for i in np.argwhere(~(divisor > 0))[0])
            owner = None if self.family.shared else component
            raise SingularError("there are too few rows to estimate the variance of", owner, [column])
        return GaussianDensity(self.known, self.b / divisor, DIAGONAL)
