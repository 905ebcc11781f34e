"""Stage 3, classes whose Gaussians a text states: means, covariances and priors, by class and column.

In:  means and covariances, by name or as arrays.
Out: Gaussians, which with priors are a Joint without rows behind it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.arrays import Array, Codes
from suffice.data.frames import by_name, named_rows
from suffice.data.kinds import GAUSSIAN, JOINT
from suffice.data.levels import Levels, plain, union
from suffice.data.schema import BlockPlan, ColumnPlan, Schema
from suffice.errors import ParameterError
from suffice.families.gaussian.densities import GaussianDensity
from suffice.families.gaussian.shapes import DIAGONAL, FULL, SPHERICAL, Shape
from suffice.families.product import ProductDensity
from suffice.model.given import GIVEN
from suffice.model.joint import Joint
from suffice.model.rules import prevalence
from suffice.options import numbers, several, shown

SHAPES_BY_AXES: dict[int, Shape] = {1: SPHERICAL, 2: DIAGONAL, 3: FULL}  # the classes are one of the axes


@dataclass(frozen=True, eq=False)
class Gaussians:
    """Classes with a Gaussian each."""

    names: Levels
    columns: tuple[str, ...]
    named: bool
    density: GaussianDensity
    order: Codes  # where each class is in what was given

    def joint(self, priors: Any, called: str) -> Joint:
        """Class probabilities are by name, or in the order of the means; equal where not given."""
        kind = JOINT if self.density.shape.crosswise else GAUSSIAN
        block = BlockPlan(kind, tuple(ColumnPlan(name, kind) for name in self.columns))
        priors = "uniform" if priors is None else by_name(priors)
        if not isinstance(priors, str | Mapping):
            shares = numbers(priors, called)
            priors = shares[self.order] if shares.shape == self.order.shape else shares
        shares = prevalence(np.ones(len(self.names)), self.names, priors, 0.0, called)
        schema = Schema((block,), self.columns, self.named)
        return Joint(schema, self.names, shares, ProductDensity((self.density,)), GIVEN)


def read_gaussians(means: Any, covariances: Any, columns: Any = None, classes: Any = None) -> Gaussians:
    """Means by class, {class: [...]} or {class: {column: mean}} or an array; covariances likewise, or one for all."""
    given, rows = _by_class(means, classes)
    of_columns = list(rows[0]) if isinstance(rows[0], Mapping) else None
    cells = [[row.get(c, np.nan) for c in of_columns or ()] if isinstance(row, Mapping) else row for row in rows]
    mean = numbers([np.atleast_1d(numbers(row, "means")) for row in cells], "means")
    if mean.ndim != 2 or not mean.size or not np.isfinite(mean).all():
        raise ParameterError(f"means must have a finite number for each class and column; found {shown(means)}.")
    names = union(given, ())
    order = np.array([given.index(name) for name in names], dtype=np.intp)
    own = of_columns if columns is None else _names(columns, "columns", mean.shape[1])
    called = tuple(str(name) for name in own) if own is not None else tuple(f"x{j}" for j in range(mean.shape[1]))
    covariance, shape = _covariances(covariances, given, mean.shape[1])
    covariance = covariance[order] if len(covariance) > 1 else covariance
    return Gaussians(names, called, own is not None, GaussianDensity(mean[order], covariance, shape), order)


def _by_class(means: Any, classes: Any) -> tuple[list[Any], list[Any]]:
    rows = list(means.items()) if isinstance(means, Mapping) else named_rows(means, "class")
    rows = list(enumerate(several(means) or ())) if rows is None else rows
    if not rows:
        raise ParameterError(
            f"means must be {{class: mean}}, or an array with a row for each class; found {shown(means)}."
        )
    if classes is not None and isinstance(means, Mapping):
        raise ParameterError(
            "classes names the rows of an array of means; {class: mean} already has them. Leave classes out."
        )
    names = _names([name for name, _ in rows] if classes is None else classes, "classes", len(rows))
    return [plain(name) for name in names], [row for _, row in rows]


def _names(given: Any, called: str, count: int) -> list[Any]:
    names = several(given)
    try:
        distinct = names is not None and len(set(names)) == count
    except TypeError:  # one of them has no hash
        distinct = False
    if names is None or not distinct or len(names) != count:
        raise ParameterError(f"{called} must be a list of {count} different names; found {shown(given)}.")
    return names


def _covariances(given: Any, classes: Sequence[Any], columns: int) -> tuple[Array, Shape]:
    """One for each class, or one for all: matrices, variances of the columns, or one variance for all columns."""
    if isinstance(given, Mapping):
        named = {plain(name): value for name, value in given.items()}
        if set(named) != set(classes):
            raise ParameterError(f"covariances names the classes {list(named)}, but the means have {list(classes)}.")
        found = numbers([named[name] for name in classes], "covariances")
    else:
        found = numbers(given, "covariances")
        own = found.ndim == 3 or (columns == 1 and found.shape == (len(classes),))
        found = found if own else found[None]
    shape = SHAPES_BY_AXES.get(found.ndim, FULL)
    if columns == 1 and found.ndim < 3:
        found, shape = found.reshape(-1, 1, 1), FULL
    found = found[:, None] if shape is SPHERICAL else found
    size = {SPHERICAL.name: (1,), DIAGONAL.name: (columns,), FULL.name: (columns, columns)}[shape.name]
    if found.shape not in ((1, *size), (len(classes), *size)):
        raise ParameterError(
            f"covariances must be a matrix ({columns} × {columns}), variances of the columns or one variance, either "
            f"for each of {len(classes)} classes or one for all; found shape {np.shape(given) or shown(given)}."
        )
    _refuse_impossible(found, shape)
    return found, shape


def _refuse_impossible(covariance: Array, shape: Shape) -> None:
    values = np.linalg.eigvalsh(covariance) if shape.crosswise else covariance
    symmetric = not shape.crosswise or np.allclose(covariance, covariance.transpose(0, 2, 1), rtol=1e-10, atol=0)
    if not np.isfinite(covariance).all() or not symmetric or not (values > 0).all():
        raise ParameterError(
            "A covariance must be a symmetric, positive definite matrix (variances above 0); found "
            f"{shown(covariance.tolist())}."
        )
