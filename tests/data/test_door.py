"""What comes in at the door in odd clothes: masked arrays, dictionaries of pyarrow, large integers, odd byte orders."""

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from suffice import (
    BayesDecision,
    LinearDiscriminant,
    Mixture,
    NaiveBayes,
    NormalInverseGamma,
    QuadraticDiscriminant,
    batches,
    collect,
    load,
)
from suffice.errors import ParameterError, TableError, TableTypeError, UnknownLabelsError
from twins import served_by

RNG = np.random.default_rng(0)
Y = np.arange(60) % 2
X = RNG.normal(size=(60, 2)) + Y[:, None]
HOLES = np.zeros(X.shape, dtype=bool)
HOLES[::5, 0] = True
MASKED, HOLED = np.ma.masked_array(np.where(HOLES, -999.0, X), HOLES), np.where(HOLES, np.nan, X)


@pytest.mark.parametrize("model", [NaiveBayes(), LinearDiscriminant(), QuadraticDiscriminant()], ids=repr)
@pytest.mark.parametrize("path", ["numpy", "compiled"])
def test_what_is_masked_is_missing(model, path):
    with served_by(path):
        found = model.fit(MASKED, Y).predict_proba(MASKED)
        np.testing.assert_allclose(found, model.fit(HOLED, Y).predict_proba(HOLED), rtol=1e-12)
    np.testing.assert_array_equal(model.impute(MASKED), model.impute(HOLED))


def test_what_is_masked_is_missing_among_columns_labels_and_categories():
    ours, theirs = (NaiveBayes().fit({"a": x[:, 0]}, Y).tables()["a"] for x in (MASKED, HOLED))
    np.testing.assert_array_equal(ours["mean"], theirs["mean"])
    with pytest.raises(UnknownLabelsError, match="The only class in y is 1"):
        NaiveBayes().fit(X, np.ma.masked_array(Y, Y == 0))
    codes = np.ma.masked_array(RNG.integers(0, 3, (60, 2)), HOLES)
    assert NaiveBayes(kinds="categorical").fit(codes, Y).summary_.n == len(Y)


@pytest.mark.parametrize("cells", [["a", "b", "N/A"], [True, False, True]], ids=["text", "booleans"])
@pytest.mark.parametrize("as_objects", [False, True], ids=["own type", "objects"])
@pytest.mark.parametrize(
    "as_table", [lambda column: {"a": column}, lambda column: column[:, None]], ids=["dict", "2-d"]
)
def test_what_is_masked_is_missing_whatever_fills_it(cells, as_objects, as_table):
    values = np.ma.masked_array(np.array(cells * 4, dtype=object if as_objects else None), [False, False, True] * 4)
    y = [0, 1, 1] * 4
    ours = NaiveBayes().fit(as_table(values), y).predict_proba(as_table(values))
    holed = np.array([None if masked is np.ma.masked else masked for masked in values], dtype=object)
    np.testing.assert_array_equal(ours, NaiveBayes().fit(as_table(holed), y).predict_proba(as_table(holed)))
    np.testing.assert_allclose(ours[2], [1 / 3, 2 / 3])  # a missing cell says nothing


@pytest.mark.parametrize("missing", [None, np.nan])
def test_text_of_variable_width(missing):
    """NumPy's own, in tables, columns and labels."""
    plain = np.dtypes.StringDType()
    cells = np.array([["é", "甲"], ["ß", "乙"], ["é", missing]], np.dtypes.StringDType(na_object=missing))
    model = NaiveBayes().fit(cells, np.array(["x", "y", "y"], plain))
    assert model.classes_.tolist() == ["x", "y"]
    expected = NaiveBayes().fit(cells.astype(object), ["x", "y", "y"])
    np.testing.assert_array_equal(model.predict_proba(cells), expected.predict_proba(cells.astype(object)))


@pytest.mark.parametrize("missing", [[], [None]], ids=["complete", "missing"])
def test_integers_wider_than_any_of_numpy_are_told_apart(missing):
    cells = [2**53, 2**53 + 1, 2**100, 2**100 + 1, *missing]
    frame = pl.DataFrame({"a": pl.Series(cells, dtype=pl.Int128)})
    y = [0, 1, 0, 1, 1][: len(cells)]
    model = NaiveBayes(kinds="categorical").fit(frame, y)
    assert model.tables()["a"].columns == ["class", *map(str, cells[:4])]


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_a_matrix_is_an_array():
    found = NaiveBayes().fit(np.matrix(X), Y).predict_proba(np.matrix(X))
    np.testing.assert_array_equal(found, NaiveBayes().fit(X, Y).predict_proba(X))


@pytest.mark.parametrize("path", ["numpy", "compiled"])
def test_integers_of_another_byte_order_are_categories(path):
    codes = RNG.integers(0, 3, (60, 4))
    with served_by(path):
        ours, theirs = (
            NaiveBayes(kinds="categorical").fit(c, Y).predict_proba(c) for c in (codes.astype(">i4"), codes)
        )
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)


LARGE = [2**53, 2**53 + 1, None] * 20
LARGE_LABELS = {
    "list": lambda: LARGE,
    "pandas": lambda: pd.Series(LARGE, dtype="Int64"),
    "polars": lambda: pl.Series(LARGE),
    "pyarrow": lambda: pa.array(LARGE),
    "pyarrow in chunks": lambda: pa.chunked_array([LARGE]),
}


@pytest.mark.parametrize("library", LARGE_LABELS)
def test_large_integers_stay_apart_beside_missing_ones(library):
    assert NaiveBayes().fit(X, LARGE_LABELS[library]()).classes_.tolist() == LARGE[:2]
    found = NaiveBayes(kinds="categorical").fit({"id": LARGE_LABELS[library]()}, Y)
    assert found.summary_.schema.columns[0].levels == tuple(LARGE[:2])


def test_integers_beyond_the_machines_own():
    labels = np.array([2**63 + 1, 2**63 + 2] * 30, dtype=np.uint64)
    assert NaiveBayes().fit(X, labels).classes_.tolist() == [2**63 + 1, 2**63 + 2]
    assert NaiveBayes().fit(pl.DataFrame({"a": pl.Series(range(60, 120), dtype=pl.Int128)}), Y).summary_.n == len(Y)


@pytest.mark.filterwarnings("ignore:A column-vector y")
def test_a_table_of_one_column_is_labels_with_their_missing_cells():
    labels = pa.array(["a", "b", None] * 20).dictionary_encode()
    ours, theirs = (NaiveBayes().fit(X, y) for y in (pa.table({"y": labels}), pa.chunked_array([labels])))
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-12)


def test_a_dictionary_may_hold_a_place_for_the_missing():
    for odd, levels in ((np.nan, [1.0, 2.0]), (None, [1.0, 2.0]), (2.0, [1.0, 2.0])):
        values = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2] * 20), pa.array([1.0, 2.0, odd]))
        assert NaiveBayes().fit(X, pa.chunked_array([values])).classes_.tolist() == levels


def test_partial_labels_are_no_text():
    text = pd.DataFrame({"a": np.where(Y == 0, "is", "not"), "b": np.where(Y == 1, "is", "not")})
    with pytest.raises(TableError, match="a table of 0 and 1"):
        NaiveBayes().fit(X, text)


NO_WEIGHTS = [pd.date_range("2020", periods=60), ["x"] * 60, np.ones(60) * 1j, ["1"] * 60, {"a": 1}]


@pytest.mark.parametrize("weights", NO_WEIGHTS, ids=lambda weights: type(weights).__name__)
def test_weights_are_numbers(weights):
    with pytest.raises(ParameterError, match="sample_weight must be one number for each row"):
        NaiveBayes().fit(X, Y, sample_weight=weights)


def test_weights_may_be_objects_that_are_numbers():
    fitted = NaiveBayes().fit(X, Y, sample_weight=[Decimal(2)] * 60)
    np.testing.assert_allclose(fitted.summary_.n, 120)


def test_intervals_are_categories_that_can_be_kept(tmp_path):
    table = pd.DataFrame({"t": pd.cut(pd.Series(X[:, 0]), 3)})
    model = NaiveBayes().fit(table, Y)
    model.save(tmp_path / "cut.suffice")
    np.testing.assert_array_equal(load(tmp_path / "cut.suffice").predict_proba(table), model.predict_proba(table))


@pytest.mark.parametrize("columns", [[0, 1], pd.MultiIndex.from_tuples([("a", "x"), ("a", "y")])], ids=str)
def test_names_that_are_no_text_can_be_grouped(columns):
    table = pd.DataFrame(X, columns=columns)
    together = NaiveBayes(joint=[list(table.columns)], estimate="unbiased").fit(table, Y)
    np.testing.assert_allclose(together.predict_proba(table), QuadraticDiscriminant().fit(X, Y).predict_proba(X))


def test_names_that_are_no_text_have_beliefs():
    table, belief = pd.DataFrame(X), NormalInverseGamma(0, 1, 2, 2)
    ours, theirs = (NaiveBayes(parameter_prior={name: belief}).fit(table, Y) for name in (0, "0"))
    np.testing.assert_array_equal(ours.predict_proba(table), theirs.predict_proba(table))
    with pytest.raises(ParameterError, match="lists of groups of columns"):
        NaiveBayes(joint=[0, 1]).fit(table, Y)


def test_batches_without_rows_are_passed_over():
    some, none = pa.table({"a": [1.0, 2.0], "s": ["u", "v"]}), pa.table({"a": pa.array([], pa.float64()), "s": []})
    batches = iter([none.cast(some.schema), some, {"a": [], "s": []}])
    assert collect(batches, "s").n == some.num_rows


def test_scores_need_every_label():
    model = NaiveBayes().fit(X, ["a", "b", None] * 20)
    with pytest.raises(TableError, match="every row needs its class"):
        model.score(X, ["a", "b", None] * 20)
    with pytest.raises(TableError, match="value for unknown"):
        NaiveBayes(unknown="?").fit(X, ["a", "b", "?"] * 20).score(X, ["a", "b", "?"] * 20)
    labels = np.where(Y == 0, "a", "b")
    assert model.score(X, labels) == (model.predict(X) == labels).mean()


def test_entries_of_a_sparse_table_that_stand_twice_are_added():
    dense = np.array([[2, 0], [0, 3], [1, 1]])
    twice = sparse.csr_array((np.ones(7), [0, 0, 1, 1, 1, 0, 1], [0, 2, 5, 7]), shape=dense.shape)
    model = NaiveBayes(kinds="counts").fit(dense, [0, 1, 0])
    np.testing.assert_allclose(model.score_samples(twice), model.score_samples(dense), rtol=1e-12)
    assert len(twice.data) == 7  # the user's own is as it was
    with pytest.raises(TableError, match="got 1D sparse array"):
        model.predict(sparse.coo_array(np.arange(3)))


@pytest.mark.parametrize("levels", [[1, "a"], [True, 2]], ids=str)
def test_categories_of_several_types_are_refused_before_anything_is_learned(levels):
    with pytest.raises(TableError, match="must be of one type"):
        NaiveBayes().fit(pd.DataFrame({"t": pd.Series(levels * 30, dtype="category")}), Y)


@pytest.mark.parametrize("gone", [np.float32("nan"), np.float64("nan"), Decimal("NaN"), pd.NA, pd.NaT, None], ids=repr)
def test_a_missing_cell_by_any_name(gone):
    assert NaiveBayes().fit({"t": ["a", gone, "b"] * 20}, Y).summary_.schema.columns[0].levels == ("a", "b")


NO_COLUMN = {
    "a generator": lambda: (i for i in range(4)),
    "a map": lambda: map(float, range(4)),
    "a set": lambda: {1.0, 2.0, 3.0, 4.0},
    "values of a dict": lambda: dict.fromkeys(range(4), 1.0).values(),
    "a dict": lambda: dict.fromkeys(range(4), 1.0),
    "an object": object,
}


@pytest.mark.parametrize("case", NO_COLUMN)
def test_what_is_no_column_is_told_so(case):
    with pytest.raises(TableTypeError, match=r"Column 'a' is given as .*a column is a list.* list\(\) makes one"):
        NaiveBayes().fit({"a": NO_COLUMN[case]()}, [0, 1, 0, 1])
    with pytest.raises(TableTypeError, match="Column 'a' is given as"):
        collect(iter([({"a": NO_COLUMN[case]()}, [0, 1, 0, 1])]))
    if case != "a dict":  # which would be partial labels
        with pytest.raises(TableTypeError, match="Column 'y' is given as"):
            NaiveBayes().fit({"a": [1.0, 2, 3, 4]}, NO_COLUMN[case]())


ROW = pd.DataFrame({"a": [1.0], "b": ["x"]})
NO_TABLE = {
    "a row of pandas": (ROW.iloc[0], r"Expected 2D array.* one row is frame.iloc\[\[0\]\]"),
    "a column of polars": (pl.Series([1.0, 2.0]), r"Expected 2D array.* one column frame\[\['name'\]\]"),
    "some rows as dicts": ([{"a": 1.0, "b": "x"}, [1.0, "x"]], "but row 1 is list"),
    "a dict of cells": ({"a": 1.0, "b": "x"}, r"column 'a' holds one value\. .* write \{'a': \[1.0\], …\}"),
    "a column and a cell": ({"a": [1.0], "b": "x"}, r"column 'b' holds one value\. .* write \{'b': \['x'\], …\}"),
    "a generator": (([1.0, "x"] for _ in range(2)), r"found generator\. Give .* list\(\) makes a table"),
    "a set": ({1.0, 2.0}, r"found set\. Give"),
}


@pytest.mark.parametrize("case", NO_TABLE)
def test_what_is_no_table_is_told_how_to_be_one(case):
    given, text = NO_TABLE[case]
    model = NaiveBayes().fit(pd.concat([ROW, ROW + ROW]), ["u", "v"])
    with pytest.raises(TableError, match=text):
        model.predict(given)
    with pytest.raises(TableError, match=text if case != "a generator" else "no batch|2D|found"):
        collect(given, ["u"] * 2)


@pytest.mark.parametrize("rows", [[[1.0, 2.0], [3.0, 4.0]], [np.zeros(2), np.ones(2)]], ids=["lists", "arrays"])
def test_rows_that_come_one_by_one_are_no_batches(rows):
    with pytest.raises(TableError, match="Expected 2D array, got 1D array"):
        collect(iter(rows), ["u", "v"])


STRANGE = {
    "class_weight": r"priors=\{class: probability\}.*BayesDecision\(model, loss=",
    "alpha": "called smoothing",
    "n_components": "called components",
    "prior": "It has .*priors|It has .*parameter_prior",
}


@pytest.mark.parametrize("name", STRANGE)
@pytest.mark.parametrize("model", [NaiveBayes, QuadraticDiscriminant, Mixture, BayesDecision])
def test_a_parameter_that_there_is_not(model, name):
    with pytest.raises(ParameterError, match=rf"{model.__name__} has no parameter '{name}'\. .*({STRANGE[name]})"):
        model(**{name: None})
    with pytest.raises(TypeError, match="has no parameter"):
        model(**{name: None})


NO_PRIORS = [
    object(),
    ["a", "b"],
    {0: "a", 1: None},
    {0.4, 0.6},
    [[0.5], [0.5, 0.1]],
    [None, 1.0],
    lambda: None,
    b"uniform",
]


@pytest.mark.parametrize("priors", NO_PRIORS, ids=lambda given: type(given).__name__)
@pytest.mark.parametrize("model", [NaiveBayes, LinearDiscriminant])
def test_priors_are_probabilities(model, priors):
    with pytest.raises(ParameterError, match="priors "):
        model(priors=priors).fit(X, Y)


@pytest.mark.parametrize("kinds", [("binomial", 16), ["binomial", 16], ("binomial", np.int64(16))])
def test_one_kind_for_all_columns_may_come_with_its_number(kinds, tmp_path):
    rows, y = np.random.default_rng(0).binomial(16, 0.4, (40, 2)), np.arange(40) % 2
    by_name = NaiveBayes(kinds={"x0": ("binomial", 16), "x1": ("binomial", 16)}).fit(rows, y).predict_proba(rows)
    model = NaiveBayes(kinds=kinds).fit(rows, y)
    np.testing.assert_array_equal(model.predict_proba(rows), by_name)
    collected = NaiveBayes.from_summary(collect(rows, y, kinds=kinds), kinds=kinds)
    np.testing.assert_array_equal(collected.predict_proba(rows), by_name)
    model.set_params(kinds=(kinds[0], int(kinds[1]))).fit(rows, y).save(tmp_path / "model")
    np.testing.assert_array_equal(load(tmp_path / "model").predict_proba(rows), by_name)
    with pytest.raises(ParameterError, match="collected as binomial out of 16"):
        NaiveBayes.from_summary(collect(rows, y, kinds=kinds), kinds=("binomial", 12))


@pytest.mark.parametrize("kinds", [("binomial",), ("binomial", 0), ("binomial", 2.5), ("gaussian", 3), (), 7, {"x0"}])
def test_what_is_no_kind_for_all_columns_is_told_what_one_is(kinds):
    with pytest.raises(ParameterError, match=r"\('binomial', 10\)"):
        NaiveBayes(kinds=kinds).fit(np.eye(4), [0, 0, 1, 1])


@pytest.mark.filterwarnings("ignore::suffice.errors.ConstantColumnWarning")
@pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
@pytest.mark.parametrize("kind", ["gaussian", "categorical", "poisson", None])
def test_objects_of_pandas_that_are_all_missing_have_no_type_yet(missing, kind):
    """So they are no text, and a later batch says what they are."""
    first = pd.DataFrame({"a": pd.Series([missing] * 3, dtype=object), "b": [1.0, 2.0, 4.0]})
    kinds = {"a": kind} if kind else {}
    model = NaiveBayes(kinds=kinds).partial_fit(first, [0, 1, 1])
    model.partial_fit(pd.DataFrame({"a": [1, 2, 1], "b": [1.0, 2.0, 4.0]}), [0, 1, 1])
    assert model.summary_.n == 6


def of_every_type():
    rng = np.random.default_rng(3)
    holes = np.arange(70) % 9 == 4
    frame = pd.DataFrame(
        {
            "float32": rng.normal(size=70).astype(np.float32),
            "holed": np.where(holes, np.nan, rng.normal(size=70)),
            "int8": rng.integers(-100, 100, 70).astype(np.int8),
            "large": np.uint64(2**63) + rng.integers(0, 5, 70).astype(np.uint64),
            "Int64": pd.Series(rng.integers(0, 3, 70)).where(~holes).astype("Int64"),
            "truth": rng.integers(0, 2, 70) == 1,
            "boolean": pd.Series(rng.integers(0, 2, 70) == 1).where(~holes).astype("boolean"),
            "text": pd.Series(rng.choice(["甲", "b", ""], 70)).where(~holes),
            "string": pd.Series(rng.choice(["甲", "b", ""], 70)).where(~holes).astype("string"),
            "category": pd.Series(rng.choice(["u", "v"], 70)).astype(pd.CategoricalDtype(["u", "v", "w"])),
            "objects": pd.Series([None if hole else Decimal(i) / 8 for i, hole in enumerate(holes)], dtype=object),
            "day": pd.date_range("2020", periods=70),
        }
    )
    return frame, {"large": "categorical", "Int64": "categorical", "day": "ignore"}


@pytest.mark.parametrize("rows", [1, 2, 64, 65])
def test_few_rows_of_pandas_are_read_as_many_are(rows):
    frame, kinds = of_every_type()
    model = NaiveBayes(kinds=kinds).fit(frame, np.arange(70) % 2)
    whole = model.log_joint(frame)
    parts = [model.log_joint(frame[start : start + rows]) for start in range(0, 70, rows)]
    np.testing.assert_allclose(np.concatenate(parts), whole, rtol=1e-12)


def test_a_summary_of_few_rows_of_pandas_is_that_of_pyarrow():
    frame, kinds = of_every_type()
    few = frame.drop(columns=["objects"])[:40]
    ours, theirs = (collect(table, np.arange(40) % 2, kinds=kinds) for table in (few, pa.Table.from_pandas(few)))
    assert ours == theirs
    assert {column.name for column in ours.schema.columns if column.declared} >= {"truth", "boolean", "category"}


@pytest.mark.parametrize("names", [["a", "a"], ["b", "a", "b"]])
@pytest.mark.parametrize("door", [collect, NaiveBayes().fit, LinearDiscriminant().fit])
def test_two_columns_of_one_name_are_refused_at_every_door(names, door):
    table = pd.DataFrame(np.arange(4.0 * len(names)).reshape(4, -1), columns=names)
    with pytest.raises(TableError, match="must differ"):
        door(table, [0, 1, 0, 1])


@pytest.mark.parametrize("nothing", [[], ()])
def test_an_empty_list_of_files_is_named_as_such(nothing):
    for ask in (
        lambda: collect(nothing, "y"),
        lambda: NaiveBayes().fit(nothing, "y"),
        lambda: next(batches(nothing)),
        lambda: Mixture(2).fit(nothing, sample_weight="w"),
    ):
        with pytest.raises(TableError, match="The list of files is empty"):
            ask()
