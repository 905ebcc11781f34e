"""Decisions on top of any classifier with `predict_proba`, ours or not: loss, rejection, prior shift."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, DensityMixin, MetaEstimatorMixin, clone
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_is_fitted

from suffice.arrays import Array, Values
from suffice.data.batches import is_source, named_apart
from suffice.data.labels import IntoLabels, known_labels
from suffice.data.levels import Levels, plain
from suffice.data.table import IntoTable
from suffice.data.weights import Weights, row_weights
from suffice.decisions.decide import Decision, decide, posteriors
from suffice.decisions.loss import IntoLoss, Loss
from suffice.decisions.shift import EstimatedPriors, estimated, refuse_impossible
from suffice.engines.scoring.answers import ACTION, Answer, action
from suffice.errors import FileError, LossError, NoFormulaError, ParameterError
from suffice.estimators.batchwise import AnswersRows
from suffice.estimators.face import Face
from suffice.estimators.generative import GenerativeClassifier
from suffice.estimators.in_sql import InSql
from suffice.estimators.named import Named
from suffice.estimators.training_priors import IntoPriors, known, label_priors, priors_of
from suffice.families.counts import checked
from suffice.learn.decided import Decided, Deciding, Priors, described
from suffice.learn.model import Settings
from suffice.learn.packing import INNER, parameters_in
from suffice.learn.recipe import copied
from suffice.model.rules import prevalence
from suffice.printing.description import Description
from suffice.store import Header, write

SETTINGS = ("loss", "reject", "priors", "training_priors")


@dataclass(eq=False, repr=False)
class BayesDecision(AnswersRows, MetaEstimatorMixin, ClassifierMixin, InSql, Named):
    """The action of least conditional risk, from the posteriors of any classifier.

    Parameters
    ----------
    estimator : classifier with predict_proba
    loss : Loss or dict, optional
        {action: {class: cost}}; without it, 0–1 loss.
    reject : float, optional
        The cost of answering "reject" when a mistake costs 1. This is Chow's rule: reject when the largest
        posterior is below 1 − reject.
    priors : as for NaiveBayes, optional
        The class priors where decisions are made, if they differ from those in training.
    training_priors : probabilities, {class: probability} or "uniform", optional
        The class priors that the estimator was trained with, which `priors` replaces. Needed only where neither the
        estimator (`priors_`, `class_prior_`, `class_log_prior_`, `class_weight`) nor the labels tell: in a
        pipeline, a search, or an ensemble of other models.


    Examples
    --------
    >>> from suffice import BayesDecision, NaiveBayes
    >>> rows, labels = [[0.1], [0.4], [0.2], [1.1], [1.6], [1.3]], ["no", "no", "no", "yes", "yes", "yes"]
    >>> BayesDecision(NaiveBayes(), reject=0.1).fit(rows, labels).predict([[0.2], [0.8], [1.4]]).tolist()
    ['no', 'reject', 'yes']

    """

    estimator: Any = None
    loss: IntoLoss = None
    reject: float | None = None
    priors: Any = None
    training_priors: Any = None
    model_: Decided = field(init=False)  # set only if the classifier is one of suffice
    _settings: Settings = field(init=False)  # the parameters behind the decisions, but for the classifier

    def fit(self, X: IntoTable, y: IntoLabels, **fit_params: Any) -> Self:
        """Fit the estimator and record the class priors it was trained with.

        Raises
        ------
        ParameterError
            If the estimator is not a classifier with predict_proba.
        LossError
            If the loss is about other classes than `y`.

        """
        self._check()
        rows, labels, weights = named_apart(X, y, fit_params.get("sample_weight"))
        if is_source(X):  # which is read by the names of its columns
            self.estimator_ = clone(self.estimator).fit(X, y, **fit_params)
        else:
            own = fit_params | ({} if weights is None else {"sample_weight": weights})
            self.estimator_ = clone(self.estimator).fit(rows, labels, **own)
        self._settings = {name: copied(getattr(self, name)) for name in SETTINGS}
        return self._know(self._training_priors(labels, weights))

    def _check(self) -> None:
        if not classifies(self.estimator):
            raise ParameterError(
                "BayesDecision decides on top of a classifier with predict_proba: BayesDecision(NaiveBayes(), loss=...)"
                f"; found {self.estimator!r}."
            )
        if self.loss is not None and self.reject is not None:
            raise LossError("Give either a loss, in which rejection is an action of its own, or reject, not both.")

    def _know(self, training_priors: Array | None) -> Self:
        """Derive priors, loss and model from the classifier and the class priors it was trained with."""
        self.classes_, self.training_priors_ = self.estimator_.classes_, training_priors
        self.priors_ = self._priors()
        self.loss_ = Loss.zero_one(self.classes_, self.reject) if self.loss is None else Loss(self.loss)
        self.loss_.on(self.classes_)  # classes that do not fit are an error now
        if hasattr(self.estimator_, "n_features_in_"):
            self.n_features_in_ = self.estimator_.n_features_in_
        if _of_suffice(self.estimator_):
            self.model_ = self._decided()
        return self

    def _asked(self) -> Decided:
        check_is_fitted(self)
        if not _of_suffice(self.estimator_):
            raise ParameterError(
                "Only classifiers of suffice answer for files, or are saved in ours; these decisions go by "
                f"{_called(self.estimator_)}. Save that classifier as its own package does, and make BayesDecision "
                "from it again; or decide with one of ours, such as LogisticClassifier."
            )
        return self.model_

    def _decided(self) -> Decided:
        """The decisions as a model, which is saved and becomes SQL."""
        inner, classes = self.estimator_.model_, tuple(plain(name) for name in self.classes_)
        recipe = Deciding(self._settings | {"loss": None if self._settings["loss"] is None else self.loss_.rows})
        return Decided(recipe, inner, self.loss_, self._moved, inner.schema, classes, inner.library)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the decisions, with the classifier below them, to a file that `suffice.load` reads back bit for bit.

        Raises
        ------
        ParameterError
            If the classifier is not one of suffice, which our files cannot hold.

        """
        header, arrays = self._asked().packed()
        self.restored(header, _own(arrays), self.estimator_)  # what load would refuse is refused now
        write(path, header, arrays)

    @classmethod
    def restored(cls, header: Header, arrays: Mapping[str, Array], inner: BaseEstimator) -> Self:
        """The decisions that were saved."""
        if not _of_suffice(inner):
            raise FileError(f"The file holds decisions made with {_called(inner)}, which is no classifier.")
        model = cls(type(inner)(**inner.get_params(deep=False)), **parameters_in(header))
        if not arrays:
            return model.resume(inner, None)
        [before] = checked(arrays, {"training_priors": np.shape(inner.classes_)}).values()
        if not (before >= 0).all() or not np.isclose(before.sum(), 1.0):
            raise FileError("The file holds impossible class priors.")
        return model.resume(inner, before)

    def resume(self, estimator: BaseEstimator, training_priors: Array | None) -> Self:
        """Go on with a classifier that has been fitted, with class priors such as these."""
        self._check()
        self.estimator_, self._settings = estimator, {name: getattr(self, name) for name in SETTINGS}
        return self._know(training_priors)

    def __sklearn_is_fitted__(self) -> bool:
        return "estimator_" in vars(self)

    def description(self) -> Description:
        """The loss, the class priors behind the decisions, and what the classifier has learned."""
        check_is_fitted(self)
        ours = isinstance(self.estimator_, Named)
        inner = self.estimator_.description() if ours else Description((type(self.estimator_).__name__,))
        classes = tuple(plain(name) for name in self.classes_)
        return described(type(self).__name__, self.loss_, self._moved, classes, inner)

    @property
    def _moved(self) -> Priors:
        """The class priors of training, and those of use."""
        return Priors(self.training_priors_, self.priors_)

    def predict_proba(self, X: IntoTable) -> Array:
        """P(class | row), under the priors where decisions are made."""
        check_is_fitted(self)
        return self._moved.shifted(posteriors(self.estimator_.predict_proba(X)))

    def decide(self, X: IntoTable) -> Decision:
        """Decide each row: the action, its risk, the risks of all actions, and the margin."""
        return decide(self.predict_proba(X), self.loss_, self.classes_)

    def conditional_risk(self, X: IntoTable) -> Array:
        """R(action | row) as (N, A), in the order of loss_.actions."""
        return self.decide(X).risks

    def predict(self, X: IntoTable) -> Values:
        """The action of least risk; ties go to the action that the loss names first.

        Raises
        ------
        TableError
            If the rows cannot be read, or lack a column of the model.
        NotFittedError
            If the model has not been fitted.

        """
        return self.decide(X).action

    def to_sql(
        self,
        dialect: str,
        table: str | Sequence[str],
        key: str | Sequence[str],
        output: str = ACTION,
        loss: IntoLoss = None,
        reject: float | None = None,
    ) -> str:
        """The decisions as SQL, as for NaiveBayes, under this model's own loss and priors unless others are given."""
        check_is_fitted(self)
        if not isinstance(self.estimator_, InSql):
            raise NoFormulaError(f"SQL is only for classifiers of suffice; found {type(self.estimator_).__name__}.")
        return super().to_sql(dialect, table, key, output, loss, reject)

    def _action(self, classes: Levels, loss: IntoLoss, reject: float | None) -> Answer:
        if loss is None and reject is None:
            return action(self.loss_.actions, self.loss_.on(classes))
        return super()._action(classes, loss, reject)

    def score(self, X: IntoTable, y: IntoLabels, sample_weight: Weights = None) -> float:
        """Minus the mean loss of the decisions."""
        X, y, sample_weight = named_apart(X, y, sample_weight)
        best = self.decide(X).best
        codes, found = known_labels(y, len(best))
        costs, position = self.loss_.on(self.classes_), {plain(name): k for k, name in enumerate(self.classes_)}
        unknown = [name for name in found if name not in position]
        if unknown:
            raise ParameterError(
                f"y holds {unknown}, which the classifier was not fitted on; its classes are {list(position)}."
            )
        incurred = costs[best, np.array([position[name] for name in found])[codes]]
        return -float(np.average(incurred, weights=row_weights(sample_weight, len(best))))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        if self.estimator is not None:  # what may come in is for the classifier to say
            tags.input_tags = get_tags(self.estimator).input_tags
        return tags

    def _training_priors(self, y: IntoLabels, sample_weight: Weights) -> Array | None:
        generative = isinstance(self.estimator_, GenerativeClassifier)  # whose labels may be hidden
        from_labels = None if generative else label_priors(self.estimator_, y, sample_weight)
        return priors_of(self.estimator_, self.training_priors, from_labels)

    def _priors(self) -> Array | None:
        """Class priors that decisions are made under: those of training unless others are given."""
        if self.priors is None:
            return self.training_priors_
        before, names = known(self.training_priors_, self.estimator_), tuple(plain(name) for name in self.classes_)
        after = prevalence(before, names, self.priors, 0.0)
        refuse_impossible(before, after, names)
        return after


def _of_suffice(model: BaseEstimator) -> bool:
    """Tell whether a model, or the one below decisions, is a classifier of ours that a file can hold."""
    if isinstance(model, BayesDecision):
        return _of_suffice(model.estimator_)
    return isinstance(model, Face) and model.RECIPE.POSTERIORS


def _own(arrays: Mapping[str, Array]) -> dict[str, Array]:
    """Those that are no arrays of the model inside."""
    return {name: array for name, array in arrays.items() if not name.startswith(INNER)}


def _called(model: BaseEstimator) -> str:
    return f"{type(model).__module__.partition('.')[0]}'s {type(model).__name__}"


def classifies(model: BaseEstimator) -> bool:
    """Tell whether a model gives probabilities of classes; a mixture gives those of components."""
    return not isinstance(model, type | DensityMixin) and hasattr(model, "predict_proba")


def estimate_priors(model: BaseEstimator, X: IntoTable, training_priors: IntoPriors = None) -> EstimatedPriors:
    """Estimate the class priors of unlabelled rows by EM (Saerens et al.), from the posteriors of any classifier.

    `training_priors` are the priors the classifier was trained with, if it cannot tell them itself.

    Raises
    ------
    ParameterError
        If `training_priors` do not sum to 1, or are needed and not given.
    NotFittedError
        If the model has not been fitted.

    >>> from suffice import GaussianDiscriminant, estimate_priors
    >>> model = GaussianDiscriminant.from_parameters({"a": 0.0, "b": 6.0}, {"a": 1.0, "b": 1.0})
    >>> estimate_priors(model, [[0.1], [-0.4], [0.5], [6.2]])
    Class priors · 0.523 nats better than those of training
    class   prior
    a      0.7500
    b      0.2500

    """
    if not classifies(model):
        raise ParameterError(f"Estimating priors needs the posteriors of a fitted classifier; found {model!r}.")
    check_is_fitted(model)
    source, learned = (model.estimator_, model.training_priors_) if isinstance(model, BayesDecision) else (model, None)
    before = known(priors_of(source, training_priors, learned), source)
    names = tuple(plain(name) for name in source.classes_)
    return estimated(posteriors(source.predict_proba(X)), before, names)
