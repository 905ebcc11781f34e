"""Stage 4, curves on labelled rows: what rejecting doubtful rows buys, the ROC curve, calibration, cost by threshold.

In:  posteriors (N, K) and the class of each row as codes, or the posterior of one class and whether it came true; a
     weight of 2 is the row twice.
Out: points of each curve, with intervals that hold by themselves: of rates from a Beta belief that began as Jeffreys'
     prior, of means from their standard error.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import beta, norm

from suffice.arrays import Array, Codes
from suffice.decisions.decide import posteriors
from suffice.decisions.scores import Score
from suffice.errors import ParameterError
from suffice.options import number, numbers, whole

LEVEL = 0.95  # of all intervals
SEEN = 1000  # points of a band


@dataclass(frozen=True, eq=False)
class RiskCoverage:
    """If only the surest rows are answered: the share of rows answered, and the share of those that are wrong."""

    coverage: Array  # (N,) rising
    risk: Array  # (N,)
    rows: float  # how many there are

    @property
    def area(self) -> float:
        """The mean risk over all coverages; smaller is better."""
        return float(np.average(self.risk, weights=np.diff(self.coverage, prepend=0.0)))

    def band(self) -> tuple[Array, Array, Array]:
        """Coverages, and both ends of the interval of the risk there; of many rows, at some of them."""
        some = _some(len(self.risk))
        answered = self.coverage[some] * self.rows
        return self.coverage[some], *rate_interval(self.risk[some] * answered, answered)


@dataclass(frozen=True, eq=False)
class Roc:
    """The share of a class that is recognised against the share of other rows taken for it, over all thresholds."""

    false_positive: Array
    true_positive: Array
    threshold: Array  # the posterior from which on rows are called positive
    others: float  # how many rows are of other classes
    positives: float  # and of the class

    @property
    def area(self) -> Score:
        """How often a row of the class has a larger posterior than another row, with DeLong's standard error."""
        above, below = np.diff(self.true_positive), np.diff(self.false_positive)
        of_others = self.true_positive[:-1] + above / 2  # (T,) the share of the class that is above a row of the others
        of_class = 1 - self.false_positive[:-1] - below / 2
        area = float(below @ of_others)
        parts = [(of_others, below, self.others), (of_class, above, self.positives)]
        spread = [float(share @ (placed - area) ** 2) / (rows - 1) for placed, share, rows in parts if rows > 1]
        return Score(area, float(np.sqrt(sum(spread))) if len(spread) == len(parts) else float("nan"))

    def at(self, threshold: float) -> tuple[float, float]:
        """The operating point of calling rows positive when their posterior is at least this."""
        threshold = number(threshold, "A threshold must be a posterior, a number from 0 to 1")
        last = int(np.searchsorted(-self.threshold, -threshold, side="right")) - 1
        return float(self.false_positive[last]), float(self.true_positive[last])

    def boxes(self) -> tuple[Array, Array, Array, Array]:
        """Left, right, bottom and top of boxes that hold operating points, both shares at once; of many, some."""
        level, some = np.sqrt(LEVEL), _some(len(self.threshold))
        across = rate_interval(self.false_positive[some] * self.others, self.others, level)
        return *across, *rate_interval(self.true_positive[some] * self.positives, self.positives, level)

    def band(self) -> Array:
        """The outline (2, P) of all boxes together: above them to the right, below them back."""
        left, right, bottom, top = self.boxes()
        above = np.repeat(left, 2)[1:], np.repeat(top, 2)[:-1]
        below = np.repeat(right, 2)[:-1], np.repeat(bottom, 2)[1:]
        parts = [(*edge, *end) for edge, end in zip(above, ([1.0], [1.0]), strict=True)]
        return np.array([[*part, *edge[::-1], 0.0] for part, edge in zip(parts, below, strict=True)])


@dataclass(frozen=True, eq=False)
class Calibration:
    """For each bin of predicted probability: the mean prediction, how often the class came true, and the rows."""

    predicted: Array
    observed: Array
    rows: Array
    low: Array  # ends of the interval of what is observed
    high: Array
    left: Array  # where the bin begins


@dataclass(frozen=True, eq=False)
class Costs:
    """The average cost of rows if the first action is taken above a threshold of the posterior."""

    threshold: Array  # (T,) falling, from infinity: never
    cost: Array  # (T,)
    se: Array  # (T,) its standard error

    def at(self, threshold: float) -> Score:
        last = int(np.searchsorted(-self.threshold, -threshold, side="right")) - 1
        return Score(float(self.cost[last]), float(self.se[last]))

    @property
    def least(self) -> float:
        """The threshold that these rows would have wished for."""
        return float(self.threshold[np.argmin(self.cost)])


def risk_coverage(posterior: ArrayLike, labels: ArrayLike, weights: ArrayLike | None = None) -> RiskCoverage:
    """From posteriors (N, K) and the class of each row as its column in them."""
    shares, codes = posteriors(posterior), numbers(labels, "Labels")
    if codes.shape != shares.shape[:1] or not np.isin(codes, np.arange(shares.shape[1])).all():
        raise ParameterError(
            f"Labels must be class positions 0, 1, … (columns of the posterior), one for each of {len(shares)} rows."
        )
    mass = _weights(weights, len(codes))
    order = np.argsort(-shares.max(axis=1), kind="stable")
    wrong, answered = np.cumsum((mass * (shares.argmax(axis=1) != codes))[order]), np.cumsum(mass[order])
    return RiskCoverage(answered / answered[-1], wrong / answered, float(answered[-1]))


def roc(positive: ArrayLike, is_positive: ArrayLike, weights: ArrayLike | None = None) -> Roc:
    """From the posterior of one class and whether each row is of it; equal posteriors are one step."""
    scores, truth = _judged(positive, is_positive)
    if truth.all() or not truth.any():
        raise ParameterError(
            "A ROC curve needs rows of the class and rows of other classes; here one of the two is missing."
        )
    mass = _weights(weights, len(scores))
    order, last = _steps(scores)
    true, false = (np.cumsum((mass * some)[order])[last] for some in (truth, 1 - truth))
    threshold = np.append(np.inf, scores[order][last])
    return Roc(np.append(0, false / false[-1]), np.append(0, true / true[-1]), threshold, false[-1], true[-1])


def calibration(
    positive: ArrayLike, is_positive: ArrayLike, bins: int = 10, weights: ArrayLike | None = None
) -> Calibration:
    """The same, in bins of equal width."""
    scores, truth = _judged(positive, is_positive)
    bins = whole(bins, "bins must be the number of bins of predicted probability, from 1 to a million", most=10**6)
    which, mass = np.minimum((scores * bins).astype(int), bins - 1), _weights(weights, len(scores))
    sums = np.array([np.bincount(which, mass * some, bins) for some in (np.ones_like(scores), scores, truth)])
    filled = sums[0] > 0
    rows, predicted, hits = sums[:, filled]
    return Calibration(predicted / rows, hits / rows, rows, *rate_interval(hits, rows), np.flatnonzero(filled) / bins)


def cost_by_threshold(positive: ArrayLike, costs: ArrayLike, weights: ArrayLike | None = None) -> Costs:
    """From the posterior of one class and what both actions cost for each row, (N, 2); the first is for that class."""
    scores, each = _posterior(positive), numbers(costs, "Costs")
    if each.shape != (len(scores), 2):
        raise ParameterError(
            f"Costs must be a table of two columns, one for each action, and {len(scores)} rows; found shape "
            f"{each.shape}."
        )
    mass = _weights(weights, len(scores))
    order, last = _steps(scores)
    sums = [_as_taken(mass * each.T**power, order, last) for power in (1, 2)]
    total = mass.sum()
    mean = sums[0] / total
    spread = np.maximum(sums[1] / total - mean**2, 0)
    error = np.sqrt(spread / (total - 1)) if total > 1 else np.full_like(mean, np.nan)
    return Costs(np.append(np.inf, scores[order][last]), mean, error)


def rate_interval(hits: Array, rows: Array | float, level: float = LEVEL) -> tuple[Array, Array]:
    """Ends of the interval of a rate that hits among rows leave, under Jeffreys' prior; 0 and 1 where all are alike."""
    missed, tail = np.maximum(rows - hits, 0), (1 - level) / 2
    low, high = (beta.ppf(share, hits + 0.5, missed + 0.5) for share in (tail, 1 - tail))
    return np.where(hits > 0, low, 0.0), np.where(missed > 0, high, 1.0)


def mean_interval(value: Array, se: Array, level: float = LEVEL) -> tuple[Array, Array]:
    half = norm.ppf((1 + level) / 2) * se
    return np.asarray(value - half), np.asarray(value + half)


def _some(number: int) -> Codes:
    """Places all along a curve, the first and the last among them: as many as can be seen."""
    return np.unique(np.linspace(0, number - 1, min(number, SEEN)).astype(np.intp))


def _as_taken(costs: Array, order: Codes, last: Codes) -> Array:
    """Sums over rows if the first action is taken down to each step, and the second after it."""  # (2, N) → (T,)
    first, second = costs[:, order]
    taken, left = np.append(0.0, np.cumsum(first)[last]), np.append(0.0, np.cumsum(second)[last])
    return np.asarray(taken + left[-1] - left)


def _steps(scores: Array) -> tuple[Codes, Codes]:
    """Rows by falling score, and where among them a score occurs for the last time."""
    order = np.argsort(-scores, kind="stable")
    return order, np.flatnonzero(np.append(np.diff(scores[order]) != 0, True))


def _weights(given: ArrayLike | None, rows: int) -> Array:
    weights = np.ones(rows) if given is None else numbers(given, "Weights")
    if weights.shape != (rows,) or not (weights >= 0).all() or not weights.any():
        raise ParameterError(f"Weights must be numbers, 0 or more, one for each of {rows} rows, and not all 0.")
    return weights


def _posterior(positive: ArrayLike) -> Array:
    scores = numbers(positive, "Posteriors")
    if scores.ndim != 1 or not len(scores) or not ((scores >= 0) & (scores <= 1)).all():
        raise ParameterError(
            f"A curve needs the posterior of one class for each row, from 0 to 1; found shape {scores.shape}."
        )
    return scores


def _judged(positive: ArrayLike, is_positive: ArrayLike) -> tuple[Array, Array]:
    """Posteriors of one class, and 1 for the rows of it, (N,) each."""
    scores, truth = numbers(positive, "Posteriors"), numbers(is_positive, "What is positive")
    probable = scores.ndim == 1 and len(scores) and bool(((scores >= 0) & (scores <= 1)).all())
    if not probable or truth.shape != scores.shape or not np.isin(truth, (0, 1)).all():
        raise ParameterError(
            "A curve needs the posterior of one class for each row, from 0 to 1, and True or False for whether the "
            f"row is of that class; found shapes {scores.shape} and {truth.shape}."
        )
    return scores, truth
