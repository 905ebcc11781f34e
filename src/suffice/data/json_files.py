"""Stage 1, JSON lines: an object in each line, whose keys are the columns.

In:  a path.
Out: File. Values have the types of JSON; beside columns that are read so, others come as the texts that they are
     written as: 1 is not 1.0, and no digit is lost.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from suffice.data import formats
from suffice.data.encodings import Checked
from suffice.data.formats import Names, Types, is_text
from suffice.data.shallow import Shallow
from suffice.data.spelling import DIGITS
from suffice.data.text_files import JSON_VALUES, Text
from suffice.errors import FileHint, warn
from suffice.extras import needed

if TYPE_CHECKING:  # which is imported when it is needed
    import pyarrow as pa

SPACE = " \t\r\n"
DECODER = json.JSONDecoder(strict=False)
LONGEST = 38  # digits of a number that is kept as a text
FITTING = {"int64": ("whole", "fractions"), "double": ("fractions", "points"), "bool": ("true", "True", "TRUE")}


class JsonLines(Text):
    @cached_property
    def schema(self) -> "pa.Schema":
        return self._first[0]

    @property
    def codes_there(self) -> frozenset[str]:
        return self._first[1]

    @cached_property
    def _first(self) -> "tuple[pa.Schema, frozenset[str]]":
        """Names and types by the head, and which columns hold whole numbers of many digits."""
        with self._reader(formats.HEAD, "infer") as reader:
            first, compute = reader.read_next_batch(), needed("pyarrow.compute", "arrow", "JSON lines")
        long = [
            field.name
            for field, column in zip(first.schema, first.columns, strict=True)
            if str(field.type) in FITTING
            and str(field.type) != "bool"
            and _beyond(column, DIGITS - 1)
            and compute.all(compute.equal(compute.round(column), column)).as_py()
        ]
        return first.schema, frozenset(long)

    def spellings(self, column: str) -> frozenset[str]:
        kind = str(self.schema.field(column).type)
        every = frozenset(name for names in FITTING.values() for name in names)
        return (
            every if kind == "null" else frozenset() if column in self.codes_there else frozenset(FITTING.get(kind, ()))
        )

    # rows

    def record_batches(self, columns: Names, types: Types) -> "Iterator[pa.RecordBatch]":
        """Where most columns are read, all are looked at, so that a key which the head lacks does not go unnoticed."""
        others = [name for name in self.schema.names if name not in set(columns)]
        rows = 0
        if not self.whole and len(others) <= len(columns):
            try:
                for batch in self._parsed(columns, types, {name: self.schema.field(name).type for name in others}):
                    yield batch.select(list(columns))
                    rows += batch.num_rows
                return
            except needed("pyarrow", "arrow", "JSON lines").ArrowInvalid:
                self._note_new_key()
        for batch in self._parsed(columns, types):
            if rows < batch.num_rows:
                yield batch.slice(rows)
            rows = max(0, rows - batch.num_rows)

    def _parsed(self, columns: Names, types: Types, others: Types | None = None) -> "Iterator[pa.RecordBatch]":
        """Some columns by their types; with `others`, keys that are among neither are an error."""
        wanted = {name: self._read_as(name, types[name]) for name in columns} | dict(others or {})
        schema = needed("pyarrow", "arrow", "JSON lines").schema(list(wanted.items()))
        with self._reader(formats.BLOCK, "ignore" if others is None else "error", schema) as reader:
            yield from (_as_texts(batch, types) for batch in reader)

    def _read_as(self, name: str, wanted: "pa.DataType") -> "pa.DataType":
        """The type by which a column is read: its own where it is a number to be written as a text afterwards."""
        arrow = needed("pyarrow", "arrow", "JSON lines")
        own = self.schema.field(name).type if name in self.schema.names else wanted
        if not is_text(wanted) or str(own) not in FITTING:
            return wanted
        return arrow.decimal128(LONGEST, 0) if name in self.codes_there else own

    def beside(self, own: Names, kept: Names, types: Types) -> "Iterator[pa.RecordBatch]":
        """The file is read twice at once: by types, and as texts."""
        rows = objects(self.lines())
        if not own:
            yield from self._written(rows, kept)
            return
        for typed in self._parsed(own, types):
            texts = _texts(islice(rows, typed.num_rows), kept)
            arrow = needed("pyarrow", "arrow", "JSON lines")
            schema = arrow.schema([*typed.schema, *texts.schema])
            yield arrow.RecordBatch.from_arrays([*typed.columns, *texts.columns], schema=schema)

    def _written(self, rows: Iterator[dict[str, str]], kept: Names) -> "Iterator[pa.RecordBatch]":
        step = max(1, formats.BATCH_CELLS // max(1, len(kept)))
        while some := list(islice(rows, step)):
            yield _texts(some, kept)

    def _reader(self, block: int, others: str, schema: "pa.Schema | None" = None) -> "pa.json.JSONStreamingReader":
        json = needed("pyarrow.json", "arrow", "JSON lines")
        parsing = json.ParseOptions(explicit_schema=schema, unexpected_field_behavior=others)
        return json.open_json(Checked(self._shallow()), json.ReadOptions(block_size=block), parsing)

    def _shallow(self) -> "pa.NativeFile":
        """Its bytes, which are refused where values are nested too deeply to be parsed."""
        arrow = needed("pyarrow", "arrow", "JSON lines")
        return arrow.PythonFile(Shallow(self.stream(), str(self.path)), mode="r")

    # lines

    def _note_new_key(self) -> None:
        """A key that the head lacks, once, if that is what was odd."""
        known = set(self.schema.names)
        found = None if self.told else self.line_of(lambda row: not known.issuperset(row))
        if found is not None:
            self.told, (line, row) = True, found
            key = next(name for name in row if name not in known)
            warn(
                f"Line {line} of {str(self.path)!r} has the key {key!r}, which no line of its first megabytes has; it "
                f"is left out. Give it to the first line too, as null, to have it read.",
                FileHint,
            )

    def line_of(self, odd: Callable[[dict[str, str]], bool]) -> tuple[int, dict[str, str]] | None:
        """The first line that is odd, by the texts of its values."""
        with suppress(NoObjectError):
            return next(((line, row) for line, row in numbered_objects(self.lines()) if odd(row)), None)
        return None

    def odd_line(self) -> "NoObjectError | None":
        """What is said of the first line that is no object of JSON."""
        try:
            for _ in numbered_objects(self.lines()):
                pass
        except NoObjectError as odd:
            return odd
        return None


class NoObjectError(ValueError):
    """A line that is no object of JSON, and why."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(why)
        self.line = line


def _beyond(column: "pa.Array", digits: int) -> bool:
    """Whether numbers are too large to have no more digits than that."""
    ends = needed("pyarrow.compute", "arrow", "Reading files of text").min_max(column)
    return any(end.is_valid and abs(end.as_py()) >= 10**digits for end in ends.values())


def objects(lines: Iterable[str]) -> Iterator[dict[str, str]]:
    """The objects of lines, as the texts of their values by key."""
    return (row for _, row in numbered_objects(lines))


def numbered_objects(lines: Iterable[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """The same with the numbers of the lines in which they end: an object may go on in the next line."""
    waiting, number = "", 0
    for number, line in enumerate(lines, 1):
        text, at = waiting + line, 0
        waiting = ""
        while (at := _past_space(text, at)) < len(text):
            try:
                row, at = _object(text, at)
            except (ValueError, RecursionError) as error:
                if isinstance(error, RecursionError) or len(text) - at > formats.BLOCK or _is_closed(text[at:]):
                    raise NoObjectError(number, str(error)) from None
                waiting = text[at:]
                break
            yield number, row
    if waiting:
        raise NoObjectError(number, "it ends within an object")


def _object(text: str, at: int) -> tuple[dict[str, str], int]:
    """An object that begins there, and where it ends."""
    row: dict[str, str] = {}
    _expect(text, at, "{")
    at = _past_space(text, at + 1)
    while text[at : at + 1] != "}":
        key, at = DECODER.raw_decode(text, at)
        at = _past_space(text, at)
        _expect(text, at, ":")
        begun = _past_space(text, at + 1)
        _, at = DECODER.raw_decode(text, begun)
        row[key] = text[begun:at]
        at = _past_space(text, at)
        if text[at : at + 1] == "}":
            break
        _expect(text, at, ",")
        at = _past_space(text, at + 1)
    return row, at + 1


def _expect(text: str, at: int, sign: str) -> None:
    if text[at : at + 1] != sign:
        raise json.JSONDecodeError(f"Expecting {sign!r}", text, at)


def _past_space(text: str, at: int) -> int:
    return len(text) - len(text[at:].lstrip(SPACE)) if text[at : at + 1] in SPACE else at


def _is_closed(text: str) -> bool:
    """Whether as many braces close as open, so that more lines would not mend it."""
    return not text.startswith("{") or text.count("{") <= text.count("}")


def _texts(rows: Iterable[dict[str, str]], kept: Names) -> "pa.RecordBatch":
    arrow, every = needed("pyarrow", "arrow", "JSON lines"), list(rows)
    columns = [arrow.array([row.get(name) for row in every], arrow.string()) for name in kept]
    fields = [arrow.field(name, arrow.string(), metadata=JSON_VALUES) for name in kept]
    return arrow.RecordBatch.from_arrays(columns, schema=arrow.schema(fields))


def _as_texts(batch: "pa.RecordBatch", types: Types) -> "pa.RecordBatch":
    """Columns that were read as numbers, and are to be texts, as such."""
    for place, field in enumerate(batch.schema):
        if is_text(types.get(field.name)) and not is_text(field.type):
            batch = batch.set_column(place, field.name, batch.column(place).cast(types[field.name]))
    return batch
