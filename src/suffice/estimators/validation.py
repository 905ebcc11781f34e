"""Validation that costs about one fit: leave-one-out and k-fold predictions from statistics, and how good they were.

In:  a model, fitted or not, a table and its classes.
Out: Validation: posteriors of every row by a model that has not seen it, and scores with standard errors.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone

from suffice.arrays import Array, Codes
from suffice.data.frames import columns_out
from suffice.data.labels import Classes
from suffice.data.table import Table, read_table
from suffice.decisions.loss import Loss
from suffice.decisions.posterior import posterior as posterior_of
from suffice.decisions.scores import Score, brier_scores, hits, log_losses, losses
from suffice.errors import HiddenLabelsError, ParameterError
from suffice.estimators.label_column import one_column
from suffice.model.collect import Labelled, labelled
from suffice.model.fit import fit
from suffice.model.validate import LeftOutRows, Rows, leave_folds_out
from suffice.model.validate import leave_one_out as each_left_out
from suffice.reporting.progress import progress


@dataclass(frozen=True, eq=False)
class Validation:
    """What models that have not seen a row say about it.

    `posterior` is (N, K) in the order of `classes`, with the rows of the table; `accuracy`, `log_loss`, `brier` and,
    where a loss was given, `mean_loss` are numbers with a standard error `se`; `table()` has them all.
    """

    posterior: Array  # (N, K)
    classes: Classes
    labels: Codes = field(repr=False)  # (N,) −1 for rows of weight 0
    weights: Array = field(repr=False)
    how: str
    loss: Loss | None = None
    library: Any = field(default=None, repr=False)

    @property
    def accuracy(self) -> Score:
        return self._mean(hits)

    @property
    def log_loss(self) -> Score:
        """Of −ln P(true class); infinite if a row's class was thought impossible: see `impossible`."""
        return self._mean(log_losses)

    @property
    def brier(self) -> Score:
        return self._mean(brier_scores)

    @property
    def mean_loss(self) -> Score:
        """What the actions of least risk cost on average, by the loss given, or by 0–1 loss."""
        costs = (self.loss or Loss.zero_one(list(self.classes))).on(self.classes)
        return self._mean(lambda posterior, labels: losses(posterior, labels, costs))

    @property
    def impossible(self) -> dict[Any, list[int]]:
        """Rows whose own class got posterior 0, by class: its last row, or a category it never showed elsewhere."""
        rows = np.flatnonzero(np.isinf(self._each(log_losses)) & (self.weights > 0))
        return {self.classes[k]: rows[self.labels[rows] == k].tolist() for k in np.unique(self.labels[rows])}

    def table(self) -> Any:
        """Measure, value and standard error, in the frame library of the table."""
        scores = self.scores()
        values, errors = np.array(list(scores.values()), dtype=float), np.array([score.se for score in scores.values()])
        return columns_out(self.library, {"measure": np.array(list(scores)), "value": values, "se": errors})

    @property
    def log_losses(self) -> Array:
        """−ln P(true class) of each row."""
        return self._each(log_losses)

    def scores(self) -> dict[str, Score]:
        scores = {"accuracy": self.accuracy, "log loss": self.log_loss, "Brier score": self.brier}
        return scores | ({"mean loss": self.mean_loss} if self.loss else {})

    def __repr__(self) -> str:
        rows = f"{self.how} of {int((self.weights > 0).sum())} rows, {len(self.classes)} classes"
        lines = [rows, *(f"{name:12}{score}" for name, score in self.scores().items())]
        lines += [
            f"log loss is infinite because of {len(rows)} rows of class {name!r}, the first is row {rows[0]}"
            for name, rows in self.impossible.items()
        ]
        return "\n".join(lines)

    def _each(self, measure: Callable[[Array, Codes], Array]) -> Array:
        return measure(self.posterior, self.labels)

    def _mean(self, measure: Callable[[Array, Codes], Array]) -> Score:
        return Score.mean(self._each(measure), self.weights)


def leave_one_out(model: Any, X: Any, y: Any, *, sample_weight: Any = None, loss: Any = None) -> Validation:
    """Every row predicted from all others, exactly, without refitting.

    Class priors, smoothing and weak priors follow from the rows that are left; classes, categories and kinds stay.

    >>> from suffice import NaiveBayes, example, leave_one_out
    >>> columns, ripe = example("watermelon")
    >>> leave_one_out(NaiveBayes(kinds={"编号": "ignore"}), columns, ripe)
    leave-one-out of 17 rows, 2 classes
    accuracy    0.6471 ± 0.12
    log loss    0.8936 ± 0.4
    Brier score 0.452 ± 0.16

    """
    return _validated(model, X, y, sample_weight, loss, "leave-one-out", lambda rows, _: each_left_out(rows))


def cross_validate(
    model: Any, X: Any, y: Any, *, folds: Any = 10, sample_weight: Any = None, loss: Any = None, random_state: Any = 0
) -> Validation:
    """Every row predicted from the folds that it is not in, exactly, from one pass over the rows.

    `folds` is their number (rows are dealt out at random, evenly over the classes), or the fold of each row.
    """
    title = f"{folds}-fold cross-validation" if isinstance(folds, int) else "cross-validation"

    def by_folds(rows: Rows, labels: Labelled) -> LeftOutRows:
        return leave_folds_out(rows, _dealt(folds, labels.said.certain, random_state, labels.rows))

    table = read_table(X)
    known = known_rows(model, table, y, sample_weight)
    if not model._said(known.said).hidden:
        return _validated(model, X, y, sample_weight, loss, title, by_folds)
    found = _refitted(model, known, _dealt(folds, known.said.certain, random_state, known.rows))
    labels = known.said.certain
    posterior, weights = posterior_of(found.log_joint, found.prevalence), np.where(labels < 0, 0.0, known.weights)
    posterior, labels, weights = (_laid(table.rows, (known.rows, part)) for part in (posterior, labels, weights))
    how = f"{title} (refitted)"
    return Validation(posterior, known.classes, labels, weights, how, _loss(loss), table.library)


def _refitted(model: Any, known: Labelled, folds: Codes) -> LeftOutRows:
    """Each row from a model that has learned anew, by EM, from the other folds."""
    log_joint = np.full((known.table.rows, len(known.classes)), -np.inf)
    shares = np.zeros_like(log_joint)
    for fold in progress(range(int(folds.max()) + 1), "fold", int(folds.max()) + 1):
        here = np.flatnonzero(folds == fold)
        fitted = clone(model)._settled()._learned(known.take(np.flatnonzero(folds != fold)), None)
        found = np.array([known.classes.index(name) for name in fitted.joint_.classes], dtype=np.intp)
        places = np.ix_(here, found)
        log_joint[places] = fitted.joint_.log_joint(known.table.take(here), fitted._as_fitted._unseen())
        shares[places] = fitted.priors_
    return LeftOutRows(log_joint, shares)


def _validated(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    loss: Any,
    how: str,
    left_out: Callable[[Rows, Labelled], LeftOutRows],
) -> Validation:
    table = read_table(X)
    known = known_rows(model, table, y, sample_weight)
    rows = rows_of(model, known)
    joint = fit(rows.summary, rows.design, rows.rules)  # what cannot be fitted at all is an error now
    found = left_out(rows, known)
    posterior = posterior_of(found.log_joint, found.prevalence)
    labels, weights = known.labels, known.weights
    if table.rows > known.table.rows:  # rows of weight 0 are predicted by the model of all others, which is the model
        absent = np.delete(np.arange(table.rows), known.rows)
        rest = joint.log_joint(table.take(absent), model._unseen())
        posterior = _laid(table.rows, (known.rows, posterior), (absent, posterior_of(rest, joint.prevalence)))
        labels, weights = _laid(table.rows, (known.rows, labels)), _laid(table.rows, (known.rows, weights))
    return Validation(posterior, known.classes, labels, weights, how, _loss(loss), table.library)


def _loss(given: Any) -> Loss | None:
    return None if given is None else Loss(given)


def known_rows(model: Any, table: Table, y: Any, sample_weight: Any) -> Labelled:
    """The rows that count, with their labels as this model reads them."""
    if not hasattr(model, "_said"):
        raise ParameterError(
            f"Exact validation takes out statistics, which only classifiers of suffice have; found "
            f"{type(model).__name__}. For others there is scikit-learn's cross_val_predict."
        )
    return labelled(table, one_column(y), sample_weight, unknown=model.unknown)


def rows_of(model: Any, known: Labelled) -> Rows:
    """The rows with what a model makes of them."""
    if model._said(known.said).hidden:
        raise HiddenLabelsError(
            "Labels or components are hidden, so a row cannot be taken out in closed form. Use "
            "cross_validate(model, X, y, folds=10), which learns anew for every fold."
        )
    summary = known.summary(model._plan(known.table))
    return Rows(known.table, known.labels, known.weights, summary, model._design(summary), model._rules())


def _laid(rows: int, *parts: tuple[Any, Any]) -> Any:
    """Parts of an array laid where they belong; 0 elsewhere."""
    first = parts[0][1]
    out = np.zeros((rows, *first.shape[1:]), first.dtype)
    for where, values in parts:
        out[where] = values
    return out


def _dealt(folds: Any, labels: Codes, random_state: Any, where: Codes) -> Codes:
    """The fold of each row that counts, 0, 1, …"""
    rows = len(labels)
    if isinstance(folds, Iterable):
        given = np.asarray(list(folds))
        if given.shape[0] < rows or given.ndim != 1:
            raise ParameterError(f"folds is a number, or the fold of each of {rows} rows; found shape {given.shape}.")
        return np.unique(given[where], return_inverse=True)[1].astype(np.intp)
    if not 2 <= folds <= rows:
        raise ParameterError(f"folds must be at least 2 and at most the {rows} rows there are; found {folds!r}.")
    shuffled = np.random.default_rng(random_state).permutation(rows)
    by_class = shuffled[np.argsort(labels[shuffled], kind="stable")]
    dealt = np.empty(rows, dtype=np.intp)
    dealt[by_class] = np.arange(rows) % folds
    return dealt
