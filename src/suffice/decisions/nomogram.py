"""Stage 4, a whole model on one sheet: for each column, how much each of its values adds to the log odds.

In:  a Joint of columns independent given the class, two classes, and a table that shows the range of its numbers.
Out: Nomogram: a scale for each column, in nats; reading off a row and adding up gives the model's own log odds.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.arrays import Array
from suffice.data.blocks import cut
from suffice.data.kinds import KINDS
from suffice.data.levels import Level, Levels
from suffice.data.schema import ColumnPlan
from suffice.data.table import Table, read_table
from suffice.decisions.explain import explained
from suffice.errors import ParameterError
from suffice.model.joint import Joint
from suffice.printing.description import Description, Series, Sheet
from suffice.printing.language import word
from suffice.printing.numbers import signed
from suffice.printing.printed import Printed

STEPS, MOST_COUNTS = 41, 200
SHOWN = 6  # numbers of a ladder that are printed


@dataclass(frozen=True, eq=False)
class Scale:
    values: Levels  # of the column
    points: Array  # what each adds to the log odds
    ordered: bool  # numbers, with values in between


@dataclass(frozen=True, eq=False, repr=False)
class Nomogram(Printed):
    between: tuple[Level, Level]
    prior: float
    scales: dict[str, Scale]

    def description(self) -> Description:
        """The points of every category and of some numbers; `table()` lists them all."""
        first, second = self.between
        title = word("points of {first} against {second}, in nats", first=first, second=second)
        sheets = [_sheet(name, scale) for name, scale in self.scales.items()]
        return Description((title, word("prior {value}", value=f"{self.prior:+.4f}")), sheets, behind=[self._every()])

    def _every(self) -> Sheet:
        names = [name for name, scale in self.scales.items() for _ in scale.values]
        values = [value for scale in self.scales.values() for value in scale.values]
        points = np.concatenate([scale.points for scale in self.scales.values()])
        return Sheet(word("column"), names, [Series(word("value"), values), Series(word("points"), points, signed)])

    def table(self) -> Any:
        """Column, value and points: every level of a category, and numbers at regular steps."""
        return self.description().behind[0].frame()


def _sheet(name: str, scale: Scale) -> Sheet:
    """One column: its values across, numbers at even distances."""
    places = np.arange(len(scale.values))
    some = np.unique(np.linspace(0, len(places) - 1, SHOWN).astype(int)) if scale.ordered else places
    values = [f"{value:.4g}" if isinstance(value, float) else value for value in (scale.values[i] for i in some)]
    return Sheet(name, values, [Series(word("points"), scale.points[some], signed)], turned=True)


def nomogram_of(joint: Joint, table: Table, between: tuple[Level, Level]) -> Nomogram:
    if not all(part.independent for part in joint.density.parts):
        raise ParameterError(
            "A nomogram needs columns that are independent given the class; some columns of this model are modelled "
            "together."
        )
    cut(table, joint.schema, "ignore")  # which says what the table lacks
    values = {column.name: _values(column, table) for column in joint.schema.columns}
    longest = max(map(len, values.values()))
    sheet = {name: [*some, *[None] * (longest - len(some))] for name, some in values.items()}
    found = explained(joint, read_table(sheet), between, "error", False)
    ordered = {column.name: not column.categorical for column in joint.schema.columns}
    scales = {name: Scale(tuple(some), found.terms[name][: len(some)], ordered[name]) for name, some in values.items()}
    return Nomogram(found.between, found.prior, scales)


def _values(column: ColumnPlan, table: Table) -> list[Level]:
    """All levels of categories, all counts in their range if they are few, or a ladder over the range of a number."""
    if column.categorical:
        return list(column.levels)
    cells = table.numbers([column.name], slice(0, table.rows))[:, 0]
    there = cells[np.isfinite(cells)]
    if not len(there):
        raise ParameterError(
            f"X must show the range of each numeric column, but column '{column.name}' holds no finite number."
        )
    low, high = float(there.min()), float(there.max())
    ladder = np.linspace(low, high, STEPS)
    if KINDS[column.kind].discrete:
        ladder = np.arange(low, high + 1) if high - low < MOST_COUNTS else np.unique(ladder.round())
    return [float(value) for value in ladder]
