"""Stage 4, two classes: the likelihood-ratio test that a loss and class priors imply.

In:  a Loss with two actions over two classes, and the prevalence of the classes.
Out: RatioTest: take the first action when p(x | first) / p(x | second) is above (or below) a threshold, or always the
     same action. Nothing is ever divided by zero.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from suffice.arrays import Array, Values, log
from suffice.data.frames import by_name
from suffice.data.levels import Level, array_of
from suffice.data.table import IntoTable
from suffice.decisions.loss import IntoLoss, Loss
from suffice.decisions.names import names_of
from suffice.errors import LossError, ParameterError
from suffice.model.rules import prevalence
from suffice.options import numbers
from suffice.printing.description import Description, Sheet, Text, facts
from suffice.printing.language import word
from suffice.printing.printed import Printed


@dataclass(frozen=True, repr=False)
class RatioTest(Printed):
    """Choose the action `above` if p(x | numerator) / p(x | denominator) exceeds `threshold`, otherwise `below`."""

    above: Level
    below: Level
    numerator: Level
    denominator: Level
    threshold: float  # −inf or inf where one action is best whatever x
    odds: float = 1.0  # P(numerator) / P(denominator)
    log_ratio: Callable[[IntoTable], Array] | None = field(default=None, repr=False, compare=False)  # of a model's rows

    @property
    def posterior(self) -> float:
        """The threshold as a probability: choose `above` if P(numerator | x) exceeds it."""
        if np.isinf(self.threshold):
            return float(self.threshold > 0)
        return self.threshold * self.odds / (1 + self.threshold * self.odds)

    def decide(self, X: IntoTable) -> Values:
        """The action for each row of a table, if the test was made for a model."""
        if self.log_ratio is None:
            raise ParameterError("Deciding rows needs densities: make the test with a model, ratio_test(loss, model).")
        return self.actions(self.log_ratio(X))

    def description(self) -> Description:
        if self.always is not None:
            return Description((word("always {action}", action=self.always),), behind=[self._thresholds()])
        ratio = f"p(x | {self.numerator}) / p(x | {self.denominator})"
        named = {"ratio": ratio, "value": f"{self.threshold:.6g}", "above": self.above, "below": self.below}
        return Description((word("{above} when {ratio} > {value}, else {below}", **named),), [self._thresholds()])

    def _thresholds(self) -> Sheet:
        ratio = max(self.threshold, 0.0)  # −inf: whatever it is
        numbers: dict[Text, float] = {word("likelihood ratio"): ratio}
        numbers[word("log likelihood ratio")] = float(log(np.array(ratio)))
        return facts(numbers | {f"P({self.numerator} | x)": self.posterior}, corner=word("threshold"))

    @property
    def always(self) -> Level | None:
        """The action that is best for every row; None if it depends on the row."""
        return {-np.inf: self.above, np.inf: self.below}.get(self.threshold)

    def actions(self, log_ratio: ArrayLike) -> Values:
        """The action for each ln p(x | numerator) − ln p(x | denominator); exactly on the threshold, `below`."""
        limit = self.threshold if np.isinf(self.threshold) else np.log(self.threshold)
        ratios = numbers(log_ratio, "Log ratios")
        if np.isnan(ratios).any():
            raise ParameterError(
                "A log ratio is NaN, so it cannot be compared with the threshold (is the row impossible under both "
                "classes?). Leave such rows out."
            )
        return np.asarray(array_of((self.below, self.above))[(ratios > limit).astype(int)])


def likelihood_ratio_test(loss: IntoLoss, priors: Any) -> RatioTest:
    """The test for a loss with two actions (the first one is for the first class) and class priors by name.

    With λ_ij the cost of action i under class j: action 1 is better when
    (λ₂₁ − λ₁₁) p(x|1) P(1) > (λ₁₂ − λ₂₂) p(x|2) P(2).
    """
    loss, named = Loss(loss), by_name(priors)
    if not isinstance(named, Mapping):
        raise ParameterError(
            f"priors must say the probability of each class: {{class: probability}}; found {priors!r}."
        )
    classes = names_of(list(named), "classes")
    if len(loss.actions) != 2 or len(classes) != 2:
        raise LossError(
            f"A ratio test needs two actions and two classes; found {list(loss.actions)} and {list(classes)}. For more "
            "of them, use decide(posterior, loss, classes)."
        )
    (one, two), costs, shares = loss.actions, loss.on(classes), prevalence(np.ones(2), classes, named, 0.0)
    gain, cost = (costs[1, 0] - costs[0, 0]) * shares[0], (costs[0, 1] - costs[1, 1]) * shares[1]
    odds = float(shares[0] / shares[1]) if shares[1] else np.inf
    if gain > 0:
        return _test(one, two, classes, cost / gain, odds)
    if gain == 0:  # class 1 does not care, so class 2 decides
        return _test(one, two, classes, -np.inf if cost <= 0 else np.inf, odds)
    if cost < 0:  # dividing by a negative number turns the test around: action 1 when the ratio is small
        return _test(two, one, classes, cost / gain, odds)
    return _test(one, two, classes, np.inf, odds)


def posterior_threshold(loss: IntoLoss, positive: Level) -> float:
    """The posterior of `positive` from which on its action (the loss's first) is best: the point on a ROC curve."""
    loss = Loss(loss)
    (positive,) = names_of([positive], "positive classes")
    others = [name for name in loss.classes if name != positive]
    test = likelihood_ratio_test(loss, {positive: 0.5} | dict.fromkeys(others, 0.5))
    if test.always is not None or test.above != loss.actions[0]:
        raise LossError(
            "With this loss one action is best for every row, or the actions are swapped, so there is no threshold: "
            "see ratio_test(loss, priors)."
        )
    return test.posterior


def _test(above: Level, below: Level, classes: Sequence[Level], threshold: float, odds: float) -> RatioTest:
    return RatioTest(above, below, classes[0], classes[1], float(-np.inf if threshold <= 0 else threshold), odds)
