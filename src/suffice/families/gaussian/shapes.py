"""The three shapes of a covariance: full, diagonal, spherical. All that depends on the shape is here, and nothing else.

Belief arrays have a variance axis G: D for diagonal, 1 for full and spherical. K′ is K, or 1 where the components
share one covariance.

    shape       covariance      q: rows of a matrix    means behind each variance, per component
    full        (K′, D, D)      D                      1 (a vector)
    diagonal    (K′, D)         1                      1
    spherical   (K′, 1)         1                      D
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpstrf

from suffice.arrays import Array, repeated
from suffice.errors import SingularError
from suffice.families.gaussian.distances import Columnwise, Crosswise, Metric
from suffice.families.gaussian.moments import EPSILON, blur

FAR = "cells are too far from 0 for their spread (subtract a typical value first) in"
SHRINK = ("shrink_spherical",)  # the parameter that helps


class Shape(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def crosswise(self) -> bool: ...  # whether there are covariances, and matrices of them in the statistics

    def size(self, columns: int) -> int: ...  # q

    def means(self, columns: int) -> int: ...

    def entries(self, columns: int) -> int: ...  # numbers that are free in one covariance

    def pooled(self, scatter: Array) -> Array: ...  # statistics' scatter (K, D[, D]) → a belief's

    def mass(self, seen: Array) -> Array: ...  # (K, D) → (K, G) degrees of freedom that rows add

    def divided(self, scatter: Array, divisor: Array) -> Array: ...  # scatter / divisor (K′, G)

    def diagonal(self, covariance: Array, columns: int) -> Array: ...  # (K′, D) variances

    def matrix(self, variances: Array) -> Array: ...  # (1, D) variances → a scatter of this shape

    def shrunk(self, covariance: Array, share: float) -> Array: ...  # moved towards the mean variance, no correlation

    def part(self, covariance: Array, columns: Sequence[int]) -> Array: ...  # of some of the columns

    def log_determinant(self, scatter: Array) -> Array: ...  # (K′, G)

    def trace(self, scatter: Array, covariance: Array) -> Array: ...  # tr(scatter · covariance⁻¹), for each owner

    def inverse(self, covariance: Array) -> Array: ...

    def scaled(self, covariance: Array, mass: Array) -> Array: ...  # covariance · mass (K, G)

    def dot(self, covariance: Array, vectors: Array) -> Array: ...  # covariance · vector (K, D)

    def draw(self, scatter: Array, degrees: Array, rng: np.random.Generator) -> Array: ...  # inverse Wishart

    def check(self, mean: Array, covariance: Array, least: float = 0.0) -> None: ...  # raises SingularError

    def metric(self, mean: Array, covariance: Array) -> Metric: ...

    def paired(self, x: Array, mean: Array, covariance: Array) -> tuple[Array, Array]: ...

    # the same, each (N,), of the n-th row from the n-th of N components

    def root(self, covariance: Array, columns: int) -> Array: ...  # (K′, D, D) or (K′, D): scales standard normals


@dataclass(frozen=True)
class Scalar:
    """Diagonal and spherical: variances, one for each column or one for all."""

    name: str
    one_for_all: bool
    crosswise = False

    def size(self, columns: int) -> int:
        return 1

    def means(self, columns: int) -> int:
        return columns if self.one_for_all else 1

    def entries(self, columns: int) -> int:
        return 1 if self.one_for_all else columns

    def pooled(self, scatter: Array) -> Array:
        return scatter.sum(axis=1, keepdims=True) if self.one_for_all else scatter

    mass = pooled

    def divided(self, scatter: Array, divisor: Array) -> Array:
        return scatter / divisor

    def diagonal(self, covariance: Array, columns: int) -> Array:
        return np.broadcast_to(covariance, (len(covariance), columns))

    def matrix(self, variances: Array) -> Array:
        return variances.mean(axis=1, keepdims=True) if self.one_for_all else variances

    def part(self, covariance: Array, columns: Sequence[int]) -> Array:
        return covariance if self.one_for_all else covariance[:, list(columns)]

    def shrunk(self, covariance: Array, share: float) -> Array:
        return np.asarray((1 - share) * covariance + share * covariance.mean(axis=1, keepdims=True))

    def log_determinant(self, scatter: Array) -> Array:
        return np.asarray(np.log(scatter))

    def trace(self, scatter: Array, covariance: Array) -> Array:
        return np.asarray((scatter / covariance).sum(axis=1))

    def inverse(self, covariance: Array) -> Array:
        return 1 / covariance

    def scaled(self, covariance: Array, mass: Array) -> Array:
        return covariance * mass

    dot = scaled  # a diagonal matrix and a vector

    def draw(self, scatter: Array, degrees: Array, rng: np.random.Generator) -> Array:
        return np.asarray(scatter / rng.chisquare(degrees))

    def check(self, mean: Array, covariance: Array, least: float = 0.0) -> None:
        floor = blur(mean)
        if self.one_for_all:
            floor = floor.max(axis=1, keepdims=True)
        hopeless = np.argwhere(~(repeated(covariance, len(mean)) > floor))
        if len(hopeless):
            component = hopeless[0, 0]
            columns = range(mean.shape[1]) if self.one_for_all else hopeless[hopeless[:, 0] == component, 1]
            remedy = SHRINK if len(columns) < mean.shape[1] else ()  # towards the variance that other columns have
            some = [int(j) for j in columns]
            varies = repeated(covariance, len(mean)) > 2.0**-34 * floor  # by more than rounding
            if varies[component, 0 if self.one_for_all else some].all():
                raise SingularError(FAR, int(component), some)
            raise SingularError("there is no variation in", int(component), some, remedy)

    def metric(self, mean: Array, covariance: Array) -> Metric:
        return Columnwise(mean, np.broadcast_to(covariance, mean.shape))

    def paired(self, x: Array, mean: Array, covariance: Array) -> tuple[Array, Array]:
        variance = np.broadcast_to(repeated(covariance, len(mean)), mean.shape)
        missing = np.isnan(x)
        squares, logs = (x - mean) ** 2 / variance, np.log(variance)
        distance, log_determinant = (np.where(missing, 0.0, part).sum(axis=1) for part in (squares, logs))
        return distance, log_determinant

    def root(self, covariance: Array, columns: int) -> Array:
        return np.sqrt(self.diagonal(covariance, columns))


@dataclass(frozen=True)
class Full:
    """A covariance matrix over all columns."""

    name = "full"
    crosswise = True

    def size(self, columns: int) -> int:
        return columns

    def means(self, columns: int) -> int:
        return 1

    def entries(self, columns: int) -> int:
        return columns * (columns + 1) // 2

    def pooled(self, scatter: Array) -> Array:
        return scatter

    def mass(self, seen: Array) -> Array:
        return seen[:, :1]

    def divided(self, scatter: Array, divisor: Array) -> Array:
        return np.asarray(scatter / divisor[:, :, None])

    def diagonal(self, covariance: Array, columns: int) -> Array:
        return np.diagonal(covariance, axis1=1, axis2=2)

    def matrix(self, variances: Array) -> Array:
        return variances[:, :, None] * np.eye(variances.shape[1])

    def part(self, covariance: Array, columns: Sequence[int]) -> Array:
        return covariance[:, list(columns)][:, :, list(columns)]

    def shrunk(self, covariance: Array, share: float) -> Array:
        level = np.trace(covariance, axis1=1, axis2=2)[:, None, None] / covariance.shape[1]
        return np.asarray((1 - share) * covariance + share * level * np.eye(covariance.shape[1]))

    def log_determinant(self, scatter: Array) -> Array:
        return np.asarray(np.linalg.slogdet(scatter)[1])[:, None]

    def trace(self, scatter: Array, covariance: Array) -> Array:
        return np.asarray((scatter * np.linalg.inv(covariance)).sum(axis=(1, 2)))  # both are symmetric

    def inverse(self, covariance: Array) -> Array:
        inverse = np.linalg.inv(covariance)
        return np.asarray((inverse + np.swapaxes(inverse, 1, 2)) / 2)

    def scaled(self, covariance: Array, mass: Array) -> Array:
        return covariance * mass[:, :, None]

    def dot(self, covariance: Array, vectors: Array) -> Array:
        return np.asarray((covariance * vectors[:, None, :]).sum(axis=2))

    def draw(self, scatter: Array, degrees: Array, rng: np.random.Generator) -> Array:
        """Bartlett: A Aᵀ is Wishart of I, so L (A Aᵀ)⁻¹ Lᵀ is inverse Wishart of L Lᵀ."""
        columns = scatter.shape[1]
        factor = np.tril(rng.standard_normal(scatter.shape), -1)
        factor[:, range(columns), range(columns)] = np.sqrt(rng.chisquare(degrees - np.arange(columns)))
        half = np.linalg.solve(factor, np.swapaxes(np.linalg.cholesky(scatter), 1, 2))  # A⁻¹ Lᵀ
        return np.asarray(np.swapaxes(half, 1, 2) @ half)

    def check(self, mean: Array, covariance: Array, least: float = 0.0) -> None:
        """Judged on correlations, so that no unit matters: none of their eigenvalues may be below the least."""
        variances = self.diagonal(covariance, mean.shape[1])
        DIAGONAL.check(mean, variances)
        scale, first, columns = np.sqrt(variances), 0, mean.shape[1]
        least = max(least, _rounding(columns))
        while first < columns:  # a matrix of low rank shows it in its first columns
            first = min(columns, 4 * first + 64)
            leading = scale[:, :first]
            correlations = covariance[:, :first, :first] / leading[:, :, None] / leading[:, None, :]
            if not definite(correlations, least):
                component = next(k for k, matrix in enumerate(correlations) if not definite(matrix, least))
                involved = _dependent(correlations[component], least)
                raise SingularError("there is a linear dependence between", component, involved, SHRINK)

    def metric(self, mean: Array, covariance: Array) -> Metric:
        return Crosswise(mean, covariance)

    def paired(self, x: Array, mean: Array, covariance: Array) -> tuple[Array, Array]:
        factors = np.asarray(np.linalg.cholesky(covariance), dtype=float)
        deviations = np.asarray(x - mean, dtype=float)[:, :, None]
        z = np.linalg.solve(repeated(factors, len(mean)), deviations)[:, :, 0]
        log_determinant = 2 * np.log(np.diagonal(factors, axis1=1, axis2=2)).sum(axis=1)
        there = ~np.isnan(x[:, 0])  # all cells of a row or none: rows in between have no closed form
        found = np.einsum("nd,nd->n", z, z), repeated(log_determinant, len(mean))
        return np.where(there, found[0], 0.0), np.where(there, found[1], 0.0)

    def root(self, covariance: Array, columns: int) -> Array:
        return np.asarray(np.linalg.cholesky(covariance))


def definite(correlations: Array, least: float) -> bool:
    """Whether all eigenvalues are above the least."""
    every, lower = np.arange(correlations.shape[-1]), correlations.copy()
    lower[..., every, every] -= least
    try:
        np.linalg.cholesky(lower)
    except np.linalg.LinAlgError:
        return False
    return True


def _rounding(columns: int) -> float:
    """What rounding makes of an eigenvalue of 0 in a matrix of so many columns."""
    return 16 * EPSILON * columns


def _dependent(correlations: Array, least: float) -> list[int]:
    """A column that follows from others, and those others: by a pivoted Cholesky, which ends at the rank."""
    factor, order, rank, _ = dpstrf(correlations, tol=least, lower=True)
    rank = min(int(rank), len(correlations) - 1)
    slopes = solve_triangular(factor[:rank, :rank], factor[rank, :rank], lower=True, trans=1)
    part = np.abs([*slopes, 1.0])
    return sorted((order[: rank + 1][part > 0.1 * part.max()] - 1).tolist())


FULL = Full()
DIAGONAL = Scalar("diagonal", one_for_all=False)
SPHERICAL = Scalar("spherical", one_for_all=True)
SHAPES: dict[str, Shape] = {shape.name: shape for shape in (FULL, DIAGONAL, SPHERICAL)}
