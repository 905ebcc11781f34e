"""Stage 3, what log evidence is of: evidences can be compared only where they are of the same cells.

In:  ln p(columns | classes), and the pieces of the model that it is of.
Out: Evidence, a value.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from suffice.data.kinds import KINDS
from suffice.data.schema import BlockPlan
from suffice.model.piece import Piece
from suffice.words import listed


@dataclass(frozen=True)
class Evidence:
    """Ln p(columns | classes), and what it is of: only evidences of the same can be compared."""

    value: float
    of: Mapping[str, str]  # column → what its cells have

    def exchanged(self, old: "Evidence", new: "Evidence") -> "Evidence":
        """With another evidence of some of the columns."""
        rest = {name: measure for name, measure in self.of.items() if name not in old.of}
        return Evidence(self.value - old.value + new.value, rest | dict(new.of))

    def apart(self, other: "Evidence") -> str:
        """Why this evidence and another cannot be compared; empty where they can."""
        odd = sorted(set(self.of) ^ set(other.of))
        if odd:
            return f"only one of them models {listed(odd)}, and evidences of different columns mean nothing together"
        for name, measure in self.of.items():
            if other.of[name] != measure:
                return (
                    f"column '{name}' has {measure} in one and {other.of[name]} in the other, whose ratio means nothing"
                )
        return ""


def measures(pieces: Sequence[Piece]) -> dict[str, str]:
    """What the cells of each column have."""
    measured = ((piece.block.names, _measure(piece.block)) for piece in pieces)
    return {name: measure for names, measure in measured for name in names}


def _measure(block: BlockPlan) -> str:
    """What a family gives to each cell: a probability, free of units, or a density, which is one for each unit."""
    if block.words:
        return f"a probability given the sum of {listed(sorted(block.names))}"
    return "a probability" if KINDS[block.kind].discrete else "a density"
