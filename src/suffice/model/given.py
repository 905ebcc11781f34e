"""Stage 3, models that nobody has learned: parameters as a text states them, by class and column.

In:  tables as a fitted model prints them; the kinds of columns where tables leave them open.
Out: Joint. There are no rows behind it, so nothing can be added to it or left out of it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from suffice.arrays import Array, Codes
from suffice.data.frames import read_frame
from suffice.data.kinds import BINARY, BINOMIAL, CATEGORICAL, COUNTS, EXPONENTIAL, GAUSSIAN, IGNORE, JOINT, POISSON
from suffice.data.levels import Level, Levels, plain, union
from suffice.data.planning import Kinds, by_column, declared_levels, grouped, read_kind
from suffice.data.schema import BlockPlan, ColumnPlan, Schema
from suffice.errors import ParameterError
from suffice.families.gaussian.densities import CORRELATION
from suffice.families.kinds import family_of
from suffice.families.product import ProductDensity
from suffice.families.protocol import Parametric, Statistics, Tables
from suffice.model.joint import Joint
from suffice.model.rules import prevalence
from suffice.options import numbers, several, shown
from suffice.words import listed

GIVEN = "given"  # the estimate of parameters that were not estimated
SUCCESSES = frozenset({"success", "failure"})
BY_HEADINGS = {  # what a column is whose kind nobody declares
    frozenset({"mean", "sd"}): GAUSSIAN,
    SUCCESSES: BINARY,
    frozenset({"rate"}): POISSON,
    frozenset({"rate", "mean"}): EXPONENTIAL,
}
TRUTH = {"False": False, "True": True}

Entries = dict[Any, Any]  # a table as it was handed in: heading → cells


def joint_of_tables(tables: Any, noun: str, share: str, kinds: Kinds, joint: Any) -> Joint:
    """The model whose tables these are; the rows of each are classes or components, whichever the noun is."""
    read, names, shares = _read(tables, noun, share)
    blocks, ignored = _blocks(read, kinds)
    _refuse_other_groups(blocks, joint)
    columns = tuple(name for block in blocks for name in block.names)
    told = (name for title in read for name in columns if _titled(title, name, blocks))
    order = tuple(dict.fromkeys([*told, *ignored]))
    unnamed = tuple(f"x{j}" for j in range(len(order)))  # the columns of an array, which go by position
    named = set(order) != set(unnamed)
    schema = Schema(tuple(blocks), order if named else unnamed, named)
    density = ProductDensity(tuple(_density(block, read) for block in blocks))
    return Joint(schema, names, prevalence(np.ones(len(names)), names, shares, 0.0, share), density, GIVEN)


def _read(tables: Any, noun: str, share: str) -> tuple[Tables, Levels, Array]:
    """Tables of numbers by title, rows in the order of the classes, and how common those are."""
    if not isinstance(tables, Mapping) or not tables:
        raise ParameterError(f"tables must be as tables() gives them, {{title: table}}; found {shown(tables)}.")
    plain_tables = {str(title): _columns(title, table) for title, table in tables.items()}
    if not all(plain_tables.values()):
        raise ParameterError(f"Every table needs headings; some of {listed(list(plain_tables))} have none.")
    head = next((title for title, table in plain_tables.items() if share in table), None)
    stub = next((h for h in plain_tables[head] if str(h).rstrip("_") == noun), None) if head is not None else None
    if head is None or stub is None:
        raise ParameterError(
            f"One of the tables must say how common each {noun} is, "
            f"{{{noun!r}: {{{noun!r}: [names], {share!r}: [...]}}}}; found the tables {listed(list(plain_tables))}."
        )
    given = [plain(name) for name in plain_tables[head][stub]]
    names = union(given, ())
    if len(names) < len(given):
        raise ParameterError(f"Each {noun} must have just one row in the tables; found {given}.")
    order = np.array([given.index(name) for name in names], dtype=np.intp)
    rest = {title: table for title, table in plain_tables.items() if title != head}
    out = {title: _numbers(title, _without_stub(table, noun, given), order) for title, table in rest.items()}
    return out, names, _numbers(head, {share: plain_tables[head][share]}, order)[share]


def _columns(title: Any, table: Any) -> Entries:
    frame = None if isinstance(table, Mapping) else read_frame(table)
    if frame is not None:
        return {name: frame[name].to_list() for name in frame.columns}
    if not isinstance(table, Mapping):
        raise ParameterError(f"Table {title!r} must be a data frame or {{heading: numbers}}; found {shown(table)}.")
    return {heading: list(several(cells) or ()) for heading, cells in table.items()}


def _without_stub(table: Entries, noun: str, names: list[Any]) -> Entries:
    """A table without the names of its rows, which must be those of the first."""
    first = next(iter(table), None)
    if first is None or str(first).rstrip("_") != noun:
        return table
    if [plain(name) for name in table[first]] != names:
        raise ParameterError(f"All tables must have the same rows, {names}; one has {list(table[first])}.")
    return {heading: cells for heading, cells in table.items() if heading != first}


def _numbers(title: str, table: Entries, order: Codes) -> dict[str, Array]:
    found = {str(heading): numbers(cells, f"Table {title!r}, {heading!r}") for heading, cells in table.items()}
    for heading, cells in found.items():
        if cells.shape != order.shape or np.isnan(cells).any():
            raise ParameterError(f"Table {title!r} needs {len(order)} numbers under {heading!r}; found {shown(cells)}.")
    return {heading: cells[order] for heading, cells in found.items()}


# which kind each column is


def _blocks(tables: Tables, kinds: Kinds) -> tuple[list[BlockPlan], list[str]]:
    """Kinds that are declared first; of what is left, by the headings. And the columns that are not modelled."""
    every = isinstance(kinds, str) and kinds == COUNTS
    words = [word for table in tables.values() for word in table] if every else list(tables)
    given, levels = by_column(kinds, words), declared_levels(kinds, words)
    alone: dict[str, list[ColumnPlan]] = {}
    read = {name: read_kind(name, declared) for name, declared in given.items()}
    ignored = [name for name, (kind, _) in read.items() if kind == IGNORE]
    spoken_for = set(ignored)
    for name, (kind, known) in read.items():
        if kind == IGNORE:
            continue
        column = _column(name, kind, known, levels.get(name, ()), tables)
        alone.setdefault(column.kind, []).append(column)
        spoken_for.update(_titles(BlockPlan(column.kind, (column,))))
    if COUNTS in alone:
        spoken_for.add(", ".join(column.name for column in alone[COUNTS]))
    together = {title: _together(table) for title, table in tables.items() if title not in spoken_for}
    spoken_for |= {f"{CORRELATION}{title}" for title, members in together.items() if members}
    groups = []
    for title, table in tables.items():
        if title in spoken_for:
            continue
        if together[title]:
            groups.append(BlockPlan(JOINT, tuple(ColumnPlan(name, GAUSSIAN) for name in together[title])))
        elif len(table) > 1 and title == ", ".join(table):  # a row of counts is named by its words
            groups.append(BlockPlan(COUNTS, tuple(ColumnPlan(word, COUNTS) for word in table)))
        else:
            column = _column(title, BY_HEADINGS.get(frozenset(table), CATEGORICAL), (), (), tables)
            alone.setdefault(column.kind, []).append(column)
    return [*(BlockPlan(kind, tuple(columns)) for kind, columns in alone.items()), *groups], ignored


def _together(table: Mapping[str, Array]) -> list[str]:
    """The columns that a table has as jointly Gaussian."""
    return [heading.removeprefix("mean ") for heading in table if heading.startswith("mean ")]


def _column(name: str, kind: str, known: Any, levels: Levels, tables: Tables) -> ColumnPlan:
    if kind == BINARY and set(tables.get(name, SUCCESSES)) == SUCCESSES:  # else two texts, as categories
        return ColumnPlan(name, BINOMIAL, numbers=(1,))
    if kind not in (BINARY, CATEGORICAL):
        return ColumnPlan(name, kind, numbers=known)
    if name not in tables:
        raise ParameterError(f"kinds says that '{name}' is categorical, but there is no table with that title.")
    levels = levels or union(_levels(list(tables[name])), ())
    return ColumnPlan(name, CATEGORICAL, levels, declared=levels)


def _levels(headings: list[str]) -> list[Level]:
    """Headings are text; truth values and numbers are read as what they spell."""
    if set(headings) <= set(TRUTH):
        return [TRUTH[heading] for heading in headings]
    spelled = [_spelled(heading) for heading in headings]
    found = [value for value in spelled if value is not None]
    return list(found if len(found) == len(headings) else headings)


def _spelled(heading: str) -> int | float | None:
    """The number whose text this is."""
    try:
        value = float(heading)
    except ValueError:
        return None
    if not np.isfinite(value):
        return None
    exact = int(heading) if heading.removeprefix("-").isdecimal() else value
    return exact if str(exact) == heading else None


def _titled(title: str, name: str, blocks: Sequence[BlockPlan]) -> bool:
    """Whether a table is about that column."""
    block = next(block for block in blocks if name in block.names)
    if block.crosswise:
        return title == ", ".join(block.names)
    return title in _titles(block if block.together else block.take([block.names.index(name)]))


def _titles(block: BlockPlan) -> list[str]:
    """Of the tables of its densities."""
    return family_of(block).titles(block.titles)


def _density(block: BlockPlan, tables: Tables) -> Parametric[Statistics]:
    try:
        return family_of(block).from_tables(tables, block.titles)
    except KeyError as error:
        raise ParameterError(
            f"The tables lack {error.args[0]!r}, which {listed(block.names)} ({block.columns[0].described}) "
            "needs. Add it, or declare another kind."
        ) from None


def _refuse_other_groups(blocks: Sequence[BlockPlan], joint: Any) -> None:
    found = {frozenset(block.names) for block in blocks if block.crosswise}
    wanted = {frozenset(group) for group in grouped(joint)}
    if wanted and wanted != found:
        raise ParameterError(
            f"joint names {sorted(map(sorted, wanted))}, but the tables have {sorted(map(sorted, found))} together. It "
            "takes a table with 'mean a', 'sd a', 'mean b', … and one titled 'correlation of a, b'."
        )
