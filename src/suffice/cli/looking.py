"""What is in a table, before any model: kinds as they would be inferred, missing cells, values, classes.

In:  all rows, and the name of the column of classes, if there is one.
Out: Look, which prints and says the same as JSON.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from suffice.data.hints import tell
from suffice.data.kinds import CATEGORICAL, GAUSSIAN, TALLIED, come_back
from suffice.data.planning import plan
from suffice.data.schema import ColumnPlan, Schema
from suffice.data.table import Table, read_table
from suffice.printing.description import Description, Series, Sheet, sizes
from suffice.printing.language import word, worded
from suffice.printing.numbers import amount
from suffice.printing.printed import Printed

if TYPE_CHECKING:
    import pyarrow as pa

SHOWN = 5  # values that are named


@dataclass(frozen=True, eq=False, repr=False)
class Look(Printed):
    """Columns with their kinds, missing cells and values; classes with their rows."""

    cells: Table
    schema: Schema
    classes: dict[str, int]

    def description(self) -> Description:
        names = self.cells.names
        found = [self._values(name) for name in names]
        kinds = {c.name: self._kind(c) for c in self.schema.columns}
        series = [
            Series(
                word("kind"),
                [worded(kinds.get(name, "ignored")) for name in names],
            ),
            Series(word("missing"), np.array([missing for missing, _, _ in found]), amount),
            Series(word("distinct"), np.array([many for _, many, _ in found]), amount),
            Series(word("values"), [shown for _, _, shown in found]),
        ]
        parts = [Sheet(word("column"), names, series, most=len(names))]
        if self.classes:
            counts = Series(word("rows"), np.array(list(self.classes.values())), amount)
            parts.append(Sheet(word("class"), list(self.classes), [counts]))
        many = {"row": self.cells.rows, "column": len(names)}
        return Description(tuple(sizes(many | ({"class": len(self.classes)} if self.classes else {}))), parts)

    def _kind(self, plan: ColumnPlan) -> str:
        """As naive Bayes takes a column: whole numbers of few values are categories if the values come back."""
        if plan.kind != TALLIED:  # by its name: to look takes no family, which kinds wait for
            return plan.kind
        codes = self.cells.encoded(plan.name).codes
        there = codes[codes >= 0]
        return CATEGORICAL if come_back(len(np.unique(there)), len(there)) else GAUSSIAN

    def _values(self, name: str) -> tuple[int, int, str]:
        """Cells that are missing, how many different ones there are, and some of them."""
        found = self.cells.encoded(name)
        levels = [str(level) for level in found.levels]
        there = found.codes[found.codes >= 0]
        if all(isinstance(level, int | float) and not isinstance(level, bool) for level in found.levels) and levels:
            numbers = np.array(found.levels, dtype=float)
            return len(found.codes) - len(there), len(levels), f"{numbers.min():.6g} … {numbers.max():.6g}"
        often = np.argsort(-np.bincount(there, minlength=len(levels)), kind="stable")[:SHOWN]
        more = ", …" if len(levels) > SHOWN else ""
        return len(found.codes) - len(there), len(levels), ", ".join(levels[i] for i in often) + more


def looked_at(rows: "pa.Table", label: str | None) -> Look:
    """As naive Bayes would take the columns, its hints said on the way."""
    found = rows.column(label).value_counts().to_pylist() if label is not None else []
    counts = {str(one["values"]): one["counts"] for one in found}
    table = read_table(rows.drop_columns([label]) if label is not None else rows)
    schema = plan(table, None, tallied=True)
    tell(schema.hints, set())
    return Look(table, schema, dict(sorted(counts.items())))
