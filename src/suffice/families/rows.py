"""How many rows are behind sums: whole numbers, whatever the rows weigh, so that they add and subtract exactly.

In:  memberships of the rows, and which of their cells are there.
Out: Rows. Where every row has weight one they are the masses of the statistics themselves, in the same memory, and no
     file has them twice. None stands for a number that nobody knows: shares of rows, or a file of an older version.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from suffice.arrays import Array
from suffice.errors import FileError
from suffice.families.memberships import Memberships

BEHIND = "rows_behind"  # its name in files


@dataclass(frozen=True, eq=False)
class Rows:
    of: Array  # (K,) of each component
    behind: Array  # (K, …) behind each record that the statistics keep

    def added(self, other: "Rows | None") -> "Rows | None":
        return other and Rows(self.of + other.of, self.behind + other.behind)

    def less(self, other: "Rows | None") -> "Rows | None":
        """Of what is left; None if that is impossible, as where a row of weight 2 was two rows for somebody else."""
        left = other and Rows(self.of - other.of, self.behind - other.behind)
        return left if left and (left.of >= 0).all() and (left.behind >= 0).all() else None

    def sharing(self, weight: Array, masses: Array) -> "Rows":
        """The same numbers, in the memory of masses that are equal to them."""
        return Rows(_shared(self.of, weight), _shared(self.behind, masses))

    def outside(self, few: NDArray[np.bool_], weight: Array, masses: Array) -> "Rows":
        """Without those behind some records, as the masses are."""
        return Rows(self.of, np.where(few, 0.0, self.behind)).sharing(weight, masses)

    def arrays(self, masses: Array) -> dict[str, Array]:
        """By name, for a file: behind records only where they are no masses."""
        return {"rows": self.of} | ({} if _shared(self.behind, masses) is masses else {BEHIND: self.behind})

    @classmethod
    def restored(cls, arrays: Mapping[str, Array], masses: Array) -> "Rows | None":
        """From `arrays`, refusing what cannot be numbers of rows; None where an older version wrote none."""
        if "rows" not in arrays:
            return None
        found = cls(arrays["rows"], arrays.get(BEHIND, masses))
        if not all(np.isfinite(part).all() and (part >= 0).all() for part in (found.of, found.behind)):
            raise FileError("The file holds impossible numbers of rows.")
        if any((part % 1).any() for part in (found.of, found.behind)):
            raise FileError("The file holds impossible numbers of rows.")
        return found


def rows_with(counted: Memberships, there: NDArray[np.bool_]) -> Rows:
    """Rows in which a cell of each column is there."""  # (N, D) → (K, D)
    if there.all():
        return Rows(counted.weight, np.repeat(counted.weight[:, None], there.shape[1], axis=1))
    return Rows(counted.weight, counted.sums(there * 1.0))


def after(rows: Rows | None, change: Callable[[Array], Array], weights: "Before", masses: "Before") -> Rows | None:
    """The numbers after a change of all axes alike; what was shared with weights and masses is shared again."""
    if rows is None:
        return None
    parts = ((rows.of, weights), (rows.behind, masses))
    of, records = (now if part is before else change(part) for part, (before, now) in parts)
    return Rows(of, records)


Before = tuple[Array, Array]  # an array, and what it has become


def _shared(numbers: Array, masses: Array) -> Array:
    return masses if numbers is masses or np.array_equal(numbers, masses) else numbers
