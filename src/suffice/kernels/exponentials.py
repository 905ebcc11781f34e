"""Exponentials of logarithms of shares: what turns scores into probabilities, and half of the time of a softmax.

In:  values of 0 or below, −inf and NaN among them; or ln p of rows and components.
Out: e to their power, in place; or the shares of the components.
"""

import numpy as np

from suffice.arrays import Array, log, workspace
from suffice.kernels.twins import compiled

WORTH = 4  # cells of other work that one exponential takes as long as


def exponentials(values: Array) -> Array:
    """In place."""
    fast = compiled(WORTH * values.size)
    if fast is None:
        return np.exp(values, out=values)
    fast.exponentials(values.reshape(-1))
    return values


def softened(logs: Array, weights: Array, size: int) -> tuple[float, float]:
    """Log likelihood and entropy of weighted rows with these ln p(row, component), which become their shares.

    In place; `size` is how many there will be in all, as these are some of them.
    """  # (K, n): along rows, not across
    fast = compiled(WORTH * size)
    if fast is not None:
        likelihood, entropy = fast.softened(logs, np.ascontiguousarray(weights))
        return float(likelihood), float(entropy)
    largest = logs.max(axis=0)
    logs -= np.where(np.isneginf(largest), 0.0, largest)
    shares = np.exp(logs, out=workspace("shares", *logs.shape))
    if logs.min(initial=0.0) == -np.inf:
        logs[shares == 0] = 0.0  # no share, no surprise
    total, surprise = shares.sum(axis=0), np.einsum("kn,kn->n", shares, logs)
    spread = log(total)
    np.multiply(shares, weights / np.where(total > 0, total, 1.0), out=logs)
    entropy = spread - surprise / np.where(total > 0, total, 1.0)
    return float((weights * (spread + largest)).sum()), float((weights * entropy).sum())  # pairwise: least rounding
