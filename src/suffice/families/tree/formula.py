"""A tree of columns as a formula of the cells.

In:  the nodes of a tree, and cells.
Out: Formula. Where no cell is missing that another depends on, a sum over columns; `holes` has the other rows, which
     are refused only in trees with so many levels and classes that a query has no room for them.
"""

from collections.abc import Hashable, Sequence
from dataclasses import replace

from suffice.families.product import Cells
from suffice.families.tree.holes import Grown, Holes
from suffice.families.tree.nodes import Category, Leaf, Place, Regression
from suffice.formulas import (
    ONE,
    ZERO,
    All,
    Cases,
    Compared,
    Condition,
    Either,
    Expression,
    Formula,
    Lookup,
    Missing,
    Not,
    Once,
    Pattern,
    if_there,
    level_formula,
    total,
)

MOST = 1000  # numbers that a query hands on: PostgreSQL has room for 1664


def tree_formula(tree: Grown, cells: Cells, patterns: Sequence[Sequence[Pattern]]) -> Formula:
    complete, orphans = _complete(tree, cells, patterns), _orphans(tree, cells)
    if not orphans or _handed_on(tree) > MOST:
        return replace(complete, refused=(*complete.refused, *orphans))
    holed = _flagged(orphans)
    ways, refused = [(holed, Holes(tree, cells, patterns, holed).log_density())], complete.refused
    if not tree.gaussian:  # there is no closed form for a missing number where parameters are integrated out
        broken = _flagged(orphans[-len(tree.regressions) :])
        if tree.otherwise is None:
            refused = (*refused, broken)
        else:
            ways.insert(0, (broken, Holes(tree.otherwise, cells, patterns, broken).log_density()))
    each = enumerate(complete.own)
    own = tuple(Cases(tuple((where, found[k]) for where, found in ways), whole) for k, whole in each)
    return Formula(own, Cases(((holed, ZERO),), complete.common), refused)


def _flagged(conditions: Sequence[Condition]) -> Condition:
    """Whether one of them holds, which is looked at once."""
    return Compared(Once(Cases(((Either(tuple(conditions)), ONE),), ZERO)), "=", ONE)


def _handed_on(tree: Grown) -> int:
    """About how many numbers are worked out beforehand, for rows with holes."""
    above = {one.parent for one in tree.categories} | {leaf.parent for leaf in tree.leaves}
    levels = sum(2 * tree.categories[j].size + 2 for j in above if j >= 0)
    return tree.classes * (levels + 3 * len(tree.regressions))


def _orphans(tree: Grown, cells: Cells) -> list[Condition]:
    """That the parent of a cell is missing: of each arc, those between numbers last."""

    def orphan(child: Place, parent: Place) -> Condition:
        return All((Missing(cells[parent[0]][parent[1]]), Not(Missing(cells[child[0]][child[1]]))))

    places = [(one.place, one.parent) for one in tree.categories]
    places += [((leaf.block, j), leaf.parent) for leaf in tree.leaves for j in leaf.columns]
    found = [orphan(child, tree.categories[parent].place) for child, parent in places if parent >= 0]
    return found + [orphan(arc.child, arc.parent) for arc in tree.regressions]


def _complete(tree: Grown, cells: Cells, patterns: Sequence[Sequence[Pattern]]) -> Formula:
    """Of rows without holes: a sum over columns."""

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
    return Formula(tuple(_by_level(parent, levels, terms) for terms in own))


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
    return Formula(tuple(own), common)


def _regression(arc: Regression, child: Expression, parent: Expression) -> Formula:
    return Formula(tuple(if_there(arc.formula(k, child, parent)) for k in range(len(arc.slope))))


def _by_level(parent: Expression, levels: Sequence[Hashable], terms: Sequence[Expression]) -> Expression:
    *known, unseen = terms
    return Lookup(parent, tuple(zip(levels, known, strict=True)), unseen)
