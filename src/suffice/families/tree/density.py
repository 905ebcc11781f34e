"""Rows whose columns depend on each other as a tree: each has the class, and at most one other column, as parents.

In:  the nodes of the tree, and rows cut into blocks.
Out: log densities (N, K) of the cells that are there, rows drawn, cells filled in, tables.

Where no cell is missing that another depends on, ln p is a sum over columns. Else a missing category is summed over
(`messages`), and numbers that depend on each other are one Gaussian given class and level, of which what is missing is
left out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from suffice.arrays import MISSING, Array, Codes
from suffice.errors import HiddenCellsError, ParameterError
from suffice.families.product import Cells, RowDensity, Transforms, filled
from suffice.families.protocol import Block, Density, Factors, Names, Parametric, S, Tables, Terms, log_odds
from suffice.families.tree.formula import tree_formula
from suffice.families.tree.messages import Messages, drawn, upward
from suffice.families.tree.nodes import (
    Blocks,
    Category,
    Group,
    Leaf,
    Node,
    Place,
    Regression,
    column,
    group_of,
    side_by_side,
)
from suffice.families.tree.tables import tables_of
from suffice.formulas import Formula, Pattern
from suffice.kernels.codes import look_up_given
from suffice.kernels.lines import Line, along, along_tails
from suffice.lazy import lazy


class Filling(Protocol):
    """Missing cells of a block, by their density and the category that they depend on."""

    def __call__(self, density: Parametric[S], x: Block, parent: int, block: int, /) -> Block: ...


@dataclass(frozen=True, eq=False)
class TreeDensity(RowDensity):
    classes: int  # K
    categories: tuple[Category, ...]  # parents before their children
    leaves: tuple[Leaf, ...]
    regressions: tuple[Regression, ...]  # parents before their children
    widths: tuple[int, ...]  # columns of each block
    otherwise: "TreeDensity | None" = None  # with known parameters, for rows that have no closed form here

    @property
    def plug_in(self) -> bool:
        known = all(isinstance(leaf.density, Parametric) for leaf in self.leaves)
        return known and self.gaussian

    @property
    def independent(self) -> bool:
        return False

    @property
    def parts(self) -> tuple[Density, ...]:  # type: ignore[override] # nobody writes it
        raise ParameterError(
            "This needs the density of each column by itself in a class, but in a tree columns depend on each other. "
            "Use predict_proba, log_density, explain or sample, or NaiveBayes, whose columns do not."
        )

    @lazy
    def nodes(self) -> dict[Place, Node]:
        """By the place of the first of their columns."""
        each: list[Node] = [*self.categories, *self.leaves, *self.regressions]
        return {node.place: node for node in each}

    def arrays(self) -> dict[str, Array]:
        each = self.nodes.items()
        return {f"{i}/{j}/{name}": array for (i, j), node in each for name, array in node.arrays().items()}

    # ln p of the cells that are there

    def log_density(self, blocks: Blocks) -> Array:
        """A sum over columns of ln P(cell | class, its parent), unless a parent is missing of a cell that is there."""
        total = self._tables_of_categories(blocks) + self._lines(blocks)
        for leaf in self.leaves:
            total += self._given_level(leaf, blocks)
        holed = np.asarray(np.isnan(total).any(axis=1))
        if holed.any():
            total[holed] = self._of_holed(_rows(blocks, holed))
        return total

    def _of_holed(self, blocks: Blocks) -> Array:
        broken = np.zeros(blocks[0].shape[0], dtype=bool)
        for arc in self.regressions if self.otherwise is not None else ():
            broken |= np.isnan(column(blocks, arc.parent)) & ~np.isnan(column(blocks, arc.child))
        if self.otherwise is None or not broken.any():
            return self._messages(blocks, self._codes(blocks)).total
        out, rest = np.empty((len(broken), self.classes)), _rows(blocks, ~broken)
        out[broken] = self.otherwise.log_density(_rows(blocks, broken))
        out[~broken] = self._messages(rest, self._codes(rest)).total
        return out

    def _codes(self, blocks: Blocks) -> Codes:
        """Of the categories, a level never seen behind all others."""  # (n, D)
        out = np.empty((blocks[0].shape[0], len(self.categories)), dtype=np.intp)
        for j, category in enumerate(self.categories):
            out[:, j] = category.code(blocks)
        return out

    def _tables_of_categories(self, blocks: Blocks) -> Array:
        if not self.categories:
            return np.zeros((blocks[0].shape[0], self.classes))
        places, sizes, parents, table = self._flat
        return look_up_given(side_by_side(blocks, places), sizes, parents, table, MISSING)

    @lazy
    def _flat(self) -> tuple[list[Place], Codes, Codes, Array]:
        """Categories in the order of the blocks: where they are, their sizes and parents, and all tables."""
        order = sorted(range(len(self.categories)), key=lambda j: self.categories[j].place)
        rank, some = np.argsort(order), [self.categories[j] for j in order]
        parents = np.array([-1 if category.parent < 0 else rank[category.parent] for category in some])
        tables = [np.moveaxis(category.table, 0, 2).reshape(-1, self.classes) for category in some]
        sizes = np.array([category.size for category in some])
        return [category.place for category in some], sizes, parents, np.concatenate(tables)

    def _lines(self, blocks: Blocks) -> Array:
        """Numbers given others."""
        if not self.regressions:
            return np.zeros((1, self.classes))
        places, centre, child, parent, line = self._along
        cells = side_by_side(blocks, places).astype(float, copy=False)
        return (along if self.gaussian else along_tails)(cells, centre, child, parent, line)

    @lazy
    def _along(self) -> tuple[list[Place], Array, Codes, Codes, Line]:
        """All lines: their columns, what those are counted from, which are children and parents, and parameters."""
        means = {place: arc.mean[0, i] for arc in self.regressions for i, place in enumerate((arc.child, arc.parent))}
        places = sorted(means)
        child = np.array([places.index(arc.child) for arc in self.regressions])
        parent = np.array([places.index(arc.parent) for arc in self.regressions])
        found = [arc.line(means[arc.child], means[arc.parent]) for arc in self.regressions]
        line = tuple(np.array(part) for part in zip(*found, strict=True))
        return places, np.array([means[place] for place in places]), child, parent, line

    def _given_level(self, leaf: Leaf, blocks: Blocks) -> Array:
        """Rows of one level of the parent after the other; NaN where it is missing."""
        x = leaf.cells(blocks)
        if leaf.parent < 0:
            return leaf.density.log_density(x)
        level = self.categories[leaf.parent].code(blocks)
        order = np.argsort((level + 1).astype(np.min_scalar_type(leaf.levels + 1)), kind="stable")
        gone, *rows_of = np.split(order, np.cumsum(np.bincount(level + 1, minlength=leaf.levels + 1))[:-1])
        out = np.empty((len(level), self.classes))
        out[gone] = np.nan
        for density, rows in zip(leaf.by_level, rows_of, strict=True):
            if len(rows):
                out[rows] = density.log_density(x[rows])
        return out

    def formula(self, cells: Cells, patterns: Sequence[Sequence[Pattern]]) -> Formula:
        return tree_formula(self, cells, patterns)

    # missing cells

    def _messages(self, blocks: Blocks, codes: Codes) -> Messages:
        return upward(self.categories, codes, self.classes, self._of_numbers(blocks))

    def _of_numbers(self, blocks: Blocks) -> Iterator[tuple[int, Array]]:
        """What columns that are no categories say of each level of their parent."""  # (n, K, P)
        for leaf in self.alone:
            logs = leaf.density.log_density(leaf.cells(blocks))
            yield leaf.parent, logs.reshape(len(logs), self.classes, leaf.levels)
        for group in self.groups:
            logs = group.density.log_density(group.cells(blocks))
            yield group.parent, logs.reshape(len(logs), self.classes, -1)
        for arc in self.regressions:
            if arc.degrees is not None:
                yield -1, _refusing_holes(arc, column(blocks, arc.child), column(blocks, arc.parent))[:, :, None]

    @lazy
    def groups(self) -> list[Group]:
        """Numbers that depend on each other, where their parameters are known."""
        heads = {arc.parent for arc in self.regressions} - {arc.child for arc in self.regressions}
        found = [(leaf, i) for leaf in self.leaves for i, at in enumerate(leaf.columns) if (leaf.block, at) in heads]
        return [group_of(leaf, i, self.regressions) for leaf, i in found] if self.gaussian else []

    @property
    def gaussian(self) -> bool:
        """Whether numbers are Gaussian around their lines."""
        return all(arc.degrees is None for arc in self.regressions)

    @lazy
    def alone(self) -> list[Leaf]:
        """The leaves without the numbers that head a group."""
        heads = {group.places[0] for group in self.groups}
        kept = ([i for i, at in enumerate(leaf.columns) if (leaf.block, at) not in heads] for leaf in self.leaves)
        return [leaf.take(some) for leaf, some in zip(self.leaves, kept, strict=True) if some]

    def filled(self, blocks: Blocks, memberships: Array, transforms: Transforms) -> Blocks:
        codes = self._codes(blocks)
        beliefs = self._messages(blocks, codes).beliefs(memberships)
        best = [belief[:, :, :-1].sum(axis=1).argmax(axis=1) for belief in beliefs]

        def fill(density: Parametric[S], x: Block, parent: int, block: int) -> Block:
            shares = memberships if parent < 0 else beliefs[parent].reshape(len(codes), -1)
            return filled(density, x, shares, transforms[block])

        return self._completed(blocks, best, fill)

    def refilled(self, blocks: Blocks, components: Codes, rng: np.random.Generator) -> Blocks:
        codes = self._messages(blocks, self._codes(blocks)).drawn(components, rng)

        def fill(density: Parametric[S], x: Block, parent: int, block: int) -> Block:
            return density.refilled(x, self._component(components, codes, parent), rng)

        return self._completed(blocks, list(codes.T), fill)

    def _completed(self, blocks: Blocks, levels: Sequence[Codes], fill: Filling) -> Blocks:
        """The blocks with missing categories as given, and missing cells of other columns as densities fill them."""
        out = [np.array(block) if isinstance(block, np.ndarray) else block for block in blocks]
        for category, found in zip(self.categories, levels, strict=True):
            cells = out[category.place[0]][:, category.place[1]]
            cells[:] = np.where(cells < 0, found, cells)
        for leaf in self.alone:
            if isinstance(leaf.density, Parametric) and isinstance(out[leaf.block], np.ndarray):
                columns = list(leaf.columns)
                out[leaf.block][:, columns] = fill(leaf.density, out[leaf.block][:, columns], leaf.parent, leaf.block)
        for group in self.groups:
            full = fill(group.density, group.cells(tuple(out)), group.parent, group.places[0][0])
            for (block, place), cells in zip(group.places, full.T, strict=True):
                out[block][:, place] = cells
        return tuple(out)

    def _component(self, components: Codes, codes: Codes, parent: int) -> Codes:
        """Class × level of each row."""
        return components if parent < 0 else components * (self.categories[parent].size + 1) + codes[:, parent]

    # rows drawn, and what is said of it

    def sample(self, components: Codes, rng: np.random.Generator) -> Blocks:
        nothing = np.full((len(components), len(self.categories)), MISSING, dtype=np.intp)
        codes = drawn(self.categories, nothing, components, rng)
        coded = {category.place[0] for category in self.categories}
        shapes = enumerate((len(components), width) for width in self.widths)
        out: list[Block] = [np.empty(shape, dtype=np.intp if i in coded else float) for i, shape in shapes]
        for j, category in enumerate(self.categories):
            out[category.place[0]][:, category.place[1]] = codes[:, j]
        for leaf in self.leaves:
            cells = leaf.density.sample(self._component(components, codes, leaf.parent), rng)
            out[leaf.block][:, list(leaf.columns)] = cells if isinstance(cells, np.ndarray) else cells.toarray()
        for arc in self.regressions:
            out[arc.child[0]][:, arc.child[1]] = arc.sample(components, column(tuple(out), arc.parent), rng)
        return tuple(out)

    def only(self, components: Codes) -> "TreeDensity":
        categories = tuple(category.only(components) for category in self.categories)
        leaves = tuple(leaf.only(components) for leaf in self.leaves)
        regressions = tuple(arc.only(components) for arc in self.regressions)
        otherwise = self.otherwise and self.otherwise.only(components)
        return TreeDensity(len(components), categories, leaves, regressions, self.widths, otherwise)

    def terms(self, blocks: Blocks, a: int, b: int) -> list[Terms]:
        """Log odds of each column given those before it: of its parent, and of what tells of a parent that is missing.

        Where no cell is missing that is ln P(cell | a, parent) − ln P(cell | b, parent).
        """
        out: list[Terms] = [{} for _ in blocks]
        for leaf in self.leaves:
            if not leaf.density.independent:
                out[leaf.block] = leaf.density.terms(leaf.cells(blocks), a, b)
        for (block, at), logs in self._chain(blocks):
            out[block][at,] = log_odds(logs, a, b)
        return out

    def factors(self, blocks: Blocks) -> list[Factors]:
        """Ln p of each column given those before it, as for `terms`."""
        out: list[Factors] = [{} for _ in blocks]
        for leaf in self.leaves:
            if not leaf.density.independent:
                out[leaf.block] = leaf.density.factors(leaf.cells(blocks))
        for (block, at), logs in self._chain(blocks):
            out[block][at,] = np.where(np.isnan(logs), 0.0, logs)  # impossible as before
        return out

    def _chain(self, blocks: Blocks) -> Iterator[tuple[Place, Array]]:
        """Columns, parents before their children, and what ln p of the row gains by each."""
        tree = replace(self, leaves=tuple(leaf for leaf in self.leaves if leaf.density.independent))
        shown, before = [_nothing(block) for block in blocks], np.zeros((1, self.classes))
        for block, at in tree._in_order():
            shown[block][:, at] = blocks[block][:, at]
            after = tree.log_density(tuple(shown))
            with np.errstate(invalid="ignore"):  # impossible as before says nothing
                yield (block, at), after - before
            before = after

    def _in_order(self) -> list[Place]:
        """Parents before their children."""
        first = [category.place for category in self.categories]
        then = [(leaf.block, at) for leaf in self.leaves for at in leaf.columns]
        return [*first, *then, *(arc.child for arc in self.regressions)]

    def tables(self, names: Sequence[Names]) -> list[Tables]:
        return tables_of(self.categories, self.leaves, self.regressions, names)


def _rows(blocks: Blocks, some: NDArray[np.bool_]) -> Blocks:
    return tuple(block[some] for block in blocks)


def _nothing(block: Block) -> Block:
    """A block of the same shape, all of it missing."""
    return np.full(block.shape, MISSING if block.dtype.kind in "iu" else np.nan)


def _refusing_holes(arc: Regression, child: Array, parent: Array) -> Array:
    if (np.isnan(parent) & ~np.isnan(child)).any():
        raise HiddenCellsError(
            "A missing number has others that depend on it, and with estimate='predictive' there is no closed form "
            "without it. Use estimate='map', or fill in the cells."
        )
    return arc.log_density(child, parent)
