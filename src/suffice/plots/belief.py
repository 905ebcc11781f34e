"""What rows do to a belief: prior → likelihood → posterior of each parameter.

In:  a Belief. Out: axes; several parameters have a panel each inside them.
"""

from typing import TYPE_CHECKING

import numpy as np

from suffice.arrays import Array
from suffice.beliefs.belief import Belief
from suffice.beliefs.intervals import highest_density
from suffice.data.levels import Level
from suffice.families.protocol import Distribution
from suffice.plots.canvas import axes, expected, in_any_script, panels
from suffice.plots.style import COLOURS, COLUMN, bare, legend, short
from suffice.printing.language import say

if TYPE_CHECKING:  # which is loaded when something is drawn
    from matplotlib.axes import Axes

POINTS = 400
TAIL = 0.005  # of the prior or posterior that may lie outside the picture, on each side
LEVEL = 0.95


def belief(found: Belief, ax: "Axes | None" = None) -> "Axes":
    """Draw prior, likelihood and posterior of each parameter, with the interval of highest posterior density shaded.

    The likelihood of a parameter is averaged over the other parameters under the prior, and scaled to an area of one
    over the range shown. Each parameter has its own panel.

    >>> from suffice import Beta, plots
    >>> ax = plots.belief(Beta(5, 5).after(heads=15, tails=10))

    """
    expected(found, Belief, "a belief, such as Beta(5, 5)")
    names = list(found.face.parameters())
    across = int(np.ceil(np.sqrt(len(names))))
    ax = axes(ax, *((0.5 + 1.5 * -(-len(names) // across), COLUMN * max(1.0, across / 2)) if len(names) > 1 else ()))
    drawn = [ax] if len(names) == 1 else panels(ax, len(names), across)
    for panel, name in zip(drawn, names, strict=True):
        _draw(panel, found, name)
    legend(ax, handles=drawn[0].get_legend_handles_labels()[0])
    return in_any_script(ax, *drawn)


def _draw(ax: "Axes", found: Belief, name: Level) -> None:
    after, learned = found.marginal(name), found.statistics is not None
    before = Belief(found.name, found.face, found.prior).marginal(name) if found.prior.proper else None
    x = _range(before or after, after)
    if learned and before is not None:
        ratio = after.logpdf(x) - before.logpdf(x)
        likelihood = np.exp(ratio - ratio.max())
        ax.plot(x, before.pdf(x), color=COLOURS[1], linestyle=":", label=say("prior"))
        ax.plot(x, likelihood / np.trapezoid(likelihood, x), color=COLOURS[2], linestyle="--", label=say("likelihood"))
    density = after.pdf(x)
    ax.plot(x, density, color=COLOURS[0], label=say("posterior") if learned else say("prior"))
    low, high = highest_density(after, LEVEL)
    inside = (x >= low) & (x <= high)
    ax.fill_between(x[inside], density[inside], color=COLOURS[0], alpha=0.15, linewidth=0, label=f"{LEVEL:.0%}")
    shown = np.concatenate([line.get_ydata() for line in ax.lines])
    top = min(shown.max(), 2 * np.quantile(shown, 0.99))  # a density may be infinite at its end
    ax.set(xlabel=short(name), xlim=(x[0], x[-1]), ylim=(0, 1.05 * top), yticks=[])
    bare(ax, "left")


def _range(before: Distribution, after: Distribution) -> Array:
    """Where the posterior is, and as much of the prior as leaves the posterior wide enough to be seen."""
    low, high = float(after.ppf(TAIL)), float(after.isf(TAIL))
    room = high - low
    start, end = (
        min(low, max(low - room, float(before.ppf(TAIL)))),
        max(high, min(high + room, float(before.isf(TAIL)))),
    )
    first, last = before.support()
    near = 0.15 * (end - start)  # an end of the support that is near is shown, up to where a density may be infinite
    start, end = first if start - first < near else start, last if last - end < near else end
    inset = 1e-4 * (end - start)
    return np.linspace(max(start, first + inset), min(end, last - inset), POINTS)
