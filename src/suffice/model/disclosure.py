"""What a summary gives away of single rows, and the same summary without that.

In:  a Summary. A record of one row is the row, and the mean and scatter of two rows give both.
Out: Disclosures, every record of one or two rows by name; or a Summary in which no record has few.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from suffice.data.levels import Level
from suffice.errors import ParameterError
from suffice.families.product import ProductStatistics
from suffice.model.design import Piece
from suffice.model.pairs import pair_family
from suffice.model.records import cleared, pair_records, pairs_cleared, records
from suffice.model.summary import Summary
from suffice.options import number, shown
from suffice.printing.description import Description, Series, Sheet
from suffice.printing.language import word
from suffice.printing.numbers import amount
from suffice.printing.printed import Printed

READABLE = 2  # rows: from the mean and the scatter of two, both are known


@dataclass(frozen=True)
class Disclosed:
    """A record that gives away the rows behind it."""

    label: Level
    what: str  # a column, a level of it or a pattern of missing cells; "" for all of the class
    rows: float


@dataclass(frozen=True, repr=False)
class Disclosures(Printed):
    """Records that hold only one or two rows: `records` by class and column, `pairs` the number of others."""

    records: tuple[Disclosed, ...]
    pairs: int
    rows: float

    def description(self) -> Description:
        """Every record that can be read, and how many there are of pairs."""
        what = [one.what or word("every column") for one in self.records]
        rows = np.array([one.rows for one in self.records])
        series = [Series(word("column"), what), Series(word("rows"), rows, amount)]
        sheet = Sheet(word("class"), [one.label for one in self.records], series)
        many = len(self.records) + self.pairs
        if not many:
            return Description((word("No record is of fewer than 3 rows."),), behind=[sheet])
        title = word("{n} record is of one or two rows|{n} records are of one or two rows", n=many)
        pairs = [word("{n} of pairs of columns", n=self.pairs)] if self.pairs else []
        return Description((title, *pairs), [sheet] if self.records else [], behind=[] if self.records else [sheet])


def disclosed(summary: Summary) -> Disclosures:
    """List every record that holds only one or two rows, since whoever has the summary can read those rows from it.

    Raises
    ------
    ParameterError
        If `summary` is not a Summary.

    >>> from suffice import collect, disclosed
    >>> disclosed(collect({"town": ["A", "A", "A", "B"]}, ["well"] * 4))
    1 record is of one or two rows
    class  column    rows
    well   town = B     1

    """
    _refuse_others(summary)
    pairs, family = summary.statistics.pairs, pair_family(summary.schema)
    masses = pair_records(family, pairs) if pairs and family else ()
    few = sum(int(((mass > 0) & (mass <= READABLE)).sum()) for mass in masses)
    return Disclosures(tuple(_disclosed(summary)), few, summary.n)


def _disclosed(summary: Summary) -> Iterator[Disclosed]:
    for label, weight in zip(summary.classes, summary.statistics.weight, strict=True):
        if 0 < weight <= READABLE:
            yield Disclosed(label, "", float(weight))
    for piece in summary.pieces():
        found = records(piece.family, piece.statistics, piece.names)
        for k, r in np.argwhere((found.masses > 0) & (found.masses <= READABLE)):
            yield Disclosed(summary.classes[k], found.names[r], float(found.masses[k, r]))


def suppressed(summary: Summary, below: float = 5) -> Summary:
    """A `summary` without classes and records of fewer rows than `below`, as if those cells had been missing.

    The result differs from a summary of the rows, and says so; nothing can be subtracted from it.

    Raises
    ------
    ParameterError
        If `summary` is not a Summary, `below` is not above 1, or nothing would be left.

    >>> from suffice import collect, disclosed, suppressed
    >>> disclosed(suppressed(collect({"town": ["A"] * 5 + ["B"]}, ["well"] * 6)))
    No record is of fewer than 3 rows.

    """
    _refuse_others(summary)
    least = number(below, "The number of rows below which records are dropped must be above 1", lambda rows: rows > 1)
    enough = np.flatnonzero(summary.statistics.weight >= least)
    if not len(enough):
        raise ParameterError(f"No class has {least:g} rows or more, so nothing would be left.")
    schema = replace(summary.schema, suppressed=max(least, summary.schema.suppressed))
    kept = Summary(schema, tuple(summary.classes[k] for k in enough), summary.statistics.only(enough))
    pieces = [_suppressed(piece, least) for piece in kept.pieces()]
    parts, volumes = tuple(piece.statistics for piece in pieces), tuple(piece.volume for piece in pieces)
    pairs, family = kept.statistics.pairs, pair_family(schema)
    fewer = pairs_cleared(family, pairs, least) if pairs and family else None
    statistics = ProductStatistics(kept.statistics.weight, parts, fewer, volumes)
    return replace(kept, statistics=statistics).without_empty_levels()


def _suppressed(piece: Piece, least: float) -> Piece:
    few = records(piece.family, piece.statistics, piece.names).few(least)
    volume = np.where(few, 0.0, piece.volume) if few.shape == piece.volume.shape else piece.volume
    return replace(piece, statistics=cleared(piece.statistics, few, piece.family), volume=volume)


def _refuse_others(summary: Any) -> None:
    if not isinstance(summary, Summary):
        raise ParameterError(f"Expected a Summary, as made by collect; found {shown(summary)}.")
