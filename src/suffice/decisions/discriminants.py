"""Stage 4, discriminant functions of Gaussian classes: g(x) = xᵀWx + wᵀx + w₀ for each, the largest wins.

In:  a Joint whose parts are all Gaussian.
Out: Discriminants: quadratic where classes have covariances of their own; linear where they share one, as what is
     common to all classes is left out; spherical where that one is a multiple of the identity.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.arrays import Array
from suffice.data.levels import Level, Levels, plain
from suffice.decisions.boundary import gaussians, refuse_impossible
from suffice.decisions.quadric import Quadric
from suffice.errors import ParameterError
from suffice.families.capabilities import LogQuadratic
from suffice.model.joint import Joint
from suffice.printing.description import Description, Series, Sheet
from suffice.printing.language import word, worded
from suffice.printing.printed import Printed
from suffice.words import escaped

FORMS = {
    "quadratic": "W = −½ Σ⁻¹, w = Σ⁻¹μ, w₀ = −½ μᵀΣ⁻¹μ − ½ ln|Σ| + ln P",
    "linear": "w = Σ⁻¹μ, w₀ = −½ μᵀΣ⁻¹μ + ln P",
    "spherical": "w = μ/σ², w₀ = −μᵀμ/(2σ²) + ln P",
}


@dataclass(frozen=True, eq=False, repr=False)
class Discriminants(Printed):
    """The discriminant g of each class: `W`, `w` and `w0` in the order of `classes`. Prints as equations."""

    classes: Levels
    form: str  # quadratic, linear or spherical
    surfaces: tuple[Quadric, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return self.surfaces[0].names

    @property
    def W(self) -> Array:
        """The quadratic coefficients, (K, D, D); zeros where a term common to all classes was left out."""
        return np.stack([surface.W for surface in self.surfaces])

    @property
    def w(self) -> Array:
        return np.stack([surface.w for surface in self.surfaces])

    @property
    def w0(self) -> Array:
        return np.array([surface.w0 for surface in self.surfaces])

    def value(self, rows: Any) -> Array:
        """The value of g for each row and class, (N, K)."""
        return np.stack([surface.value(rows) for surface in self.surfaces], axis=-1)

    def __getitem__(self, name: Any) -> Quadric:
        """The surface g(x) = 0 of a class, with its W, w and w0."""
        if plain(name) not in self.classes:
            raise ParameterError(f"There is no class {name!r}; the classes are {list(self.classes)}.")
        return self.surfaces[self.classes.index(plain(name))]

    def equations(self) -> dict[Level, str]:
        """{class: g(x) as text}."""
        return {name: surface.expression() for name, surface in self._pairs()}

    def latex(self) -> str:
        """The same as an aligned block of LaTeX."""
        lines = (
            f"g_{{\\text{{{escaped(str(name))}}}}}(x) &= {surface.expression(latex=True)}"
            for name, surface in self._pairs()
        )
        return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"

    def _pairs(self) -> Iterator[tuple[Level, Quadric]]:
        return zip(self.classes, self.surfaces, strict=True)

    def description(self) -> Description:
        head = word("{kind}: {equation}", kind=worded(self.form), equation=FORMS[self.form])
        lines = [f"g_{name}(x) = {text}" for name, text in self.equations().items()]
        weights = [Series(name, slope) for name, slope in zip(self.names, self.w.T, strict=True)]
        sheet = Sheet(word("class"), self.classes, [*weights, Series("w0", self.w0)])
        return Description((head,), [lines], behind=[sheet])


def discriminants_of(joint: Joint) -> Discriminants:
    joint.refuse_several("A discriminant function in closed form")
    every = range(len(joint.classes))
    refuse_impossible(joint, *every)
    names, mean, covariance = gaussians(joint, every, "A discriminant function")
    form = _form(joint, covariance)
    surfaces = (_surface(names, *of_class, form) for of_class in zip(mean, covariance, joint.prevalence, strict=True))
    return Discriminants(joint.classes, form, tuple(surfaces))


def _form(joint: Joint, covariance: Array) -> str:
    parts = joint.density.parts
    if any(isinstance(part, LogQuadratic) and not part.shared for part in parts):
        return "quadratic"
    first = covariance[0]
    return "spherical" if np.array_equal(first, first[0, 0] * np.eye(len(first))) else "linear"


def _surface(names: tuple[str, ...], mean: Array, covariance: Array, share: float, form: str) -> Quadric:
    """Around the mean of the class, where its coefficients have all their digits."""
    spread, none = np.sqrt(np.diagonal(covariance)), np.zeros(len(mean))
    if form == "quadratic":
        level = float(np.log(share) - 0.5 * np.linalg.slogdet(covariance)[1])
        curvature = np.asarray(-0.5 * np.linalg.inv(covariance), dtype=float)
        return Quadric(names, mean, curvature, none, level, none, spread)
    slope = np.asarray(np.linalg.solve(covariance, mean), dtype=float)
    return Quadric(
        names, mean, np.zeros_like(covariance), slope, float(np.log(share) + 0.5 * slope @ mean), none, spread
    )
