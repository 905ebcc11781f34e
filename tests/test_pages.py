"""The pages name files that exist, and every room of the package has its place on the page of the architecture."""

import re
import sys
from pathlib import Path

import pytest

from suffice import Mixture, NaiveBayes, example

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))
import figures  # noqa: E402

PAGES = [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md", ROOT / "README.zh.md", ROOT / "CHANGELOG.md"]
PLACES = (ROOT, ROOT / "docs", ROOT / "src", ROOT / "src" / "suffice")
FILES = re.compile(r"`((?:[\w.-]+/)*[\w-]+\.(?:py|md|svg|json|csv|toml|sh)|(?:[\w-]+/)+)(?:::\w+)?`")
LINKS = re.compile(r"\]\((?!https?:|#)([^)#]+)(?:#[\w-]+)?\)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_path_on_a_page_exists(page):
    text = page.read_text(encoding="utf-8")
    assert [path for path in FILES.findall(text) if not any((place / path).exists() for place in PLACES)] == []
    assert [link for link in LINKS.findall(text) if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_architecture_has_a_word_for_every_room(language):
    page = (ROOT / "docs" / language / "pages" / "architecture.md").read_text(encoding="utf-8")
    rooms = [path.parent.relative_to(ROOT / "src" / "suffice") for path in (ROOT / "src").rglob("__init__.py")]
    assert [str(room) for room in rooms if str(room) != "." and f"`{room}/" not in page] == []


def test_the_architecture_has_a_word_for_every_file_beside_the_rooms():
    page = (ROOT / "docs" / "en" / "pages" / "architecture.md").read_text(encoding="utf-8")
    alone = [path.name for path in (ROOT / "src" / "suffice").glob("*.py") if path.name != "__init__.py"]
    assert [name for name in alone if f"`{name}`" not in page] == []


@pytest.mark.parametrize(("title", "faces"), [("The walk of `fit`", 1), ("The walk of EM", 3)])
def test_the_walks_go_through_the_files_that_the_page_names(title, faces):
    columns, species = example("penguins")
    numbers = {name: columns[name] for name in ("bill_length_mm", "body_mass_g", "island")}
    some = [name if i % 20 == 0 else None for i, name in enumerate(species)]
    calls = [
        lambda: NaiveBayes(kinds={"body_mass_g": "log-gaussian"}).fit(numbers, species),
        lambda: NaiveBayes().fit(numbers, some),
        lambda: Mixture(3, restarts=2).fit(numbers),
    ]
    visited = {
        str(Path(file).relative_to(figures.PACKAGE)) for call in calls[:faces] for file in figures.walk(call).files
    }
    page = (ROOT / "docs" / "en" / "pages" / "architecture.md").read_text(encoding="utf-8")
    walk = page.split(f"## {title}\n")[1].split("\n## ")[0]
    named = [path for path in FILES.findall(walk) if path.endswith(".py")]
    assert len(set(named)) > 9
    assert [path for path in named if path not in visited] == []
