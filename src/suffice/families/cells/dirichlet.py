"""Beliefs about probabilities of cells: Dirichlet, one for each group of cells and component.

In:  Counts over the cells of a family in `cells`.
Out: densities with known probabilities (mode, mean, draw) or with the probabilities integrated out (predictive).
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import scipy
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import digamma, gammaln

from suffice.arrays import Array, Codes, log, ratio
from suffice.errors import ImproperPriorError, ParameterError, SingularError
from suffice.families.capabilities import Covarying, Divergent, LogExpected, Separation, Tabular
from suffice.families.cells.chart import CellChart
from suffice.families.cells.integrated import gains, takes
from suffice.families.cells.layout import Divided
from suffice.families.counts import Counts
from suffice.families.protocol import Block, Density, Distribution, LastStep, Names, Parametric, Tables
from suffice.families.stacked import stacked
from suffice.formulas import Expression, Formula, Pattern, added, gained, if_there
from suffice.lazy import lazy
from suffice.threads import over_rows

if TYPE_CHECKING:
    from suffice.families.cells.family import Cells

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
    family: "Cells" = field(repr=False)
    named: bool = True  # whether its cells are known by name, or only by position
    excess: Array | None = field(
        default=None, repr=False
    )  # concentration − 1, where a difference would lose light rows
    outcomes: tuple[Hashable, ...] = ()  # what whoever believes in them calls success and failure

    def on(self, family: "Cells") -> "DirichletPrior":
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

    def mode(self) -> "CellDensity":
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

    def mean(self) -> "CellDensity":
        return self._density(self.concentration, self.new)

    def amounts(self, step: LastStep) -> Array:
        """What each cell counts for a last step."""  # (K or 1, C)
        return np.maximum(self._excess, 0.0) if step is LastStep.MODE else self.concentration

    @property
    def _excess(self) -> Array:
        return self.concentration - 1 if self.excess is None else self.excess

    def predictive(self) -> "CellDensity | DirichletMultinomial":
        return self.mean() if self.family.layout.one_draw else DirichletMultinomial(self.concentration, self.family)

    def maximum_likelihood(self, statistics: Counts) -> "CellDensity":
        return self.family.flat().after(statistics).mode()

    def marginals(self, names: Names) -> dict[str, dict[str, Distribution]]:
        self._refuse_improper("marginals")
        rest = self.family.spread(self.family.totals(self.concentration)) - self.concentration
        pairs = zip(self.concentration.T, rest.T, strict=True)
        return self.family.titled([scipy.stats.beta(a, b) for a, b in pairs], names)

    def draw(self, rng: np.random.Generator) -> "CellDensity":
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

    def _density(self, amounts: Array, new: Array) -> "CellDensity":
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


@dataclass(frozen=True, eq=False)
class CellDensity(Parametric[Counts], Divergent, Tabular):
    """Known probabilities of the cells: multinomial in each group."""

    log_probability: Array  # (K, C + G): the cells, then each group's cell for what was never seen
    family: "Cells"

    def log_density(self, block: Block) -> Array:
        layout, scores = self.family.layout, self.scores(block)
        return scores if layout.one_draw else np.asarray(scores + layout.log_base(block).sum(axis=1, keepdims=True))

    def scores(self, block: Block) -> Array:
        return self.family.layout.scores(block, self._by_cell)

    def formula(self, cells: Sequence[Expression], patterns: Sequence[Pattern]) -> Formula:
        layout = self.family.layout
        own = tuple(layout.scores_formula(cells, logs) for logs in self.log_probability)
        return Formula(own, layout.log_base_formula(cells))

    def divergence(self, a: int, b: int) -> Separation:
        family, ends = self.family, np.cumsum(self.family.layout.sizes)[:-1]
        groups = [np.split(self.log_probability[k, : family.size], ends) for k in (a, b)]
        each = family.layout.divergences(list(zip(*groups, strict=True)))
        return float(sum(kl for kl, _ in each)), float(sum(distance for _, distance in each))

    @lazy
    def _by_cell(self) -> Array:
        return np.ascontiguousarray(self.log_probability.T)  # what a row hits lies together

    def arrays(self) -> dict[str, Array]:
        return {"log_probability": self.log_probability}

    def filled(self, block: Block, memberships: Array) -> Block:
        """The block with missing cells as expected, or most probable."""
        layout, probability = self.family.layout, np.exp(self.log_probability[:, : self.family.size])
        return layout.completed(block, layout.expected(memberships, probability))

    def refilled(self, block: Block, components: Codes, rng: np.random.Generator) -> Block:
        """The block with missing cells drawn."""
        return self.family.layout.completed(block, self.sample(components, rng))

    def only(self, components: Codes) -> "CellDensity":
        return replace(self, log_probability=self.log_probability[components])

    def log_likelihood(self, statistics: Counts) -> float:
        """Of all rows behind the statistics, each in its component."""
        log_probability = self.log_probability[:, : statistics.counts.shape[1]]
        hits = statistics.counts * np.where(statistics.counts == 0, 0.0, log_probability)
        return float(hits.sum() + statistics.log_base.sum())

    def sample(self, components: Codes, rng: np.random.Generator) -> Block:
        return self.family.layout.draw(np.exp(self.log_probability[components, : self.family.size]), rng)

    def tables(self, names: Names) -> Tables:
        return self.family.tables(np.exp(self.log_probability), names)

    @property
    def independent(self) -> bool:
        return bool(self.family.independent)

    def take(self, columns: Sequence[int]) -> "CellDensity":
        unseen = self.family.size + np.asarray(columns)
        cells = np.concatenate([self.family.cells_of(columns), unseen])
        return CellDensity(self.log_probability[:, cells], self.family.take(columns))


@dataclass(frozen=True, eq=False)
class DirichletMultinomial(Density):
    """The cells with their probabilities integrated out: beta-binomial, Dirichlet-multinomial."""

    concentration: Array  # (K, C)
    family: "Cells"

    def log_density(self, block: Block) -> Array:
        layout = self.family.layout
        amounts, log_base = sparse.csr_array(layout.amounts(block), copy=True), layout.log_base(block)
        amounts.eliminate_zeros()
        sums, sizes = self.family.totals(amounts.toarray()), np.asarray(layout.sizes)  # (N, G), (G,)
        out, group = np.empty((amounts.shape[0], len(self.concentration))), self.family.groups[amounts.indices]
        for k, alpha in enumerate(self.concentration):
            whole = self.family.totals(alpha[None, :])
            each = gains(alpha[amounts.indices], amounts.data, whole[0, group])
            gained = sparse.csr_array((each, amounts.indices, amounts.indptr), shape=amounts.shape)
            out[:, k] = gained.sum(axis=1) - takes(whole, sums, sizes).sum(axis=1)
        return np.asarray(out + log_base.sum(axis=1, keepdims=True))

    def formula(self, cells: Sequence[Expression], patterns: Sequence[Pattern]) -> Formula:
        layout = self.family.layout
        assert isinstance(layout, Divided)  # of a single draw the predictive is the mean
        amounts, totals = layout.amounts_formula(cells), layout.totals_formula(cells)
        own = (self._gained_formula(alpha, amounts, totals) for alpha in self.concentration)
        return Formula(tuple(own), layout.log_base_formula(cells))

    def _gained_formula(
        self, alpha: Array, amounts: Sequence[Sequence[Expression]], totals: Sequence[Expression]
    ) -> Expression:
        """Σ ln Γ(α + amount) − ln Γ(α), less the same of each group as a whole; of one component."""
        place, wholes = iter(alpha.tolist()), self.family.totals(alpha[None, :])[0].tolist()
        groups = [added([gained(amount, next(place)) for amount in some]) for some in amounts]
        found = zip(groups, totals, wholes, self.family.layout.sizes, strict=True)
        return added(
            if_there(group - gained(total, whole) if whole else total * -float(np.log(size)))
            for group, total, whole, size in found
        )

    def sample(self, components: Codes, rng: np.random.Generator) -> Block:
        gammas = rng.standard_gamma(self.concentration[components])
        return self.family.layout.draw(gammas / self.family.spread(self.family.totals(gammas)), rng)

    def tables(self, names: Names) -> Tables:
        whole = self.family.spread(self.family.totals(self.concentration))
        return self.family.tables(self.concentration / whole, names)

    @property
    def independent(self) -> bool:
        return bool(self.family.independent)

    def only(self, components: Codes) -> "DirichletMultinomial":
        return replace(self, concentration=self.concentration[components])

    def take(self, columns: Sequence[int]) -> "DirichletMultinomial":
        return DirichletMultinomial(self.concentration[:, self.family.cells_of(columns)], self.family.take(columns))


def log_gammas(shape: Array, rng: np.random.Generator) -> Array:
    """Logarithms of gamma variates, which for small shapes are too small for a float themselves."""
    return np.asarray(np.log(rng.standard_gamma(shape + 1)) - rng.standard_exponential(shape.shape) / shape)
