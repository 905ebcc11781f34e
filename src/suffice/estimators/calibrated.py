"""Posteriors that rows left out bear out: any classifier of ours, with a temperature learned by exact leave-one-out.

In:  a classifier, rows and their classes.
Out: Calibrated, the same classifier with posteriors made warmer or colder. Naive Bayes counts what columns have in
     common several times over, and is too sure of itself where they depend on each other; this puts that right.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_is_fitted

from suffice.arrays import Array, Values
from suffice.data.batches import IntoRows
from suffice.data.labelled import Classes, Labelled
from suffice.data.labels import IntoLabels
from suffice.data.levels import plain
from suffice.data.schema import Schema
from suffice.data.source import Source
from suffice.data.table import IntoTable, Table
from suffice.data.weights import Weights
from suffice.decisions.posterior import against_first, log_posterior
from suffice.discriminative.temperature import Temperature, learned
from suffice.engines.scoring.answers import LOG_JOINT, PROBA, Scoring
from suffice.errors import FileError, HiddenCellsError, NoDensityError, ParameterError
from suffice.estimators.accuracy import Scored
from suffice.estimators.batchwise import AnswersRows, by_name
from suffice.estimators.classifier import Classifier, LearnsAnew
from suffice.estimators.files import Packed, packed_around, restored
from suffice.estimators.folds import FOLDS, evenly
from suffice.estimators.in_sql import InSql
from suffice.estimators.parameters import Named
from suffice.estimators.validation import Validation, left_out, rows_of
from suffice.families.counts import checked
from suffice.families.product import Cells
from suffice.formulas import Formula
from suffice.model.fit import fit
from suffice.model.folds import Folds
from suffice.model.validate import LeftOutRows, Rows
from suffice.options import one_of
from suffice.printing.description import Description, Series, Sheet
from suffice.printing.language import word
from suffice.printing.numbers import signed
from suffice.store import Header, write

METHODS = ("temperature", "platt")


@dataclass(eq=False, repr=False)
class Calibrated(AnswersRows, Scored, LearnsAnew, InSql, Named):
    """A suffice classifier with its posteriors recalibrated by rows left out.

    Parameters
    ----------
    estimator : a classifier of suffice, or LogisticClassifier
        Rows are left out one at a time, exactly; or in ten folds, if cells are missing in columns modelled together.
    method : "temperature" or "platt"
        A single number that ln P(class | row) is multiplied by; or that and a level added for each class.

    After fitting: `estimator_`, `slope_` (below 1 if the model was too sure of itself), `level_`, and `priors_`, the
    class priors that are in its posteriors: those of the classifier, or where it has none, or levels have put them
    right, the shares of the classes in the rows.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from suffice import Calibrated, NaiveBayes, compare
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> found = compare([NaiveBayes(), Calibrated(NaiveBayes())], X, y, folds=5)
    >>> [round(float(trial.validation.log_loss), 3) for trial in found.trials]
    [0.66, 0.15]

    """

    estimator: Any = None
    method: str = "temperature"
    estimator_: Classifier | LearnsAnew = field(init=False)
    priors_: Array | None = field(init=False)  # None in a file that was saved without
    _temperature: Temperature = field(init=False)
    _method: str = field(init=False)  # that it was learned by

    def fit(self, X: IntoRows, y: IntoLabels, sample_weight: Weights = None, classes: Classes = None) -> Self:
        """Fit the classifier, and learn its temperature from rows left out one at a time.

        Raises
        ------
        TableError
            If the rows cannot be read as a table, or there is not one label for each.
        ParameterError
            If the method is not known, or the estimator is not a classifier of suffice.

        """
        self._check()
        source = Source.of(X, y, sample_weight, classes)
        source.known(self.unknown).refuse_hidden()
        self.estimator_ = clone(self.estimator).fit(source.X, source.y, source.sample_weight, classes)
        return self._learn(source.known(self.unknown))

    def _check(self) -> None:
        if not isinstance(self.estimator, Classifier | LearnsAnew):
            raise ParameterError(
                "Calibrated takes a classifier of suffice, as in Calibrated(NaiveBayes()); found "
                f"{self.estimator!r}. For others there is scikit-learn's CalibratedClassifierCV."
            )
        one_of(self.method, "method", METHODS)

    def _learn(self, known: Labelled) -> Self:
        logs, platt = _left_out(self.estimator_, known), self.method == "platt"
        mass = np.bincount(known.codes, known.weights, len(known.classes))
        shares = None if not platt and isinstance(self.estimator_, Classifier) else mass / mass.sum()
        return self._know(self.estimator_, learned(logs, known.codes, known.weights, platt), shares)

    def _know(self, estimator: Classifier | LearnsAnew, temperature: Temperature, shares: Array | None) -> Self:
        """With the shares of the classes in the rows, where those are what posteriors go by."""
        self.estimator_, self._temperature, self._method = estimator, temperature, self.method
        self.classes_ = estimator.classes_
        told = shares is None and self.method == METHODS[0] and isinstance(estimator, Classifier)
        self.priors_ = estimator.priors_ if told else shares
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
            if name in vars(self.estimator_):
                setattr(self, name, getattr(self.estimator_, name))
        return self

    @property
    def slope_(self) -> float:
        """The number that ln P(class | row) is multiplied by."""
        check_is_fitted(self)
        return self._temperature.slope

    @property
    def level_(self) -> Array:
        """The number added to ln P of each class, (K,), 0 on average."""
        check_is_fitted(self)
        return self._temperature.level

    def predict_log_proba(self, X: IntoTable) -> Array:
        """Ln P(class | row) as (N, K), in the order of classes_."""
        check_is_fitted(self)
        return self._temperature.log_shares(self.estimator_.predict_log_proba(X))

    def predict_proba(self, X: IntoTable) -> Array:
        """P(class | row) as (N, K), in the order of classes_.

        Raises
        ------
        TableError
            If the rows cannot be read, or lack a column of the model.
        NotFittedError
            If the model has not been fitted.

        """
        return np.asarray(np.exp(self.predict_log_proba(X)))

    def decision_function(self, X: IntoTable) -> Array:
        """For two classes ln P(second | row) − ln P(first | row), (N,); for more ln P(class | row), (N, K)."""
        return against_first(self.predict_log_proba(X))

    def predict(self, X: IntoTable) -> Values:
        """The most probable class of each row; ties go to the class that comes first in classes_."""
        best = np.argmax(self.predict_log_proba(X), axis=1)
        return np.asarray(self.classes_[best])

    def _columns_read(self) -> Schema:
        check_is_fitted(self)
        found: Schema = self.estimator_._columns_read()
        return found

    def _row_answers(self, X: IntoTable, proba: bool) -> dict[str, Values]:
        return {"class": self.predict(X)} | (by_name(self.classes_, self.predict_proba(X)) if proba else {})

    def _anew(self, known: Labelled) -> Self:
        self._check()
        known.refuse_hidden()
        copy = type(self)(self.estimator, self.method)
        settled = self.estimator._settled() if isinstance(self.estimator, Classifier) else self.estimator
        copy.estimator_ = settled._anew(known)
        return copy._learn(known)

    def _log_posterior(self, table: Table) -> Array:
        inner = self.estimator_
        logs = inner._log_posterior(table) if isinstance(inner, LearnsAnew) else _posterior(inner, table)
        return self._temperature.log_shares(logs)

    def _scoring(self, output: str) -> Scoring:
        check_is_fitted(self)
        if output == LOG_JOINT:
            raise NoDensityError("Calibrated posteriors do not come from a density: use output='proba' or 'class'.")
        inner: Scoring = self.estimator_._scoring(PROBA)

        def formula(cells: Cells) -> Formula:
            found = inner.formula(cells)
            return replace(found, own=tuple(self._temperature.formula(found.own, inner.instead)))

        return replace(inner, formula=formula)

    def description(self) -> Description:
        """What the classifier has learned, and how its posteriors are changed."""
        inner, level = self.estimator_.description(), Series(word("added"), self.level_, signed, name="level")
        names = [plain(name) for name in self.classes_]
        levels = [Sheet(word("class"), names, [level])] if self.level_.any() else []
        slope = word("ln P(class | row) times {value}", value=f"{self.slope_:.4g}")
        return Description((type(self).__name__, slope, *inner.title), [*levels, *inner.parts], inner.behind)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file that `suffice.load` reads back bit for bit."""
        write(path, *self._packed())

    def _packed(self) -> Packed:
        check_is_fitted(self)
        found = {"slope": np.array([self.slope_]), "level": self.level_}
        found |= {} if self.priors_ is None else {"priors": self.priors_}
        return packed_around(type(self).__name__, {"method": self._method}, self.estimator_._packed(), found)

    @classmethod
    def restored(cls, header: Header, arrays: Mapping[str, Array], inner: Classifier | LearnsAnew) -> Self:
        """The model that was saved."""
        parameters = {key: restored(value) for key, value in header["model"]["parameters"].items()}
        model = cls(type(inner)(**inner.get_params(deep=False)), **parameters)
        model._check()
        size = len(inner.classes_)
        wanted: dict[str, tuple[int, ...]] = {"slope": (1,), "level": (size,)}
        found = checked(arrays, wanted | ({"priors": (size,)} if "priors" in arrays else {}))
        moved = model.method == "temperature" and found["level"].any()
        if moved or not all(np.isfinite(array).all() for array in found.values()):
            raise FileError("The file holds an impossible temperature, or levels of classes that cannot be.")
        shares = found.get("priors")
        if shares is not None and not ((shares >= 0).all() and np.isclose(shares.sum(), 1.0, rtol=0, atol=1e-8)):
            raise FileError("The class priors in the file are no probabilities that sum to 1.")
        return model._know(inner, Temperature(float(arrays["slope"][0]), arrays["level"]), shares)

    def __sklearn_is_fitted__(self) -> bool:
        return "_temperature" in vars(self)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        if self.estimator is not None:  # what may come in is for the classifier to say
            tags.input_tags = get_tags(self.estimator).input_tags
        return tags


def recalibrated(found: Validation) -> Validation:
    """What rows left out would be told if calibrated, each by the temperature of other rows: the rows are dealt again.

    That takes no fit at all; models that rows are predicted by have seen each other's rows, but it is a single number
    that is learned from what they say.
    """
    logs, counted = np.empty_like(found.log_posterior), (found.labels >= 0) & (found.weights > 0)
    parts = np.random.default_rng(0).permutation(found.rows.max() + 1)[found.rows] % FOLDS
    for part in np.unique(parts):
        others = counted & (parts != part)
        others = others if others.any() else counted
        temperature = learned(found.log_posterior[others], found.labels[others], found.weights[others], levels=False)
        logs[parts == part] = temperature.log_shares(found.log_posterior[parts == part])
    return replace(found, log_posterior=logs)


def _left_out(model: Classifier | LearnsAnew, known: Labelled) -> Array:
    """Ln P(class | row), each row by a model that has not seen it, in the order of the model's classes."""
    if isinstance(model, LearnsAnew):
        logs, names = model._left_out(known)[0], known.classes
    else:
        rows = rows_of(model._settled(), known)
        found = _each_without(rows)
        schema = fit(rows.summary, rows.design, rows.rules).schema
        logs = log_posterior(found.log_joint, found.prevalence, schema)[np.argsort(found.rows)]
        names = rows.summary.classes
    order = [names.index(plain(name)) for name in model.classes_]
    return np.asarray(logs[:, order])


def _each_without(rows: Rows) -> LeftOutRows:
    """Each row from all others, or where that has no closed form, from the folds that it is not in."""
    try:
        return left_out(rows, None)
    except HiddenCellsError:
        codes, number = rows.known.codes, min(FOLDS, rows.known.table.rows)
        _, first, which = np.unique(codes, return_index=True, return_inverse=True)
        order = first[which.ravel()]  # of classes as they are met, whatever they are called
        return left_out(rows, Folds(evenly(order, number, np.random.default_rng(0))))


def _posterior(model: Classifier, table: Table) -> Array:
    joint = model.joint_
    return log_posterior(joint.log_joint(table, model._as_fitted._unseen()), joint.prevalence, joint.schema)
