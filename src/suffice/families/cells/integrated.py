"""Cells with their probabilities integrated out: what a row gains in cells that it hits, and what their groups take.

In:  what cells and groups hold before a row, and what the row adds to them.
Out: logarithms of ratios of Γ. A cell that holds nothing is impossible; in a group that holds nothing all cells are
     alike, as they are where probabilities are known.
"""

import numpy as np
from scipy.special import gammaln

from suffice.arrays import Array


def gains(before: Array, amount: Array, group: Array) -> Array:
    """Ln Γ(before + amount) − ln Γ(before) of cells that are hit; `group` is what their groups hold."""
    empty = np.where(group > 0, -np.inf, 0.0)
    return np.where(before > 0, gammaln(before + amount) - gammaln(np.where(before > 0, before, 1.0)), empty)


def takes(group: Array, amount: Array, sizes: Array) -> Array:
    """Ln Γ(group + amount) − ln Γ(group), or, of a group that holds nothing, what its cells share evenly."""
    some = group > 0
    return np.where(some, gammaln(group + amount) - gammaln(np.where(some, group, 1.0)), amount * np.log(sizes))
