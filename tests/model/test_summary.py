"""Summaries are values: rows put together and taken away, in any batches, and every closed-form model from one."""

import io
from dataclasses import FrozenInstanceError

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from suffice import (
    GaussianDiscriminant,
    LinearDiscriminant,
    NaiveBayes,
    NearestMean,
    QuadraticDiscriminant,
    collect,
    load,
)
from suffice.errors import (
    ConstantColumnWarning,
    FileError,
    KindError,
    NotInSummaryError,
    ParameterError,
    TableError,
    TableTypeError,
)
from suffice.model.summary import Summary

ROWS = 60
KINDS = {"visits": "poisson"}
WITHOUT_EXPLAINING = (Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink)  # which takes a minute
examples = settings(max_examples=40, deadline=None, phases=WITHOUT_EXPLAINING, derandomize=True)


def mixed(rows=ROWS, seed=0):
    """Two numbers that go together, one that does not, a category and a count; three classes."""
    rng = np.random.default_rng(seed)
    y = rng.choice(["z", "x", "y"], rows)
    a = rng.normal(size=rows) + (y == "x")
    table = {"a": a, "colour": rng.choice(["red", "blue", "绿"], rows), "b": 2 * a + rng.normal(size=rows)}
    return table | {"visits": rng.poisson(3, rows), "c": rng.normal(5, 0.1, rows)}, y


def numbers(seed=0):
    table, y = mixed(seed=seed)
    return {name: table[name] for name in "abc"}, y


def holed(seed=0):
    """Numbers with cells missing in all patterns but the empty one."""
    table, y = numbers(seed)
    patterns = np.arange(ROWS) % 7
    return {name: np.where(patterns & 1 << j, np.nan, cells) for j, (name, cells) in enumerate(table.items())}, y


def rows(table, chosen):
    return {name: np.asarray(cells)[chosen] for name, cells in table.items()}


def part(case, chosen, **options):
    """The summary of some of the rows."""
    table, y = case
    kinds = {name: kind for name, kind in KINDS.items() if name in table}
    return collect(rows(table, chosen), y[chosen], kinds=kinds, **options)


ALL = slice(None)


def assert_same(ours, theirs, tolerance=1e-10):
    np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)


# what it says of itself


def test_it_describes_itself():
    table, _ = mixed(4)
    summary = collect(table, list("bbab"), kinds=KINDS, sample_weight=[1, 1, 1000, 0.5])
    assert repr(summary).splitlines() == [
        "Summary · 1,002.5 rows · 2 classes · 5 columns",
        "",
        "class      rows",
        "a      1,000.00",
        "b          2.50",
        "",
        "categorical: colour",
        "poisson: visits",
        "joint: a, b, c",
    ]
    assert summary.n == 1002.5
    assert summary.classes == ("a", "b")


def test_it_tells_how_cells_are_missing():
    assert repr(collect(*holed())).endswith("joint: a, b, c (7 patterns of missing cells)")


@pytest.mark.parametrize("name", ["schema", "classes", "statistics"])
def test_it_cannot_be_changed(name):
    summary = collect(*numbers())
    with pytest.raises(FrozenInstanceError):
        setattr(summary, name, None)
    with pytest.raises(TypeError, match="unhashable"):
        hash(summary)


@pytest.mark.parametrize("case", [mixed, numbers, holed])
def test_operands_stay_as_they_were(case):
    first, second = part(case(), slice(20)), part(case(), slice(20, None))
    whole = first + second
    for left in (whole - second, whole - first):
        assert left in (first, second)
    assert (first, second) == (part(case(), slice(20)), part(case(), slice(20, None)))


@pytest.mark.parametrize("other", [part(numbers(), slice(1, None)), part(mixed(), ALL), "text", None])
def test_it_differs(other):
    assert collect(*numbers()) != other


def test_columns_by_themselves_are_another_summary():
    table, y = holed()
    summary = collect(table, y)
    assert summary != collect(table, y, joint=False)
    assert summary.marginal() == collect(table, y, joint=False) == summary.marginal().marginal()


@pytest.mark.parametrize("other", [1, "text"])
def test_only_summaries_can_be_put_together(other):
    with pytest.raises(TypeError, match="unsupported operand"):
        collect(*numbers()) + other


# rows together


@pytest.mark.parametrize("case", [mixed, numbers, holed])
def test_parts_in_any_order_are_the_whole(case):
    first, second, third = (part(case(), slice(start, None, 3)) for start in range(3))
    whole = part(case(), ALL)
    assert first + second + third == third + (second + first) == whole
    assert repr(third + (second + first)) == repr(whole)


def test_classes_and_levels_are_united_in_order():
    first = collect({"c": ["q", "绿"]}, ["y", "y"])
    both = first + collect({"c": ["a", None]}, ["z", "x"])
    (column,) = both.schema.columns
    assert both.classes == ("x", "y", "z")
    assert column.levels == ("a", "q", "绿")
    assert first.classes == ("y",)


def test_declared_classes_and_levels_are_there_before_any_row():
    frame = pd.DataFrame({"c": pd.Categorical(["q", "q"], categories=["q", "r"])})
    summary = collect(frame, [2, 2], classes=[3, 2, 1])
    assert summary.classes == (1, 2, 3)
    assert summary.schema.columns[0].levels == ("q", "r")


def test_columns_are_found_by_name():
    table, y = holed()
    turned = collect({name: table[name] for name in "cab"}, y)
    assert turned == collect(table, y)
    doubled = collect(table, y, sample_weight=np.full(ROWS, 2))
    assert turned + collect(table, y) == collect(table, y) + turned == doubled


def test_weights_are_repetition():
    table, y = mixed()
    weights = np.arange(ROWS) % 3
    assert part((table, y), ALL, sample_weight=weights) == part((table, y), np.repeat(np.arange(ROWS), weights))


DIFFERENT = {
    "columns": ({"a": [1.0, 2.0]}, {"b": [1.0, 2.0]}, {}, {}),
    "kinds by type": ({"a": [1.0, 2.0]}, {"a": ["p", "q"]}, {}, {}),
    "kinds declared": ({"a": [1, 0]}, {"a": [1, 0]}, {"kinds": "binary"}, {"kinds": "poisson"}),
    "trials": ({"a": [1, 0]}, {"a": [1, 0]}, {"kinds": {"a": ("binomial", 3)}}, {"kinds": {"a": ("binomial", 4)}}),
    "joint": ({"a": [1.0, 2.0]}, {"a": [1.0, 2.0]}, {"joint": True}, {"joint": False}),
}


@pytest.mark.parametrize("first, second, here, there", DIFFERENT.values(), ids=DIFFERENT)
def test_summaries_of_different_columns_stay_apart(first, second, here, there):
    with pytest.raises(KindError, match=r"same columns and kinds .* differ in a.*Declare the same kinds"):
        collect(first, ["x", "y"], **here) + collect(second, ["x", "y"], **there)


@pytest.mark.parametrize("labels", [["1", "2"], [True, False]])
def test_labels_of_different_types_stay_apart(labels):
    table = {"a": [1.0, 2.0]}
    with pytest.raises(TableTypeError, match="of one type"):
        collect(table, [1, 2]) + collect(table, labels)


# batches


def frames(table, library=pd.DataFrame):
    return (library(rows(table, some)) for some in np.array_split(np.arange(ROWS), 7))


@pytest.mark.parametrize("library", [dict, pd.DataFrame, pl.DataFrame])
def test_batches_with_a_column_of_labels(library):
    table, y = mixed()
    assert collect(frames(table | {"label": y}, library), "label", kinds=KINDS) == collect(table, y, kinds=KINDS)


@pytest.mark.parametrize("weighted", [False, True])
def test_batches_of_tables_and_labels(weighted):
    table, y = mixed()
    weights = np.arange(ROWS) / 7 + 1
    parts = ((rows(table, i), y[i], weights[i])[: 2 + weighted] for i in np.split(np.arange(ROWS), [1, 30]))
    whole = collect(table, y, sample_weight=weights if weighted else None, kinds=KINDS)
    assert collect(parts, kinds=KINDS) == whole


@pytest.mark.parametrize("size", [1, 7, 100])
def test_a_file_in_chunks(size):
    table, y = mixed()
    text = pd.DataFrame(table | {"label": y}).to_csv(index=False)
    whole = collect(pd.read_csv(io.StringIO(text)), "label", kinds=KINDS)
    chunks = pd.read_csv(io.StringIO(text), chunksize=size)
    assert collect(chunks, "label", kinds=KINDS) == whole


def test_no_batch_is_an_error():
    with pytest.raises(TableError, match="no batch"):
        collect(iter([]))


def test_weights_of_batches_belong_to_the_batches():
    table, y = numbers()
    with pytest.raises(ParameterError, match="sample_weight"):
        collect(iter([(table, y)]), sample_weight=np.arange(ROWS))


@pytest.mark.parametrize("labels, found", [("label", "no column 'label'"), (None, "y is None"), ([1, 2], "60 rows, 2")])
def test_labels_that_are_not_there(labels, found):
    with pytest.raises(TableError, match=found):
        collect(numbers()[0], labels)


# rows taken away

ABSENT = {
    "another class": ([1.0], "z"),
    "too many rows": ([1.0, 1.0, 1.0], "xxx"),
    "a value far off": ([77.0], "x"),
    "all rows, with other values": ([7.0, 9.0, 4.0], "xxy"),
}


def three_rows(joint):
    return collect({"a": [1.0, 3.0, 4.0], "b": [1.0, 2.0, 3.0]}, list("xxy"), joint=joint)


@pytest.mark.parametrize("a, labels", ABSENT.values(), ids=ABSENT)
@pytest.mark.parametrize("joint", [True, False], ids=["together", "alone"])
def test_numbers_that_are_not_there(a, labels, joint):
    b = [1.0, 2.0, 3.0][: len(a)]
    with pytest.raises(NotInSummaryError, match="These rows are not in this summary"):
        three_rows(joint) - collect({"a": a, "b": b}, list(labels), joint=joint)


def test_a_pattern_that_is_not_there():
    with pytest.raises(NotInSummaryError, match=r"These rows are not in this summary: .*missing in the same places"):
        three_rows(joint=True) - collect({"a": [np.nan], "b": [1.0]}, ["x"])


@pytest.mark.parametrize(
    "kind, cell",
    [("categorical", "r"), ("categorical", "new"), ("binary", 1), (("binomial", 9), 7), ("poisson", 9), ("counts", 5)],
)
def test_counts_that_are_not_there(kind, cell):
    cells = ["q", "q", "r"] if kind == "categorical" else [0, 0, 1]
    summary = collect({"a": cells}, ["x", "x", "y"], kinds={"a": kind})
    with pytest.raises(NotInSummaryError, match="These rows are not in this summary"):
        summary - collect({"a": [cell]}, ["x"], kinds={"a": kind})


def test_weights_that_are_not_there():
    table, y = numbers()
    with pytest.raises(NotInSummaryError, match="a count below 0"):
        collect(table, y) - collect(table, y, sample_weight=np.full(ROWS, 1.01))


@pytest.mark.parametrize("case", [mixed, numbers, holed])
def test_what_is_left_was_never_with_the_others(case):
    table, y = case()
    here = y != "z"  # a class goes as a whole
    left = part((table, y), ALL) - part((table, y), ~here)
    assert left == part((table, y), here)
    assert left.classes == ("x", "y")


def test_levels_that_are_gone_are_gone():
    table = {"c": ["p", "q", "r", None]}
    left = collect(table, list("xyxy")) - collect({"c": ["r"]}, ["x"])
    assert left.schema.columns[0].levels == ("p", "q")


@pytest.mark.parametrize("model", [NaiveBayes, QuadraticDiscriminant, LinearDiscriminant])
def test_nothing_teaches_nothing(model):
    summary = collect(*numbers())
    with pytest.raises((ParameterError, TableError), match=r"no rows|nothing"):
        model.from_summary(summary - summary, estimate="map")


@pytest.mark.parametrize("far", [1e3, 1e5])
@pytest.mark.parametrize("joint", [True, False], ids=["together", "alone"])
def test_what_outliers_leave_behind_is_rounding_of_the_whole(far, joint):
    table, y = numbers()
    outliers = collect({name: far * np.ones(6) for name in table}, np.repeat(["x", "y", "z"], 2), joint=joint)
    before = collect(table, y, joint=joint)
    (left,), (right,), (whole,) = (
        s.statistics.parts for s in (before + outliers - outliers, before, before + outliers)
    )
    left, right, whole = ((s.complete() if joint else s) for s in (left, right, whole))
    bound = 64 * np.finfo(float).eps
    assert (np.abs(left.scatter - right.scatter) <= bound * np.abs(whole.scatter)).all()
    assert (np.abs(left.mean - right.mean) <= bound * far).all()


@pytest.mark.parametrize("joint", [True, False], ids=["together", "alone"])
@pytest.mark.parametrize("gone", [-8.0, 1e3])
def test_one_value_that_is_left_does_not_vary(joint, gone):
    left, away = (collect({"a": [a]}, ["x"], sample_weight=[w], joint=joint) for a, w in [(-8.125, 0.25), (gone, 0.5)])
    with pytest.warns(ConstantColumnWarning, match="'a'"):
        found = NaiveBayes.from_summary(left + away - away).log_joint({"a": [-8.125, -8.0]})
    np.testing.assert_array_equal(found, 0.0)


@pytest.mark.parametrize("joint", [True, False], ids=["together", "alone"])
def test_a_window_that_slides_on_and_on(joint):
    """Rounding adds up, and does not multiply."""
    x = np.random.default_rng(0).normal(5, 1, (520, 2))
    rows = [collect(x[i : i + 1], ["x"], joint=joint) for i in range(len(x))]
    window = sum(rows[1:10], rows[0])
    for new, old in zip(rows[10:], rows, strict=False):
        window = window + new - old
    assert window == collect(x[-10:], ["x"] * 10, joint=joint)


# one summary, every model

MODELS = [
    NaiveBayes(),
    NaiveBayes(estimate="unbiased"),
    NaiveBayes(estimate="predictive", smoothing=0.5, priors="smoothed"),
    NaiveBayes(joint=[["a", "b"]]),
    NaiveBayes(joint=[["c", "a"]], estimate="ml", kinds={"b": "ignore"}),
    LinearDiscriminant(),
    LinearDiscriminant("diagonal", estimate="predictive", parameter_prior="reference"),
    QuadraticDiscriminant(priors="uniform"),
    QuadraticDiscriminant(estimate="map"),
    NearestMean(),
    GaussianDiscriminant(shrink_shared=0.3, shrink_spherical=0.2),
    GaussianDiscriminant("spherical", kinds={"b": "ignore"}),
]


@pytest.mark.filterwarnings("ignore::suffice.errors.UndeterminedWarning")  # there are few rows
@pytest.mark.parametrize("model", MODELS, ids=repr)
@pytest.mark.parametrize("weighted", [False, True])
def test_a_model_from_a_summary_is_the_model_from_the_rows(model, weighted):
    table, y = numbers()
    weights = np.arange(ROWS) / 20 + 0.1 if weighted else None
    found = type(model).from_summary(collect(table, y, sample_weight=weights), **model.get_params())
    fitted = model.fit(table, y, sample_weight=weights)
    assert_same(found.log_joint(table), fitted.log_joint(table))
    assert found.get_params() == model.get_params()
    assert sorted(str(found).splitlines()) == sorted(str(fitted).splitlines())


@pytest.mark.parametrize("model", [face for face in MODELS if isinstance(face, NaiveBayes)], ids=repr)
def test_naive_bayes_from_a_summary_of_all_kinds(model):
    table, y = mixed()
    kinds = KINDS | (model.kinds or {})
    found = NaiveBayes.from_summary(collect(table, y, kinds=KINDS), **model.get_params() | {"kinds": kinds})
    assert_same(found.log_joint(table), model.set_params(kinds=kinds).fit(table, y).log_joint(table))


def test_words_from_a_summary():
    table, y = {"u": [1, 2, 0, 1, 5, 2], "v": [0, 1, 3, 1, 0, 2], "a": [1.0, 2.0, 0.0, 3.0, 4.0, 1.5]}, list("ppqqpq")
    found = NaiveBayes.from_summary(collect(table, y, counts=[["u", "v"]]), counts=[["u", "v"]])
    assert_same(found.log_joint(table), NaiveBayes(counts=[["u", "v"]]).fit(table, y).log_joint(table))


OTHERWISE = [
    {"counts": [["u", "v"]]},
    {"kinds": "categorical"},
    {"kinds": {"u": "poisson"}},
    {"kinds": {"w": "ignore"}},
]


@pytest.mark.parametrize("options", OTHERWISE, ids=repr)
def test_a_model_that_needs_another_summary_says_so(options):
    """It would not be the model of the rows; what is said and not done is an error."""
    summary = collect({"u": np.arange(12) + 3, "v": np.arange(12)[::-1]}, list("pq") * 6)
    with pytest.raises(ParameterError):
        NaiveBayes.from_summary(summary, **options)


def test_columns_by_themselves_do_for_models_without_covariance():
    table, y = numbers()
    summary = collect(table, y, joint=False)
    for face in (NaiveBayes, NearestMean):
        assert_same(face.from_summary(summary).log_joint(table), face().fit(table, y).log_joint(table))


@pytest.mark.parametrize(
    "face, options", [(QuadraticDiscriminant, {}), (LinearDiscriminant, {}), (NaiveBayes, {"joint": [["a", "b"]]})]
)
def test_columns_by_themselves_do_not_do_for_a_full_covariance(face, options):
    summary = collect(*numbers()).marginal()
    with pytest.raises(ParameterError, match=r"'a', 'b'.* each by itself.*Collect it with joint=True"):
        face.from_summary(summary, **options)


DISCRIMINANTS = [LinearDiscriminant, QuadraticDiscriminant, NearestMean, GaussianDiscriminant]
IGNORED = {"colour": "ignore", "visits": "ignore"}


@pytest.mark.parametrize("face", [LinearDiscriminant, NearestMean])
def test_linear_discriminants_refuse_what_is_no_number(face):
    table, y = mixed()
    with pytest.raises(KindError, match=r"'colour', 'visits'.*'ignore' in kinds"):
        face.from_summary(collect(table, y, kinds=KINDS))
    with pytest.raises(KindError, match=r"'colour'.*'ignore' in kinds"):
        face().fit(table, y)


@pytest.mark.filterwarnings("ignore::suffice.errors.UndeterminedWarning")  # there are few rows
@pytest.mark.parametrize("face", DISCRIMINANTS)
def test_discriminants_leave_out_what_is_ignored(face):
    table, y = mixed()
    expected = face().fit(*numbers()).log_joint(table)
    assert_same(face(kinds=IGNORED).fit(table, y).log_joint(table), expected)
    assert_same(face.from_summary(collect(table, y, kinds=KINDS), kinds=IGNORED).log_joint(table), expected)


# any rows, split in any way

COLUMNS = {
    "p": st.none() | st.integers(-80, 80).map(lambda eighths: eighths / 8),
    "q": st.none() | st.integers(-80, 80).map(lambda eighths: eighths / 8),
    "colour": st.none() | st.sampled_from(["b", "青绿", "🍉"]),
    "visits": st.none() | st.integers(0, 20),
}
FITS = {
    "naive": (NaiveBayes, {}),
    "predictive": (NaiveBayes, {"estimate": "predictive", "smoothing": 0.5}),
    "joint": (NaiveBayes, {"joint": [["p", "q"]]}),
    "linear": (LinearDiscriminant, {"estimate": "map", "kinds": IGNORED}),
    "quadratic": (QuadraticDiscriminant, {"estimate": "map", "kinds": IGNORED}),
}


@st.composite
def dealt(draw):
    """Rows with labels and weights, in two heaps, and all together."""
    count = draw(st.integers(2, 14))
    column = lambda cell: np.array(draw(st.lists(cell, min_size=count, max_size=count)), dtype=object)  # noqa: E731
    table = {name: column(cell) for name, cell in COLUMNS.items()}
    labels, weights = column(st.sampled_from("xyz")), column(st.integers(1, 12)).astype(float) / 4
    heap = column(st.booleans()).astype(bool)
    heap[:2] = [False, True]
    options = {"kinds": dict(zip(COLUMNS, ["gaussian", "gaussian", "categorical", "poisson"], strict=True))}
    parts = [collect(rows(table, at), labels[at], sample_weight=weights[at], **options) for at in (heap, ~heap)]
    return table, *parts, collect(table, labels, sample_weight=weights, **options)


@examples
@given(dealt())
def test_any_two_heaps_are_the_whole(case):
    _, first, second, whole = case
    assert first + second == second + first == whole


@examples
@given(dealt())
def test_any_heap_can_be_taken_away(case):
    _, first, second, whole = case
    assert repr(whole - second) == repr(first)
    assert (whole - second).n == first.n


fits = st.sampled_from(list(FITS.values()))
fewer_examples = settings(examples, max_examples=20)  # EM takes its time


@pytest.mark.filterwarnings("ignore::suffice.errors.ConstantColumnWarning")
@fewer_examples
@given(fits, dealt())
def test_a_model_of_any_two_heaps(fit, case):
    (face, options), (table, first, second, whole) = fit, case
    expected = face.from_summary(whole, **options).log_joint(table)
    assert_same(face.from_summary(first + second, **options).log_joint(table), expected, 1e-8)


@pytest.mark.filterwarnings("ignore::suffice.errors.ConstantColumnWarning")
@fewer_examples
@given(fits, dealt())
def test_a_model_of_what_is_left(fit, case):
    (face, options), (table, first, second, whole) = fit, case
    expected = face.from_summary(first, **options).log_joint(table)
    assert_same(face.from_summary(whole - second, **options).log_joint(table), expected, 1e-8)


def test_levels_of_a_type_stay_when_rows_go_and_no_others():
    """One batch brings a level that its rows alone have, another a type that names one that no row has."""
    typed = pl.DataFrame({"c": pl.Series(["x", "x"], dtype=pl.Enum(["never", "x"]))})
    plain = collect({"c": ["x", "y"]}, ["a", "a"])
    rest = (plain + collect(typed, ["a", "a"])) - plain
    assert rest.schema.columns[0].levels == ("never", "x")
    assert rest == collect(typed, ["a", "a"])
    assert (plain + collect(typed, ["a", "a"])).schema.columns[0].levels == ("never", "x", "y")


def test_levels_of_a_type_are_kept_in_files(tmp_path):
    typed = collect(pl.DataFrame({"c": pl.Series(["x", "x"], dtype=pl.Enum(["never", "x"]))}), ["a", "a"])
    typed.save(tmp_path / "typed")
    assert load(tmp_path / "typed").schema == typed.schema


@pytest.mark.parametrize("pattern", ["2,0", "0,0", "0,3", "-1,0", "-1"])
def test_a_pattern_of_columns_that_cannot_be_is_refused(pattern):
    header, arrays = collect(*holed()).packed()
    renamed = {name.replace("0/0,2/", f"0/{pattern}/"): array for name, array in arrays.items()}
    assert renamed.keys() != arrays.keys()
    with pytest.raises(FileError, match="an impossible pattern of columns"):
        Summary.unpacked(header, renamed)


@pytest.mark.parametrize(
    "model",
    [LinearDiscriminant(estimate="ml"), QuadraticDiscriminant(estimate="ml"), NaiveBayes(joint=[["a", "b"]])],
    ids=repr,
)
def test_the_summary_of_a_model_takes_rows_collected_apart(model):
    rng = np.random.default_rng(4)
    x, labels = rng.normal(size=(60, 2)), np.arange(60) % 2
    first, second = ({"a": part[:, 0], "b": part[:, 1]} for part in (x[:30], x[30:]))
    both = model.fit(first, labels[:30]).summary_ + collect(second, labels[30:])
    assert both == collect({"a": x[:, 0], "b": x[:, 1]}, labels)
    assert both - collect(second, labels[30:]) == collect(first, labels[:30])


def test_summaries_that_keep_other_columns_together_say_so():
    table, labels = {"a": [1.0, 2.5, 3.0, 4.0], "b": [2.0, 1.0, 4.5, 3.0]}, [0, 0, 1, 1]
    with pytest.raises(KindError, match=r"keep the same columns together.*Collect both with the same joint"):
        collect(table, labels) + collect(table, labels, joint=False)


@pytest.mark.filterwarnings("ignore::suffice.errors.ConstantColumnWarning", "ignore::suffice.errors.LostDigitsWarning")
@pytest.mark.parametrize("cells", [(0.125, 0.25), (0.25, 0.5), (1.25, 2.5), (0.0625, 0.125)])
@pytest.mark.parametrize("estimate", ["ml", "unbiased", "predictive"])
def test_rows_that_leave_in_another_order_leave_no_variation_of_their_own(cells, estimate):
    """Their mean differs in its last bit, and rounding that stays behind is no variance."""
    kinds = {"x": "gaussian", "y": "gaussian"}

    def rows(values, labels):
        table = {"x": np.zeros(len(values)), "y": np.array(values)}
        return collect(table, labels, sample_weight=np.full(len(values), 0.5), kinds=kinds)

    whole = rows([*cells, 0.0], ["b", "b", "a"]) + rows([0.0], ["a"]) + rows([0.0], ["b"])
    rest = whole - rows(cells[::-1], ["b", "b"])
    found = NaiveBayes.from_summary(rest, estimate=estimate)
    np.testing.assert_allclose(found.log_joint({"x": [0.0], "y": [0.0]}), np.log([[2 / 3, 1 / 3]]), rtol=1e-12)
