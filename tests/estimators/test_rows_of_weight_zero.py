"""Rows of weight 0 in folds: predicted from the folds that they are not in, as all others, and counted by no score."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GroupKFold, KFold, ShuffleSplit, StratifiedKFold

from suffice import (
    EM,
    AveragedOneDependence,
    Calibrated,
    LinearDiscriminant,
    LogisticClassifier,
    NaiveBayes,
    TreeAugmentedBayes,
    cross_validate,
    leave_one_out,
)

pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.SufficeWarning")
ROWS = 40
MODELS = [
    NaiveBayes(estimate="map"),
    TreeAugmentedBayes(tree={"size": "shape"}, estimate="map"),
    AveragedOneDependence(estimate="map"),
    LogisticClassifier(),
    Calibrated(NaiveBayes(estimate="map")),
    Calibrated(NaiveBayes(estimate="map"), method="platt"),
]


@pytest.fixture
def rows():
    """A table in which two rows of weight 0 have what no row that counts has."""
    rng = np.random.default_rng(2)
    y = np.arange(ROWS) % 2
    table = pd.DataFrame({"size": rng.normal(y), "shape": rng.choice(["p", "q"], ROWS), "age": rng.normal(1 - y)})
    weights = np.where(np.arange(ROWS) % 7 == 3, 0.0, 1.0 + np.arange(ROWS) % 2 * 0.3)
    table.loc[[3, 10], "shape"] = "never seen"
    return table, y, weights


def without(model, rows, some):
    """P(class | row) of some rows, by a model of the others that count."""
    table, y, weights = rows
    rest = ~some & (weights > 0)
    return clone(model).fit(table[rest], y[rest], sample_weight=weights[rest]).predict_proba(table[some])


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_a_row_of_weight_zero_is_predicted_from_the_folds_that_it_is_not_in(model, rows):
    table, y, weights = rows
    fold = np.array(list("cabd"))[np.arange(ROWS) // 3 % 4]
    found = cross_validate(model, table, y, folds=fold, sample_weight=weights)
    for name in "abcd":
        np.testing.assert_allclose(found.posterior[fold == name], without(model, rows, fold == name), rtol=1e-9)
    assert (found.labels[weights == 0] == -1).all()
    assert "4-fold" in found.how


@pytest.mark.parametrize("splitter", [KFold(4), StratifiedKFold(4), GroupKFold(4)], ids=repr)
def test_splitters_and_groups_keep_rows_of_weight_zero_apart_too(splitter, rows):
    table, y, weights = rows
    groups = np.arange(ROWS) // 4 if isinstance(splitter, GroupKFold) else None
    found = cross_validate(NaiveBayes(), table, y, folds=splitter, groups=groups, sample_weight=weights)
    for _, tested in splitter.split(table, y, groups):
        some = np.isin(np.arange(ROWS), tested)
        np.testing.assert_allclose(found.posterior[some], without(NaiveBayes(), rows, some), rtol=1e-9)


def test_rows_that_a_splitter_names_never_or_twice(rows):
    table, y, weights = rows
    splitter = ShuffleSplit(3, test_size=0.3, random_state=0)
    found = cross_validate(NaiveBayes(), table, y, folds=splitter, sample_weight=weights)
    times = np.zeros(ROWS, dtype=int)
    for learned, tested in splitter.split(table):
        rest = learned[weights[learned] > 0]
        model = NaiveBayes().fit(table.iloc[rest], y[rest], sample_weight=weights[rest])
        for row in tested[weights[tested] == 0]:
            mine = found.posterior[found.rows == row]
            assert np.isclose(mine, model.predict_proba(table.iloc[[row]])).all(axis=1).any()
        times[tested] += 1
    np.testing.assert_array_equal(np.bincount(found.rows, minlength=ROWS), times)


def test_a_fold_of_rows_of_weight_zero_alone_is_predicted_from_all_rows_that_count(rows):
    table, y, weights = rows
    fold = np.where(weights == 0, 9, np.arange(ROWS) % 3)
    pairs = [(np.flatnonzero(fold != name), np.flatnonzero(fold == name)) for name in (0, 9, 1, 2)]
    for folds in (fold, np.where(weights == 0, np.nan, fold), pairs):
        found = cross_validate(NaiveBayes(), table, y, folds=folds, sample_weight=weights)
        np.testing.assert_allclose(found.posterior[fold == 9], without(NaiveBayes(), rows, fold == 9), rtol=1e-9)
        assert "3-fold" in found.how


def test_dealt_folds_are_those_without_the_rows_of_weight_zero(rows):
    table, y, weights = rows
    some = weights > 0
    found = cross_validate(NaiveBayes(), table, y, folds=5, sample_weight=weights)
    alone = cross_validate(NaiveBayes(), table[some], y[some], folds=5, sample_weight=weights[some])
    np.testing.assert_allclose(found.posterior[some], alone.posterior, rtol=1e-12)
    assert float(found.log_loss) == pytest.approx(float(alone.log_loss), rel=1e-12)
    whole = NaiveBayes().fit(table, y, sample_weight=weights).predict_proba(table[~some])
    assert np.abs(found.posterior[~some] - whole).min() > 1e-6  # each leaves a fold out


def test_where_labels_are_hidden_each_fold_is_kept_apart_as_well(rows):
    table, y, weights = rows
    labels = np.where(np.arange(ROWS) % 5 == 1, None, y.astype(object))
    model, fold = NaiveBayes(estimate="map", em=EM(random_state=0)), np.arange(ROWS) // 2 % 2
    found = cross_validate(model, table, labels, folds=fold, sample_weight=weights)
    for name in (0, 1):
        rest = (fold != name) & (weights > 0)
        learned = clone(model).fit(table[rest], labels[rest], sample_weight=weights[rest])
        np.testing.assert_allclose(found.posterior[fold == name], learned.predict_proba(table[fold == name]), rtol=1e-6)


def test_leaving_one_out_of_a_row_of_weight_zero_is_the_model_of_all_others(rows):
    table, y, weights = rows
    for model in (LinearDiscriminant(), TreeAugmentedBayes(), AveragedOneDependence()):
        some = table[["size", "age"]] if isinstance(model, LinearDiscriminant) else table
        found = leave_one_out(model, some, y, sample_weight=weights)
        for row in np.flatnonzero(weights == 0):
            expected = without(model, (some, y, weights), np.arange(ROWS) == row)[0]
            np.testing.assert_allclose(found.posterior[row], expected, rtol=1e-9)
