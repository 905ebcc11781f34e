"""Stage 3, from a tree to a density: P(column | class, parent), each from the rows where both cells are there.

In:  a Tree, the pieces of the model, and the pairs of its summary.
Out: Factors, each with its prior and its statistics: densities, evidence and numbers of parameters follow from them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from suffice.arrays import Array
from suffice.data.kinds import CATEGORICAL, JOINT
from suffice.data.levels import Levels
from suffice.data.schema import BlockPlan
from suffice.errors import SingularError
from suffice.families.cells.dirichlet import CellDensity
from suffice.families.gaussian.densities import GaussianDensity, StudentDensity
from suffice.families.gaussian.family import Gaussian
from suffice.families.gaussian.moments import Moments
from suffice.families.gaussian.normal_wishart import NormalInverseWishartPrior
from suffice.families.gaussian.shapes import FULL
from suffice.families.given import as_class_where_empty, with_empty_level
from suffice.families.kinds import erased
from suffice.families.protocol import Density, LastStep, Prior, Statistics
from suffice.families.tree.density import TreeDensity
from suffice.families.tree.nodes import Category, Leaf, Place, Regression
from suffice.model.arcs import cell_counts, marginal_prior
from suffice.model.fit import with_remedies
from suffice.model.pairs import Pairs
from suffice.model.piece import Piece
from suffice.model.rules import Rule
from suffice.model.tree import Tree

NEVER = "a new level"


@dataclass(frozen=True, eq=False)
class Factor:
    """Columns of one family given the class, or the class and the level of a category, or the class and a number."""

    piece: Piece  # with components class × level where there is a category
    parent: str | None
    levels: Levels = ()  # of that category

    @property
    def prior(self) -> Prior[Statistics]:
        return self._prior(self.piece.statistics, len(self.levels))

    def _prior(self, statistics: Statistics, levels: int) -> Prior[Statistics]:
        """By smoothing or by name; a weak one is centred on the class."""
        return replace(self.piece.rule, levels=max(1, levels)).prior(self.piece.family, statistics)

    def density(self, classes: Levels) -> Density:
        """Of the components, and of a level never seen in each class, which is as a level without rows."""
        piece, size = self.piece, len(self.levels)
        if not size:
            return with_remedies(piece.density, piece, classes)
        statistics = with_empty_level(piece.statistics, size)
        if not self.helped:
            statistics = as_class_where_empty(statistics, size + 1)
        names = tuple(f"{k}, {self.parent}={level}" for k in classes for level in (*self.levels, NEVER))
        belief = self._prior(statistics, size + 1).after(statistics)
        return with_remedies(lambda: piece.rule.step.of(belief), replace(piece, statistics=statistics), names)

    @property
    def rule(self) -> Rule:
        """By which its components are learned, level by level."""
        return replace(self.piece.rule, levels=max(1, len(self.levels)))

    @property
    def on_a_number(self) -> bool:
        return self.parent is not None and not self.levels

    @property
    def helped(self) -> bool:
        """Whether a prior says what a level without rows is like; a weak one has no mean variance."""
        rule, table = self.piece.rule, self.piece.family.symmetric(1.0)
        return rule.moves and rule.step is not LastStep.MEAN if table is None else rule.rules.smoothing > 0

    def log_evidence(self) -> float:
        prior, statistics = self.prior, self.piece.statistics
        if self.on_a_number:
            assert isinstance(prior, NormalInverseWishartPrior)  # of a number and its parent
            assert isinstance(statistics, Moments)
            above = marginal_prior(prior, 1).log_evidence(statistics.take([1]).alone()).sum()
            return float(prior.log_evidence(statistics).sum() - above)
        return float(prior.log_evidence(statistics).sum())

    def parameters(self) -> int:
        """How many numbers the rows are free to choose; of a line three in each class."""
        components = len(self.piece.statistics.weight)
        return 3 * components if self.on_a_number else self.prior.parameters(components)


def factors_of(tree: Tree, pieces: Sequence[Piece], pairs: Pairs) -> list[Factor]:
    """Of all columns: those of one piece with the same parent are one factor, but categories and lines are one each."""
    out = []
    for piece in pieces:
        if piece.block.together:
            out.append(Factor(piece, None))
            continue
        parents = [tree.parents[name] for name in piece.names]
        for parent in dict.fromkeys(parents):
            children = [name for name, own in zip(piece.names, parents, strict=True) if own == parent]
            each = [[name] for name in children] if _one_by_one(piece, parent, pairs) else [children]
            out += [_factor(piece, some, parent, pairs) for some in each]
    return out


def _one_by_one(piece: Piece, parent: str | None, pairs: Pairs) -> bool:
    return piece.block.kind == CATEGORICAL or (parent is not None and parent not in pairs.layout.names)


def _factor(piece: Piece, children: list[str], parent: str | None, pairs: Pairs) -> Factor:
    own = piece.only(children)
    if parent is None:
        return Factor(own, None)
    if parent not in pairs.layout.names:
        block = BlockPlan(JOINT, (*own.block.columns, replace(own.block.columns[0], name=parent)))
        return Factor(Piece(block, erased(Gaussian(2, FULL)), pairs.moments(children[0], parent), piece.rule), parent)
    levels = pairs.layout.column(parent).levels
    if piece.block.kind == CATEGORICAL:
        counts = pairs.counts(parent, children[0])
        return Factor(replace(own, statistics=cell_counts(counts.reshape(-1, counts.shape[2]))), parent, levels)
    given = Piece(own.block, own.family, pairs.columns(parent, children), own.rule)
    return Factor(given, parent, levels)


def tree_density(
    tree: Tree, factors: Sequence[Factor], blocks: Sequence[BlockPlan], classes: Levels, together: Sequence[Density]
) -> TreeDensity:
    """`together` has the densities of all blocks as if they depended on nothing but the class."""
    places = {name: (i, j) for i, block in enumerate(blocks) for j, name in enumerate(block.names)}
    by_name = {factor.piece.names[0]: factor for factor in factors}
    order = [name for name in tree.in_order() if name in by_name]
    categories: list[Category] = []
    at: dict[str | None, int] = {None: -1}
    for name in order:
        if by_name[name].piece.block.kind == CATEGORICAL:
            at[name] = len(categories)
            categories.append(_category(by_name[name], places[name], at[by_name[name].parent], classes))
    rest = [factor for factor in factors if factor.piece.block.kind != CATEGORICAL]
    leaves = tuple(
        _leaf(factor, places, at[factor.parent], classes, together) for factor in rest if not factor.on_a_number
    )
    regressions = tuple(_regression(by_name[name], places, classes) for name in order if by_name[name].on_a_number)
    return TreeDensity(len(classes), tuple(categories), leaves, regressions, tuple(len(b.columns) for b in blocks))


def _category(factor: Factor, place: Place, parent: int, classes: Levels) -> Category:
    density, [column] = factor.density(classes), factor.piece.block.columns
    assert isinstance(density, CellDensity)  # there is no other of categories
    table = density.log_probability.reshape(len(classes), -1, len(column.levels) + 1)
    return Category(place, column.levels, parent, table)


def _leaf(factor: Factor, places: dict[str, Place], parent: int, classes: Levels, together: Sequence[Density]) -> Leaf:
    block = places[factor.piece.names[0]][0]
    density = together[block] if factor.piece.block.together else factor.density(classes)
    found = [places[name] for name in factor.piece.names]
    levels = len(factor.levels) + 1 if factor.parent is not None else 1
    return Leaf(block, tuple(column for _, column in found), parent, density, len(classes), levels)


def _regression(factor: Factor, places: dict[str, Place], classes: Levels) -> Regression:
    piece, [child, parent] = factor.piece, factor.piece.names
    density, rows = factor.density(classes), piece.statistics.weight
    return with_remedies(lambda: line_of(density, piece.rule, rows, places[child], places[parent]), piece, classes)


def line_of(density: Density, rule: Rule, rows: Array, child: Place, parent: Place) -> Regression:
    """The line through two numbers that their covariance gives, as they vary together in each component."""
    assert isinstance(density, GaussianDensity | StudentDensity)  # a belief about numbers gives no other
    matrix = density.covariance if isinstance(density, GaussianDensity) else density.squared_scale
    degrees = None if isinstance(density, GaussianDensity) else density.degrees[:, 0]
    slope = matrix[:, 0, 1] / matrix[:, 1, 1]
    variance = matrix[:, 0, 0] - slope * matrix[:, 0, 1]
    if rule.rules.estimate == "unbiased":  # a line has two numbers of its own: from a divisor N − 1 to N − 2
        few = np.flatnonzero(rows <= 2)
        if len(few):
            raise SingularError("there are too few rows for a line between", int(few[0]), [0, 1])
        variance = variance * (rows - 1) / (rows - 2)
    return Regression(child, parent, density.mean, slope, variance, matrix[:, 1, 1], degrees)
