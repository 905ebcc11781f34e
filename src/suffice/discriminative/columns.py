"""A table as rows of numbers, for what is linear in them.

In:  a Table and its Schema.
Out: Columns, which turn any such table into a matrix z (N, P), and weights of z into those of the user's own units.
     Numbers stand as they are, a missing one at its mean; every level of a category has a column of 0 and 1; and a
     column with missing cells has one that says so. With `scale` numbers are divided by their standard deviation; 0
     and 1 have no unit, and divided so a rare level would weigh the most. Each is centred, but where the table is
     sparse.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from suffice.arrays import Array, Matrix, Sparse, is_sparse, ratio
from suffice.data.blocks import cut
from suffice.data.schema import BlockPlan, Schema
from suffice.data.table import Table
from suffice.errors import KindError, TableError
from suffice.families.gaussian.moments import BLUR
from suffice.families.product import Cells
from suffice.formulas import ONE, ZERO, Cases, Expression, Lookup, Missing, Number, OrElse, dot
from suffice.model.fit import TOO_FAR
from suffice.threads import over_rows
from suffice.words import listed

MISSING_CELLS = "{} missing"
LEVEL = "{} = {}"
FEW = 100  # rows in which most columns vary
SMALL = 1e-280  # squares below which digits are lost


@dataclass(frozen=True, eq=False)
class Columns:
    schema: Schema
    holes: tuple[str, ...]  # columns that had missing cells
    centre: Array  # (P,) in the user's own units: where a missing number stands, so that it says nothing
    scale: Array  # (P,)

    @property
    def names(self) -> tuple[str, ...]:
        """What each column of z is about."""
        return tuple(name for _, name in _titles(self.schema, self.holes))

    @property
    def owners(self) -> tuple[str, ...]:
        """The user's column that each column of z comes from."""
        return tuple(owner for owner, _ in _titles(self.schema, self.holes))

    def of(self, table: Table, unseen: str) -> Matrix:
        """The rows of a table, centred and scaled."""
        z = self.plain(table, unseen)
        if is_sparse(z):
            return sparse.csr_array(z.multiply(1 / self.scale))
        z -= self.centre
        z /= self.scale
        return z

    def plain(self, table: Table, unseen: str) -> Matrix:
        """In the user's own units."""
        return _plain(table, self.schema, unseen, self.centre, self.holes)

    def formula(self, cells: Cells, w: Array, b: float) -> Expression:
        """One score of a row, wᵀz + b, as a formula of its cells."""
        centred = [column - float(middle) for column, middle in zip(self._formulas(cells), self.centre, strict=True)]
        return dot(w / self.scale, centred) + b

    def _formulas(self, cells: Cells) -> list[Expression]:
        """The columns in the user's own units."""
        out = list[Expression]()
        for block, some in zip(self.schema.blocks, cells, strict=True):
            for cell, plan in zip(some, block.columns, strict=True):
                levels = (Lookup(cell, ((level, ONE),), ZERO) for level in plan.levels)
                out += levels if block.coded else [OrElse(cell, Number(float(self.centre[len(out)])))]
            holes = (cell for cell, name in zip(some, block.names, strict=True) if name in self.holes)
            out += [Cases(((Missing(cell), ONE),), ZERO) for cell in holes]
        return out

    def in_units(self, w: Array, b: Array) -> tuple[Array, Array]:
        """Weights (K, P) and what is added (K,), for rows in the user's own units."""
        own = w / self.scale
        return own, b - own @ self.centre


def learned(table: Table, schema: Schema, weights: Array, scale: bool) -> tuple[Columns, Matrix]:
    """What the rows say of their columns, and the rows so turned."""
    means, holes = (np.zeros(0), ()) if is_sparse(table.matrix) else _missing(table, schema, weights)
    z = _plain(table, schema, "ignore", means, holes)
    share = weights / weights.sum()
    if is_sparse(z):
        columns = Columns(schema, holes, np.zeros(z.shape[1]), _width(_spread_of_sparse(z, share), scale))
        return columns, sparse.csr_array(z.multiply(1 / columns.scale)) if scale else z
    constant, centre = _constant(z), share @ z
    centre = np.where(constant, z[0], centre)
    spread = _centred(z, centre, share)
    columns = Columns(schema, holes, centre, np.where(_numbers(schema, holes), _width(spread, scale), 1.0))
    far = (spread < BLUR * np.abs(centre)) & ~constant
    if far.any():
        raise KindError(TOO_FAR.format(listed([columns.owners[j] for j in np.flatnonzero(far)])))
    if scale:
        z /= columns.scale
    return columns, z


def _spread_of_sparse(z: Sparse, share: Array) -> Array:
    first, second = (np.asarray(share @ part).ravel() for part in (z, z.multiply(z).tocsr()))
    return np.asarray(np.sqrt(np.maximum(second - first**2, 0.0)))


def _constant(z: Array) -> NDArray[np.bool_]:
    """Which columns never vary; most of those that do say so in the first few rows."""
    out = np.asarray((z[:FEW] == z[0]).all(axis=0))
    out[out] = (z[:, out] == z[0, out]).all(axis=0)
    return out


def _centred(z: Array, centre: Array, share: Array) -> Array:
    """Columns less their centre, in place; and their standard deviations."""

    def squares(blocks: Sequence[slice]) -> Array:
        out = np.zeros(z.shape[1])
        for rows in blocks:
            z[rows] -= centre
            with np.errstate(over="ignore", under="ignore"):  # of which the column is looked at again
                out += share[rows] @ np.square(z[rows])
        return out

    found = np.sum(over_rows(squares, len(z), z.shape[1]), axis=0)
    spread: Array = np.sqrt(found)
    for j in np.flatnonzero((found < SMALL) | ~np.isfinite(found)):  # units whose squares are lost
        largest = np.abs(z[:, j]).max() or 1.0
        spread[j] = largest * np.sqrt(share @ np.square(z[:, j] / largest))
    return spread


def _width(spread: Array, scale: bool) -> Array:
    """What columns are divided by; one that never varies by 1."""
    return np.where(spread > 0, spread, 1.0) if scale else np.ones_like(spread)


def _titles(schema: Schema, holes: Sequence[str]) -> list[tuple[str, str]]:
    out: list[tuple[str, str]] = []
    for block in schema.blocks:
        for column in block.columns:
            coded = block.coded
            levels = [LEVEL.format(column.name, level) for level in column.levels] if coded else [column.name]
            out += [(column.name, level) for level in levels]
        out += [(name, MISSING_CELLS.format(name)) for name in block.names if name in holes]
    return out


def _numbers(schema: Schema, holes: Sequence[str]) -> NDArray[np.bool_]:
    """Which columns of z are numbers; the others are 0 and 1."""
    numbers = {column.name for block in schema.blocks for column in block.columns if not block.coded}
    return np.array([owner in numbers and owner == title for owner, title in _titles(schema, holes)])


def _missing(table: Table, schema: Schema, weights: Array) -> tuple[Array, tuple[str, ...]]:
    """The means of numbers with missing cells, in their place in z, and the names of all columns that have some."""
    means, holes = list[Array](), list[str]()
    whole = cut(table, schema, "ignore", as_they_are=True)[slice(0, table.rows)]
    for block, cells in zip(schema.blocks, whole, strict=True):
        gone, coded = _gone(block, cells), block.coded
        some = np.flatnonzero(gone.any(axis=0))
        own = np.zeros(sum(len(column.levels) for column in block.columns) if coded else len(block.columns))
        if not coded:
            with np.errstate(over="ignore", invalid="ignore"):  # an infinite cell is refused by name
                sums = weights @ np.where(gone[:, some], 0.0, cells[:, some])
            own[some] = ratio(sums, weights @ ~gone[:, some])
        means += [own, np.zeros(len(some))]
        holes += [block.names[j] for j in some]
    return np.concatenate(means), tuple(holes)


def _gone(block: BlockPlan, cells: Array) -> NDArray[np.bool_]:
    return np.asarray(cells < 0 if block.coded else np.isnan(cells))


def _plain(table: Table, schema: Schema, unseen: str, means: Array, holes: Sequence[str]) -> Matrix:
    if is_sparse(table.matrix):
        return _sparse(table, schema)
    blocks = cut(table, schema, unseen, as_they_are=True)
    out = np.zeros((table.rows, len(_titles(schema, holes))))
    for rows, parts in blocks:
        first = 0
        for block, cells in zip(schema.blocks, parts, strict=True):
            first += _write(out[rows, first:], block, cells, means[first:], holes)
    if not np.isfinite(np.vdot(out, out)):
        blocks.check(slice(0, table.rows))
    return out


def _sparse(table: Table, schema: Schema) -> Matrix:
    matrix = table.numbers(schema.names, slice(0, table.rows))
    if not np.isfinite(matrix.data).all():
        raise TableError(
            "A sparse table must not have missing or infinite cells here; found NaN or infinity. Fill those cells, or "
            "use a dense table."
        )
    return sparse.csr_array(matrix)


def _write(out: Array, block: BlockPlan, cells: Array, means: Array, holes: Sequence[str]) -> int:
    """One block of rows into the columns that it has, and how many those are."""
    gone, width = _gone(block, cells), 0
    if block.coded:
        for j, column in enumerate(block.columns):
            known = np.flatnonzero(~gone[:, j] & (cells[:, j] < len(column.levels)))
            out[known, width + cells[known, j]] = 1.0
            width += len(column.levels)
    else:
        width = len(block.columns)
        out[:, :width] = np.where(gone, means[:width], cells) if gone.any() else cells
    for j, name in enumerate(block.names):
        if name in holes:
            out[:, width] = gone[:, j]
            width += 1
    return width
