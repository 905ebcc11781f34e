"""Densities of cells: with known probabilities, or with the probabilities integrated out.

In:  parameters of each cell, and a family of cells, by whose layout a block falls into them.
Out: log densities (N, K), formulas, samples, tables of probabilities.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, Self, TypeVar

import numpy as np
from scipy import sparse

from suffice.arrays import Array, Codes
from suffice.families.capabilities import Divergent, Separation, Tabular
from suffice.families.cells.integrated import gains, takes
from suffice.families.cells.layout import Divided, Layout
from suffice.families.cells.leave_one_out import Grouped
from suffice.families.counts import Counts
from suffice.families.protocol import Block, Density, Names, Parametric, Tables
from suffice.formulas import Expression, Formula, Pattern, added, gained, if_there
from suffice.lazy import lazy

T = TypeVar("T")


class CellGroups(Grouped, Protocol):
    """A family of cells, as far as beliefs and densities ask for it."""

    @property
    def layout(self) -> Layout: ...

    @property
    def columns(self) -> int: ...

    @property
    def size(self) -> int: ...  # C

    @property
    def independent(self) -> bool: ...  # whether each column is a group of its own

    def spread(self, groups: Array) -> Array: ...  # the number of each group, at each of its cells, (K, G) → (K, C)

    def cells_of(self, columns: Sequence[int]) -> Codes: ...  # of columns that are groups

    def positions(self, group: int, cells: Sequence[Hashable]) -> Codes: ...

    def tables(self, probability: Array, names: Names) -> Tables: ...

    def titled(self, entries: Sequence[T], names: Names) -> dict[str, dict[str, T]]: ...  # C entries, by group

    def take(self, columns: Sequence[int]) -> Self: ...


@dataclass(frozen=True, eq=False)
class CellDensity(Parametric[Counts], Divergent, Tabular):
    """Known probabilities of the cells: multinomial in each group."""

    log_probability: Array  # (K, C + G): the cells, then each group's cell for what was never seen
    family: CellGroups

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
    family: CellGroups

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
