"""Stage 5, classifiers that learn the boundary, or P(class | row), itself: the soft margin and logistic loss.

In:  the same tables and labels as all others.
Out: weights by column, in the user's own units, and answers; no density, so no evidence, no samples and no cells filled
     in. Rows do not add up to a model here, so there is no partial_fit.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NoReturn, Self

import numpy as np
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from suffice.arrays import Array, Codes, Values
from suffice.data.batches import IntoRows
from suffice.data.labelled import Classes
from suffice.data.labels import IntoLabels
from suffice.data.levels import array_of
from suffice.data.source import Source
from suffice.data.table import IntoTable
from suffice.data.weights import Weights
from suffice.errors import NoDensityError
from suffice.estimators.accuracy import Scored
from suffice.estimators.batchwise import batchwise
from suffice.estimators.face import Face
from suffice.estimators.in_sql import InSql
from suffice.learn.discriminative import Discriminative, DiscriminativeParameters, DiscriminativeRecipe
from suffice.learn.logistic import Logistic, LogisticRecipe
from suffice.learn.margin import NO_PROBABILITIES, MarginModel, MarginParameters, MarginRecipe
from suffice.learn.packing import parameters_in
from suffice.store import Header

NO_BATCHES = (
    "{} has no partial_fit: its optimum depends on every row, not on sums that rows add to, so batches would not give "
    "the model of all rows. Use fit(X, y) on all of them, or a model that learns by adding, such as NaiveBayes or "
    "LinearDiscriminant."
)


class LinearClassifier(Scored, Face, InSql):
    """Scores that are linear in the columns: one for each class, or for two classes, the second against the first."""

    RECIPE: ClassVar[type[DiscriminativeRecipe]]

    model_: Discriminative

    def recipe(self) -> DiscriminativeRecipe:
        """The parameters as a value, from which models are learned."""
        found = super().recipe()
        assert isinstance(found, DiscriminativeRecipe)  # as RECIPE says
        return found

    def _asked(self) -> Discriminative:
        check_is_fitted(self)
        return self.model_

    def fit(self, X: IntoRows, y: IntoLabels, sample_weight: Weights = None, classes: Classes = None) -> Self:
        """Learn from these rows alone, given as for NaiveBayes; every row must have a class.

        Raises
        ------
        TableError
            If the rows cannot be read as a table, or there is not one label for each.
        UnknownLabelsError
            If the class of some row is not known.
        ParameterError
            If `C` or another setting makes no sense.

        """
        return self.fit_source(Source.of(X, y, sample_weight, classes))

    def path(
        self, X: IntoTable, y: IntoLabels, C: Iterable[float], sample_weight: Weights = None, classes: Classes = None
    ) -> list[Self]:
        """Fitted copies, one for each of several values of C, each started from the solution for the next smaller C.

        They are the models that `fit` gives, found in less time: the table is read and scaled only once.
        """
        several = list(C)
        known = Source.of(X, y, sample_weight, classes).known(None)
        found = dict(self.recipe().path(known, several))
        return [self.with_settings({"C": one}).hold(found[one]) for one in several]

    @property
    def partial_fit(self) -> NoReturn:  # not there for who looks for it
        """Raises an error that says why this model cannot learn in parts."""
        raise AttributeError(NO_BATCHES.format(type(self).__name__))

    # what it has learned

    @property
    def classes_(self) -> Values:
        """The classes, in the order of every answer."""
        return array_of(self._asked().classes)

    @property
    def coef_(self) -> Array:
        """The weight of each entry of `columns_`, in the units of the table: (K, P), or (1, P) for two classes."""
        return self._asked().in_units[0]

    @property
    def intercept_(self) -> Array:
        """The score of a row of zeros: (K,), or (1,) for two classes."""
        return self._asked().in_units[1]

    @property
    def columns_(self) -> tuple[str, ...]:
        """The meaning of each number of `coef_`: a column, one of its levels, or its cell being missing."""
        return self._asked().columns.names

    def coefficients(self) -> Any:
        """The weights by name, in the frame library of the table fitted on, or as a dict of arrays."""
        model = self._asked()
        return model.weights.frame(model.library)

    # answers

    @batchwise
    def decision_function(self, X: IntoTable) -> Array:
        """Scores of the classes, (N, K); for two classes, the second against the first, (N,)."""
        model = self._asked()
        scores = model.scores(model.table(X))
        return scores[:, 0] if scores.shape[1] == 1 else scores

    @batchwise
    def predict(self, X: IntoTable) -> Values:
        """The class with the largest score; ties go to the class that comes first in classes_.

        Raises
        ------
        TableError
            If the rows cannot be read, or lack a column of the model.
        UnseenCategoryError
            If a category is new, and the model was made with unseen="error".
        NotFittedError
            If the model has not been fitted.

        """
        model = self._asked()
        return model.best(model.table(X))

    @classmethod
    def restored(cls, header: Header, arrays: Mapping[str, Array]) -> Self:
        """The face of a model that was saved."""
        face = cls(**parameters_in(header))
        face.model_ = face.recipe().restored(header, arrays)
        return face

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        taken = tags.input_tags
        taken.categorical = taken.string = taken.allow_nan = taken.sparse = True
        return tags


@dataclass(eq=False, repr=False)
class LogisticClassifier(DiscriminativeParameters, LinearClassifier):
    """Logistic regression: P(class | row) is a softmax of linear scores; minimises C Σ −ln P(class | row) + ½‖w‖².

    Parameters
    ----------
    C : float
        How much the loss of a row counts against the size of the weights.
    kinds : dict, str or None
        As for NaiveBayes; all kinds of numbers are treated alike, and every level of a category becomes a column.
    scale : bool
        Whether to divide every column of numbers by its standard deviation, so that units do not matter; columns of
        levels stay 0 and 1. `coef_` is still in the units of the table.
    unseen : "ignore" or "error"
        What to do with a level that was never seen in fitting: treat the cell as missing, or raise an error.
    tol : float
        How small the gradient must be, relative to that at weights of 0.

    A missing number is replaced by the mean of its column, and each column with missing cells gets a second one that
    marks them.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from suffice import LogisticClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticClassifier().fit(X, y)
    >>> model.predict_proba(X[:1]).round(3).tolist()
    [[0.985, 0.015, 0.0]]

    """

    RECIPE = LogisticRecipe

    model_: Logistic = field(init=False)

    @property
    def objective_(self) -> float:
        """The objective that was minimised, at the weights found."""
        check_is_fitted(self)
        if self.model_.objective is None:
            raise AttributeError("Files of the first format do not hold the objective. Fit the model again to have it.")
        return self.model_.objective

    @batchwise
    def predict_log_proba(self, X: IntoTable) -> Array:
        """Ln P(class | row) as (N, K), in the order of classes_."""
        model = self._asked()
        return model.log_posterior(model.table(X))

    def predict_proba(self, X: IntoTable) -> Array:
        """P(class | row) as (N, K), in the order of classes_."""
        return np.asarray(np.exp(self.predict_log_proba(X)))


@dataclass(eq=False, repr=False)
class MarginClassifier(MarginParameters, LinearClassifier):
    """The linear soft-margin classifier: minimises ½‖w‖² + C Σ [1 − s (wᵀx + b)]₊, b free, each class against the rest.

    Parameters
    ----------
    C : float
        How much a row within the margin, or on the wrong side, counts against the size of the weights; at most 1e20,
        times the weight of the row too, which is a hard margin wherever one can be had.
    kinds, scale, unseen
        As for LogisticClassifier.
    tol : float
        How far the objective may be from the optimum, relative to its size; `gap_` says how far it can be.
    probabilities : bool
        Whether to learn P(class | row) from the margins of rows left out (Platt scaling over 5 folds).

    After fitting, for each class against the rest (only once for two classes): `primal_`, `dual_` and `gap_`; `width_`,
    the distance between the two margins in the scaled columns; `slack_` (N, K), by how much rows fall short of their
    margin; and `support_`, the rows that hold it, `support_count_` of them. Files hold nothing about single rows, so a
    model that was loaded has no `slack_` and no `support_`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from suffice import MarginClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MarginClassifier(scale=False).fit(X[:100], y[:100])
    >>> model.coef_.round(4).tolist(), len(model.support_[0]), bool(model.gap_[0] < 1e-6)
    ([[0.046, -0.5217, 1.0032, 0.4642]], 3, True)

    """

    RECIPE = MarginRecipe

    model_: MarginModel = field(init=False)

    def _asked(self) -> MarginModel:
        super()._asked()
        return self.model_

    @property
    def primal_(self) -> Array:
        """The objective of each margin."""
        return self._asked().primal

    @property
    def dual_(self) -> Array:
        """A bound that the objective of each margin cannot fall below."""
        return self._asked().dual

    @property
    def gap_(self) -> Array:
        """The most that each objective can be from its optimum, relative to its size."""
        return self._asked().gap

    @property
    def width_(self) -> Array:
        """The distance between the two sides of each margin, in the scaled columns."""
        return self._asked().width

    @property
    def support_count_(self) -> Array:
        """The number of rows that hold each margin."""
        found = self._asked().support_count
        if found is None:
            raise AttributeError(
                "Files of the first format do not hold support_count_. Fit the model again to have it."
            )
        return found

    @property
    def support_(self) -> list[Codes]:
        """The rows that hold the margin of each class against the rest, by their numbers."""
        return self._asked().rows_behind("support_").support

    @property
    def slack_(self) -> Array:
        """The amount by which each row falls short of each margin, (N, K), or (N, 1) of two classes."""
        return self._asked().rows_behind("slack_").slack

    @property
    def predict_log_proba(self) -> Callable[[IntoTable], Array]:
        """Ln P(class | row) as (N, K), in the order of classes_; needs probabilities=True."""
        if not self.probabilities:
            raise NoDensityError(NO_PROBABILITIES)
        return self._log_proba

    @batchwise
    def _log_proba(self, X: IntoTable) -> Array:
        model = self._asked()
        return model.log_posterior(model.table(X))

    @property
    def predict_proba(self) -> Callable[[IntoTable], Array]:
        """P(class | row) as (N, K), in the order of classes_; needs probabilities=True.

        Raises
        ------
        NoDensityError
            If the model was made without probabilities=True.

        """
        logs = self.predict_log_proba
        return lambda X: np.asarray(np.exp(logs(X)))
