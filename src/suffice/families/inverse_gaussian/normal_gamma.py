"""Beliefs about inverse Gaussians: 1/μ normal and λ Gamma, of one column and component each, where 1/μ > 0.

    p(θ, λ) ∝ λ^((ν − 1)/2) e^(−λ (E + S (θ − n/S)²)/2)  for θ = 1/μ > 0

In:  Reciprocals: a belief is such a record, n rows of sum S and excess E, with ν degrees of freedom.
Out: densities with known parameters (mode, mean, draw), or with the parameters integrated out (predictive).

A normal θ would be negative now and then (Banerjee and Bhattacharyya, 1979), which no mean is. Without λ, θ is a
Student-t, so what is above 0 has the share T(c) with c = n √(ν / SE): all is in closed form with that share in it, but
for E ln λ.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy
from scipy.special import gammaln, log_ndtr, stdtr

from suffice.arrays import LOG_2PI, Array, ratio
from suffice.errors import ImproperPriorError, ParameterError, SingularError
from suffice.families.inverse_gaussian.densities import (
    InverseGaussianChart,
    InverseGaussianDensity,
    InverseGaussianPredictive,
    draws,
)
from suffice.families.inverse_gaussian.positive import cut, log_above, log_gamma_above, mean_above
from suffice.families.inverse_gaussian.reciprocals import Reciprocals, between
from suffice.families.protocol import Distribution, Names, Parametric, Prior
from suffice.families.stacked import stacked


@dataclass(frozen=True, eq=False)
class NormalGammaPrior(Prior[Reciprocals]):
    about = "means and shapes"

    seen: Array  # (K or 1, D): n
    total: Array  # (K or 1, D): S
    excess: Array  # (K or 1, D): E
    degrees: Array  # (K or 1, D): ν

    @classmethod
    def uninformed(cls, columns: int, degrees: float) -> "NormalGammaPrior":
        """Believe nothing but so many degrees of freedom."""
        none = np.zeros((1, columns))
        return cls(none, none, none, none + degrees)

    def refuse_other_columns(self, columns: int) -> None:
        """An error where a belief about one column is to be one about several."""
        if self.columns != columns:
            raise ParameterError(f"A belief about a mean and a shape is about one column, not {columns} at once.")

    @property
    def columns(self) -> int:
        return int(self.seen.shape[1])

    @property
    def _parts(self) -> tuple[Array, Array, Array, Array]:
        return self.seen, self.total, self.excess, self.degrees

    @property
    def _cut(self) -> Array:
        return cut(*self._parts)

    @property
    def proper(self) -> bool:
        return all(bool((part > 0).all()) for part in self._parts[1:])

    def parameters(self, components: int) -> int:
        return 2 * components * self.columns

    def stacked(self, others: Sequence["NormalGammaPrior"]) -> "NormalGammaPrior":
        return stacked([self, *others], ["seen", "total", "excess", "degrees"])

    def side_by_side(self, models: int) -> "NormalGammaPrior":
        """One for all components is one for those of all models."""
        return self if len(self.seen) == 1 else super().side_by_side(models)

    def after(self, statistics: Reciprocals) -> "NormalGammaPrior":
        seen, total = statistics.seen, statistics.total
        excess = self.excess + statistics.spread + between(self.seen, self.total, seen, total)
        return replace(
            self, seen=self.seen + seen, total=self.total + total, excess=excess, degrees=self.degrees + seen
        )

    def mode(self) -> InverseGaussianDensity:
        self._refuse_unsettled(1.0)
        return InverseGaussianDensity(self.total / self.seen, (self.degrees - 1) / self.excess)

    def mean(self) -> InverseGaussianDensity:
        """The means of 1/μ and of λ: μ itself has no mean."""
        self._refuse_unsettled(1.0)
        rate = self.seen / self.total * (1 + mean_above(self._cut, self.degrees) / self._cut)
        return InverseGaussianDensity(1 / rate, self._mean_shape())

    def predictive(self) -> InverseGaussianPredictive:
        self._refuse_unsettled(0.0)
        return InverseGaussianPredictive(*self._parts)

    def maximum_likelihood(self, statistics: Reciprocals) -> InverseGaussianDensity:
        return self.uninformed(self.columns, 1.0).after(statistics).mode()

    def marginals(self, names: Names) -> dict[str, dict[str, Distribution]]:
        """The shape has one; the mean is the reciprocal of a Student-t cut off at 0, and has no moments."""
        self._refuse_improper("marginals")
        described = zip(names, self.degrees.T, (self.seen / np.sqrt(self.total)).T, self.excess.T, strict=True)
        return {
            name: {"shape": SHAPE(df / 2, middle * np.sqrt(2 / excess), scale=2 / excess)}
            for name, df, middle, excess in described
        }

    def draw(self, rng: np.random.Generator) -> InverseGaussianDensity:
        self._refuse_improper("draws")
        rate, shape = draws(*self._parts, rng)
        return InverseGaussianDensity(1 / rate, shape)

    def expected_log_density(self, other: "NormalGammaPrior") -> Array:
        """The parts are λ (θ − n/S) and its square; E ln λ is by quadrature."""
        middle, away = self.seen / self.total, self.seen / self.total - other.seen / other.total
        log_first = gammaln((self.degrees + 1) / 2) - np.log(self.total) - self._log_normaliser()
        power = (self.degrees + 1) / 2 * np.log((self.excess + self.seen * middle) / 2)
        first, shape = np.exp(log_first - power), self._mean_shape()
        square = 1 / self.total - middle * first + 2 * away * first + away**2 * shape
        log_shape = log_gamma_above(self._cut, self.degrees) + np.log(2 / self.excess)
        kernel = (other.degrees - 1) * log_shape - other.excess * shape - other.total * square
        return np.asarray((kernel / 2 - other._log_normaliser()).sum(axis=1))

    def log_density(self, density: Parametric[Reciprocals]) -> Array:
        """A density of 1/μ and λ."""
        assert isinstance(density, InverseGaussianDensity)  # there is no other with known parameters
        shape = density.shape
        apart = self.total / density.mean - self.seen
        kernel = (self.degrees - 1) * np.log(shape) - shape * (self.excess + ratio(apart**2, self.total))
        normaliser = self._log_normaliser() if self.proper else np.zeros((1, 1))
        return np.asarray((kernel / 2 - normaliser).sum(axis=1))

    def log_evidence(self, statistics: Reciprocals) -> Array:
        self._refuse_improper("evidence")
        gained = self.after(statistics)._log_normaliser() - self._log_normaliser()
        return np.asarray((gained - 0.5 * LOG_2PI * statistics.seen - 1.5 * statistics.logs).sum(axis=1))

    def chart(self, density: Parametric[Reciprocals], statistics: Reciprocals) -> InverseGaussianChart:
        assert isinstance(density, InverseGaussianDensity)  # there is no other with known parameters
        return InverseGaussianChart(density, *self.after(statistics)._parts)

    def _mean_shape(self) -> Array:
        """E λ."""
        more = self._cut * np.sqrt((self.degrees + 2) / self.degrees)
        return np.asarray(self.degrees / self.excess * stdtr(self.degrees + 2, more) / stdtr(self.degrees, self._cut))

    def _log_normaliser(self) -> Array:
        half = self.degrees / 2
        level = 0.5 * (LOG_2PI - np.log(self.total)) + gammaln(half) - half * np.log(self.excess / 2)
        return np.asarray(level + log_above(self._cut, self.degrees))

    def _refuse_improper(self, wanted: str) -> None:
        if not self.proper:
            raise ImproperPriorError(
                f"A belief about a mean and a shape that no row has told anything has no {wanted}: "
                "its sum, its excess and its degrees of freedom must be more than 0."
            )

    def _refuse_unsettled(self, least: float) -> None:
        """A SingularError where rows leave a mean or a shape open."""
        for unknown, words in (
            (self.total <= 0, "no row tells the mean of"),
            (self.excess <= 0, "the divisor is 0 for the shape of"),
            (self.degrees <= least, "there are too few rows for the shape of"),
        ):
            if unknown.any():
                component, column = np.argwhere(unknown)[0]
                raise SingularError(words, int(component), [int(column)])


class CutShape(scipy.stats.rv_continuous):
    """λ of such a belief, in units of 2/E: a Gamma of shape ν/2, times the normal share of θ above 0 at that λ."""

    def _pdf(self, x: Array, half: Array, middle: Array) -> Array:
        return np.asarray(np.exp(self._logpdf(x, half, middle)))

    def _logpdf(self, x: Array, half: Array, middle: Array) -> Array:
        above = log_ndtr(middle * np.sqrt(x)) - log_above(middle * np.sqrt(half), 2 * half)
        return np.asarray(scipy.stats.gamma.logpdf(x, half) + above)

    def _stats(self, half: Array, middle: Array) -> tuple[Array, Array, None, None]:
        whole = stdtr(2 * half, middle * np.sqrt(half))
        first = half * stdtr(2 * half + 2, middle * np.sqrt(half + 1)) / whole
        second = half * (half + 1) * stdtr(2 * half + 4, middle * np.sqrt(half + 2)) / whole
        return first, second - first**2, None, None


SHAPE = CutShape(a=0.0, name="shape", shapes="half, middle")
