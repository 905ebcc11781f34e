"""Stage 3, the best of several starts: short runs of the loop, the best of them to the end.

In:  HiddenRows, what to expect of them at first, and when to stop.
Out: Fitted: parameters, their statistics, and a Trace of every step. A run in which a component collapses is out, with
     its reason; it never wins by an infinite likelihood.
"""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from suffice.arrays import Array
from suffice.errors import (
    CollapsedError,
    FallingObjectiveError,
    FileError,
    NotConvergedWarning,
    SingularError,
    StoppedWarning,
    warn,
)
from suffice.families.counts import checked
from suffice.model.em.hidden import HiddenRows, Parameters
from suffice.model.em.loop import Expected, Step
from suffice.model.em.parts import Gathered
from suffice.model.em.scouting import Scouts
from suffice.model.rules import Control, Watch
from suffice.options import Seed, generator
from suffice.printing.description import Description, Series, Sheet
from suffice.printing.language import word
from suffice.printing.numbers import fixed
from suffice.printing.printed import Printed
from suffice.store import Header
from suffice.threads import in_shares

PACKED = ("log_likelihood", "bound", "objective")
SHORT = 10  # steps of a run before it is compared with the others
LOOK_BACK, HOPE = 3, 10  # steps that a run is judged by, and how many times their gain it may still hope for
REFILLS = 5  # times that an empty component is put elsewhere


@dataclass(frozen=True, eq=False, repr=False)
class Trace(Printed):
    """What each step of the winning run was worth."""

    log_likelihood: Array  # of the rows
    bound: Array  # L(q, θ), with the q that θ was learned from; θ's own where a start knows some of the rows only
    kl: Array  # KL(q ‖ P(hidden | rows, θ)): log likelihood − bound
    objective: Array  # log likelihood + log prior: never falls
    converged: bool
    restarts: tuple[str, ...]  # what became of each start

    @classmethod
    def of(cls, run: "Run", restarts: tuple[str, ...]) -> "Trace":
        likelihood, bound, objective = np.array(run.history).T
        return cls(likelihood, bound, likelihood - bound, objective, run.converged, restarts)

    def packed(self) -> tuple[Header, dict[str, Array]]:
        """The trace as plain data and arrays; KL follows from them."""
        arrays = {name: vars(self)[name] for name in PACKED}
        return {"converged": bool(self.converged), "restarts": list(self.restarts)}, arrays

    @classmethod
    def unpacked(cls, header: Header, arrays: Mapping[str, Array]) -> "Trace":
        """The trace that was `packed`, or an error if that cannot have been one."""
        found = checked(arrays, dict.fromkeys(PACKED, (arrays["objective"].size,)))
        likelihood, bound, objective = (found[name] for name in PACKED)
        converged, restarts = header["converged"], header["restarts"]
        told = type(converged) is bool and type(restarts) is list and all(type(one) is str for one in restarts)
        if not told or not len(objective) or not all(np.isfinite(part).all() for part in found.values()):
            raise FileError("The file holds an impossible course of EM.")
        return cls(likelihood, bound, likelihood - bound, objective, converged, tuple(restarts))

    def description(self) -> Description:
        """What each step was worth."""
        steps = len(self.objective)
        ended = word("converged") if self.converged else word("not converged")
        starts = word("best of {n} start|best of {n} starts", n=len(self.restarts))
        series = [
            Series(word("log likelihood"), self.log_likelihood, fixed(4)),
            Series(word("bound L(q, θ)"), self.bound, fixed(4), name="bound"),
            Series("KL", self.kl),
            Series(word("objective"), self.objective, fixed(4)),
        ]
        sheet = Sheet(word("step"), range(1, steps + 1), series)
        return Description((word("EM"), word("{n} step|{n} steps", n=steps), ended, starts), [sheet])


@dataclass(frozen=True, eq=False)
class Fitted:
    parameters: Parameters
    statistics: Gathered  # of the last step
    trace: Trace


@dataclass(frozen=True, eq=False)
class Start:
    """What rows are expected to be at first."""

    expected: Expected[Gathered]
    objective: float = -np.inf  # of the parameters that expect it, where there are any


Draw = Callable[[np.random.Generator], Start]


@dataclass(eq=False)
class Run:
    """One start on its way."""

    steps: Iterator[Step[Parameters, Gathered]]
    reached: float  # the objective so far
    gain: float  # in the objective, below which it has settled
    rows: int
    history: list[tuple[float, float, float]] = field(default_factory=list)  # log likelihood, bound, objective
    last: Step[Parameters, Gathered] | None = None
    converged: bool = False
    failure: str = ""

    @classmethod
    def of(cls, rows: HiddenRows, start: Start, tol: float) -> "Run":
        return cls(rows.em().steps(start.expected), start.objective, tol * rows.mass, rows.number)

    def advance(self, most: int, stop: threading.Event, watch: Watch = iter, to_beat: float = -np.inf) -> "Run":
        """To so many steps in all, unless it settles, fails, or falls behind what is to be beaten before."""
        if self.failure or self.converged or len(self.history) >= most:
            return self
        try:
            for step in watch(self.steps):
                self.keep(step)
                if self.converged or len(self.history) >= most or stop.is_set() or self._behind(to_beat):
                    break
        except (CollapsedError, SingularError, FallingObjectiveError) as error:
            self.failure = str(error)
        return self

    def keep(self, step: Step[Parameters, Gathered]) -> None:
        self.converged = step.objective - self.reached < self.gain
        self.reached = step.objective
        self.history.append((step.expected.log_likelihood, step.bound, step.objective))
        self.last = step

    def _behind(self, to_beat: float) -> bool:
        """Whether many times what the last steps gained would not be enough."""
        if len(self.history) <= LOOK_BACK:
            return False
        gained = self.reached - self.history[-1 - LOOK_BACK][2]
        return self.reached + HOPE * gained < to_beat

    @property
    def objective(self) -> float:
        return -np.inf if self.failure or self.last is None else self.last.objective

    @property
    def empty(self) -> bool:
        """Whether a component has less than half a row."""
        if self.failure or self.last is None:
            return False
        weight = self.last.expected.statistics.parts.weight
        return bool(weight.min() * self.rows < 0.5 * weight.sum())

    @property
    def told(self) -> str:
        return self.failure or f"{self.objective:.6g} after {len(self.history)} steps"


def search(rows: HiddenRows, start: Draw, control: Control, scouts: Scouts | None = None) -> Fitted:
    stop, seeds, runs = threading.Event(), drawn_by(control.random_state, control.restarts), list[Run]()
    try:
        if scouts is None:
            runs += [Run.of(rows, start(rng), control.tol) for rng in seeds]
            best = _ahead_to_the_end(runs, control, stop)
        else:
            best = _one_after_the_other(runs, start, scouts, seeds, control)
    except KeyboardInterrupt:
        stop.set()
        if not any(run.objective > -np.inf for run in runs):
            raise
        best = max(runs, key=lambda run: run.objective)
        warn("Interrupted: these are the best parameters so far.", StoppedWarning)
    else:
        if not best.converged:
            warn(
                f"EM has not converged in {control.max_iter} steps: raise max_iter, or tol, which a classifier has in "
                "em=EM(max_iter=…, tol=…).",
                NotConvergedWarning,
            )
    assert best.last is not None  # a run without a step has an objective of −∞
    return Fitted(best.last.parameters, best.last.expected.statistics, Trace.of(best, tuple(run.told for run in runs)))


def drawn_by(random_state: Seed, starts: int) -> list[np.random.Generator]:
    """What draws each start; the first ones are the same however many there are."""
    seed = int(generator(random_state).integers(2**31))
    return [np.random.default_rng([seed, number]) for number in range(starts)]


def _one_after_the_other(
    runs: list[Run], start: Draw, scouts: Scouts, seeds: Sequence[np.random.Generator], control: Control
) -> Run:
    """The first run from its start, every other from where scouts have come to, who knew the best run before it.

    No run depends on those after it, so more starts are never worse than fewer.
    """
    for rng in seeds:
        best = max(runs, key=lambda run: run.objective, default=None)
        begin = best and _scouted(best, scouts, rng)
        runs.append(Run.of(scouts.rows, begin or start(rng), control.tol))
        runs[-1].advance(control.max_iter, threading.Event(), control.watch, best.objective if best else -np.inf)
        runs[-1] = _refilled(runs[-1], scouts, rng, control)
    return _best(runs)


def _refilled(run: Run, scouts: Scouts, rng: np.random.Generator, control: Control) -> Run:
    """The run, or where a component of it has run empty, a better one that puts it elsewhere."""
    for _ in range(REFILLS):
        begin = _scouted(run, scouts, rng) if run.empty else None
        if begin is None:
            break
        other = Run.of(scouts.rows, begin, control.tol).advance(control.max_iter, threading.Event(), control.watch)
        run = max(run, other, key=lambda each: each.objective)
    return run


def _scouted(run: Run, scouts: Scouts, rng: np.random.Generator) -> Start | None:
    """Where scouts have come to who know where a run has ended; None where it has failed, or all of them have."""
    found = scouts.sent(run.last.parameters, rng) if run.last and not run.failure else None
    return None if found is None else resumed(scouts.rows, found)


def resumed(rows: HiddenRows, parameters: Parameters) -> Start:
    """To go on from parameters."""
    expected = rows.expect(parameters)
    return Start(expected, expected.log_likelihood + rows.log_prior(parameters))


def _ahead_to_the_end(runs: list[Run], control: Control, stop: threading.Event) -> Run:
    """The best of all runs that are ahead of those before them after a few steps.

    Which runs go on to the end depends on no run after them, so more starts are never worse than fewer.
    """
    if len(runs) > 1:
        in_shares(lambda some: [run.advance(min(SHORT, control.max_iter), stop) for run in some], runs)
    ahead = -np.inf
    for run in runs:
        early = run.objective
        if early > ahead or ahead == -np.inf:
            run.advance(control.max_iter, stop, control.watch)
            ahead = ahead if run.failure else early
    return _best(runs)


def _best(runs: list[Run]) -> Run:
    best = max(runs, key=lambda run: run.objective)
    if best.failure:
        raise CollapsedError("; ".join(sorted({run.failure.rstrip(".") for run in runs})))
    return best
