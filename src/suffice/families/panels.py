"""Panels of an integral along a line: where they end, so that a density is smooth within each.

In:  where each component lies, and how widely it is spread.
Out: ends of panels, in ascending order.
"""

import numpy as np

from suffice.arrays import Array

PANELS = 400  # between which a density is smooth, for each component
REACH = 40.0  # standard deviations beyond which a Gaussian has no mass


def around(middle: Array, spread: Array, reach: float) -> Array:
    """Steps that grow with the distance from the middle of each component."""
    steps = np.sinh(np.linspace(-1, 1, PANELS + 1) * np.arcsinh(reach))
    return np.unique(middle[:, None] + np.broadcast_to(spread, middle.shape)[:, None] * steps)
