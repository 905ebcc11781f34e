"""Stage 8, what a report must not show: classes of few rows, columns that do not vary within a class, settings.

In:  a fitted classifier, rows left out, a table, the least number of rows that a class is named from.
Out: Hidden: names of such classes and columns, other names in their place; the settings of a model without levels.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from suffice.data.kinds import KINDS
from suffice.data.levels import Level, Levels
from suffice.data.planning import OneKind
from suffice.data.table import Table
from suffice.judge.validation import Validation
from suffice.pages.levels import Reported, plans_of
from suffice.printing.language import say


@dataclass(frozen=True)
class Hidden:
    """Classes that a page does not name, and columns of which it shows no mean: that would be a cell."""

    classes: frozenset[Level]
    columns: frozenset[str]

    @classmethod
    def of(cls, model: Reported, found: Validation, table: Table, below: float) -> "Hidden":
        here = found.labels >= 0
        rows = np.bincount(found.labels[here], minlength=len(found.classes))
        rare = frozenset(name for name, many in zip(found.classes, rows, strict=True) if many < below)
        numbers = (p.name for p in plans_of(model) if not KINDS[p.kind].discrete and p.name in table.names)
        return cls(rare, frozenset(name for name in numbers if _still(table, name, found)))

    def renamed(self, found: Validation) -> Validation:
        """Rows left out, with numbers in the place of names."""
        names: Levels = tuple(
            say("rare class {n}", n=str(k)) if name in self.classes else name
            for k, name in enumerate(found.classes, start=1)
        )
        return replace(found, classes=names) if self.classes else found


def _still(table: Table, name: str, found: Validation) -> bool:
    """Whether the numbers of a column are all the same within some class."""
    cells = table.numbers((name,), slice(0, table.rows))[:, 0]
    there = ~np.isnan(cells) & (found.labels >= 0)
    labels, values = found.labels[there], cells[there]
    least, most = np.full(len(found.classes), np.inf), np.full(len(found.classes), -np.inf)
    np.minimum.at(least, labels, values)
    np.maximum.at(most, labels, values)
    return bool((least == most).any())


class Left:
    """What stands for a setting that may hold cells."""

    def __repr__(self) -> str:
        return "…"


def settings(model: BaseEstimator) -> str:
    """How a model was made, without what may be a cell of the table: levels, classes, tables, the label for unknown."""
    return repr(_without_cells(model))


def _without_cells(model: BaseEstimator) -> BaseEstimator:
    given = {name: _said(value) for name, value in model.get_params(deep=False).items()}
    named = {"unknown": Left()} if given.get("unknown") is not None else {}
    return type(model)(**given | named)


def _said(value: Any) -> Any:
    if isinstance(value, BaseEstimator):
        return _without_cells(value)
    if isinstance(value, Mapping):
        return {name: _kind(kind) for name, kind in value.items()}
    plain = value is None or isinstance(value, str | bool | int | float) or (isinstance(value, tuple) and not value)
    return value if plain else Left()


def _kind(kind: OneKind) -> OneKind | Left:
    """A kind with its numbers, without its levels."""
    if isinstance(kind, tuple):
        return tuple(part if isinstance(part, str | int | float) else Left() for part in kind)
    return kind if isinstance(kind, str) else Left()
