"""Stage 3, how a tree lies in blocks: which columns are one node, and the density of rows that is made of nodes.

In:  a Tree, and the blocks of a model.
Out: Slots, one for each node; a TreeDensity of nodes, or of the arrays that one was stored as.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from suffice.arrays import Array
from suffice.data.levels import Levels
from suffice.data.schema import BlockPlan
from suffice.errors import FileError
from suffice.families.counts import checked
from suffice.families.kinds import density_of
from suffice.families.tree.density import TreeDensity
from suffice.families.tree.nodes import Category, Leaf, Place, Regression
from suffice.model.tree import Tree


@dataclass(frozen=True)
class Slot:
    """Columns of one block that depend on the same column, or on none."""

    block: int
    plan: BlockPlan  # of these columns
    places: tuple[Place, ...]
    parent: str | None = None
    above: Place | None = None  # of the parent
    levels: Levels = ()  # of the parent, where that is a category

    @property
    def coded(self) -> bool:
        return self.plan.categorical

    @property
    def on_a_number(self) -> bool:
        return self.parent is not None and not self.levels

    @property
    def tables(self) -> int:
        """One for each level of the parent and for one never seen, or one."""
        return len(self.levels) + 1 if self.levels else 1


def slots_of(tree: Tree, blocks: Sequence[BlockPlan]) -> list[Slot]:
    """Columns of one block with the same parent are one node, but categories and lines are one each."""
    places = {name: (i, j) for i, block in enumerate(blocks) for j, name in enumerate(block.names)}
    return [slot for i, block in enumerate(blocks) for slot in _slots(tree, i, block, blocks, places)]


def _slots(
    tree: Tree, i: int, block: BlockPlan, blocks: Sequence[BlockPlan], places: Mapping[str, Place]
) -> Iterator[Slot]:
    parents = [None if block.together else tree.parents[name] for name in block.names]
    for parent in dict.fromkeys(parents):
        above = None if parent is None else places[parent]
        levels = _levels(blocks, above)
        children = [j for j, own in enumerate(parents) if own == parent]
        alone = block.categorical or (parent is not None and not levels)
        for some in [[j] for j in children] if alone else [children]:
            yield Slot(i, block.take(some), tuple((i, j) for j in some), parent, above, levels)


def _levels(blocks: Sequence[BlockPlan], place: Place | None) -> Levels:
    """Of a category; a number has none."""
    if place is None or not blocks[place[0]].categorical:
        return ()
    return blocks[place[0]].columns[place[1]].levels


@dataclass(frozen=True)
class Nodes:
    """How to make the node of a slot."""

    category: Callable[[Slot, int], Category]  # with the number of its parent among the categories, or −1
    leaf: Callable[[Slot, int], Leaf]
    line: Callable[[Slot], Regression]


def tree_density(tree: Tree, blocks: Sequence[BlockPlan], classes: int, nodes: Nodes) -> TreeDensity:
    """The density of rows, parents before their children."""
    slots = slots_of(tree, blocks)
    by_name = {slot.plan.names[0]: slot for slot in slots}
    order = [by_name[name] for name in tree.in_order() if name in by_name]
    categories: list[Category] = []
    at: dict[str | None, int] = {None: -1}
    for slot in order:
        if slot.coded:
            at[slot.plan.names[0]] = len(categories)
            categories.append(nodes.category(slot, at[slot.parent]))
    leaves = tuple(nodes.leaf(slot, at[slot.parent]) for slot in slots if not (slot.coded or slot.on_a_number))
    lines = tuple(nodes.line(slot) for slot in order if slot.on_a_number)
    return TreeDensity(classes, tuple(categories), leaves, lines, tuple(len(block.columns) for block in blocks))


def restored(tree: Tree, blocks: Sequence[BlockPlan], classes: int, arrays: Mapping[str, Array]) -> TreeDensity:
    """The density whose `arrays()` these are, or an error if there cannot be one."""

    def own(slot: Slot) -> dict[str, Array]:
        block, column = slot.places[0]
        return {n.removeprefix(p): a for n, a in arrays.items() if n.startswith(p := f"{block}/{column}/")}

    def category(slot: Slot, parent: int) -> Category:
        [column] = slot.plan.columns
        shape = classes, slot.tables, len(column.levels) + 1
        table = checked(own(slot), {"log_probability": shape})["log_probability"]
        return Category(slot.places[0], column.levels, parent, table)

    def leaf(slot: Slot, parent: int) -> Leaf:
        density = density_of(slot.plan, own(slot), classes * slot.tables)
        return Leaf(slot.block, tuple(j for _, j in slot.places), parent, density, classes, slot.tables)

    def line(slot: Slot) -> Regression:
        found = checked(own(slot), {"mean": (classes, 2)} | dict.fromkeys(("slope", "variance", "spread"), (classes,)))
        if (np.minimum(found["variance"], found["spread"]) <= 0).any():
            raise FileError(f"The file holds an impossible spread around the line of '{slot.plan.names[0]}'.")
        assert slot.above is not None  # as it is on a number
        return Regression(slot.places[0], slot.above, **found)

    return tree_density(tree, blocks, classes, Nodes(category, leaf, line))
