"""Inverse Gaussian densities: with known means and shapes, or with both integrated out.

In:  blocks (N, D), NaN where missing.
Out: log densities, samples, filled cells, formulas; and a chart around an estimate.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import betaln, gammaln

from suffice.arrays import LOG_2PI, Array, Codes, ratio
from suffice.errors import NoFormulaError
from suffice.families.capabilities import Divergent, Integrable, Separation
from suffice.families.charts import Chart, Span
from suffice.families.inverse_gaussian.positive import cut, draw_above, log_above
from suffice.families.inverse_gaussian.reciprocals import Reciprocals, between
from suffice.families.panels import around
from suffice.families.protocol import Density, Names, Parametric, Tables
from suffice.formulas import Expression, Formula, Pattern, Square, added, if_there, ln

NOTHING_LEFT = 750.0  # e to the minus of which is 0


def drawn(rate: Array, shape: Array, rng: np.random.Generator) -> Array:
    """Inverse Gaussians of mean 1/rate, by the smaller root of Michael, Schucany and Haas, without a difference."""
    half = rng.chisquare(1.0, rate.shape) / (2 * shape)
    smaller = 1 / (rate + half + np.sqrt(half * (2 * rate + half)))
    swapped = rng.random(rate.shape) * (1 + rate * smaller) > 1
    return np.where(swapped, 1 / (smaller * np.where(swapped, rate, 1.0) ** 2), smaller)


@dataclass(frozen=True, eq=False)
class InverseGaussianDensity(Parametric[Reciprocals], Divergent, Integrable):
    mean: Array  # (K, D)
    shape: Array  # (K, D)
    independent = True

    def log_density(self, x: Array) -> Array:
        out = np.empty((len(x), len(self.mean)))
        for k, (mean, shape) in enumerate(zip(self.mean, self.shape, strict=True)):
            out[:, k] = _summed(x, mean, shape)
        return out

    def paired(self, x: Array) -> Array:
        return _summed(x, self.mean, self.shape)

    def formula(self, cells: Sequence[Expression], patterns: Sequence[Pattern]) -> Formula:
        """−λ (x − μ)² / 2μ²x, and what makes it a density."""
        level = 0.5 * (np.log(self.shape) - LOG_2PI)
        own = (
            added(
                if_there(Square((x - m) * (1 / m)) / x * (-s / 2) + at)
                for x, m, s, at in zip(cells, *parts, strict=True)
            )
            for parts in zip(self.mean.tolist(), self.shape.tolist(), level.tolist(), strict=True)
        )
        return Formula(tuple(own), added(if_there(ln(x) * -1.5) for x in cells))

    def divergence(self, a: int, b: int) -> Separation:
        """Kullback and Leibler's, and −ln ∫ √pq, again an inverse Gaussian but for a factor."""
        rate, shape = 1 / self.mean, self.shape
        apart, times = (rate[a] - rate[b]) ** 2, shape[b] / shape[a]
        kl = 0.5 * (times - 1 - np.log(times) + shape[b] * apart / rate[a])
        middle, weighed = (shape[a] + shape[b]) / 2, (shape[a] * rate[a] + shape[b] * rate[b]) / 2
        both = np.sqrt(middle * (shape[a] * rate[a] ** 2 + shape[b] * rate[b] ** 2) / 2)
        distance = shape[a] * shape[b] * apart / (4 * (both + weighed)) + 0.5 * np.log(middle)
        return float(kl.sum()), float((distance - 0.25 * np.log(shape[a] * shape[b])).sum())

    def panels(self) -> Array:
        """The density along ln x is e^(−s (cosh z − 1) − z/2) with s = λ/μ, z = ln x/μ."""
        steep = (self.shape / self.mean)[:, 0]
        spread = 1 / np.sqrt(1 + steep)
        reach = np.arccosh(1 + NOTHING_LEFT / steep) / spread
        return around(np.log(self.mean[:, 0]), spread, float(reach.max()))

    def along(self, z: Array) -> Array:
        """The density of ln x, which is the line of the panels."""
        with np.errstate(under="ignore", over="ignore"):
            return np.asarray(self.log_density(np.exp(z)[:, None]) + z[:, None])

    def arrays(self) -> dict[str, Array]:
        return {"mean": self.mean, "shape": self.shape}

    def filled(self, x: Array, memberships: Array) -> Array:
        """The block with missing cells as expected."""
        return np.where(np.isnan(x), memberships @ self.mean, x)

    def refilled(self, x: Array, components: Codes, rng: np.random.Generator) -> Array:
        """The block with missing cells drawn."""
        return np.where(np.isnan(x), self.sample(components, rng), x)

    def log_likelihood(self, statistics: Reciprocals) -> float:
        """Sum over all rows behind the statistics, each in its component."""
        seen, total = statistics.seen, statistics.total
        excess = statistics.excess + ratio((total / self.mean - seen) ** 2, total)
        level = seen * (np.log(self.shape) - LOG_2PI) - 3 * statistics.logs
        return float(0.5 * (level - self.shape * excess).sum())

    def sample(self, components: Codes, rng: np.random.Generator) -> Array:
        return drawn(1 / self.mean[components], self.shape[components], rng)

    def tables(self, names: Names) -> Tables:
        described = zip(names, self.mean.T, self.shape.T, strict=True)
        return {name: {"mean": mean, "shape": shape} for name, mean, shape in described}

    def only(self, components: Codes) -> "InverseGaussianDensity":
        return InverseGaussianDensity(self.mean[components], self.shape[components])

    def take(self, columns: Sequence[int]) -> "InverseGaussianDensity":
        chosen = list(columns)
        return InverseGaussianDensity(self.mean[:, chosen], self.shape[:, chosen])


def _summed(x: Array, mean: Array, shape: Array) -> Array:
    logs = np.log(shape) - LOG_2PI - 3 * np.log(x) - shape * ((x - mean) / mean) ** 2 / x
    return np.asarray(0.5 * np.nansum(logs, axis=1))


@dataclass(frozen=True, eq=False)
class InverseGaussianChart(Chart[Reciprocals]):
    """Logarithms of means, then of shapes."""

    density: InverseGaussianDensity
    seen: Array  # (K, D) the belief after the rows
    total: Array
    excess: Array
    degrees: Array

    @property
    def own(self) -> int:
        return 2 * int(self.density.mean.shape[1])

    def moved(self, own: Array, shared: Array) -> InverseGaussianDensity:
        by_mean, by_shape = np.split(own, 2, axis=1)
        return InverseGaussianDensity(self.density.mean * np.exp(by_mean), self.density.shape * np.exp(by_shape))

    def slopes(self, x: Array) -> Array:
        mean, shape, cells = self.density.mean, self.density.shape, x[:, None, :]
        off = (cells - mean) / mean
        by_mean, by_shape = shape / mean * off, 0.5 - 0.5 * shape * off**2 / cells
        return np.asarray(np.nan_to_num(np.concatenate([by_mean, by_shape], axis=2)))

    def curvature(self) -> Array:
        rate, shape = 1 / self.density.mean, self.density.shape
        apart = rate - self.seen / self.total
        by_mean, by_both = -self.total * rate * (rate + apart), self.total * rate * apart
        by_shape = -0.5 * (self.excess + self.total * apart**2)
        eye = np.eye(self.own // 2)
        own, both, other = ((shape * part)[:, :, None] * eye for part in (by_mean, by_both, by_shape))
        return np.asarray(np.block([[own, both], [both, other]]))

    def span(self, title: str, heading: str) -> Span:
        return Span.POSITIVE


@dataclass(frozen=True, eq=False)
class InverseGaussianPredictive(Density):
    """Mean and shape integrated out: tails so heavy that there is no mean."""

    seen: Array  # (K, D) of the belief
    total: Array
    excess: Array
    degrees: Array
    independent = True

    def log_density(self, x: Array) -> Array:
        return np.stack([self.only(np.array([k])).paired(x) for k in range(len(self.seen))], axis=1)

    def paired(self, x: Array) -> Array:
        seen, total, excess, degrees = self._parts
        grown = between(seen, total, np.ones(1), x)
        c = cut(seen + 1, total + x, excess + grown, degrees + 1)
        level = 0.5 * (np.log(2 / excess) - np.log1p(x / total)) + gammaln(0.5) - betaln(degrees / 2, 0.5)
        kernel = level - (degrees + 1) / 2 * np.log1p(grown / excess)
        kept = log_above(c, degrees + 1) - log_above(cut(*self._parts), degrees)
        return np.asarray(np.nansum(kernel + kept - 0.5 * LOG_2PI - 1.5 * np.log(x), axis=1))

    def formula(self, cells: Sequence[Expression], patterns: Sequence[Pattern]) -> Formula:
        raise NoFormulaError(
            "The predictive density of an inverse Gaussian column has a distribution function of Student in it, which "
            "SQL does not have. Use estimate='map'."
        )

    def sample(self, components: Codes, rng: np.random.Generator) -> Array:
        seen, total, excess, degrees = self.only(components)._parts
        return drawn(*draws(seen, total, excess, degrees, rng), rng)

    def tables(self, names: Names) -> Tables:
        described = zip(names, (self.total / self.seen).T, (self.degrees / self.excess).T, self.degrees.T, strict=True)
        return {name: {"mean": mean, "shape": shape, "degrees": df} for name, mean, shape, df in described}

    def only(self, components: Codes) -> "InverseGaussianPredictive":
        return InverseGaussianPredictive(*(part[components] for part in self._parts))

    def take(self, columns: Sequence[int]) -> "InverseGaussianPredictive":
        chosen = list(columns)
        return InverseGaussianPredictive(*(part[:, chosen] for part in self._parts))

    @property
    def _parts(self) -> tuple[Array, Array, Array, Array]:
        return self.seen, self.total, self.excess, self.degrees


def draws(seen: Array, total: Array, excess: Array, degrees: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """1/μ and λ of a belief."""
    t = draw_above(cut(seen, total, excess, degrees), degrees, rng)
    middle = seen / total
    rate = np.maximum(middle + t * np.sqrt(excess / (degrees * total)), np.finfo(float).eps * middle)  # rounded to 0
    return rate, rng.standard_gamma((degrees + 1) / 2) * 2 / (excess * (1 + t**2 / degrees))
