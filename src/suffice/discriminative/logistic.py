"""Logistic loss: P(class | row) itself, as a softmax of linear scores.

In:  rows z (N, P), their classes, and how much each counts, C times its weight.
Out: w (K, P) and b (K,) of the least ½‖w‖² + Σ cap_i · −ln P(class of i | row i), Σ_k b_k = 0. Of two classes there is
     one w, that of the second against the first.

Newton's steps go over the rows once each, for the slope Σ (p − 1) z and the curvature Σ (diag p − p pᵀ) ⊗ z zᵀ, both of
which add; a step that is too long is halved. Where the curvature would be too large a matrix, L-BFGS goes by the slope.
"""

from dataclasses import dataclass

import numpy as np

from suffice.arrays import Array, Codes, Matrix, is_sparse, log_sum_exp
from suffice.discriminative.margin import solved
from suffice.threads import over_rows

LARGEST = 600  # unknowns up to which the curvature is a matrix
STEPS = 100


@dataclass(frozen=True, eq=False)
class Linear:
    """Scores of classes, linear in the rows: one for each class, or of two classes the second's against the first."""

    w: Array  # (K, P), or (1, P)
    b: Array  # (K,), or (1,)
    objective: float
    slope: float  # the largest part of what is left of it, beside the largest that was added up


def least_logistic_loss(z: Matrix, codes: Codes, classes: int, cap: Array, tol: float) -> Linear:
    """Until no part of the slope is more than `tol`, beside the rows' own."""
    losses = Softmax(z, codes, classes, cap)
    theta = np.zeros(losses.shape)
    least = tol * float(np.abs(losses.slope(theta, losses.looked_at(theta)[1])).max())
    theta = (_newton if theta.size <= LARGEST else _quasi_newton)(losses, theta, least)
    value, shares = losses.looked_at(theta)
    return Linear(theta[:, :-1], theta[:, -1], value, float(np.abs(losses.slope(theta, shares)).max()))


@dataclass(frozen=True, eq=False)
class Softmax:
    """The objective, of unknowns (K, P + 1), b last; of two classes (1, P + 1), as the first's scores are 0."""

    z: Matrix
    codes: Codes
    classes: int
    cap: Array

    @property
    def shape(self) -> tuple[int, int]:
        return (1 if self.classes == 2 else self.classes), self.z.shape[1] + 1

    def scores(self, theta: Array) -> Array:
        found = np.asarray(self.z @ theta[:, :-1].T) + theta[:, -1]
        return np.column_stack([np.zeros(len(found)), found]) if self.classes == 2 else found

    def looked_at(self, theta: Array) -> tuple[float, Array]:
        """The objective, and P(class | row) (N, K)."""
        scores = self.scores(theta)
        whole = np.logaddexp(scores[:, 0], scores[:, 1]) if self.classes == 2 else log_sum_exp(scores)
        scores -= whole[:, None]
        own = scores[np.arange(len(scores)), self.codes]
        value = 0.5 * float((theta[:, :-1] ** 2).sum()) - float(self.cap @ own)
        return value, np.exp(scores, out=scores)

    def slope(self, theta: Array, shares: Array) -> Array:
        off = self.cap[:, None] * shares
        off[np.arange(len(off)), self.codes] -= self.cap
        off = off[:, -self.shape[0] :]
        out = np.column_stack([np.asarray(self.z.T @ off).T, off.sum(axis=0)])
        out[:, :-1] += theta[:, :-1]
        return out

    def curvature(self, shares: Array) -> Array:
        """(K (P + 1), K (P + 1)); what the b of all classes have in common is held where it is."""
        shares = shares[:, -self.shape[0] :]
        size, width = self.shape
        out = np.zeros((size, width, size, width))
        for k in range(size):
            for other in range(k + 1):
                weight = self.cap * shares[:, k] * ((k == other) - shares[:, other])
                out[k, :, other, :] = out[other, :, k, :] = bordered_gram(self.z, weight)
            out[k, :-1, k, :-1].flat[::width] += 1.0
        out[:, -1, :, -1] += float(self.cap.mean()) if size > 1 else 0.0
        return out.reshape(size * width, size * width)


def bordered_gram(z: Matrix, weight: Array) -> Array:
    """Σ weight · (z, 1)(z, 1)ᵀ, on every core."""
    width = z.shape[1]
    parts = over_rows(lambda blocks: sum(_gram(z[rows], weight[rows]) for rows in blocks), z.shape[0], width)
    out = np.empty((width + 1, width + 1))
    out[:-1, :-1] = sum(parts)
    out[-1, :-1] = out[:-1, -1] = z.T @ weight
    out[-1, -1] = weight.sum()
    return out


def _gram(z: Matrix, weight: Array) -> Array:
    if is_sparse(z):
        return np.asarray((z.T @ z.multiply(weight[:, None]).tocsr()).toarray())
    sign = -1.0 if weight[0] < 0 else 1.0  # the same of all rows
    heavy = z * np.sqrt(sign * weight)[:, None]
    return np.asarray(sign * (heavy.T @ heavy))  # a product with itself is half the work


def _newton(losses: Softmax, theta: Array, least: float) -> Array:
    value, shares = losses.looked_at(theta)
    for _ in range(STEPS):
        slope = losses.slope(theta, shares)
        if np.abs(slope).max() <= least:
            break
        way = -solved(losses.curvature(shares), slope.ravel()).reshape(theta.shape)
        far, fall = 1.0, float((way * slope).sum())
        new, others = losses.looked_at(theta + way)
        while new > value + 1e-4 * far * fall + 1e-14 * abs(value):
            far *= 0.5
            if far < 1e-10:  # nothing but rounding is left to gain
                return theta
            new, others = losses.looked_at(theta + far * way)
        theta, value, shares = theta + far * way, new, others
    return theta


def _quasi_newton(losses: Softmax, theta: Array, least: float) -> Array:
    from scipy.optimize import minimize  # slow to load, and seldom needed

    def both(flat: Array) -> tuple[float, Array]:
        at = flat.reshape(theta.shape)
        value, shares = losses.looked_at(at)
        return value, losses.slope(at, shares).ravel()

    options = {"maxiter": 10_000, "maxfun": 20_000, "ftol": 0.0, "gtol": least, "maxcor": 20}
    found = minimize(both, theta.ravel(), jac=True, method="L-BFGS-B", options=options).x.reshape(theta.shape)
    found[:, -1] -= found[:, -1].mean() if losses.classes > 2 else 0.0
    return np.asarray(found)
