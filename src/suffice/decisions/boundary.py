"""Stage 4, boundaries in closed form: where two Gaussian classes are equally good answers.

In:  a Joint whose parts are all Gaussian, two of its classes, and a loss that weighs just these two.
Out: a Quadric; with one covariance for both it is a plane through the x₀ of the textbooks.
"""

from collections.abc import Sequence

import numpy as np
from scipy.linalg import block_diag

from suffice.arrays import Array
from suffice.data.levels import Level
from suffice.decisions.loss import Loss
from suffice.decisions.quadric import Quadric, dust, without_dust
from suffice.errors import ParameterError
from suffice.families.capabilities import LogQuadratic
from suffice.model.joint import Joint


def boundary_of(joint: Joint, a: Level, b: Level, loss: Loss | None) -> Quadric:
    joint.refuse_several("A boundary in closed form")
    first, second = (joint.position(name) for name in (a, b))
    refuse_impossible(joint, first, second)
    names, mean, covariance = gaussians(joint, (first, second), "A boundary")
    spread, inverse, log_volume = _measured(covariance)
    centre = mean.mean(axis=0)
    off = (mean - centre) / spread  # (2, D)
    slopes = np.einsum("kij,kj->ki", inverse, off)
    levels = -0.5 * (np.einsum("ki,ki->k", slopes, off) + log_volume) + np.log(joint.prevalence[[first, second]])
    zero = dust(centre, spread)
    curvature, slope = (without_dust(part, zero) for part in (-0.5 * (inverse[0] - inverse[1]), slopes[0] - slopes[1]))
    if not slope.any() and not curvature.any():
        raise ParameterError(f"{a!r} and {b!r} have the same density, so there is no boundary between them.")
    level = float(levels[0] - levels[1]) + _weight(loss, a, b)
    bent = curvature / spread / spread[:, None]
    return Quadric(names, centre, bent, slope / spread, level, mean[0] - mean[1], spread)


def refuse_impossible(joint: Joint, *classes: int) -> None:
    never = [joint.classes[k] for k in classes if joint.prevalence[k] == 0]
    if never:
        raise ParameterError(
            f"The prior of {never[0]!r} is 0, so no row is ever assigned to that class and it has no boundary. Fit the "
            "model with priors above 0."
        )


def _measured(covariance: Array) -> tuple[Array, Array, Array]:
    """The spread of each column given the others; inverses and log determinants of columns measured in it."""
    deviation = np.sqrt(np.diagonal(covariance, axis1=1, axis2=2).min(axis=0))  # (D,)
    inverse = np.linalg.inv(covariance / deviation / deviation[:, None])  # (2, D, D)
    narrower = np.sqrt(np.diagonal(inverse, axis1=1, axis2=2).max(axis=0))
    inverse = inverse / narrower / narrower[:, None]
    return deviation / narrower, inverse, -np.linalg.slogdet(inverse)[1]


def gaussians(joint: Joint, classes: Sequence[int], what: str) -> tuple[tuple[str, ...], Array, Array]:
    """Names, means (k, D) and covariances (k, D, D) of some classes, over all columns."""
    names, *moments = gaussian_columns(joint, classes)
    if not names or len(names) < len(joint.schema.columns):
        raise ParameterError(
            f"{what} in closed form needs Gaussian columns with plug-in parameters. Use estimate='map' or another "
            f"plug-in estimate, leave other columns out with kinds={{...: 'ignore'}}, or draw the contour of "
            "predict_proba instead."
        )
    return names, moments[0], moments[1]


def gaussian_columns(joint: Joint, classes: Sequence[int]) -> tuple[tuple[str, ...], Array, Array]:
    """The same over those columns that are Gaussian as they are, whatever there is beside them."""
    blocks = zip(joint.schema.blocks, joint.density.parts, strict=True)
    plain = [
        (block.names, part) for block, part in blocks if isinstance(part, LogQuadratic) and block.transform is None
    ]
    names = tuple(name for some, _ in plain for name in some)
    mean = np.concatenate([np.empty((len(classes), 0)), *(part.mean[list(classes)] for _, part in plain)], axis=1)
    matrices = [[part.matrix(k) for _, part in plain] for k in classes]
    return names, mean, np.stack([block_diag(*some) for some in matrices])


def _weight(loss: Loss | None, a: Level, b: Level) -> float:
    """What a loss adds to the log odds: ln of how much worse each class is served by the action meant for the other."""
    if loss is None:
        return 0.0
    if set(loss.classes) != {a, b} or len(loss.actions) != 2:
        found = f"{list(loss.actions)} over {list(loss.classes)}"
        raise ParameterError(f"The loss must have two actions and the classes {a!r} and {b!r}; found {found}.")
    costs = loss.on([a, b])
    gain, cost = costs[1, 0] - costs[0, 0], costs[0, 1] - costs[1, 1]
    if gain <= 0 or cost <= 0:
        raise ParameterError(
            "With this loss one action is best for every row, or the actions are swapped, so there is no boundary: "
            "see ratio_test(loss, priors)."
        )
    return float(np.log(gain) - np.log(cost))
