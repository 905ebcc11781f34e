"""The contract of stage 2: read this first.

    block ──► Statistics ──► Prior (the belief after the rows) ──► Density
              add, subtract    after                               mode · mean · predictive

In:  a block, (N, D): the cells of the columns that one family models; NaN is a missing cell
     (code −1 in a block of categories), and memberships, which row belongs to which component.
Out: densities of K components. K is always an array axis, never a list of objects.

Maximum likelihood is ``family.flat(K).after(statistics).mode()``; MAP is another prior, Bayes another last step. A
family need not know about labels, names, tables or files.

Everything that the pipeline calls is declared here; statistics and densities come from `families/distributions.py`.
What is abstract must be written: a family that lacks it cannot be made, and Python says which member is missing. What
has a body has a default that works: rows are left out by refitting, EM reads a block by asking density and family,
cells that are missing are simply not used. Some have capabilities beyond that:

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
from typing import Any, Generic, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from suffice.arrays import Array, Codes
from suffice.errors import ParameterError, SuppressionError
from suffice.families.accumulator import Accumulator, RowAccumulator, Sums, unseen_sums
from suffice.families.charts import Chart
from suffice.families.distributions import (
    Block,
    Density,
    Factors,
    Names,
    Parametric,
    S,
    Statistics,
    Tables,
    Terms,
    emptied,
    log_odds,
)
from suffice.families.leave_one_out import LeftOut, one_by_one, refit_each
from suffice.families.memberships import Memberships
from suffice.families.records import Records
from suffice.families.sums import Mask
from suffice.words import listed

__all__ = [  # of the lower half, which families need too
    "Block",
    "Density",
    "Factors",
    "Names",
    "Parametric",
    "S",
    "Statistics",
    "Tables",
    "Terms",
    "emptied",
    "log_odds",
]

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

    def chart(self, density: Parametric[S], statistics: S) -> Chart[S] | None:
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


class Rule(Protocol):
    """What to believe beforehand, and what to make of the belief afterwards."""

    @property
    def moves(self) -> bool: ...  # whether the prior follows from the rows too

    @property
    def levels(self) -> int: ...  # of another column that components stand for within each class; 1 where for none

    @property
    def step(self) -> LastStep: ...

    def prior(self, family: "Family[S]", statistics: S) -> Prior[S]: ...

    def belief(self, family: "Family[S]", statistics: S) -> Prior[S]: ...  # after the rows

    def density(self, family: "Family[S]", statistics: S) -> Density: ...


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
        return one_by_one(self.statistics, lambda rest: rule.density(self, rest), block, labels, weights, statistics)


class LeavesOut(Family[S]):
    """Rows are left out by learning a model without each of them, all side by side on the component axis."""

    @abstractmethod
    def singly(self, block: Block, weights: Array) -> S: ...  # each row by itself, in a component of its own

    @abstractmethod
    def side_by_side(self, models: int) -> Self: ...  # the family of so many models, each with the same components

    def leave_one_out(self, block: Block, labels: Codes, weights: Array, statistics: S, rule: Rule) -> LeftOut:

        def learn(models: int, held: S) -> Density:
            return rule.density(self.side_by_side(models), held)

        return refit_each(self.singly, learn, block, labels, weights, statistics)


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
