"""Stage 4, prior shift: posteriors under other class priors, exactly, and those priors from unlabelled rows.

In:  posteriors under the priors of training. Out: posteriors under the new ones; or the new ones, by EM.
"""

from dataclasses import dataclass

import numpy as np

from suffice.arrays import Array
from suffice.data.levels import Level, Levels
from suffice.errors import ParameterError
from suffice.printing.description import Description, Series, Sheet
from suffice.printing.language import word
from suffice.printing.printed import Printed

TOLERANCE, MOST_STEPS = 1e-12, 10_000


@dataclass(frozen=True, eq=False, repr=False)
class EstimatedPriors(Printed):
    """The class priors that unlabelled rows suggest, by maximum likelihood, and what they gain."""

    priors: dict[Level, float]
    log_likelihood_gain: float  # over the priors of training, in nats: twice this is a likelihood-ratio statistic
    steps: int

    def description(self) -> Description:
        gain = word("{value} nats better than those of training", value=f"{self.log_likelihood_gain:.3g}")
        shares = Series(word("prior"), np.array(list(self.priors.values())))
        return Description((word("Class priors"), gain), [Sheet(word("class"), list(self.priors), [shares])])


def refuse_impossible(before: Array, after: Array, classes: Levels) -> None:
    """What training took for impossible has posterior 0 whatever the row: no factor moves that."""
    lost = [name for name, share, wanted in zip(classes, before, after, strict=True) if share == 0 < wanted]
    if lost:
        raise ParameterError(
            f"The classifier has a prior of 0 for {lost}, so its posterior is 0 there for every row and cannot be "
            "adjusted to other priors. Fit it with priors above 0."
        )


def shifted(posterior: Array, before: Array, after: Array) -> Array:
    """P′(k | x) ∝ P(k | x) P′(k) / P(k)."""
    odds = posterior * np.divide(after, before, out=np.zeros_like(after), where=before > 0)
    total = odds.sum(axis=1, keepdims=True)
    return np.where(total > 0, odds / np.where(total > 0, total, 1.0), after)


def estimated(posterior: Array, before: Array, classes: Levels) -> EstimatedPriors:
    """Saerens, Latinne and Decaestecker's EM: average the shifted posteriors, shift again."""
    refuse_impossible(before, np.ones_like(before), classes)
    ratio = posterior / before  # ∝ p(x | k)
    priors, step = before.copy(), 0
    for step in range(1, MOST_STEPS + 1):  # noqa: B007 # how many it took is part of the answer
        weighted = ratio * priors
        updated = (weighted / weighted.sum(axis=1, keepdims=True)).mean(axis=0)
        done = np.abs(updated - priors).max() < TOLERANCE
        priors = updated
        if done:
            break
    gain = float(np.log(ratio @ priors).sum() - np.log(ratio @ before).sum())
    return EstimatedPriors(dict(zip(classes, priors.tolist(), strict=True)), gain, step)
