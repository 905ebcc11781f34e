"""The report without a browser: its numbers are those of the library, and no cell of the data is in the page."""

import hashlib
import json
import math
import re
from importlib.metadata import version
from importlib.resources import files

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import suffice
from suffice import (
    EM,
    AveragedOneDependence,
    Calibrated,
    LinearDiscriminant,
    LogisticClassifier,
    Loss,
    MarginClassifier,
    NaiveBayes,
    NearestMean,
    QuadraticDiscriminant,
    TreeAugmentedBayes,
    decide,
    example,
    leave_one_out,
    report,
)
from suffice.decisions.shift import shifted
from suffice.errors import ParameterError
from suffice.plots.style import COLOURS

pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.SufficeWarning")
BILLS = ("bill_length_mm", "bill_depth_mm")


def penguins(two=False):
    columns, species = example("penguins")
    columns.pop("year")
    return columns, [("Chinstrap" if name == "Chinstrap" else "other") if two else name for name in species]


def held(page):
    """What the script of a page reads."""
    text = re.search(r'<script type="application/json" id="numbers">(.*?)</script>', page.html(), re.DOTALL)[1]
    return json.loads(text, parse_constant=pytest.fail)


def seen(page):
    """The page without its own script and style, which are the same for everyone."""
    return re.sub(r"<script>.*?</script>|<style>.*?</style>", "", page.html(), flags=re.DOTALL)


def expit(odds):
    return 1 / (1 + math.exp(-odds))


def counted(labels, actions, classes, across):
    return [[int(np.sum((labels == k) & (actions == name))) for name in across] for k in range(len(classes))]


def test_scores_and_confusion_are_those_of_rows_left_out():
    columns, species = penguins()
    found = report(NaiveBayes().fit(columns, species), columns, species).plain()
    left = leave_one_out(NaiveBayes(), columns, species)
    assert {one["name"]: (one["value"], one["se"]) for one in found["scores"]} == {
        name: (float(score), float(score.se)) for name, score in left.scores().items()
    }
    called = np.array(left.classes)[left.posterior.argmax(axis=1)]
    assert found["confusion"] == {
        "classes": list(left.classes),
        "counts": counted(left.labels, called, left.classes, left.classes),
    }
    assert f"{float(left.accuracy):.1%}" in found["verdict"]


@pytest.mark.parametrize("prior", [None, 0.05, 0.7])
@pytest.mark.parametrize("low, high", [(-2.0, -2.0), (0.0, 0.0), (1.3, 1.3), (-1.0, 2.4)])
def test_of_two_classes_bins_decide_as_decide_does_where_thresholds_stand_on_edges(prior, low, high):
    columns, kind = penguins(two=True)
    model = NaiveBayes().fit(columns, kind)
    section = report(model, columns, kind).plain()["decision"]
    left = leave_one_out(NaiveBayes(), columns, kind)
    first, second = left.classes
    after = model.priors_ if prior is None else np.array([1 - prior, prior])
    shift = math.log(after[1] / after[0]) - math.log(model.priors_[1] / model.priors_[0])
    costs = {
        first: {first: 0.0, second: 1 / expit(low + shift)},  # so that no answer is worth 1 from low to high
        second: {first: 1 / expit(-high - shift), second: 0.0},
    }
    if low < high:
        costs["reject"] = {first: 1.0, second: 1.0}
    found = decide(shifted(left.posterior, model.priors_, after), Loss(costs), left.classes)
    edges = np.array(section["edges"])
    cuts = [int(np.argmin(abs(edges - end))) for end in (low, high)]
    parts = [slice(0, cuts[0]), slice(*cuts), slice(cuts[1], None)]
    assert [[sum(bins[part]) for part in parts] for bins in section["counts"]] == counted(
        left.labels, found.action, left.classes, (first, "reject", second)
    )
    np.testing.assert_allclose(section["priors"], model.priors_)


def test_priors_that_were_given_are_those_in_the_posteriors():
    columns, kind = penguins(two=True)
    model = NaiveBayes(priors={"Chinstrap": 0.01, "other": 0.99}).fit(columns, kind)
    assert report(model, columns, kind).plain()["decision"]["priors"] == pytest.approx([0.01, 0.99])


def test_of_more_classes_the_page_holds_posteriors_of_rows_left_out():
    columns, species = penguins()
    section = report(NaiveBayes().fit(columns, species), columns, species).plain()["decision"]
    left = leave_one_out(NaiveBayes(), columns, species)
    labels, weights, *posterior = zip(*section["rows"], strict=True)
    assert list(labels) == left.labels.tolist()
    assert set(weights) == {1.0}
    np.testing.assert_allclose(np.transpose(posterior), left.posterior, atol=5.1e-7)


@pytest.fixture(scope="module")
def million():
    """Rows of three classes, and of two."""
    rng = np.random.default_rng(0)
    labels = rng.integers(3, size=1_000_000)
    return {"x": rng.normal(size=len(labels)) + labels, "z": rng.integers(30, size=len(labels)).astype(str)}, labels


@pytest.mark.parametrize("classes", [2, 3])
def test_a_page_of_a_million_rows_is_small_and_says_that_it_has_a_sample(million, classes):
    cells, labels = million
    here = labels < classes
    columns, known = {name: values[here] for name, values in cells.items()}, labels[here]
    page = report(NaiveBayes().fit(columns, known), columns, known)
    assert len(page.html().encode()) < 300_000
    section = page.plain()["decision"]
    assert section["of"] == here.sum()
    if classes == 2:
        assert sum(map(sum, section["counts"])) == here.sum()
    else:
        assert len(section["rows"]) == 2000
        assert "drawn at random, stand for all" in held(page)["words"]["sample"]


def test_many_columns_levels_and_classes_do_not_make_a_page_large():
    rng = np.random.default_rng(0)
    rows = 4000
    columns = {f"x{i}": rng.normal(size=rows) for i in range(150)}
    columns["name"] = rng.integers(300, size=rows).astype(str).tolist()
    labels = rng.integers(40, size=rows)
    page = report(NaiveBayes().fit(columns, labels), columns, labels)
    assert len(page.html().encode()) < 300_000
    found = page.plain()
    assert (found["decision"], found["calibration"], found["densities"]) == (None, [], [])
    assert len(found["confusion"]["classes"]) == 21
    assert "40 classes are too many for a page" in page.html()
    assert sum(map(sum, found["confusion"]["counts"])) == rows


CLASSIFIERS = {
    "naive Bayes": NaiveBayes(),
    "maximum likelihood": NaiveBayes(smoothing=0, estimate="ml"),
    "tree": TreeAugmentedBayes(),
    "averaged": AveragedOneDependence(),
    "logistic": LogisticClassifier(),
    "calibrated": Calibrated(NaiveBayes()),
    "calibrated logistic": Calibrated(LogisticClassifier()),
}


def secretive():
    """A table with rare levels, names that are code, and names in Chinese."""
    columns, species = penguins()
    columns = {
        "<script>alert(1)</script>": columns["island"],
        "{numbers}": columns["sex"],
        "体重": columns["body_mass_g"],
    }
    secret = ["常见"] * len(species)
    secret[3], secret[200], secret[201] = "张三的住址", "</script><b>x</b>", "{verdict}"
    return columns | {"备注": secret}, ["<i>甲" if name == "Adelie" else "乙" for name in species]


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("spoken", ["en", "zh"])
def test_no_rare_level_and_no_number_of_the_table_is_in_the_page(name, spoken):
    columns, labels = secretive()
    with suffice.language(spoken):
        page = report(CLASSIFIERS[name].fit(columns, labels), columns, labels)
        shown = page.html()
    assert "常见" in shown or name in ("calibrated logistic",)
    assert "张三" not in shown
    assert "<b>x" not in shown
    assert "b>x" not in shown
    assert "<script>alert" not in shown
    assert "alert(1)" in shown  # the column is named, as a name
    assert "<i>" not in shown
    assert held(page)["title"] == type(CLASSIFIERS[name]).__name__
    words = set(re.findall(r"[\d.]+", re.sub(r"sha.*", "", seen(page))))
    masses = {f"{mass:g}" for mass in columns["体重"] if mass == mass and mass not in (4000, 5000)}
    assert len(words & masses) <= 4  # ticks are drawn later; a mean may be a whole number by chance


def few_of(name, values):
    """Twenty rows of two classes, and two of a third, or a third of which all rows have one value."""
    rng = np.random.default_rng(2)
    table = {"x": np.append(rng.normal(size=20), values), "town": ["A", "B"] * 10 + ["A"] * len(values)}
    return table, ["p", "q"] * 10 + [name] * len(values)


@pytest.mark.parametrize("model", [NaiveBayes(), LinearDiscriminant(), TreeAugmentedBayes(), Calibrated(NaiveBayes())])
def test_a_class_of_few_rows_has_neither_a_name_nor_a_mean(model):
    columns, labels = few_of("张三", [987.6543, 987.6549])
    columns = columns if not isinstance(model, LinearDiscriminant) else {"x": columns["x"]}
    page = report(model.fit(columns, labels), columns, labels)
    assert "张三" not in page.html()
    assert "987.6" not in page.html()
    assert "rare class 3" in page.html()
    assert "张三" in report(model, columns, labels, hide_below=2).html()


@pytest.mark.parametrize("model", [NaiveBayes(), NearestMean()])
def test_a_column_that_is_the_same_in_all_rows_of_a_class_has_no_mean(model):
    columns, labels = few_of("r", [123.4567] * 10)
    columns = {"x": columns["x"], "z": np.arange(30) / 7}
    page = report(model.fit(columns, labels), columns, labels)
    assert "123.4" not in page.html()


def test_how_a_model_was_made_names_no_level():
    columns = {"t": ["a", "b"] * 10, "x": np.arange(20) / 3}
    kinds = {"t": ("categorical", ["a", "b", "SECRETTOWN"]), "x": "gaussian"}
    model = NaiveBayes(kinds=kinds, unknown="SECRETCLASS", smoothing=2.0)
    made = report(model.fit(columns, ["p", "q"] * 10), columns, ["p", "q"] * 10).plain()["made"]
    assert (
        " ".join(made["call"].split())
        == "NaiveBayes(kinds={'t': ('categorical', …), 'x': 'gaussian'}, smoothing=2.0, unknown=…)"
    )
    assert made["files"] == {}


def test_rows_are_shown_when_asked_for_and_levels_from_the_number_said():
    columns, labels = secretive()
    model = NaiveBayes().fit(columns, labels)
    assert len(report(model, columns, labels, rows=4).plain()["rows"]) == 4
    assert "张三" in report(model, columns, labels, rows=4).html()
    assert "张三" in report(model, columns, labels, hide_below=1).html()


@pytest.mark.parametrize("model", [LinearDiscriminant(), QuadraticDiscriminant(), NaiveBayes(joint=[list(BILLS)])])
def test_discriminants_have_a_page_without_a_nomogram(model):
    columns, species = penguins()
    there = np.flatnonzero(~np.isnan(columns[BILLS[0]]))
    numbers = {name: columns[name][there] for name in BILLS}
    found = report(model.fit(numbers, [species[i] for i in there]), numbers, [species[i] for i in there]).plain()
    assert len(found["densities"]) == 2
    assert found["scores"][0]["value"] > 0.9


def test_labels_that_are_hidden_give_a_trace():
    columns, species = penguins()
    some = [name if i % 4 == 0 else None for i, name in enumerate(species)]
    model = NaiveBayes(em=EM(unlabelled_weight=1)).fit(columns, some)
    assert report(model, columns, some).plain()["trace"] == np.asarray(model.trace_.objective).tolist()


ODD = {
    "a class thought impossible": ({"x": list("aabbc")}, list("nnyyy"), NaiveBayes(smoothing=0, estimate="ml")),
    "a class of one row": ({"x": [1.0, 2.0, 3.0, 9.0]}, list("nnny"), NaiveBayes()),
    "one class": ({"x": [1.0, 2.0, 3.0]}, list("nnn"), NaiveBayes()),
    "no cell in a column": ({"x": [1.0, 2.0, 3.0, 4.0], "z": [None, None, None, "a"]}, list("nnyy"), NaiveBayes()),
    "numbers far apart": ({"x": [1e140, 2e140, -1e140, 0.0]}, list("nnyy"), NaiveBayes()),
}


@pytest.mark.parametrize("what", ODD)
def test_what_has_no_number_is_left_empty(what):
    columns, labels, model = ODD[what]
    page = report(model.fit(columns, labels), columns, labels, rows=2)
    assert held(page)["verdict"] == page.plain()["verdict"]


def test_a_page_says_how_it_was_made(tmp_path):
    columns, species = penguins()
    model = NaiveBayes(smoothing=2).fit(columns, species)
    model.save(tmp_path / "m.suffice")
    again = suffice.load(tmp_path / "m.suffice")
    page = report(again, columns, species, tmp_path / "page.html", files=[tmp_path / "m.suffice"])
    digest = hashlib.sha256((tmp_path / "m.suffice").read_bytes()).hexdigest()
    assert page.plain()["made"] == {
        "version": version("suffice"),
        "call": repr(again),
        "files": {str(tmp_path / "m.suffice"): digest},
        "not shown": [],
    }
    written = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert written == page.html()
    assert digest in written
    assert page.plain()["scores"] == report(model, columns, species).plain()["scores"]


def test_json_has_the_numbers_of_the_page():
    columns, species = penguins()
    page = report(NaiveBayes().fit(columns, species), columns, species)
    assert json.loads(json.dumps(page.plain(), allow_nan=False)) == page.plain()
    assert {name: page.plain()[name] for name in held(page) if name != "words"} == {
        name: value for name, value in held(page).items() if name != "words"
    }


def test_the_page_asks_nobody_for_anything():
    columns, species = penguins()
    page = report(NaiveBayes().fit(columns, species), columns, species).html()
    assert "default-src 'none'" in page
    assert re.findall(r"(?:src|href)=[\"'](?!#)[^\"']*", page) == []
    assert set(re.findall(r"https?://[^\"' )]+", page)) == {"http://www.w3.org/2000/svg"}


def test_classes_have_the_colours_of_pictures():
    script = files("suffice.pages").joinpath("figures.js").read_text(encoding="utf-8")
    (listed,) = re.findall(r"const COLOURS = (\[.*?\]);", script)
    assert json.loads(listed)[:6] == list(COLOURS[:6])


def test_a_model_that_has_learned_nothing_is_told_to():
    with pytest.raises(NotFittedError, match="not fitted yet"):
        suffice.report(suffice.NaiveBayes(), {"a": [1.0, 2.0]}, [0, 1])


@pytest.mark.parametrize("model", [LogisticClassifier(), MarginClassifier(probabilities=True)], ids=repr)
@pytest.mark.parametrize("labels", ["abbbbbbbbbbb", "abbbbbbbbbbc", "bbbbbcbbbcca"])
@pytest.mark.filterwarnings("ignore::suffice.errors.SufficeWarning")
def test_a_class_that_leaving_out_its_only_row_empties_is_reported(model, labels):
    rng = np.random.default_rng(3)
    rows = {"x": rng.normal(size=12), "z": rng.normal(size=12)}
    page = report(model.fit(rows, list(labels)), rows, list(labels)).plain()
    place = sorted({*labels}).index("a")
    assert page["confusion"]["counts"][place][place] == 0  # no model without that row can know its class
    assert sum(page["confusion"]["counts"][place]) == 1


def test_a_page_is_never_written_over_the_files_that_it_is_about(tmp_path):
    columns, species = example("penguins")
    model, rows = NaiveBayes(kinds={"year": "ignore"}).fit(columns, species), tmp_path / "rows.csv"
    rows.write_text("the rows")
    (tmp_path / "link.html").symlink_to(rows)
    (tmp_path / "hard.html").hardlink_to(rows)
    for path in ("rows.csv", "link.html", "hard.html"):
        with pytest.raises(ParameterError, match="would overwrite the input"):
            report(model, columns, species, path=tmp_path / path, files=[rows])
    assert rows.read_text() == "the rows"
