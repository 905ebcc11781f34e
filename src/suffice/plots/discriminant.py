"""Rows of a linear discriminant in its two most telling directions, one colour and marker for each class."""

from typing import TYPE_CHECKING, Any

import numpy as np

from suffice.arrays import Array, Codes
from suffice.data.labels import known_labels
from suffice.data.table import IntoTable
from suffice.errors import ParameterError
from suffice.estimators.linear import LinearDiscriminant
from suffice.plots.canvas import axes, in_any_script, style

if TYPE_CHECKING:  # which is loaded when something is drawn
    from matplotlib.axes import Axes


def discriminant(model: LinearDiscriminant, X: IntoTable, y: Any, ax: "Axes | None" = None) -> "Axes":
    """Draw labelled rows in the plane of the first two directions, with the class means; one direction gets a strip."""
    if not isinstance(model, LinearDiscriminant):
        raise ParameterError(f"Only a LinearDiscriminant has directions to draw in; found {type(model).__name__}.")
    points = np.asarray(model.transform(X))
    codes, classes = known_labels(y, len(points))
    if not set(classes) <= set(model.classes_.tolist()):
        raise ParameterError(f"y holds {list(classes)}, but the model knows {model.classes_.tolist()}.")
    ax = axes(ax)
    heights = points[:, 1] if points.shape[1] > 1 else _strips(codes, len(points))
    for k, name in enumerate(classes):
        mine = codes == k
        ax.scatter(points[mine, 0], heights[mine], label=str(name), alpha=0.6, s=24, linewidths=0, **style(k))
        middle = np.nanmean(points[mine, 0]), np.nanmean(heights[mine])
        ax.scatter(*middle, s=130, edgecolors="white", linewidths=1.5, zorder=3, **style(k))
    shares = model.explained_variance_ratio_
    ax.set_xlabel(f"LD1 ({shares[0]:.0%} of the variance between classes)")
    ax.set_ylabel(f"LD2 ({shares[1]:.0%})" if len(shares) > 1 else "")
    if len(shares) < 2:
        ax.set_yticks([])
    ax.legend(frameon=False, title="large: class mean")
    return in_any_script(ax)


def _strips(codes: Codes, rows: int) -> Array:
    """A strip for each class, jittered the same way every time."""
    return codes + np.random.default_rng(0).uniform(-0.3, 0.3, rows)
