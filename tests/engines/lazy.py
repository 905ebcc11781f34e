"""The lazy frames that tests try, in process: the same few calls whatever the engine."""

import duckdb
import ibis
import pandas as pd
import polars as pl
import pyarrow as pa


def arrow(frame: pd.DataFrame) -> pa.Table:
    return pa.Table.from_pandas(frame, preserve_index=False)


OF_ARROW = {"polars": pl.LazyFrame, "duckdb": duckdb.from_arrow, "ibis": ibis.memtable}
LAZY = {
    "polars": lambda frame: pl.LazyFrame(arrow(frame)),
    "duckdb": lambda frame: duckdb.from_arrow(arrow(frame)),
    "ibis": lambda frame: ibis.memtable(arrow(frame)),
}
