"""What every picture shares: axes, colours that colour-blind readers can tell apart, and fonts for any script."""

import unicodedata
from typing import Any

import numpy as np
import scipy

from suffice.errors import MissingFontWarning, ParameterError, warn

# Okabe and Ito's colours, without the yellow that vanishes on white; markers tell classes apart once more
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
MARKERS = "os^Dv"  # fewer than colours, so that the pairs repeat late
CJK_FONTS = ("Noto Sans CJK", "Noto Serif CJK", "Source Han", "WenQuanYi", "Microsoft YaHei", "SimHei", "PingFang")


def axes(ax: Any = None) -> Any:
    """The axes given, or new ones."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ParameterError("Pictures need matplotlib: pip install 'suffice[plots]'.") from error
    return pyplot.subplots(layout="constrained")[1] if ax is None else ax


def style(index: int) -> dict[str, str]:
    """Colour and marker of a class."""
    return {"color": COLOURS[index % len(COLOURS)], "marker": MARKERS[index % len(MARKERS)]}


def ellipse(mean: Any, covariance: Any, share: float) -> Any:
    """Points (2, 100) around the region of highest density that holds this share of a Gaussian."""
    turn = np.linspace(0, 2 * np.pi, 100)
    radius = np.sqrt(scipy.stats.chi2.ppf(share, 2))
    return mean[:, None] + radius * np.linalg.cholesky(covariance) @ np.array([np.cos(turn), np.sin(turn)])


def in_any_script(ax: Any) -> Any:
    """The same axes, with every text in a font that has its characters, where one is installed."""
    from matplotlib import font_manager, rcParams
    from matplotlib.text import Text

    ax.get_xticklabels(), ax.get_yticklabels()  # ticks are made when first asked for
    wide = {text: char for text in ax.findobj(Text) if (char := _wide(text.get_text()))}
    installed = {font.name for font in font_manager.fontManager.ttflist}
    able = sorted(name for name in installed if name.startswith(CJK_FONTS))
    if wide and not able:
        warn(
            f"No installed font has {next(iter(wide.values()))!r}; labels will show boxes. Install one such as "
            "Noto Sans CJK (Debian: fonts-noto-cjk) and start Python again.",
            MissingFontWarning,
        )
    for text in wide if able else ():
        text.set_fontfamily([*rcParams["font.sans-serif"][:1], *able])
    return ax


def _wide(text: str) -> str | None:
    return next((char for char in text if unicodedata.east_asian_width(char) in "WF"), None)
