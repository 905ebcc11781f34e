"""Stage 3, exact validation: every row predicted by the model that the other rows give, from statistics alone.

In:  a table with its classes and weights, their Summary, the Design and the Rules of a model.
Out: LeftOutRows: ln p(row, class) under the model without the row, or without its fold.

Leaving one out subtracts a row's statistics; a fold is left out by adding up the others. Classes, categories and kinds
stay as they are, the whole weighted row leaves, and prevalence, smoothing and weak priors follow from what is left.
"""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import accumulate
from operator import add

import numpy as np
from numpy.typing import NDArray

from suffice.arrays import Array, Codes, log
from suffice.data.blocks import Blocks, cut
from suffice.data.table import Table
from suffice.errors import ConstantColumnWarning, HiddenCellsError, SingularError
from suffice.lazy import lazy
from suffice.model.design import Design
from suffice.model.fit import fit
from suffice.model.pieces import Piece, cut_up
from suffice.model.prevalence import prevalence
from suffice.model.rules import Rules
from suffice.model.summary import Summary, summarise
from suffice.threads import over_rows

SMALLER = 4  # than other blocks, since a row left out is looked at many times


@dataclass(frozen=True, eq=False)
class LeftOutRows:
    log_joint: Array  # (N, K)
    prevalence: Array  # (N, K) of the classes among the other rows


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows behind a summary, and the model to be validated on them."""

    table: Table
    labels: Codes  # (N,)
    weights: Array  # (N,) all above 0
    summary: Summary
    design: Design
    rules: Rules

    @lazy
    def left(self) -> Array:
        """What is left of each row's class without it."""  # (N,)
        rest = self.summary.statistics.weight[self.labels] - self.weights
        alone = np.bincount(self.labels, minlength=len(self.summary.classes))[self.labels] == 1
        return np.where(alone, 0.0, rest)

    def log_density_anew(self, learned: Summary, rows: Codes) -> Array:
        """Of some rows, from a model learned of others; a class of which nothing is left is impossible."""
        present = np.flatnonzero(learned.statistics.weight)
        out = np.full((len(rows), len(learned.classes)), -np.inf)
        some = self.table.take(rows)
        try:
            out[:, present] = self._log_density(learned, some)[:, present]
        except SingularError:
            if len(present) == len(learned.classes):
                raise
            left = replace(
                learned,
                classes=tuple(learned.classes[k] for k in present),
                statistics=learned.statistics.only(present),
            )
            out[:, present] = self._log_density(left, some)
        return out

    def _log_density(self, learned: Summary, some: Table) -> Array:
        joint = fit(learned, self.design, replace(self.rules, priors="uniform"))
        return joint.log_joint(some, "error") - log(joint.prevalence)

    def prevalence(self, weight: Array) -> Array:
        """Of the classes, from the mass that is left of them; one of which nothing is left has none."""
        shares = prevalence(weight, self.summary.classes, self.rules.priors, self.rules.smoothing)
        shares = np.where(weight > 0, shares, 0.0)
        return np.asarray(shares / shares.sum(axis=-1, keepdims=True))


def leave_one_out(rows: Rows) -> LeftOutRows:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConstantColumnWarning)  # said when the model was fitted
        pieces, _ = cut_up(rows.summary, rows.design, rows.rules)
        _refuse_hidden(pieces)
        schema = replace(rows.summary.schema, blocks=tuple(piece.block for piece in pieces))
        blocks = cut(rows.table, schema)
        log_density = np.zeros((rows.table.rows, len(rows.summary.classes)))

        def fill(slices: Sequence[slice]) -> None:
            for some in slices:
                log_density[some] = _without_each(rows, pieces, blocks, some)

        over_rows(fill, rows.table.rows, SMALLER * blocks.width)
    weight = np.repeat(rows.summary.statistics.weight[None, :], len(rows.labels), axis=0)
    weight[np.arange(len(rows.labels)), rows.labels] = rows.left
    shares = rows.prevalence(weight)
    return LeftOutRows(log_density + log(shares), shares)


def _without_each(rows: Rows, pieces: list[Piece], blocks: Blocks, some: slice) -> Array:
    """Log densities of a slice of rows, each under the model without it."""
    labels, weights = rows.labels[some], rows.weights[some]
    try:
        found = [
            piece.family.left_out(block, labels, weights, piece.statistics, piece.rule)
            for piece, block in zip(pieces, blocks[some], strict=True)
        ]
    except SingularError:  # somewhere among them: look for it
        if some.stop - some.start == 1:
            return _anew(rows, some.start)
        middle = (some.start + some.stop) // 2
        halves = (slice(some.start, middle), slice(middle, some.stop))
        return np.concatenate([_without_each(rows, pieces, blocks, half) for half in halves])
    out = np.zeros((len(labels), len(rows.summary.classes))) + sum(part.log_density for part in found)
    lost: NDArray[np.bool_] = reduce(np.logical_or, (part.lost for part in found), rows.left[some] == 0)
    for row in np.flatnonzero(lost):
        out[row] = _anew(rows, some.start + int(row))
    return np.asarray(out)


def _anew(rows: Rows, row: int) -> Array:
    """One row from a model that has read all the others."""
    others = np.delete(np.arange(rows.table.rows), row)
    labels, weights = rows.labels[others], rows.weights[others]
    learned = summarise(rows.table.take(others), rows.summary.schema, rows.summary.classes, labels, weights)
    return rows.log_density_anew(learned, np.array([row]))


def _refuse_hidden(pieces: list[Piece]) -> None:
    if any(piece.statistics.hidden for piece in pieces):
        raise HiddenCellsError(
            "Cells are missing among columns modelled together, so a row cannot be taken out in closed form. Use "
            "cross_validate(model, X, y, folds=10), which learns anew for every fold, or model the columns each by "
            "itself (shape='diagonal', or no joint)."
        )


def leave_folds_out(rows: Rows, folds: Codes) -> LeftOutRows:
    """Each row from the model of all folds but its own."""
    log_joint, shares = np.empty((2, rows.table.rows, len(rows.summary.classes)))
    for fold, learned in enumerate(_others(rows, folds)):
        some = np.flatnonzero(folds == fold)
        shares[some] = rows.prevalence(learned.statistics.weight)
        log_joint[some] = rows.log_density_anew(learned, some) + log(shares[some])
    return LeftOutRows(log_joint, shares)


def _others(rows: Rows, folds: Codes) -> Iterator[Summary]:
    """For each fold the summary of all others: one pass over the rows, then sums from either end."""
    classes, number = rows.summary.classes, int(folds.max()) + 1
    places = folds * len(classes) + rows.labels
    apart = summarise(rows.table, rows.summary.schema, tuple(range(number * len(classes))), places, rows.weights)
    of_folds = [
        apart.statistics.only(np.arange(fold * len(classes), (fold + 1) * len(classes))) for fold in range(number)
    ]
    before = [None, *accumulate(of_folds[:-1], add)]
    after = [None, *accumulate(of_folds[:0:-1], add)][::-1]
    for first, second in zip(before, after, strict=True):
        there = [part for part in (first, second) if part is not None]
        yield replace(rows.summary, statistics=reduce(add, there))
