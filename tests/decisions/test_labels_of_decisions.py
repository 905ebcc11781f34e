"""Decisions give back classes and actions as they came: integers, booleans and texts, side by side."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score

from suffice import BayesDecision, Loss, NaiveBayes, decide, ratio_test
from suffice.errors import LossError

RNG = np.random.default_rng(0)
CODES = np.arange(200) % 2
X = RNG.normal(size=(200, 2)) + 1.2 * CODES[:, None]
CLASSES = {
    "integers": (0, 1),
    "booleans": (False, True),
    "small integers": (np.int8(-1), np.int8(1)),
    "texts": ("no", "yes"),
    "numbers in texts": ("0", "1"),
    "large integers": (1, 2**62),
}


@pytest.mark.parametrize("model", [NaiveBayes(), LogisticRegression()], ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("classes", CLASSES.values(), ids=CLASSES)
def test_answers_beside_rejection_are_the_classes_themselves(classes, model):
    y = np.array(classes)[CODES]
    plain = [name.item() if isinstance(name, np.generic) else name for name in classes]
    found = BayesDecision(model, reject=0.2).fit(X, y)
    answers = found.predict(X).tolist()
    assert {type(answer) for answer in answers} == {type(plain[0]), str}
    assert set(answers) == {*plain, "reject"}
    surest = found.predict_proba(X).max(axis=1) >= 0.8
    expected = [
        plain[k] if sure else "reject" for k, sure in zip(found.predict_proba(X).argmax(axis=1), surest, strict=True)
    ]
    assert answers == expected
    truth = y.tolist()
    costs = [0.2 if answer == "reject" else float(answer != name) for answer, name in zip(answers, truth, strict=True)]
    assert found.score(X, y) == pytest.approx(-np.mean(costs))
    weights = np.arange(200.0)
    assert found.score(X, y, weights) == pytest.approx(-np.average(costs, weights=weights))


@pytest.mark.parametrize("classes", CLASSES.values(), ids=CLASSES)
def test_without_rejection_they_are_an_array_that_metrics_take(classes):
    y = np.array(classes)[CODES]
    found = BayesDecision(LogisticRegression()).fit(X, y)
    assert accuracy_score(y, found.predict(X)) == pytest.approx(1 + found.score(X, y))
    assert found.predict(X).dtype.kind == y.dtype.kind


@pytest.mark.parametrize(
    "actions",
    [(0, "ask"), (True, "True"), (1, "1"), (1, 2.5), (2**70, 1), (("a", 1), "b"), ("a", "a\0"), (np.int64(3), False)],
    ids=repr,
)
def test_actions_of_any_types_come_back_as_they_are(actions):
    loss = Loss({actions[0]: {"x": 0, "y": 1}, actions[1]: {"x": 1, "y": 0}})
    expected = [action.item() if isinstance(action, np.generic) else action for action in actions]
    decided = decide([[0.9, 0.1], [0.2, 0.8]], loss, ["x", "y"]).action.tolist()
    tested = ratio_test(loss, {"x": 0.5, "y": 0.5}).actions([3.0, -3.0]).tolist()
    for found in (decided, tested):
        assert found == expected
        assert [type(action) for action in found] == [type(action) for action in expected]


def test_actions_that_look_alike_are_counted_apart_in_print():
    loss = Loss({1: {"x": 0, "y": 1}, "1": {"x": 1, "y": 0}})
    found = decide([[0.9, 0.1], [0.2, 0.8]], loss, ["x", "y"]).description().tables[0]
    assert (found.stubs, found.series[0].values.tolist()) == ([1, "1"], [1, 1])


@pytest.mark.parametrize("names", [("reject", "accept"), (np.str_("reject"), "b", "c")])
def test_a_class_may_not_be_mistaken_for_rejection(names):
    with pytest.raises(LossError, match=r"There is a class 'reject'.*another name"):
        Loss.zero_one(names, reject=0.1)
    y = np.array(names)[np.arange(200) % len(names)]
    with pytest.raises(LossError, match="There is a class 'reject'"):
        BayesDecision(NaiveBayes(), reject=0.1).fit(X, y)


def test_without_rejection_a_class_may_have_any_name():
    y = np.array(["accept", "reject"])[CODES]
    assert set(BayesDecision(NaiveBayes()).fit(X, y).predict(X)) == {"accept", "reject"}


@pytest.mark.parametrize(
    "twice",
    [
        lambda: Loss([[0, 1], [1, 0]], actions=["a", "a"], classes=["x", "y"]),
        lambda: Loss([[0, 1], [1, 0]], actions=["a", "b"], classes=["x", "x"]),
        lambda: Loss([[0, 1], [1, 0]], actions=[1, True], classes=["x", "y"]),
        lambda: Loss([[0, 1], [1, 0]], actions=["a", "b"], classes=[1, np.float64(1)]),
        lambda: Loss.zero_one(["x", "y", "x"]),
        lambda: decide([[0.5, 0.5]], classes=["x", "x"]),
        lambda: Loss({"a": {"x": 0, "y": 1}}).on(["x", "y", "y"]),
    ],
)
def test_of_two_with_one_name_neither_wins(twice):
    with pytest.raises(LossError, match=r"must differ from each other; found .* twice"):
        twice()


def test_of_two_rows_of_a_frame_with_one_name_neither_wins():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(LossError, match="found 'a' twice"):
        Loss(pandas.DataFrame({"x": [0, 1], "y": [1, 0]}, index=["a", "a"]))
    with pytest.raises(ValueError, match="differ from each other"):
        Loss(pandas.DataFrame([[0, 1], [1, 0]], columns=["x", "x"], index=["a", "b"]))
