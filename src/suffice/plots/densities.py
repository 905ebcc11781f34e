"""Class densities of Gaussian columns: rows over two columns with ellipses around each class; over one, curves."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

from suffice.arrays import Array
from suffice.data.labels import known_labels
from suffice.data.table import IntoTable, read_table
from suffice.decisions.boundary import gaussian_columns
from suffice.errors import ParameterError
from suffice.estimators.decision import ours
from suffice.plots.canvas import Look, axes, ellipse, in_any_script, style

if TYPE_CHECKING:  # which is loaded when something is drawn
    from matplotlib.axes import Axes

SHARES = (0.5, 0.95)


def densities(
    model: Any, X: IntoTable, y: Any, columns: Sequence[str] | None = None, ax: "Axes | None" = None
) -> "Axes":
    """Draw one or two Gaussian columns (the first two unless named) and the fitted densities of each class.

    Over two columns these are ellipses around the class means, over one column curves. Columns of other kinds may be
    beside them.
    """
    joint, table = ours(model)._with_parameters(), read_table(X)
    joint.refuse_several("A picture of class densities")
    codes, classes = known_labels(y, table.rows)
    names, mean, covariance = gaussian_columns(joint, range(len(joint.classes)))
    shown = _chosen(columns, names, table.names)
    where, ax = [names.index(name) for name in shown], axes(ax)
    points = table.numbers(shown, slice(0, table.rows))
    for k, name in enumerate(joint.classes):
        mine = points[codes == classes.index(name)] if name in classes else points[:0]
        draw = _curve if len(shown) == 1 else _ellipses
        draw(ax, mine, mean[k, where], covariance[k][np.ix_(where, where)], {"label": str(name), **style(k)})
    ax.set(xlabel=shown[0], ylabel=shown[1] if len(shown) == 2 else "density within the class")
    ax.legend(frameon=True, framealpha=0.85, title="ellipses: 50 % and 95 %" if len(shown) == 2 else None)
    return in_any_script(ax)


def _chosen(columns: Any, names: Sequence[str], given: Sequence[str]) -> tuple[str, ...]:
    """One or two columns that the model has a Gaussian density of, and the table has."""
    if not names:
        raise ParameterError("Densities are drawn of plug-in Gaussian columns; this model has none.")
    shown = tuple(names[:2]) if columns is None else (columns,) if isinstance(columns, str) else tuple(columns)
    odd = [name for name in shown if name not in names or name not in given]
    if odd or len(shown) not in (1, 2) or len(set(shown)) < len(shown):
        raise ParameterError(f"Name one or two of the Gaussian columns {list(names)}; found {list(shown)}.")
    return shown


def _ellipses(ax: "Axes", points: Array, mean: Array, covariance: Array, look: Look) -> None:
    ax.scatter(points[:, 0], points[:, 1], s=14, alpha=0.45, linewidths=0, **look)
    ax.plot(*mean, "+", color=look["color"], markersize=11, markeredgewidth=2)
    for share in SHARES:
        ax.plot(*ellipse(mean, covariance, share), color=look["color"])


def _curve(ax: "Axes", points: Array, mean: Array, covariance: Array, look: Look) -> None:
    deviation = float(np.sqrt(covariance[0, 0]))
    x = mean[0] + deviation * np.linspace(-4, 4, 200)
    ax.plot(x, scipy.stats.norm.pdf(x, mean[0], deviation), color=look["color"], label=look["label"])
    ax.plot(points[:, 0], np.zeros(len(points)), "|", color=look["color"], alpha=0.6, markersize=9)
