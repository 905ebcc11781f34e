"""Every argument of every decision, given what it cannot be: our own error, which says what to give instead."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from suffice import (
    BayesDecision,
    Loss,
    NaiveBayes,
    QuadraticDiscriminant,
    bayes_error,
    boundary,
    decide,
    error_bound,
    error_probability,
    estimate_priors,
    explain,
    nomogram,
    ratio_test,
)
from suffice.decisions.curves import calibration, risk_coverage, roc
from suffice.decisions.two_classes import posterior_threshold
from suffice.errors import SufficeError

RNG = np.random.default_rng(0)
Y = np.arange(40) % 2
X = {"a": RNG.normal(size=40) + Y, "b": RNG.normal(size=40)}
NAIVE, QUADRATIC = NaiveBayes().fit(X, Y), QuadraticDiscriminant(estimate="unbiased").fit(X, Y)
POSTERIOR = NAIVE.predict_proba(X)
LOSS = Loss({"p": {0: 0, 1: 5}, "q": {0: 2, 1: 0}})
TEST = ratio_test(LOSS, {0: 0.5, 1: 0.5})
SURFACE = boundary(QUADRATIC, 0, 1)
DECIDED = BayesDecision(NaiveBayes(), reject=0.1).fit(X, Y)


def bayes_decision(estimator, loss, priors, training_priors, X, y):
    return BayesDecision(estimator, loss, None, priors, training_priors).fit(X, y)


CALLS = {
    "decide": (decide, {"posterior": POSTERIOR, "loss": LOSS, "classes": [0, 1]}),
    "error_probability": (error_probability, {"posterior": POSTERIOR}),
    "Loss": (Loss, {"table": [[0, 1], [1, 0]], "actions": ["p", "q"], "classes": [0, 1]}),
    "a cost": (lambda cost, every: Loss({"p": {0: cost, 1: 1}, "q": every}), {"cost": 1, "every": 2}),
    "Loss.zero_one": (Loss.zero_one, {"classes": [0, 1], "reject": 0.1}),
    "Loss.of_missing": (Loss.of_missing, {"costs": {0: 1, 1: 2}}),
    "Loss.on": (LOSS.on, {"classes": [0, 1]}),
    "ratio_test": (ratio_test, {"loss": LOSS, "priors": {0: 0.5, 1: 0.5}}),
    "a prior": (lambda share: ratio_test(LOSS, {0: share, 1: 0.5}), {"share": 0.5}),
    "RatioTest.actions": (TEST.actions, {"log_ratio": [1.0]}),
    "posterior_threshold": (posterior_threshold, {"loss": LOSS, "positive": 0}),
    "boundary": (boundary, {"model": QUADRATIC, "a": 0, "b": 1, "loss": None}),
    "bayes_error": (bayes_error, {"model": QUADRATIC, "loss": None, "draws": 99, "random_state": 0}),
    "error_bound": (error_bound, {"model": QUADRATIC, "share": 0.5}),
    "explain": (explain, {"model": NAIVE, "X": X, "between": (0, 1), "in_turn": False}),
    "nomogram": (nomogram, {"model": NAIVE, "X": X, "between": (0, 1)}),
    "estimate_priors": (estimate_priors, {"model": NAIVE, "X": X, "training_priors": None}),
    "BayesDecision": (
        bayes_decision,
        {"estimator": NaiveBayes(), "loss": None, "priors": None, "training_priors": None, "X": X, "y": Y},
    ),
    "reject": (lambda reject: BayesDecision(NaiveBayes(), reject=reject).fit(X, Y), {"reject": 0.1}),
    "BayesDecision.predict": (DECIDED.predict, {"X": X}),
    "BayesDecision.score": (DECIDED.score, {"X": X, "y": Y, "sample_weight": None}),
    "Quadric.value": (SURFACE.value, {"rows": [[1.0, 2.0]]}),
    "Quadric.slice": (SURFACE.slice, {"fixed": {"a": 1.0}}),
    "a value held": (lambda value: SURFACE.slice({"a": value}), {"value": 1.0}),
    "Quadric.solve_for": (SURFACE.solve_for, {"name": "a", "at": {"b": 1.0}}),
    "Quadric.points": (SURFACE.points, {"limits": {"a": (-1, 1), "b": (-1, 1)}, "resolution": 3}),
    "predict_interval": (NAIVE.predict_interval, {"X": X, "level": 0.9, "draws": 3, "random_state": 0}),
    "tables": (NAIVE.tables, {"level": 0.9}),
    "risk_coverage": (risk_coverage, {"posterior": POSTERIOR, "labels": Y}),
    "roc": (roc, {"positive": POSTERIOR[:, 1], "is_positive": Y == 1}),
    "Roc.at": (roc(POSTERIOR[:, 1], Y == 1).at, {"threshold": 0.5}),
    "calibration": (calibration, {"positive": POSTERIOR[:, 1], "is_positive": Y == 1, "bins": 5}),
}
WRONG = {
    "an object": object(),
    "a function": len,
    "a complex number": 1j,
    "a text": "text",
    "bytes": b"x",
    "no number": float("nan"),
    "a dict of texts": {"u": "v"},
    "lists of two lengths": [[1, 2], ["u"]],
    "a cube of texts": np.full((2, 2, 2), "u"),
}


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize(("call", "argument"), [(call, name) for call, (_, names) in CALLS.items() for name in names])
def test_what_an_argument_cannot_be_is_refused_in_our_own_words(call, argument, wrong):
    function, arguments = CALLS[call]
    with pytest.raises(SufficeError) as caught:
        function(**arguments | {argument: WRONG[wrong]})
    assert len(str(caught.value).split()) > 5


@pytest.mark.parametrize("call", CALLS)
def test_with_the_arguments_as_they_should_be_each_has_an_answer(call):
    function, arguments = CALLS[call]
    function(**arguments)


@pytest.mark.parametrize(
    ("ask", "text"),
    [
        (lambda: ratio_test(LOSS, {0: -0.5, 1: 1.5}), "none below 0"),
        (lambda: ratio_test(LOSS, {0: np.nan, 1: 0.5}), "sum to 1"),
        (lambda: ratio_test(LOSS, {0: 2, 1: 8}), "Divide them by their sum"),
        (lambda: ratio_test(LOSS, [0.5, 0.5]), "class: probability"),
        (lambda: ratio_test(LOSS, {0: 0.2, 1: 0.3, 2: 0.5}), "two actions and two classes.*decide"),
        (lambda: BayesDecision(NaiveBayes(), reject=-0.1).fit(X, Y), "reject must be the cost.*found -0.1"),
        (lambda: Loss.zero_one([0, 1], reject=3), "from 0 to 1"),
        (lambda: BayesDecision(LogisticRegression).fit(X, Y), "classifier with predict_proba"),
        (lambda: error_bound(QUADRATIC, share=2.0), "share must be the power.*found 2.0"),
        (lambda: error_bound(QUADRATIC, share=-1e-9), "share must be the power"),
        (lambda: bayes_error(QUADRATIC, draws=1), "draws must be the number of rows"),
        (lambda: NAIVE.predict_interval(X, draws=0), "draws must be the number of parameter sets.*found 0"),
        (lambda: NAIVE.predict_interval(X, draws=2.0), "draws must be the number of parameter sets"),
        (lambda: NAIVE.predict_interval(X, draws=10**400), "1,000,000,000"),
        (lambda: explain(NAIVE, X, between=(0,)), r"between which two of \[0, 1\].*found \(0,\)"),
        (lambda: explain(NAIVE, X, between=(0, 1, 0)), "between which two"),
        (lambda: explain(NAIVE, X, between=(0, 0)), "itself"),
        (lambda: explain(NAIVE, X, in_turn="yes"), "in_turn must be True or False"),
        (lambda: nomogram(NAIVE, (0, 1), X), "between which two"),
        (lambda: nomogram(NAIVE, {"a": [1.0]}), "lacks 'b'"),
        (lambda: nomogram(NAIVE, {"a": [1.0], "b": [np.nan]}), "column 'b' holds no finite number"),
        (lambda: error_probability(0.3), "row for each observation"),
        (lambda: error_probability([[0.3, 0.9]]), "sum to 1"),
        (lambda: SURFACE.points({"a": (1, -1), "b": (0, 1)}), "limits must be"),
        (lambda: SURFACE.points({"a": (1, 2)}), "limits must be"),
        (lambda: roc([0.2, 0.4], [1, 1]), "rows of other classes"),
        (lambda: calibration([0.2, 1.4], [1, 0]), "from 0 to 1"),
        (lambda: calibration([0.2, 0.4], [1, 0], bins=0), "bins must be the number"),
    ],
)
def test_values_out_of_range_are_refused_with_a_remedy(ask, text):
    with pytest.raises(SufficeError, match=text):
        ask()


def test_losses_that_are_dicts_or_frames_serve_wherever_one_is_asked_for():
    costs = {"p": {0: 0, 1: 5}, "q": {0: 2, 1: 0}}
    assert ratio_test(costs, {0: 0.5, 1: 0.5}) == TEST
    assert boundary(QUADRATIC, 0, 1, costs).level == boundary(QUADRATIC, 0, 1, LOSS).level
    assert bayes_error(QUADRATIC, costs, draws=99).value == bayes_error(QUADRATIC, LOSS, draws=99).value
    assert posterior_threshold(costs, 0) == posterior_threshold(LOSS, 0)


def test_a_single_posterior_may_come_without_its_brackets():
    np.testing.assert_allclose(error_probability([0.3, 0.7]), [0.3])
    assert decide([0.3, 0.7], classes=["u", "v"]).action.tolist() == ["v"]


def test_counts_of_any_range_have_a_short_scale():
    counts = {"n": np.array([0, 3, 10**6, 5] * 5)}
    model = NaiveBayes(kinds="poisson").fit(counts, np.arange(20) % 2)
    assert len(nomogram(model, counts).scales["n"].values) < 100
