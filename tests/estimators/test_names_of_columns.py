"""Labels and weights by the names of their columns, and classes and levels that no row has."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from suffice import (
    BayesDecision,
    LinearDiscriminant,
    Mixture,
    NaiveBayes,
    bound,
    choose,
    collect,
    compare,
    compare_unlabelled,
    cross_validate,
    em_steps,
    example,
    leave_one_out,
    load,
    tune,
)
from suffice.errors import KindError, ParameterError, TableError

COLUMNS, RIPE = example("watermelon")
COLUMNS = {name: cells for name, cells in COLUMNS.items() if name != "编号"}
WEIGHTS = np.arange(17) % 3 + 1.0
TABLE = COLUMNS | {"好瓜": RIPE, "重": WEIGHTS}
FORMS = {"dict": dict, "pandas": pd.DataFrame, "polars": pl.DataFrame}
NUMBERS = {name: COLUMNS[name] for name in ("密度", "含糖率")}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_fit_takes_the_names_of_labels_and_weights(form):
    table = form(TABLE)
    model = NaiveBayes().fit(table, "好瓜", sample_weight="重")
    plain = NaiveBayes().fit(form(COLUMNS), RIPE, sample_weight=WEIGHTS)
    assert model.feature_names_in_.tolist() == list(COLUMNS)
    assert model.n_features_in_ == len(COLUMNS)
    assert {column.name for column in model.joint_.schema.columns} == set(COLUMNS)
    np.testing.assert_array_equal(model.predict_proba(table), plain.predict_proba(form(COLUMNS)))
    assert model.score(table, "好瓜", "重") == plain.score(form(COLUMNS), RIPE, WEIGHTS)
    batches = NaiveBayes().partial_fit(table, "好瓜", sample_weight="重").partial_fit(table, "好瓜", sample_weight="重")
    assert batches.summary_ == plain.summary_ + plain.summary_


def test_validation_takes_them_too():
    table, how = pd.DataFrame(TABLE), {"sample_weight": "重"}
    plain = {"sample_weight": WEIGHTS}
    for check in (leave_one_out, cross_validate):
        named, given = check(NaiveBayes(), table, "好瓜", **how), check(NaiveBayes(), COLUMNS, RIPE, **plain)
        np.testing.assert_array_equal(named.log_posterior, given.log_posterior)
        np.testing.assert_array_equal(named.weights, given.weights)
    models = {"a": NaiveBayes(), "b": NaiveBayes(smoothing=2)}
    assert repr(compare(models, table, "好瓜", **how)) == repr(compare(models, COLUMNS, RIPE, **plain))
    assert repr(tune(NaiveBayes(), table, "好瓜", over="smoothing", **how)) == repr(
        tune(NaiveBayes(), COLUMNS, RIPE, over="smoothing", **plain)
    )


def test_rows_without_labels_are_compared_by_the_name_of_the_labels():
    some = [label if row % 3 else None for row, label in enumerate(RIPE)]
    table = pl.DataFrame(NUMBERS | {"好瓜": some, "重": WEIGHTS})
    how = {"folds": 3, "sample_weight": "重"}
    assert repr(compare_unlabelled(NaiveBayes(), table, "好瓜", **how)) == repr(
        compare_unlabelled(NaiveBayes(), NUMBERS, some, folds=3, sample_weight=WEIGHTS)
    )


def test_decisions_and_mixtures_take_them_too():
    numbers = pd.DataFrame(NUMBERS | {"好瓜": RIPE, "重": WEIGHTS})
    decision = BayesDecision(LinearDiscriminant()).fit(numbers, "好瓜", sample_weight="重")
    assert decision.n_features_in_ == 2
    assert decision.score(numbers, "好瓜", "重") == decision.score(pd.DataFrame(NUMBERS), RIPE, WEIGHTS)
    rows = numbers.drop(columns="好瓜")
    mixture, plain = Mixture(2).fit(numbers, "好瓜", "重"), Mixture(2).fit(pd.DataFrame(NUMBERS), None, WEIGHTS)
    assert mixture.summary_ == plain.summary_
    assert mixture.bic(rows, "重") == plain.bic(pd.DataFrame(NUMBERS), WEIGHTS)
    assert choose(Mixture(), rows, (1, 2), sample_weight="重").best.n_features_in_ == 2
    assert next(em_steps(Mixture(2), rows, sample_weight="重")).joint.schema.names == ("密度", "含糖率")
    even = np.full((17, 2), 0.5)
    assert bound(mixture, rows, even, "重") == bound(mixture, pd.DataFrame(NUMBERS), even, WEIGHTS)
    same = mixture.matched(pd.DataFrame(NUMBERS), RIPE).weights_
    assert mixture.matched(numbers, "好瓜").weights_.tolist() == same.tolist()


@pytest.mark.parametrize(
    ("mistake", "text"),
    [
        (lambda: NaiveBayes().fit(np.ones((3, 2)), "好瓜"), "Only a table with named columns has one called '好瓜'"),
        (lambda: leave_one_out(NaiveBayes(), np.ones((3, 2)), "好瓜"), "named columns"),
        (lambda: NaiveBayes().fit([[1.0], [2.0]], ["a", "b"], "重"), "found list"),
        (lambda: NaiveBayes().fit(TABLE, "坏瓜"), "There is no column '坏瓜'; the table has '色泽'"),
        (lambda: NaiveBayes().fit(TABLE, "好瓜", "好瓜"), "cannot hold both labels and weights"),
    ],
)
def test_mistakes_are_told_as_such(mistake, text):
    with pytest.raises(TableError, match=text):
        mistake()


@pytest.mark.filterwarnings("ignore::suffice.errors.KindHint")
def test_a_class_without_rows_may_be_declared():
    """With a smoothed prior: (N_k + 1)/(N + 3) of 9, 8 and 0 rows."""
    classes = ["否", "是", "未知"]
    model = NaiveBayes(priors="smoothed").fit(TABLE, "好瓜", sample_weight=None, classes=classes)
    assert model.classes_.tolist() == sorted(classes)
    shares = dict(zip(model.classes_.tolist(), model.priors_, strict=True))
    assert shares == pytest.approx({"否": 10 / 20, "是": 9 / 20, "未知": 1 / 20})
    model.partial_fit(TABLE, "好瓜")
    assert model.classes_.tolist() == sorted(classes)
    found = leave_one_out(NaiveBayes(priors="smoothed"), TABLE, "好瓜", classes=classes)
    assert list(found.classes) == sorted(classes)
    assert found.posterior.shape == (17, 3)
    assert list(cross_validate(NaiveBayes(), TABLE, "好瓜", classes=classes).classes) == sorted(classes)
    assert compare([NaiveBayes()], TABLE, "好瓜", classes=classes)[0].validation.posterior.shape == (17, 3)
    assert tune(NaiveBayes(), TABLE, "好瓜", over="smoothing", classes=classes).best.model.classes_.tolist() == sorted(
        classes
    )
    with pytest.raises(ParameterError, match="not among the classes given"):
        NaiveBayes().fit(TABLE, "好瓜", classes=["否"])


def test_levels_may_be_declared():
    """Of S = 4 values one was never seen: Laplace gives it 1/(N + 4)."""
    table, y = {"x": ["a", "b", "b", "c", None], "n": [1, 3, 3, 1, 3]}, [0, 0, 0, 1, 1]
    kinds = {"x": ("categorical", ["a", "b", "c", "d"]), "n": ("categorical", [1, 3, 9])}
    model = NaiveBayes(kinds=kinds).fit(table, y)
    tables = model.tables()
    assert tables["x"]["d"] == pytest.approx([1 / 7, 1 / 5])
    assert tables["x"]["b"] == pytest.approx([3 / 7, 1 / 5])
    assert tables["n"]["9"] == pytest.approx([1 / 6, 1 / 5])
    assert list(model.joint_.schema.columns[0].levels) == ["a", "b", "c", "d"]
    again = NaiveBayes.from_summary(model.summary_, kinds=kinds)
    np.testing.assert_array_equal(again.predict_proba(table), model.predict_proba(table))
    whole = np.array([[1, 3], [3, 3], [3, 9]])
    assert NaiveBayes(kinds=("categorical", [1, 3, 9])).fit(whole, [0, 1, 1]).tables()["x0"]["9"] == pytest.approx(
        [1 / 4, 1 / 5]
    )


@pytest.mark.parametrize(
    ("kind", "error", "text"),
    [
        (("categorical", ["a"]), KindError, "holds 'b', which is not among the values declared: 'a'"),
        (("categorical", "ab"), ParameterError, "takes a list of all its values"),
        (("categorical", []), ParameterError, "takes a list of all its values"),
        (("categorical", ["a", "b"], 3), ParameterError, "takes a list of all its values"),
        (("categorical", ["a", None]), ParameterError, "takes a list of all its values"),
    ],
)
def test_levels_that_cannot_be_are_told_as_such(kind, error, text):
    with pytest.raises(error, match=text):
        NaiveBayes(kinds={"x": kind}).fit({"x": ["a", "b"]}, [0, 1])


def test_other_levels_than_those_collected_are_refused():
    summary = collect({"x": ["a", "b"]}, [0, 1])
    with pytest.raises(ParameterError, match="Declare that kind when collecting"):
        NaiveBayes.from_summary(summary, kinds={"x": ("categorical", ["a", "b", "c"])})


@pytest.mark.parametrize("kinds", [{"x": ("categorical", ["a"])}, {"x": ("categorical", ["a", "b", "c"])}])
def test_a_summary_has_the_levels_that_are_declared(kinds):
    with pytest.raises(ParameterError, match=r"collected as categorical of 'a', 'b' and cannot be modelled as"):
        NaiveBayes.from_summary(collect({"x": ["a", "b"]}, [0, 1]), kinds=kinds)


DECLARED = {"x": ("categorical", ["a", "b", "c"]), "n": ("categorical", [1, 3, 9])}
FIRST, SECOND = {"x": ["a", "b", "b"], "n": [1, 3, 3]}, {"x": ["c", None, "b"], "n": [9, 1, None]}


def test_batches_of_declared_levels_are_one_fit(tmp_path):
    both = {name: [*FIRST[name], *SECOND[name]] for name in FIRST}
    whole = NaiveBayes(kinds=DECLARED).fit(both, [0, 1, 1, 0, 0, 1])
    parts = NaiveBayes(kinds=DECLARED).partial_fit(FIRST, [0, 1, 1]).partial_fit(SECOND, [0, 0, 1])
    assert whole.summary_ == parts.summary_
    assert whole.joint_.schema == parts.joint_.schema
    np.testing.assert_allclose(parts.predict_proba(both), whole.predict_proba(both), rtol=1e-12)


@pytest.mark.parametrize("saved", [False, True])
@pytest.mark.parametrize("later", [{"x": ["d"], "n": [1]}, {"x": ["a"], "n": [2]}])
def test_a_later_batch_is_held_to_the_levels_declared(later, saved, tmp_path):
    text = r"holds ('d'|2.*), which is not among the values declared: ('a', 'b', 'c'|1.*, 3.*, 9.*)\. Declare all"
    model = NaiveBayes(kinds=DECLARED).partial_fit(FIRST, [0, 1, 1])
    if saved:
        model.save(tmp_path / "model")
        model = load(tmp_path / "model")
    before = model.predict_proba(FIRST)
    with pytest.raises(KindError, match=text):
        model.partial_fit(later, [0])
    np.testing.assert_array_equal(model.predict_proba(FIRST), before)
    with pytest.raises(KindError, match=text):
        collect(iter([(FIRST, [0, 1, 1]), (later, [0])]), kinds=DECLARED)
    with pytest.raises(KindError, match=text):
        collect(FIRST, [0, 1, 1], kinds=DECLARED) + collect(later, [0], kinds=dict.fromkeys(FIRST, "categorical"))


def test_levels_named_by_a_type_may_grow_in_a_later_batch():
    first, second = (pd.Categorical(["a", levels[-1]], categories=levels) for levels in (["a", "b"], ["a", "z"]))
    model = NaiveBayes().partial_fit({"x": first}, [0, 1]).partial_fit({"x": second}, [0, 1])
    assert model.joint_.schema.columns[0].levels == ("a", "b", "z")


def test_two_declarations_of_levels_are_of_two_columns():
    some, more = (
        collect({"x": ["a"]}, [0], kinds={"x": ("categorical", levels)}) for levels in (["a", "b"], ["a", "c"])
    )
    with pytest.raises(KindError, match="is declared with the values 'a', 'b' in one summary and with 'a', 'c'"):
        some + more
