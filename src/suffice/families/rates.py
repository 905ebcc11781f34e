"""Families of rates: events over exposure, with a Gamma belief about the rate of each column.

    Poisson column        x events in a row's unit of exposure
    exponential column    one event after waiting x

In:  a block (N, D), NaN where missing, which a Law turns into events and exposure.
Out: counts that add, the Gamma belief, log densities. The two laws mirror each other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
from scipy.special import gammaln

from suffice.arrays import Array, Codes, log, log_dot, ratio
from suffice.errors import ImproperPriorError, ParameterError, SingularError
from suffice.families.counts import Counts
from suffice.families.memberships import Memberships
from suffice.families.protocol import Names


class Law(Protocol):
    """What differs between families of rates; elementwise over whatever shape comes in."""

    jeffreys: float  # the shape of the reference prior, whose rate is 0

    def events(self, x: Array) -> Array: ...

    def exposure(self, x: Array) -> Array: ...

    def log_base(self, x: Array) -> Array: ...  # ln h(x)

    def typical(self, rate: Array) -> Array: ...  # the mean of x at this rate

    def log_predictive(self, x: Array, shape: Array, rate: Array) -> Array: ...

    def draw(self, rate: Array, rng: np.random.Generator) -> Array: ...

    def described(self, rate: Array) -> dict[str, Array]: ...  # for a table


@dataclass(frozen=True)
class Rates:
    """The family: independent columns, each with its rate."""

    about = "rates"

    law: Any  # a Law
    columns: int

    def statistics(self, x: Array, memberships: Memberships) -> Counts:
        missing = np.isnan(x)
        parts = (self.law.events(x), self.law.exposure(x), self.law.log_base(x))
        return Counts(memberships.weight, *(memberships.sums(np.where(missing, 0.0, part)) for part in parts))

    def flat(self, components: int = 1) -> "Gamma":
        return self._gamma(np.ones(1), np.zeros(1))

    unbiased = flat

    def reference(self, components: int = 1) -> "Gamma":
        return self._gamma(np.array([self.law.jeffreys]), np.zeros(1))

    def weak(self, statistics: Counts) -> "Gamma":
        """Flat, after one row that is the overall mean."""
        x = self.law.typical(ratio(statistics.counts.sum(axis=0), statistics.exposure.sum(axis=0), 1.0))
        return self._gamma(1.0 + self.law.events(x), self.law.exposure(x))

    def even(self, amount: float) -> None:
        return None

    def take(self, columns: Sequence[int]) -> "Rates":
        return Rates(self.law, len(columns))

    def marginal(self, statistics: Counts, columns: Sequence[int]) -> Counts:
        return statistics.take(columns, columns)

    def adopt(self, statistics: Counts, gathered_by: "Rates") -> Counts:
        return statistics

    def restored(self, arrays: Mapping[str, Array], components: int) -> Counts:
        return Counts.restored(arrays, components, self.columns, self.columns, self.columns)

    def constant(self, statistics: Counts) -> list[int]:
        return []

    @property
    def remedy(self) -> str:
        return "Use estimate='map', which adds a weak prior"

    def _gamma(self, shape: Array, rate: Array) -> "Gamma":
        ones = np.ones((1, self.columns))
        return Gamma(shape * ones, rate * ones, self)


@dataclass(frozen=True, eq=False)
class Gamma:
    """The belief about a rate worth `shape` events in `rate` of exposure."""

    about = "rates"

    shape: Any  # (K or 1, D); a user may give one number
    rate: Any  # (K or 1, D)
    family: Any = field(default=None, repr=False)  # the Rates it is about; None until `on` says which

    def on(self, family: Rates, components: int) -> "Gamma":
        shape, rate = np.atleast_2d(np.asarray(self.shape, float)), np.atleast_2d(np.asarray(self.rate, float))
        fits = all(part.shape in ((1, 1), (1, family.columns)) for part in (shape, rate))
        if not (fits and np.all(shape > 0) and np.all(rate > 0)):
            raise ParameterError(
                f"A Gamma prior needs a shape and a rate above 0 for each of {family.columns} columns; "
                f"found {self.shape} and {self.rate}."
            )
        return Gamma(shape, rate, family)

    def after(self, statistics: Counts) -> "Gamma":
        return replace(self, shape=self.shape + statistics.counts, rate=self.rate + statistics.exposure)

    def mode(self) -> "RateDensity":
        return self._density(np.maximum(self.shape - 1, 0.0))

    def mean(self) -> "RateDensity":
        return self._density(self.shape)

    def predictive(self) -> "RatePredictive":
        self._density(self.shape)  # refuses a belief that nothing has informed
        return RatePredictive(self.shape, self.rate, self.family)

    def log_density(self, density: "RateDensity") -> float:
        power = np.broadcast_to(self.shape - 1, density.rate.shape)
        kernel = np.where(power == 0, 0.0, power * log(density.rate)) - self.rate * density.rate
        normaliser = self._log_normaliser() if self._proper() else np.zeros((1, 1))
        return float((kernel - normaliser).sum())

    def log_evidence(self, statistics: Counts) -> Array:
        if not self._proper():
            raise ImproperPriorError("A Gamma prior with shape or rate 0 has no evidence: give both more than 0.")
        gained = self.after(statistics)._log_normaliser() - self._log_normaliser() + statistics.log_base
        return np.asarray(gained.sum(axis=1))

    def _proper(self) -> bool:
        return bool(np.all(self.shape > 0) and np.all(self.rate > 0))

    def _log_normaliser(self) -> Array:
        return np.asarray(gammaln(self.shape) - self.shape * np.log(self.rate))

    def _density(self, events: Array) -> "RateDensity":
        unknown = np.argwhere(np.broadcast_to(self.rate, events.shape) == 0)
        if len(unknown):
            component, column = unknown[0]
            raise SingularError("there is nothing to divide by for the rate of", component, [column])
        return RateDensity(events / self.rate, self.family)


@dataclass(frozen=True, eq=False)
class RateDensity:
    """Known rates."""

    rate: Array  # (K, D)
    family: Rates
    independent = True

    def log_density(self, x: Array) -> Array:
        law, missing = self.family.law, np.isnan(x)
        events, exposure, log_base = (
            np.where(missing, 0.0, part) for part in (law.events(x), law.exposure(x), law.log_base(x))
        )
        varying = log_dot(events, log(self.rate)) - exposure @ self.rate.T
        return np.asarray(varying + log_base.sum(axis=1, keepdims=True))

    scores = log_density

    def sample(self, components: Codes, rng: np.random.Generator) -> Array:
        return np.asarray(self.family.law.draw(self.rate[components], rng))

    def tables(self, names: Names) -> dict[str, dict[str, Array]]:
        return {name: self.family.law.described(rate) for name, rate in zip(names, self.rate.T, strict=True)}

    def take(self, columns: Sequence[int]) -> "RateDensity":
        return RateDensity(self.rate[:, list(columns)], self.family.take(columns))


@dataclass(frozen=True, eq=False)
class RatePredictive:
    """Rates integrated out: negative binomial, Lomax."""

    shape: Array  # (K, D)
    rate: Array
    family: Rates
    independent = True

    def log_density(self, x: Array) -> Array:
        columns = [
            np.nansum(self.family.law.log_predictive(x, a, b), axis=1)
            for a, b in zip(self.shape, self.rate, strict=True)
        ]
        return np.stack(columns, axis=1)

    scores = log_density

    def sample(self, components: Codes, rng: np.random.Generator) -> Array:
        rate = rng.standard_gamma(self.shape[components]) / self.rate[components]
        return np.asarray(self.family.law.draw(rate, rng))

    def tables(self, names: Names) -> dict[str, dict[str, Array]]:
        described = zip(names, self.shape.T, self.rate.T, strict=True)
        return {name: {"rate": a / b, "shape": a, "exposure": b} for name, a, b in described}

    def take(self, columns: Sequence[int]) -> "RatePredictive":
        return RatePredictive(self.shape[:, list(columns)], self.rate[:, list(columns)], self.family.take(columns))
