"""Stage 1, the door: any table becomes named columns of numbers or of codes.

In:  numpy (2-d), pandas, polars, pyarrow, a dict of columns, a list of rows (also as dicts), or a scipy sparse matrix.
Out: Table, which hands out numbers (N, D) and codes (N,) with their levels. Columns are read when asked for, once.

Missing is None, NaN or the frame library's null; it comes out as NaN among numbers and −1 among codes.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from os import PathLike
from typing import Any

import numpy as np
from narwhals.typing import IntoDataFrame
from scipy import sparse

from suffice.arrays import Array, Codes, Matrix, Sparse, Values, is_sparse
from suffice.data.columns import (
    BOOLEAN,
    EMPTY,
    INTEGER,
    NUMBER,
    Column,
    are_rows,
    column_of,
    columns_of_rows,
    odd_column,
)
from suffice.data.frames import (
    Frame,
    Library,
    column_of_series,
    columns_of_frame,
    is_frame,
    read_frame,
    read_series,
    with_columns,
)
from suffice.data.levels import TRUTH, Encoded, Level, Levels, encoded_values, missing
from suffice.errors import TableError, TableTypeError
from suffice.kernels.codes import ranges
from suffice.lazy import lazy
from suffice.threads import over_rows

NARROW = 1024  # whole numbers between the first and last level of a column up to which a look-up table serves
SPARSE_IS_COUNTS = (
    "A sparse table is read as counts of words, or as 0 and 1: set kinds='counts' or 'binary', or give it dense."
)

IntoTable = IntoDataFrame | Mapping[Any, Any] | Sequence[Any] | Values | Sparse  # what users have


@dataclass(frozen=True, eq=False)
class Table:
    names: tuple[str, ...]
    rows: int
    named: bool  # whether the names are the user's own
    library: Library | None = None  # the data frame library it came from, to answer in the same one
    matrix: Matrix | None = None  # all columns at once, where the input is one array
    columns: Mapping[str, Column] = field(default_factory=dict)
    source: Any = None  # the user's own frame, dict or array of objects, to answer in the same form
    ragged: bool = False  # rows came as dicts, each with the cells it has: a word that one lacks is not in it

    def type(self, name: str) -> str:
        if self.matrix is None:
            return self.columns[name].type
        return {"b": BOOLEAN, "f": NUMBER}.get(self.matrix.dtype.kind, INTEGER)

    def numbers(self, names: Sequence[str], rows: slice, out: Array | None = None) -> Matrix:
        """The cells of some columns, (n, D), as float64: a view where the input allows it, else perhaps in `out`."""
        if self.matrix is not None:
            return self.cells(names, rows).astype(np.float64, copy=False)
        return np.stack([np.asarray(self._values(name)[rows], dtype=np.float64) for name in names], axis=1, out=out)

    def cells(self, names: Sequence[str], rows: slice) -> Matrix:
        """The cells of some columns of an array as they are, (n, D): a view where that is possible."""
        assert self.matrix is not None
        part = _sparse_rows(self.matrix, rows) if is_sparse(self.matrix) else self.matrix[rows]
        return part if tuple(names) == self.names else part[:, self.positions(names)]

    def encoded(self, name: str) -> Encoded:
        """Codes of a whole column and the levels they stand for."""
        if self.matrix is None:
            return self.columns[name].encoded()
        if is_sparse(self.matrix):
            raise TableError(SPARSE_IS_COUNTS)
        return encoded_values(self.matrix[:, self.names.index(name)])

    def levels(self, name: str) -> tuple[Levels, bool]:
        """The levels of a column and whether its type declares them; in an array of integers some may not be met."""
        if self.narrow:
            first, last = (int(ends[self.names.index(name)]) for ends in self.ranges)
            if last - first < NARROW:
                return tuple(range(first, last + 1)), False
        found = self.encoded(name)
        return found.levels, found.declared

    @property
    def narrow(self) -> bool:
        """Whether it is an array of integers, whose cells can be codes without a copy."""
        if self.matrix is None or is_sparse(self.matrix):
            return False
        return self.matrix.dtype.kind in "iu" and self.matrix.dtype != np.uint64

    @lazy
    def ranges(self) -> tuple[Codes, Codes]:
        """Integers between which all cells of each column of an array lie."""
        found = over_rows(
            lambda blocks: [ranges(self.cells(self.names, rows), NARROW) for rows in blocks], self.rows, len(self.names)
        )
        lowest, highest = zip(*(ends for share in found for ends in share), strict=True)
        return np.min(lowest, axis=0), np.max(highest, axis=0)

    def positions(self, names: Sequence[str]) -> Codes:
        where = {name: position for position, name in enumerate(self.names)}
        return np.array([where[name] for name in names], dtype=np.intp)

    def take(self, rows: Codes) -> "Table":
        """Some of the rows."""
        if self.matrix is not None:
            return Table(self.names, len(rows), self.named, self.library, self.matrix[rows])
        columns = {name: column.take(rows) for name, column in self.columns.items()}
        return Table(self.names, len(rows), self.named, self.library, None, columns, ragged=self.ragged)

    def filled(self, columns: Mapping[str, Values]) -> Any:
        """The user's own table with the missing cells of some columns filled in; all other cells are as they were."""
        if self.matrix is not None:
            out = np.array(self.matrix, dtype=float)
            for name, cells in columns.items():
                mine = out[:, self.names.index(name)]
                np.copyto(mine, cells, where=np.isnan(mine))
            return out
        found = {self.names.index(name): self._filled(name, cells) for name, cells in columns.items()}
        changed = {position: cells for position, cells in found.items() if cells is not None}
        if isinstance(self.source, np.ndarray):
            array = self.source.astype(object)
            for position, cells in changed.items():
                array[:, position] = cells
            return array
        if isinstance(self.source, Mapping):
            return {key: changed.get(j, own) for j, (key, own) in enumerate(self.source.items())}
        return with_columns(self.source, changed)

    def _filled(self, name: str, cells: Values) -> Values | None:
        """A column without missing cells, or None where it has none."""
        column = self.columns[name]
        if column.type in (NUMBER, INTEGER, EMPTY):
            own = np.asarray(column.values())
            missing = np.isnan(own)
        else:
            found = column.encoded()
            own, missing = np.array([*found.levels, None], dtype=object)[found.codes], found.codes < 0
            if column.type == BOOLEAN:  # one that was counted, as a binary column, has a share of them
                cells = np.asarray(cells, dtype=float) > 0.5
        return np.where(missing, cells, own) if missing.any() else None

    def with_zeros(self, names: Sequence[str]) -> "Table":
        """With columns in which nothing was counted: words that none of these rows has."""
        none = column_of(np.zeros(self.rows), names[0])
        return replace(self, names=(*self.names, *names), columns={**self.columns, **dict.fromkeys(names, none)})

    def renamed(self, names: tuple[str, ...]) -> "Table":
        """The same columns by other names, by position."""
        columns = {new: self.columns[old] for new, old in zip(names, self.names, strict=True) if self.columns}
        return replace(self, names=names, columns=columns)

    def _values(self, name: str) -> Values:
        column = self.columns[name]
        if column.type in (NUMBER, INTEGER, EMPTY):
            return column.values()
        codes = column.encoded().codes
        return np.where(codes < 0, np.nan, codes)


def read_table(data: Any) -> Table:
    """Whatever the user has, as a Table."""
    if isinstance(data, str | PathLike):
        raise TableTypeError(
            f"Expected a table, found the name of a file, {str(data)!r}. Read it first: fit, collect and predict read "
            "files themselves, but this does not."
        )
    if is_sparse(data):
        return _from_matrix(_rows_of_sparse(data))
    if isinstance(data, np.ndarray):
        return _from_array(_array_of(data))
    if isinstance(data, Mapping):
        return _from_columns(data)
    if are_rows(data):
        told = not any(missing(cell) for row in data if isinstance(row, Mapping) for cell in row.values())
        return replace(_from_columns(columns_of_rows(data)), ragged=told)
    frame = read_frame(data)
    if frame is not None:
        return _from_frame(frame)
    try:
        array = _array_of(data)
    except ValueError:
        raise TableError("The rows of the table are not all of the same length.") from None
    if array.ndim == 0 and array.dtype.kind == "O":
        raise TableTypeError(
            f"Expected a table, found {type(data).__name__}. Give a 2-d numpy array, a pandas, polars or pyarrow "
            "table, a dict of columns, dicts as rows, or a scipy sparse matrix; list() makes a table out of rows that "
            "come one by one."
        )
    return _from_array(array)


def read_column(values: Any, name: str) -> Column:
    """One column: a series of a frame library, an array, or any sequence."""
    series = None if isinstance(values, np.ndarray | list) else read_series(values)
    if series is not None:
        return column_of_series(series, name)
    try:
        array = _array_of(values)
    except ValueError:  # sequences of different lengths, which numpy refuses
        return odd_column(name, len(values), ["list"])
    if array.ndim == 0:
        raise TableTypeError(
            f"Column '{name}' is given as {type(values).__name__}; a column is a list, an array or a series, with a "
            "cell for each row, in order. list() makes one out of most iterables."
        )
    return column_of(array, name)


def is_batches(data: Any) -> bool:
    """Whether a list holds tables, or (table, labels) pairs, rather than rows."""
    if not isinstance(data, list) or not data:
        return False
    first = data[0][0] if isinstance(data[0], tuple) and data[0] else data[0]
    if isinstance(first, Mapping):
        return not all(map(_single, first.values()))  # else it is a row
    return is_frame(first) or (isinstance(first, np.ndarray) and first.ndim == 2) or _is_rows(first)


def _is_rows(first: Any) -> bool:
    """Whether it is a list of rows itself."""
    return (
        isinstance(first, list | tuple) and bool(first) and isinstance(first[0], list | tuple) and first[0] is not first
    )


def _array_of(data: Any) -> Values:
    """An array in the machine's own order of bytes, whose text and numbers have not been mixed into text."""
    if isinstance(data, np.ma.MaskedArray):
        return _unmasked(data)
    if isinstance(data, np.ndarray):
        text = data.dtype.kind == "T"  # of variable width, which has no order of bytes
        return data.astype(object) if text else np.asarray(data, dtype=data.dtype.newbyteorder("="))
    if isinstance(data, list) and data and isinstance(data[0], str):
        return np.asarray(data, dtype=object)
    array = np.asarray(data)
    listed = array.ndim == 1 and isinstance(data, list | tuple)
    if listed and array.dtype.kind in "iuf" and not TRUTH.isdisjoint(map(type, data)):  # truth is no number
        return np.asarray(data, dtype=object)
    if array.dtype.kind not in "USf" or (array.dtype.kind == "f" and not _large(array)):
        return array
    objects = np.asarray(data, dtype=object)
    return objects if array.dtype.kind in "US" or any(isinstance(cell, int) for cell in objects.flat) else array


def _unmasked(data: Any) -> Values:
    """What is masked is missing: NaN among numbers, None elsewhere and among integers that floats cannot tell apart."""
    if not np.ma.getmaskarray(data).any():
        return _array_of(data.data)
    numbers = data.astype(float).filled(np.nan) if data.dtype.kind in "fiu" else None
    if numbers is not None and not (data.dtype.kind in "iu" and _large(numbers)):
        return np.asarray(numbers)
    objects = data.data.astype(object)
    objects[np.ma.getmaskarray(data)] = None
    return np.asarray(objects)


def _large(numbers: Values) -> bool:
    """Whether some are beyond the integers that floats can tell apart."""
    return bool((np.abs(numbers) >= 2.0**53).any())


def _from_array(array: Values) -> Table:
    if array.ndim != 2:
        raise TableError(
            f"Expected 2D array, got {array.ndim}D array instead (shape {array.shape}). Reshape your data: "
            "array.reshape(-1, 1) for one column, array.reshape(1, -1) for one row. In a data frame, one row is "
            "frame.iloc[[0]] (polars, pyarrow: frame[:1]) and one column frame[['name']]."
        )
    if array.dtype.kind in "fiub":
        return _from_matrix(array)
    if array.dtype.kind == "c":
        raise TableError("Complex data not supported: split it into columns of real numbers.")
    _refuse_empty(array.shape)
    columns = {f"x{j}": column_of(values, f"x{j}") for j, values in enumerate(array.T)}
    return Table(tuple(columns), len(array), named=False, columns=columns, source=array)


def _from_matrix(matrix: Matrix) -> Table:
    if matrix.dtype.kind == "c":
        raise TableError("Complex data not supported: split it into columns of real numbers.")
    _refuse_empty(matrix.shape)
    return Table(_numbered(matrix.shape[1]), matrix.shape[0], named=False, matrix=matrix)


@lru_cache(maxsize=8)
def _numbered(columns: int) -> tuple[str, ...]:
    return tuple(f"x{j}" for j in range(columns))


def _rows_of_sparse(data: Any) -> Matrix:
    """By rows, in which a column has one entry; the user's own memory where it is so already."""
    if data.ndim != 2:
        raise TableError(f"Expected 2D array, got {data.ndim}D sparse array instead (shape {data.shape}).")
    matrix = sparse.csr_array(data)
    if not (data if data.format == "csr" else matrix).has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return matrix


def _sparse_rows(matrix: Sparse, rows: slice) -> Sparse:
    """Rows of a sparse matrix that share its memory; scipy's own slices are copies."""
    starts = matrix.indptr[rows.start : rows.stop + 1]
    entries, part = slice(starts[0], starts[-1]), sparse.csr_array((len(starts) - 1, matrix.shape[1]))
    part.data, part.indices, part.indptr = matrix.data[entries], matrix.indices[entries], starts - starts[0]
    return part


def _from_columns(given: Mapping[Any, Any]) -> Table:
    scalars = [name for name, values in given.items() if _single(values)]
    if scalars:
        raise TableError(
            f"A dict of columns needs a list of cells for each; column {scalars[0]!r} holds one value. For a table of "
            f"one row write {{{scalars[0]!r}: [{given[scalars[0]]!r}], …}}."
        )
    columns = {str(name): read_column(values, str(name)) for name, values in given.items()}
    _refuse_repeated(columns, given)
    lengths = {name: column.rows for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise TableError(f"The columns of a table must have the same length; found {lengths}.")
    rows = next(iter(lengths.values()), 0)
    _refuse_empty((rows, len(columns)))
    return Table(tuple(columns), rows, named=True, columns=columns, source=given)


def _single(value: Any) -> bool:
    """Whether it is one cell, not a column of them."""
    return value is None or np.isscalar(value)


def _from_frame(frame: Frame) -> Table:
    _refuse_empty(frame.shape)
    names = tuple(str(name) for name in frame.columns)
    columns = columns_of_frame(frame, names)
    _refuse_repeated(columns, names)
    return Table(names, frame.shape[0], True, frame.implementation, columns=columns, source=frame)


def _refuse_repeated(columns: Mapping[str, Column], names: Iterable[Level]) -> None:
    if len(columns) < len(list(names)):
        raise TableError(f"Column names must differ from each other as text; found {list(names)}.")


def _refuse_empty(shape: tuple[int, ...]) -> None:
    if shape[0] == 0:
        raise TableError(f"Found array with 0 sample(s) (shape={shape}) while a minimum of 1 is required.")
    if shape[1] == 0:
        raise TableError(f"Found array with 0 feature(s) (shape={shape}) while a minimum of 1 is required.")
