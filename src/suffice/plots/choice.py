"""Information criteria against the number of components, a line for each shape and sharing; the best one marked."""

from typing import TYPE_CHECKING

import numpy as np

from suffice.estimators.choose import Choice
from suffice.plots.canvas import axes, style

if TYPE_CHECKING:  # which is loaded when something is drawn
    from matplotlib.axes import Axes


def choice(found: Choice, ax: "Axes | None" = None) -> "Axes":
    """Draw what `choose` tried; small is good."""
    ax = axes(ax)
    values = np.array([candidate.values[found.criterion] for candidate in found.candidates])
    numbers = np.array([candidate.components for candidate in found.candidates])
    forms = np.array([candidate.form for candidate in found.candidates])
    for i, form in enumerate(sorted(set(forms.tolist()))):
        mine = forms == form
        ax.plot(numbers[mine], values[mine], linestyle="-", markersize=6, label=form, **style(i))
    best = found.winner
    ax.plot(numbers[best], values[best], "o", markersize=15, fillstyle="none", color="0.3")
    ax.set(xlabel="components", ylabel=f"{found.criterion.upper()} (small is good)")
    ax.set_xticks(sorted(set(numbers.tolist())))
    if any(forms):  # else there is one line only
        ax.legend(frameon=True, framealpha=0.85)
    return ax
