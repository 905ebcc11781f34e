"""EM over batches: a pass for each step, and from the same start where memory ends too."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from suffice import EM, GaussianDiscriminant, LatentClass, LinearDiscriminant, Mixture, NaiveBayes, TreeAugmentedBayes
from suffice.data import formats
from suffice.data.batches import Batches
from suffice.errors import HiddenLabelsError, ParameterError
from suffice.model.em import streamed

pytestmark = [
    pytest.mark.filterwarnings("ignore::suffice.errors.KindHint"),
    pytest.mark.filterwarnings("ignore::suffice.errors.UndeterminedWarning"),
]
ROWS = 900


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    monkeypatch.setattr(formats, "BATCH_CELLS", 700)
    monkeypatch.setattr(streamed, "SAMPLE", 200)


def _frame(missing: bool = False) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    component = rng.choice(3, ROWS, p=[0.5, 0.3, 0.2])
    shift = np.array([-4.0, 0.0, 4.0])[component]
    frame = pd.DataFrame(
        {
            "x": 1e6 + shift + rng.normal(size=ROWS),
            "y": shift + rng.normal(size=ROWS),
            "t": np.where(rng.random(ROWS) < 0.8, np.array(["a", "b", "c"])[component], "d"),
            "u": np.where(rng.random(ROWS) < 0.7, np.array(["k", "l", "l"])[component], "m"),
            "label": np.array(["one", "two", "two"])[component],
            "w": rng.integers(0, 3, ROWS),
        }
    )
    if missing:
        for name in ("x", "t"):
            frame[name] = frame[name].mask(rng.random(ROWS) < 0.1)
    return frame


def _file(frame: pd.DataFrame, tmp_path) -> str:
    for i, rows in enumerate(np.array_split(np.arange(len(frame)), 2)):
        table = pa.Table.from_pandas(frame.iloc[rows], preserve_index=False)
        pq.write_table(table, tmp_path / f"{i}.parquet", row_group_size=97)
    return str(tmp_path / "*.parquet")


def _same(here, there, rows) -> None:
    np.testing.assert_allclose(there.trace_.objective, here.trace_.objective, rtol=1e-10)
    np.testing.assert_allclose(there.predict_proba(rows), here.predict_proba(rows), atol=1e-8)
    assert there.summary_ == here.summary_


@pytest.mark.parametrize("missing", [False, True], ids=["whole", "holes"])
@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize("shape", ["full", "diagonal"])
def test_from_the_same_start_mixtures_end_where_memory_does(shape, weight, missing, tmp_path):
    frame = _frame(missing).drop(columns=[] if weight else "w")
    begin = Mixture(3, shape=shape, restarts=1, max_iter=2).fit
    with pytest.warns(UserWarning, match="EM has not converged"):
        start = begin(frame, "label", sample_weight=weight)
    here = Mixture(3, shape=shape, start=start).fit(frame, "label", sample_weight=weight)
    there = Mixture(3, shape=shape, start=start).fit(_file(frame, tmp_path), "label", sample_weight=weight)
    _same(here, there, frame)
    assert there.start_rows_ == 200
    assert list(there.feature_names_in_) == list(here.feature_names_in_)


def test_latent_classes_and_other_sources(tmp_path):
    frame = _frame()[["t", "u"]]
    with pytest.warns(UserWarning, match="EM has not converged"):
        start = LatentClass(2, restarts=1, max_iter=2).fit(frame)
    here = LatentClass(2, start=start).fit(frame)
    table = pa.Table.from_pandas(frame)
    for source in (_file(frame, tmp_path), pl.LazyFrame(table), duckdb.from_arrow(table)):
        _same(here, LatentClass(2, start=start).fit(source), frame)


def test_a_start_of_its_own_comes_from_a_sample(tmp_path):
    """As good as that of memory here, where components are well apart, and the same each time."""
    frame = _frame().drop(columns=["label", "w"])
    source = _file(frame, tmp_path)
    here, there = Mixture(3).fit(frame), Mixture(3).fit(source)
    assert there.trace_.objective[-1] == pytest.approx(here.trace_.objective[-1], rel=1e-7)
    assert (np.diff(there.weights_) <= 0).all()
    assert (np.diff(there.trace_.objective) > -1e-6).all()
    np.testing.assert_array_equal(Mixture(3).fit(source).weights_, there.weights_)
    assert there.bic(source) == pytest.approx(there.bic(frame))


def test_files_that_are_small_are_learned_from_as_a_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(streamed, "SAMPLE", 2 * ROWS)
    frame = _frame().drop(columns="label")
    here = Mixture(2).fit(frame, sample_weight="w")
    there = Mixture(2).fit(_file(frame, tmp_path), sample_weight="w")
    np.testing.assert_allclose(there.trace_.objective, here.trace_.objective)


CLASSIFIERS = {
    "naive Bayes": NaiveBayes(em=EM(unlabelled_weight=1.0, tol=1e-9)),
    "linear": LinearDiscriminant(kinds={"t": "ignore", "u": "ignore"}, em=EM(unlabelled_weight=1.0, tol=1e-9)),
    "lighter": NaiveBayes(em=EM(unlabelled_weight=0.3, tol=1e-9)),
    "noise": NaiveBayes(em=EM(label_noise="estimate", unlabelled_weight=1.0, tol=1e-9)),
}


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_hidden_labels_in_batches(name, tmp_path):
    """All starts lead to one end here, so that the sample need not be the table."""
    frame = _frame(missing=True).drop(columns="w")
    frame["label"] = frame["label"].mask(np.random.default_rng(0).random(ROWS) < 0.5)
    frame.loc[:120, "label"] = None  # a batch in which no label is known
    rows, model = frame.drop(columns="label"), CLASSIFIERS[name]
    here = type(model)(**model.get_params(deep=False)).fit(frame, "label").predict_proba(rows)
    there = type(model)(**model.get_params(deep=False)).fit(_file(frame, tmp_path), "label")
    np.testing.assert_allclose(there.predict_proba(rows), here, atol=2e-4)
    assert there.start_rows_ == 200
    assert there.classes_.tolist() == ["one", "two"]


def test_rows_without_labels_that_count_nothing(tmp_path):
    frame = _frame()[["x", "y", "label"]]
    frame["label"] = frame["label"].mask(np.random.default_rng(0).random(ROWS) < 0.5)
    known = frame.dropna()
    here = NaiveBayes().fit(known, "label")
    there = NaiveBayes(em=EM(unlabelled_weight=0)).fit(_file(frame, tmp_path), "label")
    assert there.summary_ == here.summary_


def test_several_components_of_a_class(tmp_path):
    frame = _frame()[["x", "y", "label"]]
    model = GaussianDiscriminant(components={"two": 2}, estimate="map").fit(_file(frame, tmp_path), "label")
    here = GaussianDiscriminant(components={"two": 2}, estimate="map").fit(frame, "label")
    np.testing.assert_allclose(model.predict_proba(frame), here.predict_proba(frame), atol=1e-3)
    assert len(model.means_) == 3


def test_a_step_is_one_pass(tmp_path, monkeypatch):
    frame, passes = _frame()[["x", "y"]], []
    read = Batches.read
    monkeypatch.setattr(Batches, "read", lambda self, columns=None: passes.append(1) or read(self, columns))
    model = Mixture(3).fit(_file(frame, tmp_path))
    assert len(passes) == model.n_iter_ + 2  # the first to know the rows, the second to begin


def test_what_batches_cannot_do_is_said(tmp_path):
    frame = _frame().drop(columns="w")
    source = _file(frame, tmp_path)
    with pytest.raises(ParameterError, match="intervals need all rows in memory"):
        Mixture(2, intervals="information").fit(source, "label")
    with pytest.raises(ParameterError, match="start must be a name, a model or its tables"):
        Mixture(2, start=np.zeros(ROWS, dtype=int)).fit(source, "label")
    hidden = frame.assign(label=frame["label"].mask(frame.index % 2 == 0))
    _file(hidden, tmp_path)
    with pytest.raises(HiddenLabelsError, match="a tree cannot learn from unlabelled rows that come in batches"):
        TreeAugmentedBayes().fit(source, "label")
    with pytest.raises(HiddenLabelsError, match="every row needs its class"):
        NaiveBayes().partial_fit(source, "label")
    with pytest.raises(HiddenLabelsError, match="one component for each class"):
        NaiveBayes(components=2).partial_fit(source, "label")
