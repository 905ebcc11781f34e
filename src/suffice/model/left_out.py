"""Stage 3, rows that a model has not learned from: what it says of them.

In:  a model of other rows.
Out: LeftOutRows: ln p(row, class) of each, and how common classes are among the rows learned from.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from suffice.arrays import Array, Codes
from suffice.data.table import Table
from suffice.errors import HiddenCellsError
from suffice.model.piece import Piece

SMALLER = 2  # than other blocks, since a row left out is looked at many times


@dataclass(frozen=True, eq=False)
class LeftOutRows:
    log_joint: Array  # (T, K) of each prediction
    prevalence: Array  # (T, K) of the classes among the rows learned from
    rows: Codes  # (T,) which row each prediction is of


Answers = Callable[[Table], tuple[Array, Array]]  # ln p(row, class) of rows, and how common classes are, both (N, K)


def refuse_hidden(pieces: Sequence[Piece]) -> None:
    if any(piece.statistics.hidden for piece in pieces):
        raise HiddenCellsError(
            "Cells are missing among columns modelled together, so a row cannot be taken out in closed form. Use "
            "cross_validate(model, X, y, folds=10), which fits again for each fold, or model each column by "
            "itself (shape='diagonal', or no joint)."
        )
