"""Stage 4, every row there can be: sums over cells, and integrals over one column, of what a decision costs.

In:  a Joint, and the costs (A, K) of actions.
Out: Σ or ∫ of min over actions of Σ_k cost(a, k) p(x, k): exact over finitely many rows, to many digits over a line;
     None where rows are too many or the columns of other kinds.
"""

from collections.abc import Callable, Iterator

import numpy as np
from scipy.optimize import brentq

from suffice.arrays import Array, Values, log, row_blocks
from suffice.data.kinds import CATEGORICAL, KINDS
from suffice.data.schema import ColumnPlan
from suffice.families.angles.von_mises import AnglePredictive, VonMisesDensity
from suffice.families.gaussian.densities import GaussianDensity, StudentDensity
from suffice.families.protocol import Density
from suffice.families.rates.gamma import RateDensity
from suffice.families.rates.waiting import WaitingLaw
from suffice.model.joint import Joint

MOST_CELLS = 1_000_000
LEFT_OUT = 1e-16  # mass of counts in the second half of those that are summed
REACH = 40.0  # standard deviations beyond which a Gaussian has no mass
FAR = 1e14  # the same of a Student-t, and of ln of a wait
BROAD = 10.0  # √κ of angles up to which the panels of a circle are fine enough
PANELS = 400  # between which a density is smooth, for each component
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
    if column.kind == CATEGORICAL:
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
    points = _points(density)
    if points is None:
        return None

    def joints(z: Array) -> Array:
        return log(joint.prevalence) + _log_density(density, z)

    ends = np.union1d(points, _changes(joint, joints, costs, points))
    half, middle = np.diff(ends) / 2, (ends[1:] + ends[:-1]) / 2
    z = middle[:, None] + half[:, None] * NODES  # (panels, nodes)
    least = _least(joint, joints(z.ravel()), costs).reshape(z.shape)
    return float(half @ (least @ WEIGHTS))


def _points(density: Density) -> Array | None:
    """Where panels of an integral begin and end: fine around every component."""
    if isinstance(density, GaussianDensity):
        spread = np.sqrt(density.shape.diagonal(density.covariance, 1))[:, 0]
        return _around(density.mean[:, 0], spread, REACH)
    if isinstance(density, StudentDensity):
        spread = np.sqrt(density.shape.diagonal(density.squared_scale, 1))[:, 0]
        return _around(density.mean[:, 0], spread, FAR)
    if isinstance(density, VonMisesDensity | AnglePredictive):
        narrower = int(np.ceil(np.sqrt(density.family.kappa[0]) / BROAD))
        return np.linspace(-np.pi, np.pi, PANELS * max(narrower, 1) + 1)
    if isinstance(density, RateDensity) and isinstance(density.family.law, WaitingLaw) and density.rate.all():
        shape = density.family.law.k[0]  # over ln x, whose density falls off as e^(shape · ln x) to the left
        typical = np.log(shape / density.rate[:, 0])
        return _around(typical, np.full(len(typical), 1 / np.sqrt(shape)), REACH / np.sqrt(min(shape, 1.0)) + REACH)
    return None


def _around(middle: Array, spread: Array, reach: float) -> Array:
    """Steps that grow with the distance from the middle of each component."""
    steps = np.sinh(np.linspace(-1, 1, PANELS + 1) * np.arcsinh(reach))
    return np.unique(middle[:, None] + np.broadcast_to(spread, middle.shape)[:, None] * steps)


def _log_density(density: Density, z: Array) -> Array:
    """Over the line of `_points`: of waits, that of their logarithm."""
    if isinstance(density, RateDensity):
        with np.errstate(under="ignore", over="ignore"):
            return np.asarray(density.log_density(np.exp(z)[:, None]) + z[:, None])
    return density.log_density(z[:, None])


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
