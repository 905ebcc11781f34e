"""Decisions on top of any classifier with `predict_proba`, ours or not: loss, rejection, prior shift, reasons."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from suffice.arrays import Array
from suffice.data.labels import known_labels
from suffice.data.levels import plain
from suffice.decisions.boundary import boundary_of
from suffice.decisions.decide import Decision, decide
from suffice.decisions.error import ExpectedRisk, chernoff_bound, expected_risk
from suffice.decisions.explain import Explanation, explained
from suffice.decisions.loss import Loss
from suffice.decisions.nomogram import Nomogram, nomogram_of
from suffice.decisions.quadric import Quadric
from suffice.decisions.shift import EstimatedPriors, estimated, shifted
from suffice.errors import LossError, ParameterError
from suffice.estimators.base import GenerativeClassifier
from suffice.estimators.label_column import one_column
from suffice.model.prevalence import prevalence


@dataclass(eq=False, repr=False)
class BayesDecision(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc] # scikit-learn has no types
    """The action of least conditional risk, from the posteriors of any classifier.

    Parameters
    ----------
    estimator : classifier with predict_proba
    loss : Loss or dict, optional
        {action: {class: cost}}; without it, 0–1 loss.
    reject : float, optional
        The cost of answering "reject", beside 0–1 loss: Chow's rule, reject when the largest posterior is below
        1 − reject.
    priors : as for NaiveBayes, optional
        Class priors where the decisions are made, when they differ from those in training.

    """

    estimator: Any = None
    loss: Any = None
    reject: float | None = None
    priors: Any = None

    def fit(self, X: Any, y: Any, **fit_params: Any) -> Self:
        """Fit the estimator, and take note of the class priors in training."""
        if self.estimator is None:
            raise ParameterError("BayesDecision decides on top of a classifier: BayesDecision(NaiveBayes(), loss=...).")
        if self.loss is not None and self.reject is not None:
            raise LossError("Give a loss, in which rejection is an action of its own, or reject, not both.")
        self.estimator_ = clone(self.estimator).fit(X, y, **fit_params)
        self.classes_ = self.estimator_.classes_
        self.training_priors_ = _training_priors(self.estimator_, one_column(y), fit_params.get("sample_weight"))
        self.loss_ = self._loss()
        self.loss_.on(self.classes_)  # classes that do not fit are an error now
        if "n_features_in_" in vars(self.estimator_):
            self.n_features_in_ = self.estimator_.n_features_in_
        return self

    def predict_proba(self, X: Any) -> Array:
        """P(class | row) under the priors where the decisions are made."""
        check_is_fitted(self)
        posterior = np.asarray(self.estimator_.predict_proba(X), dtype=float)
        if self.priors is None:
            return posterior
        names = tuple(plain(name) for name in self.classes_)
        return shifted(posterior, self.training_priors_, prevalence(self.training_priors_, names, self.priors, 0.0))

    def decide(self, X: Any) -> Decision:
        """Action, risk, the risks of all actions and the margin, for each row."""
        return decide(self.predict_proba(X), self.loss_, self.classes_)

    def conditional_risk(self, X: Any) -> Array:
        """R(action | row), (N, A) in the order of loss_.actions."""
        return self.decide(X).risks

    def predict(self, X: Any) -> np.ndarray[Any, Any]:
        """The action of least risk; of equals, the one that the loss names first."""
        return self.decide(X).action

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Minus the mean loss that the decisions incur."""
        actions = self.predict(X)
        codes, found = known_labels(one_column(y), len(actions))
        costs, position = self.loss_.on(self.classes_), {plain(name): k for k, name in enumerate(self.classes_)}
        unknown = [name for name in found if name not in position]
        if unknown:
            raise ParameterError(f"y holds {unknown}, which the classifier never met.")
        rows = [self.loss_.actions.index(plain(action)) for action in actions]
        incurred = costs[rows, np.array([position[name] for name in found])[codes]]
        return -float(np.average(incurred, weights=sample_weight))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self.estimator is not None:  # what may come in is for the classifier to say
            tags.input_tags = get_tags(self.estimator).input_tags
        return tags

    def _loss(self) -> Loss:
        if self.loss is None:
            return Loss.zero_one([plain(name) for name in self.classes_], self.reject)
        return self.loss if isinstance(self.loss, Loss) else Loss(self.loss)


def estimate_priors(model: Any, X: Any, priors: Any = None) -> EstimatedPriors:
    """Class priors of unlabelled rows, by EM (Saerens et al.), from any classifier's posteriors.

    `priors` are those the classifier was trained under; models of this library know them.
    """
    if priors is None and not isinstance(model, GenerativeClassifier | BayesDecision):
        raise ParameterError("Say which class priors the classifier was trained under: priors={class: probability}.")
    names = tuple(plain(name) for name in model.classes_)
    known = model.training_priors_ if isinstance(model, BayesDecision) else model.priors_ if priors is None else None
    before = np.asarray(known) if known is not None else prevalence(np.ones(len(names)), names, priors, 0.0)
    source = model.estimator_ if isinstance(model, BayesDecision) else model
    return estimated(np.asarray(source.predict_proba(X), dtype=float), before, names)


def explain(model: Any, X: Any, between: Sequence[Any] | None = None, in_turn: bool = False) -> Explanation:
    """Why one class and not the other: the log odds of each row as prior term + one term for each column.

    `between` names the two classes, and may be left out where there are only two (then the second against the first).
    Columns modelled together share a term; `in_turn` splits it column after column.
    """
    classes = _ours(model).joint_.classes
    if between is None and len(classes) != 2:
        raise ParameterError(f"Say between which two of {list(classes)}: between=(a, b).")
    first, second = (classes[1], classes[0]) if between is None else (plain(name) for name in between)
    return explained(model.joint_, model._table(X), (first, second), model._unseen(), in_turn)


def boundary(model: Any, a: Any, b: Any, loss: Any = None) -> Quadric:
    """Where two classes are equally good answers, in closed form: g(x) = 0, above 0 on the side of `a`.

    For plug-in Gaussian columns; `loss` may weigh the two classes, its first action being the one for `a`.
    """
    weighed = Loss(loss) if isinstance(loss, Mapping) else loss
    return boundary_of(_ours(model).joint_, plain(a), plain(b), weighed)


def bayes_error(model: Any, loss: Any = None, draws: int = 100_000, random_state: int = 0) -> ExpectedRisk:
    """What the best decision would cost on average if the model were the truth: its error, or its risk under a loss."""
    weighed = Loss(loss) if isinstance(loss, Mapping) else loss
    return expected_risk(_ours(model).joint_, weighed, draws, random_state)


def error_bound(model: Any, share: float | None = None) -> float:
    """An upper bound of the Bayes error of two Gaussian classes: Chernoff's, or Bhattacharyya's with share=0.5."""
    return chernoff_bound(_ours(model).joint_, share)


def nomogram(model: Any, X: Any, between: Sequence[Any]) -> Nomogram:
    """How much each value of each column adds to the log odds between two classes; X shows the range of the numbers."""
    first, second = (plain(name) for name in between)
    return nomogram_of(_ours(model).joint_, model._table(X), (first, second))


def _ours(model: Any) -> GenerativeClassifier:
    if not isinstance(model, GenerativeClassifier):
        inside = " Give the classifier inside it, estimator_." if isinstance(model, BayesDecision) else ""
        raise ParameterError(f"This needs a classifier with densities; found {type(model).__name__}.{inside}")
    return model


def _training_priors(estimator: Any, y: Any, sample_weight: Any) -> Array:
    """The priors a classifier has in it: its own where it is ours, else the shares of the labels."""
    if isinstance(estimator, GenerativeClassifier):
        return estimator.priors_
    codes, found = known_labels(y, np.asarray(y).shape[0])
    weights = np.bincount(codes, sample_weight, len(found))
    shares = dict(zip(found, weights / weights.sum(), strict=True))
    return np.array([shares.get(plain(name), 0.0) for name in estimator.classes_])
