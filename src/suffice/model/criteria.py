"""Stage 3, models weighed by their evidence: ln p(columns | classes), with the parameters integrated out.

In:  a Summary, the Design and the Rules of a model with proper priors. No rows are needed.
Out: log evidences, which differ between models of the same columns by the log of the Bayes factor.
"""

from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from suffice.data.schema import LOG_GAUSSIAN, BlockPlan
from suffice.errors import ParameterError
from suffice.model.design import Design, taken
from suffice.model.pieces import Piece, cut_up
from suffice.model.rules import Rules
from suffice.model.summary import Summary


@dataclass(frozen=True)
class ColumnEvidence:
    """Whether a column, or columns modelled together, vary between the classes."""

    columns: tuple[str, ...]
    own: float  # ln p of the cells with parameters of their own for each class
    pooled: float  # with the same parameters for all classes

    @property
    def log_bayes_factor(self) -> float:
        """Positive: it matters to the class."""
        return self.own - self.pooled


def log_evidence(summary: Summary, design: Design, rules: Rules) -> float:
    pieces, _ = cut_up(summary, design, replace(rules, estimate="predictive"))
    return sum(_of(piece, piece.statistics) for piece in pieces)


def column_evidence(summary: Summary, design: Design, rules: Rules) -> list[ColumnEvidence]:
    """For each column by itself, or each group modelled together: one density for each class against one for all."""
    pieces, _ = cut_up(summary, design, replace(rules, estimate="predictive"))
    alone = [one for piece in pieces for one in _columns_of(piece)]
    return [
        ColumnEvidence(one.block.names, _of(one, one.statistics), _of(one, _pooled(one.statistics))) for one in alone
    ]


def _of(piece: Piece, statistics: Any) -> float:
    """Ln p of the cells behind the statistics, as cells of the user's table."""
    family: Any = piece.family
    if getattr(family, "shrinks", False):
        raise ParameterError("Shrinkage is no prior, so a shrunken model has no evidence.")
    prior = piece.rule.prior(family, statistics)
    return float(prior.log_evidence(statistics).sum()) - _log_volume(piece.block, statistics)


def _log_volume(block: BlockPlan, statistics: Any) -> float:
    """Σ ln x where ln x is modelled: what a density of x is less than one of ln x."""
    return float((statistics.seen * statistics.mean).sum()) if block.kind == LOG_GAUSSIAN else 0.0


def _columns_of(piece: Piece) -> list[Piece]:
    if piece.block.together:
        return [piece]
    whole = (piece.block, piece.family, piece.statistics)
    return [Piece(*taken(whole, [j]), piece.rule) for j in range(len(piece.block.columns))]


def _pooled(statistics: Any) -> Any:
    """The rows of all classes in one component."""
    return reduce(add, (statistics.only(np.array([k])) for k in range(len(statistics.weight))))
