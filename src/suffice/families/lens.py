"""How a block is read in a step of EM: once, for the densities of its rows and for their statistics alike.

In:  the density of the step before, and blocks of rows.
Out: log densities (n, K), then statistics under the memberships that follow from them.

`Plain` asks density and family, one after the other. `Quadratic` is for Gaussians: ln p is linear in the squares and
products of a row, and so are the sums that moments are made of, so that both are one matrix product with the same
features. Rows are standardised first, and components much narrower than all rows together are left to `Plain`: there
the products would cancel.
"""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from suffice.arrays import Array, workspace
from suffice.families.memberships import Soft
from suffice.families.moments import Moments
from suffice.families.normal import LOG_2PI, GaussianDensity
from suffice.families.patterns import PatternMoments

NARROW = 1e-3  # of the variance of all rows: below that, products of features lose digits


class Lens(Protocol):
    @property
    def width(self) -> int: ...  # numbers that a row is read as

    def read(self, block: Any) -> Any: ...  # what the other two look at

    def log_density(self, seen: Any) -> Array: ...  # (n, K)

    def sums(self, seen: Any, memberships: Soft) -> Any: ...  # additive

    def statistics(self, sums: Any) -> Any: ...  # of all blocks together


@dataclass(frozen=True, eq=False)
class Plain:
    family: Any
    density: Any

    @property
    def width(self) -> int:
        return int(self.family.columns)

    def read(self, block: Any) -> Any:
        return block

    def log_density(self, seen: Any) -> Array:
        return np.asarray(self.density.log_density(seen))

    def sums(self, seen: Any, memberships: Soft) -> Any:
        return self.family.statistics(seen, memberships)

    def statistics(self, sums: Any) -> Any:
        return sums


@dataclass(frozen=True, eq=False)
class Frame:
    """Coordinates z = (x − centre) · into, in which all rows together have about unit variance."""

    centre: Array  # (D,)
    into: Array  # (D, D), or (D,) where columns keep to themselves
    back: Array  # the inverse
    log_volume: float  # ln|into|

    @classmethod
    def of(cls, pooled: Any, shape: Any) -> "Frame | None":
        """From the statistics of all rows in one component; None where columns nearly depend on each other."""
        moments = pooled.complete()
        mean, covariance = moments.mean[0], moments.scatter[0] / moments.weight[0]
        if shape.ndim == 3:
            deviation = np.sqrt(np.diagonal(covariance))
            if not np.linalg.eigvalsh(covariance / deviation / deviation[:, None])[0] > NARROW**2:
                return None
            root = np.linalg.cholesky(covariance)
            return cls(mean, np.linalg.inv(root).T, root.T, -float(np.log(np.diagonal(root)).sum()))
        scale = np.sqrt(shape.diagonal(shape.matrix(covariance[None, :]), len(mean))[0])
        return cls(mean, 1 / scale, scale, -float(np.log(scale).sum()))

    def inside(self, rows: Array) -> Array:
        off = rows - self.centre
        return np.asarray(off @ self.into if self.into.ndim == 2 else off * self.into)

    def enter(self, block: Array, out: Array) -> None:
        """Rows (n, D) as coordinates (D, n), written there."""
        off = np.subtract(block, self.centre, out=workspace("centred", *block.shape))
        if self.into.ndim == 2:
            np.matmul(self.into.T, off.T, out=out)
        else:
            np.multiply(off.T, self.into[:, None], out=out)

    def covariance(self, matrix: Array) -> Array:
        """A covariance in these coordinates; (K′, D, D) or variances (K′, D)."""
        if self.into.ndim == 2:
            return np.asarray(self.into.T @ matrix @ self.into)
        return np.asarray(matrix * self.into**2)

    def scatter(self, inside: Array) -> Array:
        """And back."""
        if self.into.ndim == 2:
            out = self.back.T @ inside @ self.back
            return np.asarray((out + np.swapaxes(out, 1, 2)) / 2)  # symmetric to the last digit
        return np.asarray(inside * self.back**2)


@dataclass(frozen=True, eq=False)
class Quadratic:
    """ln p(x | k) = weights · (squares and products, coordinates, 1); one matrix product each way."""

    frame: Frame
    density: GaussianDensity
    weights: Array  # (K, F)
    common: Array | None  # (D, D) or (D,): the precision that all components share, whose term is theirs alike
    total: Any  # statistics of all rows in one component, where the covariance is shared

    @classmethod
    def of(cls, density: GaussianDensity, pooled: Any) -> "Quadratic | None":
        """None where a component, or all rows together, are too narrow for it."""
        frame = Frame.of(pooled, density.shape)
        if frame is None:
            return None
        columns = density.mean.shape[1]
        shape, shared = density.shape, len(density.covariance) < len(density.mean)
        own = density.covariance if shape.ndim == 3 else shape.diagonal(density.covariance, columns)
        covariance = frame.covariance(own)
        narrowest = np.linalg.eigvalsh(covariance)[:, 0].min() if shape.ndim == 3 else covariance.min()
        if not narrowest > NARROW:
            return None
        precision = np.linalg.inv(covariance) if shape.ndim == 3 else 1 / covariance
        logs = np.linalg.slogdet(precision)[1] if shape.ndim == 3 else np.log(precision).sum(axis=1)
        means = frame.inside(density.mean)  # (K, D)
        wide = np.broadcast_to(precision, (len(means), *precision.shape[1:]))
        slopes = np.einsum("kij,kj->ki", wide, means) if shape.ndim == 3 else wide * means
        level = 0.5 * (logs - columns * LOG_2PI - np.einsum("kd,kd->k", slopes, means)) + frame.log_volume
        squares = np.zeros((len(means), 0)) if shared else _folded(precision)
        weights = np.concatenate([squares, slopes, level[:, None]], axis=1)
        return cls(frame, density, weights, precision[0] if shared else None, pooled if shared else None)

    @property
    def width(self) -> int:
        return int(self.weights.shape[1])

    def read(self, block: Array) -> Array:
        """Features of the rows, a row of (F, n) each."""
        n, columns = block.shape
        features = workspace("features", self.weights.shape[1], n)
        z = features[-columns - 1 : -1]
        self.frame.enter(block, z)
        features[-1] = 1.0
        if self.common is None:
            _products(z, features, self.density.shape.ndim == 3)
        return features

    def log_density(self, seen: Array) -> Array:
        logs = np.matmul(self.weights, seen, out=workspace("gaussians", len(self.weights), seen.shape[1]))  # (K, n)
        if self.common is not None:
            z = seen[:-1]
            pulled = workspace("pulled", *z.shape)
            if self.common.ndim == 2:
                np.matmul(self.common, z, out=pulled)
            else:
                np.multiply(self.common[:, None], z, out=pulled)
            logs -= 0.5 * np.einsum("dn,dn->n", z, pulled)
        return np.asarray(logs.T)

    def sums(self, seen: Array, memberships: Soft) -> Array:
        return np.asarray(seen @ memberships.shares)  # (F, K)

    def statistics(self, sums: Array) -> Any:
        """Weight, mean and centred scatter, back in the columns themselves."""
        columns, weight = self.density.mean.shape[1], sums[-1]
        means = (sums[-columns - 1 : -1] / np.where(weight > 0, weight, 1.0)).T  # (K, D)
        scatter = self._shared(weight, means) if self.common is not None else self._own(sums, weight, means)
        back = means @ self.frame.back if self.frame.back.ndim == 2 else means * self.frame.back
        mean, seen = self.frame.centre + back, np.repeat(weight[:, None], columns, axis=1)
        moments = Moments(weight, seen, mean, self.frame.scatter(scatter), seen * np.abs(mean))
        if scatter.ndim == 2:
            return moments
        return PatternMoments(weight, columns, {tuple(range(columns)): moments})

    def _own(self, sums: Array, weight: Array, means: Array) -> Array:
        columns = means.shape[1]
        squares = sums[: -columns - 1].T  # (K, …)
        if self.density.shape.ndim == 2:
            return np.asarray(squares - weight[:, None] * means**2)
        scatter = np.empty((len(weight), columns, columns))
        rows, others = np.triu_indices(columns)
        scatter[:, rows, others] = scatter[:, others, rows] = squares
        return scatter - weight[:, None, None] * means[:, :, None] * means[:, None, :]

    def _shared(self, weight: Array, means: Array) -> Array:
        """All of it with the first component: what is shared is their sum, and that of all rows does not change."""
        whole = self.total.complete()
        total = self.frame.covariance(whole.scatter)[0]
        middle = weight @ means / weight.sum()  # 0, up to rounding
        off = np.sqrt(weight)[:, None] * (means - middle)
        between = off.T @ off if total.ndim == 2 else (off**2).sum(axis=0)
        out = np.zeros((len(weight), *total.shape))
        out[0] = total - between
        return out


def _products(z: Array, out: Array, together: bool) -> None:
    """Squares of coordinates (D, n), and products of pairs where columns are modelled together, into the first rows."""
    if not together:
        np.multiply(z, z, out=out[: len(z)])
        return
    start = 0
    for i in range(len(z)):
        np.multiply(z[i], z[i:], out=out[start : start + len(z) - i])
        start += len(z) - i


def _folded(precision: Any) -> Array:
    """Factors of those products in −½ zᵀPz."""
    if precision.ndim == 2:
        return np.asarray(-0.5 * precision)
    rows, others = np.triu_indices(precision.shape[1])
    return np.asarray(np.where(rows == others, -0.5, -1.0) * precision[:, rows, others])
