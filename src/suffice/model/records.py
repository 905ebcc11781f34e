"""Records: what statistics keep that could be read by itself, and the same statistics without some of it.

In:  statistics of a family. A record is a column in a class, a level of it, a pattern of missing cells, or a pair.
Out: the rows behind each record; statistics as if the cells behind some records had been missing.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import singledispatch
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from suffice.arrays import Array
from suffice.families.angles.directions import Directions
from suffice.families.angles.family import Angles
from suffice.families.cells.binomial import Trials
from suffice.families.cells.family import Cells
from suffice.families.cells.negative_binomial import Failures
from suffice.families.counts import Counts
from suffice.families.gaussian.family import Gaussian
from suffice.families.gaussian.moments import Moments
from suffice.families.gaussian.patterns import Pattern, PatternMoments
from suffice.families.pairs import PairFamily, PairStatistics
from suffice.families.protocol import Family, Names, Statistics
from suffice.families.rates.family import Rates
from suffice.families.rates.waiting import WaitingLaw

S = TypeVar("S", bound=Statistics)
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Records:
    """What statistics keep of each component, record by record."""

    names: list[str]
    masses: Array  # (K, R) of the rows behind each

    def few(self, below: float) -> Mask:
        """Which of them have rows, but too few."""  # (K, R)
        return _few(self.masses, below)


def records(family: Family[Statistics], statistics: Statistics, names: Names) -> Records:
    """Of a family that is not known here, no more than all rows of a component together."""
    match family, statistics:
        case Cells(), Counts():
            return _of_cells(family, statistics, names)
        case Rates(), Counts():
            return _of_rates(family, statistics, names)
        case Gaussian(), Moments() | PatternMoments():
            return _of_moments(statistics, names)
        case Angles(), Directions():
            return Records(list(names), statistics.seen)
        case _:
            return Records([", ".join(names)], statistics.weight[:, None])


@singledispatch
def cleared(statistics: Statistics, few: Mask, family: Family[Statistics]) -> Statistics:
    """The statistics without the records that are few, as if those cells were missing."""
    return statistics


def _of_cells(family: Cells, statistics: Counts, names: Names) -> Records:
    titles = zip(family.layout.titles(names), family.layout.headings(), strict=True)
    named = [f"{title} = {cell}" for title, cells in titles for cell in cells]
    match family.layout:
        case Trials(trials=each):
            rows = np.repeat(family.totals(statistics.counts) / np.asarray(each), 2, axis=1)
        case Failures(r=each):
            rows = np.repeat(statistics.counts[:, ::2] / each, 2, axis=1)
        case _:
            return Records(named, statistics.counts)
    smallest = np.where(statistics.counts > 0, np.minimum(rows, statistics.counts), 0.0)
    return Records(named, smallest if family.layout.one_draw else rows)


def _of_rates(family: Rates, statistics: Counts, names: Names) -> Records:
    law = family.law
    return Records(list(names), statistics.counts / law.k if isinstance(law, WaitingLaw) else statistics.exposure)


@cleared.register
def _(statistics: Counts, few: Mask, family: Family[Statistics]) -> Counts:
    """A group of cells that has lost one has no ln h of its rows any more."""
    groups = np.logical_or.reduceat(few, family.starts, axis=1) if isinstance(family, Cells) else few
    room = np.where(few, 0.0, statistics.exposure) if statistics.exposure.shape[1] else statistics.exposure
    counts, log_base = np.where(few, 0.0, statistics.counts), np.where(groups, 0.0, statistics.log_base)
    return Counts(statistics.weight, counts, room, log_base)


def _of_moments(statistics: Moments | PatternMoments, names: Names) -> Records:
    if isinstance(statistics, Moments):
        return Records(list(names), statistics.seen)
    masses = [moments.weight for moments in statistics.parts.values()]
    titles = [_of_pattern(pattern, names) for pattern in statistics.parts]
    return Records(titles, np.stack(masses, axis=1) if masses else np.zeros((len(statistics.weight), 0)))


def _of_pattern(pattern: Pattern, names: Names) -> str:
    there = ", ".join(names[j] for j in pattern)
    return there if len(pattern) == len(names) else f"{there} (the others missing)"


@cleared.register
def _(statistics: Moments, few: Mask, family: Family[Statistics]) -> Moments:
    """Low parts of the sums go with them: what was dropped never comes off again."""
    across = few[:, :, None] | few[:, None, :] if statistics.crosswise else few
    seen, mean, scatter = (
        np.where(where, 0.0, part)
        for where, part in ((few, statistics.seen), (few, statistics.mean), (across, statistics.scatter))
    )
    return Moments(statistics.weight, seen, mean, scatter, {})


@cleared.register
def _(statistics: PatternMoments, few: Mask, family: Family[Statistics]) -> PatternMoments:
    kept = {
        pattern: _without(moments, gone)
        for (pattern, moments), gone in zip(statistics.parts.items(), few.T, strict=True)
    }
    return replace(statistics, parts={pattern: moments for pattern, moments in kept.items() if moments.weight.any()})


def _without(statistics: S, gone: Mask) -> S:
    """As if some components had no rows."""
    stay = np.flatnonzero(~gone)
    return statistics.only(stay).onto(stay, len(gone))


@cleared.register
def _(statistics: Directions, few: Mask, family: Family[Statistics]) -> Directions:
    sums = (np.where(few, 0.0, part) for part in (statistics.seen, statistics.cosines, statistics.sines))
    return Directions(statistics.weight, *sums)


# pairs of columns


def pair_records(family: PairFamily, pairs: PairStatistics) -> Iterator[Array]:
    """Masses of all records of pairs, each with the classes along its first axis."""
    classes = len(pairs.counts)
    yield pairs.counts.reshape(classes, -1)
    yield pairs.numbers.weight.reshape(classes, -1)
    for parts in pairs.given:
        for part, (places, given) in zip(parts, family.others, strict=True):
            yield records(given, part, ("",) * len(places)).masses.reshape(classes, -1)


def pairs_cleared(family: PairFamily, pairs: PairStatistics, below: float) -> PairStatistics:
    """The same of pairs: levels together, columns given a level, two numbers."""

    def of_columns(part: Statistics, given: Family[Statistics], columns: int) -> Statistics:
        few = records(given, part, ("",) * columns).few(below)
        return _without(cleared(part, few, given), _few(part.weight, below))

    given = tuple(
        tuple(of_columns(part, one, len(places)) for part, (places, one) in zip(parts, family.others, strict=True))
        for parts in pairs.given
    )
    counts = np.where(_few(pairs.counts, below), 0.0, pairs.counts)
    return PairStatistics(counts, given, _without(pairs.numbers, _few(pairs.numbers.weight, below)))


def _few(masses: Array, below: float) -> Mask:
    return np.asarray((masses > 0) & (masses < below))
