"""Pages in a real browser, headless: Debian's chromium, driven by playwright. `make test-browser` installs both."""

import os
import shutil

import pytest

WHY = "needs a browser: `make test-browser` installs what that takes, and runs these tests"


def pytest_collection_modifyitems(items):
    for item in items:
        if "browser" in item.path.parts and not os.environ.get("SUFFICE_BROWSER"):
            item.add_marker(pytest.mark.skip(reason=WHY))


@pytest.fixture(scope="session")
def chromium():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        yield browser
        browser.close()


class Opened:
    """A page of a file, what it asked the network for, and what it complained of."""

    def __init__(self, page, path):
        self.page, self.asked, self.complaints = page, [], []
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("console", lambda said: self.complaints.append(said.text) if said.type != "log" else None)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.address = path.as_uri()
        page.goto(self.address)

    def quiet(self):
        """It asked for nothing but itself, and nothing went wrong."""
        assert self.asked == [self.address]
        assert self.complaints == []


@pytest.fixture
def opened(chromium):
    """`opened(path, width=1000)` shows a file."""
    contexts = []

    def show(path, width=1000, **options):
        contexts.append(chromium.new_context(viewport={"width": width, "height": 900}, **options))
        return Opened(contexts[-1].new_page(), path)

    yield show
    for context in contexts:
        context.close()
