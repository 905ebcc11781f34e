"""A table as rows of numbers, for what is linear in them.

In:  a Table and its Schema.
Out: Columns, which turn any such table into a matrix z (N, P), and weights of z into those of the user's own units.
     Numbers stand as they are, a missing one at its mean; every level of a category has a column of 0 and 1; and a
     column with missing cells has one that says so. With `scale` each is divided by its standard deviation, and each
     is centred, but where the table is sparse.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, repeat

import numpy as np
from scipy import sparse

from suffice.arrays import Array, Matrix, is_sparse
from suffice.data.blocks import cut
from suffice.data.kinds import CODED, COUNTS
from suffice.data.schema import BlockPlan, Schema
from suffice.data.table import Table
from suffice.errors import KindError, TableError
from suffice.families.gaussian.moments import BLUR
from suffice.families.product import Cells
from suffice.formulas import ONE, ZERO, Cases, Expression, Lookup, Missing, Number, OrElse, dot
from suffice.model.design import TOO_FAR
from suffice.words import listed

MISSING_CELLS = "{} missing"
LEVEL = "{} = {}"


@dataclass(frozen=True, eq=False)
class Columns:
    schema: Schema
    means: Array  # (D,) of the columns of the table that are numbers, in their place among all; else 0
    holes: tuple[str, ...]  # columns that had missing cells
    centre: Array  # (P,) in the user's own units
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
        return _plain(table, self.schema, unseen, self.means, self.holes)

    def formula(self, cells: Cells, w: Array, b: float) -> Expression:
        """One score of a row, wᵀz + b, as a formula of its cells."""
        centred = [column - float(middle) for column, middle in zip(self._formulas(cells), self.centre, strict=True)]
        return dot(w / self.scale, centred) + b

    def _formulas(self, cells: Cells) -> list[Expression]:
        """The columns in the user's own units."""
        out, means = list[Expression](), chain(self.means.tolist(), repeat(0.0))  # a sparse table has none
        for block, some in zip(self.schema.blocks, cells, strict=True):
            for cell, plan, mean in zip(some, block.columns, means, strict=False):
                levels = (Lookup(cell, ((level, ONE),), ZERO) for level in plan.levels)
                out += levels if block.kind in CODED else [OrElse(cell, Number(mean))]
            holes = (cell for cell, name in zip(some, block.names, strict=True) if name in self.holes)
            out += [Cases(((Missing(cell), ONE),), ZERO) for cell in holes]
        return out

    def in_units(self, w: Array, b: Array) -> tuple[Array, Array]:
        """Weights (K, P) and what is added (K,), for rows in the user's own units."""
        own = w / self.scale
        return own, b - own @ self.centre


def learned(table: Table, schema: Schema, weights: Array, scale: bool) -> tuple[Columns, Matrix]:
    """What the rows say of their columns, and the rows so turned."""
    means, holes = (np.zeros(0), ()) if is_sparse(table.matrix) else _cells(table, schema, weights)
    plain = _plain(table, schema, "ignore", means, holes)
    share = weights / weights.sum()
    if is_sparse(plain):
        first, second = (np.asarray(share @ part).ravel() for part in (plain, plain.multiply(plain).tocsr()))
        spread = np.sqrt(np.maximum(second - first**2, 0.0))
        columns = Columns(schema, means, holes, np.zeros(len(spread)), _width(spread, scale))
        return columns, sparse.csr_array(plain.multiply(1 / columns.scale))
    constant, centre = (plain == plain[0]).all(axis=0), share @ plain
    centre = np.where(constant, plain[0], centre)
    plain -= centre
    largest = np.where(constant, 1.0, np.abs(plain).max(axis=0))  # so that squares of small units are not lost
    spread = largest * np.sqrt(share @ np.square(plain / largest))
    columns = Columns(schema, means, holes, centre, _width(spread, scale))
    far = (spread < BLUR * np.abs(centre)) & ~constant
    if far.any():
        raise KindError(TOO_FAR.format(listed([columns.owners[j] for j in np.flatnonzero(far)])))
    plain /= columns.scale
    return columns, plain


def _width(spread: Array, scale: bool) -> Array:
    """What columns are divided by; one that never varies by 1."""
    return np.where(spread > 0, spread, 1.0) if scale else np.ones_like(spread)


def _titles(schema: Schema, holes: Sequence[str]) -> list[tuple[str, str]]:
    out: list[tuple[str, str]] = []
    for block in schema.blocks:
        for column in block.columns:
            coded = block.kind in CODED
            levels = [LEVEL.format(column.name, level) for level in column.levels] if coded else [column.name]
            out += [(column.name, level) for level in levels]
        out += [(name, MISSING_CELLS.format(name)) for name in block.names if name in holes]
    return out


def _cells(table: Table, schema: Schema, weights: Array) -> tuple[Array, tuple[str, ...]]:
    """The mean of every number, and the names of the columns with missing cells."""
    means, holes, at = np.zeros(sum(len(block.columns) for block in schema.blocks)), list[str](), 0
    for block, cells in zip(schema.blocks, cut(table, schema, "ignore")[slice(0, table.rows)], strict=True):
        gone = cells < 0 if block.kind in CODED else np.isnan(cells)
        holes += [name for name, some in zip(block.names, np.any(gone, axis=0).tolist(), strict=True) if some]
        if block.kind not in CODED:
            here = weights @ ~gone
            sums = weights @ np.where(gone, 0.0, cells)
            means[at : at + len(block.columns)] = np.divide(sums, here, out=np.zeros_like(sums), where=here > 0)
        at += len(block.columns)
    return means, tuple(holes)


def _plain(table: Table, schema: Schema, unseen: str, means: Array, holes: Sequence[str]) -> Matrix:
    if is_sparse(table.matrix):
        return _sparse(table, schema)
    blocks = cut(table, schema, unseen)
    blocks.check(slice(0, table.rows))
    out = np.zeros((table.rows, len(_titles(schema, holes))))
    for rows, parts in blocks:
        first, at = 0, 0
        for block, cells in zip(schema.blocks, parts, strict=True):
            first += _write(out[rows, first:], block, cells, means[at : at + len(block.columns)], holes)
            at += len(block.columns)
    return out


def _sparse(table: Table, schema: Schema) -> Matrix:
    matrix = table.numbers(schema.names, slice(0, table.rows))
    if not np.isfinite(matrix.data).all():
        raise TableError("A sparse table has no missing and no infinite cells here; this one holds NaN or infinity.")
    return sparse.csr_array(matrix)


def _write(out: Array, block: BlockPlan, cells: Array, means: Array, holes: Sequence[str]) -> int:
    """One block of rows into the columns that it has, and how many those are."""
    gone = cells < 0 if block.kind in CODED else np.isnan(cells)
    width = 0
    if block.kind in CODED:
        for j, column in enumerate(block.columns):
            known = np.flatnonzero(~gone[:, j] & (cells[:, j] < len(column.levels)))
            out[known, width + cells[known, j]] = 1.0
            width += len(column.levels)
    else:
        width = len(block.columns)
        out[:, :width] = np.where(gone, means, cells) if block.kind != COUNTS else cells
    for j, name in enumerate(block.names):
        if name in holes:
            out[:, width] = gone[:, j]
            width += 1
    return width
