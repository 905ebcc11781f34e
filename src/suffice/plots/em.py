"""EM as small multiples: states of a mixture of one or two numeric columns, the rows in the colours they belong to.

In:  states that em_steps gave, and the rows. Out: axes with a panel for each state, and one for the objective.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from suffice.arrays import Array
from suffice.data.table import IntoTable, Table, read_table
from suffice.decisions.boundary import gaussians
from suffice.errors import ParameterError
from suffice.estimators.steps import State
from suffice.options import several
from suffice.plots.canvas import axes, ellipse, in_any_script, panels
from suffice.plots.style import DARK, LABEL, PAGE, Look, colour, curve, short
from suffice.printing.language import say

if TYPE_CHECKING:  # which is loaded when something is drawn
    from matplotlib.axes import Axes

MOST, ACROSS = 5, 3  # states; panels beside each other
SHARES = (0.5, 0.95)


def em(states: Sequence[State], X: IntoTable, ax: "Axes | None" = None) -> "Axes":
    """Draw some of the states that `em_steps` gave, chosen so that each gains about as much as the one before.

    The last panel shows the objective at every step; dots mark the states that are drawn.

    >>> from suffice import Mixture, em_steps, example, plots
    >>> columns, _ = example("penguins")
    >>> table = {"bill_depth_mm": columns["bill_depth_mm"]}
    >>> ax = plots.em(list(em_steps(Mixture(2, start="random"), table)), table)

    """
    states, table = several(states) or [], read_table(X)
    if not states or not all(isinstance(state, State) for state in states):
        raise ParameterError("There is no state to draw: give list(em_steps(model, X)).")
    shown = _spaced(states) if len(states) > MOST else states
    across = min(ACROSS, len(shown) + 1)
    ax = axes(ax, 0.2 + 2.1 * -(-(len(shown) + 1) // across), PAGE * across / ACROSS)
    *small, last = panels(ax, len(shown) + 1, across)
    for panel, state in zip(small, shown, strict=True):
        _panel(panel, state, table)
    _share(small, across)
    _objective(last, states, shown)
    return in_any_script(ax, *small, last)


def _spaced(states: list[State]) -> list[State]:
    gained = np.array([state.objective for state in states])
    where = np.searchsorted(gained, np.linspace(gained[0], gained[-1], MOST))
    return [states[i] for i in np.unique([0, *where, len(states) - 1])[-MOST:]]


def _panel(ax: "Axes", state: State, table: Table) -> None:
    names, mean, covariance = gaussians(state.joint, range(len(state.joint.prevalence)), "A picture of EM")
    if len(names) > 2:
        raise ParameterError(f"States can be drawn for one or two numeric columns; found {len(names)}.")
    x = table.numbers(names, slice(0, table.rows))
    draw = _line if len(names) == 1 else _plane
    draw(ax, x, state, mean, covariance)
    ax.set_title(say("step {step}", step=state.step), fontsize=LABEL, loc="left")
    ax.set(xlabel=short(names[0]), ylabel=short(names[1]) if len(names) == 2 else say("density"))


def _share(small: list["Axes"], across: int) -> None:
    """The same limits everywhere; names of the axes at the left only."""
    for get, put in (("get_xlim", "set_xlim"), ("get_ylim", "set_ylim")):
        ends = np.array([getattr(panel, get)() for panel in small])
        for panel in small:
            getattr(panel, put)(ends[:, 0].min(), ends[:, 1].max())
    for place, panel in enumerate(small):
        if place % across:
            panel.set(ylabel="", yticklabels=[])


def _objective(ax: "Axes", states: list[State], shown: list[State]) -> None:
    for some, look in ((states, "-"), (shown, "o")):
        points = [(state.step, state.objective) for state in some]
        ax.plot(*np.transpose(points), look, color=DARK, linewidth=1, markersize=4)
    ax.set_title(say("log likelihood + log prior"), fontsize=LABEL, loc="left")
    ax.set_xlabel(say("step"))
    ax.locator_params(axis="x", integer=True)


def _plane(ax: "Axes", x: Array, state: State, mean: Array, covariance: Array) -> None:
    ax.scatter(x[:, 0], x[:, 1], s=5, linewidths=0, alpha=0.8, c=_mixed(state.memberships))
    for k in range(len(mean)):
        ax.plot(*mean[k], "+", color=colour(k), markersize=7, markeredgewidth=1.5)
        for share in SHARES:
            ax.plot(*ellipse(mean[k], covariance[k], share), **curve(k))


def _line(ax: "Axes", x: Array, state: State, mean: Array, covariance: Array) -> None:
    cells = x[:, 0][~np.isnan(x[:, 0])]
    ax.hist(cells, bins="auto", density=True, color="0.9")
    grid = np.linspace(cells.min(), cells.max(), 300)
    parts = state.joint.prevalence * np.exp(state.joint.density.log_density((grid[:, None],)))  # (300, K)
    for k, part in enumerate(parts.T):
        ax.plot(grid, part, **curve(k))
    ax.plot(grid, parts.sum(axis=1), color=DARK, linewidth=0.8, linestyle="--")
    rug: Look = {"marker": "|", "s": 12, "linewidths": 0.7}
    ax.scatter(x[:, 0], np.full(len(x), -0.05 * ax.get_ylim()[1]), c=_mixed(state.memberships), **rug)


def _mixed(memberships: Array) -> Array:
    """Colours of the components, mixed as the rows belong to them."""
    from matplotlib.colors import to_rgb

    palette = np.array([to_rgb(colour(k)) for k in range(memberships.shape[1])])
    return np.asarray(np.clip(memberships @ palette, 0, 1))
