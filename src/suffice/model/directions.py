"""Stage 3, Gaussians with one covariance as straight lines: linear scores of the classes, and directions between them.

In:  the density of a linear discriminant, (K, D) means and one (D, D) covariance, and the prevalence of the classes.
Out: linear scores g_k(x), and Fisher's directions, in which the covariance within classes is the identity.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import eigh

from suffice.arrays import Array, log
from suffice.families.gaussian.densities import GaussianDensity
from suffice.families.gaussian.linear import LinearScores, linear_scores


@dataclass(frozen=True, eq=False)
class Directions:
    centre: Array  # (D,) mean of the class means, by prevalence
    scalings: Array  # (D, L), the most telling direction first
    ratio: Array  # (L,) share of the variance between classes


def class_scores(density: GaussianDensity, prevalence: Array) -> LinearScores:
    """Linear scores around the overall mean, with ln P(k)."""
    scores = linear_scores(density.mean, density.matrix(0), prevalence @ density.mean)
    return replace(scores, offsets=scores.offsets + log(prevalence))


def directions(density: GaussianDensity, prevalence: Array) -> Directions:
    """The solutions of B v = λ Σ v with vᵀΣv = 1, B being the covariance of the class means."""
    centre = prevalence @ density.mean
    if not len(centre):
        return Directions(centre, np.zeros((0, 0)), np.zeros(0))
    off = np.sqrt(prevalence)[:, None] * (density.mean - centre)
    values, vectors = eigh(off.T @ off, density.matrix(0))
    most = min(len(density.mean) - 1, len(centre))
    values, vectors = np.maximum(values[::-1][:most], 0.0), vectors[:, ::-1][:, :most]
    largest = np.abs(vectors).argmax(axis=0)
    signs = np.sign(vectors[largest, np.arange(most)])  # a sign of no meaning, chosen once and for all
    return Directions(centre, vectors * signs, values / values.sum() if values.any() else values)
