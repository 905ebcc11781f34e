"""What every picture shares: axes, colours that colour-blind readers can tell apart, and fonts for any script."""

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import scipy

from suffice.arrays import Array, Values
from suffice.data.table import IntoTable
from suffice.errors import MissingFontWarning, ParameterError, warn
from suffice.plots.fonts import families_for, lacking, say_once
from suffice.words import listed

if TYPE_CHECKING:  # which is loaded when something is drawn
    from matplotlib.axes import Axes

Look = dict[str, Any]  # how something is drawn, in the words of matplotlib


class Classifier(Protocol):
    """What a picture asks of a model, whoever wrote it."""

    classes_: Values

    def predict_proba(self, X: IntoTable) -> Array: ...


# Okabe and Ito's colours, without the yellow that vanishes on white; markers tell classes apart once more
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
MARKERS = "os^Dv"  # fewer than colours, so that the pairs repeat late


def axes(ax: "Axes | None" = None) -> "Axes":
    """The axes given, or new ones."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ParameterError("Pictures need matplotlib: pip install 'suffice[plots]'.") from error
    return pyplot.subplots(layout="constrained")[1] if ax is None else ax


def style(index: int) -> Look:
    """Colour and marker of a class."""
    return {"color": COLOURS[index % len(COLOURS)], "marker": MARKERS[index % len(MARKERS)]}


def ellipse(mean: Array, covariance: Array, share: float) -> Array:
    """Points (2, 100) around the region of highest density that holds this share of a Gaussian."""
    turn = np.linspace(0, 2 * np.pi, 100)
    radius = np.sqrt(scipy.stats.chi2.ppf(share, 2))
    circle = np.array([np.cos(turn), np.sin(turn)])
    return np.asarray(mean[:, None] + radius * np.linalg.cholesky(covariance) @ circle)


def in_any_script(ax: "Axes") -> "Axes":
    """The same axes, with every text in fonts that have its characters, where there are any on this machine."""
    from matplotlib.text import Text

    ax.get_xticklabels(), ax.get_yticklabels()  # ticks are made when first asked for
    texts = {text: chars for text in ax.findobj(Text) if (chars := lacking(text))}
    found, left = families_for(set().union(*texts.values()))
    for text in texts if found else ():
        text.set_fontfamily([*text.get_fontfamily(), *found])
    if left:
        warn(
            f"No font on this machine has {listed(sorted(left))}; labels will show boxes. Install one, such as "
            "Noto Sans CJK (Debian: fonts-noto-cjk) for Chinese, and draw again.",
            MissingFontWarning,
        )
        say_once(left)
    return ax
