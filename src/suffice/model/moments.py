"""Stage 3, means and covariances of the rows behind a summary, from the first row on.

In:  the pieces of a Summary.
Out: SummaryMoments, numbers by class and column, also where no density exists: of one row, of columns that do not vary.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from suffice.arrays import Array
from suffice.data.levels import Levels
from suffice.families.capabilities import CountsCells, Numeric
from suffice.model.piece import Piece
from suffice.printing.description import Description, Series, Sheet
from suffice.printing.language import word
from suffice.printing.numbers import amount, quantity
from suffice.printing.printed import Printed

NONE = np.nan  # of no rows there is no mean


@dataclass(frozen=True, eq=False, repr=False)
class SummaryMoments(Printed):
    """Of each class and numeric column the mass of cells that are there, their mean and covariances.

    A covariance is over the rows that have both cells; NaN where the summary does not keep it, or no row is left to
    divide by. `cells` has the counts of categories, {column: {level: (K,)}}.
    """

    classes: Levels
    columns: tuple[str, ...]
    counts: Array  # (K, D)
    means: Array  # (K, D)
    covariances: Array  # (K, D, D)
    cells: dict[str, dict[str, Array]]

    def description(self) -> Description:
        """Mean and standard deviation of each class and numeric column, and the counts of categories."""
        variances = np.diagonal(self.covariances, axis1=1, axis2=2)
        numeric = [
            Series(name, mean, quantity, np.sqrt(variance), f"mean {name}", f"sd {name}")
            for name, mean, variance in zip(self.columns, self.means.T, variances.T, strict=True)
        ]
        counts = [Series(name, count, amount) for name, count in zip(self.columns, self.counts.T, strict=True)]
        sheets = [Sheet(word("mean ± sd"), self.classes, numeric), Sheet(word("cells there"), self.classes, counts)]
        cells = [
            Sheet(word("{name} (counts)", name=name), self.classes, [Series(*cell, amount) for cell in table.items()])
            for name, table in self.cells.items()
        ]
        return Description((), [*(sheets if self.columns else []), *cells])


def moments_of(pieces: Iterable[Piece], classes: Levels, names: Sequence[str], less: int) -> SummaryMoments:
    """Scatters are divided by the mass of the rows less so many."""
    every = list(pieces)
    plain = [piece for piece in every if piece.block.transform is None]
    numeric = [(piece.names, piece.statistics) for piece in plain if isinstance(piece.statistics, Numeric)]
    columns = tuple(sorted((name for some, _ in numeric for name in some), key=list(names).index))
    counts, means = np.zeros((2, len(classes), len(columns)))
    covariances = np.full((len(classes), len(columns), len(columns)), NONE)
    for some, statistics in numeric:
        where = np.array([columns.index(name) for name in some], dtype=np.intp)
        alone = statistics.alone()
        counts[:, where], means[:, where] = alone.seen, np.where(alone.seen > 0, alone.mean, NONE)
        covariances[:, where[:, None], where] = statistics.covariances(less)
    return SummaryMoments(classes, columns, counts, means, covariances, _cells(every))


def _cells(pieces: Iterable[Piece]) -> dict[str, dict[str, Array]]:
    out: dict[str, dict[str, Array]] = {}
    for piece in pieces:
        if isinstance(piece.family, CountsCells):
            out |= piece.family.counts_by_name(piece.statistics, piece.names)
    return out
