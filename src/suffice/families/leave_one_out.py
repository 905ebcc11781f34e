"""Rows left out, one at a time: what a family learns from all rows but one, and what it then says about that one.

In:  rows with their components and weights, the statistics of all rows, and a Rule, how a density follows from
     statistics.
Out: LeftOut: log densities (N, K) of each row under every component, learned without the row.

`one_by_one` does it for any family by taking each row away in turn; `refit_each` learns N models side by side, which is
the same and faster. Families with shorter ways have them in files of their own.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from suffice.arrays import Array, Codes, row_blocks
from suffice.families.memberships import memberships
from suffice.kernels.left_out import LEAST_KEPT

if TYPE_CHECKING:  # the contract of families has rows left out in it
    from suffice.families.protocol import Block, Density, Family, LastStep, LeavesOut, Prior, Statistics

S = TypeVar("S", bound="Statistics")


class Rule(Protocol):
    """What to believe beforehand, and what to make of the belief afterwards."""

    @property
    def moves(self) -> bool: ...  # whether the prior follows from the rows too

    @property
    def levels(self) -> int: ...  # of another column that components stand for within each class; 1 where for none

    @property
    def step(self) -> "LastStep": ...

    def prior(self, family: "Family[S]", statistics: S) -> "Prior[S]": ...

    def belief(self, family: "Family[S]", statistics: S) -> "Prior[S]": ...  # after the rows

    def density(self, family: "Family[S]", statistics: S) -> "Density": ...


@dataclass(frozen=True, eq=False)
class LeftOut:
    log_density: Array  # (N, K)
    lost: NDArray[np.bool_]  # (N,) rows that weigh so much that they had better be learned without anew


def one_by_one(
    family: "Family[S]", block: "Block", labels: Codes, weights: Array, statistics: S, rule: Rule
) -> LeftOut:
    """Each row taken out of the statistics in turn."""
    log_density = np.empty((len(labels), len(statistics.weight)))
    for row, label in enumerate(labels):
        alone = memberships(np.array([label]), len(statistics.weight), weights[row : row + 1])
        rest = statistics - family.statistics(block[row : row + 1], alone)
        log_density[row] = rule.density(family, rest).log_density(block[row : row + 1])[0]
    return LeftOut(log_density, weights > (1 - LEAST_KEPT) * statistics.weight[labels])


def refit_each(
    family: "LeavesOut[S]", block: "Block", labels: Codes, weights: Array, statistics: S, rule: Rule
) -> LeftOut:
    """N models side by side, each from the statistics of all rows but one."""
    width = sum(array.size for array in statistics.arrays().values())
    parts = [
        _refit_each(family, block[some], labels[some], weights[some], statistics, rule)
        for some in row_blocks(len(labels), width)
    ]
    log_density, lost = (np.concatenate(part) for part in zip(*parts, strict=True))
    return LeftOut(log_density, lost)


def _refit_each(
    family: "LeavesOut[S]", block: "Block", labels: Codes, weights: Array, statistics: S, rule: Rule
) -> tuple[Array, NDArray[np.bool_]]:
    rows, components = len(labels), len(statistics.weight)
    places = np.arange(rows) * components + labels
    whole = statistics.only(np.tile(np.arange(components), rows))
    held = whole - family.singly(block, weights).onto(places, rows * components)
    density = rule.density(family.side_by_side(rows), held)
    log_density = density.paired(block[np.repeat(np.arange(rows), components)]).reshape(rows, components)
    return log_density, held.only(places).kept(whole.only(places)) < LEAST_KEPT
