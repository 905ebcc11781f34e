"""Linear scores of Gaussian components that share a covariance: what they differ by.

In:  means, the covariance, and a centre among the means.
Out: LinearScores: weights of each column and offsets.
"""

from dataclasses import dataclass

import numpy as np

from suffice.arrays import Array
from suffice.kernels.scores import linear


@dataclass(frozen=True, eq=False)
class LinearScores:
    """g_k(x) = w_kᵀ(x − centre) + offset_k: ln p(x | k) up to a term common to all components, exact far from 0 too."""

    centre: Array  # (D,)
    weights: Array  # (K, D)
    offsets: Array  # (K,)

    def scores(self, x: Array) -> Array:
        out = linear(x, self.centre, self.weights)
        out += self.offsets
        return out


def linear_scores(mean: Array, covariance: Array, centre: Array) -> LinearScores:
    """w_k = Σ⁻¹(μ_k − centre) and offset_k = −½ (μ_k − centre)ᵀ w_k, where the components share Σ."""
    off = mean - centre
    weights = np.asarray(np.linalg.solve(covariance, off.T).T, dtype=float)
    return LinearScores(centre, weights, -0.5 * (weights * off).sum(axis=1))
