"""Multipliers of a soft margin, one after the other: what serves wide sparse rows, of which each touches few columns.

In:  sparse rows z (N, P), their sides ±1, and the most that each may count.
Out: w and α after every few passes over the rows, without end; whoever takes them says when they are good enough.

A b that is free ties all multipliers together, Σ α s = 0. Here it is held near where it was, by so little that it
counts as one column among those of a row; after a few passes it may go on from where it has come to (an augmented
Lagrangian again, of that one condition).
"""

from collections.abc import Iterator

import numpy as np

from suffice.arrays import Array, Sparse
from suffice.kernels.coordinates import coordinate_pass

PASSES = 5  # before anybody looks
LOOSE = 0.02  # of the mean square of a row: what b counts as


def rounds(z: Sparse, side: Array, cap: Array) -> Iterator[tuple[Array, Array]]:
    """Nothing at all where the compiled pass does not serve."""
    squares = np.asarray(z.multiply(z).sum(axis=1)).ravel()
    loose, rng = LOOSE * (float(squares.mean()) or 1.0), np.random.default_rng(0)
    alpha, w, centre, b = np.zeros(len(side)), np.zeros(z.shape[1]), 0.0, 0.0
    while True:
        for _ in range(PASSES):
            order = rng.permutation(len(side))
            found = coordinate_pass(z, side, cap, squares + loose, order, alpha, w, b, loose)
            if found is None:
                return
            b = found
        yield w.copy(), alpha.copy()
        apart = loose * float(alpha @ side)
        centre += apart
        b = centre + apart
