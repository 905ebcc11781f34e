"""Means and covariances around an estimate: μ + L u and L T Tᵀ Lᵀ, with L Lᵀ the covariance of the estimate.

T is lower triangular, with τ below its diagonal and e^τ on it; where columns are by themselves it is that diagonal.
Means so count in standard deviations, and no unit matters. With W the inverse covariance of the cells that a row has,
L₀ the rows of L of those cells, and d their deviations from the mean, everything follows from z = L₀ᵀ W d and
B = L₀ᵀ W L₀ (in a row without missing cells B is the identity):

    slopes       u: z        τ_ij: z_i z_j − B_ij

In:  a density, whether its means and its covariances are free, moments of the rows, and what a belief adds.
Out: Charts of columns together (`Crosswise`) and by themselves (`Columnwise`).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from suffice.arrays import Array, Codes, repeated
from suffice.families.charts import Chart, Span
from suffice.families.gaussian.densities import CORRELATION, GaussianDensity
from suffice.families.gaussian.distances import patterns
from suffice.families.gaussian.patterns import AnyMoments, PatternMoments
from suffice.lazy import lazy

Pairs = tuple[Codes, Codes]  # i ≥ j of each τ_ij


@dataclass(frozen=True, eq=False)
class Pull:
    """What is known of one component's mean and covariance, as the kernel −½ (n ln|Σ| + tr(S Σ⁻¹) + κ dᵀ Σ⁻¹ d)."""

    logs: Array  # (K, …) n: of each variance, or of each matrix
    squares: Array  # (K, D) or (K, D, D): S
    mass: Array  # (K, D): κ
    location: Array  # (K, D): μ is d away


@dataclass(frozen=True, eq=False, kw_only=True)
class GaussianChart(Chart[AnyMoments]):
    density: GaussianDensity
    pull: Pull  # of the belief; with columns by themselves, of the belief after the rows
    means: bool = True  # whether the rows have a say in them
    spreads: bool = True

    @property
    def _columns(self) -> int:
        return int(self.density.mean.shape[1])

    @property
    def _entries(self) -> int:
        """Numbers of one covariance."""
        return self.density.shape.entries(self._columns) if self.spreads else 0

    @property
    def _common(self) -> bool:
        return len(self.density.covariance) < len(self.density.mean)

    @property
    def own(self) -> int:
        return self._columns * self.means + self._entries * (not self._common)

    @property
    def shared(self) -> int:  # type: ignore[override]
        return self._entries * self._common

    @lazy
    def _roots(self) -> Array:
        return self.density.shape.root(self.density.covariance, self._columns)  # (K′, D, D) or (K′, D)

    def _parts(self, own: Array, shared: Array) -> tuple[Array, Array]:
        """Steps of means (K, D) and of covariances (K′, E), 0 where they are known."""
        at = self._columns * self.means
        steps = own[:, :at] if self.means else np.zeros_like(self.density.mean)
        entries = shared[None, :] if self._common else own[:, at:]
        return steps, entries if self.spreads else np.zeros((len(self.density.covariance), 0))

    def span(self, title: str, heading: str) -> Span:
        correlations = self.density.shape.crosswise and title.startswith(CORRELATION)
        if correlations and heading.split(", ")[0] in title:  # a column's own name, which may well begin with "mean"
            return Span.CORRELATION
        return Span.POSITIVE if heading.startswith("sd") else Span.LINE


class Columnwise(GaussianChart):
    """Columns by themselves, each with its variance or all with one: T is e^τ."""

    def moved(self, own: Array, shared: Array) -> GaussianDensity:
        steps, logs = self._parts(own, shared)
        covariance = self.density.covariance * np.exp(2 * logs) if self.spreads else self.density.covariance
        return replace(self.density, mean=self.density.mean + self._roots * steps, covariance=covariance)

    def slopes(self, x: Array) -> Array:
        z = (x[:, None, :] - self.density.mean) / self._roots  # (N, K, D)
        there = ~np.isnan(z)
        z = np.where(there, z, 0.0)
        squares = z**2 - there if self.spreads else z[:, :, :0]
        return np.concatenate([z[:, :, : self._columns * self.means], self._summed(squares)], axis=2)

    def _summed(self, columns: Array) -> Array:
        """Over all columns, where they have one variance."""
        one = self.spreads and self._entries < columns.shape[-1]
        return columns.sum(axis=-1, keepdims=True) if one else columns

    def curvature(self) -> Array:
        """H_uu = −κ, H_uτ = −2κ d, H_ττ = −2 (S + κ d²), all in standard deviations."""
        off = (self.pull.location - self.density.mean) / self._roots  # (K, D)
        count, at = self._columns, self._columns * self.means
        out = np.zeros((len(off), at + self._entries, at + self._entries))
        mass = np.broadcast_to(self.pull.mass, off.shape)
        if self.means:
            out[:, :at, :at] = -mass[:, :, None] * np.eye(count)
        if self.spreads:
            squares = self._first(self.pull.squares / self.density.covariance) + self._summed(mass * off**2)
            out[:, at:, at:] = -2 * squares[:, :, None] * np.eye(self._entries)
        if self.means and self.spreads:
            cross = -2 * (mass * off)[:, :, None] * (np.eye(count) if self._entries == count else np.ones((1, 1)))
            out[:, :at, at:], out[:, at:, :at] = cross, np.swapaxes(cross, 1, 2)
        return out

    def _first(self, shared: Array) -> Array:
        """What belongs to all components, given to the first of them."""
        if len(shared) == len(self.density.mean):
            return shared
        out = np.zeros((len(self.density.mean), shared.shape[1]))
        out[: len(shared)] = shared
        return out


@dataclass(frozen=True, eq=False, kw_only=True)
class Crosswise(GaussianChart):
    """Columns together: rows are told apart by which cells they have."""

    rows: PatternMoments
    precision: Array | None = None  # (K, D, D) of a belief about means whose covariance is known

    @lazy
    def _pairs(self) -> Pairs:
        below = np.tril_indices(self._columns) if self.spreads else np.zeros((2, 0), dtype=np.intp)
        return below[0], below[1]

    def moved(self, own: Array, shared: Array) -> GaussianDensity:
        steps, entries = self._parts(own, shared)
        mean = self.density.mean + np.einsum("kij,kj->ki", repeated(self._roots, len(steps)), steps)
        if not self.spreads:
            return replace(self.density, mean=mean)
        factor = np.zeros_like(self._roots)
        factor[:, self._pairs[0], self._pairs[1]] = entries
        diagonal = np.arange(self._columns)
        factor[:, diagonal, diagonal] = np.exp(factor[:, diagonal, diagonal])
        half = self._roots @ factor
        return replace(self.density, mean=mean, covariance=half @ np.swapaxes(half, 1, 2))

    def slopes(self, x: Array) -> Array:
        out = np.zeros((len(x), len(self.density.mean), self.own + self.shared))
        for rows, here in patterns(~np.isnan(x)):
            for k, (lever, seen) in enumerate(self._levers(here)):
                z = (x[rows][:, here] - self.density.mean[k, here]) @ lever
                i, j = self._pairs
                out[rows, k] = np.concatenate([z[:, : self._columns * self.means], z[:, i] * z[:, j] - seen[i, j]], 1)
        return out

    def _levers(self, here: Codes) -> Iterator[tuple[Array, Array]]:
        """W L₀ and B of each component, for rows that have these cells."""
        for k in range(len(self.density.mean)):
            root = repeated(self._roots, len(self.density.mean))[k][here]
            lever = np.linalg.solve(root @ root.T, root)
            yield lever, root.T @ lever

    def curvature(self) -> Array:
        return np.stack([self._of_rows(k) + self._of_belief(k) for k in range(len(self.density.mean))])

    def _of_rows(self, k: int) -> Array:
        out = np.zeros((self.own + self.shared,) * 2)
        for pattern, moments in self.rows.parts.items():
            here = np.array(pattern, dtype=np.intp)
            lever, seen = list(self._levers(here))[k]
            off, mass = moments.mean[k] - self.density.mean[k, here], moments.weight[k]
            squares = lever.T @ (moments.scatter[k] + mass * np.outer(off, off)) @ lever
            out += self._second(mass, mass * seen, seen, squares, mass * lever.T @ off)
        return out

    def _of_belief(self, k: int) -> Array:
        root, every = repeated(self._roots, len(self.density.mean))[k], np.eye(self._columns)
        if self.precision is not None:
            return np.asarray(-root.T @ self.precision[k] @ root)
        inverse, mass = np.linalg.inv(root), self.pull.mass[k, 0]
        off = inverse @ (self.pull.location[k] - self.density.mean[k])
        squares, logs = mass * np.outer(off, off), 0.0
        if k < len(self.pull.squares):
            squares, logs = squares + inverse @ self.pull.squares[k] @ inverse.T, self.pull.logs[k, 0]
        return self._second(logs, mass * every, every, squares, mass * off)

    def _second(self, logs: float, means: Array, seen: Array, squares: Array, off: Array) -> Array:
        """Second derivatives of −½ (n ln|Σ| + tr(S Σ⁻¹)) by u and τ, from n, B and what z is squared and summed."""
        i, j = self._pairs
        at, same = self._columns * self.means, (i[:, None] == i) & (j[:, None] == j)

        def pairs(x: Array, y: Array) -> Array:
            """tr(X G_a Y G_b) for all τ_a, τ_b, G = ∂(T Tᵀ)."""
            crossed = x[i[:, None], j] * y[j[:, None], i] + x[j[:, None], i] * y[i[:, None], j]
            return np.asarray(crossed + x[i[:, None], i] * y[j[:, None], j] + x[j[:, None], j] * y[i[:, None], i])

        def twice(x: Array) -> Array:
            """tr(X ∂²(T Tᵀ))."""
            return np.asarray(2 * x[i[:, None], i] * ((j[:, None] == j) * 1.0 + same * (i == j)))

        spreads = -0.5 * logs * (twice(seen) - pairs(seen, seen)) + 0.5 * twice(squares) - pairs(squares, seen)
        cross = -(seen[:, i] * off[j] + seen[:, j] * off[i])[:at]  # (D, E)
        return np.block([[-means[:at, :at], cross], [cross.T, spreads]])


def together(density: GaussianDensity, pull: Pull, statistics: AnyMoments, precision: Array | None = None) -> Crosswise:
    assert isinstance(statistics, PatternMoments)  # columns modelled together have no other
    known = precision is not None
    return Crosswise(density=density, pull=pull, rows=statistics, spreads=not known, precision=precision)
