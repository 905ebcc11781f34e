"""EM over frames of PySpark: every step is made where the partitions are, and what travels is parameters and sums."""

import numpy as np
import pandas as pd
import pytest

from engines.rows import mixed, table
from suffice import LatentClass, Mixture, NaiveBayes
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


def test_latent_classes(spark):
    frame = table()[["town", "open"]].astype({"open": object})
    with pytest.warns(UserWarning, match="EM has not converged"):
        start = LatentClass(2, restarts=1, max_iter=2).fit(frame)
    here = LatentClass(2, start=start, max_iter=2000).fit(frame)
    _same(here, LatentClass(2, start=start, max_iter=2000).fit(_there(spark, frame)))
