"""Waiting times: positive numbers in, a Gamma belief about the rate, log densities out (see `family`).

A column is the wait for a known number of events, a Gamma of that shape; exponential columns wait for one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from scipy.special import gammaln, xlogy

from suffice.arrays import Array, log, ratio
from suffice.families.capabilities import Separation
from suffice.families.panels import REACH, around
from suffice.families.protocol import Distribution
from suffice.families.rates.family import Rates
from suffice.families.rates.law import Law
from suffice.families.summable import Told
from suffice.formulas import ZERO, Expression, ln, times_log1p


def Waiting(shapes: Sequence[float]) -> Rates:
    """Independent columns of positive numbers: p(x) = rateᵏ xᵏ⁻¹ e^(−rate x) / Γ(k), k of each column known."""
    return Rates(WaitingLaw(tuple(shapes)))


@dataclass(frozen=True)
class WaitingLaw(Law):
    shapes: tuple[float, ...]  # k of each column
    jeffreys = 0.0

    @property
    def columns(self) -> int:
        return len(self.shapes)

    @property
    def told_by(self) -> Told | None:
        return Told.MEANS if set(self.shapes) == {1.0} else None

    @property
    def k(self) -> Array:
        return np.asarray(self.shapes, dtype=float)  # (D,)

    def events(self, x: Array) -> Array:
        return np.broadcast_to(self.k, x.shape)

    def exposure(self, x: Array) -> Array:
        return x

    def log_base(self, x: Array) -> Array:
        return np.asarray(xlogy(self.k - 1, x) - gammaln(self.k))

    def typical(self, rate: Array) -> Array:
        return ratio(self.k, rate, np.inf)

    def log_predictive(self, x: Array, shape: Array, rate: Array) -> Array:
        """Beta prime, in units of the rate; Lomax where k is 1."""
        units = x / rate
        chosen = gammaln(shape + self.k) - gammaln(shape) - gammaln(self.k) - np.log(rate)
        return np.asarray(chosen + xlogy(self.k - 1, units) - (shape + self.k) * np.log1p(units))

    def log_base_formula(self, x: Expression, column: int) -> Expression:
        k = self.shapes[column]
        return ZERO if k == 1 else ln(x) * (k - 1) - float(gammaln(k))

    def formula(self, x: Expression, column: int, rate: float) -> Expression:
        return x * -rate + self.shapes[column] * float(log(np.array(rate)))

    def predictive_formula(self, x: Expression, column: int, shape: float, rate: float) -> Expression:
        k = self.shapes[column]
        level = gammaln(shape + k) - gammaln(shape) - k * np.log(rate)
        return times_log1p(-(shape + k), x * (1 / rate)) + float(level)

    def described(self, rate: Array) -> dict[str, Array]:
        return {"rate": rate, "mean": self.typical(rate)}

    def marginals(self, shape: Array, rate: Array) -> dict[str, Distribution]:
        mean = scipy.stats.invgamma(shape, scale=self.k * rate)
        return {"rate": scipy.stats.gamma(shape, scale=1 / rate), "mean": mean}

    def draw(self, rate: Array, rng: np.random.Generator) -> Array:
        return np.asarray(rng.standard_gamma(np.broadcast_to(self.k, rate.shape)) / rate)

    def divergence(self, first: Array, second: Array) -> Separation:
        kl = self.k * (log(first) - log(second) + second / first - 1)
        distance = self.k * (np.log((first + second) / 2) - 0.5 * log(first * second))
        return float(kl.sum()), float(distance.sum())

    def panels(self, rate: Array) -> Array:
        """The density of ln x falls off as e^(k · ln x) to the left."""
        k = self.k[0]
        typical = np.log(k / rate)
        return around(typical, np.full(len(typical), 1 / np.sqrt(k)), REACH / np.sqrt(min(k, 1.0)) + REACH)

    def take(self, columns: Sequence[int]) -> "WaitingLaw":
        return WaitingLaw(tuple(self.shapes[j] for j in columns))
