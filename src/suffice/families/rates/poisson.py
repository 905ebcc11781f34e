"""Poisson columns: counts of events in, a Gamma belief about their rate, log probabilities out (see `family`)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from scipy.special import gammaln, rel_entr

from suffice.arrays import Array, log
from suffice.families.capabilities import Separation
from suffice.families.counts import drawn
from suffice.families.protocol import Distribution
from suffice.families.rates.family import Rates
from suffice.families.rates.law import Law
from suffice.families.summable import Told
from suffice.formulas import Expression, gained, lgamma, times_log


def Poisson(columns: int) -> Rates:
    """Independent columns of counts: p(x) = rateˣ e^(−rate) / x!."""
    return Rates(PoissonLaw(columns))


@dataclass(frozen=True)
class PoissonLaw(Law):
    columns: int = 1
    jeffreys = 0.5
    told_by = Told.VALUES

    def events(self, x: Array) -> Array:
        return x

    def exposure(self, x: Array) -> Array:
        return np.ones_like(x)

    def log_base(self, x: Array) -> Array:
        return np.asarray(-gammaln(x + 1))

    def typical(self, rate: Array) -> Array:
        return rate

    def log_predictive(self, x: Array, shape: Array, rate: Array) -> Array:
        """Negative binomial."""
        chosen = gammaln(shape + x) - gammaln(shape) - gammaln(x + 1)
        return np.asarray(chosen - shape * np.log1p(1 / rate) - x * np.log1p(rate))

    def log_base_formula(self, x: Expression, column: int) -> Expression:
        return -lgamma(x + 1)

    def formula(self, x: Expression, column: int, rate: float) -> Expression:
        return times_log(x, float(log(np.array(rate)))) - rate

    def predictive_formula(self, x: Expression, column: int, shape: float, rate: float) -> Expression:
        return gained(x, shape) - x * float(np.log1p(rate)) - shape * float(np.log1p(1 / rate))

    def described(self, rate: Array) -> dict[str, Array]:
        return {"rate": rate}

    def marginals(self, shape: Array, rate: Array) -> dict[str, Distribution]:
        return {"rate": scipy.stats.gamma(shape, scale=1 / rate)}

    def draw(self, rate: Array, rng: np.random.Generator) -> Array:
        return drawn(rate, rng)

    def divergence(self, first: Array, second: Array) -> Separation:
        kl = rel_entr(first, second) + second - first
        return float(kl.sum()), float(0.5 * ((np.sqrt(first) - np.sqrt(second)) ** 2).sum())

    def take(self, columns: Sequence[int]) -> "PoissonLaw":
        return PoissonLaw(len(columns))
