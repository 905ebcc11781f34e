"""Stage 3, an average of one-dependence models as a formula of the cells.

In:  the parents, the naive Bayes of the same columns, and cells.
Out: Formula: ln of the mean over the parents of a row, or naive Bayes where it has none.
"""

from collections.abc import Sequence

import numpy as np

from suffice.families.product import Cells
from suffice.formulas import (
    NEVER,
    ONE,
    ZERO,
    Among,
    Cases,
    Compared,
    Expression,
    Formula,
    Greatest,
    Lookup,
    Once,
    Pattern,
    added,
    level_formula,
    levels,
    ln,
    log_of_sum,
    total,
)
from suffice.model.parents import Parents

Patterns = Sequence[Sequence[Pattern]]


def mean_formula(parents: Parents, naive: Formula, cells: Cells, patterns: Patterns) -> Formula:
    if not parents.columns:
        return naive
    votes = [_vote(parents, j, cells, patterns) for j in range(len(parents.columns))]
    alone = [child.density.formula(cells[child.block], patterns[child.block]) for child in parents.alone]
    count = Once(added(_is_parent(parents, j, cells) for j in range(len(votes))))
    nobody, refused = Compared(count, "=", ZERO), total([*votes, naive]).refused
    beside = total([levels(np.zeros(len(naive.own))), *alone])
    own = (
        Cases(((nobody, plain + naive.common),), log_of_sum(some) + more + beside.common)
        for plain, more, *some in zip(naive.own, beside.own, *(vote.own for vote in votes), strict=True)
    )
    return Formula(tuple(own), -ln(Greatest((count, ONE))), refused)


def _vote(parents: Parents, j: int, cells: Cells, patterns: Patterns) -> Formula:
    """Ln P_j(class, row), all −∞ where the column is no parent."""
    found = [_given(parents, j, code, cells, patterns) for code in range(len(parents.columns[j].levels))]
    named = zip(*(formula.own for formula in found), strict=True)
    own = (Lookup(_cell(parents, j, cells), _table(parents, j, terms), NEVER) for terms in named)
    return Formula(tuple(own), refused=total(found).refused)


def _table(parents: Parents, j: int, terms: Sequence[Expression]) -> tuple[tuple[object, Expression], ...]:
    return tuple(zip(parents.columns[j].levels, terms, strict=True))


def _given(parents: Parents, j: int, code: int, cells: Cells, patterns: Patterns) -> Formula:
    """Of one level of a parent: its own share, then all other columns given it."""
    tables, at = parents.tables, int(parents.tables.bounds[j]) + code
    if not tables.parents[at]:
        return levels(tables.first[at])
    others = [_beside(parents, at, i, cells) for i in range(len(parents.columns)) if i != j]
    children = [
        child.density.only(np.arange(len(tables.counts)) * child.piece.rule.levels + code).formula(
            cells[child.block], patterns[child.block]
        )
        for child in parents.children[j]
    ]
    whole = total([levels(tables.first[at]), *others, *children])
    return Formula(tuple(term + whole.common for term in whole.own), refused=whole.refused)


def _beside(parents: Parents, at: int, i: int, cells: Cells) -> Formula:
    """A category, given the cell of the parent."""
    tables, column = parents.tables, parents.columns[i]
    start, last = int(tables.bounds[i]), int(tables.bounds[-1])
    seen, unseen = tables.given[at, start : start + len(column.levels)], tables.given[at, last + i]
    cell = _cell(parents, i, cells)
    return Formula(tuple(level_formula(cell, column.levels, *some) for some in zip(seen.T, unseen, strict=True)))


def _is_parent(parents: Parents, j: int, cells: Cells) -> Expression:
    start, column = int(parents.tables.bounds[j]), parents.columns[j]
    usable = tuple(level for code, level in enumerate(column.levels) if parents.tables.parents[start + code])
    return Cases(((Among(_cell(parents, j, cells), usable), ONE),), ZERO) if usable else ZERO


def _cell(parents: Parents, j: int, cells: Cells) -> Expression:
    block, place = parents.places[j]
    return cells[block][place]
