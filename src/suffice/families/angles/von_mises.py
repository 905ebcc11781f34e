"""Beliefs about mean directions: von Mises, one for each column and component.

In:  Directions of a family of `angles`.
Out: densities with known directions (mode, mean, draw), or with the directions integrated out (predictive), which are
     no von Mises densities: p(x) = I₀(|κ e^(ix) + R e^(im)|) / (2π I₀(κ) I₀(R)).

A belief is a pull R e^(im), a complex number; rows pull by κ Σ e^(ix), so that learning is adding.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, Self

import numpy as np
import scipy
from scipy.special import i0e, i1e

from suffice.arrays import LOG_2PI, Array, Codes, Complex
from suffice.errors import NoFormulaError, ParameterError, SingularError
from suffice.families.angles.directions import Directions
from suffice.families.capabilities import Divergent, Integrable, Separation
from suffice.families.charts import Chart, Span
from suffice.families.panels import PANELS
from suffice.families.protocol import Distribution, Names, Parametric, Prior, Tables
from suffice.families.stacked import stacked
from suffice.formulas import Expression, Formula, Function, Pattern, Square, added, if_there

BROAD = 10.0  # √κ up to which the panels of a circle are fine enough
MOST_WAVES = 64  # of a predictive density, where it is written as a formula


def log_i0e(size: Array) -> Array:
    """Ln of the scaled Bessel function, I₀(R) e^(−R)."""
    return np.asarray(np.log(i0e(size)))


def log_i0(size: Array) -> Array:
    return log_i0e(size) + size


def missed(angle: Array) -> Array:
    """1 − cos, to the last digit for small angles too."""
    return np.asarray(2 * np.sin(angle / 2) ** 2)


class KnownConcentrations(Protocol):
    """A family of angles, as far as beliefs and densities ask for it."""

    @property
    def columns(self) -> int: ...

    @property
    def kappa(self) -> Array: ...  # (D,)

    def take(self, columns: Sequence[int]) -> Self: ...


@dataclass(frozen=True, eq=False)
class VonMisesPrior(Prior[Directions]):
    about = "directions"
    proper = True  # on a circle, even where it prefers no direction

    pull: Complex  # (K or 1, D): R e^(im)
    family: KnownConcentrations = field(repr=False)

    def on(self, family: KnownConcentrations) -> "VonMisesPrior":
        if self.pull.shape[1] != family.columns:
            raise ParameterError(f"A belief about a direction is about one column, not {family.columns} at once.")
        return replace(self, family=family)

    def parameters(self, components: int) -> int:
        return components * self.family.columns

    def stacked(self, others: Sequence["VonMisesPrior"]) -> "VonMisesPrior":
        return stacked([self, *others], ["pull"])

    def side_by_side(self, models: int) -> "VonMisesPrior":
        """One for all components is one for those of all models."""
        return self if len(self.pull) == 1 else super().side_by_side(models)

    def after(self, statistics: Directions) -> "VonMisesPrior":
        return replace(self, pull=self.pull + self.family.kappa * statistics.resultant)

    def mode(self) -> "VonMisesDensity":
        nowhere = np.argwhere(self.pull == 0)
        if len(nowhere):
            component, column = nowhere[0]
            raise SingularError("there is no mean direction in", int(component), [int(column)])
        return VonMisesDensity(np.angle(self.pull), self.family)

    mean = mode  # of a direction: the belief is symmetric about it

    def predictive(self) -> "AnglePredictive":
        return AnglePredictive(self.pull, self.family)

    def maximum_likelihood(self, statistics: Directions) -> "VonMisesDensity":
        return replace(self, pull=np.zeros_like(self.pull[:1])).after(statistics).mode()

    def marginals(self, names: Names) -> dict[str, dict[str, Distribution]]:
        described = zip(names, np.abs(self.pull).T, np.angle(self.pull).T, strict=True)
        return {name: {"direction": scipy.stats.vonmises(size, loc=at)} for name, size, at in described}

    def draw(self, rng: np.random.Generator) -> "VonMisesDensity":
        return VonMisesDensity(rng.vonmises(np.angle(self.pull), np.abs(self.pull)), self.family)

    def expected_log_density(self, other: "VonMisesPrior") -> Array:
        """E cos(μ − m) = I₁(R)/I₀(R)."""
        size = np.abs(self.pull)
        length = i1e(size) / i0e(size)
        towards = length * np.real(np.exp(-1j * np.angle(self.pull)) * other.pull)
        return np.asarray((towards - other._log_normaliser()).sum(axis=1))

    def log_density(self, density: Parametric[Directions]) -> Array:
        assert isinstance(density, VonMisesDensity)  # there is no other with known directions
        towards = np.real(self.pull * np.exp(-1j * density.mean))
        return np.asarray((towards - self._log_normaliser()).sum(axis=1))

    def log_evidence(self, statistics: Directions) -> Array:
        gained = log_i0(np.abs(self.after(statistics).pull)) - log_i0(np.abs(self.pull))
        return np.asarray((gained - statistics.seen * log_circle(self.family.kappa)).sum(axis=1))

    def chart(self, density: Parametric[Directions], statistics: Directions) -> "AngleChart":
        assert isinstance(density, VonMisesDensity)  # there is no other with known directions
        return AngleChart(density, self.after(statistics).pull)

    def _log_normaliser(self) -> Array:
        return log_circle(np.abs(self.pull))


def log_circle(size: Array) -> Array:
    """Ln ∫ e^(R cos x) dx around the circle."""
    return LOG_2PI + log_i0(size)


def panels_of(kappa: Array) -> Array:
    """Ends of panels around the circle, as fine as the concentration of one column asks for."""
    narrower = int(np.ceil(np.sqrt(kappa[0]) / BROAD))
    return np.linspace(-np.pi, np.pi, PANELS * max(narrower, 1) + 1)


@dataclass(frozen=True, eq=False)
class VonMisesDensity(Parametric[Directions], Divergent, Integrable):
    mean: Array  # (K, D) directions, in radians
    family: KnownConcentrations
    independent = True

    def log_density(self, x: Array) -> Array:
        out = np.zeros((len(x), len(self.mean)))
        for k, mean in enumerate(self.mean):
            out[:, k] = self._summed(x, mean)
        return out

    def formula(self, cells: Sequence[Expression], patterns: Sequence[Pattern]) -> Formula:
        """−2κ sin²((x − mean) / 2), and what makes it a density."""
        kappa = self.family.kappa
        level = (-LOG_2PI - log_i0e(kappa)).tolist()
        own = (
            added(
                if_there(Square(Function("sin", (x - m) * 0.5)) * (-2 * k) + at)
                for x, m, k, at in zip(cells, mean, kappa.tolist(), level, strict=True)
            )
            for mean in self.mean.tolist()
        )
        return Formula(tuple(own))

    def paired(self, x: Array) -> Array:
        return self._summed(x, self.mean)

    def _summed(self, x: Array, mean: Array) -> Array:
        kappa = self.family.kappa
        return np.asarray(np.nansum(-kappa * missed(x - mean) - LOG_2PI - log_i0e(kappa), axis=1))

    def divergence(self, a: int, b: int) -> Separation:
        """Of one concentration κ: κ A(κ)(1 − cos Δ), and ln I₀(κ)/I₀(κ cos Δ/2)."""
        kappa, turn = self.family.kappa, self.mean[a] - self.mean[b]
        near = kappa * np.abs(np.cos(turn / 2))
        kl = kappa * i1e(kappa) / i0e(kappa) * (1 - np.cos(turn))
        return float(kl.sum()), float((np.log(i0e(kappa)) + kappa - np.log(i0e(near)) - near).sum())

    def panels(self) -> Array:
        return panels_of(self.family.kappa)

    def along(self, z: Array) -> Array:
        return self.log_density(z[:, None])

    def arrays(self) -> dict[str, Array]:
        return {"mean": self.mean}

    def filled(self, x: Array, memberships: Array) -> Array:
        """The block with missing cells at their circular mean, over all components."""
        expected = np.angle(memberships @ np.exp(1j * self.mean))  # I₁(κ)/I₀(κ) shortens all components alike
        return np.where(np.isnan(x), expected, x)

    def refilled(self, x: Array, components: Codes, rng: np.random.Generator) -> Array:
        """The block with missing cells drawn."""
        return np.where(np.isnan(x), self.sample(components, rng), x)

    def only(self, components: Codes) -> "VonMisesDensity":
        return replace(self, mean=self.mean[components])

    def log_likelihood(self, statistics: Directions) -> float:
        """Of all rows behind the statistics, each in its component."""
        kappa = self.family.kappa
        towards = kappa * np.real(statistics.resultant * np.exp(-1j * self.mean))
        return float((towards - statistics.seen * log_circle(kappa)).sum())

    def sample(self, components: Codes, rng: np.random.Generator) -> Array:
        return np.asarray(rng.vonmises(self.mean[components], self.family.kappa))

    def tables(self, names: Names) -> Tables:
        return {name: {"direction": mean} for name, mean in zip(names, self.mean.T, strict=True)}

    def take(self, columns: Sequence[int]) -> "VonMisesDensity":
        return VonMisesDensity(self.mean[:, list(columns)], self.family.take(columns))


@dataclass(frozen=True, eq=False)
class AngleChart(Chart[Directions]):
    """Angles from the mean direction."""

    density: VonMisesDensity
    pull: Complex  # (K, D) after the rows

    @property
    def own(self) -> int:
        return int(self.density.mean.shape[1])

    def moved(self, own: Array, shared: Array) -> VonMisesDensity:
        return replace(self.density, mean=self.density.mean + own)

    def slopes(self, x: Array) -> Array:
        return np.nan_to_num(self.density.family.kappa * np.sin(x[:, None, :] - self.density.mean))

    def curvature(self) -> Array:
        towards = np.real(self.pull * np.exp(-1j * self.density.mean))
        return np.asarray(-towards[:, :, None] * np.eye(self.own))

    def span(self, title: str, heading: str) -> Span:
        return Span.LINE


def _waves_formula(angle: Expression, waves: Array) -> Expression:
    """Σ a_n cos(n angle), but for those that are nothing."""
    shown = [(n, float(a)) for n, a in enumerate(waves) if n and abs(a) > 1e-15]
    return added(Function("cos", angle * float(n)) * a for n, a in shown) + angle * 0.0 + float(waves[0])


@dataclass(frozen=True, eq=False)
class AnglePredictive(Integrable):
    """The direction integrated out: flatter than a von Mises density around the same mean."""

    pull: Complex  # (K, D)
    family: KnownConcentrations
    independent = True

    def log_density(self, x: Array) -> Array:
        return np.stack([self._summed(x, pull) for pull in self.pull], axis=1)

    def panels(self) -> Array:
        return panels_of(self.family.kappa)

    def along(self, z: Array) -> Array:
        return self.log_density(z[:, None])

    def formula(self, cells: Sequence[Expression], patterns: Sequence[Pattern]) -> Formula:
        """Engines have no Bessel functions; around the circle the logarithm is a sum of few waves."""
        columns = [self.take([j]) for j in range(len(cells))]
        waves = [column._waves() for column in columns]  # D times (K, n)
        own = (
            added(
                if_there(_waves_formula(x - float(np.angle(pull)), some[k]))
                for x, pull, some in zip(cells, self.pull[k], waves, strict=True)
            )
            for k in range(len(self.pull))
        )
        return Formula(tuple(own))

    def _waves(self) -> Array:
        """What each wave cos n(x − mean) of one column counts, from 0 on."""  # (K, n)
        around = np.arange(4 * MOST_WAVES) * (np.pi / (2 * MOST_WAVES))
        logs = np.stack([self._summed(around[:, None] + np.angle(pull), pull) for pull in self.pull])
        found = np.fft.rfft(logs, axis=1).real / (2 * MOST_WAVES)
        found[:, 0] /= 2
        beyond = np.abs(found[:, MOST_WAVES:]).sum(axis=1).max()
        if beyond > 1e-12:
            raise NoFormulaError(
                f"SQL needs the predictive density of a von Mises column as a sum of {MOST_WAVES} waves; for "
                f"concentration {float(self.family.kappa[0]):g} these rows are too few. Use estimate='map'."
            )
        return np.asarray(found[:, :MOST_WAVES])

    def paired(self, x: Array) -> Array:
        return self._summed(x, self.pull)

    def _summed(self, x: Array, pull: Complex) -> Array:
        """What both pull together, less what each pulls alone, without a difference of large numbers."""
        kappa, size = self.family.kappa, np.abs(pull)
        both = np.abs(kappa * np.exp(1j * x) + pull)
        lost = 2 * kappa * missed(x - np.angle(pull)) * (size / (both + size + kappa))
        scaled = log_i0e(both) - log_i0e(size) - log_i0e(kappa)
        return np.asarray(np.nansum(scaled - lost - LOG_2PI, axis=1))

    def sample(self, components: Codes, rng: np.random.Generator) -> Array:
        means = rng.vonmises(np.angle(self.pull[components]), np.abs(self.pull[components]))
        return np.asarray(rng.vonmises(means, self.family.kappa))

    def tables(self, names: Names) -> Tables:
        described = zip(names, np.angle(self.pull).T, np.abs(self.pull).T, strict=True)
        return {name: {"direction": at, "concentration": size} for name, at, size in described}

    def only(self, components: Codes) -> "AnglePredictive":
        return replace(self, pull=self.pull[components])

    def take(self, columns: Sequence[int]) -> "AnglePredictive":
        return AnglePredictive(self.pull[:, list(columns)], self.family.take(columns))
