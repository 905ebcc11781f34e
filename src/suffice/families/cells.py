"""Families of cells: a row puts amounts into cells, cells stand in groups, and each group has its own Dirichlet belief.

    categorical column    one group of S levels, one unit in one of them
    binomial column       one group of two cells, x successes and n − x failures
    multinomial row       one group of all its columns, the counts themselves

In:  a block, which a Layout turns into amounts (N, C) and ln h of each row's groups.
Out: counts that add, the Dirichlet belief, log densities `amounts · ln p + ln h`.

A column of categories also has a cell for levels never seen in fitting; `new` is the pseudo-count such a level has.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol, Self

import numpy as np
from scipy import sparse
from scipy.special import gammaln

from suffice.arrays import Array, Codes, log, ratio
from suffice.errors import ImproperPriorError, ParameterError
from suffice.families.amounts import Amounts
from suffice.families.counts import Counts
from suffice.families.memberships import Memberships
from suffice.families.protocol import Block, Names


class Layout(Protocol):
    """How a block of one kind falls into cells: the only thing that differs between these families."""

    @property
    def columns(self) -> int: ...

    @property
    def sizes(self) -> tuple[int, ...]: ...  # cells in each group

    @property
    def one_draw(self) -> bool: ...  # a row puts one unit in each group: then the predictive is the mean

    def amounts(self, block: Block) -> Amounts: ...  # (N, C)

    def log_base(self, block: Block) -> Array: ...  # ln h (N, G); asked only where a row is more than one draw

    def draw(self, probabilities: Array, rng: np.random.Generator) -> Block: ...  # (N, C) → a block

    def titles(self, names: Names) -> list[str]: ...  # of each group

    def headings(self) -> list[tuple[Any, ...]]: ...  # of each group: what its cells are called

    def take(self, columns: Sequence[int]) -> Self: ...


@dataclass(frozen=True)
class Cells:
    """The family: independent groups of cells."""

    about = "probabilities of cells"

    layout: Any  # a Layout

    @property
    def columns(self) -> int:
        return int(self.layout.columns)

    @cached_property
    def size(self) -> int:
        return sum(self.layout.sizes)  # C

    @cached_property
    def starts(self) -> Codes:
        return np.cumsum((0, *self.layout.sizes))[:-1].astype(np.intp)

    def totals(self, cells: Array) -> Array:
        """Sums over the cells of each group."""  # (K, C) → (K, G)
        return np.add.reduceat(cells[:, : self.size], self.starts, axis=1)

    def spread(self, groups: Array) -> Array:
        """The number of each group, at each of its cells."""  # (K, G) → (K, C)
        return np.repeat(groups, self.layout.sizes, axis=-1)

    def statistics(self, block: Block, memberships: Memberships) -> Counts:
        weight, counts = memberships.weight, self.layout.amounts(block).sums(memberships)
        one_way = np.zeros((len(weight), len(self.starts)))  # ln h of a single draw
        log_base = one_way if self.layout.one_draw else memberships.sums(self.layout.log_base(block))
        return Counts(weight, counts, np.zeros((len(weight), 0)), log_base)

    def flat(self, components: int = 1) -> "Dirichlet":
        return self.even(1.0)

    unbiased = flat

    def reference(self, components: int = 1) -> "Dirichlet":
        return self.even(0.5)

    def weak(self, statistics: Counts) -> "Dirichlet":
        return self.even(2.0)  # one row in every cell on top of flat: its mode is Laplace's estimate

    def even(self, amount: float) -> "Dirichlet":
        return Dirichlet(np.full((1, self.size), float(amount)), np.full((1, len(self.starts)), float(amount)), self)

    def take(self, columns: Sequence[int]) -> "Cells":
        return Cells(self.layout.take(columns))

    def marginal(self, statistics: Counts, columns: Sequence[int]) -> Counts:
        return statistics.take(self.cells_of(columns), columns) if self.independent else statistics

    @property
    def independent(self) -> bool:
        """Whether each column is a group of its own; a group of several columns is taken all or nothing."""
        return len(self.starts) == self.columns

    def cells_of(self, columns: Sequence[int]) -> Codes:
        """The cells of some columns, each of which is a group."""
        return np.concatenate([np.arange(self.starts[j], self.starts[j] + self.layout.sizes[j]) for j in columns])

    def adopt(self, statistics: Counts, gathered_by: "Cells") -> Counts:
        moved = [
            start + self.positions(group, cells)
            for group, (start, cells) in enumerate(zip(self.starts, gathered_by.layout.headings(), strict=True))
        ]
        return statistics.onto_cells(np.concatenate(moved), self.size)

    def restored(self, arrays: Mapping[str, Array], components: int) -> Counts:
        return Counts.restored(arrays, components, self.size, 0, len(self.starts))

    def met(self, statistics: Counts) -> list[Codes]:
        """For each group the cells that some row has hit."""
        ends = np.cumsum(self.layout.sizes)
        return [np.flatnonzero(part.any(axis=0)) for part in np.split(statistics.counts, ends[:-1], axis=1)]

    def constant(self, statistics: Counts) -> list[int]:
        return [group for group, size in enumerate(self.layout.sizes) if size < 2]

    @property
    def remedy(self) -> str:
        return "Use smoothing above 0"

    def positions(self, group: int, cells: Sequence[Any]) -> Codes:
        order = {cell: position for position, cell in enumerate(self.layout.headings()[group])}
        return np.array([order[cell] for cell in cells], dtype=np.intp)

    def tables(self, probability: Array, names: Names) -> dict[str, dict[str, Array]]:
        described = zip(self.layout.titles(names), self.layout.headings(), self.starts, strict=True)
        return {
            title: {str(cell): probability[:, start + i] for i, cell in enumerate(cells)}
            for title, cells, start in described
        }


@dataclass(frozen=True, eq=False)
class Dirichlet:
    """One Dirichlet belief for each group of cells and component."""

    about = "probabilities of cells"

    concentration: Any  # (K or 1, C); a user may give one number for each cell, or {cell: number}
    new: Any = None  # (K or 1, G) pseudo-count of a cell never seen
    family: Any = field(default=None, repr=False)  # the Cells it is about; None until `on` says which

    def on(self, family: Cells, components: int) -> "Dirichlet":
        """A user's numbers for one group of cells, in the order of the family's cells."""
        if len(family.starts) > 1:
            raise ParameterError(f"A Dirichlet prior is about one column; not {family.columns} at once.")
        headings = family.layout.headings()[0]
        given = self.concentration
        if isinstance(given, Mapping):
            if set(given) != set(headings):
                raise ParameterError(f"This prior names the cells {list(given)}; the column has {list(headings)}.")
            given = [given[cell] for cell in headings]
        values = np.atleast_1d(np.asarray(given, dtype=float))
        if values.shape != (len(headings),) or not np.all(values > 0):
            raise ParameterError(
                f"A Dirichlet prior needs a number above 0 for each of {list(headings)}; found {values.tolist()}."
            )
        return Dirichlet(values[None, :], np.full((1, 1), values.mean()), family)

    def after(self, statistics: Counts) -> "Dirichlet":
        return replace(self, concentration=self.concentration + statistics.counts)

    def mode(self) -> "CellDensity":
        return self._density(np.maximum(self.concentration - 1, 0.0), np.maximum(self.new - 1, 0.0))

    def mean(self) -> "CellDensity":
        return self._density(self.concentration, self.new)

    def predictive(self) -> "CellDensity | DirichletMultinomial":
        return self.mean() if self.family.layout.one_draw else DirichletMultinomial(self.concentration, self.family)

    def log_density(self, density: "CellDensity") -> float:
        cells = self.concentration.shape[1]
        log_p = density.log_probability[:, :cells]
        power = np.broadcast_to(self.concentration - 1, log_p.shape)
        kernel = np.where(power == 0, 0.0, power * log_p).sum()
        normaliser = self._log_normaliser().sum(axis=1) if self._proper() else np.zeros(1)
        return float(kernel - np.broadcast_to(normaliser, log_p.shape[:1]).sum())

    def log_evidence(self, statistics: Counts) -> Array:
        if not self._proper():
            raise ImproperPriorError("A Dirichlet prior with a cell at 0 has no evidence: give every cell more than 0.")
        gained = self.after(statistics)._log_normaliser() - self._log_normaliser() + statistics.log_base
        return np.asarray(gained.sum(axis=1))

    def _proper(self) -> bool:
        return bool(np.all(self.concentration > 0))

    def _log_normaliser(self) -> Array:
        totals = self.family.totals
        return np.asarray(totals(gammaln(self.concentration)) - gammaln(totals(self.concentration)))

    def _density(self, amounts: Array, new: Array) -> "CellDensity":
        whole, spread = self.family.totals(amounts), self.family.spread  # (K, G)
        log_share = log(amounts)
        log_share -= spread(np.where(whole == 0, 0.0, log(whole)))
        if (whole == 0).any():
            log_share = np.where(spread(whole == 0), -spread(np.log(self.family.layout.sizes)), log_share)
        unseen = ratio(new, whole + new, 1.0)
        log_unseen = np.where(unseen == 0, 0.0, log(unseen))  # no mass to give: the cell is ignored
        return CellDensity(np.concatenate([log_share, np.broadcast_to(log_unseen, whole.shape)], axis=1), self.family)


@dataclass(frozen=True, eq=False)
class CellDensity:
    """Known probabilities of the cells: multinomial in each group."""

    log_probability: Array  # (K, C + G): the cells, then each group's cell for what was never seen
    family: Cells

    def log_density(self, block: Block) -> Array:
        layout, scores = self.family.layout, self.scores(block)
        return scores if layout.one_draw else np.asarray(scores + layout.log_base(block).sum(axis=1, keepdims=True))

    def scores(self, block: Block) -> Array:
        return np.asarray(self.family.layout.amounts(block).scores(self._by_cell))

    @cached_property
    def _by_cell(self) -> Array:
        return np.ascontiguousarray(self.log_probability.T)  # what a row hits lies together

    def sample(self, components: Codes, rng: np.random.Generator) -> Block:
        return self.family.layout.draw(np.exp(self.log_probability[components, : self.family.size]), rng)

    def tables(self, names: Names) -> dict[str, dict[str, Array]]:
        return self.family.tables(np.exp(self.log_probability), names)

    @property
    def independent(self) -> bool:
        return self.family.independent

    def take(self, columns: Sequence[int]) -> "CellDensity":
        unseen = self.family.size + np.asarray(columns)
        cells = np.concatenate([self.family.cells_of(columns), unseen])
        return CellDensity(self.log_probability[:, cells], self.family.take(columns))


@dataclass(frozen=True, eq=False)
class DirichletMultinomial:
    """The cells with their probabilities integrated out: beta-binomial, Dirichlet-multinomial."""

    concentration: Array  # (K, C)
    family: Cells

    def log_density(self, block: Block) -> Array:
        layout = self.family.layout
        amounts, log_base = sparse.csr_array(layout.amounts(block).matrix, copy=True), layout.log_base(block)
        amounts.eliminate_zeros()
        sums = self.family.totals(amounts.toarray())  # (N, G)
        out = np.empty((amounts.shape[0], len(self.concentration)))
        for k, alpha in enumerate(self.concentration):
            hit = alpha[amounts.indices]
            gains = sparse.csr_array((gammaln(hit + amounts.data) - gammaln(hit), amounts.indices, amounts.indptr))
            whole = self.family.totals(alpha[None, :])
            out[:, k] = gains.sum(axis=1) - (gammaln(whole + sums) - gammaln(whole)).sum(axis=1)
        return np.asarray(out + log_base.sum(axis=1, keepdims=True))

    scores = log_density

    def sample(self, components: Codes, rng: np.random.Generator) -> Block:
        gammas = rng.standard_gamma(self.concentration[components])
        return self.family.layout.draw(gammas / self.family.spread(self.family.totals(gammas)), rng)

    def tables(self, names: Names) -> dict[str, dict[str, Array]]:
        whole = self.family.spread(self.family.totals(self.concentration))
        return self.family.tables(self.concentration / whole, names)

    @property
    def independent(self) -> bool:
        return self.family.independent

    def take(self, columns: Sequence[int]) -> "DirichletMultinomial":
        return DirichletMultinomial(self.concentration[:, self.family.cells_of(columns)], self.family.take(columns))
