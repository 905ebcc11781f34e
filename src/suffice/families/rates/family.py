"""Families of rates: events over exposure, with a Gamma belief about the rate of each column.

    Poisson column        x events in a row's unit of exposure
    waiting time          k events after waiting x, exponential where k is 1

In:  a block (N, D), NaN where missing, which a Law turns into events and exposure.
Out: counts that add; the belief and the densities are in `gamma`. The two laws mirror each other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from suffice.arrays import Array, Codes, ratio, repeated, side_by_side
from suffice.errors import FileError, ParameterError
from suffice.families.counts import Counts, checked
from suffice.families.given import over_levels
from suffice.families.leave_one_out import LeftOut
from suffice.families.mass import Mass
from suffice.families.memberships import Memberships
from suffice.families.protocol import (
    LastStep,
    LeavesOut,
    Names,
    Prior,
    Recorded,
    Rule,
    Statistics,
    Tables,
)
from suffice.families.rates.gamma import GammaPrior, RateDensity
from suffice.families.rates.law import Law
from suffice.families.records import Records
from suffice.families.rows import rows_with
from suffice.families.summable import Countable, Told
from suffice.families.sums import Mask, taken_away
from suffice.kernels.left_out import LEAST_KEPT
from suffice.words import listed


@dataclass(frozen=True)
class Rates(LeavesOut[Counts], Countable[Counts], Recorded[Counts]):
    """The family: independent columns, each with its rate."""

    about = "rates"

    law: Law
    models: int = 1  # side by side on the component axis

    @property
    def columns(self) -> int:
        return self.law.columns

    @property
    def laws(self) -> list[Law]:
        """Of each column by itself."""
        return [self.law.take([j]) for j in range(self.columns)]

    def statistics(self, x: Array, memberships: Memberships) -> Counts:
        events, exposure, log_base = (memberships.sums(part) for part in self.amounts(x))
        counts = Counts(memberships.weight, events, exposure, log_base)
        if memberships.counted is None:
            return counts
        return replace(counts, rows=rows_with(memberships.counted, ~np.isnan(x)), low={})

    def singly(self, x: Array, weights: Array) -> Counts:
        events, exposure, log_base = (weights[:, None] * part for part in self.amounts(x))
        return Counts(weights, events, exposure, log_base)

    @property
    def told_by(self) -> Told | None:
        return self.law.told_by

    def of_mass(self, statistics: Counts, mass: Mass) -> Counts:
        return statistics.among(mass)

    def side_by_side(self, models: int) -> "Rates":
        return replace(self, models=models)

    def leave_one_out(self, x: Array, labels: Codes, weights: Array, statistics: Counts, rule: Rule) -> LeftOut:
        """Where the prior moves with the row, a belief for each row, one component after the other."""
        if not rule.moves or rule.step is LastStep.PREDICTIVE or rule.levels > 1:
            return super().leave_one_out(x, labels, weights, statistics, rule)
        events, exposure, log_base = self.amounts(x)
        singly = self.singly(x, weights)
        whole = statistics.only(labels)
        own, out = whole - singly, np.empty((len(x), len(statistics.weight)))
        others, room = (taken_away(a.sum(axis=0), b) for a, b in _pairs(statistics, singly))
        prior = self._around(ratio(others, room, 1.0))
        for k in range(out.shape[1]):
            mine = (labels == k)[:, None]
            counts, left = (np.where(mine, a, b[k]) for a, b in _pairs(own, statistics))
            density = rule.step.of(prior.after(Counts(weights, counts, left, log_base)))
            assert isinstance(density, RateDensity)  # a mode, or a mean
            out[:, k] = density.matched(events, exposure)
        return LeftOut(out + log_base.sum(axis=1, keepdims=True), own.kept(whole) < LEAST_KEPT)

    def amounts(self, x: Array) -> tuple[Array, Array, Array]:
        """Events, exposure and ln h of the cells, nothing for missing ones."""
        missing, law = np.isnan(x), self.law
        events, exposure, log_base = (
            np.where(missing, 0.0, part) for part in (law.events(x), law.exposure(x), law.log_base(x))
        )
        return events, exposure, log_base

    def flat(self, components: int = 1) -> GammaPrior:
        return self._gamma(np.ones(1), np.zeros(1))

    def reference(self, components: int = 1) -> GammaPrior:
        return self._gamma(np.array([self.law.jeffreys]), np.zeros(1))

    def weak(self, statistics: Counts) -> GammaPrior:
        """Flat, after one row that is the overall mean."""
        events, exposure = (
            side_by_side(part, self.models).sum(axis=1) for part in (statistics.counts, statistics.exposure)
        )
        return self._around(repeated(ratio(events, exposure, 1.0), len(statistics.weight)))

    def weak_given(self, statistics: Counts, levels: int) -> GammaPrior:
        """Flat, after one row that is as the class expects it."""
        classes = over_levels(statistics, levels)
        rate = self.weak(classes).after(classes).mode().rate
        return self._around(np.repeat(rate, levels, axis=0))

    def _around(self, rate: Array) -> GammaPrior:
        typical = self.law.events(self.law.typical(rate))
        return GammaPrior(1.0 + typical, ratio(typical, rate, 1.0), self)

    def holding(self, belief: Prior[Statistics], components: int) -> GammaPrior:
        if not isinstance(belief, GammaPrior):
            raise ParameterError(f"Expected a belief about {self.about}; found one about {belief.about}.")
        return belief.on(self)

    def take(self, columns: Sequence[int]) -> "Rates":
        return replace(self, law=self.law.take(columns))

    def marginal(self, statistics: Counts, columns: Sequence[int]) -> Counts:
        return statistics.take(columns, columns)

    def restored(self, arrays: Mapping[str, Array], components: int) -> Counts:
        return Counts.restored(arrays, components, self.columns, self.columns, self.columns)

    def density(self, arrays: Mapping[str, Array], components: int) -> RateDensity:
        rate = checked(arrays, {"rate": (components, self.columns)})["rate"]
        if (rate < 0).any():
            raise FileError("The file holds rates below 0.")
        return RateDensity(rate, self)

    def from_tables(self, tables: Tables, names: Names) -> RateDensity:
        rate = np.stack([tables[name]["rate"] for name in names], axis=1)
        if not (np.isfinite(rate).all() and (rate >= 0).all()):
            raise ParameterError(f"The rates of {listed(names)} must be 0 or more; found {rate.min():g}.")
        return RateDensity(rate, self)

    def constant(self, statistics: Counts) -> list[int]:
        """Columns that are all 0, or all missing: of those every rate is 0, or none is known."""
        events, exposure = statistics.counts.sum(axis=0), statistics.exposure.sum(axis=0)
        return np.flatnonzero((events == 0) | (exposure == 0)).tolist()

    @property
    def beside(self) -> bool:
        """Ln h of a waiting time without a shape is 0."""
        return bool(self.law.log_base(np.full((1, self.columns), 2.0)).any())

    def records(self, statistics: Counts, names: Names) -> Records:
        return Records.counted(list(names), statistics.rows, len(statistics.weight))

    def alike(self, statistics: Counts, names: Names) -> Records:
        """Where nothing happened in any row, or in no time."""
        return self.records(statistics, names).only((statistics.counts == 0) | (statistics.exposure == 0))

    def there(self, statistics: Counts) -> Array:
        return self.records(statistics, range(self.columns)).rows

    def without(self, statistics: Counts, few: Mask) -> Counts:
        """And without ln h of all rows, from which single counts can be told."""
        counts, exposure = np.where(few, 0.0, statistics.counts), np.where(few, 0.0, statistics.exposure)
        rows = statistics.rows and statistics.rows.outside(few, statistics.weight, counts)
        return Counts(statistics.weight, counts, exposure, np.zeros_like(counts), rows, {})

    def _gamma(self, shape: Array, rate: Array) -> GammaPrior:
        ones = np.ones((1, self.columns))
        return GammaPrior(shape * ones, rate * ones, self)


def _pairs(a: Counts, b: Counts) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """Events of both, and exposure of both."""
    return (a.counts, b.counts), (a.exposure, b.exposure)
