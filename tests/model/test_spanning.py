"""The best tree is the best of all trees: against brute force on small graphs."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suffice.model.arcs import Roles
from suffice.model.spanning import branching, directed, spanning_tree
from suffice.model.tree_choice import best_tree

SEEDS = st.integers(0, 10_000)


def is_forest(parents):
    """Whether no child is its own ancestor."""
    for node in parents:
        met = {node}
        while (node := parents.get(node)) is not None:
            if node in met:
                return False
            met.add(node)
    return True


def best_forest(nodes, gains, spanning):
    """The total of the best choice of a parent for each node, of all there are; with one root only if it spans."""
    choices = [[None, *(a for a in nodes if (a, b) in gains)] for b in nodes]
    totals = []
    for chosen in product(*choices):
        parents = {b: a for b, a in zip(nodes, chosen, strict=True) if a is not None}
        if is_forest(parents) and (not spanning or len(parents) == len(nodes) - 1):
            totals.append(sum(gains[a, b] for b, a in parents.items()))
    return max(totals)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(SEEDS, st.integers(1, 5))
def test_branchings_are_the_best(seed, size):
    rng = np.random.default_rng(seed)
    nodes = list("abcde"[:size])
    gains = {(a, b): rng.integers(-3, 6) * 1.0 for a in nodes for b in nodes if a != b and rng.random() < 0.8}
    parents = branching(nodes, gains)
    assert is_forest(parents)
    assert sum(gains[a, b] for b, a in parents.items()) == best_forest(nodes, gains, spanning=False)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(SEEDS, st.integers(1, 4), st.integers(0, 3))
def test_trees_of_categories_and_numbers_are_the_best(seed, categories, numbers):
    """A number is no parent of a category; gains are the same both ways where both are allowed."""
    rng = np.random.default_rng(seed)
    roles = Roles(tuple("abcd"[:categories]), tuple("xyz"[:numbers]), ())
    gains = {}
    for some in (roles.categories, roles.numbers):
        for a, b in combinations(some, 2):
            gains[a, b] = gains[b, a] = float(rng.integers(0, 9))
    gains |= {(a, x): float(rng.integers(0, 9)) for a in roles.categories for x in roles.numbers}
    parents = best_tree(gains, roles, None)
    assert is_forest(parents)
    assert len(parents) == len(roles.names) - 1
    assert sum(gains[a, b] for b, a in parents.items()) == best_forest(roles.names, gains, spanning=True)


def test_equal_gains_go_by_the_order_of_the_columns():
    nodes = ["c", "a", "b"]
    gains = {(a, b): 1.0 + 1e-15 * (a == "b") for a in nodes for b in nodes if a != b}
    assert spanning_tree(nodes, gains) == [("c", "a"), ("c", "b")]
    assert branching(nodes, gains) == branching(nodes, dict.fromkeys(gains, 1.0))


def test_a_tree_begins_at_its_root_and_what_it_does_not_reach_at_its_first_column():
    assert directed("abcde", [("a", "b"), ("b", "c"), ("d", "e")], "c") == {"b": "c", "a": "b", "e": "d"}


@pytest.mark.parametrize("gains", [{}, {("a", "b"): -1.0, ("b", "a"): 0.0}])
def test_what_gains_nothing_has_no_arc(gains):
    assert branching(["a", "b"], gains) == {}
