"""Stage 4, losses with names: what each action costs under each true class.

In:  {action: {class: cost}}, where a plain number is the same cost whatever the truth (rejection); or a labelled table.
Out: Loss, whose axes can only be matched by name: a transposed loss is an error, never a silent bug.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from suffice.arrays import Array
from suffice.data.frames import named_rows
from suffice.data.levels import plain
from suffice.errors import LossError

Costs = Mapping[Any, float] | float


class Loss:
    """Actions × true classes.

    >>> Loss({"treat": {"ill": 0, "well": 5}, "wait": {"ill": 100, "well": 0}, "refer": 8})
    action  ill  well
    treat     0     5
    wait    100     0
    refer     8     8
    """

    def __init__(self, table: Any, actions: Sequence[Any] | None = None, classes: Sequence[Any] | None = None) -> None:
        if not isinstance(table, Mapping):
            table = _labelled(table, actions, classes)
        named = {plain(action): _row(action, costs) for action, costs in table.items()}
        found = [frozenset(row) for row in named.values() if isinstance(row, dict)]
        if len(set(found)) > 1:
            each = "; ".join(f"{a!r} has {sorted(row, key=str)}" for a, row in named.items() if isinstance(row, dict))
            raise LossError(f"Every action needs a cost for every class, or one cost for all of them; {each}.")
        first = next((row for row in named.values() if isinstance(row, dict)), {})
        self.actions: tuple[Any, ...] = tuple(named)
        self.classes: tuple[Any, ...] = tuple(first)
        self._rows = named

    @classmethod
    def zero_one(cls, classes: Sequence[Any], reject: float | None = None) -> "Loss":
        """Each class is an action and any mistake costs 1; with `reject`, answering "reject" costs that much."""
        costs = {c: {k: float(c != k) for k in classes} for c in classes}
        return cls(costs if reject is None else {**costs, "reject": reject})

    @classmethod
    def of_missing(cls, costs: Mapping[Any, float]) -> "Loss":
        """Each class is an action; calling a row of class i anything else costs costs[i]."""
        return cls({c: {k: 0.0 if c == k else cost for k, cost in costs.items()} for c in costs})

    def on(self, classes: Sequence[Any]) -> Array:
        """Costs (A, K), in the order of these classes."""
        wanted = [plain(name) for name in classes]
        if self.classes and set(self.classes) != set(wanted):
            raise LossError(
                f"The loss is about the classes {sorted(self.classes, key=str)}, the posterior about "
                f"{sorted(wanted, key=str)}. Name in the loss exactly the classes that the model knows."
            )
        return np.array([[row[k] if isinstance(row, dict) else row for k in wanted] for row in self._rows.values()])

    def __repr__(self) -> str:
        names = self.classes or ("any class",)
        costs = self.on(self.classes) if self.classes else np.array([[row] for row in self._rows.values()])
        table = [["action", *map(str, names)]]
        table += [[str(a), *(f"{c:g}" for c in row)] for a, row in zip(self.actions, costs, strict=True)]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = (
            [row[0].ljust(widths[0]), *(text.rjust(width) for text, width in zip(row[1:], widths[1:], strict=True))]
            for row in table
        )
        return "\n".join("  ".join(cells).rstrip() for cells in lines)


def _row(action: Any, costs: Any) -> dict[Any, float] | float:
    values = {plain(k): float(c) for k, c in costs.items()} if isinstance(costs, Mapping) else float(costs)
    given = list(values.values()) if isinstance(values, dict) else [values]
    if not given or not np.isfinite(given).all():
        raise LossError(f"The costs of {action!r} must be finite, one for each class or one for all; found {costs!r}.")
    return values


def _labelled(table: Any, actions: Sequence[Any] | None, classes: Sequence[Any] | None) -> dict[Any, dict[Any, float]]:
    """A frame with a column of actions and one column for each class, or a matrix whose axes the caller names."""
    if actions is None and classes is None:
        rows = named_rows(table)
        if rows is None:
            raise LossError(
                "A matrix does not say which axis is the action and which the truth. Give {action: {class: cost}}, a "
                "data frame with a column 'action' and one for each class, or name both: "
                "Loss(matrix, actions=[...], classes=[...])."
            )
        return rows
    matrix = np.asarray(table, dtype=float)
    if actions is None or classes is None or matrix.shape != (len(actions), len(classes)):
        raise LossError(
            f"A loss matrix has a row for each action and a column for each true class, both named; found shape "
            f"{matrix.shape}, actions {actions!r}, classes {classes!r}."
        )
    return {a: dict(zip(classes, row, strict=True)) for a, row in zip(actions, matrix.tolist(), strict=True)}
