"""Each column by itself: its density in each class, beside the rows.

In:  a model with densities, rows and their classes.
Out: axes with a panel for each column. Whatever the model ties together, the density of one column is that of rows in
     which all other cells are missing.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from suffice.arrays import Array, Codes
from suffice.data.frames import named_apart
from suffice.data.labels import IntoLabels, known_labels
from suffice.data.levels import Levels, array_of
from suffice.data.table import IntoTable, Table, read_table
from suffice.errors import ParameterError
from suffice.estimators.generative import GenerativeClassifier
from suffice.estimators.reasons import ours
from suffice.plots.along import alone, along
from suffice.plots.canvas import axes, in_any_script, panels
from suffice.plots.style import DARK, PAGE, TICK, Look, colour, curve, legend, points, room, short
from suffice.printing.language import say

if TYPE_CHECKING:  # which is loaded when something is drawn
    from matplotlib.axes import Axes

ACROSS = 3  # panels beside each other
ROOM = 0.1  # of the range of the rows, on either side
LEVELS = 12  # of a category that are shown
FEW = 4  # classes whose histograms can be told apart


def densities(
    model: GenerativeClassifier,
    X: IntoTable,
    y: IntoLabels,
    columns: str | Sequence[str] | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the density of each column (or of those named) in each class, over a histogram of the rows.

    For categories, bars show their probabilities, and a mark shows the share of the rows.

    >>> from suffice import NaiveBayes, example, plots
    >>> columns, species = example("penguins")
    >>> model = NaiveBayes(kinds={"year": "ignore"}).fit(columns, species)
    >>> ax = plots.densities(model, columns, species, ["bill_length_mm", "island"])

    """
    X, y = named_apart(X, y)
    ours(model)  # or an error that says which models have densities
    table = read_table(X)
    names, classes = _chosen(columns, model, table), model.joint_.classes
    places = among(classes, y, table.rows)
    if len(names) == 1:
        ax = axes(ax)
        column(ax, model, table, names[0], places)
        legend(ax)
        return in_any_script(ax)
    across = 2 if len(names) in (2, 4) else ACROSS
    ax = axes(ax, 0.5 + 1.7 * -(-len(names) // across), PAGE * across / ACROSS)
    drawn = panels(ax, len(names), across)
    for place, (panel, name) in enumerate(zip(drawn, names, strict=True)):
        column(panel, model, table, name, places)
        if place % across and panel.get_yticks().size == 0:
            panel.set_ylabel("")
    legend(ax, handles=drawn[0].get_legend_handles_labels()[0])
    return in_any_script(ax, *drawn)


def among(classes: Levels, y: IntoLabels, rows: int) -> Codes:
    """The place of each row's class among those of the model; −1 where it is none of them."""
    codes, found = known_labels(y, rows)
    return np.array([classes.index(name) if name in classes else -1 for name in found])[codes]


def column(ax: "Axes", model: GenerativeClassifier, table: Table, name: str, places: Codes) -> None:
    """Draw one column; `places` are the classes of the rows."""
    plan = next(column for column in model.joint_.schema.columns if column.name == name)
    draw = _bars if plan.categorical else _curves
    draw(ax, model, table, name, places)
    ax.set_xlabel(short(name))


def _chosen(columns: Any, model: GenerativeClassifier, table: Table) -> list[str]:
    """Columns that the model has a density of, and the table has."""
    plans = model.joint_.schema.columns
    known = [plan.name for plan in plans if not plan.words and plan.name in table.names]
    known.sort(key=table.names.index)
    shown = known if columns is None else [columns] if isinstance(columns, str) else list(columns)
    odd = [name for name in shown if name not in known]
    if odd or not shown or len(set(shown)) < len(shown):
        raise ParameterError(f"Name one or more of the columns {known}, each once; found {shown}.")
    return shown


def _curves(ax: "Axes", model: GenerativeClassifier, table: Table, name: str, places: Codes) -> None:
    cells = table.numbers([name], slice(0, table.rows))[:, 0]
    x, step = along(model, name, cells, ROOM)
    heights = _density(model, table, name, x)
    look: Look = {"drawstyle": "steps-mid"} if step else {}
    for k, known in enumerate(model.joint_.classes):
        mine = cells[(places == k) & ~np.isnan(cells)]
        if len(mine) > 1 and len(model.joint_.classes) <= FEW:
            bins: Any = np.arange(mine.min(), mine.max() + 2) - 0.5 if step else "auto"
            ax.hist(mine, bins=bins, density=True, color=colour(k), alpha=0.16)
        ax.plot(x, heights[:, k], label=short(known), **curve(k), **look)
    ax.locator_params(axis="x", nbins=4)
    ax.set(yticks=[], ylim=(0, None), ylabel=say("probability") if step else say("density"))


def _bars(ax: "Axes", model: GenerativeClassifier, table: Table, name: str, places: Codes) -> None:
    plan = next(column for column in model.joint_.schema.columns if column.name == name)
    levels, classes = plan.levels[:LEVELS], model.joint_.classes
    shares, found = _density(model, table, name, array_of(levels)), table.encoded(name)
    cells = np.array([levels.index(level) if level in levels else -1 for level in found.levels] + [-1])[found.codes]
    wide = 0.8 / len(classes)
    for k, known in enumerate(classes):
        x = np.arange(len(levels)) + wide * (k - (len(classes) - 1) / 2)
        ax.bar(x, shares[:, k], wide, color=colour(k), alpha=0.45, label=short(known), linewidth=0)
        mine = cells[(places == k) & (found.codes >= 0)]
        if len(mine):
            seen = np.bincount(mine[mine >= 0], minlength=len(levels)) / len(mine)
            ax.hlines(seen, x - wide / 2, x + wide / 2, color=DARK, linewidth=0.9)
    _name_levels(ax, levels, len(plan.levels) - len(levels))
    ax.set(ylabel=say("probability"), ylim=(0, None))


def _name_levels(ax: "Axes", levels: Levels, hidden: int) -> None:
    names = [short(level, 14) for level in levels]
    names[-1] += f" (+{hidden})" if hidden else ""
    turn = max(points(name, TICK) for name in names) > room(ax) / len(names)
    ax.set_xticks(range(len(levels)), labels=names, rotation=90 if turn else 0)


def _density(model: GenerativeClassifier, table: Table, name: str, values: Array) -> Array:
    """P(value | class), (n, K)."""
    return np.asarray(np.exp(model.log_density(alone(table, name, values))))
