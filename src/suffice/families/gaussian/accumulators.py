"""How EM reads complete rows of Gaussians: in coordinates of a frame, once, in sums that need no mean beforehand.

In:  the density of the step before, and the moments of all rows together.
Out: an Accumulator. `Features` is for components that share a covariance or keep columns apart: ln p is linear in a few
     features of a row, and so are the sums that moments are made of. `Triangles` is for own full covariances: squares
     of triangular products, then weighted products of coordinates.

Sums around one centre cancel for a component much narrower than all rows together: there is no such accumulator then.
"""

from dataclasses import dataclass

import numpy as np

from suffice.arrays import LOG_2PI, Array, workspace
from suffice.families.accumulator import Accumulator
from suffice.families.gaussian.densities import GaussianDensity
from suffice.families.gaussian.moments import Moments
from suffice.families.gaussian.patterns import AnyMoments, PatternMoments
from suffice.families.gaussian.shapes import Shape, definite
from suffice.families.gaussian.whitening import Whitening
from suffice.families.memberships import Soft
from suffice.kernels.across import laid_across
from suffice.kernels.distances import Roots, lifted_rows
from suffice.kernels.moments import products

NARROW = 1e-3  # of the variance of all rows: below that, sums around one centre lose digits


def coordinate_accumulator(
    density: GaussianDensity, pooled: AnyMoments, rows: int
) -> Accumulator[Array, AnyMoments] | None:
    """None where a component, or all rows together, are too narrow for it."""
    shape, columns, whole = density.shape, density.mean.shape[1], pooled.complete()
    own = density.covariance if shape.crosswise else shape.diagonal(density.covariance, columns)
    frame = whole.whitening if shape.crosswise else _columnwise(whole, shape)
    inside = None if frame is None else frame.covariance(own)
    if frame is None or inside is None or not _wide(inside):
        return None
    if len(own) < len(density.mean):
        shared = Whitening.of_regular(whole.mean[0], own[0])
        return shared if shared is None else Features.of(shared, density, np.ones((1, columns)), whole, rows * columns)
    if not shape.crosswise:
        return Features.of(frame, density, 1 / inside, None, rows * columns)
    return Triangles.of(frame, density, inside, rows * columns)


def _columnwise(whole: Moments, shape: Shape) -> Whitening:
    """For columns that keep to themselves."""
    variances = shape.matrix(whole.scatter / whole.weight[:, None])
    return Whitening.of(whole.mean[0], shape.diagonal(variances, whole.mean.shape[1])[0])


def _wide(covariance: Array) -> bool:
    """Whether no direction has a variance as small as that."""
    return definite(covariance, NARROW) if covariance.ndim == 3 else bool(covariance.min() > NARROW)


def _moments(frame: Whitening, weight: Array, means: Array, scatter: Array) -> AnyMoments:
    """From the frame back into the columns themselves."""
    columns, mean = means.shape[1], frame.outside(means)
    seen = np.repeat(weight[:, None], columns, axis=1)
    moments = Moments(weight, seen, mean, frame.scatter(scatter))
    return PatternMoments(weight, columns, {tuple(range(columns)): moments}) if moments.crosswise else moments


def _means(sums: Array, weight: Array) -> Array:
    return np.asarray(sums / np.where(weight > 0, weight, 1.0)[:, None])  # (K, D)


@dataclass(frozen=True, eq=False)
class Features(Accumulator[Array, AnyMoments]):
    """ln p(x | k) = weights · (squares, coordinates, 1): one matrix product each way."""

    frame: Whitening
    weights: Array  # (K, F)
    columns: int
    total: Moments | None  # of all rows in one component, where components share what is around their means
    cells: int  # of all rows

    @classmethod
    def of(
        cls, frame: Whitening, density: GaussianDensity, precision: Array, total: Moments | None, cells: int
    ) -> "Features":
        """Precisions of the coordinates, (K′, D); where shared they are 1, and the sum of squares is one feature."""
        means, columns = frame.inside(density.mean), density.mean.shape[1]
        slopes = precision * means  # (K, D)
        level = 0.5 * (np.log(precision).sum(axis=1) - columns * LOG_2PI - (slopes * means).sum(axis=1))
        squares = np.broadcast_to(
            -0.5 * precision if total is None else -0.5, (len(means), columns if total is None else 1)
        )
        weights = np.concatenate([squares, slopes, level[:, None] + frame.log_volume], axis=1)
        return cls(frame, weights, columns, total, cells)

    @property
    def width(self) -> int:
        return int(self.weights.shape[1])

    def read(self, block: Array, piece: int) -> Array:
        """Features of the rows, a row of (F, n) each."""
        features = workspace(f"features {piece}", self.width, len(block))
        z = features[-self.columns - 1 : -1]
        laid_across(block, self.frame.centre, self.frame.into, z, self.cells)
        features[-1] = 1.0
        if self.total is None:
            np.multiply(z, z, out=features[: self.columns])
        else:
            np.einsum("dn,dn->n", z, z, out=features[0])
        return features

    def log_density(self, seen: Array) -> Array:
        return np.matmul(self.weights, seen, out=workspace("gaussians", len(self.weights), seen.shape[1])).T

    def sums(self, seen: Array, memberships: Soft) -> Array:
        return np.asarray(seen @ memberships.shares)  # (F, K)

    def statistics(self, sums: Array) -> AnyMoments:
        weight = sums[-1]
        means = _means(sums[-self.columns - 1 : -1].T, weight)
        own = sums[: self.columns].T - weight[:, None] * means**2 if self.total is None else self._shared(weight, means)
        return _moments(self.frame, weight, means, own)

    def _shared(self, weight: Array, means: Array) -> Array:
        """All of it with the first component: what is shared is their sum, and that of all rows does not change."""
        assert self.total is not None
        [total] = self.frame.covariance(self.total.scatter)
        middle = weight @ means / weight.sum()  # 0, up to rounding
        off = np.sqrt(weight)[:, None] * (means - middle)
        between = off.T @ off if total.ndim == 2 else (off**2).sum(axis=0)
        out = np.zeros((len(weight), *total.shape))
        out[0] = total - between
        return out


@dataclass(frozen=True, eq=False)
class Triangles(Accumulator[Array, AnyMoments]):
    """ln p(x | k) = level − ½ |z R_k − middle_k|² with R_k triangular; moments from products of coordinates."""

    frame: Whitening
    roots: Roots
    level: Array  # (K,)
    cells: int  # of all rows

    @classmethod
    def of(cls, frame: Whitening, density: GaussianDensity, covariance: Array, cells: int) -> "Triangles":
        roots = np.swapaxes(np.linalg.inv(np.linalg.cholesky(covariance)), 1, 2)  # upper triangular
        middles = np.einsum("kd,kde->ke", frame.inside(density.mean), roots)
        logs = np.log(np.diagonal(roots, axis1=1, axis2=2)).sum(axis=1)
        level = logs - 0.5 * roots.shape[1] * LOG_2PI + frame.log_volume
        return cls(frame, Roots(np.zeros(roots.shape[1]), roots, middles), level, cells)

    @property
    def width(self) -> int:
        return lifted_rows(len(self.frame.centre))

    def read(self, block: Array, piece: int) -> Array:
        """Coordinates across, lifted: a row of ones, the coordinates, and rows of zeros."""  # (P, n)
        n, columns = block.shape
        z = workspace(f"coordinates {piece}", self.width, n)
        z[0], z[columns + 1 :] = 1.0, 0.0
        laid_across(block, self.frame.centre, self.frame.into, z[1 : columns + 1], self.cells)
        return z

    def log_density(self, seen: Array) -> Array:
        return self.roots.across(seen, self.level, self.cells).T

    def sums(self, seen: Array, memberships: Soft) -> Array:
        return products(seen, memberships.shares.T, self.cells)  # (K, P, P)

    def statistics(self, sums: Array) -> AnyMoments:
        last, weight = len(self.frame.centre) + 1, sums[:, 0, 0]
        means = _means(sums[:, 0, 1:last], weight)
        upper = np.triu(sums[:, 1:last, 1:last])
        whole = upper + np.swapaxes(np.triu(upper, 1), 1, 2)
        return _moments(
            self.frame, weight, means, whole - weight[:, None, None] * means[:, :, None] * means[:, None, :]
        )
