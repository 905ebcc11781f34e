"""Whole numbers of few values: categories or numbers by all rows together, however these came in."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from suffice import (
    EM,
    LatentClass,
    LinearDiscriminant,
    Mixture,
    NaiveBayes,
    NearestMean,
    NormalInverseGamma,
    collect,
    cross_validate,
    leave_one_out,
    load,
)
from suffice.errors import KindHint

WITHOUT_EXPLAINING = (Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink)
examples = settings(max_examples=60, deadline=None, phases=WITHOUT_EXPLAINING, derandomize=True)
pytestmark = pytest.mark.filterwarnings(
    "ignore::suffice.errors.KindHint", "ignore::suffice.errors.ConstantColumnWarning"
)
ROWS = 60
RNG = np.random.default_rng(0)
Y = RNG.choice(["p", "q", "r"], ROWS)
SCORES = RNG.integers(1, 6, ROWS) + (Y == "r")  # six values at most
TABLE = {"score": SCORES, "x": RNG.normal(size=ROWS), "age": RNG.integers(20, 60, ROWS)}


def kinds(model):
    return {column.name: column.kind for column in model.joint_.schema.columns}


def part(table, chosen):
    return {name: np.asarray(cells)[chosen] for name, cells in table.items()}


@st.composite
def batches(draw):
    """Rows of whole numbers, floats or integers, with cells missing, some of no more than ten values; cut anywhere."""
    rows = draw(st.integers(12, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    values = draw(st.integers(2, 14))
    cells = rng.choice(rng.choice(np.arange(-9, 40), values, replace=False), rows).astype(float)
    if draw(st.booleans()):
        cells[rng.random(rows) < 0.2] = np.nan
    if draw(st.integers(0, 4)) == 0:
        cells[rng.integers(rows)] = 0.5
    x = rng.normal(size=rows)
    weights = rng.choice([1.0, 2.0, 0.5], rows) if draw(st.booleans()) else np.ones(rows)
    ends = sorted(draw(st.sets(st.integers(1, rows - 1), max_size=4)))
    return {"n": cells, "x": x}, rng.integers(0, 2, rows), weights, np.split(np.arange(rows), ends)


def as_integers(table):
    """Integers where a batch has nothing but them: its type must not matter."""
    cells = table["n"]
    return table | {"n": cells.astype(int)} if (cells == np.rint(cells)).all() else table


@examples
@given(batches())
def test_batches_are_one_fit(case):
    table, y, weights, parts = case
    if len(set(y)) < 2:
        return
    whole = NaiveBayes().fit(table, y, weights)
    model, total = NaiveBayes(), 0
    for rows in parts:
        model.partial_fit(as_integers(part(table, rows)), y[rows], classes=[0, 1], sample_weight=weights[rows])
        total += collect(as_integers(part(table, rows)), y[rows], sample_weight=weights[rows])
    values = len(np.unique(table["n"][~np.isnan(table["n"])]))
    assert (kinds(whole).get("n") == "categorical") <= (values <= 10)
    assert kinds(model) == kinds(whole)
    assert model.summary_ == whole.summary_
    assert total == collect(table, y, sample_weight=weights)
    found = [some.log_joint(table) for some in (model, NaiveBayes.from_summary(total), whole)]
    for some in found[:2]:
        np.testing.assert_allclose(some, found[2], rtol=1e-9, atol=1e-9)


@pytest.mark.filterwarnings("ignore::suffice.errors.LostDigitsWarning")  # of a class with one row left
@examples
@given(batches())
def test_rows_come_off_again(case):
    table, y, weights, parts = case
    first, *others = [collect(part(table, rows), y[rows], sample_weight=weights[rows]) for rows in parts]
    rest = sum(others, first)
    for other in others:
        rest = rest - other
    assert rest == first
    if set(rest.schema.tallied) == set(first.schema.tallied):  # more than ten values are not counted, so not forgotten
        np.testing.assert_allclose(
            NaiveBayes.from_summary(rest).log_joint(table), NaiveBayes.from_summary(first).log_joint(table), rtol=1e-7
        )


def test_counts_determine_the_moments():
    some = {"kinds": {"score": "gaussian", "age": "gaussian"}}
    direct = NaiveBayes(**some).fit(TABLE, Y)
    for summary in (collect(TABLE, Y), collect(TABLE, Y, joint=False), NaiveBayes().fit(TABLE, Y).summary_):
        model = NaiveBayes.from_summary(summary, **some)
        np.testing.assert_allclose(model.log_joint(TABLE), direct.log_joint(TABLE), rtol=1e-12)
        assert kinds(NaiveBayes.from_summary(summary))["score"] == "categorical"


@pytest.mark.parametrize("kind", ["categorical", "gaussian"])
def test_a_declared_kind_is_kept(kind):
    model = NaiveBayes(kinds={"score": kind}).fit(TABLE, Y)
    assert kinds(model)["score"] == kind
    assert kinds(NaiveBayes.from_summary(collect(TABLE, Y), kinds={"score": kind}))["score"] == kind
    assert kinds(NaiveBayes(kinds=kind).fit({"score": SCORES}, Y)) == {"score": kind}


def test_the_default_is_the_declared_category():
    ours, theirs = NaiveBayes().fit(TABLE, Y), NaiveBayes(kinds={"score": "categorical"}).fit(TABLE, Y)
    np.testing.assert_allclose(ours.log_joint(TABLE), theirs.log_joint(TABLE), rtol=1e-12)
    strange = part(TABLE, [0]) | {"score": [7]}
    np.testing.assert_allclose(ours.log_joint(strange), theirs.log_joint(strange), rtol=1e-12)
    assert np.isfinite(ours.log_joint(part(TABLE, [0]) | {"score": [2.5]})).all()
    for check in (leave_one_out, cross_validate):
        found = [check(model, TABLE, Y).log_posterior for model in (ours, theirs)]
        np.testing.assert_allclose(*found, rtol=1e-12)


FORMS = {
    "dict": lambda table: table,
    "pandas": pd.DataFrame,
    "pandas, nullable": lambda table: pd.DataFrame(table).convert_dtypes(),
    "polars": pl.DataFrame,
    "array": lambda table: np.column_stack(list(table.values())),
    "array by columns": lambda table: np.asfortranarray(np.column_stack(list(table.values()))),
}


@pytest.mark.parametrize("holes", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_the_type_of_a_column_does_not_matter(form, holes):
    table = {"score": [None if holes and i % 9 == 4 else int(cell) for i, cell in enumerate(SCORES)], "x": TABLE["x"]}
    floats = {"score": np.array(table["score"], dtype=float), "x": TABLE["x"]}
    wanted = NaiveBayes().fit(table, Y)
    given_as = FORMS[form](floats if "array" in form else table)
    assert next(iter(kinds(NaiveBayes().fit(given_as, Y)).values())) == "categorical"
    np.testing.assert_allclose(NaiveBayes().fit(given_as, Y).predict_proba(given_as), wanted.predict_proba(table))


def test_few_rows_are_no_categories():
    assert kinds(NaiveBayes().fit({"n": [1, 2, 3, 4, 5, 6]}, [0, 1, 0, 1, 0, 1]))["n"] == "gaussian"
    assert kinds(NaiveBayes().fit({"n": [0, 0, 1, 1, 2, 2]}, [0, 1, 0, 1, 0, 1], [2.0] * 6))["n"] == "categorical"
    twelve = {"n": [1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 9]}
    assert kinds(NaiveBayes().fit(twelve, [0, 1] * 6))["n"] == "gaussian"


def test_a_belief_about_a_number_keeps_it_one():
    prior = {"score": NormalInverseGamma(3, 1, 2, 2)}
    assert kinds(NaiveBayes(parameter_prior=prior).fit(TABLE, Y))["score"] == "gaussian"


def test_where_columns_stand_together_they_are_numbers():
    assert kinds(NaiveBayes(joint=[["score", "x"]]).fit(TABLE, Y))["score"] == "gaussian"
    assert set(kinds(Mixture(2).fit(TABLE)).values()) == {"gaussian"}
    assert set(kinds(LatentClass(2).fit({"score": SCORES})).values()) == {"categorical"}
    summary = collect(TABLE, Y)
    direct = LinearDiscriminant().fit(TABLE, Y)
    np.testing.assert_allclose(LinearDiscriminant.from_summary(summary).log_joint(TABLE), direct.log_joint(TABLE))
    apart = NearestMean.from_summary(collect(TABLE, Y, joint=False))
    np.testing.assert_allclose(apart.log_joint(TABLE), NearestMean().fit(TABLE, Y).log_joint(TABLE))


@pytest.mark.parametrize("joint", [False, True])
def test_tallies_are_saved(tmp_path, joint):
    summary = collect(TABLE, Y, joint=joint)
    summary.save(tmp_path / "rows")
    assert load(tmp_path / "rows") == summary
    assert load(tmp_path / "rows").schema.tallied == ("score",)
    assert summary.marginal() == collect(TABLE, Y, joint=False)
    assert "tallied: score" in repr(summary)
    assert "3 columns" in repr(summary)


def test_hidden_labels_and_components():
    labels = np.where(np.arange(ROWS) % 6 == 0, None, Y)
    assert kinds(NaiveBayes().fit(TABLE, labels))["score"] == "categorical"
    assert kinds(NaiveBayes(components=2, em=EM(restarts=2)).fit(TABLE, Y))["score"] == "categorical"


def test_one_hint_says_what_was_chosen_and_how_to_choose():
    table = TABLE | {"floor": RNG.integers(0, 3, ROWS) * 1.0}
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        NaiveBayes().fit(table, Y)
    [text] = [str(some.message) for some in said if some.category is KindHint]
    assert "are modelled as categories" in text
    assert "'score', 'floor'. " in text
    assert "kinds={'score': 'gaussian'}" in text


def test_all_missing_at_first():
    first = {"n": [None] * 4, "x": TABLE["x"][:4]}
    rest = {"n": SCORES, "x": TABLE["x"]}
    model = NaiveBayes().partial_fit(first, Y[:4], classes=["p", "q", "r"]).partial_fit(rest, Y)
    assert kinds(model)["n"] == "categorical"
    assert (collect(first, Y[:4]) + collect(rest, Y)).schema.tallied == ("n",)
