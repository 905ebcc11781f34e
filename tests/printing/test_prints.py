"""Prints as they were looked at, in both languages; and what holds for all of them, as text, HTML, frame and JSON."""

import copy
import json
import pickle
import re
from html.parser import HTMLParser

import numpy as np
import pytest

import suffice
from printing.cases import CASES, LONG, golden, made, printed
from suffice import Loss, NaiveBayes, explain, leave_one_out, worked
from suffice.printing.description import Description, Series, Sheet, facts
from suffice.printing.html import as_html
from suffice.printing.language import word
from suffice.printing.numbers import amount, chosen, fixed, from_logs, plainly, quantity, with_spread
from suffice.printing.text import as_text, laid_out, shortened, width

FITTED = [name for name in CASES if "not fitted" not in name]
NUMBER = re.compile(r"[+-]?[\d,]+(?:\.(\d+))?(e[+-]\d+)?$")


@pytest.mark.parametrize("spoken", ["en", "zh"])
@pytest.mark.parametrize("name", CASES)
def test_it_prints_as_it_was_looked_at(name, spoken):
    """Where a print is to change: python tests/printing/cases.py, and look at the difference."""
    with suffice.language(spoken):
        assert printed(name) == golden(spoken)[name]


def test_no_golden_print_is_left_over():
    assert list(golden("en")) == list(golden("zh")) == list(CASES)


@pytest.mark.parametrize("name", FITTED)
def test_plain_data_is_json_and_the_same_in_both_languages(name):
    described = made(name).description()
    english = json.dumps(described.plain(), allow_nan=False)
    with suffice.language("zh"):
        assert json.dumps(made(name).description().plain(), allow_nan=False) == english


@pytest.mark.parametrize("name", FITTED)
def test_numbers_of_a_series_have_one_format(name):
    for sheet in made(name).description().tables:
        for series in sheet.series:
            if series.numeric:
                texts = [part for text in series.texts(sheet.shown) for part in text.split(" ± ")]
                found = {NUMBER.match(text) for text in texts if text not in ("—", "inf", "-inf")}
                assert len({(len(match[1] or ""), bool(match[2])) for match in found}) <= 1, texts


@pytest.mark.parametrize("spoken", ["en", "zh"])
@pytest.mark.parametrize("name", FITTED)
def test_numbers_end_below_each_other_whatever_the_script(name, spoken):
    with suffice.language(spoken):
        for sheet in made(name).description().tables:
            if all(series.numeric for series in sheet.series):
                for block in laid_out(sheet).split("\n\n"):
                    lines = [line for line in block.split("\n") if NUMBER.search(line)]
                    assert len({width(line) for line in lines}) <= 1, block
                    assert max(map(width, lines), default=0) <= 120


class Read(HTMLParser):
    """The texts of cells and paragraphs; every tag must be closed in turn."""

    def __init__(self, html):
        super().__init__()
        self.open, self.tags, self.texts = [], set(), []
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.open += [] if tag == "br" else [tag]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


@pytest.mark.parametrize("name", FITTED)
def test_html_is_whole_and_says_what_the_text_says(name):
    described = made(name).description()
    read = Read(as_html(described))
    assert read.tags <= {"div", "p", "strong", "br", "table", "thead", "tbody", "tr", "th", "td"}
    told = "".join("".join(read.texts).split())
    for part in described.parts:
        if isinstance(part, Sheet):
            texts = [text for line in laid_out(part).split("\n") for text in re.split(r"\s{2,}", line.strip()) if text]
            assert [text for text in texts if "".join(text.split()) not in told] == []


def test_notebooks_show_what_was_learned_and_before_that_the_parameters():
    model = NaiveBayes()
    assert "sk-" in model._repr_html_()
    model.fit({"x": ["a", "b"] * 3}, ["u", "v"] * 3)
    assert model._repr_html_() == as_html(model.description()) == model._repr_mimebundle_()["text/html"]
    assert model._repr_mimebundle_()["text/plain"] == "NaiveBayes()"


SCRIPT = "<script>alert('x')</script>"


def test_names_are_escaped_in_html():
    table = {SCRIPT: [SCRIPT, "b & c"] * 4, "x": [1.0, 2.0, 3.0, 4.5] * 2}
    labels = [SCRIPT, '"quoted"', SCRIPT, '"quoted"'] * 2
    model = NaiveBayes().fit(table, labels)
    row = {SCRIPT: [SCRIPT], "x": [None]}
    loss = Loss({SCRIPT: {SCRIPT: 0, '"quoted"': 1}, "other": 0.5})
    found = [model, worked(model, row), explain(model, row), leave_one_out(model, table, labels), loss, model.tables()]
    for one in found:
        html = one._repr_html_()
        assert "<script" not in html
        assert "&lt;script&gt;" in html
        Read(html)


def test_names_and_data_are_never_translated():
    """Even where they are words of ours."""
    table = {"prior": ["mean", "class", "missing", "mean"] * 2, "mean": [1.0, 2.5, 3.0, 4.0] * 2}
    model = NaiveBayes(kinds={"mean": "gaussian"}).fit(table, ["in all", "reject", "in all", "posterior"] * 2)
    with suffice.language("zh"):
        told = str(model)
        assert "先验概率" in told
        for name in ("prior（", "mean（", "in all", "reject", "posterior", "class", "missing"):
            assert name in told
        why = str(explain(model, {"prior": ["class"], "mean": [2.0]}, between=("in all", "reject")))
        assert "prior = class" in why
        assert "mean = 2" in why


def test_errors_stay_english():
    with (
        suffice.language("zh"),
        pytest.raises(suffice.errors.ParameterError, match="no class 'x'; the classes are"),
    ):
        made("posterior")["x"]


def test_tables_are_frames_in_the_library_of_the_table():
    polars = pytest.importorskip("polars")
    columns, labels = suffice.example("watermelon")
    frame = polars.DataFrame(columns)
    found = leave_one_out(NaiveBayes(kinds={"编号": "ignore"}), frame, labels)
    assert isinstance(found.table(), polars.DataFrame)
    with suffice.language("zh"):
        assert found.table().columns == ["measure", "value", "se"]
    assert found.table()["value"].to_list() == [float(score) for score in found.scores().values()]


@pytest.mark.parametrize("name", FITTED)
def test_everything_gives_a_table(name):
    found = made(name)
    if hasattr(found, "table"):
        table = found.table()
        assert len({len(cells) for cells in table.values()}) <= 1


@pytest.mark.parametrize("name", FITTED)
def test_copies_print_alike(name):
    found = made(name)
    if not isinstance(found, suffice.estimators.boundaries.RatioTest):  # which may hold a function of a model
        assert str(pickle.loads(pickle.dumps(found))) == str(copy.deepcopy(found)) == str(found)


def test_confusion_counts_every_row_once():
    found = made("validation, by folds")
    assert found.confusion.sum() == 344
    assert np.trace(found.confusion) / 344 == pytest.approx(found.accuracy)
    twice = made("validation, impossible")
    np.testing.assert_array_equal(twice.confusion, [[2, 0, 0], [0, 2, 0], [1, 0, 0]])


# numbers


@pytest.mark.parametrize(
    "values, texts",
    [
        ([0.5, 0.25], ["0.5000", "0.2500"]),
        ([12.5, 3.0], ["12.500", "3.000"]),
        ([12345.678, 2.0], ["12345.7", "2.0"]),
        ([123456.0, 2.0], ["123456", "2"]),
        ([0.9999, 0.00002], ["0.999900", "0.000020"]),
        ([1.0, 1e-12], ["1.0000", "0.0000"]),
        ([2e-12, 1e-12], ["2.000e-12", "1.000e-12"]),
        ([1e20, 1.5], ["1.000e+20", "1.500e+00"]),
        ([np.nan, np.inf, -0.00001, 1.0], ["—", "inf", "-0.000010", "1.000000"]),
        ([0.0, np.nan], ["0.0000", "—"]),
        ([], []),
    ],
)
def test_quantities_have_as_many_decimals_as_all_need(values, texts):
    assert quantity(np.array(values)) == texts


def test_numbers_of_rows_costs_and_signs():
    assert amount(np.array([12345.0, 2.0])) == ["12,345", "2"]
    assert amount(np.array([1.5, 2.0])) == ["1.50", "2.00"]
    assert plainly(np.array([0.0, 0.25, 100.0])) == ["0.00", "0.25", "100.00"]
    assert fixed(2, "+")(np.array([1.0, -1.0, -0.001])) == ["+1.00", "-1.00", "0.00"]


def test_values_and_spreads_share_their_decimals():
    assert with_spread(np.array([38.8, 15.0]), np.array([2.671, 0.988])) == ["38.80 ± 2.67", "15.00 ± 0.99"]
    assert with_spread(np.array([3701.2, 5076.0]), np.array([458.6, 503.1])) == ["3701 ± 459", "5076 ± 503"]
    assert with_spread(np.array([1.0, 2.0]), np.array([np.nan, 0.5])) == ["1.000", "2.000 ± 0.500"]
    assert with_spread(np.array([1.0]), np.array([0.0])) == ["1.0000"]


def test_numbers_that_no_float_can_hold_are_written_by_their_logarithms():
    ten = np.log(10)
    assert from_logs(np.array([-1000 * ten, -2000.5 * ten, -np.inf])) == ["1.000e-1000", "3.162e-2001", "0"]
    assert from_logs(np.log([0.052378719, 6.8584e-05])) == ["0.05237872", "0.00006858"]


def test_one_format_for_several_series():
    form = chosen(np.array([[0.001, 5.0], [2.0, 3.0]]))
    assert form(np.array([2.0])) == ["2.0000"]


# tables


def test_wide_tables_go_on_below():
    names = [f"column number {i}" for i in range(11)]
    sheet = Sheet("类别", ["甲", "乙"], [Series(name, np.array([0.5, 0.25])) for name in names])
    blocks = laid_out(sheet).split("\n\n")
    assert len(blocks) == 2
    assert all(width(line) <= 120 for block in blocks for line in block.split("\n"))
    assert [name for name in names if not any(name in block for block in blocks)] == []


def test_very_many_columns_and_rows_are_counted_not_shown():
    wide = Sheet("", ["a"], [Series(f"c{i}", np.array([float(i)])) for i in range(30)])
    assert "… 18 more" in laid_out(wide)
    tall = Sheet("", range(1000), [Series("x", np.arange(1000.0))])
    lines = laid_out(tall).split("\n")
    assert len(lines) == 1 + 20 + 1
    assert (lines[16], lines[-1]) == ("… 980 more", "999         999")


def test_long_names_keep_their_beginning_and_their_end():
    left, right = shortened(LONG + ", left"), shortened(LONG + ", right")
    assert left.startswith("a measurement")
    assert (left[-4:], right[-5:]) == ("left", "right")
    assert width(left) <= 32
    assert width(shortened("很长很长的名字" * 10)) <= 32
    assert shortened("short") == "short"


def test_a_title_stands_right_above_a_single_table():
    sheet = facts({word("mean"): 1.0})
    assert as_text(Description(("a", "b"), [sheet])) == "a · b\nmean  1.0000"
    assert as_text(Description(("a",), [sheet, ["one", "two"]])) == "a\n\nmean  1.0000\n\none\ntwo"
    assert as_text(Description(("a",), behind=[sheet])) == "a"
