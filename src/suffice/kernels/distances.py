"""Squared distances of rows from components: what Gaussian densities are made of.

In:  complete rows x (N, D), or coordinates across (P, N), and the components; a missing cell makes a distance NaN.
Out: distances (N, K), or across (K, N), and the log densities that follow from them.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from suffice.arrays import CACHED_CELLS, LOG_2PI, Array, row_blocks, workspace
from suffice.kernels.twins import compiled
from suffice.lazy import lazy

CHUNK = 17  # columns of a triangular factor multiplied at once
STEP = 4  # rows of a factor that the compiled twins take at once


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


def tails(x: Array, mean: Array, scale: Array, power: Array) -> Array:
    """Σ_j power_kj · ln(1 + ((x_j − mean_kj) · scale_kj)²) over the cells that are there."""  # (N, D), (K, D) → (N, K)
    out = np.empty((len(x), len(mean)))
    fast = compiled(x.size)
    rows = np.arange(len(x))
    if fast is not None:
        fast.tails(np.ascontiguousarray(x), *map(np.ascontiguousarray, (mean, scale, power)), out)
        rows = np.flatnonzero(~np.isfinite(out).all(axis=1))  # a missing cell, or one that is too far out
    for k, (m, s, p) in enumerate(zip(mean, scale, power, strict=True)):
        out[rows, k] = np.nansum(p * log1p_of_square((x[rows] - m) * s), axis=1)
    return out


def log1p_of_square(x: Array) -> Array:
    """Ln(1 + x²), of numbers whose square is too large for a float too."""
    with np.errstate(over="ignore"):
        found = np.asarray(np.log1p(x * x))
    beyond = np.isinf(found)
    found[beyond] = 2 * np.log(np.abs(x[beyond]))
    return found


def log_gaussian(distance: Array, log_determinant: Array, cells: Array | int) -> Array:
    """From squared Mahalanobis distances over that many cells."""
    return np.asarray(-0.5 * (distance + log_determinant + cells * LOG_2PI))


def log_student(distance: Array, log_determinant: Array, cells: Array | int, df: Array) -> Array:
    constant = gammaln((df + cells) / 2) - gammaln(df / 2) - 0.5 * cells * np.log(df * np.pi)
    return np.asarray(constant - 0.5 * log_determinant - 0.5 * (df + cells) * np.log1p(distance / df))


def lifted_rows(columns: int) -> int:
    """How many rows coordinates across have: a row of ones, the columns, and zeros up to a whole number of steps."""
    return -(-(columns + 1) // STEP) * STEP


@dataclass(frozen=True, eq=False)
class Roots:
    """Components around one centre: |(x − centre) R_k − middle_k|² with R_k upper triangular."""

    centre: Array  # (D,)
    roots: Array  # (K, D, D)
    middles: Array  # (K, D)

    def distances(self, x: Array) -> Array:
        """Of rows."""  # (N, D) → (N, K)
        out = np.empty((len(x), len(self.roots)))
        fast = compiled(x.size)
        if fast is not None:
            fast.triangular_rows(np.ascontiguousarray(x), self.centre, self._lifted, out)
            return out
        for rows in row_blocks(len(x), self.middles.size, CACHED_CELLS):
            out[rows] = self._multiplied(x[rows] - self.centre)
        return out

    def across(self, z: Array, level: Array, size: int) -> Array:
        """Level − ½ distance, of rows less the centre, lifted and lying across; `size` cells there are in all."""
        fast = compiled(size)  # (P, N), (K,) → (K, N)
        if fast is None:
            return level[:, None] - 0.5 * self._multiplied(z[1 : len(self.centre) + 1].T).T
        out = workspace("distances", len(self.roots), z.shape[1])
        fast.triangular_across(z, self._lifted, level, out)
        return out

    def _multiplied(self, off: Array) -> Array:
        """One matrix product for all components, their factors side by side."""
        lifted = workspace("lifted", len(off), off.shape[1] + 1)
        lifted[:, 0], lifted[:, 1:] = 1.0, off
        total = np.zeros((len(off), len(self.roots)))
        for rows, matrix in self._chunks:
            product = np.matmul(lifted[:, :rows], matrix, out=workspace("whitened", len(off), matrix.shape[1]))
            z = product.reshape(len(off), len(self.roots), -1)
            total += np.einsum("nkd,nkd->nk", z, z)
        return total

    @lazy
    def _lifted(self) -> Array:
        """Factors with what centres them in the first row, and zeros up to whole steps of rows and pairs of columns."""
        components, columns = self.middles.shape
        out = np.zeros((components, lifted_rows(columns), columns + columns % 2))
        out[:, 0, :columns], out[:, 1 : columns + 1, :columns] = -self.middles, self.roots
        return out

    @lazy
    def _chunks(self) -> list[tuple[int, Array]]:
        """Columns of all factors in a few steps, each with only as many rows as are not zero."""
        return list(self._steps())

    def _steps(self) -> Iterator[tuple[int, Array]]:
        columns = len(self.centre)
        for first in range(0, columns, CHUNK):
            last = min(first + CHUNK, columns)
            beside = np.moveaxis(self._lifted[:, : last + 1, first:last], 0, 1)
            yield last + 1, np.ascontiguousarray(beside).reshape(last + 1, -1)
