"""Rows left out of columns modelled each by itself: each row's own step back from the statistics of all.

In:  rows x (N, D), NaN where missing, their labels and weights; or codes of categories.
Out: log densities of each row under models without it, and which rows weigh so much that a step back costs too many
     digits. Those are to be learned without anew; whatever stands in their place means nothing.
"""

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from suffice.arrays import Array, Codes, log, ratio
from suffice.kernels.distances import log_gaussian, log_student
from suffice.kernels.twins import compiled

Lost = NDArray[np.bool_]
LEAST_KEPT = 1e-6  # of a statistic: with less left, the subtraction has lost six digits


@dataclass(frozen=True, eq=False)
class GaussianColumns:
    """Moments of K components and, of all together, what a prior follows from that is worth so many rows."""

    seen: Array  # (K, D)
    mean: Array  # (K, D)
    scatter: Array  # (K, D)
    mass: Array  # (D,)
    middle: Array  # (D,) the mean of all
    within: Array  # (D,) scatter around the means of the components; the total, where that is all there is
    total: Array  # (D,) around the mean of all
    between: Array  # (D,) 1 where a column varies only between components, else 0
    floor: Array  # (D,) what a mean square must be above to be more than rounding
    pseudo_rows: float
    spent: float  # what the last step adds to the rows before it divides a scatter by them
    tails: bool  # whether means and variances are integrated out: Student's t in place of a Gaussian

    def without(self, x: Array, labels: Codes, weights: Array) -> tuple[Array, Lost]:
        """Log densities of Gaussian columns under what all other rows lead to: modes, means or predictives.

        Without a row the prior moves too: its mean to that of the other rows, its scatter to theirs.
        """
        fast = compiled(x.size * len(self.seen))  # each cell is looked at once for each component
        if fast is None:
            return self._without(x, labels, weights)
        out, lost = np.empty((len(x), len(self.seen))), np.zeros(len(x), dtype=bool)
        parts = [getattr(self, field.name) for field in fields(self)]
        fast.gaussian_left_out(np.ascontiguousarray(x), labels, np.ascontiguousarray(weights), *parts, out, lost)
        return out, lost

    @np.errstate(all="ignore")  # of lost rows
    def _without(self, x: Array, labels: Codes, weights: Array) -> tuple[Array, Lost]:
        here = ~np.isnan(x)
        weight, first, scatter = weights[:, None] * here, self.seen[labels], self.scatter[labels]
        cells = np.where(here, x, self.mean[labels])
        off, rest = cells - self.mean[labels], first - weight
        rest = np.where(rest > 1e-9 * first, rest, 0.0)
        growth = ratio(weight, rest)
        left = np.where(rest > 0, scatter - off**2 * first * growth, 0.0)

        far, others = np.where(here, x - self.middle, 0.0), self.mass - weight
        middle, total = self.middle - far * weight / others, self.total - far**2 * self.mass * weight / others
        within = np.where(self.between > 0, total, self.within - (scatter - left))
        prior = (np.minimum(1.0, within / total), middle, self.pseudo_rows * within / others)

        out = [
            self._log_density(cells, here, prior, *part)
            for part in zip(self.seen, self.mean, self.scatter, strict=True)
        ]
        found = np.stack(out, axis=1)
        own = self._log_density(cells, here, prior, rest, self.mean[labels] - off * growth, left)
        found[np.arange(len(x)), labels] = own
        poor = (left < LEAST_KEPT * scatter) | (total < LEAST_KEPT * self.total) | ~(within > self.floor * others)
        return found, np.asarray(poor.any(axis=1) | ~np.isfinite(found).all(axis=1))

    def _log_density(
        self, x: Array, here: Lost, prior: tuple[Array, Array, Array], seen: Array, mean: Array, scatter: Array
    ) -> Array:
        """Σ over the cells that are there, after a prior worth kappa rows at a middle with their scatter."""
        kappa, middle, square = prior
        share = seen / (kappa + seen)
        off = mean - middle
        variance = (square + scatter + kappa * share * off**2) / (seen + self.spent)
        distance = (x - middle - share * off) ** 2 / variance
        if self.tails:
            spread = 1 + 1 / (kappa + seen)
            found = log_student(distance / spread, np.log(variance * spread), 1, seen + self.spent)
        else:
            found = log_gaussian(distance, np.log(variance), 1)
        return np.asarray(np.where(here, found, 0.0).sum(axis=1))


def own_shares(codes: Codes, bounds: Codes, labels: Codes, weights: Array, amounts: Array) -> tuple[Array, Lost]:
    """Σ_j ln (share of a row's level among those of its column), in its own component, had the row not been counted.

    Where nothing at all is left, levels are even.
    """  # (N, D), (K, C) → (N,)
    sizes = np.diff(bounds)
    whole = np.add.reduceat(amounts, bounds[:-1], axis=1)  # (K, D)
    fast = compiled(codes.size)
    if fast is not None:
        out, lost = np.empty(len(codes)), np.zeros(len(codes), dtype=bool)
        weights = np.ascontiguousarray(weights)
        fast.own_shares(np.ascontiguousarray(codes), bounds, labels, weights, amounts, whole, out, lost)
        return out, lost
    known, rows = codes >= 0, labels[:, None]
    cells = np.where(known, codes + bounds[:-1], 0)
    here, gone = amounts[rows, cells], np.where(known, weights[:, None], 0.0)
    left = np.maximum(here - gone, 0.0)
    total = whole[labels]
    rest = total - (here - left)
    rest = np.where(rest <= 1e-12 * total, 0.0, rest)
    logs = np.where(known, log(ratio(left, rest, 1 / sizes)), 0.0)
    poor = known & (left > 0) & (left < LEAST_KEPT * here)
    return np.asarray(logs.sum(axis=1)), np.asarray(poor.any(axis=1))
