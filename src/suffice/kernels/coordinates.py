"""One pass over the multipliers of a soft margin, each to where it is best given all others.

In:  sparse rows, their sides and caps, and the multipliers α so far with their w = Σ α s z and b.
Out: the same in place, row after row: α + (1 − s (wᵀz + b)) / size, between 0 and its cap, after which w and b follow
     at once, b by `loose` times what Σ α s has changed by.
"""

from suffice.arrays import Array, Codes, Sparse
from suffice.kernels.twins import compiled


def coordinate_pass(
    z: Sparse, side: Array, cap: Array, size: Array, order: Codes, alpha: Array, w: Array, b: float, loose: float
) -> float | None:
    """The new b; None where the compiled twin does not serve, as row by row nothing else is fast."""
    fast = compiled(z.nnz)
    if fast is None:
        return None
    return float(fast.coordinate_pass(z.indptr, z.indices, z.data, side, cap, size, order, alpha, w, b, loose))
