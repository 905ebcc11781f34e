"""Stage 3, how sure the rows make us of what EM has found: the observed information, by Louis' identity.

    −∂² ln p(rows) = −Σ E[∂² ln p(row, component)] − Σ Var[∂ ln p(row, component)]

In:  hidden rows and the parameters found for them: two more passes over the rows, for statistics and for slopes.
Out: Information, on the charts of the families, where nothing has an end; or instead of it the outer products of the
     slopes of ln p(row). What the log prior adds is in the first of the two sums.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add

import numpy as np
from numpy.typing import NDArray

from suffice.arrays import Array, Codes, log, softmax
from suffice.errors import ParameterError
from suffice.families.charts import Chart
from suffice.families.memberships import memberships
from suffice.families.product import Product, ProductDensity, ProductStatistics
from suffice.families.protocol import Block, Parametric, Statistics
from suffice.lazy import lazy
from suffice.model.em.columns import known
from suffice.model.em.hidden import HiddenRows, Parameters
from suffice.model.em.shares import Shares
from suffice.model.rules import learned_from_rows
from suffice.threads import over_rows
from suffice.words import listed

MOST_PARAMETERS = 2000  # for which a square matrix of them is made
BOOTSTRAP = "Use intervals='bootstrap', for a classifier in em=EM(intervals='bootstrap')."


@dataclass(frozen=True, eq=False)
class Atlas:
    """All parameters of a model around an estimate, in one vector: log odds of components, then chart by chart."""

    shares: Shares
    charts: tuple[Chart[Statistics], ...]

    @property
    def components(self) -> int:
        return len(self.shares.owners)

    @lazy
    def _starts(self) -> list[int]:
        """Where each chart begins, and where the last one ends."""
        sizes = [len(self.shares.kept), *(self.components * chart.own + chart.shared for chart in self.charts)]
        return [int(start) for start in np.cumsum(sizes)]

    @property
    def size(self) -> int:
        return self._starts[-1]

    def places(self, number: int) -> Codes:
        """Where the parameters of each component stand, of one of the charts."""  # (K, P + Q)
        chart, start = self.charts[number], self._starts[number]
        own = start + np.arange(self.components * chart.own).reshape(self.components, chart.own)
        shared = start + own.size + np.arange(chart.shared)
        return np.concatenate([own, np.broadcast_to(shared, (self.components, chart.shared))], axis=1)

    @lazy
    def _everywhere(self) -> Codes:
        """The same of all charts, log odds first."""  # (K, …)
        odds = np.broadcast_to(np.arange(len(self.shares.kept)), (self.components, len(self.shares.kept)))
        return np.concatenate([odds, *(self.places(number) for number in range(len(self.charts)))], axis=1)

    def moved(self, steps: Array) -> Parameters:
        odds, *others = np.split(steps, self._starts[:-1])
        parts = zip(self.charts, others, strict=True)
        density = ProductDensity(tuple(_moved(chart, some, self.components) for chart, some in parts))
        return Parameters(self.shares.moved(odds), density)

    @property
    def edges(self) -> NDArray[np.bool_]:
        """Which of the parameters are ends of what can be."""
        whole = [np.broadcast_to(chart.edges, (self.components, chart.own)).ravel() for chart in self.charts]
        pairs = zip(whole, self.charts, strict=True)
        return np.concatenate(
            [self.shares.edges, *(np.append(own, np.zeros(chart.shared, dtype=bool)) for own, chart in pairs)]
        )

    def curvature(self) -> Array:
        """Of the log posterior, had components been seen as expected."""
        out, odds = np.zeros((self.size, self.size)), len(self.shares.kept)
        out[:odds, :odds] = self.shares.curvature()
        for number, chart in enumerate(self.charts):
            for places, part in zip(self.places(number), chart.curvature(), strict=True):
                out[np.ix_(places, places)] += part
        return out

    def slopes(self, blocks: Sequence[Block], rows: int) -> Array:
        """Of ln p(row, component), by the parameters of that component."""  # (n, K, …)
        parts = [chart.slopes(block) for chart, block in zip(self.charts, blocks, strict=True)]
        odds = np.broadcast_to(self.shares.slopes, (rows, *self.shares.slopes.shape))
        return np.concatenate([odds, *parts], axis=2)

    def spread(self, slopes: Array, belonging: Array, weights: Array) -> "Spread":
        """Sums over rows, from slopes (n, K, …) and memberships (n, K)."""
        mean, within = np.zeros((len(weights), self.size)), np.zeros((self.size, self.size))
        for k, places in enumerate(self._everywhere):
            share = belonging[:, k, None] * slopes[:, k]
            mean[:, places] += share
            within[np.ix_(places, places)] += slopes[:, k].T @ (weights[:, None] * share)
        return Spread(within, mean.T @ (weights[:, None] * mean))


@dataclass(frozen=True, eq=False)
class Spread:
    """Products of slopes, summed over rows."""

    each: Array  # of those of every component, by memberships
    mean: Array  # of those of ln p(row)

    def __add__(self, other: "Spread") -> "Spread":
        return Spread(self.each + other.each, self.mean + other.mean)


def observed(rows: HiddenRows, parameters: Parameters, outer: bool) -> tuple[Atlas, Array]:
    """Charts around the parameters, and the information about them: Louis', or outer products of slopes."""
    refuse_learned_noise(rows)
    atlas = around(rows, parameters)
    if atlas.size > MOST_PARAMETERS:
        raise ParameterError(
            f"This model has {atlas.size} parameters; intervals for more than {MOST_PARAMETERS} need a square "
            f"matrix that is too large. {BOOTSTRAP}"
        )

    def share(blocks: Sequence[slice]) -> Spread:
        each = ((rows.blocks[some], belonging(rows, parameters, some), rows.weights[some]) for some in blocks)
        return reduce(add, (atlas.spread(atlas.slopes(cells, len(by)), by, weights) for cells, by, weights in each))

    spread = reduce(add, over_rows(share, len(rows.weights), 4 * max(1, atlas.size)))
    return atlas, spread.mean if outer else spread.mean - spread.each - atlas.curvature()


def refuse_learned_noise(rows: HiddenRows) -> None:
    if rows.label_evidence.learned:
        raise ParameterError(
            "With em=EM(label_noise='estimate') the confusion table is learned too, and there is no observed "
            "information for it. Give it as a table, label_noise={class: {label: probability}}, or use "
            "intervals='bootstrap' there."
        )


def around(rows: HiddenRows, parameters: Parameters) -> Atlas:
    found = gathered(rows, parameters, rows.pieces.family)
    pieces = zip(rows.pieces.priors, known(parameters.density), found.parts, strict=True)
    charts = [prior.chart(density, those) for prior, density, those in pieces]
    free, smoothed = learned_from_rows(rows.given), isinstance(rows.given, str) and rows.given == "smoothed"
    owners = np.asarray(rows.label_evidence.owners)
    shares = Shares(parameters.prevalence, found.weight, owners, free, rows.smoothing if smoothed else 0.0)
    return Atlas(shares, charted(charts, [plan.names for plan in rows.blocks.plans]))


def charted(
    charts: Sequence[Chart[Statistics] | None], names: Sequence[Sequence[str]]
) -> tuple[Chart[Statistics], ...]:
    """All of them, unless the family of some columns has none."""
    without = [name for some, chart in zip(names, charts, strict=True) if chart is None for name in some]
    if without:
        raise ParameterError(
            f"The family of {listed(without)} has no chart of its parameters (Prior.chart). {BOOTSTRAP}"
        )
    return tuple(chart for chart in charts if chart is not None)


def gathered(rows: HiddenRows, parameters: Parameters, family: Product) -> ProductStatistics:
    """Statistics of the components under a family of the same blocks, missing cells as they are."""

    def share(blocks: Sequence[slice]) -> ProductStatistics:
        each = ((rows.blocks[some], belonging(rows, parameters, some), rows.weights[some]) for some in blocks)
        soft = ((cells, memberships(by, by.shape[1], weights)) for cells, by, weights in each)
        return reduce(add, (family.statistics(cells, by) for cells, by in soft))

    return reduce(add, over_rows(share, len(rows.weights), rows.blocks.width))


def belonging(rows: HiddenRows, parameters: Parameters, some: slice) -> Array:
    """P(component | row, label)."""  # (n, K)
    evidence = rows.label_evidence
    allowed = log(parameters.prevalence) + evidence.log_table[evidence.labels.codes[some]]
    return softmax(parameters.density.log_density(rows.blocks[some]) + allowed)


def _moved(chart: Chart[Statistics], steps: Array, components: int) -> Parametric[Statistics]:
    own, shared = np.split(steps, [components * chart.own])
    return chart.moved(own.reshape(components, chart.own), shared)
