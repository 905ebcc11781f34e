"""The gallery is what the code gives: every function of plots, with the line that draws its picture."""

import sys
from pathlib import Path

import pytest

from suffice import plots

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import gallery  # noqa: E402

LARGEST = 1_500_000  # bytes of all pictures


def test_every_picture_is_in_the_gallery():
    assert sorted({picture.name for picture in gallery.PICTURES}) == plots.__all__
    assert [p.line for p in gallery.PICTURES if not p.line.startswith(f"plots.{p.name}(")] == []


@pytest.mark.parametrize("spoken", gallery.HEADS)
def test_the_page_is_what_the_code_gives(spoken):
    page = ROOT / "docs" / spoken / "pages" / "gallery.md"
    assert page.read_text(encoding="utf-8") == gallery.page(spoken), "run make gallery"


def test_the_pictures_are_there_and_small():
    there = {path.name: path.stat().st_size for path in (ROOT / "docs" / "shared" / "gallery").iterdir()}
    assert sorted(there) == sorted(picture.file for picture in gallery.PICTURES)
    assert sum(there.values()) < LARGEST
