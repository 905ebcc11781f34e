"""Decisions on top of any classifier with `predict_proba`, ours or not: loss, rejection, prior shift."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any, Self, TypeGuard

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, DensityMixin, MetaEstimatorMixin, clone
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_is_fitted

from suffice.arrays import Array, Values, log, ratio
from suffice.data.batches import is_source, named_apart
from suffice.data.labels import IntoLabels, known_labels
from suffice.data.levels import Levels, plain
from suffice.data.schema import Schema
from suffice.data.table import IntoTable
from suffice.data.weights import Weights, row_weights
from suffice.decisions.decide import Decision, decide, posteriors
from suffice.decisions.loss import IntoLoss, Loss
from suffice.decisions.shift import EstimatedPriors, estimated, refuse_impossible, shifted
from suffice.engines.scoring.answers import ACTION, LOG_JOINT, PROBA, Answer, Scoring, action
from suffice.errors import FileError, LossError, NoDensityError, NoFormulaError, ParameterError
from suffice.estimators.batchwise import AnswersRows, by_name
from suffice.estimators.classifier import Classifier, LearnsAnew
from suffice.estimators.files import Packed, packed_around, restored
from suffice.estimators.in_sql import InSql
from suffice.estimators.parameters import Named, Settings, copied
from suffice.estimators.training_priors import known, label_priors, priors_of
from suffice.families.counts import checked
from suffice.formulas import levels, total
from suffice.model.rules import prevalence
from suffice.printing.description import Description, Series, Sheet
from suffice.printing.language import word
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
    _as_fitted: Settings = field(init=False)  # the parameters behind the decisions, but for the classifier

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
        self._as_fitted = copied({name: getattr(self, name) for name in SETTINGS})
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
        """What follows from the classifier and the class priors it was trained with."""
        self.classes_, self.training_priors_ = self.estimator_.classes_, training_priors
        self.priors_ = self._priors()
        self.loss_ = Loss.zero_one(self.classes_, self.reject) if self.loss is None else Loss(self.loss)
        self.loss_.on(self.classes_)  # classes that do not fit are an error now
        if "n_features_in_" in vars(self.estimator_):
            self.n_features_in_ = self.estimator_.n_features_in_
        return self

    def save(self, path: str | PathLike[str]) -> None:
        """Write the decisions, with the classifier below them, to a file that `suffice.load` reads back bit for bit.

        Raises
        ------
        ParameterError
            If the classifier is not one of suffice, which our files cannot hold.

        """
        write(path, *self._packed())

    def _packed(self) -> Packed:
        check_is_fitted(self)
        if not _of_suffice(self.estimator_):
            raise ParameterError(
                f"Files hold classifiers of suffice only, but these decisions go by {_called(self.estimator_)}. "
                "Save that classifier as its own package does, and make BayesDecision from it again; or decide with "
                "one of ours, such as LogisticClassifier."
            )
        loss = None if self._as_fitted["loss"] is None else self.loss_.rows
        arrays = {} if self.training_priors_ is None else {"training_priors": self.training_priors_}
        parameters, inner = self._as_fitted | {"loss": loss}, self.estimator_._packed()
        header, every = packed_around(type(self).__name__, parameters, inner, arrays)
        self.restored(header, arrays, self.estimator_)  # what load would refuse is refused now
        return header, every

    @classmethod
    def restored(cls, header: Header, arrays: Mapping[str, Array], inner: BaseEstimator) -> Self:
        """The decisions that were saved."""
        parameters = {key: restored(value) for key, value in header["model"]["parameters"].items()}
        if not _of_suffice(inner):
            raise FileError(f"The file holds decisions made with {_called(inner)}, which is no classifier.")
        model = cls(type(inner)(**inner.get_params(deep=False)), **parameters)
        model._check()
        model.estimator_, model._as_fitted = inner, {name: getattr(model, name) for name in SETTINGS}
        if not arrays:
            return model._know(None)
        [before] = checked(arrays, {"training_priors": np.shape(inner.classes_)}).values()
        if not (before >= 0).all() or not np.isclose(before.sum(), 1.0):
            raise FileError("The file holds impossible class priors.")
        return model._know(before)

    def __sklearn_is_fitted__(self) -> bool:
        return "estimator_" in vars(self)

    def description(self) -> Description:
        """The loss, the class priors behind the decisions, and what the classifier has learned."""
        shares = {word("prior in training"): self.training_priors_, word("prior in use"): self.priors_}
        moved = [Series(t, v) for t, v in shares.items() if v is not None and self.priors_ is not self.training_priors_]
        priors = [Sheet(word("class"), [plain(name) for name in self.classes_], moved)] if moved else []
        ours = isinstance(self.estimator_, Named)
        inner = self.estimator_.description() if ours else Description((type(self.estimator_).__name__,))
        above = [*self.loss_.description().parts, *priors]
        return Description((type(self).__name__, *inner.title), [*above, *inner.parts], inner.behind)

    def predict_proba(self, X: IntoTable) -> Array:
        """P(class | row), under the priors where decisions are made."""
        check_is_fitted(self)
        posterior = posteriors(self.estimator_.predict_proba(X))
        before, after = self.training_priors_, self.priors_
        return posterior if before is None or after is None or after is before else shifted(posterior, before, after)

    def decide(self, X: IntoTable) -> Decision:
        """For each row: the action, its risk, the risks of all actions, and the margin."""
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

    def _columns_read(self) -> Schema:
        check_is_fitted(self)
        if not isinstance(self.estimator_, AnswersRows):
            raise ParameterError(f"Files are answered by classifiers of suffice; found {_called(self.estimator_)}.")
        return self.estimator_._columns_read()

    def _row_answers(self, X: IntoTable, proba: bool) -> dict[str, Values]:
        found = self.decide(X)
        actions = {"action": found.action, "expected cost": found.risk}
        return actions | (by_name(self.classes_, self.predict_proba(X)) if proba else {})

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
        return super().to_sql(dialect, table, key, output, loss, reject)

    def _action(self, classes: Levels, loss: IntoLoss, reject: float | None) -> Answer:
        if loss is None and reject is None:
            return action(self.loss_.actions, self.loss_.on(classes))
        return super()._action(classes, loss, reject)

    def _scoring(self, output: str) -> Scoring:
        check_is_fitted(self)
        if not isinstance(self.estimator_, InSql):
            raise NoFormulaError(f"SQL is only for classifiers of suffice; found {type(self.estimator_).__name__}.")
        if output == LOG_JOINT:
            raise NoDensityError("Decisions have only posteriors; use estimator_ for output='log_joint'.")
        inner, before, after = self.estimator_._scoring(PROBA), self.training_priors_, self.priors_
        if before is None or after is None or after is before:
            return inner
        odds = levels(log(ratio(after, before)))
        return replace(inner, formula=lambda cells: total([inner.formula(cells), odds]), instead=after)

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
        generative = isinstance(self.estimator_, Classifier)  # whose labels may be hidden
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


def _of_suffice(model: BaseEstimator) -> "TypeGuard[Classifier | LearnsAnew | BayesDecision]":
    """Whether a file of ours can hold it."""
    return isinstance(model, Classifier | LearnsAnew | BayesDecision)


def _called(model: BaseEstimator) -> str:
    return f"{type(model).__module__.partition('.')[0]}'s {type(model).__name__}"


def classifies(model: BaseEstimator) -> bool:
    """Whether it gives probabilities of classes; those of a mixture are of components."""
    return not isinstance(model, type | DensityMixin) and hasattr(model, "predict_proba")


def estimate_priors(model: BaseEstimator, X: IntoTable, training_priors: Any = None) -> EstimatedPriors:
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
