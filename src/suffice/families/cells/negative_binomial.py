"""Negative binomial columns: failures before a known number of successes, a Beta belief, log probabilities out.

In:  numbers (N, D) of failures, NaN where missing; geometric is one success.
Out: everything in `family`; here is only how failures fall into two cells. A row always puts r units into the first.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from suffice.arrays import Array
from suffice.families.capabilities import Separation
from suffice.families.cells.family import Cells
from suffice.families.cells.layout import Divided, kl
from suffice.families.counts import drawn
from suffice.families.memberships import Memberships
from suffice.formulas import Expression, added, if_there, lgamma


def NegativeBinomial(successes: Sequence[float]) -> Cells:
    """Independent columns, each with its own number of successes to wait for."""
    return Cells(Failures(tuple(successes)))


@dataclass(frozen=True)
class Failures(Divided):
    successes: tuple[float, ...]  # r of each column
    one_draw = False

    @property
    def columns(self) -> int:
        return len(self.successes)

    @property
    def sizes(self) -> tuple[int, ...]:
        return (2,) * self.columns

    @property
    def r(self) -> Array:
        return np.asarray(self.successes, dtype=float)

    def amounts(self, failures: Array) -> Array:
        both = np.stack([np.where(np.isnan(failures), 0.0, self.r), np.nan_to_num(failures)], axis=2)
        return both.reshape(len(failures), 2 * self.columns)

    def rows(self, failures: Array, counted: Memberships) -> Array:
        """All with a cell, whose failures no one tells apart."""
        return np.repeat(counted.sums(~np.isnan(failures) * 1.0), 2, axis=1)

    def log_base(self, failures: Array) -> Array:
        return np.asarray(np.nan_to_num(gammaln(failures + self.r) - gammaln(failures + 1) - gammaln(self.r)))

    def amounts_formula(self, cells: Sequence[Expression]) -> list[tuple[Expression, ...]]:
        return [(x * 0.0 + r, x) for x, r in zip(cells, self.successes, strict=True)]  # nothing where missing

    def totals_formula(self, cells: Sequence[Expression]) -> list[Expression]:
        return [x + r for x, r in zip(cells, self.successes, strict=True)]

    def log_base_formula(self, cells: Sequence[Expression]) -> Expression:
        chosen = zip(cells, self.successes, gammaln(self.r), strict=True)
        return added(if_there(lgamma(x + r) - lgamma(x + 1) - float(ways)) for x, r, ways in chosen if r != 1)

    def expected(self, memberships: Array, probabilities: Array) -> Array:
        return np.asarray(memberships @ (self.r * probabilities[:, 1::2] / probabilities[:, ::2]))

    def draw(self, probabilities: Array, rng: np.random.Generator) -> Array:
        """Poisson counts at rates that are Gamma."""
        rates = rng.standard_gamma(np.broadcast_to(self.r, (len(probabilities), self.columns)))
        return drawn(rates * probabilities[:, 1::2] / probabilities[:, ::2], rng)

    def headings(self) -> list[tuple[Hashable, ...]]:
        return [("success", "failure")] * self.columns

    def divergences(self, pairs: Sequence[tuple[Array, Array]]) -> list[Separation]:
        each = zip(pairs, self.successes, strict=True)
        return [_apart(np.exp(p), np.exp(q), successes) for (p, q), successes in each]

    def take(self, columns: Sequence[int]) -> "Failures":
        return Failures(tuple(self.successes[j] for j in columns))


def _apart(p: Array, q: Array, successes: float) -> Separation:
    """So many failures are expected before the successes, each drawn like a toss."""
    distance = -successes * (0.5 * np.log(p[0] * q[0]) - np.log1p(-np.sqrt(p[1] * q[1])))
    return successes / p[0] * kl(p, q), float(distance)
