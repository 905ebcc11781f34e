"""Stage 3, how a model sees a summary: which numeric columns it models together, in which shape, and by which rule.

In:  a Summary, which keeps what many models need, the Design of one model, and its Rules.
Out: pieces, each with the family that models it, exactly the statistics that family takes, and its Rule; in the order
     of the user's table, without the columns that never vary. Nothing is counted again.
"""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from suffice.beliefs.per_class import belief_of
from suffice.data.kinds import CATEGORICAL, GAUSSIAN, JOINT, TALLIED, come_back
from suffice.data.levels import Levels
from suffice.data.schema import BlockPlan
from suffice.errors import ConstantColumnWarning, KindError, LostDigitsWarning, ParameterError, warn
from suffice.families.gaussian.family import Gaussian
from suffice.families.gaussian.patterns import AnyMoments
from suffice.families.gaussian.shapes import DIAGONAL, FULL
from suffice.families.kinds import erased
from suffice.model.dependence import Dependence
from suffice.model.determined import decided
from suffice.model.piece import Piece, tallies
from suffice.model.rules import Own, Rule, Rules
from suffice.model.summary import Summary
from suffice.words import listed

NUMERIC = (GAUSSIAN, JOINT)
DROWNED = (
    "Left out, because rows that were taken away have left no digit of its spread: {}. Collect the rows that stay anew "
    "to use it."
)
TOO_FAR = (
    "The numbers of {} lie too far from 0 for their spread, more than 1e13 standard deviations: a float has no digits "
    "left to tell them apart. Subtract a typical value from the column first."
)


@dataclass(frozen=True)
class Design:
    joint: Sequence[Sequence[str]] = ()  # groups of numeric columns modelled together
    together: Gaussian = field(default_factory=lambda: Gaussian(0, FULL))  # how a group is modelled
    alone: Gaussian = field(default_factory=lambda: Gaussian(0, DIAGONAL))  # how all other numeric columns are
    ignored: frozenset[str] = frozenset()  # columns of the summary that the model does not use
    categories: frozenset[str] = frozenset()  # tallied columns that are taken for such; all others are numbers
    coarse: frozenset[str] = frozenset()  # tallied columns that are numbers, though hardly Gaussian ones
    dependence: Dependence | None = None  # of columns on each other; None: only as the groups say

    def pieces(self, summary: Summary) -> Iterator[Piece]:
        unknown = [name for group in self.joint for name in group if name not in summary.schema.names]
        if unknown:
            raise ParameterError(f"There is no column {listed(unknown)}; there are {listed(summary.schema.names)}.")
        tallied = set(summary.schema.tallied)
        for piece in summary.as_numbers(tallied - self.categories).pieces():
            kept: Sequence[int] = range(len(piece.names))
            numeric = piece.block.kind in NUMERIC
            out = self.ignored | (self.categories & tallied) if numeric else self.ignored
            if out:
                kept = [j for j in kept if piece.names[j] not in out]
            if numeric:
                yield from self._numeric(piece, kept)
            elif kept:
                yield _decided(piece.take(kept))

    def _numeric(self, piece: Piece, kept: Sequence[int]) -> Iterator[Piece]:
        names = [piece.names[j] for j in kept]
        grouped = [[piece.names.index(name) for name in group] for group in self.joint if set(group) <= set(names)]
        rest = [j for j in kept if not any(j in group for group in grouped)]
        self._refuse_split_groups(set(names))
        for columns in grouped:
            yield self._piece(piece.take(columns), self.together)
        if rest:
            yield self._piece(piece.take(rest), self.alone)

    def _refuse_split_groups(self, names: set[str]) -> None:
        for group in self.joint:
            if set(group) & names and not set(group) <= names:
                raise ParameterError(
                    f"Columns {', '.join(map(repr, group))} are to be modelled together, but the summary does not keep "
                    "them together as numbers. Collect it with joint=True."
                )

    def _piece(self, piece: Piece, template: Gaussian) -> Piece:
        block = piece.block
        if template.shape == FULL and block.kind != JOINT and len(block.columns) > 1:
            raise ParameterError(
                f"This summary keeps {', '.join(map(repr, block.names))} each by itself, without the scatter between "
                "them that a full covariance needs. Collect it with joint=True."
            )
        assert isinstance(piece.statistics, AnyMoments)  # no other family models columns of these kinds
        family = replace(template, columns=len(block.columns))
        kind = JOINT if template.shape == FULL else GAUSSIAN
        return Piece(BlockPlan(kind, block.columns), erased(family), family.suited(piece.statistics))


def _decided(piece: Piece) -> Piece:
    """Tallied columns as categories."""
    if piece.block.kind != TALLIED:
        return piece
    columns = tuple(replace(column, kind=CATEGORICAL) for column in piece.block.columns)
    return replace(piece, block=BlockPlan(CATEGORICAL, columns))


def likely_categories(summary: Summary) -> frozenset[str]:
    """Tallied columns whose values come back."""
    counts = (pair for piece in summary.pieces() for pair in tallies(piece).items())
    return frozenset(name for name, often in counts if come_back(len(often), often.sum()))


def columns_of(summary: Summary, kinds: Container[str], ignored: Container[str] = ()) -> list[str]:
    """Names of the columns of some kinds, in the order of the table; tallied ones count as numbers."""
    blocks = (block for block in summary.schema.blocks if (GAUSSIAN if block.kind == TALLIED else block.kind) in kinds)
    names = {name for block in blocks for name in block.names}
    return [name for name in summary.schema.names if name in names and name not in ignored]


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
        raise KindError(TOO_FAR.format(listed(blurred)))
    constant = [j for j in family.constant(statistics) if names[j] not in believed]
    drowned = [j for j in family.drowned(statistics) if j not in constant]
    if constant:
        warn(f"Left out, because it never varies or is all missing: {_quoted(names, constant)}.", ConstantColumnWarning)
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
