"""Stage 3, which column depends on which: a tree, learned from the pairs of a summary or brought by the user.

In:  the pieces of a model, the pairs of its summary, and what the user asks of the tree.
Out: the Tree.

A number is no parent of a category, and of gains that are the same in both directions the best tree is that of the
categories, and then that of {all categories as one} and the numbers; any other column stands below its best category.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from suffice.errors import ImproperPriorError, ParameterError
from suffice.model.arcs import Gains, Roles, evidence, information
from suffice.model.pairs import Pairs
from suffice.model.piece import Piece
from suffice.model.rules import ESTIMATES
from suffice.model.spanning import branching, directed, rounded, spanning_tree
from suffice.model.tree import Tree
from suffice.words import listed

INFORMATION, EVIDENCE = "information", "evidence"


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
