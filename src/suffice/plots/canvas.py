"""What every picture starts and ends with: axes to draw in, panels inside them, and fonts for any script."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import scipy

from suffice.arrays import Array, Values
from suffice.data.table import IntoTable
from suffice.errors import MissingFontWarning, ParameterError, warn
from suffice.extras import needed
from suffice.options import shown
from suffice.plots.fonts import families_for, lacking, say_once
from suffice.plots.style import COLUMN, OURS, dressed
from suffice.words import listed

if TYPE_CHECKING:  # which is loaded when something is drawn
    from matplotlib.axes import Axes


class Classifier(Protocol):
    """What a picture asks of a model, whoever wrote it."""

    classes_: Values

    def predict_proba(self, X: IntoTable) -> Array: ...


def axes(ax: "Axes | None" = None, height: float = 2.8, width: float = COLUMN) -> "Axes":
    """The axes given, or new ones of a size in inches; in our style."""
    pyplot = needed("matplotlib.pyplot", "plots", "A picture")
    if ax is None:
        figure, ax = pyplot.subplots(figsize=(width, height), layout="constrained")
        OURS.add(figure)
    elif not isinstance(ax, pyplot.Axes):
        raise ParameterError(f"ax must be matplotlib axes, as pyplot.subplots makes them; found {shown(ax)}.")
    return dressed(ax)


def expected(found: object, kind: type, what: str) -> None:
    """Refuse what this is no picture of."""
    if not isinstance(found, kind):
        raise ParameterError(f"This picture shows {what}; found {shown(found)}.")


def panels(ax: "Axes", number: int, across: int) -> list["Axes"]:
    """Axes beside and below each other in the place of others, which become the line above them, for a legend."""
    figure: Any = ax.figure
    place, down = ax.get_subplotspec(), -(-number // across)
    if place is None:
        raise ParameterError("Several panels need axes in a grid, as pyplot.subplots makes them; these are in none.")
    grid = place.subgridspec(down + 1, across, height_ratios=[1e-3, *[1] * down])
    ax.set_subplotspec(grid[0, :])
    ax.axis("off")
    spots = (divmod(i, across) for i in range(number))
    return [dressed(figure.add_subplot(grid[row + 1, column])) for row, column in spots]


def ellipse(mean: Array, covariance: Array, share: float) -> Array:
    """Points (2, 100) around the region of highest density that holds this share of a Gaussian."""
    turn = np.linspace(0, 2 * np.pi, 100)
    radius = np.sqrt(scipy.stats.chi2.ppf(share, 2))
    circle = np.array([np.cos(turn), np.sin(turn)])
    return np.asarray(mean[:, None] + radius * np.linalg.cholesky(covariance) @ circle)


def settled(ax: "Axes") -> None:
    """Give the axes their final place, so that what is written next can be measured against it."""
    figure: Any = ax.figure
    say_once(_with_fonts((ax,)))
    figure.draw_without_rendering()


def in_any_script(ax: "Axes", *more: "Axes") -> "Axes":
    """The same axes, with every text in fonts that have its characters, where there are any on this machine."""
    left = _with_fonts((ax, *more))
    if left:
        warn(
            f"No font on this machine has {listed(sorted(left))}; labels will show boxes. Install one, such as "
            "Noto Sans CJK (Debian: fonts-noto-cjk) for Chinese, and draw again.",
            MissingFontWarning,
        )
        say_once(left)
    return ax


def _with_fonts(every: "Sequence[Axes]") -> set[str]:
    """Fonts for every text on some axes; the characters that there are none for."""
    from matplotlib.text import Text

    for one in every:
        one.get_xticklabels(), one.get_yticklabels()  # ticks are made when first asked for
    found_in = [text for one in every for text in one.findobj(Text)]
    texts = {text: chars for text in found_in if (chars := lacking(text))}
    found, left = families_for(set().union(*texts.values()))
    for text in texts if found else ():
        text.set_fontfamily([*text.get_fontfamily(), *found])
    return left
