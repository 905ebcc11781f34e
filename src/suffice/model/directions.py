"""Stage 3, Gaussians with one covariance as straight lines: linear scores of the classes, and directions between them.

In:  the density of a linear discriminant, (K, D) means and one (D, D) covariance, and the prevalence of the classes.
Out: linear scores g_k(x), and Fisher's directions, in which the covariance within classes is the identity.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from suffice.arrays import Array, log
from suffice.families.normal import GaussianDensity


@dataclass(frozen=True, eq=False)
class Directions:
    centre: Array  # (D,) mean of the class means, by prevalence
    scalings: Array  # (D, L), the most telling direction first
    ratio: Array  # (L,) share of the variance between classes


@dataclass(frozen=True, eq=False)
class Scores:
    """g_k(x) = w_kᵀ(x − centre) + offset_k: linear scores up to a term common to all classes, exact far from 0 too."""

    centre: Array  # (D,)
    weights: Array  # (K, D)
    offsets: Array  # (K,)


def linear_scores(density: GaussianDensity, prevalence: Array) -> Scores:
    """w_k = Σ⁻¹(μ_k − centre) and offset_k = −½ (μ_k − centre)ᵀ w_k + ln P(k)."""
    centre = prevalence @ density.mean
    off = density.mean - centre
    weights = np.asarray(np.linalg.solve(shared_matrix(density), off.T).T, dtype=float)
    return Scores(centre, weights, -0.5 * (weights * off).sum(axis=1) + log(prevalence))


def directions(density: GaussianDensity, prevalence: Array) -> Directions:
    """The solutions of B v = λ Σ v with vᵀΣv = 1, B being the covariance of the class means."""
    centre = prevalence @ density.mean
    if not len(centre):
        return Directions(centre, np.zeros((0, 0)), np.zeros(0))
    off = np.sqrt(prevalence)[:, None] * (density.mean - centre)
    values, vectors = eigh(off.T @ off, shared_matrix(density))
    most = min(len(density.mean) - 1, len(centre))
    values, vectors = np.maximum(values[::-1][:most], 0.0), vectors[:, ::-1][:, :most]
    largest = np.abs(vectors).argmax(axis=0)
    signs = np.sign(vectors[largest, np.arange(most)])  # a sign of no meaning, chosen once and for all
    return Directions(centre, vectors * signs, values / values.sum() if values.any() else values)


def shared_matrix(density: GaussianDensity) -> Array:
    shape, columns = density.shape, density.mean.shape[1]
    return density.covariance[0] if shape.ndim == 3 else np.diag(shape.diagonal(density.covariance, columns)[0])
