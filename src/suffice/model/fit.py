"""Stage 3, the loop: statistics → belief → density. With nothing hidden it runs once, and it never needs the rows.

In:  a Summary, the Design of the model, and its Rules.
Out: Joint. Where cells are missing among columns modelled together, the loop is EM on their patterns.
"""

import warnings
from dataclasses import dataclass, replace
from typing import Any

from suffice.data.schema import BlockPlan, listed
from suffice.errors import ConstantColumnWarning, HiddenCellsError, NotConvergedWarning, ParameterError, SingularError
from suffice.families.product import ProductDensity
from suffice.families.protocol import Density, Family
from suffice.model.design import Design, taken
from suffice.model.joint import Joint
from suffice.model.prevalence import prevalence
from suffice.model.rules import MONOTONE, Rule, Rules, own_priors, with_own_priors
from suffice.model.summary import Part, Summary

MOST_STEPS = 5_000


@dataclass(frozen=True, eq=False)
class Piece:
    """Columns that one family models, what the rows say about them, and how the density follows."""

    block: BlockPlan
    family: Family
    statistics: Any
    rule: Rule


def fit(summary: Summary, design: Design, rules: Rules) -> Joint:
    pieces, rules = cut_up(summary, design, rules)
    densities = tuple(_density(piece, summary.classes) for piece in pieces)
    schema = replace(summary.schema, blocks=tuple(piece.block for piece in pieces))
    shares = prevalence(summary.statistics.weight, summary.classes, rules.priors, rules.smoothing)
    return Joint(schema, summary.classes, shares, ProductDensity(densities), rules.estimate)


def cut_up(summary: Summary, design: Design, rules: Rules) -> tuple[list[Piece], Rules]:
    """The pieces of a model, in the order of the user's table, and the rules with "auto" decided."""
    if not summary.n > 0:
        raise ParameterError("There are no rows in this summary, so there is nothing to learn from.")
    order = {name: position for position, name in enumerate(summary.schema.names)}
    found = sorted(design.pieces(summary), key=lambda part: order[part[0].names[0]])
    parts = [kept for part in found for kept in _varying(part)]
    rules = rules.settled(any(statistics.hidden for _, _, statistics in parts))
    own = own_priors(parts, rules)
    return [Piece(*piece, Rule(rules, prior)) for part in parts for piece, prior in with_own_priors(part, own)], rules


def _density(piece: Piece, classes: tuple[Any, ...]) -> Density:
    family, statistics, rule = piece.family, piece.statistics, piece.rule
    try:
        return _density_by_em(piece) if statistics.hidden else rule.density(family, statistics)
    except SingularError as error:
        names = listed([piece.block.names[j] for j in error.columns])
        other = f", or {error.remedy}" if error.remedy else ""
        rows = statistics.weight.sum() if error.component is None else statistics.weight[error.component]
        where = "Within the classes" if error.component is None else f"In class {classes[error.component]!r}"
        few = f" ({rows:g} rows for {family.columns} columns)" if 1 < family.columns >= rows else ""
        raise SingularError(
            f"{where} {error} {names}{few}, so estimate={rule.rules.estimate!r} is not determined. "
            f"{family.remedy}{other}, or leave columns out.",
            error.component,
            error.columns,
        ) from None


def _density_by_em(piece: Any) -> Density:
    """Fill in what the density expects of the missing cells, learn from that, and so on while it helps."""
    family, statistics, estimate = piece.family, piece.statistics, piece.rule.rules.estimate
    if estimate not in MONOTONE or family.shrinks:
        why = "shrinkage" if family.shrinks else f"estimate={estimate!r}"
        raise HiddenCellsError(
            f"Cells are missing (NaN) among columns modelled together, and with {why} EM need not converge. Use "
            "estimate='map' or 'ml' without shrinkage, or drop the rows with missing cells."
        )
    prior = piece.rule.prior(family, statistics)
    prior.refuse_unseen(statistics)

    def step(density: Any) -> Any:
        return prior.after(statistics.expected(density)).mode()

    def worth(density: Any) -> float:
        return float(statistics.log_likelihood(density) + prior.log_density(density))

    density = family.start(statistics)
    for _ in range(MOST_STEPS):
        first = step(density)
        second = step(first)
        if first.same_as(second):
            return second  # type: ignore[no-any-return] # whatever density the family has
        leap = density.leap(first, second)  # EM creeps; this leaps ahead, where that is better
        density = leap if leap is not None and worth(leap) > worth(second) else second
    warnings.warn(f"EM over missing cells has not converged in {MOST_STEPS} steps.", NotConvergedWarning, stacklevel=2)
    return density  # type: ignore[no-any-return]


def _varying(part: Part) -> list[Part]:
    """The part without the columns that never vary: they say nothing about the class."""
    block, family, statistics = part
    constant = family.constant(statistics)
    if not constant:
        return [part]
    names = ", ".join(f"'{block.names[j]}'" for j in constant)
    warnings.warn(f"Left out, because it never varies or is all missing: {names}.", ConstantColumnWarning, stacklevel=2)
    rest = [j for j in range(len(block.columns)) if j not in constant]
    return [taken(part, rest)] if rest else []
