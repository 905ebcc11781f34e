"""The page of promises names the tests that keep them, and they exist."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_every_promise_names_tests_that_exist():
    page = (ROOT / "docs" / "en" / "pages" / "trust.md").read_text(encoding="utf-8")
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", page)
    assert len(named) > 20
    for path, name in named:
        source = (ROOT / path).read_text(encoding="utf-8")
        assert not name or re.search(rf"^def {name}\(", source, re.MULTILINE), f"{path} has no {name}"


def test_every_part_of_the_page_of_promises_names_a_test():
    page = (ROOT / "docs" / "en" / "pages" / "trust.md").read_text(encoding="utf-8")
    for part in page.split("\n## ")[1:]:
        title, _, promises = part.partition("\n")
        assert "`tests/" in promises or not promises.strip(), title
