"""What a belief is told, as statistics of one component: a list, an array, columns by name, a frame, or amounts.

In:  whatever the user has, and the plan of the block it should become.
Out: statistics of the family. Cells are checked by the same code as those of a model's table.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

import suffice.families.kinds  # noqa: F401 # a belief reads rows by the kinds that are registered there
from suffice import options
from suffice.arrays import MISSING, Array, Codes
from suffice.data.blocks import cut
from suffice.data.columns import TEXT
from suffice.data.frames import is_frame
from suffice.data.kinds import BINOMIAL
from suffice.data.levels import Level
from suffice.data.levels import plain as plain_level
from suffice.data.schema import BlockPlan, ColumnPlan, Schema
from suffice.data.table import read_column, read_table
from suffice.errors import ParameterError, UnseenCategoryError
from suffice.families.memberships import Hard
from suffice.families.protocol import Block
from suffice.words import listed


@dataclass(frozen=True)
class Observations:
    """What a user hands to a belief: rows, or something by name."""

    rows: Any
    weights: Any
    trials: Any
    named: Mapping[str, Any]
    success: Any = None  # which of the outcomes in the rows counts as one

    def __post_init__(self) -> None:
        nothing = self.rows is None or (isinstance(self.rows, Mapping) and not self.rows)
        if nothing == (not self.named):
            raise ParameterError("Give either rows, or amounts or columns by name.")

    @property
    def columns(self) -> Any:
        """Rows, or columns by name, which are rows too."""
        return self.named if self.rows is None else self.rows

    @property
    def amounts(self) -> Mapping[Level, Any]:
        """How much of each category, where that was said; nothing otherwise."""
        given = self.rows if isinstance(self.rows, Mapping) else {**self.named}
        if given and self.weights is not None:
            raise ParameterError("Amounts are already weights: give weights only with rows.")
        return given


def one_component(rows: int, weights: ArrayLike | None) -> Hard:
    """All rows in the same component, weighted."""
    given = np.ones(rows) if weights is None else numbers(weights)
    if given.shape != (rows,) or not np.all((given >= 0) & np.isfinite(given)):
        raise ParameterError(f"weights must be {rows} numbers, 0 or more, one for each row; found {weights!r}.")
    return Hard(np.zeros(rows, dtype=np.intp), given, 1)


def plan_of(kind: str, names: Sequence[str], *numbers: float) -> BlockPlan:
    return BlockPlan(kind, tuple(ColumnPlan(name, kind, numbers=numbers) for name in names))


def axes(rows: Any) -> int:
    """Of rows as an array; one where they are of different lengths, which is then no column of numbers."""
    try:
        return np.ndim(rows)
    except ValueError:
        return 1


def block_of(rows: Any, plan: BlockPlan, named: bool = False) -> Block:
    """Numbers (N, D): columns by name where both sides have names, by position otherwise."""
    whole = isinstance(rows, Mapping) or is_frame(rows) or axes(rows) == 2
    table = read_table(rows if whole else {plan.names[0]: rows})
    if not (named and table.named and whole):
        if len(table.names) != len(plan.names):
            raise ParameterError(f"Expected {len(plan.names)} columns of numbers; found {len(table.names)}.")
        table = table.renamed(plan.names)
    if any(table.type(name) == TEXT for name in plan.names if name in table.names):
        hint = " Say which outcome is a success, as in after(rows, success='heads')." if plan.kind == BINOMIAL else ""
        raise ParameterError(f"Expected numbers; found text.{hint}")
    cells, every = cut(table, Schema((plan,))), slice(0, table.rows)
    cells.check(every)
    return cells[every][0]


def codes_of(rows: Any, names: Sequence[Level]) -> Codes:
    """Positions (N,) of categories among the names; a missing one is no position."""
    found = read_column(rows, "rows").encoded()
    position = {name: code for code, name in enumerate(names)}
    strange = [level for level in found.levels if level not in position]
    if strange:
        refuse_unknown(strange[0], names)
    return np.array([*(position[level] for level in found.levels), MISSING], dtype=np.intp)[found.codes]


def amounts_of(given: Mapping[Level, Any], names: Sequence[Level]) -> Array:
    """How much of each category; one that is not mentioned has none."""
    amounts = {plain_level(name): amount for name, amount in given.items()}
    for name, amount in amounts.items():
        if name not in names:
            refuse_unknown(name, names)
        options.number(amount, f"The amount of {name!r} must be a number, 0 or more", lambda value: value >= 0)
    return np.array([float(amounts.get(name, 0)) for name in names])


def numbers(given: Any) -> Array:
    """What was given as numbers, of any shape; NaN if it is something else."""
    try:
        return options.numbers(given, "numbers")
    except ParameterError:
        return np.array(np.nan)


def refuse_unknown(name: Level, names: Sequence[Level]) -> None:
    raise UnseenCategoryError(
        f"This belief is about {listed(names)}, but {name!r} was found. Start from a belief that names it, or leave it "
        "out."
    )
