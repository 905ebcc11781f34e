"""Stage 3, parameters that EM has found, with what the rows leave open about them: normal on a scale without ends.

In:  the charts around an estimate, and the information about it.
Out: Approximate: draws of the whole Joint, and for every entry of its tables an interval, symmetric where the range of
     the entry is stretched to a line (log odds, logarithms, Fisher's z of correlations) and then mapped back.

An estimate at the end of what can be (a probability of 0, a rate of 0) has neighbours on one side only. It is held
where it is, and gets no interval.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtri

from suffice.arrays import Array, ratio
from suffice.data.schema import BlockPlan
from suffice.errors import NoIntervalWarning, SingularError, warn
from suffice.families.charts import Chart, Span
from suffice.families.protocol import Statistics
from suffice.lazy import lazy
from suffice.model.em.information import BOOTSTRAP, Atlas
from suffice.model.joint import Joint, Tables
from suffice.model.uncertainty import Uncertain

STEP = 1e-4
FLAT = 1e-6  # of an information whose diagonal is 1: what is left of 0 where EM stops
STAYS = 1e-3  # how little an entry moves with a parameter that is held, if it has an interval of its own


@dataclass(frozen=True, eq=False)
class Entry:
    """A number in a table, for each component."""

    block: int
    title: str
    heading: str
    span: Span
    value: Array  # (K,)
    deviation: Array  # (K,) on the stretched scale; NaN where it has none

    def ends(self, level: float) -> dict[str, Array]:
        middle, wide = self.span.stretched(self.value), ndtri((1 + level) / 2) * self.deviation
        with np.errstate(invalid="ignore"):
            return {
                f"{self.heading} {end}": np.where(np.isnan(wide), np.nan, self.span.back(middle + side * wide))
                for end, side in (("low", -1), ("high", 1))
            }

    @property
    def error(self) -> Array:
        """The standard error of the number itself."""
        return self.deviation * self.span.slope(self.value)


@dataclass(frozen=True, eq=False)
class Approximate(Uncertain):
    joint: Joint
    atlas: Atlas
    information: Array  # (T, T)

    def draw(self, rng: np.random.Generator) -> Joint:
        found = self.atlas.moved(self._root @ rng.standard_normal(self._root.shape[1]))
        return replace(self.joint, prevalence=found.prevalence, density=found.density)

    @lazy
    def covariance(self) -> Array:
        """Of all parameters on their charts; 0 for those that are held."""
        return np.asarray(self._root @ self._root.T)

    @lazy
    def _root(self) -> Array:
        free = ~self.atlas.edges
        part = self.information[np.ix_(free, free)]
        scale = np.sqrt(np.maximum(np.diag(part), 0.0))
        values, vectors = np.linalg.eigh(ratio(part, np.outer(scale, scale)))
        if values.min(initial=1.0) < FLAT:
            raise SingularError(
                "The observed information has no inverse: the rows do not determine all parameters, or EM stopped "
                "before a maximum. Use fewer components, more rows, a stronger prior or a smaller tol. "
                f"Or: {BOOTSTRAP}",
                None,
            )
        out = np.zeros((len(free), int(free.sum())))
        out[free] = vectors / scale[:, None] / np.sqrt(values)
        return out

    def intervals(self, level: float) -> list[Tables]:
        out: list[Tables] = [{} for _ in self.atlas.charts]
        for entry in self._told():
            out[entry.block].setdefault(entry.title, {}).update(entry.ends(level))
        return out

    def errors(self) -> list[Tables]:
        """Standard errors of the entries of the tables."""
        out: list[Tables] = [{} for _ in self.atlas.charts]
        for entry in self._told():
            out[entry.block].setdefault(entry.title, {})[entry.heading] = entry.error
        return out

    def prevalence_interval(self, level: float, heading: str) -> dict[str, Array]:
        return self._prevalence(heading).ends(level) if len(self.atlas.shares.kept) else {}

    def prevalence_error(self) -> Array:
        return self._prevalence("").error

    def _prevalence(self, heading: str) -> Entry:
        shares, odds = self.atlas.shares, len(self.atlas.shares.kept)
        slopes = shares.slopes / (1 - shares.prevalence)[:, None]  # of ln p to those of the log odds of p
        deviation = _deviations(slopes, self.covariance[:odds, :odds])
        held = (np.abs(slopes[:, shares.edges]) > STAYS).any(axis=1)
        return Entry(0, "", heading, Span.SHARE, shares.prevalence, np.where(held, np.nan, deviation))

    def _told(self) -> list[Entry]:
        """Every entry; those without an interval are told of."""
        found = [entry for number in range(len(self.atlas.charts)) for entry in self._entries(number)]
        without = [entry for entry in found if np.isnan(entry.deviation).any()]
        if without:
            first, k = without[0], int(np.flatnonzero(np.isnan(without[0].deviation))[0])
            count = int(sum(np.isnan(entry.deviation).sum() for entry in without))
            warn(
                f"No interval (NaN) for {count} of the entries, among them '{first.heading}' of '{first.title}' in "
                f"component {self.joint.components[k]!r}, {first.value[k]:.3g}, which lies at the end of its range. "
                "The intervals of the others hold it fixed. A prior (smoothing=1, parameter_prior='weak') keeps "
                "estimates inside.",
                NoIntervalWarning,
            )
        return found

    def _entries(self, number: int) -> Iterator[Entry]:
        chart, block = self.atlas.charts[number], self.joint.schema.blocks[number]
        places = self.atlas.places(number)  # (K, P + Q)
        covariance = self.covariance[places[:, :, None], places[:, None, :]]
        held = self.atlas.edges[places]
        for (title, heading), (value, slopes) in _moves(chart, block, len(places)).items():
            deviation = _deviations(slopes, covariance)
            on_edge = (held & ~(np.abs(slopes) <= STAYS)).any(axis=1)
            yield Entry(number, title, heading, chart.span(title, heading), value, np.where(on_edge, np.nan, deviation))


def _deviations(slopes: Array, covariance: Array) -> Array:
    """√(s Σ sᵀ) for each s, from (K, P) and (K, P, P), where parameters that are held count nothing."""
    known = np.nan_to_num(slopes, nan=0.0, posinf=0.0, neginf=0.0)
    return np.asarray(np.sqrt(((known[:, None, :] @ covariance)[:, 0] * known).sum(axis=1)))


def _moves(chart: Chart[Statistics], block: BlockPlan, components: int) -> dict[tuple[str, str], tuple[Array, Array]]:
    """Entries of tables, and how they move, stretched, with each parameter of their component."""  # (K,), (K, P + Q)
    width = chart.own + chart.shared

    def entries(step: Array) -> dict[tuple[str, str], Array]:
        """At so much of each parameter, the same in all components."""
        density = chart.moved(np.broadcast_to(step[: chart.own], (components, chart.own)), step[chart.own :])
        tables = density.tables(block.titles)
        return {(title, heading): values for title, table in tables.items() for heading, values in table.items()}

    def stretched(step: Array) -> dict[tuple[str, str], Array]:
        return {key: chart.span(*key).stretched(values) for key, values in entries(step).items()}

    pairs = [(stretched(step), stretched(-step)) for step in STEP * np.eye(width)]
    here = entries(np.zeros(width))
    with np.errstate(invalid="ignore"):  # an end stays where it is, infinitely far
        slopes = {key: [(ahead[key] - behind[key]) / (2 * STEP) for ahead, behind in pairs] for key in here}
    return {key: (here[key], np.stack([np.broadcast_to(s, components) for s in slopes[key]], axis=1)) for key in here}
