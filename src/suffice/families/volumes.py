"""Volumes: Σ ln |dx/dz| of cells that are modelled in other units, beside the statistics of a part.

In:  turned cells z and their memberships.
Out: Volume, which adds and comes off again as statistics do. Only densities in the user's own units need it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from suffice.arrays import Array, Codes, close, placed
from suffice.families.counts import checked
from suffice.families.memberships import Memberships
from suffice.families.sums import Low, Mask, Sums, joined_low, restored_low
from suffice.transforms import Transform


@dataclass(frozen=True, eq=False)
class Volume:
    logs: Array  # (K, D), of each column; (K, 0) where cells are as the user has them
    low: Low = None  # what floats cannot hold of it; None where they are enough

    @classmethod
    def none(cls, components: int) -> "Volume":
        return cls(np.zeros((components, 0)), {})

    @classmethod
    def of(cls, z: Array, by: Transform | None, memberships: Memberships) -> "Volume":
        if by is None:
            return cls.none(len(memberships.weight))
        return cls(memberships.sums(by.volume(z)), None if memberships.counted is None else {})

    @property
    def total(self) -> float:
        return float(self.logs.sum())

    @property
    def sums(self) -> Sums:
        return Sums({"logs": self.logs}, self.low)

    def __add__(self, other: "Volume") -> "Volume":
        return _of(self.sums + other.sums)

    def less(self, other: "Volume", weight: Array) -> "Volume":
        """What is left of it, nothing where no weight (K,) is."""
        return _of(self.sums.less(other.sums, None, ())).without(weight[:, None] == 0)

    def joined(self, other: "Volume") -> "Volume":
        """In floats: blocks of one collect."""
        return Volume(self.logs + other.logs, joined_low(self.low, other.low))

    def alike(self, other: "Volume", tolerance: float, weight: Array) -> bool:
        """Sums of logarithms may come near 0, and are as good as their terms."""
        return close(self.logs, other.logs, tolerance, tolerance * weight[:, None])

    def onto(self, components: Codes, size: int) -> "Volume":
        return self._each(lambda part: placed(part, components, size))

    def only(self, components: Codes) -> "Volume":
        return self._each(lambda part: part[components])

    def take(self, columns: Sequence[int]) -> "Volume":
        chosen = list(columns)
        return self._each(lambda part: part[:, chosen]) if self.logs.shape[1] else self

    def without(self, gone: Mask) -> "Volume":
        """With 0 in some entries."""
        return _of(self.sums.without({"logs": gone}))

    def _each(self, change: Callable[[Array], Array]) -> "Volume":
        return _of(self.sums.each(lambda _, part: change(part)))

    def arrays(self) -> dict[str, Array]:
        """By name, for a file; none where cells are as the user has them."""
        return self.sums.arrays() if self.logs.shape[1] else {}

    @classmethod
    def restored(cls, arrays: Mapping[str, Array], components: int, columns: int) -> "Volume":
        """From `arrays`, in the user's own units if there are none of them."""
        if not arrays:
            return cls.none(components)
        found = checked(arrays, dict.fromkeys(("logs", *arrays), (components, columns)))
        return cls(found["logs"], restored_low(found, ("logs",)))


def _of(sums: Sums) -> Volume:
    return Volume(sums.high["logs"], sums.low)
