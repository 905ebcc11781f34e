"""Where along a column a model can be asked: around the rows, at values that the column can hold.

In:  a model, a table and one of its columns. Out: values, and tables in which nothing else is there.
"""

import numpy as np

from suffice.arrays import Array
from suffice.data.kinds import KINDS, Range
from suffice.data.table import IntoTable, Table
from suffice.estimators.generative import GenerativeClassifier
from suffice.plots.canvas import Classifier

POINTS = 2001


def possible(model: Classifier, name: str) -> Range:
    """What a column may hold: whole numbers for counts, nothing below 0 for waits."""
    columns = model.joint_.schema.columns if isinstance(model, GenerativeClassifier) else ()
    column = next((column for column in columns if column.name == name), None)
    return KINDS[column.kind].allows(*column.numbers) if column else Range()


def around(cells: Array, room: float, number: int = POINTS) -> Array:
    """Points around the cells, with some of their range on either side."""
    low, high = float(np.nanmin(cells)), float(np.nanmax(cells))
    beyond = room * ((high - low) or 1.0)
    return np.linspace(low - beyond, high + beyond, number)


def along(model: Classifier, name: str, cells: Array, room: float) -> tuple[Array, bool]:
    """Values of a column around its cells that it may hold, and whether these are whole numbers only."""
    x, allowed = around(cells, room), possible(model, name)
    x = np.unique(np.round(x)) if allowed.whole else x
    return x[~allowed.outside(x)], allowed.whole


def nearest(model: Classifier, name: str, x: Array) -> Array:
    """What a column may hold nearest to each point of an axis."""
    allowed = possible(model, name)
    near = np.round(x) if allowed.whole else x
    return np.clip(near, *near[~allowed.outside(near)][[0, -1]])


def alone(table: Table, name: str, values: Array) -> IntoTable:
    """Rows in which this column has these values, and every other cell is missing."""
    if table.named:
        return {other: values if other == name else [None] * len(values) for other in table.names}
    out = np.full((len(values), len(table.names)), np.nan)
    out[:, table.names.index(name)] = values
    return out
