"""Missing cells: which columns lack them, together with which others, in how many rows.

In:  a table. Out: axes: columns down, patterns of missing cells across, the most frequent first.
"""

from typing import TYPE_CHECKING

import numpy as np

from suffice.arrays import Values, is_sparse
from suffice.data.columns import TEXT
from suffice.data.table import IntoTable, Table, read_table
from suffice.errors import ParameterError
from suffice.plots.canvas import axes, in_any_script
from suffice.plots.style import COLOURS, PALE, TICK, bare, heading, short
from suffice.printing.language import say

if TYPE_CHECKING:  # which is loaded when something is drawn
    from matplotlib.axes import Axes

MOST_PATTERNS, MOST_COLUMNS = 12, 40


def missing(X: IntoTable, ax: "Axes | None" = None) -> "Axes":
    """Draw the patterns of missing cells (dark), with the rows of each below, and the missing cells of each column.

    >>> from suffice import example, plots
    >>> columns, _ = example("penguins")
    >>> ax = plots.missing(columns)

    """
    table = read_table(X)
    if is_sparse(table.matrix):
        raise ParameterError("A sparse table has no missing cells: what is not there is 0.")
    gone = np.stack([_gone(table, name) for name in table.names], axis=1)  # (N, D)
    names = list(np.array(table.names, dtype=object)[np.argsort(-gone.sum(axis=0), kind="stable")][:MOST_COLUMNS])
    shown = gone[:, [table.names.index(name) for name in names]]
    patterns, rows = np.unique(shown, axis=0, return_counts=True)
    order = np.argsort(-rows, kind="stable")[:MOST_PATTERNS]
    ax = axes(ax, 0.9 + 0.2 * len(names))
    _squares(ax, patterns[order].T)
    ax.set_yticks(range(len(names)), labels=[short(name) for name in names])
    ax.set_xticks(range(len(order)), labels=[f"{count}" for count in rows[order]], rotation=90 if len(order) > 6 else 0)
    for place, count in enumerate(shown.sum(axis=0)):
        ax.text(len(order) - 0.4, place, f"{count}", va="center", fontsize=TICK)
    ax.set(xlabel=say("rows with this pattern"), xlim=(-0.5, len(order) + 0.4), ylim=(len(names) - 0.5, -0.5))
    bare(ax, "left", "bottom")
    whole = int((~gone.any(axis=1)).sum())
    heading(ax, say("{n} of {total} rows have every cell", n=whole, total=table.rows), say("right: cells missing"))
    return in_any_script(ax)


def _gone(table: Table, name: str) -> Values:
    if table.type(name) == TEXT:
        return table.encoded(name).codes < 0
    return np.isnan(table.numbers([name], slice(0, table.rows))[:, 0])


def _squares(ax: "Axes", patterns: Values) -> None:
    """Dark where cells are missing."""  # (D, P)
    from matplotlib.colors import ListedColormap

    ax.imshow(patterns, cmap=ListedColormap([PALE, COLOURS[1]]), vmin=0, vmax=1, aspect="auto")
    for edge in np.arange(patterns.shape[0] + 1) - 0.5:
        ax.axhline(edge, color="white", linewidth=1.5)
    for edge in np.arange(patterns.shape[1] + 1) - 0.5:
        ax.axvline(edge, color="white", linewidth=1.5)
