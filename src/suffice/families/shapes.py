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

from suffice.arrays import Array
from suffice.errors import SingularError
from suffice.families.metrics import Columnwise, Crosswise, Metric
from suffice.families.moments import EPSILON, noise

SHRINK = "shrink_spherical=0.1, which shrinks towards independent columns"


class Shape(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def ndim(self) -> int: ...  # of the scatter in the statistics

    def size(self, columns: int) -> int: ...  # q

    def means(self, columns: int) -> int: ...

    def pooled(self, scatter: Array) -> Array: ...  # statistics' scatter (K, D[, D]) → a belief's

    def mass(self, seen: Array) -> Array: ...  # (K, D) → (K, G) degrees of freedom that rows add

    def over(self, scatter: Array, divisor: Array) -> Array: ...  # scatter / divisor (K′, G)

    def diagonal(self, covariance: Array, columns: int) -> Array: ...  # (K′, D) variances

    def matrix(self, variances: Array) -> Array: ...  # (1, D) variances → a scatter of this shape

    def rounder(self, covariance: Array, share: float) -> Array: ...  # moved towards the mean variance, no correlation

    def part(self, covariance: Array, columns: Sequence[int]) -> Array: ...  # of some of the columns

    def log_determinant(self, scatter: Array) -> Array: ...  # (K′, G)

    def trace(self, scatter: Array, covariance: Array) -> float: ...  # Σ tr(scatter · covariance⁻¹)

    def check(self, mean: Array, covariance: Array) -> None: ...  # raises SingularError

    def metric(self, mean: Array, covariance: Array) -> Metric: ...

    def root(self, covariance: Array, columns: int) -> Array: ...  # (K′, D, D) or (K′, D): scales standard normals


@dataclass(frozen=True)
class Scalar:
    """Diagonal and spherical: variances, one for each column or one for all."""

    name: str
    one_for_all: bool
    ndim = 2

    def size(self, columns: int) -> int:
        return 1

    def means(self, columns: int) -> int:
        return columns if self.one_for_all else 1

    def pooled(self, scatter: Array) -> Array:
        return scatter.sum(axis=1, keepdims=True) if self.one_for_all else scatter

    mass = pooled

    def over(self, scatter: Array, divisor: Array) -> Array:
        return scatter / divisor

    def diagonal(self, covariance: Array, columns: int) -> Array:
        return np.broadcast_to(covariance, (len(covariance), columns))

    def matrix(self, variances: Array) -> Array:
        return variances.mean(axis=1, keepdims=True) if self.one_for_all else variances

    def part(self, covariance: Array, columns: Sequence[int]) -> Array:
        return covariance if self.one_for_all else covariance[:, list(columns)]

    def rounder(self, covariance: Array, share: float) -> Array:
        return np.asarray((1 - share) * covariance + share * covariance.mean(axis=1, keepdims=True))

    def log_determinant(self, scatter: Array) -> Array:
        return np.asarray(np.log(scatter))

    def trace(self, scatter: Array, covariance: Array) -> float:
        return float((scatter / covariance).sum())

    def check(self, mean: Array, covariance: Array) -> None:
        floor = noise(mean)
        if self.one_for_all:
            floor = floor.max(axis=1, keepdims=True)
        hopeless = np.argwhere(~(np.broadcast_to(covariance, floor.shape) > floor))
        if len(hopeless):
            component = hopeless[0, 0]
            columns = range(mean.shape[1]) if self.one_for_all else hopeless[hopeless[:, 0] == component, 1]
            remedy = SHRINK if len(columns) < mean.shape[1] else ""  # towards the variance that other columns have
            raise SingularError("there is no variation in", int(component), [int(j) for j in columns], remedy)

    def metric(self, mean: Array, covariance: Array) -> Metric:
        return Columnwise(mean, np.broadcast_to(covariance, mean.shape))

    def root(self, covariance: Array, columns: int) -> Array:
        return np.sqrt(self.diagonal(covariance, columns))


@dataclass(frozen=True)
class Full:
    """A covariance matrix over all columns."""

    name = "full"
    ndim = 3

    def size(self, columns: int) -> int:
        return columns

    def means(self, columns: int) -> int:
        return 1

    def pooled(self, scatter: Array) -> Array:
        return scatter

    def mass(self, seen: Array) -> Array:
        return seen[:, :1]

    def over(self, scatter: Array, divisor: Array) -> Array:
        return np.asarray(scatter / divisor[:, :, None])

    def diagonal(self, covariance: Array, columns: int) -> Array:
        return np.diagonal(covariance, axis1=1, axis2=2)

    def matrix(self, variances: Array) -> Array:
        return variances[:, :, None] * np.eye(variances.shape[1])

    def part(self, covariance: Array, columns: Sequence[int]) -> Array:
        return covariance[:, list(columns)][:, :, list(columns)]

    def rounder(self, covariance: Array, share: float) -> Array:
        level = np.trace(covariance, axis1=1, axis2=2)[:, None, None] / covariance.shape[1]
        return np.asarray((1 - share) * covariance + share * level * np.eye(covariance.shape[1]))

    def log_determinant(self, scatter: Array) -> Array:
        return np.asarray(np.linalg.slogdet(scatter)[1])[:, None]

    def trace(self, scatter: Array, covariance: Array) -> float:
        return float(np.einsum("kij,kji->", np.broadcast_to(scatter, covariance.shape), np.linalg.inv(covariance)))

    def check(self, mean: Array, covariance: Array) -> None:
        """Judged on correlations, so that no unit matters."""
        DIAGONAL.check(mean, self.diagonal(covariance, mean.shape[1]))
        for component, matrix in enumerate(covariance):
            scale = np.sqrt(np.diagonal(matrix))
            values, vectors = np.linalg.eigh(matrix / scale / scale[:, None])
            if not values[0] > 16 * EPSILON * len(matrix):
                part = np.abs(vectors[:, 0])
                involved = np.flatnonzero(part > 0.1 * part.max()).tolist()
                raise SingularError("there is a linear dependence between", component, involved, SHRINK)

    def metric(self, mean: Array, covariance: Array) -> Metric:
        return Crosswise(mean, covariance)

    def root(self, covariance: Array, columns: int) -> Array:
        return np.asarray(np.linalg.cholesky(covariance))


FULL = Full()
DIAGONAL = Scalar("diagonal", one_for_all=False)
SPHERICAL = Scalar("spherical", one_for_all=True)
SHAPES: dict[str, Shape] = {shape.name: shape for shape in (FULL, DIAGONAL, SPHERICAL)}
