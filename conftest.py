"""For every test and example: pictures that it leaves open are closed, and the option --quick, by which fewer run."""

import sys
from collections.abc import Iterator

import pytest

collect_ignore = ["docs/en/conf.py"]  # which Sphinx reads, whether or not it is here
COLLECTED = pytest.StashKey[list[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="a choice of tests, for daily work: see tests/quick.py")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    config.stash[COLLECTED] = [item.nodeid for item in items]
    if config.getoption("quick"):
        from quick import chosen

        stay = chosen(config.stash[COLLECTED])
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in stay])
        items[:] = [item for item in items if item.nodeid in stay]


@pytest.fixture
def collected(request: pytest.FixtureRequest) -> list[str]:
    """The ids of all tests that were found, those included that --quick leaves out."""
    return request.config.stash[COLLECTED]


@pytest.fixture(autouse=True)
def pictures_closed() -> Iterator[None]:
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
