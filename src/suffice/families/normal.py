"""Gaussian and Student-t densities of K components, over whichever cells of a row are observed.

In:  parameters, and a block (N, D) with NaN where missing.
Out: log densities (N, K), samples, tables of means and standard deviations.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from scipy.special import gammaln

from suffice.arrays import CACHED_CELLS, Array, Codes, row_blocks, workspace
from suffice.families.metrics import Metric
from suffice.families.protocol import Names
from suffice.families.shapes import Shape

NEAR = 1e3  # nats between means and their centre up to which linear scores cost no digits
LOG_2PI = float(np.log(2 * np.pi))
CORRELATION = "correlation of "  # begins the title of a table of correlations


@dataclass(frozen=True, eq=False)
class GaussianDensity:
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
        linear = self._linear
        scores = linear.scores(x) if linear is not None else np.full((1, 1), np.nan)
        return self.log_density(x) if np.isnan(scores).any() else scores

    @cached_property
    def _metric(self) -> Metric:
        return self.shape.metric(self.mean, self.covariance)

    @cached_property
    def _linear(self) -> "LinearScores | None":
        if len(self.covariance) > 1 or len(self.mean) == 1 or not self.mean.shape[1]:
            return None
        linear = linear_scores(self, self.mean.mean(axis=0))
        return linear if -linear.offsets.min() < NEAR else None

    def sample(self, components: Codes, rng: np.random.Generator) -> Array:
        return self.mean[components] + scaled_normals(self.covariance, self.shape, components, self.mean, rng)

    def tables(self, names: Names) -> dict[str, dict[str, Array]]:
        return moment_tables(names, self.mean, self.covariance, self.shape)

    @property
    def independent(self) -> bool:
        return self.shape.ndim == 2

    def take(self, columns: Sequence[int]) -> "GaussianDensity":
        covariance = self.shape.part(self.covariance, columns)
        return GaussianDensity(self.mean[:, list(columns)], covariance, self.shape)

    def same_as(self, other: "GaussianDensity") -> bool:
        """Whether the parameters agree to twelve digits, in standard deviations."""
        return bool(np.abs(self._standardised(other) - self._standardised(self)).max() < 1e-12)

    def leap(self, first: "GaussianDensity", second: "GaussianDensity") -> "GaussianDensity | None":
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
class StudentDensity:
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
        df = self.degrees[:, 0]  # (K′,)
        constant = gammaln((df + cells) / 2) - gammaln(df / 2) - 0.5 * cells * np.log(df * np.pi)
        return np.asarray(constant - 0.5 * log_determinant - 0.5 * (df + cells) * np.log1p(distance / df))

    scores = log_density

    @cached_property
    def _metric(self) -> Metric:
        return self.shape.metric(self.mean, self.squared_scale)

    def _log_density_of_columns(self, x: Array) -> Array:
        out = np.empty((len(x), len(self.mean)))
        degrees = np.broadcast_to(self.degrees, self.mean.shape)
        for k, (m, v, df) in enumerate(zip(self.mean, self.squared_scale, degrees, strict=True)):
            constant = gammaln((df + 1) / 2) - gammaln(df / 2) - 0.5 * np.log(df * np.pi * v)
            out[:, k] = np.nansum(constant - 0.5 * (df + 1) * np.log1p((x - m) ** 2 / (df * v)), axis=1)
        return out

    def sample(self, components: Codes, rng: np.random.Generator) -> Array:
        normals = scaled_normals(self.squared_scale, self.shape, components, self.mean, rng)
        df = np.broadcast_to(self.degrees, (len(self.mean), self.degrees.shape[1]))[components]
        return np.asarray(self.mean[components] + normals / np.sqrt(rng.chisquare(df) / df))

    def tables(self, names: Names) -> dict[str, dict[str, Array]]:
        degrees = np.broadcast_to(self.degrees, self.mean.shape)
        scales = np.sqrt(self.shape.diagonal(self.squared_scale, self.mean.shape[1]))
        described = zip(names, self.mean.T, scales.T, degrees.T, strict=True)
        return {name: {"mean": m, "scale": s, "degrees": df} for name, m, s, df in described}

    @property
    def independent(self) -> bool:
        return not self.together

    def take(self, columns: Sequence[int]) -> "StudentDensity":
        scale = self.shape.part(self.squared_scale, columns)
        degrees = self.degrees if self.together else self.degrees[:, list(columns)]
        return StudentDensity(self.mean[:, list(columns)], scale, degrees, self.shape, self.together)


@dataclass(frozen=True, eq=False)
class LinearScores:
    """g_k(x) = w_kᵀ(x − centre) + offset_k: ln p(x | k) up to a term common to all components, exact far from 0 too."""

    centre: Array  # (D,)
    weights: Array  # (K, D)
    offsets: Array  # (K,)

    def scores(self, x: Array) -> Array:
        out = np.empty((len(x), len(self.weights)))
        for rows in row_blocks(len(x), x.shape[1], CACHED_CELLS):
            off = np.subtract(x[rows], self.centre, out=workspace("linear", rows.stop - rows.start, x.shape[1]))
            np.matmul(off, self.weights.T, out=out[rows])
        out += self.offsets
        return out


def linear_scores(density: GaussianDensity, centre: Array) -> LinearScores:
    """w_k = Σ⁻¹(μ_k − centre) and offset_k = −½ (μ_k − centre)ᵀ w_k, where the components share Σ."""
    off = density.mean - centre
    weights = np.asarray(np.linalg.solve(shared_matrix(density), off.T).T, dtype=float)
    return LinearScores(centre, weights, -0.5 * (weights * off).sum(axis=1))


def shared_matrix(density: GaussianDensity) -> Array:
    shape, columns = density.shape, density.mean.shape[1]
    return density.covariance[0] if shape.ndim == 3 else np.diag(shape.diagonal(density.covariance, columns)[0])


def scaled_normals(covariance: Array, shape: Shape, components: Codes, mean: Array, rng: np.random.Generator) -> Array:
    root = shape.root(covariance, mean.shape[1])
    root = np.broadcast_to(root, (len(mean), *root.shape[1:]))[components]
    normals = rng.standard_normal((len(components), mean.shape[1]))
    return root * normals if root.ndim == 2 else np.einsum("nij,nj->ni", root, normals)


def moment_tables(names: Names, mean: Array, covariance: Array, shape: Shape) -> dict[str, dict[str, Array]]:
    """A table for each column; columns modelled together share one, and one of their correlations."""
    deviations = np.sqrt(np.broadcast_to(shape.diagonal(covariance, mean.shape[1]), mean.shape))  # (K, D)
    if shape.ndim == 2:
        return {name: {"mean": m, "sd": s} for name, m, s in zip(names, mean.T, deviations.T, strict=True)}
    table: dict[str, Array] = {}
    for j, name in enumerate(names):
        table |= {f"mean {name}": mean[:, j], f"sd {name}": deviations[:, j]}
    correlations = {
        f"{names[i]}, {names[j]}": np.broadcast_to(covariance[:, i, j], len(mean))
        / (deviations[:, i] * deviations[:, j])
        for i, j in combinations(range(len(names)), 2)
    }
    title = ", ".join(names)
    return {title: table, CORRELATION + title: correlations} if correlations else {title: table}
