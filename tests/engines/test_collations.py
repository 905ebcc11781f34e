"""Classes and levels are told apart letter by letter, whatever collation a column or a database has."""

import duckdb
import ibis
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from suffice import NaiveBayes, collect
from suffice.errors import TableError

pytestmark = pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")  # of ibis

ROWS = [("a", "p"), ("A", "P"), ("á", "p"), ("Á", "P"), ("ß", "straße"), ("ss", "strasse"), ("it's", "p")] * 6
MEANT = pd.DataFrame(
    {"x": [float(i % 5) + i / 7 for i in range(len(ROWS))], "c": [c for c, _ in ROWS], "y": [y for _, y in ROWS]}
)
COLLATIONS = ["NOCASE", "NOACCENT", "NOCASE.NOACCENT", "de"]


def filled(connection, collation=""):
    written = f"COLLATE {collation}" if collation else ""
    connection.execute(f'CREATE TABLE t (x DOUBLE, c VARCHAR {written}, "y" VARCHAR {written})')
    connection.executemany("INSERT INTO t VALUES (?, ?, ?)", MEANT.to_numpy(dtype=object).tolist())
    return connection


def collated(collation):
    try:
        return filled(duckdb.connect(), collation)
    except duckdb.Error:  # of ICU, an extension that may not be there
        pytest.skip(f"this DuckDB has no collation {collation}")


@pytest.mark.parametrize("where", ["engine", "here"])
@pytest.mark.parametrize("collation", COLLATIONS)
def test_a_collation_of_columns_merges_no_levels(collation, where):
    rows = collated(collation).table("t")
    found = collect(rows, "y", where=where)
    assert found.classes == ("P", "p", "strasse", "straße")
    assert found == collect(MEANT, "y")


def test_a_collation_of_the_database_merges_no_levels():
    connection = duckdb.connect()
    connection.execute("PRAGMA default_collation=NOCASE")
    assert collect(filled(connection).sql("SELECT * FROM t WHERE x < 1000"), "y") == collect(MEANT, "y")


FAR = """CREATE TABLE t (x DOUBLE, y VARCHAR COLLATE NOCASE);
INSERT INTO t SELECT i % 7 + i % 11 / 8, 'Far' FROM range(12000) r(i);
INSERT INTO t SELECT 1e8 + i % 5 + i % 3 / 4, 'far' FROM range(300) r(i)"""


def test_a_class_far_from_the_first_rows_is_asked_again_by_its_letters():
    """Labels that the collation takes for one, of which one lies 1e7 standard deviations away."""
    connection, database = duckdb.connect(), ibis.duckdb.connect()
    connection.execute(FAR)
    database.raw_sql(FAR)
    here = collect(connection.table("t"), "y", where="here")
    assert here.classes == ("Far", "far")
    assert collect(connection.table("t"), "y", where="engine") == here
    assert collect(database.table("t"), "y", where="engine") == here


def test_a_collation_merges_nothing_through_ibis():
    database = ibis.duckdb.connect()
    database.raw_sql("CREATE TABLE t (x DOUBLE, c VARCHAR COLLATE NOCASE, y VARCHAR COLLATE NOACCENT)")
    for x, c, y in MEANT.itertuples(index=False):
        database.raw_sql(f"INSERT INTO t VALUES ({x}, '{c.replace(chr(39), chr(39) * 2)}', '{y}')")
    for where in ("engine", "here"):
        assert collect(database.table("t"), "y", where=where) == collect(MEANT, "y")


def test_names_that_the_engine_takes_for_one_are_refused():
    rows = pa.table({"Size": [1.5, 2.25, 7.0, 3.0] * 3, "size": [9.0, 8.5, 7.25, 1.0] * 3, "y": ["p", "q"] * 6})
    with pytest.raises(TableError, match="DuckDB takes the columns 'Size' and 'size' for one"):
        collect(ibis.memtable(rows), "y")
    assert collect(pl.LazyFrame(rows), "y") == collect(rows, "y")


@pytest.mark.parametrize("collation", COLLATIONS)
def test_a_query_of_a_model_tells_letters_apart_too(collation):
    model = NaiveBayes().fit(MEANT, "y")
    connection = collated(collation)
    connection.execute("CREATE TABLE u AS SELECT *, row_number() OVER () AS id FROM t")
    found = [name for _, name in sorted(connection.execute(model.to_sql("duckdb", "u", "id", "class")).fetchall())]
    assert found == model.predict(MEANT.drop(columns="y")).tolist()
