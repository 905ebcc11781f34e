"""What differs between families of rates: how a cell is events over exposure.

In:  cells of a block, whatever its shape, or rates.
Out: Law: events, exposure and ln h of cells, what follows from a rate, and all that as formulas.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Self

import numpy as np

from suffice.arrays import Array
from suffice.errors import NoFormulaError
from suffice.families.capabilities import Separation
from suffice.families.protocol import Distribution
from suffice.families.summable import Told
from suffice.formulas import Expression, Formula, added, if_there


class Law(ABC):
    """What differs between families of rates; elementwise over whatever shape comes in."""

    @property
    @abstractmethod
    def jeffreys(self) -> float: ...  # the shape of the reference prior, whose rate is 0

    @property
    @abstractmethod
    def columns(self) -> int: ...

    @property
    def told_by(self) -> Told | None:
        """By what an engine tells all of the cells; by nothing where each must be seen."""
        return None

    @abstractmethod
    def events(self, x: Array) -> Array: ...

    @abstractmethod
    def exposure(self, x: Array) -> Array: ...

    @abstractmethod
    def log_base(self, x: Array) -> Array: ...  # ln h(x)

    @abstractmethod
    def typical(self, rate: Array) -> Array: ...  # the mean of x at this rate

    @abstractmethod
    def log_predictive(self, x: Array, shape: Array, rate: Array) -> Array: ...

    # the same of one cell, as formulas for engines without Python

    def log_base_formula(self, x: Expression, column: int) -> Expression:
        raise NoFormulaError(f"{type(self).__name__} has no formula for its ln h.")

    def formula(self, x: Expression, column: int, rate: float) -> Expression:
        """Ln p at a known rate, but for ln h."""
        raise NoFormulaError(f"{type(self).__name__} has no formula for its logarithm.")

    def predictive_formula(self, x: Expression, column: int, shape: float, rate: float) -> Expression:
        """Ln p with the rate integrated out, but for ln h."""
        raise NoFormulaError(f"{type(self).__name__} has no formula for its predictive logarithm.")

    def formulas(self, cells: Sequence[Expression], of: Callable[..., Expression], *parameters: Array) -> Formula:
        """Of a row: `of` a cell, its column and each of the parameters, (K, D), and ln h."""
        own = (
            added(if_there(of(x, j, *numbers)) for j, (x, *numbers) in enumerate(zip(cells, *some, strict=True)))
            for some in zip(*(part.tolist() for part in parameters), strict=True)
        )
        return Formula(tuple(own), added(if_there(self.log_base_formula(x, j)) for j, x in enumerate(cells)))

    @abstractmethod
    def draw(self, rate: Array, rng: np.random.Generator) -> Array: ...

    @abstractmethod
    def described(self, rate: Array) -> dict[str, Array]: ...  # for a table

    @abstractmethod
    def marginals(self, shape: Array, rate: Array) -> dict[str, Distribution]: ...  # of what is described

    @abstractmethod
    def take(self, columns: Sequence[int]) -> Self: ...

    # what is known in closed form; a law that says nothing has none

    def divergence(self, first: Array, second: Array) -> Separation | None:
        """The distances between columns of these rates."""
        return None

    def panels(self, rate: Array) -> Array | None:
        """The ends of panels along ln x of one column, fine around each rate."""
        return None
