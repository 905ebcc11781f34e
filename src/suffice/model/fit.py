"""Stage 3, the fit: a summary is cut into pieces; statistics → belief → density. It never needs the rows.

In:  a Summary, the Design of the model, and its Rules.
Out: pieces in the order of the user's table, without the columns that never vary, each with its Rule; and the Joint of
     their densities. With nothing hidden each is learned once; where cells are missing among columns modelled together
     by EM on their patterns.
"""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import TypeVar

import numpy as np

from suffice.beliefs.per_class import belief_of
from suffice.data.kinds import KINDS
from suffice.data.levels import Levels
from suffice.errors import (
    ConstantColumnWarning,
    FallingObjectiveError,
    HiddenCellsError,
    KindError,
    LostDigitsWarning,
    NotConvergedWarning,
    ParameterError,
    SingularError,
    warn,
)
from suffice.families.kinds import kinds_about
from suffice.families.product import ProductDensity
from suffice.families.protocol import Density, LastStep, Parametric, Statistics
from suffice.model.design import Design
from suffice.model.determined import decided, undetermined
from suffice.model.em.columns import initially
from suffice.model.em.loop import Expected, Loop, Step
from suffice.model.joint import Joint
from suffice.model.piece import Piece
from suffice.model.rules import AFTER_EM, Own, Rule, Rules, prevalence
from suffice.model.summary import Summary
from suffice.words import listed

T = TypeVar("T")
Known = Parametric[Statistics]
MOST_STEPS = 5_000
DROWNED = (
    "Left out, because subtracting rows has left no digits of their spread: {}. To use them, collect the remaining "
    "rows again."
)
TOO_FAR = (
    "The numbers of {} lie too far from 0 for their spread, more than 1e13 standard deviations: a float has no digits "
    "left to tell them apart. Subtract a typical value from the column first."
)


def fit(summary: Summary, design: Design, rules: Rules) -> Joint:
    pieces, rules = pieces_of(summary, design, rules)
    densities = tuple(_density(piece, summary.classes) for piece in pieces)
    schema = replace(summary.schema, blocks=tuple(piece.block for piece in pieces), pairs=())
    shares = prevalence(summary.statistics.weight, summary.classes, rules.priors, rules.smoothing)
    joint = Joint(schema, summary.classes, shares, ProductDensity(densities), rules.estimate, rules.doubt)
    return joint if design.dependence is None else design.dependence.joint(joint, summary, pieces)


# pieces, and what is believed of each


def pieces_of(
    summary: Summary, design: Design, rules: Rules, classes: Levels | None = None
) -> tuple[list[Piece], Rules]:
    """The pieces of a model, and the rules with "auto" decided."""
    if not summary.n > 0:
        raise ParameterError("There are no rows in this summary, so there is nothing to learn from.")
    found = sorted(design.pieces(summary), key=lambda piece: summary.schema.names.index(piece.block.names[0]))
    believed = rules.parameter_prior if isinstance(rules.parameter_prior, Mapping) else ()
    varying = [kept.plain() for piece in found for kept in _varying(piece, believed)]
    *preferred, last = rules.candidates(any(piece.statistics.hidden for piece in varying))
    settled = replace(rules, estimate=last)
    if preferred:
        settled = decided(varying, settled, preferred, classes or summary.classes, design.coarse)
    own = _own_priors(varying, rules, classes or summary.classes)
    pairs = [pair for piece in varying for pair in _with_own_priors(piece, own)]
    _refuse_other_beliefs(pairs)
    smoothed = replace(settled, estimate="map") if rules.estimate == "auto" else settled
    ruled = [replace(piece, rule=Rule(smoothed if _counted(piece) else settled, prior)) for piece, prior in pairs]
    return ruled, settled


def _counted(piece: Piece) -> bool:
    """Whether it is a table of counts, which smoothing says all about."""
    return piece.family.symmetric(1.0) is not None


def _varying(piece: Piece, believed: Container[str]) -> list[Piece]:
    """Without columns that never vary: they say nothing about the class, unless a belief about them does."""
    names, family, statistics = piece.block.names, piece.family, piece.statistics
    blurred = [names[j] for j in family.blurred(statistics)]
    if blurred:
        raise KindError(TOO_FAR.format(listed(blurred)))
    constant = [j for j in family.constant(statistics) if names[j] not in believed]
    drowned = [j for j in family.drowned(statistics) if j not in constant]
    if constant:
        warn(
            f"Left out, because they never vary or are all missing: {_quoted(names, constant)}.", ConstantColumnWarning
        )
    if drowned:
        warn(DROWNED.format(_quoted(names, drowned)), LostDigitsWarning)
    rest = [j for j in range(len(names)) if j not in (*constant, *drowned)]
    return [piece] if len(rest) == len(names) else [piece.take(rest)] if rest else []


def _quoted(names: Sequence[str], columns: Sequence[int]) -> str:
    return ", ".join(f"'{names[j]}'" for j in columns)


def _own_priors(pieces: list[Piece], rules: Rules, classes: Levels) -> dict[tuple[str, ...], Own]:
    """Priors that the user gave to single columns, or to columns modelled together, by the names they cover."""
    if not isinstance(rules.parameter_prior, Mapping):
        return {}
    given = {
        tuple(map(str, key)) if isinstance(key, tuple | list) else (str(key),): prior
        for key, prior in rules.parameter_prior.items()
    }
    possible = [piece.names for piece in pieces if piece.block.together]
    possible += [(name,) for piece in pieces if not piece.block.together for name in piece.names]
    for names in given:
        if names not in possible:
            raise ParameterError(
                f"parameter_prior names {', '.join(names)}, which are not a column, or columns modelled together in "
                f"this order. Possible: {'; '.join(', '.join(some) for some in possible)}."
            )
    return {names: belief_of(prior, classes, names) for names, prior in given.items()}


def _with_own_priors(piece: Piece, own: Mapping[tuple[str, ...], Own]) -> Iterator[tuple[Piece, Own | None]]:
    """Columns with a prior of their own one by one, the others together."""
    names = piece.block.names
    if piece.block.together or not own:
        yield piece, own.get(names)
        return
    alone = [j for j, name in enumerate(names) if (name,) in own]
    rest = [j for j in range(len(names)) if j not in alone]
    if rest:
        yield piece.take(rest), None
    yield from ((piece.take([j]), own[(names[j],)]) for j in alone)


def _refuse_other_beliefs(pairs: Sequence[tuple[Piece, Own | None]]) -> None:
    """What is believed about one sort of parameters says nothing about another."""
    for piece, own in pairs:
        if own is not None and own.about != piece.family.about:
            name, possible = piece.names[0], kinds_about(own.about)
            raise ParameterError(
                f"{own.name} is a belief about {own.about}, but one about {piece.family.about} is needed here: column "
                f"{name!r} is modelled as {KINDS[piece.block.kind].name}. It fits columns of the kinds "
                f"{', '.join(map(repr, possible))}: declare one, as in kinds={{{name!r}: {possible[0]!r}}}."
            )


# densities


def _density(piece: Piece, classes: Levels) -> Density:
    hidden = piece.statistics.hidden
    return with_remedies(lambda: _density_by_em(piece) if hidden else piece.density(), piece, classes)


def with_remedies(work: Callable[[], T], piece: Piece, components: Levels) -> T:
    """What the work gives; what rows leave open is told with names, and what to do about it."""
    try:
        return work()
    except SingularError as error:
        raise undetermined(error, piece, components) from None


def _density_by_em(piece: Piece) -> Density:
    """Fill in what the density expects of the missing cells, learn from that, and so on while it helps.

    EM goes to the mode; another last step is that of the belief after the rows with their cells as expected there.
    """
    family, statistics, estimate = piece.family, piece.statistics, piece.rule.rules.estimate
    if estimate not in AFTER_EM or piece.shrinks:
        why = "shrinkage" if piece.shrinks else f"estimate={estimate!r}"
        raise HiddenCellsError(
            f"Cells are missing (NaN) among columns modelled together, and with {why} EM may not converge. Use "
            "estimate='map' or 'ml' without shrinkage, or drop the rows with missing cells."
        )
    prior = piece.rule.to_the_mode.prior(family, statistics)
    prior.refuse_unseen(statistics)

    def expect(density: Known) -> Expected[Statistics]:
        return Expected(statistics.expected(density), statistics.log_likelihood(density), statistics.entropy(density))

    em: Loop[Known, Statistics] = Loop(
        expect,
        learn=lambda expected: prior.after(expected.statistics).mode(),
        log_prior=lambda density: float(prior.log_density(density).sum()),
        complete=lambda density, expected: density.log_likelihood(expected.statistics),
        extrapolate=lambda start, first, second: start.extrapolate(first, second),
    )
    filled, entropy = initially(family, statistics)
    last = _converged(em, Expected(filled, np.nan, entropy))
    if piece.rule.step is LastStep.MODE:
        return family.finished(last.parameters)
    belief = piece.rule.prior(family, statistics).after(last.expected.statistics)
    return family.finished(piece.rule.step.of(belief))


def _converged(em: Loop[Known, Statistics], first: Expected[Statistics]) -> Step[Known, Statistics]:
    """Where parameters stay the same, or floats have no digits left to follow them."""
    steps = em.steps(first)
    before, why = next(steps), f"has not converged in {MOST_STEPS} steps"
    try:
        for step in islice(steps, MOST_STEPS):
            if before.parameters.same_as(step.parameters):
                return step
            before = step
    except FallingObjectiveError:
        why = "stopped where floats have no more digits: columns have very few rows, or spreads of very different size"
    warn(f"EM over missing cells {why}.", NotConvergedWarning)
    return before
