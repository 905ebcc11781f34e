"""Stage 3, the loop of EM: expect, learn, and compare the objective, which never falls.

In:  one way of EM: what to expect under parameters, what to learn from that, and what it is worth.
Out: steps, one after the other, without end. Where cells are missing it is run on their patterns (`model/fit`), where
     components are hidden on the rows (`em/hidden`).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from suffice.errors import FallingObjectiveError

Parameters = TypeVar("Parameters")
Q = TypeVar("Q")  # what parameters are learned from
ROUNDING = 1e-9  # relative: by what an objective may fall and still not have fallen


@dataclass(frozen=True, eq=False)
class Expected(Generic[Q]):
    """What the rows say with everything hidden as parameters expect it: the E step."""

    statistics: Q
    log_likelihood: float  # of what is observed, under those parameters; NaN where a start has none
    entropy: float  # of what is hidden, given what is observed; NaN where a start says nothing of some rows


@dataclass(frozen=True, eq=False)
class Step(Generic[Parameters, Q]):
    parameters: Parameters
    expected: Expected[Q]
    objective: float  # log likelihood + log prior
    bound: float  # L(q, θ) with the q that θ was learned from: what θ was chosen to raise
    entropy: float  # of that q

    @property
    def complete(self) -> float:
        """Q(θ, θ⁽ⁱ⁾): the log likelihood expected under that q, had everything been seen."""
        return self.bound - self.entropy

    @property
    def gap(self) -> float:
        """KL(q ‖ P(hidden | rows, θ)) of that q: what the bound is short of the log likelihood."""
        return self.expected.log_likelihood - self.bound


@dataclass(frozen=True)
class Loop(Generic[Parameters, Q]):
    """One way of EM: what to expect, what to learn from it, and what that is worth."""

    expect: Callable[[Parameters], Expected[Q]]
    learn: Callable[[Expected[Q]], Parameters]
    log_prior: Callable[[Parameters], float]
    complete: Callable[[Parameters, Expected[Q]], float]  # log likelihood had the expected been seen
    extrapolate: Callable[[Parameters, Parameters, Parameters], Parameters | None] | None = (
        None  # where two steps are heading
    )

    def steps(self, first: Expected[Q]) -> Iterator[Step[Parameters, Q]]:
        """Every state from the one learned from `first` on, without end; the objective never falls."""
        parameters = self.learn(first)
        expected = self.expect(parameters)
        objective, bound = expected.log_likelihood + self.log_prior(parameters), self._bound(parameters, first)
        if np.isnan(first.entropy):  # the q of these parameters themselves
            bound, first = expected.log_likelihood, expected
        step = Step(parameters, expected, objective, bound, first.entropy)
        while True:
            yield step
            step = self._after(step)

    def _after(self, step: Step[Parameters, Q]) -> Step[Parameters, Q]:
        parameters = self.learn(step.expected)
        if self.extrapolate is not None:
            return self._extrapolated(step, parameters)
        return self._at(parameters, step)

    def _extrapolated(self, step: Step[Parameters, Q], first: Parameters) -> Step[Parameters, Q]:
        """EM creeps; where a point further ahead is better than the second step, take it."""
        second = self._at(self.learn(self.expect(first)), step)
        ahead = self.extrapolate(step.parameters, first, second.parameters) if self.extrapolate else None
        if ahead is None:
            return second
        expected = self.expect(ahead)
        objective = expected.log_likelihood + self.log_prior(ahead)
        better = objective > second.objective
        return Step(ahead, expected, objective, second.bound, second.entropy) if better else second

    def _at(self, parameters: Parameters, before: Step[Parameters, Q]) -> Step[Parameters, Q]:
        expected = self.expect(parameters)
        objective = expected.log_likelihood + self.log_prior(parameters)
        if not objective >= before.objective - ROUNDING * (abs(before.objective) + 1):
            raise FallingObjectiveError(
                f"EM lowered its objective, from {before.objective:.17g} to {objective:.17g}, which must not happen. "
                "The columns are at the limits of floating point: scale or shift them, or use fewer components."
            )
        return Step(parameters, expected, objective, self._bound(parameters, before.expected), before.expected.entropy)

    def _bound(self, parameters: Parameters, learned_from: Expected[Q]) -> float:
        return self.complete(parameters, learned_from) + learned_from.entropy
