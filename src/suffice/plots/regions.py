"""Decision regions over two columns: which action where, the rejection zone, the exact boundary, and the rows.

Over one column they are drawn by `line`.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from suffice.arrays import Array, Codes
from suffice.data.frames import named_apart
from suffice.data.labels import IntoLabels, known_labels
from suffice.data.levels import Levels, plain
from suffice.data.table import IntoTable, Table, read_table
from suffice.decisions.decide import Decision, decide
from suffice.decisions.loss import IntoLoss
from suffice.errors import ParameterError
from suffice.estimators.boundaries import boundary
from suffice.estimators.decision import classifies
from suffice.estimators.generative import GenerativeClassifier
from suffice.plots.along import around, nearest
from suffice.plots.canvas import Classifier, axes, in_any_script
from suffice.plots.line import line
from suffice.plots.style import DARK, GREY, Look, colour, dots, legend, others, short
from suffice.printing.language import say

if TYPE_CHECKING:  # which is loaded when something is drawn
    from matplotlib.axes import Axes

RESOLUTION = 200
SURE: dict[float, Any] = {0.9: "--", 0.99: ":"}  # posteriors whose contours are drawn
WRONG: Look = {"marker": "o", "s": 34, "facecolors": "none", "edgecolors": DARK, "linewidths": 0.8}


def regions(model: Classifier, X: IntoTable, y: IntoLabels, loss: IntoLoss = None, ax: "Axes | None" = None) -> "Axes":
    """Colour the plane of a model's two columns by the best action, and draw labelled rows on it.

    Actions that are classes have the colour of the class; other actions, such as rejection, are grey. A ring marks rows
    that are decided wrongly. Dashed and dotted lines show where the most probable class has a posterior of 0.9 and
    0.99. For Gaussian models without a loss, the exact boundaries between regions are drawn. For a model of one column,
    the picture shows p(x | class) P(class) for each class above the line, with the area of error hatched.

    >>> from suffice import Loss, QuadraticDiscriminant, example, plots
    >>> columns, species = example("penguins")
    >>> table = {name: columns[name] for name in ("bill_length_mm", "flipper_length_mm")}
    >>> loss = Loss.zero_one(["Adelie", "Chinstrap", "Gentoo"], reject=0.1)
    >>> ax = plots.regions(QuadraticDiscriminant().fit(table, species), table, species, loss)

    """
    X, y = named_apart(X, y)
    table = read_table(X)
    if not classifies(model):
        raise ParameterError(
            f"Regions need a fitted classifier with predict_proba; found {model!r}. A MarginClassifier has it with "
            "probabilities=True."
        )
    if len(table.names) not in (1, 2):
        raise ParameterError(f"Regions are drawn over one or two columns; the table has {list(table.names)}.")
    ax, names = axes(ax, 3.3), tuple(plain(name) for name in model.classes_)
    codes, classes = known_labels(y, table.rows)
    places = np.array([names.index(name) if name in names else -1 for name in classes])[codes]
    draw = line if len(table.names) == 1 else _plane
    draw(ax, model, table, places, names, decide(model.predict_proba(X), loss, model.classes_), loss)
    return in_any_script(ax)


def _plane(
    ax: "Axes", model: Classifier, table: Table, places: Codes, names: Levels, decided: Decision, loss: IntoLoss
) -> None:
    points = table.numbers(table.names, slice(0, table.rows))
    span = [around(cells, 0.08, RESOLUTION) for cells in points.T]
    possible = [nearest(model, name, x) for name, x in zip(table.names, span, strict=True)]
    grid = np.stack(np.meshgrid(*possible), axis=-1).reshape(-1, 2)
    posterior = model.predict_proba(dict(zip(table.names, grid.T, strict=True)) if table.named else grid)
    chosen = decide(posterior, loss, model.classes_)
    _paint(ax, span, chosen, names)
    if loss is None and isinstance(model, GenerativeClassifier):
        _draw_boundaries(ax, model, span, chosen)
    _draw_rows(ax, points, places, names, decided)
    sure = _contours(ax, span, posterior.max(axis=1))
    ax.set(xlabel=short(table.names[0]), ylabel=short(table.names[1]), xlim=span[0][[0, -1]], ylim=span[1][[0, -1]])
    found, _ = ax.get_legend_handles_labels()
    legend(ax, handles=[*found, *others(chosen.actions, names), *sure])


def _paint(ax: "Axes", span: list[Array], chosen: Decision, names: Levels) -> None:
    """Each action where it costs less than any other; edges lie where the costs are equal, between points too."""
    risks = chosen.risks.reshape(RESOLUTION, RESOLUTION, -1)
    for a, action in enumerate(chosen.actions):
        rest = np.delete(risks, a, axis=-1)
        ahead = (rest.min(axis=-1) if rest.shape[-1] else np.ones(risks.shape[:2])) - risks[..., a]
        if (ahead > 0).any():
            shade = colour(names.index(action) if action in names else -1)
            ax.contourf(*span, ahead, levels=[0, np.inf], colors=[shade], alpha=0.2 if action in names else 0.35)
            ax.contour(*span, ahead, levels=[0.0], colors="white", linewidths=0.8)


def _draw_rows(ax: "Axes", points: Array, places: Codes, names: Levels, decided: Decision) -> None:
    for k, name in enumerate(names):
        mine = places == k
        look: Look = {"s": 12, "linewidths": 0.3, "edgecolors": "white", "zorder": 3}
        ax.scatter(points[mine, 0], points[mine, 1], label=short(name), **look, **dots(k))
    said = np.array([names.index(action) if action in names else -1 for action in decided.actions])[decided.best]
    wrong = (said >= 0) & (said != places)
    if wrong.any():
        label = say("wrong: {n} of {total}", n=int(wrong.sum()), total=len(wrong))
        ax.scatter(points[wrong, 0], points[wrong, 1], zorder=4, label=label, **WRONG)


def _contours(ax: "Axes", span: list[Array], largest: Array) -> list[Any]:
    """Where the most probable class is quite probable; lines for the legend."""
    from matplotlib.lines import Line2D

    height = largest.reshape(RESOLUTION, RESOLUTION)
    shown = {level: dash for level, dash in SURE.items() if height.min() < level < height.max()}
    for level, dash in shown.items():
        ax.contour(*span, height, levels=[level], colors=GREY, linewidths=0.8, linestyles=dash)
    return [
        Line2D([], [], color=GREY, linewidth=0.8, linestyle=dash, label=say("posterior {level}", level=level))
        for level, dash in shown.items()
    ]


def _draw_boundaries(ax: "Axes", model: GenerativeClassifier, span: list[Array], chosen: Decision) -> None:
    """Zero lines of the exact quadrics, only where one of the two classes is the answer."""
    classes, best = model.joint_.classes, chosen.action.reshape(RESOLUTION, RESOLUTION)
    grid = np.stack(np.meshgrid(*span), axis=-1)
    for i, a in enumerate(classes):
        for b in classes[i + 1 :]:
            try:
                surface = boundary(model, a, b)
            except ParameterError:
                return  # no closed form; the colours still show where it is
            order = [surface.names.index(name) for name in model.model_.schema.names if name in surface.names]
            value = surface.value(grid[..., np.argsort(order)] if order != [0, 1] else grid)
            shown = np.where((best == a) | (best == b), value, np.nan)
            ax.contour(*span, shown, levels=[0.0], colors=DARK, linewidths=1.0)
