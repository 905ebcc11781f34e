"""Decision regions over two columns: which action where, the rejection zone, the exact boundary, and the rows.

Over one column they are drawn by `line`.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from suffice.arrays import Array, Values
from suffice.data.frames import named_apart
from suffice.data.kinds import KINDS, Range
from suffice.data.labels import known_labels
from suffice.data.levels import plain
from suffice.data.table import IntoTable, read_table
from suffice.decisions.decide import Decision, decide
from suffice.decisions.loss import Loss
from suffice.errors import ParameterError
from suffice.estimators.base import GenerativeClassifier
from suffice.estimators.decision import boundary, classifies
from suffice.plots.canvas import COLOURS, Classifier, Look, axes, in_any_script, style
from suffice.plots.line import line

if TYPE_CHECKING:  # which is loaded when something is drawn
    from matplotlib.axes import Axes

GREY = "#BBBBBB"
RESOLUTION = 200


def regions(model: Classifier, X: IntoTable, y: Any, loss: Loss | None = None, ax: "Axes | None" = None) -> "Axes":
    """Colour the plane of a model's two columns by the best action, and draw labelled rows on it; or, over one column,
    the line below p(x | class) P(class) of each class, with the area of error hatched.

    Actions that are classes have the colour of the class; other actions, such as rejection, are grey. For Gaussian
    models without a loss the exact boundaries between pairs of classes are drawn where they part regions.
    """
    X, y = named_apart(X, y)
    table = read_table(X)
    if not classifies(model):
        raise ParameterError(f"Regions are those of the classes of a fitted classifier; found {model!r}.")
    if len(table.names) not in (1, 2):
        raise ParameterError(f"Regions are drawn over one or two columns; the table has {list(table.names)}.")
    ax = axes(ax)
    codes, classes = known_labels(y, table.rows)
    if len(table.names) == 1:
        line(ax, model, table, codes, classes, loss)
        return in_any_script(ax)
    points = table.numbers(table.names, slice(0, table.rows))
    low, high = np.nanmin(points, axis=0), np.nanmax(points, axis=0)
    span = [np.linspace(a - 0.08 * (b - a), b + 0.08 * (b - a), RESOLUTION) for a, b in zip(low, high, strict=True)]
    possible = [_possible(model, name, along) for name, along in zip(table.names, span, strict=True)]
    grid = np.stack(np.meshgrid(*possible), axis=-1).reshape(-1, 2)
    rows = dict(zip(table.names, grid.T, strict=True)) if table.named else grid
    chosen = decide(model.predict_proba(rows), loss, model.classes_)
    names = [plain(name) for name in model.classes_]
    colours = [COLOURS[names.index(a) % len(COLOURS)] if a in names else GREY for a in chosen.actions]
    _paint(ax, span, chosen, colours)
    if loss is None and isinstance(model, GenerativeClassifier):
        _draw_boundaries(ax, model, span, chosen.action.reshape(RESOLUTION, RESOLUTION))
    for k, name in enumerate(classes):
        mine = codes == k
        look: Look = style(names.index(name) if name in names else k)
        ax.scatter(points[mine, 0], points[mine, 1], label=str(name), s=18, linewidths=0.4, edgecolors="white", **look)
    ax.set(xlabel=table.names[0], ylabel=table.names[1], xlim=span[0][[0, -1]], ylim=span[1][[0, -1]])
    ax.legend(frameon=True, framealpha=0.85)
    return in_any_script(ax)


def _possible(model: Classifier, name: str, along: Array) -> Array:
    """What a column may hold nearest to each point of an axis: whole numbers for counts, nothing below 0 for waits."""
    if not isinstance(model, GenerativeClassifier):
        return along
    column = next((column for column in model.joint_.schema.columns if column.name == name), None)
    allowed = KINDS[column.kind].allows(*column.numbers) if column else Range()
    near = np.round(along) if allowed.whole else along
    return np.clip(near, *near[~allowed.outside(near)][[0, -1]])


def _paint(ax: "Axes", span: list[Array], chosen: Decision, colours: list[str]) -> None:
    from matplotlib.colors import ListedColormap

    image = chosen.best.reshape(RESOLUTION, RESOLUTION)
    extent = (span[0][0], span[0][-1], span[1][0], span[1][-1])
    picture: Look = {"cmap": ListedColormap(colours), "vmin": -0.5, "vmax": len(colours) - 0.5, "alpha": 0.22}
    ax.imshow(image, extent=extent, origin="lower", aspect="auto", interpolation="nearest", **picture)
    others = sorted(str(a) for a, colour in zip(chosen.actions, colours, strict=True) if colour == GREY)
    if others:
        ax.set_title("grey: " + ", ".join(others), fontsize="medium")


def _draw_boundaries(ax: "Axes", model: GenerativeClassifier, span: list[Array], best: Values) -> None:
    """Zero lines of the exact quadrics, only where one of the two classes is the answer."""
    classes = model.joint_.classes
    grid = np.stack(np.meshgrid(*span), axis=-1)
    for i, a in enumerate(classes):
        for b in classes[i + 1 :]:
            try:
                surface = boundary(model, a, b)
            except ParameterError:
                return  # no closed form; the colours still show where it is
            order = [surface.names.index(name) for name in model._schema.names if name in surface.names]
            value = surface.value(grid[..., np.argsort(order)] if order != [0, 1] else grid)
            shown = np.where((best == a) | (best == b), value, np.nan)
            ax.contour(*span, shown, levels=[0.0], colors="black", linewidths=1.1)
