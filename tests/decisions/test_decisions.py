"""Decisions: risks by definition, losses whose axes are names, rejection, two classes, prior shift."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from suffice import (
    BayesDecision,
    LinearDiscriminant,
    Loss,
    NaiveBayes,
    decide,
    error_probability,
    estimate_priors,
    example,
    ratio_test,
)
from suffice.errors import LossError

ILL = {"treat": {"ill": 0, "well": 5}, "wait": {"ill": 100, "well": 0}, "refer": 8}
COLUMNS, SPECIES = example("penguins")
costs = st.floats(0, 100)
positive = st.floats(0.01, 1)


def posteriors(classes):
    return arrays(float, (6, classes), elements=positive).map(lambda x: x / x.sum(axis=1, keepdims=True))


# the loss


def test_costs_go_by_name_and_never_by_place():
    expected = np.array([[0, 5], [100, 0], [8, 8]])
    turned = {action: dict(reversed(row.items())) if isinstance(row, dict) else row for action, row in ILL.items()}
    for loss in (Loss(ILL), Loss(turned)):
        np.testing.assert_array_equal(loss.on(["ill", "well"]), expected)
        np.testing.assert_array_equal(loss.on(["well", "ill"]), expected[:, ::-1])


def test_a_labelled_table_is_a_loss():
    frame = pd.DataFrame({"ill": [0, 100], "well": [5, 0]}, index=["treat", "wait"])
    with_column = pl.DataFrame({"action": ["treat", "wait"], "well": [5, 0], "ill": [0, 100]})
    matrix = Loss([[0, 5], [100, 0]], actions=["treat", "wait"], classes=["ill", "well"])
    for loss in (Loss(frame), Loss(with_column), matrix):
        np.testing.assert_array_equal(loss.on(["ill", "well"]), [[0, 5], [100, 0]])


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ([[0, 5], [100, 0]], "does not say which axis"),
        (pl.DataFrame({"ill": [0], "well": [5]}), "does not say which axis"),
        ({"treat": {"ill": 0}, "wait": {"ill": 1, "well": 0}}, r"'treat' has \['ill'\]; 'wait' has \['ill', 'well'\]"),
        ({"treat": {"ill": np.nan, "well": 0}}, "must be finite"),
    ],
)
def test_a_loss_that_could_be_misread_is_refused(given, text):
    with pytest.raises(LossError, match=text):
        Loss(given)


def test_classes_that_do_not_fit_are_listed_on_both_sides():
    with pytest.raises(LossError, match=r"\['ill', 'well'\].*\['sick', 'well'\]"):
        Loss(ILL).on(["sick", "well"])


def test_missing_a_class_may_have_its_own_price():
    np.testing.assert_array_equal(Loss.of_missing({"a": 3, "b": 1}).on(["a", "b"]), [[0, 1], [3, 0]])


# risk


@settings(max_examples=50, deadline=None)
@given(posteriors(3), arrays(float, (4, 3), elements=costs))
def test_risk_is_the_expected_loss_and_the_action_has_the_least(posterior, table):
    actions, classes = ["p", "q", "r", "s"], ["x", "y", "z"]
    found = decide(posterior, Loss(table, actions=actions, classes=classes), classes)
    risks = [[sum(table[a, k] * row[k] for k in range(3)) for a in range(4)] for row in posterior]
    np.testing.assert_allclose(found.risks, risks)
    np.testing.assert_allclose(found.risk, np.min(risks, axis=1))
    np.testing.assert_allclose(found.margin, np.diff(np.sort(risks, axis=1))[:, 0], atol=1e-9)
    assert all(np.isclose(risks[i][actions.index(a)], min(risks[i])) for i, a in enumerate(found.action))


@settings(max_examples=50, deadline=None)
@given(posteriors(3))
def test_without_a_loss_the_risk_is_the_probability_of_error(posterior):
    found = decide(posterior, classes=[0, 1, 2])
    np.testing.assert_allclose(found.risk, error_probability(posterior))
    chosen = posterior[np.arange(len(posterior)), found.action]
    np.testing.assert_allclose(chosen, posterior.max(axis=1), rtol=1e-15)  # of two that differ by rounding, either


@settings(max_examples=50, deadline=None)
@given(posteriors(3), st.floats(0.01, 0.6))
def test_rejection_is_chows_rule(posterior, cost):
    found = decide(posterior, Loss.zero_one(["a", "b", "c"], reject=cost), ["a", "b", "c"]).action
    largest = posterior.max(axis=1)
    clear = np.abs(largest - (1 - cost)) > 1e-9
    np.testing.assert_array_equal((found == "reject")[clear], (largest < 1 - cost)[clear])


def test_of_equal_risks_the_first_named_action_is_taken():
    assert decide([[0.5, 0.5]], Loss.zero_one(["b", "a"]), ["a", "b"]).action.tolist() == ["b"]


@pytest.mark.parametrize("posterior", [[[0.5, 0.6]], [[1.0]], [[-0.5, 1.5]]])
def test_what_is_no_posterior_is_refused(posterior):
    with pytest.raises(ValueError, match="posterior"):
        decide(posterior, classes=["a", "b"])


# two classes


@settings(max_examples=200, deadline=None)
@given(arrays(float, (2, 2), elements=st.integers(-3, 3)), st.floats(0.05, 0.95), st.floats(-6, 6))
def test_the_ratio_test_takes_the_action_of_least_risk(table, share, log_ratio):
    loss = Loss(table, actions=["one", "two"], classes=["x", "y"])
    test = ratio_test(loss, {"x": share, "y": 1 - share})
    weights = np.array([np.exp(log_ratio) * share, 1 - share])
    decision = decide([weights / weights.sum()], loss, ["x", "y"])
    if decision.margin[0] > 1e-9:
        assert test.actions(np.array([log_ratio]))[0] == decision.action[0]
        assert test.always in (None, decision.action[0])


@pytest.mark.parametrize(
    ("table", "always"),
    [([[0, 1], [1, 0]], None), ([[1, 0], [1, 1]], "one"), ([[1, 1], [1, 0]], "two"), ([[2, 1], [1, 0]], "two")],
)
def test_one_action_may_be_best_whatever_the_row(table, always):
    assert ratio_test(Loss(table, actions=["one", "two"], classes=["x", "y"]), {"x": 0.3, "y": 0.7}).always == always


# on top of classifiers


@pytest.mark.parametrize("model", [NaiveBayes(kinds={"year": "ignore"}), NaiveBayes(kinds={"year": "poisson"})])
def test_decisions_of_our_models(model):
    loss = {"release": {"Adelie": 0, "Chinstrap": 9, "Gentoo": 1}, "keep": {"Adelie": 2, "Chinstrap": 0, "Gentoo": 3}}
    found = BayesDecision(model, loss).fit(COLUMNS, SPECIES)
    assert set(found.predict(COLUMNS)) <= {"release", "keep"}
    truth = [loss[action][name] for action, name in zip(found.predict(COLUMNS), SPECIES, strict=True)]
    assert found.score(COLUMNS, SPECIES) == pytest.approx(-np.mean(truth))
    assert found.conditional_risk(COLUMNS).shape == (len(SPECIES), 2)


def shifted_rows(share, rows=4000, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(rows) < share).astype(int)
    return rng.normal(size=(rows, 2)) + 1.5 * y[:, None], y


@pytest.mark.parametrize(
    "peer", [LogisticRegression(), RandomForestClassifier(50, min_samples_leaf=20, random_state=0)]
)
def test_other_classifiers_decide_too(peer):
    X, y = shifted_rows(0.5)
    found = BayesDecision(peer, reject=0.1).fit(X, y)
    certain = found.predict_proba(X).max(axis=1) > 0.9 + 1e-9
    np.testing.assert_array_equal(found.predict(X).astype(str) != "reject", certain)


def test_new_priors_are_those_of_a_model_fitted_with_them():
    X, y = shifted_rows(0.5)
    given = {0: 0.9, 1: 0.1}
    moved = BayesDecision(LinearDiscriminant(), priors=given).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(moved, LinearDiscriminant(priors=given).fit(X, y).predict_proba(X), rtol=1e-9)


@pytest.mark.parametrize("share", [0.1, 0.3, 0.8])
def test_priors_of_unlabelled_rows_are_found(share):
    model = LinearDiscriminant().fit(*shifted_rows(0.5))
    X, y = shifted_rows(share, seed=1)
    found = estimate_priors(model, X)
    assert found.priors[1] == pytest.approx(y.mean(), abs=4 * np.sqrt(share * (1 - share) / len(y)))
    assert found.log_likelihood_gain > 0


def test_a_loss_and_reject_are_two_answers_to_one_question():
    with pytest.raises(LossError, match="not both"):
        BayesDecision(NaiveBayes(), loss=ILL, reject=0.1).fit(COLUMNS, SPECIES)


def test_a_loss_may_be_given_as_a_dict():
    costs = {"treat": {"ill": 0, "well": 5}, "wait": {"ill": 100, "well": 0}}
    ours, theirs = (decide([[0.2, 0.8]], loss, classes=["ill", "well"]) for loss in (costs, Loss(costs)))
    assert ours.action == theirs.action
    assert ours.risk == theirs.risk
