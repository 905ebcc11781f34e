"""Stage 4, Bayes' rule: from log joint probabilities to posteriors and the evidence of each row.

In:  ln p(x, k), (N, K), and the prevalence of the classes, (K,) or (N, K).
Out: ln P(k | x) and ln p(x). A row that no class can have produced keeps the prevalence, with evidence −inf: it says
     nothing, which is not the same as an error in the arithmetic.
"""

import warnings

import numpy as np

from suffice.arrays import Array, log, log_sum_exp
from suffice.errors import ImpossibleRowWarning


def log_posterior(log_joint: Array, prevalence: Array) -> Array:
    largest = log_joint.max(axis=1, keepdims=True)
    impossible = np.isneginf(largest[:, 0])
    relative = log_joint - np.where(np.isneginf(largest), 0.0, largest)  # first, or large logs would swallow ln Σ
    if not impossible.any():
        return np.asarray(relative - log_sum_exp(relative)[:, None])
    warnings.warn(
        f"{impossible.sum()} of {len(impossible)} rows are impossible under every class, the first is row "
        f"{np.flatnonzero(impossible)[0]}; they get the class priors. Smoothing makes categories possible.",
        ImpossibleRowWarning,
        stacklevel=3,
    )
    relative[impossible] = log(np.broadcast_to(prevalence, relative.shape)[impossible])
    return np.asarray(relative - log_sum_exp(relative)[:, None])
