"""Whether a mixture needs one more component: the likelihood-ratio test, with the distribution it has by bootstrap.

In:  a mixture and rows. Out: the statistic, what it is in tables drawn from the smaller mixture, and the p-value. The
     statistic has no χ² distribution here: the smaller mixture is on the edge of the larger one (McLachlan, 1987).
"""

from dataclasses import dataclass, field

import numpy as np
from sklearn.base import clone

from suffice.arrays import Array, Matrix, is_sparse
from suffice.data.blocks import cut
from suffice.data.frames import named_apart
from suffice.data.table import IntoTable, Table, read_table
from suffice.data.weights import Weights, row_weights
from suffice.errors import CollapsedError, ParameterError
from suffice.estimators.unlabelled import Unlabelled
from suffice.model.em.search import drawn_by
from suffice.options import Seed, whole
from suffice.printing.description import Description, Text, facts, sizes
from suffice.printing.language import word, worded
from suffice.printing.printed import Printed
from suffice.progress import progress

DRAWS = "draws must be the number of tables to draw from the smaller mixture, 1 or more"


@dataclass(frozen=True, eq=False, repr=False)
class ComponentsTest(Printed):
    """A smaller mixture against a larger one: `p_value` is small if the rows call for more components."""

    smaller: Unlabelled
    larger: Unlabelled
    statistic: float  # 2 (ln p(rows | larger) − ln p(rows | smaller))
    drawn: Array = field(repr=False)  # the statistic of each table drawn from the smaller mixture

    @property
    def p_value(self) -> float:
        """The share of the tables, the real one included, whose statistic is at least as large."""
        return float((1 + (self.drawn >= self.statistic).sum()) / (1 + len(self.drawn)))

    def description(self) -> Description:
        few, many = sizes({"component": self.smaller.components}), self.larger.components
        title = (word("{few} against {many}", few=few, many=many), worded(f"{len(self.drawn)} draws"))
        numbers: dict[Text, float] = {"2 ln λ": self.statistic, "p": self.p_value}
        return Description(title, [facts(numbers)])


def components_test(
    model: Unlabelled,
    X: IntoTable,
    *,
    sample_weight: Weights = None,
    more: int = 1,
    draws: int = 99,
    random_state: Seed = 0,
) -> ComponentsTest:
    """Test whether rows call for `more` components than the model has, by the bootstrap likelihood-ratio test.

    Both mixtures are fitted to the rows, and then to each of `draws` tables of as many rows, drawn from the smaller
    mixture. Weights must be whole numbers: how often each row occurs.

    Raises
    ------
    TableError
        If the rows cannot be read as a table.
    ParameterError
        If weights are not whole numbers, or `draws` is not 1 or more.
    TooManyComponentsError
        If there are fewer rows than components.

    >>> import numpy as np
    >>> from suffice import Mixture, components_test
    >>> rng = np.random.default_rng(0)
    >>> rows = np.concatenate([rng.normal(0, 1, (60, 1)), rng.normal(5, 1, (40, 1))])
    >>> components_test(Mixture(1), rows, draws=19)
    1 component against 2 · 19 draws
    2 ln λ  68.603
    p        0.050

    """
    if not isinstance(model, Unlabelled):
        raise ParameterError(f"components_test needs a Mixture or a LatentClass; found {type(model).__name__}.")
    whole(more, "more must be the number of components to add, 1 or more")
    X, _, weights = named_apart(X, None, sample_weight)
    table, rngs = read_table(X), drawn_by(random_state, whole(draws, DRAWS))
    mass = row_weights(weights, table.rows)
    rows = _how_many(mass)
    smaller = clone(model).set_params(intervals=None).fit(X, sample_weight=weights)
    _refuse_missing(table.take(np.flatnonzero(mass)), smaller)
    larger = clone(smaller).set_params(components=model.components + more).fit(X, sample_weight=weights)
    found = [_ratio(smaller, larger, rows, rng) for rng in progress(rngs, "tables drawn", len(rngs))]
    drawn = np.array([value for value in found if value is not None])
    return ComponentsTest(smaller, larger, 2 * (_likelihood(larger) - _likelihood(smaller)), drawn)


def _how_many(weights: Array) -> int:
    """Rows that a table drawn has."""
    if (weights % 1).any():
        raise ParameterError(
            "components_test draws as many rows as there are, so each weight must be a whole number, saying how often "
            f"a row occurs; found {weights[weights % 1 > 0][0]:g}. Rescale the weights, or leave them out."
        )
    return int(weights.sum())


def _ratio(smaller: Unlabelled, larger: Unlabelled, rows: int, rng: np.random.Generator) -> float | None:
    """The statistic of a table drawn from the smaller mixture; None where a component collapses."""
    table, _ = smaller.sample(rows, rng)
    try:
        few, many = (_likelihood(clone(model).fit(table)) for model in (smaller, larger))
    except CollapsedError:
        return None
    return 2 * (many - few)


def _likelihood(model: Unlabelled) -> float:
    assert model.trace_ is not None  # it has just been fitted
    return float(model.trace_.log_likelihood[-1])


def _refuse_missing(table: Table, model: Unlabelled) -> None:
    """Drawn tables have no missing cells, so their statistic would be that of other tables."""
    blocks = cut(table, model.joint_.schema)[slice(0, table.rows)]
    if any((block < 0).any() if block.dtype.kind == "i" else _holes(block) for block in blocks):
        raise ParameterError("components_test draws complete tables; fill in the missing cells first, with impute.")


def _holes(block: Matrix) -> bool:
    return not is_sparse(block) and bool(np.isnan(block).any())
