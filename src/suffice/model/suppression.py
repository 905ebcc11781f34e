"""A summary without what it keeps of few rows, to be shared.

In:  a Summary, and the least number of rows that a record may be of.
Out: a Summary as if the cells behind other records had been missing: without their numbers, without their names, and
     without sums that only evidence needs, from which single cells could be told.
"""

from collections.abc import Container, Mapping
from dataclasses import replace

import numpy as np

from suffice.data.levels import Level
from suffice.data.schema import ColumnPlan
from suffice.errors import ParameterError
from suffice.families.counts import Counts
from suffice.families.kinds import family_of
from suffice.families.protocol import recorded
from suffice.model.disclosure import refuse_others, refuse_unknown
from suffice.model.pairs import pair_family
from suffice.model.piece import Piece
from suffice.model.records import pairs_cleared, records
from suffice.model.summary import Summary
from suffice.options import number


def suppressed(summary: Summary, below: float = 5) -> Summary:
    """A `summary` without classes and records of fewer rows than `below`, as if those cells had been missing.

    The names of what was dropped go too, and sums that only evidence needs (Σ ln x! of counts). The result differs from
    a summary of the rows, and says so; nothing can be subtracted from it. It is harder to read single rows from it, not
    impossible: what all rows of a class share stays, and so does the difference to another summary (see `disclosed`).

    Raises
    ------
    ParameterError
        If `summary` is not a Summary, `below` is not above 1, nothing would be left, or it is not known how many rows
        are behind its records (SuppressionError).

    >>> from suffice import collect, disclosed, suppressed
    >>> disclosed(suppressed(collect({"town": ["A"] * 5 + ["B"] * 5 + ["C"]}, ["well"] * 11)))
    No record is of fewer than 3 rows.

    """
    refuse_others(summary)
    least = number(below, "The number of rows below which records are dropped must be above 1", lambda rows: rows > 1)
    refuse_unknown(summary)
    rows = summary.statistics.mass.rows
    assert rows is not None  # or it would have been refused
    enough = np.flatnonzero(rows >= least)
    if not len(enough):
        raise ParameterError(f"No class has {least:g} rows or more, so nothing would be left.")
    schema = replace(summary.schema, suppressed=max(least, summary.schema.suppressed))
    kept = Summary(schema, tuple(summary.classes[k] for k in enough), summary.statistics.only(enough))
    return _nameless(_cleared(_without_twice_told(kept, least), least), summary)


def _without_twice_told(summary: Summary, least: float) -> Summary:
    """Tallies of columns kept as numbers too go, if one of their values is of few rows: the mean would tell it."""
    again = set(summary.schema.tallied) & summary.schema.kept_together
    few = {name for piece in summary.pieces() if piece.block.tallied for name in _few_in(piece, least)}
    return summary.as_numbers(again & few)


def _few_in(piece: Piece, least: float) -> list[str]:
    """Columns of which some record is of few rows."""
    parts = ((name, piece.only([name])) for name in piece.names)
    return [name for name, part in parts if records(part.family, part.statistics, part.names).few(least).any()]


def _cleared(summary: Summary, least: float) -> Summary:
    cleared = summary.with_pieces(_piece_cleared(piece, least) for piece in summary.pieces())
    pairs, family = summary.statistics.pairs, pair_family(summary.schema)
    if pairs is None or family is None:
        return cleared
    there = [recorded(piece.family).there(piece.statistics) for piece in cleared.pieces()]
    fewer = pairs_cleared(family, pairs, there, least)
    return replace(cleared, statistics=replace(cleared.statistics, pairs=fewer))


def _piece_cleared(piece: Piece, least: float) -> Piece:
    own, transform = recorded(piece.family), piece.block.transform
    few = records(piece.family, piece.statistics, piece.names).few(least)
    statistics = own.without(piece.statistics, few)
    if transform is None:
        return replace(piece, statistics=statistics)
    gone = transform.tells | (own.there(statistics) == 0)
    return replace(piece, statistics=statistics, volume=replace(piece.volume.without(gone), low={}))


def _nameless(summary: Summary, whole: Summary) -> Summary:
    """Without the names of what has been dropped: levels, also declared ones, and words."""
    there, lost = _met(summary), {}
    for name, met in _met(whole).items():
        lost[name] = met - there.get(name, set())
    words = {name for name, gone in lost.items() if name in gone and whole.schema.named}
    return _undeclared(_without_words(summary, words), lost).without_empty_levels()


def _met(summary: Summary) -> dict[str, set[Level]]:
    """Of each column whose cells have names, those names that some row has; the name of a word is the column's."""
    found: dict[str, set[Level]] = {}
    for piece in summary.pieces():
        if not (piece.block.coded or piece.block.words):
            continue
        rows = (records(piece.family, piece.statistics, piece.names).rows > 0).sum(axis=0).tolist()
        columns = ((c.name, (c.name,) if c.words else c.levels) for c in piece.block.columns)
        cells = [(name, level) for name, levels in columns for level in levels]
        for (name, level), there in zip(cells, rows, strict=True):
            found.setdefault(name, set()).update([level] if there else [])
    return found


def _without_words(summary: Summary, gone: Container[str]) -> Summary:
    kept = [_some_words(piece, gone) for piece in summary.pieces()]
    names = tuple(name for name in summary.schema.names if name not in gone)
    fewer = summary.with_pieces(piece for piece in kept if piece.block.columns)
    return replace(fewer, schema=replace(fewer.schema, names=names))


def _some_words(piece: Piece, gone: Container[str]) -> Piece:
    if not piece.block.words or not isinstance(piece.statistics, Counts):
        return piece
    kept = [j for j, name in enumerate(piece.names) if name not in gone]
    block = piece.block.take(kept)
    return replace(piece, block=block, family=family_of(block), statistics=piece.statistics.take(kept, [0]))


def _undeclared(summary: Summary, lost: Mapping[str, set[Level]]) -> Summary:
    """Columns that have lost a level that was declared declare none: their lists would name it."""

    def open_to_all(column: ColumnPlan) -> ColumnPlan:
        named = lost.get(column.name, set()).isdisjoint(column.declared)
        return column if named else replace(column, declared=(), closed=False)

    return replace(summary, schema=summary.schema.with_columns(open_to_all))
