"""Rows left out of logistic loss, nearly: one Newton step from the optimum of all rows towards that of all but one.

In:  the rows, their classes, and the optimum of all of them.
Out: scores (N, K) of each row without it, and which rows had better be learned without anew.

A row's slope and curvature leave the sums: with x̃ = (z, 1), Q = x̃ᵀH⁻¹x̃ for each two classes and W the row's own
curvature, its scores move by Q (I − W Q)⁻¹ times its slope. Where the leverage, the trace of W Q, is large, scores move
far, or the row is much of its class or of what a column varies by, one step is not enough.
"""

import numpy as np
from numpy.typing import NDArray

from suffice.arrays import Array, Codes, Matrix, is_sparse, ratio, softmax
from suffice.discriminative.logistic import LARGEST, Linear, Softmax
from suffice.errors import ParameterError

MOST = 0.5  # leverage up to which a step is enough
FAR = 0.3  # nats that scores may move for a step to be enough: a row on the wrong side has little curvature, but pulls
RARE = 0.2  # of a class, or of what a column varies by: a row with more than that would change much


def scores_without(z: Matrix, codes: Codes, classes: int, cap: Array, found: Linear) -> tuple[Array, NDArray[np.bool_]]:
    """Of every class, (N, K), each row by the weights of all others; and for which rows a step is not enough, (N,)."""
    losses = Softmax(z, codes, classes, cap)
    theta = found.theta
    if theta.size > LARGEST:
        raise ParameterError(
            f"Leave-one-out with {theta.size} weights needs too large a matrix; the limit is {LARGEST} weights. Use "
            "cross_validate(model, X, y, folds=10) instead."
        )
    scores, size = losses.scores(theta), len(theta)
    moved, leverage = _moved(losses, softmax(scores), losses.passed(theta, bend=True).matrix, size)
    scores[:, -size:] += moved
    of_class = cap / np.bincount(codes, cap, classes)[codes]
    poor = (leverage > MOST) | (np.abs(moved).max(axis=1) > FAR) | (of_class > RARE) | (_share(z, cap) > RARE)
    return scores, poor


def _share(z: Matrix, cap: Array) -> Array:
    """The largest share that each row has in what a column varies by."""
    squares = (z.multiply(z).toarray() if is_sparse(z) else np.square(z)) * cap[:, None]
    return np.asarray(ratio(squares, squares.sum(axis=0)).max(axis=1))


def _moved(losses: Softmax, shares: Array, bent: Array, size: int) -> tuple[Array, Array]:
    """By how much scores move, (N, size), and the leverage of each row, (N,)."""
    inner = _inner(losses.z, np.asarray(np.linalg.inv(bent), dtype=float), size)  # (N, size, size)
    cap, own = losses.cap[:, None], shares[:, -size:]
    slope = cap * own
    here = losses.codes if size > 1 else losses.codes - 1  # of two classes the first has no weights
    rows = np.flatnonzero(here >= 0)
    slope[rows, here[rows]] -= losses.cap[rows]
    bent = cap[:, :, None] * (np.eye(size) * own[:, :, None] - own[:, :, None] * own[:, None, :])
    pressed = bent @ inner
    leverage = np.trace(pressed, axis1=1, axis2=2)
    kept = np.where((leverage <= MOST)[:, None, None], np.eye(size) - pressed, np.eye(size))
    return np.einsum("nkl,nl->nk", inner, np.linalg.solve(kept, slope[:, :, None])[:, :, 0]), leverage


def _inner(z: Matrix, inverse: Array, size: int) -> Array:
    """X̃ᵀH⁻¹x̃ of every row for each two classes."""
    whole = np.column_stack([z.toarray() if is_sparse(z) else z, np.ones(z.shape[0])])
    parts = inverse.reshape(size, whole.shape[1], size, whole.shape[1])
    out = np.empty((len(whole), size, size))
    for k in range(size):
        for other in range(size):
            out[:, k, other] = np.einsum("np,np->n", whole @ parts[k, :, other, :], whole)
    return out
