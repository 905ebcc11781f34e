"""Frames of Dask: every partition is collected where it is, and what travels is a summary."""

import pickle
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Queue
from threading import Thread
from zlib import crc32

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask.distributed import Client, LocalCluster
from distributed.core import Status

from engines.rows import KINDS, table
from fragile import Fragile
from suffice import Mixture, NaiveBayes, collect, cross_validate
from suffice.data.batches import Batches
from suffice.errors import KindError, ParameterError, TableError
from suffice.model.summary import Summary

pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.KindHint")


@pytest.fixture(autouse=True)
def one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def _frame(frame: pd.DataFrame, partitions: int = 5) -> dd.DataFrame:
    return dd.from_pandas(frame, npartitions=partitions, sort=False)


@pytest.mark.parametrize("weight", [None, "weight"])
@pytest.mark.parametrize("missing", [False, True], ids=["whole", "holes"])
@pytest.mark.parametrize("where", [None, "partitions", "here"])
def test_partitions_say_what_memory_says(where, missing, weight):
    frame = table(missing=missing)
    kinds = KINDS if weight else KINDS | {"weight": "ignore"}
    here = collect(frame, "label", sample_weight=weight, kinds=kinds)
    there = collect(_frame(frame), "label", sample_weight=weight, kinds=kinds, where=where)
    assert there == here
    rows = frame.drop(columns=["label", *([weight] if weight else [])])
    one, other = (NaiveBayes.from_summary(summary).predict_proba(rows) for summary in (here, there))
    np.testing.assert_allclose(one, other, atol=1e-10)


def test_a_plan_makes_the_first_partition_alone():
    frame, made = table().drop(columns="weight"), []

    def part(i: int) -> pd.DataFrame:
        made.append(i)
        return frame[200 * i : 200 * (i + 1)]

    lazy = dd.from_map(part, range(3), meta=frame[:0])
    collect(lazy, "label", kinds=KINDS)
    assert sorted(made) == [0, 0, 1, 2]  # one to plan, then all


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_files_are_collected_by_workers(tmp_path, form):
    frame = table(missing=True).drop(columns="weight")
    for i in range(4):
        some = frame[150 * i : 150 * (i + 1)]
        path = tmp_path / f"{i}.{form}"
        some.to_parquet(path) if form == "parquet" else some.to_csv(path, index=False)
    there = collect(tmp_path, "label", kinds=KINDS, where="partitions")
    assert there == collect(tmp_path, "label", kinds=KINDS)
    with pytest.raises(ParameterError, match="where='partitions' is only for files"):
        collect(frame, "label", kinds=KINDS, where="partitions")


def test_a_partition_all_of_whose_texts_are_missing_obeys_the_schema():
    frame = table().drop(columns="weight")
    frame.loc[200:399, "town"] = None
    frame.loc[400:, "height"] = None
    parts = [frame[:200], frame[200:400], frame[400:]]
    lazy = dd.from_map(lambda i: parts[i], range(3), meta=frame[:0])
    assert collect(lazy, "label", kinds=KINDS) == collect(frame, "label", kinds=KINDS)


def test_partitions_without_rows_or_weight_say_nothing():
    frame = table()
    frame.loc[:299, "weight"] = 0.0
    parts = [frame[:300], frame[:0], frame[300:]]
    lazy = dd.from_map(lambda i: parts[i], range(3), meta=frame[:0])
    assert collect(lazy, "label", sample_weight="weight", kinds=KINDS) == collect(
        frame[300:], "label", sample_weight="weight", kinds=KINDS
    )
    with pytest.raises(TableError, match="There are no rows to read"):
        collect(_frame(frame[:0], 1), "label", kinds=KINDS)


def test_models_and_answers():
    frame = table().drop(columns="weight")
    rows = frame.drop(columns="label")
    model = NaiveBayes(kinds=KINDS).fit(_frame(frame), "label")
    assert model.summary_ == NaiveBayes(kinds=KINDS).fit(frame, "label").summary_
    np.testing.assert_allclose(model.predict_proba(_frame(rows)), model.predict_proba(rows))
    numbers = frame[["wait", "身高 2"]]
    assert Mixture(2).fit(_frame(numbers)).score(numbers) == pytest.approx(Mixture(2).fit(numbers).score(numbers))


def test_rows_of_counts_and_pairs_are_collected_in_partitions_too():
    frame = table(missing=False)[["visits", "wins", "label"]]
    assert collect(_frame(frame), "label", kinds="counts") == collect(frame, "label", kinds="counts")
    assert collect(_frame(frame), "label", pairs=True) == collect(frame, "label", pairs=True)


def test_what_is_wrong_is_said():
    frame = table().drop(columns="weight")
    with pytest.raises(ParameterError, match="where='engine' is only for lazy frames"):
        collect(_frame(frame), "label", where="engine")
    with pytest.raises(ParameterError, match="where='partitions' is only for files and for Dask"):
        collect(frame, "label", where="partitions")
    with pytest.raises(KindError, match="holds -1"):
        collect(_frame(frame.assign(wait=-1.0)), "label", kinds=KINDS)


def test_what_travels_is_small():
    frame = table()
    summary = collect(_frame(frame), "label", kinds=KINDS)
    assert len(pickle.dumps(summary)) < 100_000
    assert pickle.loads(pickle.dumps(summary)) == summary


PATIENCE = 300  # seconds that a cluster has to begin again, on a machine that may be busy; a tenth of them to end


@contextmanager
def two_workers(folder: Path) -> Iterator[LocalCluster]:
    """A cluster that need not answer when it is closed: one that has lost a worker does not always."""
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, local_directory=str(folder))
    try:
        yield cluster
    finally:
        with suppress(TimeoutError):
            cluster.close(timeout=PATIENCE / 10)
        cluster.status = Status.closed  # so that nothing is said of it later


@pytest.mark.filterwarnings("ignore")  # of the cluster, about the worker that it has lost
def test_a_worker_that_is_killed_in_the_middle_changes_nothing(tmp_path):
    frame = table().drop(columns="weight")
    marker = tmp_path / "killed"
    marker.touch()
    parts = Fragile([frame[i : i + 150] for i in range(0, 600, 150)], marker)
    lazy = dd.from_map(parts, range(4), meta=frame[:0])
    # by name: Dask hands its settings to each new worker, and cannot hand over a client, so none would take the place
    # of the one that is lost
    with two_workers(tmp_path) as cluster, Client(cluster), dask.config.set(scheduler="distributed"):
        marker.unlink()
        answers: Queue[Summary] = Queue()

        Thread(target=lambda: answers.put(collect(lazy, "label", kinds=KINDS)), daemon=True).start()
        found = answers.get(timeout=PATIENCE)
        assert marker.exists()
        assert found == collect(_frame(frame), "label", kinds=KINDS)  # by two workers again


@pytest.mark.parametrize("weight", [None, "weight"])
def test_folds_are_validated_where_the_partitions_are(weight, monkeypatch):
    """By a key the folds are those of memory, and no batch of rows comes here."""
    frame = table()
    kinds = KINDS if weight else KINDS | {"weight": "ignore"}
    dealt = [crc32(str(name).encode()) % 3 for name in frame["town"]]
    here = cross_validate(NaiveBayes(kinds=kinds), frame, "label", folds=dealt, sample_weight=weight)
    monkeypatch.delattr(Batches, "read")
    there = cross_validate(
        NaiveBayes(kinds=kinds), _frame(frame), "label", folds=3, groups="town", sample_weight=weight
    )
    for title, score in here.scores().items():
        assert float(there.scores()[title]) == pytest.approx(float(score), abs=1e-9)
    np.testing.assert_allclose(there.confusion, here.confusion)


def test_rows_are_dealt_to_folds_by_number_in_every_partition():
    """However rows are parted, each is in one fold, and folds are about as large."""
    frame = table()
    found = cross_validate(NaiveBayes(kinds=KINDS), _frame(frame), "label", folds=4, sample_weight="weight")
    assert found.rows == int((frame["weight"] > 0).sum())
    assert found.confusion.sum() == pytest.approx(frame["weight"].sum())
