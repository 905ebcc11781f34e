"""The pages name files that exist, and every room of the package has its place on the page of the architecture."""

import ast
import csv
import re
import sys
import tomllib
from pathlib import Path

import pytest

from suffice import Mixture, NaiveBayes, cross_validate, example, leave_one_out, tune

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))
import figures  # noqa: E402

PAGES = [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md", ROOT / "README.zh.md", ROOT / "CHANGELOG.md"]
PACKAGE = ROOT / "src" / "suffice"
PLACES = (ROOT, ROOT / "docs", ROOT / "src", PACKAGE)
FILES = re.compile(r"`((?:[\w.-]+/)*[\w-]+\.(?:py|md|svg|json|csv|toml|sh)|(?:[\w-]+/)+)(?:::\w+)?`")
TICKED = re.compile(r"`(\w+)`")
LINKS = re.compile(r"\]\((?!https?:|#)([^)#]+)(?:#[\w-]+)?\)")
ALIKE = ("kernels", "cli", "plots", "testing", "examples")  # rooms whose files the page describes all at once
BOTH = pytest.mark.parametrize("language", ["en", "zh"])
WALKS = ("The walk of `fit`", "The walk of EM", "The walk of validation", "The walk of SQL")


def architecture(language):
    return (ROOT / "docs" / language / "pages" / "architecture.md").read_text(encoding="utf-8")


def within(path):
    return str(Path(path).relative_to(PACKAGE))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_path_on_a_page_exists(page):
    text = page.read_text(encoding="utf-8")
    assert [path for path in FILES.findall(text) if not any((place / path).exists() for place in PLACES)] == []
    assert [link for link in LINKS.findall(text) if not (page.parent / link).exists()] == []


@BOTH
def test_the_architecture_has_a_word_for_every_room(language):
    rooms = [within(path.parent) for path in PACKAGE.rglob("__init__.py")]
    assert [room for room in rooms if room != "." and f"`{room}/" not in architecture(language)] == []


@BOTH
def test_the_architecture_has_a_word_for_every_file(language):
    files = [path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py") if path.name != "__init__.py"]
    inside = [path for path in files if path.parts[0] == "families" and len(path.parts) > 2]
    told = [str(path) for path in files if path.parts[0] not in ALIKE and path not in inside]
    assert len(told) > 200
    assert [name for name in told if f"`{name}`" not in architecture(language)] == []


@BOTH
def test_the_rooms_stand_in_the_order_of_the_import_contract(language):
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    rooms = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert re.findall(r"\*\*`(\w+)/`\*\*", architecture(language)) == [
        name for name in reversed(layers) if name in rooms
    ]


def test_both_languages_name_the_same_files_section_by_section():
    english, chinese = (
        [sorted(FILES.findall(part)) for part in re.split(r"^## ", architecture(language), flags=re.MULTILINE)]
        for language in ("en", "zh")
    )
    assert len(english) > len(WALKS)
    assert english == chinese


def who_asks():
    """By capability, the files outside of the families that import it."""
    room = "suffice.families.capabilities"
    defined = ast.parse((PACKAGE / "families" / "capabilities.py").read_text(encoding="utf-8")).body
    found = {node.name: set() for node in defined if isinstance(node, ast.ClassDef)}
    for path in PACKAGE.rglob("*.py"):
        imports = [
            node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.ImportFrom)
        ]
        names = [entry.name for node in imports if node.module == room for entry in node.names]
        for name in found.keys() & names if "families" not in path.parts else ():
            found[name].add(within(path))
    return found


@BOTH
def test_the_architecture_says_who_asks_for_each_capability(language):
    rows = [line.split("|")[1:-1] for line in architecture(language).splitlines() if line.startswith("| `")]
    told = [(names, set(FILES.findall(row[-1]))) for row in rows if (names := TICKED.findall(row[0]))]
    asked = who_asks()
    assert sorted(name for names, _ in told for name in names) == sorted(asked)
    assert told == [(names, set().union(*(asked[name] for name in names))) for names, _ in told]


# the walks


def calls_of(title, folder):
    """What the walk is about, as calls that go through all of its files."""
    columns, species = example("penguins")
    table = {name: columns[name] for name in ("bill_length_mm", "body_mass_g", "island")}
    some = [name if i % 20 == 0 else None for i, name in enumerate(species)]
    kinds = {"body_mass_g": "log-gaussian", "year": "poisson"}
    counted = NaiveBayes(kinds=kinds).fit(table | {"year": columns["year"]}, species)
    rows = folder / "rows.csv"
    with rows.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([[*table, "species"], *zip(*table.values(), species, strict=True)])
    fits = [lambda: NaiveBayes(kinds={"body_mass_g": "log-gaussian"}).fit(table, species)]
    return {
        "The walk of `fit`": fits,
        "The walk of EM": [*fits, lambda: NaiveBayes().fit(table, some), lambda: Mixture(3, restarts=2).fit(table)],
        "The walk of validation": [
            lambda: str(leave_one_out(counted, table | {"year": columns["year"]}, species)),
            lambda: cross_validate(NaiveBayes(), table, species, folds=5),
            lambda: cross_validate(NaiveBayes(), str(rows), "species", folds=5),
            lambda: tune(NaiveBayes(), table, species, over="smoothing"),
        ],
        "The walk of SQL": [lambda: [counted.to_sql(dialect, "birds", "id") for dialect in ("duckdb", "sqlite")]],
    }[title]


@pytest.mark.parametrize("title", WALKS)
def test_the_walks_go_through_the_files_that_the_page_names(title, tmp_path):
    visited = {within(file) for call in calls_of(title, tmp_path) for file in figures.walk(call).files}
    walk = architecture("en").split(f"## {title}\n")[1].split("\n## ")[0]
    named = [path for path in FILES.findall(walk) if path.endswith(".py")]
    assert len(set(named)) > 9
    assert [path for path in named if path not in visited] == []
