"""Stage 3, one model for each category: it is the parent of all other columns, given the class.

In:  counts of every two categories, and statistics of all other columns by level of each, from pairs of columns.
Out: ln P(class, x_j) ∏_{i≠j} P(x_i | class, x_j) for every parent j. Numbers, rates and the like are children by their
     own families, with components class × level; rows of counts depend on the class alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from suffice.arrays import Array, Codes, log, ratio
from suffice.data.schema import ColumnPlan
from suffice.families.kinds import family_of
from suffice.families.protocol import Block, Density
from suffice.kernels.codes import look_up_pairs
from suffice.lazy import lazy
from suffice.model.joint import Joint
from suffice.model.one_dependence import OneDependence
from suffice.model.pairs import Pairs
from suffice.model.piece import Piece
from suffice.model.rules import prevalence
from suffice.model.summary import Summary


@dataclass(frozen=True, eq=False)
class Children:
    """Columns of one block that are no categories, given class and level of a parent."""

    block: int
    piece: Piece  # with components class × level

    @lazy
    def density(self) -> Density:
        return self.piece.density()

    def given(self, log_density: Array, levels: Codes) -> Array:
        """Of each row with its own level."""  # (n, K · S) → (n, K)
        many = self.piece.rule.levels
        by_class = log_density.reshape(len(levels), log_density.shape[1] // many, many)
        return np.asarray(by_class[np.arange(len(levels)), :, levels])


@dataclass(frozen=True, eq=False)
class Parents:
    """One model for each category."""

    columns: tuple[ColumnPlan, ...]
    places: tuple[tuple[int, int], ...]  # of each, the block and where in it
    tables: OneDependence
    children: tuple[tuple[Children, ...], ...]  # of each
    alone: tuple[Children, ...]  # what depends on the class only

    def codes(self, blocks: tuple[Block, ...], rows: int) -> Codes:
        """Of the categories."""  # (n, D)
        out = np.empty((rows, len(self.places)), dtype=np.intp)
        for j, (block, column) in enumerate(self.places):
            out[:, j] = blocks[block][:, column]
        return out

    def tables_of_parents(self) -> dict[str, dict[str, Array]]:
        """P(class, level), by column and level."""
        tables, logs = self.tables, self.tables.log_first_of_all
        return {
            column.name: {str(level): np.exp(logs[start + code]) for code, level in enumerate(column.levels)}
            for column, start in zip(self.columns, tables.bounds, strict=False)
        }

    def votes(self, blocks: tuple[Block, ...], rows: int) -> tuple[Array, NDArray[np.bool_]]:
        """Ln P_j(class, row) of each parent's model, −∞ where it is none; and which are."""  # (D, n, K), (n, D)
        codes = self.codes(blocks, rows)
        cells = self.tables.cells(codes)
        out = look_up_pairs(cells, self.tables.given, self.tables.first)
        for j, children in enumerate(self.children):
            there = np.flatnonzero(codes[:, j] >= 0) if children else ()
            for child in children:
                logs = child.density.log_density(blocks[child.block][there])
                out[j, there] += child.given(logs, codes[there, j])
        for child in self.alone:
            out += child.density.log_density(blocks[child.block])
        return out, self.tables.parents[np.minimum(cells, len(self.tables.first) - 1)]


def parents_of(naive: Joint, summary: Summary, pieces: Sequence[Piece], least: float, given: bool) -> Parents:
    """Those of the pieces, of which `naive` is the model; `given` says whether its class probabilities are."""
    blocks = naive.schema.blocks
    places = [(i, j) for i, block in enumerate(blocks) if block.categorical for j in range(len(block.names))]
    columns = tuple(blocks[i].columns[j] for i, j in places)
    alone = tuple(Children(i, piece) for i, piece in enumerate(pieces) if piece.block.words)
    smoothing, weight = (pieces[0].rule.rules.smoothing if pieces else 0.0), summary.statistics.weight
    shift = shift_of(naive.prevalence, weight, smoothing) if given else np.zeros(len(naive.classes))
    if not columns:
        nothing = np.zeros((len(naive.classes), 0, 0)), np.zeros(1, dtype=np.intp)
        return Parents((), (), OneDependence(*nothing, smoothing, least, shift), (), alone)
    pairs = summary.as_numbers(set(summary.schema.tallied) - {column.name for column in columns}).pairs().plain()
    others = [(i, piece) for i, piece in enumerate(pieces) if not (piece.block.categorical or piece.block.words)]
    children = tuple(tuple(_children(pairs, column, i, piece) for i, piece in others) for column in columns)
    tables = OneDependence(*_counts(pairs, columns), smoothing, least, shift)
    return Parents(columns, tuple(places), tables, children, alone)


def shift_of(given: Array, weight: Array, smoothing: float) -> Array:
    """Ln (π / P(class)), of given probabilities and those that rows of such mass lead to, both (…, K)."""
    learned = prevalence(weight, (), "smoothed", smoothing)
    return log(ratio(given, learned))


def _counts(pairs: Pairs, columns: Sequence[ColumnPlan]) -> tuple[Array, Codes]:
    """Of every two cells of these columns, and the bounds between columns."""
    places = [
        pairs.layout.cells(column.name).start + pairs.layout.column(column.name).levels.index(level)
        for column in columns
        for level in column.levels
    ]
    cells = np.array(places, dtype=np.intp)
    bounds = np.cumsum([0, *(len(column.levels) for column in columns)]).astype(np.intp)
    return pairs.statistics.counts[:, cells[:, None], cells], bounds


def _children(pairs: Pairs, parent: ColumnPlan, block: int, piece: Piece) -> Children:
    """The columns of a piece by level of a parent, both in the order of the model."""
    layout = next(one for one in pairs.layout.others if set(piece.names) <= set(one.names))
    known, classes = pairs.layout.column(parent.name).levels, pairs.classes
    levels = np.array([known.index(level) for level in parent.levels], dtype=np.intp)
    places = np.arange(classes)[:, None] * len(known) + levels
    gathered = pairs.block(parent.name, layout).only(places.ravel())
    statistics = family_of(layout).marginal(gathered, [layout.names.index(name) for name in piece.names])
    rule = replace(piece.rule, levels=len(parent.levels))
    return Children(block, replace(piece, statistics=statistics, rule=rule))
