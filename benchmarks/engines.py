"""Ways to a summary of a folder of Parquet, each in a process of its own: time, processor time and peak memory.

`make bench-engines` says first how much disk it takes and whether there is so much, and deletes its files afterwards.
It writes the table; `make bench-engines ROWS=2e7` does so for as many rows.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BYTES = 190  # of a row on disk, with a little room
FILES, NUMBERS, TEXTS, COMPONENTS, STEPS = 8, 20, 5, 5, 3
TITLES = {
    "scan": "bare scan of the files",
    "ours": '`collect("*.parquet")`: full scatter, counts of texts',
    "sklearn": "scikit-learn `GaussianNB.partial_fit`: variances only",
    "duckdb": "summed by DuckDB",
    "polars": "summed by Polars",
    "dask": "Dask, two workers of one thread",
    "spark": 'Spark, `where="partitions"`',
    "mllib": "Spark's own NaiveBayes: variances only",
    "em": f"a step of EM over the files, {COMPONENTS} components, full covariances",
    "em sklearn": "the same step of scikit-learn, all rows in memory",
}


def written(rows: int, folder: Path) -> None:
    """Numbers, one of them at 1e6 with a standard deviation of 1, texts of eight levels, and a label of three."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    for part in range(FILES):
        rng, n = np.random.default_rng(part), rows // FILES
        label = rng.integers(0, 3, n)
        columns = {f"x{j}": rng.normal(size=n) + 0.1 * j * label for j in range(NUMBERS)}
        columns["x0"] = columns["x0"] + 1e6
        levels = pa.array([f"level {k}" for k in range(8)])
        columns |= {f"t{j}": levels.take(pa.array(rng.integers(0, 8, n))) for j in range(TEXTS)}
        columns["label"] = pa.array(["a", "b", "c"]).take(pa.array(label))
        pq.write_table(pa.table(columns), folder / f"{part}.parquet", row_group_size=1 << 18)


def measured(way: str, folder: Path) -> dict:
    """One way, in this process: what it takes once everything is imported."""
    import resource
    import warnings

    warnings.simplefilter("ignore")
    prepared = WAYS[way](folder)
    begun, worked = time.perf_counter(), time.process_time()
    steps = prepared() or 1
    children, own = (resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF))
    return {
        "seconds": (time.perf_counter() - begun) / steps,
        "cpu": (time.process_time() - worked) / steps,
        "memory": (own + children) / 1e6,
    }


def _scan(folder):
    import pyarrow.parquet as pq

    texts = [*(f"t{j}" for j in range(TEXTS)), "label"]

    def work():
        for path in sorted(folder.glob("*.parquet")):
            for _ in pq.ParquetFile(path, read_dictionary=texts).iter_batches(1 << 17):
                pass

    return work


def _collect(source):
    import numpy as np

    from suffice import collect

    rng = np.random.default_rng(0)  # what is compiled for many rows, and imported then, is
    some = {f"x{j}": rng.normal(size=100_000) for j in range(NUMBERS)}
    collect(some | {"t": ["a", "b"] * 50_000}, ["u", "v"] * 50_000)
    return lambda: _nothing(collect(source(), "label"))


def _ours(folder):
    return _collect(lambda: str(folder / "*.parquet"))


def _duckdb(folder):
    import duckdb

    return _collect(lambda: duckdb.sql(f"select * from '{folder}/*.parquet'"))


def _polars(folder):
    import polars as pl

    return _collect(lambda: pl.scan_parquet(f"{folder}/*.parquet"))


def _dask(folder):
    import dask.dataframe as dd
    from dask.distributed import Client, LocalCluster

    cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    Client(cluster)
    return _collect(lambda: dd.read_parquet(f"{folder}/*.parquet", split_row_groups=True))


def _session():
    import os

    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    return SparkSession.builder.master("local[2]").config("spark.driver.memory", "3g").getOrCreate()


def _spark(folder):
    from suffice import collect

    frame = _session().read.parquet(str(folder))
    frame.count()
    return lambda: _nothing(collect(frame, "label", where="partitions"))


def _mllib(folder):
    from pyspark.ml.classification import NaiveBayes
    from pyspark.ml.feature import StringIndexer, VectorAssembler

    frame = _session().read.parquet(str(folder))
    frame = StringIndexer(inputCol="label", outputCol="y").fit(frame).transform(frame)
    rows = VectorAssembler(inputCols=[f"x{j}" for j in range(NUMBERS)], outputCol="x").transform(frame)
    model = NaiveBayes(modelType="gaussian", featuresCol="x", labelCol="y")
    return lambda: _nothing(model.fit(rows))


def _sklearn(folder):
    import numpy as np
    from sklearn.naive_bayes import GaussianNB

    from suffice import batches

    names, model = [f"x{j}" for j in range(NUMBERS)], GaussianNB()

    def work():
        for table in batches(folder, [*names, "label"]):
            X = np.column_stack([table[name].to_numpy() for name in names])
            model.partial_fit(X, table["label"].to_numpy(zero_copy_only=False).astype(str), classes=["a", "b", "c"])

    return work


def _em(folder):
    from suffice import Mixture

    kinds = dict.fromkeys([*(f"t{j}" for j in range(TEXTS)), "label"], "ignore")
    files = sorted(folder.glob("*.parquet"))
    start = Mixture(COMPONENTS, kinds=kinds, restarts=1, max_iter=2).fit(_head(files[0]))

    def work():
        Mixture(COMPONENTS, kinds=kinds, start=start, max_iter=STEPS, tol=0).fit(files)
        return STEPS + 2  # passes: one to know the rows, one to begin

    return work


def _em_sklearn(folder):
    import numpy as np
    import pyarrow.parquet as pq
    from sklearn.mixture import GaussianMixture

    names = [f"x{j}" for j in range(NUMBERS)]
    X = np.column_stack([pq.read_table(folder, columns=[name])[name].to_numpy() for name in names])
    means = X[:COMPONENTS]
    precisions = np.repeat(np.eye(NUMBERS)[None], COMPONENTS, axis=0)
    model = GaussianMixture(
        COMPONENTS, max_iter=STEPS, tol=0, means_init=means, precisions_init=precisions, init_params="random"
    )

    def work():
        model.fit(X)
        return STEPS

    return work


def _head(path):
    import pyarrow.parquet as pq

    return next(pq.ParquetFile(path).iter_batches(20_000))


def _nothing(_):
    return None


WAYS = {
    "scan": _scan,
    "ours": _ours,
    "sklearn": _sklearn,
    "duckdb": _duckdb,
    "polars": _polars,
    "dask": _dask,
    "spark": _spark,
    "mllib": _mllib,
    "em": _em,
    "em sklearn": _em_sklearn,
}


def run(way: str, folder: Path, repeats: int) -> dict | None:
    """The best of a few processes; None where the engine is not there."""
    found = []
    for _ in range(repeats):
        command = [sys.executable, __file__, "--way", way, "--folder", str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
        if done.returncode or not lines:
            print(f"{way}: not measured ({done.stderr.strip().splitlines()[-1:]})", file=sys.stderr)
            return None
        found.append(json.loads(lines[-1]))
    return min(found, key=lambda result: result["seconds"])


def table(rows: int, folder: Path, repeats: int, ways: list[str]) -> list[str]:
    lines = [
        f"{rows:,} rows × ({NUMBERS} numbers, {TEXTS} texts, a label) in {FILES} Parquet files; the best of {repeats}.",
        "",
        "| way | seconds | beside `collect` | processor seconds | peak memory, GB |",
        "|---|---|---|---|---|",
    ]
    found = {way: run(way, folder, repeats) for way in ways}
    ours = found.get("ours")
    for way, result in found.items():
        if result is not None:
            beside = f"{result['seconds'] / ours['seconds']:.2f}×" if ours and not way.startswith("em") else ""
            numbers = f"{result['seconds']:.2f} | {beside} | {result['cpu']:.2f} | {result['memory']:.2f}"
            lines.append(f"| {TITLES[way]} | {numbers} |")
    return lines


def growth(sizes: list[int], base: Path) -> list[str]:
    """Whether time is linear in the rows, and memory flat."""
    lines = ["", "| rows | seconds | microseconds a row | peak memory, GB |", "|---|---|---|---|"]
    for rows in sizes:
        folder = base / f"growth-{rows}"
        folder.mkdir()
        written(rows, folder)
        result = run("ours", folder, 1)
        shutil.rmtree(folder)
        if result is not None:
            each = 1e6 * result["seconds"] / rows
            lines.append(f"| {rows:,} | {result['seconds']:.2f} | {each:.2f} | {result['memory']:.2f} |")
    return lines


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--rows", type=float, default=2e6)
    ask.add_argument("--repeats", type=int, default=2)
    ask.add_argument("--ways", default=",".join(WAYS))
    ask.add_argument("--growth", default="0.1,1", help="sizes beside the rows, as shares of them")
    ask.add_argument("--into", type=Path)
    ask.add_argument("--way", help="one way, in this process")
    ask.add_argument("--folder", type=Path)
    given = ask.parse_args()
    if given.way:
        print(json.dumps(measured(given.way, given.folder)))
        return
    rows, shares = int(given.rows), [float(share) for share in given.growth.split(",") if share]
    most = max([1.0, *shares]) * rows * BYTES * 2  # the rows, and the largest size of growth beside them
    free = shutil.disk_usage(tempfile.gettempdir()).free
    place = tempfile.gettempdir()
    print(f"{rows:,} rows take about {most / 1e9:.1f} GB of disk in {place}; {free / 1e9:.1f} GB are free.")
    if free < 1.5 * most:
        raise SystemExit("That is not enough: give fewer rows, or set TMPDIR to a folder on a larger disk.")
    with tempfile.TemporaryDirectory(prefix="suffice-bench-") as name:
        folder = Path(name) / "rows"
        folder.mkdir()
        written(rows, folder)
        lines = table(rows, folder, given.repeats, given.ways.split(","))
        lines += growth([int(rows * share) for share in shares], Path(name))
    print("\n".join(lines))
    if given.into:
        given.into.write_text("\n".join([*lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
