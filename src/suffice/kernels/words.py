"""Rows of counts, dense or sparse: sums of them, ln of their multinomial coefficients, products with a table.

In:  counts (N, C).
Out: sums (K, C), ln h of each row (N, 1), Σ_c count · ln p (N, K).
"""

import numpy as np
from scipy import sparse
from scipy.special import gammaln

from suffice.arrays import Array, Codes, Matrix, log_dot
from suffice.kernels.choice import compiled

SMALL = gammaln(np.arange(1024) + 1.0)  # ln n! of most counts there are


def log_coefficients(counts: Matrix) -> Array:
    """Ln (Σ n)! − Σ ln n!, of each row."""  # (N, 1)
    if sparse.issparse(counts):
        factorials = sparse.csr_array((gammaln(counts.data + 1), counts.indices, counts.indptr), shape=counts.shape)
    else:
        factorials = gammaln(counts + 1)
    totals = np.asarray(counts.sum(axis=1), dtype=float)
    return np.asarray(gammaln(totals + 1) - factorials.sum(axis=1))[:, None]


def hard_sums(counts: Matrix, labels: Codes, weights: Array, components: int) -> tuple[Array, Array] | None:
    """Sums of sparse counts and of `log_coefficients` over the rows of each label; None without the compiled twin."""
    fast = compiled(counts.nnz) if sparse.issparse(counts) else None
    if fast is None:
        return None
    out, log_base = np.zeros((components, counts.shape[1])), np.zeros(components)
    fast.hard_words(counts.indptr, counts.indices, counts.data, labels, weights, SMALL, out, log_base)
    return out, log_base[:, None]


def scores(counts: Matrix, table: Array) -> Array:
    """Σ_c count · ln p, where nothing times ln 0 is nothing."""  # (N, C), (C, K) → (N, K)
    fast = compiled(counts.nnz) if sparse.issparse(counts) else None
    if fast is None:
        return log_dot(counts, table.T)
    out = np.empty((counts.shape[0], table.shape[1]))
    fast.word_scores(counts.indptr, counts.indices, counts.data, table, out)
    return out
