"""Stage 3, columns that depend on each other as a tree, where the classes of some rows are hidden.

In:  a Tree, and its factors, each with a belief that the rows do not move.
Out: TreeColumns: rows are of each class as the density of the tree has it, and every factor is the mode of its belief
     after what those memberships say. Every cell has to be there: factors of rows with holes would maximise no
     likelihood.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from suffice.arrays import Array
from suffice.data.blocks import Blocks
from suffice.data.levels import Levels
from suffice.errors import CollapsedError, HiddenCellsError, SingularError
from suffice.families.accumulator import Sums
from suffice.families.given import with_empty_level
from suffice.families.mass import Mass
from suffice.families.memberships import Memberships, Soft
from suffice.families.pairs import pair_moments
from suffice.families.product import ProductStatistics, RowDensity
from suffice.families.protocol import Block, Family, Parametric, Prior, Statistics
from suffice.families.tree import lines
from suffice.families.tree.density import TreeDensity
from suffice.families.tree.nodes import Category, Leaf, Node, Regression, side_by_side
from suffice.model.em.columns import HiddenColumns, Parts, Read, Reader, together
from suffice.model.em.label_evidence import LabelEvidence
from suffice.model.piece import Piece
from suffice.model.tree import Tree
from suffice.model.tree_parts import Factor, density_of_factors
from suffice.words import listed


@dataclass(frozen=True, eq=False)
class HiddenFactor:
    """One factor of the tree, and what it is believed to be."""

    factor: Factor  # with what rows of a certain class say
    belief: Prior[Statistics]  # of its components, and of a level never seen

    @classmethod
    def of(cls, factor: Factor, label_evidence: LabelEvidence) -> "HiddenFactor":
        """The factor has the statistics of each class, and last of the rows whose class is hidden."""
        piece, tables, levels = factor.piece, factor.slot.tables, len(factor.levels)
        by_label = with_empty_level(piece.statistics, levels) if levels else piece.statistics
        rule, whole = replace(piece.rule, levels=tables), together(by_label, tables)
        belief = rule.prior_of_hidden(piece.family, by_label, whole, label_evidence.owners)
        labelled = np.arange(len(label_evidence.owners) * max(1, levels))
        return cls(factor.of(piece.statistics.only(labelled)), belief)

    def statistics(self, blocks: tuple[Block, ...], memberships: Memberships) -> Statistics:
        slot, family = self.factor.slot, self.factor.piece.family
        cells = side_by_side(blocks, slot.places)
        if slot.above is None:
            return family.statistics(cells, memberships)
        above = blocks[slot.above[0]][:, slot.above[1]]
        if slot.on_a_number:
            return pair_moments(np.stack([cells[:, 0], above], axis=1), memberships)
        return family.statistics(cells, memberships.given(above, len(slot.levels)))

    def after(self, statistics: Statistics) -> Factor:
        return replace(self.factor.of(statistics), belief=self.belief)

    def log_prior(self, density: TreeDensity) -> float:
        """Of its components; a level never seen is no parameter that rows could have a say in."""
        node = self._node(density)
        if isinstance(node, Regression):
            return float(lines.log_prior(node, self.belief).sum())
        every = self.belief.log_density(self._known(node)).reshape(density.classes, -1)
        return float(every[:, : len(self.factor.levels) or None].sum())

    def log_likelihood(self, density: TreeDensity, statistics: Statistics) -> float:
        """Of its columns given their parent."""
        node, levels = self._node(density), len(self.factor.levels)
        if isinstance(node, Regression):
            return lines.log_likelihood(node, statistics)
        all_levels = with_empty_level(statistics, levels) if levels else statistics
        return self._known(node).log_likelihood(all_levels)

    def _node(self, density: TreeDensity) -> Node:
        return density.nodes[self.factor.slot.places[0]]

    def _known(self, node: Category | Leaf) -> Parametric[Statistics]:
        """The density of the node's family, with components class × level."""
        if isinstance(node, Leaf):
            assert isinstance(node.density, Parametric)  # as a mode has it
            return node.density
        arrays = {"log_probability": node.table.reshape(-1, node.size + 1)}
        return self.factor.piece.family.density(arrays, node.table.shape[0] * node.table.shape[1])


@dataclass(frozen=True, eq=False)
class TreeColumns(HiddenColumns):
    tree: Tree
    factors: tuple[HiddenFactor, ...]
    pieces: tuple[Piece, ...]  # of each block, as if it depended on nothing
    classes: Levels

    free = False  # components are learned as those of one model

    @classmethod
    def of(
        cls, tree: Tree, factors: Sequence[Factor], pieces: Sequence[Piece], label_evidence: LabelEvidence
    ) -> "TreeColumns":
        hidden = tuple(HiddenFactor.of(factor, label_evidence) for factor in factors)
        return cls(tree, hidden, tuple(pieces), label_evidence.labels.classes)

    @property
    def families(self) -> tuple[Family[Statistics], ...]:
        return tuple(piece.family for piece in self.pieces)

    @property
    def proper(self) -> bool:
        return all(hidden.belief.proper for hidden in self.factors)

    def parameters(self, components: int) -> int:
        return sum(hidden.factor.parameters() for hidden in self.factors)

    def reader(self, density: RowDensity, rows: int) -> "TreeReader":
        return TreeReader(self, density)

    def statistics(self, blocks: tuple[Block, ...], memberships: Memberships) -> ProductStatistics:
        return ProductStatistics(Mass(memberships.weight), self.parts(blocks, memberships))

    def parts(self, blocks: tuple[Block, ...], memberships: Memberships) -> Parts:
        return tuple(hidden.statistics(blocks, memberships) for hidden in self.factors)

    def mode(self, found: ProductStatistics) -> TreeDensity:
        learned = [hidden.after(those) for hidden, those in zip(self.factors, found.parts, strict=True)]
        try:
            return density_of_factors(self.tree, learned, [piece.block for piece in self.pieces], self.classes)
        except SingularError:  # of components class × level
            raise CollapsedError("a class, or a level in it, has shrunk to a point or a line") from None

    def log_priors(self, density: RowDensity, models: int) -> Array:
        assert isinstance(density, TreeDensity)  # what `mode` gives
        return np.full(models, sum(hidden.log_prior(density) for hidden in self.factors))

    def log_likelihood(self, density: RowDensity, found: ProductStatistics) -> float:
        assert isinstance(density, TreeDensity)  # what `mode` gives
        pairs = zip(self.factors, found.parts, strict=True)
        return sum(hidden.log_likelihood(density, those) for hidden, those in pairs)


@dataclass(frozen=True, eq=False)
class TreeReader(Reader):
    columns: TreeColumns
    density: RowDensity

    @property
    def width(self) -> int:
        return sum(len(piece.names) for piece in self.columns.pieces)

    def read(self, blocks: tuple[Block, ...]) -> Read:
        return blocks

    def add_log_density(self, read: Read, so_far: Array, logs: Array) -> None:
        np.add(so_far, self.density.log_density(tuple(read)).T, out=logs)

    def sums(self, read: Read, memberships: Soft) -> tuple[Sums, ...]:
        return self.columns.parts(tuple(read), memberships)

    def statistics(self, sums: Sequence[Sums]) -> tuple[Parts, float]:
        return cast("Parts", tuple(sums)), 0.0  # which is what this one sums


def refuse_missing(cells: Blocks) -> None:
    """Rows of which a cell is not there, beside labels that are not known."""
    holed: dict[str, None] = {}
    for _, blocks in cells:
        for plan, block in zip(cells.plans, blocks, strict=True):
            if not plan.words:  # where a word that is not there is a count of 0
                holes = np.any(block < 0 if plan.coded else np.isnan(block), axis=0)
                holed |= dict.fromkeys(name for name, hole in zip(plan.names, holes.tolist(), strict=True) if hole)
    if holed:
        raise HiddenCellsError(
            f"Some labels are unknown and cells of {listed(list(holed))} are missing, and with both EM may not "
            "converge for a tree. Leave out rows with missing cells or without a label, fill in the cells, or use "
            "NaiveBayes, which learns from both."
        )
