"""Stage 3, a tree as what a Design may name: which columns depend on which, and what follows from it.

In:  what the user asks of a tree, a summary with pairs, and the pieces of the model.
Out: its Joint, its evidence and number of parameters, and its answers for rows that it has not learned from.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.arrays import Array, log
from suffice.data.blocks import Blocks, cut
from suffice.errors import HiddenCellsError, HiddenLabelsError, ParameterError
from suffice.families.capabilities import Numeric
from suffice.families.product import Product
from suffice.families.tree.density import TreeDensity
from suffice.model.dependence import Dependence, RowsInTurn
from suffice.model.em.columns import HiddenColumns, Pieces
from suffice.model.em.label_evidence import LabelEvidence
from suffice.model.em.tree import TreeColumns, refuse_missing
from suffice.model.evidence import Evidence, measures
from suffice.model.joint import Joint
from suffice.model.left_out import SMALLER, LeftOutRows
from suffice.model.pairs import Pairs
from suffice.model.piece import Piece
from suffice.model.rules import Rules
from suffice.model.summary import Summary
from suffice.model.tree import Tree
from suffice.model.tree_choice import EVIDENCE, INFORMATION, brought, learned
from suffice.model.tree_parts import Factor, density_of_factors, factors_of
from suffice.model.tree_without import Left
from suffice.options import one_of, shown
from suffice.threads import over_rows
from suffice.words import listed

NO_LABELS = (
    "A tree is learned from rows whose class is known, but no row has a label. Use NaiveBayes or Mixture, which find "
    "groups without labels."
)
NO_MODE = (
    "Some labels are unknown, and parameter_prior='reference' has no mode where a class has no row of a level, so EM "
    "has no objective. Use parameter_prior='weak' or 'flat'."
)


@dataclass(frozen=True)
class TreeDependence(Dependence):
    """Each column depends on the class and on at most one other."""

    LEAVING_ONE_OUT = "leave-one-out, with the tree of all rows,"

    criterion: str = INFORMATION
    root: str | None = None
    tree: Any = None  # {child: parent}, where the user brings it, or a Tree that is kept
    auto: bool = False  # whether rows that the estimate has no closed form for are to be answered by another

    def check(self) -> None:
        one_of(self.criterion, "criterion", (INFORMATION, EVIDENCE))
        if not isinstance(self.root, str | None):
            raise ParameterError(f"root must be the name of a column, or None; found {shown(self.root)}.")
        if self.root is not None and (self.tree is not None or self.criterion == EVIDENCE):
            why = (
                "tree= has its own root" if self.tree is not None else "by evidence, arcs have directions of their own"
            )
            raise ParameterError(f"root is for trees learned by criterion='information'; {why}. Leave out root.")

    def joint(self, naive: Joint, summary: Summary, pieces: Sequence[Piece]) -> Joint:
        if not pieces:  # there is no column
            return replace(naive, tree=Tree({}, {}, self.criterion))
        tree = self.tree_of(summary, pieces)
        density = self._density(tree, naive, summary, pieces)
        if self.auto and not density.plug_in and density.regressions:
            known = self._density(tree, naive, summary, [_by_mode(piece) for piece in pieces])
            density = replace(density, otherwise=known)
        return replace(naive, density=density, tree=tree)

    def _density(self, tree: Tree, naive: Joint, summary: Summary, pieces: Sequence[Piece]) -> TreeDensity:
        factors = factors_of(tree, pieces, pairs_of(summary, pieces))
        blocks = naive.schema.blocks
        together = {i: naive.density.parts[i] for i, block in enumerate(blocks) if block.together}
        return density_of_factors(tree, factors, blocks, naive.classes, together)

    def tree_of(self, summary: Summary, pieces: Sequence[Piece]) -> Tree:
        pairs, order = pairs_of(summary, pieces), summary.schema.names
        if isinstance(self.tree, Tree):
            return self.tree
        if self.tree is not None:
            return brought(self.tree, pieces, pairs, order)
        return learned(self.criterion, self.root, pieces, pairs, order)

    def hidden_columns(
        self, apart: Summary, pieces: Sequence[Piece], label_evidence: LabelEvidence, cells: Blocks
    ) -> HiddenColumns:
        """The tree is that of the rows whose class is certain, and stays."""
        if not pieces:  # there is no column
            return Pieces(Product(()), (), (), Tree({}, {}, self.criterion))
        classes = label_evidence.labels.classes
        labelled = np.arange(len(classes))
        if not apart.statistics.weight[labelled].any():
            raise HiddenLabelsError(NO_LABELS)
        if any(piece.rule.rules.parameter_prior == "reference" for piece in pieces):
            raise HiddenLabelsError(NO_MODE)
        refuse_missing(cells)
        known = replace(apart, classes=classes, statistics=apart.statistics.only(labelled))
        tree = self.tree_of(known, [replace(p, statistics=p.statistics.only(labelled)) for p in pieces])
        return TreeColumns.of(tree, factors_of(tree, pieces, pairs_of(apart, pieces)), pieces, label_evidence)

    def _factors(self, summary: Summary, pieces: Sequence[Piece]) -> list[Factor]:
        return factors_of(self.tree_of(summary, pieces), pieces, pairs_of(summary, pieces))

    def leave_one_out(self, rows: RowsInTurn) -> LeftOutRows:
        """The tree of all rows is kept, and all else learned without each row."""
        summary, labels = rows.summary, rows.known.codes
        pieces = rows.pieces()
        out, lost = self._without(rows, pieces)
        tree = self.tree_of(summary, pieces)
        kept = rows.depending(replace(self, root=None, tree=tree))
        for row in np.flatnonzero(lost | rows.heavy):
            out[row] = kept.log_density_anew(rows.summary_without(int(row)), np.array([row]))
        shares, which = rows.shares_without()
        return LeftOutRows(out + log(shares)[which], shares[which], np.arange(len(labels)))

    def _without(self, rows: RowsInTurn, pieces: Sequence[Piece]) -> tuple[Array, NDArray[np.bool_]]:
        """Log densities of each row without it, and those that have to be learned without anew."""
        known, classes = rows.known, len(rows.summary.classes)
        out, lost = np.zeros((len(known.codes), classes)), np.zeros(len(known.codes), dtype=bool)
        if not pieces:
            return out, lost
        plans = tuple(piece.block for piece in pieces)
        factors, cells = self._factors(rows.summary, pieces), cut(known.table, replace(rows.schema, blocks=plans))
        places = {name: (i, j) for i, plan in enumerate(plans) for j, name in enumerate(plan.names)}

        def fill(slices: Sequence[slice]) -> None:
            for some in slices:
                blocks = cells[some]
                found = Left(blocks, known.codes[some], known.weights[some], places).without(factors, classes)
                out[some] = found.log_density - np.atleast_2d(cells.volume(blocks)).T
                lost[some] = found.lost

        over_rows(fill, len(out), SMALLER * cells.width)
        return out, lost

    def parameters(self, summary: Summary, pieces: Sequence[Piece]) -> int:
        return sum(factor.parameters() for factor in self._factors(summary, pieces)) if pieces else 0

    def log_evidence(self, summary: Summary, pieces: Sequence[Piece], rules: Rules) -> Evidence:
        """Of the tree that was chosen; that it was chosen is not paid for."""
        if not pieces:
            return Evidence(0.0, {})
        missing = _missing(pairs_of(summary, pieces), pieces, self.tree_of(summary, pieces))
        if missing:
            raise HiddenCellsError(
                "Cells that others depend on are missing, so there is no evidence in closed form. Compare models by "
                f"cross_validate, or leave out rows with missing {listed(missing)}."
            )
        volume = sum(piece.volume.total for piece in pieces)
        evidence = sum(factor.log_evidence() for factor in self._factors(summary, pieces))
        return Evidence(evidence - volume, measures(pieces))


def pairs_of(summary: Summary, pieces: Sequence[Piece]) -> Pairs:
    """With the tallied columns as what the model takes them for."""
    categories = {name for piece in pieces if piece.block.categorical for name in piece.names}
    return summary.as_numbers(set(summary.schema.tallied) - categories).pairs().plain()


def _by_mode(piece: Piece) -> Piece:
    rules = replace(piece.rule.rules, estimate="map")
    return replace(piece, rule=replace(piece.rule, rules=rules))


def _missing(pairs: Pairs, pieces: Sequence[Piece], tree: Tree) -> list[str]:
    """Columns that others depend on and that some rows do not have."""
    rows = {name: pairs.counts(name, name).sum() for name in pairs.layout.names}
    for piece in pieces:
        if isinstance(piece.statistics, Numeric):
            rows |= dict(zip(piece.names, piece.statistics.alone().seen.sum(axis=0), strict=True))
    parents, whole = {parent for parent in tree.parents.values() if parent}, pieces[0].statistics.weight.sum()
    return sorted(name for name in parents if not np.isclose(rows[name], whole, rtol=1e-12))
