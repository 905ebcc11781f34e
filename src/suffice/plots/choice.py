"""Information criteria against the number of components, a line for each shape and sharing; the best one marked."""

from typing import Any

import numpy as np

from suffice.estimators.choose import Choice
from suffice.plots.canvas import axes, style


def choice(found: Choice, ax: Any = None) -> Any:
    """Draw what `choose` tried; small is good."""
    ax = axes(ax)
    columns = found._columns()
    values = columns[found.criterion]
    kinds = sorted({(str(a), bool(b)) for a, b in zip(columns["shape"], columns["shared"], strict=True)})
    for i, (shape, shared) in enumerate(kinds):
        mine = (columns["shape"] == shape) & (columns["shared"] == shared)
        label = f"{shape}, {'shared' if shared else 'own'}"
        ax.plot(columns["components"][mine], values[mine], linestyle="-", markersize=6, label=label, **style(i))
    best = int(np.nanargmin(values))
    ax.plot(columns["components"][best], values[best], "o", markersize=15, fillstyle="none", color="0.3")
    ax.set(xlabel="components", ylabel=f"{found.criterion.upper()} (small is good)")
    ax.set_xticks(sorted(set(columns["components"].tolist())))
    ax.legend(frameon=True, framealpha=0.85)
    return ax
