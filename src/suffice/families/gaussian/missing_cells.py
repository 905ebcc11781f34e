"""Missing cells of one pattern under a full Gaussian: what is expected of them, and how likely the others are.

In:  a density, the columns that are there, and moments of the rows that have just those.
Out: the moments with all columns, the entropy of the missing cells, and the log likelihood of the others.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from suffice.arrays import LOG_2PI, Array, Codes
from suffice.families.distributions import Density
from suffice.families.gaussian.moments import Moments
from suffice.lazy import lazy


class Regressing(Density):
    """A full Gaussian with known parameters, under which cells are regressed on others."""

    mean: Array  # (K, D)

    @property
    @abstractmethod
    def precision(self) -> Array: ...  # (K′, D, D)

    @property
    @abstractmethod
    def log_determinant(self) -> Array: ...  # (K′, G) of the covariance


@dataclass(frozen=True, eq=False)
class MissingCells:
    """What a density says of the missing cells of a pattern, given the others, and of those others by themselves.

    All of it is from the precision P = Σ⁻¹, whose block of the missing cells, mostly few, is the precision that they
    have given the others: Σ = P⁻¹ is never cut, and large matrices are inverted once for all patterns.
    """

    density: Regressing
    here: Codes
    gone: Codes

    @classmethod
    def of(cls, pattern: Sequence[int], density: Regressing) -> "MissingCells":
        here = np.array(pattern, dtype=np.intp)
        return cls(density, here, np.delete(np.arange(density.mean.shape[1]), here))

    @lazy
    def precision(self) -> Array:
        """Of the missing cells."""  # (K′, m, m)
        return _block(self.density.precision, self.gone, self.gone)

    @lazy
    def residual(self) -> Array:
        """What is left open about the missing cells."""  # (K′, m, m)
        return np.asarray(np.linalg.inv(self.precision))

    @lazy
    def slopes(self) -> Array:
        """Of the missing cells on those that are there."""  # (K′, h, m)
        return np.asarray(-_block(self.density.precision, self.here, self.gone) @ self.residual)

    @lazy
    def log_determinant(self) -> Array:
        """Of that precision."""  # (K′,)
        return np.asarray(np.linalg.slogdet(self.precision)[1])

    def filled(self, moments: Moments) -> Moments:
        """The missing cells regressed on the observed ones: their mean follows, their scatter gains the residual."""
        if len(self.gone) == 0:
            return moments.plain()
        here, gone, mean = self.here, self.gone, self.density.mean.copy()
        mean[:, here] = moments.mean
        mean[:, gone] += np.einsum("kh,khm->km", moments.mean - self.density.mean[:, here], self._own(self.slopes))
        scatter = np.empty((*mean.shape, mean.shape[1]))
        across = moments.scatter @ self.slopes  # (K, h, m)
        scatter[:, here[:, None], here] = moments.scatter
        scatter[:, here[:, None], gone] = across
        scatter[:, gone[:, None], here] = np.swapaxes(across, 1, 2)
        spread = moments.weight[:, None, None] * self.residual
        scatter[:, gone[:, None], gone] = np.swapaxes(self.slopes, 1, 2) @ across + spread
        seen = np.repeat(moments.weight[:, None], mean.shape[1], axis=1)
        return Moments(moments.weight, seen, np.where(seen > 0, mean, 0.0), scatter)

    def entropy(self) -> Array:
        """Ln of the volume of the missing cells: ½ ln|2πe Σ_missing given observed|, for each component."""  # (K,)
        return self._own(0.5 * (len(self.gone) * (LOG_2PI + 1) - self.log_determinant))

    def log_likelihood(self, moments: Moments) -> float:
        """Of the cells that are there."""
        off = moments.mean - self.density.mean[:, self.here]
        scatter = moments.scatter + moments.weight[:, None, None] * off[:, :, None] * off[:, None, :]
        inverse = _block(self.density.precision, self.here, self.here)
        inverse = inverse + _block(self.density.precision, self.here, self.gone) @ np.swapaxes(self.slopes, 1, 2)
        traces = (scatter * inverse).sum(axis=(1, 2))
        log_determinant = self.density.log_determinant[:, 0] + self.log_determinant
        return float(-0.5 * (moments.weight * (len(self.here) * LOG_2PI + log_determinant) + traces).sum())

    def _own(self, parts: Array) -> Array:
        """For each component, which may share them."""
        return np.broadcast_to(parts, (len(self.density.mean), *parts.shape[1:]))


def _block(matrices: Array, rows: Codes, columns: Codes) -> Array:
    return matrices[:, rows[:, None], columns]
