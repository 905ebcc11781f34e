"""A type that names levels names them wherever its rows are: the same model as from rows in memory."""

import dask
import dask.dataframe as dd
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet
import pytest

from suffice import NaiveBayes, collect

pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.KindHint")
LEVELS = ["b", "a", "日本", "never", "it's"]  # the fourth is in no row
CELLS = (["a"] * 5 + ["b", "日本", "it's", None]) * 4
Y = (["p"] * 3 + ["q"] * 6) * 4


def levels_of(summary):
    [column] = (column for column in summary.schema.columns if column.name == "c")
    return column.levels, column.declared


def relation():
    connection = duckdb.connect()
    frame = pd.DataFrame({"c": CELLS, "y": Y})
    connection.register("handed_in", frame)
    named = ", ".join("'" + level.replace("'", "''") + "'" for level in LEVELS)
    connection.execute(f"CREATE TYPE mood AS ENUM ({named})")
    connection.execute("CREATE TABLE t AS SELECT c::mood AS c, y::varchar AS y FROM handed_in")
    return connection.table("t")


def polars():
    return pl.DataFrame({"c": pl.Series(CELLS, dtype=pl.Enum(LEVELS)), "y": Y})


def test_an_enum_names_its_levels_in_every_engine():
    here = collect(polars(), "y")
    assert levels_of(here) == (tuple(sorted(LEVELS)),) * 2
    for rows in (polars().lazy(), relation()):
        for where in ("engine", "here"):
            there = collect(rows, "y", where=where)
            assert there == here
            assert levels_of(there) == levels_of(here)
            model = NaiveBayes.from_summary(there)
            np.testing.assert_allclose(
                model.predict_proba({"c": ["never", "a"]}),
                NaiveBayes().fit(polars(), "y").predict_proba({"c": ["never", "a"]}),
            )


def test_levels_that_only_later_rows_have_stand_beside_those_named():
    """A level named by a person is closed; one named by a type is met or not."""
    frame = pl.DataFrame({"c": pl.Series(["a", "b"] * 9, dtype=pl.Enum(["z", "b", "a"])), "y": ["p", "q", "q"] * 6})
    assert levels_of(collect(frame.lazy().filter(pl.col("c") == "a"), "y")) == (("a", "b", "z"),) * 2
    closed = {"c": ("categorical", ["a", "b", "x"])}
    one, other = collect(frame, "y", kinds=closed), collect(frame.lazy(), "y", kinds=closed)
    assert one == other
    assert levels_of(one) == levels_of(other) == (("a", "b", "x"),) * 2


def test_a_categorical_of_polars_names_none():
    frame = pl.DataFrame({"c": pl.Series(["a", "b", None] * 6, dtype=pl.Categorical), "y": ["p", "q"] * 9})
    for where in ("engine", "here"):
        assert levels_of(collect(frame.lazy(), "y", where=where)) == levels_of(collect(frame, "y")) == (("a", "b"), ())


@pytest.mark.parametrize("ordered", [False, True])
def test_categories_of_pandas_are_those_of_every_partition(ordered):
    kind = pd.CategoricalDtype(LEVELS, ordered=ordered)
    frame = pd.DataFrame({"c": pd.Series(CELLS, dtype=kind), "y": Y})
    here = collect(frame, "y")
    with dask.config.set(scheduler="synchronous"):
        for where in (None, "partitions", "here"):
            there = collect(dd.from_pandas(frame, npartitions=4, sort=False), "y", where=where)
            assert there == here
            assert levels_of(there) == levels_of(here) == (tuple(sorted(LEVELS)),) * 2


@pytest.mark.parametrize("form", ["parquet", "feather"])
@pytest.mark.parametrize("ordered", [False, True])
def test_dictionaries_in_files_keep_the_levels_that_no_row_has(tmp_path, form, ordered):
    codes = pa.array([None if cell is None else LEVELS.index(cell) for cell in CELLS], pa.int8())
    rows = pa.table({"c": pa.DictionaryArray.from_arrays(codes, LEVELS, ordered=ordered), "y": Y})
    path = tmp_path / f"rows.{form}"
    pa.parquet.write_table(rows, path, row_group_size=7) if form == "parquet" else feather.write_feather(rows, path)
    assert levels_of(collect(rows, "y")) == (tuple(sorted(LEVELS)),) * 2
    assert levels_of(collect(path, "y")) == levels_of(collect(rows, "y"))
    assert collect(path, "y") == collect(rows, "y")


def test_a_dictionary_of_arrow_within_pandas_is_read():
    rows = pa.table({"c": pa.array(CELLS).dictionary_encode(), "y": Y})
    frame = rows.to_pandas(types_mapper=pd.ArrowDtype)
    assert collect(frame, "y") == collect(rows, "y")
    many = pd.concat([frame] * 9, ignore_index=True)
    assert collect(many, "y") == collect(pa.concat_tables([rows] * 9), "y")
