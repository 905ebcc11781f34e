"""The table of what engines can do says what they do."""

import dask
import dask.dataframe as dd
import duckdb
import ibis
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest

from engines.capabilities import frame, heading, lines_of_the_page, row
from suffice.model.em import streamed

pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.KindHint")


def arrow() -> pa.Table:
    return pa.Table.from_pandas(frame(), preserve_index=False)


ENGINES = {
    "files: Parquet, CSV, Feather, JSON lines": None,
    "a dataset of pyarrow": lambda: pyarrow.dataset.dataset(arrow()),
    "a reader of Arrow, read once": lambda: arrow().to_reader(100),
    "DuckDB": lambda: duckdb.from_arrow(arrow()),
    "Polars, lazy": lambda: pl.LazyFrame(arrow()),
    "ibis": lambda: ibis.memtable(arrow()),
    "Dask": lambda: dd.from_pandas(frame(), npartitions=3),
}


@pytest.mark.parametrize("engine", ENGINES)
def test_the_page_says_what_an_engine_can(engine, tmp_path, monkeypatch):
    monkeypatch.setattr(streamed, "SAMPLE", 100)  # so that EM cannot have all rows here
    pq.write_table(arrow(), tmp_path / "rows.parquet")
    with dask.config.set(scheduler="synchronous"):
        assert row(engine, ENGINES[engine] or (lambda: tmp_path / "rows.parquet"), tmp_path) in lines_of_the_page()


def test_the_page_has_all_that_is_asked():
    assert set(heading()) <= set(lines_of_the_page())
