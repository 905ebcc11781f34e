"""Which classes are taken for which: true classes down, answers across, rows counted.

In:  a Validation, or a model and rows, and a loss that may reject. Out: axes.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from suffice.arrays import Array
from suffice.data.labels import IntoLabels
from suffice.data.levels import Levels
from suffice.data.table import IntoTable
from suffice.decisions.decide import decide
from suffice.decisions.loss import REJECT, IntoLoss
from suffice.plots.canvas import axes, in_any_script
from suffice.plots.judged import IntoJudged, Judged, judged
from suffice.plots.style import COLOURS, DARK, LABEL, TICK, bare, heading, points, room, short
from suffice.printing.language import say

if TYPE_CHECKING:  # which is loaded when something is drawn
    from matplotlib.axes import Axes

MANY = 8  # classes from which on cells are small
SHORT = 16  # characters of a name across


def confusion(
    source: IntoJudged,
    X: IntoTable | None = None,
    y: IntoLabels = None,
    loss: IntoLoss = None,
    ax: "Axes | None" = None,
    *,
    left_out: bool | None = None,
) -> "Axes":
    """Draw the confusion table: rows by true class and answer, darker for a larger share of the true class.

    Answers are the actions of least risk under a loss, which may reject; without a loss, the most probable classes.
    `source`, X, y and left_out are as for `roc`.

    >>> from suffice import NaiveBayes, example, plots
    >>> columns, species = example("penguins")
    >>> ax = plots.confusion(NaiveBayes(kinds={"year": "ignore"}), columns, species)

    """
    found = judged(source, X, y, left_out)
    counts, actions = _counts(found, loss)
    ax = axes(ax, 0.9 + 0.28 * max(len(found.classes), 6))
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1e-300)
    ax.imshow(shares, cmap=_ink(), vmin=0, vmax=1, aspect="auto")
    size = 6.0 if len(actions) > MANY else LABEL
    for i, k in np.argwhere(counts > 0):
        colour = "white" if shares[i, k] > 0.6 else DARK
        ax.text(k, i, f"{counts[i, k]:.4g}", ha="center", va="center", color=colour, fontsize=size)
    _name(ax, found.classes, actions)
    right = sum(counts[i, actions.index(name)] for i, name in enumerate(found.classes) if name in actions)
    heading(ax, found.how, say("right {n} of {total}", n=f"{right:.6g}", total=f"{counts.sum():.6g}"))
    return in_any_script(ax)


def _counts(found: Judged, loss: IntoLoss) -> tuple[Array, Levels]:
    """How many rows of each class get each answer, (K, A): classes as they are down, then what else there is."""
    chosen = decide(found.posterior, found.loss if loss is None else loss, found.classes)
    counts = np.zeros((len(found.classes), len(chosen.actions)))
    np.add.at(counts, (found.labels, chosen.best), found.weights)
    known = [name for name in found.classes if name in chosen.actions]
    actions = [*known, *(action for action in chosen.actions if action not in known)]
    return counts[:, [chosen.actions.index(action) for action in actions]], tuple(actions)


def _name(ax: "Axes", classes: Levels, actions: Levels) -> None:
    across = [say("reject") if name == REJECT and name not in classes else short(name, SHORT) for name in actions]
    turn = max(points(name, TICK) for name in across) > room(ax) / len(across)
    ax.set_xticks(range(len(actions)), labels=across, rotation=90 if turn else 0)
    ax.set_yticks(range(len(classes)), labels=[short(name, SHORT) for name in classes])
    ax.set(xlabel=say("answer"), ylabel=say("true class"))
    ax.set_xticks(np.arange(len(actions) + 1) - 0.5, minor=True)
    ax.set_yticks(np.arange(len(classes) + 1) - 0.5, minor=True)
    ax.grid(which="minor", color="white", linewidth=1.5)
    ax.tick_params(which="minor", length=0)
    bare(ax, "left", "bottom")


def _ink() -> Any:
    """From white to the first colour."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("ink", ["#FFFFFF", COLOURS[0]])
