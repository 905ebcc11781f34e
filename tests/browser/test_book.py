"""The book as a person reads it, from files: formulas, links, search, figures that start with the library's numbers."""

import json
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import pytest

BOOK = Path(__file__).resolve().parents[2] / "build" / "docs"
LANGUAGES = ("en", "zh")
WRITTEN = [page.relative_to(BOOK) for language in LANGUAGES for page in sorted((BOOK / language).rglob("*.html"))]
PAGES = [str(page) for page in WRITTEN if "_static" not in page.parts]
if not PAGES:
    pytest.skip(
        "the book is not built; `make docs` does, and `make test-browser` before it opens pages",
        allow_module_level=True,
    )
CHAPTERS = [path for path in PAGES if "/chapters/" in path]


def well(shown):
    """Nothing but files was asked for, and nothing went wrong."""
    assert [address for address in shown.asked if not address.startswith(("file:", "data:"))] == []
    assert shown.complaints == []


def leads_somewhere(link):
    """Whether the place on the page that a link leads to is there."""
    path, _, place = unquote(link.removeprefix("file://")).partition("#")
    return not link.startswith("file:") or not place or f'id="{place}"' in source(path)


@cache
def source(path):
    return Path(path).read_text(encoding="utf-8")


@pytest.mark.parametrize("path", PAGES)
def test_a_page_has_its_formulas_links_and_pictures(opened, path):
    shown = opened(BOOK / path)
    well(shown)
    assert shown.page.locator(".katex-error").count() == 0
    assert shown.page.locator("article .math:not(:has(.katex))").count() == 0
    assert shown.page.evaluate("[...document.images].filter(i => i.complete && !i.naturalWidth).map(i => i.src)") == []
    links = shown.page.evaluate("[...document.querySelectorAll('article a[href]')].map(a => a.href)")
    files = {link.removeprefix("file://").split("#")[0].split("?")[0] for link in links if link.startswith("file:")}
    assert [file for file in files if not Path(file).exists()] == []
    assert [link for link in links if not leads_somewhere(link)] == []


@pytest.mark.parametrize("path", CHAPTERS)
def test_a_chapter_has_formulas(opened, path):
    assert opened(BOOK / path).page.locator("article .math .katex-html").count() > 2


@pytest.mark.parametrize(("language", "word", "title"), [("en", "loss", "Losses"), ("zh", "损失", "损失")])
def test_a_search_finds(opened, language, word, title):
    shown = opened(BOOK / language / "search.html")
    shown.page.goto(f"{shown.address}?q={word}")
    shown.page.wait_for_selector(f"#search-results li a:has-text('{title}')", timeout=20_000)
    well(shown)


def start(shown):
    return json.loads(shown.page.locator(".watch script").text_content())["start"]


def numbers(shown):
    return shown.page.locator(".watch .numbers b").all_inner_texts()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_figures_start_with_the_numbers_of_the_library(opened, language):
    bayes, losses, planes, em = (
        opened(BOOK / language / "chapters" / f"{name}.html")
        for name in ("01-bayes-rule", "02-losses", "03-discriminants", "08-em")
    )
    error, ends = numbers(bayes)
    assert float(error) == pytest.approx(start(bayes)["error"], abs=5.1e-5)
    assert [float(end) for end in ends.split(", ")] == pytest.approx(start(bayes)["ends"], abs=5.1e-5)
    assert float(numbers(losses)[0]) == pytest.approx(start(losses)["risk"], abs=5.1e-5)
    assert float(numbers(planes)[0]) == pytest.approx(start(planes)["bhattacharyya"], abs=5.1e-5)
    assert [float(number) for number in numbers(em)] == [0, *start(em)["guess"]]


def test_a_figure_follows_its_slider_by_keyboard(opened):
    shown = opened(BOOK / "en" / "chapters" / "01-bayes-rule.html")
    before = float(numbers(shown)[0])
    shown.page.locator(".watch input").last.focus()
    for _ in range(20):
        shown.page.keyboard.press("ArrowRight")
    assert float(numbers(shown)[0]) < before  # where one class is more common, fewer rows are told wrong
    well(shown)


def test_em_steps_through_the_states_of_the_library(opened):
    shown = opened(BOOK / "en" / "chapters" / "08-em.html")
    for state in start(shown)["steps"][:3]:
        shown.page.get_by_role("button", name="next step").click()
        assert [float(number) for number in numbers(shown)[-2:]] == pytest.approx(
            [state["bound"], state["log_likelihood"]], abs=5.1e-5
        )
    shown.page.get_by_role("button", name="start again").click()
    assert numbers(shown)[0] == "0"


@pytest.mark.parametrize("path", PAGES)
def test_a_phone_shows_a_page_without_scrolling_sideways(opened, path):
    page = opened(BOOK / path, width=390).page
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    parts = page.locator(":is(.watch svg, .watch input, .watch output)")
    assert all(end <= 390 for end in parts.evaluate_all("all => all.map(one => one.getBoundingClientRect().right)"))


@pytest.mark.parametrize("path", [path for path in PAGES if path.endswith(("trust.html", "04-naive-bayes.html"))])
def test_a_page_prints_without_what_leads_around_it(opened, path):
    page = opened(BOOK / path).page
    page.emulate_media(media="print")
    for part in (".bd-header", ".bd-sidebar-primary", ".bd-sidebar-secondary", ".prev-next-area"):
        assert not any(page.locator(part).evaluate_all("all => all.map(one => one.checkVisibility())"))
    assert page.locator("article h1").is_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") in (
        "rgb(255, 255, 255)",
        "rgba(0, 0, 0, 0)",
    )


def luminance(colour):
    """Relative luminance of "rgb(r, g, b)", as WCAG has it."""
    shares = [int(part) / 255 for part in colour.removeprefix("rgba").removeprefix("rgb").strip("()").split(",")[:3]]
    red, green, blue = (s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_and_figures_can_be_read_in_either_light(opened, scheme, language):
    page = opened(BOOK / language / "chapters" / "08-em.html").page
    page.evaluate(f"document.documentElement.dataset.theme = '{scheme}'")
    behind = luminance(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert (behind < 0.2) == (scheme == "dark")
    for part, property in (("article p", "color"), (".watch svg text", "fill"), ("div.highlight pre", "color")):
        text = luminance(page.locator(part).first.evaluate(f"one => getComputedStyle(one).{property}"))
        assert (max(text, behind) + 0.05) / (min(text, behind) + 0.05) > 4.5


def test_every_page_can_be_reached_by_keyboard(opened):
    shown = opened(BOOK / "en" / "index.html")
    shown.page.keyboard.press("Tab")
    assert shown.page.evaluate("document.activeElement.textContent.trim()") == "Skip to main content"
    shown.page.keyboard.press("Control+K")
    assert shown.page.evaluate("document.activeElement.tagName") == "INPUT"
    well(shown)
