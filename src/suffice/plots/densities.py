"""Class densities of Gaussian columns: rows over two columns, and ellipses that hold half and 95 % of each class."""

from typing import Any

import numpy as np

from suffice.data.labels import known_labels
from suffice.data.table import read_table
from suffice.decisions.boundary import gaussians
from suffice.estimators.base import GenerativeClassifier
from suffice.plots.canvas import axes, ellipse, in_any_script, style

SHARES = (0.5, 0.95)


def densities(
    model: GenerativeClassifier, X: Any, y: Any, columns: tuple[str, str] | None = None, ax: Any = None
) -> Any:
    """Draw two columns (the first two unless named), the class means, and ellipses of the fitted class densities."""
    table = read_table(X)
    codes, classes = known_labels(y, table.rows)
    names, mean, covariance = gaussians(model.joint_, range(len(model.joint_.classes)))
    pair = columns or (names[0], names[1])
    where, ax = [names.index(name) for name in pair], axes(ax)
    points = table.numbers(pair, slice(0, table.rows))
    for k, name in enumerate(model.joint_.classes):
        mine = codes == classes.index(name) if name in classes else np.zeros(table.rows, bool)
        ax.scatter(*points[mine].T, s=14, alpha=0.45, linewidths=0, label=str(name), **style(k))
        ax.plot(*mean[k, where], "+", color=style(k)["color"], markersize=11, markeredgewidth=2)
        for share in SHARES:
            ax.plot(*ellipse(mean[k, where], covariance[k][np.ix_(where, where)], share), color=style(k)["color"])
    ax.set(xlabel=pair[0], ylabel=pair[1])
    ax.legend(frameon=True, framealpha=0.85, title="ellipses: 50 % and 95 %")
    return in_any_script(ax)
