"""Stage 3, pieces: the columns that one family models, what rows say about them, and the rule by which to learn.

In:  a block of a schema, its family, and statistics.
Out: Piece, a value that a Summary is made of and a model is learned from. Nothing is counted again: counts by value can
     lose the levels that no row has left, and be had as moments, a value with its count being a row of that weight.
"""

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import add

import numpy as np

from suffice.arrays import Array, Codes
from suffice.data.levels import as_float
from suffice.data.schema import BlockPlan, ColumnPlan
from suffice.families.capabilities import CountsCells
from suffice.families.gaussian.family import Gaussian
from suffice.families.gaussian.moments import Moments, of_rows, spread_over
from suffice.families.gaussian.shapes import DIAGONAL
from suffice.families.kinds import family_of
from suffice.families.mass import Mass
from suffice.families.memberships import memberships
from suffice.families.protocol import Density, Family, Shrinkable, Statistics
from suffice.families.volumes import Volume
from suffice.model.rules import Rule, Rules

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
