"""Probabilities of cells around an estimate, as log odds against the most probable cell of each group.

In:  known probabilities, and what belief and rows count in each cell.
Out: a Chart: slopes are amounts less what was to be expected, the curvature is that of the multinomial.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from suffice.arrays import Array, Codes, is_sparse
from suffice.families.cells.densities import CellDensity
from suffice.families.charts import Chart, Span
from suffice.families.counts import Counts
from suffice.families.protocol import LEAST_MASS, Block
from suffice.lazy import lazy


@dataclass(frozen=True, eq=False)
class CellChart(Chart[Counts]):
    density: CellDensity
    counted: Array  # (K, C) after the rows: what the mode divides

    @property
    def own(self) -> int:
        return int(self._kept.shape[1])

    @property
    def edges(self) -> NDArray[np.bool_]:
        return self._of_kept(self.counted) < LEAST_MASS

    @lazy
    def _logs(self) -> Array:
        return self.density.log_probability[:, : self.density.family.size]  # (K, C)

    @lazy
    def _kept(self) -> Codes:
        """All cells but the most probable of each group."""  # (K, C − G)
        starts, sizes = self.density.family.starts, self.density.family.layout.sizes
        groups = [slice(start, start + size) for start, size in zip(starts, sizes, strict=True)]
        best = np.stack([group.start + self._logs[:, group].argmax(axis=1) for group in groups], axis=1)  # (K, G)
        return np.stack([np.setdiff1d(np.arange(self.density.family.size), some) for some in best])

    def _of_kept(self, cells: Array) -> Array:
        return np.take_along_axis(cells, self._kept, axis=1)

    def moved(self, own: Array, shared: Array) -> CellDensity:
        logs, family, everyone = self._logs.copy(), self.density.family, np.arange(len(own))[:, None]
        logs[everyone, self._kept] += own
        logs -= family.spread(np.logaddexp.reduceat(logs, family.starts, axis=1))
        unseen = self.density.log_probability[:, family.size :]
        return replace(self.density, log_probability=np.concatenate([logs, unseen], axis=1))

    def slopes(self, block: Block) -> Array:
        family = self.density.family
        amounts = family.layout.amounts(block)
        hit = np.asarray(amounts.toarray() if is_sparse(amounts) else amounts, dtype=float)  # (N, C)
        drawn = family.spread(family.totals(hit))
        each = zip(self._kept, np.exp(self._logs), strict=True)
        return np.stack([hit[:, kept] - drawn[:, kept] * share[kept] for kept, share in each], axis=1)

    def curvature(self) -> Array:
        family, share = self.density.family, self._of_kept(np.exp(self._logs))
        drawn, group = (
            self._of_kept(np.broadcast_to(family.spread(each), self._logs.shape))
            for each in (family.totals(self.counted), family.starts.astype(float))
        )
        products = share[:, :, None] * share[:, None, :] * (group[:, :, None] == group[:, None, :])
        return np.asarray(drawn[:, :, None] * (products - share[:, :, None] * np.eye(self.own)))

    def span(self, title: str, heading: str) -> Span:
        return Span.SHARE
