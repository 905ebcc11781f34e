"""Stage 1, rows that come in batches: files, streams of Arrow and what else is larger than memory.

In:  paths and globs, or any object that hands out batches of Arrow: readers, datasets, relations and cursors.
Out: Batches: a catalogue (names, how many rows, a head), and tables one after the other, as often as asked for. Only
     the columns asked for are read, and the next batch is read while one is worked on.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from os import PathLike
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from suffice.data.encodings import checked
from suffice.data.files import Batch, Files, open_files, record_batches
from suffice.data.foreign import guarded, said_by
from suffice.data.formats import Names, is_text
from suffice.data.frames import for_arrow, is_dask, is_frame, is_spark, lazy_frame, read_series, refuse_no_files
from suffice.data.frames import named_apart as of_frames
from suffice.data.persisted import FilesInDask, InDask, InSpark, SparkFrame, T, There, Work, selected
from suffice.data.reading import Reading
from suffice.data.table import IntoTable
from suffice.errors import ParameterError, SufficeError, TableError
from suffice.extras import needed
from suffice.lazy import lazy
from suffice.options import several, shown
from suffice.progress import progress
from suffice.threads import ahead

if TYPE_CHECKING:  # which is imported when it is needed
    import pyarrow as pa

LAZY = "collect_batches"  # what a lazy frame of Polars has
HEAD = 10_000  # rows
UNREADABLE = "The rows of this source cannot be read"
READERS = ("to_arrow_reader", "fetch_record_batch")  # what cursors call it, in DuckDB and in ADBC


class Streams(Protocol):
    """What hands out a stream of Arrow."""

    def __arrow_c_stream__(self) -> object: ...


@dataclass(frozen=True, eq=False)
class Batches:
    """Rows in batches. `read` opens them for some columns, or all; those that come only once are an error then."""

    names: Names
    opened: Callable[[Names], Iterator[Batch]]
    rows: int | None = None  # where that is known beforehand
    again: bool = True  # whether they can be read more than once
    first: Callable[[], Batch | None] | None = None  # the first rows, where they can be had without opening all
    there: There | None = None  # where batches lie elsewhere: how their holders work on them
    files: Files | None = None  # where that is where they are

    @lazy
    def head(self) -> "pa.Table":
        """The first rows, with all columns: what a plan looks at."""
        first = next(self.opened(self.names), None) if self.first is None else self.first()
        if first is None:
            raise TableError("There are no rows to read.")
        return first.table

    def read(self, columns: Sequence[str] | None = None) -> Iterator[Batch]:
        """Batches of some columns, in order, with progress on long work."""
        return self._watched(self.opened(self._among(columns)))

    def beside(self, own: Sequence[str] | None, kept: Sequence[str]) -> Iterator[Batch]:
        """The same, and beside them columns to keep, of files of text as they are written there."""
        mine = self._among(own)
        if self.files is not None:
            return self._watched(self.files.beside(mine, tuple(kept)))
        return self.read([*mine, *kept])

    def missing_row(self) -> "pa.Table | None":
        """A row with nothing in it, of files, which have types even where they have no rows."""
        if self.files is None:
            return None
        arrow = needed("pyarrow", "arrow", "Reading files")
        return arrow.table({name: arrow.nulls(1, kind) for name, kind in self.files.types.items()})

    def _among(self, columns: Sequence[str] | None) -> Names:
        some = None if columns is None else set(columns)
        return self.names if some is None else tuple(name for name in self.names if name in some)

    def _watched(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        return progress(ahead(batches), "rows read", self.rows, lambda batch: int(batch.table.num_rows))

    def summed(self, columns: Sequence[str], work: Work[T], again: bool = False) -> T | None:
        """What some work makes of batches, with the number of their partition, added up; None where it made nothing.

        Batches that lie elsewhere are worked on there, a partition at a time: what comes here is a sum. Columns that
        are to be worked on `again` are kept there until `close`.
        """
        wanted = self._among(columns)
        return work(0, self.read(wanted)) if self.there is None else self.there(wanted, work, again)

    def close(self) -> None:
        """Holders of batches that lie elsewhere need not keep them any longer."""
        if self.there is not None:
            self.there.release()

    def whole(self) -> "pa.Table":
        """All rows as one table in memory, for what has to see them one by one."""
        tables = [batch.table for batch in self.read()]
        if not tables:
            raise TableError("There are no rows to read.")
        return needed("pyarrow", "arrow", "A stream of Arrow").concat_tables(tables, promote_options="default")


IntoRows = IntoTable | PathLike[str] | Streams | Batches  # a table, or a source of batches: paths, streams


def batches(
    source: IntoRows, columns: Sequence[str] | None = None, *, encoding: str | None = None
) -> "Iterator[pa.Table]":
    r"""Read the rows of a source as tables of pyarrow, one after the other, with some columns or all.

    `source` is a path or a glob, a list of them (.parquet .csv .tsv .feather .arrow .jsonl, also .gz and .zst), or an
    object that hands out batches of Arrow, such as a relation of DuckDB. Only a batch or two are in memory at a time.
    `encoding` is that of files of text that are not in UTF-8, such as "cp1252".

    Raises
    ------
    NoFileError
        If there is no such file, and none matches the pattern.
    TableError
        If `source` is not a source of batches, or lacks one of the `columns`.

    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> from suffice import batches
    >>> path = Path(mkdtemp()) / "rows.csv"
    >>> _ = path.write_text("x,y\n1,a\n2,b\n")
    >>> sum(len(table) for table in batches(path))
    2

    """
    refuse_no_files(source)
    found = open_batches(source, Reading(encoding=checked(encoding)))
    if found is None:
        raise TableError(
            f"Expected a path, a list of paths or a stream of Arrow; found {type(source).__name__}, which is not a "
            "source of batches. A table in memory does not need one."
        )
    wanted = None if columns is None else _names(columns)
    refuse_absent(wanted or (), found.names)
    return (batch.table for batch in found.read(wanted))


def _names(columns: Sequence[str]) -> list[str]:
    names = several(columns)
    if names is None or not all(isinstance(name, str) for name in names):
        raise ParameterError(f"columns must be a list of names; found {shown(columns)}.")
    return names


def open_batches(source: IntoRows, reading: Reading | None = None) -> Batches | None:
    """What a source says of itself, or None where it is no source of batches.

    Files without types of their own, CSV and JSON lines, are read as `reading` says.
    """
    if not is_source(source) or isinstance(source, Batches):
        return source if isinstance(source, Batches) else None
    if isinstance(source, str | PathLike | list | tuple):
        files = open_files(paths_of(source), reading or Reading())
        return Batches(files.names, files.read, files.rows, files=files)
    if hasattr(source, LAZY):
        return _lazy(source)
    if is_spark(source):
        return _of_spark(source)
    if hasattr(source, "__arrow_c_stream__"):
        return _stream(partial(_from_stream, source), again=not hasattr(source, "read_next_batch"))
    if hasattr(source, "get_fragments"):
        return _dataset(source)
    if is_dask(source):
        return _of_dask(source)
    lazy = lazy_frame(source)
    if lazy is not None:
        return _stream(lambda: lazy.collect("pyarrow").to_native().to_reader(), again=True)
    return _stream(next(getattr(source, name) for name in READERS if hasattr(source, name)), again=False)


def paths_of(source: IntoRows) -> list[str | PathLike[str]]:
    return [source] if isinstance(source, str | PathLike) else list(source) if isinstance(source, list | tuple) else []


def is_source(rows: IntoRows) -> bool:
    """Whether rows come in batches: paths, datasets and streams of Arrow, and what hands them out; no table."""
    if isinstance(rows, np.ndarray | Mapping):  # most often, and soon said
        return False
    if isinstance(rows, list | tuple):
        return bool(rows) and all(isinstance(one, str | PathLike) for one in rows)
    if isinstance(rows, str | PathLike | Batches):
        return True
    if any(hasattr(rows, way) for way in ("__arrow_c_stream__", "get_fragments", *READERS)):
        return not is_frame(rows) and read_series(rows) is None
    return is_dask(rows) or lazy_frame(rows) is not None


def named_apart(table: IntoRows, *given: Any) -> tuple[Any, ...]:
    """A table, or source of batches, then columns: those given by name are taken from it, and are no features.

    The first of them is the label.
    """
    source = open_batches(table, Reading(label=given[0] if given and isinstance(given[0], str) else None))
    if source is None:
        return of_frames(table, *given)
    names = [name for name in given if isinstance(name, str)]
    refuse_absent(names, source.names)
    held = replace(source, names=tuple(names)).whole() if names else {}
    return (
        table if source.again else source,
        *(held[some] if isinstance(some, str) else some for some in given),
    )


def refuse_absent(names: Sequence[str], there: Sequence[str]) -> None:
    known = set(there)
    absent = [name for name in names if name not in known]
    if absent:
        raise TableError(f"There is no column {absent[0]!r}; the table has {', '.join(map(repr, there))}.")


@contextmanager
def told_where(place: str) -> Iterator[None]:
    """What is wrong with a batch is said with where its rows are."""
    try:
        yield
    except SufficeError as error:
        error.args = (f"In {place}: {error.args[0]}", *error.args[1:]) if place else error.args
        raise


def _from_stream(source: IntoRows) -> "pa.RecordBatchReader":
    return needed("pyarrow", "arrow", "A stream of Arrow").RecordBatchReader.from_stream(source)


def _stream(reader: "Callable[[], pa.RecordBatchReader]", again: bool) -> Batches:
    """Of readers of record batches: one is begun at once, for its head; others when they are asked for."""
    with said_by(UNREADABLE):
        begun = reader()
        names, first = tuple(begun.schema.names), next(iter(begun), None)
    waiting = [] if first is None else [chain([first], begun)]

    def opened(columns: Names) -> Iterator[Batch]:
        if not (waiting or again):
            raise TableError(
                "This stream has no rows, or has already been read; it can be read only once. Give its source: a "
                "path, a relation or a table."
            )
        return record_batches(guarded(iter(waiting.pop() if waiting else reader()), UNREADABLE), columns)

    return Batches(names, opened, None, again, lambda: first and next(record_batches([first], names)))


def _lazy(source: Any) -> Batches:
    """Of a lazy frame of Polars."""

    def opened(columns: Names) -> Iterator[Batch]:
        some = for_arrow(source.select(columns)).collect_batches(maintain_order=True)
        tables = (frame.to_arrow() for frame in guarded(some, UNREADABLE))
        return record_batches((batch for table in tables for batch in table.to_batches()), columns)

    with said_by(UNREADABLE):
        names = tuple(source.collect_schema().names())
        first = next(record_batches(for_arrow(source).head(HEAD).collect().to_arrow().to_batches(), names), None)
    return Batches(names, opened, first=lambda: first)


def _of_spark(source: Any) -> Batches:
    """Of a frame of PySpark: a partition at a time where it can stream them, else all at once."""

    def opened(columns: Names, frame: SparkFrame = source) -> Iterator[Batch]:
        some = selected(frame, columns)
        reader = _from_stream(some) if hasattr(some, "__arrow_c_stream__") else some.toArrow().to_reader()
        return record_batches(reader, columns)

    names = tuple(source.columns)
    return Batches(
        names,
        opened,
        first=lambda: next(opened(names, source.limit(HEAD)), None),
        there=There(partial(InSpark, source)),
    )


def _of_dask(source: Any) -> Batches:
    """Of a frame of Dask, a partition at a time."""
    arrow = needed("pyarrow", "arrow", "A frame of Dask")

    def opened(columns: Names) -> Iterator[Batch]:
        parts = (part.compute() for part in source[list(columns)].to_delayed())
        tables = (arrow.Table.from_pandas(part, preserve_index=False) for part in parts)
        return record_batches((batch for table in tables for batch in table.to_batches()), columns)

    names = tuple(map(str, source.columns))
    return Batches(names, opened, first=partial(_head_in_dask, source, names), there=There(partial(InDask, source)))


def _head_in_dask(frame: Any, names: Names) -> Batch | None:
    """Rows of the first partition that has any: Dask's own head would have all partitions made."""
    dask, arrow = needed("dask", "dask", "Dask"), needed("pyarrow", "arrow", "A frame of Dask")
    heads = (dask.delayed(_first_rows)(part).compute() for part in frame.to_delayed())
    rows = next((some for some in heads if len(some)), None)
    if rows is None:
        return None
    return next(record_batches(arrow.Table.from_pandas(rows, preserve_index=False).to_batches(), names))


def _first_rows(rows: Any) -> Any:
    return rows[:HEAD]


def on_workers(source: IntoRows, reading: Reading) -> Batches:
    """Files that the workers of Dask read, each of them a partition."""
    files = open_files(paths_of(source), reading)
    texts = frozenset(name for name, kind in files.types.items() if is_text(kind))
    paths, alone = [str(file.path.absolute()) for file in files.files], replace(reading, texts=texts, skip=None)
    there = There(partial(FilesInDask, paths, partial(_alone, alone)))
    return Batches(files.names, files.read, files.rows, there=there, files=files)


def _alone(reading: Reading, path: str) -> Callable[[Names], Iterator[Batch]]:
    """One of several files, with the columns of text that all have together."""
    return open_files([path], reading).read


def _dataset(source: "pa.dataset.Dataset") -> Batches:
    """Of a dataset of pyarrow, which would read far ahead of whoever works on it."""

    def opened(columns: Names) -> Iterator[Batch]:
        some = source.to_batches(columns=list(columns), batch_readahead=2, fragment_readahead=1)
        return record_batches(some, columns)

    return Batches(tuple(source.schema.names), opened)
