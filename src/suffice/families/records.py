"""Records: what statistics keep that could be read by itself.

In:  from a family, the names of what its statistics keep, and how many rows are behind each of that.
Out: Records, by component. A record is a column in a class, a level of it, a word, or a pattern of missing cells.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from suffice.arrays import Array
from suffice.families.rows import Rows
from suffice.families.sums import Mask


@dataclass(frozen=True, eq=False)
class Records:
    """What statistics keep of each component, record by record."""

    names: Sequence[str]
    rows: Array  # (K, R) behind each; not a number where nobody has counted them

    @classmethod
    def counted(cls, names: Sequence[str], rows: Rows | None, components: int) -> "Records":
        unknown = np.full((components, len(names)), np.nan)
        return cls(names, unknown if rows is None else rows.behind)

    @property
    def known(self) -> bool:
        return not bool(np.isnan(self.rows).any())

    def few(self, below: float) -> Mask:
        """Which of them have rows, but too few."""  # (K, R)
        return np.asarray((self.rows > 0) & (self.rows < below))

    def only(self, chosen: Mask) -> "Records":
        """Of the others, no rows."""
        return Records(self.names, np.where(chosen, self.rows, 0.0))
