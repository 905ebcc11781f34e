"""Stage 3, the loop: statistics → belief → density. With nothing hidden it runs once, and it never needs the rows.

In:  a Summary, the Design of the model, and its Rules.
Out: Joint. Where cells are missing among columns modelled together the loop is EM on their patterns; where components
     are hidden it is EM on the rows (`em/hidden`). `EM` is the loop of both.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import numpy as np

from suffice.data.levels import Levels
from suffice.errors import FallingObjectiveError, HiddenCellsError, NotConvergedWarning, SingularError, warn
from suffice.families.product import ProductDensity
from suffice.families.protocol import Density, Family, FillsCells, LastStep, Parametric, S, Statistics
from suffice.model.design import Design, pieces_of
from suffice.model.determined import undetermined
from suffice.model.joint import Joint
from suffice.model.piece import Piece
from suffice.model.rules import AFTER_EM, Rules, prevalence
from suffice.model.summary import Summary

Parameters = TypeVar("Parameters")
T = TypeVar("T")
Q = TypeVar("Q")  # what parameters are learned from
Known = Parametric[Statistics]
ROUNDING = 1e-9  # relative: by what an objective may fall and still not have fallen
MOST_STEPS = 5_000


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
class EM(Generic[Parameters, Q]):
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
                f"EM lowered its objective, from {before.objective:.17g} to {objective:.17g}, which it never may. The "
                "columns are at the limits of floating point: scale or shift them, or use fewer components."
            )
        return Step(parameters, expected, objective, self._bound(parameters, before.expected), before.expected.entropy)

    def _bound(self, parameters: Parameters, learned_from: Expected[Q]) -> float:
        return self.complete(parameters, learned_from) + learned_from.entropy


def fit(summary: Summary, design: Design, rules: Rules) -> Joint:
    pieces, rules = pieces_of(summary, design, rules)
    densities = tuple(_density(piece, summary.classes) for piece in pieces)
    schema = replace(summary.schema, blocks=tuple(piece.block for piece in pieces), pairs=())
    shares = prevalence(summary.statistics.weight, summary.classes, rules.priors, rules.smoothing)
    joint = Joint(schema, summary.classes, shares, ProductDensity(densities), rules.estimate, rules.doubt)
    return joint if design.dependence is None else design.dependence.joint(joint, summary, pieces)


def _density(piece: Piece, classes: Levels) -> Density:
    hidden = piece.statistics.hidden
    return with_remedies(lambda: _density_by_em(piece) if hidden else piece.density(), piece, classes)


def with_remedies(work: Callable[[], T], piece: Piece, components: Levels) -> T:
    """What the work gives; what rows leave open is told with names, and what to do about it."""
    try:
        return work()
    except SingularError as error:
        raise undetermined(error, piece, components) from None


def initially(family: Family[S], statistics: S) -> tuple[S, float]:
    """The statistics with missing cells as EM first expects them, and the entropy of those cells."""
    if not isinstance(family, FillsCells):
        return statistics, 0.0
    start = family.initial_parameters(statistics)
    return statistics.filled(start), statistics.entropy(start)


def _density_by_em(piece: Piece) -> Density:
    """Fill in what the density expects of the missing cells, learn from that, and so on while it helps.

    EM goes to the mode; another last step is that of the belief after the rows with their cells as expected there.
    """
    family, statistics, estimate = piece.family, piece.statistics, piece.rule.rules.estimate
    if estimate not in AFTER_EM or piece.shrinks:
        why = "shrinkage" if piece.shrinks else f"estimate={estimate!r}"
        raise HiddenCellsError(
            f"Cells are missing (NaN) among columns modelled together, and with {why} EM need not converge. Use "
            "estimate='map' or 'ml' without shrinkage, or drop the rows with missing cells."
        )
    prior = piece.rule.prior(family, statistics)
    prior.refuse_unseen(statistics)

    def expect(density: Known) -> Expected[Statistics]:
        return Expected(statistics.expected(density), statistics.log_likelihood(density), statistics.entropy(density))

    em: EM[Known, Statistics] = EM(
        expect,
        learn=lambda expected: prior.after(expected.statistics).mode(),
        log_prior=lambda density: float(prior.log_density(density).sum()),
        complete=lambda density, expected: density.log_likelihood(expected.statistics),
        extrapolate=lambda start, first, second: start.extrapolate(first, second),
    )
    filled, entropy = initially(family, statistics)
    last = _converged(em, Expected(filled, np.nan, entropy))
    if piece.rule.step is LastStep.MODE:
        return last.parameters
    return piece.rule.step.of(prior.after(last.expected.statistics))


def _converged(em: EM[Known, Statistics], first: Expected[Statistics]) -> Step[Known, Statistics]:
    before = None
    for number, step in enumerate(em.steps(first)):
        if before is not None and before.parameters.same_as(step.parameters):
            return step
        if number == MOST_STEPS:
            break
        before = step
    warn(f"EM over missing cells has not converged in {MOST_STEPS} steps.", NotConvergedWarning)
    return step
