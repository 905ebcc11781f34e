"""Stage 1, forms of files: what every file says of itself, and those that have types, Parquet and Feather (Arrow).

In:  a path.
Out: File: names and types of its columns, and its rows as record batches of pyarrow, of some thirty megabytes each.

Files of text have no types of their own: those of the first megabytes are taken for them (`data/text_files.py`).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from os import SEEK_END
from pathlib import Path
from typing import TYPE_CHECKING

from suffice.errors import FileError
from suffice.extras import needed
from suffice.store import openable

if TYPE_CHECKING:  # which is imported when it is needed
    import pyarrow as pa

BATCH_CELLS = 1 << 22  # of a batch: 32 megabytes of numbers, beside whose sums its own cost in Python is small
BUFFER = 1 << 20  # bytes that are read ahead of each column, whatever the size of its row groups
BLOCK = 1 << 22  # bytes of text that are read at a time
HEAD = 1 << 23  # bytes of text whose types are taken for those of the file
PACKING = {".gz": "gzip", ".zst": "zstd", ".bz2": "bz2"}
END_OF_STREAM = b"\xff\xff\xff\xff\0\0\0\0"  # what a stream of Arrow ends with
Names = tuple[str, ...]
Types = Mapping[str, "pa.DataType"]  # of columns
Skip = Callable[[str], None]  # what is done with a line that is left out: which, and why


class File(ABC):
    """One file: the types of its columns, and its rows as record batches.

    `skip` hears of lines that have too many cells or too few, which are then left out; without it they are an error.
    `encoding` is that of a file of text, where somebody knows it.
    """

    def __init__(self, path: Path, skip: Skip | None = None, encoding: str | None = None) -> None:
        self.path, self.skip, self.given = path, skip, encoding

    @cached_property
    @abstractmethod
    def schema(self) -> "pa.Schema":
        """Names and types of the columns, by pyarrow."""

    @abstractmethod
    def record_batches(self, columns: Names, types: Types) -> "Iterable[pa.RecordBatch]":
        """Rows of some columns; types are those of all files together."""

    @property
    def rows(self) -> int | None:
        """How many, where the file says so."""
        return None

    @property
    def typed(self) -> bool:
        """Whether its columns have types of their own."""
        return True

    @property
    def whole(self) -> bool:
        """Whether all of its rows are of those types, or they are only those of its head."""
        return True


class Parquet(File):
    @cached_property
    def opened(self) -> "pa.parquet.ParquetFile":
        with openable(self.path) as name:
            return needed("pyarrow.parquet", "arrow", "Parquet").ParquetFile(name)

    @cached_property
    def schema(self) -> "pa.Schema":
        return self.opened.schema_arrow

    @property
    def rows(self) -> int:
        return int(self.opened.metadata.num_rows)

    def record_batches(self, columns: Names, types: Types) -> "Iterable[pa.RecordBatch]":
        """By file, since a scanner of several would read far ahead of whoever works on the batches."""
        texts = [name for name in columns if is_text(self.schema.field(name).type)]
        parquet = needed("pyarrow.parquet", "arrow", "Parquet")
        with openable(self.path) as name:
            opened = parquet.ParquetFile(name, read_dictionary=texts, pre_buffer=False, buffer_size=BUFFER)
        with opened as file:
            yield from file.iter_batches(max(1, BATCH_CELLS // len(self.schema)), columns=list(columns))


class Feather(File):
    """The file format of Arrow, or its stream format."""

    @cached_property
    def schema(self) -> "pa.Schema":
        with self._opened() as file:
            return file.schema

    def _opened(self, fields: list[int] | None = None) -> "pa.ipc.RecordBatchFileReader":
        ipc, arrow = needed("pyarrow.ipc", "arrow", "Feather"), needed("pyarrow", "arrow", "Feather")
        with self.path.open("rb") as file:
            opened = ipc.open_file if file.read(6) == b"ARROW1" else ipc.open_stream
        with openable(self.path) as name:
            found = opened(arrow.memory_map(name), options=ipc.IpcReadOptions(included_fields=fields))
        if opened is ipc.open_stream:
            self._refuse_cut()
        return found

    def _refuse_cut(self) -> None:
        """A stream that was cut between two of its batches would read as whole but for the mark at its end."""
        with self.path.open("rb") as file:
            file.seek(-len(END_OF_STREAM), SEEK_END)
            ended = file.read() == END_OF_STREAM
        if not ended:
            raise FileError(
                f"{str(self.path)!r} is a stream of Arrow without the mark that ends one: it was cut, or its writer "
                "was not closed. Write it again."
            )

    def record_batches(self, columns: Names, types: Types) -> "Iterable[pa.RecordBatch]":
        included = [self.schema.get_field_index(name) for name in columns]
        with self._opened(included) as file:
            every = (file.get_batch(i) for i in range(file.num_record_batches)) if hasattr(file, "get_batch") else file
            step = max(1, BATCH_CELLS // len(self.schema))
            yield from (some.slice(start, step) for some in every for start in range(0, len(some), step))


def is_text(kind: "pa.DataType | None") -> bool:
    return str(kind) in ("string", "large_string", "string_view")
