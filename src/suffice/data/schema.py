"""Stage 1, the plan: which kind each column is, which levels it has, and which columns are modelled together.

In:  a Table and what the user declared.
Out: Schema, an immutable description that two summaries can compare, merge and store. Kinds that are not declared
     follow from the type of the column alone, so that every batch of a table gets the same schema.
"""

from collections import Counter
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from numbers import Integral
from typing import Any

import numpy as np

from suffice.data.columns import BOOLEAN, EMPTY, INTEGER, NUMBER, OTHER, TEMPORAL, TEXT
from suffice.data.hints import Hint, hint_at_texts, hints, listed
from suffice.data.levels import union
from suffice.data.table import Table
from suffice.errors import FileError, KindError, ParameterError, TableError
from suffice.lazy import lazy
from suffice.options import shown

GAUSSIAN, CATEGORICAL, BINOMIAL, POISSON, EXPONENTIAL = "gaussian", "categorical", "binomial", "poisson", "exponential"
JOINT, COUNTS, LOG_GAUSSIAN = "joint", "counts", "log-gaussian"
DECLARABLE = (GAUSSIAN, LOG_GAUSSIAN, CATEGORICAL, "binary", BINOMIAL, POISSON, EXPONENTIAL, COUNTS, "ignore")
NATURAL = {TEXT: CATEGORICAL, BOOLEAN: CATEGORICAL, NUMBER: GAUSSIAN, INTEGER: GAUSSIAN, EMPTY: GAUSSIAN}

Kind = str | tuple[str, int]
Kinds = Kind | Mapping[str, Kind] | None
Groups = Sequence[Sequence[str]]


@dataclass(frozen=True)
class ColumnPlan:
    name: str
    kind: str
    levels: tuple[Any, ...] = ()  # categorical: what its codes stand for
    trials: int = 1  # binomial: the number known beforehand
    declared: bool = False  # categorical: whether the levels come from the type of the column, met or not
    binary: bool = False  # categorical: whether it may have two levels at most, in whatever rows come

    def __post_init__(self) -> None:
        if self.binary and len(self.levels) > 2:
            raise KindError(
                f"Column '{self.name}' is declared binary but holds {len(self.levels)} values: {listed(self.levels)}. "
                "Declare it categorical, or map its values to two."
            )

    @property
    def modelled(self) -> str:
        """The name of what is modelled: the column, or its logarithm."""
        return f"ln {self.name}" if self.kind == LOG_GAUSSIAN else self.name

    @property
    def described(self) -> str:
        if self.kind == LOG_GAUSSIAN:
            return "Gaussian after ln"
        if self.kind == BINOMIAL:
            return "binary" if self.trials == 1 else f"binomial out of {self.trials}"
        return self.kind


@dataclass(frozen=True)
class BlockPlan:
    """Columns that one family models: independent ones of a kind, or a group modelled together."""

    kind: str
    columns: tuple[ColumnPlan, ...]

    @lazy
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @property
    def modelled(self) -> tuple[str, ...]:
        return tuple(column.modelled for column in self.columns)

    @property
    def together(self) -> bool:
        return self.kind in (JOINT, COUNTS)

    def take(self, columns: Sequence[int]) -> "BlockPlan":
        return BlockPlan(self.kind, tuple(self.columns[j] for j in columns))


@dataclass(frozen=True)
class Schema:
    blocks: tuple[BlockPlan, ...]
    names: tuple[str, ...] = ()  # all columns of the table, also those that no block models
    named: bool = True  # whether the names are the user's own
    open: bool = False  # whether every column is a word of one row of counts, so that a new one is a new word
    hints: tuple[Hint, ...] = field(default=(), compare=False, repr=False)  # doubts about kinds, for whoever made it

    @property
    def columns(self) -> tuple[ColumnPlan, ...]:
        return tuple(column for block in self.blocks for column in block.columns)

    def apart(self, title: str, block: BlockPlan, taken: Container[str]) -> str:
        """A title for something about a block: a column's own name, or one that is no other column's and not taken."""
        own = {column.name for column in self.columns}
        return title if title in block.names else free(title, lambda name: name in own or name in taken)

    def with_columns(self, change: Callable[[ColumnPlan], ColumnPlan]) -> "Schema":
        blocks = (replace(block, columns=tuple(map(change, block.columns))) for block in self.blocks)
        return replace(self, blocks=tuple(blocks))

    def union(self, other: "Schema") -> "Schema":
        """The schema of rows of both: the same columns and kinds, all levels of either, all words if it is open."""
        if self.blocks == other.blocks:
            return self
        if self.open and other.open:
            names = (*self.names, *self._new(other.names))
            return replace(self, blocks=(_words(names),), names=names)
        mine, theirs = ({(c.name, c.kind, c.trials) for c in schema.columns} for schema in (self, other))
        odd = sorted({name for name, _, _ in mine ^ theirs})
        odd = odd or sorted({name for _, names in self.outline ^ other.outline for name, _ in names})
        if odd:
            raise KindError(
                f"Only summaries of the same columns and kinds can be put together; these differ in {', '.join(odd)}. "
                "Declare the kinds of both alike."
            )
        named = {column.name: column for column in other.columns}
        return self.with_columns(lambda column: _with_levels(column, named[column.name]))

    def of(self, table: Table) -> "Schema":
        """The schema of another table of the same columns: the kinds stay, the levels are its own."""
        if self.open and table.named:
            return plan(table, COUNTS)
        self._refuse_new(table)
        return self.with_columns(lambda column: _relevelled(column, table))

    def _new(self, names: Sequence[str]) -> list[str]:
        mine = set(self.names)
        return [name for name in names if name not in mine]

    def _refuse_new(self, table: Table) -> None:
        names = self._new(table.names) if table.names != self.names else []
        if names:
            raise TableError(
                f"The table has {listed(names)}, which the rows before it had not. Leave such columns out, or fit all "
                "rows anew; only words may be new, where kinds='counts' and the columns have names."
            )

    def plain(self) -> dict[str, Any]:
        """As plain data, for a file."""
        blocks = [{"kind": block.kind, "columns": [vars(column) for column in block.columns]} for block in self.blocks]
        return {"blocks": blocks, "names": list(self.names), "named": self.named, "open": self.open}

    @classmethod
    def from_plain(cls, data: dict[str, Any]) -> "Schema":
        blocks = tuple(
            BlockPlan(block["kind"], tuple(ColumnPlan(**c | {"levels": tuple(c["levels"])}) for c in block["columns"]))
            for block in data["blocks"]
        )
        schema = cls(blocks, tuple(data["names"]), bool(data["named"]), bool(data["open"]))
        columns = [column.name for column in schema.columns]
        if not all(map(_possible, schema.columns)) or not all(isinstance(name, str) for name in schema.names):
            raise FileError("The file's schema has a column that cannot be.")
        if len(set(columns)) != len(columns) or not set(columns) <= set(schema.names):
            raise FileError("The columns of the file's schema are not each there once.")
        if any(list(column.levels) != list(union(column.levels, ())) for column in schema.columns):
            raise FileError("The levels of the file's schema are not in order.")
        return schema

    @property
    def outline(self) -> set[tuple[str, frozenset[tuple[str, int]]]]:
        """What must agree before summaries can be put together."""
        return {(block.kind, frozenset((c.name, c.trials) for c in block.columns)) for block in self.blocks}


def _possible(column: ColumnPlan) -> bool:
    return column.kind in (*DECLARABLE, JOINT) and type(column.trials) is int and column.trials >= 1


def _relevelled(column: ColumnPlan, table: Table) -> ColumnPlan:
    there = column.kind == CATEGORICAL and column.name in table.names
    if not there:
        return column
    levels, declared = table.levels(column.name)
    return replace(column, levels=levels, declared=declared)


def _with_levels(column: ColumnPlan, other: ColumnPlan) -> ColumnPlan:
    levels = column.levels if column.levels == other.levels else union(column.levels, other.levels)
    declared, binary = column.declared or other.declared, column.binary or other.binary
    return replace(column, levels=levels, declared=declared, binary=binary)


def plan(table: Table, kinds: Kinds = None, joint: Groups = (), counts: Groups = ()) -> Schema:
    """The schema of a table: declared kinds first, the rest by the type of the column."""
    joint, counts = grouped(joint), grouped(counts)
    words = isinstance(kinds, str) and kinds == COUNTS and not (joint or counts)
    if words and table.matrix is not None:
        return Schema((_words(table.names),), table.names, table.named)
    declared = _declared(table, kinds, joint, counts)
    alone: dict[str, list[ColumnPlan]] = {}
    for name in table.names:
        kind, trials = declared.get(name) or _inferred(table, name)
        if kind not in ("ignore", JOINT, COUNTS):
            column = _column(table, name, kind, trials)
            alone.setdefault(column.kind, []).append(column)
    groups = [(JOINT, tuple(group)) for group in joint] + [(COUNTS, tuple(group)) for group in counts]
    loose = tuple(name for name, (kind, _) in declared.items() if kind == COUNTS and not any(name in g for g in counts))
    groups += [(COUNTS, loose)] if loose else []
    blocks = [BlockPlan(kind, tuple(columns)) for kind, columns in alone.items()]
    blocks += [BlockPlan(kind, tuple(ColumnPlan(name, kind) for name in names)) for kind, names in groups]
    found = hints(table, [name for name in table.names if name not in declared])
    found += tuple(h for c in alone.get(CATEGORICAL, ()) for h in hint_at_texts(table, c.name, len(c.levels)))
    return Schema(tuple(blocks), table.names, table.named, words and table.named, found)


@lru_cache(maxsize=8)
def _words(names: tuple[str, ...]) -> BlockPlan:
    """One row of counts over all columns, of which there may be very many."""
    return BlockPlan(COUNTS, tuple(ColumnPlan(name, COUNTS) for name in names))


def grouped(given: Any) -> tuple[tuple[str, ...], ...]:
    """Groups of columns, by their names as text."""
    listed = given is not None and not isinstance(given, str) and np.iterable(given)
    groups = tuple(given) if listed else ()
    if not (listed or given is None) or any(
        isinstance(group, str) or not np.iterable(group) or not list(group) for group in groups
    ):
        raise ParameterError(
            f"joint and counts are lists of groups of columns, such as [['a', 'b']]; found {shown(given)}."
        )
    return tuple(tuple(str(name) for name in group) for group in groups)


def _declared(table: Table, kinds: Kinds, joint: Groups, counts: Groups) -> dict[str, tuple[str, int]]:
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
            raise ParameterError(f"Column '{name}' is spoken for twice; name it once among kinds, joint and counts.")
        out[name] = (kind, 1)
    for name, (kind, _) in out.items():
        _refuse_misfit(name, kind, table.type(name))
    return out


def by_column(kinds: Any, names: Sequence[str]) -> dict[str, Any]:
    """The kinds that were declared, by column: one of all columns, or a dict."""
    if not isinstance(kinds, str | tuple | list | Mapping | None):
        raise ParameterError(
            f"kinds is one kind for all columns, such as 'poisson' or ('binomial', 10), or a dict {{column: kind}}; "
            f"found {kinds!r}."
        )
    every = kinds if isinstance(kinds, Mapping) else {} if kinds is None else dict.fromkeys(names, kinds)
    return {str(name): kind for name, kind in every.items()}


def read_kind(name: str, given: Any) -> tuple[str, int]:
    """The kind declared for a column, and the number that comes with it."""
    pair = isinstance(given, tuple | list) and len(given) == 2 and isinstance(given[0], str)
    pair = pair and given[0] == BINOMIAL
    kind, trials = (given[0], given[1]) if pair else (given, 1)
    known = pair or (isinstance(given, str) and kind in DECLARABLE and kind != BINOMIAL)
    if not known or not isinstance(trials, Integral) or trials < 1:
        raise ParameterError(
            f"Column '{name}' is declared {given!r}; a kind is one of {', '.join(DECLARABLE)}, "
            "and binomial takes its number of trials: ('binomial', 10)."
        )
    return str(kind), int(trials)


def _refuse_misfit(name: str, kind: str, found: str) -> None:
    if found in TEMPORAL and kind != "ignore":
        raise KindError(
            f"Column '{name}' holds {found} and cannot be {kind}. {TEMPORAL[found]}, or declare it 'ignore'."
        )
    if found == TEXT and kind not in ("ignore", CATEGORICAL, "binary"):
        raise KindError(
            f"Column '{name}' holds text and cannot be {kind}. Convert it to numbers, declare it categorical, or "
            "declare it 'ignore'."
        )


def _inferred(table: Table, name: str) -> tuple[str, int]:
    found = table.type(name)
    if found in TEMPORAL:
        raise KindError(f"Column '{name}' holds {found}. {TEMPORAL[found]}, or declare it 'ignore'.")
    if found == OTHER:
        table.encoded(name)  # which says what is wrong
    return NATURAL[found], 1


def _column(table: Table, name: str, kind: str, trials: int) -> ColumnPlan:
    """Levels are looked up here; a binary column of text is categorical with two of them."""
    if kind == "binary" and table.type(name) != TEXT:
        return ColumnPlan(name, BINOMIAL)
    if kind not in (CATEGORICAL, "binary"):
        return ColumnPlan(name, kind, trials=trials)
    levels, declared = table.levels(name)
    return ColumnPlan(name, CATEGORICAL, levels, declared=declared, binary=kind == "binary")


def free(name: str, taken: Callable[[str], bool]) -> str:
    """A name of ours that is not one of the user's own."""
    return free(name + "_", taken) if taken(name) else name
