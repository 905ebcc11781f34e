"""Arrays and their axes, row blocks, and the two sums in the log domain that every stage needs.

Axes: N rows, K components, D columns, C cells. A comment such as ``# (N, K)`` names them.
"""

import threading
from collections.abc import Iterator
from math import prod
from typing import Any, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
Complex = NDArray[np.complex128]
Values = np.ndarray[Any, Any]  # an array of any type: numbers, texts, objects
Sparse: TypeAlias = sparse.csr_array  # (N, C), or another of the sparse arrays of scipy
Matrix: TypeAlias = Values | Sparse  # (N, C); both know @, .T and row slices

MISSING, UNSEEN = -1, -2  # codes of a missing cell, and of a level that a model does not know
BLOCK_CELLS = 1 << 20  # eight megabytes of float64: what a thread works on before it asks for the interpreter again
ONE = np.ones(1)
LOG_2PI = float(np.log(2 * np.pi))
CACHED_CELLS = 1 << 17  # one megabyte: what is written and read again at once


def is_sparse(matrix: Matrix | None) -> TypeGuard[Sparse]:
    return not isinstance(matrix, np.ndarray) and bool(sparse.issparse(matrix))  # most are arrays: said at once


def row_blocks(rows: int, width: int, cells: int | None = None) -> Iterator[slice]:
    """Slices that cover `rows` in pieces of about so many cells, or BLOCK_CELLS."""
    step = max(1, (cells or BLOCK_CELLS) // max(1, width))
    return (slice(start, min(start + step, rows)) for start in range(0, rows, step))


def ones(size: int) -> Array:
    """A one for each row, without the memory: one number that is read again and again."""
    return np.ndarray((size,), buffer=ONE, strides=(0,))


def workspace(use: str, *shape: int) -> Array:
    """Memory to write a block into, kept by each thread for its next block: fresh memory costs more than arithmetic.

    What is written there lasts until the next call for the same use, so it is never handed out.
    """
    size = prod(shape)
    if len(_kept.__dict__.get(use, ())) < size:
        setattr(_kept, use, np.empty(size))
    kept: Array = getattr(_kept, use)
    return kept[:size].reshape(shape)


_kept = threading.local()


def log_sum_exp(log_values: Array) -> Array:
    """Ln Σ exp along the last axis, by the row maximum; −inf where nothing is possible."""
    largest = log_values.max(axis=-1, keepdims=True)
    shift = np.where(np.isneginf(largest), 0.0, largest)
    with np.errstate(divide="ignore"):  # ln 0 = −inf is the answer for an impossible row
        total: Array = np.log(np.exp(log_values - shift).sum(axis=-1)) + shift[..., 0]
    return total


def softmax(log_values: Array) -> Array:
    """Shares of each row in proportion to the exponentials; NaN where nothing is possible."""
    return np.asarray(np.exp(log_values - log_sum_exp(log_values)[:, None]))


def log_dot(amounts: Matrix, log_probabilities: Array) -> Array:
    """Amounts @ log_probabilities.T, where nothing times ln 0 is nothing."""  # (N, C), (K, C) → (N, K)
    if log_probabilities.min(initial=0.0) > -np.inf:
        return np.asarray(amounts @ log_probabilities.T)
    impossible = np.isneginf(log_probabilities)
    total = np.asarray(amounts @ np.where(impossible, 0.0, log_probabilities).T)
    total[np.asarray((amounts != 0).astype(float) @ impossible.T.astype(float)) > 0] = -np.inf
    return total


def log(values: Array) -> Array:
    """Ln with ln 0 = −inf said without a warning: in this library it is an answer, not an accident."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(values))


def ratio(numerator: Array, denominator: Array, otherwise: Array | float = 0.0) -> Array:
    """Numerator / denominator, and `otherwise` where the denominator is 0."""
    empty = denominator == 0
    if not empty.any():
        return np.asarray(numerator / denominator)
    return np.where(empty, otherwise, numerator / np.where(empty, 1.0, denominator))


def side_by_side(values: Array, models: int) -> Array:
    """The components of several models apart: (M · K, …) → (M, K, …)."""
    return values.reshape(models, -1, *values.shape[1:])


def repeated(values: Array, size: int) -> Array:
    """Each entry for as many components as share it, `size` in all."""
    return values if len(values) == size else np.repeat(values, size // len(values), axis=0)


def placed(values: Array, positions: Codes, size: int, axis: int = 0) -> Array:
    """`values` laid at `positions` of a longer axis, zeros elsewhere."""
    shape = list(values.shape)
    shape[axis] = size
    out = np.zeros(shape)
    index: list[Any] = [slice(None)] * values.ndim
    index[axis] = positions
    out[tuple(index)] = values
    return out


def close(a: Array, b: Array, tolerance: float, slack: Array | float = 0.0) -> bool:
    """Whether each pair of numbers agrees, relative to the larger of the two; `slack` is what they may differ by."""
    size = np.maximum(np.abs(a), np.abs(b))
    return a.shape == b.shape and bool(np.all(np.abs(a - b) <= tolerance * size + slack))
