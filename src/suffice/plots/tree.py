"""Which column depends on which, as a tree that grows to the right."""

from typing import TYPE_CHECKING

from suffice.model.tree import Tree
from suffice.plots.canvas import COLOURS, axes, in_any_script

if TYPE_CHECKING:  # which is loaded when something is drawn
    from matplotlib.axes import Axes

WIDEST = 4.0  # points of the line of the arc that weighs most


def tree(found: Tree, ax: "Axes | None" = None) -> "Axes":
    """Columns, with an arc to each from the one it depends on: the wider, the more it gains; its weight beside it.

    `found` is the tree_ of a TreeAugmentedBayes.
    """
    ax, places = axes(ax), _places(found)
    heaviest = max((weight for *_, weight in found.arcs if weight == weight), default=0.0) or 1.0
    for parent, child, weight in found.arcs:
        (x, y), (x_child, y_child) = places[parent], places[child]
        width = max(0.6, WIDEST * weight / heaviest) if weight == weight else 0.6
        ax.plot([x, x_child], [y, y_child], color=COLOURS[4], linewidth=width, zorder=1)
        middle = ((x + x_child) / 2, (y + y_child) / 2)
        ax.annotate(f"{weight:.3g}", middle, fontsize="small", ha="center", va="bottom", color="#444444")
    box = {"boxstyle": "round,pad=0.3", "facecolor": "white", "edgecolor": COLOURS[0]}
    for name, (x, y) in places.items():
        ax.text(x, y, name, ha="center", va="center", bbox=box, zorder=2)
    depth, breadth = (max((place[i] for place in places.values()), default=0.0) for i in (0, 1))
    ax.set(xlim=(-0.5, depth + 0.5), ylim=(breadth + 0.7, -0.7))
    ax.axis("off")
    return in_any_script(ax)


def _places(found: Tree) -> dict[str, tuple[float, float]]:
    """Across, how many parents there are above; down, a line for each column that nothing depends on."""
    out: dict[str, tuple[float, float]] = {}
    lines = 0

    def put(name: str, depth: int) -> float:
        nonlocal lines
        below = [put(child, depth + 1) for child in found.children(name)]
        if not below:
            lines += 1
        place = sum(below) / len(below) if below else lines - 1.0
        out[name] = (float(depth), place)
        return place

    for root in found.children(None):
        put(root, 0)
    return out
