"""Stage 8, which levels a report may name, and the model in full without all others.

In:  a fitted classifier, a table, the least number of rows that a level is named from.
Out: Common: the levels of each column of categories that are, the commonest first; a Description without the rest.
"""

from collections.abc import Container, Sequence
from dataclasses import replace

import numpy as np

from suffice.arrays import Values
from suffice.data.levels import Level
from suffice.data.schema import ColumnPlan
from suffice.data.table import Table
from suffice.estimators.calibrated import Calibrated
from suffice.estimators.discriminative import LinearClassifier
from suffice.estimators.generative import GenerativeClassifier
from suffice.printing.description import Description, Name, Sheet, Text
from suffice.printing.language import Word

Reported = GenerativeClassifier | LinearClassifier | Calibrated  # what there are reports of
Common = dict[str, tuple[Level, ...]]


def plans_of(model: Reported) -> tuple[ColumnPlan, ...]:
    """The columns that a model uses."""
    return model.model_.read.columns


def common_levels(model: Reported, table: Table, hide_below: float) -> Common:
    plans = [plan for plan in plans_of(model) if plan.categorical and plan.name in table.names]
    return {plan.name: _common(table, plan.name, hide_below) for plan in plans}


def _common(table: Table, name: str, hide_below: float) -> tuple[Level, ...]:
    found = table.encoded(name)
    counts = np.bincount(found.codes[found.codes >= 0], minlength=len(found.levels))
    return tuple(found.levels[i] for i in np.argsort(-counts, kind="stable") if counts[i] >= hide_below)


def without_rare(
    description: Description, model: Reported, common: Common, classes: Container[Level], columns: Container[str]
) -> Description:
    """What a model says of itself, but for what is headed by a level, class or column that a report must not name."""
    names = {str(name) for name in model.classes_ if name in classes}
    names |= {plan.name for plan in plans_of(model) if plan.name in columns}
    rare = _headings(model, common) | names
    sheets = (part for part in description.parts if not (isinstance(part, Sheet) and _is_about(part.corner, names)))
    parts = [_without(part, rare) if isinstance(part, Sheet) else part for part in sheets]
    return Description(description.title, parts)


def _is_about(corner: Text, names: Container[str]) -> bool:
    """Whether a sheet is of such a column or class."""
    return str(corner.parameters.get("name") if isinstance(corner, Word) else corner) in names


def _headings(model: Reported, common: Common) -> frozenset[str]:
    """How models head what belongs to rare levels: by the level, or by the column and the level."""
    classes = {str(name) for name in model.classes_}
    rare = [
        (plan.name, str(level))
        for plan in plans_of(model)
        if plan.categorical
        for level in set(plan.levels) - set(common.get(plan.name, ()))
    ]
    alone = {level for _, level in rare} - classes
    after = {form.format(name, level) for name, level in rare for form in ("{}={}", "{} = {}")}
    return frozenset(alone | after)


def _without(sheet: Sheet, rare: frozenset[str]) -> Sheet:
    kept = [i for i, stub in enumerate(sheet.stubs) if not _names(stub, rare)]
    series = [
        replace(one, values=_some(one.values, kept), spread=None if one.spread is None else one.spread[kept])
        for one in sheet.series
        if not _names(one.heading, rare)
    ]
    return replace(sheet, stubs=[sheet.stubs[i] for i in kept], series=series, keys=None)


def _names(name: Name, rare: frozenset[str]) -> bool:
    """Whether a name of the user's, or what stands behind a bar in it, is of a rare level."""
    parts = () if isinstance(name, Word) else str(name).split(" | ")
    return any(" | ".join(some) in rare for i in range(len(parts)) for some in (parts[i:], parts[: i + 1]))


def _some(values: Values | Sequence[Name], kept: list[int]) -> Values | list[Name]:
    return values[kept] if isinstance(values, np.ndarray) else [values[i] for i in kept]
