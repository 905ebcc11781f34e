"""EM to look at: every state on the way, for teaching."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from suffice.arrays import Array
from suffice.data.frames import named_apart
from suffice.data.table import read_table
from suffice.errors import ParameterError
from suffice.estimators.unlabelled import Unlabelled, with_weights
from suffice.model.em.run import Problem, initial_memberships
from suffice.model.em.search import Control, Run, Start, drawn_by
from suffice.model.joint import Joint


@dataclass(frozen=True, eq=False)
class State:
    """Parameters, and what they say about the rows."""

    step: int
    memberships: Array = field(repr=False)  # (N, K) P(component | row) under these parameters: the next E step
    joint: Joint = field(repr=False)
    log_likelihood: float
    bound: float  # L(q, θ), with the memberships q that θ was learned from
    kl: float  # KL(q ‖ P(component | row, θ)): log likelihood − bound
    objective: float  # log likelihood + log prior

    def tables(self) -> dict[str, dict[str, Array]]:
        """The parameters, by column; "component" has the weights."""
        return with_weights(self.joint)


def em_steps(model: Unlabelled, X: Any, sample_weight: Any = None) -> Iterator[State]:
    """Every state of EM from the model's own start (the first of its restarts), until it settles.

    >>> from sklearn.datasets import load_iris
    >>> from suffice import Mixture, em_steps
    >>> states = list(em_steps(Mixture(2, start="random"), load_iris().data))
    >>> all(after.objective >= before.objective for before, after in zip(states, states[1:]))
    True

    """
    if not isinstance(model, Unlabelled):
        raise ParameterError(
            f"em_steps shows how a Mixture or LatentClass is found; found {type(model).__name__}. Give it one that has "
            "not been fitted."
        )
    X, sample_weight = named_apart(X, sample_weight)
    control, table = model._control(), read_table(X)
    problem, _, rows = model._set_up(table, sample_weight)
    [rng] = drawn_by(control.random_state, 1)
    return _states(problem, initial_memberships(problem, model._start(rows, table.rows), rng), control)


def _states(problem: Problem, start: Start, control: Control) -> Iterator[State]:
    run = Run.of(problem.rows, start, control.tol)
    for number, step in enumerate(run.steps):
        run.keep(step)
        shares = np.concatenate([some for _, some in problem.rows.memberships(step.parameters)])
        likelihood = step.expected.log_likelihood
        yield State(number, shares, problem.joint(step.parameters), likelihood, step.bound, step.gap, step.objective)
        if run.converged or number + 1 >= control.max_iter:
            return
