"""A number given another, as rows and beliefs see it: mass, means and scatter, and so sums of squares around a line.

In:  a line in each class, and the moments of two numbers, or the normal–inverse-Wishart belief about the two.
Out: the log likelihood of the child given its parent, and the log density of the belief about the line.

Under that belief the line (its height, slope and variance v) is independent of the mean and variance of the parent.
What it says of the line is

    v ~ inverse gamma (ν/2, Ψ_c·p/2)    slope | v ~ N(Ψ_cp/Ψ_pp, v/Ψ_pp)    height | slope, v ~ N(that of the mean, v/κ)

with Ψ_c·p = Ψ_cc − Ψ_cp²/Ψ_pp, so that its mode is the line of the joint mode: both divide squares by ν + 4.
"""

import numpy as np

from suffice.arrays import LOG_2PI, Array
from suffice.families.gaussian.densities import GaussianDensity, StudentDensity
from suffice.families.gaussian.family import Gaussian
from suffice.families.gaussian.moments import Moments
from suffice.families.gaussian.normal_wishart import NormalInverseWishartPrior
from suffice.families.gaussian.shapes import DIAGONAL
from suffice.families.protocol import Density, LastStep, Prior, Statistics
from suffice.families.tree.nodes import Place, Regression


def through(density: Density, child: Place, parent: Place) -> Regression:
    """The line through two numbers that their covariance gives, as they vary together in each component."""
    assert isinstance(density, GaussianDensity | StudentDensity)  # a belief about numbers gives no other
    matrix = density.covariance if isinstance(density, GaussianDensity) else density.squared_scale
    degrees = None if isinstance(density, GaussianDensity) else density.degrees[:, 0]
    slope = matrix[:, 0, 1] / matrix[:, 1, 1]
    variance = matrix[:, 0, 0] - slope * matrix[:, 0, 1]
    return Regression(child, parent, density.mean, slope, variance, matrix[:, 1, 1], degrees)


def log_evidence(prior: Prior[Statistics], statistics: Statistics) -> float:
    """The log evidence of all children given their parents: that of both, less that of the parents."""
    belief, moments = _about_two(prior), two_numbers(statistics)
    above = marginal_prior(belief, 1).log_evidence(moments.take([1]).alone()).sum()
    return float(belief.log_evidence(moments).sum() - above)


def log_likelihood(line: Regression, statistics: Statistics) -> float:
    """Of all children given their parents, each in its class."""
    moments = two_numbers(statistics)
    mass = moments.seen[:, 0]
    squares = _squares(line, moments.scatter, mass, moments.mean)
    return float(-0.5 * (mass * (LOG_2PI + np.log(line.variance)) + squares / line.variance).sum())


def log_prior(line: Regression, prior: Prior[Statistics]) -> Array:
    """Of height, slope and variance; without a constant where the belief is improper."""  # (K,)
    belief = _about_two(prior)
    squares = _squares(line, belief.scatter, belief.kappa[:, 0], belief.location)
    kernel = -0.5 * (belief.divisor(LastStep.MODE)[:, 0] * np.log(line.variance) + squares / line.variance)
    return np.asarray(kernel - belief.constant + marginal_prior(belief, 1).constant)


def _about_two(prior: Prior[Statistics]) -> NormalInverseWishartPrior:
    assert isinstance(prior, NormalInverseWishartPrior)  # there is no other belief about a number and its parent
    return prior


def two_numbers(statistics: Statistics) -> Moments:
    """The moments of a number and its parent, which must be such."""
    assert isinstance(statistics, Moments)  # there is no other record of a number and its parent
    return statistics


def _squares(line: Regression, scatter: Array, mass: Array, mean: Array) -> Array:
    """Σ (child − line(parent))² of rows with that scatter around their mean."""  # (K,)
    across = np.stack([np.ones_like(line.slope), -line.slope], axis=1)  # what is left of both, along the line
    off = np.einsum("ki,ki->k", across, mean - line.mean)
    return np.asarray(np.einsum("ki,kij,kj->k", across, scatter, across) + mass * off**2)


def marginal_prior(prior: NormalInverseWishartPrior, column: int) -> NormalInverseWishartPrior:
    """What a belief about two numbers says of one of them: a degree of freedom less."""
    at, degrees = slice(column, column + 1), float(prior.degrees[0, 0]) - 1
    scatter = prior.scatter[:, column, at]
    return Gaussian(1, DIAGONAL).belief(prior.kappa[:, at], prior.location[:, at], degrees, scatter, len(scatter))
