"""What beliefs about Gaussian parameters have in common, whichever of them are known.

In:  the shape and scale of a belief about a variance, or the mass of rows behind means.
Out: the distributions of a variance and of its root; an error where no row is behind a mean.
"""

import numpy as np
import scipy

from suffice.arrays import Array
from suffice.errors import SingularError
from suffice.families.protocol import Distribution


def spreads(a: Array, b: Array) -> dict[str, Distribution]:
    """Of a variance ~ inverse gamma (a, b): its own distribution, and that of its root."""
    sd = scipy.stats.gengamma(a, np.full_like(a, -2.0), scale=np.sqrt(b))  # b / gamma, to the power of a half
    return {"sd": sd, "variance": scipy.stats.invgamma(a, scale=b)}


def refuse_zero(mass: Array) -> None:
    """A mean with no mass of rows behind it is not determined."""
    if not mass.all():
        component, column = np.argwhere(mass == 0)[0]
        raise SingularError("there are no rows to estimate the mean of", int(component), [int(column)])
