"""What users of other libraries look for: attributes, complement naive Bayes, sparse 0 and 1, rows as dicts."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import BernoulliNB, ComplementNB

from suffice import (
    ComplementNaiveBayes,
    GaussianDiscriminant,
    LatentClass,
    LinearDiscriminant,
    Mixture,
    NaiveBayes,
    collect,
    example,
    leave_one_out,
    load,
)
from suffice.errors import ParameterError, TableError

IRISES, SPECIES = load_iris(return_X_y=True)
COUNTS = np.random.default_rng(0).poisson(1.5, (60, 7))
TOPICS = np.random.default_rng(1).choice(["a", "b", "c"], 60)
BITS = (COUNTS > 1).astype(float)
MELONS, RIPE = example("watermelon")


def test_means_and_covariances():
    own = GaussianDiscriminant().fit(IRISES, SPECIES)
    groups = [IRISES[k == SPECIES] for k in range(3)]
    np.testing.assert_allclose(own.means_, [some.mean(axis=0) for some in groups])
    np.testing.assert_allclose(own.covariances_, [np.cov(some.T) for some in groups])
    shared = LinearDiscriminant().fit(IRISES, SPECIES)
    assert shared.covariances_.shape == (3, 4, 4)
    np.testing.assert_allclose(shared.covariances_[0], shared.covariance_)
    naive = NaiveBayes(estimate="ml").fit(IRISES, SPECIES)
    np.testing.assert_allclose(naive.means_, own.means_)
    np.testing.assert_allclose(naive.covariances_, [np.diag(some.var(axis=0)) for some in groups])
    mixture = Mixture(2, restarts=1).fit(IRISES)
    assert (mixture.means_.shape, mixture.covariances_.shape) == ((2, 4), (2, 4, 4))
    np.testing.assert_allclose(mixture.weights_ @ mixture.means_, IRISES.mean(axis=0), rtol=1e-3)


def test_means_are_those_of_the_tables_where_parameters_are_integrated_out():
    model = NaiveBayes().fit(IRISES, SPECIES)
    assert model.estimate_ == "predictive"
    for column in range(4):
        table = model.tables()[f"x{column}"]
        np.testing.assert_array_equal(model.means_[:, column], table["mean"])
        np.testing.assert_allclose(model.covariances_[:, column, column], table["sd"] ** 2, rtol=1e-12)
    with pytest.raises(AttributeError, match="'predictive' integrates them out; 'map' does not"):
        NaiveBayes(estimate="predictive").fit(IRISES, SPECIES).means_  # noqa: B018


def test_columns_of_means_are_in_the_order_of_the_table():
    table = {"b": [1.0, 2, 3, 5], "w": list("uvuv"), "a": [9.0, 8, 7, 5]}
    model = NaiveBayes(joint=[["a"]], estimate="ml").fit(table, [0, 0, 1, 1])
    np.testing.assert_allclose(model.means_, [[1.5, 8.5], [4.0, 6.0]])


def test_counts_of_classes_and_cells():
    model = NaiveBayes(kinds={"编号": "ignore"}).fit(MELONS, RIPE)
    assert model.class_count_.tolist() == [9, 8]
    assert model.cell_counts_["色泽"]["乌黑"].tolist() == [2, 4]
    latent = LatentClass(2, restarts=1).fit({"x": list("aabbc")})
    assert latent.class_count_.sum() == pytest.approx(5)
    with pytest.raises(AttributeError, match="no Gaussian with known"):
        latent.means_  # noqa: B018
    assert not hasattr(NaiveBayes(), "means_")


def test_fewer_directions():
    every, one = LinearDiscriminant().fit(IRISES, SPECIES), LinearDiscriminant(n_components=1).fit(IRISES, SPECIES)
    np.testing.assert_allclose(one.transform(IRISES), every.transform(IRISES)[:, :1], rtol=1e-12)
    assert one.scalings_.shape == (4, 1)
    assert one.get_feature_names_out().tolist() == ["lineardiscriminant0"]
    peer = LinearDiscriminantAnalysis(n_components=1, solver="eigen").fit(IRISES, SPECIES)
    np.testing.assert_allclose(one.explained_variance_ratio_, peer.explained_variance_ratio_, rtol=1e-9)
    for odd in (0, 3, "two"):
        with pytest.raises(ParameterError, match="n_components must be the number of directions"):
            LinearDiscriminant(n_components=odd).fit(IRISES, SPECIES).transform(IRISES)


@pytest.mark.parametrize("normalised", [False, True])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_complement_is_that_of_scikit_learn(normalised, form):
    weights = np.arange(60) % 3 + 0.5
    peer = ComplementNB(alpha=0.7, norm=normalised).fit(COUNTS, TOPICS, weights)
    model = ComplementNaiveBayes(0.7, normalised).fit(form(COUNTS), TOPICS, weights)
    np.testing.assert_allclose(model.weights_, np.abs(peer.feature_log_prob_), rtol=1e-12)
    np.testing.assert_array_equal(model.predict(form(COUNTS)), peer.predict(COUNTS))
    np.testing.assert_allclose(model.decision_function(COUNTS), COUNTS @ model.weights_.T)


def test_complement_by_hand():
    """Of "news" the others have goal 5, vote 1: with one more of each 6/8 and 2/8."""
    model = ComplementNaiveBayes().fit({"goal": [2, 3, 0], "vote": [0, 1, 4]}, ["sport", "sport", "news"])
    np.testing.assert_allclose(np.exp(-model.weights_), [[6 / 8, 2 / 8], [1 / 6, 5 / 6]])


def test_complement_learns_in_batches_and_from_summaries():
    whole = ComplementNaiveBayes().fit(COUNTS, TOPICS)
    parts = ComplementNaiveBayes().partial_fit(COUNTS[:20], TOPICS[:20]).partial_fit(COUNTS[20:], TOPICS[20:])
    np.testing.assert_array_equal(parts.weights_, whole.weights_)
    summary = collect(COUNTS, TOPICS, kinds="counts")
    np.testing.assert_array_equal(ComplementNaiveBayes.from_summary(summary).weights_, whole.weights_)
    frame = pd.DataFrame(COUNTS, columns=list("tuvwxyz")).assign(topic=TOPICS)
    assert ComplementNaiveBayes().fit(frame, "topic").score(frame, "topic") == whole.score(COUNTS, TOPICS)
    with pytest.raises(ParameterError, match="above 0"):
        ComplementNaiveBayes(0).fit(COUNTS, TOPICS)


@pytest.mark.parametrize("normalised", [False, True])
@pytest.mark.parametrize(
    "form", [np.asarray, sparse.csr_array, lambda counts: {f"w{j}": c for j, c in enumerate(counts.T)}]
)
def test_complement_naive_bayes_comes_back_from_a_file(form, normalised, tmp_path):
    rows = form(COUNTS)
    model = ComplementNaiveBayes(0.7, normalised).fit(rows, TOPICS).set_params(smoothing=5.0)
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.get_params() == {"smoothing": 0.7, "normalised": normalised}
    np.testing.assert_array_equal(again.decision_function(rows), model.decision_function(rows))
    assert again.predict(rows).tolist() == model.predict(rows).tolist()
    more = model.set_params(smoothing=0.7).partial_fit(rows, TOPICS)
    np.testing.assert_array_equal(again.partial_fit(rows, TOPICS).weights_, more.weights_)
    with pytest.raises(NotFittedError):
        ComplementNaiveBayes().save(tmp_path / "nothing")


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_matrix, sparse.coo_array])
def test_sparse_tables_of_0_and_1(form):
    dense = NaiveBayes(kinds="binary").fit(BITS, TOPICS)
    model = NaiveBayes(kinds="binary").fit(form(BITS), TOPICS)
    assert model.summary_ == dense.summary_
    np.testing.assert_allclose(model.predict_proba(form(BITS)), dense.predict_proba(BITS), rtol=1e-12)
    peer = BernoulliNB(alpha=1.0).fit(BITS, TOPICS)
    np.testing.assert_allclose(model.predict_log_proba(form(BITS)), peer.predict_log_proba(BITS), rtol=1e-9)
    with pytest.raises(TableError, match="'counts' or 'binary'"):
        NaiveBayes(kinds="gaussian").fit(form(BITS), TOPICS)
    with pytest.raises(ValueError, match="expected 0 or 1"):
        NaiveBayes(kinds="binary").fit(form(COUNTS), TOPICS)


def test_rows_as_dicts():
    rows = [{"a": 1.0, "b": "x"}, {"a": 2.0}, {"b": "y", "a": None, "c": 3.0}, {"a": 4.0, "b": "x", "c": 1.0}]
    columns = {"a": [1.0, 2.0, None, 4.0], "b": ["x", None, "y", "x"], "c": [None, None, 3.0, 1.0]}
    y = ["u", "v", "u", "v"]
    model, plain = NaiveBayes().fit(rows, y), NaiveBayes().fit(columns, y)
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(model.predict_proba(rows), plain.predict_proba(columns))
    named = [row | {"y": label} for row, label in zip(rows, y, strict=True)]
    assert NaiveBayes().fit(named, "y").summary_ == plain.summary_
    assert collect(rows, y) == collect(columns, y)
    assert model.predict([{"a": 1.0, "b": "x", "c": None}]).tolist() == ["u"]


BAGS, KIND = [{"好": 1, "瓜": 2}, {"坏": 1}, {"好": 3}, {"瓜": 1, "坏": 2}], list("abab")
BAGS_AS_COLUMNS = {"好": [1, 0, 3, 0], "瓜": [2, 0, 0, 1], "坏": [0, 1, 0, 2]}


def test_rows_of_words_as_dicts():
    """A word that a row lacks is not in it."""
    model = NaiveBayes(kinds="counts").fit(BAGS, KIND)
    assert model.summary_ == NaiveBayes(kinds="counts").fit(BAGS_AS_COLUMNS, KIND).summary_
    assert NaiveBayes(kinds="counts").fit(
        [bag | {"类": kind} for bag, kind in zip(BAGS, KIND, strict=True)], "类"
    ).summary_ == (model.summary_)
    np.testing.assert_allclose(model.predict_proba(BAGS), model.predict_proba(BAGS_AS_COLUMNS))
    np.testing.assert_allclose(model.predict_proba([{"新": 5}]), [model.priors_])
    later = NaiveBayes(kinds="counts").partial_fit(BAGS, KIND).partial_fit([{"新": 3}], ["a"])
    assert later.cell_counts_["好, 瓜, 坏, 新"]["新"].tolist() == [3, 0]
    assert ComplementNaiveBayes().fit(BAGS, KIND).predict([{"好": 1}]).tolist() == ["a"]
    np.testing.assert_array_equal(
        leave_one_out(NaiveBayes(kinds="counts"), BAGS, KIND).posterior,
        leave_one_out(NaiveBayes(kinds="counts"), BAGS_AS_COLUMNS, KIND).posterior,
    )
    with pytest.raises(ValueError, match="0 if the word does not occur"):
        NaiveBayes(kinds="counts").fit([{"好": 1, "瓜": None}, {"坏": 1}], ["a", "b"])


def test_complement_naive_bayes_that_could_not_learn_is_what_it_was():
    model = ComplementNaiveBayes().fit({"goal": [2, 3, 0], "vote": [0, 1, 4]}, ["sport", "sport", "news"])
    batch = {"goal": [1, 7], "vote": [2, 0]}, ["news", "sport"]
    with pytest.raises(ParameterError, match="smoothing must be a number"):
        model.set_params(smoothing=-1.0).partial_fit(*batch)
    assert model.summary_.n == 3
    again = model.set_params(smoothing=1.0).partial_fit(*batch)
    assert again.summary_.n == 5


def test_complement_naive_bayes_is_not_said_to_be_a_stranger():
    with pytest.raises(ParameterError, match="that have predict_proba; found ComplementNaiveBayes"):
        leave_one_out(ComplementNaiveBayes(), {"goal": [2, 3, 0], "vote": [0, 1, 4]}, [0, 0, 1])
