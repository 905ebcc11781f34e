"""Losses, priors and classes of every type against risks worked out one by one."""

from fractions import Fraction
from math import isclose

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fuzz.budget import examples, quiet
from fuzz.tables import LABELS, eighths, labels_in, texts, types_of_labels
from suffice import BayesDecision, Loss, NaiveBayes, decide, error_probability, ratio_test
from suffice.errors import LossError, ParameterError, SufficeError

pytestmark = quiet

several_classes = types_of_labels.flatmap(LABELS.__getitem__).filter(lambda classes: len(classes) > 1).map(sorted)
costs = st.integers(-8, 40).map(lambda k: k / 4)
actions_of = {
    "text": texts,
    "whole": st.integers(-3, 9),
    "boolean": st.booleans(),
}


@st.composite
def shares(draw, number):
    """Probabilities that are exact in binary, none or some of them 0."""
    parts = draw(st.lists(st.integers(0, 16), min_size=number, max_size=number).filter(any))
    whole = sum(parts)
    return [part / whole for part in parts]


@st.composite
def tables_of_costs(draw, classes):
    """{action: {class: cost} or cost}"""
    kind = draw(st.sampled_from(list(actions_of)))
    actions = draw(st.lists(actions_of[kind], min_size=1, max_size=4, unique=True))
    rows = {action: {k: draw(costs) for k in draw(st.permutations(classes))} for action in actions}
    if draw(st.booleans()) and kind == "text":
        rows |= {"refer": draw(costs)}
    return rows


def risk(row, classes, posterior):
    """R(a | x) = Σ_k λ(a | k) P(k | x), in exact fractions of the given floats."""
    charged = row if isinstance(row, dict) else dict.fromkeys(classes, row)
    return sum(Fraction(charged[k]) * Fraction(p) for k, p in zip(classes, posterior, strict=True))


def loss_in(form, table, classes):
    """The same loss as a dict, a Loss, named matrices or a frame of any library."""
    rows = {a: row if isinstance(row, dict) else dict.fromkeys(classes, row) for a, row in table.items()}
    matrix = [[row[k] for k in classes] for row in rows.values()]
    by_class = {k: [row[k] for row in rows.values()] for k in classes}
    text = all(isinstance(k, str) for k in classes) and "action" not in classes
    frames = {
        "pandas": lambda: Loss(pd.DataFrame(matrix, index=list(rows), columns=list(classes))),
        "polars": lambda: Loss(pl.DataFrame({"action": list(rows), **by_class})),
        "pyarrow": lambda: Loss(pa.table({"action": list(rows), **by_class})),
    }
    plain = {
        "dict": lambda: table,
        "Loss": lambda: Loss(table),
        "matrix": lambda: Loss(np.array(matrix), actions=list(rows), classes=list(classes)),
    }
    return (frames[form] if form in frames and text else plain.get(form, plain["Loss"]))()


FORMS = ["dict", "Loss", "matrix", "pandas", "polars", "pyarrow"]


@examples(100)
@given(st.data(), several_classes, st.sampled_from(FORMS))
def test_the_action_of_least_risk(data, classes, form):
    table = data.draw(tables_of_costs(classes))
    posterior = data.draw(st.lists(shares(len(classes)), min_size=1, max_size=4))
    order = data.draw(st.permutations(range(len(classes))))
    names, shuffled = [classes[k] for k in order], [[row[k] for k in order] for row in posterior]
    given_as = data.draw(st.sampled_from([list, np.array, lambda x: np.array(x, dtype=object)]))
    assume(list(given_as(names)) == names)  # NumPy's texts end before their last NULs
    found = decide(shuffled, loss_in(form, table, classes), classes=given_as(names))
    assert list(found.actions) == list(table)
    for i, row in enumerate(posterior):
        risks = [risk(costs, classes, row) for costs in table.values()]
        np.testing.assert_allclose(found.risks[i], [float(r) for r in risks], rtol=1e-12, atol=1e-12)
        assert isclose(found.risk[i], float(min(risks)), rel_tol=1e-12, abs_tol=1e-12)
        chosen = found.action[i].item() if isinstance(found.action[i], np.generic) else found.action[i]
        assert type(chosen) in {type(action) for action in table}
        assert float(risks[list(table).index(chosen)] - min(risks)) <= 1e-12


@examples(60)
@given(st.data(), several_classes)
def test_the_probability_of_an_error(data, classes):
    posterior = data.draw(st.lists(shares(len(classes)), min_size=1, max_size=4))
    np.testing.assert_allclose(error_probability(posterior), [1 - max(row) for row in posterior], atol=1e-15)


@st.composite
def rows_of_two_kinds(draw, classes):
    """A number and a class for each row; every class is there twice, apart."""
    labels = [*classes, *classes, *draw(st.lists(st.sampled_from(classes), max_size=6))]
    numbers = [8.0 * (i // len(classes)) + draw(eighths) / 16 for i in range(len(labels))]
    return tuple(labels), numbers


@examples(60)
@given(st.data(), several_classes)
def test_decisions_under_other_priors(data, classes):
    """P′(k | x) ∝ P(k | x) P′(k) / P(k), then the action of least risk; answers have the type of the actions."""
    labels, numbers = data.draw(rows_of_two_kinds(classes))
    after = dict(zip(classes, data.draw(shares(len(classes))), strict=True))
    table = data.draw(tables_of_costs(classes))
    y, X = data.draw(labels_in(labels)), {"x": numbers}
    model = NaiveBayes(estimate="ml").fit(X, y)
    decision = BayesDecision(NaiveBayes(estimate="ml"), loss=table, priors=after).fit(X, y)
    before = {k: labels.count(k) / len(labels) for k in classes}
    scores = model.predict_log_proba(X) + np.log([before[k] ** -1 for k in classes])
    with np.errstate(divide="ignore"):
        scores = scores + np.log([after[k] for k in classes])
    assume(np.isfinite(scores.max(axis=1)).all() and (model.predict_proba(X) > 0).all())
    wanted = np.exp(scores - scores.max(axis=1, keepdims=True))
    wanted /= wanted.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(decision.predict_proba(X), wanted, rtol=1e-9, atol=1e-12)
    found = decision.decide(X)
    for i, row in enumerate(wanted):
        risks = {action: float(risk(costs, classes, row)) for action, costs in table.items()}
        chosen = decision.predict(X)[i]
        chosen = chosen.item() if isinstance(chosen, np.generic) else chosen
        assert risks[chosen] <= min(risks.values()) + 1e-9
        assert isclose(found.risk[i], min(risks.values()), rel_tol=1e-9, abs_tol=1e-9)
    charged = [risk(table[_plain(a)], [k], [1.0]) for a, k in zip(decision.predict(X), labels, strict=True)]
    assert isclose(decision.score(X, y), -float(sum(charged)) / len(labels), rel_tol=1e-9, abs_tol=1e-9)


def _plain(value):
    return value.item() if isinstance(value, np.generic) else value


@examples(60)
@given(st.data(), several_classes, st.integers(0, 8).map(lambda k: k / 8))
def test_rejecting_by_its_cost(data, classes, cost):
    """Chow's rule: no class is probable enough. Labels keep their type beside the word for it."""
    labels, numbers = data.draw(rows_of_two_kinds(classes))
    X = {"x": numbers}
    decision = BayesDecision(NaiveBayes(estimate="ml"), reject=cost)
    if "reject" in classes:
        with pytest.raises(SufficeError):
            decision.fit(X, labels)
        return
    decision.fit(X, data.draw(labels_in(labels)))
    posterior = decision.predict_proba(X)
    for row, chosen in zip(posterior, decision.predict(X), strict=True):
        chosen = _plain(chosen)
        if isclose(max(row), 1 - cost, abs_tol=1e-9):
            continue
        expected = "reject" if max(row) < 1 - cost else None
        assert (chosen == expected) if expected else row[classes.index(chosen)] == max(row)
        assert type(chosen) in (str, type(classes[0]))


@examples(100)
@given(st.data(), several_classes.filter(lambda classes: len(classes) == 2), st.integers(1, 15).map(lambda k: k / 16))
def test_the_ratio_test_is_the_action_of_least_risk(data, classes, share):
    table = data.draw(tables_of_costs(classes))
    priors = dict(zip(classes, [share, 1 - share], strict=True))
    if len(table) != 2:
        with pytest.raises(LossError):
            ratio_test(Loss(table), priors)
        return
    test = ratio_test(loss_in(data.draw(st.sampled_from(FORMS)), table, classes), priors)
    for ratio in (0.0, 1e-6, 0.3, 1.0, 7.5, 1e6):
        weights = [ratio * share, 1 - share]
        risks = {action: float(risk(row, classes, weights)) for action, row in table.items()}
        by_test = test.above if ratio > test.threshold else test.below
        assert risks[by_test] <= min(risks.values()) + 1e-9 * max(1.0, *map(abs, weights))


@examples(60)
@given(st.data(), several_classes)
def test_priors_that_are_none(data, classes):
    """Probabilities of other classes, below 0, or that do not sum to one."""
    labels, numbers = data.draw(rows_of_two_kinds(classes))
    good = dict.fromkeys(classes, 1 / len(classes))
    wrong = data.draw(
        st.sampled_from(
            [
                {**good, "another": 0.0},
                {k: p for k, p in good.items() if k != classes[0]},
                dict.fromkeys(classes, 1.0),
                {**good, classes[0]: -1.0, classes[1]: 2.0 - sum(good[k] for k in classes[2:])},
                {**good, classes[0]: float("nan")},
                {**good, classes[0]: "a"},
                {**good, classes[0]: None},
                [1.0],
                "even",
            ]
        )
    )
    for model in (NaiveBayes(priors=wrong), BayesDecision(NaiveBayes(), priors=wrong)):
        with pytest.raises(ParameterError):
            model.fit({"x": numbers}, labels).predict({"x": numbers})
