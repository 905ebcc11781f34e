"""Families of cells: a row puts amounts into cells, cells stand in groups, and each group has its own Dirichlet belief.

    categorical column    one group of S levels, one unit in one of them
    binomial column       one group of two cells, x successes and n − x failures
    multinomial row       one group of all its columns, the counts themselves

In:  a block, which a Layout turns into amounts (N, C) and ln h of each row's groups.
Out: counts that add; the belief and the densities are in `dirichlet`.

A column of categories also has a cell for levels never seen in fitting.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np

from suffice.arrays import Array, Codes
from suffice.families.accumulator import Plain
from suffice.families.cells.amounts import Amounts
from suffice.families.cells.dirichlet import CellDensity, DirichletPrior
from suffice.families.cells.leave_one_out import Hits
from suffice.families.counts import Counts, checked
from suffice.families.leave_one_out import LeftOut, Rule
from suffice.families.memberships import Memberships
from suffice.families.protocol import Block, Names
from suffice.lazy import lazy


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

    def middle(self, probabilities: Array) -> Block: ...  # what to expect of a row, or its most probable level

    def completed(self, block: Block, others: Block) -> Block: ...  # the block, with the others' cells where missing

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

    @lazy
    def size(self) -> int:
        return sum(self.layout.sizes)  # C

    @lazy
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

    def left_out(self, block: Block, labels: Codes, weights: Array, statistics: Counts, rule: Rule) -> LeftOut:
        """Only a row's own component changes, and in it only the cells that the row hits."""
        belief: Any = rule.prior(self, statistics).after(statistics)
        density: Any = getattr(belief, rule.step)()
        amounts = self.layout.amounts(block).matrix
        log_base = 0.0 if self.layout.one_draw else self.layout.log_base(block).sum(axis=1)
        hits = Hits.of(self, amounts, labels, weights, np.broadcast_to(belief.concentration, statistics.counts.shape))
        own = hits.log_density(density.integrated, spared=rule.step == "mode")
        out = density.log_density(block)
        out[np.arange(len(labels)), labels] = own + log_base
        return LeftOut(out, hits.lost)

    def lens(self, density: Any, pooled: Counts, rows: int) -> Plain:
        return Plain(self, density)

    def flat(self, components: int = 1) -> DirichletPrior:
        return self.even(1.0)

    unbiased = flat

    def reference(self, components: int = 1) -> DirichletPrior:
        return self.even(0.5)

    def weak(self, statistics: Counts) -> DirichletPrior:
        return self.even(2.0)  # one row in every cell on top of flat: its mode is Laplace's estimate

    def vague(self, statistics: Counts, components: int) -> DirichletPrior:
        return self.weak(statistics)

    def even(self, amount: float) -> DirichletPrior:
        return DirichletPrior(
            np.full((1, self.size), float(amount)), np.full((1, len(self.starts)), float(amount)), self
        )

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
        return self.titled(list(probability.T), names)

    def titled(self, entries: Sequence[Any], names: Names) -> dict[str, dict[str, Any]]:
        """What there is to say about each cell, under the title of its group."""  # C entries
        described = zip(self.layout.titles(names), self.layout.headings(), self.starts, strict=True)
        return {
            title: {str(cell): entries[start + i] for i, cell in enumerate(cells)} for title, cells, start in described
        }
