"""Classes and levels stay what they are: none merges with another, none becomes a float, none loses a character."""

import warnings
from datetime import date, timedelta
from datetime import time as hour
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from suffice import NaiveBayes, collect, load
from suffice.data import levels
from suffice.data.levels import encoded_objects, encoded_texts
from suffice.errors import KindError, TableError, UnseenCategoryWarning

pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.KindHint")  # numbers of rows are cells here
LARGE = 2**53
X = {"x": np.arange(12.0)}


def masked(values, dtype=None):
    return np.ma.masked_array([0 if value is None else value for value in values], [v is None for v in values], dtype)


HOLED = {  # ways to have integers and a missing cell
    "a list with None": list,
    "a list with NaN": lambda values: [np.nan if value is None else value for value in values],
    "objects": lambda values: np.array(values, dtype=object),
    "objects of NumPy": lambda values: [None if value is None else np.int64(value) for value in values],
    "masked": masked,
    "masked, unsigned": lambda values: masked(values, np.uint64),
    "pandas Int64": lambda values: pd.Series(values, dtype="Int64"),
    "pandas UInt64": lambda values: pd.array(values, dtype="UInt64"),
    "pandas of arrow": lambda values: pd.Series(values, dtype="int64[pyarrow]"),
    "pandas objects": lambda values: pd.Series(values, dtype=object),
    "polars": pl.Series,
    "pyarrow": pa.array,
    "decimals": lambda values: [None if value is None else Decimal(value) for value in values],
}


@pytest.mark.parametrize("first", [LARGE, 2**62, 2**53 - 1])
@pytest.mark.parametrize("given", HOLED)
def test_large_integers_stay_apart(given, first):
    cells = HOLED[given]([first, first + 1, first + 2, None] * 3)
    assert NaiveBayes().fit(X, cells).classes_.tolist() == [first, first + 1, first + 2]
    found = NaiveBayes(kinds="categorical").fit({"id": cells}, [0, 1] * 6)
    assert found.summary_.schema.columns[0].levels == (first, first + 1, first + 2)


@pytest.mark.parametrize("given", [masked, lambda values: [np.nan if v is None else v for v in values]])
def test_large_integers_stay_apart_in_arrays(given):
    rows = [given([LARGE, LARGE + 1, None][i % 3 :] + [LARGE, LARGE + 1, None][: i % 3]) for i in range(6)]
    table = np.ma.stack(rows) if given is masked else rows
    found = NaiveBayes(kinds="categorical").fit(table, [0, 1] * 3)
    assert {column.levels for column in found.summary_.schema.columns} == {(LARGE, LARGE + 1)}


KEPT = {  # classes that an array of NumPy would change
    "a null character": ["a", "a\0"],
    "null characters": ["", "\0", "\0\0"],
    "of both signs": [-1, 2**63 + 1],
    "of both signs, exact as floats": [-1, 2**63],
    "beyond the machine": [0, 2**64, 2**64 + 1],
    "very long": [1, 10**400],
    "close decimals": [Decimal(LARGE), Decimal(LARGE + 1)],
    "close fractions": [Fraction(LARGE), Fraction(LARGE + 1)],
}


@pytest.mark.parametrize("case", KEPT)
@pytest.mark.parametrize("given", [list, lambda y: np.array(y, dtype=object), lambda y: pd.Series(y, dtype=object)])
def test_classes_are_kept_as_they_are(case, given, tmp_path):
    names = KEPT[case]
    y = (names * 6)[: 6 * len(names) // len(names) * 2][:12]
    model = NaiveBayes().fit(X, given(y))
    assert model.classes_.tolist() == names
    assert {type(name) for name in model.classes_.tolist()} <= {int, str}
    assert set(model.predict(X).tolist()) <= set(names)
    assert model.score(X, y) == np.mean([a == b for a, b in zip(model.predict(X).tolist(), y, strict=True)])
    assert list(model.tables()["class"]["class"]) == names
    model.save(tmp_path / "m.suffice")
    assert load(tmp_path / "m.suffice").classes_.tolist() == names
    assert (collect(X, given(y)) + collect(X, given(y[::-1]))).classes == tuple(names)


def test_classes_that_an_array_keeps_are_in_one_of_their_type():
    kinds = [NaiveBayes().fit(X, y).classes_.dtype.kind for y in (["a", "b"] * 6, [1, 2] * 6, [True, False] * 6)]
    assert kinds == ["U", "i", "b"]


def test_truth_is_no_number():
    for y in ([1, True, 0] * 4, [True, 0, False] * 4, [np.True_, 1.0, np.False_] * 4):
        with pytest.raises(TableError, match="and the same throughout; found cells of types"):
            NaiveBayes().fit(X, np.array(y, dtype=object))
        with pytest.raises(TableError, match="and the same throughout; found cells of types"):
            NaiveBayes().fit(X, y)
    assert NaiveBayes().fit(X, [True, np.nan, False] * 4).classes_.tolist() == [False, True]
    y = np.array([True, np.nan, False] * 4, dtype=object)
    assert NaiveBayes().fit(X, y).classes_.tolist() == [False, True]


def test_levels_of_batches_do_not_merge():
    batches = [({"s": ["a", "a\0"]}, [0, 1]), ({"s": ["a\0", "a\0\0"]}, [0, 1])]
    assert collect(iter(batches)).schema.columns[0].levels == ("a", "a\0", "a\0\0")


@pytest.mark.parametrize("cells", [[10**400, 1], [-(10**400), 1.5], [Decimal("1e400"), 1], [Fraction(10**400, 3), 1]])
def test_a_number_too_large_for_a_float_is_refused_as_one(cells):
    with pytest.raises(
        KindError, match=r"beyond the largest float\) in data: column 'x' .* in row 0; expected a finite"
    ):
        NaiveBayes().fit({"x": cells * 2}, [0, 1, 0, 1])
    model = NaiveBayes().fit({"x": [1.0, 2, 3, 4]}, [0, 1, 0, 1])
    with pytest.raises(KindError, match="beyond the largest float"):
        model.predict({"x": cells})


@pytest.mark.parametrize("gone", [Decimal("sNaN"), Decimal("-sNaN12"), Decimal("NaN")], ids=str)
def test_no_number_is_missing_whether_it_signals_or_not(gone):
    cells = [gone if i % 4 == 3 else Decimal(i) / 2 for i in range(12)]
    holed = [None if i % 4 == 3 else i / 2 for i in range(12)]
    ours, theirs = (NaiveBayes().fit({"x": some}, [0, 1] * 6).tables()["x"]["mean"] for some in (cells, holed))
    np.testing.assert_array_equal(ours, theirs)
    assert NaiveBayes().fit(X, [gone, Decimal(1), Decimal(2)] * 4).classes_.tolist() == [1, 2]
    assert NaiveBayes().fit({"s": ["a", gone, "b"] * 4}, [0, 1] * 6).summary_.schema.columns[0].levels == ("a", "b")


def test_masked_texts_are_missing():
    texts = np.ma.masked_array(["a", "b", "c"] * 4, [False, False, True] * 4)
    assert NaiveBayes().fit({"s": texts}, [0, 1] * 6).summary_.schema.columns[0].levels == ("a", "b")
    assert NaiveBayes().fit(X, texts).classes_.tolist() == ["a", "b"]


# categories of any type


DATES = pd.to_datetime(["2020-01-01", "2021-01-01"] * 6)
NO_CLASSES = {
    "fractions": (pd.Series([0.5, 1.5] * 6), "continuous"),
    "dates": (pd.Series(DATES), "dates"),
    "durations": (pd.Series(DATES - DATES[0]), "durations"),
    "dates of arrow": (pa.array(DATES.to_pydatetime()), "dates"),
    "fractions of arrow": (pa.array([0.5, 1.5] * 6), "continuous"),
}


@pytest.mark.parametrize("case", NO_CLASSES)
def test_what_is_no_class_is_none_as_a_category_either(case):
    plain, word = NO_CLASSES[case]
    category = plain.astype("category") if isinstance(plain, pd.Series) else plain.dictionary_encode()
    for y in (plain, category):
        with pytest.raises(TableError, match=f"Unknown label type: {word}"):
            NaiveBayes().fit(X, y)


def test_dates_made_categories_can_be_columns(tmp_path):
    for dates in (pd.Series(DATES).astype("category"), pa.array(DATES.to_pydatetime()).dictionary_encode()):
        model = NaiveBayes().fit({"day": dates}, [0, 1] * 6)
        model.save(tmp_path / "m.suffice")
        assert load(tmp_path / "m.suffice").predict({"day": dates}).tolist() == [0, 1] * 6


@pytest.mark.parametrize("second", [["y", "x"], [None, "y"], ["y", "y"]], ids=str)
def test_every_chunk_of_arrow_has_a_dictionary_of_its_own(second):
    dictionaries = [["x", None], second]
    chunks = [pa.DictionaryArray.from_arrays(pa.array([0, 1, None]), pa.array(some)) for some in dictionaries]
    cells = [some[i] if i is not None else None for some in dictionaries for i in (0, 1, None)]
    ours, theirs = (collect({"s": some}, [0, 0, 0, 1, 1, 1]) for some in (pa.chunked_array(chunks), cells))
    assert ours == theirs
    assert collect(pa.table({"s": pa.chunked_array(chunks)}), [0, 0, 0, 1, 1, 1]) == theirs


# times that are no dates


TIMES = {
    "timedelta": ([timedelta(i) for i in range(4)], "durations"),
    "NumPy": (np.arange(4).astype("m8[s]"), "durations"),
    "pandas": (pd.Series(pd.to_timedelta(range(4), unit="D")), "durations"),
    "polars": (pl.Series([timedelta(i) for i in range(4)]), "durations"),
    "pyarrow": (pa.array([timedelta(i) for i in range(4)]), "durations"),
    "hours": ([hour(i) for i in range(4)], "times of day"),
    "hours of polars": (pl.Series([hour(i) for i in range(4)]), "times of day"),
    "dates": ([date(2020, 1, i + 1) for i in range(4)], "dates"),
}


@pytest.mark.parametrize("case", TIMES)
def test_times_are_called_what_they_are(case):
    cells, word = TIMES[case]
    for kinds in (None, {"t": "gaussian"}, {"t": "categorical"}):
        with pytest.raises(KindError, match=rf"Column 't' holds {word}\b.* Convert it .*, or declare it 'ignore'"):
            NaiveBayes(kinds=kinds).fit({"t": cells}, [0, 1, 0, 1])
    with pytest.raises(TableError, match=f"Unknown label type: {word}"):
        NaiveBayes().fit({"x": [1.0, 2, 3, 4]}, cells)
    assert NaiveBayes(kinds={"t": "ignore"}).fit({"t": cells, "x": [1.0, 2, 3, 4]}, [0, 1, 0, 1]).n_iter_ == 1


# texts


@pytest.mark.parametrize("width", [1, 2, 3, 7, 8])
def test_texts_of_an_array_are_told_apart(width):
    rng = np.random.default_rng(width)
    texts = np.array(["".join(rng.choice(list("ab西瓜\U0001f349"), rng.integers(0, width + 1))) for _ in range(300)])
    ours, theirs = encoded_texts(texts), encoded_objects(texts.tolist())
    assert ours.levels == theirs.levels
    np.testing.assert_array_equal(ours.codes, theirs.codes)
    np.testing.assert_array_equal(encoded_texts(texts[::3]).codes, encoded_objects(texts[::3].tolist()).codes)


def test_texts_of_one_number_are_told_apart_all_the_same(monkeypatch):
    monkeypatch.setattr(levels, "MIXER", np.uint64(0))  # only the last characters count
    texts = np.array(["axx", "bxx", "axx", "cxx"])
    assert encoded_texts(texts).levels == ("axx", "bxx", "cxx")


@pytest.mark.parametrize("cells", [(0.0, 0.125, 2.0), (-3.0, 0.5, 0.0), (1.0, 1.5, 2.0, 7.0)])
@pytest.mark.parametrize("as_table", [np.array, list, lambda rows: pd.DataFrame(rows, columns=["x"])])
def test_levels_between_whole_numbers_are_levels_of_arrays_too(cells, as_table):
    labels = ["a", "b", "b"] * len(cells)
    rows = as_table([[cell] for cell in np.resize(cells, len(labels))])
    found = NaiveBayes(kinds="categorical").fit(rows, labels).predict_proba(rows)
    texts = {"x": np.resize([str(cell) for cell in cells], len(labels))}
    np.testing.assert_allclose(found, NaiveBayes().fit(texts, labels).predict_proba(texts), rtol=1e-14)


@pytest.mark.parametrize("far", [2**53 + 1, -(2**62), 10**12])
@pytest.mark.parametrize("unseen", ["prior", "ignore"])
def test_whole_numbers_far_from_the_levels_are_answered_at_once(far, unseen):
    model, labels = NaiveBayes(kinds="categorical", unseen=unseen), list("abab")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenCategoryWarning)
        found = model.fit(np.array([[0], [1], [0], [1]]), labels).predict_proba(np.array([[0], [far]]))
        expected = model.fit({"x": [0, 1, 0, 1]}, labels).predict_proba({"x": [0, far]})
    np.testing.assert_allclose(found, expected, rtol=1e-14)
