"""Moments from sums that an engine has made where the rows are.

In:  CellSums, by component, and by pattern of missing cells where columns are taken together.
Out: Moments of columns each by itself, or PatternMoments.
"""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from suffice.families.gaussian.moments import Moments
from suffice.families.gaussian.patterns import Pattern, PatternMoments
from suffice.families.mass import Mass
from suffice.families.rows import Rows
from suffice.families.summable import CellSums


def moments_alone(sums: Sequence[CellSums], mass: Mass, columns: int) -> Moments:
    """The moments of columns each by itself."""
    shape = (len(mass.weight), columns)
    seen, near, off, scatter = (np.zeros(shape) for _ in range(4))
    for some in sums:
        row = some.component, some.there
        seen[row], near[row], off[row], scatter[row] = some.seen, some.near, some.off, some.scatter
    rows = None if mass.rows is None else Rows(mass.rows, seen)
    return Moments.of(mass.weight, (seen, near, off, scatter), rows)


def moments_by_pattern(sums: Sequence[CellSums], mass: Mass, columns: int) -> PatternMoments:
    """The moments of columns taken together, a record for each pattern of missing cells."""
    found: dict[Pattern, list[CellSums]] = defaultdict(list)
    for some in sums:
        found[tuple(some.there.tolist())].append(some)
    parts = {pattern: _together(some, mass) for pattern, some in found.items() if pattern}
    return PatternMoments.of(mass, columns, parts)


def _together(sums: Sequence[CellSums], mass: Mass) -> Moments:
    columns, components = len(sums[0].there), len(mass.weight)
    weight, near, off = np.zeros(components), np.zeros((components, columns)), np.zeros((components, columns))
    scatter = np.zeros((components, columns, columns))
    for some in sums:
        k = some.component
        weight[k], near[k], off[k], scatter[k] = some.weight, some.near, some.off, some.scatter
    seen = np.repeat(weight[:, None], columns, axis=1)
    rows = None if mass.rows is None else Rows(weight, seen)
    return Moments.of(weight, (seen, near, off, scatter), rows)
