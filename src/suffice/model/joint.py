"""Stage 3, the joint model of a row and its class: ln p(x, k) = ln p(x | k) + ln P(k).

In:  densities of the blocks and the prevalence of the classes.
Out: log joint probabilities (N, K) of any table that has the columns, and the parameters as tables with names.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.arrays import Array, Codes, log, log_sum_exp
from suffice.data.blocks import cut, log_volume
from suffice.data.schema import Schema
from suffice.data.table import Table
from suffice.errors import ParameterError
from suffice.families.product import ProductDensity


@dataclass(frozen=True, eq=False)
class Joint:
    schema: Schema
    classes: tuple[Any, ...]
    prevalence: Array  # (K,)
    density: ProductDensity
    estimate: str  # how the densities were made
    owners: Codes | None = None  # (K,) the class of each component; None: a class is a component

    def log_joint(self, table: Table, unseen: str) -> Array:
        """Ln p(row, class)."""  # (N, C)
        found = self.log_components(table, unseen)
        if self.owners is None or len(self.owners) == len(self.classes):
            return found
        classes = [found[:, self.owners == k] for k in range(len(self.classes))]
        return np.stack([log_sum_exp(some) for some in classes], axis=1)

    @property
    def shares(self) -> Array:
        """The prevalence of the classes."""
        if self.owners is None:
            return self.prevalence
        return np.bincount(self.owners, self.prevalence, len(self.classes)).astype(float)

    @property
    def components(self) -> tuple[Any, ...]:
        """What the components are called: the classes, with a number where a class has several."""
        if self.owners is None or len(self.owners) == len(self.classes):
            return self.classes
        if len(self.classes) == 1:
            return tuple(range(len(self.owners)))
        numbers = [int((self.owners[:k] == owner).sum()) + 1 for k, owner in enumerate(self.owners)]
        return tuple(f"{self.classes[owner]} ({n})" for owner, n in zip(self.owners, numbers, strict=True))

    def log_components(self, table: Table, unseen: str) -> Array:
        """Ln p(row, component)."""  # (N, K)
        out = np.empty((table.rows, len(self.prevalence)))
        log_prevalence = log(self.prevalence)
        for rows, blocks in cut(table, self.schema, unseen):
            volume = sum(log_volume(*pair) for pair in zip(self.schema.blocks, blocks, strict=True))
            out[rows] = log_prevalence + self.density.log_density(blocks) - np.reshape(volume, (-1, 1))
        out[:, np.isneginf(log_prevalence)] = -np.inf  # a class that cannot be, whatever its density
        return out

    def position(self, name: Any) -> int:
        """Which class that is."""
        if name not in self.classes:
            raise ParameterError(f"There is no class {name!r}; the model has {list(self.classes)}.")
        return self.classes.index(name)

    def tables(self) -> dict[str, dict[str, Array]]:
        """A table for each column or group of columns: heading → one number for each class."""
        out: dict[str, dict[str, Array]] = {}
        for block, density in zip(self.schema.blocks, self.density.parts, strict=True):
            out |= density.tables(block.modelled)
        return out
