"""Stage 1 the other way: tables into files of the forms that are read, one batch after the other.

In:  a path, whose ending says the form, the names and types of the columns, and tables.
Out: a file that is there whole or not at all.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from suffice.data.as_written import csv_lines, header_line, json_rows, mark, readable, typed
from suffice.data.files import form_of
from suffice.data.formats import PACKING
from suffice.errors import FileError
from suffice.extras import needed
from suffice.json_text import json_text
from suffice.store import openable, replacing

if TYPE_CHECKING:  # which is imported when it is needed
    import pyarrow as pa

Write = Callable[["pa.Table"], object]  # a table, after those before it
Opened = Callable[["pa.NativeFile", "pa.Schema"], AbstractContextManager[Write]]


@contextmanager
def written(path: str | PathLike[str], schema: "pa.Schema") -> Iterator[Write]:
    """What writes tables into a file, which appears when all is written; if anything fails, nothing does."""
    target, opened = Path(path), ExitStack()
    with replacing(target) as beside:
        with told_what_failed(target):
            arrow = needed("pyarrow", "arrow", "Writing files")
            packing = PACKING.get(target.suffix.lower())
            with openable(beside, "wb") as name:
                sink = opened.enter_context(arrow.output_stream(name, compression=packing))
            into = opened.enter_context(WRITERS[form_of(target)](sink, schema))

        def write(table: "pa.Table") -> None:
            with told_what_failed(target):
                into(table)

        try:
            yield write
        except BaseException:
            with suppress(Exception):  # what went wrong has been said
                opened.close()
            raise
        with told_what_failed(target):
            opened.close()


@contextmanager
def told_what_failed(target: Path) -> Iterator[None]:
    arrow = needed("pyarrow", "arrow", "Writing files")
    try:
        yield
    except (arrow.ArrowInvalid, arrow.ArrowNotImplementedError, arrow.ArrowTypeError) as error:
        raise FileError(
            f"{str(target)!r} was not written: its format cannot hold one of the columns ({error})."
        ) from None
    except OSError as error:
        said = f"{str(target)!r} could not be written, not even in part: {error.strerror or error}"
        raise OSError(error.errno, said) from None


@contextmanager
def _parquet(sink: "pa.NativeFile", schema: "pa.Schema") -> Iterator[Write]:
    with needed("pyarrow.parquet", "arrow", "Parquet").ParquetWriter(
        sink, typed(schema.empty_table()).schema
    ) as writer:
        yield lambda table: writer.write_table(typed(table))


@contextmanager
def _feather(sink: "pa.NativeFile", schema: "pa.Schema") -> Iterator[Write]:
    with needed("pyarrow.ipc", "arrow", "Feather").new_file(sink, typed(schema.empty_table()).schema) as writer:
        yield lambda table: writer.write_table(typed(table))


@contextmanager
def csv_rows(sink: "pa.NativeFile | BinaryIO", schema: "pa.Schema", delimiter: str = ",") -> Iterator[Write]:
    if any(mark(field) for field in schema):
        sink.write(header_line(schema.names, delimiter))
        yield lambda table: sink.write(csv_lines(table, delimiter))
        return
    csv = needed("pyarrow.csv", "arrow", "CSV")
    options = csv.WriteOptions(delimiter=delimiter, quoting_style="needed")
    with csv.CSVWriter(sink, readable(schema.empty_table()).schema, write_options=options) as writer:
        yield lambda table: writer.write_table(readable(table))


@contextmanager
def json_lines(sink: "pa.NativeFile | BinaryIO", schema: "pa.Schema") -> Iterator[Write]:
    if any(mark(field) for field in schema):
        yield lambda table: sink.write(json_rows(table))
        return

    def write(table: "pa.Table") -> None:
        for row in readable(table).to_pylist():
            sink.write(f"{json_text(row)}\n".encode())

    yield write


WRITERS: dict[str, Opened] = {
    ".parquet": _parquet,
    ".feather": _feather,
    ".arrow": _feather,
    ".csv": csv_rows,
    ".tsv": partial(csv_rows, delimiter="\t"),
    ".jsonl": json_lines,
    ".ndjson": json_lines,
}
