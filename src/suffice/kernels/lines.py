"""Numbers around lines through other numbers: the hot loop of trees.

In:  rows x (N, D), NaN where missing, and a centre (D,) that is taken off them, so that cells far from 0 keep their
     digits; of each line which column it gives, and along which.
Out: sums over the lines of constant − (scale · (child − start − slope · parent))², (N, K).
"""

import numpy as np

from suffice.arrays import Array, Codes
from suffice.kernels.twins import compiled

Line = tuple[Array, Array, Array, Array]  # start, slope, scale and constant, (A, K) each


def along(x: Array, centre: Array, child: Codes, parent: Codes, line: Line) -> Array:
    """Nothing where the child is missing, NaN where the parent alone is."""
    out, fast = np.zeros((len(x), line[0].shape[1])), compiled(x.size)
    if fast is not None:
        fast.along(np.ascontiguousarray(x), centre, child, parent, *(np.ascontiguousarray(part) for part in line), out)
        return out
    for j in range(len(child)):
        start, slope, scale, constant = (part[j] for part in line)
        cells, above = (x[:, [column]] - centre[column] for column in (child[j], parent[j]))
        off = (cells - start - slope * above) * scale
        out += np.where(np.isnan(cells), 0.0, constant - off * off)
    return out
