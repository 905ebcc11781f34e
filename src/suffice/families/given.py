"""A family given the level of another column: the same family, with components class × level, k · levels + level.

In:  statistics of such components, as `pairs` gathers them.
Out: those of the classes; and the same with one more level, which no row has: it is as the class leads one to expect.
"""

from functools import reduce
from operator import add
from typing import TypeVar

import numpy as np

from suffice.families.protocol import Statistics

S = TypeVar("S", bound=Statistics)


def over_levels(statistics: S, levels: int) -> S:
    """Of the classes: the rows of all levels together."""
    classes = np.arange(len(statistics.weight) // levels)
    return reduce(add, (statistics.only(classes * levels + level) for level in range(levels)))


def with_empty_level(statistics: S, levels: int) -> S:
    """With one more level in each class, the last, of which there is no row."""
    classes = len(statistics.weight) // levels
    places = np.arange(classes)[:, None] * (levels + 1) + np.arange(levels)
    return statistics.onto(places.ravel(), classes * (levels + 1))


def as_class_where_empty(statistics: S, levels: int) -> S:
    """Components without any row have the rows of their class: for estimates that no prior helps."""
    empty = np.flatnonzero(statistics.weight == 0)
    rows_of_class = over_levels(statistics, levels).only(empty // levels)
    return statistics + rows_of_class.onto(empty, len(statistics.weight))
