"""Rows lying across, a row of the output for each column: then a processor does several of them at once.

In:  rows x (N, D), a centre, and a triangular matrix (D, D) or scales (D,).
Out: (x − centre) times that, transposed, written where asked for.
"""

import numpy as np

from suffice.arrays import Array, workspace
from suffice.kernels.distances import STEP
from suffice.kernels.twins import compiled


def laid_across(x: Array, centre: Array, into: Array, out: Array, size: int) -> None:
    """`size` is how many cells there will be in all, as these are some of them."""  # (N, D) → (D, N)
    fast = compiled(size)
    if fast is not None and into.ndim == 2:
        fast.turned_across(np.ascontiguousarray(x), centre, np.pad(into, ((0, -len(into) % STEP), (0, 0))), out)
    elif fast is not None:
        fast.scaled_across(np.ascontiguousarray(x), centre, into, out)
    else:
        off = np.subtract(x, centre, out=workspace("centred", *x.shape))
        if into.ndim == 2:
            np.matmul(into.T, off.T, out=out)
        else:
            np.multiply(off.T, into[:, None], out=out)
