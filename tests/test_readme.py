"""The front page: its table says what tests hold, and both languages have the same examples and numbers."""

import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.mixture import GaussianMixture
from sklearn.naive_bayes import GaussianNB

ROOT = Path(__file__).resolve().parents[1]
ENGLISH, CHINESE = ((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "README.zh.md"))
PROOFS = {  # rows of the table, and tests that would fail if ours were wrong
    "Numbers, categories, counts and missing cells in one model": (
        "estimators/test_kinds.py::test_weights_count_rows_and_missing_cells_are_not_used",
        "model/test_summary.py::test_naive_bayes_from_a_summary_of_all_kinds",
    ),
    "Learning in batches gives exactly the model of all rows": (
        "estimators/test_properties.py::test_batches_in_any_order_are_one_fit",
        "estimators/test_missing_cells.py::test_batches_are_one_fit",
    ),
    "Summaries of several sites add up; rows can be forgotten": (
        "model/test_summary.py::test_any_two_heaps_are_the_whole",
        "model/test_summary.py::test_a_model_of_what_is_left",
        "cli/test_commands.py::test_two_sites_make_the_whole",
    ),
    "Exact leave-one-out without refitting": (
        "estimators/test_validation.py::test_leaving_one_out_is_refitting_without_it_for_every_gaussian",
        "estimators/test_validation.py::test_leaving_one_out_is_refitting_without_it_for_any_mix_of_columns",
    ),
    "Decisions by cost, with rejection and new priors": (
        "decisions/test_decisions.py::test_risk_is_the_expected_loss_and_the_action_has_the_least",
        "decisions/test_decisions.py::test_rejection_is_chows_rule",
        "decisions/test_decisions.py::test_new_priors_are_those_of_a_model_fitted_with_them",
    ),
    "Why: log odds as an exact sum over columns": (
        "decisions/test_explain.py::test_any_model_of_any_rows_adds_up",
        "decisions/test_explain.py::test_terms_of_gaussians_add_up_with_any_cells_missing",
    ),
    "Labels unknown, partial or noisy, by EM": (
        "estimators/test_hidden_labels.py::test_partial_labels_help",
        "estimators/test_hidden_labels.py::test_wrong_labels_are_found_out",
        "estimators/test_hidden_labels.py::test_missing_cells_and_hidden_labels_together",
    ),
    "Mixtures over mixed columns with missing cells": (
        "estimators/test_mixture.py::test_mixed_columns_and_holes_are_found",
    ),
    "Columns that depend on each other (TAN, AODE)": (
        "estimators/test_tree.py::test_random_mixed_tables",
        "estimators/test_averaged.py::test_the_posterior_is_the_mean_of_what_parents_say_by_their_shares",
    ),
    "Scoring in SQL": ("scoring/test_engines.py::test_every_model_says_the_same_in_sql",),
    "Model files that execute nothing": ("test_store.py::test_a_model_comes_back_bit_for_bit",),
}


def rows(page):
    """The cells of the table against other tools, a list for each row."""
    lines = re.search(r"^\| \| suffice .*\n\|[-|]+\n((?:\|.*\n)+)", page, re.MULTILINE)[1].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_every_row_of_the_table_names_its_tests():
    assert [row[0] for row in rows(ENGLISH)] == list(PROOFS)
    assert len(rows(CHINESE)) == len(PROOFS)
    assert {len(row) for row in rows(ENGLISH) + rows(CHINESE)} == {5}


@pytest.mark.parametrize("proof", [proof for proofs in PROOFS.values() for proof in proofs])
def test_the_tests_behind_the_table_exist(proof):
    file, name = proof.split("::")
    assert f"def {name}(" in (ROOT / "tests" / file).read_text(encoding="utf-8")


@pytest.mark.parametrize("peer", [GaussianNB(), GaussianMixture(2)], ids=lambda peer: type(peer).__name__)
def test_scikit_learn_takes_no_missing_cells_there(peer):
    with pytest.raises(ValueError, match="NaN"):
        peer.fit(np.array([[1.0], [2.0], [np.nan], [4.0]]), [0, 0, 1, 1])


def without_comments(page):
    return re.sub(r"\s+# .*", "", "\n".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL)))


def test_both_languages_have_the_same_examples_and_measurements():
    assert without_comments(CHINESE) == without_comments(ENGLISH)
    measured = [re.search(r"<!-- one summary -->.*<!-- end -->", page, re.DOTALL)[0] for page in (ENGLISH, CHINESE)]
    assert measured[0] == measured[1]
