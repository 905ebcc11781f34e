"""Missing cells of a tree: messages from the leaves to the root, which sum over them, and back, which weigh them.

In:  the categories of a tree, their codes (n, D), and what other columns say of each level of their parents.
Out: ln p(row | class) of the cells that are there; P(class, level | row) of every category; levels drawn.

The cost is linear in the columns. Shapes: n rows, K classes, P levels of a parent and one never seen (1 without a
parent), S levels.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from suffice.arrays import MISSING, Array, Codes, log
from suffice.families.tree.nodes import Category


@dataclass(frozen=True, eq=False)
class Messages:
    categories: Sequence[Category]
    codes: Codes  # (n, D)
    total: Array  # (n, K) ln p of the cells that are there
    below: list[Array]  # (n, K, S + 1) of each category: ln p of all that depends on it, by its level

    def beliefs(self, memberships: Array) -> list[Array]:
        """P(class, level | row) of each category, from P(class | row)."""  # (n, K) → (n, K, S + 1)
        out: list[Array] = []
        for j, category in enumerate(self.categories):
            belief, there = np.zeros_like(self.below[j]), self.codes[:, j] != MISSING
            known = np.flatnonzero(there)
            belief[known, :, self.codes[known, j]] = memberships[known]
            above = memberships[:, :, None] if category.parent < 0 else out[category.parent]
            shares, _ = scaled(self.below[j][~there][:, :, : category.size])
            whole = np.einsum("nks,kps->nkp", shares, category.probability)
            left = np.divide(above[~there], whole, out=np.zeros_like(whole), where=whole > 0)
            belief[~there, :, :-1] = shares * np.einsum("nkp,kps->nks", left, category.probability)
            out.append(belief)
        return out

    def drawn(self, components: Codes, rng: np.random.Generator) -> Codes:
        """The categories of each row, those that are missing drawn one after the other."""
        rows = np.arange(len(self.codes))
        below = [logs[rows, components, :-1] for logs in self.below]
        return drawn(self.categories, self.codes, components, rng, below)


def upward(categories: Sequence[Category], codes: Codes, classes: int, others: Iterable[tuple[int, Array]]) -> Messages:
    """`others` are messages (n, K, P) of columns that are no categories, each with its parent, or −1."""
    total = np.zeros((len(codes), classes))
    below = [np.zeros((len(codes), classes, category.size + 1)) for category in categories]
    for parent, message in others:
        _add(total, below, parent, message)
    for j in reversed(range(len(categories))):
        _add(total, below, categories[j].parent, _message(categories[j], codes[:, j], below[j]))
    return Messages(categories, codes, total, below)


def _add(total: Array, below: list[Array], parent: int, message: Array) -> None:
    if parent < 0:
        total += message[:, :, 0]
    else:
        below[parent] += message


def _message(category: Category, code: Codes, below: Array) -> Array:
    """What a category and all that depends on it say of each level of its parent; nothing below says nothing."""
    out, there = np.zeros((len(code), *category.table.shape[:2])), code != MISSING
    level = code[there]
    own = np.take_along_axis(below[there], level[:, None, None], axis=2)
    out[there] = np.moveaxis(category.table[:, :, level], 2, 0) + own
    gone = np.flatnonzero(~there & below.any(axis=(1, 2)))
    shares, top = scaled(below[gone][:, :, : category.size])
    out[gone] = log(np.einsum("nks,kps->nkp", shares, category.probability)) + top
    return out


def scaled(logs: Array) -> tuple[Array, Array]:
    """Exponentials in proportion along the last axis, and the logarithm that they were divided by."""
    top = logs.max(axis=-1, keepdims=True, initial=-np.inf)
    top = np.where(np.isneginf(top), 0.0, top)
    return np.exp(logs - top), top


def drawn(
    categories: Sequence[Category],
    codes: Codes,
    components: Codes,
    rng: np.random.Generator,
    below: Sequence[Array] | None = None,
) -> Codes:
    """Levels of the categories that are missing, each given its parent and, by level, what depends on it."""
    out = codes.copy()
    for j, category in enumerate(categories):
        of_parent = np.zeros_like(components) if category.parent < 0 else out[:, category.parent]
        logs = category.table[components, of_parent, : category.size]
        shares, _ = scaled(logs if below is None else logs + below[j])
        ladder = np.cumsum(shares, axis=1)
        found = (ladder < rng.random((len(out), 1)) * ladder[:, -1:]).sum(axis=1)
        out[:, j] = np.where(codes[:, j] == MISSING, np.minimum(found, category.size - 1), codes[:, j])
    return out
