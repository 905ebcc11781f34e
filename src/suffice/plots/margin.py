"""The margin, and the rows that hold it.

In:  a MarginClassifier and the rows it was fitted on.
Out: axes. Over two numeric columns, the plane: the line, its margins, and rings around the rows that hold them. Over
     others, the score of each row.
"""

from typing import TYPE_CHECKING

import numpy as np

from suffice.arrays import Array, Codes
from suffice.data.frames import named_apart
from suffice.data.labels import IntoLabels
from suffice.data.levels import Level, plain
from suffice.data.table import IntoTable, Table, read_table
from suffice.errors import ParameterError
from suffice.estimators.discriminative import MarginClassifier
from suffice.plots.along import around
from suffice.plots.canvas import axes, in_any_script
from suffice.plots.densities import among
from suffice.plots.style import DARK, GREY, Look, bare, dots, legend, short, strips
from suffice.printing.language import say

if TYPE_CHECKING:  # which is loaded when something is drawn
    from matplotlib.axes import Axes

EDGES: Look = {"colors": DARK, "linewidths": [0.8, 1.2, 0.8], "linestyles": ["--", "-", "--"]}
RING: Look = {"s": 46, "facecolors": "none", "edgecolors": DARK, "linewidths": 0.8, "zorder": 4}
RESOLUTION = 100


def margin(
    model: MarginClassifier, X: IntoTable, y: IntoLabels, positive: Level | None = None, ax: "Axes | None" = None
) -> "Axes":
    """Draw the rows a MarginClassifier was fitted on, its support, and where its score is 0 (solid) and ±1 (dashed).

    With more than two classes, each has a margin against all others: choose one with positive=…

    >>> from suffice import MarginClassifier, example, plots
    >>> columns, _ = example("watermelon")
    >>> table, ripe = {"density": columns["密度"], "sugar": columns["含糖率"]}, ["ripe"] * 8 + ["not"] * 9
    >>> ax = plots.margin(MarginClassifier(C=10).fit(table, ripe), table, ripe)

    """
    if not isinstance(model, MarginClassifier):
        raise ParameterError(f"Only a MarginClassifier has a margin to draw; found {type(model).__name__}.")
    X, y = named_apart(X, y)
    names, table = tuple(plain(name) for name in model.classes_), read_table(X)
    k, places = _against(names, positive), among(names, y, table.rows)
    support = _support(model, k, table.rows)
    ax = axes(ax, 3.3)
    flat = set(table.names) <= set(model.columns_) and len(table.names) == 2  # numbers both
    (_plane if flat else _scores)(ax, model, table, X, k, places, support)
    ring = say("support: {n} of {total} rows", n=len(support), total=table.rows)
    ax.scatter([], [], label=ring, **RING)
    legend(ax, say("{name} against the rest", name=short(names[k])) if len(names) > 2 else "")
    return in_any_script(ax)


def _against(names: tuple[Level, ...], positive: Level | None) -> int:
    """The margin that is meant: of two classes the only one."""
    if len(names) == 2:
        return 0
    if positive is None or plain(positive) not in names:
        raise ParameterError(f"Say which of {list(names)} against the rest: positive=...; found {positive!r}.")
    return names.index(plain(positive))


def _support(model: MarginClassifier, k: int, rows: int) -> Codes:
    if model.model_.of_rows is None:
        raise ParameterError("A model that was loaded from a file has no rows any more. Fit it again.")
    found = np.asarray(model.support_[k])
    if len(model.slack_) != rows:
        raise ParameterError(f"A margin needs the {len(model.slack_)} rows that the model was fitted on; found {rows}.")
    return found


def _plane(
    ax: "Axes", model: MarginClassifier, table: Table, X: IntoTable, k: int, places: Codes, support: Codes
) -> None:
    points = table.numbers(table.names, slice(0, table.rows))
    _rows(ax, model, points, places, support)
    span = [around(cells, 0.08, RESOLUTION) for cells in points.T]
    grid = np.stack(np.meshgrid(*span), axis=-1).reshape(-1, 2)
    score = _score(model, dict(zip(table.names, grid.T, strict=True)) if table.named else grid, k)
    ax.contour(*span, score.reshape(RESOLUTION, RESOLUTION), levels=[-1, 0, 1], **EDGES)
    ax.set(xlabel=short(table.names[0]), ylabel=short(table.names[1]))


def _scores(
    ax: "Axes", model: MarginClassifier, table: Table, X: IntoTable, k: int, places: Codes, support: Codes
) -> None:
    points = np.column_stack([_score(model, X, k), strips(places)])
    _rows(ax, model, points, places, support)
    for level, width in ((-1, 0.8), (0, 1.2), (1, 0.8)):
        ax.axvline(level, color=DARK if level == 0 else GREY, linewidth=width, linestyle="--" if level else "-")
    ax.set(xlabel=say("score: the margin is from −1 to 1"), yticks=[])
    bare(ax, "left")


def _score(model: MarginClassifier, X: IntoTable, k: int) -> Array:
    scores = np.asarray(model.decision_function(X))
    return scores if scores.ndim == 1 else scores[:, k]


def _rows(ax: "Axes", model: MarginClassifier, points: Array, places: Codes, support: Codes) -> None:
    for k, name in enumerate(model.classes_):
        mine = points[places == k]
        ax.scatter(mine[:, 0], mine[:, 1], s=14, linewidths=0, alpha=0.75, label=short(name), **dots(k))
    ax.scatter(points[support, 0], points[support, 1], **RING)
