"""Stage 1, CSV: names and types by the first megabytes, rows as record batches.

In:  a path.
Out: File. Numbers, texts and what means missing are as pyarrow reads them; beside columns that are read so, others come
     as they are written. A quote that is never closed is an error.
"""

import csv
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from suffice.data import formats
from suffice.data.formats import Names, Types, is_text
from suffice.data.quotes import Counted, Quoting, quoting
from suffice.data.spelling import CODE, as_spelled, odd_text, spellings
from suffice.data.text_files import AS_WRITTEN, Text
from suffice.errors import FileError, FileHint, warn
from suffice.extras import needed

if TYPE_CHECKING:  # which is imported when it is needed
    import pyarrow as pa


class Csv(Text):
    left_out = 0  # lines that had too many cells, or too few
    unknown = 0  # rows without a class

    @property
    def delimiter(self) -> str:
        return self.head.delimiter

    # names and types

    @cached_property
    def quotes_mean_text(self) -> bool:
        """Whether a quoted cell is a text even if it holds NA: not where numbers, or missing ones, are quoted too."""
        if not (self.head.quotes_mean_text and self.head.quoted_empty):
            return self.head.quotes_mean_text
        both = [self._reader(self.stream(), formats.HEAD, quoted_strings_can_be_null=null) for null in (True, False)]
        with both[0] as one, both[1] as other:
            same: bool = one.schema == other.schema
        return same

    @cached_property
    def schema(self) -> "pa.Schema":
        """By the head. No batch is asked for, as the next one would be read as well."""
        if self.head.whole and self.head.odd_quotes:
            self.refuse_open_quote()
        with self._reader(self.stream(), formats.HEAD) as reader:
            return reader.schema

    @cached_property
    def codes_there(self) -> frozenset[str]:
        numbers = [field.name for field in self.schema if str(field.type) in ("int64", "double")]
        if not (self.head.code_like and numbers):
            return frozenset()
        compute, texts = needed("pyarrow.compute", "arrow", "CSV"), self._head_texts(tuple(numbers))
        odd = [bool(compute.any(compute.match_substring_regex(column, CODE)).as_py()) for column in texts.columns]
        return frozenset(name for name, is_code in zip(numbers, odd, strict=True) if is_code)

    def _head_texts(self, columns: Names) -> "pa.RecordBatch":
        """Some columns of the head as texts, of which those that mean missing are none."""
        with self._reader(self.stream(), formats.HEAD, self._as_texts(columns)) as reader:
            return reader.read_next_batch()

    def _as_texts(self, columns: Names) -> Types:
        return dict.fromkeys(columns, needed("pyarrow", "arrow", "CSV").string())

    def spellings(self, column: str) -> frozenset[str]:
        kind = str(self.schema.field(column).type)
        if kind not in ("int64", "double", "bool"):
            return spellings([] if kind == "null" else [""])
        return spellings(self._head_texts((column,)).column(0).unique().drop_null().to_pylist())

    # rows

    def record_batches(self, columns: Names, types: Types) -> "Iterator[pa.RecordBatch]":
        return self.beside(columns, (), types)

    def beside(self, own: Names, kept: Names, types: Types) -> "Iterator[pa.RecordBatch]":
        """The file is read twice at once: by types, and as texts of which none means missing."""
        counted, rows, self.left_out, self.unknown = Counted(self.stream()), 0, 0, 0
        for typed, texts in self._together(counted, own, kept, types):
            rows += next(part.num_rows for part in (typed, texts) if part is not None)
            yield self._joined(typed, texts)
        odd = counted.odd(rows + self.left_out)
        if odd:
            self.refuse_open_quote()
        if not self.told:
            self.told = True
            self._tell_left_out()
            self._note_unknown_labels(rows)
            if odd:
                self._note_long_cell()

    def _together(
        self, counted: Counted, own: Names, kept: Names, types: Types
    ) -> "Iterator[tuple[pa.RecordBatch | None, pa.RecordBatch | None]]":
        written = partial(self._reader, block=formats.BLOCK, types=self._as_texts(kept))
        empty: dict[str, Any] = {"null_values": [""], "quoted_strings_can_be_null": False}
        if not own:
            with written(counted, **empty) as texts:
                yield from ((None, batch) for batch in texts)
            return
        parsed = {name: types[name] for name in own} | {**self._as_texts(tuple(self.codes.keys() & set(own)))}
        with self._reader(counted, formats.BLOCK, parsed, strings_can_be_null=not self._literal(own)) as typed:
            if kept:
                with written(self.stream(), **empty) as texts:
                    yield from zip(map(self._read, typed), texts, strict=True)
            else:
                yield from ((self._read(batch), None) for batch in typed)

    def _joined(self, typed: "pa.RecordBatch | None", texts: "pa.RecordBatch | None") -> "pa.RecordBatch":
        arrow = needed("pyarrow", "arrow", "CSV")
        if texts is None:
            return typed
        fields = [field.with_metadata(AS_WRITTEN) for field in texts.schema]
        mine = [] if typed is None else [*typed.schema]
        columns = [*([] if typed is None else typed.columns), *texts.columns]
        return arrow.RecordBatch.from_arrays(columns, schema=arrow.schema([*mine, *fields]))

    def _read(self, batch: "pa.RecordBatch") -> "pa.RecordBatch":
        """Columns by their types: categories as they are spelled, texts that mean missing as none."""
        own = batch.schema
        raw = self._literal(tuple(own.names))
        for place, field in enumerate(own) if raw or self.quotes_mean_text else ():
            if is_text(field.type):
                cells = self._without_missing(batch.column(place), raw and field.name not in self.literal)
                batch = batch.set_column(place, field.name, cells)
        for name in self.codes.keys() & set(own.names):
            place = own.get_field_index(name)
            batch = batch.set_column(place, name, self._spelled(batch.column(place), name))
        if self.label in set(own.names):
            self.unknown += batch.column(self.label).null_count
        return batch

    def _literal(self, own: Names) -> bool:
        """Whether texts that mean missing elsewhere are levels in one of these columns."""
        return not self.literal.isdisjoint(own)

    def _without_missing(self, column: "pa.Array", every: bool) -> "pa.Array":
        """Texts without those that mean missing, or only without empty ones."""
        compute, csv = needed("pyarrow.compute", "arrow", "CSV"), needed("pyarrow.csv", "arrow", "CSV")
        gone = compute.equal(column, "")
        if every:
            values = csv.ConvertOptions().null_values
            gone = compute.is_in(column, needed("pyarrow", "arrow", "CSV").array(values))
        return compute.if_else(gone, None, column) if gone.true_count else column

    def _spelled(self, column: "pa.Array", name: str) -> "pa.Array":
        spelling = self.codes[name]
        odd = odd_text(column, spelling)
        if odd is not None:
            place = self.schema.get_field_index(name)
            line = self.line_of(lambda cells: len(cells) == len(self.schema) and cells[place] == odd)
            raise FileError(
                f"Column {name!r} of {str(self.path)!r}{said_line(line)} holds {odd!r}, which no number prints as, but "
                "what comes before are numbers. Correct the cell; if all are texts, say so: name all classes, as texts "
                f"(classes=[{odd!r}, ...]), or all categories, kinds={{{name!r}: ('categorical', [...])}}."
            )
        return as_spelled(column, spelling)

    def _reader(self, stream: Any, block: int, types: Types | None = None, **how: Any) -> "pa.csv.CSVStreamingReader":
        arrow = needed("pyarrow.csv", "arrow", "CSV")
        how = {"strings_can_be_null": True} | how
        if "quoted_strings_can_be_null" not in how:
            how["quoted_strings_can_be_null"] = not self.quotes_mean_text
        return arrow.open_csv(
            stream,
            read_options=arrow.ReadOptions(block_size=block),
            parse_options=arrow.ParseOptions(
                delimiter=self.delimiter,
                newlines_in_values=True,
                invalid_row_handler=self._skipped if self.skip else None,
            ),
            convert_options=arrow.ConvertOptions(include_columns=list(types or ()), column_types=types, **how),
        )

    # lines

    def _skipped(self, row: "pa.csv.InvalidRow") -> str:
        self.left_out += 1
        return "skip"

    def _tell_left_out(self) -> None:
        if self.left_out and self.skip:
            many = len(self.schema)
            for line, cells in self.odd_lines(lambda cells: len(cells) != many):
                self.skip(f"{self.path}: line {line} has {len(cells)} cells, not {many}; it is left out")

    def odd_lines(self, odd: Callable[[list[str]], bool]) -> Iterator[tuple[int, list[str]]]:
        """Numbers and cells of the lines that are odd, found by reading the file once more, as text."""
        with self.lines() as lines:
            rows = csv.reader(lines, delimiter=self.delimiter)
            yield from ((rows.line_num, cells) for cells in rows if cells and odd(cells))

    def line_of(self, odd: Callable[[list[str]], bool]) -> int | None:
        """The first line that is odd; none where a cell is longer than the reader of lines takes."""
        try:
            return next((line for line, _ in self.odd_lines(odd)), None)
        except csv.Error:
            return None

    def _note_unknown_labels(self, rows: int) -> None:
        """Classes whose names read as missing would vanish without a word."""
        if self.unknown and self.label is not None:
            texts = [repr(text) for text in self._missing_texts(self.label) if text]
            if texts:
                warn(
                    f"{self.unknown} of {rows} rows of {str(self.path)!r} have no class: {', '.join(texts)} in column "
                    f"{self.label!r} is read as missing. If it is the name of a class, name all classes: "
                    f"classes=[{texts[0]}, ...].",
                    FileHint,
                )

    def _missing_texts(self, column: str) -> list[str]:
        """The texts of a column that are read as missing."""
        missing = set(needed("pyarrow.csv", "arrow", "CSV").ConvertOptions().null_values)
        types, found = self._as_texts((column,)), set[str]()
        with self._reader(self.stream(), formats.BLOCK, types, strings_can_be_null=False) as reader:
            for batch in reader:
                found |= missing.intersection(batch.column(0).unique().to_pylist())
        return sorted(found)

    @cached_property
    def quoting(self) -> Quoting:
        with self.lines() as lines:
            return quoting(lines, self.delimiter, len(self.schema) if "schema" in self.__dict__ else 0)

    def refuse_open_quote(self) -> None:
        if self.quoting.left_open is not None:
            raise FileError(
                f"Line {self.quoting.left_open} of {str(self.path)!r} opens a quote that is never closed, which makes "
                "one cell of all that follows. Close it; a quote that is meant as such is written twice within quotes, "
                'as in "5"" disk".'
            )

    def _note_long_cell(self) -> None:
        if self.quoting.long is not None:
            warn(
                f"A cell that begins in line {self.quoting.long} of {str(self.path)!r} has {self.quoting.lines} lines, "
                "as it is in quotes. If these are rows, a quote there is not meant as one: write it twice within "
                'quotes, as in "5"" disk".',
                FileHint,
            )


def said_line(line: int | None) -> str:
    return "" if line is None else f", line {line},"
