"""A tree of columns as a formula of the cells, where no cell is missing that another depends on.

In:  the nodes of a tree, and cells.
Out: Formula. A row with a cell whose parent is missing is refused: it takes sums over all that could have been there.
"""

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from suffice.families.product import Cells
from suffice.families.tree.nodes import Category, Leaf, Place, Regression
from suffice.formulas import (
    All,
    Condition,
    Expression,
    Formula,
    Lookup,
    Missing,
    Not,
    Pattern,
    Square,
    if_there,
    level_formula,
    ln,
    times_log1p,
    total,
)
from suffice.kernels.distances import log_student

if TYPE_CHECKING:
    from suffice.families.tree.density import TreeDensity


def tree_formula(tree: "TreeDensity", cells: Cells, patterns: Sequence[Sequence[Pattern]]) -> Formula:
    def at(place: Place) -> Expression:
        return cells[place[0]][place[1]]

    categories = tree.categories
    found = [_category(category, categories, [at(one.place) for one in categories]) for category in categories]
    for leaf in tree.leaves:
        own = [at((leaf.block, j)) for j in leaf.columns]
        parent = categories[leaf.parent] if leaf.parent >= 0 else None
        given = None if parent is None else (at(parent.place), parent.levels)
        found.append(_leaf(leaf, own, patterns[leaf.block], given))
    return total([*found, *(_regression(arc, at(arc.child), at(arc.parent)) for arc in tree.regressions)])


def _category(category: Category, categories: Sequence[Category], cells: Sequence[Expression]) -> Formula:
    """A table for each level of the parent, and one for a level of it that was never seen."""
    cell = cells[categories.index(category)]
    own = [[level_formula(cell, category.levels, row[:-1], row[-1]) for row in table] for table in category.table]
    if category.parent < 0:
        return Formula(tuple(terms[0] for terms in own))
    parent, levels = cells[category.parent], categories[category.parent].levels
    return Formula(tuple(_by_level(parent, levels, terms) for terms in own), refused=(_orphan(cell, parent),))


def _leaf(
    leaf: Leaf,
    cells: Sequence[Expression],
    patterns: Sequence[Pattern],
    given: tuple[Expression, Sequence[Hashable]] | None,
) -> Formula:
    if given is None:
        return leaf.density.formula(cells, patterns)
    parent, levels = given
    found = [density.formula(cells, patterns) for density in leaf.by_level]
    own = (_by_level(parent, levels, terms) for terms in zip(*(formula.own for formula in found), strict=True))
    common = _by_level(parent, levels, [formula.common for formula in found])
    return Formula(tuple(own), common, tuple(_orphan(cell, parent) for cell in cells))


def _regression(arc: Regression, child: Expression, parent: Expression) -> Formula:
    own = tuple(if_there(_line(arc, k, child, parent)) for k in range(len(arc.slope)))
    return Formula(own, refused=(_orphan(child, parent),))


def _line(arc: Regression, k: int, child: Expression, parent: Expression) -> Expression:
    """Ln p of the child under one component; its cells are counted from the means."""
    (middle, where), slope, variance = arc.mean[k].tolist(), float(arc.slope[k]), float(arc.variance[k])
    off = (child - middle) - (parent - where) * slope
    if arc.degrees is None:
        return -0.5 * float(np.log(2 * np.pi * variance)) - Square(off * float(np.sqrt(0.5 / variance)))
    degrees, spread = float(arc.degrees[k]), float(arc.spread[k])
    peak = log_student(np.zeros(()), np.log(variance / (degrees + 1)), 1, np.asarray(degrees + 1)).item()
    wider = Square((parent - where) * float(np.sqrt(1 / spread))) + degrees
    tail = times_log1p(-0.5 * (degrees + 2), Square(off * float(np.sqrt(1 / variance))) / wider)
    return tail - ln(wider) * 0.5 + peak


def _by_level(parent: Expression, levels: Sequence[Hashable], terms: Sequence[Expression]) -> Expression:
    *known, unseen = terms
    return Lookup(parent, tuple(zip(levels, known, strict=True)), unseen)


def _orphan(cell: Expression, parent: Expression) -> Condition:
    return All((Missing(parent), Not(Missing(cell))))
