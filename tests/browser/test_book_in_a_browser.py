"""The book as it is read: in a browser, from files, offline. `make test-browser` builds it and runs this.

Every page is opened in both languages; no request leaves, nothing is said on the console, formulas stand, figures show what
the library has computed and go along when they are dragged, and both searches find.
"""

import json
from pathlib import Path

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is installed by `make test-browser`")

BOOK = Path(__file__).resolve().parents[2] / "build" / "docs"
CHROMIUM = Path("/usr/bin/chromium")
LANGUAGES = ("en", "zh")
if not (BOOK / "zh" / "index.html").exists() or not CHROMIUM.exists():
    pytest.skip("the book is not built, or there is no chromium: `make test-browser` sees to both", allow_module_level=True)
PAGES = [f"{language}/{page.relative_to(BOOK / language)}" for language in LANGUAGES for page in sorted((BOOK / language).rglob("*.html"))]


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as started:
        found = started.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture
def page(browser):
    """A page that remembers what went wrong: errors, and requests that leave the book."""
    opened = browser.new_page()
    opened.faults = []
    opened.on("pageerror", lambda error: opened.faults.append(str(error)))
    opened.on("console", lambda said: opened.faults.append(said.text) if said.type in ("error", "warning") else None)
    opened.on("request", lambda asked: None if asked.url.startswith(("file:", "data:")) else opened.faults.append(asked.url))
    yield opened
    opened.close()


def visit(page, path):
    page.goto((BOOK / path).as_uri())
    return page


@pytest.mark.parametrize("path", PAGES)
def test_a_page_opens_offline_with_its_formulas_links_and_pictures(page, path):
    visit(page, path)
    assert page.faults == []
    assert page.locator(".katex-error").count() == 0
    formulas = page.locator("article .math")
    assert page.locator("article .math .katex-html").count() >= formulas.count()
    pictures = "[...document.images].filter(i => i.complete && !i.naturalWidth).map(i => i.src)"
    assert page.evaluate(pictures) == []
    links = page.evaluate("[...document.querySelectorAll('article a[href]')].map(a => a.href)")
    local = [link.removeprefix("file://").split("#")[0].split("?")[0] for link in links if link.startswith("file:")]
    assert [link for link in local if not Path(link).exists()] == []


@pytest.mark.parametrize(("language", "word", "title"), [("en", "loss", "Losses"), ("zh", "损失", "损失")])
def test_a_search_finds(page, language, word, title):
    page.goto((BOOK / language / "search.html").as_uri() + f"?q={word}")
    page.wait_for_selector("#search-results li a", timeout=20_000)
    page.wait_for_timeout(500)
    assert any(title in found for found in page.locator("#search-results li a").all_inner_texts())
    assert page.faults == []


def start(page):
    return json.loads(page.locator(".watch script").text_content())["start"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_figures_begin_with_the_numbers_of_the_library(page, language):
    def numbers(path):
        return visit(page, f"{language}/chapters/{path}.html").locator(".watch .numbers b").all_inner_texts()

    error, ends = numbers("01-bayes-rule")
    assert float(error) == pytest.approx(start(page)["error"], abs=5.1e-5)
    assert [float(end) for end in ends.split(", ")] == pytest.approx(start(page)["ends"], abs=5.1e-5)
    assert float(numbers("02-losses")[0]) == pytest.approx(start(page)["risk"], abs=5.1e-5)
    assert float(numbers("03-discriminants")[0]) == pytest.approx(start(page)["bhattacharyya"], abs=5.1e-5)
    assert [float(each) for each in numbers("08-em")] == [0, *start(page)["guess"]]
    assert page.faults == []


def test_a_figure_goes_along_with_its_sliders_by_keyboard(page):
    visit(page, "en/chapters/01-bayes-rule.html")
    before = page.locator(".watch .numbers b").first.inner_text()
    page.locator(".watch input").last.focus()
    for _ in range(20):
        page.keyboard.press("ArrowRight")
    after = page.locator(".watch .numbers b").first.inner_text()
    assert float(after) < float(before)  # a class that is more common is easier to tell


def test_em_steps_through_the_states_of_the_library(page):
    visit(page, "en/chapters/08-em.html")
    states = start(page)["steps"]
    for state in states[:3]:
        page.get_by_role("button", name="next step").click()
        bound, likelihood = map(float, page.locator(".watch .numbers b").all_inner_texts()[-2:])
        assert (bound, likelihood) == pytest.approx((state["bound"], state["log_likelihood"]), abs=5.1e-5)
    page.get_by_role("button", name="start again").click()
    assert page.locator(".watch .numbers b").first.inner_text() == "0"


@pytest.mark.parametrize("path", [path for path in PAGES if "/chapters/" in path])
def test_a_phone_shows_a_page_without_scrolling_sideways(page, path):
    page.set_viewport_size({"width": 390, "height": 800})
    visit(page, path)
    assert page.evaluate("document.documentElement.scrollWidth") <= 391
