"""What a family asks of an engine that holds the rows, so that they need not come here: two capabilities.

In:  what an engine has answered, component by component.
Out: statistics, the same as those of the rows themselves.

    Countable    values, and how often each comes, say all that rows would: categories, counts
    Summable     sums of the cells, or of their logarithms, and of their products say it: means and variances

A family that has neither, or says `None`, is learned from rows that come here.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from suffice.arrays import Array, Codes
from suffice.families.mass import Mass
from suffice.families.protocol import Family, S


class Told(Enum):
    """By what an engine tells all that there is to know of the cells of a column."""

    VALUES = "each value, and the mass of the rows that have it"
    MEANS = "the mean, and the mass of the rows that have a cell"


class Asked(Enum):
    """Which sums an engine is asked for."""

    SQUARES = "the mean of each column and the sum of squares around it"
    PRODUCTS = "those of every two columns, for each pattern of missing cells"


@dataclass(frozen=True)
class CellSums:
    """The sums of the rows of one component that lack the same cells; where columns are apart, of all of its rows."""

    component: int
    there: Codes  # the columns that have cells, by position, (D,) as all that follow
    weight: float
    seen: Array  # the mass of the rows that have the cell
    near: Array
    off: Array  # mean − near, so that the mean has more digits than a float
    scatter: Array  # (D,) or (D, D) squares and products around the mean


class Countable(Family[S]):
    """Columns are independent given the component, and their values, with how often each comes, are enough."""

    @property
    @abstractmethod
    def told_by(self) -> Told | None: ...  # None where each row must be seen

    @abstractmethod
    def of_mass(self, statistics: S, mass: Mass) -> S: ...  # of single cells, as those of rows of that mass


class Summable(Family[S]):
    """CellSums of the cells are enough."""

    @property
    @abstractmethod
    def asks(self) -> Asked | None: ...  # None where each row must be seen

    @abstractmethod
    def of_sums(self, sums: Sequence[CellSums], mass: Mass) -> S: ...  # that of all rows of each component
