"""Families of rates: events over exposure, with a Gamma belief about the rate of each column.

    Poisson column        x events in a row's unit of exposure
    exponential column    one event after waiting x

In:  a block (N, D), NaN where missing, which a Law turns into events and exposure.
Out: counts that add; the belief and the densities are in `gamma`. The two laws mirror each other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from suffice.arrays import Array, Codes, ratio, repeated, side_by_side
from suffice.errors import FileError
from suffice.families.accumulator import Plain
from suffice.families.counts import Counts, checked
from suffice.families.leave_one_out import LeftOut, Rule, beside
from suffice.families.memberships import Memberships
from suffice.families.rates.gamma import GammaPrior, RateDensity


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

    def marginals(self, shape: Array, rate: Array) -> dict[str, Any]: ...  # distributions of what is described


@dataclass(frozen=True)
class Rates:
    """The family: independent columns, each with its rate."""

    about = "rates"

    law: Any  # a Law
    columns: int
    models: int = 1  # side by side on the component axis

    def statistics(self, x: Array, memberships: Memberships) -> Counts:
        return Counts(memberships.weight, *(memberships.sums(part) for part in self.amounts(x)))

    def singly(self, x: Array, weights: Array) -> Counts:
        """Each row by itself, in a component of its own."""
        return Counts(weights, *(weights[:, None] * part for part in self.amounts(x)))

    def left_out(self, x: Array, labels: Codes, weights: Array, statistics: Counts, rule: Rule) -> LeftOut:
        return beside(self, x, labels, weights, statistics, rule)

    def amounts(self, x: Array) -> tuple[Array, Array, Array]:
        """Events, exposure and ln h of the cells, nothing for missing ones."""
        missing, law = np.isnan(x), self.law
        events, exposure, log_base = (
            np.where(missing, 0.0, part) for part in (law.events(x), law.exposure(x), law.log_base(x))
        )
        return events, exposure, log_base

    def lens(self, density: Any, pooled: Counts, rows: int) -> Plain:
        return Plain(self, density)

    def flat(self, components: int = 1) -> GammaPrior:
        return self._gamma(np.ones(1), np.zeros(1))

    unbiased = flat

    def reference(self, components: int = 1) -> GammaPrior:
        return self._gamma(np.array([self.law.jeffreys]), np.zeros(1))

    def weak(self, statistics: Counts) -> GammaPrior:
        """Flat, after one row that is the overall mean."""
        events, exposure = (
            side_by_side(part, self.models).sum(axis=1) for part in (statistics.counts, statistics.exposure)
        )
        x = repeated(self.law.typical(ratio(events, exposure, 1.0)), len(statistics.weight))
        return GammaPrior(1.0 + self.law.events(x), self.law.exposure(x), self)

    def vague(self, statistics: Counts, components: int) -> GammaPrior:
        return self.weak(statistics)

    def even(self, amount: float) -> None:
        return None

    def take(self, columns: Sequence[int]) -> "Rates":
        return replace(self, columns=len(columns))

    def marginal(self, statistics: Counts, columns: Sequence[int]) -> Counts:
        return statistics.take(columns, columns)

    def adopt(self, statistics: Counts, gathered_by: "Rates") -> Counts:
        return statistics

    def restored(self, arrays: Mapping[str, Array], components: int) -> Counts:
        return Counts.restored(arrays, components, self.columns, self.columns, self.columns)

    def density(self, arrays: Mapping[str, Array], components: int) -> RateDensity:
        """Known parameters, from their arrays."""
        rate = checked(arrays, {"rate": (components, self.columns)})["rate"]
        if (rate < 0).any():
            raise FileError("The file holds rates below 0.")
        return RateDensity(rate, self)

    def constant(self, statistics: Counts) -> list[int]:
        return []

    @property
    def remedy(self) -> str:
        return "Use estimate='map', which adds a weak prior"

    def _gamma(self, shape: Array, rate: Array) -> GammaPrior:
        ones = np.ones((1, self.columns))
        return GammaPrior(shape * ones, rate * ones, self)
