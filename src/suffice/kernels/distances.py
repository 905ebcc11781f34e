"""Squared distances of rows from components: what Gaussian densities are made of.

In:  complete rows x (N, D) and the components; a missing cell makes a distance NaN.
Out: distances (N, K).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from suffice.arrays import CACHED_CELLS, Array, row_blocks, workspace
from suffice.kernels.choice import compiled

CHUNK = 17  # columns of a triangular factor multiplied at once
STEP = 4  # rows and columns of a factor that the compiled twin takes at once


def columnwise(x: Array, mean: Array, scale: Array) -> Array:
    """Σ_j ((x_j − mean_kj) · scale_kj)²."""  # (N, D), (K, D), (K, D) → (N, K)
    out = np.empty((len(x), len(mean)))
    fast = compiled(x.size)
    if fast is not None:
        fast.distances(np.ascontiguousarray(x), np.ascontiguousarray(mean), np.ascontiguousarray(scale), out)
        return out
    for k, (m, s) in enumerate(zip(mean, scale, strict=True)):
        z = (x - m) * s
        out[:, k] = np.einsum("nd,nd->n", z, z)
    return out


@dataclass(frozen=True, eq=False)
class Roots:
    """Components around one centre: |(x − centre) R_k − middle_k|² with R_k upper triangular."""

    centre: Array  # (D,)
    roots: Array  # (K, D, D)
    middles: Array  # (K, D)

    def distances(self, x: Array) -> Array:
        out = np.empty((len(x), len(self.roots)))
        fast = compiled(x.size)
        if fast is not None:
            fast.triangular(np.ascontiguousarray(x), self.centre, *self._padded, out)
            return out
        for rows in row_blocks(len(x), self.middles.size, CACHED_CELLS):
            out[rows] = self._multiplied(x[rows])
        return out

    def _multiplied(self, x: Array) -> Array:
        """One matrix product for all components, their factors side by side."""
        lifted = workspace("lifted", len(x), x.shape[1] + 1)
        lifted[:, 0] = 1.0
        np.subtract(x, self.centre, out=lifted[:, 1:])
        total = np.zeros((len(x), len(self.roots)))
        for rows, matrix in self._chunks:
            product = np.matmul(lifted[:, :rows], matrix, out=workspace("whitened", len(x), matrix.shape[1]))
            z = product.reshape(len(x), len(self.roots), -1)
            total += np.einsum("nkd,nkd->nk", z, z)
        return total

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

    @cached_property
    def _padded(self) -> tuple[Array, Array]:
        """Factors and middles with columns of zeros up to a whole number of steps."""
        more = -len(self.centre) % STEP
        return np.pad(self.roots, ((0, 0), (0, more), (0, more))), np.pad(self.middles, ((0, 0), (0, more)))
