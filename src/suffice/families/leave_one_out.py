"""Rows left out, one at a time: what a family learns from all rows but one, and what it then says about that one.

In:  rows with their components and weights, the statistics of all rows, and how a density follows from statistics.
Out: LeftOut: log densities (N, K) of each row under every component, learned without the row.

`one_by_one` does it for any family by taking each row away in turn; `refit_each` learns N models side by side, which is
the same and faster. Families with shorter ways have them in files of their own.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from suffice.arrays import Array, Codes, row_blocks
from suffice.families.distributions import Block, Density, S
from suffice.families.memberships import Memberships, memberships
from suffice.kernels.left_out import LEAST_KEPT


@dataclass(frozen=True, eq=False)
class LeftOut:
    log_density: Array  # (N, K)
    lost: NDArray[np.bool_]  # (N,) rows that weigh so much that they had better be learned without anew


def one_by_one(
    gather: Callable[[Block, Memberships], S],
    learn: Callable[[S], Density],
    block: Block,
    labels: Codes,
    weights: Array,
    statistics: S,
) -> LeftOut:
    """Each row taken out of the statistics in turn."""
    log_density = np.empty((len(labels), len(statistics.weight)))
    for row, label in enumerate(labels):
        alone = memberships(np.array([label]), len(statistics.weight), weights[row : row + 1])
        rest = statistics - gather(block[row : row + 1], alone)
        log_density[row] = learn(rest).log_density(block[row : row + 1])[0]
    return LeftOut(log_density, weights > (1 - LEAST_KEPT) * statistics.weight[labels])


def refit_each(
    singly: Callable[[Block, Array], S],
    learn: Callable[[int, S], Density],
    block: Block,
    labels: Codes,
    weights: Array,
    statistics: S,
) -> LeftOut:
    """N models side by side, each from the statistics of all rows but one; `learn` is told how many they are."""
    width = sum(array.size for array in statistics.arrays().values())
    parts = [
        _refit_each(singly, learn, block[some], labels[some], weights[some], statistics)
        for some in row_blocks(len(labels), width)
    ]
    log_density, lost = (np.concatenate(part) for part in zip(*parts, strict=True))
    return LeftOut(log_density, lost)


def _refit_each(
    singly: Callable[[Block, Array], S],
    learn: Callable[[int, S], Density],
    block: Block,
    labels: Codes,
    weights: Array,
    statistics: S,
) -> tuple[Array, NDArray[np.bool_]]:
    rows, components = len(labels), len(statistics.weight)
    places = np.arange(rows) * components + labels
    whole = statistics.only(np.tile(np.arange(components), rows))
    held = whole - singly(block, weights).onto(places, rows * components)
    density = learn(rows, held)
    log_density = density.paired(block[np.repeat(np.arange(rows), components)]).reshape(rows, components)
    return log_density, held.only(places).kept(whole.only(places)) < LEAST_KEPT
