"""The book as it is written: the same pages in both languages, every part of a chapter, links, no number typed by hand.

What the cells give is shown by `make docs`, which runs them all.
"""

import inspect
import re
import sys
from pathlib import Path

import pytest

import suffice

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
sys.path.insert(0, str(DOCS / "shared"))
import cells  # noqa: E402
import entries  # noqa: E402
import examples  # noqa: E402

PAGES = {
    language: sorted(path.relative_to(DOCS / language) for path in (DOCS / language).rglob("*.md"))
    for language in ("en", "zh")
}
BOTH = [DOCS / language / page for language in PAGES for page in PAGES[language]]
CHAPTERS = [path for path in BOTH if path.parent.name == "chapters"]
CODE = re.compile(r"^```.*?^```$|\{eval\}`[^`]*`|`[^`]*`|\$\$.*?\$\$|\$[^$]*\$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)([^)#]+)(?:#[\w-]+)?\)")
INCLUDED = re.compile(r"^```\{include\} .*shared/generated/(.*)$", re.MULTILINE)
WATCHED = {"01-bayes-rule", "02-losses", "03-discriminants", "08-em"}
TERMS = (
    "先验概率 似然 证据 后验概率 类条件概率密度 最小风险 拒识 判别函数 "
    "决策面 充分统计量 共轭先验 责任度 下界 软间隔 合页损失 留一法"
)


def text(path):
    return path.read_text(encoding="utf-8")


def named(path):
    return [match[:2] for match in cells.NAMED.findall(text(path))]


def name(path):
    return str(path.relative_to(DOCS))


def test_both_languages_have_the_same_pages():
    assert PAGES["en"] == PAGES["zh"]
    assert len(CHAPTERS) == 20


@pytest.mark.parametrize("page", PAGES["en"], ids=str)
def test_both_languages_run_the_same_cells(page):
    assert named(DOCS / "en" / page) == named(DOCS / "zh" / page)


@pytest.mark.parametrize("path", CHAPTERS, ids=name)
def test_a_chapter_has_all_its_parts(path):
    page = text(path)
    assert page.count(":::{dropdown}") == 2
    assert page.count("hide-cell") == 2
    assert "$" in page
    assert "](../api.md#" in page.split("\n## ")[-1]
    chapter = named(path)[0][0]
    assert any("plot" in cells.of(chapter)[cell] for _, cell in named(path))
    assert ((chapter, "start") in named(path)) == (path.stem in WATCHED)


@pytest.mark.parametrize("path", [path for path in BOTH if path.parent.name in ("chapters", "guides")], ids=name)
def test_no_number_is_typed_by_hand(path):
    assert re.findall(r"\d[.]\d+", CODE.sub("", text(path)).replace("3.0", "")) == []  # the melons are "data 3.0"


@pytest.mark.parametrize("page", PAGES["en"], ids=str)
def test_a_chinese_page_shows_every_example_of_its_english_twin(page):
    here, name = text(DOCS / "zh" / page), str(page.with_suffix(""))
    assert examples.code(examples.written_out(here, name)) == [
        block.replace("\n<BLANKLINE>\n", "\n\n") for block in examples.of(name)
    ]


def test_every_cell_is_on_a_page_and_every_page_has_its_cells():
    used = {cell for path in BOTH for cell in named(path)}
    there = {(path.stem, cell) for path in cells.CELLS.glob("*.py") for cell in cells.of(path.stem)}
    assert used == there


def test_the_code_of_a_cell_takes_its_place():
    page = cells.written_out("# A page\n\n```{cell} losses/by-hand hide-cell\n```\n")
    assert page.startswith(cells.HEAD)
    assert "```{code-cell} python3\n:tags: [hide-cell]\nby_hand = (5 - 0)" in page
    assert cells.written_out("# A page\n") == "# A page\n"


@pytest.mark.parametrize("path", BOTH, ids=name)
def test_links_between_pages_lead_somewhere(path):
    assert [link for link in LINK.findall(text(path)) if not (path.parent / link).exists()] == []


@pytest.mark.parametrize("language", PAGES)
def test_every_page_is_in_a_table_of_contents(language):
    index = text(DOCS / language / "index.md")
    pages = {str(page.with_suffix("")) for page in PAGES[language]} - {"index"}
    assert {page for page in pages if f"\n{page}\n" not in index and f"<{page}>\n" not in index} == set()


@pytest.mark.parametrize("language", PAGES)
def test_every_generated_table_is_on_a_page(language):
    included = {part for path in BOTH if language in path.parts for part in INCLUDED.findall(text(path))}
    assert [path.name for path in (DOCS / "shared" / "generated").glob("*.md") if path.name not in included] == []


def test_the_glossary_goes_both_ways():
    def rows(language):
        lines = [
            re.split(r"(?<!\\)\|", line)[1:3]
            for line in text(DOCS / language / "glossary.md").splitlines()
            if "](" in line
        ]
        return [tuple(cell.strip() for cell in line) for line in lines]

    assert rows("en") == [row[::-1] for row in rows("zh")]
    assert set(TERMS.split()) <= {chinese for _, chinese in rows("en")}


@pytest.mark.parametrize("language", PAGES)
def test_the_reference_has_every_public_name_once(language):
    named = [name for name, _ in entries.NAMED.findall(text(DOCS / language / "api.md"))]
    assert sorted(named) == sorted(suffice.__all__)


@pytest.mark.parametrize("public", suffice.__all__)
def test_an_entry_says_what_the_docstring_says(public):
    found = entries.entry(public, getattr(suffice, public))
    assert found.startswith(f"### `{public}`")
    assert found.count("```") % 2 == 0
    if public[0].islower() and public not in ("errors", "plots", "testing"):
        assert f"{public}(" in found


WITHOUT = {"errors", "plots", "testing", "register_kind"}  # modules, and what the page on adding a family shows in full


@pytest.mark.parametrize("public", sorted(set(suffice.__all__) - WITHOUT))
def test_every_public_name_has_an_example_that_the_tests_run(public):
    assert ">>> " in (inspect.getdoc(getattr(suffice, public)) or "")


SHARED = re.compile(r"^\| `(\w+)` \| .+ \|$", re.MULTILINE)


@pytest.mark.parametrize("public", sorted(set(suffice.__all__) - {"errors", "plots", "testing"}))
def test_every_parameter_is_described_in_the_docstring_or_among_those_that_many_take(public):
    thing = getattr(suffice, public)
    said = inspect.getdoc(thing) or ""
    for other in re.findall(r"takes\s+the\s+parameters\s+of (\w+)", said):
        said += inspect.getdoc(getattr(suffice, other)) or ""
    shared = set(SHARED.findall(text(DOCS / "en" / "api.md").split("## Classifiers")[0]))
    assert shared == set(SHARED.findall(text(DOCS / "zh" / "api.md").split("## 分类器")[0]))
    given = set(inspect.signature(thing).parameters) - shared
    assert [name for name in sorted(given) if not re.search(rf"\b{name}\b", said)] == []


def test_figures_have_a_chinese_word_for_everything_they_say():
    words = set(re.findall(r'say\("([^"]+)"\)', "".join(map(text, (DOCS / "shared" / "static").glob("watch*.js")))))
    words |= set(re.findall(r'button\("([^"]+)"', text(DOCS / "shared" / "static" / "watch-em.js")))
    known = set(re.findall(r'^        "([^"]+)": ', text(DOCS / "shared" / "watching.py"), flags=re.MULTILINE))
    assert words == known
