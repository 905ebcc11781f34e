"""Ways to a summary of a folder of Parquet, for `engines.py`: each is prepared, then done, and says in how many steps.

Everything that is imported, compiled or started is so once a way is prepared.
"""

import sys

NUMBERS, TEXTS, COMPONENTS, STEPS = 20, 5, 5, 3


def _scan(folder):
    import pyarrow.parquet as pq

    texts = [*(f"t{j}" for j in range(TEXTS)), "label"]

    def work():
        for path in sorted(folder.glob("*.parquet")):
            for _ in pq.ParquetFile(path, read_dictionary=texts).iter_batches(1 << 17):
                pass

    return work


def _collect(source, **settings):
    from suffice import collect

    _warmed()
    return lambda: _nothing(collect(source(), "label", **settings))


def _warmed():
    """What is compiled for many rows, and imported then, is."""
    import numpy as np
    import pyarrow.parquet

    from suffice import collect

    assert pyarrow.parquet
    rng = np.random.default_rng(0)
    some = {f"x{j}": rng.normal(size=100_000) for j in range(NUMBERS)}
    collect(some | {"t": ["a", "b"] * 50_000}, ["u", "v"] * 50_000)


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

    return _on_workers(folder, lambda files: dd.read_parquet(files, split_row_groups=True))


def _dask_files(folder):
    return _on_workers(folder, list, where="partitions")


def _on_workers(folder, source_of, **settings):
    """Two workers that have each had a file before."""
    from dask.distributed import Client, LocalCluster

    from suffice import collect

    cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    Client(cluster).run(_warmed)
    files = [str(path) for path in sorted(folder.glob("*.parquet"))]
    collect(source_of(files[:2]), "label", **settings)
    return _collect(lambda: source_of(files), **settings)


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


def _matrix(table, names):
    import numpy as np

    return np.column_stack([table[name].to_numpy() for name in names])


def _codes(column, levels):
    import pyarrow.compute as pc

    return pc.index_in(column.cast("string"), levels).to_numpy()


def _text_labels(table):
    return table["label"].to_numpy().astype(str), ["a", "b", "c"]


def _coded_labels(table):
    import pyarrow as pa

    return _codes(table["label"], pa.array(["a", "b", "c"])), [0, 1, 2]


def _sklearn(folder, labels=_text_labels):
    import pyarrow.parquet
    from sklearn.naive_bayes import GaussianNB

    from suffice import batches

    assert pyarrow.parquet
    names, model = [f"x{j}" for j in range(NUMBERS)], GaussianNB()

    def work():
        for table in batches(folder, [*names, "label"]):
            y, classes = labels(table)
            model.partial_fit(_matrix(table, names), y, classes=classes)

    return work


def _sklearn_codes(folder):
    return _sklearn(folder, _coded_labels)


def _sklearn_all(folder):
    """What learns from all columns: a code for each text, by levels that are known beforehand."""
    import numpy as np
    import pyarrow as pa
    from sklearn.naive_bayes import CategoricalNB, GaussianNB

    from suffice import batches

    numbers, texts = [f"x{j}" for j in range(NUMBERS)], [f"t{j}" for j in range(TEXTS)]
    one, other, levels = GaussianNB(), CategoricalNB(min_categories=8), pa.array([f"level {k}" for k in range(8)])

    def work():
        for table in batches(folder, [*numbers, *texts, "label"]):
            y, classes = _text_labels(table)
            one.partial_fit(_matrix(table, numbers), y, classes=classes)
            codes = np.column_stack([_codes(table[name], levels) for name in texts])
            other.partial_fit(codes, y, classes=classes)

    return work


def _em(folder):
    from suffice import Mixture

    kinds = dict.fromkeys([*(f"t{j}" for j in range(TEXTS)), "label"], "ignore")
    files = [_one_file(folder)]
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
    X = np.column_stack([pq.read_table(_one_file(folder), columns=[name])[name].to_numpy() for name in names])
    means = X[:COMPONENTS]
    precisions = np.repeat(np.eye(NUMBERS)[None], COMPONENTS, axis=0)
    model = GaussianMixture(
        COMPONENTS, max_iter=STEPS, tol=0, means_init=means, precisions_init=precisions, init_params="random"
    )

    def work():
        model.fit(X)
        return STEPS

    return work


def _one_file(folder):
    """An eighth of the rows: those who have all of them in memory make several copies."""
    return min(folder.glob("*.parquet"))


def _head(path):
    import pyarrow.parquet as pq

    return next(pq.ParquetFile(path).iter_batches(20_000))


def _nothing(_):
    return None


WAYS = {
    "scan": _scan,
    "ours": _ours,
    "sklearn": _sklearn,
    "sklearn codes": _sklearn_codes,
    "sklearn all": _sklearn_all,
    "duckdb": _duckdb,
    "polars": _polars,
    "dask files": _dask_files,
    "dask": _dask,
    "spark": _spark,
    "mllib": _mllib,
    "em": _em,
    "em sklearn": _em_sklearn,
}
