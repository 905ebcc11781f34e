"""Tuning by exact leave-one-out against fixed settings, on rows neither has seen: the table, and its rule."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))
import tuning  # noqa: E402


@pytest.fixture(scope="module")
def results():
    return [tuning.study(name) for name in tuning.STUDIES]


def test_tuning_costs_at_most_two_paired_standard_errors(results):
    assert len(results) == 6
    assert [result.table for result in results if not result.holds] == []


def test_the_page_says_what_was_found(results):
    assert (ROOT / "docs" / "shared" / "generated" / "tuning.md").read_text(encoding="utf-8") == "\n".join(
        tuning.page(results)
    ) + "\n"
