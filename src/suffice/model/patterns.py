"""Stage 3, which cells of columns modelled together are there together.

In:  the blocks of a model, and the summary of the rows it has learned from.
Out: patterns of each block: all that there can be of a few columns, else those that rows have had.
"""

from collections.abc import Sequence
from itertools import combinations

from suffice.data.schema import BlockPlan
from suffice.families.capabilities import Patterned
from suffice.formulas import Pattern
from suffice.model.summary import Summary

FEW = 4  # columns of which every pattern is one of sixteen


def patterns_of(blocks: Sequence[BlockPlan], summary: Summary | None) -> list[list[Pattern]]:
    return [_all(len(block.names)) if len(block.names) <= FEW else _met(block, summary) for block in blocks]


def _all(columns: int) -> list[Pattern]:
    return [some for size in range(columns + 1) for some in combinations(range(columns), size)]


def _met(block: BlockPlan, summary: Summary | None) -> list[Pattern]:
    for piece in summary.pieces() if summary is not None else ():
        if isinstance(piece.statistics, Patterned) and set(block.names) <= set(piece.names):
            return piece.statistics.patterns_of([piece.names.index(name) for name in block.names])
    return []
