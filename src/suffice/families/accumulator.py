"""How a block is read in a step of EM: once, for the densities of its rows and for their statistics alike.

In:  the density of the step before, and blocks of rows.
Out: log densities (n, K), then statistics under the memberships that follow from them.

`Plain` asks density and family, one after the other. For Gaussians over complete rows `coordinates` has faster ones.
"""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from suffice.arrays import Array
from suffice.families.memberships import Soft


class Lens(Protocol):
    @property
    def width(self) -> int: ...  # numbers that a row is read as

    def read(self, block: Any, piece: int) -> Any: ...  # what the other two look at, in memory of that piece

    def log_density(self, seen: Any) -> Array: ...  # (n, K)

    def sums(self, seen: Any, memberships: Soft) -> Any: ...  # additive

    def statistics(self, sums: Any) -> Any: ...  # of all blocks together


@dataclass(frozen=True, eq=False)
class Plain:
    family: Any
    density: Any

    @property
    def width(self) -> int:
        return int(self.family.columns)

    def read(self, block: Any, piece: int) -> Any:
        return block

    def log_density(self, seen: Any) -> Array:
        return np.asarray(self.density.log_density(seen))

    def sums(self, seen: Any, memberships: Soft) -> Any:
        return self.family.statistics(seen, memberships)

    def statistics(self, sums: Any) -> Any:
        return sums
