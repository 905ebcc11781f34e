"""How far apart two Gaussians are, in closed form.

In:  the difference of their means, (D,), and their covariances, (2, D, D).
Out: Kullback and Leibler's divergence, and Chernoff's, which at ½ is Bhattacharyya's distance.
"""

import numpy as np

from suffice.arrays import Array


def kl_divergence(off: Array, covariance: Array) -> float:
    """∫ p₁ ln p₁/p₂."""
    inverse, logs = np.linalg.inv(covariance[1]), np.linalg.slogdet(covariance)[1]
    spread = np.trace(inverse @ covariance[0]) - len(off) + logs[1] - logs[0]
    return float(0.5 * (off @ inverse @ off + spread))


def chernoff_divergence(off: Array, covariance: Array, s: float) -> float:
    """−ln ∫ p₁^s p₂^(1−s)."""
    mixed = (1 - s) * covariance[0] + s * covariance[1]
    logs = np.linalg.slogdet(covariance)[1]
    distance = off @ np.linalg.solve(mixed, off)
    return float(0.5 * (s * (1 - s) * distance + np.linalg.slogdet(mixed)[1] - (1 - s) * logs[0] - s * logs[1]))
