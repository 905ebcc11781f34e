"""Rows of a tree in which a cell is missing that others depend on, as formulas: what `messages` does, in expressions.

In:  the nodes of a tree, cells, and the condition that a row is such.
Out: ln p(row | class), (K,). A missing category is summed over, from the leaves to the root; a missing number is
     integrated over, where what hangs on it is the exponential of a quadratic in it. All that is worked out beforehand
     has no value for other rows, and takes no time there.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from suffice.arrays import Array
from suffice.families.gaussian.densities import GaussianDensity
from suffice.families.product import Cells
from suffice.families.tree.nodes import Category, Group, Leaf, Place, Regression
from suffice.formulas import (
    NEVER,
    ZERO,
    All,
    Cases,
    Compared,
    Condition,
    Either,
    Expression,
    Formula,
    Greatest,
    Lookup,
    Missing,
    Not,
    Number,
    Once,
    Pattern,
    added,
    dot,
    exp,
    if_there,
    ln,
)

Messages = Sequence[Sequence[Expression]]  # (K, P): ln p of what hangs on a column, by class and level of that column

Below = Sequence[Sequence[Sequence[Expression]]]  # (K, S + 1): terms, by class and level of the column itself


@dataclass(frozen=True, eq=False)
class Quadratic:
    """−½ a d² + b d + c, of the distance d of a number from a centre."""

    a: Expression = ZERO
    b: Expression = ZERO
    c: Expression = ZERO

    def at(self, d: Expression) -> Expression:
        return self.c if self.a == ZERO else added([self.c, self.b * d, self.a * d * d * -0.5])

    def moved(self, by: float) -> "Quadratic":
        """Of d + by in the place of d."""
        return Quadratic(self.a, self.b - self.a * by, self.at(Number(by)))

    def averaged(self, variance: float) -> "Quadratic":
        """Ln of the mean of its exponential over a Gaussian of that variance, as a quadratic in the Gaussian's mean."""
        if self.a == ZERO:
            return self
        wider = 1.0 + self.a * variance
        level = self.c - ln(wider) * 0.5 + self.b * self.b / wider * (0.5 * variance)
        return Quadratic(self.a / wider, self.b / wider, level)


class Grown(Protocol):
    """The nodes of a tree, and what formulas ask of them."""

    @property
    def classes(self) -> int: ...  # K

    @property
    def categories(self) -> tuple[Category, ...]: ...  # parents before their children

    @property
    def leaves(self) -> tuple[Leaf, ...]: ...

    @property
    def regressions(self) -> tuple[Regression, ...]: ...  # parents before their children

    @property
    def otherwise(self) -> "Grown | None": ...  # with known parameters, for rows that have no closed form here

    @property
    def gaussian(self) -> bool: ...  # whether numbers are Gaussian around their lines

    @property
    def groups(self) -> list[Group]: ...  # numbers that depend on each other

    @property
    def alone(self) -> list[Leaf]: ...  # the leaves without the numbers that head a group


@dataclass(frozen=True, eq=False)
class Holes:
    tree: Grown
    cells: Cells
    patterns: Sequence[Sequence[Pattern]]
    there: Condition  # a row has holes

    def log_density(self) -> list[Expression]:
        tree, classes = self.tree, range(self.tree.classes)
        total: list[list[Expression]] = [[] for _ in classes]
        below = [[[list[Expression]() for _ in range(one.size + 1)] for _ in classes] for one in tree.categories]

        def add(parent: int, message: Messages) -> None:
            for k in classes:
                for level, term in enumerate(message[k]):
                    (total[k] if parent < 0 else below[parent][k][level]).append(term)

        for leaf in tree.alone:
            add(leaf.parent, self._leaf(leaf))
        for group in tree.groups:
            add(group.parent, self._head(self._leaf_of(group.places[0])))
        for arc in tree.regressions if not tree.gaussian else ():
            add(-1, [[if_there(arc.formula(k, self._at(arc.child), self._at(arc.parent)))] for k in classes])
        for j in reversed(range(len(tree.categories))):
            category = tree.categories[j]
            add(category.parent, self._category(category, below[j], self._below(j)))
        return [added(terms) for terms in total]

    def _at(self, place: Place) -> Expression:
        return self.cells[place[0]][place[1]]

    def _once(self, of: Expression, also: tuple[Condition, ...] = ()) -> Expression:
        """Worked out beforehand, for rows with holes."""
        return of if isinstance(of, Number) else Once(Cases(((All((self.there, *also)), of),)))

    # columns that are no categories

    def _leaf(self, leaf: Leaf) -> Messages:
        own = [self._at((leaf.block, j)) for j in leaf.columns]
        densities = leaf.by_level if leaf.parent >= 0 else [leaf.density]
        found = [_whole(density.formula(own, self.patterns[leaf.block])) for density in densities]
        return list(zip(*found, strict=True))

    def _leaf_of(self, head: Place) -> Leaf:
        """The number alone that a group of numbers begins with."""
        leaf = next(one for one in self.tree.leaves if one.block == head[0] and head[1] in one.columns)
        return leaf.take([leaf.columns.index(head[1])])

    def _head(self, leaf: Leaf) -> Messages:
        """Of a number, and of all numbers that depend on it."""
        density, cell, out = leaf.density, self._at(leaf.place), []
        assert isinstance(density, GaussianDensity)  # a number with known parameters
        each = density.mean.reshape(leaf.classes, -1), density.covariance.reshape(leaf.classes, -1)  # (K, P)
        for k, (terms, means, variances) in enumerate(zip(self._leaf(leaf), *each, strict=True)):
            centre = float(means[0])
            rest = self._hanging(leaf.place, k, centre)
            here, message = rest.at(cell - centre), []
            for term, mean, variance in zip(terms, means.tolist(), variances.tolist(), strict=True):
                gone = rest.averaged(variance).at(Number(mean - centre))
                message.append(Cases(((Missing(cell), gone),), term + here))
            out.append(message)
        return out

    def _hanging(self, place: Place, k: int, centre: float) -> Quadratic:
        """What the numbers that depend on a number say of its distance from a centre."""
        found = [self._arc(arc, k, centre) for arc in self.tree.regressions if arc.parent == place]
        return Quadratic(*(self._once(added(getattr(one, name) for one in found)) for name in "abc"))

    def _arc(self, arc: Regression, k: int, centre: float) -> Quadratic:
        """A number around its line: what it and those that depend on it say of its parent."""
        (middle, where), slope, variance = arc.mean[k].tolist(), float(arc.slope[k]), float(arc.variance[k])
        cell = self._at(arc.child)
        d, rest = cell - middle, self._hanging(arc.child, k, middle)
        gone = rest.averaged(variance)
        level = rest.at(d) - d * d * (0.5 / variance) - 0.5 * float(np.log(2 * np.pi * variance))
        here = Quadratic(Number(1 / variance), d * (1 / variance), level)
        parts = zip((gone.a, gone.b, gone.c), (here.a, here.b, here.c), (slope**2, slope, 1.0), strict=True)
        of_line = Quadratic(*(Cases(((Missing(cell), one * by),), two * by) for one, two, by in parts))
        return of_line.moved(centre - where)

    # categories

    def _below(self, j: int) -> list[Place]:
        """All columns that depend on a category, directly or not."""
        tree, inside = self.tree, {j}
        for i, category in enumerate(tree.categories):  # parents before their children
            inside |= {i} if category.parent in inside else set()
        places = [tree.categories[i].place for i in sorted(inside - {j})]
        places += [(leaf.block, at) for leaf in tree.leaves if leaf.parent in inside for at in leaf.columns]
        for arc in tree.regressions:
            places += [arc.child] if arc.parent in places else []
        return places

    def _category(self, category: Category, below: Below, places: Sequence[Place]) -> Messages:
        """`places` are of all that depends on it."""
        cell, size, out = self._at(category.place), category.size, []
        told = Either(tuple(Not(Missing(self._at(place))) for place in places))
        summed = All((Missing(cell), told)) if places else Missing(cell)
        for table, terms in zip(category.table, below, strict=True):
            own = [self._once(added(some)) for some in terms]  # (S + 1,)
            here = [_looked_up(cell, category, row, own) for row in table]
            gone = self._summed(np.exp(table[:, :size]), own[:size], summed) if places else [ZERO] * len(here)
            both = zip(gone, here, strict=True)
            out.append([Cases(((summed, one), (Missing(cell), ZERO)), other) for one, other in both])
        return out

    def _summed(self, probability: Array, below: Sequence[Expression], where: Condition) -> list[Expression]:
        """Ln Σ P(level | class, level of the parent) · exp(what hangs on the level), by the greatest of those."""
        top = self._once(Greatest(tuple(below)) if len(below) > 1 else below[0], (where,))
        possible, found = Compared(top, ">", NEVER), list[Expression]()
        shares = [self._once(exp(term - top), (where, possible)) for term in below]
        for row in probability:
            whole = dot(row, shares) if row.all() else self._once(dot(row, shares), (where, possible))
            some = All((possible, Compared(whole, ">", ZERO))) if not row.all() else possible
            found.append(Cases(((some, ln(whole) + top),), NEVER) if row.any() else NEVER)
        return found


def _looked_up(cell: Expression, category: Category, row: Array, below: Sequence[Expression]) -> Expression:
    """Ln P of the level that is there, and what hangs on it."""
    *known, unseen = (Number(float(log)) + term for log, term in zip(row, below, strict=True))
    return Lookup(cell, tuple(zip(category.levels, known, strict=True)), unseen)


def _whole(formula: Formula) -> list[Expression]:
    return [own + formula.common for own in formula.own]
