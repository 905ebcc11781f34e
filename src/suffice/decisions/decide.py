"""Stage 4, the answer: the action of least conditional risk.

In:  posteriors (N, K) and a Loss.
Out: Decision. R(a | x) = Σ_k loss(a, k) P(k | x); of equal risks the action that the loss names first.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.arrays import Array
from suffice.decisions.loss import Loss
from suffice.errors import LossError, ParameterError


@dataclass(frozen=True, eq=False)
class Decision:
    action: np.ndarray[Any, Any]  # (N,) the action of least risk
    risk: Array  # (N,) its risk
    risks: Array  # (N, A) of every action, in the order of `actions`
    margin: Array  # (N,) how much more the runner-up would cost
    actions: tuple[Any, ...]

    def __repr__(self) -> str:
        names, counts = np.unique(self.action.astype(str), return_counts=True)
        chosen = ", ".join(f"{name} {count}" for name, count in zip(names, counts, strict=True))
        return f"Decision on {len(self.action)} rows: {chosen} · mean risk {self.risk.mean():.4g}"


def decide(
    posterior: Any, loss: Loss | Mapping[Any, Any] | None = None, classes: Sequence[Any] | None = None
) -> Decision:
    """The best action for each row of posteriors, whose columns are `classes` in that order. No loss is 0–1 loss.

    `loss` is a Loss, or the dict that one is made of.


    >>> loss = Loss({"treat": {"ill": 0, "well": 5}, "wait": {"ill": 100, "well": 0}, "refer": 8})
    >>> decide([[0.01, 0.99], [0.5, 0.5]], loss, classes=["ill", "well"]).action.tolist()
    ['wait', 'treat']
    """
    if classes is None:
        raise LossError("Say which class each column of the posterior is: classes=model.classes_.")
    shares = np.atleast_2d(np.asarray(posterior, dtype=float))
    if shares.shape[1] != len(classes):
        raise ParameterError(f"The posterior has {shares.shape[1]} columns but there are {len(classes)} classes.")
    if not (np.all(shares >= 0) and np.allclose(shares.sum(axis=1), 1.0, rtol=0, atol=1e-6)):
        raise ParameterError("Each row of a posterior must be probabilities that sum to 1.")
    loss = Loss.zero_one(list(classes)) if loss is None else loss if isinstance(loss, Loss) else Loss(loss)
    risks = conditional_risk(shares, loss.on(classes))
    best = np.argmin(risks, axis=1)
    ordered = np.sort(risks, axis=1)
    margin = ordered[:, 1] - ordered[:, 0] if risks.shape[1] > 1 else np.full(len(risks), np.inf)
    return Decision(np.array(loss.actions)[best], ordered[:, 0], risks, margin, loss.actions)


def conditional_risk(posterior: Array, costs: Array) -> Array:
    """R(a | x) = Σ_k loss(a, k) P(k | x)."""  # (N, K), (A, K) → (N, A)
    return np.asarray(posterior @ costs.T)


def error_probability(posterior: Array) -> Array:
    """P(error | x) of the plain decision: 1 − the largest posterior."""
    return np.asarray(1.0 - np.max(posterior, axis=1))
