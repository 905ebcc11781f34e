"""The contract of stage 2, its lower half: statistics, and distributions of K components.

In:  a block, (N, D): the cells of the columns that one family models.
Out: Statistics, which add and subtract; Density, and Parametric, whose parameters are known. `protocol` has what leads
     from one to the other, and hands on all that is here.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Generic, Self, TypeVar

import numpy as np

from suffice.arrays import Array, Codes, ratio
from suffice.errors import NoFormulaError
from suffice.families.sums import Mask
from suffice.formulas import Expression, Formula, Pattern

Block = np.ndarray[Any, Any]  # (N, D) numbers, or codes of categories; rows of counts may also be sparse
Names = Sequence[Any]  # what a family calls its columns: their names, and for categories their levels
Tables = dict[str, dict[str, Array]]  # title → heading → (K,) numbers
Terms = dict[tuple[int, ...], Array]  # columns of a block → (N,) what they say together
Factors = dict[tuple[int, ...], Array]  # columns of a block → (N, K) their log density


class Statistics(ABC):
    """What weighted rows say about a family, once per component. Immutable; `+` and `−` are all it can do."""

    weight: Array  # (K,) mass of rows behind each component

    @property
    def hidden(self) -> bool:
        """Whether cells are missing that a density needs EM for."""
        return False

    @abstractmethod
    def __add__(self, other: Self) -> Self: ...  # both sets of rows

    @abstractmethod
    def __sub__(self, other: Self) -> Self: ...  # those rows taken away

    @abstractmethod
    def alike(self, other: Self, tolerance: float) -> bool: ...  # whether both say the same, whatever the units

    @abstractmethod
    def onto(self, components: Codes, size: int) -> Self: ...  # the same rows on a longer component axis

    @abstractmethod
    def only(self, components: Codes) -> Self: ...  # the rows of some of the components

    @abstractmethod
    def plain(self) -> Self: ...  # in single floats: what a model is made from, of which nothing is taken away again

    def arrays(self) -> dict[str, Array]:
        """All it holds, by name, to compare and to store: its fields, where those are arrays."""
        return dict(vars(self))

    def joined(self, other: Self) -> Self:
        """The rows of both, blocks of one collect: nothing will be taken away of the one without the other."""
        return self + other

    def kept(self, whole: Self) -> Array:
        """The least share of a statistic that is left of the whole."""  # (K,)
        return ratio(self.weight, whole.weight, 1.0)

    def digits(self) -> Array:
        """What subtraction has left of the digits of each column's spread; infinite where it loses none."""  # (K, D)
        return np.full((1, 1), np.inf)

    def doubtful(self) -> Array:
        """The standard deviation that rounding may have put into each column."""  # (K, D)
        return np.zeros((1, 1))

    # where cells are missing that EM must fill in, the same statistics are those of the E step

    def expected(self, density: "Parametric[Self]") -> "Statistics":
        """The statistics of the rows with each missing cell as the density expects it."""
        return self

    def filled(self, density: "Parametric[Self]") -> Self:
        """The same, in the form of these statistics."""
        return self

    def log_likelihood(self, density: "Parametric[Self]") -> float:
        """Ln p of all cells that are there."""
        return density.log_likelihood(self)

    def entropy(self, density: "Parametric[Self]") -> float:
        """Of the missing cells, given those that are there."""
        return 0.0


S = TypeVar("S", bound=Statistics)


def emptied(statistics: S, gone: Mask) -> S:
    """As if some components had no rows."""
    stay = np.flatnonzero(~gone)
    return statistics.only(stay).onto(stay, len(gone))


class Density(ABC):
    """K distributions."""

    @property
    @abstractmethod
    def independent(self) -> bool: ...  # whether it is the product of what `take` gives for each column

    @abstractmethod
    def log_density(self, block: Block) -> Array: ...  # (N, K)

    def scores(self, block: Block) -> Array:
        """The same up to a term common to all components: enough for Bayes' rule."""
        return self.log_density(block)

    def terms(self, block: Block, a: int, b: int) -> Terms:
        """Ln p(row | a) − ln p(row | b) as a sum over columns where it is one; else one term for all of them."""
        return {columns: log_odds(logs, a, b) for columns, logs in self.factors(block).items()}

    def factors(self, block: Block) -> Factors:
        """Ln p(row) as a sum over columns where it is one; else that of all of them."""
        if not self.independent:
            return {tuple(range(block.shape[1])): self.log_density(block)}
        return {(j,): self.take([j]).log_density(block[:, [j]]) for j in range(block.shape[1])}

    def formula(self, cells: Sequence[Expression], patterns: Sequence[Pattern]) -> Formula:
        """Ln p of a row as a formula of its cells, for engines that have no Python.

        Columns modelled together say it for each of the patterns, which are the cells that may be there together.
        """
        raise NoFormulaError(f"{type(self).__name__} has no formula for its logarithm.")

    def paired(self, block: Block) -> Array:
        """Each row under the component of the same number."""  # (K,)
        return np.diagonal(self.log_density(block)).copy()

    @abstractmethod
    def sample(self, components: Codes, rng: np.random.Generator) -> Block: ...  # one row for each component given

    @abstractmethod
    def tables(self, names: Names) -> Tables: ...

    @abstractmethod
    def take(self, columns: Sequence[int]) -> Self: ...  # of some of the columns, the others integrated out

    @abstractmethod
    def only(self, components: Codes) -> Self: ...  # some of the components, or all in another order


def log_odds(log_density: Array, a: int, b: int) -> Array:
    """The difference of two components, (N, K) → (N,); a row impossible under both says nothing."""
    with np.errstate(invalid="ignore"):
        odds = log_density[:, a] - log_density[:, b]
    return np.where(np.isnan(odds), 0.0, odds)


class Parametric(Density, Generic[S]):
    """K distributions with known parameters."""

    @abstractmethod
    def arrays(self) -> dict[str, Array]: ...  # the parameters, by name: to store

    @abstractmethod
    def log_likelihood(self, statistics: S) -> float: ...  # of all rows behind the statistics, each in its component

    @abstractmethod
    def filled(self, block: Block, memberships: Array) -> Block: ...  # missing cells as expected, (N, K) memberships

    @abstractmethod
    def refilled(self, block: Block, components: Codes, rng: np.random.Generator) -> Block: ...  # drawn

    def means(self, of: Callable[[Array, Array], Array]) -> Array | None:
        """What each cell is expected to be in other units, (K, D), by what `of` makes of a Gaussian mean and variance.

        None where it is not the sum of Gaussians, each of a column by itself, that makes up the density.
        """
        return None

    def same_as(self, other: Self) -> bool:
        """Whether the parameters agree to twelve digits."""
        pairs = zip(self.arrays().values(), other.arrays().values(), strict=True)
        return all(np.allclose(mine, theirs, rtol=1e-12, atol=0) for mine, theirs in pairs)

    def extrapolate(self, first: Self, second: Self) -> Self | None:
        """Where two steps of EM from here are heading; None if nowhere."""
        return None
