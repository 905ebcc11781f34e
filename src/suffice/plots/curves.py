"""Curves on labelled rows: risk against coverage, ROC with its operating point, calibration."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from suffice.arrays import Array, Codes
from suffice.data.labels import known_labels
from suffice.data.levels import Level, plain
from suffice.data.table import IntoTable
from suffice.decisions.curves import calibration as calibration_of
from suffice.decisions.curves import risk_coverage as risk_coverage_of
from suffice.decisions.curves import roc as roc_of
from suffice.decisions.loss import Loss
from suffice.decisions.two_classes import posterior_threshold
from suffice.errors import ParameterError
from suffice.plots.canvas import COLOURS, Classifier, Look, axes, in_any_script

if TYPE_CHECKING:  # which is loaded when something is drawn
    from matplotlib.axes import Axes

GUIDE: Look = {"color": "#999999", "linewidth": 0.9, "linestyle": "--"}


def risk_coverage(model: Classifier, X: IntoTable, y: Any, ax: "Axes | None" = None) -> "Axes":
    """The share of answered rows that is wrong, if only the surest are answered."""
    posterior, codes, _ = _judged(model, X, y)
    curve, ax = risk_coverage_of(posterior, codes), axes(ax)
    ax.step(curve.coverage, curve.risk, where="post", color=COLOURS[0])
    ax.set(xlabel="coverage: share of rows answered, the surest first", ylabel="share of those that is wrong")
    ax.set(xlim=(0, 1), ylim=(0, None), title=f"mean over all coverages {curve.area:.4f}")
    return in_any_script(ax)


def roc(
    model: Classifier,
    X: IntoTable,
    y: Any,
    positive: Level | None = None,
    loss: Loss | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """The ROC curve of one class, and the operating point that a loss implies (0–1 loss without one)."""
    score, truth, name = _of_class(model, X, y, positive)
    threshold = 0.5 if loss is None else posterior_threshold(loss, name)
    curve, ax = roc_of(score, truth), axes(ax)
    ax.plot([0, 1], [0, 1], **GUIDE)
    ax.step(curve.false_positive, curve.true_positive, where="post", color=COLOURS[0])
    point = curve.at(threshold)
    ax.plot(*point, "o", color=COLOURS[1], markersize=9)
    ax.annotate(f"posterior ≥ {threshold:.3g}", point, xytext=(10, -14), textcoords="offset points")
    ax.set(xlabel=f"share of the others called {name}", ylabel=f"share of {name} recognised")
    ax.set(title=f"area {curve.area:.4f}", aspect="equal")
    return in_any_script(ax)


def calibration(
    model: Classifier, X: IntoTable, y: Any, positive: Level | None = None, bins: int = 10, ax: "Axes | None" = None
) -> "Axes":
    """How often a class comes true against how probable it was said to be; the larger a point, the more rows."""
    score, truth, name = _of_class(model, X, y, positive)
    curve, ax = calibration_of(score, truth, bins), axes(ax)
    ax.plot([0, 1], [0, 1], **GUIDE)
    spread = np.sqrt(np.maximum(curve.observed * (1 - curve.observed), 0.25 / curve.rows) / curve.rows)
    ax.errorbar(curve.predicted, curve.observed, yerr=spread, fmt="none", ecolor=COLOURS[0], alpha=0.6)
    ax.scatter(curve.predicted, curve.observed, s=25 + 250 * curve.rows / curve.rows.sum(), color=COLOURS[0])
    ax.set(xlabel=f"predicted probability of {name}", ylabel=f"share that is {name}", xlim=(-0.03, 1.03))
    ax.set(ylim=(-0.05, 1.05), aspect="equal")
    return in_any_script(ax)


def _judged(model: Classifier, X: IntoTable, y: Any) -> tuple[Array, Codes, list[Level]]:
    """Posteriors, and the class of each row as its column in them."""
    posterior, classes = np.asarray(model.predict_proba(X)), [plain(name) for name in model.classes_]
    codes, found = known_labels(y, len(posterior))
    unknown = [name for name in found if name not in classes]
    if unknown:
        raise ParameterError(f"y holds {unknown}, but the model knows {classes}.")
    return posterior, np.array([classes.index(name) for name in found])[codes], classes


def _of_class(
    model: Classifier, X: IntoTable, y: Any, positive: Level | None
) -> tuple[Array, NDArray[np.bool_], Level]:
    posterior, codes, classes = _judged(model, X, y)
    if positive is None and len(classes) != 2:
        raise ParameterError(f"Say which of {classes} the curve is about: positive=...")
    name = classes[-1] if positive is None else plain(positive)
    if name not in classes:
        raise ParameterError(f"There is no class {name!r}; the model has {classes}.")
    k = classes.index(name)
    return posterior[:, k], codes == k, name
