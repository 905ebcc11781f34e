"""Curves on labelled rows, by default left out: ROC and risk against coverage with bands, calibration with intervals.

In:  a Validation, or a model and rows. Out: axes, with a curve for each class where there are more than two; the
     heading says where the posteriors come from.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import TYPE_CHECKING

import numpy as np

from suffice.arrays import Array
from suffice.data.labels import IntoLabels
from suffice.data.levels import Level
from suffice.data.table import IntoTable
from suffice.decisions.curves import LEVEL, cost_by_threshold, mean_interval
from suffice.decisions.curves import calibration as calibration_of
from suffice.decisions.curves import risk_coverage as risk_coverage_of
from suffice.decisions.curves import roc as roc_of
from suffice.decisions.decide import decide
from suffice.decisions.loss import IntoLoss, Loss
from suffice.decisions.two_classes import posterior_threshold
from suffice.errors import LossError, ParameterError
from suffice.plots.canvas import axes, in_any_script
from suffice.plots.judged import IntoJudged, Judged, judged
from suffice.plots.style import COLOURS, DARK, GUIDE, LIGHT, POINT, Look, colour, dots, legend, short, titled
from suffice.plots.style import curve as curve_of_class
from suffice.printing.language import say

if TYPE_CHECKING:  # which is loaded when something is drawn
    from matplotlib.axes import Axes

BAND: Look = {"color": COLOURS[0], "alpha": 0.14, "linewidth": 0, "label": f"{LEVEL:.0%}"}
LINE: Look = {"color": COLOURS[0], "linewidth": 1.4}
FAINT = 0.1  # bands of several classes, one over the other
STRIP = 0.2  # how high the histogram below a calibration is


def roc(
    source: IntoJudged,
    X: IntoTable | None = None,
    y: IntoLabels = None,
    positive: Level | None = None,
    loss: IntoLoss = None,
    ax: "Axes | None" = None,
    *,
    left_out: bool | None = None,
) -> "Axes":
    """Draw the ROC curve of a class with a band, and the operating point that a loss implies (by default 0–1 loss).

    `source` is a Validation, or a model with X and y. Of two classes the curve is that of the second, unless `positive`
    names one; of more there is a curve for each against all others. The band contains each point of the curve, both of
    its shares jointly, with a probability of 95 %. Rows that the model learned from are left out one at a time, unless
    left_out=False.

    >>> from suffice import NaiveBayes, example, leave_one_out, plots
    >>> columns, species = example("penguins")
    >>> found = leave_one_out(NaiveBayes(), {"bill_length_mm": columns["bill_length_mm"]}, species)
    >>> ax = plots.roc(found, positive="Chinstrap")

    """
    found = judged(source, X, y, left_out)
    shown, ax = _shown(found, positive, loss), axes(ax, 3.7)
    ax.plot([0, 1], [0, 1], **GUIDE)
    for k in shown:
        curve = roc_of(found.posterior[:, k], found.labels == k, found.weights)
        area, (band, line, point) = say("area {value}", value=str(curve.area)), _looks(found, k, shown)
        ax.fill(*curve.band(), **band)
        ax.step(curve.false_positive, curve.true_positive, where="post", **_named(line, area))
        with _where_one_is_asked(shown):  # a loss of the Validation may have no threshold for each class
            threshold = _threshold(_costs(found, k, loss), k)
            said = say("posterior ≥ {threshold}", threshold=f"{threshold:.3g}") if len(shown) == 1 else None
            ax.plot(*curve.at(threshold), **point, label=said)
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    name = _name(found, shown)
    titled(ax, say("share of the others called {name}", name=name), say("share of {name} recognised", name=name))
    legend(ax, found.how, *([area] if len(shown) == 1 else []))
    return in_any_script(ax)


def risk_coverage(
    source: IntoJudged,
    X: IntoTable | None = None,
    y: IntoLabels = None,
    loss: IntoLoss = None,
    ax: "Axes | None" = None,
    *,
    left_out: bool | None = None,
) -> "Axes":
    """Draw the share of answers that are wrong if only the surest rows are answered, with a 95 % band.

    The point marks the rejection that the loss implies: rows whose best action is not a class are not answered; every
    class has to be an action. Without a loss, all rows are answered. `source`, X, y and left_out are as for `roc`.

    >>> from suffice import LinearDiscriminant, Loss, example, plots
    >>> columns, species = example("penguins")
    >>> table = {name: columns[name] for name in ("bill_length_mm", "body_mass_g")}
    >>> loss = Loss.zero_one(["Adelie", "Chinstrap", "Gentoo"], reject=0.1)
    >>> ax = plots.risk_coverage(LinearDiscriminant(), table, species, loss)

    """
    found = judged(source, X, y, left_out)
    coverage, risk = _answered(found, loss)
    curve, ax = risk_coverage_of(found.posterior, found.labels, found.weights), axes(ax)
    ax.fill_between(*curve.band(), step="pre", **BAND)
    ax.step(curve.coverage, curve.risk, where="pre", **LINE)
    said = say("{share} answered, {wrong} wrong", share=f"{coverage:.0%}", wrong=f"{risk:.1%}")
    ax.plot(coverage, risk, **POINT, clip_on=False, label=said)
    titled(ax, say("share of rows answered, the surest first"), say("share of those that is wrong"))
    top = max(2 * float(curve.risk.max()), 0.05)  # few rows have wide bands, which say little
    ax.set(xlim=(0, 1), ylim=(0, min(top, 1.0)))
    legend(ax, found.how, say("mean over all coverages {value}", value=f"{curve.area:.4f}"))
    return in_any_script(ax)


def calibration(
    source: IntoJudged,
    X: IntoTable | None = None,
    y: IntoLabels = None,
    positive: Level | None = None,
    bins: int = 10,
    ax: "Axes | None" = None,
    *,
    left_out: bool | None = None,
) -> "Axes":
    """Draw how often a class comes true against how probable it was said to be, with 95 % intervals.

    The intervals come from a Beta belief that starts at Jeffreys' prior. The bars below count the rows at each
    predicted probability, where one class is drawn. `source`, X, y, positive and left_out are as for `roc`.

    >>> from suffice import NaiveBayes, example, plots
    >>> columns, species = example("penguins")
    >>> ax = plots.calibration(NaiveBayes(kinds={"year": "ignore"}), columns, species, "Gentoo")

    """
    found = judged(source, X, y, left_out)
    shown, ax = found.places(positive), axes(ax, 3.9)
    ax.plot([0, 1], [0, 1], **GUIDE)
    for k in shown:
        curve = calibration_of(found.posterior[:, k], found.labels == k, bins, found.weights)
        spread = np.stack([curve.observed - curve.low, curve.high - curve.observed])
        look: Look = {"fmt": "o", "color": COLOURS[0], "markersize": 4.5, "linewidth": 1, "label": f"{LEVEL:.0%}"}
        if len(shown) > 1:
            look |= {"fmt": f"{dots(k)['marker']}-", "color": colour(k), "elinewidth": 0.7, "label": _class(found, k)}
        ax.errorbar(curve.predicted, curve.observed, spread, **look)
    name, below = _name(found, shown), STRIP + 0.03 if len(shown) == 1 else 0.0
    ax.set(xlim=(-0.03, 1.03), ylim=(-below - 0.03, 1.03), aspect="equal", yticks=np.linspace(0, 1, 6))
    titled(ax, say("predicted probability of {name}", name=name), say("share that is {name}", name=name))
    if len(shown) == 1:
        _strip(ax, curve.left, curve.rows, 1 / bins)
    legend(ax, found.how, say("{n} row|{n} rows", n=len(found.labels)))
    return in_any_script(ax)


def cost(
    source: IntoJudged,
    X: IntoTable | None = None,
    y: IntoLabels = None,
    positive: Level | None = None,
    loss: IntoLoss = None,
    ax: "Axes | None" = None,
    *,
    left_out: bool | None = None,
) -> "Axes":
    """Draw the mean cost against the posterior above which the first action is taken, with a 95 % band.

    The point marks the threshold that the loss implies, the tick on the axis the one of least cost on these rows. The
    loss has two actions, the first for the positive class; without a loss, mistakes cost 1. `source`, X, y, positive
    and left_out are as for `roc`.

    >>> from suffice import Loss, NaiveBayes, example, plots
    >>> columns, species = example("penguins")
    >>> table, gentoo = {"body_mass_g": columns["body_mass_g"]}, [name == "Gentoo" for name in species]
    >>> loss = Loss({"take": {True: 0, False: 1}, "leave": {True: 3, False: 0}})
    >>> ax = plots.cost(NaiveBayes(), table, gentoo, loss=loss)

    """
    found = judged(source, X, y, left_out)
    shown, ax = _shown(found, positive, loss), axes(ax)
    for k in shown:
        _cost(ax, found, k, _costs(found, k, loss), shown)
    titled(ax, say("threshold: posterior of {name}", name=_name(found, shown)), say("mean cost of a row"))
    ax.set(xlim=(0, 1), ylim=(0, None))
    legend(ax, found.how)
    return in_any_script(ax)


def _cost(ax: "Axes", found: Judged, k: int, costs: Array, shown: Sequence[int]) -> None:
    """The curve of one class, its band and what it marks, in words where it is alone."""
    band, line, point = _looks(found, k, shown)
    curve = cost_by_threshold(found.posterior[:, k], costs[:, found.labels].T, found.weights)
    x, order = np.clip(curve.threshold, 0, 1)[::-1], slice(None, None, -1)
    x, value = np.append(0.0, x), np.append(curve.cost[-1], curve.cost[order])  # from a threshold on, down to the next
    low, high = mean_interval(value, np.append(curve.se[-1], curve.se[order]))
    ax.fill_between(x, low, high, step="pre", **band)
    ax.step(x, value, where="pre", **line)
    with suppress(LossError):  # there may be no threshold to mark
        at = _threshold(costs, k)
        here = curve.at(at)
        said = say("threshold {threshold}: mean cost {cost}", threshold=f"{at:.3g}", cost=str(here))
        ax.plot(at, float(here), **point, clip_on=False, label=said if len(shown) == 1 else None)
    least = min(curve.least, 1.0)
    below: Look = {"markersize": 5, "clip_on": False, "transform": ax.get_xaxis_transform(), "color": DARK}
    below |= {"color": colour(k)} if len(shown) > 1 else {}
    told = say("least cost here: threshold {threshold}", threshold=f"{least:.3g}")
    ax.plot(least, 0, "^", **below, label=told if len(shown) == 1 else None)


# one class, or one curve for each


def _shown(found: Judged, positive: Level | None, loss: IntoLoss) -> list[int]:
    """The classes to draw; a loss of two actions is about one of them."""
    shown = found.places(positive)
    if len(shown) > 1 and loss is not None:
        raise ParameterError(
            f"A loss of two actions is for one class against the rest; say which of {list(found.classes)} it is "
            "about: positive=..."
        )
    return shown


def _looks(found: Judged, k: int, shown: Sequence[int]) -> tuple[Look, Look, Look]:
    """Of a band, a line and a point: in the colour of the class, and with its name, where there are several."""
    if len(shown) == 1:
        return BAND, LINE, POINT
    name, line = _class(found, k), curve_of_class(k)
    return {"color": colour(k), "alpha": FAINT, "linewidth": 0}, line | {"label": name}, POINT | {"color": colour(k)}


def _named(line: Look, more: str) -> Look:
    """A line whose name says more, where it has one."""
    return line | {"label": f"{line['label']} · {more}"} if "label" in line else line


def _where_one_is_asked(shown: Sequence[int]) -> AbstractContextManager[None]:
    """What has no threshold is an error for a class that was asked about; of several it goes without a point."""
    return nullcontext() if len(shown) == 1 else suppress(LossError)


def _class(found: Judged, k: int) -> str:
    return short(found.classes[k])


def _name(found: Judged, shown: Sequence[int]) -> str:
    """On the axes."""
    return _class(found, shown[0]) if len(shown) == 1 else say("the class")


def _answered(found: Judged, loss: IntoLoss) -> tuple[float, float]:
    """The share of rows whose best action is a class, and of those the share for which it is a wrong one."""
    chosen = decide(found.posterior, found.loss if loss is None else loss, found.classes)
    if not set(found.classes) <= set(chosen.actions):
        raise LossError(
            f"The loss needs an action for each class, {list(found.classes)} (any other action rejects a row); found "
            f"{list(chosen.actions)}. Give such a loss, as Loss.zero_one(classes, reject=0.1)."
        )
    truth = np.array([found.classes[label] for label in found.labels], dtype=object)
    actions = np.array(chosen.actions, dtype=object)[chosen.best]
    answered = np.isin(chosen.best, [i for i, action in enumerate(chosen.actions) if action in found.classes])
    mass = found.weights * answered
    wrong = float(mass @ (actions != truth)) / float(mass.sum()) if mass.any() else 0.0
    return float(mass.sum() / found.weights.sum()), wrong


def _costs(found: Judged, k: int, loss: IntoLoss) -> Array:
    """What the action for a class, and the other one, cost under each class, (2, K)."""
    loss = found.loss if loss is None else Loss(loss)
    if loss is None:
        positive = np.arange(len(found.classes)) == k
        return np.stack([~positive, positive]).astype(float)
    if len(loss.actions) != 2:
        raise LossError(f"One threshold separates two actions; found {list(loss.actions)}. Give a loss with two.")
    return np.asarray(loss.on(found.classes))


def _threshold(costs: Array, k: int) -> float:
    """The posterior of class k from which on the first action is best, where all other classes are as one."""
    others = np.delete(costs, k, axis=1)
    if not (others == others[:, :1]).all():
        raise LossError("The costs of the other classes differ, so no single threshold is best.")
    pairs = zip(costs[:, k], others[:, 0], strict=True)
    return posterior_threshold(
        {action: {"it": mine, "not it": theirs} for action, (mine, theirs) in enumerate(pairs)}, "it"
    )


def _strip(ax: "Axes", left: Array, rows: Array, width: float) -> None:
    """A histogram below the axis of a calibration."""
    high = STRIP * rows / rows.max()
    ax.bar(left, high, width, -STRIP - 0.04, align="edge", color=LIGHT, edgecolor="white", linewidth=0.5)
    ax.axhline(-0.02, color=LIGHT, linewidth=0.6)
