"""Beliefs about rates: Gamma, one for each column and component.

In:  Counts of events and exposure of a family in `rates`.
Out: densities with known rates (mode, mean, draw) or with the rates integrated out (predictive).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, gammaln

from suffice.arrays import Array, Codes, log, log_dot
from suffice.errors import ImproperPriorError, ParameterError, SingularError
from suffice.families.capabilities import Divergent, Integrable, LogExpected, Separation
from suffice.families.charts import Chart, Span
from suffice.families.counts import Counts
from suffice.families.protocol import (
    LEAST_MASS,
    Density,
    Distribution,
    Names,
    Parametric,
    Tables,
)
from suffice.families.rates.law import Law
from suffice.families.stacked import stacked
from suffice.formulas import Expression, Formula, Pattern


class KnownLaw(Protocol):
    """A family of rates, as far as beliefs and densities ask for it."""

    @property
    def law(self) -> Law: ...

    @property
    def laws(self) -> list[Law]: ...  # of each column by itself

    @property
    def columns(self) -> int: ...

    def amounts(self, x: Array) -> tuple[Array, Array, Array]: ...  # events, exposure and ln h; 0 for missing cells

    def take(self, columns: Sequence[int]) -> Self: ...


@dataclass(frozen=True, eq=False)
class GammaPrior(LogExpected[Counts]):
    """The belief about a rate worth `shape` events in `rate` of exposure."""

    about = "rates"

    shape: Array  # (K or 1, D)
    rate: Array  # (K or 1, D)
    family: KnownLaw = field(repr=False)
    excess: Array | None = field(default=None, repr=False)  # shape − 1, where a difference would lose light rows

    def on(self, family: KnownLaw) -> "GammaPrior":
        if self.shape.shape[1] != family.columns:
            raise ParameterError(f"A Gamma prior is about one column, not {family.columns} at once.")
        return replace(self, family=family)

    def parameters(self, components: int) -> int:
        return components * int(self.family.columns)

    def stacked(self, others: Sequence["GammaPrior"]) -> "GammaPrior":
        return stacked([replace(part, excess=None) for part in (self, *others)], ["shape", "rate"])

    def side_by_side(self, models: int) -> "GammaPrior":
        """One for all components is one for those of all models."""
        return self if len(self.shape) == 1 else super().side_by_side(models)

    def after(self, statistics: Counts) -> "GammaPrior":
        events, rate = statistics.counts, self.rate + statistics.exposure
        return replace(self, shape=self.shape + events, rate=rate, excess=self._excess + events)

    def mode(self) -> "RateDensity":
        return self._density(np.maximum(self._excess, 0.0))

    def mean(self) -> "RateDensity":
        return self._density(self.shape)

    @property
    def _excess(self) -> Array:
        return self.shape - 1 if self.excess is None else self.excess

    def predictive(self) -> "RatePredictive":
        self._density(self.shape)  # refuses a belief that nothing has informed
        return RatePredictive(self.shape, self.rate, self.family)

    def maximum_likelihood(self, statistics: Counts) -> "RateDensity":
        nothing = np.zeros((1, self.family.columns))
        return GammaPrior(nothing + 1, nothing, self.family).after(statistics).mode()

    def marginals(self, names: Names) -> dict[str, dict[str, Distribution]]:
        self._refuse_improper("marginals")
        described = zip(names, self.family.laws, self.shape.T, self.rate.T, strict=True)
        return {name: law.marginals(a, b) for name, law, a, b in described}

    def draw(self, rng: np.random.Generator) -> "RateDensity":
        self._refuse_improper("draws")
        return RateDensity(rng.standard_gamma(self.shape) / self.rate, self.family)

    def expected_log(self) -> Array:
        """Of every rate: E ln r."""  # (K or 1, D)
        return np.asarray(digamma(self.shape) - np.log(self.rate))

    def expected_log_density(self, other: "GammaPrior") -> Array:
        kernel = (other.shape - 1) * self.expected_log() - other.rate * self.shape / self.rate
        return np.asarray((kernel - other._log_normaliser()).sum(axis=1))

    def log_density(self, density: Parametric[Counts]) -> Array:
        assert isinstance(density, RateDensity)  # there is no other with known rates
        power = np.broadcast_to(self.shape - 1, density.rate.shape)
        kernel = power * np.where(power == 0, 0.0, log(density.rate)) - self.rate * density.rate
        normaliser = self._log_normaliser() if self.proper else np.zeros((1, 1))
        return np.asarray((kernel - normaliser).sum(axis=1))

    def log_evidence(self, statistics: Counts) -> Array:
        self._refuse_improper("evidence")
        gained = self.after(statistics)._log_normaliser() - self._log_normaliser() + statistics.log_base
        return np.asarray(gained.sum(axis=1))

    def chart(self, density: Parametric[Counts], statistics: Counts) -> "RateChart":
        assert isinstance(density, RateDensity)  # there is no other with known rates
        belief = self.after(statistics)
        return RateChart(density, belief._excess, belief.rate)

    def _refuse_improper(self, wanted: str) -> None:
        if not self.proper:
            raise ImproperPriorError(f"A Gamma prior with shape or rate 0 has no {wanted}: give both more than 0.")

    @property
    def proper(self) -> bool:
        return bool(np.all(self.shape > 0) and np.all(self.rate > 0))

    def _log_normaliser(self) -> Array:
        return np.asarray(gammaln(self.shape) - self.shape * np.log(self.rate))

    def _density(self, events: Array) -> "RateDensity":
        unknown = np.argwhere(np.broadcast_to(self.rate, events.shape) == 0)
        if len(unknown):
            component, column = unknown[0]
            raise SingularError("the divisor is 0 for the rate of", component, [column])
        return RateDensity(events / self.rate, self.family)


@dataclass(frozen=True, eq=False)
class RateDensity(Parametric[Counts], Divergent, Integrable):
    """Known rates."""

    rate: Array  # (K, D)
    family: KnownLaw
    independent = True

    def log_density(self, x: Array) -> Array:
        events, exposure, log_base = self.family.amounts(x)
        varying = log_dot(events, log(self.rate)) - exposure @ self.rate.T
        return np.asarray(varying + log_base.sum(axis=1, keepdims=True))

    def formula(self, cells: Sequence[Expression], patterns: Sequence[Pattern]) -> Formula:
        law = self.family.law
        return law.formulas(cells, law.formula, self.rate)

    def divergence(self, a: int, b: int) -> Separation | None:
        return self.family.law.divergence(self.rate[a], self.rate[b])

    def panels(self) -> Array | None:
        return self.family.law.panels(self.rate[:, 0]) if self.rate.all() else None

    def along(self, z: Array) -> Array:
        """The density of ln x, which is the line of the panels."""
        with np.errstate(under="ignore", over="ignore"):
            return np.asarray(self.log_density(np.exp(z)[:, None]) + z[:, None])

    def paired(self, x: Array) -> Array:
        events, exposure, log_base = self.family.amounts(x)
        return np.asarray(self.matched(events, exposure) + log_base.sum(axis=1))

    def matched(self, events: Array, exposure: Array) -> Array:
        """Of each row under the component of its number, but for ln h."""
        hits = events * np.where(events == 0, 0.0, log(self.rate))
        return np.asarray((hits - exposure * self.rate).sum(axis=1))

    def arrays(self) -> dict[str, Array]:
        return {"rate": self.rate}

    def filled(self, x: Array, memberships: Array) -> Array:
        """The block with missing cells as expected."""
        return np.where(np.isnan(x), memberships @ self.family.law.typical(self.rate), x)

    def refilled(self, x: Array, components: Codes, rng: np.random.Generator) -> Array:
        """The block with missing cells drawn."""
        return np.where(np.isnan(x), self.sample(components, rng), x)

    def only(self, components: Codes) -> "RateDensity":
        return replace(self, rate=self.rate[components])

    def log_likelihood(self, statistics: Counts) -> float:
        """Of all rows behind the statistics, each in its component."""
        hits = statistics.counts * np.where(statistics.counts == 0, 0.0, log(self.rate))
        return float((hits - statistics.exposure * self.rate + statistics.log_base).sum())

    def sample(self, components: Codes, rng: np.random.Generator) -> Array:
        return np.asarray(self.family.law.draw(self.rate[components], rng))

    def tables(self, names: Names) -> Tables:
        described = zip(names, self.family.laws, self.rate.T, strict=True)
        return {name: law.described(rate) for name, law, rate in described}

    def take(self, columns: Sequence[int]) -> "RateDensity":
        return RateDensity(self.rate[:, list(columns)], self.family.take(columns))


@dataclass(frozen=True, eq=False)
class RateChart(Chart[Counts]):
    """Logarithms of rates."""

    density: RateDensity
    events: Array  # (K, D) after the rows
    exposure: Array  # (K, D)

    @property
    def own(self) -> int:
        return int(self.density.rate.shape[1])

    @property
    def edges(self) -> NDArray[np.bool_]:
        return self.events < LEAST_MASS

    def moved(self, own: Array, shared: Array) -> RateDensity:
        return replace(self.density, rate=self.density.rate * np.exp(own))

    def slopes(self, x: Array) -> Array:
        events, exposure, _ = self.density.family.amounts(x)
        return np.asarray(events[:, None, :] - exposure[:, None, :] * self.density.rate)

    def curvature(self) -> Array:
        return np.asarray(-(self.exposure * self.density.rate)[:, :, None] * np.eye(self.own))

    def span(self, title: str, heading: str) -> Span:
        return Span.POSITIVE


@dataclass(frozen=True, eq=False)
class RatePredictive(Density):
    """Rates integrated out: negative binomial, beta prime."""

    shape: Array  # (K, D)
    rate: Array
    family: KnownLaw
    independent = True

    def log_density(self, x: Array) -> Array:
        columns = [
            np.nansum(self.family.law.log_predictive(x, a, b), axis=1)
            for a, b in zip(self.shape, self.rate, strict=True)
        ]
        return np.stack(columns, axis=1)

    def formula(self, cells: Sequence[Expression], patterns: Sequence[Pattern]) -> Formula:
        law = self.family.law
        return law.formulas(cells, law.predictive_formula, self.shape, self.rate)

    def paired(self, x: Array) -> Array:
        return np.asarray(np.nansum(self.family.law.log_predictive(x, self.shape, self.rate), axis=1))

    def sample(self, components: Codes, rng: np.random.Generator) -> Array:
        rate = rng.standard_gamma(self.shape[components]) / self.rate[components]
        return np.asarray(self.family.law.draw(rate, rng))

    def tables(self, names: Names) -> Tables:
        described = zip(names, self.shape.T, self.rate.T, strict=True)
        return {name: {"rate": a / b, "shape": a, "exposure": b} for name, a, b in described}

    def only(self, components: Codes) -> "RatePredictive":
        return replace(self, shape=self.shape[components], rate=self.rate[components])

    def take(self, columns: Sequence[int]) -> "RatePredictive":
        return RatePredictive(self.shape[:, list(columns)], self.rate[:, list(columns)], self.family.take(columns))
