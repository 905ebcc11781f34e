# %% frames
import pandas as pd
import polars as pl

from suffice import NaiveBayes, collect, example

columns, species = example("penguins")
table = {name: columns[name] for name in ("island", "bill_length_mm", "body_mass_g")}
pandas, polars = pd.DataFrame(table), pl.DataFrame(table)
collect(pandas, species) == collect(polars, species)
# %% files
from pathlib import Path
from tempfile import mkdtemp

folder = Path(mkdtemp())
everything = pl.DataFrame(table).with_columns(species=pl.Series(species))
for part in range(4):
    everything[part::4].write_parquet(folder / f"part-{part}.parquet")
from_files = collect(str(folder / "*.parquet"), "species")
from_files
# %% same
from_files == collect(table, species)
# %% batches
whole = sum(collect(everything[start : start + 100], "species") for start in range(0, len(everything), 100))
whole == from_files
# %% engine
import duckdb

there = duckdb.connect()
there.register("rows", everything.to_arrow())
there.execute("CREATE TABLE penguins AS SELECT * FROM rows")
in_engine = collect(there.sql("SELECT * FROM penguins"), "species", where="engine")
in_engine == from_files
# %% models
model = NaiveBayes.from_summary(from_files)
model.predict_file(folder / "part-0.parquet", folder / "scored.parquet")
pl.read_parquet(folder / "scored.parquet").head(3)
# %% sql
query = model.to_sql("duckdb", table="penguins", key="rowid", output="class")
there.sql(query).pl().head(3)
# %% keep
from suffice import load

from_files.save(folder / "penguins.stats")
load(folder / "penguins.stats") == from_files
# %% share
from suffice import disclosed, suppressed

small = collect({"town": ["A", "A", "A", "A", "B"]}, ["well"] * 5)
disclosed(small), disclosed(suppressed(small))
# %% picture
from suffice import plots

ax = plots.missing(columns)
