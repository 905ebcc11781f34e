"""Which column depends on which, as a tree that grows to the right."""

from typing import TYPE_CHECKING

from suffice.model.tree import Tree
from suffice.plots.canvas import axes, expected, in_any_script
from suffice.plots.style import BLANK, COLOURS, DARK, PAGE, TICK, points, short

if TYPE_CHECKING:  # which is loaded when something is drawn
    from matplotlib.axes import Axes

WIDEST = 4.0  # points of the line of the arc that weighs most
GAP = 56.0  # points between names, where the weight of an arc stands
HIGH = 0.26  # inches for a line


def tree(found: Tree, ax: "Axes | None" = None) -> "Axes":
    """Draw a tree of columns, with an arc to each from the one it depends on, wider for a larger gain.

    `found` is the tree_ of a TreeAugmentedBayes.

    >>> from suffice import TreeAugmentedBayes, example, plots
    >>> model = TreeAugmentedBayes(kinds={"year": "ignore"}).fit(*example("penguins"))
    >>> ax = plots.tree(model.tree_)

    """
    expected(found, Tree, "the tree_ of a TreeAugmentedBayes")
    places = _places(found)
    names = {name: short(name) for name in places}
    left, right = _edges(places, names)
    breadth = max((y for _, y in places.values()), default=0.0)
    whole = max(right.values(), default=1.0)
    ax = axes(ax, 0.3 + HIGH * (breadth + 1), min(PAGE, whole / 72 + 0.2))
    heaviest = max((weight for *_, weight in found.arcs if weight == weight), default=0.0) or 1.0
    for parent, child, weight in found.arcs:
        start, end = (right[parent] + 3, places[parent][1]), (left[child] - 3, places[child][1])
        width = max(0.6, WIDEST * weight / heaviest) if weight == weight else 0.6
        ax.plot(*zip(start, end, strict=True), color=COLOURS[4], linewidth=width, zorder=1, solid_capstyle="butt")
        x, y = (a + 0.6 * (b - a) for a, b in zip(start, end, strict=True))
        ax.text(x, y, f"{weight:.3g}", ha="center", va="center", fontsize=TICK, color=DARK, bbox=BLANK)
    for name, (_, y) in places.items():
        ax.text(left[name], y, names[name], ha="left", va="center", fontsize=TICK, zorder=2)
    ax.set(xlim=(0, whole), ylim=(breadth + 0.6, -0.6))
    ax.axis("off")
    return in_any_script(ax)


def _edges(places: dict[str, tuple[float, float]], names: dict[str, str]) -> tuple[dict[str, float], dict[str, float]]:
    """Where names begin and end, in points: those of one depth begin together, after the longest of the one before."""
    left: dict[str, float] = {}
    right: dict[str, float] = {}
    start = 0.0
    for depth in sorted({depth for depth, _ in places.values()}):
        here = [name for name, (mine, _) in places.items() if mine == depth]
        left |= dict.fromkeys(here, start)
        right |= {name: start + points(names[name], TICK) for name in here}
        start = max(right[name] for name in here) + GAP
    return left, right


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
