"""What is written on pictures: no text touches another or leaves the canvas, whatever the names."""

import io
import itertools
import re
import sys
import warnings
from pathlib import Path

import matplotlib as mpl
import pytest
from matplotlib import font_manager
from matplotlib import pyplot as plt
from matplotlib.text import Text

from plots.worlds import CHINESE, WORLDS
from suffice import QuadraticDiscriminant, explain, language, plots
from suffice.errors import MissingFontWarning
from suffice.plots import fonts

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import gallery  # noqa: E402

mpl.use("Agg")
SLACK = 1.0  # pixels that boxes may share: glyphs do not fill theirs


@pytest.fixture
def written(monkeypatch):
    """A picture → every text that is drawn on it, with its box in pixels."""

    def of(ax):
        found, draw = {}, Text.draw

        def noted(text, renderer):
            if text.get_visible() and text.get_text().strip():
                found[text] = text.get_window_extent(renderer)
            draw(text, renderer)

        with monkeypatch.context() as patch:
            patch.setattr(Text, "draw", noted)
            ax.figure.savefig(io.BytesIO(), dpi=ax.figure.dpi)
        return [(text.get_text(), box) for text, box in found.items()]

    return of


def touching(texts):
    for (one, a), (other, b) in itertools.combinations(texts, 2):
        across, down = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
        if across > SLACK and down > SLACK:
            yield one, other


def outside(texts, figure):
    canvas = figure.bbox
    for text, box in texts:
        if box.x0 < -SLACK or box.y0 < -SLACK or box.x1 > canvas.x1 + SLACK or box.y1 > canvas.y1 + SLACK:
            yield text


def check(ax, written):
    texts = written(ax)
    assert texts
    assert list(touching(texts)) == []
    assert list(outside(texts, ax.figure)) == []


def chinese_font():
    words = "".join([*CHINESE.columns, *CHINESE.classes, *CHINESE.levels])
    left = fonts.families_for({char for char in words if not char.isascii()})[1]
    if left:
        pytest.skip(f"no font on this machine has {''.join(sorted(left))}: install one, such as fonts-noto-cjk")


def test_the_check_finds_what_touches_and_what_is_cut_off(written):
    fig = mpl.figure.Figure()
    ax = fig.subplots()
    ax.text(0.5, 0.5, "one")
    ax.text(0.51, 0.51, "other")
    ax.text(1.1, 0.2, "a text that goes on beyond the right edge")
    texts = written(ax)
    assert list(touching(texts)) == [("one", "other")]
    assert list(outside(texts, fig)) == ["a text that goes on beyond the right edge"]


@pytest.mark.parametrize("name", plots.__all__)
@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.name)
def test_hard_names(name, world, written):
    check(world.draw(name), written)


@pytest.mark.parametrize("name", plots.__all__)
def test_chinese_names_in_chinese(name, written):
    chinese_font()
    with language("zh"):
        check(CHINESE.draw(name), written)


def test_four_in_one_figure(written):
    axs = plt.subplots(2, 2, figsize=(7, 6), layout="constrained")[1].ravel()
    world = WORLDS[0]
    model = QuadraticDiscriminant(estimate="map").fit(world.plane, world.y)
    plots.regions(model, world.plane, world.y, world.loss, axs[0])
    plots.roc(model, world.plane, world.y, world.classes[0], ax=axs[1])
    plots.explanation(explain(world.naive, world.X, world.pair), 7, axs[2])
    plots.confusion(model, world.plane, world.y, ax=axs[3])
    check(axs[0], written)


@pytest.mark.parametrize("spoken", ["en", "zh"])
def test_the_gallery(spoken, written):
    if spoken == "zh":
        chinese_font()
    with language(spoken):
        for _, ax in gallery.drawn([picture for picture in gallery.PICTURES if picture.spoken in ("", spoken)]):
            check(ax, written)


@pytest.mark.parametrize("name", plots.__all__)
def test_without_a_font_one_warning_names_the_characters(name, monkeypatch):
    """On a machine whose only fonts are those that come with matplotlib."""
    own = [font for font in font_manager.fontManager.ttflist if font.fname.startswith(mpl.get_data_path())]
    monkeypatch.setattr(font_manager.fontManager, "ttflist", own)
    monkeypatch.setattr(font_manager, "findSystemFonts", lambda *_, **__: [])
    with warnings.catch_warnings(record=True) as told, language("zh"):
        warnings.simplefilter("always", MissingFontWarning)
        warnings.filterwarnings("always", message="Glyph")
        CHINESE.draw(name).figure.savefig(io.BytesIO())
    assert [one.category for one in told] == [MissingFontWarning]
    assert re.findall("'([\u4e00-\u9fff])'", str(told[0].message))
