"""The door: the same data in any library, layout and script give the same answer, and what is no table is refused
with a reason."""

import datetime
import re
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from suffice import NaiveBayes, collect
from suffice.errors import HiddenLabelsError, KindError, KindHint, ParameterError, TableError, TableTypeError

TABLE = {
    "x": [1.5, 2.5, None, 4.0, 0.5, 3.0, 2.0, 1.0],
    "n": [3, 1, 4, 1, 5, 9, None, 6],
    "c": ["甲", "乙", None, "丙", "甲", "甲", "丙", "乙"],
    "b": [True, None, False, True, False, False, True, True],
}
LABELS = ["是", "否", "是", "否", "是", "是", "否", "否"]
ROWS = len(LABELS)


def table(**changed):
    return TABLE | changed


def arrow(text=None, chunks=1):
    whole = pa.table(TABLE if text is None else TABLE | {"c": pa.array(TABLE["c"]).cast(text)})
    return pa.concat_tables([whole[: ROWS // chunks], whole[ROWS // chunks :]])


def objects(columns=TABLE):
    return np.array(list(columns.values()), dtype=object).T


FRAMES = {
    "dict of lists": lambda: TABLE,
    "dict of arrays": lambda: {name: np.array(cells, dtype=object) for name, cells in TABLE.items()},
    "dict of series": lambda: (
        TABLE | {"x": pd.Series(TABLE["x"]), "n": pl.Series(TABLE["n"]), "b": pa.array(TABLE["b"])}
    ),
    "object array": objects,
    "Fortran object array": lambda: np.asfortranarray(objects()),
    "list of lists": lambda: objects().tolist(),
    "list of tuples": lambda: list(zip(*TABLE.values(), strict=True)),
    "pandas": lambda: pd.DataFrame(TABLE),
    "pandas of objects": lambda: pd.DataFrame(TABLE, dtype=object),
    "pandas nullable": lambda: pd.DataFrame(TABLE).convert_dtypes(),
    "pandas over pyarrow": lambda: pd.DataFrame(TABLE).convert_dtypes(dtype_backend="pyarrow"),
    "pandas category": lambda: pd.DataFrame(TABLE).astype({"c": "category"}),
    "pandas with an index": lambda: pd.DataFrame(TABLE, index=list("zyxwzyxw")),
    "polars": lambda: pl.DataFrame(TABLE),
    "polars Categorical": lambda: pl.DataFrame(TABLE).with_columns(pl.col("c").cast(pl.Categorical)),
    "polars Categorical of which some levels are in no row": lambda: categorical_with_more()[2:],
    "polars Enum": lambda: pl.DataFrame(TABLE).with_columns(pl.col("c").cast(pl.Enum(["甲", "乙", "丙"]))),
    "polars float32": lambda: pl.DataFrame(TABLE).with_columns(pl.col("x").cast(pl.Float32), pl.col("n").cast(pl.Int8)),
    "polars Decimal": lambda: pl.DataFrame(TABLE).with_columns(pl.col("x").cast(pl.Decimal(10, 2))),
    "pyarrow": arrow,
    "pyarrow in chunks": lambda: arrow(chunks=2),
    "pyarrow large text": lambda: arrow(pa.large_string()),
    "pyarrow dictionary": lambda: arrow(pa.dictionary(pa.int8(), pa.string())),
    "pyarrow dictionary of polars": lambda: FRAMES["polars Categorical"]().to_arrow(),
    "pyarrow dictionary with a level twice": lambda: arrow_dictionary(pa.uint8(), ["甲", "乙", "丙", "甲"]),
    "pyarrow dictionary with a place for the missing": lambda: arrow_dictionary(pa.int16(), [None, "丙", "乙", "甲"]),
    "pyarrow dictionary in chunks": lambda: pa.concat_tables([pa.table(part) for part in dictionary_chunks()]),
}
all_frames = pytest.mark.parametrize("frame", FRAMES)


def dictionary_chunks():
    """Each chunk with a dictionary of its own."""
    for rows in (slice(0, 3), slice(3, ROWS)):
        part = {name: cells[rows] for name, cells in TABLE.items()}
        yield part | {"c": pa.array(part["c"]).dictionary_encode()}


def arrow_dictionary(indices, levels):
    """The last of equal levels for every other cell, and a missing cell by a level that is None, if there is one."""
    places = [None if cell is None and None not in levels else levels.index(cell) for cell in TABLE["c"]]
    last = [len(levels) - 1 if place == 0 and i % 2 and levels[0] else place for i, place in enumerate(places)]
    return pa.table(TABLE | {"c": pa.DictionaryArray.from_arrays(pa.array(last, indices), levels)})


def categorical_with_more():
    """Two rows more, with levels of their own."""
    more = pl.DataFrame({"x": [1.0, 2.0], "n": [1, 2], "b": [True, False], "c": ["另", "又"]})
    frames = (pl.DataFrame(part).select("c", "x", "n", "b") for part in (more, TABLE))
    return pl.concat(frames, how="vertical_relaxed").with_columns(pl.col("c").cast(pl.Categorical))


def fitted(data=None, labels=LABELS, **options):
    return NaiveBayes(**options).fit(TABLE if data is None else data, labels)


def assert_same(ours, theirs):
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)


@all_frames
def test_any_frame_teaches_the_same(frame):
    data = FRAMES[frame]()
    assert_same(fitted(data).predict_proba(data), fitted().predict_proba(TABLE))


def test_text_of_polars_without_pyarrow(monkeypatch):
    monkeypatch.setattr("suffice.data.frames.find_spec", lambda _: None)
    assert_same(fitted(pl.DataFrame(TABLE)).predict_proba(TABLE), fitted().predict_proba(TABLE))


@all_frames
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_any_frame_is_answered_alike(frame):
    assert_same(fitted().predict_proba(FRAMES[frame]()), fitted().predict_proba(TABLE))


@all_frames
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_any_frame_goes_on_from_any_other(frame):
    assert_same(fitted().partial_fit(FRAMES[frame](), LABELS).log_joint(TABLE), twice().log_joint(TABLE))


def twice():
    return fitted().partial_fit(TABLE, LABELS)


NUMBERS = np.random.default_rng(0).integers(0, 2, (12, 3)) * 2.0
NUMBER_LABELS = np.arange(12) % 3
LAYOUTS = {
    "Fortran": np.asfortranarray,
    "strided": lambda x: np.repeat(np.repeat(x, 2, axis=0), 3, axis=1)[::2, ::3],
    "backwards": lambda x: x[::-1, ::-1].copy()[::-1, ::-1],
    "read-only": lambda x: np.frombuffer(x.tobytes()).reshape(x.shape),
    "big-endian": lambda x: x.astype(">f8"),
    "objects": lambda x: x.astype(object),
    "lists": lambda x: x.tolist(),
    "pandas": lambda x: pd.DataFrame(x, columns=["x0", "x1", "x2"]),
} | {name: lambda x, name=name: x.astype(name) for name in ("float32", "float16", "int64", "int8", "uint8", "uint64")}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kind", ["gaussian", "categorical", "poisson", "exponential", "counts"])
@pytest.mark.filterwarnings("ignore:X has feature names")
def test_any_layout_of_numbers(layout, kind):
    given, expected = LAYOUTS[layout](NUMBERS), NaiveBayes(kinds=kind).fit(NUMBERS, NUMBER_LABELS)
    found = NaiveBayes(kinds=kind).fit(given, NUMBER_LABELS)
    assert_same(found.predict_proba(given), expected.predict_proba(NUMBERS))
    assert_same(expected.predict_proba(given), expected.predict_proba(NUMBERS))


@pytest.mark.parametrize("kind", ["binary", "categorical", "gaussian"])
def test_booleans_are_zero_and_one(kind):
    ones = NUMBERS / 2
    for given in (ones.astype(bool), ones.astype(int), {f"x{j}": ones[:, j] > 0 for j in range(3)}):
        found = NaiveBayes(kinds=kind).fit(given, NUMBER_LABELS).predict_proba(given)
        assert_same(found, NaiveBayes(kinds=kind).fit(ones, NUMBER_LABELS).predict_proba(ones))


SPARSE = [sparse.csr_array, sparse.csc_array, sparse.coo_array, sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix]


@pytest.mark.parametrize("layout", SPARSE)
@pytest.mark.parametrize("dtype", [float, np.float32, int])
def test_sparse_counts(layout, dtype):
    given = layout(NUMBERS.astype(dtype))
    found = NaiveBayes(kinds="counts").fit(given, NUMBER_LABELS, sample_weight=NUMBER_LABELS)
    expected = NaiveBayes(kinds="counts").fit(NUMBERS, NUMBER_LABELS, sample_weight=NUMBER_LABELS)
    assert_same(found.predict_proba(given), expected.predict_proba(NUMBERS))


def test_sparse_counts_given_twice_add_up():
    cells = ([2.0, 3.0, 1.0, 4.0], ([0, 0, 1, 1], [1, 1, 0, 2]))
    given = sparse.coo_array(cells, shape=(2, 3))
    dense = NaiveBayes(kinds="counts").fit(given.toarray(), [0, 1])
    assert_same(NaiveBayes(kinds="counts").fit(given, [0, 1]).log_joint(given), dense.log_joint(given.toarray()))


@pytest.mark.parametrize("kinds", [None, "gaussian", "categorical", "poisson"])
def test_a_sparse_table_is_for_counts_and_for_0_and_1(kinds):
    with pytest.raises(TableError, match="set kinds='counts'"):
        NaiveBayes(kinds=kinds).fit(sparse.csr_array(NUMBERS), NUMBER_LABELS)


DECLARED = ["甲", "丁", "乙", "丙", "戊"]  # five levels, of which three occur
DECLARING = {
    "pandas": lambda: pd.DataFrame({"c": pd.Categorical(TABLE["c"], categories=DECLARED)}),
    "polars": lambda: pl.DataFrame({"c": pl.Series(TABLE["c"], dtype=pl.Enum(DECLARED))}),
    "pyarrow": lambda: pa.table({"c": pa.DictionaryArray.from_arrays([0, 2, None, 3, 0, 0, 3, 2], DECLARED)}),
}


@pytest.mark.parametrize("library", DECLARING)
@pytest.mark.parametrize("weights", [None, [1, 1, 1, 1, 1, 0, 1, 1]])
def test_declared_levels_count(library, weights):
    found = NaiveBayes(smoothing=2).fit(DECLARING[library](), LABELS, sample_weight=weights)
    chances = {name: np.asarray(cells) for name, cells in zip(*columns_of(found.tables()["c"]), strict=True)}
    observed = {"否": 4, "是": 3 if weights is None else 2}
    np.testing.assert_allclose(chances["戊"], [2 / (observed[name] + 5 * 2) for name in chances["class"]])
    assert set(chances) == {"class", *DECLARED}


def columns_of(frame):
    names = list(getattr(frame, "column_names", getattr(frame, "columns", frame)))
    return names, [frame[name] for name in names]


# columns by name, or by position


@pytest.mark.parametrize("frame", ["dict of lists", "pandas", "polars"])
def test_columns_are_found_by_name(frame):
    given = FRAMES[frame]()
    other = {name: given[name] for name in ["b", "n", "x", "c"]}
    assert_same(fitted().predict_proba(other), fitted().predict_proba(TABLE))
    assert_same(fitted().predict_proba(table(more=["?"] * ROWS)), fitted().predict_proba(TABLE))


@pytest.mark.parametrize("order", ["bnxc", "nxcb", "cbxn"])
def test_batches_are_matched_by_name(order):
    found = fitted().partial_fit({name: TABLE[name] for name in order}, LABELS)
    assert_same(found.log_joint(TABLE), twice().log_joint(TABLE))


def test_other_columns_do_not_matter_to_predictions_but_are_not_learned_away():
    found, more = fitted(), table(more=["?"] * ROWS)
    assert_same(found.log_joint(more), found.log_joint(TABLE))
    with pytest.raises(TableError, match="The table has 'more', which earlier rows did not have"):
        found.partial_fit(more, LABELS)


UNREADABLE = {
    "lists": lambda: [[1, 2]] * ROWS,
    "sets": lambda: [{1}] * ROWS,
    "mixed": lambda: ["a", 1] * (ROWS // 2),
    "Python dates": lambda: [datetime.date(2020, 1, 1)] * ROWS,
    "dates": lambda: np.arange(ROWS).astype("M8[D]"),
}


@pytest.mark.parametrize("cells", UNREADABLE)
def test_what_is_ignored_need_not_be_readable(cells):
    given = table(more=UNREADABLE[cells]())
    assert_same(fitted(given, kinds={"more": "ignore"}).predict_proba(given), fitted().predict_proba(TABLE))
    assert_same(fitted().predict_proba(given), fitted().predict_proba(TABLE))


NOTHING = {
    "None": lambda: [None] * ROWS,
    "NaN": lambda: np.full(ROWS, np.nan),
    "pandas": lambda: pd.Series([None] * ROWS),
    "polars": lambda: pl.Series([None] * ROWS),
    "pyarrow": lambda: pa.array([None] * ROWS),
}


@pytest.mark.parametrize("cells", NOTHING)
@pytest.mark.parametrize("name", TABLE)
def test_a_column_may_be_all_missing(name, cells):
    rest = {other: column for other, column in TABLE.items() if other != name}
    expected = fitted(kinds={name: "ignore"}).log_joint(rest | {name: TABLE[name]})
    assert_same(fitted().log_joint(table(**{name: NOTHING[cells]()})), expected)


def test_numpy_after_a_frame_goes_by_position():
    with pytest.warns(UserWarning, match="X does not have valid feature names, but NaiveBayes was fitted with feature"):
        found = fitted(pd.DataFrame(TABLE)).predict_proba(objects())
    assert_same(found, fitted().predict_proba(TABLE))


def test_a_frame_after_numpy_goes_by_position():
    with pytest.warns(UserWarning, match="X has feature names, but NaiveBayes was fitted without feature names"):
        found = fitted(objects()).predict_proba(pd.DataFrame(TABLE).rename(columns=str.upper))
    assert_same(found, fitted().predict_proba(TABLE))


def test_numpy_after_a_frame_must_have_its_width():
    with pytest.raises(TableError, match="X has 3 features, but NaiveBayes is expecting 4 features"):
        fitted(pd.DataFrame(TABLE)).predict(objects()[:, :3])


@pytest.mark.parametrize("method", ["predict", "partial_fit"])
def test_a_column_that_is_gone_is_named(method):
    rest = {name: cells for name, cells in TABLE.items() if name != "c"}
    with pytest.raises(TableError, match=r"lacks 'c', which the model was fitted with; it has 'x', 'n', 'b'"):
        getattr(fitted(), method)(rest, *([LABELS] if method == "partial_fit" else []))


RETYPED = [
    ("x", ["a"] * ROWS, "Column 'x' was modelled as gaussian but now holds text. Give it with the type"),
    ("x", np.arange(ROWS).astype("M8[D]"), "Column 'x' was modelled as gaussian but now holds date"),
    ("c", range(ROWS), "Column 'c' held values like '丙' when the model was fitted and now holds 0."),
    ("b", ["yes"] * ROWS, "Column 'b' held values like False when the model was fitted and now holds 'yes'."),
]


@pytest.mark.parametrize("name, cells, text", RETYPED)
def test_a_column_of_another_type_is_an_error(name, cells, text):
    with pytest.raises(KindError, match=re.escape(text)):
        fitted().predict(table(**{name: cells}))


# what is refused, and what is asked


def frame_twice(names):
    return pd.DataFrame(np.ones((2, 2)), columns=names)


REFUSED = {
    "one dimension": ([1.0, 2.0], TableError, "Expected 2D array, got 1D array instead"),
    "a series": (pd.Series([1.0, 2.0]), TableError, "Expected 2D array, got 1D array instead"),
    "three dimensions": (np.ones((2, 2, 2)), TableError, "got 3D array"),
    "nothing": (None, TableTypeError, "Expected a table, found NoneType"),
    "lazy": (pl.LazyFrame({"x": [1.0, 2.0]}), ParameterError, "by the names of their columns"),
    "no rows": ({"x": []}, TableError, "0 sample"),
    "no columns": (np.ones((2, 0)), TableError, "0 feature"),
    "lengths": ({"x": [1.0, 2.0], "z": [1.0]}, TableError, "the same length; found {'x': 2, 'z': 1}"),
    "complex": (np.ones((2, 1)) * 1j, TableError, "Complex data not supported"),
    "mixed": ({"x": ["a", 1]}, TableTypeError, "Column 'x'.*found cells of types int, str"),
    "lists": ({"x": [[1], [1, 2]]}, TableTypeError, "Column 'x'.*found cells of types list"),
    "same names": (frame_twice(["k", "k"]), TableError, "'k'"),
    "same names in arrow": (pa.table([[1.0, 2.0]] * 2, names=["k", "k"]), TableError, "'k'"),
    "same names as text": (frame_twice([1, "1"]), TableError, r"differ from each other as text; found \['1', '1'\]"),
    "same keys as text": ({1: [1.0, 2.0], "1": ["a", "b"]}, TableError, "differ from each other as text"),
    "infinity": ({"x": [1.0, np.inf]}, KindError, r"'x' \(gaussian\) holds inf in row 1; expected a finite number"),
    "ragged": ([[1.0, 2.0], [1.0]], TableError, "row"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_table_is_refused(case):
    data, error, text = REFUSED[case]
    with pytest.raises(error, match=text):
        NaiveBayes().fit(data, ["a", "b"])


CELLS = {
    "poisson": ([1, -1, 2], "Negative values.*'x' .poisson. holds -1 in row 1; expected 0 or more"),
    "exponential": ([1.0, 2.0, -0.5], "Negative values.*'x' .exponential. holds -0.5 in row 2; expected 0 or more"),
    "counts": ([1.0, np.nan, 2.0], "Missing cells.*'x' .counts. holds nan in row 1; expected a count"),
    ("gamma", 2.0): ([1.0, 0.0, 2.0], "Values of 0.*'x' .gamma of shape 2. holds 0 in row 1; expected more than 0"),
    "log-gaussian": ([1.0, -2.0, 2.0], "Negative values.*'x' .Gaussian after ln. holds -2 in row 1; .* more than 0"),
    "logit-gaussian": ([0.1, 0.5, 1.0], "Values that are too large.*'x' .* holds 1 in row 2; expected less than 1"),
    ("negative-binomial", 1): ([0, 0.5, 2], "Fractions.*'x' .geometric. holds 0.5 in row 1; expected a whole number"),
    "binary": ([0, 1, 2], "'x' .* holds 2 in row 2; expected 0 or 1"),
    ("binomial", 3): ([0, 4, 2], "'x' .binomial out of 3. holds 4 in row 1; expected at most 3"),
}


@pytest.mark.parametrize("kind", CELLS)
def test_cells_that_a_kind_cannot_have(kind):
    cells, text = CELLS[kind]
    with pytest.raises(KindError, match=text):
        NaiveBayes(kinds={"x": kind}).fit({"x": cells}, list("aab"))


@pytest.mark.parametrize("kind", ["poisson", "binary"])
def test_fractions_are_no_counts(kind):
    with pytest.raises(KindError, match=r"Fractions.*holds 0\.5 in row 1; expected a whole number"):
        NaiveBayes(kinds=kind).fit({"x": [1, 0.5, 0]}, list("aab"))


DATES = {
    "numpy": np.arange(ROWS).astype("M8[D]"),
    "pandas": pd.Series(pd.date_range("2020-01-01", periods=ROWS)),
    "polars": pl.Series([datetime.date(2020, 1, 1)] * ROWS),
    "pyarrow": pa.array([datetime.datetime(2020, 1, 1)] * ROWS),
    "Python": [datetime.date(2020, 1, 1)] * ROWS,
}


@pytest.mark.parametrize("library", DATES)
def test_dates_want_a_conversion(library):
    with pytest.raises(KindError, match=r"Column 'd' holds dates\. Convert it .* or declare it 'ignore'"):
        fitted(table(d=DATES[library]))
    with pytest.raises(KindError, match="Column 'd' holds dates and cannot be gaussian"):
        fitted(table(d=DATES[library]), kinds={"d": "gaussian"})


def test_decimals_are_numbers():
    exact = table(x=[None if cell is None else Decimal(str(cell)) for cell in TABLE["x"]])
    assert_same(fitted(exact).predict_proba(TABLE), fitted().predict_proba(TABLE))


@pytest.mark.parametrize("given", [list, np.array, pd.Series, pl.Series, pa.array])
def test_text_like_an_identifier_is_asked_about(given):
    names = given([f"patient {i}" for i in range(101)])
    with pytest.warns(KindHint, match="Column 'id' has 101 different texts in 101 rows.* declare it 'ignore'"):
        NaiveBayes().fit({"id": names}, np.arange(101) % 2)


def test_text_of_few_rows_is_not_asked_about():
    NaiveBayes().fit({"id": [f"patient {i}" for i in range(100)]}, np.arange(100) % 2)


@pytest.mark.parametrize("read", [lambda t: t, pd.DataFrame, pl.DataFrame, pa.table])
def test_few_whole_numbers_are_asked_about(read):
    few = read({"a": np.arange(40) % 4, "many": np.arange(40) + 3, "f": np.arange(40) % 2 + 0.5})
    with pytest.warns(KindHint, match=r"few different whole numbers: 'a'\. .*kinds=\{'a': 'gaussian'\} or 'poisson'"):
        NaiveBayes().fit(few, np.arange(40) % 2)


@pytest.mark.parametrize("kind", ["gaussian", "categorical", "poisson"])
def test_a_declared_kind_is_not_asked_about(kind):
    NaiveBayes(kinds={"a": kind}).fit({"a": np.arange(40) % 4}, np.arange(40) % 2)


OPTIONS = [
    ({"kinds": {"zz": "gaussian"}}, "There is no column 'zz'; the table has 'x', 'n', 'c', 'b'"),
    ({"joint": [["x", "zz"]]}, "There is no column 'zz'"),
    ({"kinds": {"x": "normal"}}, "Column 'x' is declared 'normal'; a kind is one of gaussian, log-gaussian"),
    ({"kinds": {"x": "binomial"}}, "binomial takes its number of trials"),
    ({"kinds": {"n": ("binomial", 0)}}, "Column 'n': binomial takes its number of trials: .*; found 0"),
    ({"kinds": {"n": ("binomial", "ten")}}, "Column 'n': binomial takes its number of trials: .*; found 'ten'"),
    ({"kinds": {"n": ("binomial",)}}, "Column 'n' is declared 'binomial'; binomial takes its number of trials"),
    ({"kinds": {"n": ("gaussian", 5)}}, "Column 'n' is declared .*gaussian takes no number"),
    ({"kinds": {"n": ("gamma", -1)}}, "Column 'n': gamma takes its shape: .*; found -1"),
    ({"kinds": {"n": ("von-mises", np.nan)}}, "Column 'n': von-mises takes its concentration: .*; found nan"),
    ({"kinds": {"x": None}}, "Column 'x' is declared None; a kind is one of"),
    ({"kinds": {"x": 3}}, "Column 'x' is declared 3; a kind is one of"),
    ({"kinds": ["gaussian"] * 4}, "kind"),
    ({"kinds": {"x": "poisson"}, "joint": [["x", "n"]]}, "Column 'x' is named twice"),
    ({"joint": [["x", "n"]], "counts": [["n", "x"]]}, "Column 'x' is named twice"),
    ({"joint": [["x", "x"]]}, "Column 'x' is named twice"),
    ({"joint": ["x", "n"]}, "joint .*lists? of"),  # a name is no group of its letters
    ({"counts": ["xn"]}, "counts .*lists? of"),
    ({"smoothing": np.inf}, "smoothing must be a number of rows, 0 or more; found inf"),
    ({"smoothing": "1"}, "smoothing must be a number of rows, 0 or more; found '1'"),
]


@pytest.mark.parametrize("options, text", OPTIONS, ids=[str(options) for options, _ in OPTIONS])
def test_declarations_that_do_not_fit(options, text):
    with pytest.raises(ParameterError, match=text):
        fitted(**options)


@pytest.mark.parametrize("kind", ["gaussian", "poisson", "exponential", ("binomial", 3), "counts"])
def test_text_is_no_number(kind):
    with pytest.raises(KindError, match=r"Column 'c' holds text and cannot be .*declare it categorical"):
        fitted(kinds={"c": kind})


def test_binary_text_has_two_values():
    with pytest.raises(KindError, match="Column 'c' is declared binary but holds 3 values: '丙', '乙', '甲'"):
        fitted(kinds={"c": "binary"})
    two = table(c=["甲", "乙"] * 4)
    assert_same(fitted(two, kinds={"c": "binary"}).predict_proba(two), fitted(two).predict_proba(two))


# labels

CHINESE = {
    "list": list,
    "tuple": tuple,
    "array": np.array,
    "objects": lambda labels: np.array(labels, dtype=object),
    "pandas": pd.Series,
    "pandas string": lambda labels: pd.Series(labels, dtype="string"),
    "pandas category": lambda labels: pd.Series(pd.Categorical(labels, categories=["也许", "是", "否"])),
    "Categorical": lambda labels: pd.Categorical(labels, categories=["是", "否", "也许"]),
    "polars": pl.Series,
    "polars Enum": lambda labels: pl.Series(labels, dtype=pl.Enum(["是", "也许", "否"])),
    "pyarrow": pa.array,
    "pyarrow chunks": lambda labels: pa.chunked_array([labels[:2], labels[2:]]),
}


@pytest.mark.parametrize("given", CHINESE)
def test_labels_of_any_library(given):
    found = fitted(labels=CHINESE[given](LABELS))
    assert found.classes_.tolist() == ["否", "是"]
    assert_same(found.predict_proba(TABLE), fitted().predict_proba(TABLE))


@pytest.mark.parametrize("no, yes", [(0, 1), (-5, 10**12), (False, True), ("نعم", "🍉"), (1.0, 2.0), ("", " ")])
@pytest.mark.parametrize("given", [list, np.array, pd.Series])
def test_labels_of_any_type(no, yes, given):
    found = fitted(labels=given([yes if label == "是" else no for label in LABELS]))
    assert found.classes_.tolist() == [no, yes]
    assert found.predict(TABLE).tolist() == [yes if label == "是" else no for label in fitted().predict(TABLE)]


LABEL_ERRORS = {
    "mixed": (["a", 1] * 4, TableTypeError, "types int, str"),
    "continuous": ([0.5, 1.5] * 4, TableError, "Unknown label type: continuous.*regression"),
    "all None": ([None] * 8, TableError, "Input y contains NaN.*no class is known"),
    "infinite": ([0.0, np.inf] * 4, TableError, "infinity"),
    "dates": (np.arange(8).astype("M8[D]"), TableError, "Unknown label type: dates"),
    "too few": (LABELS[1:], TableError, "8 rows, 7 labels"),
    "absent": (None, TableError, "requires y"),
}


@pytest.mark.parametrize("case", LABEL_ERRORS)
def test_labels_that_are_no_classes(case):
    labels, error, text = LABEL_ERRORS[case]
    with pytest.raises(error, match=text):
        fitted(labels=labels)


UNKNOWN = {
    "None": (["a", "b", None, *"ababa"], 2),
    "NaN": ([0.0, np.nan, *[1.0] * 6], 1),
    "NA": (pd.array([1, 2, 1, None] * 2, dtype="Int64"), 3),
    "null": (pl.Series([None, "b", "a", "b"] * 2), 0),
}


@pytest.mark.parametrize("case", UNKNOWN)
def test_labels_not_known_are_refused_where_statistics_are_added(case):
    labels, row = UNKNOWN[case]
    with pytest.raises(HiddenLabelsError, match=f"first in row {row}"):
        collect(TABLE, labels)


# names


SCRIPTS = [["色泽", "根蒂", "敲声", "纹理"], ["لون", "صوت", "🍉", "عدد"], ["x y", "", "\n", "%s{0}"]]


@pytest.mark.parametrize("names", SCRIPTS)
@pytest.mark.parametrize("read", [lambda t: t, pd.DataFrame, pl.DataFrame, pa.table])
def test_names_in_any_script(names, read):
    given = read(dict(zip(names, TABLE.values(), strict=True)))
    found = fitted(given, kinds={names[1]: "poisson"})
    assert_same(found.predict_proba(given), fitted(kinds={"n": "poisson"}).predict_proba(TABLE))
    assert set(found.tables()) == {"class", *names}
    assert found.feature_names_in_.tolist() == names


@pytest.mark.parametrize("category", ["أحمر", "🍉", "class", "prior", "", "None"])
def test_categories_in_any_script(category):
    cells = [category if cell == "甲" else cell for cell in TABLE["c"]]
    found = fitted(table(c=cells)).tables()["c"]
    assert {category, "乙", "丙"} < set(found)
    np.testing.assert_allclose(found[category], fitted().tables()["c"]["甲"])


def test_a_column_may_be_called_class():
    found = fitted({"class": TABLE["x"]}).tables()
    described = [set(part) for part in found.values()]
    assert {"class", "prior"} in described
    assert {"class", "mean", "sd"} in described


@pytest.mark.parametrize("category", ["class", "乙"])
def test_classes_stay_in_every_table(category):
    cells = [category if cell == "乙" else cell for cell in TABLE["c"]]
    found = fitted(table(c=cells)).tables()["c"]
    assert len(found) == 1 + 3


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_tables_answer_in_the_library_of_the_input(library):
    given = library({"c": TABLE["c"], "x": TABLE["x"]})
    found = fitted(given).tables()
    assert {type(part) for part in found.values()} == {type(given)}
    assert columns_of(found["c"])[0] == ["class", "丙", "乙", "甲"]
    assert list(found["class"]["class"]) == ["否", "是"] or found["class"]["class"].to_pylist() == ["否", "是"]


@pytest.mark.parametrize("given", ["dict of lists", "object array", "list of lists"])
def test_tables_are_dicts_of_arrays_otherwise(given):
    found = fitted(FRAMES[given]()).tables()
    assert {type(cells) for part in found.values() for cells in part.values()} == {np.ndarray}
