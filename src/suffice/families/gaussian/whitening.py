"""Coordinates in which a covariance is the identity: there, squares of narrow and wide columns can be summed alike.

In:  a mean and a covariance.
Out: Whitening: rows, means and covariances into these coordinates, and back.
"""

from dataclasses import dataclass

import numpy as np

from suffice.arrays import Array

REGULAR = 1e-6  # the least eigenvalue of correlations that coordinates are told from without losing digits


@dataclass(frozen=True, eq=False)
class Whitening:
    """z = (x − centre) · into."""

    centre: Array  # (D,)
    into: Array  # (D, D) upper triangular, or (D,) where columns keep to themselves
    back: Array  # the inverse
    log_volume: float  # ln|into|

    @classmethod
    def of(cls, centre: Array, covariance: Array) -> "Whitening":
        """In which that covariance, (D, D) or variances (D,), is the identity."""
        if covariance.ndim == 2:
            root = np.linalg.cholesky(covariance)
            return cls(
                centre, np.asarray(np.linalg.inv(root)).T, np.asarray(root).T, -float(np.log(np.diagonal(root)).sum())
            )
        scale = np.sqrt(covariance)
        return cls(centre, 1 / scale, scale, -float(np.log(scale).sum()))

    @classmethod
    def of_regular(cls, centre: Array, covariance: Array) -> "Whitening | None":
        """The same; None where columns nearly depend on each other."""
        if covariance.ndim == 2:
            deviation = np.sqrt(np.diagonal(covariance))
            if not np.linalg.eigvalsh(covariance / deviation / deviation[:, None])[0] > REGULAR:
                return None
        return cls.of(centre, covariance)

    def inside(self, rows: Array) -> Array:
        off = rows - self.centre
        return np.asarray(off @ self.into if self.into.ndim == 2 else off * self.into)

    def outside(self, coordinates: Array) -> Array:
        """And back."""
        turned = coordinates @ self.back if self.back.ndim == 2 else coordinates * self.back
        return np.asarray(self.centre + turned)

    def covariance(self, matrix: Array) -> Array:
        """A covariance in these coordinates; (K′, D, D) or variances (K′, D)."""
        if self.into.ndim == 2:
            return np.asarray(self.into.T @ matrix @ self.into)
        return np.asarray(matrix * self.into**2)

    def scatter(self, inside: Array) -> Array:
        """And back."""
        if self.into.ndim == 2:
            out = self.back.T @ inside @ self.back
            return np.asarray((out + np.swapaxes(out, 1, 2)) / 2)  # symmetric to the last digit
        return np.asarray(inside * self.back**2)
