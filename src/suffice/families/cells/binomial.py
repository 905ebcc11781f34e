"""Binary and binomial columns: successes out of a known number of trials, a Beta belief, log probabilities out.

In:  numbers (N, D) of successes, NaN where missing; binary is one trial.
Out: everything in `cells`; here is only how successes fall into two cells. Beta(a, b) is the Dirichlet over those two.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from suffice.arrays import Array
from suffice.families.capabilities import Separation
from suffice.families.cells.family import Cells
from suffice.families.cells.layout import Divided
from suffice.families.memberships import Memberships
from suffice.formulas import Expression, Number, added, if_there, lgamma


def Binomial(trials: Sequence[int]) -> Cells:
    """Independent columns, each with its own number of trials."""
    return Cells(Trials(tuple(trials)))


@dataclass(frozen=True)
class Trials(Divided):
    trials: tuple[int, ...]  # of each column

    @property
    def columns(self) -> int:
        return len(self.trials)

    @property
    def sizes(self) -> tuple[int, ...]:
        return (2,) * self.columns

    @property
    def one_draw(self) -> bool:
        return all(n == 1 for n in self.trials)

    def amounts(self, successes: Array) -> Array:
        both = np.stack([successes, np.asarray(self.trials) - successes], axis=2)
        return np.nan_to_num(both).reshape(len(successes), 2 * self.columns)

    def rows(self, successes: Array, counted: Memberships) -> Array:
        """Of one trial, those with that outcome; of several, whose outcomes no one tells apart, all with a cell."""
        one = np.repeat(np.asarray(self.trials) == 1, 2)
        there = np.repeat(~np.isnan(successes), 2, axis=1)
        return counted.sums(np.where(one, self.amounts(successes), there))

    def log_base(self, successes: Array) -> Array:
        n = np.asarray(self.trials, dtype=float)
        return np.asarray(np.nan_to_num(gammaln(n + 1) - gammaln(successes + 1) - gammaln(n - successes + 1)))

    def amounts_formula(self, cells: Sequence[Expression]) -> list[tuple[Expression, ...]]:
        return [(x, n - x) for x, n in zip(cells, self.trials, strict=True)]

    def totals_formula(self, cells: Sequence[Expression]) -> list[Expression]:
        return [Number(float(n)) for n in self.trials]

    def log_base_formula(self, cells: Sequence[Expression]) -> Expression:
        chosen = zip(cells, self.trials, gammaln(np.asarray(self.trials) + 1.0), strict=True)
        return added(if_there(float(ways) - lgamma(x + 1) - lgamma(n + 1.0 - x)) for x, n, ways in chosen if n > 1)

    def expected(self, memberships: Array, probabilities: Array) -> Array:
        return np.asarray(memberships @ probabilities[:, ::2] * np.asarray(self.trials))

    def draw(self, probabilities: Array, rng: np.random.Generator) -> Array:
        return rng.binomial(self.trials, probabilities[:, ::2]).astype(float)

    def headings(self) -> list[tuple[Hashable, ...]]:
        return [("success", "failure")] * self.columns

    def divergences(self, pairs: Sequence[tuple[Array, Array]]) -> list[Separation]:
        """The distances of a single trial, times the number of trials."""
        single = zip(self.trials, super().divergences(pairs), strict=True)
        return [(n * divergence, n * distance) for n, (divergence, distance) in single]

    def take(self, columns: Sequence[int]) -> "Trials":
        return Trials(tuple(self.trials[j] for j in columns))
