"""Stage 3, pieces: the columns that one family models, what rows say about them, and the rule by which to learn.

In:  a Summary, the Design of the model, and its Rules.
Out: Pieces, in the order of the user's table, without the columns that never vary.
"""

from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Any

from suffice.data.schema import BlockPlan
from suffice.errors import ConstantColumnWarning, KindError, ParameterError, warn
from suffice.families.protocol import Family, Statistics
from suffice.model.design import Design, taken
from suffice.model.rules import Rule, Rules, own_priors, with_own_priors
from suffice.model.summary import Part, Summary
from suffice.words import listed


@dataclass(frozen=True, eq=False)
class Piece:
    block: BlockPlan
    family: Family[Statistics]
    statistics: Statistics
    rule: Rule


def pieces_of(
    summary: Summary, design: Design, rules: Rules, classes: tuple[Any, ...] | None = None
) -> tuple[list[Piece], Rules]:
    """The pieces of a model, and the rules with "auto" decided."""
    if not summary.n > 0:
        raise ParameterError("There are no rows in this summary, so there is nothing to learn from.")
    found = sorted(design.pieces(summary), key=lambda part: summary.schema.names.index(part[0].names[0]))
    believed = rules.parameter_prior if isinstance(rules.parameter_prior, Mapping) else ()
    parts = [kept for part in found for kept in _varying(part, believed)]
    rules = rules.resolved(any(statistics.hidden for _, _, statistics in parts))
    own = own_priors(parts, rules, classes or summary.classes)
    return [Piece(*piece, Rule(rules, prior)) for part in parts for piece, prior in with_own_priors(part, own)], rules


def _varying(part: Part, believed: Container[Any]) -> list[Part]:
    """Without columns that never vary: they say nothing about the class, unless a belief about them does."""
    block, family, statistics = part
    blurred = [block.names[j] for j in family.blurred(statistics)]
    if blurred:
        raise KindError(
            f"The numbers of {listed(blurred)} lie too far from 0 for their spread, more than 1e13 standard "
            "deviations: a float has no digits left to tell them apart. Subtract a typical value from the column first."
        )
    constant = [j for j in family.constant(statistics) if block.names[j] not in believed]
    if not constant:
        return [part]
    names = ", ".join(f"'{block.names[j]}'" for j in constant)
    warn(f"Left out, because it never varies or is all missing: {names}.", ConstantColumnWarning)
    rest = [j for j in range(len(block.columns)) if j not in constant]
    return [taken(part, rest)] if rest else []
