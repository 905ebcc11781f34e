"""Stage 4, curves on labelled rows: what rejecting doubtful rows buys, the ROC curve, and calibration.

In:  posteriors (N, K), the class of each row as codes, weights are all one. Out: points of each curve.
"""

from dataclasses import dataclass

import numpy as np

from suffice.arrays import Array, Codes


@dataclass(frozen=True, eq=False)
class RiskCoverage:
    """If only the surest rows are answered: the share answered, and the share of those that is wrong."""

    coverage: Array  # (N,) rising
    risk: Array  # (N,)

    @property
    def area(self) -> float:
        """The mean risk over all coverages: small is good."""
        return float(self.risk.mean())


@dataclass(frozen=True, eq=False)
class Roc:
    """Share of the class recognised against share of the others taken for it, over all thresholds of its posterior."""

    false_positive: Array
    true_positive: Array
    threshold: Array  # the posterior from which on rows are called positive

    @property
    def area(self) -> float:
        return float(np.trapezoid(self.true_positive, self.false_positive))

    def at(self, threshold: float) -> tuple[float, float]:
        """The operating point of calling rows positive when their posterior is at least this."""
        last = int(np.searchsorted(-self.threshold, -threshold, side="right")) - 1
        return float(self.false_positive[last]), float(self.true_positive[last])


@dataclass(frozen=True, eq=False)
class Calibration:
    """In each bin of predicted probability: its mean, how often the class came true, and how many rows it has."""

    predicted: Array
    observed: Array
    rows: Array


def risk_coverage(posterior: Array, labels: Codes) -> RiskCoverage:
    order = np.argsort(-posterior.max(axis=1), kind="stable")
    wrong = (posterior.argmax(axis=1) != labels)[order]
    answered = np.arange(1, len(labels) + 1)
    return RiskCoverage(answered / len(labels), np.cumsum(wrong) / answered)


def roc(positive: Array, is_positive: Array) -> Roc:
    """From the posterior of one class and whether each row is of it; equal posteriors are one step."""
    order = np.argsort(-positive, kind="stable")
    scores, hits = positive[order], is_positive[order].astype(float)
    last = np.flatnonzero(np.append(np.diff(scores) != 0, True))
    true, false = np.cumsum(hits)[last], np.cumsum(1 - hits)[last]
    return Roc(np.append(0, false / false[-1]), np.append(0, true / true[-1]), np.append(np.inf, scores[last]))


def calibration(positive: Array, is_positive: Array, bins: int = 10) -> Calibration:
    which = np.minimum((positive * bins).astype(int), bins - 1)
    rows = np.bincount(which, minlength=bins).astype(float)
    filled = rows > 0
    mean = np.bincount(which, positive, bins)[filled] / rows[filled]
    share = np.bincount(which, is_positive.astype(float), bins)[filled] / rows[filled]
    return Calibration(mean, share, rows[filled])
