"""Naive Bayes against R's e1071 and naivebayes: missing cells, Gaussians, counts of words and their presence."""

from functools import partial

import numpy as np
import pytest
from scipy import sparse
from scipy.special import gammaln

from suffice import NaiveBayes

same = partial(np.testing.assert_allclose, rtol=1e-11)


def split(table, label):
    """A table, and the column of it that holds the classes."""
    return {name: column for name, column in table.items() if name != label}, table[label]


def parameters(table):
    """(K, …): the columns of one of `tables()`, classes down."""
    return np.stack([column for heading, column in table.items() if heading != "class"], axis=1)


def check_tables(model, expected):
    tables = model.tables()
    assert set(tables) == {"class", *expected}
    for name, table in expected.items():
        same(parameters(tables[name]), table, err_msg=name)


def check_class_counts(model, counts):
    same(model.summary_.statistics.weight, counts)
    same(model.priors_, np.divide(counts, sum(counts)))


# votes of the House, 392 of whose cells are missing


@pytest.mark.parametrize("smoothing", [0, 1])
def test_house_votes(reference, data, smoothing):
    expected = reference("nb_housevotes84")[f"laplace_{smoothing}"]
    votes, party = split(data("HouseVotes84"), "Class")
    model = NaiveBayes(smoothing=smoothing).fit(votes, party)
    check_class_counts(model, expected["apriori_counts"])
    check_tables(model, expected["tables_P_value_given_class"])
    same(model.log_joint(votes), expected["log_joint_exact"])
    same(model.predict_proba(votes), expected["posterior_exact"])
    same(model.predict_proba(votes), expected["posterior_e1071"])
    assert model.predict(votes).tolist() == expected["class_e1071"]


# irises, with variances by N − 1 and by N


@pytest.fixture
def irises(data):
    return split(data("iris_R"), "Species")


@pytest.fixture
def gaussian(reference):
    return reference("nb_iris")["gaussian"]


def with_divisor_n(tables, counts):
    """Tables of mean and sd by N − 1, as they would be by N."""
    n = np.array(counts)
    return {name: table * np.stack([np.ones(len(n)), np.sqrt((n - 1) / n)], axis=1) for name, table in tables.items()}


def test_iris_unbiased(irises, gaussian):
    model = NaiveBayes(estimate="unbiased").fit(*irises)
    check_class_counts(model, gaussian["apriori_counts"])
    check_tables(model, gaussian["tables_mean_sd_ddof1"])
    same(model.log_joint(irises[0]), gaussian["log_joint_exact_sd_ddof1"])
    same(model.predict_proba(irises[0]), gaussian["posterior_e1071"])


def test_iris_maximum_likelihood(irises, gaussian):
    model = NaiveBayes(estimate="ml").fit(*irises)
    check_tables(model, with_divisor_n(gaussian["tables_mean_sd_ddof1"], gaussian["apriori_counts"]))
    same(model.log_joint(irises[0]), gaussian["log_joint_exact_sd_ddof0"])
    same(model.predict_proba(irises[0]), gaussian["posterior_exact_ddof0"])


# six words in twelve texts

each_smoothing = pytest.mark.parametrize("smoothing", [0.5, 1])


@pytest.fixture
def texts(reference):
    """Counts to learn from, their classes, and counts to classify."""
    words = reference("nb_multinomial_bernoulli_tiny")
    return np.array(words["X"]), words["y"], np.array(words["T"])


@pytest.fixture
def words(reference):
    return lambda smoothing: reference("nb_multinomial_bernoulli_tiny")[f"laplace_{smoothing}"]


def log_coefficient(counts):
    """Ln n!/Πx!, which the reference leaves out of the joint."""
    return (gammaln(counts.sum(axis=1) + 1) - gammaln(counts + 1).sum(axis=1))[:, None]


@each_smoothing
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.csc_matrix])
def test_word_counts(texts, words, form, smoothing):
    (seen, labels, new), expected = texts, words(smoothing)
    model = NaiveBayes(kinds="counts", smoothing=smoothing).fit(form(seen), labels)
    [table] = (table for title, table in model.tables().items() if title != "class")
    same(parameters(table), expected["multinomial_params"].T)
    without = model.log_joint(form(new)) - log_coefficient(new)
    same(without, expected["multinomial_logjoint_without_multinomial_coefficient"])
    same(model.predict_proba(form(new)), expected["multinomial_posterior"])


@each_smoothing
@pytest.mark.parametrize("form", [bool, int, float])
def test_word_presence(texts, words, form, smoothing):
    (seen, labels, new), expected = texts, words(smoothing)
    model = NaiveBayes(kinds="binary", smoothing=smoothing).fit((seen > 0).astype(form), labels)
    present = (new > 0).astype(form)
    success = [table["success"] for title, table in model.tables().items() if title != "class"]
    same(success, expected["bernoulli_prob1"])
    same(model.log_joint(present), expected["bernoulli_logjoint"])
    same(model.predict_proba(present), expected["bernoulli_posterior"])
