"""Exponentials of logarithms of shares: what turns scores into probabilities, and half of the time of a softmax.

In:  values of 0 or below, −inf and NaN among them. Out: e to their power, in place.
"""

import numpy as np

from suffice.arrays import Array
from suffice.kernels.choice import compiled

WORTH = 4  # cells of other work that one exponential takes as long as


def exponentials(values: Array, size: int = 0) -> Array:
    """In place; `size` is how many there will be in all, where these are some of them."""
    kernel = compiled(WORTH * max(size, values.size))
    if kernel is None:
        return np.exp(values, out=values)
    kernel.exponentials(values.reshape(-1))
    return values
