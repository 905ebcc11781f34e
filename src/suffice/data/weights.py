"""Stage 1, weights of rows: how often each of them counts.

In:  weights as users give them, a number for each row, or nothing.
Out: an array, (N,), finite and not below 0; or an error that says what was found.
"""

import numpy as np
from numpy.typing import ArrayLike

from suffice.arrays import Array, ones
from suffice.data.frames import in_numpy
from suffice.errors import ParameterError

Weights = ArrayLike | str | None  # of the rows, or the name of their column


def row_weights(given: ArrayLike | None, rows: int) -> Array:
    """Weights of so many rows, at least one of them above 0."""
    if given is None:
        return ones(rows)
    weights = checked_weights(given)
    if weights.shape != (rows,):
        raise ParameterError(f"sample_weight.shape == {weights.shape}, expected {(rows,)}: one weight for each row.")
    if not weights.any():
        raise ParameterError("All rows have weight zero, so there is nothing to learn from.")
    return weights


def idle(weights: ArrayLike | None) -> bool:
    """Whether no row of a batch counts."""
    return weights is not None and not checked_weights(weights).any()


def checked_weights(given: ArrayLike) -> Array:
    """Weights as numbers, of which none can be negative."""
    try:
        weights = np.asarray(np.ma.filled(given, np.nan) if np.ma.isMaskedArray(given) else in_numpy(given))
        weights = weights.astype(float, casting="unsafe" if weights.dtype.kind in "biufO" else "no")
    except (TypeError, ValueError, OverflowError, NotImplementedError):
        raise ParameterError(
            f"sample_weight must be one number for each row; found {type(given).__name__} with cells that are not."
        ) from None
    if not (np.isfinite(weights).all() and (weights >= 0).all()):
        raise ParameterError("sample_weight must be finite and 0 or more: a weight is how often a row counts.")
    return weights
