"""Columns that may be of another kind than their type suggests are asked about: once, and only where there is doubt."""

import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

from suffice import (
    EM,
    GaussianDiscriminant,
    LinearDiscriminant,
    LogisticClassifier,
    MarginClassifier,
    Mixture,
    NaiveBayes,
    auto,
    collect,
    compare,
    cross_validate,
    example,
    leave_one_out,
    tune,
)
from suffice.errors import KindError, KindHint, TableError

RNG = np.random.default_rng(0)
ROWS = 300
Y = np.arange(ROWS) % 2
HOLES = np.arange(ROWS) % 7 == 3


def hints(work):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        work()
    return [str(some.message) for some in said if issubclass(some.category, KindHint)]


def holed(values):
    return np.where(HOLES, np.nan, values)


FEW, CODES, IDENTIFIER = "few different whole numbers: 'a'", "that repeat often: 'a'", "as identifiers do: 'a'"
ZIPS = RNG.choice(RNG.choice(90000, 60, replace=False) + 10000, ROWS)
DOUBTFUL = {
    "few": (Y + 1, FEW),
    "few floats": (Y + 1.0, FEW),
    "few, a cell missing": (holed(Y + 1.0), FEW),
    "few objects, a cell missing": ([None if hole else 3 * int(y) for y, hole in zip(Y, HOLES, strict=True)], FEW),
    "few decimals": ([Decimal(int(y)) for y in Y], FEW),
    "few of pandas, a cell missing": (pd.Series(Y).where(~HOLES).astype("Int64"), FEW),
    "few of polars, a cell missing": (pl.Series(holed(Y + 1.0)).fill_nan(None), FEW),
    "months": (RNG.integers(1, 13, ROWS), CODES),
    "months, a cell missing": (holed(RNG.integers(1, 13, ROWS)), CODES),
    "thirty codes": (RNG.integers(0, 30, ROWS), CODES),
    "postal codes": (ZIPS, CODES),
    "postal codes, a cell missing": (holed(ZIPS), CODES),
    "1 … n": (np.arange(1, ROWS + 1), IDENTIFIER),
    "n … 1, of pandas": (pd.Series(np.arange(ROWS, 0, -1)), IDENTIFIER),
    "shuffled": (RNG.permutation(ROWS) + 10**6, IDENTIFIER),
    "every other": (np.arange(ROWS) * 2 - 50, IDENTIFIER),
    "1 … n, a cell missing": (holed(np.arange(ROWS)), IDENTIFIER),
    "1 … n, floats": (np.arange(1.0, ROWS + 1), IDENTIFIER),
    "shuffled, floats": (RNG.permutation(ROWS) + 1.0, IDENTIFIER),
    "some of very many": (RNG.choice(6000, ROWS, replace=False) + 10**5, IDENTIFIER),
    "months, floats": (RNG.integers(1, 13, ROWS) * 1.0, CODES),
}


@pytest.mark.parametrize("case", DOUBTFUL)
def test_doubts_are_told(case):
    cells, text = DOUBTFUL[case]
    said = hints(lambda: NaiveBayes().fit({"a": cells, "b": RNG.normal(size=ROWS)}, Y))
    assert len(said) == 1
    assert text in said[0]
    assert "kinds={'a': " in said[0]
    assert len(hints(lambda: collect({"a": cells}, Y))) == 1
    for kind in ("gaussian", "ignore"):
        assert not hints(lambda: NaiveBayes(kinds={"a": kind}).fit({"a": cells, "b": RNG.normal(size=ROWS)}, Y))  # noqa: B023


CERTAIN = {
    "floats": RNG.normal(size=ROWS),
    "floats, a cell missing": holed(RNG.normal(size=ROWS)),
    "grams": RNG.integers(2700, 6300, ROWS),
    "rounded grams": RNG.integers(100, 250, ROWS) * 25,
    "grams, a cell missing": holed(RNG.integers(2700, 6300, ROWS)),
    "ages": RNG.integers(18, 90, ROWS),
    "large": RNG.integers(-(2**62), 2**62, ROWS),
}


@pytest.mark.parametrize("case", CERTAIN)
def test_measurements_are_not_asked_about(case):
    assert not hints(lambda: NaiveBayes().fit({"a": CERTAIN[case]}, Y))


@pytest.mark.parametrize("first", [0, 1])
def test_a_short_column_that_counts_the_rows_is_asked_about(first):
    counting, y = np.arange(17) + first, np.arange(17) % 2
    (said,) = hints(lambda: NaiveBayes().fit({"编号": counting, "b": RNG.normal(size=17)}, y))
    assert "as identifiers do: '编号'" in said
    for other in (counting[::-1], counting * 2, counting + 5, np.r_[counting[:-1], 40]):
        assert not hints(lambda: NaiveBayes().fit({"编号": other, "b": RNG.normal(size=17)}, y))  # noqa: B023


@pytest.mark.parametrize("rows", [101, 230, 400])
@pytest.mark.parametrize("model", [NaiveBayes, LinearDiscriminant, LogisticClassifier])
@pytest.mark.parametrize("as_type", [int, float])
def test_shuffled_identifiers_are_asked_about_by_every_model(rows, model, as_type):
    rng = np.random.default_rng(rows)
    table = {"id": rng.permutation(rows).astype(as_type) + 1, "x": rng.normal(size=rows)}
    [said] = hints(lambda: model().fit(table, np.arange(rows) % 2))
    assert "as identifiers do: 'id'" in said


@pytest.mark.filterwarnings("ignore::suffice.errors.UndeterminedWarning")
def test_the_numbers_of_the_melons_are_asked_about_and_left_out_where_the_model_is_ours_to_choose():
    table, ripe = example("watermelon")
    assert table["编号"].dtype.kind == "i"
    for learn in (lambda: NaiveBayes().fit(table, ripe), lambda: collect(table, ripe)):
        assert any("as identifiers do: '编号'" in text for text in hints(learn))
    chosen = []
    [said] = hints(lambda: chosen.append(auto(table, ripe)))
    assert "Left out" in said
    named = auto(table, ripe, kinds={"编号": "ignore"})
    assert [trial.criterion for trial in chosen[0].trials] == [trial.criterion for trial in named.trials]


def test_identifiers_of_many_rows_in_any_order():
    numbers, y = np.random.default_rng(1).permutation(5000), np.arange(5000) % 2
    assert len(hints(lambda: NaiveBayes().fit(np.c_[numbers, numbers % 997], y))) == 1
    twice = np.where(numbers == 4999, 0, numbers)  # one row has the number of another
    assert not hints(lambda: NaiveBayes().fit(twice[:, None], y))


@pytest.mark.parametrize(
    "model",
    [LinearDiscriminant(), GaussianDiscriminant(shape="diagonal"), LogisticClassifier(), MarginClassifier()],
    ids=repr,
)
def test_numbers_of_rows_are_asked_about_by_models_that_take_all_numbers(model):
    table = {"id": np.arange(ROWS), "x": RNG.normal(size=ROWS)}
    [said] = hints(lambda: clone(model).fit(table, Y))
    assert "as identifiers do: 'id'" in said
    told = clone(model).set_params(kinds={"id": "ignore"})
    assert not hints(lambda: told.fit(table, Y))
    assert not hints(lambda: clone(model).fit({"k": Y * 3 + np.arange(ROWS) % 2, "x": table["x"]}, Y))


def test_the_tables_of_the_library_are_asked_about_the_year():
    columns, species = example("penguins")
    assert [text for text in hints(lambda: collect(columns, species)) if "'year'" not in text] == []


TABLE = pd.DataFrame(
    {"a": Y, "id": np.arange(ROWS), "name": [f"n{i}" for i in range(ROWS)], "x": RNG.normal(size=ROWS)}
)
UNKNOWN = np.where(np.arange(ROWS) % 5 == 0, -1, Y)
FOLDS = {
    "scikit-learn's folds": lambda: cross_val_score(NaiveBayes(), TABLE, Y, cv=5),
    "a pipeline's folds": lambda: cross_val_score(make_pipeline(NaiveBayes()), TABLE, Y, cv=4),
    "a search": lambda: GridSearchCV(NaiveBayes(), {"smoothing": [0.1, 1.0]}, cv=3).fit(TABLE, Y),
    "clones of clones": lambda: [clone(clone(MODEL)).fit(TABLE, Y) for _ in range(3)],
    "our folds": lambda: cross_validate(NaiveBayes(), TABLE, Y, folds=5),
    "our folds, refitted": lambda: cross_validate(NaiveBayes(unknown=-1), TABLE, UNKNOWN, folds=3),
    "leave one out": lambda: leave_one_out(NaiveBayes(), TABLE, Y),
    "compared": lambda: compare([NaiveBayes()], TABLE, Y),
    "tuned": lambda: tune(NaiveBayes(), TABLE, Y, over=["smoothing"]),
    "settled": lambda: NaiveBayes(smoothing="auto").fit(TABLE, Y),
    "batches": lambda: collect(iter([(TABLE[:150], Y[:150]), (TABLE[150:], Y[150:])])),
    "next batches": lambda: NaiveBayes().partial_fit(TABLE[:150], Y[:150]).partial_fit(TABLE[150:], Y[150:]),
}
MODEL = NaiveBayes()


@pytest.mark.parametrize("case", FOLDS)
def test_a_doubt_is_told_once_for_all_folds(case):
    said = hints(FOLDS[case])
    assert len(said) == 3  # few values, numbers and names of rows
    assert len(set(said)) == 3


def test_every_fit_of_ones_own_tells_its_doubts():
    model = NaiveBayes()
    assert [len(hints(lambda: model.fit(TABLE, Y))) for _ in range(2)] == [3, 3]
    assert [len(hints(lambda: Mixture(2).fit(TABLE[["a", "x"]]))) for _ in range(2)] == [1, 1]
    assert not hints(
        lambda: LinearDiscriminant().fit(TABLE[["a", "x"]], Y[::-1] * (TABLE["x"] > 0))
    )  # which models numbers only


def test_folds_over_few_labels_say_nothing_else_than_all_rows_do():
    """Visits come back among all rows, and not among those of a fold; what is said is what the model does."""
    rng = np.random.default_rng(0)
    table = {"visits": np.arange(24) % 10, "x": rng.normal(size=24)}
    labels = [("a" if row % 2 else "b") if row % 3 else None for row in range(24)]
    for learn in (
        lambda: NaiveBayes(em=EM(unlabelled_weight=1)).fit(table, labels),
        lambda: cross_validate(NaiveBayes(em=EM(unlabelled_weight=1)), table, labels, folds=4),
    ):
        assert [text.partition(":")[0] for text in hints(learn)] == [
            "These columns are modelled as categories, because they hold few different whole numbers"
        ]


@pytest.mark.parametrize("model", [NaiveBayes(), GaussianDiscriminant(), Mixture(2)], ids=repr)
@pytest.mark.parametrize("cells", [[np.inf] * 6, [-np.inf] * 6, [np.inf, -np.inf] * 3, [np.inf, 1.0, 2.0] * 2])
@pytest.mark.parametrize("as_table", [np.array, lambda rows: {"x": [row[0] for row in rows], "y": [0.5, 2.5, 1.5] * 2}])
def test_infinite_cells_are_refused_by_name_whatever_else_there_is(model, cells, as_table):
    with pytest.raises((KindError, TableError), match="nfinit"):
        model.fit(as_table([[cell, 1.0] for cell in cells]), [0, 1] * 3)
