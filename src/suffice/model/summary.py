"""Stage 3, what is kept of the rows: a schema, the classes, and statistics for each class. No more is needed.

In:  a table cut into blocks, and the class of each row.
Out: Summary, a value: `+` is other rows together, `−` rows taken away; classes and levels are united, in sorted order.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from suffice.arrays import Array, Codes
from suffice.data.blocks import cut
from suffice.data.levels import union
from suffice.data.schema import BlockPlan, Schema
from suffice.data.table import Table
from suffice.families.kinds import family_of
from suffice.families.memberships import memberships
from suffice.families.product import Product, ProductStatistics
from suffice.families.protocol import Family

Part = tuple[BlockPlan, Family, Any]  # a block, its family, and the statistics of its columns


@dataclass(frozen=True, eq=False)
class Summary:
    schema: Schema
    classes: tuple[Any, ...]
    statistics: ProductStatistics

    def __add__(self, other: "Summary") -> "Summary":
        mine, theirs = self._alike(other)
        return Summary(mine.schema, mine.classes, mine.statistics + theirs.statistics)

    def __sub__(self, other: "Summary") -> "Summary":
        mine, theirs = self._alike(other)
        return Summary(mine.schema, mine.classes, mine.statistics - theirs.statistics)

    @property
    def n(self) -> float:
        """The mass of the rows: their number, or the sum of their weights."""
        return float(self.statistics.weight.sum())

    @property
    def family(self) -> Product:
        return Product(tuple(family_of(block) for block in self.schema.blocks))

    def parts(self) -> Iterator[Part]:
        return zip(self.schema.blocks, self.family.parts, self.statistics.parts, strict=True)

    def onto(self, schema: Schema, classes: tuple[Any, ...]) -> "Summary":
        """The same rows under a schema with more levels and a longer list of classes."""
        families = (family_of(block) for block in schema.blocks)
        adopted = (new.adopt(those, old) for new, (_, old, those) in zip(families, self.parts(), strict=True))
        places = np.array([classes.index(name) for name in self.classes], dtype=np.intp)
        statistics = ProductStatistics(self.statistics.weight, tuple(adopted)).onto(places, len(classes))
        return Summary(schema, classes, statistics)

    def _alike(self, other: "Summary") -> tuple["Summary", "Summary"]:
        schema, classes = self.schema.union(other.schema), union(self.classes, other.classes)
        return self.onto(schema, classes), other.onto(schema, classes)


def summarise(table: Table, schema: Schema, classes: tuple[Any, ...], labels: Codes, row_weights: Array) -> Summary:
    """One pass over the rows, block by block."""
    family = Product(tuple(family_of(block) for block in schema.blocks))
    belonging = memberships(labels, len(classes), row_weights)
    statistics = (family.statistics(blocks, belonging[rows]) for rows, blocks in cut(table, schema))
    return Summary(schema, classes, reduce(add, statistics))
