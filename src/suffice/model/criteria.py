"""Stage 3, what models are worth: information criteria, and evidence with the parameters integrated out.

In:  ln p(row, component) under known parameters; or a Summary, the Design and the Rules of a model with proper priors,
     for which no rows are needed.
Out: AIC, BIC, ICL; or log evidences, ln p(columns | classes), which differ between models of the same columns by the
     log of the Bayes factor.
"""

from dataclasses import dataclass, replace
from functools import reduce
from operator import add

import numpy as np

from suffice.arrays import Array, log_sum_exp
from suffice.errors import ParameterError, SuppressedWarning, warn
from suffice.families.protocol import Recorded
from suffice.model.design import Design
from suffice.model.evidence import Evidence, measures
from suffice.model.fit import pieces_of
from suffice.model.joint import Joint
from suffice.model.piece import Piece
from suffice.model.rules import Rules, learned_from_rows
from suffice.model.summary import Summary
from suffice.printing.description import Description, Series, Sheet
from suffice.printing.language import word
from suffice.printing.numbers import fixed, signed
from suffice.printing.printed import Printed
from suffice.words import listed


@dataclass(frozen=True)
class Criteria:
    """What a model with known parameters is worth; small is good."""

    log_likelihood: float
    parameters: int
    mass: float  # of the rows
    certainty: float = 0.0  # Σ ln P(most probable component | row)

    @property
    def aic(self) -> float:
        return 2 * self.parameters - 2 * self.log_likelihood

    @property
    def bic(self) -> float:
        return float(self.parameters * np.log(self.mass)) - 2 * self.log_likelihood

    @property
    def icl(self) -> float:
        return self.bic - 2 * self.certainty


def free_parameters(summary: Summary, design: Design, rules: Rules) -> int:
    """How many numbers the labelled rows of a summary are free to choose."""
    classes = len(summary.classes)
    pieces, _ = pieces_of(summary, design, rules)
    if design.dependence is not None:
        own = design.dependence.parameters(summary, pieces)
    else:
        own = sum(piece.rule.prior(piece.family, piece.statistics).parameters(classes) for piece in pieces)
    return own + (classes - 1 if learned_from_rows(rules.priors) else 0)


def criteria(log_components: Array, weights: Array, joint: Joint) -> Criteria:
    """From ln p(row, component), (N, K)."""
    rows = log_sum_exp(log_components)
    certainty = float(weights @ (log_components.max(axis=1) - rows))
    return Criteria(float(weights @ rows), joint.parameters, float(weights.sum()), certainty)


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


class ColumnEvidences(Printed, list[ColumnEvidence]):
    """What is known of each column, in the order of the table; it prints as a table."""

    def description(self) -> Description:
        own, pooled = (np.array([getattr(one, name) for one in self]) for name in ("own", "pooled"))
        series = [
            Series(word("own parameters"), own, fixed(4), name="own"),
            Series(word("shared parameters"), pooled, fixed(4), name="pooled"),
            Series(word("log Bayes factor"), own - pooled, signed),
        ]
        names = [", ".join(one.columns) for one in self]
        sheet = Sheet(word("column"), names, series, most=len(names))
        return Description((word("ln p of each column"),), [sheet])


def log_evidence(summary: Summary, design: Design, rules: Rules) -> Evidence:
    _warn_of_what_is_lacking(summary)
    pieces, _ = pieces_of(summary, design, replace(rules, estimate="predictive"))
    if design.dependence is not None:
        return design.dependence.log_evidence(summary, pieces, rules)
    return Evidence(sum(map(_of, pieces)), measures(pieces))


def _warn_of_what_is_lacking(summary: Summary) -> None:
    """Where suppression has dropped sums that only evidence needs."""
    if not summary.schema.suppressed:
        return
    names = [name for piece in summary.pieces() if _lacks(piece) for name in piece.names]
    if names:
        warn(
            f"Records of few rows were dropped from this summary, and with them ln h of every row of {listed(names)}, "
            "as Σ ln x! of counts, from which single cells can be told. The evidence lacks it: compare it only with "
            "that of models of the same summary.",
            SuppressedWarning,
        )


def _lacks(piece: Piece) -> bool:
    """Whether sums of it are dropped that only evidence needs."""
    told = piece.block.transform is not None and piece.block.transform.tells
    return told or (isinstance(piece.family, Recorded) and piece.family.beside)


def column_evidence(summary: Summary, design: Design, rules: Rules) -> list[ColumnEvidence]:
    """For each column by itself, or each group modelled together: one density for each class against one for all."""
    if design.dependence is not None:
        raise ParameterError(
            "The evidence of single columns needs columns that are independent given the class: use NaiveBayes."
        )
    _warn_of_what_is_lacking(summary)
    pieces, _ = pieces_of(summary, design, replace(rules, estimate="predictive"))
    alone = [one for piece in pieces for one in _columns_of(piece)]
    alone.sort(key=lambda one: summary.schema.names.index(one.block.names[0]))
    return [ColumnEvidence(one.block.names, _of(one), _of(_pooled(one))) for one in alone]


def _of(piece: Piece) -> float:
    """Ln p of the cells behind the statistics, in the units of the user's table."""
    if piece.altered:
        raise ParameterError("Shrinking or inflating covariances is no prior, so such a model has no evidence.")
    prior = piece.rule.prior_for_evidence(piece.family, piece.statistics)
    return float(prior.log_evidence(piece.statistics).sum() - piece.volume.total)


def _columns_of(piece: Piece) -> list[Piece]:
    if piece.block.together:
        return [piece]
    return [piece.take([j]) for j in range(len(piece.names))]


def _pooled(piece: Piece) -> Piece:
    """The rows of all classes in one component."""
    parts = (piece.statistics.only(np.array([k])) for k in range(len(piece.statistics.weight)))
    return replace(piece, statistics=reduce(add, parts))
