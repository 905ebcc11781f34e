"""Normal–Gamma beliefs that are cut off where 1/μ is 0: what cutting changes, as functions of arrays.

In:  degrees of freedom ν, and where the cut is: c scale units of a Student-t below its middle, c ≥ 0.
Out: logarithms, averages and draws of what is above the cut.
"""

import numpy as np
from scipy.special import betaln, digamma, roots_legendre, stdtr, stdtrit

from suffice.arrays import Array

POINTS, WEIGHTS = roots_legendre(200)
FAR = 7.0  # e^(−z²) beyond which nothing is left of an integral


def cut(seen: Array, total: Array, excess: Array, degrees: Array) -> Array:
    """The distance from its middle at which θ = 1/μ is cut, in its scale units."""
    return np.asarray(seen * np.sqrt(degrees) / (np.sqrt(total) * np.sqrt(excess)))


def log_above(c: Array, degrees: Array) -> Array:
    """Ln of the share of a Student-t that is above −c."""
    return np.asarray(np.log(stdtr(degrees, c)))


def mean_above(c: Array, degrees: Array) -> Array:
    """E[t | t > −c], of more than one degree of freedom."""
    log_pdf = -0.5 * np.log(degrees) - betaln(degrees / 2, 0.5) - (degrees + 1) / 2 * np.log1p(c**2 / degrees)
    steep = np.exp(log_pdf - log_above(c, degrees))
    return np.asarray((degrees + c**2) / (degrees - 1) * steep)


def log_gamma_above(c: Array, degrees: Array) -> Array:
    """E ln λ, where λ without the cut is a Gamma of shape ν/2 and rate 1.

    Given t, E ln λ is ψ((ν + 1)/2) + ln u with u = 1/(1 + t²/ν), whose average over all t is ψ(ν/2). The average over
    those below −c, where u < u_c, is taken off: by quadrature, with u = u_c e^(−2z²/ν) and z a cube, fine near 0.
    """
    half, log_cut = degrees / 2, -np.log1p(c**2 / degrees)
    w = 0.5 * (POINTS + 1) * FAR ** (1 / 3)
    z, step = w**3, 0.5 * WEIGHTS * FAR ** (1 / 3) * 3 * w**2  # (Q,)
    log_u = log_cut[..., None] - z**2 / half[..., None]
    integrand = 2 * z * np.exp(-(z**2)) * (digamma(half + 0.5)[..., None] + log_u) / np.sqrt(-np.expm1(log_u))
    below = 0.5 * np.exp(half * log_cut - betaln(half, 0.5)) / half * (integrand @ step)
    return np.asarray((digamma(half) - below) / stdtr(degrees, c))


def draw_above(c: Array, degrees: Array, rng: np.random.Generator) -> Array:
    """Student-t above −c."""
    return np.asarray(np.maximum(-stdtrit(degrees, rng.random(c.shape) * stdtr(degrees, c)), -c))
