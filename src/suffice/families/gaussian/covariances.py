"""How the covariances of components are learned: what beliefs about Gaussians ask of their family.

In:  nothing.
Out: Covariances, the members of a family that beliefs need, and no others.
"""

from typing import Protocol

from suffice.arrays import Array
from suffice.families.gaussian.shapes import Shape


class Covariances(Protocol):
    """A family of Gaussians: the variances and covariances there are, whose they are, and how they are shrunk."""

    @property
    def columns(self) -> int: ...

    @property
    def shape(self) -> Shape: ...

    @property
    def shared(self) -> bool: ...  # whether all components have one

    @property
    def models(self) -> int: ...  # side by side on the component axis

    @property
    def to_shared(self) -> float: ...

    @property
    def to_spherical(self) -> float: ...

    @property
    def inflated(self) -> float: ...  # what covariances are multiplied by at last

    @property
    def shrinks(self) -> bool: ...

    def means(self, components: int) -> int: ...  # how many stand on each variance

    def check(self, mean: Array, covariance: Array) -> None: ...  # an error where columns do not vary
