"""Stage 1, forms of files: Parquet, Feather (Arrow), CSV and JSON lines.

In:  a path.
Out: File: names and types of its columns, and its rows as record batches of pyarrow, of some thirty megabytes each.

Files of text have no types of their own: those of the first megabytes are taken for them.
"""

import codecs
import csv
import io
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from suffice.data.shallow import Shallow
from suffice.errors import FileError
from suffice.extras import needed
from suffice.store import openable

if TYPE_CHECKING:  # which is imported when it is needed
    import pyarrow as pa

BATCH_CELLS = 1 << 22  # of a batch: 32 megabytes of numbers, beside whose sums its own cost in Python is small
BUFFER = 1 << 20  # bytes that are read ahead of each column, whatever the size of its row groups
BLOCK = 1 << 22  # bytes of text that are read at a time
HEAD = 1 << 23  # bytes of text whose types are taken for those of the file
ENCODINGS = ("utf-8", "gb18030")  # tried in this order
DELIMITERS = ",;\t|"
PACKING = {".gz": "gzip", ".zst": "zstd", ".bz2": "bz2"}
Names = tuple[str, ...]
Types = Mapping[str, "pa.DataType"]  # of columns
Skip = Callable[[str], None]  # what is done with a line that is left out: which, and why


class File(ABC):
    """One file: the types of its columns, and its rows as record batches.

    `skip` hears of lines that have too many cells or too few, which are then left out; without it they are an error.
    """

    def __init__(self, path: Path, skip: Skip | None = None) -> None:
        self.path, self.skip = path, skip

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
            return opened(arrow.memory_map(name), options=ipc.IpcReadOptions(included_fields=fields))

    def record_batches(self, columns: Names, types: Types) -> "Iterable[pa.RecordBatch]":
        included = [self.schema.get_field_index(name) for name in columns]
        with self._opened(included) as file:
            every = (file.get_batch(i) for i in range(file.num_record_batches)) if hasattr(file, "get_batch") else file
            step = max(1, BATCH_CELLS // len(self.schema))
            yield from (some.slice(start, step) for some in every for start in range(0, len(some), step))


class Text(File):
    """Lines of text, perhaps packed, in UTF-8 (with a mark or without), GB18030, or UTF-16 with a mark."""

    @property
    def typed(self) -> bool:
        return False

    def stream(self) -> "pa.NativeFile":
        """Its bytes as UTF-8, unpacked."""
        arrow, stream = needed("pyarrow", "arrow", "Reading files of text"), self._unpacked()
        return stream if self.encoding == "utf-8" else arrow.transcoding_input_stream(stream, self.encoding, "utf8")

    @cached_property
    def head(self) -> bytes:
        with self._unpacked() as stream:
            return bytes(stream.read(HEAD + 1))

    def _unpacked(self) -> "pa.NativeFile":
        arrow, packing = needed("pyarrow", "arrow", "Reading files of text"), PACKING.get(self.path.suffix.lower())
        with openable(self.path) as name:
            return arrow.input_stream(name, compression=packing)

    @cached_property
    def encoding(self) -> str:
        if self.head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return "utf-16"
        found = next((name for name in ENCODINGS if _decodes(self.head, name)), None)
        if found is None:
            raise FileError(f"{str(self.path)!r} is text in neither UTF-8 nor GB18030. Convert it to UTF-8.")
        return found

    @property
    def whole(self) -> bool:
        return len(self.head) <= HEAD


class Csv(Text):
    odd = False  # whether lines have been left out

    @cached_property
    def delimiter(self) -> str:
        header = self.head.split(b"\n", 1)[0].decode(self.encoding, errors="ignore")
        return max(DELIMITERS, key=header.count)

    @cached_property
    def schema(self) -> "pa.Schema":
        with self._reader(HEAD) as reader:
            return reader.schema

    def _reader(self, block: int, types: Types | None = None) -> "pa.csv.CSVStreamingReader":
        arrow = needed("pyarrow.csv", "arrow", "CSV")
        return arrow.open_csv(
            self.stream(),
            read_options=arrow.ReadOptions(block_size=block),
            parse_options=arrow.ParseOptions(
                delimiter=self.delimiter,
                newlines_in_values=True,
                invalid_row_handler=self._skipped if self.skip else None,
            ),
            convert_options=arrow.ConvertOptions(
                strings_can_be_null=True, include_columns=list(types or ()), column_types=types
            ),
        )

    def record_batches(self, columns: Names, types: Types) -> "Iterable[pa.RecordBatch]":
        with self._reader(BLOCK, {name: types[name] for name in columns}) as reader:
            yield from reader
        if self.odd and self.skip:
            many = len(self.schema)
            for line, cells in self.odd_lines(lambda cells: len(cells) != many):
                self.skip(f"{self.path}: line {line} has {len(cells)} cells, not {many}; it is left out")

    def _skipped(self, row: "pa.csv.InvalidRow") -> str:
        self.odd = True
        return "skip"

    def odd_lines(self, odd: Callable[[list[str]], bool]) -> Iterator[tuple[int, list[str]]]:
        """Numbers and cells of the lines that are odd, found by reading the file once more, as text."""
        with io.TextIOWrapper(self.stream(), encoding="utf-8-sig", newline="") as lines:
            rows = csv.reader(lines, delimiter=self.delimiter)
            yield from ((rows.line_num, cells) for cells in rows if cells and odd(cells))


class JsonLines(Text):
    def stream(self) -> "pa.NativeFile":
        arrow = needed("pyarrow", "arrow", "JSON lines")
        return arrow.PythonFile(Shallow(super().stream(), str(self.path)), mode="r")

    @cached_property
    def schema(self) -> "pa.Schema":
        return self._reader(HEAD, "infer").schema

    def _reader(self, block: int, others: str, schema: "pa.Schema | None" = None) -> "pa.json.JSONStreamingReader":
        json = needed("pyarrow.json", "arrow", "JSON lines")
        parsing = json.ParseOptions(explicit_schema=schema, unexpected_field_behavior=others)
        return json.open_json(self.stream(), json.ReadOptions(block_size=block), parsing)

    def record_batches(self, columns: Names, types: Types) -> "Iterable[pa.RecordBatch]":
        wanted = needed("pyarrow", "arrow", "JSON lines").schema([(name, types[name]) for name in columns])
        yield from self._reader(BLOCK, "ignore", wanted)


FORMATS: dict[str, Callable[[Path, Skip | None], File]] = {
    ".parquet": Parquet,
    ".feather": Feather,
    ".arrow": Feather,
    ".csv": Csv,
    ".tsv": Csv,
    ".jsonl": JsonLines,
    ".ndjson": JsonLines,
}


def is_text(kind: "pa.DataType | None") -> bool:
    return str(kind) in ("string", "large_string", "string_view")


def _decodes(head: bytes, encoding: str) -> bool:
    try:
        codecs.getincrementaldecoder(encoding)().decode(head, final=len(head) <= HEAD)
    except UnicodeDecodeError:
        return False
    return True
