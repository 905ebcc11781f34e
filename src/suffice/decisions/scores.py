"""Stage 4, how good posteriors were: accuracy, log loss, Brier score and mean loss, each with its standard error.

In:  log posteriors (N, K) of rows, or posteriors, their classes as codes, their weights, and a Loss.
Out: Score, a number that knows its standard error; paired differences of two models on the same rows.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

from suffice.arrays import Array, Codes
from suffice.decisions.decide import conditional_risk


class Score(float):
    """A mean over rows with its standard error, `se`.

    >>> Score.mean(np.array([0.0, 1.0, 1.0, 1.0]), np.ones(4))
    0.75 ± 0.25
    """

    se: float

    def __new__(cls, value: float, se: float) -> Self:
        score = super().__new__(cls, value)
        score.se = se
        return score

    @classmethod
    def mean(cls, values: Array, weights: Array) -> Self:
        """A weight of 2 is the row twice."""
        here = weights > 0  # what happens in absent rows, infinities included, does not matter
        values, weights = values[here], weights[here]
        mass = weights.sum()
        mean = float(weights @ values / mass)
        if not np.isfinite(mean) or mass <= 1:
            return cls(mean, float("nan"))
        return cls(mean, float(np.sqrt(weights @ (values - mean) ** 2 / (mass - 1) / mass)))

    def __repr__(self) -> str:
        return f"{float(self):.4g} ± {self.se:.2g}" if np.isfinite(self.se) else f"{float(self):.4g}"

    __str__ = __repr__

    def __reduce__(self) -> tuple[type["Score"], tuple[float, float]]:
        return Score, (float(self), self.se)


@dataclass(frozen=True)
class Sums:
    """What is needed of values for their mean and its standard error, as a sum over rows; infinite ones apart."""

    mass: float
    mean: float  # of those that are finite
    squares: float  # Σ w (value − mean)²
    infinite: float = 0.0  # mass

    @classmethod
    def of(cls, values: Array, weights: Array) -> "Sums":
        finite = np.isfinite(values)
        some, mass = values[finite], float(weights[finite].sum())
        mean = float(weights[finite] @ some / mass) if mass else 0.0
        return cls(mass, mean, float(weights[finite] @ (some - mean) ** 2), float(weights[~finite].sum()))

    def __add__(self, other: "Sums") -> "Sums":
        mass = self.mass + other.mass
        share = other.mass / mass if mass else 0.0
        step = other.mean - self.mean
        squares = self.squares + other.squares + self.mass * share * step**2
        return Sums(mass, self.mean + share * step, squares, self.infinite + other.infinite)

    @property
    def score(self) -> Score:
        if self.infinite or self.mass <= 1:
            return Score(np.inf if self.infinite else self.mean, float("nan"))
        return Score(self.mean, float(np.sqrt(self.squares / (self.mass - 1) / self.mass)))


def hits(log_posterior: Array, labels: Codes) -> Array:
    """1 where the most probable class is the true one."""
    return np.asarray(log_posterior.argmax(axis=1) == labels, dtype=float)


def log_losses(log_posterior: Array, labels: Codes) -> Array:
    """−ln P(true class), which may be far too small for a number itself."""
    return np.asarray(-log_posterior[np.arange(len(labels)), labels])


def brier_scores(posterior: Array, labels: Codes) -> Array:
    """The squared distance of the posterior from the truth."""
    truth = np.eye(posterior.shape[1])[labels]
    return np.asarray(((posterior - truth) ** 2).sum(axis=1))


def losses(posterior: Array, labels: Codes, costs: Array) -> Array:
    """What the action of least risk costs under the true class."""  # costs (A, K)
    return np.asarray(costs[conditional_risk(posterior, costs).argmin(axis=1), labels])
