"""Fonts for any script: which characters the fonts in use lack, and which fonts on this machine have them.

matplotlib keeps a list of fonts from the day it was first imported; a font installed since is on disk and not in the
list, so the disk is looked at and the font that is found is added. No new start of Python is needed.
"""

import warnings
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # which is loaded when something is drawn
    from matplotlib.font_manager import FontEntry, FontManager
    from matplotlib.text import Text

# families that are known to have Chinese, Japanese and Korean characters: tried first, those in simplified forms before
SIMPLIFIED = ("Noto Sans CJK SC", "Source Han Sans SC", "PingFang SC", "Microsoft YaHei", "SimHei", "WenQuanYi")
CJK_FONTS = (*SIMPLIFIED, "Noto Sans CJK", "Source Han Sans", "PingFang", "Noto Serif CJK", "Source Han")
BOXES = "Last Resort"  # has every character, as a box


def lacking(text: "Text") -> set[str]:
    """Characters of a text on a picture that its own fonts, and the one that comes with matplotlib, do not have."""
    from matplotlib import font_manager, get_data_path, rcParams

    odd = {char for char in text.get_text() if not char.isascii() and char.isprintable()}
    if not odd:
        return odd
    settings: Any = rcParams  # whose types are those of single settings
    names = {name for family in text.get_fontfamily() for name in settings.get(f"font.{family}", [family])}
    own = [font.fname for font in font_manager.fontManager.ttflist if font.name in names]
    return _beyond(odd, [f"{get_data_path()}/fonts/ttf/DejaVuSans.ttf", *own])


def families_for(characters: set[str]) -> tuple[list[str], set[str]]:
    """Families that have the characters, as few as can be, and the characters that no font on this machine has."""
    from matplotlib.font_manager import fontManager

    found, left = _choose(characters, fontManager.ttflist)
    if left:
        more, left = _choose(left, _newly_installed(fontManager))
        found += more
    return found, left


def say_once(characters: Iterable[str]) -> None:
    """Whoever has been told that these characters are missing is not told again for each of them, when it is drawn."""
    codes = "|".join(str(ord(char)) for char in sorted(characters))
    warnings.filterwarnings("ignore", message=rf"Glyph ({codes}) ")


def _choose(characters: set[str], fonts: Iterable["FontEntry"]) -> tuple[list[str], set[str]]:
    found: list[str] = []
    left = characters
    legible = [font for font in fonts if not font.name.startswith(BOXES)]
    for font in sorted(legible, key=lambda font: (_rank(font.name), font.name)):
        rest = _beyond(left, [font.fname]) if left else left
        if len(rest) < len(left):
            found, left = [*found, font.name], rest
    return found, left


def _rank(name: str) -> int:
    return next((rank for rank, known in enumerate(CJK_FONTS) if name.startswith(known)), len(CJK_FONTS))


def _newly_installed(manager: "FontManager") -> list["FontEntry"]:
    """Fonts on disk that are not in the list, which they are added to."""
    from matplotlib.font_manager import findSystemFonts

    before = list(manager.ttflist)
    known = {font.fname for font in before}
    for path in sorted(findSystemFonts()):
        if path not in known and _characters(path):
            manager.addfont(path)
    return [font for font in manager.ttflist if font not in before]


def _beyond(characters: set[str], paths: Iterable[str]) -> set[str]:
    return {char for char in characters if not any(ord(char) in _characters(path) for path in paths)}


def _characters(path: str) -> frozenset[int]:
    """The characters that a font file has; none if it cannot be read."""
    return _read(path, Path(path).stat().st_mtime_ns) if Path(path).is_file() else frozenset()


@cache
def _read(path: str, _changed: int) -> frozenset[int]:
    from matplotlib.ft2font import FT2Font

    try:
        return frozenset(FT2Font(path).get_charmap())
    except (OSError, RuntimeError):  # no font after all, or of a kind that FreeType does not read
        return frozenset()
