"""Stage 3, the best tree: which arcs between columns weigh most together, if each has at most one parent.

In:  nodes in the order of their columns, and what each arc gains.
Out: the parent of each node, or none. Equal gains are decided by the order of the columns, so that neither the order of
     rows nor rounding matters: gains that agree to eleven digits of the largest are equal.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

Node = TypeVar("Node")
Gains = Mapping[tuple[Node, Node], float]  # of (parent, child)
DIGITS = 11


def rounded(gains: Gains[Node]) -> dict[tuple[Node, Node], float]:
    """In units of the largest, so that equal ones are equal."""
    unit = max(map(abs, gains.values()), default=0.0) or 1.0
    return {arc: round(gain / unit, DIGITS) for arc, gain in gains.items()}


def spanning_tree(nodes: Sequence[Node], gains: Gains[Node]) -> list[tuple[Node, Node]]:
    """The heaviest tree over all nodes, without directions, by Kruskal; several where some cannot be reached."""
    place, weights = {node: i for i, node in enumerate(nodes)}, rounded(gains)
    pairs = [(a, b) for a in nodes for b in nodes if place[a] < place[b] and (a, b) in weights]
    pairs.sort(key=lambda pair: (-weights[pair], place[pair[0]], place[pair[1]]))
    tree_of, chosen = {node: {node} for node in nodes}, []
    for a, b in pairs:
        if tree_of[a] is not tree_of[b]:
            chosen.append((a, b))
            tree_of[a] |= tree_of[b]
            for node in tree_of[b]:
                tree_of[node] = tree_of[a]
    return chosen


def directed(nodes: Sequence[Node], edges: Iterable[tuple[Node, Node]], root: Node | None = None) -> dict[Node, Node]:
    """Child → parent, away from the root, and from the first node of whatever it does not reach."""
    beside: dict[Node, list[Node]] = {node: [] for node in nodes}
    for a, b in edges:
        beside[a].append(b)
        beside[b].append(a)
    parents: dict[Node, Node] = {}
    met: set[Node] = set()
    for start in [*([] if root is None else [root]), *nodes]:
        waiting = [] if start in met else [start]
        met.add(start)
        while waiting:
            node = waiting.pop()
            new = [other for other in beside[node] if other not in met]
            parents |= dict.fromkeys(new, node)
            met |= set(new)
            waiting += new
    return parents


def branching(nodes: Sequence[Node], gains: Gains[Node]) -> dict[Node, Node]:
    """Child → parent: arcs of positive gain, each node with at most one parent, heaviest together (Edmonds 1967)."""
    place, weights = {node: i for i, node in enumerate(nodes)}, rounded(gains)
    positive = {(place[a], place[b]): gain for (a, b), gain in weights.items() if gain > 0}
    found = _branching(set(place.values()), {arc: (arc, gain) for arc, gain in positive.items()})
    return {nodes[b]: nodes[a] for a, b in found}


Arc = tuple[int, int]


def _branching(nodes: set[int], arcs: dict[Arc, tuple[Arc, float]]) -> list[Arc]:
    """The best arc into each node; a cycle of them is taken for one node, and broken where another arc enters it.

    Each arc has the one that it stands for, and its gain.
    """
    best: dict[int, Arc] = {}
    for arc, (_, gain) in sorted(arcs.items()):
        if gain > 0 and (arc[1] not in best or gain > arcs[best[arc[1]]][1]):
            best[arc[1]] = arc
    cycle = _cycle(best)
    if not cycle:
        return [arcs[arc][0] for arc in best.values()]
    one, least = max(nodes) + 1, min(arcs[best[node]][1] for node in cycle)
    fewer: dict[Arc, tuple[Arc, float]] = {}
    for (a, b), (stands_for, gain) in sorted(arcs.items()):
        if a in cycle and b in cycle:
            continue
        if b in cycle:  # what entering there costs: the arc of the cycle that it replaces
            gain = gain - arcs[best[b]][1] + least
        arc = (one if a in cycle else a, one if b in cycle else b)
        if arc not in fewer or gain > fewer[arc][1]:
            fewer[arc] = stands_for, gain
    return _broken(_branching(nodes - cycle | {one}, fewer), cycle, best, arcs)


def _broken(found: list[Arc], cycle: set[int], best: dict[int, Arc], arcs: dict[Arc, tuple[Arc, float]]) -> list[Arc]:
    """The cycle, without the arc into the node at which another one enters it, or without its lightest."""
    stands_for = {arcs[arc][0]: arc for arc in arcs}
    entries = [stands_for[arc][1] for arc in found if arc in stands_for and stands_for[arc][1] in cycle]
    left_out = entries[0] if entries else min(cycle, key=lambda node: (arcs[best[node]][1], node))
    return [*found, *(arcs[best[node]][0] for node in sorted(cycle) if node != left_out)]


def _cycle(best: Mapping[int, Arc]) -> set[int]:
    """Nodes that depend on each other in a circle."""
    for start in best:
        path, node = [start], start
        while node in best and best[node][0] not in path:
            node = best[node][0]
            path.append(node)
        if node in best:
            return set(path[path.index(best[node][0]) :])
    return set()
