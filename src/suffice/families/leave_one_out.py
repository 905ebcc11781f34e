"""Rows left out, one at a time: what a family learns from all rows but one, and what it then says about that one.

In:  rows with their components and weights, the statistics of all rows, and a Rule, how a density follows from
     statistics.
Out: LeftOut: log densities (N, K) of each row under every component, learned without the row.

`beside` does it for any family by learning N models side by side, which is exact because it is the fit itself.
Families with shorter ways have them in files of their own.
"""

from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from suffice.arrays import Array, Codes, row_blocks
from suffice.families.protocol import Block, Density, Prior

LEAST_KEPT = 1e-6  # of a statistic: with less left, the subtraction has lost six digits


class Rule(Protocol):
    """What to believe beforehand, and what to make of the belief afterwards."""

    @property
    def step(self) -> str: ...  # mode, mean or predictive

    @property
    def moves(self) -> bool: ...  # whether the prior follows from the rows too

    def prior(self, family: Any, statistics: Any) -> Prior: ...

    def density(self, family: Any, statistics: Any) -> Density: ...


@dataclass(frozen=True, eq=False)
class LeftOut:
    log_density: Array  # (N, K)
    lost: NDArray[np.bool_]  # (N,) rows that weigh so much that they had better be learned without anew


def beside(family: Any, block: Block, labels: Codes, weights: Array, statistics: Any, rule: Rule) -> LeftOut:
    """N models side by side, each from the statistics of all rows but one."""
    width = sum(array.size for array in statistics.arrays().values())
    parts = [
        _beside(family, block[some], labels[some], weights[some], statistics, rule)
        for some in row_blocks(len(labels), width)
    ]
    log_density, lost = (np.concatenate(part) for part in zip(*parts, strict=True))
    return LeftOut(log_density, lost)


def _beside(
    family: Any, block: Block, labels: Codes, weights: Array, statistics: Any, rule: Rule
) -> tuple[Array, NDArray[np.bool_]]:
    rows, components = len(labels), len(statistics.weight)
    places = np.arange(rows) * components + labels
    whole = statistics.only(np.tile(np.arange(components), rows))
    held = whole - family.singly(block, weights).onto(places, rows * components)
    density: Any = rule.density(replace(family, models=rows), held)
    log_density = density.paired(block[np.repeat(np.arange(rows), components)]).reshape(rows, components)
    return log_density, held.only(places).kept(whole.only(places)) < LEAST_KEPT
