"""Stage 1, the plan: which kind each column of a table is.

In:  a Table and what the user declared.
Out: Schema. Kinds that are not declared follow from the type of the column, so that every batch of a table gets the
     same schema; whole numbers of few values are tallied while they are few, and what they are is decided when all
     rows are in.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np

from suffice.data.columns import BOOLEAN, EMPTY, INTEGER, NUMBER, OTHER, TEMPORAL, TEXT
from suffice.data.hints import few_values, hint_at_texts, hints
from suffice.data.kinds import (
    BINARY,
    BINOMIAL,
    CATEGORICAL,
    COUNTS,
    GAUSSIAN,
    IGNORE,
    JOINT,
    KINDS,
    TALLIED,
    Chosen,
    Numbers,
    declarable,
    examples,
)
from suffice.data.levels import Levels, missing, plain, union
from suffice.data.schema import BlockPlan, ColumnPlan, Schema, words
from suffice.data.table import Table
from suffice.errors import KindError, ParameterError, TableError
from suffice.options import several, shown
from suffice.words import listed

GROUPED = {JOINT: GAUSSIAN, COUNTS: COUNTS}  # what each column of a group is by itself
NATURAL = {TEXT: CATEGORICAL, BOOLEAN: CATEGORICAL, NUMBER: GAUSSIAN, INTEGER: GAUSSIAN, EMPTY: GAUSSIAN}

OneKind = str | Sequence[Any]
Kinds = (
    OneKind | Mapping[str, OneKind] | None
)  # what the user declares: one kind, ("binomial", 10), ("categorical", ["a", "b"]), or {column: kind}
Groups = Sequence[Sequence[str]]


def plan(
    table: Table, kinds: Kinds = None, joint: Groups = (), counts: Groups = (), *, tallied: bool = False
) -> Schema:
    """The schema of a table: declared kinds first, the rest by the type of the column.

    `tallied` says that whole numbers of few values are counted by value, for a model that may take them for categories.
    """
    joint, counts = grouped(joint), grouped(counts)
    every = isinstance(kinds, str) and kinds == COUNTS and not (joint or counts)
    if every and table.matrix is not None:
        return Schema((words(table.names),), table.names, table.named)
    declared = _declared(table, kinds, joint, counts)
    few = few_values(table, [name for name in table.names if name not in declared]) if tallied else {}
    alone: dict[str, list[ColumnPlan]] = {}
    for name in table.names:
        kind, numbers = declared.get(name, (None, ()))
        if kind not in (IGNORE, JOINT, COUNTS):
            column = _column(table, name, kind, numbers) if kind else _inferred(table, name, few.get(name))
            alone.setdefault(column.kind, []).append(column)
    groups = [(JOINT, tuple(group)) for group in joint] + [(COUNTS, tuple(group)) for group in counts]
    loose = tuple(name for name, (kind, _) in declared.items() if kind == COUNTS and not any(name in g for g in counts))
    groups += [(COUNTS, loose)] if loose else []
    blocks = [BlockPlan(kind, tuple(columns)) for kind, columns in alone.items()]
    blocks += [BlockPlan(kind, tuple(ColumnPlan(name, GROUPED[kind]) for name in names)) for kind, names in groups]
    found = hints(table, [name for name in table.names if name not in declared], few)
    found += tuple(
        hint
        for c in alone.get(CATEGORICAL, ())
        if c.name not in declared
        for hint in hint_at_texts(table, c.name, c.levels)
    )
    schema = Schema(tuple(blocks), table.names, table.named, every and table.named, hints=found)
    given = declared_levels(kinds, table.names)
    return (
        schema.with_columns(lambda c: _levelled(c, table, given[c.name]) if c.name in given else c) if given else schema
    )


def grouped(given: Any) -> tuple[tuple[str, ...], ...]:
    """Groups of columns, by their names as text."""
    groups = several(() if given is None else given)
    members = [several(group) for group in groups or ()]
    if groups is None or not all(members):
        raise ParameterError(
            f"joint and counts must be lists of groups of columns, such as [['a', 'b']]; found {shown(given)}."
        )
    return tuple(tuple(str(name) for name in group) for group in members if group)


def _declared(table: Table, kinds: Kinds, joint: Groups, counts: Groups) -> dict[str, tuple[str, Numbers]]:
    given = by_column(kinds, table.names)
    grouped = [(str(name), kind) for kind, groups in ((JOINT, joint), (COUNTS, counts)) for g in groups for name in g]
    unknown = sorted({str(name) for name in [*given, *(name for name, _ in grouped)]} - set(table.names))
    if unknown:
        raise ParameterError(
            f"There is no column {', '.join(map(repr, unknown))}; the table has {listed(table.names)}."
        )
    out = {str(name): read_kind(str(name), kind) for name, kind in given.items()}
    mentions = Counter(name for name, _ in grouped)
    for name, kind in grouped:
        if (name in out and isinstance(kinds, Mapping)) or mentions[name] > 1:
            raise ParameterError(f"Column '{name}' is named twice; name it only once among kinds, joint and counts.")
        out[name] = (kind, ())
    for name, (kind, _) in out.items():
        _refuse_misfit(name, kind, table.type(name))
    return out


def by_column(kinds: Kinds, names: Sequence[str]) -> dict[str, Any]:
    """The kinds that were declared, by column: one of all columns, or a dict."""
    several = isinstance(kinds, tuple | list) and any(isinstance(part, str) for part in kinds[1:])
    if several or not isinstance(kinds, str | tuple | list | Mapping | None):
        raise ParameterError(
            f"kinds must be one kind for all columns, such as 'poisson' or ('binomial', 10), or a dict {{column: "
            f"kind}}; found {kinds!r}."
        )
    every = kinds if isinstance(kinds, Mapping) else {} if kinds is None else dict.fromkeys(names, kinds)
    return {str(name): kind for name, kind in every.items()}


def read_kind(name: str, given: Any) -> tuple[str, Numbers]:
    """The kind declared for a column, and the numbers that come with it."""
    kind, *numbers = given if isinstance(given, tuple | list) and given else (given,)
    if not isinstance(kind, str) or kind not in declarable():
        raise ParameterError(
            f"Column '{name}' is declared {given!r}; a kind is one of {', '.join(declarable())}, and some take a "
            f"number: {examples()}."
        )
    if kind == CATEGORICAL and numbers:  # its levels
        return kind, ()
    if kind in (BINARY, IGNORE):
        return kind, (1,) * (kind == BINARY)
    return kind, KINDS[kind].read(name, tuple(numbers))


def declared_levels(kinds: Kinds, names: Sequence[str]) -> dict[str, Levels]:
    """All values that some columns can have, met or not: ("categorical", [...])."""
    given = by_column(kinds, names).items()
    return {name: _levels(name, kind) for name, kind in given if isinstance(kind, tuple | list) and _levels_of(kind)}


def _levels_of(kind: Sequence[Any]) -> bool:
    return len(kind) > 1 and isinstance(kind[0], str) and kind[0] == CATEGORICAL


def _levels(name: str, kind: Sequence[Any]) -> Levels:
    expected = f"Column '{name}': categorical takes a list of all its values, ('categorical', ['a', 'b'])"
    values = several(kind[1]) if len(kind) == 2 and not isinstance(kind[1], Mapping) else None
    levels = [plain(value) for value in values or ()]
    if not levels or not all(isinstance(level, str | Real) and not missing(level) for level in levels):
        raise ParameterError(f"{expected}; found {shown(kind)}.")
    return union(levels, ())


def _levelled(column: ColumnPlan, table: Table, declared: Levels) -> ColumnPlan:
    """A column with the levels that were declared, which all that are met must be among."""
    found = table.encoded(column.name)
    met = tuple(found.levels[code] for code in np.unique(found.codes) if code >= 0)
    replace(column, levels=met, declared=declared, closed=True)  # which refuses others
    return replace(column, levels=declared, declared=declared, closed=True)


def _refuse_misfit(name: str, kind: str, found: str) -> None:
    if found in TEMPORAL and kind != IGNORE:
        raise KindError(
            f"Column '{name}' holds {found} and cannot be {kind}. {TEMPORAL[found]}, or declare it 'ignore'."
        )
    if found == TEXT and kind not in (IGNORE, CATEGORICAL, BINARY):
        raise KindError(
            f"Column '{name}' holds text and cannot be {kind}. Convert it to numbers, declare it categorical, or "
            "declare it 'ignore'."
        )


def _inferred(table: Table, name: str, few: Levels | None) -> ColumnPlan:
    found = table.type(name)
    if found in TEMPORAL:
        raise KindError(f"Column '{name}' holds {found}. {TEMPORAL[found]}, or declare it 'ignore'.")
    if found == OTHER:
        table.encoded(name)  # which says what is wrong
    return _column(table, name, NATURAL[found], ()) if few is None else ColumnPlan(name, TALLIED, few)


def _column(table: Table, name: str, kind: str, numbers: Numbers) -> ColumnPlan:
    """Levels are looked up here; a binary column of text is categorical with two of them."""
    if kind == BINARY and table.type(name) != TEXT:
        return ColumnPlan(name, BINOMIAL, numbers=(1,))
    if kind not in (CATEGORICAL, BINARY):
        return ColumnPlan(name, str(kind), numbers=numbers, chosen=isinstance(kind, Chosen))
    levels, declared = table.levels(name)
    return ColumnPlan(name, CATEGORICAL, levels, declared=levels if declared else (), binary=kind == BINARY)


def like(schema: Schema, table: Table) -> Schema:
    """The schema of another table of the same columns: the kinds stay, the levels are its own."""
    if schema.open and table.named:
        return plan(table, COUNTS)
    new = schema.new(table.names) if table.names != schema.names else []
    if new:
        raise TableError(
            f"The table has {listed(new)}, which earlier rows did not have. Leave such columns out, or fit all rows "
            "again; only words may be new (named columns with kinds='counts')."
        )
    tallied = [name for name in schema.tallied if name in table.names]
    few = few_values(table, tallied)
    schema = schema.as_numbers(set(tallied) - few.keys())
    return schema.with_columns(lambda column: _relevelled(column, table, few))


def _relevelled(column: ColumnPlan, table: Table, few: Mapping[str, Levels]) -> ColumnPlan:
    if column.tallied:
        return replace(column, levels=few.get(column.name, column.levels))
    if not column.categorical or column.name not in table.names:
        return column
    if column.closed:
        return _levelled(column, table, column.declared)
    levels, declared = table.levels(column.name)
    return replace(column, levels=levels, declared=levels if declared else ())
