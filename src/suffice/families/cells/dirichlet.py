"""Beliefs about probabilities of cells: Dirichlet, one for each group of cells and component.

In:  Counts over the cells of a family in `cells`.
Out: densities with known probabilities (mode, mean, draw) or with the probabilities integrated out (predictive).
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import scipy
from numpy.typing import NDArray
from scipy.special import digamma, gammaln

from suffice.arrays import Array, log, ratio
from suffice.errors import ImproperPriorError, ParameterError, SingularError
from suffice.families.capabilities import Covarying, LogExpected
from suffice.families.cells.chart import CellChart
from suffice.families.cells.densities import CellDensity, CellGroups, DirichletMultinomial
from suffice.families.counts import Counts
from suffice.families.protocol import Distribution, LastStep, Names, Parametric
from suffice.families.stacked import stacked
from suffice.threads import over_rows

COIN = ("success", "failure")
OUTCOMES = (  # failure and success, as columns spell them
    *(("0", "1"), ("0.0", "1.0"), ("false", "true"), ("no", "yes"), ("n", "y"), ("f", "t")),
    *(("否", "是"), ("无", "有"), ("假", "真")),
)
SEVERAL_MODES = (
    "there is no single most probable value, because the belief has numbers below 1, which pull towards every end and "
    "which no rows outweigh, for the probabilities of"
)


@dataclass(frozen=True, eq=False)
class DirichletPrior(Covarying[Counts], LogExpected[Counts]):
    """One Dirichlet belief for each group of cells and component."""

    about = "probabilities of cells"

    concentration: Array  # (K or 1, C)
    new: Array  # (K or 1, G) pseudo-count of a cell never seen
    family: CellGroups = field(repr=False)
    named: bool = True  # whether its cells are known by name, or only by position
    excess: Array | None = field(
        default=None, repr=False
    )  # concentration − 1, where a difference would lose light rows
    outcomes: tuple[Hashable, ...] = ()  # what whoever believes in them calls success and failure

    def on(self, family: CellGroups) -> "DirichletPrior":
        """A belief about one group of cells, in the order of that family's cells."""
        if len(family.starts) > 1:
            raise ParameterError(f"A Dirichlet prior is about one column, not {family.columns} at once.")
        [mine], [wanted] = self.family.layout.headings(), family.layout.headings()
        if len(wanted) == 2 and set(wanted) != set(mine) == set(COIN):
            mine = self._as_outcomes(wanted)
        if len(mine) != len(wanted) or (self.named and set(mine) != set(wanted)):
            raise ParameterError(f"This prior names the levels {list(mine)}, but the column has {list(wanted)}.")
        order = [mine.index(level) for level in wanted] if self.named else list(range(len(mine)))
        excess = None if self.excess is None else self.excess[:, order]
        return DirichletPrior(self.concentration[:, order], self.new, family, excess=excess)

    def _as_outcomes(self, levels: tuple[Hashable, ...]) -> tuple[Hashable, ...]:
        """Two levels of a column as success and failure."""
        if set(self.outcomes) == set(levels):
            return self.outcomes
        spelled = tuple(str(level).casefold() for level in levels)
        for failure, success in OUTCOMES:
            if {failure, success} == set(spelled):
                return levels if spelled[0] == success else levels[::-1]
        if np.ptp(self.concentration) == 0:  # whichever it is
            return levels
        raise ParameterError(
            f"A Beta does not say which of the levels {list(levels)} is a success: use a Dirichlet, which names them, "
            f"such as Dirichlet({{{levels[0]!r}: 2, {levels[1]!r}: 2}})."
        )

    def parameters(self, components: int) -> int:
        return components * int(np.sum(np.asarray(self.family.layout.sizes) - 1))

    def stacked(self, others: Sequence["DirichletPrior"]) -> "DirichletPrior":
        return stacked([replace(part, excess=None) for part in (self, *others)], ["concentration", "new"])

    def side_by_side(self, models: int) -> "DirichletPrior":
        """One for all components is one for those of all models."""
        return self if len(self.concentration) == 1 else super().side_by_side(models)

    def after(self, statistics: Counts) -> "DirichletPrior":
        counts = statistics.counts
        return replace(self, concentration=self.concentration + counts, excess=self._excess + counts)

    def mode(self) -> CellDensity:
        """Where the density is largest; the middle of it where it is so over a whole face, as if flat."""
        amounts = self.amounts(LastStep.MODE)
        whole = self.family.totals(amounts)
        if (whole == 0).any():
            amounts = np.where(self.family.spread(whole == 0), self._at_a_border(), amounts)
        return self._density(amounts, np.maximum(self.new - 1, 0.0))

    def _at_a_border(self) -> Array:
        """1 for the cells that the density says nothing of; where there are none it rises towards every corner."""
        level = np.where(self._excess == 0, 1.0, 0.0)
        above = self.family.totals(np.maximum(self._excess, 0.0))
        torn = np.argwhere((self.family.totals(level) + above == 0) & self._divided)
        if len(torn):
            component, group = (int(place) for place in torn[0])
            raise SingularError(SEVERAL_MODES, component, [group], ["estimate"])
        return level

    @property
    def single_mode(self) -> bool:
        """Whether there is one value that is more probable than all others, in every group of every component."""
        above, level = (self.family.totals(np.where(some, 1.0, 0.0)) for some in (self._excess > 0, self._excess == 0))
        return bool(np.all((above > 0) | (level == 1) | ~self._divided))

    @property
    def _divided(self) -> NDArray[np.bool_]:
        """Which groups have more cells than one."""  # (G,)
        return np.asarray(self.family.layout.sizes) > 1

    @property
    def bordered(self) -> bool:
        """Whether some cell is believed to have no probability, were there no rows."""
        return bool((self._excess < 0).any())

    def mean(self) -> CellDensity:
        return self._density(self.concentration, self.new)

    def amounts(self, step: LastStep) -> Array:
        """What each cell counts for a last step."""  # (K or 1, C)
        return np.maximum(self._excess, 0.0) if step is LastStep.MODE else self.concentration

    @property
    def _excess(self) -> Array:
        return self.concentration - 1 if self.excess is None else self.excess

    def predictive(self) -> "CellDensity | DirichletMultinomial":
        return self.mean() if self.family.layout.one_draw else DirichletMultinomial(self.concentration, self.family)

    def maximum_likelihood(self, statistics: Counts) -> CellDensity:
        return even(self.family, 1.0).after(statistics).mode()

    def marginals(self, names: Names) -> dict[str, dict[str, Distribution]]:
        self._refuse_improper("marginals")
        rest = self.family.spread(self.family.totals(self.concentration)) - self.concentration
        pairs = zip(self.concentration.T, rest.T, strict=True)
        return self.family.titled([scipy.stats.beta(a, b) for a, b in pairs], names)

    def draw(self, rng: np.random.Generator) -> CellDensity:
        self._refuse_improper("draws")
        logs, log_new = (log_gammas(amounts, rng) for amounts in (self.concentration, self.new))
        whole = np.logaddexp.reduceat(logs, self.family.starts, axis=1)
        unseen = np.broadcast_to(log_new, whole.shape) - np.logaddexp(whole, log_new)
        return CellDensity(np.concatenate([logs - self.family.spread(whole), unseen], axis=1), self.family)

    def covariance(self) -> Array:
        whole = self.concentration[0].sum()
        share = self.concentration[0] / whole
        return np.asarray((np.diag(share) - np.outer(share, share)) / (whole + 1))

    def expected_log(self) -> Array:
        """Of every cell: E ln p."""  # (K or 1, C)
        totals = self.family.totals(self.concentration)
        return np.asarray(digamma(self.concentration) - self.family.spread(digamma(totals)))

    def expected_log_density(self, other: "DirichletPrior") -> Array:
        kernel = ((other.concentration - 1) * self.expected_log()).sum(axis=1)
        return np.asarray(kernel - other._log_normaliser().sum(axis=1))

    def log_density(self, density: Parametric[Counts]) -> Array:
        assert isinstance(density, CellDensity)  # there is no other with known probabilities
        cells = self.concentration.shape[1]
        log_p = density.log_probability[:, :cells]
        power = np.broadcast_to(self.concentration - 1, log_p.shape)
        kernel = (power * np.where(power == 0, 0.0, log_p)).sum(axis=1)
        normaliser = self._log_normaliser().sum(axis=1) if self.proper else np.zeros(1)
        return np.asarray(kernel - normaliser)

    def log_evidence(self, statistics: Counts) -> Array:
        self._refuse_improper("evidence")
        gained = self.after(statistics)._log_normaliser() - self._log_normaliser() + statistics.log_base
        return np.asarray(gained.sum(axis=1))

    def chart(self, density: Parametric[Counts], statistics: Counts) -> CellChart:
        assert isinstance(density, CellDensity)  # there is no other with known probabilities
        return CellChart(density, self.after(statistics)._excess)

    def _refuse_improper(self, wanted: str) -> None:
        if not self.proper:
            raise ImproperPriorError(
                f"A Dirichlet prior with a count of 0 has no {wanted}: give every level more than 0."
            )

    @property
    def proper(self) -> bool:
        return bool(np.all(self.concentration > 0))

    def _log_normaliser(self) -> Array:
        totals = self.family.totals
        return np.asarray(totals(gammaln(self.concentration)) - gammaln(totals(self.concentration)))

    def _density(self, amounts: Array, new: Array) -> CellDensity:
        whole, spread = self.family.totals(amounts), self.family.spread  # (K, G)
        out = np.empty((len(amounts), self.family.size + whole.shape[1]))  # large, so it is written at once
        shares, divisors = out[:, : self.family.size], np.where(whole == 0, 1.0, whole)

        def fill(blocks: Sequence[slice]) -> None:
            with np.errstate(divide="ignore"):  # ln 0 = −inf is the answer for an impossible cell
                for rows in blocks:
                    np.divide(amounts[rows], spread(divisors[rows]), out=shares[rows])
                    np.log(shares[rows], out=shares[rows])

        over_rows(fill, len(amounts), self.family.size)
        if (whole == 0).any():
            shares[:] = np.where(spread(whole == 0), -spread(np.log(self.family.layout.sizes)), shares)
        unseen = ratio(new, whole + new, 1.0)
        out[:, self.family.size :] = np.where(unseen == 0, 0.0, log(unseen))  # no mass to give: the cell is ignored
        return CellDensity(out, self.family)


def even(family: CellGroups, amount: float, flat: bool = False) -> DirichletPrior:
    """The same amount in every cell, or that many rows on top of flat."""
    cells, groups = np.full((1, family.size), float(amount)), np.full((1, len(family.starts)), float(amount))
    return DirichletPrior(cells + flat, groups + flat, family, excess=cells if flat else cells - 1)


def log_gammas(shape: Array, rng: np.random.Generator) -> Array:
    """Logarithms of gamma variates, which for small shapes are too small for a float themselves."""
    return np.asarray(np.log(rng.standard_gamma(shape + 1)) - rng.standard_exponential(shape.shape) / shape)
