"""Validation of rows that come in batches: exactly that of memory on the same folds, in two passes."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engines.rows import KINDS, table
from suffice import (
    AveragedOneDependence,
    GaussianDiscriminant,
    LogisticClassifier,
    NaiveBayes,
    QuadraticDiscriminant,
    TreeAugmentedBayes,
    compare,
    cross_validate,
)
from suffice.data import formats
from suffice.data.batches import Batches, open_batches
from suffice.data.rows import Roles
from suffice.errors import ParameterError, TableError
from suffice.judge.validation_in_batches import Deal

pytestmark = [
    pytest.mark.filterwarnings("ignore::suffice.errors.KindHint"),
    pytest.mark.filterwarnings("ignore::suffice.errors.UndeterminedWarning"),
]
LOSS = {"a": {"坏": 0, "good": 1, "it's": 2}, "b": 0.4}


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    monkeypatch.setattr(formats, "BATCH_CELLS", 1300)


@pytest.fixture
def frame():
    return table()


@pytest.fixture
def source(frame, tmp_path):
    for i, rows in enumerate(np.array_split(np.arange(len(frame)), 3)):
        pq.write_table(pa.Table.from_pandas(frame.iloc[rows], preserve_index=False), tmp_path / f"{i}.parquet")
    return str(tmp_path / "*.parquet")


def _folds(source: str, folds, key: str | None) -> np.ndarray:
    """Of each row, as the source has them dealt."""
    batches = open_batches(source)
    deal = Deal.read(folds, key, batches)
    return np.concatenate([deal.of(part) for part in Roles(None, None).parts(0, batches.read())])


MODELS = {
    "naive": NaiveBayes(kinds=KINDS),
    "gaussian": GaussianDiscriminant(kinds=KINDS),
    "quadratic": QuadraticDiscriminant(kinds=KINDS, estimate="predictive"),
    "tree": TreeAugmentedBayes(kinds=KINDS),
    "averaged": AveragedOneDependence(kinds=KINDS),
}


@pytest.mark.parametrize("weight", [None, "weight"])
@pytest.mark.parametrize("folds, key", [(4, None), (5, "id"), (3, "town"), ("file", None)])
def test_scores_are_those_of_memory_on_the_same_folds(folds, key, weight, frame, source):
    if weight is None:
        kinds = KINDS | {"weight": "ignore"}
        models = {name: type(m)(**m.get_params() | {"kinds": kinds}) for name, m in MODELS.items()}
    else:
        models = MODELS
    dealt = _folds(source, folds, key)
    there = compare(models, source, "label", folds=folds, groups=key, sample_weight=weight, loss=LOSS)
    for name, model in models.items():
        here = cross_validate(model, frame, "label", folds=dealt, sample_weight=weight, loss=LOSS)
        found = there[name].validation
        assert found is not None, there[name].note
        for title, score in here.scores().items():
            assert float(found.scores()[title]) == pytest.approx(float(score), abs=1e-9)
            assert found.scores()[title].se == pytest.approx(score.se, abs=1e-9)
        assert found.surprise == pytest.approx(here.surprise)
        np.testing.assert_allclose(found.confusion, here.confusion)
    assert there.best.name == min(models, key=lambda name: there[name].criterion)


def test_ten_models_read_a_source_twice(source, monkeypatch):
    passes, read = [], Batches.read
    monkeypatch.setattr(Batches, "read", lambda self, columns=None: passes.append(1) or read(self, columns))
    models = [NaiveBayes(kinds=KINDS, smoothing=amount) for amount in np.linspace(0.5, 2, 8)]
    models += list(MODELS.values())[1:3]
    found = compare(models, source, "label", folds=5, groups="id", sample_weight="weight")
    assert len(found.trials) == 10
    assert len(passes) == 2
    assert all(trial.evidence for trial in found.trials[:8])


def test_folds_of_a_key_keep_what_belongs_together(frame, source):
    dealt = _folds(source, 3, "town")
    town = frame["town"].fillna("?").to_numpy()
    assert all(len(np.unique(dealt[town == name])) == 1 for name in np.unique(town))
    by_number = _folds(source, 4, None)
    assert np.bincount(by_number).min() > 100  # of 600 in four
    np.testing.assert_array_equal(_folds(source, "file", None), np.repeat([0, 1, 2], 200))


def test_what_cannot_be_validated_in_batches_has_its_reason(frame, source):
    models = [NaiveBayes(kinds=KINDS), NaiveBayes(kinds=KINDS, components=2), LogisticClassifier()]
    found = compare(models, source, "label", folds=3)
    assert found.trials[0].validation is not None
    assert "one component for each class" in found.trials[1].note
    assert "learns anew from rows that are here" in found.trials[2].note
    with pytest.raises(ParameterError, match="paired by row, and rows that come in batches are not kept"):
        compare([NaiveBayes(kinds=KINDS)] * 2, source, "label", folds=3).difference(0, 1)
    with pytest.raises(ParameterError, match="learns anew from rows that are here"):
        cross_validate(LogisticClassifier(), source, "label", folds=3)
    with pytest.raises(ParameterError, match="found one file"):
        cross_validate(NaiveBayes(kinds=KINDS), source.replace("*", "0"), "label", folds="file")
    with pytest.raises(TableError, match="There is no column 'nothing'"):
        cross_validate(NaiveBayes(kinds=KINDS), source, "label", folds=3, groups="nothing")
    one = frame.assign(key="same").drop(columns=[])
    path = source.replace("*", "one")
    pq.write_table(pa.Table.from_pandas(pd.DataFrame(one)), path)
    with pytest.raises(TableError, match="All rows are in one fold"):
        cross_validate(NaiveBayes(kinds=KINDS), path, "label", folds=3, groups="key")


def test_it_prints_as_any_validation(source):
    found = cross_validate(NaiveBayes(kinds=KINDS), source, "label", folds=3)
    assert str(found).startswith("3-fold cross-validation · 600 rows · 3 classes")
    assert found.table()["value"][0] == pytest.approx(float(found.accuracy))
