"""Posteriors that rows left out bear out: any classifier of ours, with a temperature learned by exact leave-one-out.

In:  a classifier, rows and their classes.
Out: Calibrated, the same classifier with posteriors made warmer or colder. Naive Bayes counts what columns have in
     common several times over, and is too sure of itself where they depend on each other; this puts that right.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_is_fitted

from suffice.arrays import Array, Values
from suffice.data.batches import IntoRows
from suffice.data.labelled import Classes
from suffice.data.labels import IntoLabels
from suffice.data.levels import array_of
from suffice.data.source import Source
from suffice.data.table import IntoTable
from suffice.data.weights import Weights
from suffice.decisions.posterior import against_first
from suffice.discriminative.temperature import learned
from suffice.errors import ParameterError
from suffice.estimators.accuracy import Scored
from suffice.estimators.face import Face
from suffice.estimators.in_sql import InSql
from suffice.judge.validation import Validation
from suffice.learn.calibrated import TEMPERATURE, CalibratedModel, CalibratedRecipe
from suffice.learn.packing import parameters_in
from suffice.model.folds import FOLDS
from suffice.store import Header


@dataclass(eq=False, repr=False)
class Calibrated(Scored, Face, InSql):
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
    method: str = TEMPERATURE
    estimator_: Any = field(init=False)  # the classifier inside, fitted
    model_: CalibratedModel = field(init=False)

    RECIPE = CalibratedRecipe

    def recipe(self) -> CalibratedRecipe:
        """The parameters as a value, from which models are learned."""
        return CalibratedRecipe(ours(self.estimator).settled(), self.method)

    def fit(self, X: IntoRows, y: IntoLabels, sample_weight: Weights = None, classes: Classes = None) -> Self:
        """Fit the classifier, and learn its temperature from rows left out one at a time.

        Raises
        ------
        TableError
            If the rows cannot be read as a table, or there is not one label for each.
        ParameterError
            If the method is not known, or the estimator is not a classifier of suffice.

        """
        return self.fit_source(Source.of(X, y, sample_weight, classes))

    def fit_source(self, source: Source) -> Self:
        """Learn from rows that may have been read already."""
        inside = clone(ours(self.estimator))
        CalibratedRecipe(inside.recipe(), self.method).check()
        known = source.known(None)
        known.refuse_hidden()
        inside.fit_source(source)
        recipe = CalibratedRecipe(inside.settled(), self.method)
        self.estimator_, self.model_ = inside, recipe.around(inside.model_, known)
        return self

    def _asked(self) -> CalibratedModel:
        check_is_fitted(self)
        return self.model_

    @property
    def classes_(self) -> Values:
        """The classes, in the order of every answer."""
        return array_of(self._asked().classes)

    @property
    def priors_(self) -> Array | None:
        """The class priors that are in its posteriors; None of a file that was saved without."""
        return self._asked().priors

    @property
    def slope_(self) -> float:
        """The number that ln P(class | row) is multiplied by."""
        return self._asked().temperature.slope

    @property
    def level_(self) -> Array:
        """The number added to ln P of each class, (K,), 0 on average."""
        return self._asked().temperature.level

    def predict_log_proba(self, X: IntoTable) -> Array:
        """Ln P(class | row) as (N, K), in the order of classes_."""
        model = self._asked()
        return model.temperature.log_shares(self.estimator_.predict_log_proba(X))

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
        """Log odds ln P(second | row) − ln P(first | row), (N,); of more than two classes ln P(class | row), (N, K)."""
        return against_first(self.predict_log_proba(X))

    def predict(self, X: IntoTable) -> Values:
        """The most probable class of each row; ties go to the class that comes first in classes_."""
        best = np.argmax(self.predict_log_proba(X), axis=1)
        return np.asarray(self.classes_[best])

    @classmethod
    def restored(cls, header: Header, arrays: Mapping[str, Array], inner: Face) -> Self:
        """The face of a model that was saved, around that of the model inside."""
        face = cls(type(inner)(**inner.get_params(deep=False)), **parameters_in(header))
        face.estimator_ = ours(inner)
        face.model_ = CalibratedRecipe(inner.settled(), face.method).restored(inner.model_, arrays)
        return face

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        if self.estimator is not None:  # what may come in is for the classifier to say
            tags.input_tags = get_tags(self.estimator).input_tags
        return tags


def ours(given: Any) -> Face:
    """A classifier that has posteriors to calibrate."""
    if not isinstance(given, Face) or not given.RECIPE.POSTERIORS:
        raise ParameterError(
            "Calibrated takes a classifier of suffice, as in Calibrated(NaiveBayes()); found "
            f"{given!r}. For others there is scikit-learn's CalibratedClassifierCV."
        )
    return given


def recalibrated(found: Validation) -> Validation:
    """Calibrate predictions of rows left out, each by the temperature of other rows: the rows are dealt again.

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
