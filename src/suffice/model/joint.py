"""Stage 3, the joint model of a row and its class: ln p(x, k) = ln p(x | k) + ln P(k).

In:  densities of the blocks and the prevalence of the classes.
Out: log joint probabilities (N, K) of any table that has the columns, and the parameters as tables with names.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.arrays import Array, log, workspace
from suffice.data.blocks import cut
from suffice.data.schema import Schema
from suffice.data.table import Table
from suffice.errors import ParameterError
from suffice.families.product import ProductDensity
from suffice.threads import over_rows

Answer = Callable[[Array], Array]  # (n, K) → (n, K)


@dataclass(frozen=True, eq=False)
class Joint:
    schema: Schema
    classes: tuple[Any, ...]
    prevalence: Array  # (K,)
    density: ProductDensity
    estimate: str  # how the densities were made

    def log_joint(self, table: Table, unseen: str) -> Array:
        return self._answers(table, unseen, self.density.log_density, lambda log_joint: log_joint)

    def answers(self, table: Table, unseen: str, answer: Answer) -> Array:
        """What `answer` makes of each block of scores: ln p(x, k) up to a term common to all classes."""
        return self._answers(table, unseen, self.density.scores, answer)

    def _answers(self, table: Table, unseen: str, scores: Callable[[Any], Array], answer: Answer) -> Array:
        cells, out = cut(table, self.schema, unseen), np.empty((table.rows, len(self.classes)))
        log_prevalence = log(self.prevalence)
        impossible = np.isneginf(log_prevalence)  # a class that cannot be, whatever its density

        def fill(blocks: Sequence[slice]) -> None:
            for rows in blocks:
                with np.errstate(invalid="ignore"):  # an infinite cell is refused below, by name
                    found = workspace("scores", rows.stop - rows.start, len(self.classes))
                    np.add(scores(cells[rows]), log_prevalence, out=found)
                if not np.isfinite(found).all():
                    cells.check(rows)
                    found[:, impossible] = -np.inf
                out[rows] = answer(found)

        over_rows(fill, table.rows, cells.width)
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
            out |= density.tables(block.names)
        return out
