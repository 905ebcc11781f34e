"""Stage 3, what each parent says of a row that it has not counted.

In:  the parents, with the counts of all rows; the rows with their classes and weights, and what given class
     probabilities change without each.
Out: votes as of `parents`. Counts of the row's own class and cells are less by its weight, and so are those of its
     levels, by which columns are parents; other columns are left out by their families, given class and level.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from suffice.arrays import Array, Codes
from suffice.data.blocks import Blocks
from suffice.data.labelled import Labelled
from suffice.errors import NotInSummaryError, SingularError
from suffice.families.memberships import memberships
from suffice.families.protocol import Block
from suffice.kernels.codes import look_up_pairs
from suffice.lazy import lazy
from suffice.model.parents import Children, Parents

ROUNDING = 16 * float(np.finfo(float).eps)


@dataclass(frozen=True, eq=False)
class Without:
    parents: Parents
    known: Labelled
    shift: Array  # (N, K) ln of what given class probabilities are to those learned without each row
    blocks: Blocks

    def votes(self, some: slice) -> tuple[Array, NDArray[np.bool_]]:
        """Of a slice of rows."""  # (D, n, K), (n, D)
        labels, codes, tables = self.known.codes[some], self._codes[some], self.parents.tables
        out = look_up_pairs(tables.cells(codes), tables.given, np.zeros_like(tables.first))
        out[:, np.arange(len(labels)), labels] = self._own(some).T
        hits, there = self._masses(some)
        column = np.broadcast_to(np.arange(codes.shape[1]), codes.shape)
        first = tables.log_first(hits, there, column, self.shift[some, None])
        parents = (codes >= 0) & tables.enough(hits.sum(axis=2))
        out += np.where(parents[:, :, None], first, -np.inf).transpose(1, 0, 2)
        for j, children in enumerate(self.parents.children):
            rows = np.flatnonzero(codes[:, j] >= 0)
            for child in children:
                out[j, rows] += self._left_out(child, some.start + rows, j)
        for child in self.parents.alone:
            out += self._left_out(child, np.arange(some.start, some.stop), None)
        return out, parents

    @lazy
    def _whole(self) -> tuple[Block, ...]:
        return self.blocks[slice(0, len(self.known.codes))]

    @lazy
    def _codes(self) -> Codes:
        return self.parents.codes(self._whole, len(self.known.codes))  # (N, D)

    def _own(self, some: slice) -> Array:
        """Σ_i ln P(x_i | class, x_j) in the row's own class, which has lost it."""  # (n, D)
        labels, weights, codes = self.known.codes[some], self.known.weights[some], self._codes[some]
        tables, there = self.parents.tables, codes >= 0
        cells, which = np.where(there, codes, 0) + tables.bounds[:-1], labels[:, None, None]
        both = there[:, :, None] & there[:, None, :] & ~np.eye(codes.shape[1], dtype=bool)
        gone = np.where(both, weights[:, None, None], 0.0)
        hits = _less(tables.counts[which, cells[:, :, None], cells[:, None, :]], gone)
        among = _less(tables.seen[labels[:, None], cells], gone)
        return np.asarray(np.where(both, tables.share(hits, among, tables.sizes), 0.0).sum(axis=2))

    def _masses(self, some: slice) -> tuple[Array, Array]:
        """Rows of each class in the cells of each row, and rows that have those columns."""  # (n, D, K) both
        labels, weights, codes = self.known.codes[some], self.known.weights[some], self._codes[some]
        tables = self.parents.tables
        mine = (labels[:, None] == np.arange(len(tables.counts)))[:, None, :] & (codes >= 0)[:, :, None]
        gone = np.where(mine, weights[:, None, None], 0.0)
        cells = np.where(codes >= 0, codes, 0) + tables.bounds[:-1]
        return _less(tables.hits[cells], gone), _less(np.broadcast_to(tables.there, gone.shape), gone)

    # columns that are no categories

    def _left_out(self, child: Children, rows: Codes, parent: int | None) -> Array:
        """Ln p of their cells in some rows, given each class and the row's own level of the parent."""  # (n, K)
        piece, known, x = child.piece, self.known, self._whole[child.block]
        levels = self._codes[:, parent] if parent is not None else np.zeros(len(known.codes), dtype=np.intp)
        components = known.codes * piece.rule.levels + levels
        try:
            found = piece.family.leave_one_out(
                x[rows], components[rows], known.weights[rows], piece.statistics, piece.rule
            )
            out, lost = found.log_density, found.lost
        except (SingularError, NotInSummaryError):  # somewhere among them
            out, lost = np.empty((len(rows), len(piece.statistics.weight))), np.ones(len(rows), dtype=bool)
        for place in np.flatnonzero(lost):
            mates = np.flatnonzero((components == components[rows[place]]) & (levels >= 0))
            out[place] = self._anew(child, int(rows[place]), mates[mates != rows[place]], int(components[rows[place]]))
        return child.given(out, levels[rows])

    def _anew(self, child: Children, row: int, mates: Codes, own: int) -> Array:
        """Of one row, the component that it was in learned anew from the other rows there."""  # (K · S,)
        piece, x, size = child.piece, self._whole[child.block], len(child.piece.statistics.weight)
        others = np.delete(np.arange(size), own)
        there = memberships(np.full(len(mates), own), size, self.known.weights[mates])
        rest = piece.statistics.only(others).onto(others, size) + piece.family.statistics(x[mates], there)
        return np.asarray(piece.rule.density(piece.family, rest).log_density(x[[row]])[0])


def _less(mass: Array, gone: Array) -> Array:
    """What is left of masses that hold what is gone; nothing where that is rounding."""
    left = mass - gone
    return np.where(left <= ROUNDING * mass, 0.0, left)
