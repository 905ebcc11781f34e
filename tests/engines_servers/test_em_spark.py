"""EM over frames of PySpark: every step is made where the partitions are, and what travels is parameters and sums."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow.dataset import dataset

from engines.rows import mixed, table
from suffice import EM, LatentClass, Mixture, NaiveBayes, collect
from suffice.data import batches
from suffice.errors import KindError
from suffice.model.em import streamed

pytestmark = [
    pytest.mark.filterwarnings("ignore::suffice.errors.KindHint"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
SAMPLE, PARTS = 200, 10  # more partitions than are added at a time


@pytest.fixture(autouse=True)
def small_sample(monkeypatch):
    monkeypatch.setattr(streamed, "SAMPLE", SAMPLE)


def _there(spark, frame: pd.DataFrame, parts: int = PARTS):
    return spark.createDataFrame(frame).repartition(parts)


def _hidden(frame: pd.DataFrame) -> pd.DataFrame:
    label = pd.Series(np.where(frame["y"] > 0, "high", "low"), dtype=object)
    return frame.assign(label=label.mask(np.arange(len(frame)) % 3 == 0, None))


def _same(here, there) -> None:
    np.testing.assert_allclose(there.trace_.objective, here.trace_.objective, rtol=1e-10)
    assert there.summary_ == here.summary_
    assert there.start_rows_ == SAMPLE


@pytest.mark.parametrize("missing", [False, True], ids=["whole", "holes"])
@pytest.mark.parametrize("weight", [None, "w"])
def test_from_the_same_start_it_ends_where_memory_does(weight, missing, spark):
    frame = mixed(missing=missing).drop(columns=[] if weight else "w")
    with pytest.warns(UserWarning, match="EM has not converged"):
        start = Mixture(3, restarts=1, max_iter=2).fit(frame, sample_weight=weight)
    here = Mixture(3, start=start).fit(frame, sample_weight=weight)
    there = Mixture(3, start=start).fit(_there(spark, frame), sample_weight=weight)
    _same(here, there)
    rows = frame.drop(columns="w", errors="ignore")
    np.testing.assert_allclose(there.predict_proba(rows), here.predict_proba(rows), atol=1e-10)


@pytest.mark.filterwarnings("ignore:EM has not converged")
def test_latent_classes(spark):
    frame = table()[["town", "open"]].astype({"open": object})
    start = LatentClass(2, restarts=1, max_iter=2).fit(frame)
    here = LatentClass(2, start=start, max_iter=5).fit(frame)
    _same(here, LatentClass(2, start=start, max_iter=5).fit(_there(spark, frame, 3)))


@pytest.mark.parametrize("weight", [None, "w"])
def test_hidden_labels_from_the_same_sample(weight, spark, monkeypatch):
    """Against batches of a table that is here: EM begins from a sample, and here both have the same one."""
    frame = _hidden(mixed()).drop(columns=[] if weight else "w")
    rows, drawn = frame.drop(columns=["label", "w"], errors="ignore"), pa.Table.from_pandas(frame[:SAMPLE])
    monkeypatch.setattr(streamed._Sample, "drawn", lambda self: drawn)
    here, there = (
        NaiveBayes(em=EM(unlabelled_weight=0.5, tol=1e-6)).fit(source, "label", sample_weight=weight)
        for source in (dataset(pa.Table.from_pandas(frame)), _there(spark, frame, 3))
    )
    _same(here, there)
    np.testing.assert_allclose(there.predict_proba(rows), here.predict_proba(rows), atol=1e-10)


def test_rows_of_counts_whose_labels_are_hidden(spark):
    """That labels are missing is found out by those who hold the rows."""
    frame = table(missing=False)[["visits", "wins"]]
    label = pd.Series(np.where(frame["visits"] > 2, "many", "few"), dtype=object).mask(frame.index % 2 == 0, None)
    model = NaiveBayes(kinds="counts", em=EM(unlabelled_weight=1.0)).fit(
        _there(spark, frame.assign(label=label), 3), "label"
    )
    assert model.classes_.tolist() == ["few", "many"]
    assert model.start_rows_ == SAMPLE


class Came:
    """What comes from Spark to Python."""

    def __init__(self, monkeypatch) -> None:
        from pyspark.sql.classic.dataframe import DataFrame

        self.rows, self.sizes = [], []
        collected, streaming = DataFrame.collect, DataFrame.toLocalIterator
        monkeypatch.setattr(DataFrame, "collect", lambda frame: self._sums(collected(frame)))
        monkeypatch.setattr(DataFrame, "toLocalIterator", lambda *given: self._some(streaming(*given)))
        monkeypatch.setattr(DataFrame, "toArrow", lambda frame: pytest.fail("all rows at once"))
        monkeypatch.setattr(DataFrame, "toPandas", lambda frame: pytest.fail("all rows at once"))

    def _sums(self, rows):
        assert len(rows) == 1
        self.sizes += [len(row["sum"]) for row in rows if "sum" in row]
        return rows

    def _some(self, batches):
        for row in batches:
            self.rows.append(pa.ipc.open_stream(row.arrow_ipc_bytes).read_all().num_rows)
            yield row


def test_what_comes_is_a_head_a_sample_and_one_sum_a_step(spark, monkeypatch):
    monkeypatch.setattr(batches, "HEAD", 50)
    there, came = _there(spark, _hidden(mixed()).drop(columns="w")), Came(monkeypatch)
    model = Mixture(3).fit(there, "label")
    assert came.rows == [50]
    assert len(came.sizes) == model.n_iter_ + 2  # the first to know the rows, the second to begin
    assert max(came.sizes[1:]) < 10_000 < came.sizes[0]  # which has the sample


@pytest.mark.parametrize("own", [False, True], ids=["not kept", "kept by the user"])
def test_partitions_are_kept_until_the_end_and_no_longer(own, spark, monkeypatch):
    """Once, and not released where the user keeps them."""
    kept, summed = [], batches.Batches.summed
    monkeypatch.setattr(batches.Batches, "summed", lambda *given: (summed(*given), kept.append(_cached(spark)))[0])
    there = _there(spark, mixed(missing=False), 3)
    there = there.cache() if own else there
    Mixture(2).fit(there)
    assert len(kept) > 3
    assert set(kept) == {1}
    assert _cached(spark) == own
    there.unpersist()


def test_what_is_wrong_in_a_partition_is_said(spark, monkeypatch):
    monkeypatch.setattr(batches, "HEAD", 50)
    frame = table(missing=False)[["wait", "label"]]
    frame.loc[500, "wait"] = -1.0
    there = spark.createDataFrame(frame)
    with pytest.raises(KindError, match="holds -1"):
        Mixture(2, kinds={"wait": "exponential"}).fit(there, "label")
    with pytest.raises(KindError, match="holds -1"):
        collect(there, "label", kinds={"wait": "exponential"}, where="partitions")
    assert _cached(spark) == 0


def _cached(spark) -> int:
    return spark.sparkContext._jsc.getPersistentRDDs().size()
