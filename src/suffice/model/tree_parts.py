"""Stage 3, from a tree to a density: P(column | class, parent), each from the rows where both cells are there.

In:  a Tree, the pieces of the model, and the pairs of its summary.
Out: Factors, each with its prior and its statistics: densities, evidence and numbers of parameters follow from them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from suffice.arrays import Array
from suffice.data.kinds import JOINT
from suffice.data.levels import Levels
from suffice.data.schema import BlockPlan
from suffice.errors import SingularError
from suffice.families.capabilities import Tabular
from suffice.families.gaussian.family import Gaussian
from suffice.families.gaussian.shapes import FULL
from suffice.families.given import with_empty_level
from suffice.families.kinds import erased
from suffice.families.protocol import Density, LastStep, Prior, Statistics
from suffice.families.tree import lines
from suffice.families.tree.density import TreeDensity
from suffice.families.tree.nodes import Category, Leaf, Place, Regression
from suffice.model.arcs import cell_counts
from suffice.model.fit import with_remedies
from suffice.model.pairs import Pairs
from suffice.model.piece import Piece
from suffice.model.rules import Rule
from suffice.model.tree import Tree
from suffice.model.tree_layout import Nodes, Slot, slots_of, tree_density

NEVER = "a new level"


@dataclass(frozen=True, eq=False)
class Factor:
    """Columns of one family given the class, or the class and the level of a category, or the class and a number."""

    piece: Piece  # with components class × level where there is a category
    slot: Slot
    belief: Prior[Statistics] | None = None  # of components and a level never seen, where it does not follow the rows

    @property
    def parent(self) -> str | None:
        return self.slot.parent

    @property
    def levels(self) -> Levels:
        """Of the category that it depends on."""
        return self.slot.levels

    @property
    def prior(self) -> Prior[Statistics]:
        """By smoothing or by name; a weak one is centred on the class."""
        return self.rule.prior(self.piece.family, self.piece.statistics)

    def density(self, classes: Levels) -> Density:
        """Of the components, and of a level never seen in each class, which is as a level without rows."""
        names, piece, statistics = classes, self.piece, self.piece.statistics
        if self.levels:
            names = tuple(f"{k}, {self.parent}={level}" for k in classes for level in (*self.levels, NEVER))
            statistics = with_empty_level(statistics, len(self.levels))
        rule = replace(self.rule, levels=self.slot.tables)
        counted = rule.counted(statistics)

        def learned() -> Density:
            prior = self.belief or rule.prior(piece.family, statistics)
            return rule.step.of(prior.after(counted))

        return with_remedies(learned, replace(piece, statistics=counted), names)

    @property
    def rule(self) -> Rule:
        """By which its components are learned, level by level."""
        return replace(self.piece.rule, levels=max(1, len(self.levels)), lent=bool(self.levels) and not self.helped)

    @property
    def on_a_number(self) -> bool:
        return self.slot.on_a_number

    @property
    def helped(self) -> bool:
        """Whether a prior says what a level without rows is like; a weak one has no mean variance."""
        rule, table = self.piece.rule, self.piece.family.symmetric(1.0)
        return rule.moves and rule.step is not LastStep.MEAN if table is None else rule.rules.smoothing > 0

    def log_evidence(self) -> float:
        prior, statistics = self.prior, self.piece.statistics
        if self.on_a_number:
            return lines.log_evidence(prior, statistics)
        return float(prior.log_evidence(statistics).sum())

    def of(self, statistics: Statistics) -> "Factor":
        """Learned from other rows."""
        return replace(self, piece=replace(self.piece, statistics=statistics))

    def parameters(self) -> int:
        """How many numbers the rows are free to choose; of a line three in each class."""
        components = len(self.piece.statistics.weight)
        return 3 * components if self.on_a_number else self.prior.parameters(components)


def factors_of(tree: Tree, pieces: Sequence[Piece], pairs: Pairs) -> list[Factor]:
    """Of all columns, a factor for each node."""
    return [_factor(pieces[slot.block], slot, pairs) for slot in slots_of(tree, [piece.block for piece in pieces])]


def _factor(piece: Piece, slot: Slot, pairs: Pairs) -> Factor:
    parent, children = slot.parent, slot.plan.names
    own = piece.only(children)
    if parent is None:
        return Factor(own, slot)
    if slot.on_a_number:
        block = BlockPlan(JOINT, (*own.block.columns, replace(own.block.columns[0], name=parent)))
        return Factor(Piece(block, erased(Gaussian(2, FULL)), pairs.moments(children[0], parent), piece.rule), slot)
    if slot.coded:
        counts = pairs.counts(parent, children[0])
        return Factor(replace(own, statistics=cell_counts(counts.reshape(-1, counts.shape[2]))), slot)
    return Factor(Piece(own.block, own.family, pairs.columns(parent, children), own.rule), slot)


def density_of_factors(
    tree: Tree,
    factors: Sequence[Factor],
    blocks: Sequence[BlockPlan],
    classes: Levels,
    together: Mapping[int, Density] | None = None,
) -> TreeDensity:
    """What the factors have learned, as a density of rows; `together` has blocks whose density is known already."""
    by_place = {factor.slot.places[0]: factor for factor in factors}

    def category(slot: Slot, parent: int) -> Category:
        return _category(by_place[slot.places[0]], parent, classes)

    def leaf(slot: Slot, parent: int) -> Leaf:
        known = (together or {}).get(slot.block)
        density = by_place[slot.places[0]].density(classes) if known is None else known
        return Leaf(slot.block, tuple(j for _, j in slot.places), parent, density, len(classes), slot.tables)

    def line(slot: Slot) -> Regression:
        return _regression(by_place[slot.places[0]], classes)

    return tree_density(tree, blocks, len(classes), Nodes(category, leaf, line))


def _category(factor: Factor, parent: int, classes: Levels) -> Category:
    density, [column] = factor.density(classes), factor.piece.block.columns
    assert isinstance(density, Tabular)  # there is no other of categories
    table = density.log_probability.reshape(len(classes), -1, len(column.levels) + 1)
    return Category(factor.slot.places[0], column.levels, parent, table)


def _regression(factor: Factor, classes: Levels) -> Regression:
    piece, slot = factor.piece, factor.slot
    assert slot.above is not None  # the number that it depends on
    density, rows, above = factor.density(classes), piece.statistics.weight, slot.above
    return with_remedies(lambda: line_of(density, piece.rule, rows, slot.places[0], above), piece, classes)


def line_of(density: Density, rule: Rule, rows: Array, child: Place, parent: Place) -> Regression:
    """The line through two numbers that their covariance gives, as they vary together in each component."""
    line = lines.through(density, child, parent)
    if rule.rules.estimate == "unbiased":  # a line has two numbers of its own: from a divisor N − 1 to N − 2
        few = np.flatnonzero(rows <= 2)
        if len(few):
            raise SingularError("there are too few rows to fit a line between", int(few[0]), [0, 1])
        line = replace(line, variance=line.variance * (rows - 1) / (rows - 2))
    return line
