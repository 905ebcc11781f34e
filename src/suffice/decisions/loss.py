"""Stage 4, losses with names: what each action costs under each true class.

In:  {action: {class: cost}}, where a plain number is the same cost whatever the truth (rejection); or a labelled table.
Out: Loss, whose axes can only be matched by name: a transposed loss is an error, never a silent bug.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from narwhals.typing import IntoDataFrame
from numpy.typing import ArrayLike

from suffice.arrays import Array
from suffice.data.frames import named_rows
from suffice.data.levels import Level, Levels
from suffice.decisions.names import names_of
from suffice.errors import LossError, ParameterError
from suffice.options import number, numbers
from suffice.printing.description import Description, Name, Series, Sheet
from suffice.printing.language import word
from suffice.printing.numbers import plainly
from suffice.printing.printed import Printed

REJECT = "reject"
REJECTION = (
    "reject must be the cost of answering 'reject', from 0 to 1, where a mistake costs 1 (for other costs, give a Loss)"
)


class Loss(Printed):
    """What each action costs for each true class: {action: {class: cost}}, a data frame, or a matrix with names.

    A `table` that is a matrix has no names: `actions` are those of its rows, `classes` those of its columns.

    Raises
    ------
    LossError
        If an action lacks the cost of a class, or a matrix comes without names.

    >>> Loss({"treat": {"ill": 0, "well": 5}, "wait": {"ill": 100, "well": 0}, "refer": 8})
    action  ill  well
    treat     0     5
    wait    100     0
    refer     8     8

    """

    def __init__(
        self, table: "IntoLoss", actions: Sequence[Level] | None = None, classes: Sequence[Level] | None = None
    ) -> None:
        rows = _rows(table, actions, classes)
        if not rows:
            raise LossError("A loss needs at least one action: {action: {class: cost}}; found none.")
        costs = (_row(action, row) for action, row in rows)
        named = dict(zip(names_of([action for action, _ in rows], "actions"), costs, strict=True))
        found = [frozenset(row) for row in named.values() if isinstance(row, dict)]
        if len(set(found)) > 1:
            each = "; ".join(f"{a!r} has {sorted(row, key=str)}" for a, row in named.items() if isinstance(row, dict))
            raise LossError(f"Every action needs a cost for every class, or one cost for all of them; found {each}.")
        first = next((row for row in named.values() if isinstance(row, dict)), {})
        self.actions: Levels = tuple(named)
        self.classes: Levels = tuple(first)
        self.rows: dict[Level, dict[Level, float] | float] = named  # what each action costs

    @classmethod
    def zero_one(cls, classes: Sequence[Level], reject: float | None = None) -> "Loss":
        """Each class is an action and every mistake costs 1; with `reject`, the answer "reject" costs that much.

        Raises
        ------
        ParameterError
            If `reject` is not from 0 to 1.

        """
        names = names_of(classes, "classes")
        costs: dict[Level, dict[Level, float] | float] = {c: {k: float(c != k) for k in names} for c in names}
        if reject is None:
            return cls(costs)
        if REJECT in names:
            raise LossError(
                f"There is a class {REJECT!r}, so that answer would be ambiguous. Give a loss in which rejection is an "
                "action with another name."
            )
        return cls({**costs, REJECT: number(reject, REJECTION, lambda cost: 0 <= cost <= 1)})

    @classmethod
    def of_missing(cls, costs: Mapping[Level, float]) -> "Loss":
        """Each class is an action; calling a row of class i anything else costs `costs[i]`."""
        if not isinstance(costs, Mapping):
            raise LossError(f"Say what it costs to miss each class: {{class: cost}}; found {costs!r}.")
        each = _row("missing a class", costs)
        assert isinstance(each, dict)  # as it is of a mapping
        return cls({c: {k: 0.0 if c == k else cost for k, cost in each.items()} for c in each})

    def on(self, classes: Sequence[Level]) -> Array:
        """The costs as (A, K), in the order of these classes.

        Raises
        ------
        LossError
            If the loss is about other classes.

        """
        wanted = names_of(classes, "classes")
        if self.classes and set(self.classes) != set(wanted):
            raise LossError(
                f"The loss has the classes {sorted(self.classes, key=str)}, but the posterior has "
                f"{sorted(wanted, key=str)}. Give costs for exactly the classes of the model."
            )
        return np.array([[row[k] if isinstance(row, dict) else row for k in wanted] for row in self.rows.values()])

    def description(self) -> Description:
        names: Sequence[Name] = self.classes or (word("any class"),)
        costs = self.on(self.classes) if self.classes else np.array([[row] for row in self.rows.values()])
        series = [Series(name, column, plainly) for name, column in zip(names, costs.T, strict=True)]
        return Description((), [Sheet(word("action"), in_words(self.actions), series)])


IntoLoss = Loss | Mapping[Any, Any] | IntoDataFrame | ArrayLike | None  # what one can be made of; None: 0–1 loss


def in_words(actions: Levels) -> list[Name]:
    """Actions as they are printed: rejection is a word of ours."""
    return [word(REJECT) if action == REJECT else action for action in actions]


def _row(action: Level, costs: Any) -> dict[Level, float] | float:
    try:
        if not isinstance(costs, Mapping):
            return number(costs, "a cost")
        values = [number(cost, "a cost") for cost in costs.values()]
    except ParameterError:
        values = []
    if not values:
        raise LossError(
            f"The costs of {action!r} must be finite numbers, one for each class or one for all; found {costs!r}."
        )
    return dict(zip(names_of(list(costs), "classes"), values, strict=True))


def _rows(table: Any, actions: Any, classes: Any) -> list[tuple[Level, Any]]:
    """A dict, a frame with a column of actions and one for each class, or a matrix whose axes the caller names."""
    if actions is None and classes is None:
        if isinstance(table, Loss):
            return list(table.rows.items())
        rows = list(table.items()) if isinstance(table, Mapping) else named_rows(table)
        if rows is None:
            raise LossError(
                "A matrix does not say which axis holds the actions and which the true classes. Give {action: {class: "
                "cost}}, a data frame with a column 'action' and one for each class, or name both: Loss(matrix, "
                "actions=[...], classes=[...])."
            )
        return rows
    down, across = (names_of(given, what) for given, what in ((actions, "actions"), (classes, "classes")))
    matrix = numbers(table, "A loss matrix")
    if matrix.shape != (len(down), len(across)):
        raise LossError(
            f"A loss matrix needs a row for each action and a column for each true class; found shape {matrix.shape}, "
            f"actions {list(down)}, classes {list(across)}."
        )
    return [(a, dict(zip(across, row, strict=True))) for a, row in zip(down, matrix.tolist(), strict=True)]
