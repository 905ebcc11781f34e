"""Mean and centred scatter of weighted rows: the hot loop of the Gaussian families.

In:  rows x (N, D), NaN where missing, and their weights w (N,).
Out: observed mass, mean and scatter. Two passes over a block that is in the cache: the mean, then squares around it,
     with what the rounding of the mean left over taken off again.
"""

import numpy as np

from suffice.arrays import Array


def columnwise(x: Array, w: Array) -> tuple[Array, Array, Array]:
    """Mass, mean and sum of squares of each column, missing cells left out."""  # (D,) each
    missing = np.isnan(x)
    if not missing.any():
        mass, mean, z = centred(x, w)
        return mass, mean, w @ (z * z)
    weights = w[:, None] * ~missing
    x = np.where(missing, 0.0, x)
    mass = weights.sum(axis=0)
    safe = np.where(mass == 0, 1.0, mass)
    mean = (weights * x).sum(axis=0) / safe
    z = x - mean
    left_over = (weights * z).sum(axis=0) / safe
    return mass, mean + left_over, (weights * (z - left_over) ** 2).sum(axis=0)


def crosswise(x: Array, w: Array) -> tuple[Array, Array, Array]:
    """Mass (D,), mean (D,) and scatter matrix (D, D) of complete rows."""
    mass, mean, z = centred(x, w)
    z *= np.sqrt(w)[:, None]
    return mass, mean, z.T @ z  # of one array with itself: half the work, and exactly symmetric


def centred(x: Array, w: Array) -> tuple[Array, Array, Array]:
    total = w.sum()
    if total == 0:
        return np.zeros(x.shape[1]), np.zeros(x.shape[1]), np.zeros_like(x)
    mean = (w @ x) / total
    z = x - mean
    left_over = (w @ z) / total
    z -= left_over
    return np.full(x.shape[1], total), mean + left_over, z
