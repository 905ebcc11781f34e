"""What may be new in a later batch: classes, levels, words of named counts; not a column, nor a third value of two."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from suffice import LinearDiscriminant, NaiveBayes, collect, load
from suffice.errors import KindError, ParameterError, TableError

FIRST = {"Beijing": [2, 0, 1], "Tokyo": [0, 3, 1]}
LATER = {"Tokyo": [1, 0], "Shanghai": [4, 1], "Chinese": [0, 2]}
WHOLE = {
    "Beijing": [2, 0, 1, 0, 0],
    "Tokyo": [0, 3, 1, 1, 0],
    "Shanghai": [0, 0, 0, 4, 1],
    "Chinese": [0, 0, 0, 0, 2],
}
Y, Z = ["c", "j", "c"], ["c", "j"]
FRAMES = [dict, pd.DataFrame, pl.DataFrame, pa.table]


def batches(read=dict, way="partial_fit"):
    """The model of both batches, each with words of its own."""
    first, later = read(FIRST), read(LATER)
    if way == "partial_fit":
        return NaiveBayes(kinds="counts").partial_fit(first, Y).partial_fit(later, Z)
    if way == "batches":
        return NaiveBayes.from_summary(collect(iter([(first, Y), (later, Z)]), kinds="counts"))
    one, other = collect(first, Y, kinds="counts"), collect(later, Z, kinds="counts")
    return NaiveBayes.from_summary(one + other if way == "added" else other + one, kinds="counts")


@pytest.mark.parametrize("read", FRAMES)
@pytest.mark.parametrize("way", ["partial_fit", "batches", "added", "added the other way"])
def test_a_new_word_was_never_there_before(read, way):
    whole, found = NaiveBayes(kinds="counts").fit(WHOLE, Y + Z), batches(read, way)
    assert found.summary_ == whole.summary_
    assert set(found.feature_names_in_) == set(WHOLE)
    assert found.n_features_in_ == len(WHOLE)
    np.testing.assert_allclose(found.predict_proba(WHOLE), whole.predict_proba(WHOLE), rtol=1e-12)


def test_words_that_rows_do_not_have_are_not_in_them():
    found = batches()
    for rows in (FIRST, LATER, {"Tokyo": [1], "人": [3]}):
        absent = {word: np.zeros(len(rows["Tokyo"])) for word in WHOLE if word not in rows}
        np.testing.assert_allclose(found.predict_proba(rows), found.predict_proba(rows | absent), rtol=1e-12)
    with pytest.raises(TableError, match="lacks 'Beijing', 'Tokyo'"):
        found.predict({"London": [1]})


def test_a_vocabulary_stays_open_on_disk(tmp_path):
    NaiveBayes(kinds="counts").partial_fit(FIRST, Y).save(tmp_path / "m.suffice")
    assert load(tmp_path / "m.suffice").partial_fit(LATER, Z).summary_ == batches().summary_


def test_words_come_off_again():
    one, other = collect(FIRST, Y, kinds="counts"), collect(LATER, Z, kinds="counts")
    np.testing.assert_allclose(
        NaiveBayes.from_summary(one + other - other).predict_proba(FIRST),
        NaiveBayes.from_summary(one + collect(LATER, Z, kinds="counts") - other).predict_proba(FIRST),
    )
    assert (one + other - other).statistics.parts[0].counts.sum() == sum(map(sum, FIRST.values()))


NUMBERS, MORE = (
    {"a": [0.0, 1, 5, 6], "b": [1.0, 2, 1, 2]},
    {"a": [0.0, 5], "b": [1.0, 1], "c": [7.0, 8], "d": ["u", "v"]},
)
CLOSED = {
    "numbers": (NaiveBayes(), NUMBERS, MORE),
    "numbers together": (LinearDiscriminant(estimate="map"), NUMBERS, MORE),
    "categories": (NaiveBayes(kinds="categorical"), NUMBERS, MORE),
    "a group of counts": (NaiveBayes(counts=[["a", "b"]]), NUMBERS, MORE),
    "counts beside others": (NaiveBayes(kinds={"a": "counts", "b": "counts"}), NUMBERS, MORE),
}


@pytest.mark.parametrize("case", CLOSED)
@pytest.mark.parametrize("read", FRAMES)
def test_a_new_column_is_refused_by_name(case, read):
    model, first, later = CLOSED[case]
    fitted = model.fit(read(first), [0, 0, 1, 1])
    before = fitted.predict_proba(read(first))
    with pytest.raises(TableError, match=r"The table has 'c', 'd', which earlier rows did not have.* fit all rows"):
        fitted.partial_fit(read(later), [0, 1])
    np.testing.assert_array_equal(fitted.predict_proba(read(first)), before)
    np.testing.assert_array_equal(fitted.predict_proba(read(later)), fitted.predict_proba(read(NUMBERS))[[0, 2]])
    kinds = {} if case.startswith("numbers") else {"kinds": model.kinds, "counts": model.counts}
    with pytest.raises(TableError, match="The table has 'c', 'd'"):
        collect(iter([(read(first), [0, 0, 1, 1]), (read(later), [0, 1])]), **kinds)


@pytest.mark.parametrize("read", [np.asarray, sparse.csr_array, sparse.coo_array])
def test_counts_without_names_go_by_position(read):
    narrow, wide = read(np.ones((3, 2))), read(np.ones((2, 3)))
    with pytest.raises(TableError, match="X has 3 features, but NaiveBayes is expecting 2"):
        NaiveBayes(kinds="counts").partial_fit(narrow, Y).partial_fit(wide, Z)
    with pytest.raises(TableError, match="The table has 'x2'"):
        collect(iter([(narrow, Y), (wide, Z)]), kinds="counts")
    with pytest.raises(KindError, match="these differ in x2"):
        collect(narrow, Y, kinds="counts") + collect(wide, Z, kinds="counts")
    with pytest.raises(TableError, match="The table has 'x0', 'x1'"):
        collect(iter([(FIRST, Y), (narrow, Y)]), kinds="counts")


# two values


TEXTS = [list, pd.Series, pl.Series, lambda cells: pd.Series(cells, dtype="category")]


@pytest.mark.parametrize("read", TEXTS)
def test_a_third_value_is_refused_whenever_it_comes(read):
    one, other = {"s": read(["yes", "no", "yes"])}, {"s": read(["perhaps", "no"])}
    kinds, text = {"s": "binary"}, "Column 's' is declared binary but holds 3 values: 'no', 'perhaps', 'yes'"
    first = NaiveBayes(kinds=kinds).partial_fit(one, Y)
    before = first.predict_proba(one)
    with pytest.raises(KindError, match=text):
        first.partial_fit(other, Z)
    np.testing.assert_array_equal(first.predict_proba(one), before)
    with pytest.raises(KindError, match=text):
        collect(iter([(one, Y), (other, Z)]), kinds=kinds)
    with pytest.raises(KindError, match=text):
        collect(one, Y, kinds=kinds) + collect(other, Z, kinds=kinds)
    with pytest.raises(KindError, match=text):
        collect(one, Y, kinds=kinds) + collect(other, Z)
    with pytest.raises(ParameterError, match="collected as categorical and cannot be modelled as 'binary'"):
        NaiveBayes.from_summary(collect(one, Y) + collect(other, Z), kinds=kinds)


def test_two_values_stay_two_on_disk(tmp_path):
    collect({"s": ["yes", "no"]}, Z, kinds={"s": "binary"}).save(tmp_path / "s.stats")
    with pytest.raises(KindError, match="holds 3 values"):
        load(tmp_path / "s.stats") + collect({"s": ["perhaps"]}, ["c"], kinds={"s": "binary"})
    model = NaiveBayes.from_summary(load(tmp_path / "s.stats"), kinds="binary")
    with pytest.raises(KindError, match="holds 3 values"):
        model.partial_fit({"s": ["perhaps"]}, ["c"])


def test_a_second_value_may_come_later():
    found = (
        NaiveBayes(kinds={"s": "binary"}).partial_fit({"s": ["no", None, "no"]}, Y).partial_fit({"s": ["yes", "no"]}, Z)
    )
    assert found.summary_.schema.columns[0].levels == ("no", "yes")
