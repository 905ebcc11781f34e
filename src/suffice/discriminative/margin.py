"""The soft margin: the hyperplane of least hinge loss, with a certificate of how near the optimum it is.

In:  rows z (N, P), their sides ±1, and the most that each may count, C times its weight.
Out: Margin: w and b of the least ½‖w‖² + Σ cap_i [1 − s_i (wᵀz_i + b)]₊, the multipliers α of the rows, and both
     objectives: no hyperplane is better than the dual one.

A hinge is the limit of quadratics in a band around its kink: where t = α + σ (1 − m), m a row's margin, lies between
0 and its cap, the row is in the band and counts by its square; beyond, it counts by its cap or not at all. So a step
needs sums over rows only: Σ a s z for the slope, Σ z zᵀ of the band, which is soon a handful of rows, for the
curvature. When such a problem is solved, its multipliers are where the next begins, and the bands close in on the kink
(an augmented Lagrangian, by Newton steps): rows at the kink end with the α that holds them there.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from suffice.arrays import Array, Codes, Matrix, is_sparse
from suffice.discriminative.coordinates import rounds
from suffice.lazy import lazy

WIDEST = 2000  # columns up to which the curvature is a matrix; beyond, it is only multiplied by
STEPS = 60  # of Newton for one width of the bands
EXACT, ROUNDING = 1e-10, 1e-13  # of a slope, beside w, and beside what was added up
EASE = 0.01  # of the gap: what is not worth settling at one width
ALL_IN_BAND, FEW_IN_BAND, NARROWEST = 0.5, 12.0, 1e10  # widths, as caps over σ
NARROWER = 6.0  # how much from one width to the next
SAMPLE = 4000  # rows to begin with where there are many
LARGE, GROWTH = 1e4, 100.0  # caps up to which a problem is taken as it is, and steps on the way to larger ones
ROUNDED = 1e-6  # of a margin, what rounding may take
SLOW = 0.97  # of the gap, left by a few passes over α: other ways are faster then


@dataclass(frozen=True, eq=False)
class Margin:
    w: Array  # (P,)
    b: float
    alpha: Array  # (N,) from 0 to its cap, Σ α s = 0
    primal: float
    dual: float

    @property
    def gap(self) -> float:
        """How far from the optimum it can be at most, beside the objective."""
        return max(0.0, self.primal - self.dual) / max(1.0, self.primal)

    def by(self, times: float) -> "Margin":
        """With multipliers for caps that are so many times as large: a row that is held at its cap stays there."""
        return replace(self, alpha=times * self.alpha)


def soft_margin(z: Matrix, side: Array, cap: Array, tol: float, start: Margin | None = None) -> Margin:
    """Until the gap is no more than `tol`, or bands can be no narrower; `start` is that of a problem like this one."""
    problem = Problem(z, side, cap)
    capped = None if start else _capped(problem, tol)
    if capped is not None and capped.gap <= tol:
        return capped
    begun = problem.certified(start.w, np.clip(start.alpha, 0.0, cap)) if start else _begun(problem, tol)
    width = FEW_IN_BAND if begun else ALL_IN_BAND
    best = begun or problem.certified(np.zeros(z.shape[1]), np.zeros(len(side)))
    w, b, alpha = best.w, best.b if begun else 0.0, best.alpha
    best = capped if capped is not None and capped.gap < best.gap else best
    while width < NARROWEST and best.gap > tol:
        w, b, alpha, settled = problem.settle(w, b, alpha, width * float(np.median(cap)), EASE * min(best.gap, 1.0))
        found = problem.certified(w, alpha)
        best = found if found.gap < best.gap else best
        width *= NARROWER if settled else 1 + 1e-3 * NARROWER  # which ends some time too
    return best


def _capped(problem: "Problem", tol: float) -> Margin | None:
    """What smaller caps lead to, which is the answer where they hold nothing back: the larger the caps, the fewer
    digits sums over rows have left for w.
    """
    most = float(problem.cap.max())
    if most <= LARGE:
        return None
    least = max(LARGE, most / GROWTH)
    easier = soft_margin(problem.z, problem.side, np.minimum(problem.cap, least), tol)
    margins = problem.side * (problem.z @ easier.w + easier.b)
    short = max(0.0, float((1 - margins[problem.cap > least]).max()))  # by rounding only, where the caps are idle
    longer = 1 + 2 * short + ROUNDING if short < ROUNDED else 1.0
    return problem.certified(easier.w * longer, easier.alpha, easier.b * longer)  # b by light rows too


def _begun(problem: "Problem", tol: float) -> Margin | None:
    """Where the bands will be: of wide sparse rows by passes over α, of many rows by a few of them."""
    z, side, cap = problem.z, problem.side, problem.cap
    if is_sparse(z) and z.shape[1] > WIDEST:
        return _by_coordinates(problem, tol)
    some = sample(side, z.shape[1])
    if len(some) == len(side):
        return None
    near = soft_margin(z[some], side[some], cap[some] * (len(side) / len(some)), 1e-2)
    return problem.certified(near.w, np.zeros(len(side)))


def _by_coordinates(problem: "Problem", tol: float) -> Margin | None:
    """While that closes the gap fast."""
    best: Margin | None = None
    for w, alpha in rounds(problem.z, problem.side, problem.cap):
        found = problem.certified(w, alpha)
        slow = best is not None and found.gap > SLOW * best.gap
        best = found if best is None or found.gap < best.gap else best
        if slow or best.gap <= tol:
            break
    return best


def sample(codes: Array | Codes, columns: int) -> Codes:
    """Some of very many rows, of every class or side, or all: few rows of many columns say little about the others."""
    rows = np.arange(len(codes))
    if len(codes) < 2 * SAMPLE or columns > SAMPLE // 10:
        return rows
    some = np.sort(np.random.default_rng(0).choice(rows, SAMPLE, replace=False))
    return some if len(np.unique(codes[some])) == len(np.unique(codes)) else rows


@dataclass(frozen=True, eq=False)
class Problem:
    z: Matrix
    side: Array
    cap: Array

    def settle(self, w: Array, b: float, alpha: Array, sigma: float, ease: float) -> tuple[Array, float, Array, bool]:
        """Newton steps for bands of one width; the multipliers at their end, and whether the bottom was reached."""
        settled, short = False, 1 - self.side * (self.z @ w + b)  # of a margin of 1
        for _ in range(STEPS):
            t = alpha + sigma * short
            a = np.clip(t, 0.0, self.cap)
            pull = np.append(self.z.T @ (a * self.side) - w, float(a @ self.side))
            settled = bool((np.abs(pull) <= self._small(w, a, ease)).all())
            if settled:
                break
            way = self._newton((t > 0) & (t < self.cap), sigma, pull)
            gain = self.side * (self.z @ way[:-1] + way[-1])
            far = self._step(w, way[:-1], t, sigma * gain, gain, float(pull @ way))
            w, b, short = w + far * way[:-1], b + far * way[-1], short - far * gain
        return w, b, np.clip(alpha + sigma * short, 0.0, self.cap), settled

    def _small(self, w: Array, a: Array, ease: float) -> Array:
        """What a slope may be: little beside w, that of b beside all α, or nothing but rounding."""
        beside = np.append(np.full(len(w), float(np.abs(w).max())), float(a.sum()))
        return np.asarray((ease + EXACT) * beside + ROUNDING * self._lengths * float(np.sqrt(a @ a)))

    @lazy
    def _lengths(self) -> Array:
        """Of the columns, that of b among them: what sums over all rows are rounded by."""
        squares = self.z.multiply(self.z).sum(axis=0) if is_sparse(self.z) else np.einsum("np,np->p", self.z, self.z)
        return np.asarray(np.sqrt(np.append(np.asarray(squares).ravel(), len(self.side))))

    def _newton(self, band: NDArray[np.bool_], sigma: float, pull: Array) -> Array:
        """The way to the bottom of the quadratic that holds while no row enters or leaves the band."""
        rows = self.z[np.flatnonzero(band)]
        many = max(rows.shape[0], 1)
        if len(pull) - 1 > WIDEST:
            return _multiplied(rows, sigma, many, pull)
        bent = np.empty((len(pull), len(pull)))
        bent[:-1, :-1] = sigma * _dense(rows.T @ rows)
        bent[:-1, :-1].flat[:: len(pull)] += 1.0
        bent[-1, :-1] = bent[:-1, -1] = sigma * np.asarray(rows.sum(axis=0)).ravel()
        bent[-1, -1] = sigma * many * (1 + 1e-10)
        return solved(bent, pull)

    def _step(self, w: Array, way: Array, t: Array, speed: Array, gain: Array, slope: float) -> float:
        """How far along the way the objective falls: where its slope, which grows, is near 0."""
        square, along = float(way @ way), float(w @ way)

        def falling(far: float) -> float:
            return float(np.clip(t - far * speed, 0.0, self.cap) @ gain) - along - far * square

        return near_root(falling, slope)

    def certified(self, w: Array, alpha: Array, b: float | None = None) -> Margin:
        """With the best b unless it is given, and multipliers that meet the conditions of the dual exactly."""
        scores = np.asarray(self.z @ w)
        b = best_intercept(scores, self.side, self.cap) if b is None else b
        for_it, against = (float(alpha[self.side == s].sum()) for s in (1, -1))
        heavier, least = (1 if for_it > against else -1), min(for_it, against)
        most = max(for_it, against)
        alpha = np.where(self.side == heavier, alpha * (least / most if most else 0.0), alpha)
        learned = self.z.T @ (alpha * self.side)
        slack = np.maximum(0.0, 1 - self.side * (scores + b))
        primal = 0.5 * float(w @ w) + float(self.cap @ slack)
        return Margin(w, b, alpha, primal, float(alpha.sum()) - 0.5 * float(learned @ learned))


def near_root(falling: Callable[[float], float], first: float) -> float:
    """Where a function that falls from above 0 has a tenth of its first value, or less; from 0 to 1."""
    low, high, value = 0.0, 1.0, falling(1.0)
    if value >= -0.1 * first:
        return 1.0
    at_low, at_high, far = first, value, 1.0
    for _ in range(60):
        far = low + (high - low) * min(max(at_low / (at_low - at_high), 0.1), 0.9)
        value = falling(far)
        if abs(value) <= 0.1 * first:
            break
        low, high, at_low, at_high = (far, high, value, at_high) if value > 0 else (low, far, at_low, value)
    return far


def best_intercept(scores: Array, side: Array, cap: Array) -> float:
    """The b of least hinge loss given w; of an interval of such, the middle."""
    kinks = side - scores  # where a row's loss begins or ends, as b grows
    order = np.argsort(kinks, kind="stable")
    slope = np.cumsum(cap[order]) - float(cap[side > 0].sum())  # right of each kink
    level = 1e-12 * float(cap.sum())
    first, last = (min(int(np.searchsorted(slope, edge)), len(order) - 1) for edge in (-level, level))
    return float(0.5 * (kinks[order[first]] + kinks[order[last]]))


def solved(bent: Array, pull: Array) -> Array:
    """The way to the bottom of a quadratic; flat but for rounding, it is bent a little."""
    for more in (0.0, 1e-14, 1e-12, 1e-10, 1e-8):
        try:
            factor = cho_factor(bent + more * float(np.trace(bent)) * np.eye(len(bent)) if more else bent)
        except LinAlgError:
            continue
        return np.asarray(cho_solve(factor, pull))
    raise LinAlgError("The matrix of a Newton step is not positive definite, even with a ridge: scale the columns.")


def _dense(matrix: Matrix) -> Array:
    return matrix.toarray() if is_sparse(matrix) else matrix


def _multiplied(rows: Matrix, sigma: float, many: int, pull: Array) -> Array:
    """The same without the matrix: by conjugate gradients, each step of which goes once over the band."""
    from scipy.sparse.linalg import LinearOperator, cg  # slow to load, and seldom needed

    def bend(v: Array) -> Array:
        held = rows @ v[:-1] + v[-1]
        return np.append(v[:-1] + sigma * (rows.T @ held), sigma * (held.sum() + 1e-10 * many * v[-1]))

    size = len(pull)
    found, _ = cg(LinearOperator((size, size), matvec=bend), pull, rtol=1e-3, maxiter=200)
    return np.asarray(found)
