"""The correlations that rows show within components, shrunk by as much as chance alone would make of them.

In:  moments of columns modelled together, of one model or of several side by side, and variances within components.
Out: covariances (M, D, D) of those variances, definite whatever the rows: what a weak belief takes for typical.

The share is that of Chen, Wiesel, Eldar and Hero's oracle approximating shrinkage (2010), with correlations in the
place of covariances: it follows from the statistics, knows no units, and falls as 1/N where columns do go together.
"""

import numpy as np

from suffice.arrays import Array, ratio, side_by_side
from suffice.families.gaussian.moments import Moments

LEAST = 2.0**-34  # of a variance, beside which rounding is small


def typical(moments: Moments, models: int, variances: Array, worth: Array, plenty: float = np.inf) -> Array:
    """The covariance within components; `worth` is how many rows it will be beside those there are.

    The share is what is best for correlations. For their inverse it is too much where columns nearly go together, so
    beyond so many degrees of freedom for each column, where those are `plenty`, it fades.
    """
    mass, deviation = side_by_side(moments.seen[:, :1], models), np.sqrt(variances)  # (M, K, 1), (M, D)
    unit = deviation[:, :, None] * deviation[:, None, :]
    correlations = _correlations(moments, mass.sum(axis=1)[:, :, None] * unit)
    free = np.maximum(mass - 1, 0.0).sum(axis=(1, 2))
    share = _by_chance(correlations, free) * _fading(free, plenty * unit.shape[1])
    least = LEAST * (1 + mass.sum(axis=(1, 2)) / worth)  # so that it shows beside that many rows
    share = np.clip(share, least, 1.0)[:, None, None]
    return np.asarray(unit * ((1 - share) * correlations + share * np.eye(unit.shape[1])))


def _correlations(moments: Moments, unit: Array) -> Array:
    """Of rows around the mean of their component; none with a column that does not vary there."""  # (M, D, D)
    found = ratio(side_by_side(moments.scatter, len(unit)).sum(axis=1), unit)
    every = np.arange(unit.shape[1])
    found[:, every, every] = 1.0
    return found


def _by_chance(correlations: Array, free: Array) -> Array:
    """The share of no correlation at all that is best on average for Gaussian rows of so many degrees of freedom."""
    columns = correlations.shape[1]
    squares = np.einsum("mij,mij->m", correlations, correlations)
    beyond = (free + 1 - 2 / columns) * (squares - columns)
    return ratio((1 - 2 / columns) * squares + columns**2, np.maximum(beyond, 0.0), 1.0)


def _fading(free: Array, plenty: float) -> Array:
    return np.asarray(np.minimum(1.0, ratio(np.full_like(free, plenty), free, 1.0)) ** 2)
