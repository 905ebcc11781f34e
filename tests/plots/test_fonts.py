"""Labels in any script: the fonts of the machine are found without a restart; without one there is one warning."""

import io
import warnings

import matplotlib as mpl
import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from matplotlib import font_manager
from matplotlib import pyplot as plt

from suffice import LinearDiscriminant, NaiveBayes, example, explain, plots
from suffice.errors import MissingFontWarning
from suffice.plots import fonts
from suffice.plots.canvas import in_any_script

mpl.use("Agg")
MELONS = "密度含糖率是否"
SCRIPTS = ["瓜", "가", "ひ", "ሀ", "ཀ", "🍉"]  # Chinese, Korean, Japanese, Ethiopic, Tibetan, a picture


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture
def disk(monkeypatch):
    """A machine whose only fonts are those that come with matplotlib, and the paths put into this list."""
    own = [font for font in font_manager.fontManager.ttflist if font.fname.startswith(mpl.get_data_path())]
    paths = []
    monkeypatch.delenv("MPL_IGNORE_SYSTEM_FONTS", raising=False)  # with it matplotlib takes no font but its own
    monkeypatch.setattr(font_manager.fontManager, "ttflist", own)
    monkeypatch.setattr(font_manager, "findSystemFonts", lambda *_, **__: list(paths))
    return paths


def font_file(folder, name, characters):
    """A font with these characters, all of them squares."""
    path = str(folder / f"{name}.ttf")
    pen = TTGlyphPen(None)
    for step, point in zip(
        ("moveTo", "lineTo", "lineTo", "lineTo"), ((0, 0), (0, 700), (700, 700), (700, 0)), strict=True
    ):
        getattr(pen, step)(point)
    pen.closePath()
    square, glyphs = pen.glyph(), [".notdef", *(f"u{ord(char):05X}" for char in characters)]
    font = FontBuilder(1000, isTTF=True)
    font.setupGlyphOrder(glyphs)
    font.setupCharacterMap(dict(zip(map(ord, characters), glyphs[1:], strict=True)))
    font.setupGlyf(dict.fromkeys(glyphs, square))
    font.setupHorizontalMetrics(dict.fromkeys(glyphs, (800, 0)))
    font.setupHorizontalHeader(ascent=800, descent=-200)
    font.setupNameTable({"familyName": name, "styleName": "Regular"})
    font.setupOS2()
    font.setupPost()
    font.save(path)
    return path


def melons():
    columns, labels = example("watermelon")
    numbers = {name: columns[name] for name in ("密度", "含糖率")}
    return plots.discriminant(LinearDiscriminant(estimate="unbiased").fit(numbers, labels), numbers, labels)


def titled(text):
    _, ax = plt.subplots()
    ax.set_title(text)
    return in_any_script(ax)


def draw(ax):
    ax.figure.savefig(io.BytesIO())


def test_a_font_installed_since_matplotlib_made_its_list_is_found(disk, tmp_path):
    disk.append(font_file(tmp_path, "Melon", MELONS))
    ax = melons()
    draw(ax)  # a character that is missing would be a warning, and so an error
    assert ax.get_legend().get_texts()[0].get_fontfamily()[-1] == "Melon"


def test_a_font_installed_after_the_warning_is_found_when_drawing_again(disk, tmp_path):
    with pytest.warns(MissingFontWarning, match="draw again"):
        melons()
    disk.append(font_file(tmp_path, "Melon", MELONS))
    draw(melons())


def test_without_a_font_there_is_one_warning_and_no_more(disk):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        draw(melons())
    assert [one.category for one in told] == [MissingFontWarning]
    message = str(told[0].message)
    assert "fonts-noto-cjk" in message
    assert all(repr(char) in message for char in "是否")


@pytest.mark.parametrize("char", SCRIPTS)
def test_any_script(char, disk, tmp_path):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        titled(f"x = {char}")
    assert [repr(char) in str(one.message) for one in told] == [True]
    disk.append(font_file(tmp_path, "Some", char))
    assert titled(f"x = {char}").title.get_fontfamily()[-1] == "Some"


def test_characters_that_no_single_font_has_come_from_several(disk, tmp_path):
    disk.extend([font_file(tmp_path, "One", "瓜"), font_file(tmp_path, "Other", "ሀ")])
    ax = titled("瓜 ሀ")
    draw(ax)
    assert set(ax.title.get_fontfamily()[-2:]) == {"One", "Other"}


def test_simplified_forms_are_taken_before_others(disk, tmp_path):
    disk.extend(font_file(tmp_path, name, "瓜") for name in ("Noto Sans CJK HK", "A font", "Noto Sans CJK SC"))
    assert titled("瓜").title.get_fontfamily()[-1] == "Noto Sans CJK SC"


def test_of_several_scripts_the_one_without_a_font_is_named(disk, tmp_path):
    disk.append(font_file(tmp_path, "One", "瓜"))
    with pytest.warns(MissingFontWarning, match="has 'ሀ';"):
        titled("瓜 ሀ")


def test_a_font_that_the_user_chose_is_left_alone(disk, tmp_path):
    font_manager.fontManager.addfont(font_file(tmp_path, "Mine", "瓜"))
    disk.append(font_file(tmp_path, "Other", "瓜"))
    with mpl.rc_context({"font.family": ["DejaVu Sans", "Mine"]}):
        assert titled("瓜").title.get_fontfamily() == ["DejaVu Sans", "Mine"]


def test_files_that_are_no_fonts_are_passed_over(disk, tmp_path):
    broken, gone = tmp_path / "broken.ttf", tmp_path / "gone.ttf"
    broken.write_bytes(b"no font")
    disk.extend([str(broken), str(gone), font_file(tmp_path, "One", "瓜")])
    assert titled("瓜").title.get_fontfamily()[-1] == "One"


def test_labels_that_matplotlib_can_write_are_left_alone(disk):
    for text in ("plain", "naïve − ± Σ⁻¹ λ Жук", "two\nlines\tand a tab"):
        assert titled(text).title.get_fontfamily() == mpl.rcParams["font.family"]


def test_chinese_pictures_with_a_font_of_this_machine():
    columns, good = example("watermelon")
    texts = "".join([*columns, *good, *(cell for cells in columns.values() for cell in cells if isinstance(cell, str))])
    left = fonts.families_for({char for char in texts if not char.isascii()})[1]
    if left:
        pytest.skip(f"no font on this machine has {''.join(sorted(left))}: install one, such as fonts-noto-cjk")
    found = explain(NaiveBayes(kinds={"编号": "ignore"}).fit(columns, good), columns)
    for ax in (melons(), plots.explanation(found, row=2)):
        draw(ax)
