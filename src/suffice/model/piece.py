"""Stage 3, a piece: the columns that one family models, what rows say about them, and the rule by which to learn.

In:  a block of a schema, its family, and statistics.
Out: Piece, a value that a Summary is made of, a Design cuts, and a model is learned from. Counts by value can lose the
     levels that no row has left, and be had as moments: a value with its count is a row of that weight.
"""

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add

import numpy as np

from suffice.arrays import Array, Codes
from suffice.data.kinds import CODED, COUNTS, GAUSSIAN, TALLIED
from suffice.data.levels import as_float
from suffice.data.schema import BlockPlan, ColumnPlan
from suffice.families.cells.family import Cells
from suffice.families.counts import Counts
from suffice.families.gaussian.family import Gaussian
from suffice.families.gaussian.moments import Moments
from suffice.families.gaussian.shapes import DIAGONAL
from suffice.families.memberships import memberships
from suffice.families.protocol import Density, Family, Shrinkable, Statistics
from suffice.model.rules import Rule, Rules

UNLESS_ASKED_OTHERWISE = Rule(Rules("map"))


@dataclass(frozen=True, eq=False)
class Piece:
    block: BlockPlan
    family: Family[Statistics]
    statistics: Statistics
    rule: Rule = UNLESS_ASKED_OTHERWISE

    @property
    def names(self) -> tuple[str, ...]:
        return self.block.names

    @property
    def shrinks(self) -> bool:
        """Whether its estimates are pulled towards simpler ones, which EM and evidence cannot follow."""
        return isinstance(self.family, Shrinkable) and self.family.shrinks

    def density(self) -> Density:
        """What the rule makes of the statistics, where no cell is hidden."""
        return self.rule.density(self.family, self.statistics)

    def take(self, columns: Sequence[int]) -> "Piece":
        """Some of the columns; the columns of a row of counts stay together."""
        if self.block.kind == COUNTS or list(columns) == list(range(len(self.block.columns))):
            return self
        statistics = self.family.marginal(self.statistics, columns)
        return replace(self, block=self.block.take(columns), family=self.family.take(columns), statistics=statistics)

    def only(self, names: Container[str]) -> "Piece":
        """The columns of those names."""
        return self.take([j for j, name in enumerate(self.names) if name in names])


def without_empty_levels(piece: Piece) -> tuple[BlockPlan, Statistics]:
    """But for those that the type of a column declares."""
    block, family, statistics = piece.block, piece.family, piece.statistics
    if block.kind not in CODED or not (isinstance(family, Cells) and isinstance(statistics, Counts)):
        return block, statistics
    met = list(map(_met_or_declared, block.columns, family.met(statistics)))
    if sum(map(len, met)) == family.size:
        return block, statistics
    columns = (
        replace(c, levels=tuple(c.levels[i] for i in cells)) for c, cells in zip(block.columns, met, strict=True)
    )
    kept = np.concatenate([start + cells for start, cells in zip(family.starts, met, strict=True)])
    return BlockPlan(block.kind, tuple(columns)), statistics.take(kept, range(len(met)))


def _met_or_declared(column: ColumnPlan, met: Codes) -> Codes:
    """The levels to keep."""
    if not column.declared:
        return met
    named = set(column.declared)
    return np.union1d(met, np.array([code for code, level in enumerate(column.levels) if level in named], np.intp))


def tallies(piece: Piece) -> dict[str, Array]:
    """Of each tallied column, how often each value came."""
    if piece.block.kind != TALLIED or not (isinstance(piece.family, Cells) and isinstance(piece.statistics, Counts)):
        return {}
    ends = np.cumsum(piece.family.layout.sizes)
    return dict(zip(piece.names, np.split(piece.statistics.counts.sum(axis=0), ends[:-1]), strict=True))


def numbers_of(names: Sequence[str], pieces: Iterable[Piece], weight: Array) -> Moments:
    """Of columns each by itself, whether they are tallied or numbers already."""
    numeric = (piece for piece in pieces if piece.block.kind in (GAUSSIAN, TALLIED))
    some = [piece.only(names) for piece in numeric if not set(names).isdisjoint(piece.names)]
    parts = [_spread_over(piece, names) for piece in some]
    return replace(reduce(add, parts), weight=weight)


def _spread_over(piece: Piece, names: Sequence[str]) -> Moments:
    """Its moments among those of all columns, of the rest of which it says nothing."""
    found = piece.statistics
    if isinstance(found, Counts):
        rows = _one_for_each_level(piece.block)
        found = Gaussian(rows.shape[1], DIAGONAL).statistics(rows, memberships(found.counts.T))
    assert isinstance(found, Moments)  # there is no other record of a column by itself
    return found.spread_over(np.array([names.index(name) for name in piece.names], dtype=np.intp), len(names))


def _one_for_each_level(block: BlockPlan) -> Array:
    """A row for each level of each column, with the other columns missing."""  # (C, D)
    columns = [np.array([as_float(level) for level in column.levels]) for column in block.columns]
    place = np.repeat(np.arange(len(columns)), [len(column) for column in columns])
    rows = np.full((len(place), len(columns)), np.nan)
    rows[np.arange(len(place)), place] = np.concatenate(columns)
    return rows
