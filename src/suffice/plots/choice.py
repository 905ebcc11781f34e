"""Information criteria against the number of components, a line for each shape and sharing; the best one marked."""

from typing import TYPE_CHECKING

import numpy as np

from suffice.estimators.choose import Choice
from suffice.plots.canvas import axes, expected, in_any_script
from suffice.plots.style import DARK, dots, legend, said
from suffice.printing.language import say

if TYPE_CHECKING:  # which is loaded when something is drawn
    from matplotlib.axes import Axes


def choice(found: Choice, ax: "Axes | None" = None) -> "Axes":
    """Draw what `choose` tried; smaller is better, and a ring marks the best.

    >>> from suffice import Mixture, choose, example, plots
    >>> columns, _ = example("penguins")
    >>> ax = plots.choice(choose(Mixture(), {"body_mass_g": columns["body_mass_g"]}, range(1, 4)))

    """
    expected(found, Choice, "what choose(Mixture(), X, components=...) gives")
    ax = axes(ax)
    values = np.array([candidate.values[found.criterion] for candidate in found.candidates])
    numbers = np.array([candidate.components for candidate in found.candidates])
    forms = np.array([candidate.form for candidate in found.candidates])
    for i, form in enumerate(sorted(set(forms.tolist()))):
        mine = forms == form
        ax.plot(numbers[mine], values[mine], linewidth=1.2, markersize=4, label=_said(form), **dots(i))
    best = found.winner
    ax.plot(numbers[best], values[best], "o", markersize=10, fillstyle="none", color=DARK)
    ax.set(xlabel=say("components"), ylabel=say("{criterion} (small is good)", criterion=found.criterion.upper()))
    ax.set_xticks(sorted(set(numbers.tolist())))
    if any(forms):  # else there is one line only
        legend(ax)
    return in_any_script(ax)


def _said(form: str) -> str:
    return ", ".join(said(part) for part in form.split(", ")) if form else ""
