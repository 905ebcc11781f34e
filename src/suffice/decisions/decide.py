"""Stage 4, the answer: the action of least conditional risk.

In:  posteriors (N, K) and a Loss.
Out: Decision. R(a | x) = Σ_k loss(a, k) P(k | x); of equal risks the action that the loss names first.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from suffice.arrays import Array, Codes, Values
from suffice.data.levels import Level, Levels, array_of
from suffice.decisions.loss import IntoLoss, Loss
from suffice.decisions.names import names_of
from suffice.errors import LossError, ParameterError
from suffice.options import numbers


@dataclass(frozen=True, eq=False)
class Decision:
    best: Codes  # (N,) the place among `actions` of the one of least risk
    risk: Array  # (N,) its risk
    risks: Array  # (N, A) of every action, in the order of `actions`
    margin: Array  # (N,) how much more the runner-up would cost
    actions: Levels

    @property
    def action(self) -> Values:
        """The action of least risk for each row, of the type that the loss names it with."""  # (N,)
        return array_of(self.actions)[self.best]

    def __repr__(self) -> str:
        times = zip(self.actions, np.bincount(self.best, minlength=len(self.actions)), strict=True)
        chosen = ", ".join(f"{name} {count}" for name, count in times if count)
        mean = f" · mean risk {self.risk.mean():.4g}" if len(self.risk) else ""
        return f"Decision on {len(self.best)} rows: {chosen}{mean}"


def decide(posterior: ArrayLike, loss: IntoLoss = None, classes: Sequence[Level] | Values | None = None) -> Decision:
    """The best action for each row of posteriors, whose columns are `classes` in that order. No loss is 0–1 loss.

    `loss` is a Loss, or what one is made of.

    >>> loss = Loss({"treat": {"ill": 0, "well": 5}, "wait": {"ill": 100, "well": 0}, "refer": 8})
    >>> decide([[0.01, 0.99], [0.5, 0.5]], loss, classes=["ill", "well"]).action.tolist()
    ['wait', 'treat']
    """
    if classes is None:
        raise LossError("Say which class each column of the posterior is: classes=model.classes_.")
    names, shares = names_of(classes, "classes"), posteriors(posterior)
    if shares.shape[1] != len(names):
        raise ParameterError(f"The posterior has {shares.shape[1]} columns but there are {len(names)} classes.")
    loss = Loss.zero_one(names) if loss is None else Loss(loss)
    risks = conditional_risk(shares, loss.on(names))
    best = np.argmin(risks, axis=1)
    ordered = np.sort(risks, axis=1)
    margin = ordered[:, 1] - ordered[:, 0] if risks.shape[1] > 1 else np.full(len(risks), np.inf)
    return Decision(best, ordered[:, 0], risks, margin, loss.actions)


def posteriors(given: ArrayLike) -> Array:
    """Rows of probabilities, (N, K); a single row may come without its brackets."""
    found = numbers(given, "A posterior")
    shares = np.atleast_2d(found)
    if not found.ndim or shares.ndim != 2 or not shares.shape[1]:
        raise ParameterError(
            f"A posterior is a table with a row for each row and a column for each class; found shape {found.shape}."
        )
    if not (np.all(shares >= 0) and np.allclose(shares.sum(axis=1), 1.0, rtol=0, atol=1e-6)):
        raise ParameterError(
            "Each row of a posterior must be probabilities that sum to 1. Give those of predict_proba."
        )
    return shares


def conditional_risk(posterior: Array, costs: Array) -> Array:
    """R(a | x) = Σ_k loss(a, k) P(k | x)."""  # (N, K), (A, K) → (N, A)
    return np.asarray(posterior @ costs.T)


def error_probability(posterior: ArrayLike) -> Array:
    """P(error | x) of the plain decision: 1 − the largest posterior."""
    return np.asarray(1.0 - posteriors(posterior).max(axis=1))
