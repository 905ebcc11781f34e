"""Stage 3, pieces: the columns that one family models, what rows say about them, and the rule by which to learn.

In:  a block of a schema, its family, and statistics; of a Summary, the Design of one model.
Out: Piece, a value that a Summary is made of and a model is learned from; Design, which cuts a summary, as it keeps
     what many models need, into pieces with exactly the statistics that each family takes. Nothing is counted again:
     counts by value can lose the levels that no row has left, and be had as moments, a value with its count being a row
     of that weight.
"""

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import add
from typing import TYPE_CHECKING

import numpy as np

from suffice.arrays import Array, Codes
from suffice.data.kinds import CATEGORICAL, GAUSSIAN, JOINT, come_back
from suffice.data.levels import as_float
from suffice.data.schema import BlockPlan, ColumnPlan
from suffice.errors import ParameterError
from suffice.families.capabilities import CountsCells
from suffice.families.gaussian.family import Gaussian
from suffice.families.gaussian.moments import Moments, of_rows, spread_over
from suffice.families.gaussian.shapes import DIAGONAL, FULL
from suffice.families.kinds import erased, family_of
from suffice.families.mass import Mass
from suffice.families.memberships import memberships
from suffice.families.protocol import Density, Family, Shrinkable, Statistics
from suffice.families.volumes import Volume
from suffice.model.dependence import Dependence
from suffice.model.rules import Rule, Rules
from suffice.words import listed

if TYPE_CHECKING:  # which is made of pieces
    from suffice.model.summary import Summary

UNLESS_ASKED_OTHERWISE = Rule(Rules("map"))


@dataclass(frozen=True, eq=False)
class Piece:
    block: BlockPlan
    family: Family[Statistics]
    statistics: Statistics
    rule: Rule = UNLESS_ASKED_OTHERWISE
    # of its cells, where those are modelled in other units than the user's
    volume: Volume = field(default_factory=lambda: Volume.none(1))

    @property
    def names(self) -> tuple[str, ...]:
        return self.block.names

    @property
    def shrinks(self) -> bool:
        """Whether its estimates are pulled towards simpler ones, which EM and evidence cannot follow."""
        return isinstance(self.family, Shrinkable) and self.family.shrinks

    @property
    def altered(self) -> bool:
        """Whether its estimates are not those of any belief."""
        return isinstance(self.family, Shrinkable) and (self.family.shrinks or self.family.finishes)

    def density(self) -> Density:
        """What the rule makes of the statistics, where no cell is hidden."""
        return self.rule.density(self.family, self.statistics)

    def plain(self) -> "Piece":
        """With the statistics that a model is made from: only a summary needs all digits, to take rows away again."""
        return replace(self, statistics=self.statistics.plain())

    def take(self, columns: Sequence[int]) -> "Piece":
        """Some of the columns; the columns of a row of counts stay together."""
        if self.block.words or list(columns) == list(range(len(self.block.columns))):
            return self
        statistics = self.family.marginal(self.statistics, columns)
        block, family = self.block.take(columns), self.family.take(columns)
        return replace(self, block=block, family=family, statistics=statistics, volume=self.volume.take(columns))

    def only(self, names: Container[str]) -> "Piece":
        """The columns of those names."""
        return self.take([j for j, name in enumerate(self.names) if name in names])


# which columns a model takes together


@dataclass(frozen=True)
class Design:
    joint: Sequence[Sequence[str]] = ()  # groups of numeric columns modelled together
    together: Gaussian = field(default_factory=lambda: Gaussian(0, FULL))  # how a group is modelled
    alone: Gaussian = field(default_factory=lambda: Gaussian(0, DIAGONAL))  # how all other numeric columns are
    ignored: frozenset[str] = frozenset()  # columns of the summary that the model does not use
    categories: frozenset[str] = frozenset()  # tallied columns that are taken for such; all others are numbers
    coarse: frozenset[str] = frozenset()  # tallied columns that are numbers, though hardly Gaussian ones
    dependence: Dependence | None = None  # of columns on each other; None: only as the groups say

    def pieces(self, summary: "Summary") -> Iterator[Piece]:
        unknown = [name for group in self.joint for name in group if name not in summary.schema.names]
        if unknown:
            raise ParameterError(
                f"There is no column {listed(unknown)}; the summary has {listed(summary.schema.names)}."
            )
        tallied = set(summary.schema.tallied)
        for piece in summary.as_numbers(tallied - self.categories).pieces():
            kept: Sequence[int] = range(len(piece.names))
            numeric = piece.block.numeric
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


def likely_categories(summary: "Summary") -> frozenset[str]:
    """Tallied columns whose values come back."""
    counts = (pair for piece in summary.pieces() for pair in tallies(piece).items())
    return frozenset(name for name, often in counts if come_back(len(often), often.sum()))


def numbers_in(summary: "Summary", ignored: Container[str] = ()) -> list[str]:
    """Names of the numbers of a summary, in the order of the table; tallied ones are among them."""
    blocks = (block for block in summary.schema.blocks if block.numeric or block.tallied)
    names = {name for block in blocks for name in block.names}
    return [name for name in summary.schema.names if name in names and name not in ignored]


# counts by value


def without_empty_levels(piece: Piece) -> Piece:
    """But for those that the type of a column declares."""
    block, family, statistics = piece.block, piece.family, piece.statistics
    if not block.coded or not isinstance(family, CountsCells):
        return piece
    counts = family.counts(statistics)
    met = list(map(_met_or_declared, block.columns, counts))
    if sum(map(len, met)) == sum(part.shape[1] for part in counts):
        return piece
    columns = (
        replace(c, levels=tuple(c.levels[i] for i in cells)) for c, cells in zip(block.columns, met, strict=True)
    )
    fewer = BlockPlan(block.kind, tuple(columns))
    return replace(piece, block=fewer, family=family_of(fewer), statistics=family.keeping(statistics, met))


def _met_or_declared(column: ColumnPlan, counts: Array) -> Codes:
    """The levels to keep."""
    met = np.flatnonzero(counts.any(axis=0))
    if not column.declared:
        return met
    named = set(column.declared)
    return np.union1d(met, np.array([code for code, level in enumerate(column.levels) if level in named], np.intp))


def tallies(piece: Piece) -> dict[str, Array]:
    """Of each tallied column, how often each value came."""
    if not piece.block.tallied or not isinstance(piece.family, CountsCells):
        return {}
    counts = piece.family.counts(piece.statistics)
    return {name: part.sum(axis=0) for name, part in zip(piece.names, counts, strict=True)}


def numbers_of(names: Sequence[str], pieces: Iterable[Piece], mass: Mass) -> Moments:
    """Of columns each by itself, whether they are tallied or numbers already."""
    numeric = (piece for piece in pieces if piece.block.columnwise or piece.block.tallied)
    some = [piece.only(names) for piece in numeric if not set(names).isdisjoint(piece.names)]
    parts = [_spread_over(piece, names) for piece in some]
    return reduce(add, parts).among(mass)


def _spread_over(piece: Piece, names: Sequence[str]) -> Moments:
    """Its moments among those of all columns, of the rest of which it says nothing."""
    found, family = piece.statistics, piece.family
    if isinstance(family, CountsCells):
        cells, counts = _one_for_each_level(piece.block), np.concatenate(family.counts(found), axis=1)
        as_numbers = Gaussian(cells.shape[1], DIAGONAL).statistics(cells, memberships(counts.T))
        found = of_rows(as_numbers, family.rows_of_groups(found))
    return spread_over(found, np.array([names.index(name) for name in piece.names], dtype=np.intp), len(names))


def _one_for_each_level(block: BlockPlan) -> Array:
    """A row for each level of each column, with the other columns missing."""  # (C, D)
    columns = [np.array([as_float(level) for level in column.levels]) for column in block.columns]
    place = np.repeat(np.arange(len(columns)), [len(column) for column in columns])
    rows = np.full((len(place), len(columns)), np.nan)
    rows[np.arange(len(place)), place] = np.concatenate(columns)
    return rows
