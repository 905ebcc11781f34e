"""Stage 3, a piece: the columns that one family models, what rows say about them, and the rule by which to learn.

In:  a block of a schema, its family, and statistics.
Out: Piece, a value that a Summary is made of, a Design cuts, and a model is learned from.
"""

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace

from suffice.data.kinds import COUNTS
from suffice.data.schema import BlockPlan
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
