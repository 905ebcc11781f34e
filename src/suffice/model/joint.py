"""Stage 3, the joint model of a row and its class: ln p(x, k) = ln p(x | k) + ln P(k).

In:  densities of the blocks and the prevalence of the classes.
Out: log joint probabilities (N, K) of any table that has the columns, and the parameters as tables with names.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.arrays import Array, Codes, log, log_sum_exp
from suffice.data.blocks import cut, log_volume
from suffice.data.schema import Schema
from suffice.data.table import Table
from suffice.errors import FileError, ParameterError
from suffice.families.kinds import density_of
from suffice.families.product import ProductDensity
from suffice.store import Header


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
        return self.by_class(self.log_components(table, unseen))

    def by_class(self, log_components: Array) -> Array:
        """Ln of the sums over the components of each class."""  # (N, K) → (N, C)
        if self.owners is None or len(self.owners) == len(self.classes):
            return log_components
        classes = [log_components[:, self.owners == k] for k in range(len(self.classes))]
        return np.stack([log_sum_exp(some) for some in classes], axis=1)

    def refuse_several(self, what: str) -> None:
        if self.owners is not None and len(self.owners) > len(self.classes):
            raise ParameterError(
                f"{what} needs one component for each class; this model has {len(self.owners)} in all."
            )

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

    def packed(self) -> tuple[Header, dict[str, Array]]:
        """The parameters as plain data and arrays."""
        parts: Any = enumerate(self.density.parts)
        arrays = {f"{i}/{name}": array for i, part in parts for name, array in part.arrays().items()}
        owners = np.arange(len(self.prevalence)) if self.owners is None else self.owners
        header = {"classes": list(self.classes), "estimate": self.estimate}
        return header, {"prevalence": self.prevalence, "owners": owners.astype(float), **arrays}

    @classmethod
    def unpacked(cls, header: Header, arrays: Mapping[str, Array], schema: Schema) -> "Joint":
        """The joint that was `packed`, or an error if that cannot have been one."""
        shares, owners = arrays["prevalence"], arrays["owners"].astype(np.intp)
        classes = tuple(header["classes"])
        if shares.shape != owners.shape or not set(owners.tolist()) <= set(range(len(classes))):
            raise FileError("The components of the file do not belong to its classes.")
        names = [f"{i}/" for i in range(len(schema.blocks))]
        mine = ({n.removeprefix(p): a for n, a in arrays.items() if n.startswith(p)} for p in names)
        pairs = zip(schema.blocks, mine, strict=True)
        parts = tuple(density_of(block, some, len(shares)) for block, some in pairs)
        return cls(schema, classes, shares, ProductDensity(parts), str(header["estimate"]), owners)

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
