"""Rows left out of full covariances: a rank-one step for each row instead of a matrix.

In:  the belief after all rows, whose prior does not follow from them, and rows with their components and weights.
Out: LeftOut. Without row x of component y, which stood κ rows strong, the mean and the scatter are

         m_y + (m_y − x) w/(κ − w)        Ψ − d dᵀ κw/(κ − w),    d = x − m_y

     so distances and determinants follow from those under Ψ itself (Sherman–Morrison). Shrinkage towards a sphere adds
     a multiple of the identity that differs from row to row: in the eigenvectors of Ψ both are diagonal.
"""

from dataclasses import dataclass

import numpy as np

from suffice.arrays import Array, Codes, ratio
from suffice.families.gaussian.normal_wishart import NormalInverseWishartPrior
from suffice.families.leave_one_out import LeftOut
from suffice.families.protocol import LastStep
from suffice.kernels.distances import log_gaussian, log_student
from suffice.kernels.left_out import LEAST_KEPT
from suffice.lazy import lazy


@dataclass(frozen=True, eq=False)
class Diagonalised:
    """Coordinates in which a matrix is diagonal."""

    into: Array  # (D, D): rows @ into are the coordinates
    values: Array  # (D,), or a single 1 where the matrix is the identity there
    log_determinant: float  # of the matrix, beyond that of its values


def whitened(matrix: Array) -> Diagonalised:
    """By a triangle, which no unit of a column disturbs."""
    triangle = np.linalg.cholesky(matrix)
    return Diagonalised(np.linalg.inv(triangle).T, np.ones(1), 2 * float(np.log(np.diagonal(triangle)).sum()))


def rotated(matrix: Array) -> Diagonalised:
    """By eigenvectors, in which a sphere is a sphere too."""
    values, vectors = np.linalg.eigh(matrix)
    return Diagonalised(vectors, np.maximum(values, 0.0), 0.0)  # below 0 by rounding only


def downdated(belief: NormalInverseWishartPrior, step: LastStep, x: Array, labels: Codes, weights: Array) -> LeftOut:
    rows, owner, wider = np.arange(len(x)), 0 if belief.family.shared else labels, belief.family.inflated
    kappa, divisor = belief.kappa[:, 0], belief.divisor(step)[:, 0]  # (K,), (K′,)
    least = np.minimum(divisor[owner], divisor.sum())  # of its own, and of all that it may be shrunk to
    hopeless = (kappa[labels] - weights < LEAST_KEPT * weights) | (least <= weights)
    weights = np.where(hopeless, 0.0, weights)  # nothing can be taken off there
    kappa, divisor = (np.repeat(part[None, :], len(x), axis=0) for part in (kappa, divisor))  # (N, K), (N, K′)
    growth = kappa[rows, labels] / (kappa[rows, labels] - weights)
    kappa[rows, labels] -= weights
    divisor[rows, owner] -= weights
    distance, log_determinant, room = _distances(belief, divisor, x, labels, weights, growth)
    distance, log_determinant = distance / wider, log_determinant + x.shape[1] * np.log(wider)
    empty = np.isnan(x[:, 0])  # of all its cells: such a row never was in the scatter, and says nothing
    lost = (hopeless | (room < LEAST_KEPT)) & ~empty
    if step is LastStep.PREDICTIVE:
        spread = (kappa + 1) / kappa
        log_determinant += x.shape[1] * np.log(spread)
        found = log_student(distance / spread, log_determinant, x.shape[1], divisor)
    else:
        found = log_gaussian(distance, log_determinant, x.shape[1])
    return LeftOut(np.where(empty[:, None], 0.0, found), lost)


def _distances(
    belief: NormalInverseWishartPrior, divisor: Array, x: Array, labels: Codes, weights: Array, growth: Array
) -> tuple[Array, Array, Array]:
    """Squared distances and ln|Σ| (N, K), and what is left of the determinants, as the least share (N,).

    Σ_k = own_k Ψ_k + pooled Σ_k Ψ_k before the row's square is taken off. Rows that mix the two alike share a frame.
    """
    family, components, owners = belief.family, len(belief.location), len(belief.scatter)
    pooled, apart = family.to_shared / divisor.sum(axis=1), np.array(1 - family.to_shared)
    distance, log_determinant = np.empty((2, len(x), components))
    room, everything = np.ones(len(x)), belief.scatter.sum(axis=0)
    for owner, members in enumerate(np.array_split(np.arange(components), owners)):
        own = ratio(apart, np.maximum(divisor[:, owner], 0.0))  # nothing of a scatter without rows
        square = growth * weights * (np.where(family.shared | (labels == owner), own, 0.0) + pooled)
        share = own / (own + pooled)
        for value in np.unique(share):
            rows = np.flatnonzero(share == value) if np.ptp(share) else slice(None)
            matrix = value * belief.scatter[owner] + (1 - value) * everything if value < 1 else belief.scatter[owner]
            frame = rotated(matrix) if family.to_spherical else whitened(matrix)
            step = RankOne(belief, frame, x[rows], labels[rows], growth[rows], (own + pooled)[rows], square[rows])
            for k in members:
                distance[rows, k] = step.distance(k)
            log_determinant[rows, members[0] : members[-1] + 1] = step.log_determinant[:, None]
            room[rows] = np.minimum(room[rows], step.room)
    return distance, log_determinant, room


@dataclass(frozen=True, eq=False)
class RankOne:
    """Σ = (1 − γ)(scale M − square d dᵀ) + γ (their mean variance) I, in a frame of M."""

    belief: NormalInverseWishartPrior
    frame: Diagonalised
    x: Array  # (n, D)
    labels: Codes
    growth: Array  # (n,) κ/(κ − w): how far the row's own mean moves away from it
    scale: Array  # (n,)
    square: Array  # (n,)

    @lazy
    def means(self) -> Array:
        return np.asarray((self.belief.location - self._centre) @ self.frame.into)  # (K, D)

    @lazy
    def rows(self) -> Array:
        return (self.x - self._centre) @ self.frame.into  # (n, D)

    @lazy
    def off(self) -> Array:
        return self.rows - self.means[self.labels]  # d, in the frame

    @lazy
    def diagonal(self) -> Array:
        """Of Σ without the square, (n, D), or (n, 1) where it is the same in every direction."""
        towards = self.belief.family.to_spherical
        diagonal: Array = (1 - towards) * self.scale[:, None] * self.frame.values
        if not towards:
            return diagonal
        trace = self._trace * np.maximum(self._left, LEAST_KEPT)
        return np.asarray(diagonal + towards * trace[:, None] / self.x.shape[1])

    @lazy
    def _trace(self) -> Array:
        """Before the square is taken off."""
        return np.asarray(self.scale * self.frame.values.sum())

    @lazy
    def _left(self) -> Array:
        """What the square leaves of the trace, as a share, where that matters."""
        squares = np.einsum("nd,nd->n", self.off, self.off)
        return (
            1 - ratio(self.square * squares, self._trace) if self.belief.family.to_spherical else np.ones(len(self.x))
        )

    @lazy
    def own_distance(self) -> Array:
        return self._inner(self.off, self.off)

    @lazy
    def _worth(self) -> Array:
        return np.asarray((1 - self.belief.family.to_spherical) * self.square)

    @lazy
    def room(self) -> Array:
        """What the square leaves of the determinant, or of the trace if that is less."""
        return np.minimum(1 - self._worth * self.own_distance, self._left)

    @lazy
    def _divisor(self) -> Array:
        """What is left of the determinant, or what does no harm where it is so little that the row is learned anew."""
        return np.maximum(1 - self._worth * self.own_distance, LEAST_KEPT)

    @lazy
    def log_determinant(self) -> Array:
        columns = self.x.shape[1] / self.diagonal.shape[1]
        logs = columns * np.log(self.diagonal).sum(axis=1) + self.frame.log_determinant
        return np.asarray(logs + np.log(self._divisor))

    def distance(self, component: int) -> Array:
        """From one component; from the row's own, whose mean has moved along d, in closed form.

        The way to another mean is d and then from mean to mean, so that one product of d with all means is enough.
        """
        mine, towards = self.labels == component, self._pulled[:, -1] - self._pulled[:, component]
        plain = np.where(
            mine, self.growth**2 * self.own_distance, self.own_distance + 2 * towards + self._gap(component)
        )
        along = np.where(mine, self.growth * self.own_distance, self.own_distance + towards)
        return np.asarray(plain + self._worth * along**2 / self._divisor)

    @lazy
    def _pulled(self) -> Array:
        """Inner products of d with every mean, and in the last column with the row's own."""  # (n, K + 1)
        pulled = (self.off / self.diagonal if self.diagonal.shape[1] > 1 else self.off) @ self.means.T
        pulled = pulled if self.diagonal.shape[1] > 1 else pulled / self.diagonal
        return np.column_stack([pulled, pulled[np.arange(len(pulled)), self.labels]])

    def _gap(self, component: int) -> Array:
        """Squared distances between the row's own mean and that of the component."""
        gaps = self.means - self.means[component]  # (K, D)
        if self.diagonal.shape[1] == 1:
            return np.asarray((gaps**2).sum(axis=1)[self.labels] / self.diagonal[:, 0])
        return self._inner(gaps[self.labels], gaps[self.labels])

    @lazy
    def _centre(self) -> Array:
        return np.asarray(self.belief.location.mean(axis=0))

    def _inner(self, a: Array, b: Array) -> Array:
        if self.diagonal.shape[1] == 1:
            return np.asarray(np.einsum("nd,nd->n", a, b) / self.diagonal[:, 0])
        return np.asarray(np.einsum("nd,nd->n", a / self.diagonal, b))
