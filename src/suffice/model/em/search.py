"""Stage 3, the best of several starts: short runs of the loop, the best of them to the end.

In:  HiddenRows, memberships to begin with, and when to stop.
Out: Fitted: parameters, their statistics, and a Trace of every step. A run in which a component collapses is out, with
     its reason; it never wins by an infinite likelihood.
"""

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from suffice.arrays import Array
from suffice.errors import (
    CollapsedError,
    FallingObjectiveError,
    NotConvergedWarning,
    SingularError,
    StoppedWarning,
    warn,
)
from suffice.families.memberships import Memberships
from suffice.model.em.hidden import HiddenRows, Theta
from suffice.model.fit import Step
from suffice.options import number, seed, whole

SHORT = 10  # steps of a run before it is compared with the others


@dataclass(frozen=True)
class Control:
    """How long to search, and from how many starts; what makes no sense is refused here, whichever face it is from."""

    tol: float = 1e-6  # nats per row that a step must gain to go on
    max_iter: int = 500
    restarts: int = 10
    random_state: Any = 0
    watch: Callable[[Iterator[Any]], Iterator[Any]] = iter  # shows progress

    def __post_init__(self) -> None:
        number(
            self.tol, "tol is how many nats per row a step of EM must gain to go on, 0 or more", lambda tol: tol >= 0
        )
        whole(self.max_iter, "max_iter is how many steps EM may take, a whole number of 1 or more")
        whole(self.restarts, "restarts is how many starts EM has, a whole number of 1 or more")
        seed(self.random_state)


@dataclass(frozen=True, eq=False)
class Trace:
    """What each step of the winning run was worth."""

    log_likelihood: Array  # of the rows
    bound: Array  # L(q, θ), with the q that θ was learned from
    kl: Array  # KL(q ‖ P(hidden | rows, θ)): log likelihood − bound
    objective: Array  # log likelihood + log prior: never falls
    converged: bool
    restarts: tuple[str, ...]  # what became of each start

    @classmethod
    def of(cls, run: "Run", restarts: tuple[str, ...]) -> "Trace":
        likelihood, bound, objective = np.array(run.history).T
        return cls(likelihood, bound, likelihood - bound, objective, run.converged, restarts)


@dataclass(frozen=True, eq=False)
class Fitted:
    theta: Theta
    statistics: Any  # Gathered, of the last step
    trace: Trace


@dataclass(eq=False)
class Run:
    """One start on its way."""

    steps: Iterator[Step[Theta]]
    gain: float  # in the objective, below which it has settled
    history: list[tuple[float, float, float]] = field(default_factory=list)  # log likelihood, bound, objective
    last: Step[Theta] | None = None
    converged: bool = False
    failure: str = ""

    def advance(self, most: int, stop: threading.Event, watch: Callable[[Any], Any] = iter) -> "Run":
        try:
            for step in watch(self.steps):
                self._keep(step)
                if self.converged or len(self.history) >= most or stop.is_set():
                    break
        except (CollapsedError, SingularError, FallingObjectiveError) as error:
            self.failure = str(error)
        return self

    def _keep(self, step: Step[Theta]) -> None:
        self.converged = self.last is not None and step.objective - self.last.objective < self.gain
        self.history.append((step.expected.log_likelihood, step.bound, step.objective))
        self.last = step

    @property
    def objective(self) -> float:
        return -np.inf if self.failure or self.last is None else self.last.objective

    @property
    def told(self) -> str:
        return self.failure or f"{self.objective:.6g} after {len(self.history)} steps"


def search(rows: HiddenRows, start: Callable[[np.random.Generator], Memberships], control: Control) -> Fitted:
    stop = threading.Event()
    gain = control.tol * float(rows.weights.sum())
    runs = [_begun(rows, start, control, number, gain) for number in range(control.restarts)]
    try:
        if len(runs) > 1:
            with ThreadPoolExecutor(min(len(runs), os.cpu_count() or 1)) as pool:
                list(pool.map(lambda run: run.advance(min(SHORT, control.max_iter), stop), runs))
        best = _to_the_end(runs, control, stop)
    except KeyboardInterrupt:
        stop.set()
        best = max(runs, key=lambda run: run.objective)
        if best.objective == -np.inf:
            raise
        warn("Interrupted: these are the best parameters so far.", StoppedWarning)
    else:
        if not best.converged:
            warn(f"EM has not settled in {control.max_iter} steps: raise max_iter, or tol.", NotConvergedWarning)
    last: Any = best.last
    return Fitted(last.theta, last.expected.statistics, Trace.of(best, tuple(run.told for run in runs)))


def _begun(rows: HiddenRows, start: Any, control: Control, number: int, gain: float) -> Run:
    seed = np.random.default_rng(control.random_state if control.restarts == 1 else [_seed(control), number])
    try:
        return Run(rows.climb().steps(rows.begin(start(seed))), gain)
    except SingularError as error:
        why = f"component {error.component or 0} has no rows, or they are on a point or a line"
        return Run(iter(()), gain, failure=f"could not begin: {why}")


def _seed(control: Control) -> int:
    return int(np.random.default_rng(control.random_state).integers(2**31))


def _to_the_end(runs: list[Run], control: Control, stop: threading.Event) -> Run:
    """The best run so far until it settles; if it collapses on the way, the next best."""
    while True:
        best = max((run for run in runs if not run.failure), key=lambda run: run.objective, default=None)
        if best is None:
            reasons = "; ".join(sorted({run.failure for run in runs}))
            raise CollapsedError(
                f"No start of EM came to an end: {reasons}. Use fewer components, more rows, or a shared or diagonal "
                "covariance; parameter_prior='flat' lets components collapse, 'weak' seldom does."
            )
        if best.converged or len(best.history) >= control.max_iter:
            return best
        best.advance(control.max_iter, stop, control.watch)
        if not best.failure:
            return best
