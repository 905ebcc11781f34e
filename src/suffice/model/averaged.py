"""Stage 3, averages of one-dependence models (Webb, Boughton and Wang, 2005; numbers as in Flores et al., 2009).

In:  a summary with pairs of columns, and the naive Bayes of the same columns.
Out: AveragedJoint: P(class, x) = mean over parents j of P(class, x_j) ∏_{i≠j} P(x_i | class, x_j). Every category whose
     level has enough rows is a parent in its turn. A row without a parent is answered by naive Bayes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from suffice.arrays import Array, Codes, log
from suffice.data.blocks import Blocks, cut
from suffice.errors import NoDensityError
from suffice.families.product import Cells, ProductDensity
from suffice.families.protocol import Block, Density
from suffice.formulas import Formula, Pattern
from suffice.model.dependence import Dependence, ModelsOfOthers, RowsInTurn
from suffice.model.em.columns import HiddenColumns
from suffice.model.em.label_evidence import LabelEvidence
from suffice.model.evidence import Evidence
from suffice.model.joint import Joint, Scores
from suffice.model.left_out import Answers, LeftOutRows
from suffice.model.parents import Parents, parents_of, shift_of
from suffice.model.parents_formula import mean_formula
from suffice.model.parents_without import Without
from suffice.model.piece import Piece
from suffice.model.rules import Rules
from suffice.model.summary import Summary
from suffice.threads import over_rows

WHY = (
    "An average of one-dependence models has no density. Each row is averaged over its own parents, so the "
    "probabilities of all rows given a class need not sum to one. There are no samples, no evidence, no EM, no "
    "boundary and no factors by column: use NaiveBayes or TreeAugmentedBayes for these."
)


@dataclass(frozen=True, eq=False, kw_only=True)
class AveragedJoint(Joint):
    naive: Joint  # which answers where no parent is left
    parents: Parents

    def _joined(self, blocks: tuple[Block, ...], scores: Scores, rows: int) -> Array:
        return mean_of_votes(*self.parents.votes(blocks, rows), lambda some: self._naively(blocks, some))

    def _naively(self, blocks: tuple[Block, ...], rows: Codes) -> Array:
        some = tuple(block[rows] for block in blocks)
        return self.naive.density.log_density(some) + log(self.naive.prevalence)

    def formula(self, cells: Cells, patterns: Sequence[Sequence[Pattern]]) -> Formula:
        return mean_formula(self.parents, self.naive.formula(cells, patterns), cells, patterns)


class NoDensity(ProductDensity):
    """In the place of a density, where there is none: whatever is asked of it is refused with the reason."""

    def __init__(self) -> None:
        """Without parts."""

    @property
    def parts(self) -> tuple[Density, ...]:  # type: ignore[override] # what everything else asks for
        raise NoDensityError(WHY)


def mean_of_votes(votes: Array, there: NDArray[np.bool_], otherwise: Callable[[Codes], Array]) -> Array:
    """Ln of the mean over the parents that are there, (D, n, K) → (n, K); rows without any as `otherwise` has them."""
    count = there.sum(axis=1)
    top = votes.max(axis=0, initial=-np.inf)
    top = np.where(np.isneginf(top), 0.0, top)
    votes -= top
    out = log(np.exp(votes, out=votes).sum(axis=0)) + top - np.log(np.maximum(count, 1))[:, None]
    none = np.flatnonzero(count == 0)
    if len(none):
        out[none] = otherwise(none)
    return np.asarray(out)


@dataclass(frozen=True)
class Averaged(Dependence):
    least: float  # rows of a level from which on its column is a parent
    given: bool  # whether class probabilities are given, and not learned with each parent

    def joint(self, naive: Joint, summary: Summary, pieces: Sequence[Piece]) -> AveragedJoint:
        parents = parents_of(naive, summary, pieces, self.least, self.given)
        plain = {name: getattr(naive, name) for name in ("schema", "classes", "prevalence", "estimate", "doubt")}
        return AveragedJoint(**plain, density=NoDensity(), naive=naive, parents=parents)

    def hidden_columns(
        self, apart: Summary, pieces: Sequence[Piece], label_evidence: LabelEvidence, cells: Blocks
    ) -> HiddenColumns:
        raise NoDensityError(WHY)

    def leave_one_out(self, rows: RowsInTurn) -> LeftOutRows:
        joint = rows.joint()
        assert isinstance(joint, AveragedJoint)  # as made above
        shares, which = rows.shares_without()
        shift = np.zeros_like(shares[which])
        if self.given:
            shift = shift_of(shares[which], rows.weight_without, rows.rules.smoothing)
        without = Without(joint.parents, rows.known, shift, cut(rows.known.table, joint.schema))
        log_joint = np.empty((len(which), len(joint.classes)))

        def fill(slices: Sequence[slice]) -> None:
            for some in slices:
                log_joint[some] = mean_of_votes(*without.votes(some), lambda none: np.full((len(none), 1), np.nan))

        over_rows(fill, len(which), without.blocks.width * (1 + len(joint.parents.columns)))
        nobody = np.isnan(log_joint[:, 0])
        if nobody.any():
            plain = rows.depending(None).log_density_without()
            log_joint[nobody] = (plain + log(shares)[which])[nobody]
        return LeftOutRows(log_joint, shares[which], np.arange(len(which)))

    def anew(self, others: ModelsOfOthers, learned: Summary) -> Answers:
        joint = others.joint(learned)
        shares = joint.prevalence
        return lambda table: (joint.log_joint(table, others.unseen), np.broadcast_to(shares, (table.rows, len(shares))))

    def log_evidence(self, summary: Summary, pieces: Sequence[Piece], rules: Rules) -> Evidence:
        raise NoDensityError(WHY)
