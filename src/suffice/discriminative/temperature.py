"""Posteriors made warmer or colder: probabilities that rows left out bear out.

In:  ln P(class | row) of rows by models that have not seen them, their classes and weights.
Out: Temperature: slope · ln P + level of the class, divided by what that sums to. A slope below 1 makes a model that is
     too sure less so; levels, where asked for, put right how common classes are.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from suffice.arrays import Array, Codes, log, log_sum_exp
from suffice.formulas import NEVER, Cases, Compared, Expression, Greatest, Number, Once, log_of_sum

LEAST = -700.0  # ln P that counts for impossible
STEPS = 100
SETTLED, ROUNDING = 1e-12, 1e-14  # of what a step may change; of a loss
HELD = 3.0  # how much a slope of 1 counts, beside the rows: few rows, all told right, bear out any slope
ALIKE = 2 * HELD  # and levels that are all alike: as if each class in turn had its level held at 0, on average


@dataclass(frozen=True, eq=False)
class Temperature:
    slope: float
    level: Array  # (K,), 0 on average; all 0 where only the slope was learned

    def log_shares(self, logs: Array) -> Array:
        """Ln P(class | row) after it."""
        scores = self.slope * np.maximum(logs, LEAST) + self.level
        return np.asarray(scores - log_sum_exp(scores)[:, None])

    def formula(self, scores: Sequence[Expression], instead: Array) -> list[Expression]:
        """Slope · ln P + level of each class of one row, from scores; `instead` has P of a row that cannot be."""
        once = [Once(score) for score in scores]
        whole = Once(log_of_sum(once))
        never = Compared(whole, "=", NEVER)
        logs = (
            Cases(((never, Number(p)),), score - whole) for score, p in zip(once, log(instead).tolist(), strict=True)
        )
        pairs = zip(logs, self.level.tolist(), strict=True)
        return [Greatest((some, Number(LEAST))) * self.slope + level for some, level in pairs]


def learned(logs: Array, codes: Codes, weights: Array, levels: bool) -> Temperature:
    """By the least log loss, with Newton's steps; a slope of 1 counts a little too, as a few rows would.

    Rows whose class was thought impossible, such as the only row of a class, say nothing: no slope mends that.
    """
    weights = np.where(np.isneginf(logs[np.arange(len(codes)), codes]), 0.0, weights)
    logs, classes = np.maximum(logs, LEAST), logs.shape[1]
    wide, hold = 1 + levels * classes, np.append(HELD, np.full(levels * classes, ALIKE))
    theta, rows = np.append(1.0, np.zeros(wide - 1)), np.arange(len(codes))
    best = _loss(theta, hold, logs, codes, weights)
    for _ in range(STEPS):
        shares = np.exp(Temperature(theta[0], _levels(theta, classes)).log_shares(logs))
        away = weights[:, None] * shares
        away[rows, codes] -= weights
        pull = np.append((away * logs).sum(), away.sum(axis=0))[:wide] + hold * _off(theta)
        way = -np.linalg.solve(_bent(shares, logs, weights, wide) + np.diag(hold), pull)
        far, no_worse = 1.0, best + ROUNDING * (1 + abs(best))
        while (new := _loss(theta + far * way, hold, logs, codes, weights)) > no_worse and far > 1e-9:
            far *= 0.5
        theta, best = theta + far * way, min(new, best)
        if np.abs(far * way).max() <= SETTLED * (1 + np.abs(theta).max()):
            break
    return Temperature(float(theta[0]), _levels(theta, classes))


def _off(theta: Array) -> Array:
    """From a slope of 1 and levels of 0, which no row moves on average: only their differences matter."""
    return np.append(theta[0] - 1, theta[1:])


def _levels(theta: Array, classes: int) -> Array:
    return theta[1:] - theta[1:].mean() if len(theta) > 1 else np.zeros(classes)


def _loss(theta: Array, hold: Array, logs: Array, codes: Codes, weights: Array) -> float:
    found = Temperature(theta[0], _levels(theta, logs.shape[1])).log_shares(logs)
    return 0.5 * float(hold @ _off(theta) ** 2) - float(weights @ found[np.arange(len(codes)), codes])


def _bent(shares: Array, logs: Array, weights: Array, wide: int) -> Array:
    """The curvature: of each row the covariance, over classes, of ln P and of being each class."""
    parts = np.zeros((len(shares), wide, shares.shape[1]))
    parts[:, 0] = logs
    parts[:, np.arange(1, wide), np.arange(wide - 1)] = 1.0
    means = np.einsum("nwk,nk->nw", parts, shares)
    squares = np.einsum("nwk,nvk,nk->nwv", parts, parts, shares) - means[:, :, None] * means[:, None, :]
    return np.asarray(np.einsum("n,nwv->wv", weights, squares))
