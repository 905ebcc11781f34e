"""Stage 4, surfaces g(x) = 0 with g(x) = xᵀWx + wᵀx + w₀: values, equations, slices, and in the plane the conic.

In:  coefficients around a centre, where they have all their digits, the names of the columns and how far each spreads.
Out: Quadric; its `kind` says what it is, and a plane is one whose W is zero. Columns are measured in their spreads
     before anything is called zero, so that no answer but the circle depends on their units.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from suffice.arrays import Array
from suffice.data.frames import is_frame
from suffice.data.table import read_table
from suffice.decisions.polynomial import Polynomial, around_zero
from suffice.errors import ParameterError
from suffice.lazy import lazy
from suffice.options import number, numbers, shown, whole
from suffice.printing.description import Description, Series, Sheet
from suffice.printing.language import word, worded
from suffice.printing.printed import Printed
from suffice.words import escaped

FLAT = 1e-12  # what counts as zero of columns measured in their spreads, where they are not far from 0
RIGHT = 1e-3  # spreads by which an equation in print may be off
CENTRAL = ("ellipse", "circle", "hyperbola")


def dust(centre: Array, spread: Array) -> float:
    """What rounding alone may leave of a coefficient: the more, the farther the columns are from 0."""
    return max(FLAT, 16 * float(np.finfo(float).eps * np.abs(centre / spread).max()))


def without_dust(values: Array, threshold: float) -> Array:
    """Coefficients with zeros for those that mean nothing beside a density, whose own are about 1."""
    return np.where(np.abs(values) > threshold * max(1.0, float(np.abs(values).max(initial=0.0))), values, 0.0)


@dataclass(frozen=True, eq=False, repr=False)
class Quadric(Printed):
    names: tuple[str, ...]
    centre: Array  # (D,) a point that the coefficients are around
    curvature: Array  # (D, D) W
    slope: Array  # (D,) of g at the centre
    level: float  # g at the centre
    between: Array  # (D,) from the second class mean to the first
    spread: Array  # (D,) how far each column varies

    def value(self, rows: Any) -> Array:
        """The value of g for rows, given as an (N, D) array or a table: above 0 on the side of the first class."""
        if isinstance(rows, Mapping) or is_frame(rows):
            table = read_table(rows)
            _refuse([name for name in self.names if name not in table.names], f"Rows need all of {list(self.names)}")
            given = table.numbers(self.names, slice(0, table.rows))
        else:
            given = numbers(rows, "Rows")
        if not given.ndim or given.shape[-1] != len(self.names):
            raise ParameterError(f"Rows must have the columns {list(self.names)}; found shape {given.shape}.")
        x = given - self.centre
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
        """For a hyperplane wᵀ(x − x₀) = 0: the point where it crosses the line through the class means."""
        if self.kind != "hyperplane":
            raise ParameterError(f"Only a hyperplane has a single x₀; this boundary is of the kind '{self.kind}'.")
        across = float(self.slope @ self.between)
        if across == 0:
            raise ParameterError(
                "The line through the class means is parallel to this plane and never crosses it, so there is no x₀."
            )
        return np.asarray(self.centre - self.level / across * self.between)

    def slice(self, fixed: Mapping[str, float]) -> "Quadric":
        """The boundary over the other columns, with these columns held at given values."""
        at = _values(fixed, "fixed")
        rule = f"Fix some of the columns {list(self.names)} and leave at least one free"
        _refuse(
            [name for name in at if name not in self.names] or (list(at) if len(at) >= len(self.names) else []), rule
        )
        held, free = ([j for j, name in enumerate(self.names) if (name in at) == wanted] for wanted in (True, False))
        off = np.array([at[self.names[j]] for j in held]) - self.centre[held]
        slope = self.slope[free] + 2 * self.curvature[np.ix_(free, held)] @ off
        level = self.level + self.slope[held] @ off + off @ self.curvature[np.ix_(held, held)] @ off
        curvature = self.curvature[np.ix_(free, free)]
        names = tuple(self.names[j] for j in free)
        parts = (part[free] for part in (self.between, self.spread))
        return Quadric(names, self.centre[free], curvature, slope, float(level), *parts)

    @overload
    def solve_for(self, name: str, at: None = None) -> str: ...

    @overload
    def solve_for(self, name: str, at: Mapping[str, float]) -> list[float]: ...

    def solve_for(self, name: str, at: Mapping[str, float] | None = None) -> str | list[float]:
        """The boundary solved for a column: as text if it is linear in it, or as its roots at given other values."""
        _refuse(
            [name] if not isinstance(name, str) or name not in self.names else [],
            f"The boundary has the columns {list(self.names)}",
        )
        if at is not None:
            return self._line(name, at)._roots()
        j = self.names.index(name)
        if self.curvature[j].any():
            raise ParameterError(
                f"{name} appears in a quadratic term; to get its roots, give values for the other columns: at={{...}}."
            )
        if not self.slope[j]:
            raise ParameterError(
                f"{name} does not appear in the equation: the boundary is the same for all its values."
            )
        rest = self._polynomial.divided(-self._polynomial.terms[(j,)], without=(j,))
        return f"{name} = {self._written(rest, float(self.spread[j]))}"

    def _line(self, name: str, at: Mapping[str, float]) -> "Quadric":
        """The surface along one column."""
        given = _values(at, "at")
        others = [other for other in self.names if other != name]
        if set(given) != set(others):
            raise ParameterError(f"For roots in {name}, give a value for each of {others}: at={{...}}; found {at!r}.")
        return self.slice(given) if given else self

    def _roots(self) -> list[float]:
        """Where a quadric over one column is zero, in order; a double root once."""
        (a,), (b,), c = *self._measured, self.level
        a = float(a[0])
        if a == 0:
            found = [-c / b] if b else []
        else:
            under, size = b * b - 4 * a * c, b * b + 4 * abs(a * c)
            root = np.sqrt(under) if under > FLAT * size else 0.0
            far = -(b + np.copysign(root, b)) / 2  # of b and the root, where they do not cancel
            found = [] if under < -FLAT * size else [far / a, c / far] if root else [-b / (2 * a)]
        return sorted(float(self.centre[0] + self.spread[0] * t) for t in found)

    def equation(self) -> str:
        """The equation g(x) = 0, with the names of the columns."""
        return f"{self.expression()} = 0"

    def latex(self) -> str:
        """The equation as LaTeX, with special characters in names escaped."""
        return f"{self.expression(latex=True)} = 0"

    def expression(self, latex: bool = False) -> str:
        """g(x) as text, without "= 0"."""
        text = self._written(self._polynomial, self._steepness, latex)
        return text.replace("−", "-") if latex else text

    @lazy
    def _polynomial(self) -> Polynomial:
        return around_zero(self.centre, self.curvature, self.slope, self.level, self.spread)

    def _written(self, polynomial: Polynomial, per_spread: float, latex: bool = False) -> str:
        if latex:
            return polynomial.written(
                RIGHT * per_spread, lambda i: f"\\text{{{escaped(self.names[i])}}}", "^2", " \\, "
            )
        return polynomial.written(RIGHT * per_spread, lambda i: self.names[i], "²", " ")

    # measured in spreads

    @lazy
    def _measured(self) -> tuple[Array, Array]:
        """Curvature and slope, of columns measured in their spreads."""
        return self.curvature * self.spread * self.spread[:, None], self.slope * self.spread

    @property
    def dust(self) -> float:
        return dust(self.centre, self.spread)

    @property
    def _steepness(self) -> float:
        """How much g changes over a spread, about; a nat where it is the same everywhere."""
        return max(float(np.abs(part).max()) for part in self._measured) or 1.0

    @lazy
    def _conic(self) -> tuple[Array, Array, float, bool]:
        """Eigenvalues of W, the slope along them, g at the centre of the conic, and whether that is zero."""
        curvature, slope = self._measured
        values, directions = np.linalg.eigh(curvature)
        along = directions.T @ slope
        values, along = without_dust(values, self.dust), without_dust(along, self.dust)
        curved = values != 0
        depths = along[curved] ** 2 / (4 * values[curved])
        level = self.level - float(depths.sum())
        size = 1.0 + abs(self.level) + float(np.abs(depths).sum())  # in nats, of which one is much in any unit
        return values, along, level, abs(level) <= self.dust * size

    @property
    def kind(self) -> str:
        """Its kind: hyperplane, ellipse, circle, parabola, hyperbola, two lines, point, empty or quadric."""
        if not np.any(self.curvature):
            return "hyperplane"
        if len(self.names) != 2:
            return "quadric"
        values, along, level, zero = self._conic
        if not values.all():
            nowhere = values[values != 0][0] * level > 0 and not zero
            return "parabola" if along[values == 0].any() else "empty" if nowhere else "two lines"
        if values[0] * values[1] < 0:
            return "two lines" if zero else "hyperbola"
        if zero:
            return "point"
        if values[0] * level > 0:
            return "empty"
        own = np.linalg.eigvalsh(self.curvature)  # a circle is one in the units of the columns
        return "circle" if np.isclose(own[0], own[1], rtol=1e-9, atol=0) else "ellipse"

    def middle(self) -> dict[str, float]:
        """The centre of an ellipse, a circle or a hyperbola."""
        if self.kind not in (*CENTRAL, "point"):
            raise ParameterError(
                f"Only an ellipse, a circle or a hyperbola has a centre; this boundary is of the kind '{self.kind}'."
            )
        curvature, slope = self._measured
        off = self.spread * np.linalg.solve(2 * curvature, -slope)
        return dict(zip(self.names, (self.centre + off).tolist(), strict=True))

    def axes(self) -> list[tuple[float, Array]]:
        """The half length and direction of each axis of an ellipse, circle or hyperbola, the longer axis first."""
        if self.kind not in CENTRAL:
            raise ParameterError(
                f"Only an ellipse, a circle or a hyperbola has axes; this boundary is of the kind '{self.kind}'."
            )
        values, directions = np.linalg.eigh(self.curvature)
        found = zip(np.sqrt(np.abs(self._conic[2] / values)).tolist(), directions.T, strict=True)
        return sorted(found, key=lambda axis: -axis[0])

    def points(self, limits: Mapping[str, tuple[float, float]], resolution: int = 200) -> Array:
        """Points (M, 2) on a boundary over two columns, inside the given limits."""
        if len(self.names) != 2:
            raise ParameterError(f"points is only for boundaries over two columns; this one has {list(self.names)}.")
        ends = self._limits(limits)
        steps = whole(
            resolution, "resolution must be the number of values to try for each column, from 2 to 100,000", 2, 100_000
        )
        found = []
        for moving, other in ((0, 1), (1, 0)):
            low, high = ends[other]
            for value in np.linspace(ends[moving, 0], ends[moving, 1], steps):
                roots = self.solve_for(self.names[other], at={self.names[moving]: float(value)})
                inside = (root for root in roots if low <= root <= high)
                found += [(value, root) if moving == 0 else (root, value) for root in inside]
        return np.array(found).reshape(-1, 2)

    def _limits(self, given: Any) -> Array:
        """Low and high ends of both columns, (2, 2)."""
        named = isinstance(given, Mapping) and set(given) == set(self.names)
        ends = numbers([given[name] for name in self.names], "limits") if named else np.empty(0)
        if ends.shape != (2, 2) or not np.isfinite(ends).all() or (ends[:, 0] > ends[:, 1]).any():
            first, second = self.names
            raise ParameterError(
                f"limits must be {{{first!r}: (low, high), {second!r}: (low, high)}}; found {shown(given)}."
            )
        return ends

    def description(self) -> Description:
        line = word("{kind}: {equation}", kind=worded(self.kind), equation=self.equation())
        bent = [Series(f"W {name}", row) for name, row in zip(self.names, self.W, strict=True) if self.W.any()]
        level = Sheet("", ["w0"], [Series("", np.array([self.w0]), name="value")])
        return Description((line,), behind=[Sheet(word("column"), self.names, [Series("w", self.w), *bent]), level])


def _values(given: Any, what: str) -> dict[str, float]:
    if not isinstance(given, Mapping):
        raise ParameterError(f"{what} must be {{column: value}}; found {shown(given)}.")
    return {name: number(value, f"The value of {name} must be a finite number") for name, value in given.items()}


def _refuse(odd: Sequence[str], rule: str) -> None:
    if odd:
        raise ParameterError(f"{rule}; the problem is with {shown(odd if len(odd) > 1 else odd[0])}.")
