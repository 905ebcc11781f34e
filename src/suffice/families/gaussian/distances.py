"""Distances of rows from the components of a Gaussian or Student density, over the cells that are there.

In:  means (K, D), a covariance of some shape (K′, …), K′ = 1 where shared; then blocks x (N, D), NaN where missing.
Out: squared Mahalanobis distances (N, K), ln|Σ| and the number of cells, the last two as one row if no cell is missing.

A missing cell makes a distance NaN, so complete blocks, the usual ones, are never searched for missing cells.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from suffice.arrays import CACHED_CELLS, Array, Codes, row_blocks, workspace
from suffice.kernels import distances as kernel
from suffice.lazy import lazy

Distances = tuple[Array, Array, Array]
NEAR = 1e3  # standard deviations between means and centre up to which a centre common to all costs no digits


class Metric(Protocol):
    def distances(self, x: Array) -> Distances: ...  # (N, K), ln|Σ| (N or 1, K), cells (N or 1, 1)


@dataclass(frozen=True, eq=False)
class Columnwise:
    """Columns by themselves: Σ_j (x_j − mean_kj)² / variance_kj."""

    mean: Array  # (K, D)
    variance: Array  # (K, D)

    def distances(self, x: Array) -> Distances:
        distance = kernel.columnwise(x, self.mean, self._scale)
        log_variance = np.log(self.variance)
        if not np.isnan(distance).any():
            return distance, log_variance.sum(axis=1)[None, :], np.full((1, 1), float(x.shape[1]))
        missing = np.isnan(x)
        for k, (m, s) in enumerate(zip(self.mean, self._scale, strict=True)):
            z = np.where(missing, 0.0, (x - m) * s)
            distance[:, k] = np.einsum("nd,nd->n", z, z)
        observed = (~missing).astype(float)
        return distance, observed @ log_variance.T, observed.sum(axis=1, keepdims=True)

    @lazy
    def _scale(self) -> Array:
        return np.asarray(1 / np.sqrt(self.variance))


@dataclass(frozen=True, eq=False)
class Crosswise:
    """Columns together: (x − mean_k)ᵀ Σ_k⁻¹ (x − mean_k)."""

    mean: Array  # (K, D)
    covariance: Array  # (K′, D, D)

    def distances(self, x: Array) -> Distances:
        distance = self._complete(x)
        if not np.isnan(distance).any():
            return distance, self.log_determinant[None, :], np.full((1, 1), float(x.shape[1]))
        shape = distance.shape
        log_determinant, cells = np.zeros(shape), np.zeros((len(x), 1))
        distance[:] = 0.0
        for rows, observed in patterns(~np.isnan(x)):
            part = Crosswise(self.mean[:, observed], self.covariance[:, observed][:, :, observed])
            distance[rows] = part._complete(x[rows][:, observed])
            log_determinant[rows], cells[rows] = part.log_determinant, len(observed)
        return distance, log_determinant, cells

    def _complete(self, x: Array) -> Array:
        return self._whitened(x) if len(self.roots) < len(self.mean) else self._side_by_side(x)

    def _whitened(self, x: Array) -> Array:
        """Where the covariance is shared: one product, then plain distances from all means."""
        out, [root] = np.empty((len(x), len(self.mean))), self.roots
        for rows in row_blocks(len(x), x.shape[1], CACHED_CELLS):
            off = np.subtract(x[rows], self._centre, out=workspace("off", rows.stop - rows.start, x.shape[1]))
            out[rows] = kernel.columnwise(off @ root, self._middles, np.ones_like(self._middles))
        return out

    def _side_by_side(self, x: Array) -> Array:
        if self._around_one is not None:
            return self._around_one.distances(x)
        zero = np.zeros((1, x.shape[1]))
        each = [kernel.Roots(mean, root[None], zero) for mean, root in zip(self.mean, self.roots, strict=True)]
        return np.concatenate([roots.distances(x) for roots in each], axis=1)

    @lazy
    def _around_one(self) -> kernel.Roots | None:
        """All components around one centre, unless that would cost digits."""
        near = np.abs(self._middles).max(initial=0.0) < NEAR
        return kernel.Roots(self._centre, self.roots, self._middles) if near else None

    @lazy
    def _centre(self) -> Array:
        return np.asarray(self.mean.mean(axis=0))

    @lazy
    def _middles(self) -> Array:
        """Means in units of their own covariance, from the centre."""  # (K, D)
        off = self.mean - self._centre
        return np.asarray(np.einsum("kd,kde->ke", off, np.broadcast_to(self.roots, (*off.shape, off.shape[1]))))

    @lazy
    def _factors(self) -> Array:
        return np.asarray(np.linalg.cholesky(self.covariance))

    @lazy
    def roots(self) -> Array:
        """Upper triangular R with (x − m) R of identity covariance."""  # (K′, D, D)
        eye = np.eye(self.mean.shape[1])
        return np.array([solve_triangular(factor, eye, lower=True, check_finite=False).T for factor in self._factors])

    @lazy
    def log_determinant(self) -> Array:
        own = 2 * np.log(np.diagonal(self._factors, axis1=1, axis2=2)).sum(axis=1)
        return np.broadcast_to(own, len(self.mean))


def patterns(observed: NDArray[np.bool_], empty: bool = False) -> list[tuple[Codes | slice, Codes]]:
    """Rows that have the same cells observed, with the columns they have; rows with none at all only on request."""
    if observed.all():
        return [(slice(None), np.arange(observed.shape[1]))]
    kinds, which = np.unique(observed, axis=0, return_inverse=True)
    wanted = ((i, kind) for i, kind in enumerate(kinds) if empty or kind.any())
    return [(np.flatnonzero(which.ravel() == i), np.flatnonzero(kind)) for i, kind in wanted]
