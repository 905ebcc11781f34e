"""Stage 1, data frames: the only file that knows pandas, polars and pyarrow, through narwhals.

In:  frames and series of those libraries. Out: Columns, and tables in the library that the user came with.
"""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import narwhals
import narwhals.stable.v2 as nw
import numpy as np
from narwhals.exceptions import DuplicateError

from suffice.arrays import MISSING, Codes, Values
from suffice.data.columns import (
    BOOLEAN,
    DATE,
    DTYPES,
    DURATION,
    INTEGER,
    NUMBER,
    TEXT,
    TIME,
    Column,
    are_rows,
    column_of,
    columns_of_rows,
    once,
    unreadable,
)
from suffice.data.formats import is_text
from suffice.data.levels import Encoded, Level, encoded_objects, encoded_values, in_order, of_one_type, plain
from suffice.errors import TableError

NOT_IN_NUMPY = (nw.Int128, nw.UInt128)  # types of integers that come as floats, or one by one

Library = nw.Implementation
Frame = nw.DataFrame[Any]  # of whichever library the user came with
LazyFrame = nw.LazyFrame[Any]  # of an engine that holds the rows
Series = narwhals.Series[Any]
CODED_TEXT = {b"suffice": b"text"}  # a field of Arrow that is text, and came as codes because that is faster to read
SHORT = 64  # rows up to which cells are read one by one sooner than columns


def read_frame(data: Any) -> Frame | None:
    """A narwhals frame with its rows in memory, or None where the data is no frame."""
    frame = _known(_whole(data))
    if isinstance(frame, nw.LazyFrame):
        raise TableError("This is a lazy frame, which holds no rows yet. Call .collect() on it first.")
    return frame if isinstance(frame, nw.DataFrame) else None


def _known(data: Any) -> Frame | LazyFrame | None:
    """A frame of narwhals, or None where it does not know the data."""
    try:
        frame = nw.from_native(data, pass_through=True)
    except DuplicateError as error:
        raise TableError(f"Column names must differ from each other. {error}") from None
    return frame if isinstance(frame, nw.DataFrame | nw.LazyFrame) else None


def lazy_frame(data: Any) -> LazyFrame | None:
    """A lazy frame of narwhals, or None where the data is none; Dask has partitions instead."""
    if isinstance(data, np.ndarray | Mapping | str | list | tuple):
        return None
    frame = _known(data)
    return frame if isinstance(frame, nw.LazyFrame) and not frame.implementation.is_dask() else None


def for_arrow(source: Any) -> Any:
    """A lazy frame of Polars as Arrow can have it: integers of 128 bits as decimals, and categories as texts.

    A Categorical names no levels, but the dictionary that Arrow would make of it does.
    """
    polars = nw.from_native(source).implementation.to_native_namespace()
    large = [getattr(polars, name) for name in ("Int128", "UInt128") if hasattr(polars, name)]
    changed = {name: kind for name, kind in source.collect_schema().items() if kind in (polars.Categorical, *large)}
    into = {True: polars.Decimal(38, 0), False: polars.String}
    return source.with_columns(polars.col(name).cast(into[kind in large]) for name, kind in changed.items())


def is_dask(data: Any) -> bool:
    """Whether it is a frame of Dask, whose rows lie in partitions."""
    return type(data).__module__.startswith("dask.")


def is_spark(data: Any) -> bool:
    """Whether it is a frame of PySpark."""
    return type(data).__module__.startswith("pyspark.sql")


def read_series(values: Any) -> Series | None:
    """A narwhals series, or None where the values are none."""
    if values is None or isinstance(values, np.ndarray | list | tuple | str):
        return None
    of_arrow = type(values).__module__ == "pyarrow.lib" and hasattr(values, "null_count")
    if of_arrow and not hasattr(values, "combine_chunks"):  # one of its plain arrays
        import pyarrow

        values = pyarrow.chunked_array([values])
    series = nw.from_native(values, series_only=True, pass_through=True)
    return series if isinstance(series, nw.Series) else None


def in_numpy(values: Any) -> Any:
    """A series of integers for which NumPy has no type as floats; anything else as it is."""
    series = read_series(values)
    return _numbers(series) if series is not None and series.dtype in NOT_IN_NUMPY else values


def by_name(values: Any) -> Any:
    """A pandas series with names for its values as {name: value}; anything else as it is."""
    series = read_series(values)
    if series is None or not series.implementation.is_pandas_like():
        return values
    index = list(values.index)
    return dict(zip(index, series.to_list(), strict=True)) if index != list(range(len(index))) else values


def is_frame(data: Any) -> bool:
    if isinstance(data, np.ndarray):
        return False
    try:
        return isinstance(nw.from_native(_whole(data), pass_through=True), nw.DataFrame)
    except DuplicateError:  # read_frame says so
        return True


def named_apart(table: Any, *given: Any) -> tuple[Any, ...]:
    """A table without the columns that are given by name, then those columns; what is no name stays as it is."""
    names = [name for name in given if isinstance(name, str)]
    if len(set(names)) < len(names):
        raise TableError(f"Column {names[0]!r} cannot hold both labels and weights; name a column for each.")
    found = {}
    for name in names:
        table, found[name] = _split_column(table, name)
    return (table, *(found[some] if isinstance(some, str) else some for some in given))


def refuse_no_files(table: Any) -> None:
    """A list without paths has neither rows nor columns to name."""
    if isinstance(table, list | tuple) and not table:
        raise TableError("The list of files is empty, so there are no rows. Give the path of at least one file.")


def _split_column(table: Any, name: str) -> tuple[Any, Any]:
    """A table without one of its columns, and that column."""
    if are_rows(table):
        _, cells = _split_column(columns_of_rows(table), name)
        return [{other: cell for other, cell in row.items() if str(other) != name} for row in table], cells
    frame = table if isinstance(table, Mapping) else nw.from_native(_whole(table), eager_only=True, pass_through=True)
    if not isinstance(frame, Mapping | nw.DataFrame):
        refuse_no_files(table)
        raise TableError(
            f"Only a table with named columns has one called {name!r}; found {type(table).__name__}. Give one value "
            "for each row instead of a name, or a data frame or dict of columns."
        )
    columns = list(frame) if isinstance(frame, Mapping) else frame.columns
    own = next((column for column in columns if str(column) == name), None)
    if own is None:
        raise TableError(f"There is no column {name!r}; the table has {', '.join(map(repr, columns))}.")
    if isinstance(frame, Mapping):
        return {other: values for other, values in frame.items() if other != own}, frame[own]
    return frame.drop(own).to_native(), frame[own].to_native()


def named_rows(table: Any, stub: str = "action") -> list[tuple[Level, dict[str, Any]]] | None:
    """A frame as row names and {column: cell}: its rows are named by a column called `stub`, or by a pandas index."""
    frame = read_frame(table)
    if frame is None:
        return None
    if stub in frame.columns:
        names, frame = frame[stub].to_list(), frame.drop(stub)
    elif frame.implementation.is_pandas_like():
        names = list(frame.to_native().index)
    else:
        return None
    return list(zip(names, frame.rows(named=True), strict=True))


def columns_out(library: Library | None, columns: Mapping[str, Sequence[Any] | Values]) -> Any:
    """A table for the user, in the library the data came in, or a dict of arrays."""
    if library is None:
        return {name: np.asarray(values) for name, values in columns.items()}
    return nw.from_dict(dict(columns), backend=library.to_native_namespace()).to_native()


def with_columns(frame: Frame, changed: Mapping[int, Values]) -> Any:
    """A frame with some columns, by position, replaced; categories and texts keep the type they have."""
    for position, values in changed.items():
        name = frame.columns[position]
        old, new = frame[name], nw.new_series(name, values.tolist(), backend=frame.implementation)
        if isinstance(old.dtype, (nw.String, nw.Categorical, nw.Enum, nw.Boolean)):
            new = new.cast(old.dtype)
        frame = frame.with_columns(new)
    return frame.to_native()


def _whole(data: Any) -> Any:
    """A record batch, which a pyarrow reader hands out, as the table it is a piece of; anything else as it is."""
    if type(data).__name__ != "RecordBatch":
        return data
    import pyarrow

    return pyarrow.Table.from_batches([data])


def columns_of_frame(frame: Frame, names: Sequence[str]) -> dict[str, Column]:
    """The columns of a narwhals frame by name."""
    if frame.implementation.is_pandas() and len(frame) <= SHORT:
        return _few_rows(frame.to_native(), names)
    columns = {name: column_of_series(series, name) for name, series in zip(names, frame.iter_columns(), strict=True)}
    if frame.implementation.is_pyarrow():
        for name, field in zip(names, frame.to_native().schema, strict=True):
            if field.metadata == CODED_TEXT:
                columns[name] = columns[name].undeclared()
    return columns


def _few_rows(native: Any, names: Sequence[str]) -> dict[str, Column]:
    """A frame of pandas read at once, since a row of it costs less than asking for its columns one by one."""
    cells = native.to_numpy(dtype=object)
    columns = zip(names, native.dtypes, cells.T, strict=True)
    return {name: _of_cells(native, j, name, dtype, mine) for j, (name, dtype, mine) in enumerate(columns)}


def _of_cells(native: Any, position: int, name: str, dtype: Any, cells: Values) -> Column:
    if isinstance(dtype, np.dtype) and dtype.kind in "fiub":
        return column_of(cells.astype(dtype), name)
    if type(dtype).__name__ == "StringDtype":
        return Column(TEXT, len(cells), unreadable, once(lambda: encoded_objects(cells.tolist())))
    return column_of_series(nw.from_native(native.iloc[:, position], series_only=True), name)


def column_of_series(series: Series, name: str) -> Column:
    dtype, rows = series.dtype, len(series)
    if isinstance(dtype, nw.Categorical) and _in_arrow(series):
        return column_of_series(_from_arrow(series), name)
    if dtype.is_temporal():
        return Column(_temporal(dtype), rows, unreadable, unreadable)
    if dtype.is_numeric():
        values = once(lambda: _numbers(series))
        if dtype.is_integer():
            return Column(INTEGER, rows, values, once(lambda: _encoded_integers(series, values())))
        if dtype == nw.Decimal:  # which floats do not tell apart
            return Column(NUMBER, rows, values, once(lambda: encoded_objects(series.to_list())))
        return Column(NUMBER, rows, values, once(lambda: encoded_values(values())))
    if dtype == nw.Boolean:
        return Column(BOOLEAN, rows, unreadable, once(lambda: _encoded_booleans(series)))
    if dtype == nw.String and _untyped(series):
        return column_of(np.full(rows, None), name)
    if isinstance(dtype, (nw.String, nw.Categorical, nw.Enum)):
        return Column(TEXT, rows, unreadable, once(lambda: _encoded_text(series)), _spelled(series))
    return column_of(np.asarray(series.to_list(), dtype=object), name)


def _in_arrow(series: Series) -> bool:
    """Whether it is a dictionary of Arrow within pandas, which has no categories of its own for it."""
    return series.implementation.is_pandas_like() and series.to_native().dtype.name != "category"


def _from_arrow(series: Series) -> Series:
    import pyarrow

    found: Series = nw.from_native(pyarrow.chunked_array([pyarrow.array(series.to_native())]), series_only=True)
    return found


def _untyped(series: Series) -> bool:
    """Whether it holds objects of pandas that are all missing, which narwhals takes for text."""
    native = series.to_native()
    return bool(series.implementation.is_pandas_like() and native.dtype == object and native.isna().all())


def _temporal(dtype: nw.dtypes.DType) -> str:
    return DURATION if dtype == nw.Duration else TIME if dtype == nw.Time else DATE


def _spelled(series: Series) -> str | None:
    """Categories may be of any type; those that are times are written out, and said to be."""
    if not isinstance(series.dtype, nw.Categorical) or series.implementation.is_polars():
        return None
    native = series.to_native()
    if series.implementation.is_pandas_like():
        return DTYPES.get(native.cat.categories.dtype.kind)
    if is_text(native.type.value_type):
        return None
    values = nw.from_native(native.slice(0, 0).cast(native.type.value_type), series_only=True)
    return _temporal(values.dtype) if values.dtype.is_temporal() else None


def _encoded_integers(series: Series, values: Values) -> Encoded:
    """By the integers themselves: where cells are missing, numbers are floats, which cannot tell large ones apart."""
    if series.dtype in NOT_IN_NUMPY:
        return encoded_objects(series.to_list())
    known = ~series.is_null().to_numpy()
    if known.all():
        return encoded_values(values)
    found = encoded_values(series.drop_nulls().to_numpy())
    codes = np.full(len(values), MISSING)
    codes[known] = found.codes
    return Encoded(codes, found.levels)


def _numbers(series: Series) -> Values:
    if series.dtype in NOT_IN_NUMPY:
        series = series.cast(nw.Float64)
    values = series.to_numpy()
    if values.dtype.kind in "fiu":
        return np.asarray(values)
    return np.asarray(series.cast(nw.Float64).to_numpy(), dtype=float)


def _encoded_booleans(series: Series) -> Encoded:
    known = ~series.is_null().to_numpy()
    codes = np.where(known, series.fill_null(False).to_numpy().astype(bool), -1)
    return Encoded(codes.astype(np.intp), (False, True), declared=True)


def _encoded_text(series: Series) -> Encoded:
    """By the frame library's own dictionary encoding."""
    native = series.to_native()
    if series.implementation.is_pandas_like():
        category = native.dtype.name == "category"
        codes, levels = (native.cat.codes, native.cat.categories) if category else _factorized(native)
        texts = of_one_type([_level(level) for level in levels.tolist()])
        return in_order(Encoded(np.asarray(codes).astype(np.intp), tuple(texts), category))
    if not series.implementation.is_polars():
        declared = isinstance(series.dtype, nw.Categorical)
        return _encoded_arrow(native.chunks if declared else [native.combine_chunks().dictionary_encode()], declared)
    if series.dtype == nw.String and find_spec("pyarrow"):
        return _encoded_arrow([native.to_arrow().dictionary_encode()], False)  # the faster of the two
    return _encoded_polars(series if series.dtype != nw.String else series.cast(nw.Categorical))


def _factorized(native: Any) -> tuple[Codes, Any]:
    """Codes by pandas, which before version 3 takes texts for one that differ only after a null character."""
    codes, levels = native.factorize()
    if native.dtype != object:
        return codes, levels
    cells, known = native.to_numpy(), codes >= 0
    if np.array_equal(levels.to_numpy()[codes[known]], cells[known]):
        return codes, levels
    met: dict[Any, int] = {}
    codes[known] = [met.setdefault(cell, len(met)) for cell in cells[known]]
    return codes, np.array(list(met), dtype=object)


def _level(value: Any) -> Level:
    """A category as it is if it is text, a number or a boolean, and as text if it is an interval or the like."""
    return plain(value) if isinstance(value, str | bool | int | float | np.generic) else str(value)


def _encoded_polars(series: Series) -> Encoded:
    """Codes of an Enum are into its levels; those of a Categorical into all that any column has ever had."""
    codes = series.to_native().to_physical().cast(int).fill_null(MISSING).to_numpy()
    if isinstance(series.dtype, nw.Enum):
        return in_order(Encoded(codes, tuple(series.dtype.categories), declared=True))
    row = np.full(codes.max(initial=MISSING) + 2, MISSING)  # some row that has the code; the last place is of none
    row[codes] = np.arange(len(codes))
    met = np.flatnonzero(row[:-1] >= 0)
    rank = np.full(len(row), MISSING)
    rank[met] = np.arange(len(met))
    return in_order(Encoded(rank[codes], tuple(series[row[met]].cast(nw.String).to_list())))


def _encoded_arrow(chunks: Sequence[Any], declared: bool) -> Encoded:
    """Chunks each have a dictionary, in which a level may stand twice, or the missing have a place."""
    codes: list[Codes] = []
    levels: list[Any] = []
    for chunk in chunks:
        known, gone = chunk.indices, chunk.indices.null_count  # indices may be unsigned
        own = (known.cast("int64").fill_null(MISSING) if gone else known).to_numpy().astype(np.int64, copy=False)
        codes.append(np.where(own < 0, MISSING, own + len(levels)) if levels else own)
        levels += [level if level is None else _level(level) for level in chunk.dictionary.to_pylist()]
    found = encoded_objects(levels)
    return Encoded(np.append(found.codes, MISSING)[np.concatenate(codes)], found.levels, declared)
