"""Stage 4, Bayes' rule: from log joint probabilities to posteriors and the evidence of each row.

In:  ln p(x, k), (N, K), and the prevalence of the classes.
Out: ln P(k | x) and ln p(x). A row that no class can have produced keeps the prevalence, with evidence −inf: it says
     nothing, which is not the same as an error in the arithmetic.
"""

import warnings

import numpy as np

from suffice.arrays import Array, log, log_sum_exp
from suffice.errors import ImpossibleRowWarning


def log_posterior(log_joint: Array, prevalence: Array) -> Array:
    log_evidence = log_sum_exp(log_joint)
    impossible = np.isneginf(log_evidence)
    if not impossible.any():
        return np.asarray(log_joint - log_evidence[:, None])
    warnings.warn(
        f"{impossible.sum()} of {len(impossible)} rows are impossible under every class, the first of them row "
        f"{np.flatnonzero(impossible)[0]}; they get the prevalence of the classes. Smoothing makes rows possible.",
        ImpossibleRowWarning,
        stacklevel=3,
    )
    out = log_joint - np.where(impossible, 0.0, log_evidence)[:, None]
    out[impossible] = log(prevalence)
    return np.asarray(out)
