"""Stage 4, surfaces g(x) = 0 with g(x) = xᵀWx + wᵀx + w₀: values, equations, slices, and in the plane the conic.

In:  coefficients around a centre, where they have all their digits, and the names of the columns.
Out: Quadric; its `kind` says what it is, and a plane is one whose W is zero.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.arrays import Array
from suffice.errors import ParameterError
from suffice.lazy import lazy

FLAT = 1e-12  # what counts as zero, relative to the other terms


@dataclass(frozen=True, eq=False)
class Quadric:
    names: tuple[str, ...]
    centre: Array  # (D,) a point that the coefficients are around
    curvature: Array  # (D, D) W
    slope: Array  # (D,) of g at the centre
    level: float  # g at the centre
    between: Array  # (D,) from the second class mean to the first

    def value(self, rows: Any) -> Array:
        """G at rows, given as an (N, D) array or a dict of columns: above 0 on the side of the first class."""
        given = [np.asarray(rows[name], dtype=float) for name in self.names] if isinstance(rows, Mapping) else rows
        x = (np.stack(given, axis=-1) if isinstance(rows, Mapping) else np.asarray(rows, dtype=float)) - self.centre
        return np.asarray(np.einsum("...i,ij,...j", x, self.curvature, x) + x @ self.slope + self.level)

    @property
    def W(self) -> Array:
        return self.curvature

    @property
    def w(self) -> Array:
        return self.slope - 2 * self.curvature @ self.centre

    @property
    def w0(self) -> float:
        return float(self.level - self.slope @ self.centre + self.centre @ self.curvature @ self.centre)

    @property
    def x0(self) -> Array:
        """Of a hyperplane wᵀ(x − x₀) = 0: the point where the line between the class means crosses it."""
        if self.kind != "hyperplane":
            raise ParameterError(f"A boundary that is a {self.kind} has no single x₀.")
        return np.asarray(self.centre - self.level / (self.slope @ self.between) * self.between)

    def slice(self, fixed: Mapping[str, float]) -> "Quadric":
        """The surface through the other columns, with these held at given values."""
        unknown = [name for name in fixed if name not in self.names]
        if unknown or len(fixed) >= len(self.names):
            raise ParameterError(f"Hold some of {list(self.names)} and leave one free; found {list(fixed)}.")
        held, free = ([j for j, name in enumerate(self.names) if (name in fixed) == wanted] for wanted in (True, False))
        off = np.array([fixed[self.names[j]] for j in held]) - self.centre[held]
        slope = self.slope[free] + 2 * self.curvature[np.ix_(free, held)] @ off
        level = self.level + self.slope[held] @ off + off @ self.curvature[np.ix_(held, held)] @ off
        names = tuple(self.names[j] for j in free)
        curvature = self.curvature[np.ix_(free, free)]
        return Quadric(names, self.centre[free], curvature, slope, float(level), self.between[free])

    def solve_for(self, name: str, at: Mapping[str, float] | None = None) -> Any:
        """The boundary as `name` = …: text where it is linear in that column, or its roots at given other values."""
        if name not in self.names:
            raise ParameterError(f"There is no column {name!r}; the boundary is over {list(self.names)}.")
        if at is not None:
            line = self.slice(at) if at else self
            roots = np.roots([line.curvature[0, 0], line.slope[0], line.level]) + line.centre[0]
            return sorted(float(root.real) for root in roots if abs(root.imag) < 1e-12)
        j = self.names.index(name)
        if self.curvature[j].any():
            raise ParameterError(f"{name} enters by its square; give the other columns for its roots: at={{...}}.")
        rest = {powers: -c / self.w[j] for powers, c in self._terms().items() if powers != (j,)}
        return f"{name} = {self._written(rest)}"

    def equation(self) -> str:
        """g(x) = 0 in the names of the columns."""
        return f"{self._written(self._terms())} = 0"

    def latex(self) -> str:
        """The same for LaTeX, names as text with their special characters escaped."""
        return f"{self._written(self._terms(), latex=True)} = 0".replace("−", "-")

    def _terms(self) -> dict[tuple[int, ...], float]:
        """Coefficients by powers: (i, j) for x_i x_j, (i,) for x_i, () for the constant."""
        d, terms = len(self.names), dict[tuple[int, ...], float]()
        terms |= {(i, j): (1 if i == j else 2) * self.curvature[i, j] for i in range(d) for j in range(i, d)}
        return terms | {(i,): self.w[i] for i in range(d)} | {(): self.w0}

    def _written(self, terms: Mapping[tuple[int, ...], float], latex: bool = False) -> str:
        largest = max((abs(c) for c in terms.values()), default=0.0)
        kept = [(powers, c) for powers, c in terms.items() if abs(c) > FLAT * largest] or [((), 0.0)]
        text = " ".join(f"{'−' if c < 0 else '+'} {self._term(powers, abs(c), latex)}" for powers, c in kept)
        return text.removeprefix("+ ").replace("− ", "−", 1) if text.startswith("−") else text.removeprefix("+ ")

    def _term(self, powers: tuple[int, ...], c: float, latex: bool) -> str:
        names = [f"\\text{{{_escaped(self.names[i])}}}" if latex else self.names[i] for i in powers]
        names = [f"{names[0]}^2" if latex else f"{names[0]}²"] if len(powers) == 2 and powers[0] == powers[1] else names
        return " ".join([f"{c:.5g}", *names] if not latex else [f"{c:.5g}", *(f"\\, {name}" for name in names)])

    # the conic, over two columns

    @lazy
    def _eigen(self) -> tuple[Array, Array, Array, float]:
        """Eigenvalues and directions of W, slope along them, and g at the centre of the conic where there is one."""
        values, directions = np.linalg.eigh(self.curvature)
        along = directions.T @ self.slope
        curved = np.abs(values) > FLAT * np.abs(values).max(initial=0.0)
        level = self.level - float(np.sum(along[curved] ** 2 / (4 * values[curved])))
        return np.where(curved, values, 0.0), directions, along, level

    @property
    def kind(self) -> str:
        """hyperplane, ellipse, circle, parabola, hyperbola, two lines, point or empty; quadric over more columns."""
        if not np.any(self.curvature):
            return "hyperplane"
        if len(self.names) != 2:
            return "quadric"
        values, _, along, level = self._eigen
        scale = abs(self.level) + float(np.sum(self.slope**2)) / np.abs(values).max()
        zero = abs(level) <= FLAT * max(scale, 1e-300)
        if not values.all():
            straight = np.abs(along[values == 0]).max() <= FLAT * np.abs(along).max(initial=1e-300)
            nowhere = values[values != 0][0] * level > 0 and not zero
            return "parabola" if not straight else "empty" if nowhere else "two lines"
        if values[0] * values[1] < 0:
            return "two lines" if zero else "hyperbola"
        if zero:
            return "point"
        if values[0] * level > 0:
            return "empty"
        return "circle" if np.isclose(values[0], values[1], rtol=1e-9) else "ellipse"

    def middle(self) -> dict[str, float]:
        """The centre of an ellipse, a circle or a hyperbola."""
        if self.kind not in ("ellipse", "circle", "hyperbola", "point"):
            raise ParameterError(f"A boundary that is a {self.kind} has no centre.")
        values, directions, along, _ = self._eigen
        return dict(zip(self.names, (self.centre - directions @ (along / (2 * values))).tolist(), strict=True))

    def axes(self) -> list[tuple[float, Array]]:
        """Half length and direction of each axis of an ellipse, a circle or a hyperbola, the longer first."""
        if self.kind not in ("ellipse", "circle", "hyperbola"):
            raise ParameterError(f"A boundary that is a {self.kind} has no axes.")
        values, directions, _, level = self._eigen
        found = zip(np.sqrt(np.abs(level / values)).tolist(), directions.T, strict=True)
        return sorted(found, key=lambda axis: -axis[0])

    def points(self, limits: Mapping[str, tuple[float, float]], resolution: int = 200) -> Array:
        """Points (M, 2) of a boundary over two columns, inside given limits: roots along one column and the other."""
        if len(self.names) != 2:
            raise ParameterError(f"Points are for boundaries over two columns; this one has {list(self.names)}.")
        found = []
        for moving, other in ((0, 1), (1, 0)):
            low, high = limits[self.names[other]]
            for value in np.linspace(*limits[self.names[moving]], resolution):
                roots = self.solve_for(self.names[other], at={self.names[moving]: float(value)})
                inside = (root for root in roots if low <= root <= high)
                found += [(value, root) if moving == 0 else (root, value) for root in inside]
        return np.array(found).reshape(-1, 2)

    def __repr__(self) -> str:
        return f"{self.kind}: {self.equation()}"


def _escaped(name: str) -> str:
    return "".join(f"\\{char}" if char in "_%&#${}" else char for char in name)
