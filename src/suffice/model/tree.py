"""Stage 3, a tree: the parent of each column, or none, with what each arc gains.

In:  parents and gains, by the names of columns.
Out: Tree, a value that prints, in files is plain data, and lists parents before their children.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from suffice.printing.description import Description, Series, Sheet
from suffice.printing.language import word
from suffice.printing.printed import Printed
from suffice.store import Header


@dataclass(frozen=True, repr=False)
class Tree(Printed):
    """The parent of each column, in the order of the table."""

    parents: Mapping[str, str | None]
    gains: Mapping[tuple[str, str], float]  # of each arc there is, (parent, child)
    criterion: str

    @property
    def arcs(self) -> list[tuple[str, str, float]]:
        """Parent, child, and the gain of the arc; NaN if the two are never present in the same row."""
        found = ((parent, child) for child, parent in self.parents.items() if parent is not None)
        return [(parent, child, self.gains.get((parent, child), float("nan"))) for parent, child in found]

    def plain(self) -> Header:
        """As plain data."""
        arcs = [[parent, child, gain] for (parent, child), gain in self.gains.items()]
        return {"parents": [list(pair) for pair in self.parents.items()], "gains": arcs, "criterion": self.criterion}

    @classmethod
    def from_plain(cls, data: Header) -> "Tree":
        gains = {(str(parent), str(child)): float(gain) for parent, child, gain in data["gains"]}
        return cls(dict(data["parents"]), gains, str(data["criterion"]))

    def children(self, parent: str | None) -> list[str]:
        return [child for child, own in self.parents.items() if own == parent]

    def in_order(self) -> list[str]:
        """Parents before their children."""
        out = self.children(None)
        for name in out:  # which grows meanwhile
            out += self.children(name)
        return out

    def description(self) -> Description:
        """The tree as it grows, and what each arc gains."""
        drawn = [branch for root in self.children(None) for branch in self._branches(root, "", "")]
        names, parents = [name for _, name in drawn], [self.parents[name] for _, name in drawn]
        gains = [self.gains.get((above or "", name), np.nan) for above, name in zip(parents, names, strict=True)]
        series = [Series(word("parent"), [above or "" for above in parents]), Series(word("gain"), np.array(gains))]
        lines = [f"{before}{name}" for before, name in drawn]
        return Description((), [Sheet(word("column"), lines, series, keys=names, most=len(lines))])

    def _branches(self, name: str, before: str, below: str) -> list[tuple[str, str]]:
        """What is drawn before each name, from a column on down."""
        children, found = self.children(name), [(before, name)]
        for child in children:
            last = child == children[-1]
            found += self._branches(child, below + ("└─ " if last else "├─ "), below + ("   " if last else "│  "))
        return found
