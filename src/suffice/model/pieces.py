"""Stage 3, the pieces of a model: what a summary keeps, cut as the model needs it, each with its rule.

In:  a Summary, the Design of the model, and its Rules.
Out: Pieces, in the order of the user's table, without the columns that never vary.
"""

from collections.abc import Container, Iterator, Mapping
from dataclasses import replace

from suffice.beliefs.per_class import belief_of
from suffice.data.levels import Levels
from suffice.errors import ConstantColumnWarning, KindError, ParameterError, warn
from suffice.model.design import Design
from suffice.model.determined import decided
from suffice.model.piece import Piece
from suffice.model.rules import Own, Rule, Rules
from suffice.model.summary import Summary
from suffice.words import listed


def pieces_of(
    summary: Summary, design: Design, rules: Rules, classes: Levels | None = None
) -> tuple[list[Piece], Rules]:
    """The pieces of a model, and the rules with "auto" decided."""
    if not summary.n > 0:
        raise ParameterError("There are no rows in this summary, so there is nothing to learn from.")
    found = sorted(design.pieces(summary), key=lambda piece: summary.schema.names.index(piece.names[0]))
    believed = rules.parameter_prior if isinstance(rules.parameter_prior, Mapping) else ()
    varying = [kept for piece in found for kept in _varying(piece, believed)]
    *preferred, last = rules.candidates(any(piece.statistics.hidden for piece in varying))
    settled = replace(rules, estimate=last)
    if preferred:
        settled = decided(varying, settled, preferred, classes or summary.classes, design.coarse)
    own = _own_priors(varying, rules, classes or summary.classes)
    pairs = (pair for piece in varying for pair in _with_own_priors(piece, own))
    smoothed = replace(settled, estimate="map") if rules.estimate == "auto" else settled
    ruled = [replace(piece, rule=Rule(smoothed if _counted(piece) else settled, prior)) for piece, prior in pairs]
    return ruled, settled


def _counted(piece: Piece) -> bool:
    """Whether it is a table of counts, which smoothing says all about."""
    return piece.family.symmetric(1.0) is not None


def _varying(piece: Piece, believed: Container[str]) -> list[Piece]:
    """Without columns that never vary: they say nothing about the class, unless a belief about them does."""
    names, family, statistics = piece.names, piece.family, piece.statistics
    blurred = [names[j] for j in family.blurred(statistics)]
    if blurred:
        raise KindError(
            f"The numbers of {listed(blurred)} lie too far from 0 for their spread, more than 1e13 standard "
            "deviations: a float has no digits left to tell them apart. Subtract a typical value from the column first."
        )
    constant = [j for j in family.constant(statistics) if names[j] not in believed]
    if not constant:
        return [piece]
    left_out = ", ".join(f"'{names[j]}'" for j in constant)
    warn(f"Left out, because it never varies or is all missing: {left_out}.", ConstantColumnWarning)
    rest = [j for j in range(len(names)) if j not in constant]
    return [piece.take(rest)] if rest else []


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
                f"parameter_prior is about {', '.join(names)}, which are not, in this order, a column or columns "
                f"modelled together; there are {'; '.join(', '.join(some) for some in possible)}."
            )
    return {names: belief_of(prior, classes, names) for names, prior in given.items()}


def _with_own_priors(piece: Piece, own: Mapping[tuple[str, ...], Own]) -> Iterator[tuple[Piece, Own | None]]:
    """Columns with a prior of their own one by one, the others together."""
    if piece.block.together:
        yield piece, own.get(piece.names)
        return
    alone = [j for j, name in enumerate(piece.names) if (name,) in own]
    rest = [j for j in range(len(piece.names)) if j not in alone]
    if rest:
        yield piece.take(rest), None
    yield from ((piece.take([j]), own[(piece.names[j],)]) for j in alone)
