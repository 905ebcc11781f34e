"""Stage 1, what is known of a file before it is read: which column holds classes, and what was declared.

In:  a schema, a label, classes and kinds, as far as somebody has said them.
Out: for the columns of a file of text, whether each holds text, numbers, categories or measurements; without it, its
     first cells say so.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from suffice.data.columns import NUMBER, TEXT
from suffice.data.formats import Names, Skip
from suffice.data.kinds import BINARY, CATEGORICAL, IGNORE
from suffice.data.levels import Level
from suffice.data.planning import Kinds, OneKind
from suffice.data.schema import Schema

CATEGORIES, MEASURED = "categories", "measured"  # what a column of text holds, beside TEXT and NUMBER


@dataclass(frozen=True)
class Reading:
    """How files of text are to be read; `schema` is that of the model or summary that they are read for."""

    schema: Schema | None = None
    label: str | None = None
    classes: Iterable[Level] | None = None
    kinds: Kinds = None  # as a user declares them
    skip: Skip | None = None  # what hears of lines that are left out
    encoding: str | None = None
    texts: frozenset[str] = frozenset()  # columns that files read elsewhere have as text

    def wanted(self, names: Names) -> "Wanted":
        """What columns hold, where somebody has said so."""
        known = self._declared(names) | types_of(self.schema)
        levels = {name: _levels(kind) for name, kind in self._kinds(names).items()}
        if self.label is not None:
            levels[self.label] = list(self.classes) if isinstance(self.classes, list | tuple | np.ndarray) else []
            known[self.label] = TEXT if _are_texts(levels[self.label]) else CATEGORIES
        known |= dict.fromkeys(self.texts, TEXT)
        told = {name for name, some in levels.items() if _are_texts(some)}
        return Wanted(known, {name: levels[name] for name in told}, self.label)

    def _kinds(self, names: Names) -> dict[str, OneKind]:
        if isinstance(self.kinds, Mapping):
            return {str(name): kind for name, kind in self.kinds.items()}
        return {} if self.kinds is None else dict.fromkeys(names, self.kinds)

    def _declared(self, names: Names) -> dict[str, str]:
        return {name: _held(kind) for name, kind in self._kinds(names).items() if _kind(kind) != IGNORE}


@dataclass(frozen=True)
class Wanted:
    types: Mapping[str, str]  # TEXT, NUMBER, CATEGORIES or MEASURED, by column
    levels: Mapping[str, list[Level]] = field(default_factory=dict)  # texts that were declared, by column
    label: str | None = None


def types_of(schema: Schema | None) -> dict[str, str]:
    """Of the columns of a schema, which hold text and which numbers, where it says so."""
    columns = schema.columns if schema else ()
    texts = {c.name for c in columns if c.levels and isinstance(c.levels[0], str)}
    open_to_doubt = {c.name for c in columns if c.levels and isinstance(c.levels[0], bool)}
    return {c.name: TEXT if c.name in texts else NUMBER for c in columns if c.name not in open_to_doubt}


def _held(kind: OneKind) -> str:
    if _kind(kind) not in (CATEGORICAL, BINARY):
        return MEASURED
    return TEXT if _are_texts(_levels(kind)) else CATEGORIES


def _kind(given: OneKind) -> str:
    return str(given[0] if isinstance(given, tuple | list) and given else given)


def _levels(given: OneKind) -> list[Level]:
    """Levels that were declared with a kind."""
    several = isinstance(given, tuple | list) and len(given) == 2 and isinstance(given[1], tuple | list)
    return list(given[1]) if several and _kind(given) == CATEGORICAL else []


def _are_texts(levels: list[Level]) -> bool:
    return bool(levels) and all(isinstance(level, str) for level in levels)
