"""The contract of stage 2: read this first.

    block ──► Statistics ──► Prior (the belief after the rows) ──► Density
              add, subtract    after                               mode · mean · predictive

In:  a block, (N, D): the cells of the columns that one family models; NaN is a missing cell
     (code −1 in a block of categories), and memberships, which row belongs to which component.
Out: densities of K components. K is always an array axis, never a list of objects.

Maximum likelihood is ``family.flat(K).after(statistics).mode()``; MAP is another prior, Bayes another last step. A
family need not know about labels, names, tables or files.

Everything that the pipeline calls is declared here. What is abstract must be written: a family that lacks it cannot be
made, and Python says which member is missing. What has a body has a default that works: rows are left out by refitting,
EM reads a block by asking density and family, cells that are missing are simply not used. Some have capabilities beyond
that:

    Parametric   a density whose parameters are known: it can be stored, and fill in missing cells
    LeavesOut    a family that can learn many models side by side: rows are left out all at once
    Shrinkable   a family whose estimates can be pulled towards simpler ones
    FillsCells   a family whose missing cells take EM: it says where that begins
    Countable    a family that learns from values and how often each comes, Summable one that learns from sums: an
                 engine that holds the rows is asked for those (`families/summable.py`)
    Recorded     a family that says what its statistics keep of single rows, and drops it: else nobody may suppress them
    Divergent    a density that says how far apart classes are; this and others that decisions ask for, and those of
                 statistics, are in `families/capabilities.py`
    Chart        what a belief gives where estimates found by EM are to have intervals (`families/charts.py`)
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any, Generic, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from suffice.arrays import Array, Codes, ratio
from suffice.errors import NoFormulaError, ParameterError, SuppressionError
from suffice.families.accumulator import Accumulator, RowAccumulator, Sums, unseen_sums
from suffice.families.leave_one_out import LeftOut, Rule, one_by_one, refit_each
from suffice.families.memberships import Memberships
from suffice.families.records import Records
from suffice.families.sums import Mask
from suffice.formulas import Expression, Formula, Pattern
from suffice.words import listed

if TYPE_CHECKING:  # which knows densities
    from suffice.families.charts import Chart


Block = np.ndarray[Any, Any]  # (N, D) numbers, or codes of categories; rows of counts may also be sparse
Names = Sequence[Any]  # what a family calls its columns: their names, and for categories their levels
Tables = dict[str, dict[str, Array]]  # title → heading → (K,) numbers
Terms = dict[tuple[int, ...], Array]  # columns of a block → (N,) what they say together
Factors = dict[tuple[int, ...], Array]  # columns of a block → (N, K) their log density
Embedding = Callable[[Block], Array]  # rows as points (n, P), of which each counts alike
LEAST_MASS = 0.01  # rows that speak for a cell or a rate; with fewer the estimate is the end, 0


class Distribution(Protocol):
    """A frozen distribution of scipy, of one parameter or of one for each component."""

    args: tuple[Any, ...]
    kwds: dict[str, Any]
    dist: Any

    def ppf(self, probability: ArrayLike) -> Array: ...

    def isf(self, probability: ArrayLike) -> Array: ...

    def pdf(self, value: ArrayLike) -> Array: ...

    def logpdf(self, value: ArrayLike) -> Array: ...

    def var(self) -> Array: ...

    def mean(self) -> Array: ...

    def support(self) -> tuple[float, float]: ...


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


class Prior(ABC, Generic[S]):
    """A conjugate belief about the parameters of K components; a posterior is a Prior."""

    about: str  # what its parameters are, in words; a Family says the same of itself

    @property
    @abstractmethod
    def proper(self) -> bool: ...  # whether it says something by itself, without any row

    @property
    def shares(self) -> bool:
        """Whether components have parameters in common."""
        return False

    @property
    def single_mode(self) -> bool:
        """Whether one value is more probable than all others, where there is a mode at all."""
        return True

    @abstractmethod
    def after(self, statistics: S) -> Self: ...

    @abstractmethod
    def parameters(self, components: int) -> int: ...  # how many numbers it leaves to the rows of so many components

    @abstractmethod
    def mode(self) -> Parametric[S]: ...  # MAP; maximum likelihood when flat

    @abstractmethod
    def mean(self) -> Parametric[S]: ...  # e.g. Laplace smoothing

    @abstractmethod
    def predictive(self) -> Density: ...  # parameters integrated out

    @abstractmethod
    def maximum_likelihood(self, statistics: S) -> Parametric[S]: ...  # what the rows alone say of what is believed

    @abstractmethod
    def marginals(self, names: Names) -> dict[str, dict[str, Distribution]]: ...  # as `tables`, a distribution each

    @abstractmethod
    def draw(self, rng: np.random.Generator) -> Parametric[S]: ...  # parameters of all components, from the belief

    @abstractmethod
    def expected_log_density(self, other: Self) -> Array: ...  # (K′,) E ln other's density; with itself, −entropy

    @abstractmethod
    def stacked(self, others: Sequence[Self]) -> Self: ...  # one belief about the components of all

    def side_by_side(self, models: int) -> Self:
        """The same belief about the components of so many models."""
        return self.stacked([self] * (models - 1))

    # each (K,), or (1,) where components share

    @abstractmethod
    def log_density(self, density: Parametric[S]) -> Array: ...  # what MAP adds (up to a constant if improper)

    @abstractmethod
    def log_evidence(self, statistics: S) -> Array: ...  # marginal likelihood

    def chart(self, density: Parametric[S], statistics: S) -> "Chart[S] | None":
        """Parameters around a density that is the mode after these rows; None where nobody has written one."""
        return None

    def refuse_unseen(self, statistics: S) -> None:
        """An error where the rows, with cells missing, leave a parameter open that this belief does not settle."""
        return


def standardised(sample: Block) -> Embedding:
    """Numbers in standard deviations of a sample, missing ones in the middle."""
    middle, spread = np.nanmean(sample, axis=0), np.nanstd(sample, axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    return lambda block: np.nan_to_num((block - middle) / spread)


class LastStep(Enum):
    """What to make of a belief."""

    MODE = "mode"
    MEAN = "mean"
    PREDICTIVE = "predictive"

    @property
    def words(self) -> str:
        return "the parameters integrated out" if self is LastStep.PREDICTIVE else f"the posterior {self.value}"

    def of(self, belief: Prior[S]) -> Density:
        if self is LastStep.PREDICTIVE:
            return belief.predictive()
        return belief.mode() if self is LastStep.MODE else belief.mean()


class Family(ABC, Generic[S]):
    """How one block of columns varies within a component."""

    about: str  # what its parameters are, in words; a Prior says the same of itself

    @property
    @abstractmethod
    def columns(self) -> int: ...  # D

    @abstractmethod
    def statistics(self, block: Block, memberships: Memberships) -> S: ...

    # beliefs to start from

    @abstractmethod
    def flat(self, components: int = 1) -> Prior[S]: ...  # its mode is maximum likelihood

    def unbiased(self, components: int = 1) -> Prior[S]:
        """Its mode divides scatters by N − 1; where there are none it is flat."""
        return self.flat(components)

    @abstractmethod
    def reference(self, components: int = 1) -> Prior[S]: ...  # the usual one for predictives

    @abstractmethod
    def weak(self, statistics: S) -> Prior[S]: ...  # proper default, scaled by the data, free of units

    def weak_for(self, statistics: S, step: LastStep) -> Prior[S]:
        """The weak one, made for what follows: such that no component gains by that step from how few rows it has."""
        return self.weak(statistics)

    def just_proper(self, statistics: S) -> Prior[S]:
        """The least that is proper, for evidence: what rows have said already is not to be counted again."""
        return self.weak(statistics)

    def weak_unlabelled(self, statistics: S, components: int) -> Prior[S]:
        """The same for components not known yet, from the statistics of all rows together."""
        return self.weak(statistics.only(np.zeros(components, dtype=np.intp)))

    def weak_given(self, statistics: S, levels: int) -> Prior[S]:
        """The same for components that are so many levels of another column within each class, around their class."""
        return self.weak(statistics)

    def symmetric(self, amount: float, flat: bool = False) -> Prior[S] | None:
        """The same amount in every cell, or that many rows on top of flat; None where there are no cells."""
        return None

    @abstractmethod
    def holding(self, belief: Prior[Statistics], components: int) -> Prior[S]: ...  # a person's, about these columns

    # some of the columns, and what is stored

    @abstractmethod
    def take(self, columns: Sequence[int]) -> Self: ...  # the family of some of the columns

    @abstractmethod
    def marginal(self, statistics: S, columns: Sequence[int]) -> S: ...  # what the rows say about those columns

    def adopt(self, statistics: S, gathered_by: Self) -> S:
        """Counts over fewer levels, laid onto these levels."""
        return statistics

    @abstractmethod
    def restored(self, arrays: Mapping[str, Array], components: int) -> S: ...  # statistics, from arrays()

    @abstractmethod
    def density(self, arrays: Mapping[str, Array], components: int) -> Parametric[S]: ...  # from its arrays()

    def titles(self, names: Names) -> list[str]:
        """Of the tables of its densities."""
        return list(names)

    def from_tables(self, tables: Tables, names: Names) -> Parametric[S]:
        """Known parameters, from what the tables of their density say; a KeyError has what they do not."""
        raise ParameterError(f"Parameters of {listed(names)} cannot be given as tables: the family does not read them.")

    def finished(self, density: Density) -> Density:
        """What answers, of the density that belief and rows come to."""
        return density

    def constant(self, statistics: S) -> list[int]:
        """Columns that never vary, whatever the component."""
        return []

    def drowned(self, statistics: S) -> list[int]:
        """Columns of whose spread no digit is left, since rows were taken away."""
        return []

    def blurred(self, statistics: S) -> list[int]:
        """Columns that lie too far from 0 for floats to tell their spread."""
        return []

    def worth(self, prior: Prior[S], statistics: S) -> float:
        """The fit of the mode after these rows to them, in nats, up to what is the same however they are parted."""
        return prior.after(statistics).mode().log_likelihood(statistics)

    def enough(self, weight: Array) -> NDArray[np.bool_]:
        """Whether so much mass of each component, (…, K), determines parameters well without a prior."""
        return np.ones(weight.shape[:-1], dtype=bool)

    def refuse_nearly_dependent(self, density: Density) -> None:
        """A SingularError where columns nearly follow from others, so that rounding or chance says what is left."""
        return

    # how rows are read more than once

    def embedding(self, sample: Block) -> Embedding:
        """Rows as points, where EM looks for rows that are far apart."""
        return standardised(sample)

    def accumulator(self, density: Parametric[S], pooled: S, rows: int) -> Accumulator[Sums, S]:
        """How a step of EM reads a block."""
        return unseen_sums(RowAccumulator(self, density))

    def leave_one_out(self, block: Block, labels: Codes, weights: Array, statistics: S, rule: Rule) -> LeftOut:
        """Log densities of each row, learned without it."""
        return one_by_one(self, block, labels, weights, statistics, rule)


class LeavesOut(Family[S]):
    """Rows are left out by learning a model without each of them, all side by side on the component axis."""

    @abstractmethod
    def singly(self, block: Block, weights: Array) -> S: ...  # each row by itself, in a component of its own

    @abstractmethod
    def side_by_side(self, models: int) -> Self: ...  # the family of so many models, each with the same components

    def leave_one_out(self, block: Block, labels: Codes, weights: Array, statistics: S, rule: Rule) -> LeftOut:
        return refit_each(self, block, labels, weights, statistics, rule)


class Recorded(Family[S]):
    """What the statistics keep of few rows can be listed and dropped; nobody else can say what that is."""

    @property
    @abstractmethod
    def beside(self) -> bool: ...  # whether they keep sums that only evidence needs, which `without` drops

    @abstractmethod
    def records(self, statistics: S, names: Names) -> Records: ...  # all that can be read by itself

    @abstractmethod
    def alike(self, statistics: S, names: Names) -> Records: ...  # those that say the same of all rows of a component

    @abstractmethod
    def there(self, statistics: S) -> Array: ...  # (K, D) the rows with a cell of each column; not a number if unknown

    @abstractmethod
    def without(self, statistics: S, few: Mask) -> S: ...  # (K, R) as if the cells behind some records were missing


def recorded(family: Family[S]) -> Recorded[S]:
    """The family as one that says what its statistics keep, or an error."""
    if isinstance(family, Recorded):
        return family
    raise SuppressionError(
        f"What the statistics of {type(family).__name__} keep of single rows is not known: the family is not Recorded "
        "(suffice.families.protocol)."
    )


class Shrinkable(Family[S]):
    """Estimates can be pulled towards simpler ones, which EM and evidence cannot follow."""

    @property
    @abstractmethod
    def shrinks(self) -> bool: ...

    @property
    @abstractmethod
    def finishes(self) -> bool: ...  # whether `finished` changes anything, so that there is no evidence of what answers


class FillsCells(Family[S]):
    """Missing cells take EM."""

    @abstractmethod
    def initial_parameters(self, statistics: S) -> Parametric[S]: ...  # where that begins

    def filled(self, statistics: S) -> S:
        """The statistics with missing cells as EM first expects them."""
        return statistics.filled(self.initial_parameters(statistics))
