"""Stage 4, Bayes' rule: from log joint probabilities to posteriors and the evidence of each row.

In:  ln p(x, k), (N, K), or what differs from it by a term common to all classes; and the prevalence of the classes.
Out: P(k | x) or its logarithm. A row that no class can have produced keeps the prevalence, with evidence −inf: it says
     nothing, which is not the same as an error in the arithmetic.
"""

from collections.abc import Sequence

import numpy as np

from suffice.arrays import Array, log, workspace
from suffice.data.kinds import KINDS
from suffice.data.schema import Schema
from suffice.errors import ImpossibleRowWarning, warn
from suffice.kernels.exponentials import exponentials
from suffice.threads import over_rows

SMOOTHING = "Smoothing above 0 gives some probability to categories and counts that a class never had."
NO_COUNTS = "A class without any counts has rate 0; parameter_prior='weak' gives it a rate above 0."
FURTHEST = 1e100  # log odds beyond which scores are clipped
FAR_AWAY = "Numbers may be so far from every class that all densities are 0: check them for mistakes."


def log_shares(scores: Array) -> Array:
    """Scores less their log-sum-exp, to be copied; NaN where no class is possible."""
    relative = _relative(scores)
    powers = workspace("powers", *relative.shape)
    powers[:] = relative
    relative -= np.log(exponentials(powers).sum(axis=0))
    return relative.T


def shares(scores: Array) -> Array:
    """Exponentials of scores, over their sum, to be copied; NaN where no class is possible."""
    relative = _relative(scores)
    exponentials(relative)
    relative /= relative.sum(axis=0)
    return relative.T


def _relative(scores: Array) -> Array:
    """Scores less the largest of their row, first of all, or large logs would swallow ln Σ."""
    relative = workspace("posterior", *scores.T.shape)  # (K, N): operations along rows, not across
    relative[:] = scores.T
    with np.errstate(invalid="ignore"):  # −inf less −inf
        relative -= relative.max(axis=0)
    return relative


def against_first(scores: Array) -> Array:
    """Scores of classes, (N, K), as decision functions have them: of two the second's less the first's, (N,)."""
    return np.clip(scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores, -FURTHEST, FURTHEST)


def log_posterior(log_joint: Array, prevalence: Array, schema: Schema | None = None) -> Array:
    """Ln P(k | x) of all rows at once; the prevalence is (K,) or (N, K)."""
    out = np.empty(log_joint.shape)

    def fill(blocks: Sequence[slice]) -> None:
        for rows in blocks:
            out[rows] = log_shares(log_joint[rows])

    over_rows(fill, *log_joint.shape)
    return with_prior_where_impossible(out, log(prevalence), schema) if np.isnan(out[:, 0]).any() else out


def with_prior_where_impossible(answers: Array, instead: Array, schema: Schema | None = None) -> Array:
    """Answers with the prevalence in rows that no class can have produced, said aloud."""
    impossible = np.flatnonzero(np.isnan(answers[:, 0]))
    if len(impossible):
        warn(
            f"{len(impossible)} of {len(answers)} rows are impossible under every class, first row {impossible[0]}; "
            f"their posterior is the class priors.{_remedies(schema)}",
            ImpossibleRowWarning,
        )
        answers[impossible] = np.broadcast_to(instead, answers.shape)[impossible]
    return answers


def _remedies(schema: Schema | None) -> str:
    """What may help, of columns such as these."""
    kinds = [KINDS[block.kind] for block in schema.blocks] if schema else []
    found = (SMOOTHING if kind.counted else NO_COUNTS if kind.discrete else FAR_AWAY for kind in kinds)
    return "".join(dict.fromkeys(f" {remedy}" for remedy in found))
