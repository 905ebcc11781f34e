"""Decision regions over one column: p(x | class) P(class) of each class, which action where, and the area of error."""

from typing import TYPE_CHECKING, Any

import numpy as np

from suffice.arrays import Array, Codes
from suffice.data.columns import TEXT
from suffice.data.kinds import KINDS, Range
from suffice.data.levels import Levels, plain
from suffice.data.table import Table
from suffice.decisions.decide import Decision, decide
from suffice.decisions.loss import Loss
from suffice.errors import ParameterError
from suffice.estimators.base import GenerativeClassifier
from suffice.estimators.decision import bayes_error
from suffice.plots.canvas import COLOURS, Classifier, Look

if TYPE_CHECKING:  # which is loaded when something is drawn
    from matplotlib.axes import Axes

GREY = "#BBBBBB"
POINTS = 2001
ROOM = 0.25  # of the range of the rows, on either side


def line(ax: "Axes", model: Classifier, table: Table, codes: Codes, classes: Levels, loss: Loss | None) -> None:
    """Draw curves, regions and rows; posteriors instead of densities for a classifier that has none."""
    [name] = table.names
    if table.type(name) == TEXT:
        raise ParameterError(f"Regions over one column are drawn over numbers; '{name}' holds text.")
    cells = table.numbers([name], slice(0, table.rows))[:, 0]
    x, step = _along(model, name, cells)
    rows = {name: x} if table.named else x[:, None]
    chosen = decide(model.predict_proba(rows), loss, model.classes_)
    names, ours = [plain(known) for known in model.classes_], isinstance(model, GenerativeClassifier)
    curves = np.exp(model.log_joint(rows)) if isinstance(model, GenerativeClassifier) else model.predict_proba(rows)
    look: Look = {"drawstyle": "steps-mid"} if step else {}
    _regions(ax, x, chosen, names)
    for k, known in enumerate(names):
        ax.plot(x, curves[:, k], color=COLOURS[k % len(COLOURS)], label=str(known), **look)
    if isinstance(model, GenerativeClassifier) and loss is None and len(names) > 1:
        _error(ax, x, curves, model, step)
    top = float(curves.max())
    for k, known in enumerate(classes):
        place = names.index(known) if known in names else k
        mine = cells[codes == k]
        ax.plot(
            mine, np.full(len(mine), -0.03 * (place + 1) * top), "|", color=COLOURS[place % len(COLOURS)], alpha=0.7
        )
    label = "p(x | class) P(class)" if ours else "P(class | x)"
    ax.set(xlabel=name, ylabel=label, xlim=(x[0], x[-1]), ylim=(-0.03 * (len(names) + 1) * top, 1.3 * top))
    ax.legend(frameon=False, loc="upper center", ncols=3, fontsize="small")


def _along(model: Classifier, name: str, cells: Array) -> tuple[Array, bool]:
    """Where to draw, around the rows, and whether only whole numbers are possible there."""
    low, high = float(np.nanmin(cells)), float(np.nanmax(cells))
    room = ROOM * ((high - low) or 1.0)
    x = np.linspace(low - room, high + room, POINTS)
    columns = model.joint_.schema.columns if isinstance(model, GenerativeClassifier) else ()
    column = next((column for column in columns if column.name == name), None)
    allowed = KINDS[column.kind].allows(*column.numbers) if column else Range()
    x = np.unique(np.round(x)) if allowed.whole else x
    return x[~allowed.outside(x)], allowed.whole


def _regions(ax: "Axes", x: Array, chosen: Decision, names: list[Any]) -> None:
    """Behind the curves, the colour of the best action; a line where it changes."""
    edges = np.flatnonzero(np.diff(chosen.best)) + 1
    middles = (x[edges - 1] + x[edges]) / 2
    ends = np.concatenate([x[:1], middles, x[-1:]])
    others = set()
    for start, end, place in zip(ends[:-1], ends[1:], np.concatenate([[0], edges]), strict=True):
        action = chosen.actions[chosen.best[place]]
        known = action in names
        ax.axvspan(start, end, color=COLOURS[names.index(action) % len(COLOURS)] if known else GREY, alpha=0.15, lw=0)
        others |= set() if known else {str(action)}
    for middle in middles:
        ax.axvline(middle, color="black", linewidth=0.9, linestyle=":")
    if others:
        ax.set_title("grey: " + ", ".join(sorted(others)), fontsize="medium")


def _error(ax: "Axes", x: Array, curves: Array, model: GenerativeClassifier, step: bool) -> None:
    """What the most probable class leaves to the others."""
    found = bayes_error(model)
    wrong = curves.sum(axis=1) - curves.max(axis=1)
    look: Look = {"step": "mid"} if step else {}
    label = f"P(error) = {found.value:.4g}"
    ax.fill_between(x, wrong, facecolor="none", edgecolor="black", hatch="////", linewidth=0.0, label=label, **look)
