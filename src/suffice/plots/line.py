"""Decision regions over one column: p(x | class) P(class) of each class, which action where, and the area of error."""

from typing import TYPE_CHECKING

import numpy as np

from suffice.arrays import Array, Codes
from suffice.data.columns import TEXT
from suffice.data.levels import Levels
from suffice.data.table import Table
from suffice.decisions.decide import Decision, decide
from suffice.decisions.loss import IntoLoss
from suffice.errors import ParameterError
from suffice.estimators.boundaries import bayes_error
from suffice.estimators.generative import GenerativeClassifier
from suffice.plots.along import along
from suffice.plots.canvas import Classifier
from suffice.plots.style import DARK, Look, colour, curve, legend, others, short
from suffice.printing.language import say

if TYPE_CHECKING:  # which is loaded when something is drawn
    from matplotlib.axes import Axes

ROOM = 0.25  # of the range of the rows, on either side


def line(
    ax: "Axes", model: Classifier, table: Table, places: Codes, names: Levels, decided: Decision, loss: IntoLoss
) -> None:
    """Draw curves, regions and rows; posteriors instead of densities for a classifier that has none.

    `places` are the classes of the rows, among `names`.
    """
    [name] = table.names
    if table.type(name) == TEXT:
        raise ParameterError(f"Regions over one column are drawn over numbers; '{name}' holds text.")
    cells = table.numbers([name], slice(0, table.rows))[:, 0]
    x, step = along(model, name, cells, ROOM)
    rows = {name: x} if table.named else x[:, None]
    chosen, ours = decide(model.predict_proba(rows), loss, model.classes_), isinstance(model, GenerativeClassifier)
    curves = np.exp(model.log_joint(rows)) if isinstance(model, GenerativeClassifier) else model.predict_proba(rows)
    look: Look = {"drawstyle": "steps-mid"} if step else {}
    _regions(ax, x, chosen, names)
    for k, known in enumerate(names):
        ax.plot(x, curves[:, k], label=short(known), **curve(k), **look)
    if isinstance(model, GenerativeClassifier) and loss is None and len(names) > 1:
        _error(ax, x, curves, model, step)
    top = float(curves.max())
    _rug(ax, cells, places, len(names), top)
    label = f"p(x | {say('class')}) P({say('class')})" if ours else f"P({say('class')} | x)"
    ax.set(xlabel=short(name), ylabel=label, xlim=(x[0], x[-1]), ylim=(-0.04 * (len(names) + 1) * top, 1.05 * top))
    found, _ = ax.get_legend_handles_labels()
    legend(ax, handles=[*found, *others(chosen.actions, names)])


def _regions(ax: "Axes", x: Array, chosen: Decision, names: Levels) -> None:
    """Behind the curves, the colour of the best action; a line where it changes."""
    edges = np.flatnonzero(np.diff(chosen.best)) + 1
    middles = (x[edges - 1] + x[edges]) / 2
    ends = np.concatenate([x[:1], middles, x[-1:]])
    for start, end, place in zip(ends[:-1], ends[1:], np.concatenate([[0], edges]), strict=True):
        action = chosen.actions[chosen.best[place]]
        known = action in names
        shade: Look = {"color": colour(names.index(action) if known else -1), "alpha": 0.13 if known else 0.35}
        ax.axvspan(start, end, linewidth=0, **shade)
    for middle in middles:
        ax.axvline(middle, color=DARK, linewidth=0.8, linestyle=":")


def _rug(ax: "Axes", cells: Array, places: Codes, classes: int, top: float) -> None:
    """The rows below the axis, a line for each class."""
    for k in range(classes):
        mine = cells[places == k]
        low = np.full(len(mine), -0.04 * (k + 1) * top)
        ax.plot(mine, low, "|", color=colour(k), alpha=0.7, markersize=4, markeredgewidth=0.7)


def _error(ax: "Axes", x: Array, curves: Array, model: GenerativeClassifier, step: bool) -> None:
    """What the most probable class leaves to the others."""
    found = bayes_error(model)
    wrong = curves.sum(axis=1) - curves.max(axis=1)
    look: Look = {"facecolor": "none", "edgecolor": DARK, "hatch": "/////", "linewidth": 0.0}
    look |= {"step": "mid"} if step else {}
    ax.fill_between(x, wrong, label=say("P(error) = {value}", value=f"{found.value:.4g}"), **look)
