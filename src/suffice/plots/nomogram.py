"""A whole model on one sheet: a scale for each column, the widest first; their sum as log odds and as a probability.

In:  a Nomogram, and maybe a row to be marked.
Out: axes. Points of all columns are read off the top; a scale that turns back on itself is drawn as several lines.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from suffice.arrays import Array
from suffice.data.columns import EMPTY, INTEGER, NUMBER
from suffice.data.levels import Level, Levels, missing
from suffice.data.table import Table, read_table
from suffice.decisions.nomogram import Nomogram, Scale
from suffice.errors import ParameterError
from suffice.estimators.reasons import one_row
from suffice.plots.canvas import axes, expected, in_any_script, settled
from suffice.plots.style import (
    BLANK,
    COLOURS,
    DARK,
    GUIDE,
    LIGHT,
    PAGE,
    TICK,
    Look,
    bare,
    heading,
    points,
    room,
    short,
    signed,
)
from suffice.printing.language import say

if TYPE_CHECKING:  # which is loaded when something is drawn
    from matplotlib.axes import Axes

PROBABILITIES = np.array([0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999])
FARTHEST, FAR = 8.0, 25.0  # log odds that are shown at most; points beyond which nothing is left to decide
HIGH = 0.38  # inches for a line
SMALL = 0.1  # of a scale: less is no line of its own
MARK: Look = {"color": COLOURS[1], "marker": "o", "markersize": 6, "markeredgecolor": "white", "zorder": 4}


@dataclass(frozen=True, eq=False)
class Stroke:
    """A line of a scale: values, and what each adds, in one direction where they are numbers."""

    values: Levels
    points: Array
    ordered: bool

    @property
    def marks(self) -> Iterable[tuple[float, str]]:
        """Where texts stand: at every category, or at round numbers."""
        if not self.ordered:
            return [(float(_near(x)), _pointed(x, value)) for x, value in zip(self.points, self.values, strict=True)]
        from matplotlib.ticker import MaxNLocator

        ends = self._numbers[0], self._numbers[-1]
        ticks = [tick for tick in MaxNLocator(8, steps=[1, 2, 5, 10]).tick_values(*ends) if ends[0] <= tick <= ends[1]]
        found = ((self.at(tick), f"{tick:.6g}".replace("-", "−")) for tick in ticks)
        return [(x, text) for x, text in found if abs(x) <= FAR]

    def at(self, value: Any) -> float:
        """The points of a value; NaN where this line does not have it."""
        if not self.ordered:
            return float(self.points[self.values.index(value)]) if value in self.values else np.nan
        x = self._numbers
        return float(np.interp(value, x, self.points)) if x[0] <= value <= x[-1] else np.nan

    @property
    def _numbers(self) -> Array:
        return np.array(self.values, dtype=float)


def nomogram(found: Nomogram, row: Any = None, ax: "Axes | None" = None) -> "Axes":
    """Draw a nomogram: read off the points of each value of a row and add them up to get log odds and probability.

    Columns are sorted by the range of their points. A `row`, {column: value} or a table with one row, is marked on
    every scale, and its sum on the last two; a missing cell adds nothing. Values that add more than 25 stand at the
    edge.

    >>> from suffice import NaiveBayes, example, nomogram, plots
    >>> columns, species = example("penguins")
    >>> model = NaiveBayes(kinds={"year": "ignore"}).fit(columns, species)
    >>> sheet = nomogram(model, columns, ("Adelie", "Chinstrap"))
    >>> ax = plots.nomogram(sheet, {name: cells[0] for name, cells in columns.items()})

    """
    expected(found, Nomogram, "what nomogram(model, X) gives")
    names = sorted(found.scales, key=lambda name: -float(np.ptp(_near(found.scales[name].points))))
    strokes = {name: _strokes(found.scales[name]) for name in names}
    lines = sum(map(len, strokes.values()))
    values = {} if row is None else _values(found, row)
    ax = axes(ax, 1.1 + HIGH * (lines + 2), PAGE)
    heights = _lay_out(ax, found, strokes, lines)
    marks = {name: _marked(name, value, strokes[name], heights[name]) for name, value in values.items()}
    total = found.prior + sum(x for x, _ in marks.values()) if marks else None
    _head(ax, found, total)
    settled(ax)
    ax.vlines(0, -0.8, lines - 0.4, **GUIDE)
    for x, place in marks.values():
        ax.plot(float(_near(x)), place, **MARK)
    for name in names:
        for place, stroke in zip(heights[name], strokes[name], strict=True):
            near = _near(stroke.points)
            _scale(ax, place, stroke.marks, (float(near.min()), float(near.max())))
    _sums(ax, found, lines, total)
    return in_any_script(ax)


def _near(x: ArrayLike) -> Array:
    return np.asarray(np.clip(np.asarray(x, dtype=float), -FAR, FAR))


def _pointed(x: float, value: Level) -> str:
    """The name of a category, with an arrow where it stands farther out."""
    text = short(value, 14)
    return text if abs(x) <= FAR else f"◂ {text}" if x < 0 else f"{text} ▸"


def _strokes(scale: Scale) -> list[Stroke]:
    """The parts of a scale that go one way."""
    if not scale.ordered or len(scale.values) < 3:
        return [Stroke(scale.values, scale.points, scale.ordered)]
    way = np.sign(np.diff(_near(scale.points)))
    turns = [i for i in range(1, len(way)) if way[i] and way[i] != _latest(way[:i])]
    ends = [0]
    for turn in turns:  # a part that is hardly seen goes with the next one
        if np.ptp(scale.points[ends[-1] : turn + 1]) > SMALL * np.ptp(scale.points):
            ends.append(turn)
    last = len(scale.values) - 1
    if len(ends) > 1 and np.ptp(scale.points[ends[-1] :]) <= SMALL * np.ptp(scale.points):
        ends.pop()
    pairs = zip(ends, [*ends[1:], last], strict=True)
    return [Stroke(scale.values[a : b + 1], scale.points[a : b + 1], True) for a, b in pairs]


def _latest(way: Array) -> float:
    moved = way[way != 0]
    return float(moved[-1]) if len(moved) else 0.0


def _lay_out(ax: "Axes", found: Nomogram, strokes: dict[str, list[Stroke]], lines: int) -> dict[str, list[float]]:
    """Limits and names; the heights of the lines of each column."""
    every = _near(np.concatenate([scale.points for scale in found.scales.values()]))
    low, high = float(every.min()), float(every.max())
    beyond = 0.04 * ((high - low) or 1.0)
    ax.set(xlim=(low - beyond, high + beyond), ylim=(lines + 1.9, -0.8), xlabel=say("points, in nats"))
    ax.xaxis.tick_top()
    ax.xaxis.set_label_position("top")
    bare(ax, "left", "bottom")
    ax.spines["top"].set_visible(True)
    heights: dict[str, list[float]] = {}
    for name, parts in strokes.items():
        start = sum(map(len, heights.values()))
        heights[name] = [float(start + i) for i in range(len(parts))]
    names = [short(name) for name in heights]
    sums = [say("total: ln odds"), f"P({short(found.between[0])})"]
    middles = [float(np.mean(places)) for places in heights.values()]
    ax.set_yticks([*middles, lines + 0.5, lines + 1.3], labels=[*names, *sums])
    return heights


def _head(ax: "Axes", found: Nomogram, total: float | None) -> None:
    first, second = (short(name) for name in found.between)
    ways = say("to the right for {first}, to the left for {second}", first=first, second=second)
    prior, row = say("prior {value}", value=signed(found.prior)), ""
    if total is not None:
        row = say("row: ln odds {odds}, P = {share}", odds=signed(total), share=f"{expit(total):.4f}")
    heading(ax, ways, prior, row)


def _scale(ax: "Axes", place: float, marks: Iterable[tuple[float, str]], ends: tuple[float, float]) -> None:
    """A line with its marks; texts above it, below it where there is no room, and none where there neither is."""
    ax.hlines(place, *ends, color=LIGHT, linewidth=1.2, zorder=1)
    left, right = ax.get_xlim()
    unit, last = (right - left) / room(ax), [-np.inf, -np.inf]
    for x, text in sorted(marks):
        ax.plot(x, place, "|", color=DARK, markersize=5, markeredgewidth=0.8)
        half = 0.5 * (points(text, TICK) + 4) * unit
        side = next((side for side in (0, 1) if x - half > last[side]), None)
        if side is not None:
            last[side] = x + half
            look: Look = {"va": "top", "xytext": (0, -4)} if side else {"va": "bottom", "xytext": (0, 4)}
            ax.annotate(text, (x, place), textcoords="offset points", fontsize=TICK, ha="center", bbox=BLANK, **look)


def _sums(ax: "Axes", found: Nomogram, lines: int, total: float | None) -> None:
    """Log odds and probabilities on scales of their own, as wide as all others."""
    least, most = (sum(float(end(_near(scale.points))) for scale in found.scales.values()) for end in (np.min, np.max))
    shown = np.clip([found.prior + least, found.prior + most], -FARTHEST, FARTHEST)
    if shown[0] == shown[1]:
        shown = np.array([-FARTHEST, FARTHEST])
    left, right = ax.get_xlim()
    inset = 0.04 * (right - left)

    def place(log_odds: float) -> float:
        return float(left + inset + (log_odds - shown[0]) / (shown[1] - shown[0]) * (right - left - 2 * inset))

    whole = np.arange(np.ceil(shown[0]), np.floor(shown[1]) + 1)
    inside = [p for p in PROBABILITIES if shown[0] <= logit(p) <= shown[1]]
    ends = left + inset, right - inset
    ax.axhline(lines - 0.2, color=LIGHT, linewidth=0.6)
    _scale(ax, lines + 0.5, [(place(t), f"{t:g}".replace("-", "−")) for t in whole], ends)
    _scale(ax, lines + 1.3, [(place(float(logit(p))), f"{p:g}") for p in inside], ends)
    if total is not None:
        x = place(float(np.clip(total, *shown)))
        ax.plot([x, x], [lines + 0.5, lines + 1.3], **MARK, linewidth=1)


def _values(found: Nomogram, row: Any) -> dict[str, Level]:
    """The row's cells by column, without those that are missing."""
    table = read_table(one_row(row))
    if table.rows != 1:
        raise ParameterError(
            f"Only one row can be marked, {{column: value}} or a table of one row; found {table.rows}."
        )
    cells = {name: _cell(table, name) for name in found.scales if name in table.names}
    return {name: cell for name, cell in cells.items() if not missing(cell)}


def _cell(table: Table, name: str) -> Any:
    if table.type(name) in (NUMBER, INTEGER, EMPTY):
        return float(table.numbers([name], slice(0, 1))[0, 0])
    found = table.encoded(name)
    return found.levels[found.codes[0]] if found.codes[0] >= 0 else None


def _marked(name: str, value: Level, parts: list[Stroke], heights: list[float]) -> tuple[float, float]:
    """What a value adds, and on which line it stands."""
    for stroke, place in zip(parts, heights, strict=True):
        x = stroke.at(value)
        if not np.isnan(x):
            return x, place
    scale = f"from {parts[0].values[0]} to {parts[-1].values[-1]}" if parts[0].ordered else list(parts[0].values)
    raise ParameterError(
        f"The scale of '{name}' has {scale}; the row holds {value!r}. Make the nomogram with rows that hold it too."
    )
