"""Files that earlier versions wrote, in tests/reference/saved, made by tests/reference/scripts/saved_files.py."""

import json
from pathlib import Path

import numpy as np
import pytest

import suffice
import suffice.estimators.load
from suffice.estimators.registry import MODELS, Kept

SAVED = Path(__file__).parent / "reference" / "saved"
FIRST = json.loads((SAVED / "answers.json").read_text(encoding="utf-8"))


def cells(column):
    return np.array([np.nan if cell is None else cell for cell in column])


@pytest.mark.parametrize("name", sorted(FIRST["answers"]))
def test_models_of_the_first_format_answer_as_they_did(name):
    model = suffice.load(SAVED / f"{name}.suffice")
    rows = {column: cells(some) for column, some in FIRST["tables"][name].items()}
    answer = model.predict_proba if hasattr(model, "predict_proba") else model.decision_function
    np.testing.assert_allclose(answer(rows), FIRST["answers"][name], rtol=1e-9, atol=1e-12)
    assert type(model).__name__ in str(model)


@pytest.mark.parametrize("name", ["summary", "summary_of_pairs"])
def test_summaries_of_the_first_format_are_read(name):
    summary = suffice.load(SAVED / f"{name}.stats")
    assert summary.classes == ("p", "q", "r")
    assert summary.schema.names == ("length", "width", "colour", "visits")
    assert summary + summary - summary == summary
    assert type(suffice.NaiveBayes.from_summary(summary)).__name__ == "NaiveBayes"


def test_a_summary_of_the_first_format_says_what_its_rows_say():
    summary = suffice.load(SAVED / "summary.stats")
    assert summary.n == 36
    model = suffice.NaiveBayes.from_summary(summary, kinds={"visits": "poisson"})
    rows = {column: cells(some) for column, some in FIRST["tables"]["naive_bayes"].items()}
    np.testing.assert_allclose(model.predict_proba(rows), FIRST["answers"]["naive_bayes"], rtol=1e-9, atol=1e-12)


def test_every_model_that_can_be_saved_has_a_file_of_the_first_format():
    named = {type(suffice.load(path)).__name__ for path in SAVED.glob("*.suffice")}
    assert named >= {entry.name for entry in MODELS if entry.kept is not Kept.ITSELF}
