"""Rows of counts, dense or sparse: sums of them, and ln of their multinomial coefficients.

In:  counts (N, C).
Out: sums (K, C) and the rows behind them, ln h of each row (N, 1).
"""

import numpy as np
from scipy import sparse
from scipy.special import gammaln

from suffice.arrays import Array, Codes, Matrix, Sparse, is_sparse
from suffice.kernels.twins import compiled

SMALL = gammaln(np.arange(1024) + 1.0)  # ln n! of most counts there are


def log_coefficients(counts: Matrix) -> Array:
    """Ln (Σ n)! − Σ ln n!, of each row."""  # (N, 1)
    if is_sparse(counts):
        return _of_sparse(counts)
    return _log_coefficients(counts, _log_factorials(counts))


def _of_sparse(counts: Sparse) -> Array:
    fast = compiled(counts.nnz)
    if fast is not None:
        out = np.empty((counts.shape[0], 1))
        fast.log_coefficients(counts.indptr, counts.data, SMALL, out)
        return out
    factorials = sparse.csr_array((_log_factorials(counts.data), counts.indices, counts.indptr), shape=counts.shape)
    return _log_coefficients(counts, factorials)


def _log_coefficients(counts: Matrix, factorials: Matrix) -> Array:
    totals = np.asarray(counts.sum(axis=1), dtype=float)
    return np.asarray(_log_factorials(totals) - factorials.sum(axis=1))[:, None]


def _log_factorials(counts: Array) -> Array:
    """Ln n!, looked up where all are small and whole, which is faster."""
    small = counts.max(initial=0) < len(SMALL) and not (counts % 1).any()
    return np.asarray(SMALL[counts.astype(np.intp)] if small else gammaln(counts + 1))


def words_there(counts: Matrix) -> Matrix:
    """1 for each word that a row has."""
    if not is_sparse(counts):
        return (counts > 0) * 1.0
    return sparse.csr_array(((counts.data > 0) * 1.0, counts.indices, counts.indptr), shape=counts.shape)


def hard_sums_and_rows(
    counts: Matrix, labels: Codes, weights: Array, rows: Array, components: int
) -> tuple[Array, Array] | None:
    """Sums of sparse counts over the rows of each label, and how many of its rows have each word.

    They stand side by side in memory, so that one read is enough. None where the compiled twin does not serve.
    """
    if not is_sparse(counts) or (fast := compiled(counts.nnz)) is None:
        return None
    out = np.zeros((components, counts.shape[1], 2))
    given = (np.ascontiguousarray(part) for part in (weights, rows))
    fast.hard_words_and_rows(counts.indptr, counts.indices, counts.data, labels, *given, out)
    return out[:, :, 0].copy(), out[:, :, 1].copy()
