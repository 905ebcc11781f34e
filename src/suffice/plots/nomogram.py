"""A whole model on one sheet: a scale for each column, aligned at what it adds to the log odds."""

from typing import TYPE_CHECKING

import numpy as np

from suffice.data.levels import Level
from suffice.decisions.nomogram import Nomogram, Scale
from suffice.plots.canvas import COLOURS, Look, axes, in_any_script

if TYPE_CHECKING:  # which is loaded when something is drawn
    from matplotlib.axes import Axes


def nomogram(found: Nomogram, ax: "Axes | None" = None) -> "Axes":
    """Read the points of each value of a row off the bottom, add them and the prior: the log odds."""
    ax = axes(ax)
    every = np.concatenate([scale.points for scale in found.scales.values()])
    for place, scale in enumerate(found.scales.values()):
        ax.hlines(place, scale.points.min(), scale.points.max(), color="#BBBBBB", linewidth=1.2, zorder=1)
        _mark(ax, place, scale, room=0.06 * float(np.ptp(every)))
    ax.axvline(0, color="black", linewidth=0.8)
    ax.set_yticks(range(len(found.scales)), labels=list(found.scales))
    ax.set_ylim(len(found.scales) - 0.4, -0.7)
    first, second = found.between
    ax.set_xlabel(f"points in nats: ← {second}   ·   {first} →   (prior {found.prior:+.2f})")
    return in_any_script(ax)


def _mark(ax: "Axes", place: int, scale: Scale, room: float) -> None:
    """Ticks with values, in turn above and below the line; of numbers only some, and none where there is no room."""
    chosen = np.arange(len(scale.values))
    if scale.ordered and len(chosen) > 6:
        chosen = np.unique(np.linspace(0, len(chosen) - 1, 6).astype(int))
    last = [-np.inf, -np.inf]  # where the latest text above, and below, stands
    for turn, i in enumerate(chosen[np.argsort(scale.points[chosen], kind="stable")]):
        value, point, side = scale.values[i], float(scale.points[i]), turn % 2
        ax.plot(point, place, "|", color=COLOURS[0], markersize=9)
        if point - last[side] < room:
            continue
        last[side] = point
        text = _short(value)
        look: Look = {"va": "top", "xytext": (0, -6)} if side else {"va": "bottom", "xytext": (0, 6)}
        ax.annotate(text, (point, place), textcoords="offset points", fontsize="x-small", ha="center", **look)


def _short(value: Level) -> str:
    if not isinstance(value, float):
        return str(value)
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"
