"""Stage 4, the answer: the action of least conditional risk.

In:  posteriors (N, K) and a Loss.
Out: Decision. R(a | x) = Σ_k loss(a, k) P(k | x); of equal risks the action that the loss names first.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from suffice.arrays import Array, Codes, Values, ratio
from suffice.data.levels import Level, Levels, array_of
from suffice.decisions.loss import IntoLoss, Loss, in_words
from suffice.decisions.names import names_of
from suffice.errors import LossError, ParameterError
from suffice.options import numbers
from suffice.printing.description import Description, Series, Sheet, sizes
from suffice.printing.language import word
from suffice.printing.numbers import amount
from suffice.printing.printed import Printed


@dataclass(frozen=True, eq=False, repr=False)
class Decision(Printed):
    best: Codes  # (N,) the place among `actions` of the one of least risk
    risk: Array  # (N,) its risk
    risks: Array  # (N, A) of every action, in the order of `actions`
    margin: Array  # (N,) how much more the runner-up would cost
    actions: Levels

    @property
    def action(self) -> Values:
        """The action of least risk for each row, of the type that the loss names it with."""  # (N,)
        return array_of(self.actions)[self.best]

    def description(self) -> Description:
        """How often each action is the best and at what risk, and the action for each row."""
        times = np.bincount(self.best, minlength=len(self.actions)).astype(float)
        total = np.bincount(self.best, self.risk, len(self.actions)).astype(float)
        risk = ratio(total, times, np.nan)
        mean = [word("expected risk {value}", value=f"{self.risk.mean():.4g}")] if len(self.risk) else []
        chosen = Sheet(
            word("action"),
            in_words(self.actions),
            [Series(word("rows"), times, amount), Series(word("mean risk"), risk)],
        )
        told = (Series(word("action"), self.action.tolist()), Series(word("risk"), self.risk))
        rows = Sheet(word("row"), range(len(self.best)), [*told, Series(word("margin"), self.margin)])
        return Description((word("Decision"), *sizes({"row": len(self.best)}), *mean), [chosen], behind=[rows])

    def table(self) -> Any:
        """The action for each row, its risk, and how much more the runner-up would cost."""
        return self.description().behind[0].frame()


def decide(posterior: ArrayLike, loss: IntoLoss = None, classes: Sequence[Level] | Values | None = None) -> Decision:
    """The action of least expected loss for each row of a `posterior`, whose columns are `classes` in that order.

    `loss` is a Loss or what one is made of; without it, every mistake costs 1.

    Raises
    ------
    ParameterError
        If rows of the posterior do not sum to 1, or there are more or fewer classes than columns.
    LossError
        If the loss is about other classes.

    >>> loss = Loss({"treat": {"ill": 0, "well": 5}, "wait": {"ill": 100, "well": 0}, "refer": 8})
    >>> decide([[0.01, 0.99], [0.5, 0.5]], loss, classes=["ill", "well"]).action.tolist()
    ['wait', 'treat']

    """
    if classes is None:
        raise LossError("Say which class each column of the posterior belongs to: classes=model.classes_.")
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
            "A posterior must be a table with a row for each observation and a column for each class; found shape "
            f"{found.shape}."
        )
    if not (np.all(shares >= 0) and np.allclose(shares.sum(axis=1), 1.0, rtol=0, atol=1e-6)):
        raise ParameterError("Each row of a posterior must be probabilities that sum to 1. Use those of predict_proba.")
    return shares


def conditional_risk(posterior: Array, costs: Array) -> Array:
    """R(a | x) = Σ_k loss(a, k) P(k | x)."""  # (N, K), (A, K) → (N, A)
    return np.asarray(posterior @ costs.T)


def error_probability(posterior: ArrayLike) -> Array:
    """P(error | x) if the most probable class is chosen: 1 − the largest posterior.

    Raises
    ------
    ParameterError
        If rows of the posterior do not sum to 1.

    >>> from suffice import error_probability
    >>> error_probability([[0.7, 0.3], [0.05, 0.95]]).round(2).tolist()
    [0.3, 0.05]

    """
    return np.asarray(1.0 - posteriors(posterior).max(axis=1))
