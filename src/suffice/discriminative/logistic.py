"""Logistic loss: P(class | row) itself, as a softmax of linear scores.

In:  rows z (N, P), their classes, and how much each counts, C times its weight.
Out: w (K, P) and b (K,) of the least ½‖w‖² + Σ cap_i · −ln P(class of i | row i), Σ_k b_k = 0. Of two classes there is
     one w, that of the second against the first.

A step goes over the rows once, in blocks on every core, for sums that add: the objective, its slope Σ (p − 1) z and,
where it is asked for, its curvature Σ (diag p − p pᵀ) ⊗ z zᵀ. Newton's steps are halved where they are too long, and
the curvature serves on while it cuts the slope to a tenth. Where it would be too large a matrix, L-BFGS goes by the
slope.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add

import numpy as np

from suffice.arrays import Array, Codes, Matrix, is_sparse
from suffice.discriminative.margin import sample, solved
from suffice.threads import over_rows

LARGEST = 600  # unknowns up to which the curvature is a matrix
STEPS = 100
ENOUGH = 0.1  # of the slope, left by a step: the curvature is near enough
SMALLER = 8  # times, that blocks are: they are read twice, the second time from the cache
NEAR = 1e-3  # what a sample of the rows is to be settled to


@dataclass(frozen=True, eq=False)
class Linear:
    """Scores of classes, linear in the rows: one for each class, or of two classes the second's against the first."""

    w: Array  # (K, P), or (1, P)
    b: Array  # (K,), or (1,)
    objective: float
    slope: float  # the largest part of what is left of it

    @property
    def theta(self) -> Array:
        return np.column_stack([self.w, self.b])


def least_logistic_loss(
    z: Matrix, codes: Codes, classes: int, cap: Array, tol: float, start: Linear | None = None
) -> Linear:
    """Until no part of the slope is more than `tol` beside that of weights of 0; `start` is where to begin."""
    losses = Softmax(z, codes, classes, cap)
    least = tol * losses.passed(np.zeros(losses.shape)).steep
    theta = _first(losses) if start is None else start.theta
    theta, found = (_newton if theta.size <= LARGEST else _quasi_newton)(losses, theta, least)
    return Linear(theta[:, :-1], theta[:, -1], found.value, found.steep)


def _first(losses: "Softmax") -> Array:
    """Where some of very many rows would have it, or 0."""
    rows = len(losses.codes)
    some = sample(losses.codes, losses.z.shape[1])
    if len(some) == rows:
        return np.zeros(losses.shape)
    cap = losses.cap[some] * (rows / len(some))
    return least_logistic_loss(losses.z[some], losses.codes[some], losses.classes, cap, NEAR).theta


@dataclass(frozen=True, eq=False)
class Passed:
    """What rows add up to."""

    value: float
    slope: Array  # (K, P + 1)
    bent: Array | float  # (K, P + 1, K, P + 1); 0 where nobody asks

    def __add__(self, other: "Passed") -> "Passed":
        return Passed(self.value + other.value, self.slope + other.slope, self.bent + other.bent)

    @property
    def steep(self) -> float:
        return float(np.abs(self.slope).max())

    @property
    def matrix(self) -> Array:
        """The curvature by all unknowns."""
        return np.asarray(self.bent).reshape(self.slope.size, self.slope.size)


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
        """Of all classes, (N, K)."""
        found = _scores(self.z, theta)
        return np.column_stack([np.zeros(len(found)), found]) if self.classes == 2 else found

    def passed(self, theta: Array, bend: bool = False) -> Passed:
        """Objective, slope and curvature, as sums over blocks of rows."""

        def over(blocks: Sequence[slice]) -> Passed:
            return reduce(add, (self._some(theta, self.z[rows], rows, bend) for rows in blocks))

        rows = len(self.codes)
        if is_sparse(self.z):  # whose blocks would be copies
            return self._with_size(theta, self._some(theta, self.z, slice(0, rows), bend))
        return self._with_size(theta, reduce(add, over_rows(over, rows, SMALLER * sum(self.shape))))

    def _some(self, theta: Array, z: Matrix, rows: slice, bend: bool) -> Passed:
        """The losses of some rows."""
        scores, codes, cap = _scores(z, theta), self.codes[rows], self.cap[rows]
        whole, shares = _softmax(scores, first_is_0=self.classes == 2)
        own = codes - (self.classes == 2)  # which of the scores is that of the row's class, or −1 for the first's
        here = np.flatnonzero(own >= 0)
        value = float(cap @ whole) - float(cap[here] @ scores[here, own[here]])
        off = cap[:, None] * shares
        off[here, own[here]] -= cap[here]
        slope = np.column_stack([np.asarray(z.T @ off).T, off.sum(axis=0)])
        return Passed(value, slope, _bent(z, cap, shares) if bend else 0.0)

    def _with_size(self, theta: Array, found: Passed) -> Passed:
        """And ½‖w‖²; what the b of all classes have in common is held where it is."""
        w, slope, bent = theta[:, :-1], found.slope, found.bent
        slope[:, :-1] += w
        if isinstance(bent, np.ndarray):
            for k in range(len(w)):
                bent[k, :-1, k, :-1].flat[:: theta.shape[1]] += 1.0
            bent[:, -1, :, -1] += float(self.cap.mean()) if len(w) > 1 else 0.0
        return Passed(found.value + 0.5 * float((w**2).sum()), slope, bent)


def _scores(z: Matrix, theta: Array) -> Array:
    return np.asarray(z @ theta[:, :-1].T) + theta[:, -1]


def _softmax(scores: Array, first_is_0: bool) -> tuple[Array, Array]:
    """Ln Σ e^score of each row, (N,), and what each score is of that; a first score of 0 need not be there."""
    largest = np.maximum(scores.max(axis=1), 0.0) if first_is_0 else scores.max(axis=1)
    shares = np.exp(scores - largest[:, None])
    total = shares.sum(axis=1) + (np.exp(-largest) if first_is_0 else 0.0)
    shares /= total[:, None]
    return largest + np.log(total), shares


def _bent(z: Matrix, cap: Array, shares: Array) -> Array:
    """Σ cap · (diag p − p pᵀ) ⊗ (z, 1)(z, 1)ᵀ."""  # (K, P + 1, K, P + 1)
    size, width = shares.shape[1], z.shape[1] + 1
    out = np.zeros((size, width, size, width))
    for k in range(size):
        for other in range(k + 1):
            weight = cap * shares[:, k] * ((k == other) - shares[:, other])
            out[k, :, other, :] = out[other, :, k, :] = _bordered_gram(z, weight)
    return out


def _bordered_gram(z: Matrix, weight: Array) -> Array:
    """Σ weight · (z, 1)(z, 1)ᵀ."""
    out = np.empty((z.shape[1] + 1, z.shape[1] + 1))
    out[:-1, :-1] = _gram(z, weight)
    out[-1, :-1] = out[:-1, -1] = z.T @ weight
    out[-1, -1] = weight.sum()
    return out


def _gram(z: Matrix, weight: Array) -> Array:
    if is_sparse(z):
        return np.asarray((z.T @ z.multiply(weight[:, None]).tocsr()).toarray())
    sign = -1.0 if weight[0] < 0 else 1.0  # the same of all rows
    heavy = z * np.sqrt(sign * weight)[:, None]
    return np.asarray(sign * (heavy.T @ heavy))  # a product with itself is half the work


def _newton(losses: Softmax, theta: Array, least: float) -> tuple[Array, Passed]:
    """Where it ends, and what the rows add up to there."""
    here = losses.passed(theta, bend=True)
    matrix = here.matrix
    for _ in range(STEPS):
        if here.steep <= least:
            break
        way = -solved(matrix, here.slope.ravel()).reshape(theta.shape)
        far, fall = 1.0, float((way * here.slope).sum())
        new = losses.passed(theta + way)
        while new.value > here.value + 1e-4 * far * fall + 1e-14 * abs(here.value):
            far *= 0.5
            if far < 1e-10:  # nothing but rounding is left to gain
                return theta, here
            new = losses.passed(theta + far * way)
        theta = theta + far * way
        if new.steep > ENOUGH * here.steep:
            new = losses.passed(theta, bend=True)
            matrix = new.matrix
        here = new
    return theta, here


def _quasi_newton(losses: Softmax, theta: Array, least: float) -> tuple[Array, Passed]:
    from scipy.optimize import minimize  # slow to load, and seldom needed

    def both(flat: Array) -> tuple[float, Array]:
        found = losses.passed(flat.reshape(theta.shape))
        return found.value, found.slope.ravel()

    options = {"maxiter": 10_000, "maxfun": 20_000, "ftol": 0.0, "gtol": least, "maxcor": 20}
    found = minimize(both, theta.ravel(), jac=True, method="L-BFGS-B", options=options).x.reshape(theta.shape)
    found[:, -1] -= found[:, -1].mean() if losses.classes > 2 else 0.0
    return found, losses.passed(found)
