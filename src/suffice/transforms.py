"""Transforms: cells that are modelled in other units, such as ln x.

In:  the cells x of columns of a kind, in the user's own units, or expressions of them.
Out: z = f(x), cell by cell, which is all that the family of the kind ever sees; and ln |dx/dz|, by which a density of z
     becomes one of x. It is the same whatever the component, so it matters to densities, likelihoods and evidence, and
     to no posterior.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, ndtr

from suffice.arrays import Array
from suffice.errors import NoFormulaError
from suffice.formulas import Expression, Once, if_there, ln

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(64)  # a Gaussian as points with masses
STEPS = np.linspace(-40.0, 40.0, 801)
MASSES = (STEPS[1] - STEPS[0]) * expit(STEPS) * expit(-STEPS)  # a logistic distribution likewise
INSIDE = np.nextafter(0.0, 1.0), np.nextafter(1.0, 0.0)


@dataclass(frozen=True)
class Transform:
    """A map from the cells of a column onto the whole line, or onto other units; one to one."""

    title: str  # of what is modelled: "ln {}"
    into: Callable[[Array], Array]  # z = f(x)
    back: Callable[[Array], Array]
    log_slope: Callable[[Array], Array]  # ln |dx/dz| at z
    mean: Callable[[Array, Array], Array] | None = None  # of x, where z is Gaussian of this mean and variance
    formula: Callable[[Expression], tuple[Expression, Expression]] | None = None  # z and ln |dx/dz|, of x
    tells: bool = True  # whether Σ ln |dx/dz| tells more of the rows than what is kept of z

    def titles(self, names: Sequence[str]) -> tuple[str, ...]:
        return tuple(self.title.format(name) for name in names)

    def volume(self, z: Array) -> Array:
        """Ln |dx/dz| of each cell, nothing for missing ones."""
        return np.where(np.isnan(z), 0.0, self.log_slope(z))

    def turned(self, x: Expression) -> tuple[Expression, Expression]:
        """A cell as a formula of the cell of the table, and what is then to be taken off ln p."""
        if self.formula is None:
            raise NoFormulaError(f"The transform of {self.title.format('x')} has no formula.")
        z, volume = self.formula(x)
        return z, if_there(volume)


def _expit(z: Array) -> Array:
    """Never 0 or 1, which have no logit."""
    return np.asarray(np.clip(expit(z), *INSIDE))


def _mean_of_expit(mean: Array, variance: Array) -> Array:
    """E expit(z) = P(L < z) for a logistic L; whichever of the two is the narrower is laid out in points."""
    middle, sd = mean[..., None], np.sqrt(variance)[..., None]
    narrow = expit(middle + np.minimum(sd, 1.0) * NODES) @ WEIGHTS / WEIGHTS.sum()
    wide = ndtr((middle - STEPS) / np.maximum(sd, 1.0)) @ MASSES
    return np.asarray(np.where(sd[..., 0] < 1, narrow, wide))


# functions with names, so that models can be pickled


def _same(z: Array) -> Array:
    return z


def _mean_of_exp(mean: Array, variance: Array) -> Array:
    return np.asarray(np.exp(mean + variance / 2))


def _logit(x: Array) -> Array:
    return np.asarray(np.log(x) - np.log1p(-x))


def _log_slope_of_expit(z: Array) -> Array:
    return np.asarray(-np.abs(z) - 2 * np.log1p(np.exp(-np.abs(z))))


def _log_degrees(z: Array) -> Array:
    return np.full(z.shape, np.log(180 / np.pi))


def _log_formula(x: Expression) -> tuple[Expression, Expression]:
    z = Once(ln(x))
    return z, z


def _logit_formula(x: Expression) -> tuple[Expression, Expression]:
    """The slope is x (1 − x)."""
    return Once(ln(x) - ln(1.0 - x)), ln(x) + ln(1.0 - x)


def _degrees_formula(x: Expression) -> tuple[Expression, Expression]:
    return x * (np.pi / 180), x * 0.0 + float(np.log(180 / np.pi))


LOG = Transform("ln {}", np.log, np.exp, _same, _mean_of_exp, _log_formula, tells=False)
LOGIT = Transform("logit {}", _logit, _expit, _log_slope_of_expit, _mean_of_expit, _logit_formula)
DEGREES = Transform("{} in radians", np.deg2rad, np.rad2deg, _log_degrees, formula=_degrees_formula, tells=False)
