"""Stage 1, what pyarrow says of a file that it cannot read, in our words: with the line, and what to do.

In:  a file, and an error of pyarrow. Out: FileError.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from suffice.data import formats
from suffice.data.csv_files import Csv, said_line
from suffice.data.formats import File
from suffice.data.json_files import JsonLines
from suffice.data.text_files import Text
from suffice.errors import FileError
from suffice.extras import needed

ODD_CELL = r"In CSV column #(\d+): (?:Row #\d+: )?CSV conversion error to (\S+): invalid value '(.*)'"
WORDS = {"double": "numbers", "int64": "whole numbers", "bool": "truth values"}
CHANGED = r"Column\((?:/(.*))?\) changed from (\w+) to (\w+)"
BEGINNINGS = {"string": '"', "boolean": "tf", "array": "[", "object": "{", "number": "-0123456789NI"}
UNREADABLE = (EOFError, UnicodeError, LookupError, OverflowError, MemoryError, RecursionError, SystemError)
SHOWN = 60  # characters of a cell


@contextmanager
def naming(file: File) -> Iterator[None]:
    """What pyarrow says of a file it cannot read, in our words."""
    arrow = needed("pyarrow", "arrow", "Reading files")
    try:
        yield
    except (arrow.ArrowException, OSError, *UNREADABLE) as error:
        if isinstance(error, FileNotFoundError | PermissionError):
            raise
        raise FileError(_explained(file, str(error))) from None


def _explained(file: File, said: str) -> str:
    if isinstance(file, Text) and not _is_packing(said) and (line := file.broken_line()) is not None:
        return (
            f"Line {line} of {str(file.path)!r} is no text in {file.encoding.upper()}, which the lines before it are. "
            "Correct the line, or name the encoding that the whole file is in, such as encoding='cp1252'."
        )
    if isinstance(file, Csv):
        return _of_csv(file, said)
    return _of_json(file, said) if isinstance(file, JsonLines) else _damaged(file.path, said)


def _is_packing(said: str) -> bool:
    """Whether what went wrong is that a file could not be unpacked, or read at all."""
    return any(word in said for word in ("zlib", "ZSTD", "bz2", "decompress", "Empty CSV", "Empty JSON"))


def _damaged(path: Path, said: str) -> str:
    return f"{str(path)!r} cannot be read; it is damaged, or not what its name says ({said})."


def _of_csv(file: Csv, said: str) -> str:
    try:
        file.refuse_open_quote()
    except FileError as error:
        return str(error)
    if cell := re.search(ODD_CELL, said, re.DOTALL):
        return _odd_cell(file, int(cell[1]), WORDS.get(cell[2], cell[2]), cell[3])
    if cells := re.search(r"Expected (\d+) columns, got (\d+)", said):
        expected, found = map(int, cells.groups())
        line = file.line_of(lambda some: len(some) != expected)
        if line is not None:
            return (
                f"Line {line} of {str(file.path)!r} has {found} cells, but its header has {expected}. Correct the line."
            )
    return _too_long(file) if "straddling" in said else _damaged(file.path, said)


def _odd_cell(file: Csv, place: int, kind: str, value: str) -> str:
    name, many = file.schema.names[place], len(file.schema)
    line = file.line_of(lambda cells: len(cells) == many and cells[place] == value)
    shown = value if len(value) <= SHOWN else f"{value[:SHOWN]}…"
    return (
        f"Column {name!r} of {str(file.path)!r}{said_line(line)} holds {shown!r}, but its other rows hold {kind}. "
        f"Correct the cell, or, if all cells are categories, list them: kinds={{{name!r}: ('categorical', [...])}}."
    )


def _too_long(file: Text) -> str:
    with file.lines() as lines:
        line = next((number for number, text in enumerate(lines, 1) if len(text.encode()) > formats.BLOCK), None)
    where = f"Line {line} of {str(file.path)!r}" if line is not None else f"A row of {str(file.path)!r}"
    return (
        f"{where} is longer than {formats.BLOCK:,} bytes, which is as much as is read of a text file at a time. Leave "
        "out its long cell, or give the table as Parquet."
    )


def _of_json(file: JsonLines, said: str) -> str:
    if odd := file.odd_line():
        hint = " JSON lines have an object in each line, and no list around them." if "'{'" in str(odd) else ""
        return f"Line {odd.line} of {str(file.path)!r} is no object of JSON ({odd}).{hint}"
    if changed := re.search(CHANGED, said):
        name, before, now = changed.groups()
        key, signs = name.split("/")[0], tuple(BEGINNINGS.get(now, ""))
        found = file.line_of(lambda row: row.get(key, "null").startswith(signs))
        if found is not None and "/" not in name:
            return (
                f"Column {key!r} of {str(file.path)!r}, line {found[0]}, holds {found[1][key][:SHOWN]}, but lines "
                f"before it hold a {before} there. Correct the line: a column is of one type throughout."
            )
    return _too_long(file) if "straddling" in said else _damaged(file.path, said)
