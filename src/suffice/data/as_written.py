"""Stage 1 the other way, rows of files of text as they were written: into text again, or into types.

In:  tables in which some columns are marked: the texts of CSV, or the values of JSON as they are written there.
Out: lines of CSV or JSON, in which such cells stand as they were; or, for formats that have types, numbers where a
     model has read them so, and texts elsewhere.
"""

import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from suffice.data.formats import is_text
from suffice.data.text_files import AS_NUMBERS, AS_WRITTEN, JSON_VALUES
from suffice.extras import needed
from suffice.json_text import json_text

if TYPE_CHECKING:  # which is imported when it is needed
    import pyarrow as pa

KEY = b"suffice"
WRITTEN, JSON = AS_WRITTEN[KEY], JSON_VALUES[KEY]
SPECIAL = b'"\r\n'  # signs for which a cell of CSV needs quotes, beside the delimiter
NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")  # as JSON writes one
BYTES = ("binary", "large_binary", "binary_view")


def mark(field: "pa.Field") -> bytes | None:
    """How a column is written, if it is as in its file."""
    found: bytes | None = (field.metadata or {}).get(KEY)
    return found if found in (WRITTEN, JSON) else None


def readable(table: "pa.Table") -> "pa.Table":
    """Bytes as texts, which is an error where they are none: neither CSV nor JSON has bytes."""
    for place, field in enumerate(table.schema):
        if str(field.type) in BYTES or str(field.type).startswith("fixed_size_binary"):
            cells = table.column(place).cast("binary" if "fixed" in str(field.type) else field.type)
            table = table.set_column(place, field.name, cells.cast("string"))
    return table


# CSV


def header_line(names: list[str], delimiter: str) -> bytes:
    quoted = ('"' + name.replace('"', '""') + '"' for name in names)
    return f"{delimiter.join(quoted)}\n".encode()


def csv_lines(table: "pa.Table", delimiter: str) -> "pa.Buffer":
    """Lines of CSV as bytes, without a copy."""
    arrow = needed("pyarrow", "arrow", "CSV")
    table = readable(table).combine_chunks()
    columns = [_cells(field, table.column(place), delimiter) for place, field in enumerate(table.schema)]
    lines = _joined(delimiter, *columns)
    whole = arrow.concat_arrays(_joined("\n", lines, _large("")).chunks)
    return whole.buffers()[2] if len(whole) else arrow.py_buffer(b"")


def _joined(sign: str, *columns: Any) -> "pa.ChunkedArray":
    """Texts side by side with a sign between them, where a cell that is missing has none."""
    compute = needed("pyarrow.compute", "arrow", "CSV")
    return compute.binary_join_element_wise(*columns, _large(sign), null_handling="replace", null_replacement="")


def _large(text: str) -> "pa.Scalar":
    arrow = needed("pyarrow", "arrow", "CSV")
    return arrow.scalar(text, arrow.large_string())  # a column of which may have more than two gigabytes


def _cells(field: "pa.Field", column: "pa.ChunkedArray", delimiter: str) -> "pa.ChunkedArray":
    """The cells of a column as they stand in CSV: in quotes where they need them, and texts of typed files always."""
    arrow, compute = needed("pyarrow", "arrow", "CSV"), needed("pyarrow.compute", "arrow", "CSV")
    if mark(field) == JSON:
        column = _texts_of(column)
    cells = column.cast(arrow.large_string())
    if mark(field) is None:
        return _quoted(cells) if is_text(field.type) else cells
    if any(_has(chunk, SPECIAL + delimiter.encode()) for chunk in cells.chunks):
        needs = compute.match_substring_regex(cells, f'["\r\n{re.escape(delimiter)}]')
        cells = compute.if_else(needs, _quoted(cells), cells)
    empty = compute.equal(cells, _large(""))
    return compute.if_else(empty, _large('""'), cells) if compute.any(empty).as_py() else cells


def _quoted(cells: "pa.ChunkedArray") -> "pa.ChunkedArray":
    compute = needed("pyarrow.compute", "arrow", "CSV")
    doubled = any(_has(chunk, b'"') for chunk in cells.chunks)
    inside = compute.replace_substring(cells, '"', '""') if doubled else cells
    return compute.binary_join_element_wise(_large('"'), inside, _large('"'), _large(""))


def _has(cells: "pa.Array", signs: bytes) -> bool:
    """Whether any of some signs is among texts, or near them."""
    buffer = cells.buffers()[2]
    there = np.frombuffer(buffer, np.uint8) if buffer is not None else np.zeros(0, np.uint8)
    return any((there == sign).any() for sign in signs)


# JSON


def text_of(value: str | None) -> str | None:
    """What a value of JSON says, without the quotes of a text; null says nothing."""
    if value is None or value == "null":
        return None
    return str(json.loads(value, strict=False)) if value.startswith('"') else value


def _texts_of(values: "pa.ChunkedArray") -> "pa.ChunkedArray":
    arrow = needed("pyarrow", "arrow", "JSON lines")
    return arrow.chunked_array([arrow.array(list(map(text_of, values.to_pylist())), arrow.string())])


def json_rows(table: "pa.Table") -> bytes:
    """Lines of JSON, each an object, without the keys that a row does not have."""
    table = readable(table)
    columns = [_values(field, table.column(place)) for place, field in enumerate(table.schema)]
    names = [f"{json_text(name)}: " for name in table.column_names]
    lines = (
        ", ".join(name + value for name, value in zip(names, row, strict=True) if value is not None)
        for row in zip(*columns, strict=True)
    )
    return "".join(f"{{{line}}}\n" for line in lines).encode()


def _values(field: "pa.Field", column: "pa.ChunkedArray") -> list[str | None]:
    """Cells as JSON writes them; None where there is no such key."""
    cells: list[str | None] = column.to_pylist()
    if mark(field) == JSON:
        return cells
    if mark(field) == WRITTEN and AS_NUMBERS.items() <= (field.metadata or {}).items():
        numbers = _numbers(column).to_pylist()
        return [_number(cell, number) for cell, number in zip(cells, numbers, strict=True)]
    return list(map(json_text, cells))


def _number(cell: str | None, number: float | None) -> str:
    return cell if cell is not None and NUMBER.fullmatch(cell) else json_text(number)


# types


def typed(table: "pa.Table") -> "pa.Table":
    """For a format that has types: what a model has read as numbers as such, and other columns of text as texts."""
    for place, field in enumerate(table.schema):
        if mark(field) is None:
            continue
        column = table.column(place)
        if mark(field) == JSON:
            column = _texts_of(column)
        if AS_NUMBERS.items() <= field.metadata.items():
            column = _numbers(column)
        table = table.set_column(place, field.name, column)
    return table


def _numbers(column: "pa.ChunkedArray") -> "pa.ChunkedArray":
    """Texts as numbers, in the way in which they were read from the file."""
    compute, csv = needed("pyarrow.compute", "arrow", "Writing files"), needed("pyarrow.csv", "arrow", "CSV")
    texts = compute.utf8_trim_whitespace(column)
    values = needed("pyarrow", "arrow", "CSV").array(csv.ConvertOptions().null_values)
    return compute.if_else(compute.is_in(texts, values), None, texts).cast("double")
