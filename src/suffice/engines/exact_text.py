"""Texts that an engine tells apart letter by letter, whatever collation a column, or the whole database, has.

In:  a lazy frame, and which of its columns hold text.
Out: the same frame, where equal texts are the same bytes, or an error where names of columns are taken for one. DuckDB
     compares as it is told; through ibis, texts of DuckDB and PostgreSQL are asked for as bytes, which `as_text` reads.
"""

from collections.abc import Callable, Sequence
from typing import Any

import narwhals.stable.v2 as nw

from suffice.data.frames import LazyFrame
from suffice.errors import TableError


def with_exact_texts(frame: LazyFrame, names: Sequence[str]) -> LazyFrame:
    """A frame in which texts that differ in case or accents are different to the engine too."""
    if frame.implementation.is_duckdb():
        return _in_duckdb(frame, names)
    return _in_ibis(frame, names) if frame.implementation.is_ibis() else frame


def refuse_alike(frame: LazyFrame) -> None:
    """A frame of ibis hands names that differ in case to DuckDB, which takes them for one."""
    if not frame.implementation.is_ibis() or frame.to_native().get_backend().name != "duckdb":
        return
    known: dict[str, str] = {}
    for name in frame.collect_schema().names():
        other = known.setdefault(name.lower(), name)
        if other != name:
            raise TableError(
                f"DuckDB takes the columns {other!r} and {name!r} for one, because their names differ in case alone. "
                "Rename one of them."
            )


def as_text(value: Any) -> Any:
    """A text that came as its bytes; anything else as it is."""
    return value.decode() if isinstance(value, bytes) else value


def _in_duckdb(frame: LazyFrame, names: Sequence[str]) -> LazyFrame:
    columns = (_quoted(name) for name in frame.collect_schema().names())
    exact = {_quoted(name) for name in names}
    written = (f"CAST({name} AS VARCHAR) COLLATE C AS {name}" if name in exact else name for name in columns)
    found: LazyFrame = nw.from_native(frame.to_native().project(", ".join(written)))
    return found


def _in_ibis(frame: LazyFrame, names: Sequence[str]) -> LazyFrame:
    table, ibis = frame.to_native(), frame.implementation.to_native_namespace()
    encode = _encoder(ibis, table.get_backend().name)
    if encode is None or not names:
        return frame
    found: LazyFrame = nw.from_native(table.mutate(**{name: encode(table[name]) for name in names}))
    return found


def _encoder(ibis: Any, backend: str) -> Callable[[Any], Any] | None:
    """What makes bytes of a text by a function of the database, or None where we know of none."""
    builtin = ibis.udf.scalar.builtin
    if backend == "duckdb":
        return builtin(lambda text: b"", name="encode", signature=(("string",), "binary"))  # type: ignore[no-any-return]
    if backend == "postgres":
        convert = builtin(lambda text, to: b"", name="convert_to", signature=(("string", "string"), "binary"))
        return lambda text: convert(text, "UTF8")
    return None


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
