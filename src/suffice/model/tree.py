"""Stage 3, which column depends on which: a tree, learned from the pairs of a summary or brought by the user.

In:  the pieces of a model, the pairs of its summary, and what the user asks of the tree.
Out: Tree: the parent of each column, or none, with what each arc gains.

A number is no parent of a category, and of gains that are the same in both directions the best tree is that of the
categories, and then that of {all categories as one} and the numbers; any other column stands below its best category.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.errors import ImproperPriorError, ParameterError
from suffice.model.arcs import Gains, Roles, evidence, information
from suffice.model.design import Piece
from suffice.model.pairs import Pairs
from suffice.model.rules import ESTIMATES
from suffice.model.spanning import branching, directed, rounded, spanning_tree
from suffice.printing.description import Description, Series, Sheet
from suffice.printing.language import word
from suffice.printing.printed import Printed
from suffice.store import Header
from suffice.words import listed

INFORMATION, EVIDENCE = "information", "evidence"


@dataclass(frozen=True, repr=False)
class Tree(Printed):
    """The parent of each column, in the order of the table."""

    parents: Mapping[str, str | None]
    gains: Mapping[tuple[str, str], float]  # of each arc there is, (parent, child)
    criterion: str

    @property
    def arcs(self) -> list[tuple[str, str, float]]:
        """Parent, child, and the gain of the arc; NaN if the two are never present in the same row."""
        found = ((parent, child) for child, parent in self.parents.items() if parent is not None)
        return [(parent, child, self.gains.get((parent, child), float("nan"))) for parent, child in found]

    def plain(self) -> Header:
        """As plain data."""
        arcs = [[parent, child, gain] for (parent, child), gain in self.gains.items()]
        return {"parents": [list(pair) for pair in self.parents.items()], "gains": arcs, "criterion": self.criterion}

    @classmethod
    def from_plain(cls, data: Header) -> "Tree":
        gains = {(str(parent), str(child)): float(gain) for parent, child, gain in data["gains"]}
        return cls(dict(data["parents"]), gains, str(data["criterion"]))

    def children(self, parent: str | None) -> list[str]:
        return [child for child, own in self.parents.items() if own == parent]

    def in_order(self) -> list[str]:
        """Parents before their children."""
        out = self.children(None)
        for name in out:  # which grows meanwhile
            out += self.children(name)
        return out

    def description(self) -> Description:
        """The tree as it grows, and what each arc gains."""
        drawn = [branch for root in self.children(None) for branch in self._branches(root, "", "")]
        names, parents = [name for _, name in drawn], [self.parents[name] for _, name in drawn]
        gains = [self.gains.get((above or "", name), np.nan) for above, name in zip(parents, names, strict=True)]
        series = [Series(word("parent"), [above or "" for above in parents]), Series(word("gain"), np.array(gains))]
        lines = [f"{before}{name}" for before, name in drawn]
        return Description((), [Sheet(word("column"), lines, series, keys=names, most=len(lines))])

    def _branches(self, name: str, before: str, below: str) -> list[tuple[str, str]]:
        """What is drawn before each name, from a column on down."""
        children, found = self.children(name), [(before, name)]
        for child in children:
            last = child == children[-1]
            found += self._branches(child, below + ("└─ " if last else "├─ "), below + ("   " if last else "│  "))
        return found


def roles_of(pieces: Sequence[Piece], pairs: Pairs, order: Sequence[str]) -> Roles:
    """What the columns that pairs are kept of may be, in the order of the table."""
    kept = {*pairs.layout.names, *(name for block in pairs.layout.others for name in block.names)}
    blocks = {name: piece.block for piece in pieces if not piece.block.together for name in piece.names}
    names = [name for name in order if name in kept and name in blocks]
    categories = tuple(name for name in names if blocks[name].categorical)
    numbers = tuple(name for name in names if blocks[name].numeric)
    return Roles(categories, numbers, tuple(name for name in names if name not in {*categories, *numbers}))


def learned(criterion: str, root: str | None, pieces: Sequence[Piece], pairs: Pairs, order: Sequence[str]) -> Tree:
    """The best tree of the columns of some pieces."""
    roles = roles_of(pieces, pairs, order)
    if criterion == INFORMATION:
        gains = information(pairs, roles, rows_of(pieces))
        return tree_with(best_tree(gains, roles, root), gains, criterion, pieces, order)
    smoothing = refuse_improper(pieces)
    gains = evidence(pairs, roles, smoothing)
    parents = branching([name for name in order if name in roles.names], gains)
    return tree_with(parents, gains, criterion, pieces, order)


def brought(given: Any, pieces: Sequence[Piece], pairs: Pairs, order: Sequence[str]) -> Tree:
    """The tree that a user has, with what its arcs gain by information."""
    roles = roles_of(pieces, pairs, order)
    parents = read_tree(given, roles, _columns(pieces, order))
    return tree_with(parents, information(pairs, roles, rows_of(pieces)), INFORMATION, pieces, order)


def tree_with(
    parents: Mapping[str, str], gains: Gains, criterion: str, pieces: Sequence[Piece], order: Sequence[str]
) -> Tree:
    return Tree({name: parents.get(name) for name in _columns(pieces, order)}, gains, criterion)


def _columns(pieces: Sequence[Piece], order: Sequence[str]) -> list[str]:
    modelled = {name for piece in pieces for name in piece.names}
    return [name for name in order if name in modelled]


def rows_of(pieces: Sequence[Piece]) -> float:
    return float(pieces[0].statistics.weight.sum())


def refuse_improper(pieces: Sequence[Piece]) -> float:
    """The smoothing of a model whose beliefs are proper."""
    rules = pieces[0].rule.rules
    if rules.smoothing == 0 or rules.parameter_prior != "weak" or ESTIMATES[rules.estimate].prior:
        raise ImproperPriorError(
            "criterion='evidence' needs proper priors: smoothing above 0, parameter_prior='weak', and an estimate that "
            "uses them ('auto', 'map', 'mean', 'predictive'). Set those, or criterion='information'."
        )
    return rules.smoothing


def best_tree(gains: Gains, roles: Roles, root: str | None) -> dict[str, str]:
    """Child → parent."""
    _refuse_root(root, roles)
    categories, numbers = roles.categories, roles.numbers
    parents = directed(categories, spanning_tree(categories, gains), root if root in categories else None)
    above = {name: _best_category(gains, categories, name) for name in (*numbers, *roles.others)}
    nodes = ("", *numbers) if categories else numbers  # "": all categories as one
    among = {arc: gain for arc, gain in gains.items() if set(arc) <= set(numbers)}
    among |= {("", name): gains[top, name] for name in numbers if (top := above[name]) is not None}
    found = directed(nodes, spanning_tree(nodes, among), root if root in numbers else None)
    below = {child: above[child] if parent == "" else parent for child, parent in found.items()}
    below |= {name: above[name] for name in roles.others}
    return parents | {child: parent for child, parent in below.items() if parent is not None}


def _best_category(gains: Gains, categories: Sequence[str], child: str) -> str | None:
    """The first of the heaviest."""
    able = rounded({(name, child): gains[name, child] for name in categories if (name, child) in gains})
    return max(able, key=lambda arc: able[arc])[0] if able else None


def _refuse_root(root: str | None, roles: Roles) -> None:
    if root is None or root in roles.categories or (root in roles.numbers and not roles.categories):
        return
    if root in roles.numbers:
        raise ParameterError(
            f"root={root!r} is numeric, and categories cannot depend on a number. Name a category: "
            f"{listed(roles.categories)}."
        )
    raise ParameterError(
        f"root={root!r} is not a column that others can depend on; those are "
        f"{listed(roles.categories or roles.numbers)}."
    )


def read_tree(given: Any, roles: Roles, columns: Sequence[str]) -> dict[str, str]:
    """A tree that the user brings, checked."""
    if not isinstance(given, Mapping):
        raise ParameterError(f"tree must be a dict {{child: parent}} of columns; found {type(given).__name__}.")
    parents = {str(child): str(parent) for child, parent in given.items() if parent is not None}
    unknown = sorted({*parents, *parents.values()} - set(columns))
    if unknown:
        raise ParameterError(f"tree names {listed(unknown)}, but the columns modelled here are {listed(columns)}.")
    for child, parent in parents.items():
        _refuse_arc(child, parent, roles)
        met, node = {child}, parent
        while node not in met and node in parents:
            met.add(node)
            node = parents[node]
        if node in met:
            raise ParameterError(f"tree must have no cycles, but {listed(sorted(met))} depend on each other.")
    return parents


def _refuse_arc(child: str, parent: str, roles: Roles) -> None:
    able = parent in roles.categories or (parent in roles.numbers and child in roles.numbers)
    if child not in roles.names or not able:
        raise ParameterError(
            f"tree makes '{child}' depend on '{parent}', but columns can depend only on a category, and numbers also "
            "on a number. Columns in a joint block, words in a row of counts and columns without collected pairs "
            "depend on none."
        )
