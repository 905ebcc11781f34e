"""Gaussian and Student-t densities of K components, over whichever cells of a row are observed.

In:  parameters, and a block (N, D) with NaN where missing.
Out: log densities (N, K), samples, tables of means and standard deviations.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TypeVar

import numpy as np

from suffice.arrays import LOG_2PI, Array, Codes, ratio, repeated
from suffice.errors import ParameterError
from suffice.families.capabilities import Divergent, Integrable, LogQuadratic, Separation
from suffice.families.gaussian.distances import Metric, patterns
from suffice.families.gaussian.divergence import chernoff_divergence, kl_divergence
from suffice.families.gaussian.formula import gaussian_formula, student_formula
from suffice.families.gaussian.linear import LinearScores, linear_scores
from suffice.families.gaussian.merging import squared
from suffice.families.gaussian.missing_cells import Regressing
from suffice.families.gaussian.moments import Moments
from suffice.families.gaussian.patterns import AnyMoments
from suffice.families.gaussian.shapes import Shape
from suffice.families.gaussian.terms import terms_between
from suffice.families.panels import REACH, around
from suffice.families.protocol import Names, Parametric, Tables, Terms
from suffice.formulas import Expression, Formula, Pattern
from suffice.kernels.distances import log1p_of_square, log_gaussian, log_student, tails
from suffice.lazy import lazy
from suffice.words import free, listed

T = TypeVar("T")
NEAR = 1e3  # nats between means and their centre up to which linear scores cost no digits
FAR = 1e14  # spreads beyond which a Student-t has no mass
CORRELATION = "correlation of "  # begins the title of a table of correlations


@dataclass(frozen=True, eq=False)
class GaussianDensity(Parametric[AnyMoments], Divergent, Integrable, LogQuadratic, Regressing):
    mean: Array  # (K, D)
    covariance: Array  # (K′, …) as the shape has it; K′ = 1 where shared
    shape: Shape

    def log_density(self, x: Array) -> Array:
        distance, log_determinant, cells = self._metric.distances(x)
        distance += log_determinant + cells * LOG_2PI
        distance *= -0.5
        return distance

    def scores(self, x: Array) -> Array:
        """Linear where the components share a covariance and lie near each other."""
        scores = self.linear.scores(x) if self.linear is not None else np.full((1, 1), np.nan)
        return self.log_density(x) if np.isnan(scores).any() else scores

    @lazy
    def _metric(self) -> Metric:
        return self.shape.metric(self.mean, self.covariance)

    def formula(self, cells: Sequence[Expression], patterns: Sequence[Pattern]) -> Formula:
        return gaussian_formula(self, cells, patterns)

    def inflated(self, times: float) -> "GaussianDensity":
        return replace(self, covariance=times * self.covariance)

    @lazy
    def precision(self) -> Array:
        """The inverse of the covariance, as the shape has it."""
        return self.shape.inverse(self.covariance)

    @lazy
    def log_determinant(self) -> Array:
        """Of the covariance."""  # (K′, G)
        return self.shape.log_determinant(self.covariance)

    @lazy
    def linear(self) -> LinearScores | None:
        """What the components differ by, where that costs no digits."""
        if len(self.covariance) > 1 or len(self.mean) == 1 or not self.mean.shape[1]:
            return None
        found = linear_scores(self.mean, self.matrix(0), self.mean.mean(axis=0))
        return found if -found.offsets.min() < NEAR else None

    def terms(self, x: Array, a: int, b: int) -> Terms:
        if self.independent:
            return super().terms(x, a, b)
        covariance = self.covariance[[a, b]] if len(self.covariance) > 1 else self.covariance
        return terms_between(x, self.mean[[a, b]], covariance)

    def paired(self, x: Array) -> Array:
        return log_gaussian(*self.shape.paired(x, self.mean, self.covariance), observed_cells(x)[:, 0])

    def arrays(self) -> dict[str, Array]:
        return {"mean": self.mean, "covariance": self.covariance}

    def filled(self, x: Array, memberships: Array) -> Array:
        """The block with missing cells as expected."""
        out = np.where(np.isnan(x), 0.0, x)
        for k, shares in enumerate(memberships.T):
            out += np.where(np.isnan(x), shares[:, None] * self._regressed(x, k)[0], 0.0)
        return out

    def refilled(self, x: Array, components: Codes, rng: np.random.Generator) -> Array:
        """The block with missing cells drawn, given those that are there."""
        out, normals = x.copy(), rng.standard_normal(x.shape)
        for k in np.unique(components):
            rows = np.flatnonzero(components == k)
            expected, spread = self._regressed(x[rows], k)
            out[rows] = np.where(np.isnan(x[rows]), expected + np.einsum("nij,nj->ni", spread, normals[rows]), x[rows])
        return out

    def means(self, of: Callable[[Array, Array], Array]) -> Array | None:
        variance = self.shape.diagonal(self.covariance, self.mean.shape[1])
        return of(self.mean, np.broadcast_to(variance, self.mean.shape)) if self.independent else None

    def matrix(self, k: int) -> Array:
        """The covariances of all columns in one component."""  # (D, D)
        own = self.covariance[k if len(self.covariance) > 1 else 0]
        return own if self.shape.crosswise else np.diag(np.broadcast_to(own, self.mean.shape[1]))

    @property
    def shared(self) -> bool:
        return len(self.covariance) == 1

    def divergence(self, a: int, b: int) -> Separation:
        off, covariance = self.mean[a] - self.mean[b], np.stack([self.matrix(a), self.matrix(b)])
        return kl_divergence(off, covariance), chernoff_divergence(off, covariance, 0.5)

    def panels(self) -> Array:
        return around(self.mean[:, 0], np.sqrt(self.shape.diagonal(self.covariance, 1))[:, 0], REACH)

    def along(self, z: Array) -> Array:
        return self.log_density(z[:, None])

    def _regressed(self, x: Array, k: int) -> tuple[Array, Array]:
        """Cells expected in one component given those that are there, and roots of what is left open about them."""
        columns = x.shape[1]
        matrix = self.matrix(k)
        out, spread = np.tile(self.mean[k], (len(x), 1)), np.zeros((len(x), columns, columns))
        for rows, here in patterns(~np.isnan(x), empty=True):
            gone = np.setdiff1d(np.arange(columns), here)
            slopes = np.linalg.solve(matrix[np.ix_(here, here)], matrix[np.ix_(here, gone)])
            left = matrix[np.ix_(gone, gone)] - matrix[np.ix_(gone, here)] @ slopes
            some = np.arange(len(x))[rows]
            out[np.ix_(some, gone)] += (x[some][:, here] - self.mean[k, here]) @ slopes
            spread[np.ix_(some, gone, gone)] = np.linalg.cholesky(left)
        return out, spread

    def only(self, components: Codes) -> "GaussianDensity":
        covariance = self.covariance if len(self.covariance) < len(self.mean) else self.covariance[components]
        return replace(self, mean=self.mean[components], covariance=covariance)

    def log_likelihood(self, statistics: AnyMoments) -> float:
        """Of all rows behind the moments, each in its component."""
        moments: Moments = statistics.complete()
        off = squared(moments.mean - self.mean, moments.crosswise)
        seen = moments.seen[:, :, None] if moments.crosswise else moments.seen
        scatter = self.shape.pooled(moments.scatter + seen * off)
        logs = self.shape.mass(moments.seen) * self.log_determinant
        trace = self.shape.trace(scatter, repeated(self.covariance, len(scatter)))
        return float(-0.5 * (logs.sum() + trace.sum() + moments.seen.sum() * LOG_2PI))

    def sample(self, components: Codes, rng: np.random.Generator) -> Array:
        return self.mean[components] + scaled_normals(self.covariance, self.shape, components, self.mean, rng)

    def tables(self, names: Names) -> Tables:
        return moment_tables(names, self.mean, self.covariance, self.shape)

    @property
    def independent(self) -> bool:
        return not self.shape.crosswise

    def take(self, columns: Sequence[int]) -> "GaussianDensity":
        covariance = self.shape.part(self.covariance, columns)
        return GaussianDensity(self.mean[:, list(columns)], covariance, self.shape)

    def same_as(self, other: "GaussianDensity") -> bool:
        """Whether the parameters agree to twelve digits, in standard deviations."""
        return bool(np.abs(self._standardised(other) - self._standardised(self)).max() < 1e-12)

    def extrapolate(self, first: "GaussianDensity", second: "GaussianDensity") -> "GaussianDensity | None":
        """Where two steps from here are heading, squared extrapolation by Varadhan and Roland; None if nowhere."""
        start = self._standardised(self)
        pace = self._standardised(first) - start
        turn = self._standardised(second) - start - 2 * pace
        if not turn.any():
            return None
        length = max(1.0, float(np.linalg.norm(pace) / np.linalg.norm(turn)))
        ahead = [
            a + 2 * length * (b - a) + length**2 * (c - 2 * b + a)
            for a, b, c in zip(self._parts(), first._parts(), second._parts(), strict=True)
        ]
        possible = np.linalg.eigvalsh(ahead[1]).min() > 0
        return GaussianDensity(ahead[0], ahead[1], self.shape) if possible else None

    def _parts(self) -> tuple[Array, Array]:
        return self.mean, self.covariance

    def _standardised(self, other: "GaussianDensity") -> Array:
        """The parameters of another density in units of this one, as one vector."""
        deviation = np.sqrt(self.shape.diagonal(self.covariance, self.mean.shape[1]))  # (K′, D)
        unit = deviation[:, :, None] * deviation[:, None, :]
        return np.concatenate([np.ravel(other.mean / deviation), np.ravel(other.covariance / unit)])


@dataclass(frozen=True, eq=False)
class StudentDensity(Integrable):
    """A Student-t over all columns together (elliptical), or one for each column."""

    mean: Array  # (K, D)
    squared_scale: Array  # (K, D, D), or (K, D)
    degrees: Array  # (K′, 1), or (K′, D) where each column has its own
    shape: Shape  # of the scale: full or diagonal
    together: bool

    def log_density(self, x: Array) -> Array:
        if not self.together:
            return self._log_density_of_columns(x)
        distance, log_determinant, cells = self._metric.distances(x)
        return log_student(distance, log_determinant, cells, self.degrees[:, 0])

    def inflated(self, times: float) -> "StudentDensity":
        return replace(self, squared_scale=times * self.squared_scale)

    @lazy
    def _metric(self) -> Metric:
        return self.shape.metric(self.mean, self.squared_scale)

    def _log_density_of_columns(self, x: Array) -> Array:
        df = np.broadcast_to(repeated(self.degrees, len(self.mean)), self.mean.shape)
        peaks = _peaks(self.squared_scale, df)
        there = ~np.isnan(x) if np.isnan(x.sum()) else None
        out = tails(x, self.mean, 1 / np.sqrt(self.squared_scale * df), -0.5 * (df + 1))
        out += peaks.sum(axis=1) if there is None else there @ peaks.T
        return out

    def formula(self, cells: Sequence[Expression], patterns: Sequence[Pattern]) -> Formula:
        return student_formula(self, cells, patterns)

    def paired(self, x: Array) -> Array:
        degrees = repeated(self.degrees, len(self.mean))
        if not self.together:
            return _by_column(x, self.mean, self.squared_scale, degrees)
        distances = self.shape.paired(x, self.mean, self.squared_scale)
        return log_student(*distances, observed_cells(x)[:, 0], degrees[:, 0])

    def sample(self, components: Codes, rng: np.random.Generator) -> Array:
        normals = scaled_normals(self.squared_scale, self.shape, components, self.mean, rng)
        df = np.broadcast_to(self.degrees, (len(self.mean), self.degrees.shape[1]))[components]
        return np.asarray(self.mean[components] + normals / np.sqrt(rng.chisquare(df) / df))

    def tables(self, names: Names) -> Tables:
        degrees = np.broadcast_to(self.degrees, self.mean.shape)
        scales = np.sqrt(self.shape.diagonal(self.squared_scale, self.mean.shape[1]))
        described = zip(names, self.mean.T, scales.T, degrees.T, strict=True)
        return {name: {"mean": m, "scale": s, "degrees": df} for name, m, s, df in described}

    def panels(self) -> Array:
        return around(self.mean[:, 0], np.sqrt(self.shape.diagonal(self.squared_scale, 1))[:, 0], FAR)

    def along(self, z: Array) -> Array:
        return self.log_density(z[:, None])

    @property
    def covariance(self) -> Array:
        """As the shape has it; NaN where tails are too heavy for one."""
        wider = ratio(self.degrees, np.maximum(self.degrees - 2, 0.0), np.nan)
        return np.asarray(self.squared_scale * (wider if self.squared_scale.ndim == 2 else wider[:, :, None]))

    @property
    def independent(self) -> bool:
        return not self.together

    def only(self, components: Codes) -> "StudentDensity":
        degrees = repeated(self.degrees, len(self.mean))[components]
        mean, squared_scale = self.mean[components], self.squared_scale[components]
        return replace(self, mean=mean, squared_scale=squared_scale, degrees=degrees)

    def take(self, columns: Sequence[int]) -> "StudentDensity":
        scale = self.shape.part(self.squared_scale, columns)
        degrees = self.degrees if self.together else self.degrees[:, list(columns)]
        return StudentDensity(self.mean[:, list(columns)], scale, degrees, self.shape, self.together)


def _by_column(x: Array, mean: Array, squared_scale: Array, df: Array) -> Array:
    """A Student-t for each column, summed over the observed cells of each row, under the component of its number."""
    away = (x - mean) / np.sqrt(squared_scale * df)
    return np.asarray(np.nansum(_peaks(squared_scale, df) - 0.5 * (df + 1) * log1p_of_square(away), axis=1))


def _peaks(squared_scale: Array, df: Array) -> Array:
    """Ln of the density of each column at its mean."""
    return log_student(np.zeros(()), np.log(squared_scale), 1, df)


def observed_cells(x: Array) -> Array:
    """How many cells of each row are there."""  # (N, 1)
    return np.asarray((~np.isnan(x)).sum(axis=1, keepdims=True), dtype=float)


def scaled_normals(covariance: Array, shape: Shape, components: Codes, mean: Array, rng: np.random.Generator) -> Array:
    root = shape.root(covariance, mean.shape[1])
    root = np.broadcast_to(root, (len(mean), *root.shape[1:]))[components]
    normals = rng.standard_normal((len(components), mean.shape[1]))
    return root * normals if root.ndim == 2 else np.einsum("nij,nj->ni", root, normals)


def moment_tables(names: Names, mean: Array, covariance: Array, shape: Shape) -> Tables:
    """A table for each column; columns modelled together share one, and one of their correlations."""
    deviations = np.sqrt(np.broadcast_to(shape.diagonal(covariance, mean.shape[1]), mean.shape))  # (K, D)
    tables = titled(names, shape, [{"mean": m, "sd": s} for m, s in zip(mean.T, deviations.T, strict=True)])
    if not shape.crosswise:
        return tables
    correlations: dict[str, Array] = {}
    for i, j in combinations(range(len(names)), 2):
        pair = free(f"{names[i]}, {names[j]}", correlations.__contains__)
        correlations[pair] = np.broadcast_to(covariance[:, i, j], len(mean)) / (deviations[:, i] * deviations[:, j])
    return tables | ({CORRELATION + title: correlations for title in tables} if correlations else {})


def from_moment_tables(tables: Tables, names: Names, shape: Shape) -> GaussianDensity:
    """The density that has these tables; one covariance where all components have the same."""
    whole = tables[", ".join(names)] if shape.crosswise else {}
    mean, deviation = (
        np.stack([whole[f"{heading} {name}"] if whole else tables[name][heading] for name in names], axis=1)
        for heading in ("mean", "sd")
    )
    if not (np.isfinite(mean).all() and np.isfinite(deviation).all() and (deviation > 0).all()):
        raise ParameterError(f"Means of {listed(names)} must be finite, and standard deviations above 0; some are not.")
    covariance = deviation**2
    if shape.crosswise:
        correlations = np.tile(np.eye(len(names)), (len(mean), 1, 1))
        for (i, j), entry in zip(combinations(range(len(names)), 2), _correlations(tables, names), strict=True):
            correlations[:, i, j] = correlations[:, j, i] = entry
        covariance = correlations * deviation[:, :, None] * deviation[:, None, :]
        covariance[:, range(len(names)), range(len(names))] = deviation**2
        if not (np.linalg.eigvalsh(correlations) > 0).all():
            raise ParameterError(
                f"The correlations of {listed(names)} are impossible: no columns can have them all at once."
            )
    shared = bool((covariance == covariance[:1]).all())
    return GaussianDensity(mean, covariance[:1] if shared else covariance, shape)


def _correlations(tables: Tables, names: Names) -> list[Array]:
    """Of all pairs of columns, in order."""
    if len(names) < 2:
        return []
    found = list(tables[CORRELATION + ", ".join(names)].values())
    if len(found) != len(names) * (len(names) - 1) // 2:
        raise ParameterError(f"{listed(names)} need one correlation for each pair of columns; found {len(found)}.")
    return found


def titled(names: Names, shape: Shape, columns: Sequence[dict[str, T]]) -> dict[str, dict[str, T]]:
    """What there is to say about each column, in a table of its own or, for columns modelled together, in one."""
    pairs = list(zip(names, columns, strict=True))
    if not shape.crosswise:
        return dict(pairs)
    return {", ".join(names): {f"{heading} {name}": entry for name, table in pairs for heading, entry in table.items()}}
