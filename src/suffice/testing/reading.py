"""Laws of rows that are read more than once: left out, by EM, and with cells missing."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from suffice.families.accumulator import RowAccumulator
from suffice.families.leave_one_out import one_by_one
from suffice.families.memberships import Soft, memberships
from suffice.families.protocol import Density, Family, LastStep, Prior, S
from suffice.testing.case import Case, K
from suffice.testing.law import close, law, same


@law(lambda case: not case.known)
def rows_are_left_out(case: Case, rng: np.random.Generator) -> None:
    """Leaving a row out is learning without it."""
    block, labels = case.closed(rng)
    weights = rng.uniform(0.5, 2.0, len(labels))
    statistics = case.learned(block, labels, weights)
    for rule in (_WeakRule(step, levels=levels) for step in LastStep for levels in {1, K if case.given else 1}):
        found = case.family.leave_one_out(block, labels, weights, statistics, rule)
        learn = partial(rule.density, case.family)
        plain = one_by_one(case.family.statistics, learn, block, labels, weights, statistics)
        kept = ~found.lost & ~plain.lost
        assert kept.sum() > len(labels) / 2
        close(found.log_density[kept], plain.log_density[kept], 1e-7)


@dataclass(frozen=True)
class _WeakRule:
    """The weak prior, which follows from the rows, and one last step."""

    step: LastStep
    moves: bool = True
    levels: int = 1

    def prior(self, family: Family[S], statistics: S) -> Prior[S]:
        alone = self.levels == 1
        weak = family.weak_for(statistics, self.step) if alone else family.weak_given(statistics, self.levels)
        return family.symmetric(1.5) or weak

    def belief(self, family: Family[S], statistics: S) -> Prior[S]:
        return self.prior(family, statistics).after(statistics)

    def density(self, family: Family[S], statistics: S) -> Density:
        return self.step.of(self.belief(family, statistics))


@law(lambda case: not case.hidden)
def em_reads_what_there_is(case: Case, rng: np.random.Generator) -> None:
    """However EM reads a block, log densities and statistics are those of the rows."""
    block, labels = case.rows(rng, 300)
    pooled = case.family.statistics(block, memberships(np.zeros(len(labels), dtype=np.intp), 1))
    fast, plain = case.family.accumulator(case.truth, pooled, len(labels)), RowAccumulator(case.family, case.truth)
    shares = Soft(rng.dirichlet(np.ones(K), len(labels)))
    seen = fast.read(block, 0)
    close(np.array(fast.log_density(seen)), plain.log_density(block), 1e-8)
    same(fast.statistics(fast.sums(fast.read(block, 0), shares)), plain.sums(block, shares), 1e-8)


@law(lambda case: case.missing)
def missing_cells_are_filled(case: Case, rng: np.random.Generator) -> None:
    """Cells that are there stay, and no cell stays missing, expected or drawn."""
    block, labels = case.rows(rng)
    there = block >= 0 if block.dtype.kind == "i" else ~np.isnan(block)
    for full in (case.truth.filled(block, np.eye(K)[labels]), case.truth.refilled(block, labels, rng)):
        np.testing.assert_array_equal(np.asarray(full)[there], block[there])
        assert np.all(full >= 0) if block.dtype.kind == "i" else np.isfinite(full).all()
