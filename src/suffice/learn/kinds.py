"""Kinds of columns that were declared, against those that a summary was collected with.

In:  kinds as users give them, and a summary.
Out: columns to leave out, and integers of few values to take for categories; or an error, where what was collected
     cannot be modelled so.
"""

from collections.abc import Iterable

from suffice.data.kinds import BINOMIAL, CATEGORICAL, GAUSSIAN, KINDS, Numbers
from suffice.data.planning import Kinds, by_column, declared_levels, read_kind
from suffice.data.schema import ColumnPlan
from suffice.errors import ParameterError
from suffice.model.design import likely_categories
from suffice.model.summary import Summary
from suffice.words import listed


def ignored(kinds: Kinds, summary: Summary) -> frozenset[str]:
    """Columns of a summary that are declared "ignore"; any other kind must be the one they were collected with."""
    plain = isinstance(kinds, str) and kinds in KINDS and not KINDS[kinds].numbers
    if kinds is None or (plain and all(block.kind == kinds for block in summary.schema.blocks)):
        return frozenset()
    names, columns = summary.schema.names, summary.schema.columns
    declared, all_levels = by_column(kinds, names), declared_levels(kinds, names)
    for name, given in declared.items():
        if name not in names:
            raise ParameterError(f"kinds has {{{name!r}: {given!r}}}, but the columns are {listed(names)}.")
        kind, numbers = read_kind(name, given)
        collected_as, levels = [c for c in columns if c.name == name], set(all_levels.get(name, ()))
        fits = any(_collected_so(c, kind, numbers) and levels in (set(), set(c.levels)) for c in collected_as)
        if kind != "ignore" and not fits:
            held = f" of {listed(collected_as[0].levels)}" if levels and collected_as else ""
            kept = f"collected as {collected_as[0].described}{held}" if collected_as else ""
            was = kept or "left out when the rows were collected"
            raise ParameterError(
                f"Column '{name}' was {was} and cannot be modelled as {given!r}. Declare that kind when collecting."
            )
    return frozenset(name for name, kind in declared.items() if kind == "ignore")


def _collected_so(column: ColumnPlan, kind: str, numbers: Numbers) -> bool:
    """Tell whether a column was collected as what it is declared now, its numbers included."""
    if kind == "binary" and column.categorical:
        return len(column.levels) < 3
    if column.tallied:
        return kind in (GAUSSIAN, CATEGORICAL)
    kind = BINOMIAL if kind == "binary" else kind
    return (kind, numbers) == (column.kind, column.numbers)


def categories_of(summary: Summary, kinds: Kinds, numbers: Iterable[str] = ()) -> frozenset[str]:
    """Integers of few values that are taken for categories: those declared so, or of which nothing else is said."""
    tallied = summary.schema.tallied  # no others are in doubt
    declared = {name: kind for name, kind in by_column(kinds, tallied).items() if name in tallied}
    named = {name for name, kind in declared.items() if read_kind(name, kind)[0] == CATEGORICAL}
    return (likely_categories(summary) - {*declared, *numbers}) | named
