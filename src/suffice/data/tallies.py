"""Stage 1, whole numbers of few values: what they are is open until all rows are in, so they are counted by value.

In:  a Table, and columns whose kind nobody has declared.
Out: the values of those columns that have few. It is the cells that count, not their type: integers turn into floats as
     soon as a cell is missing.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from suffice.arrays import Array, is_sparse
from suffice.data.columns import EMPTY, INTEGER, NUMBER
from suffice.data.kinds import FEW
from suffice.data.levels import Levels, as_float
from suffice.data.table import Table

LOOKED_AT = 1000  # rows, the first ones: measurements give themselves away there
EXACT = 2.0**53  # below which floats have every whole number


def few_values(table: Table, names: Sequence[str]) -> dict[str, Levels]:
    """The values of columns of whole numbers that have few, or may have: some of an array may not be met."""
    numbers = [name for name in names if table.type(name) in (INTEGER, NUMBER)]
    if is_sparse(table.matrix):
        return {}
    none: dict[str, Levels] = {name: () for name in names if table.type(name) == EMPTY}
    found = {name: _values(table, name) for name in _likely(table, numbers)}
    return none | {name: levels for name, levels in found.items() if levels is not None}


def _likely(table: Table, names: Sequence[str]) -> list[str]:
    """Those whose first cells are whole, and few."""
    if not names:
        return []
    top = table.numbers(names, slice(0, LOOKED_AT))
    return [names[j] for j in np.flatnonzero(whole(top)) if _distinct(top[:, j]) <= FEW]


def whole(cells: Array) -> NDArray[np.bool_]:
    """Which columns have whole numbers, and missing cells, only."""  # (n, D) → (D,)
    return np.asarray((np.isnan(cells) | (cells == np.rint(cells))).all(axis=0))


def _distinct(cells: Array) -> int:
    return len(np.unique(cells[~np.isnan(cells)]))


def _values(table: Table, name: str) -> Levels | None:
    """Those that floats cannot tell apart are left to be refused, or not, as numbers."""
    if table.narrow:
        first, last = (int(ends[table.names.index(name)]) for ends in table.ranges)
        if last - first < 2 * FEW:
            return tuple(range(first, last + 1))
    if not whole(table.numbers([name], slice(0, table.rows))).all():
        return None
    levels = table.encoded(name).levels
    return levels if len(levels) <= FEW and all(abs(as_float(level)) < EXACT for level in levels) else None
