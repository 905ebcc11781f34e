"""Rows in and out of the command line.

In:  paths, patterns, or stdin, which is kept in a temporary file so that it can be read as often as a file can.
Out: tables of pyarrow, whole or in batches; files that are written whole or not at all.
"""

import atexit
import os
import re
import secrets
import select
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from suffice.cli.output import STANDARD, UNTYPED, Refused, say

if TYPE_CHECKING:
    import pyarrow as pa

    from suffice.data.batches import Batches
    from suffice.data.schema import Schema
    from suffice.estimators.named import Named
    from suffice.model.summary import Summary

# how a cell begins that a spreadsheet may run, perhaps after blanks
FORMULA = "^([ \t\r\n\xa0\u200b\ufeff]*[=+\\-@＝＋－＠]|[\t\r\n])"
NUMBER = r"^[-+]?[0-9]+([.,][0-9]+)*([eE][-+]?[0-9]+)?$"  # which is no formula
asked: dict[str, str | None] = {"encoding": None}  # of all files of text, where the command line says it
TICK, BLOCK = 0.2, 1 << 20  # seconds that a read may wait, and bytes that it takes
MAGIC = {b"PAR1": ".parquet", b"ARRO": ".arrow", b"\xff\xff\xff\xff": ".arrow"}  # how files that have types begin
PACKED = {b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\x28\xb5\x2f\xfd": ".zst"}  # and packed ones
JSON = re.compile(rb"(\xef\xbb\xbf)?\s*(\[\s*)?\{")  # how JSON begins; of a list it is said that it is none of lines


def opened(given: str, schema: "Schema | None" = None, skip: bool = False, label: str | None = None) -> "Batches":
    """The rows that a path, a pattern or stdin stands for; lines that do not fit are told and skipped, if asked."""
    from suffice.data.batches import open_batches
    from suffice.data.encodings import checked
    from suffice.data.reading import Reading

    path, heard = _spooled() if given == STANDARD else _unpiped(given), _said_once() if skip else None
    found = open_batches(path, Reading(schema, label, skip=heard, encoding=checked(asked["encoding"])))
    assert found is not None  # as it is of a path
    return found


def _said_once() -> Callable[[str], None]:
    """What tells of lines that are left out; rows that are read twice have the same."""
    told = set[str]()

    def tell(line: str) -> None:
        if line not in told:
            say(line)
        told.add(line)

    return tell


def _spooled() -> str:
    if sys.stdin.isatty():
        raise Refused("name a TABLE, or pipe one in: … < table.csv")
    return _kept(sys.stdin.fileno(), "stdin")


def _unpiped(given: str) -> str:
    """A path, or that of a copy of what came out of a named pipe, since tables are read more than once."""
    from suffice.data.files import form_of

    path = Path(given)
    if not path.is_fifo():
        return given
    form_of(path)
    say(f"{given} is a pipe: waiting for whoever writes to it")
    pipe = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        return _kept(pipe, repr(given), "".join(path.suffixes[-2:]))
    finally:
        os.close(pipe)


def _kept(source: int, name: str, form: str | None = None) -> str:
    """The path of a copy, which goes when the command ends, however it ends; messages call it by the name."""
    copy = Path(tempfile.gettempdir()) / f"suffice-{secrets.token_hex(8)}"
    atexit.register(copy.unlink, missing_ok=True)
    with open(os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        _pour(source, file)
    named = copy.with_name(copy.name + (_form(copy) if form is None else form))
    atexit.register(named.unlink, missing_ok=True)
    UNTYPED[str(named)] = name
    return str(copy.rename(named))


def _pour(source: int, file: BinaryIO) -> None:
    """Copy all that comes. A signal just before a read would wait for the read to end, so no read is without end."""
    while True:
        there = sys.platform == "win32" or select.select([source], [], [], TICK)[0]  # there files alone can be asked
        block = os.read(source, BLOCK) if there else None
        if block == b"":
            return
        file.write(block or b"")


def _form(path: Path) -> str:
    """The form of a table without a name, by its first bytes, unpacked."""
    from suffice.data.formats import PACKING
    from suffice.extras import needed

    with path.open("rb") as file:
        begun = file.read(4)
    form = next((suffix for magic, suffix in MAGIC.items() if begun.startswith(magic)), None)
    if form is not None:
        return form
    packed = next((suffix for magic, suffix in PACKED.items() if begun.startswith(magic)), "")
    arrow = needed("pyarrow", "arrow", "Reading files")
    with arrow.input_stream(str(path), compression=PACKING.get(packed)) as stream:
        return (".jsonl" if JSON.match(bytes(stream.read(64))) else ".csv") + packed


def whole(given: str, label: str | None = None, *columns: str | None, skip: bool = False) -> "pa.Table":
    """All rows of a source; the column of classes and others named, if any, must be there."""
    rows = opened(given, skip=skip, label=label)
    require(rows.names, given, label, *columns)
    return rows.whole()


def require(names: Sequence[str], given: str, *columns: str | None) -> None:
    """Each of these columns, or what was probably meant."""
    for name in columns:
        if name is not None and name not in names:
            near = get_close_matches(name, names, n=1, cutoff=0.5)  # one of two characters wrong is near
            hint = f"; did you mean {near[0]!r}?" if near else f"; it has {', '.join(names[:20])}"
            raise Refused(f"{given} has no column {name!r}{hint}")


def classes_of(rows: "pa.Table", label: str) -> list[Any]:
    return [value for value in rows.column(label).unique().to_pylist() if value is not None]


def loaded(path: str) -> "Named":
    """The model in a file of ours."""
    from suffice import load
    from suffice.estimators.named import Named

    found = load(path)
    if not isinstance(found, Named):
        raise Refused(f"{path} does not hold a model; suffice fit writes one")
    return found


def loaded_summary(path: str) -> "Summary":
    """The summary in a file of ours."""
    from suffice import load
    from suffice.model.summary import Summary

    found = load(path)
    if not isinstance(found, Summary):
        raise Refused(f"{path} does not hold a summary; suffice collect writes one")
    return found


def write_rows(tables: "Iterable[pa.Table]", output: str, as_json: bool, guard: bool = False) -> int:
    """Tables of the same columns into a file by its ending, which appears once it is whole; how many rows there were.

    On stdout they are CSV, or a line of JSON for each row.
    """
    from suffice.data.writing import csv_rows, json_lines, written

    rows = map(guarded, tables) if guard else iter(tables)
    first = next(rows, None)
    if first is None:
        raise Refused("the table has no rows to predict")
    lines = json_lines if as_json else csv_rows
    into = lines(sys.stdout.buffer, first.schema) if output == STANDARD else written(output, first.schema)
    many = 0
    with into as write:
        for table in chain([first], rows):
            write(table)
            many += len(table)
    return many


def refuse_guarded_json(guard: bool, output: str, as_json: bool) -> None:
    """JSON is for programs, and would hold apostrophes that are not in the cells."""
    from suffice.data.files import form_of

    if guard and (as_json if output == STANDARD else form_of(Path(output)) in (".jsonl", ".ndjson")):
        raise Refused("--for-spreadsheet is for tables that a spreadsheet opens, not for JSON: leave one of them out")


def write_text(text: str, output: str) -> None:
    from suffice.store import replacing

    with replacing(output) as beside:
        beside.write_text(f"{text}\n", encoding="utf-8", errors="surrogateescape")


def guarded(rows: "pa.Table") -> "pa.Table":
    """Names and texts that a spreadsheet would take for formulas, with an apostrophe before them."""
    import pyarrow.compute as pc

    for place, field in enumerate(rows.schema):
        texts = None if field.metadata and b"number" in field.metadata else _texts(rows.column(place))
        if texts is not None:
            safe = pc.replace_substring_regex(texts, FORMULA, r"'\1")
            cells = pc.if_else(pc.match_substring_regex(texts, NUMBER), texts, safe) if field.metadata else safe
            rows = rows.set_column(place, field.with_type(cells.type), cells)
    return rows.rename_columns([re.sub(FORMULA, r"'\1", name) for name in rows.column_names])


def _texts(cells: "pa.ChunkedArray") -> "pa.ChunkedArray | None":
    """Cells as the texts that they are or stand for; None where they are none, as are bytes that no CSV can hold."""
    import pyarrow as pa

    kind = cells.type.value_type if pa.types.is_dictionary(cells.type) else cells.type
    if not ("string" in str(kind) or "binary" in str(kind)) or pa.types.is_nested(kind):
        return None
    try:
        return cells.cast(kind).cast(pa.large_binary()).cast(pa.large_string())
    except pa.ArrowInvalid:
        return None
