"""The one style of all pictures: what a class looks like, sizes for a column of a journal, names and legends that fit.

In:  places of classes, names of any length and script. Out: colours, markers and lines that colour-blind readers can
     tell apart; texts cut or broken to the room there is; a legend above the axes, where it covers nothing.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

import numpy as np

from suffice.arrays import Array, Codes
from suffice.data.levels import Levels
from suffice.decisions.loss import REJECT
from suffice.printing.language import say, worded
from suffice.printing.text import shortened, width

if TYPE_CHECKING:  # which is loaded when something is drawn
    from matplotlib.axes import Axes

Look = dict[str, Any]  # how something is drawn, in the words of matplotlib

COLUMN, PAGE = 3.5, 7.0  # inches: one column of a journal, and both
LABEL, TICK = "small", "x-small"  # beside the size that the user has set: 8.3 and 6.9 points of 10
LINE, FREE = 0.135, 2  # inches that a line of a legend takes; lines that every figure has room for
OURS: "WeakSet[Any]" = WeakSet()  # figures that were made for a picture
EM = {LABEL: 0.833, TICK: 0.694}
WIDE = 0.62  # of an em: about what a character takes, of Chinese half a one
NAME = 24  # characters of a name that are shown

# Okabe and Ito's colours, without the yellow that vanishes on white; markers and lines tell classes apart once more
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
MARKERS = "os^Dv"  # fewer than colours, so that the pairs repeat late
LINES = ("-", "--", "-.", ":")  # a new one where colours begin again
DARK, GREY, LIGHT, PALE = "#333333", "#888888", "#BBBBBB", "#EDEDED"
GUIDE: Look = {"color": GREY, "linewidth": 0.8, "linestyle": (0, (3, 2))}
BLANK: Look = {"facecolor": "white", "edgecolor": "none", "pad": 0.4}  # behind a text that crosses lines
POINT: Look = {"color": DARK, "marker": "o", "markersize": 6, "markeredgecolor": "white", "linestyle": "none"}


def colour(index: int) -> str:
    """Of a class by its place among all; −1 is no class."""
    return GREY if index < 0 else COLOURS[index % len(COLOURS)]


def dots(index: int) -> Look:
    """Colour and marker of the rows of a class."""
    return {"color": colour(index), "marker": MARKERS[index % len(MARKERS)]}


def curve(index: int) -> Look:
    """Colour and line of the density of a class."""
    return {"color": colour(index), "linestyle": LINES[index // len(COLOURS) % len(LINES)], "linewidth": 1.3}


def said(name: str) -> str:
    """A name of ours in the language in use; as it is where a user brought it."""
    return str(worded(name))


def short(name: object, most: int = NAME) -> str:
    """A name with its middle left out where it is long."""
    return shortened(str(name), most)


def points(text: str, size: str) -> float:
    """About how wide a text is, in points."""
    from matplotlib import rcParams

    longest = max(map(width, text.split("\n")))
    return longest * WIDE * EM[size] * float(rcParams["font.size"])


def room(ax: "Axes") -> float:
    """How wide the axes are, in points."""
    figure: Any = ax.figure
    return float(ax.get_position().width * figure.get_figwidth() * 72)


def signed(value: float, digits: int = 2) -> str:
    return f"{value:+.{digits}f}".replace("-", "−").replace("inf", "∞")


def broken(parts: Iterable[str], available: float, size: str = LABEL) -> str:
    """Parts of a heading beside each other, in as many lines as the room asks for."""
    lines = [""]
    for part in filter(None, parts):
        longer = f"{lines[-1]} · {part}" if lines[-1] else part
        if lines[-1] and points(longer, size) > available:
            lines.append(part)
        else:
            lines[-1] = longer
    return "\n".join(lines)


def titled(ax: "Axes", across: str, up: str) -> None:
    """Names of both axes, in lines that are no longer than the axes."""
    figure: Any = ax.figure
    long, high = room(ax), float(ax.get_position().height * figure.get_figheight() * 72)
    square = ax.get_aspect() != "auto"
    ax.set_xlabel(_in_lines(across, min(long, high) if square else long))
    ax.set_ylabel(_in_lines(up, min(long, high) if square else high))


def _in_lines(text: str, available: float) -> str:
    """Broken at spaces; a line may go a little beyond the axes."""
    lines, available = [""], 1.1 * available
    for part in text.split(" "):
        longer = f"{lines[-1]} {part}".strip()
        lines[-1:] = [longer] if points(longer, LABEL) <= available or not lines[-1] else [lines[-1], part]
    return "\n".join(lines)


def heading(ax: "Axes", *parts: str) -> None:
    """What the picture says in numbers, above it."""
    ax.set_title(broken(parts, room(ax)), loc="left", fontsize=LABEL)


def legend(ax: "Axes", *parts: str, handles: Sequence[Any] | None = None) -> None:
    """Above the axes, in as many columns as fit, below the heading; labels are as long as their writer lets them be."""
    found, labels = ax.get_legend_handles_labels() if handles is None else (handles, [h.get_label() for h in handles])
    if not labels:
        heading(ax, *parts)
        return
    columns, title = _columns(labels, room(ax)), broken(parts, room(ax))
    _grow(ax, -(-len(labels) // columns) + title.count("\n"))
    look: Look = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "borderaxespad": 0.3, "frameon": False}
    look |= {"alignment": "left", "handlelength": 1.4, "handletextpad": 0.5, "columnspacing": 1.0}
    shown = ax.legend(found, labels, ncols=columns, fontsize=TICK, **look)
    shown.set_title(title)
    shown.get_title().set_fontsize(LABEL)


def _columns(labels: Sequence[str], available: float) -> int:
    """As many columns as fit beside each other, filled from the left as matplotlib does."""
    wide = [points(label, TICK) + 24 for label in labels]  # with marker and gaps
    for number in range(len(wide), 1, -1):
        if sum(max(part) for part in np.array_split(wide, number)) <= available:
            return number
    return 1


def _grow(ax: "Axes", lines: int) -> None:
    """More height for a long legend, where the figure is ours."""
    figure: Any = ax.figure
    if figure in OURS and lines > FREE:
        figure.set_figheight(figure.get_figheight() + LINE * (lines - FREE))


def dressed(ax: "Axes") -> "Axes":
    """Axes with little ink: no frame where nothing is read off, small ticks."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set(color=DARK, linewidth=0.7)
    ax.tick_params(labelsize=TICK, length=2.5, width=0.7, color=DARK)
    for label in (ax.xaxis.label, ax.yaxis.label):
        label.set_fontsize(LABEL)
    return ax


def bare(ax: "Axes", *sides: str) -> None:
    """Without the lines of some sides, and without ticks there."""
    ax.spines[list(sides)].set_visible(False)
    without: Look = dict.fromkeys(sides, False)
    ax.tick_params(**without)


def others(actions: Levels, classes: Levels) -> list[Any]:
    """For a legend: the grey of actions that are no classes, such as rejection."""
    from matplotlib.patches import Patch

    told = [say("reject") if action == REJECT else short(action) for action in actions if action not in classes]
    return [Patch(facecolor=GREY, alpha=0.35, linewidth=0, label=", ".join(told))] if told else []


def strips(places: Codes) -> Array:
    """Heights of rows in a strip for each class, jittered the same way every time."""
    return np.asarray(places + np.random.default_rng(0).uniform(-0.3, 0.3, len(places)))
