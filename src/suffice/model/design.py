"""Stage 3, designs: which columns a model takes together, which it leaves out, and how they depend on each other.

In:  a Summary, which keeps what many models need.
Out: Design, which cuts it into pieces with exactly the statistics that each family of one model takes.
"""

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field, replace

from suffice.data.kinds import CATEGORICAL, GAUSSIAN, JOINT, come_back
from suffice.data.schema import BlockPlan
from suffice.errors import ParameterError
from suffice.families.gaussian.family import Gaussian
from suffice.families.gaussian.shapes import DIAGONAL, FULL
from suffice.families.kinds import erased
from suffice.model.dependence import Dependence
from suffice.model.piece import Piece, tallies
from suffice.model.summary import Summary
from suffice.words import listed


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
            raise ParameterError(
                f"There is no column {listed(unknown)}; the summary has {listed(summary.schema.names)}."
            )
        tallied = set(summary.schema.tallied)
        for piece in summary.as_numbers(tallied - self.categories).pieces():
            names, numeric = piece.block.names, piece.block.numeric
            kept: Sequence[int] = range(len(names))
            out = self.ignored | (self.categories & tallied) if numeric else self.ignored
            if out:
                kept = [j for j in kept if names[j] not in out]
            if numeric:
                yield from self._numeric(piece, names, kept)
            elif kept:
                yield _decided(piece.take(kept))

    def _numeric(self, piece: Piece, every: Sequence[str], kept: Sequence[int]) -> Iterator[Piece]:
        names = {every[j] for j in kept}
        grouped = [[every.index(name) for name in group] for group in self.joint if names.issuperset(group)]
        rest = [j for j in kept if not any(j in group for group in grouped)]
        self._refuse_split_groups(names)
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
        if template.shape == FULL and not block.crosswise and len(block.columns) > 1:
            raise ParameterError(
                f"This summary keeps {', '.join(map(repr, block.names))} each by itself, without the scatter between "
                "them that a full covariance needs. Collect it with joint=True."
            )
        family = replace(template, columns=len(block.columns))
        kind = JOINT if template.shape == FULL else GAUSSIAN
        return Piece(BlockPlan(kind, block.columns), erased(family), family.suited(piece.statistics))


def _decided(piece: Piece) -> Piece:
    """Tallied columns as categories."""
    if not piece.block.tallied:
        return piece
    columns = tuple(replace(column, kind=CATEGORICAL) for column in piece.block.columns)
    return replace(piece, block=BlockPlan(CATEGORICAL, columns))


def likely_categories(summary: Summary) -> frozenset[str]:
    """Tallied columns whose values come back."""
    counts = (pair for piece in summary.pieces() for pair in tallies(piece).items())
    return frozenset(name for name, often in counts if come_back(len(often), often.sum()))


def numbers_in(summary: Summary, ignored: Container[str] = ()) -> list[str]:
    """Names of the numbers of a summary, in the order of the table; tallied ones are among them."""
    blocks = (block for block in summary.schema.blocks if block.numeric or block.tallied)
    names = {name for block in blocks for name in block.names}
    return [name for name in summary.schema.names if name in names and name not in ignored]
