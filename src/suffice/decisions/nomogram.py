"""Stage 4, a whole model on one sheet: for each column, how much each of its values adds to the log odds.

In:  a Joint of columns independent given the class, two classes, and a table that shows the range of its numbers.
Out: Nomogram: a scale for each column, in nats; reading off a row and adding up gives the model's own log odds.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.arrays import Array
from suffice.data.schema import BINOMIAL, CATEGORICAL, POISSON, ColumnPlan
from suffice.data.table import Table, read_table
from suffice.decisions.explain import explained
from suffice.errors import ParameterError
from suffice.model.joint import Joint

STEPS = 41


@dataclass(frozen=True, eq=False)
class Scale:
    values: tuple[Any, ...]  # of the column
    points: Array  # what each adds to the log odds
    ordered: bool  # numbers, with values in between


@dataclass(frozen=True, eq=False)
class Nomogram:
    between: tuple[Any, Any]
    prior: float
    scales: dict[str, Scale]


def nomogram_of(joint: Joint, table: Table, between: tuple[Any, Any]) -> Nomogram:
    if not all(part.independent for part in joint.density.parts):
        raise ParameterError("A nomogram needs columns independent given the class; here some are modelled together.")
    values = {column.name: _values(column, table) for column in joint.schema.columns}
    longest = max(map(len, values.values()))
    sheet = {name: [*some, *[None] * (longest - len(some))] for name, some in values.items()}
    found = explained(joint, read_table(sheet), between, "error", False)
    ordered = {column.name: column.kind != CATEGORICAL for column in joint.schema.columns}
    scales = {name: Scale(tuple(some), found.terms[name][: len(some)], ordered[name]) for name, some in values.items()}
    return Nomogram(found.between, found.prior, scales)


def _values(column: ColumnPlan, table: Table) -> list[Any]:
    """All levels of categories, all counts that occur, or a ladder over the range of a number."""
    if column.kind == CATEGORICAL:
        return list(column.levels)
    cells = table.numbers([column.name], slice(0, table.rows))[:, 0]
    low, high = float(np.nanmin(cells)), float(np.nanmax(cells))
    if column.kind in (BINOMIAL, POISSON):
        return [float(value) for value in range(int(low), int(high) + 1)]
    return [float(value) for value in np.linspace(low, high, STEPS)]
