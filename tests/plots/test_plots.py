"""Every picture, drawn: what is on it, and that nothing global changes."""

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import font_manager
from matplotlib import pyplot as plt

from suffice import LinearDiscriminant, QuadraticDiscriminant, example, plots
from suffice.errors import MissingFontWarning

mpl.use("Agg")


@pytest.fixture(autouse=True)
def closed():
    before = dict(mpl.rcParams)
    yield
    plt.close("all")
    assert dict(mpl.rcParams) == before


@pytest.fixture
def penguins():
    columns, labels = example("penguins")
    return {name: values for name, values in columns.items() if name not in ("island", "sex", "year")}, labels


def test_rows_in_two_directions(penguins):
    model = LinearDiscriminant().fit(*penguins)
    ax = plots.discriminant(model, *penguins)
    shown = np.concatenate([points.get_offsets() for points in ax.collections[::2]])
    expected = model.transform(penguins[0])
    assert sorted(np.ma.filled(shown[:, 0], np.nan)[:20]) == pytest.approx(sorted(expected[:20, 0]), nan_ok=True)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["Adelie", "Chinstrap", "Gentoo"]
    assert ax.get_xlabel().startswith("LD1 (87%")


def test_one_direction_is_a_strip(penguins):
    columns, labels = penguins
    two = ["Adelie" if label == "Adelie" else "other" for label in labels]
    ax = plots.discriminant(LinearDiscriminant().fit(columns, two), columns, two)
    assert ax.get_yticks().tolist() == []


def test_axes_in_axes_out(penguins):
    _, ax = plt.subplots()
    assert plots.discriminant(LinearDiscriminant().fit(*penguins), *penguins, ax=ax) is ax


def test_only_linear_discriminants_have_directions(penguins):
    with pytest.raises(ValueError, match="Only a LinearDiscriminant"):
        plots.discriminant(QuadraticDiscriminant().fit(*penguins), *penguins)


def test_chinese_labels_get_a_font_or_a_useful_warning(monkeypatch):
    columns, labels = example("watermelon")
    numbers = {name: columns[name] for name in ("密度", "含糖率")}
    model = LinearDiscriminant().fit(numbers, labels)
    fonts = [font for font in font_manager.fontManager.ttflist if "CJK" not in font.name]
    monkeypatch.setattr(font_manager.fontManager, "ttflist", fonts[:3])
    with pytest.warns(MissingFontWarning, match="fonts-noto-cjk"):
        plots.discriminant(model, numbers, labels)
    fonts[0] = type("Font", (), {"name": "Noto Sans CJK JP"})()
    monkeypatch.setattr(font_manager.fontManager, "ttflist", fonts[:1])
    ax = plots.discriminant(model, numbers, labels)
    assert "Noto Sans CJK JP" in ax.get_legend().get_texts()[0].get_fontfamily()
