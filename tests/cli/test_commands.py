"""Each command on real tables: what stands on stdout, what on stderr, and the exit code."""

import csv
import io
import json

import numpy as np
import pyarrow.parquet as pq
import pytest

from suffice import LinearDiscriminant, NaiveBayes, collect, example, load
from suffice.data.batches import open_batches

pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.KindHint")


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_fit_writes_a_model_and_tells_scores_on_stderr(suffice):
    found = suffice("fit", "penguins.csv", "-y", "species", "-o", "p.suffice", "-m", "naive-bayes", "--ignore", "year")
    assert (found.code, found.out) == (0, "")
    assert "leave-one-out" in found.err
    columns, species = example("penguins")
    same = NaiveBayes(kinds={"year": "ignore"}).fit(columns, species)
    np.testing.assert_allclose(load("p.suffice").predict_proba(columns), same.predict_proba(columns), atol=1e-12)


def test_auto_says_why_and_that_it_is_the_best_of_several(suffice):
    few = suffice("fit", "watermelon.csv", "-y", "好瓜", "-o", "瓜.suffice", "--ignore", "编号")
    many = suffice("fit", "penguins.csv", "-y", "species", "-o", "p.suffice", "--ignore", "year")
    for found, why in (
        (few, "within two standard errors of naive-bayes, which is less plain"),
        (many, "the lowest of"),
    ):
        assert found.code == 0
        assert why in found.err
        assert "so expect a little more on new rows" in found.err


@pytest.mark.parametrize("name", ["lda", "qda", "tree", "averaged", "logistic", "nearest-mean", "discriminant"])
def test_every_model_by_its_name(suffice, name):
    numbers = () if name in ("tree", "averaged", "logistic", "qda") else ("--ignore", "island", "--ignore", "sex")
    assert suffice("fit", "penguins.csv", "-y", "species", "-o", "m.suffice", "-m", name, *numbers).code == 0
    assert suffice("predict", "m.suffice", "penguins.csv", "-o", "out.csv").code == 0
    assert suffice("show", "m.suffice").out.startswith(type(load("m.suffice")).__name__)


def test_kinds_priors_and_settings_reach_the_model(suffice):
    options = ("--kind", "year=poisson", "--prior", "Adelie=.5", "--prior", "Gentoo=.3", "--prior", "Chinstrap=.2")
    found = suffice(
        "fit", "penguins.csv", "-y", "species", "-o", "p.suffice", "-m", "naive-bayes", "--estimate", "map", *options
    )
    assert found.code == 0
    model = load("p.suffice")
    assert model.kinds == {"year": "poisson"}
    assert model.priors_.tolist() == pytest.approx([0.5, 0.2, 0.3])
    assert model.estimate == "map"


def test_predict_adds_class_and_probabilities_in_order(suffice, penguins):
    found = suffice("predict", penguins, "penguins.csv")
    assert found.code == 0
    rows = rows_of(found.out)
    columns, _ = example("penguins")
    posterior = load(penguins).predict_proba(columns)
    assert [row["class"] for row in rows] == load(penguins).predict(columns).tolist()
    assert [float(row["P(Gentoo)"]) for row in rows] == pytest.approx(posterior[:, 2].tolist(), abs=1e-9)
    assert rows[3]["bill_length_mm"] == "NA"  # as it is in the file


@pytest.mark.parametrize("form", ["parquet", "feather", "jsonl", "csv.gz"])
def test_every_form_of_file(suffice, penguins, form):
    assert suffice("predict", penguins, "penguins.csv", "-o", f"out.{form}").code == 0
    again = suffice("predict", penguins, f"out.{form}")
    assert again.code == 0
    assert len(rows_of(again.out)) == 344


def test_decide_by_costs_rejection_and_prior(suffice, penguins, folder):
    (folder / "costs.csv").write_text("action,Adelie,Chinstrap,Gentoo\nkeep,0,5,5\nfree,9,0,0\n")
    found = rows_of(suffice("decide", penguins, "penguins.csv", "--loss", "costs.csv").out)
    assert {row["action"] for row in found} == {"keep", "free"}
    rejecting = rows_of(suffice("decide", penguins, "penguins.csv", "--reject", "0.05").out)
    assert "reject" in {row["action"] for row in rejecting}
    priors = ("--prior", "Adelie=.98", "--prior", "Gentoo=.01", "--prior", "Chinstrap=.01")
    shifted = rows_of(suffice("decide", penguins, "penguins.csv", *priors).out)
    assert sum(row["action"] == "Adelie" for row in shifted) > 151
    both = suffice("decide", penguins, "penguins.csv", "--loss", "costs.csv", "--reject", "0.1")
    assert (both.code, both.out) == (2, "")


def test_explain_and_worked_are_about_one_row(suffice, penguins):
    why = suffice("explain", penguins, "penguins.csv", "--row", "3", "--between", "Adelie,Gentoo")
    assert "body_mass_g = 3250" in why.out
    whole = json.loads(
        suffice("explain", penguins, "penguins.csv", "--row", "3", "--between", "Adelie,Gentoo", "--json").out
    )
    assert "ln odds" in whole["tables"][0]
    assert "P(Adelie | x)" in suffice("worked", penguins, "penguins.csv", "--row", "1").out
    beyond = suffice("worked", penguins, "penguins.csv", "--row", "345")
    assert (beyond.code, beyond.err) == (2, "suffice: penguins.csv has 344 rows, so there is no row 345\n")


def test_look_names_kinds_missing_cells_and_classes(suffice):
    found = suffice("look", "penguins.csv", "-y", "species")
    assert "sex" in found.out
    assert "Chinstrap" in found.out
    data = json.loads(suffice("look", "penguins.csv", "-y", "species", "--json").out)
    assert data["tables"][0]["missing"] == [0, 2, 2, 2, 2, 11, 0]


def test_compare_tune_and_cluster(suffice):
    numbers = ("--ignore", "island", "--ignore", "sex", "--ignore", "year")
    table = suffice("compare", "penguins.csv", "-y", "species", "-m", "naive-bayes", "-m", "lda", *numbers)
    assert table.code == 0
    assert {"naive-bayes", "lda"} <= set(table.out.split())
    tuned = suffice(
        "tune", "penguins.csv", "-y", "species", "-m", "naive-bayes", "-o", "best.suffice", "--ignore", "year"
    )
    assert tuned.code == 0
    assert load("best.suffice").predict is not None
    groups = suffice("cluster", "penguins.csv", "--components", "1-3", "--ignore", "species", *numbers)
    assert groups.code == 0
    assert len(rows_of(groups.out)) == 344


def test_evaluate_and_a_score_that_is_too_low(suffice, penguins):
    found = suffice("evaluate", penguins, "penguins.csv", "-y", "species")
    assert (found.code, "accuracy" in found.out) == (0, True)
    low = suffice("evaluate", penguins, "penguins.csv", "-y", "species", "--fail-under", "0.999")
    assert low.code == 3
    assert "is below --fail-under 0.999" in low.err


def test_two_sites_make_the_whole(suffice, folder):
    table = open_batches("penguins.csv").whole()
    pq.write_table(table.slice(0, 150), folder / "北京.parquet")
    pq.write_table(table.slice(150), folder / "上海.parquet")
    for site in ("北京", "上海"):
        assert suffice("collect", f"{site}.parquet", "-y", "species", "-o", f"{site}.stats").code == 0
    assert suffice("merge", "北京.stats", "上海.stats", "-o", "both.stats").code == 0
    assert suffice("forget", "both.stats", "上海.stats", "-o", "rest.stats").code == 0
    pooled = collect("penguins.csv", "species")
    assert load("both.stats") == pooled
    assert load("rest.stats") == load("北京.stats")
    columns = table.drop_columns(["species"])
    first, second = (NaiveBayes.from_summary(s).predict_proba(columns) for s in (load("both.stats"), pooled))
    np.testing.assert_allclose(first, second, atol=1e-10)


def test_inspect_and_records_that_are_dropped(suffice):
    suffice("collect", "penguins.csv", "-y", "species", "-o", "all.stats")
    assert "record" in suffice("inspect", "all.stats").out
    assert suffice("collect", "penguins.csv", "-y", "species", "-o", "few.stats", "--suppress-below", "5").code == 0
    assert suffice("inspect", "few.stats").out.startswith("No record is of fewer than 3 rows.\n")
    assert "all rows of the class" in suffice("inspect", "few.stats").out  # Chinstraps live on one island


@pytest.mark.parametrize("below", ["0", "1", "-3"])
def test_nothing_to_suppress_is_refused(suffice, below):
    found = suffice("collect", "penguins.csv", "-y", "species", "-o", "none.stats", "--suppress-below", below)
    assert found.code == 2
    assert "must be above 1" in found.err


def test_inspect_lists_what_two_summaries_differ_by(suffice, folder):
    lines = (folder / "penguins.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "fewer.csv").write_text("".join(lines[:-1]), encoding="utf-8")
    for name in ("penguins", "fewer"):
        suffice("collect", f"{name}.csv", "-y", "species", "-o", f"{name}.stats", "--suppress-below", "5")
    assert "of one or two rows" in suffice("inspect", "penguins.stats", "fewer.stats").out
    assert suffice("inspect", "fewer.stats", "fewer.stats").out == "No record is of fewer than 3 rows.\n"


def test_a_summary_says_that_records_were_dropped(suffice):
    suffice("collect", "penguins.csv", "-y", "species", "-o", "few.stats", "--suppress-below", "5")
    assert "records of fewer than 5 rows were dropped" in suffice("show", "few.stats").out
    refused = suffice("forget", "few.stats", "few.stats", "-o", "x.stats")
    assert (refused.code, "nothing can be subtracted exactly" in refused.err) == (2, True)


def test_export_boundary_and_pictures(suffice, penguins, folder):
    assert "SELECT" in suffice("export", penguins, "--sql", "sqlite").out
    assert suffice("export", penguins, "--sql", "postgres", "-o", "score.sql").code == 0
    assert "OFFSET 0" in (folder / "score.sql").read_text()
    numbers = ("--ignore", "island", "--ignore", "sex", "--ignore", "year")
    suffice("fit", "penguins.csv", "-y", "species", "-o", "l.suffice", "-m", "lda", *numbers)
    line = suffice("boundary", "l.suffice", "--between", "Gentoo,Adelie", "--solve-for", "bill_depth_mm")
    assert line.out.startswith("bill_depth_mm = ")
    assert isinstance(load("l.suffice"), LinearDiscriminant)
    for picture in ("calibration", "nomogram", "explanation", "confusion"):
        pair = ("--between", "Adelie,Gentoo")
        assert (
            suffice("plot", picture, penguins, "penguins.csv", "-y", "species", *pair, "-o", f"{picture}.svg").code == 0
        )
        assert (folder / f"{picture}.svg").read_text(encoding="utf-8").startswith("<?xml")
    odd = suffice("plot", "pie", penguins, "penguins.csv")
    assert (odd.code, "there is no picture 'pie'" in odd.err) == (2, True)
    tree = suffice("plot", "tree", penguins, "penguins.csv")
    assert (tree.code, "tree needs a model whose columns form a tree" in tree.err) == (2, True)


def test_cells_that_a_spreadsheet_would_run_are_guarded_on_request(suffice, folder):
    (folder / "t.csv").write_text('note,x,y\n"=1+1",1,a\n"@now",2,b\nplain,3,a\n"-2",4,b\n')
    suffice("fit", "t.csv", "-y", "y", "-o", "t.suffice", "-m", "naive-bayes", "--ignore", "note")
    plain, safe = (
        suffice("predict", "t.suffice", "t.csv"),
        suffice("predict", "t.suffice", "t.csv", "--for-spreadsheet"),
    )
    assert [row["note"] for row in rows_of(plain.out)] == ["=1+1", "@now", "plain", "-2"]
    assert [row["note"] for row in rows_of(safe.out)] == ["'=1+1", "'@now", "plain", "-2"]  # no formula


def test_the_language_is_an_option(suffice, penguins):
    assert "先验概率" in suffice("--language", "zh", "show", penguins).out
    assert suffice("--language", "fr", "show", penguins).code == 2


def test_auto_lets_margins_join_where_answers_count(suffice, folder):
    numbers = ("--ignore", "island", "--ignore", "sex", "--ignore", "year")
    fit = ("fit", "penguins.csv", "-y", "species", "-o", "m.suffice", *numbers)
    by_chance, by_answers = suffice(*fit), suffice(*fit, "--by", "accuracy")
    assert (by_chance.code, by_answers.code) == (0, 0)
    tried = [int(found.err.split(" tried")[0].split()[-1]) for found in (by_chance, by_answers)]
    assert tried[1] == tried[0] + 1
    assert "so expect a little less on new rows" in by_answers.err
    (folder / "costs.csv").write_text("action,Adelie,Chinstrap,Gentoo\nkeep,0,5,5\nfree,9,0,0\n")
    assert "mean cost" in suffice(*fit, "--by", "costs.csv").err
    assert suffice(*fit, "-m", "margin").code == 0
    assert load("m.suffice").probabilities


def test_a_report_in_a_file_or_as_json_says_where_it_comes_from(suffice, penguins, folder):
    assert suffice("report", penguins, "penguins.csv", "-y", "species", "-o", "page.html").code == 0
    page = (folder / "page.html").read_text(encoding="utf-8")
    found = json.loads(suffice("report", penguins, "penguins.csv", "-y", "species", "--json").out)
    assert list(found["made"]["files"]) == [penguins]
    assert all(digest in page for digest in found["made"]["files"].values())


def test_look_takes_columns_as_naive_bayes_does(suffice, folder):
    rows = [f"{31 + 4 * (i % 8)},{i % 2},{'ab'[i // 6]}\n" for i in range(12)]  # ages come back too rarely
    (folder / "ages.csv").write_text("age,grade,y\n" + "".join(rows))
    found = json.loads(suffice("look", "ages.csv", "-y", "y", "--json").out)["tables"][0]
    assert dict(zip(found["column"], found["kind"], strict=True)) == {"age": "gaussian", "grade": "categorical"}


def test_hints_are_in_the_words_of_the_command_line(suffice):
    found = suffice("look", "penguins.csv", "-y", "species")
    assert "--kind year=gaussian" in found.err
    assert "kinds=" not in found.err


def test_numbers_that_json_has_no_form_for_are_null(suffice, folder):
    (folder / "t.csv").write_text("x,z,y\n1,inf,a\n2,5,b\nNA,nan,a\n4.50,6,b\n")
    suffice("fit", "t.csv", "-y", "y", "-o", "t.suffice", "-m", "naive-bayes", "--ignore", "z")
    found = suffice("predict", "t.suffice", "t.csv", "--json").out.splitlines()
    rows = [json.loads(line, parse_constant=pytest.fail) for line in found]
    assert [row["x"] for row in rows] == [1, 2, None, 4.5]
    assert [row["z"] for row in rows] == ["inf", "5", "nan", "6"]  # which the model does not read
