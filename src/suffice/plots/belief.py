"""What rows do to a belief: prior → likelihood → posterior of each parameter."""

from typing import Any

import numpy as np

from suffice.families.belief import Belief
from suffice.plots.canvas import COLOURS, axes, in_any_script

POINTS = 400
TAIL = 0.002  # of the prior or posterior that may lie outside the picture, on each side
LEVEL = 0.95


def belief(found: Belief, ax: Any = None) -> Any:
    """Draw each parameter's densities, with the posterior's interval of highest density shaded.

    One parameter goes onto the axes given, or new ones; several go onto one panel each inside it. The likelihood is
    that of the parameter, with the others averaged out under the prior, scaled to an area of one over what is shown.
    """
    ax, names = axes(ax), list(found.face.parameters())
    if len(names) == 1:
        _draw(ax, found, names[0], legend=True)
        return in_any_script(ax)
    ax.axis("off")
    across = int(np.ceil(np.sqrt(len(names))))
    down = int(np.ceil(len(names) / across))
    for place, name in enumerate(names):
        row, column = divmod(place, across)
        panel = ax.inset_axes([column / across + 0.04, 1 - (row + 0.86) / down, 0.86 / across, 0.7 / down])
        _draw(panel, found, name, legend=place == 0)
    return in_any_script(ax)


def _draw(ax: Any, found: Belief, name: Any, legend: bool) -> None:
    before, after = Belief(found.name, found.face, found.prior).marginal(name), found.marginal(name)
    x = _range(before, after)
    learned = found.statistics is not None
    if learned:
        log_ratio = after.logpdf(x) - before.logpdf(x)
        likelihood = np.exp(log_ratio - log_ratio.max())
        ax.plot(x, before.pdf(x), color=COLOURS[1], linestyle=":", label="prior")
        ax.plot(x, likelihood / np.trapezoid(likelihood, x), color=COLOURS[2], linestyle="--", label="likelihood")
    density = after.pdf(x)
    ax.plot(x, density, color=COLOURS[0], label="posterior" if learned else "prior")
    low, high = np.atleast_2d(found.hdi(LEVEL) if len(found.face.parameters()) == 1 else found.hdi(LEVEL)[name])[0]
    inside = (x >= low) & (x <= high)
    ax.fill_between(x[inside], density[inside], color=COLOURS[0], alpha=0.15, linewidth=0, label=f"{LEVEL:.0%}")
    ax.set(xlabel=str(name), xlim=(x[0], x[-1]), ylim=(0, None), yticks=[])
    ax.spines[["top", "right", "left"]].set_visible(False)
    if legend:
        ax.legend(frameon=False, fontsize="small")


def _range(before: Any, after: Any) -> Any:
    """Where the posterior is, and as much of the prior as leaves the posterior wide enough to be seen."""
    low, high = after.ppf(TAIL), after.isf(TAIL)
    room = 1.5 * (high - low)
    start, end = max(low - room, before.ppf(TAIL)), min(high + room, before.isf(TAIL))
    edge = max(before.support()[0], -np.inf), min(before.support()[1], np.inf)
    start, end = max(min(start, low), edge[0]), min(max(end, high), edge[1])
    inset = 1e-4 * (end - start)  # a density may be infinite at the end of its support
    return np.linspace(start + inset * (start == edge[0]), end - inset * (end == edge[1]), POINTS)
