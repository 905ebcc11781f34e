"""EM as small multiples: states of a mixture of one or two numeric columns, the rows in the colours they belong to."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from suffice.arrays import Array
from suffice.data.table import IntoTable, Table, read_table
from suffice.decisions.boundary import gaussians
from suffice.errors import ParameterError
from suffice.estimators.steps import State
from suffice.plots.canvas import COLOURS, axes, ellipse, in_any_script

if TYPE_CHECKING:  # which is loaded when something is drawn
    from matplotlib.axes import Axes

MOST = 6  # panels


def em(states: Sequence[State], X: IntoTable, axs: "Axes | Sequence[Axes] | None" = None) -> list["Axes"]:
    """Draw states that `em_steps` gave: at even steps of what is gained, from the first to the last."""
    states, table = list(states), read_table(X)
    if not states:
        raise ParameterError("There is no state to draw: give list(em_steps(model, X)).")
    shown = _spaced(states) if len(states) > MOST else states
    panels = _panels(axs, len(shown))
    for ax, state in zip(panels, shown, strict=True):
        _panel(ax, state, table)
    return panels


def _spaced(states: list[State]) -> list[State]:
    gained = np.array([state.objective for state in states])
    where = np.searchsorted(gained, np.linspace(gained[0], gained[-1], MOST))
    return [states[i] for i in np.unique([0, *where, len(states) - 1])[-MOST:]]


def _panels(axs: "Axes | Sequence[Axes] | None", number: int) -> list["Axes"]:
    if axs is not None:
        return list(np.ravel(np.asarray(axs, dtype=object)))[:number]
    figure: Any = axes().figure  # that of new axes is no part of another
    figure.clear()
    columns = min(3, number)
    rows = -(-number // columns)
    figure.set_size_inches(3.4 * columns, 2.9 * rows)
    panels = list(np.ravel(figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True)))
    for spare in panels[number:]:
        spare.set_axis_off()
    return panels[:number]


def _panel(ax: "Axes", state: State, table: Table) -> None:
    names, mean, covariance = gaussians(state.joint, range(len(state.joint.prevalence)), "A picture of EM")
    if len(names) > 2:
        raise ParameterError(f"States are drawn for one or two numeric columns; here are {len(names)}.")
    x = table.numbers(names, slice(0, table.rows))
    draw = _line if len(names) == 1 else _plane
    draw(ax, x, state, mean, covariance)
    ax.set_title(f"step {state.step}   log likelihood {state.log_likelihood:.2f}   KL {state.kl:.2g}", fontsize=8)
    ax.set(xlabel=names[0], ylabel=names[1] if len(names) == 2 else "density")
    in_any_script(ax)


def _plane(ax: "Axes", x: Array, state: State, mean: Array, covariance: Array) -> None:
    ax.scatter(x[:, 0], x[:, 1], s=9, linewidths=0, alpha=0.8, c=_mixed(state.memberships))
    for k in range(len(mean)):
        colour = COLOURS[k % len(COLOURS)]
        ax.plot(*mean[k], "+", color=colour, markersize=11, markeredgewidth=2)
        for share in (0.5, 0.95):
            ax.plot(*ellipse(mean[k], covariance[k], share), color=colour, linewidth=1.2)


def _line(ax: "Axes", x: Array, state: State, mean: Array, covariance: Array) -> None:
    cells = x[:, 0][~np.isnan(x[:, 0])]
    ax.hist(cells, bins="auto", density=True, color="0.85")
    grid = np.linspace(cells.min(), cells.max(), 300)
    parts = state.joint.prevalence * np.exp(state.joint.density.log_density((grid[:, None],)))  # (300, K)
    for k, part in enumerate(parts.T):
        ax.plot(grid, part, color=COLOURS[k % len(COLOURS)])
    ax.plot(grid, parts.sum(axis=1), color="0.2", linewidth=1, linestyle="--")
    ax.scatter(x[:, 0], np.full(len(x), -0.03 * ax.get_ylim()[1]), marker="|", s=20, c=_mixed(state.memberships))


def _mixed(memberships: Array) -> Array:
    """Colours of the components, mixed as the rows belong to them."""
    from matplotlib.colors import to_rgb

    palette = np.array([to_rgb(COLOURS[k % len(COLOURS)]) for k in range(memberships.shape[1])])
    return np.asarray(np.clip(memberships @ palette, 0, 1))
