"""Distances of rows from the components of a Gaussian or Student density, over the cells that are there.

In:  means (K, D), a covariance of some shape (K′, …), K′ = 1 where shared; then blocks x (N, D), NaN where missing.
Out: squared Mahalanobis distances (N, K), ln|Σ| and the number of cells, the last two as one row if no cell is missing.

A missing cell makes a distance NaN, so complete blocks, the usual ones, are never searched for missing cells.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from suffice.arrays import CACHED_CELLS, Array, Codes, row_blocks, workspace
from suffice.kernels import moments as kernel

Distances = tuple[Array, Array, Array]
NEAR = 1e3  # standard deviations between means and centre up to which a centre common to all costs no digits
CHUNK = 17  # columns of a triangular factor multiplied at once


class Metric(Protocol):
    def distances(self, x: Array) -> Distances: ...  # (N, K), ln|Σ| (N or 1, K), cells (N or 1, 1)


@dataclass(frozen=True, eq=False)
class Columnwise:
    """Columns by themselves: Σ_j (x_j − mean_kj)² / variance_kj."""

    mean: Array  # (K, D)
    variance: Array  # (K, D)

    def distances(self, x: Array) -> Distances:
        distance = kernel.distances(x, self.mean, self._scale)
        log_variance = np.log(self.variance)
        if not np.isnan(distance).any():
            return distance, log_variance.sum(axis=1)[None, :], np.full((1, 1), float(x.shape[1]))
        missing = np.isnan(x)
        for k, (m, s) in enumerate(zip(self.mean, self._scale, strict=True)):
            z = np.where(missing, 0.0, (x - m) * s)
            distance[:, k] = np.einsum("nd,nd->n", z, z)
        observed = (~missing).astype(float)
        return distance, observed @ log_variance.T, observed.sum(axis=1, keepdims=True)

    @cached_property
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
            return distance, self._log_determinant[None, :], np.full((1, 1), float(x.shape[1]))
        shape = distance.shape
        log_determinant, cells = np.zeros(shape), np.zeros((len(x), 1))
        distance[:] = 0.0
        for rows, observed in patterns(~np.isnan(x)):
            part = Crosswise(self.mean[:, observed], self.covariance[:, observed][:, :, observed])
            distance[rows] = part._complete(x[rows][:, observed])
            log_determinant[rows], cells[rows] = part._log_determinant, len(observed)
        return distance, log_determinant, cells

    def _complete(self, x: Array) -> Array:
        out = np.empty((len(x), len(self.mean)))
        for rows in row_blocks(len(x), self.mean.size, CACHED_CELLS):
            for group in self._groups:
                out[rows, group.owners] = group.distances(x[rows])
        return out

    @cached_property
    def _groups(self) -> list["Group"]:
        """All components around one centre, or each around its own mean where that centre would cost digits."""
        components, centre = np.arange(len(self.mean)), self.mean.mean(axis=0)
        every = Group(components, centre, self.mean - centre, self._roots)
        if len(self._roots) == 1 or np.abs(every.middles).max(initial=0.0) < NEAR:
            return [every]
        zero = np.zeros((1, len(centre)))
        return [Group(components[k : k + 1], self.mean[k], zero, self._roots[k : k + 1]) for k in components]

    @cached_property
    def _factors(self) -> Array:
        return np.asarray(np.linalg.cholesky(self.covariance))

    @cached_property
    def _roots(self) -> Array:
        """Upper triangular R with (x − m) R of identity covariance."""  # (K′, D, D)
        eye = np.eye(self.mean.shape[1])
        return np.array([solve_triangular(factor, eye, lower=True, check_finite=False).T for factor in self._factors])

    @cached_property
    def _log_determinant(self) -> Array:
        own = 2 * np.log(np.diagonal(self._factors, axis1=1, axis2=2)).sum(axis=1)
        return np.broadcast_to(own, len(self.mean))


@dataclass(frozen=True, eq=False)
class Group:
    """Components around one centre, their factors side by side: one matrix product for all of them."""

    owners: Codes
    centre: Array  # (D,)
    off: Array  # (K, D) means less centre
    roots: Array  # (K, D, D) upper triangular; (1, D, D) where shared

    def distances(self, x: Array) -> Array:
        lifted = workspace("lifted", len(x), x.shape[1] + 1)
        lifted[:, 0] = 1.0
        np.subtract(x, self.centre, out=lifted[:, 1:])
        if len(self.roots) == 1 and len(self.off) > 1:
            return self._shared(lifted[:, 1:] @ self.roots[0])
        total = np.zeros((len(x), len(self.off)))
        for rows, matrix in self._chunks:
            product = np.matmul(lifted[:, :rows], matrix, out=workspace("whitened", len(x), matrix.shape[1]))
            z = product.reshape(len(x), len(self.off), -1)
            total += np.einsum("nkd,nkd->nk", z, z)
        return total

    def _shared(self, whitened: Array) -> Array:
        return kernel.distances(whitened, self.middles, np.ones_like(self.middles))

    @cached_property
    def middles(self) -> Array:
        """Means in units of their own covariance, from the centre."""  # (K, D)
        return np.asarray(
            np.einsum("kd,kde->ke", self.off, np.broadcast_to(self.roots, (len(self.off), *self.roots.shape[1:])))
        )

    @cached_property
    def _chunks(self) -> list[tuple[int, Array]]:
        """Columns of all factors in a few steps, each with only as many rows as are not zero; the first row centres."""
        return list(self._steps())

    def _steps(self) -> Iterator[tuple[int, Array]]:
        columns = self.roots.shape[1]
        for first in range(0, columns, CHUNK):
            last = min(first + CHUNK, columns)
            beside = np.moveaxis(self.roots[:, :last, first:last], 0, 1).reshape(last, -1)
            yield last + 1, np.concatenate([-self.middles[:, first:last].reshape(1, -1), beside])


def patterns(observed: NDArray[np.bool_], empty: bool = False) -> list[tuple[Any, Codes]]:
    """Rows that have the same cells observed, with the columns they have; rows with none at all only on request."""
    if observed.all():
        return [(slice(None), np.arange(observed.shape[1]))]
    kinds, which = np.unique(observed, axis=0, return_inverse=True)
    wanted = ((i, kind) for i, kind in enumerate(kinds) if empty or kind.any())
    return [(np.flatnonzero(which.ravel() == i), np.flatnonzero(kind)) for i, kind in wanted]
