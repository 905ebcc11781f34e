"""Stage 4, every row there can be: sums over cells, and integrals over one column, of what a decision costs.

In:  a Joint, and the costs (A, K) of actions.
Out: Σ or ∫ of min over actions of Σ_k cost(a, k) p(x, k): exact over finitely many rows, to many digits over a line;
     None where rows are too many or the columns of other kinds.
"""

from collections.abc import Callable, Iterator

import numpy as np
from scipy.optimize import brentq

from suffice.arrays import Array, Values, log, row_blocks
from suffice.data.kinds import KINDS
from suffice.data.schema import ColumnPlan
from suffice.families.capabilities import Integrable
from suffice.families.protocol import Density
from suffice.model.joint import Joint

MOST_CELLS = 1_000_000
LEFT_OUT = 1e-16  # mass of counts in the second half of those that are summed
NODES, WEIGHTS = np.polynomial.legendre.leggauss(12)


def risk_over_cells(joint: Joint, costs: Array) -> float | None:
    """The sum over all rows of columns that have finitely many values, or hardly ever any but those."""
    values = [_values(column, density) for column, density in _columns(joint)]
    finite = [some for some in values if some is not None]
    sizes = [len(some) for some in finite]
    if len(finite) < len(values) or np.prod(sizes, dtype=float) > MOST_CELLS:
        return None
    total, widths = 0.0, [len(block.columns) for block in joint.schema.blocks]
    for rows in row_blocks(int(np.prod(sizes)), len(sizes)):
        places = np.unravel_index(np.arange(rows.start, rows.stop), sizes) if sizes else ()
        cells = iter([some[place] for some, place in zip(finite, places, strict=True)])
        blocks = tuple(np.stack([next(cells) for _ in range(width)], axis=1) for width in widths)
        logs = log(joint.prevalence) + (joint.density.log_density(blocks) if blocks else 0.0)
        total += _least(joint, np.atleast_2d(logs), costs).sum()
    return float(total)


def _columns(joint: Joint) -> Iterator[tuple[ColumnPlan, Density | None]]:
    """Each column with its density, where it has one of its own."""
    for number, block in enumerate(joint.schema.blocks):
        for j, column in enumerate(block.columns):
            alone = joint.density.independent and not block.together
            yield column, joint.density.parts[number].take([j]) if alone else None


def _values(column: ColumnPlan, density: Density | None) -> Values | None:
    """All that a column may hold, up to what has no mass; None where there is no end to it."""
    kind = KINDS[column.kind]
    if column.categorical:
        return np.arange(len(column.levels))
    cells = kind.allows(*column.numbers)
    if not kind.discrete or kind.together or not cells.whole or np.isinf(cells.least):
        return None
    if np.isfinite(cells.most):
        return np.arange(cells.least, cells.most + 1.0)
    return None if density is None else _likely(density, cells.least)


def _likely(density: Density, least: float) -> Values | None:
    """Whole numbers from the least on, twice as many as have mass."""
    count = 64
    while count <= MOST_CELLS:
        values = least + np.arange(float(count))
        mass = np.exp(density.log_density(values[:, None]))  # (count, K)
        if (mass.sum(axis=0) > 0.5).all() and (mass[count // 2 :].sum(axis=0) < LEFT_OUT).all():
            return values
        count *= 2
    return None


def risk_over_a_line(joint: Joint, costs: Array) -> float | None:
    """The integral over the one column that there is, between the points where decisions change."""
    if len(joint.schema.columns) != 1:
        return None
    density = joint.density.parts[0]  # in the units of its family: a risk is the same in whatever units
    points = density.panels() if isinstance(density, Integrable) else None
    if points is None or not isinstance(density, Integrable):
        return None

    along = density.along

    def joints(z: Array) -> Array:
        return log(joint.prevalence) + along(z)

    ends = np.union1d(points, _changes(joint, joints, costs, points))
    half, middle = np.diff(ends) / 2, (ends[1:] + ends[:-1]) / 2
    z = middle[:, None] + half[:, None] * NODES  # (panels, nodes)
    least = _least(joint, joints(z.ravel()), costs).reshape(z.shape)
    return float(half @ (least @ WEIGHTS))


def _changes(joint: Joint, joints: Callable[[Array], Array], costs: Array, points: Array) -> Array:
    """Where another action becomes the best, between points that differ in it."""

    def risks(z: Array) -> Array:
        """Of the actions, where the most probable class counts as one: only their order matters."""
        logs = joint.by_class(joints(z))
        top = logs.max(axis=1, keepdims=True)
        return np.exp(logs - np.where(np.isfinite(top), top, 0.0)) @ costs.T

    best, found = risks(points).argmin(axis=1), []
    for here in np.flatnonzero(np.diff(best)):
        a, b = best[here], best[here + 1]

        def apart(z: float, a: int = a, b: int = b) -> float:
            of = risks(np.array([z]))[0]
            return float(of[a] - of[b])

        low, high = points[here], points[here + 1]
        if apart(low) < 0 < apart(high):
            found.append(brentq(apart, low, high, xtol=1e-15 * max(abs(low), abs(high)), rtol=1e-14))
    return np.array(found)


def _least(joint: Joint, logs: Array, costs: Array) -> Array:
    """What the best action costs at each row, times p(row)."""
    return np.asarray((np.exp(joint.by_class(logs)) @ costs.T).min(axis=1))
