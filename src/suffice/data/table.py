"""Stage 1, the door: any table becomes named columns of numbers or of codes. The only file that knows data frames.

In:  numpy (2-d), pandas, polars, pyarrow, a dict of columns, or a scipy sparse matrix; labels in the same variety.
Out: Table, which hands out numbers (N, D) and codes (N,) with their levels. Columns are read when asked for, once.

Missing is None, NaN or the frame library's null; it comes out as NaN among numbers and −1 among codes.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from numbers import Real
from os import PathLike
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from narwhals.exceptions import DuplicateError
from scipy import sparse

from suffice.arrays import Codes, Matrix
from suffice.data.levels import Encoded, encoded_objects, encoded_values, in_order
from suffice.errors import TableError, TableTypeError

NUMBER, INTEGER, BOOLEAN, TEXT, DATE = "number", "integer", "boolean", "text", "date"
EMPTY = "empty"  # all cells missing, and no type that says what they would be
OTHER = "other"  # what we cannot read, and need not if it is ignored

SPARSE_IS_COUNTS = "A sparse table is read as counts of words: set kinds='counts', or give it dense."


@dataclass(frozen=True)
class Column:
    """One column as it was found; `values` and `encoded` read it."""

    type: str
    rows: int
    values: Callable[[], Any]  # numbers (N,)
    encoded: Callable[[], Encoded]


@dataclass(frozen=True, eq=False)
class Table:
    names: tuple[str, ...]
    rows: int
    named: bool  # whether the names are the user's own
    library: Any = None  # the data frame library it came from, to answer in the same one
    matrix: Matrix | None = None  # all columns at once, where the input is one array
    columns: Mapping[str, Column] = field(default_factory=dict)

    def type(self, name: str) -> str:
        if self.matrix is None:
            return self.columns[name].type
        return {"b": BOOLEAN, "f": NUMBER}.get(self.matrix.dtype.kind, INTEGER)

    def numbers(self, names: Sequence[str], rows: slice) -> Matrix:
        """The cells of some columns, (n, D), as float64: a view where the input allows it."""
        if self.matrix is not None:
            part = self.matrix[rows]
            if tuple(names) != self.names:
                part = part[:, self.positions(names)]
            return part.astype(np.float64, copy=False)
        return np.stack([np.asarray(self._values(name)[rows], dtype=np.float64) for name in names], axis=1)

    def encoded(self, name: str) -> Encoded:
        """Codes of a whole column and the levels they stand for."""
        if self.matrix is None:
            return self.columns[name].encoded()
        if sparse.issparse(self.matrix):
            raise TableError(SPARSE_IS_COUNTS)
        return encoded_values(self.matrix[:, self.names.index(name)])

    def positions(self, names: Sequence[str]) -> Codes:
        where = {name: position for position, name in enumerate(self.names)}
        return np.array([where[name] for name in names], dtype=np.intp)

    def take(self, rows: Codes) -> "Table":
        """Some of the rows."""
        if self.matrix is not None:
            return Table(self.names, len(rows), self.named, self.library, self.matrix[rows])
        columns = {name: _taken(column, rows) for name, column in self.columns.items()}
        return Table(self.names, len(rows), self.named, self.library, None, columns)

    def renamed(self, names: tuple[str, ...]) -> "Table":
        """The same columns by other names, by position."""
        columns = {new: self.columns[old] for new, old in zip(names, self.names, strict=True) if self.columns}
        return Table(names, self.rows, self.named, self.library, self.matrix, columns)

    def _values(self, name: str) -> Any:
        column = self.columns[name]
        if column.type in (NUMBER, INTEGER, EMPTY):
            return column.values()
        codes = column.encoded().codes
        return np.where(codes < 0, np.nan, codes)


def read_table(data: Any) -> Table:
    """Whatever the user has, as a Table."""
    if isinstance(data, str | PathLike):
        raise TableTypeError(f"Expected a table, found the name of a file, {str(data)!r}. Read it first.")
    if sparse.issparse(data):
        return _from_matrix(sparse.csr_array(data))
    if isinstance(data, np.ndarray):
        return _from_array(data)
    if isinstance(data, Mapping):
        return _from_columns(data)
    try:
        frame = nw.from_native(_whole(data), eager_only=False, pass_through=True)
    except DuplicateError as error:
        raise TableError(f"Column names must differ from each other. {error}") from None
    if isinstance(frame, nw.LazyFrame):
        raise TableError("This is a lazy frame, which holds no rows yet. Call .collect() on it first.")
    if isinstance(frame, nw.DataFrame):
        return _from_frame(frame)
    try:
        array = _array_of(data)
    except ValueError:
        raise TableError("The rows of the table are not all of the same length.") from None
    if array.ndim == 0 and array.dtype.kind == "O":
        raise TableTypeError(
            f"Expected a table, found {type(data).__name__}. Give a 2-d numpy array, a pandas, polars or pyarrow "
            "table, a dict of columns, or a scipy sparse matrix."
        )
    return _from_array(array)


def read_column(values: Any, name: str) -> Column:
    """One column: a series of a frame library, an array, or any sequence."""
    series = nw.from_native(values, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        return _column_of_series(series, name)
    try:
        return _column_of(_array_of(values), name)
    except ValueError:  # sequences of different lengths, which numpy refuses
        return _odd_column(name, len(values), ["list"])


def by_name(values: Any) -> Any:
    """A pandas series with names for its values as {name: value}; anything else as it is."""
    series = nw.from_native(values, series_only=True, pass_through=True)
    if not isinstance(series, nw.Series) or not series.implementation.is_pandas_like():
        return values
    index = list(values.index)
    return dict(zip(index, series.to_list(), strict=True)) if index != list(range(len(index))) else values


def is_frame(data: Any) -> bool:
    return isinstance(nw.from_native(data, pass_through=True), nw.DataFrame)


def is_batches(data: Any) -> bool:
    """Whether a list holds tables, or (table, labels) pairs, rather than rows."""
    if not isinstance(data, list) or not data:
        return False
    first = data[0][0] if isinstance(data[0], tuple) and data[0] else data[0]
    return is_frame(_whole(first)) or isinstance(first, Mapping) or np.ndim(first) == 2


def split_column(table: Any, name: str) -> tuple[Any, Any]:
    """A table without one of its columns, and that column."""
    frame = table if isinstance(table, Mapping) else nw.from_native(_whole(table), eager_only=True, pass_through=True)
    if not isinstance(frame, Mapping | nw.DataFrame):
        raise TableError(f"Only a table with named columns has one called {name!r}; found {type(table).__name__}.")
    columns = list(frame) if isinstance(frame, Mapping) else frame.columns
    if name not in columns:
        raise TableError(f"There is no column {name!r}; the table has {', '.join(map(repr, columns))}.")
    if isinstance(frame, Mapping):
        return {other: values for other, values in frame.items() if other != name}, frame[name]
    return frame.drop(name).to_native(), frame[name].to_native()


def named_rows(table: Any, stub: str = "action") -> dict[Any, dict[Any, float]] | None:
    """A frame as {row name: {column: number}}: its rows are named by a column called `stub`, or by a pandas index."""
    frame = nw.from_native(table, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        return None
    if stub in frame.columns:
        names, frame = frame[stub].to_list(), frame.drop(stub)
    elif frame.implementation.is_pandas_like():
        names = list(frame.to_native().index)
    else:
        return None
    return dict(zip(names, frame.rows(named=True), strict=True))


def columns_out(library: Any, columns: Mapping[str, Sequence[Any] | np.ndarray[Any, Any]]) -> Any:
    """A table for the user, in the library the data came in, or a dict of arrays."""
    if library is None:
        return {name: np.asarray(values) for name, values in columns.items()}
    return nw.from_dict(dict(columns), backend=library).to_native()


def _whole(data: Any) -> Any:
    """A record batch, which a pyarrow reader hands out, as the table it is a piece of; anything else as it is."""
    if type(data).__name__ != "RecordBatch":
        return data
    import pyarrow

    return pyarrow.Table.from_batches([data])


def _array_of(data: Any) -> np.ndarray[Any, Any]:
    """An array whose text and numbers have not been mixed into text."""
    if isinstance(data, np.ndarray):
        return data
    array = np.asarray(data)
    return np.asarray(data, dtype=object) if array.dtype.kind in "US" else array


def _from_array(array: np.ndarray[Any, Any]) -> Table:
    if array.ndim != 2:
        raise TableError(
            f"Expected 2D array, got {array.ndim}D array instead (shape {array.shape}). Reshape your data: "
            "array.reshape(-1, 1) for one column, array.reshape(1, -1) for one row."
        )
    if array.dtype.kind in "fiub":
        return _from_matrix(array)
    if array.dtype.kind == "c":
        raise TableError("Complex data not supported: split it into columns of real numbers.")
    _refuse_empty(array.shape)
    columns = {f"x{j}": _column_of(values, f"x{j}") for j, values in enumerate(array.T)}
    return Table(tuple(columns), len(array), named=False, columns=columns)


def _from_matrix(matrix: Matrix) -> Table:
    if matrix.dtype.kind == "c":
        raise TableError("Complex data not supported: split it into columns of real numbers.")
    _refuse_empty(matrix.shape)
    return Table(tuple(f"x{j}" for j in range(matrix.shape[1])), matrix.shape[0], named=False, matrix=matrix)


def _from_columns(given: Mapping[Any, Any]) -> Table:
    scalars = [name for name, values in given.items() if values is None or np.isscalar(values)]
    if scalars:
        raise TableError(f"A dict of columns holds a list of cells for each; column {scalars[0]!r} holds one value.")
    columns = {str(name): read_column(values, str(name)) for name, values in given.items()}
    _refuse_repeated(columns, given)
    lengths = {name: column.rows for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise TableError(f"The columns of a table must be of one length; found {lengths}.")
    rows = next(iter(lengths.values()), 0)
    _refuse_empty((rows, len(columns)))
    return Table(tuple(columns), rows, named=True, columns=columns)


def _from_frame(frame: nw.DataFrame[Any]) -> Table:
    _refuse_empty(frame.shape)
    names = tuple(str(name) for name in frame.columns)
    columns = {name: _column_of_series(s, name) for name, s in zip(names, frame.iter_columns(), strict=True)}
    _refuse_repeated(columns, names)
    return Table(names, frame.shape[0], named=True, library=frame.implementation, columns=columns)


def _refuse_repeated(columns: Mapping[str, Column], names: Iterable[Any]) -> None:
    if len(columns) < len(list(names)):
        raise TableError(f"Column names must differ from each other as text; found {list(names)}.")


def _refuse_empty(shape: tuple[int, ...]) -> None:
    if shape[0] == 0:
        raise TableError(f"Found array with 0 sample(s) (shape={shape}) while a minimum of 1 is required.")
    if shape[1] == 0:
        raise TableError(f"Found array with 0 feature(s) (shape={shape}) while a minimum of 1 is required.")


def _column_of(values: np.ndarray[Any, Any], name: str) -> Column:
    """A numpy column; one of objects is judged by what it holds."""
    if values.ndim != 1:
        return _odd_column(name, len(values) if values.ndim else 0, ["list"])
    kind, rows = values.dtype.kind, len(values)
    if kind in "fiu":
        return Column(NUMBER if kind == "f" else INTEGER, rows, lambda: values, lambda: encoded_values(values))
    if kind == "b":
        return Column(BOOLEAN, rows, _unreadable, lambda: encoded_values(values))
    if kind in "mM":
        return Column(DATE, rows, _unreadable, _unreadable)
    try:
        found = encoded_objects(values.tolist())
    except TypeError:  # a cell that cannot be hashed
        return _odd_column(name, rows, sorted({type(value).__name__ for value in values}))
    if not found.levels:
        return Column(EMPTY, rows, lambda: np.full(rows, np.nan), lambda: found)
    if all(isinstance(level, str) for level in found.levels):
        return Column(TEXT, rows, _unreadable, lambda: found)
    if all(isinstance(level, bool) for level in found.levels):
        codes = np.where(found.codes < 0, -1, np.asarray([*found.levels, False])[found.codes])
        return Column(BOOLEAN, rows, _unreadable, lambda: Encoded(codes, (False, True), declared=True))
    if all(isinstance(level, date) for level in found.levels):
        return Column(DATE, rows, _unreadable, _unreadable)
    if all(isinstance(level, Real | Decimal) and not isinstance(level, bool) for level in found.levels):
        numbers = np.asarray([*map(float, found.levels), np.nan])[found.codes]
        return Column(NUMBER, rows, lambda: numbers, lambda: encoded_values(numbers))
    return _odd_column(name, rows, sorted({type(level).__name__ for level in found.levels}))


def _odd_column(name: str, rows: int, types: Sequence[str]) -> Column:
    """A column that is an error as soon as it is asked for."""

    def refuse() -> Any:
        raise TableTypeError(
            f"Column '{name}': the argument must be a string or a number in every cell, and one of them throughout; "
            f"found cells of types {', '.join(types)}. Convert it, or declare it 'ignore'."
        )

    return Column(OTHER, rows, refuse, refuse)


def _column_of_series(series: Any, name: str) -> Column:
    dtype, rows = series.dtype, len(series)
    if dtype.is_temporal():
        return Column(DATE, rows, _unreadable, _unreadable)
    if dtype.is_numeric():
        values = _once(lambda: _numbers(series))
        return Column(INTEGER if dtype.is_integer() else NUMBER, rows, values, lambda: encoded_values(values()))
    if dtype == nw.Boolean:
        return Column(BOOLEAN, rows, _unreadable, _once(lambda: _encoded_booleans(series)))
    if isinstance(dtype, (nw.String, nw.Categorical, nw.Enum)):
        return Column(TEXT, rows, _unreadable, _once(lambda: _encoded_text(series)))
    return _column_of(np.asarray(series.to_list(), dtype=object), name)


def _numbers(series: nw.Series[Any]) -> np.ndarray[Any, Any]:
    values = series.to_numpy()
    if values.dtype.kind in "fiu":
        return np.asarray(values)
    return np.asarray(series.cast(nw.Float64).to_numpy(), dtype=float)


def _encoded_booleans(series: nw.Series[Any]) -> Encoded:
    known = ~series.is_null().to_numpy()
    codes = np.where(known, series.fill_null(False).to_numpy().astype(bool), -1)
    return Encoded(codes.astype(np.intp), (False, True), declared=True)


def _encoded_text(series: Any) -> Encoded:
    """By the frame library's own dictionary encoding."""
    native = series.to_native()
    if series.implementation.is_pandas_like():
        category = native.dtype.name == "category"
        codes, levels = (native.cat.codes, native.cat.categories) if category else native.factorize()
        return in_order(Encoded(np.asarray(codes).astype(np.intp), tuple(levels.tolist()), category))
    if series.implementation.is_polars():
        declared = isinstance(series.dtype, nw.Enum)
        if not declared:
            text = series.cast(nw.String)
            series = text.cast(nw.Enum(text.drop_nulls().unique().sort().to_list()))
        codes = series.to_native().to_physical().cast(int).fill_null(-1).to_numpy()
        return in_order(Encoded(codes.astype(np.intp), tuple(series.dtype.categories), declared))
    whole = native.combine_chunks()
    dictionary = whole if isinstance(series.dtype, nw.Categorical) else whole.dictionary_encode()
    codes = dictionary.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.intp)
    declared = isinstance(series.dtype, nw.Categorical)
    return in_order(Encoded(codes, tuple(dictionary.dictionary.to_pylist()), declared))


def _taken(column: Column, rows: Codes) -> Column:
    return Column(column.type, len(rows), lambda: column.values()[rows], lambda: column.encoded().take(rows))


def _once(read: Callable[[], Any]) -> Callable[[], Any]:
    kept: list[Any] = []

    def answer() -> Any:
        if not kept:
            kept.append(read())
        return kept[0]

    return answer


def _unreadable() -> Any:
    raise TableError("This column holds no numbers.")
