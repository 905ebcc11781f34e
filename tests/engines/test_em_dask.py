"""EM over frames of Dask: every step is made where the partitions are, and what travels is parameters and sums."""

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed.protocol.pickle import dumps, loads

from engines.rows import mixed
from suffice import EM, Mixture, NaiveBayes
from suffice.data import batches, persisted
from suffice.model.em import streamed

pytestmark = [pytest.mark.filterwarnings("ignore::suffice.errors.KindHint")]
ROWS, PARTS = 900, 6


@pytest.fixture(autouse=True)
def one_thread(monkeypatch):
    monkeypatch.setattr(streamed, "SAMPLE", 200)
    with dask.config.set(scheduler="synchronous"):
        yield


class Counted:
    """Partitions, and which of them have been made."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.frame, self.made = frame, list[int]()

    def __call__(self, number: int) -> pd.DataFrame:
        self.made.append(number)
        step = ROWS // PARTS
        return self.frame[step * number : step * (number + 1)]

    @property
    def lazy(self) -> dd.DataFrame:
        return dd.from_map(self, range(PARTS), meta=self.frame[:0])


@pytest.mark.parametrize("missing", [False, True], ids=["whole", "holes"])
@pytest.mark.parametrize("weight", [None, "w"])
def test_from_the_same_start_it_ends_where_memory_does(weight, missing):
    frame = mixed(ROWS, missing).drop(columns=[] if weight else "w")
    with pytest.warns(UserWarning, match="EM has not converged"):
        start = Mixture(3, restarts=1, max_iter=2).fit(frame, sample_weight=weight)
    here = Mixture(3, start=start).fit(frame, sample_weight=weight)
    there = Mixture(3, start=start).fit(Counted(frame).lazy, sample_weight=weight)
    np.testing.assert_allclose(there.trace_.objective, here.trace_.objective, rtol=1e-10)
    assert there.summary_ == here.summary_
    assert there.start_rows_ == 200


def test_partitions_are_kept_where_they_are(monkeypatch):
    """They are made for the head, for the pass that gets to know them and for the first step, and never again."""
    counted, read = Counted(mixed(ROWS, missing=False).drop(columns="w")), []
    monkeypatch.setattr(batches.Batches, "read", lambda *_: read.append(1))
    model = Mixture(3).fit(counted.lazy)
    assert model.n_iter_ > 3
    assert not read  # no rows came here
    assert all(counted.made.count(number) <= 3 for number in range(PARTS))


def test_what_is_sent_is_small_and_can_be_sent(monkeypatch):
    """As a cluster does it: steps are pickled on their way there, and sums on their way back."""
    sizes, worked = [], persisted._worked

    def sent(work, *rest):
        frames = []
        there = dumps(work, buffer_callback=frames.append)
        found = worked(loads(there, buffers=frames), *rest)
        sizes.append(len(there) + sum(frame.raw().nbytes for frame in frames))
        return loads(dumps(found))

    monkeypatch.setattr(persisted, "_worked", sent)
    frame = mixed(ROWS).drop(columns="w")
    Mixture(3).fit(Counted(frame).lazy)
    frame["label"] = pd.Series(np.where(frame["y"] > 0, "high", "low")).mask(np.arange(ROWS) % 3 == 0)
    model = NaiveBayes(em=EM(unlabelled_weight=1.0)).fit(Counted(frame).lazy, "label")
    assert model.classes_.tolist() == ["high", "low"]
    assert max(sizes) < 50_000
