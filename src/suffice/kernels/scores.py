"""Linear scores of rows: what components that share a covariance differ by.

In:  rows x (N, D), a centre (D,), weights (K, D); a missing cell makes a score NaN.
Out: scores (N, K).
"""

import numpy as np

from suffice.arrays import CACHED_CELLS, Array, row_blocks, workspace
from suffice.kernels.twins import compiled

FEW = 8  # components up to which a loop over the rows as they lie is faster than a matrix product


def linear(x: Array, centre: Array, weights: Array) -> Array:
    """Σ_j (x_j − centre_j) · weight_kj."""
    out = np.empty((len(x), len(weights)))
    fast = compiled(x.size) if len(weights) <= FEW else None
    if fast is not None:
        fast.linear(np.ascontiguousarray(x), centre, np.ascontiguousarray(weights), out)
        return out
    for rows in row_blocks(len(x), x.shape[1], CACHED_CELLS):
        off = np.subtract(x[rows], centre, out=workspace("linear", rows.stop - rows.start, x.shape[1]))
        np.matmul(off, weights.T, out=out[rows])
    return out
