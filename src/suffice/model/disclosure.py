"""What a summary gives away of single rows, and the same summary without that.

In:  a Summary, or two that share rows. A record of one row is the row, and the mean and scatter of two rows give both.
Out: Disclosures, every record of one or two rows by name, and every record that says the same of all rows of a class.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from suffice.arrays import Array
from suffice.data.levels import Level
from suffice.errors import ParameterError, SuppressionError
from suffice.families.protocol import recorded
from suffice.families.records import Records
from suffice.model.pairs import pair_family
from suffice.model.piece import Piece
from suffice.model.records import pair_records
from suffice.model.summary import Summary
from suffice.options import shown
from suffice.printing.description import Description, Series, Sheet, Text
from suffice.printing.language import Word, word
from suffice.printing.numbers import amount
from suffice.printing.printed import Printed
from suffice.words import listed

READABLE = 2  # rows: from the mean and the scatter of two, both are known


@dataclass(frozen=True)
class Disclosed:
    """A record that gives away the rows behind it."""

    label: Level
    what: str  # a column, a level of it or a pattern of missing cells; "" for all of the class
    rows: float


@dataclass(frozen=True, repr=False)
class Disclosures(Printed):
    """What can be read: `records` of one or two rows and `pairs`, the number of others; `alike`, the same of all rows.

    `unknown` names what nobody can say anything about; `rows` is the number of all rows, None where it is not known.
    """

    records: tuple[Disclosed, ...]
    pairs: int
    rows: float | None
    alike: tuple[Disclosed, ...] = ()
    unknown: tuple[str, ...] = ()

    def description(self) -> Description:
        """Every record that can be read, and how many there are of pairs."""
        few, same = _sheet(word("rows"), self.records), _sheet(word("all rows of the class"), self.alike)
        said: list[Sheet | list[Text]] = [sheet for sheet in (few, same) if sheet.stubs]
        return Description((*self._title(),), [*said, *self._doubts()], behind=[] if few.stubs else [few])

    def _title(self) -> Iterator[Word]:
        many = len(self.records) + self.pairs
        if many:
            yield word("{n} record is of one or two rows|{n} records are of one or two rows", n=many)
        elif not self.unknown:
            yield word("No record is of fewer than 3 rows.")
        else:
            yield word("How many rows are behind its records is not known.")
        if self.pairs:
            yield word("{n} of pairs of columns", n=self.pairs)

    def _doubts(self) -> Iterator[list[Text]]:
        if self.unknown:
            yield [word("not known of: {names}", names=", ".join(self.unknown))]


def _sheet(heading: Word, found: tuple[Disclosed, ...]) -> Sheet:
    what = [one.what or word("every column") for one in found]
    series = [Series(word("column"), what), Series(heading, np.array([one.rows for one in found]), amount)]
    return Sheet(word("class"), [one.label for one in found], series)


def disclosed(summary: Summary, other: Summary | None = None) -> Disclosures:
    """List what whoever has a summary can read of single rows: records of one or two rows, and what all rows share.

    Of two summaries that share all other rows, list what their difference says of one or two. Whole numbers can often
    be read from sums of more rows than two.

    Raises
    ------
    ParameterError
        If one of them is not a Summary.
    KindError
        If the two are not of the same columns and kinds.

    >>> from suffice import collect, disclosed
    >>> disclosed(collect({"town": ["A", "A", "A", "B"]}, ["well"] * 4))
    1 record is of one or two rows
    class  column    rows
    well   town = B     1

    """
    refuse_others(summary)
    if other is None:
        return _of_one(summary)
    refuse_others(other)
    return _of_two(*summary._alike(other))


def _of_one(summary: Summary) -> Disclosures:
    rows = dict(_rows(summary))
    few = tuple(Disclosed(*place, many) for place, many in rows.items() if 0 < many <= READABLE)
    pairs = sum(_readable(part) for part in _pairs(summary))
    alike = tuple(Disclosed(*place, many) for place, many in _alike(summary) if many > READABLE)
    return Disclosures(few, pairs, _number(summary), alike, _unknown(summary, rows))


def _of_two(mine: Summary, theirs: Summary) -> Disclosures:
    """Records of both that differ by one or two rows; what only one has is all of its own."""
    ours, others = dict(_rows(mine)), dict(_rows(theirs))
    apart = {place: abs(ours.get(place, 0.0) - others.get(place, 0.0)) for place in ours | others}
    few = tuple(Disclosed(*place, many) for place, many in apart.items() if 0 < many <= READABLE)
    pairs = sum(_readable(np.abs(a - b)) for a, b in zip(_pairs(mine), _pairs(theirs), strict=True))
    unknown = dict.fromkeys((*_unknown(mine, ours), *_unknown(theirs, others)))
    numbers = _number(mine), _number(theirs)
    rows = None if None in numbers else abs(float(numbers[0] or 0) - float(numbers[1] or 0))
    return Disclosures(few, pairs, rows, (), tuple(unknown))


def _number(summary: Summary) -> float | None:
    rows = summary.statistics.mass.rows
    return None if rows is None else float(rows.sum())


def _rows(summary: Summary) -> Iterator[tuple[tuple[Level, str], float]]:
    """How many rows are behind each record, by class and name; not a number where that is not known."""
    rows = summary.statistics.mass.rows
    of = np.full(len(summary.classes), np.nan) if rows is None else rows
    yield from (((label, ""), float(many)) for label, many in zip(summary.classes, of, strict=True))
    for piece in summary.pieces():
        yield from _entries(summary, _records(piece))


def _entries(summary: Summary, found: Records) -> Iterator[tuple[tuple[Level, str], float]]:
    for k, r in np.argwhere(found.rows != 0):
        yield (summary.classes[k], found.names[r]), float(found.rows[k, r])


def _records(piece: Piece) -> Records:
    """Those that its family names; of a family that says nothing, one that nobody knows."""
    try:
        return recorded(piece.family).records(piece.statistics, piece.names)
    except SuppressionError:
        return Records([", ".join(piece.names)], np.full((len(piece.statistics.weight), 1), np.nan))


def _alike(summary: Summary) -> Iterator[tuple[tuple[Level, str], float]]:
    def of(piece: Piece) -> Iterator[tuple[tuple[Level, str], float]]:
        try:
            return _entries(summary, recorded(piece.family).alike(piece.statistics, piece.names))
        except SuppressionError:
            return iter(())

    seen = dict(chain.from_iterable(map(of, summary.pieces())))
    return iter(seen.items())


def _pairs(summary: Summary) -> Iterator[Array]:
    pairs, family = summary.statistics.pairs, pair_family(summary.schema)
    return pair_records(family, pairs) if pairs and family else iter(())


def _readable(rows: Array) -> int:
    return int(((rows > 0) & (rows <= READABLE)).sum())


def _unknown(summary: Summary, rows: dict[tuple[Level, str], float]) -> tuple[str, ...]:
    """Columns and classes of which nobody has counted rows."""
    names = dict.fromkeys(what or f"class {label}" for (label, what), many in rows.items() if np.isnan(many))
    return tuple(names)


def refuse_others(summary: Any) -> None:
    if not isinstance(summary, Summary):
        raise ParameterError(f"Expected a Summary, as made by collect; found {shown(summary)}.")


def refuse_unknown(summary: Summary) -> None:
    """An error where it is not known what a summary keeps of few rows, so that it cannot be dropped."""
    for piece in summary.pieces():
        try:
            known = recorded(piece.family).records(piece.statistics, piece.names).known
        except SuppressionError as error:
            raise SuppressionError(
                f"Columns of the kind {piece.block.kind!r} ({listed(piece.names)}) cannot be suppressed. {error} "
                "Collect without them (kinds={...: 'ignore'}), or have the family say it."
            ) from None
        if not known:
            break
    else:
        if summary.statistics.mass.rows is not None and all(not np.isnan(part).any() for part in _pairs(summary)):
            return
    raise SuppressionError(
        "How many rows are behind the records of this summary is not known: an older version wrote it, or its weighted "
        "rows were summed by an engine, or rows were taken away with other weights than they had. Collect its rows "
        "again (with where='here')."
    )
