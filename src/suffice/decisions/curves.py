"""Stage 4, curves on labelled rows: what rejecting doubtful rows buys, the ROC curve, and calibration.

In:  posteriors (N, K), the class of each row as codes, weights are all one. Out: points of each curve.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from suffice.arrays import Array
from suffice.decisions.decide import posteriors
from suffice.errors import ParameterError
from suffice.options import number, numbers, whole


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
        threshold = number(threshold, "A threshold is a number, a posterior from 0 to 1")
        last = int(np.searchsorted(-self.threshold, -threshold, side="right")) - 1
        return float(self.false_positive[last]), float(self.true_positive[last])


@dataclass(frozen=True, eq=False)
class Calibration:
    """In each bin of predicted probability: its mean, how often the class came true, and how many rows it has."""

    predicted: Array
    observed: Array
    rows: Array


def risk_coverage(posterior: ArrayLike, labels: ArrayLike) -> RiskCoverage:
    """From posteriors (N, K) and the class of each row as its column in them."""
    shares, codes = posteriors(posterior), numbers(labels, "Labels")
    if codes.shape != shares.shape[:1] or not np.isin(codes, np.arange(shares.shape[1])).all():
        raise ParameterError(f"Labels are the column of the class of each of {len(shares)} rows, 0, 1, …")
    order = np.argsort(-shares.max(axis=1), kind="stable")
    wrong = (shares.argmax(axis=1) != codes)[order]
    answered = np.arange(1, len(codes) + 1)
    return RiskCoverage(answered / len(codes), np.cumsum(wrong) / answered)


def roc(positive: ArrayLike, is_positive: ArrayLike) -> Roc:
    """From the posterior of one class and whether each row is of it; equal posteriors are one step."""
    scores, truth = _judged(positive, is_positive)
    if truth.all() or not truth.any():
        raise ParameterError("A ROC curve needs rows of the class and rows of others; here all are alike.")
    order = np.argsort(-scores, kind="stable")
    scores, hits = scores[order], truth[order].astype(float)
    last = np.flatnonzero(np.append(np.diff(scores) != 0, True))
    true, false = np.cumsum(hits)[last], np.cumsum(1 - hits)[last]
    return Roc(np.append(0, false / false[-1]), np.append(0, true / true[-1]), np.append(np.inf, scores[last]))


def calibration(positive: ArrayLike, is_positive: ArrayLike, bins: int = 10) -> Calibration:
    """The same, in bins of equal width."""
    scores, truth = _judged(positive, is_positive)
    bins = whole(bins, "bins is how many parts probabilities are sorted into, from 1 to a million", most=10**6)
    which = np.minimum((scores * bins).astype(int), bins - 1)
    rows = np.bincount(which, minlength=bins).astype(float)
    filled = rows > 0
    mean = np.bincount(which, scores, bins)[filled] / rows[filled]
    share = np.bincount(which, truth.astype(float), bins)[filled] / rows[filled]
    return Calibration(mean, share, rows[filled])


def _judged(positive: ArrayLike, is_positive: ArrayLike) -> tuple[Array, Array]:
    """Posteriors of one class, and 1 for the rows of it, (N,) each."""
    scores, truth = numbers(positive, "Posteriors"), numbers(is_positive, "What is positive")
    probable = scores.ndim == 1 and len(scores) and bool(((scores >= 0) & (scores <= 1)).all())
    if not probable or truth.shape != scores.shape or not np.isin(truth, (0, 1)).all():
        raise ParameterError(
            "A curve is of the posterior of one class for each row, from 0 to 1, and whether the row is of that class; "
            f"found shapes {scores.shape} and {truth.shape}."
        )
    return scores, truth
