"""Stage 3, how a model sees a summary: which numeric columns it models together, and in which shape.

In:  a Summary, which keeps what many models need, and the Design of one model.
Out: pieces, each with the family that models it and exactly the statistics that family takes. Nothing is counted again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from suffice.data.kinds import COUNTS, GAUSSIAN, JOINT
from suffice.data.schema import BlockPlan
from suffice.errors import ParameterError
from suffice.families.gaussian.family import Gaussian
from suffice.families.gaussian.shapes import DIAGONAL, FULL
from suffice.model.summary import Part, Summary
from suffice.words import listed

NUMERIC = (GAUSSIAN, JOINT)


@dataclass(frozen=True)
class Design:
    joint: Sequence[Sequence[str]] = ()  # groups of numeric columns modelled together
    together: Gaussian = field(default_factory=lambda: Gaussian(0, FULL))  # how a group is modelled
    alone: Gaussian = field(default_factory=lambda: Gaussian(0, DIAGONAL))  # how all other numeric columns are
    ignored: frozenset[str] = frozenset()  # columns of the summary that the model does not use

    def pieces(self, summary: Summary) -> Iterator[Part]:
        unknown = [name for group in self.joint for name in group if name not in summary.schema.names]
        if unknown:
            raise ParameterError(f"There is no column {listed(unknown)}; there are {listed(summary.schema.names)}.")
        for part in summary.parts():
            block = part[0]
            kept: Sequence[int] = range(len(block.names))
            if self.ignored:
                kept = [j for j in kept if block.names[j] not in self.ignored]
            if block.kind in NUMERIC:
                yield from self._numeric(part, kept)
            elif kept:
                yield taken(part, kept)

    def _numeric(self, part: Part, kept: Sequence[int]) -> Iterator[Part]:
        block = part[0]
        names = [block.names[j] for j in kept]
        grouped = [[block.names.index(name) for name in group] for group in self.joint if set(group) <= set(names)]
        rest = [j for j in kept if not any(j in group for group in grouped)]
        self._refuse_split_groups(set(names))
        for columns in grouped:
            yield self._piece(taken(part, columns), self.together)
        if rest:
            yield self._piece(taken(part, rest), self.alone)

    def _refuse_split_groups(self, names: set[str]) -> None:
        for group in self.joint:
            if set(group) & names and not set(group) <= names:
                raise ParameterError(
                    f"Columns {', '.join(map(repr, group))} are to be modelled together, but the summary does not keep "
                    "them together as numbers. Collect it with joint=True."
                )

    def _piece(self, part: Part, template: Gaussian) -> Part:
        block, _, statistics = part
        if template.shape == FULL and block.kind != JOINT and len(block.columns) > 1:
            raise ParameterError(
                f"This summary keeps {', '.join(map(repr, block.names))} each by itself, without the scatter between "
                "them that a full covariance needs. Collect it with joint=True."
            )
        family = replace(template, columns=len(block.columns))
        return (
            BlockPlan(JOINT if template.shape == FULL else GAUSSIAN, block.columns),
            family,
            family.suited(statistics),
        )


def taken(part: Part, columns: Sequence[int]) -> Part:
    """Some of the columns of a part; the columns of a row of counts stay together."""
    block, family, statistics = part
    if block.kind == COUNTS or list(columns) == list(range(len(block.columns))):
        return part
    return block.take(columns), family.take(columns), family.marginal(statistics, columns)


def columns_of(summary: Summary, kinds: Sequence[str], ignored: Any = ()) -> list[str]:
    """Names of the columns of some kinds, in the order of the summary."""
    columns = (column for block in summary.schema.blocks if block.kind in kinds for column in block.columns)
    return [column.name for column in columns if column.name not in ignored]
