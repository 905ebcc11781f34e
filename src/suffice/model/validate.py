"""Stage 3, exact validation: every row predicted by the model that the other rows give, from statistics alone.

In:  rows with their classes and weights, the Schema, the Design and the Rules of a model.
Out: LeftOutRows: ln p(row, class) under the model without the row, or without its fold.

Leaving one out subtracts a row's statistics; a fold is left out by adding up the others. Classes, categories and kinds
stay as they are, the whole weighted row leaves, and prevalence, smoothing and weak priors follow from what is left. A
class that nothing is left of has no share where shares follow from the rows; where they do not, it is as its prior has
it, if that is proper.
"""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from suffice.arrays import Array, Codes, log
from suffice.data.blocks import Blocks, cut
from suffice.data.labelled import Labelled
from suffice.data.levels import Levels
from suffice.data.schema import Schema
from suffice.data.table import Table
from suffice.errors import ConstantColumnWarning, NotInSummaryError, SingularError
from suffice.kernels.left_out import LEAST_KEPT
from suffice.lazy import lazy
from suffice.model.collect import summary_of, summary_of_some
from suffice.model.dependence import Dependence
from suffice.model.design import Design
from suffice.model.fit import fit, pieces_of
from suffice.model.folds import Plan
from suffice.model.joint import Joint
from suffice.model.left_out import SMALLER, Answers, LeftOutRows, refuse_hidden
from suffice.model.piece import Piece
from suffice.model.rules import ESTIMATES, Rules, prevalence
from suffice.model.summary import Summary
from suffice.threads import over_rows


@dataclass(frozen=True, eq=False)
class Others:
    """Models that some of the rows give, where classes, design and rules are those of all."""

    classes: Levels
    design: Design
    rules: Rules
    unseen: str = "error"  # what becomes of levels that no row that counts has

    def model(self, learned: Summary) -> Answers:
        depends = self.design.dependence
        return self.without_dependence(learned) if depends is None else depends.anew(self, learned)

    def joint(self, learned: Summary) -> Joint:
        """The model that these rows give."""
        return fit(learned, self.design, self.rules)

    def without_dependence(self, learned: Summary) -> Answers:
        density, shares = self.density(learned), self.prevalence(learned.statistics.weight)

        def answers(table: Table) -> tuple[Array, Array]:
            return density(table) + log(shares), np.broadcast_to(shares, (table.rows, len(shares)))

        return answers

    def density(self, learned: Summary) -> Callable[[Table], Array]:
        """Ln p(row | class) of any rows.

        A class of which nothing is left is as the prior has it, or impossible where that does not determine it.
        """
        present = np.flatnonzero(learned.statistics.weight)
        classes, statistics = tuple(learned.classes[k] for k in present), learned.statistics.only(present)
        left = replace(learned, classes=classes, statistics=statistics)
        rules = self._decided(left)
        try:
            return self._log_density(learned, rules)
        except SingularError:
            if len(present) == len(learned.classes):
                raise
        some = self._log_density(left, rules)

        def density(table: Table) -> Array:
            out = np.full((table.rows, len(learned.classes)), -np.inf)
            out[:, present] = some(table)
            return out

        return density

    def _decided(self, left: Summary) -> Rules:
        """The estimate that rows of classes still there determine, where it is theirs to decide."""
        if len(self.rules.candidates(hidden=False)) == 1:
            return self.rules
        return replace(self.rules, auto=(pieces_of(left, self.design, self.rules)[1].estimate,))

    def _log_density(self, learned: Summary, rules: Rules) -> Callable[[Table], Array]:
        joint = fit(learned, self.design, replace(rules, priors="uniform"))
        return lambda table: joint.log_joint(table, self.unseen) - log(joint.prevalence)

    def prevalence(self, weight: Array) -> Array:
        """Of the classes, from the mass that is left of them."""
        return prevalence(weight, self.classes, self.rules.priors, self.rules.smoothing)


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows whose classes are known, and the model to be validated on them."""

    known: Labelled
    schema: Schema
    design: Design
    rules: Rules
    asked: Table | None = None  # those rows, and behind them rows of weight 0, which folds predict too
    unseen: str = "error"

    @lazy
    def summary(self) -> Summary:
        return summary_of(self.known, self.schema)

    def joint(self) -> Joint:
        """The model of all rows."""
        return fit(self.summary, self.design, self.rules)

    def pieces(self) -> list[Piece]:
        """The pieces of the model of all rows, no cell of which may be hidden."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConstantColumnWarning)  # said when the model was fitted
            found, _ = pieces_of(self.summary, self.design, self.rules)
        refuse_hidden(found)
        return found

    def depending(self, dependence: Dependence | None) -> "Rows":
        """The same rows, for a model whose columns depend on each other in another way, or not at all."""
        return replace(self, design=replace(self.design, dependence=dependence))

    @lazy
    def left(self) -> Array:
        """What is left of each row's class without it."""  # (N,)
        labels = self.known.codes
        weights, whole = self.known.weights, self.summary.statistics.weight[labels]
        rest = whole - weights
        for row in np.flatnonzero(rest < LEAST_KEPT * whole):  # no more than one of a class weighs so much
            others = weights[labels == labels[row]]
            rest[row] = np.delete(others, others.argmax()).sum()
        return rest

    @lazy
    def heavy(self) -> NDArray[np.bool_]:
        """Rows beside which all others of their class are as good as rounding."""  # (N,)
        return self.left < LEAST_KEPT * self.summary.statistics.weight[self.known.codes]

    def summary_without(self, row: int) -> Summary:
        """Of all rows but one; what outweighs the others has left no digit of them in the sums."""
        if not self.heavy[row]:
            one = summary_of_some(self.known, np.array([row]), self.schema)
            return replace(self.summary, statistics=self.summary.statistics - one.statistics)
        return summary_of_some(self.known, np.delete(np.arange(self.known.table.rows), row), self.schema)

    def shares_without(self) -> tuple[Array, Codes]:
        """The prevalence without a row, for each that differs, and which of them is that of each row."""
        labels, weights = self.known.codes, self.known.weights
        each = which = np.arange(len(labels))
        if weights.min() == weights.max():  # then rows of a class leave the same behind
            each, which = np.zeros(len(self.summary.classes), dtype=np.intp), labels
            each[labels] = np.arange(len(labels))
        return self.prevalence(self.weight_without[each]), which

    def log_density_without(self) -> Array:
        """The log density of each row, learned without it, columns independent given the class."""  # (N, K)
        return log_density_without(self)

    def log_density_anew(self, learned: Summary, rows: Codes) -> Array:
        """Of some rows, from a model learned of others."""
        return self.others.density(learned)(self.known.table.take(rows))

    @lazy
    def others(self) -> "Others":
        return Others(self.summary.classes, self.design, self.rules, self.unseen)

    @lazy
    def weight_without(self) -> Array:
        """The mass that each row leaves behind."""  # (N, K)
        labels = self.known.codes
        weight = np.repeat(self.summary.statistics.weight[None, :], len(labels), axis=0)
        weight[np.arange(len(labels)), labels] = self.left
        return weight

    def prevalence(self, weight: Array) -> Array:
        """Of the classes, from the mass that is left of them."""
        return self.others.prevalence(weight)


def leave_one_out(rows: Rows) -> LeftOutRows:
    if rows.design.dependence is not None:
        return rows.design.dependence.leave_one_out(rows)
    shares, which = rows.shares_without()
    log_joint = log_density_without(rows) + log(shares)[which]
    return LeftOutRows(log_joint, shares[which], np.arange(len(log_joint)))


def log_density_without(rows: Rows) -> Array:
    """The log density of each row, learned without it, columns independent given the class."""  # (N, K)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConstantColumnWarning)  # said when the model was fitted
        pieces, rules = pieces_of(rows.summary, rows.design, rows.rules)
        refuse_hidden(pieces)
        log_density = _left_out(rows, pieces)
        poor = _poor_without(rows, pieces, rules)
        if poor.any():  # these by the estimate that comes next
            pieces, _ = pieces_of(rows.summary, rows.design, replace(rows.rules, auto=rules.auto[1:]))
            log_density[poor] = _left_out(rows, pieces)[poor]
    return log_density


def _poor_without(rows: Rows, pieces: list[Piece], rules: Rules) -> NDArray[np.bool_]:
    """Rows without which too few are left for the estimate that "auto" is with them."""
    if rows.rules.estimate != "auto" or ESTIMATES[rules.estimate].prior is None:
        return np.zeros(len(rows.known.codes), dtype=bool)
    enough = (piece.family.enough(rows.weight_without) for piece in pieces)
    return ~reduce(np.logical_and, enough, np.ones(len(rows.known.codes), dtype=bool))


def _left_out(rows: Rows, pieces: list[Piece]) -> Array:
    """Log densities of each row under the model without it, learned by the rules of the pieces."""  # (N, K)
    schema = replace(rows.summary.schema, blocks=tuple(piece.block for piece in pieces))
    cells, out = cut(rows.known.table, schema), np.zeros((len(rows.known.codes), len(rows.summary.classes)))

    def fill(slices: Sequence[slice]) -> None:
        for some in slices:
            out[some] = _without_each(rows, pieces, cells, some)

    over_rows(fill, len(out), SMALLER * cells.width)
    return out


def _without_each(rows: Rows, pieces: list[Piece], cells: Blocks, some: slice) -> Array:
    """Log densities of a slice of rows, each under the model without it."""
    labels, weights, blocks = rows.known.codes[some], rows.known.weights[some], cells[some]
    try:
        found = [
            piece.family.leave_one_out(block, labels, weights, piece.statistics, piece.rule)
            for piece, block in zip(pieces, blocks, strict=True)
        ]
    except (SingularError, NotInSummaryError):  # somewhere among them, as a row beside which all others are rounding
        if some.stop - some.start == 1:
            return _anew(rows, some.start)
        middle = (some.start + some.stop) // 2
        halves = (slice(some.start, middle), slice(middle, some.stop))
        return np.concatenate([_without_each(rows, pieces, cells, half) for half in halves])
    out = np.zeros((len(labels), len(rows.summary.classes))) + sum(part.log_density for part in found)
    out -= np.atleast_2d(cells.volume(blocks)).T
    lost: NDArray[np.bool_] = reduce(np.logical_or, (part.lost for part in found), rows.heavy[some])
    for row in np.flatnonzero(lost):
        out[row] = _anew(rows, some.start + int(row))
    return np.asarray(out)


def _anew(rows: Rows, row: int) -> Array:
    """One row from a model that has read all the others."""
    others = np.delete(np.arange(rows.known.table.rows), row)
    return rows.log_density_anew(summary_of_some(rows.known, others, rows.schema), np.array([row]))


def leave_folds_out(rows: Rows, plan: Plan) -> LeftOutRows:
    """Each row from the model of the rows that the plan has it predicted from."""
    summaries = zip(plan.pairs(), plan.summaries(rows.known, rows.schema), strict=True)
    table = rows.known.table if rows.asked is None else rows.asked
    parts = [(*rows.others.model(learned)(table.take(some)), some) for (_, some), learned in summaries]
    return LeftOutRows(*(np.concatenate(part) for part in zip(*parts, strict=True)))
