"""The contract of stage 2, charts: numbers without ends around an estimate that EM has found, for intervals of it.

In:  a density, the mode of a belief after rows.
Out: Chart, which a belief gives of it: slopes of rows, curvature of the belief, and densities nearby; and the Span of a
     number, the ends between which it lies.
"""

from abc import ABC, abstractmethod
from enum import Enum
from typing import Generic

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from suffice.arrays import Array
from suffice.families.distributions import Block, Parametric, S


class Span(Enum):
    """Between which ends a number lies, and the line without ends that it is stretched to."""

    LINE = "any number"
    POSITIVE = "above 0"
    SHARE = "from 0 to 1"
    CORRELATION = "from −1 to 1"

    def stretched(self, values: Array) -> Array:
        into = {Span.LINE: np.asarray, Span.POSITIVE: np.log, Span.SHARE: logit, Span.CORRELATION: np.arctanh}
        with np.errstate(divide="ignore"):  # an end lies infinitely far
            return np.asarray(into[self](values))

    def back(self, values: Array) -> Array:
        out = {Span.LINE: np.asarray, Span.POSITIVE: np.exp, Span.SHARE: expit, Span.CORRELATION: np.tanh}
        return np.asarray(out[self](values))

    def slope(self, values: Array) -> Array:
        """Of `back`, at what is back already."""
        one = np.ones_like(values)
        slopes = {Span.LINE: one, Span.POSITIVE: values, Span.SHARE: values * (1 - values)}
        return slopes.get(self, 1 - values**2)


class Chart(ABC, Generic[S]):
    """Parameters around an estimate, in numbers that have no ends: the estimate itself is 0 in all of them."""

    shared: int = 0  # Q, numbers that all components have in common

    @property
    @abstractmethod
    def own(self) -> int: ...  # P, numbers of each component

    @abstractmethod
    def moved(self, own: Array, shared: Array) -> Parametric[S]: ...  # the density at (K, P) and (Q,)

    @abstractmethod
    def slopes(self, block: Block) -> Array: ...  # (N, K, P + Q) of ln p(row | component)

    @abstractmethod
    def curvature(self) -> Array: ...  # (K, P + Q, P + Q) of the log belief after the rows, a part for each component

    @abstractmethod
    def span(self, title: str, heading: str) -> Span: ...  # of an entry of the density's tables

    @property
    def edges(self) -> NDArray[np.bool_]:
        """Where the estimate is an end of what can be, so that it has no neighbours on one side."""  # (K, P)
        return np.zeros((1, self.own), dtype=bool)
