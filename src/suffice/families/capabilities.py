"""What some densities, statistics and families can do beyond the contract: a question, and who can answer it.

In:  nothing; a class says by its bases what it can do.
Out: capabilities. Each states members without a default: what lacks one is told so by name, and nothing is guessed.

    Divergent     a density that says in closed form how far apart two components are
    LogQuadratic  a density whose logarithm is a quadratic form: Gaussian with known parameters
    Integrable    a density of one column that can be integrated over every cell there is
    Tabular       a density that is a table of the log probabilities of cells
    Numeric       statistics that have mass, mean and squares of each column, ColumnMoments those that have no more
    Patterned     statistics that know which cells were there together
    CountsCells   a family that counts how often each cell was hit
    Shaped        a family whose covariances have a shape, and may be shared by all components
    Covarying     a belief whose parameters have a covariance in closed form
    LogExpected   a belief that expects a logarithm of each parameter in closed form
"""

from abc import abstractmethod
from collections.abc import Sequence

from suffice.arrays import Array, Codes
from suffice.families.protocol import Density, Family, Names, Prior, S, Statistics
from suffice.families.rows import Rows
from suffice.formulas import Pattern

Separation = tuple[float, float]  # Kullback and Leibler's divergence, and Bhattacharyya's distance


class Divergent(Density):
    """Divergences between two components have a closed form."""

    @abstractmethod
    def divergence(self, a: int, b: int) -> Separation | None: ...  # None where a law of users has none


class LogQuadratic(Density):
    """The logarithm is −½ (x − mean)ᵀ Σ⁻¹ (x − mean), and a number for each component."""

    mean: Array  # (K, D)

    @property
    @abstractmethod
    def shared(self) -> bool: ...  # whether all components have one Σ

    @abstractmethod
    def matrix(self, k: int) -> Array: ...  # Σ of one component, (D, D)


class Integrable(Density):
    """A column has cells along a line, on which the density is smooth between the ends of panels."""

    @abstractmethod
    def panels(self) -> Array | None: ...  # where they end, fine around every component; None where cells are no line

    @abstractmethod
    def along(self, z: Array) -> Array: ...  # ln p at points of that line, (n,) → (n, K)


class Tabular(Density):
    """Each cell has a probability of its own."""

    log_probability: Array  # (K, C + G): the cells, then of each group of them one for what was never seen


class Numeric(Statistics):
    """Rows of numbers are known by mass, mean and squares around it, column by column, and maybe by more."""

    @abstractmethod
    def alone(self) -> "ColumnMoments": ...  # each column by itself

    @abstractmethod
    def covariances(self, less: int) -> Array: ...  # (K, D, D), over the mass less so many rows; NaN where not known


class ColumnMoments(Numeric):
    """The same of each column by itself."""

    seen: Array  # (K, D) mass of the rows in which the column is not missing
    mean: Array  # (K, D)

    @abstractmethod
    def squares(self) -> Array: ...  # (K, D) around the mean


class Patterned(Statistics):
    """Rows are told apart by which of their cells are there."""

    @abstractmethod
    def patterns_of(self, columns: Sequence[int]) -> list[Pattern]: ...  # by position among those columns


class CountsCells(Family[S]):
    """Each column falls into cells that are counted, as categories do into levels."""

    @abstractmethod
    def counts(self, statistics: S) -> list[Array]: ...  # of each group of cells, (K, cells)

    @abstractmethod
    def rows_of_groups(
        self, statistics: S
    ) -> Rows | None: ...  # how many have a cell of each group, where that is known

    @abstractmethod
    def keeping(self, statistics: S, cells: Sequence[Codes]) -> S: ...  # only those cells of each group

    @abstractmethod
    def counts_by_name(self, statistics: S, names: Names) -> dict[str, dict[str, Array]]: ...  # title → cell → (K,)


class Shaped(Family[S]):
    """Columns may vary together, and components alike."""

    shared: bool  # whether all components have one covariance

    @property
    @abstractmethod
    def crosswise(self) -> bool: ...  # whether columns have covariances with each other


class Covarying(Prior[S]):
    """The parameters of the first component have a covariance."""

    @abstractmethod
    def covariance(self) -> Array: ...  # (P, P)


class LogExpected(Prior[S]):
    """The logarithm of each parameter has an expectation in closed form."""

    @abstractmethod
    def expected_log(self) -> Array: ...  # (K, P)
