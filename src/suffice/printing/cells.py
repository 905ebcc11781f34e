"""What a row holds, in words: "size = 10", or that it is missing.

In:  a Table of one row, and a column. Out: a text.
"""

import numpy as np

from suffice.data.columns import EMPTY, INTEGER, NUMBER
from suffice.data.table import Table
from suffice.printing.description import Text
from suffice.printing.language import word


def held(table: Table, name: str) -> Text:
    """The cell of a row, with the name of its column."""
    value = _value(table, name)
    return word("{name} = missing", name=name) if value is None else f"{name} = {value}"


def _value(table: Table, name: str) -> str | None:
    if table.type(name) in (NUMBER, INTEGER, EMPTY):
        value = float(table.numbers([name], slice(0, 1))[0, 0])
        return None if np.isnan(value) else f"{value:.6g}"
    found = table.encoded(name)
    return str(found.levels[found.codes[0]]) if found.codes[0] >= 0 else None
