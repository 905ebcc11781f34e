"""Exponential columns: waiting times in, a Gamma belief about the rate, log densities out (see `rates`)."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from suffice.arrays import Array, ratio
from suffice.families.rates.family import Rates


def Exponential(columns: int) -> Rates:
    """Independent columns of positive numbers: p(x) = rate · e^(−rate x)."""
    return Rates(ExponentialLaw(), columns)


@dataclass(frozen=True)
class ExponentialLaw:
    jeffreys = 0.0

    def events(self, x: Array) -> Array:
        return np.ones_like(x)

    def exposure(self, x: Array) -> Array:
        return x

    def log_base(self, x: Array) -> Array:
        return np.zeros_like(x)

    def typical(self, rate: Array) -> Array:
        return ratio(np.ones(1), rate, np.inf)

    def log_predictive(self, x: Array, shape: Array, rate: Array) -> Array:
        """Lomax."""
        return np.asarray(np.log(shape / rate) - (shape + 1) * np.log1p(x / rate))

    def described(self, rate: Array) -> dict[str, Array]:
        return {"rate": rate, "mean": self.typical(rate)}

    def marginals(self, shape: Array, rate: Array) -> dict[str, Any]:
        return {"rate": scipy.stats.gamma(shape, scale=1 / rate), "mean": scipy.stats.invgamma(shape, scale=rate)}

    def draw(self, rate: Array, rng: np.random.Generator) -> Array:
        return np.asarray(rng.exponential(1 / rate))
