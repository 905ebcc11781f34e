"""Stage 1, whole numbers of few values: what they are is open until all rows are in, so they are counted by value.

In:  a Table, and columns whose kind nobody has declared.
Out: the values of those columns that have few. It is the cells that count, not their type: integers turn into floats as
     soon as a cell is missing.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from suffice.arrays import Array, Values, is_sparse
from suffice.data.columns import EMPTY, INTEGER, NUMBER
from suffice.data.kinds import FEW
from suffice.data.levels import Levels, as_float
from suffice.data.table import Table
from suffice.threads import over_rows

LOOKED_AT = 1000  # rows, the first ones: measurements give themselves away there
TOGETHER = 32  # rows
EXACT = 2.0**53  # below which floats have every whole number


def few_values(table: Table, names: Sequence[str]) -> dict[str, Levels]:
    """The values of columns of whole numbers that have few, or may have: some of an array may not be met."""
    numbers = [name for name in names if table.type(name) in (INTEGER, NUMBER)]
    if is_sparse(table.matrix):
        return {}
    none: dict[str, Levels] = {name: () for name in names if table.type(name) == EMPTY}
    likely = _likely(table, numbers)
    near = _near(table, likely) if table.matrix is not None and likely else {}
    found = {name: near.get(name) or _values(table, name) for name in likely}
    return none | {name: levels for name, levels in found.items() if levels is not None}


def _likely(table: Table, names: Sequence[str]) -> list[str]:
    """Those whose first cells are whole, and few."""
    if not names:
        return []
    top = table.numbers(names, slice(0, LOOKED_AT))
    return [
        name for name, fits, cells in zip(names, whole(top), top.T, strict=True) if fits and _distinct(cells) <= FEW
    ]


def whole(cells: Array) -> NDArray[np.bool_]:
    """Which columns have whole numbers, and missing cells, only."""  # (n, D) → (D,)
    return np.asarray(((cells == np.rint(cells)) | np.isnan(cells)).all(axis=0))


def _near(table: Table, names: Sequence[str]) -> dict[str, Levels]:
    """All whole numbers between the first and the last of a column of an array, where that is not far."""
    where = table.positions(names)
    first, last = (ends[where] for ends in table.ranges) if table.narrow else _ends(table, names)
    near = (last - first < 2 * FEW) & (np.abs(first) < EXACT)
    places = zip(names, first, last, near, strict=True)
    return {name: tuple(range(int(low), int(high) + 1)) for name, low, high, fits in places if fits}


def _ends(table: Table, names: Sequence[str]) -> tuple[Array, Array]:
    """The least and the largest cell of each column; −∞ where some are not whole."""
    found = over_rows(
        lambda blocks: [_ends_of(table.numbers(names, rows)) for rows in blocks], table.rows, len(table.names)
    )
    lowest, highest = zip(*(pair for share in found for pair in share), strict=True)
    return np.fmin.reduce(lowest), np.fmax.reduce(highest)


def _ends_of(cells: Array) -> tuple[Array, Array]:
    with np.errstate(invalid="ignore"):  # of cells that are missing, or too large, which differ then
        small = cells.astype(np.int8)
    if (small == cells).all():  # a byte for each is soon looked through
        return _along(np.minimum, small), _along(np.maximum, small)
    return np.where(whole(cells), _along(np.fmin, cells), -np.inf), _along(np.fmax, cells)


def _along(pick: np.ufunc, cells: Values) -> Array:
    """Down the columns, several rows at a time."""
    rows, columns = cells.shape
    wide = cells[: rows - rows % TOGETHER].reshape(-1, TOGETHER * columns)
    found = [pick.reduce(wide).reshape(TOGETHER, columns)] if len(wide) else []
    return np.asarray(pick.reduce(np.concatenate([*found, cells[rows - rows % TOGETHER :]])), dtype=float)


def _distinct(cells: Array) -> int:
    return len(np.unique(cells[~np.isnan(cells)]))


def _values(table: Table, name: str) -> Levels | None:
    """Those that floats cannot tell apart are left to be refused, or not, as numbers."""
    if table.type(name) == NUMBER and not whole(table.numbers([name], slice(0, table.rows))).all():
        return None
    levels = table.encoded(name).levels
    return levels if len(levels) <= FEW and all(abs(as_float(level)) < EXACT for level in levels) else None
