"""Stage 3, candidates: where EM may begin, drawn anew, or as the best model so far has it but for one component.

In:  rows as points, which components each may be of, and memberships under the best model so far.
Out: the component of each row, (N,). New ones are nearest to rows far apart (k-means++), in columns that all count
     alike or in coordinates without correlation, some after steps of k-means. Moved ones dissolve a component, most
     likely one that others can stand in for, and split another one in two.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from suffice.arrays import Array, Codes
from suffice.lazy import lazy
from suffice.model.em.starts import seeds_among, squared

KMEANS_STEPS = 10
LEAST = 1e-9  # of the largest variance: a direction with less says nothing
MOST_DIRECTIONS = 200  # that are worth turning the points for


@dataclass(frozen=True, eq=False)
class Candidates:
    points: Array  # (N, P)
    possible: NDArray[np.bool_]  # (N, K)
    weights: Array  # (N,)
    owners: Codes  # (K,) the class of each component

    def drawn(self, number: int, best: Array, rng: np.random.Generator) -> list[Codes]:
        """So many; `best` are memberships, (N, K). One in four is new."""
        turns = range(number)
        return [self.new(rng, turn // 4) if turn % 4 == 0 else self.moved(best, rng, turn) for turn in turns]

    def new(self, rng: np.random.Generator, turn: int) -> Codes:
        """In turns: as the points are, without correlation, and after steps of k-means."""
        points = self._turned if turn % 3 == 1 else self.points
        seeds = seeds_among(points, self.possible, self.weights, rng)
        codes = self._nearest(points, seeds)
        for _ in range(KMEANS_STEPS if turn % 3 == 2 else 0):
            codes = self._nearest(points, self._middles(codes, seeds))
        return codes

    def moved(self, best: Array, rng: np.random.Generator, turn: int) -> Codes:
        """A component less, and another one in two, of the same class; new where every class has but one."""
        siblings = self.owners[:, None] == self.owners  # (K, K)
        movable = np.flatnonzero(siblings.sum(axis=1) > 1)
        if not len(movable):
            return self.new(rng, turn)
        chance = _spared(best)[movable] if turn % 3 else np.ones(len(movable))
        gone = int(rng.choice(movable, p=chance / chance.sum()))
        codes = self._without(gone, best.argmax(axis=1))
        return self._split(codes, gone, np.flatnonzero(siblings[gone]), rng, turned=turn % 2 == 1)

    def _without(self, gone: int, codes: Codes) -> Codes:
        """Its rows with the nearest of the others."""
        rows = np.flatnonzero(codes == gone)
        away = squared(self.points[rows], self._middles(codes, np.full((1, self.points.shape[1]), np.inf)))
        away[:, gone] = np.inf
        codes[rows] = np.where(self.possible[rows], away, np.inf).argmin(axis=1)
        return codes

    def _split(self, codes: Codes, gone: int, siblings: Codes, rng: np.random.Generator, turned: bool) -> Codes:
        """One of the siblings, by its weight, in two: nearest to two of its rows far apart."""
        mass = np.bincount(codes, self.weights, self.possible.shape[1])[siblings]
        if not mass.sum() > 0:
            return codes
        rows = np.flatnonzero(codes == rng.choice(siblings, p=mass / mass.sum()))
        points = uncorrelated(self.points[rows]) if turned else _alike(self.points[rows])
        seeds = seeds_among(points, np.ones((len(rows), 2), dtype=bool), self.weights[rows], rng)
        codes[rows[squared(points, seeds).argmin(axis=1) == 1]] = gone
        return codes

    @lazy
    def _turned(self) -> Array:
        return uncorrelated(self.points)

    def _nearest(self, points: Array, seeds: Array) -> Codes:
        return np.asarray(np.where(self.possible, squared(points, seeds), np.inf).argmin(axis=1))

    def _middles(self, codes: Codes, otherwise: Array) -> Array:
        """The mean point of each component; of one without rows, what it is otherwise."""  # (K, P)
        shares = (codes == np.arange(self.possible.shape[1])[:, None]) * self.weights
        mass = shares.sum(axis=1, keepdims=True)
        return np.where(mass > 0, shares @ self.points / np.where(mass > 0, mass, 1.0), otherwise)


def uncorrelated(points: Array) -> Array:
    """The points in coordinates of variance 1 without correlation, as many as they have directions."""
    if points.shape[1] > MOST_DIRECTIONS:
        return points
    off = points - points.mean(axis=0)
    values, vectors = np.linalg.eigh(off.T @ off / len(points))
    kept = values > LEAST * values[-1]
    return np.asarray(off @ (vectors[:, kept] / np.sqrt(values[kept])))


def _alike(points: Array) -> Array:
    """In standard deviations."""
    spread = points.std(axis=0)
    return np.asarray(points / np.where(spread > 0, spread, 1.0))


def _spared(memberships: Array) -> Array:
    """How easily others stand in for each component: one over the log likelihood lost without it, about."""  # (K,)
    return np.asarray(1 / (1e-9 - np.log(np.maximum(1 - memberships, LEAST)).sum(axis=0)))
