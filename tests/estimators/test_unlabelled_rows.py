"""Rows without labels: the limit of few is the labelled fit, what they count, and whether they help."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer

from suffice import (
    EM,
    GaussianDiscriminant,
    LinearDiscriminant,
    NaiveBayes,
    QuadraticDiscriminant,
    compare_unlabelled,
)
from suffice.errors import HiddenLabelsError, ParameterError

MODELS = {
    "naive": NaiveBayes(estimate="map"),
    "linear": LinearDiscriminant(estimate="map"),
    "quadratic": QuadraticDiscriminant(estimate="map"),
    "spherical": GaussianDiscriminant("spherical", estimate="map"),
    "quadratic, ml": QuadraticDiscriminant(estimate="ml"),
}
each_model = pytest.mark.parametrize("name", MODELS)


def rows(n, apart=2.0, columns=3, seed=0):
    """Two classes whose columns go together."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, columns)) + apart * y[:, None] * np.arange(1, columns + 1) / columns
    X[:, 1:] += 0.9 * X[:, :1]
    return X, np.where(y == 1, "b", "a")


def hide(y, which):
    return np.where(np.isin(np.arange(len(y)), which), None, y)


# the limit of few


@each_model
def test_hiding_one_of_n_labels_moves_posteriors_by_a_constant_over_n(name):
    for n in (40, 160, 640):
        X, y = rows(n)
        known = clone(MODELS[name]).fit(X, y).predict_proba(X)
        moved = [np.abs(clone(MODELS[name]).fit(X, hide(y, [row])).predict_proba(X) - known).max() for row in (0, 7)]
        assert max(moved) < 3 / n


@pytest.mark.filterwarnings("ignore::suffice.errors.UndeterminedWarning")
@pytest.mark.parametrize(
    "model",
    [NaiveBayes(), LinearDiscriminant(), QuadraticDiscriminant(), GaussianDiscriminant("diagonal")],
    ids=repr,
)
@pytest.mark.parametrize("n", [40, 160, 640])
def test_hiding_one_label_of_what_is_fitted_by_default(model, n):
    """Whatever the estimate is that the rows are given, it is the same without one of their labels."""
    X, y = rows(n)
    known, hidden = (clone(model).fit(X, labels) for labels in (y, hide(y, [7])))
    assert hidden.estimate_ == known.estimate_
    assert np.abs(hidden.predict_proba(X) - known.predict_proba(X)).max() < 3 / n


@pytest.mark.filterwarnings("ignore::suffice.errors.UndeterminedWarning")
@pytest.mark.parametrize("model", [LinearDiscriminant(), QuadraticDiscriminant(), NaiveBayes()], ids=repr)
def test_hiding_one_label_of_few_rows_of_many_columns(model):
    """41 rows of 30 columns, where that once took the log loss of the others from 0.2 to 1.4."""
    cells, tumours = load_breast_cancer(return_X_y=True)
    X, y, others, theirs = cells[:41], tumours[:41], cells[41:], tumours[41:]

    def loss(labels):
        found = clone(model).fit(X, labels).predict_log_proba(others)
        return -found[np.arange(len(others)), theirs].mean()

    assert max(loss(hide(y, [row])) for row in (0, 5, 17, 40)) < loss(y) + 0.03


@each_model
def test_a_row_that_weighs_nothing_is_the_labelled_fit(name):
    """Lighter and lighter rows without labels: the labelled fit is the limit."""
    X, y = rows(80)
    some = hide(y, np.arange(40, 80))
    alone = clone(MODELS[name]).fit(X[:40], y[:40])
    none = clone(MODELS[name]).set_params(em__unlabelled_weight=0).fit(X, some)
    np.testing.assert_array_equal(none.predict_proba(X), alone.predict_proba(X))
    for weight in (1e-3, 1e-6):
        light = clone(MODELS[name]).set_params(em__unlabelled_weight=weight, em__tol=1e-12).fit(X, some)
        assert np.abs(light.predict_proba(X) - alone.predict_proba(X)).max() < 200 * weight


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("hidden", [[7], range(7, 50)], ids=["one label hidden", "most labels hidden"])
@pytest.mark.parametrize("weight", ["auto", 1.0, 0.1])
@pytest.mark.parametrize(
    "model",
    [
        NaiveBayes(),
        NaiveBayes(kinds={"c": "gaussian"}),
        LinearDiscriminant(),
        QuadraticDiscriminant(),
        GaussianDiscriminant("diagonal"),
        GaussianDiscriminant("spherical", shared=True),
    ],
    ids=repr,
)
def test_a_column_that_varies_among_rows_without_labels_only(model, weight, hidden):
    """The labelled rows say nothing of its variance, so all rows do."""
    X, y = rows(60, columns=2)
    table = {"a": X[:, 0], "b": X[:, 1], "c": np.where(np.arange(60) == 7, 2.5, 1.0)}
    found = clone(model).set_params(em__unlabelled_weight=weight).fit(table, hide(y, hidden))
    assert np.isfinite(found.predict_log_proba(table)).all()
    assert found.score(table, y) > 0.7 or (len(hidden) > 1 and weight == 1.0)  # then EM may find other clumps


# what they count


@each_model
def test_the_weight_of_rows_without_labels_is_a_weight_of_rows(name):
    X, y = rows(60)
    some = hide(y, np.arange(20, 60))
    light = clone(MODELS[name]).set_params(em__unlabelled_weight=0.25).fit(X, some)
    model = clone(MODELS[name]).set_params(em__unlabelled_weight=1)
    weighted = model.fit(X, some, sample_weight=np.where(np.arange(60) < 20, 1.0, 0.25))
    np.testing.assert_allclose(light.predict_proba(X), weighted.predict_proba(X), rtol=1e-12)


def test_a_label_that_leaves_a_class_out_says_something():
    X, y = rows(60)
    allowed = np.where(np.arange(60)[:, None] < 10, y[:, None] == ["a", "b", "c"], [True, True, False])
    allowed[10:13] = [False, False, True]
    table = pd.DataFrame(allowed.astype(int), columns=["a", "b", "c"])
    found = [QuadraticDiscriminant(em=EM(unlabelled_weight=weight)).fit(X, table) for weight in (0.1, 1)]
    np.testing.assert_array_equal(found[0].predict_proba(X), found[1].predict_proba(X))


def test_few_rows_without_labels_count_fully():
    X, y = rows(100)
    assert LinearDiscriminant().fit(X, hide(y, [3, 4, 5])).unlabelled_weight_ == 1
    assert not hasattr(LinearDiscriminant().fit(X, y), "unlabelled_weight_")


def test_they_count_where_folds_say_that_they_help():
    y = np.arange(400) % 2
    X = np.random.default_rng(0).normal(size=(400, 8)) + 1.2 * y[:, None]
    model = LinearDiscriminant(estimate="map").fit(X, np.where(np.arange(400) < 24, y, None))
    assert model.unlabelled_weight_ > 0


def test_they_do_not_count_where_the_model_is_far_from_the_rows():
    """Columns that go together, told apart by what naive Bayes cannot see: EM would find other clumps."""
    rng = np.random.default_rng(0)
    y = np.arange(600) % 2
    size = rng.normal(size=600) * 5
    X = np.stack([size + 2 * y, size - 2 * y, size, size], axis=1) + rng.normal(size=(600, 4))
    hidden = np.where(np.arange(600) < 60, y, None)
    model = NaiveBayes().fit(X, hidden)
    alone = NaiveBayes().fit(X[:60], y[:60])
    assert model.unlabelled_weight_ == 0
    np.testing.assert_array_equal(model.predict_proba(X), alone.predict_proba(X))


def test_where_nothing_can_be_told_they_count_little():
    X, y = rows(50)
    assert NaiveBayes().fit(X, hide(y, np.arange(2, 50))).unlabelled_weight_ == 0.1
    assert NaiveBayes().fit(X, pd.DataFrame(1, index=range(50), columns=["a", "b"])).unlabelled_weight_ == 1


@pytest.mark.parametrize("weight", [-0.1, 1.5, "much", None, np.nan, True, [0.5]])
def test_a_weight_is_from_0_to_1(weight):
    X, y = rows(20)
    with pytest.raises(ParameterError, match=r"unlabelled_weight must be from 0 to 1 .* found"):
        NaiveBayes(em=EM(unlabelled_weight=weight)).fit(X, y)


# whether they help


def test_with_and_without_side_by_side():
    X, y = rows(200, apart=2.5, columns=6)
    found = compare_unlabelled(
        LinearDiscriminant(em=EM(unlabelled_weight=1)), pd.DataFrame(X), hide(y, np.arange(20, 200))
    )
    assert found.table()["model"].tolist() == ["labelled rows alone", "with unlabelled rows"]
    assert {"log loss", "log loss se", "accuracy"} < set(found.table().columns)
    assert "±" in repr(found)
    assert "log evidence" not in repr(found)
    gain = found.difference("with unlabelled rows", "labelled rows alone")
    assert gain < 0
    assert gain.se > 0
    assert found[0].validation.weights.sum() == 20


def test_alone_is_cross_validation_of_the_labelled_rows():
    X, y = rows(60)
    model = QuadraticDiscriminant(estimate="map")
    found = compare_unlabelled(model, X, hide(y, np.arange(30, 60)), folds=np.arange(30) % 3)
    posterior = np.empty((30, 2))
    for fold in range(3):
        held = np.arange(30) % 3 == fold
        posterior[held] = clone(model).fit(X[:30][~held], y[:30][~held]).predict_proba(X[:30][held])
    np.testing.assert_allclose(found[0].validation.posterior, posterior, rtol=1e-9)


def test_rows_of_weight_0_are_absent():
    X, y = rows(60)
    weights = np.where(np.arange(60) % 6 == 0, 0.0, 1.0)
    some = hide(y, np.arange(30, 60))
    there = np.flatnonzero(weights)
    options = {"folds": 5, "random_state": 1}
    found = compare_unlabelled(NaiveBayes(em=EM(unlabelled_weight=0.5)), X, some, sample_weight=weights, **options)
    fewer = compare_unlabelled(NaiveBayes(em=EM(unlabelled_weight=0.5)), X[there], some[there], **options)
    assert found[1].validation.log_loss == pytest.approx(fewer[1].validation.log_loss)


def test_some_rows_must_have_labels_and_some_not():
    X, y = rows(20)
    with pytest.raises(ParameterError, match="20 with and 0 without"):
        compare_unlabelled(NaiveBayes(), X, y)
    with pytest.raises(ParameterError, match="0 with and 20 without"):
        compare_unlabelled(NaiveBayes(), X, pd.DataFrame(1, index=range(20), columns=["a", "b"]))
    with pytest.raises(ParameterError, match="found the class NaiveBayes"):
        compare_unlabelled(NaiveBayes, X, y)


def test_an_estimate_that_em_cannot_climb_is_refused_unless_they_count_nothing():
    X, y = rows(60)
    some = hide(y, np.arange(30, 60))
    with pytest.raises(HiddenLabelsError):
        LinearDiscriminant(estimate="predictive").fit(X, some)
    LinearDiscriminant(estimate="predictive", em=EM(unlabelled_weight=0)).fit(X, some)
