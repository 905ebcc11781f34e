"""One row: the posterior of each class as a bar, and the log odds between two as a waterfall."""

from typing import TYPE_CHECKING

import numpy as np

from suffice.data.table import IntoTable
from suffice.decisions.explain import PRIOR, Explanation
from suffice.decisions.votes import Votes
from suffice.errors import ParameterError
from suffice.plots.canvas import COLOURS, Classifier, axes, in_any_script, style

if TYPE_CHECKING:  # which is loaded when something is drawn
    from matplotlib.axes import Axes


def posterior(model: Classifier, X: IntoTable, row: int = 0, ax: "Axes | None" = None) -> "Axes":
    """A bar for each class: how probable it is for one row."""
    shares, names = np.asarray(model.predict_proba(X))[row], [str(name) for name in model.classes_]
    ax, places = axes(ax), np.arange(len(names))
    bars = ax.barh(places, shares, color=[style(k)["color"] for k in range(len(names))], height=0.62)
    ax.bar_label(bars, [f"{share:.4f}" for share in shares], padding=4, fontsize="small")
    ax.set_yticks(places, labels=names)
    ax.invert_yaxis()
    ax.set(xlim=(0, 1.18), xlabel=f"posterior probability of row {row}")
    return in_any_script(ax)


def explanation(found: Explanation, row: int = 0, ax: "Axes | None" = None) -> "Axes":
    """Bars that speak for the first class to the right, for the second to the left, the strongest first."""
    if isinstance(found, Votes):
        raise ParameterError(f"Draw what one parent says, explanation(found.of({next(iter(found.terms), '')!r})).")
    if not 0 <= row < len(found.log_odds):
        raise ParameterError(f"The explanation has {len(found.log_odds)} rows; there is no row {row}.")
    ax = axes(ax)
    ordered = [(PRIOR, found.prior), *found.strongest(row).items()]
    names, steps = [name for name, _ in ordered], np.array([value for _, value in ordered])
    starts = np.concatenate([[0.0], np.cumsum(steps)[:-1]])
    total, places = float(steps.sum()), np.arange(len(names) + 1)
    colours = [*(COLOURS[0] if step >= 0 else COLOURS[1] for step in steps), "#444444"]
    starts, steps, names = np.append(starts, 0.0), np.append(steps, total), [*names, "in all"]
    ax.barh(places, steps, left=starts, color=colours, height=0.62)
    ax.set_yticks(places, labels=names)
    ends = np.maximum(starts, starts + steps)
    for place, end, step in zip(places, ends, steps, strict=True):
        ax.annotate(f"{step:+.2f}", (end, place), (4, 0), textcoords="offset points", va="center", fontsize="small")
    ax.axvline(0, color="black", linewidth=0.8)
    low, high = float(np.minimum(starts, starts + steps).min()), float(ends.max())
    ax.set_xlim(low - 0.06 * (high - low), high + 0.16 * (high - low))  # room for the numbers
    ax.invert_yaxis()
    first, second = found.between
    ax.set_xlabel(f"ln odds: ← {second}   ·   {first} →")
    ax.set_title(f"P({first}) against {second}: {1 / (1 + np.exp(-total)):.4f}", fontsize="medium")
    return in_any_script(ax)
