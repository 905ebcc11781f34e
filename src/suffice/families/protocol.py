"""The protocol of stage 2: read this first.

    block ──► Statistics ──► Prior (the belief after the rows) ──► Density
              add, subtract    after                               mode · mean · predictive

In:  a block, (N, D): the cells of the columns that one family models; NaN is a missing cell
     (code −1 in a block of categories), and memberships, which row belongs to which component.
Out: densities of K components. K is always an array axis, never a list of objects.

Maximum likelihood is ``family.flat(K).after(statistics).mode()``; MAP is another prior, Bayes another
last step. A family need not know about labels, names, tables or files.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, Self

import numpy as np

from suffice.arrays import Array, Codes
from suffice.families.memberships import Memberships

Block = Any  # (N, D) numbers, dense or sparse; (N, D) codes for categories; a tuple of blocks for a product
Names = Sequence[Any]  # what a family calls its columns: their names, and for categories their levels


class Statistics(Protocol):
    """What weighted rows say about a family, once per component. Immutable; `+` and `−` are all it can do."""

    @property
    def weight(self) -> Array: ...  # (K,) mass of rows behind each component

    @property
    def hidden(self) -> bool: ...  # whether cells are missing that a density needs EM for

    def __add__(self, other: Self) -> Self: ...  # both sets of rows

    def __sub__(self, other: Self) -> Self: ...  # those rows taken away

    def alike(self, other: Self, tolerance: float) -> bool: ...  # whether both say the same, whatever the units

    def onto(self, components: Codes, size: int) -> Self: ...  # the same rows on a longer component axis

    def only(self, components: Codes) -> Self: ...  # the rows of some of the components

    def arrays(self) -> dict[str, Array]: ...  # all it holds, by name: to compare and to store


class Density(Protocol):
    """K distributions with known parameters."""

    def log_density(self, block: Block) -> Array: ...  # (N, K)

    def scores(
        self, block: Block
    ) -> Array: ...  # the same up to a term common to all components: enough for Bayes' rule

    def sample(self, components: Codes, rng: np.random.Generator) -> Block: ...  # one row for each component given

    def tables(self, names: Names) -> dict[str, dict[str, Array]]: ...  # title → heading → (K,) numbers

    @property
    def independent(self) -> bool: ...  # whether it is the product of what `take` gives for each column

    def take(self, columns: Sequence[int]) -> Any: ...  # of some of the columns, the others integrated out


class Prior(Protocol):
    """A conjugate belief about the parameters of K components; a posterior is a Prior."""

    @property
    def about(self) -> str: ...

    @property
    def proper(self) -> bool: ...  # whether it says something by itself, without any row

    def on(self, family: Any, components: int) -> Self: ...  # the same belief, about the columns of that family

    def after(self, statistics: Any) -> Self: ...

    def parameters(self, components: int) -> int: ...  # how many numbers it leaves to the rows of so many components

    def mode(self) -> Density: ...  # MAP; maximum likelihood when flat

    def mean(self) -> Density: ...  # e.g. Laplace smoothing

    def predictive(self) -> Density: ...  # parameters integrated out

    def maximum_likelihood(self, statistics: Any) -> Density: ...  # what the rows alone say of what is believed

    def marginals(self, names: Names) -> dict[str, dict[str, Any]]: ...  # as `tables`, a scipy distribution each

    def draw(self, rng: np.random.Generator) -> Density: ...  # parameters of all components, drawn from the belief

    def expected_log_density(self, other: Self) -> Array: ...  # (K′,) E ln other's density; with itself, −entropy

    def beside(self, others: Sequence[Self]) -> Self: ...  # one belief about the components of all

    def log_density(self, density: Any) -> float: ...  # what MAP adds to the objective (up to a constant if improper)

    def log_evidence(self, statistics: Any) -> Array: ...  # (K,) marginal likelihood; (1,) where components share


class Family(Protocol):
    """How one block of columns varies within a component."""

    @property
    def columns(self) -> int: ...  # D

    @property
    def about(self) -> str: ...  # what its parameters are, in words; a Prior says the same of itself

    def statistics(self, block: Block, memberships: Memberships) -> Any: ...

    def lens(self, density: Any, pooled: Any, rows: int) -> Any: ...  # how a step of EM reads a block: see `lens`

    def left_out(self, block: Block, labels: Codes, weights: Array, statistics: Any, rule: Any) -> Any: ...

    # log densities of each row learned without it: see `leaving`, which does it for families that have `singly`,
    # statistics of each row in a component of its own, and densities that have `paired`

    def flat(self, components: int = 1) -> Prior: ...  # its mode is maximum likelihood

    def unbiased(self, components: int = 1) -> Prior: ...  # its mode divides scatters by N − 1

    def reference(self, components: int = 1) -> Prior: ...  # the usual one for predictives

    def weak(self, statistics: Any) -> Prior: ...  # proper default, scaled by the data, free of units

    def vague(self, statistics: Any, components: int) -> Prior: ...  # the same for components not known yet

    def even(self, amount: float) -> Prior | None: ...  # the same amount in every cell; None where there are no cells

    def take(self, columns: Sequence[int]) -> Self: ...  # the family of some of the columns

    def marginal(self, statistics: Any, columns: Sequence[int]) -> Any: ...  # what the rows say about those columns

    def adopt(self, statistics: Any, gathered_by: Self) -> Any: ...  # counts over fewer levels, laid onto these levels

    def restored(self, arrays: Mapping[str, Array], components: int) -> Any: ...  # from arrays()

    def constant(self, statistics: Any) -> list[int]: ...  # columns that never vary, whatever the component

    @property
    def remedy(self) -> str: ...  # what to do where the rows do not determine a parameter
