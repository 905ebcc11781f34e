"""Validation in the time of a few fits: leave-one-out and k-fold predictions from statistics, and how good they were.

In:  a model, fitted or not, a table and its classes.
Out: Validation: posteriors of every row by a model that has not seen it, and scores with standard errors.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from suffice.arrays import Array, Codes
from suffice.data.batches import IntoRows
from suffice.data.frames import Library
from suffice.data.hints import tell
from suffice.data.labelled import Classes, Labelled
from suffice.data.labels import IntoLabels
from suffice.data.levels import Level, Levels
from suffice.data.source import Source
from suffice.data.table import IntoTable, Table
from suffice.data.weights import Weights
from suffice.decisions.loss import IntoLoss, Loss
from suffice.decisions.scores import Score, brier_scores, hits, log_losses, losses
from suffice.errors import ParameterError
from suffice.judge.folds import IntoFolds, read_folds
from suffice.judge.validation_in_batches import BatchedValidation, dealt_by, examined
from suffice.lazy import Known, lazy
from suffice.learn.face import HasRecipe, tell_estimate
from suffice.learn.recipe import Predictor, ToForetell
from suffice.model.evidence import Evidence
from suffice.model.folds import Plan
from suffice.options import Seed
from suffice.printing.description import Description, Text
from suffice.printing.language import word
from suffice.printing.printed import Printed
from suffice.reporting.scores import described

MOST_NOTES = 5  # of classes with rows thought impossible that are told one by one


@dataclass(frozen=True, eq=False, repr=False)
class Validation(Printed):
    """Predictions for each row by a model that has not seen it, and their scores.

    `posterior` is (N, K) in the order of `classes`, with one line for each row of the table, and `log_posterior` is
    its logarithm. `accuracy`, `log_loss`, `brier` and, if a loss was given, `mean_loss` are numbers with a standard
    error `se`; `table()` lists them all. If a splitter predicts rows never or several times, `rows` tells which row
    each prediction is for; a row predicted several times counts by its mean.
    """

    log_posterior: Array = field(repr=False)  # (N, K) one line for each prediction
    classes: Levels
    labels: Codes = field(repr=False)  # (N,) −1 for rows of weight 0, or whose class is not known
    weights: Array = field(repr=False)  # (N,)
    rows: Codes = field(repr=False)  # (N,) the place in the table of each predicted row
    how: str
    loss: Loss | None = None
    library: Library | None = field(default=None, repr=False)

    @lazy
    def posterior(self) -> Array:
        return np.asarray(np.exp(self.log_posterior))

    @property
    def accuracy(self) -> Score:
        return self._mean(hits(self.log_posterior, self.labels))

    @property
    def log_loss(self) -> Score:
        """The mean of −ln P(true class); infinite if the class of some row was thought impossible: see `impossible`."""
        return self._mean(self.log_losses)

    @property
    def surprise(self) -> tuple[float, float]:
        """The share of the rows whose class was thought impossible, and the mean log loss of all others: an order of
        log losses that also tells infinite ones apart.
        """
        never = np.isinf(self.log_losses)
        some = self._mean(np.where(never, 0.0, self.log_losses))
        share = float(self._mean(never.astype(float)))
        return share, float(some) / (1 - share) if share < 1 else 0.0

    @property
    def brier(self) -> Score:
        return self._mean(brier_scores(self.posterior, self.labels))

    @property
    def mean_loss(self) -> Score:
        """The average cost of the actions of least risk, under the loss given or under 0–1 loss."""
        costs = (self.loss or Loss.zero_one(list(self.classes))).on(self.classes)
        return self._mean(losses(self.posterior, self.labels, costs))

    @property
    def impossible(self) -> dict[Level, list[int]]:
        """Rows whose true class got posterior 0, by class: the last row of a class, or a category met nowhere else."""
        found = np.isinf(self.log_losses)
        labels, rows = self.labels[found], self.rows[found]
        return {self.classes[k]: np.unique(rows[labels == k]).tolist() for k in np.unique(labels)}

    @property
    def log_losses(self) -> Array:
        """−ln P(true class) for each row; NaN if the row does not count."""
        return np.where(self.labels < 0, np.nan, log_losses(self.log_posterior, self.labels))

    def scores(self) -> dict[str, Score]:
        scores = {"accuracy": self.accuracy, "log loss": self.log_loss, "Brier score": self.brier}
        return scores | ({"mean loss": self.mean_loss} if self.loss else {})

    @property
    def confusion(self) -> Array:
        """The weight of the rows by true class (down) and most probable class (across), (K, K)."""
        out, counted = np.zeros((len(self.classes),) * 2), self.labels >= 0
        mass = self.weights / np.bincount(self.rows)[self.rows]
        np.add.at(out, (self.labels[counted], self.log_posterior.argmax(axis=1)[counted]), mass[counted])
        return out

    def description(self) -> Description:
        """Scores with standard errors, the confusion table, and what was thought impossible."""
        counted = len(np.unique(self.rows[self.weights > 0]))
        notes = [_never(name, rows) for name, rows in self.impossible.items()]
        if len(notes) > MOST_NOTES:
            more = word("… and {n} more; {where} has them all", n=len(notes) - MOST_NOTES, where="impossible")
            notes = [*notes[:MOST_NOTES], more]
        return described(self.how, counted, self.classes, self.scores(), self.confusion, notes)

    def _frames(self) -> Library | None:
        return self.library

    def difference(self, other: "Validation | BatchedValidation") -> Score:
        """The difference of the log losses of two models on the same rows: below 0 it speaks for this one."""
        if not isinstance(other, Validation):
            return other.difference(self)  # which has not kept its rows, and says so
        with np.errstate(invalid="ignore"):  # rows that both think impossible do not tell them apart
            apart = self.log_losses - other.log_losses
        return self._mean(np.where(np.isinf(self.log_losses) & np.isinf(other.log_losses), 0.0, apart))

    def _mean(self, values: Array) -> Score:
        """Average over the rows; a row that was predicted several times counts once, by its mean."""
        times = np.bincount(self.rows)
        if len(times) == len(self.rows) and times.all():
            return Score.mean(values, self.weights)
        sums = (np.bincount(self.rows, part) for part in (values, self.weights))
        return Score.mean(*(part[times > 0] / times[times > 0] for part in sums))


def _never(name: Level, rows: Sequence[int]) -> Text:
    return word(
        "log loss is infinite because of {n} row of class {name}, row {row}|"
        "log loss is infinite because of {n} rows of class {name}, the first is row {row}",
        n=len(rows),
        name=repr(name),
        row=str(rows[0]),
    )


def leave_one_out(
    model: HasRecipe,
    X: IntoTable,
    y: IntoLabels,
    *,
    sample_weight: Weights = None,
    loss: IntoLoss = None,
    classes: Classes = None,
) -> Validation:
    """Predict every row from all others, exactly, without refitting.

    Class priors, smoothing and weak priors are worked out from the remaining rows; classes, categories and kinds stay
    as they are. X, y, sample_weight and classes are as for `fit`.

    Raises
    ------
    TableError
        If the rows cannot be read as a table.
    HiddenLabelsError
        If labels or components are hidden; `cross_validate` can do it.
    HiddenCellsError
        If cells are missing among columns modelled together; `cross_validate` can do it.
    ParameterError
        If a weight is below 0, or the model has no probabilities.

    >>> from suffice import NaiveBayes, example, leave_one_out
    >>> columns, ripe = example("watermelon")
    >>> leave_one_out(NaiveBayes(kinds={"编号": "ignore"}), columns, ripe)
    leave-one-out · 17 rows · 2 classes
    <BLANKLINE>
    measure                value
    accuracy     0.5882 ± 0.1230
    log loss     0.8115 ± 0.3104
    Brier score  0.4701 ± 0.1546
    <BLANKLINE>
    true class, by prediction  否  是
    否                          4   5
    是                          2   6

    """
    return Examination(Source.of(X, y, sample_weight, classes), read_loss(loss)).validation(model)


def cross_validate(
    model: HasRecipe,
    X: IntoRows,
    y: IntoLabels,
    *,
    folds: IntoFolds = 10,
    groups: ArrayLike | str | None = None,
    sample_weight: Weights = None,
    loss: IntoLoss = None,
    random_state: Seed = 0,
    classes: Classes = None,
) -> Validation | BatchedValidation:
    """Predict every row from the folds that it is not in, exactly, with a single pass over the rows.

    `folds` is the number of folds (rows are dealt out at random, evenly over the classes), the fold of each row, or a
    splitter of scikit-learn such as KFold(5), with the group of each row in `groups` if the splitter needs it.

    Rows of files and streams are dealt out by the hash of their number, or of a column that `groups` names; with
    folds="file" each file is a fold. Such rows are read twice and not kept, so that there are scores but no posteriors
    of single rows.

    Raises
    ------
    TableError
        If the rows cannot be read as a table.
    ParameterError
        If `folds` do not fit the rows, or the model has no probabilities.
    SingularError
        If the rows outside of a fold do not determine a variance.

    >>> from sklearn.datasets import load_iris
    >>> from suffice import LinearDiscriminant, cross_validate
    >>> cross_validate(LinearDiscriminant(), *load_iris(return_X_y=True), folds=5).accuracy
    0.98 ± 0.011

    """
    if folds is None:
        raise ParameterError("folds=None leaves nothing out: give the number of folds, or use leave_one_out.")
    source = Source.of(X, y, sample_weight, classes)
    if source.streams and dealt_by(folds):
        refuse_others(model)
        [found] = examined({"": model}, source, folds, groups, read_loss(loss)).values()
        if found.validation is None:
            raise found.error or ParameterError("It cannot be validated.")
        return found.validation
    return Examination(source, read_loss(loss), folds, groups, random_state).validation(model)


@dataclass(frozen=True, eq=False)
class Examination:
    """The question that models are asked: rows of a source, left out one at a time or by folds, and a loss."""

    source: Source
    loss: Loss | None = None
    folds: IntoFolds = None  # None leaves out one row at a time
    groups: ArrayLike | str | None = None
    random_state: Seed = 0
    aloud: bool = True  # whether to tell which estimate was used in the place of another
    plans: Known[Labelled, Plan] = field(default_factory=Known, repr=False)
    tables: Known[Labelled, Table] = field(default_factory=Known, repr=False)

    def validation(self, model: HasRecipe) -> Validation:
        known, plan = self.read(model)
        found = model.settled().without(ToForetell(known, plan, self._asked(known)))
        tell(found.hints, model.told)
        if self.aloud and found.joint is not None:
            tell_estimate(found.joint, model.told)
        where = self._places(known)[found.rows]
        return self.laid(known, found.log_posterior, where, known.labels.certain, found.how, found.whole)

    def evidence(self, model: HasRecipe) -> Evidence:
        return model.settled().evidence(self.read(model)[0])

    def read(self, model: HasRecipe) -> tuple[Labelled, Plan | None]:
        """The rows, and who is predicted from whom; whatever is wrong with them, or the loss, is so for every model."""
        refuse_others(model)
        known = self.source.known(model.recipe().unknown)
        if self.loss is not None:
            self.loss.on(known.classes)
        if self.folds is None and self.groups is not None:
            raise ParameterError("groups is for splitters such as folds=GroupKFold(5); found groups without folds.")
        return known, None if self.folds is None else self.plans.get(known, lambda: self._plan(known))

    def _places(self, known: Labelled) -> Codes:
        """The places in the table of rows that count, and behind them of rows of weight 0."""
        return np.concatenate([known.rows, known.aside(self.source.table.rows)])

    def _asked(self, known: Labelled) -> Table:
        """All rows in that order."""
        if known.kept is None:
            return known.table
        return self.tables.get(known, lambda: self.source.table.take(self._places(known)))

    def _plan(self, known: Labelled) -> Plan:
        source = self.source
        return read_folds(self.folds, self.groups, self.random_state, known, source.table.rows, source.X, source.y)

    def laid(
        self,
        known: Labelled,
        logs: Array,
        where: Codes,
        labels: Codes,
        how: str,
        whole: Predictor | None = None,
    ) -> Validation:
        """Predictions in the order of the table; rows whose class is not known do not count.

        Where one row at a time is left out, those of weight 0 are predicted by the model of all others, which is the
        model of the `whole` table.
        """
        rows = self.source.table.rows
        if whole is not None and known.kept is not None:
            absent = known.aside(rows)
            logs = np.concatenate([logs, whole(self.source.table.take(absent))])
            where = np.concatenate([where, absent])
        if not (where[:-1] <= where[1:]).all():
            order = np.argsort(where, kind="stable")
            logs, where = logs[order], where[order]
        codes, weights = np.full(rows, -1, dtype=np.intp), np.zeros(rows)
        codes[known.rows], weights[known.rows] = labels, np.where(labels < 0, 0.0, known.weights)
        return Validation(
            logs, known.classes, codes[where], weights[where], where, how, self.loss, self.source.table.library
        )


def read_loss(given: IntoLoss) -> Loss | None:
    return None if given is None else Loss(given)


def refuse_others(model: Any) -> None:
    """Refuse classes in the place of models, classifiers that are not ours, and parameters that were given."""
    if isinstance(model, type):
        raise ParameterError(f"Expected a model, found the class {model.__name__}. Give {model.__name__}().")
    if not isinstance(model, HasRecipe) or not model.recipe().POSTERIORS:
        raise ParameterError(
            f"Validation takes classifiers of suffice that have predict_proba; found {type(model).__name__}. For "
            "others there is scikit-learn's cross_val_predict."
        )
    if model.fitted is not None:
        model.fitted.refuse_given()
