"""Pairs of columns: rows by class, with ellipses around each class where the model has Gaussians of both.

In:  a model with densities, rows and their classes.
Out: axes; two columns are one picture, more are a triangle of them with the density of each column on its edge.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from suffice.arrays import Codes
from suffice.data.columns import TEXT
from suffice.data.frames import named_apart
from suffice.data.labels import IntoLabels
from suffice.data.table import IntoTable, Table, read_table
from suffice.decisions.boundary import gaussian_columns
from suffice.errors import ParameterError
from suffice.estimators.generative import GenerativeClassifier
from suffice.estimators.reasons import ours
from suffice.plots.canvas import axes, ellipse, in_any_script, panels
from suffice.plots.densities import among, column
from suffice.plots.style import PAGE, colour, curve, dots, legend, short
from suffice.printing.language import say

if TYPE_CHECKING:  # which is loaded when something is drawn
    from matplotlib.axes import Axes

SHARES = (0.5, 0.95)
MOST = 5  # columns, unless they are named
NAME = 18  # characters of a column


def pairs(
    model: GenerativeClassifier,
    X: IntoTable,
    y: IntoLabels,
    columns: Sequence[str] | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw rows by class over each pair of numeric columns (by default the first five).

    Ellipses contain 50 % and 95 % of a class if the model has a Gaussian over both columns; the diagonal shows the
    density of each column. For two columns there is a single picture.

    >>> from suffice import QuadraticDiscriminant, example, plots
    >>> columns, species = example("penguins")
    >>> table = {name: columns[name] for name in ("bill_length_mm", "bill_depth_mm", "body_mass_g")}
    >>> ax = plots.pairs(QuadraticDiscriminant().fit(table, species), table, species)

    """
    X, y = named_apart(X, y)
    ours(model)  # or an error that says which models have densities
    table = read_table(X)
    names = _chosen(columns, model, table)
    places, many = among(model.joint_.classes, y, table.rows), len(names)
    if many == 2:
        ax = axes(ax, 3.3)
        _plane(ax, model, table, names, places)
        legend(ax, say("ellipses: 50 % and 95 %"))
        return in_any_script(ax)
    ax = axes(ax, min(PAGE, 0.6 + 1.6 * many), min(PAGE, 0.6 + 1.6 * many))
    drawn = panels(ax, many * many, many)
    for place, panel in enumerate(drawn):
        down, across = divmod(place, many)
        _panel(panel, model, table, names, (down, across), places)
    legend(ax, say("ellipses: 50 % and 95 %"), handles=drawn[many].get_legend_handles_labels()[0])
    return in_any_script(ax, *drawn)


def _chosen(columns: Any, model: GenerativeClassifier, table: Table) -> list[str]:
    plans = model.joint_.schema.columns
    known = [plan.name for plan in plans if plan.name in table.names and table.type(plan.name) != TEXT]
    shown = sorted(known, key=table.names.index)[:MOST] if columns is None else list(columns)
    if len(shown) < 2 or len(set(shown)) < len(shown) or not set(shown) <= set(known):
        raise ParameterError(f"Name two or more of the numeric columns {known}, each once; found {shown}.")
    return shown


def _panel(
    ax: "Axes", model: GenerativeClassifier, table: Table, names: list[str], place: tuple[int, int], places: Codes
) -> None:
    down, across = place
    if across > down:
        ax.axis("off")
        return
    if across == down:
        column(ax, model, table, names[down], places)
        ax.set_ylabel("")
    else:
        _plane(ax, model, table, [names[across], names[down]], places)
    if down < len(names) - 1:
        ax.set(xlabel="", xticklabels=[])
    if across > 0:
        ax.set(ylabel="", yticklabels=[])


def _plane(ax: "Axes", model: GenerativeClassifier, table: Table, names: list[str], places: Codes) -> None:
    cells = table.numbers(names, slice(0, table.rows))
    for k, known in enumerate(model.joint_.classes):
        mine = cells[places == k]
        ax.scatter(mine[:, 0], mine[:, 1], s=7, alpha=0.5, linewidths=0, label=short(known), **dots(k))
    ax.set(xlabel=short(names[0], NAME), ylabel=short(names[1], NAME))
    _ellipses(ax, model, names)


def _ellipses(ax: "Axes", model: GenerativeClassifier, names: list[str]) -> None:
    """Of each component, in the colour of its class."""
    joint = model.model_.with_parameters
    if not joint.density.independent:  # of a tree, no column has a Gaussian of its own
        return
    known, mean, covariance = gaussian_columns(joint, range(len(joint.prevalence)))
    if not set(names) <= set(known):
        return
    where = [known.index(name) for name in names]
    for component, k in enumerate(range(len(joint.classes)) if joint.owners is None else joint.owners):
        middle, spread = mean[component, where], covariance[component][np.ix_(where, where)]
        ax.plot(*middle, "+", color=colour(k), markersize=7, markeredgewidth=1.5)
        for share in SHARES:
            ax.plot(*ellipse(middle, spread, share), **curve(k))
