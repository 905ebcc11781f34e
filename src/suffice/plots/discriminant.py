"""Rows of a linear discriminant in its two most telling directions, one colour and marker for each class."""

from typing import TYPE_CHECKING

import numpy as np

from suffice.data.frames import named_apart
from suffice.data.labels import IntoLabels, known_labels
from suffice.data.levels import plain
from suffice.data.table import IntoTable
from suffice.errors import ParameterError
from suffice.estimators.linear import LinearDiscriminant
from suffice.plots.canvas import axes, in_any_script
from suffice.plots.style import Look, bare, dots, legend, short, strips
from suffice.printing.language import say

if TYPE_CHECKING:  # which is loaded when something is drawn
    from matplotlib.axes import Axes

MEAN: Look = {"s": 70, "edgecolors": "white", "linewidths": 1.2, "zorder": 3}


def discriminant(model: LinearDiscriminant, X: IntoTable, y: IntoLabels, ax: "Axes | None" = None) -> "Axes":
    """Draw labelled rows in the plane of Fisher's first two directions, with the class means; or along a single one.

    >>> from suffice import LinearDiscriminant, example, plots
    >>> columns, species = example("penguins")
    >>> table = {name: columns[name] for name in ("bill_length_mm", "bill_depth_mm", "body_mass_g")}
    >>> ax = plots.discriminant(LinearDiscriminant().fit(table, species), table, species)

    """
    if not isinstance(model, LinearDiscriminant):
        raise ParameterError(f"Only a LinearDiscriminant has directions to draw in; found {type(model).__name__}.")
    X, y = named_apart(X, y)
    points, names = np.asarray(model.transform(X)), [plain(name) for name in model.classes_]
    codes, classes = known_labels(y, len(points))
    if not set(classes) <= set(names):
        raise ParameterError(f"y holds {list(classes)}, but the model knows {names}.")
    places, ax = np.array([names.index(name) for name in classes])[codes], axes(ax, 3.2)
    heights = points[:, 1] if points.shape[1] > 1 else strips(places)
    for k, name in enumerate(names):
        mine = places == k
        ax.scatter(points[mine, 0], heights[mine], label=short(name), alpha=0.55, s=11, linewidths=0, **dots(k))
        if mine.any():
            ax.scatter(np.nanmean(points[mine, 0]), np.nanmean(heights[mine]), **MEAN, **dots(k))
    shares = model.explained_variance_ratio_
    ax.set_xlabel(say("LD1 ({share} of the variance between classes)", share=f"{shares[0]:.0%}"))
    if len(shares) > 1:
        ax.set_ylabel(f"LD2 ({shares[1]:.0%})")
    else:
        ax.set_yticks([])
        bare(ax, "left")
    legend(ax, say("large: class mean"))
    return in_any_script(ax)
