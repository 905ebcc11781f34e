"""Rows in and out of the command line.

In:  paths, patterns, or stdin, which is kept in a temporary file so that it can be read as often as a file can.
Out: tables of pyarrow, whole or in batches; files that are written whole or not at all.
"""

import atexit
import re
import shutil
import sys
import tempfile
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from suffice.cli.output import STANDARD, UNTYPED, Refused, say

if TYPE_CHECKING:
    import pyarrow as pa

    from suffice.data.batches import Batches
    from suffice.data.schema import Schema
    from suffice.estimators.parameters import Named
    from suffice.model.summary import Summary

NUMBER = r"^[-+]?[0-9]+([.,][0-9]+)*([eE][-+]?[0-9]+)?$"  # which is no formula
asked: dict[str, str | None] = {"encoding": None}  # of all files of text, where the command line says it
MAGIC = {b"PAR1": ".parquet", b"ARRO": ".arrow", b"\xff\xff\xff\xff": ".arrow"}  # how files that have types begin
PACKED = {b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\x28\xb5\x2f\xfd": ".zst"}  # and packed ones
JSON = re.compile(rb"(\xef\xbb\xbf)?\s*(\[\s*)?\{")  # how JSON begins; of a list it is said that it is none of lines


def opened(given: str, schema: "Schema | None" = None, skip: bool = False, label: str | None = None) -> "Batches":
    """The rows that a path, a pattern or stdin stands for; lines that do not fit are told and skipped, if asked."""
    from suffice.data.batches import open_batches
    from suffice.data.encodings import checked
    from suffice.data.reading import Reading

    path = _spooled() if given == STANDARD else given
    found = open_batches(path, Reading(schema, label, skip=say if skip else None, encoding=checked(asked["encoding"])))
    assert found is not None  # as it is of a path
    return found


def _spooled() -> str:
    if sys.stdin.isatty():
        raise Refused("name a TABLE, or pipe one in: … < table.csv")
    folder = tempfile.mkdtemp(prefix="suffice-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    copy = Path(folder) / "stdin"
    with copy.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    named = str(copy.rename(copy.with_suffix(_form(copy))))
    UNTYPED[named] = "stdin"
    return named


def _form(path: Path) -> str:
    """The form of a table without a name, by its first bytes, unpacked."""
    from suffice.data.writing import PACKING
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
        if name and name not in names:
            near = get_close_matches(name, names, n=1, cutoff=0.5)  # one of two characters wrong is near
            hint = f"; did you mean {near[0]!r}?" if near else f"; it has {', '.join(names[:20])}"
            raise Refused(f"{given} has no column {name!r}{hint}")


def classes_of(rows: "pa.Table", label: str) -> list[Any]:
    return [value for value in rows.column(label).unique().to_pylist() if value is not None]


def loaded(path: str) -> "Named":
    """The model in a file of ours."""
    from suffice import load
    from suffice.estimators.parameters import Named

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


def write_text(text: str, output: str) -> None:
    from suffice.store import replacing

    with replacing(output) as beside:
        beside.write_text(f"{text}\n", encoding="utf-8")


def guarded(rows: "pa.Table") -> "pa.Table":
    """Texts that a spreadsheet would take for formulas, with an apostrophe before them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for place, field in enumerate(rows.schema):
        if field.metadata and b"number" in field.metadata:
            continue
        if pa.types.is_string(field.type) or pa.types.is_large_string(field.type):
            cells = rows.column(place)
            safe = pc.replace_substring_regex(cells, r"^([=+\-@\t\r])", r"'\1")
            rows = rows.set_column(place, field, pc.if_else(pc.match_substring_regex(cells, NUMBER), cells, safe))
    return rows
