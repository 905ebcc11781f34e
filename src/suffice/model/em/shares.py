"""Stage 3, the prevalence of components around an estimate, as log odds against the most common component.

In:  the prevalence that EM has found, the mass of rows behind each component, and which shares are known beforehand.
Out: Shares: what a Chart is to densities. Where the user gives the prevalence of the classes, only the shares of the
     components within a class may move.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from suffice.arrays import Array, Codes, log
from suffice.families.protocol import LEAST_MASS
from suffice.lazy import lazy


@dataclass(frozen=True, eq=False)
class Shares:
    prevalence: Array  # (K,)
    weight: Array  # (K,) mass of rows
    owners: Codes  # (K,) the class of each component
    free: bool  # whether rows have a say in the prevalence of the classes
    smoothing: float = 0.0  # rows added to each class

    @lazy
    def kept(self) -> Codes:
        """All components but the most common of each group."""
        best = [self._group_of(g)[self.prevalence[self._group_of(g)].argmax()] for g in np.unique(self._groups)]
        return np.setdiff1d(np.arange(len(self.owners)), best)

    @property
    def edges(self) -> NDArray[np.bool_]:
        return self.weight[self.kept] < LEAST_MASS

    def moved(self, steps: Array) -> Array:
        logs = log(self.prevalence)
        logs[self.kept] += steps
        odds = np.exp(logs - logs.max())
        return np.asarray(odds * (self._totals(self.prevalence) / self._totals(odds)))

    @property
    def slopes(self) -> Array:
        """Of ln prevalence: the same for every row of a component."""  # (K, …)
        return np.asarray((np.eye(len(self.owners)) - self._within(self._groups))[:, self.kept])

    def curvature(self) -> Array:
        out = -self._bent(self._groups, self._totals(self.weight))
        if self.free and self.smoothing:
            one = np.full(len(self.owners), self.smoothing)
            out += self._bent(self.owners, one) - self._bent(self._groups, one * len(np.unique(self.owners)))
        return out[np.ix_(self.kept, self.kept)]

    @property
    def _groups(self) -> Codes:
        """Components whose shares sum up to what is known: to one, or to the prevalence of their class."""
        return np.zeros_like(self.owners) if self.free else self.owners

    def _group_of(self, group: int) -> Codes:
        return np.flatnonzero(self._groups == group)

    def _totals(self, values: Array) -> Array:
        return np.bincount(self._groups, values)[self._groups].astype(float)

    def _within(self, groups: Codes) -> Array:
        """Shares of components within their group."""  # (K, K): the same in every row of a group, 0 in others
        together = groups[:, None] == groups
        return np.asarray(together * self.prevalence / (together @ self.prevalence)[:, None])

    def _bent(self, groups: Codes, mass: Array) -> Array:
        """Mass · (diag q − q qᵀ) for the shares q within each group."""
        within = self._within(groups)
        return np.asarray(mass[:, None] * (np.diag(np.diag(within)) - np.diag(within)[:, None] * within))
