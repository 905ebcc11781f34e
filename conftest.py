"""For every test and example: pictures that it leaves open are closed."""

import sys
from collections.abc import Iterator

import pytest

collect_ignore = ["docs/en/conf.py"]  # which Sphinx reads, whether or not it is here


@pytest.fixture(autouse=True)
def pictures_closed() -> Iterator[None]:
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
