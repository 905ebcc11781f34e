"""Records of a summary: what could be read from it by itself, and the same statistics without some of that.

In:  statistics of the blocks of a summary, or of its pairs of columns.
Out: the rows behind each record; statistics as if the cells behind those of few rows had been missing.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from suffice.arrays import Array
from suffice.families.pairs import PairFamily, PairStatistics, Place
from suffice.families.protocol import Family, Statistics, emptied, recorded
from suffice.families.records import Records
from suffice.families.sums import Mask


def records(family: Family[Statistics], statistics: Statistics, names: Sequence[str]) -> Records:
    """What the statistics of a block keep; an error where the family does not say it."""
    return recorded(family).records(statistics, names)


def pair_records(family: PairFamily, pairs: PairStatistics) -> Iterator[Array]:
    """Rows behind all records of pairs, each with the classes along its first axis."""
    classes = len(pairs.counts)
    unknown = np.full(pairs.counts.shape, np.nan)
    yield (unknown if pairs.rows is None else pairs.rows.behind).reshape(classes, -1)
    yield pairs.numbers.records(("", "")).rows.reshape(classes, -1)
    for parts in pairs.given:
        for part, (places, given) in zip(parts, family.others, strict=True):
            yield records(given, part, ("",) * len(places)).rows.reshape(classes, -1)


def pairs_cleared(family: PairFamily, pairs: PairStatistics, there: Sequence[Array], below: float) -> PairStatistics:
    """The same of pairs, without what differs by few rows from what is kept of a column by itself.

    `there` has the rows with a cell of each column, (K, D) of each block: a difference of two records is a record too.
    """
    assert pairs.rows is not None  # or nothing would be dropped
    given = tuple(
        tuple(
            _given_cleared(part, one, _of(places, there), below)
            for part, (places, one) in zip(parts, family.others, strict=True)
        )
        for parts in pairs.given
    )
    few = _few(pairs.rows.behind, below)
    counts = np.where(few, 0.0, pairs.counts)
    rows = pairs.rows.outside(few, pairs.rows.of, counts)
    numbers = emptied(pairs.numbers, _numbers_few(family, pairs, there, below))
    return PairStatistics(counts, given, numbers, rows, {})


def _given_cleared(part: Statistics, family: Family[Statistics], whole: Array, below: float) -> Statistics:
    """Columns given the level of another: of each class the levels together are told from the column itself."""
    own, (classes, columns) = recorded(family), whole.shape
    few = own.records(part, ("",) * columns).few(below)
    cleared = own.without(part, few)
    levels, each = len(few) // classes, few.shape[1] // columns  # records of a column
    together = own.there(cleared).reshape(classes, levels, columns).sum(axis=1)
    told = _few(np.abs(whole - together), below)
    return own.without(cleared, np.repeat(np.repeat(told, levels, axis=0), each, axis=1))


def _numbers_few(family: PairFamily, pairs: PairStatistics, there: Sequence[Array], below: float) -> Mask:
    """Which pairs of two numbers are of few rows, or lack few of the rows of one of them."""
    rows = pairs.numbers.records(("", "")).rows[:, 0]
    first, second = np.triu_indices(len(family.numbers), 1)
    if not len(first):
        return np.zeros(0, dtype=bool)
    whole = _of(family.numbers, there)
    lacking = (np.abs(whole[:, places].ravel() - rows) for places in (first, second))
    return np.asarray(_few(rows, below) | np.logical_or.reduce([_few(some, below) for some in lacking]))


def _of(places: Sequence[Place], there: Sequence[Array]) -> Array:
    return np.stack([there[place.block][:, place.column] for place in places], axis=1)


def _few(rows: Array, below: float) -> Mask:
    return np.asarray((rows > 0) & (rows < below))
