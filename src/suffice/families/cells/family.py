"""Families of cells: a row puts amounts into cells, cells stand in groups, and each group has its own Dirichlet belief.

    categorical column    one group of S levels, one unit in one of them
    binomial column       one group of two cells, x successes and n − x failures
    multinomial row       one group of all its columns, the counts themselves

In:  a block, which a Layout turns into amounts (N, C) and ln h of each row's groups.
Out: counts that add; the belief and the densities are in `dirichlet`.

A column of categories also has a cell for levels never seen in fitting.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from suffice.arrays import Array, Codes, is_sparse, log
from suffice.errors import ParameterError
from suffice.families.capabilities import CountsCells
from suffice.families.cells.densities import CellDensity, DirichletMultinomial
from suffice.families.cells.dirichlet import DirichletPrior, even
from suffice.families.cells.layout import Layout
from suffice.families.counts import Counts, checked
from suffice.families.leave_one_out import LeftOut
from suffice.families.mass import Mass
from suffice.families.memberships import Memberships
from suffice.families.protocol import Block, Embedding, LastStep, Names, Prior, Recorded, Rule, Statistics, Tables
from suffice.families.records import Records
from suffice.families.rows import Rows
from suffice.families.summable import Countable, Told
from suffice.families.sums import Mask
from suffice.lazy import lazy
from suffice.words import listed

T = TypeVar("T")


@dataclass(frozen=True)
class Cells(Countable[Counts], Recorded[Counts], CountsCells[Counts]):
    """The family: independent groups of cells."""

    about = "probabilities of cells"

    layout: Layout

    @property
    def columns(self) -> int:
        return self.layout.columns

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of cells in each group."""
        return self.layout.sizes

    @lazy
    def size(self) -> int:
        return sum(self.layout.sizes)  # C

    @lazy
    def starts(self) -> Codes:
        return np.cumsum((0, *self.layout.sizes))[:-1].astype(np.intp)

    @lazy
    def groups(self) -> Codes:
        """Of each cell, which group it is in."""  # (C,)
        return np.repeat(np.arange(len(self.starts)), self.layout.sizes)

    def totals(self, cells: Array) -> Array:
        """Sums over the cells of each group."""  # (K, C) → (K, G)
        if all(self.layout.sizes):
            return np.asarray(np.add.reduceat(cells[:, : self.size], self.starts, axis=1))
        parts = np.split(cells[:, : self.size], self.starts[1:], axis=1)  # of which some are of no cell
        return np.stack([part.sum(axis=1) for part in parts], axis=1)

    def spread(self, groups: Array) -> Array:
        """The number of each group, at each of its cells."""  # (K, G) → (K, C)
        return np.repeat(groups, self.layout.sizes, axis=-1)

    def statistics(self, block: Block, memberships: Memberships) -> Counts:
        weight, (counts, behind) = memberships.weight, self.layout.sums_and_rows(block, memberships)
        one_way = np.zeros((len(weight), len(self.starts)))  # ln h of a single draw
        log_base = one_way if self.layout.one_draw else memberships.sums(self.layout.log_base(block))
        room, counted = np.zeros((len(weight), 0)), memberships.counted
        if counted is None or behind is None:
            return Counts(weight, counts, room, log_base)
        return Counts(weight, counts, room, log_base, Rows(counted.weight, behind), {})

    @property
    def told_by(self) -> Told | None:
        return Told.VALUES if self.independent else None

    def of_mass(self, statistics: Counts, mass: Mass) -> Counts:
        return statistics.among(mass)

    def leave_one_out(self, block: Block, labels: Codes, weights: Array, statistics: Counts, rule: Rule) -> LeftOut:
        """Only a row's own component changes, and in it only the cells that the row hits."""
        prior, belief = rule.prior(self, statistics), rule.belief(self, statistics)
        assert isinstance(prior, DirichletPrior)  # there is no other belief about cells
        assert isinstance(belief, DirichletPrior)
        density = rule.step.of(belief)
        log_base = 0.0 if self.layout.one_draw else self.layout.log_base(block).sum(axis=1)
        counted = np.broadcast_to(belief.amounts(rule.step), statistics.counts.shape)
        integrated = isinstance(density, DirichletMultinomial)
        own, lost = self.layout.own_densities(self, block, labels, weights, counted, integrated)
        if rule.step is LastStep.MODE and prior.bordered:
            lost = lost | self._emptied(block, labels, weights, counted)
        out = density.log_density(block)
        out[np.arange(len(labels)), labels] = own + log_base
        return LeftOut(out, lost)

    def _emptied(self, block: Block, labels: Codes, weights: Array, counted: Array) -> NDArray[np.bool_]:
        """Rows that leave nothing that counts in some group of their component: what is most probable then, differs."""
        amounts = self.layout.amounts(block)
        gone = weights[:, None] * self.totals(amounts.toarray() if is_sparse(amounts) else amounts)
        return np.asarray(((gone > 0) & (self.totals(counted)[labels] <= gone)).any(axis=1))

    def flat(self, components: int = 1) -> DirichletPrior:
        return self.symmetric(1.0)

    def reference(self, components: int = 1) -> DirichletPrior:
        return self.symmetric(0.5)

    def weak(self, statistics: Counts) -> DirichletPrior:
        return self.symmetric(2.0)  # one row in every cell on top of flat: its mode is Laplace's estimate

    def symmetric(self, amount: float, flat: bool = False) -> DirichletPrior:
        return even(self, amount, flat)

    def embedding(self, sample: Block) -> Embedding:
        return self.layout.embedding(sample)

    def holding(self, belief: Prior[Statistics], components: int) -> DirichletPrior:
        if not isinstance(belief, DirichletPrior):
            raise ParameterError(f"Expected a belief about {self.about}; found one about {belief.about}.")
        return belief.on(self)

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

    def density(self, arrays: Mapping[str, Array], components: int) -> CellDensity:
        """Known parameters, from their arrays."""
        shape = (components, self.size + len(self.starts))
        return CellDensity(checked(arrays, {"log_probability": shape})["log_probability"], self)

    def titles(self, names: Names) -> list[str]:
        return self.layout.titles(names)

    def from_tables(self, tables: Tables, names: Names) -> CellDensity:
        """What the tables do not name has no probability."""
        described = zip(self.layout.titles(names), self.layout.headings(), strict=True)
        probability = np.stack([tables[title][str(cell)] for title, cells in described for cell in cells], axis=1)
        if not ((probability >= 0).all() and np.allclose(self.totals(probability), 1.0, rtol=0, atol=1e-8)):
            raise ParameterError(
                f"The probabilities of {listed(names)} must be 0 or more and sum to 1 in each row; some do not."
            )
        unseen = np.zeros((len(probability), len(self.starts)))
        return CellDensity(log(np.concatenate([probability, unseen], axis=1)), self)

    def counts(self, statistics: Counts) -> list[Array]:
        return np.split(statistics.counts, np.cumsum(self.layout.sizes)[:-1], axis=1)

    def rows_of_groups(self, statistics: Counts) -> Rows | None:
        if statistics.rows is None:
            return None
        return Rows(statistics.rows.of, self.totals(statistics.rows.behind))

    def keeping(self, statistics: Counts, cells: Sequence[Codes]) -> Counts:
        kept = [start + some for start, some in zip(self.starts, cells, strict=True)]
        return statistics.take(np.concatenate(kept), range(len(cells)))

    def counts_by_name(self, statistics: Counts, names: Names) -> dict[str, dict[str, Array]]:
        return self.titled(list(statistics.counts.T), names)

    def constant(self, statistics: Counts) -> list[int]:
        return [group for group, size in enumerate(self.layout.sizes) if size < 2]

    @property
    def beside(self) -> bool:
        return not self.layout.one_draw

    def records(self, statistics: Counts, names: Names) -> Records:
        """A record is a cell; of several units that a column divides, all of them are one."""
        return Records.counted(self._cells_named(names), statistics.rows, len(statistics.weight))

    def alike(self, statistics: Counts, names: Names) -> Records:
        """Cells that have all there is in their group."""
        whole = self.spread(self.totals(statistics.counts)) == statistics.counts
        return self.records(statistics, names).only(whole & (statistics.counts > 0))

    def there(self, statistics: Counts) -> Array:
        behind = self.records(statistics, range(self.columns)).rows
        if not self.independent:
            return np.repeat(statistics.rows.of[:, None] if statistics.rows else behind[:, :1], self.columns, axis=1)
        return self.totals(behind) if self.layout.one_draw else np.maximum.reduceat(behind, self.starts, axis=1)

    def without(self, statistics: Counts, few: Mask) -> Counts:
        """And without ln h of all rows, from which single counts can be told."""
        counts, log_base = np.where(few, 0.0, statistics.counts), np.zeros_like(statistics.log_base)
        rows = statistics.rows and statistics.rows.outside(few, statistics.weight, counts)
        return Counts(statistics.weight, counts, statistics.exposure, log_base, rows, {})

    def _cells_named(self, names: Names) -> list[str]:
        titled = zip(self.layout.titles(names), self.layout.headings(), strict=True)
        return [f"{title} = {cell}" for title, cells in titled for cell in cells]

    def positions(self, group: int, cells: Sequence[Hashable]) -> Codes:
        order = {cell: position for position, cell in enumerate(self.layout.headings()[group])}
        return np.array([order[cell] for cell in cells], dtype=np.intp)

    def tables(self, probability: Array, names: Names) -> Tables:
        return self.titled(list(probability.T), names)

    def titled(self, entries: Sequence[T], names: Names) -> dict[str, dict[str, T]]:
        """What there is to say about each cell, under the title of its group."""  # C entries
        described = zip(self.layout.titles(names), self.layout.headings(), self.starts, strict=True)
        return {
            title: {str(cell): entries[start + i] for i, cell in enumerate(cells)} for title, cells, start in described
        }
