"""Columns of every type that engines have, in every role: an engine says what memory says, or an error of ours."""

import datetime
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from engines.lazy import OF_ARROW
from suffice import collect
from suffice.errors import SufficeError
from suffice.model.summary import Summary

pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.KindHint")
ROWS = 24
ROLES = {
    "feature": {},
    "category": {"kinds": {"t": "categorical"}},
    "label": {},
    "weight": {"sample_weight": "t"},
    "ignored": {"kinds": {"t": "ignore"}},
}
NOW = datetime.datetime(2020, 1, 1)
TYPES = {
    "decimal": ([Decimal("1.50"), Decimal("2.25"), None, Decimal("7")], pa.decimal128(20, 2)),
    "large decimal": ([Decimal(2**70 + i) for i in range(3)], pa.decimal128(38, 0)),
    "decimal of 256 bits": ([Decimal("1.5"), Decimal("2.5")], pa.decimal256(50, 1)),
    "uint64": ([2**63 + 5, 2**63 + 6, 1], pa.uint64()),
    "int8": ([1, 2, -3, None], pa.int8()),
    "float16": ([np.float16(1.5), np.float16(7), None], pa.float16()),
    "float32": ([1.5, 2.5, 7.25, None], pa.float32()),
    "bool": ([True, False, None, True], pa.bool_()),
    "time": ([datetime.time(1, 2), datetime.time(3)], pa.time64("us")),
    "duration": ([datetime.timedelta(1), datetime.timedelta(2)], pa.duration("us")),
    "date": ([NOW.date(), None], pa.date32()),
    "timestamp": ([NOW, NOW + datetime.timedelta(1)], pa.timestamp("us", "UTC")),
    "list": ([[1], [2, 3]], pa.list_(pa.int64())),
    "struct": ([{"a": 1}, {"a": 2}], pa.struct([("a", pa.int64())])),
    "map": ([[("a", 1)]], pa.map_(pa.string(), pa.int64())),
    "binary": ([b"a", b"\xff", None], pa.binary()),
    "binary text": ([b"a", b"b"], pa.binary()),
    "null": ([None], pa.null()),
    "large text": (["a", "日本", None, "it's"], pa.large_string()),
    "odd text": (["", " ", "a\0b", "a", "\U0001f986", "'\"`;--"], pa.string()),
}
IN_POLARS = {
    "int128": pl.Series([i % 4 + 1 for i in range(ROWS)], dtype=pl.Int128),
    "large int128": pl.Series([2**100 + i % 3 for i in range(ROWS)], dtype=pl.Int128),
    "array": pl.Series([[1, 2]] * ROWS, dtype=pl.Array(pl.Int64, 2)),
    "object": pl.Series([object() for _ in range(ROWS)], dtype=pl.Object),
    "categorical": pl.Series(["a", "b", None] * 8, dtype=pl.Categorical),
    "decimal": pl.Series([Decimal("1.5"), None, Decimal("2")] * 8, dtype=pl.Decimal(20, 3)),
}
IN_DUCKDB = {
    "hugeint": "(i % 4)::HUGEINT",
    "large hugeint": "2::HUGEINT ** 100 + i % 3",
    "uhugeint": "(i % 4)::UHUGEINT",
    "ubigint": "18446744073709551610::UBIGINT + i % 3",
    "decimal": "(i % 4)::DECIMAL(38, 10) / 4",
    "interval": "(i % 4) * INTERVAL '1 day'",
    "uuid": "('00000000-0000-0000-0000-00000000000' || i % 3)::UUID",
    "bit": "'101'::BIT",
    "blob": "'a'::BLOB",
    "time": "TIME '01:02:03'",
    "time with a zone": "'01:02:03+01'::TIMETZ",
    "nanoseconds": "TIMESTAMP_NS '2020-01-01 00:00:00'",
    "json": "'{}'::JSON",
    "list": "[i]",
    "struct": "{'a': i}",
    "union": "union_value(k := i)",
    "null": "NULL",
    "enum": "(['a', 'b'])[1 + i % 2]::ENUM ('a', 'b', 'c')",
}


def beside(column, role):
    """A table in which a column has a role."""
    others = {"z": np.arange(ROWS) ** 1.5 % 7, "y": ["p", "q", "q"] * 8}
    return pa.table({**({"z": others["z"]} if role == "label" else others), "t": column})


def said(rows, role, **options):
    """The summary, or None where an error of ours says what is wrong; any other error is a fault."""
    try:
        return collect(rows, "t" if role == "label" else "y", **ROLES[role], **options)
    except SufficeError:
        return None


UNKNOWN_TO_IBIS = ("float16", "decimal of 256 bits", "duration")


def agree(here: Summary | None, there: Summary | None, may_refuse: bool = False) -> None:
    """An engine that cannot read a type at all may refuse what memory takes; none takes what memory refuses."""
    assert (there is None and may_refuse) or here == there
    assert there is None or here is None or there.schema.columns == here.schema.columns


@pytest.mark.parametrize("where", ["engine", "here"])
@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("engine", OF_ARROW)
def test_a_column_of_any_type_is_that_of_memory_or_refused(engine, kind, role, where):
    cells, of = TYPES[kind]
    rows = beside(pa.array([cells[i % len(cells)] for i in range(ROWS)], of), role)
    try:
        lazy = OF_ARROW[engine](rows)
    except BaseException:  # Polars panics where it has no such type
        return
    agree(said(rows, role), said(lazy, role, where=where), engine == "ibis" and kind in UNKNOWN_TO_IBIS)


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("kind", TYPES)
def test_pandas_says_of_arrow_types_what_arrow_says(kind, role):
    cells, of = TYPES[kind]
    rows = beside(pa.array([cells[i % len(cells)] for i in range(ROWS)], of), role)
    agree(said(rows, role), said(rows.to_pandas(types_mapper=pd.ArrowDtype), role))


@pytest.mark.parametrize("where", ["engine", "here"])
@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("kind", IN_POLARS)
def test_types_that_only_polars_has(kind, role, where):
    frame = pl.DataFrame(beside(pa.nulls(ROWS), role)).with_columns(IN_POLARS[kind].alias("t"))
    agree(said(frame, role), said(frame.lazy(), role, where=where), may_refuse=kind in ("array", "object"))


@pytest.mark.parametrize("where", ["engine", "here"])
@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("kind", IN_DUCKDB)
def test_types_that_only_duckdb_has(kind, role, where):
    relation = duckdb.from_arrow(beside(pa.nulls(ROWS), role))
    others = ", ".join(name for name in relation.columns if name != "t")
    numbered = relation.project(f"{others}, row_number() OVER () - 1 AS i")
    rows = numbered.project(f"{others}, {IN_DUCKDB[kind]} AS t")
    agree(said(rows.to_arrow_table(), role), said(rows, role, where=where), may_refuse=kind == "union")
