"""Rows left out of Gaussian columns that are each modelled by itself.

In:  a prior, the moments of all rows, and rows with their components and weights.
Out: LeftOut. Where the prior follows from the rows, it moves with each of them, and with it every component
     (`followed`); where it does not, only a row's own component changes (`apart`).
"""

import numpy as np

from suffice.arrays import Array, Codes, ratio
from suffice.families.gaussian.moments import Moments, noise
from suffice.families.gaussian.normal_wishart import NormalInverseWishartPrior
from suffice.families.leave_one_out import LeftOut
from suffice.families.protocol import LastStep
from suffice.kernels.distances import log_gaussian, log_student
from suffice.kernels.left_out import LEAST_KEPT, GaussianColumns

NEAR = 1e3  # times what rounding can give: a spread no larger may be nothing but rounding without the row


def followed(
    prior: NormalInverseWishartPrior, moments: Moments, step: LastStep, x: Array, labels: Codes, weights: Array
) -> LeftOut:
    """Under the weak prior, which is about the variance within components and the mean of all rows."""
    [mass], [middle], [within], [between] = moments.apart(1)
    total, floor = within + between, moments.noise()[0]
    alone = within <= mass * (floor + noise(np.sqrt(ratio(total, mass))))  # varies only between the components
    degrees = float(prior.degrees[0, 0])
    columns = GaussianColumns(
        moments.seen,
        moments.mean,
        moments.squares(),
        mass,
        middle,
        np.where(alone, total, within),
        total,
        alone.astype(float),
        NEAR * floor,
        degrees + prior.spent(LastStep.MODE),  # the divisor of a mode before any row
        degrees + prior.spent(step),
        step is LastStep.PREDICTIVE,
    )
    return LeftOut(*columns.without(x, labels, weights))


@np.errstate(all="ignore")  # of lost rows
def apart(
    prior: NormalInverseWishartPrior, moments: Moments, step: LastStep, x: Array, labels: Codes, weights: Array
) -> LeftOut:
    """Under a prior that stays: the row leaves the belief after all rows, which is a record of moments too."""
    belief = prior.after(moments)
    divisor = belief.divisor(step)
    density = step.of(belief)
    here = ~np.isnan(x)
    weight, kappa, scatter = weights[:, None] * here, belief.kappa[labels], belief.scatter[labels]
    off, rest = np.where(here, x - belief.location[labels], 0.0), kappa - weight
    growth = kappa / rest  # how far the mean moves away from the row
    left = scatter - off**2 * growth * weight
    variance = left / (divisor[labels] - weight)
    squares = (growth * off) ** 2
    if step is LastStep.PREDICTIVE:
        spread = 1 + 1 / rest
        found = log_student(squares / (variance * spread), np.log(variance * spread), 1, divisor[labels] - weight)
    else:
        found = log_gaussian(squares / variance, np.log(variance), 1)
    out = density.log_density(x)
    out[np.arange(len(x)), labels] = own = np.where(here, found, 0.0).sum(axis=1)
    poor = here & ~((left >= LEAST_KEPT * scatter) & (rest > LEAST_KEPT * weight) & (divisor[labels] > weight))
    return LeftOut(out, poor.any(axis=1) | ~np.isfinite(own))
