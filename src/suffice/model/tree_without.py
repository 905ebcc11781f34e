"""Stage 3, rows left out of a tree that is kept: each column given its parent, learned without the row.

In:  the factors of a tree, and the rows with their classes and weights, as blocks.
Out: LeftOut: log densities (n, K) of each row without it, and the rows that have to be learned without anew: those of
     which a cell is missing that another depends on, and those that were all there was of something.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from suffice.arrays import Array, Codes
from suffice.data.schema import BlockPlan
from suffice.errors import NotInSummaryError, SingularError
from suffice.families.gaussian.family import Gaussian
from suffice.families.gaussian.shapes import FULL
from suffice.families.leave_one_out import LeftOut
from suffice.families.protocol import Block
from suffice.families.tree.lines import two_numbers
from suffice.families.tree.nodes import Place
from suffice.kernels.left_out import LEAST_KEPT
from suffice.model.tree_parts import Factor, line_of

MOST = 1 << 20  # numbers of all models side by side


@dataclass(frozen=True, eq=False)
class Left:
    """Some rows."""

    blocks: tuple[Block, ...]
    labels: Codes  # (n,)
    weights: Array  # (n,)
    places: Mapping[str, Place]

    def without(self, factors: Sequence[Factor], classes: int) -> LeftOut:
        out, lost = np.zeros((len(self.labels), classes)), np.zeros(len(self.labels), dtype=bool)
        for factor in factors:
            found = self._of(factor)
            out += found.log_density
            lost |= found.lost
        return LeftOut(out, lost)

    def _of(self, factor: Factor) -> LeftOut:
        try:
            if factor.on_a_number:
                return self._of_a_line(factor)
            return self._of_a_level(factor) if factor.levels else self._of_a_class(factor)
        except (SingularError, NotInSummaryError):  # somewhere among them
            return LeftOut(np.zeros((len(self.labels), 1)), np.ones(len(self.labels), dtype=bool))

    def _cells(self, names: Sequence[str]) -> Block:
        block = self.blocks[self.places[names[0]][0]]
        columns = [self.places[name][1] for name in names]
        return block if len(columns) == block.shape[1] else block[:, columns]

    def _of_a_class(self, factor: Factor) -> LeftOut:
        piece = factor.piece
        return piece.family.leave_one_out(
            self._cells(piece.names), self.labels, self.weights, piece.statistics, factor.rule
        )

    def _of_a_level(self, factor: Factor) -> LeftOut:
        """Components are class × level; a row is asked about in its own level of every class."""
        piece, size = factor.piece, len(factor.levels)
        level, x = self._cells([str(factor.parent)])[:, 0].astype(np.intp), self._cells(piece.names)
        there, classes = np.flatnonzero(level >= 0), len(piece.statistics.weight) // size
        labels, weights = self.labels[there] * size + level[there], self.weights[there]
        found = piece.family.leave_one_out(x[there], labels, weights, piece.statistics, factor.rule)
        at = np.arange(classes) * size + level[there][:, None]
        out, lost = np.zeros((len(level), classes)), (level < 0) & _any_cell(x, piece.block)
        out[there] = np.take_along_axis(found.log_density, at, axis=1)
        lost[there] |= found.lost | (piece.statistics.weight[labels] <= weights if not factor.helped else False)
        return LeftOut(out, lost)

    def _of_a_line(self, factor: Factor) -> LeftOut:
        """As many lines side by side as there are rows."""
        child, parent = (self._cells([name])[:, 0].astype(float) for name in factor.piece.names)
        classes = len(factor.piece.statistics.weight)
        out, lost = np.zeros((len(child), classes)), np.isnan(parent) & ~np.isnan(child)
        there = np.flatnonzero(~np.isnan(parent) & ~np.isnan(child))
        for some in np.array_split(there, max(1, 32 * len(there) * classes // MOST)):
            if len(some):
                out[some], lost[some] = self._lines(factor, np.stack([child[some], parent[some]], axis=1), some)
        return LeftOut(out, lost)

    def _lines(self, factor: Factor, x: Array, rows: Codes) -> tuple[Array, NDArray[np.bool_]]:
        whole, family, rule = two_numbers(factor.piece.statistics), Gaussian(2, FULL), factor.rule
        classes, many = len(whole.weight), len(rows)
        own = np.arange(many) * classes + self.labels[rows]
        every = whole.only(np.tile(np.arange(classes), many))
        held = every - family.singly(x, self.weights[rows]).onto(own, many * classes)
        density = rule.density(family.side_by_side(many), held)
        line = line_of(density, rule, held.weight, (0, 0), (0, 1))
        child, parent = np.repeat(x, classes, axis=0).T
        return line.paired(child, parent).reshape(many, classes), held.only(own).kept(every.only(own)) < LEAST_KEPT


def _any_cell(x: Block, block: BlockPlan) -> NDArray[np.bool_]:
    """Rows with a cell that is there."""
    return np.asarray((x >= 0).any(axis=1) if block.coded else (~np.isnan(x)).any(axis=1))
