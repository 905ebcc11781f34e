"""The page of promises names the tests that keep them, and they exist."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def page_of(language):
    return (ROOT / "docs" / language / "pages" / "trust.md").read_text(encoding="utf-8")


def named_in(page):
    return re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", page)


def test_every_promise_names_tests_that_exist():
    named = named_in(page_of("en"))
    assert len(named) > 20
    for path, name in named:
        source = (ROOT / path).read_text(encoding="utf-8")
        assert not name or re.search(rf"^def {name}\(", source, re.MULTILINE), f"{path} has no {name}"


def test_every_part_of_the_page_of_promises_names_a_test():
    for part in page_of("en").split("\n## ")[1:]:
        title, _, promises = part.partition("\n")
        assert "`tests/" in promises or not promises.strip(), title


def test_both_languages_promise_the_same():
    assert named_in(page_of("zh")) == named_in(page_of("en"))
