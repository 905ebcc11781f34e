"""Gaussian and Student-t densities as formulas of the cells, one for each pattern of cells that are there.

In:  a density, and cells.
Out: Formula. Cells are centred before anything is squared, so that digits far from 0 are kept; components that share a
     covariance and lie near each other have linear scores of their own, and the square in common.
"""

from collections.abc import Callable, Sequence
from typing import Protocol, Self, TypeVar

import numpy as np

from suffice.arrays import LOG_2PI, Array
from suffice.families.gaussian.distances import Crosswise
from suffice.families.gaussian.linear import LinearScores
from suffice.families.gaussian.shapes import FULL, Shape
from suffice.formulas import (
    ZERO,
    All,
    Cases,
    Condition,
    Expression,
    Formula,
    Lookup,
    Missing,
    Not,
    Number,
    Once,
    Pattern,
    Square,
    added,
    dot,
    if_there,
    times_log1p,
    total,
)
from suffice.kernels.distances import log_student

Turned = Callable[[Expression], Expression]  # what to do with a coordinate, which is squared
HALF = np.sqrt(0.5)
MOST_AT_ONCE = 500  # coordinates that are worked out beforehand: of several patterns only one is needed for a row


class OfColumns(Protocol):
    """A density of columns by themselves, or modelled together."""

    @property
    def mean(self) -> Array: ...  # (K, D)

    @property
    def shape(self) -> Shape: ...

    @property
    def independent(self) -> bool: ...

    def take(self, columns: Sequence[int]) -> Self: ...


class Normals(OfColumns, Protocol):
    """Gaussian components."""

    @property
    def covariance(self) -> Array: ...  # (K′, …)

    @property
    def linear(self) -> LinearScores | None: ...  # what they differ by, where that costs no digits


class Students(OfColumns, Protocol):
    """Student-t components."""

    @property
    def squared_scale(self) -> Array: ...  # (K, …)

    @property
    def degrees(self) -> Array: ...  # (K′, 1), or (K′, D)


D = TypeVar("D", bound=OfColumns)


def gaussian_formula(density: Normals, cells: Sequence[Expression], patterns: Sequence[Pattern]) -> Formula:
    return _of_cells_there(density, cells, patterns, _of_complete)


def student_formula(density: Students, cells: Sequence[Expression], patterns: Sequence[Pattern]) -> Formula:
    return _of_cells_there(density, cells, patterns, _of_complete_student)


def _of_complete(density: Normals, cells: Sequence[Expression], turned: Turned) -> Formula:
    metric, linear = _metric(density.mean, density.covariance, density.shape), density.linear
    peaks = -0.5 * (metric.log_determinant + len(cells) * LOG_2PI)
    if linear is None:
        squares = (_squares(cells, *component, turned) for component in _components(metric, HALF))
        return Formula(tuple(Number(float(peak)) - away for peak, away in zip(peaks, squares, strict=True)))
    off = [cell - float(middle) for cell, middle in zip(cells, linear.centre, strict=True)]
    own = (dot(w, off) + float(level) for w, level in zip(linear.weights, linear.offsets, strict=True))
    return Formula(tuple(own), float(peaks[0]) - _squares(cells, linear.centre, metric.roots[0] * HALF, turned))


def _of_complete_student(density: Students, cells: Sequence[Expression], turned: Turned) -> Formula:
    metric, count = _metric(density.mean, density.squared_scale, density.shape), len(cells)
    degrees = np.broadcast_to(density.degrees[:, 0], len(density.mean))
    peaks = log_student(np.zeros(1), metric.log_determinant, count, degrees)
    own = (
        float(peak) + times_log1p(-0.5 * float(df + count), _squares(cells, mean, root / np.sqrt(df), turned))
        for peak, df, (mean, root) in zip(peaks, degrees, _components(metric), strict=True)
    )
    return Formula(tuple(own))


def _of_cells_there(
    density: D,
    cells: Sequence[Expression],
    patterns: Sequence[Pattern],
    of: Callable[[D, Sequence[Expression], Turned], Formula],
) -> Formula:
    """Of columns by themselves a sum; else one formula for each pattern."""
    if density.independent:
        columns = (of(density.take([j]), [cell], _written_out) for j, cell in enumerate(cells))
        return total([_if_there(column) for column in columns])
    turned = Once if len(patterns) < 2 and density.mean.size <= MOST_AT_ONCE else _written_out
    return _by_pattern(cells, patterns, lambda there: of(density.take(there), [cells[j] for j in there], turned))


def _if_there(column: Formula) -> Formula:
    return Formula(tuple(map(if_there, column.own)), if_there(column.common))


def _by_pattern(cells: Sequence[Expression], patterns: Sequence[Pattern], of: Callable[[Pattern], Formula]) -> Formula:
    """Rows of other patterns are refused; one without any cell says nothing."""
    every = tuple(range(len(cells)))
    wanted = [every, *sorted({*patterns} - {every, ()}, key=len, reverse=True)]
    found = [of(there) for there in wanted]
    tests = [
        *((_there(cells, there), Number(float(i))) for i, there in enumerate(wanted)),
        (_there(cells, ()), Number(-1.0)),
    ]
    which = Once(Cases(tuple(tests)))

    def chosen(parts: Sequence[Expression]) -> Expression:
        return Lookup(which, tuple((float(i), part) for i, part in enumerate(parts)), ZERO)

    own = tuple(chosen([formula.own[k] for formula in found]) for k in range(len(found[0].own)))
    return Formula(own, chosen([formula.common for formula in found]), (Missing(which),))


def _there(cells: Sequence[Expression], there: Pattern) -> Condition:
    """Whether these cells are there, and no others."""
    return All(tuple(Not(Missing(cell)) if j in there else Missing(cell) for j, cell in enumerate(cells)))


def _metric(mean: Array, covariance: Array, shape: Shape) -> Crosswise:
    return Crosswise(mean, covariance if shape.crosswise else FULL.matrix(shape.diagonal(covariance, mean.shape[1])))


def _components(metric: Crosswise, scale: float = 1.0) -> list[tuple[Array, Array]]:
    """The mean and the root of each."""
    roots = np.broadcast_to(metric.roots * scale, (len(metric.mean), *metric.roots.shape[1:]))
    return list(zip(metric.mean, roots, strict=True))


def _written_out(coordinate: Expression) -> Expression:
    return coordinate


def _squares(cells: Sequence[Expression], mean: Array, root: Array, turned: Turned) -> Expression:
    """|(x − mean) root|², the root upper triangular."""
    off = [cell - float(middle) for cell, middle in zip(cells, mean, strict=True)]
    return added(Square(turned(dot(column, off))) for column in root.T)
