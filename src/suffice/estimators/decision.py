"""Decisions on top of any classifier with `predict_proba`, ours or not: loss, rejection, prior shift, reasons."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self, overload

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, DensityMixin, MetaEstimatorMixin, clone
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_is_fitted

from suffice.arrays import Array, Values, log, ratio
from suffice.data.batches import is_source, named_apart
from suffice.data.frames import by_name
from suffice.data.labels import IntoLabels, known_labels
from suffice.data.levels import Level, Levels, missing, plain
from suffice.data.table import IntoTable
from suffice.decisions.boundary import boundary_of
from suffice.decisions.decide import Decision, decide, posteriors
from suffice.decisions.discriminants import Discriminants, discriminants_of
from suffice.decisions.divergence import Divergence, divergence_of
from suffice.decisions.error import ExpectedRisk, chernoff_bound, expected_risk
from suffice.decisions.explain import Explanation, explained
from suffice.decisions.loss import IntoLoss, Loss
from suffice.decisions.nomogram import Nomogram, nomogram_of
from suffice.decisions.quadric import Quadric
from suffice.decisions.shift import EstimatedPriors, estimated, refuse_impossible, shifted
from suffice.decisions.two_classes import RatioTest, likelihood_ratio_test
from suffice.decisions.votes import Votes, votes_of
from suffice.engines.scoring.answers import ACTION, LOG_JOINT, PROBA, Answer, Scoring, action
from suffice.errors import ImpossibleRowWarning, LossError, NoDensityError, NoFormulaError, ParameterError, warn
from suffice.estimators.averaged import AveragedOneDependence
from suffice.estimators.classifier import Classifier
from suffice.estimators.in_sql import InSql
from suffice.estimators.linear_scores import LinearClassifier
from suffice.estimators.parameters import Named
from suffice.estimators.training_priors import known, label_priors, priors_of
from suffice.estimators.validation import read_loss
from suffice.formulas import levels, total
from suffice.model.averaged import AveragedJoint
from suffice.model.collect import Weights, row_weights
from suffice.model.rules import prevalence
from suffice.options import Seed, shown, switch
from suffice.printing.description import Description, Series, Sheet
from suffice.printing.language import word
from suffice.reporting.worked import Worked, worked_of


@dataclass(eq=False, repr=False)
class BayesDecision(MetaEstimatorMixin, ClassifierMixin, InSql, Named):
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

    def fit(self, X: IntoTable, y: IntoLabels, **fit_params: Any) -> Self:
        """Fit the estimator and record the class priors it was trained with.

        Raises
        ------
        ParameterError
            If the estimator is not a classifier with predict_proba.
        LossError
            If the loss is about other classes than `y`.

        """
        if not classifies(self.estimator):
            raise ParameterError(
                "BayesDecision decides on top of a classifier with predict_proba: BayesDecision(NaiveBayes(), loss=...)"
                f"; found {self.estimator!r}."
            )
        if self.loss is not None and self.reject is not None:
            raise LossError("Give either a loss, in which rejection is an action of its own, or reject, not both.")
        rows, labels, weights = named_apart(X, y, fit_params.get("sample_weight"))
        if is_source(X):  # which is read by the names of its columns
            self.estimator_ = clone(self.estimator).fit(X, y, **fit_params)
        else:
            own = fit_params | ({} if weights is None else {"sample_weight": weights})
            self.estimator_ = clone(self.estimator).fit(rows, labels, **own)
        self.classes_ = self.estimator_.classes_
        self.training_priors_ = self._training_priors(labels, weights)
        self.priors_ = self._priors()
        self.loss_ = Loss.zero_one(self.classes_, self.reject) if self.loss is None else Loss(self.loss)
        self.loss_.on(self.classes_)  # classes that do not fit are an error now
        if "n_features_in_" in vars(self.estimator_):
            self.n_features_in_ = self.estimator_.n_features_in_
        return self

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


@overload
def explain(
    model: AveragedOneDependence, X: IntoTable, between: Sequence[Level] | None = None, in_turn: bool = False
) -> Votes: ...


@overload
def explain(
    model: Classifier | LinearClassifier, X: IntoTable, between: Sequence[Level] | None = None, in_turn: bool = False
) -> Explanation: ...


def explain(
    model: Classifier | LinearClassifier, X: IntoTable, between: Sequence[Level] | None = None, in_turn: bool = False
) -> Explanation | Votes:
    """Explain why a row belongs to one class rather than another: its log odds, as a prior term plus a term per column.

    `between` names the two classes. It may be left out if there are only two: the second is then set against the
    first. Gaussian columns modelled together are measured from the midpoint between the means of the two classes. If
    the classes share a covariance, each column has one term, w_j (x_j − m_j); if not, each pair of columns has a term
    too ("a × b"), and there is one for the correlations as a whole. Other columns modelled together, and columns whose
    parameters are integrated out, share a single term; `in_turn=True` splits it into one term per column, given the
    columns before it. For an average of one-dependence models the result is Votes: what the model of each parent says,
    and its share.

    Raises
    ------
    TableError
        If the rows cannot be read, or lack a column of the model.
    ParameterError
        If a class is not known, or there are more than two and `between` is not given.
    NotFittedError
        If the model has not been fitted.

    >>> from suffice import GaussianDiscriminant, explain
    >>> means, narrow, wide = {"A": [0, 0], "B": [2, 2]}, [[1, 0.5], [0.5, 1]], [[2, 0], [0, 2]]
    >>> explain(GaussianDiscriminant.from_parameters(means, narrow), [[3, 1]], between=("B", "A"))
    ln odds of B against A
    term            ln odds
    x0 = 3          +2.6667
    prior log odds  +0.0000
    x1 = 1          +0.0000
    in all          +2.6667
    >>> explain(GaussianDiscriminant.from_parameters(means, {"A": narrow, "B": wide}), [[3, 1]], between=("B", "A"))
    ln odds of B against A
    term            ln odds
    x0 = 3          +4.0701
    x0 × x1         -0.8105
    x1 = 1          +0.0701
    prior log odds  +0.0000
    in all          +3.3297

    """
    turns = switch(in_turn, "in_turn")
    if isinstance(model, LinearClassifier):
        return model._explained(X, read_pair(tuple(plain(name) for name in model.classes_), between))
    pair = _pair(ours(model), between)
    if isinstance(model.joint_, AveragedJoint):
        return votes_of(model.joint_, model._table(X), pair, model._as_fitted._unseen())
    return explained(model.joint_, model._table(X), pair, model._as_fitted._unseen(), turns)


def worked(model: Classifier, row: Any, in_turn: bool = False) -> Worked:
    """Write out Bayes' rule for one row: p(x_j | class) by column and class, their product, evidence, posterior.

    `row` is {column: value} or a table with one row. Columns modelled together share one factor; `in_turn=True` splits
    it into a factor per column, given the columns before it.

    Raises
    ------
    TableError
        If the rows cannot be read, or lack a column of the model.
    ParameterError
        If there is more than one row.
    NotFittedError
        If the model has not been fitted.

    >>> from suffice import NaiveBayes, example, worked
    >>> melons, ripe = example("watermelon")
    >>> model = NaiveBayes(estimate="unbiased", smoothing=0).fit({"色泽": melons["色泽"], "密度": melons["密度"]}, ripe)
    >>> print(worked(model, {"色泽": "青绿", "密度": 0.697}))
    factor            否      是
    P(class)      0.5294  0.4706
    色泽 = 青绿   0.3333  0.3750
    密度 = 0.697  1.2033  1.9590
    product       0.2123  0.3457
    posterior     0.3805  0.6195
    <BLANKLINE>
    P(否) ∏ p(x_j | 否) = 0.5294 × 0.3333 × 1.2033 = 0.2123
    P(是) ∏ p(x_j | 是) = 0.4706 × 0.3750 × 1.9590 = 0.3457
    p(x) = 0.2123 + 0.3457 = 0.5581
    P(否 | x) = 0.2123 / 0.5581 = 0.3805
    P(是 | x) = 0.3457 / 0.5581 = 0.6195
    P(error | x) = 0.3805

    """
    turns = switch(in_turn, "in_turn")
    return worked_of(ours(model).joint_, model._table(one_row(row)), model._as_fitted._unseen(), turns)


def one_row(row: Any) -> Any:
    """A table of one row, from {column: value} or as it is."""
    named = by_name(row)
    single = isinstance(named, Mapping) and all(missing(cell) or np.isscalar(cell) for cell in named.values())
    return {name: [cell] for name, cell in named.items()} if single else row


def boundary(model: Classifier | LinearClassifier, a: Level, b: Level, loss: IntoLoss = None) -> Quadric:
    """The boundary between two classes in closed form: g(x) = 0, with g above 0 on the side of `a`.

    All columns must be Gaussian with plug-in estimates. A `loss` may weigh the two classes; its first action is the
    one for `a`.

    Raises
    ------
    ParameterError
        If a class is not known, columns are not Gaussian with plug-in estimates, or the loss is not about both.
    NotFittedError
        If the model has not been fitted.

    >>> from suffice import GaussianDiscriminant, boundary
    >>> means = {"a": {"x1": 3, "x2": 6}, "b": {"x1": 3, "x2": -2}}
    >>> model = GaussianDiscriminant.from_parameters(means, {"a": [[0.5, 0], [0, 2]], "b": [[2, 0], [0, 2]]})
    >>> boundary(model, "a", "b").solve_for("x2")
    'x2 = 0.1875 x1² − 1.125 x1 + 3.5142'

    """
    if isinstance(model, LinearClassifier) and loss is None:
        return model._boundary(plain(a), plain(b))
    return boundary_of(ours(model).joint_, plain(a), plain(b), read_loss(loss))


def discriminants(model: Classifier) -> Discriminants:
    """The discriminant g(x) = xᵀWx + wᵀx + w₀ of each class, as equations; linear where classes share a covariance.

    All columns must be Gaussian with plug-in estimates. The class whose g is largest is the most probable one. Terms
    common to all classes, such as (2π)^(−D/2), are left out.

    Raises
    ------
    ParameterError
        If columns are not Gaussian with plug-in estimates.
    NotFittedError
        If the model has not been fitted.

    >>> from suffice import GaussianDiscriminant, discriminants
    >>> means = {"ω1": {"x1": 3, "x2": 6}, "ω2": {"x1": 3, "x2": -2}}
    >>> discriminants(GaussianDiscriminant.from_parameters(means, {"ω1": [0.5, 2], "ω2": [2, 2]}))
    quadratic: W = −½ Σ⁻¹, w = Σ⁻¹μ, w₀ = −½ μᵀΣ⁻¹μ − ½ ln|Σ| + ln P
    g_ω1(x) = −1 x1² − 0.25 x2² + 6 x1 + 3 x2 − 18.693
    g_ω2(x) = −0.25 x1² − 0.25 x2² + 1.5 x1 − 1 x2 − 4.6363

    """
    return discriminants_of(ours(model).joint_)


def divergence(model: Classifier, a: Level, b: Level) -> Divergence:
    """How far apart two classes are: KL divergence both ways, and the Bhattacharyya and Mahalanobis distances.

    In closed form, for known parameters. Rows of counts are compared for a single word.

    Raises
    ------
    ParameterError
        If a class is not known, or a column has no divergence in closed form.
    NotFittedError
        If the model has not been fitted.

    >>> from suffice import GaussianDiscriminant, divergence
    >>> divergence(GaussianDiscriminant.from_parameters({"a": 0.0, "b": 2.0}, 1.0), "a", "b")
    KL(a ‖ b)      2.0000
    KL(b ‖ a)      2.0000
    Bhattacharyya  0.5000
    Mahalanobis    2.0000

    """
    return divergence_of(ours(model).joint_, plain(a), plain(b))


def ratio_test(loss: IntoLoss, priors: Any) -> RatioTest:
    """The likelihood-ratio test for a loss with two actions and two classes; the first action is for the first class.

    `priors` is {class: probability}, or a fitted suffice classifier, whose priors are then used and whose rows
    `decide(X)` accepts. With λ_ij the cost of action i under class j: action 1 is better when
    (λ₂₁ − λ₁₁) p(x|1) P(1) > (λ₁₂ − λ₂₂) p(x|2) P(2).

    Raises
    ------
    LossError
        If there are not two actions and two classes, or they are not those of `priors`.
    ParameterError
        If priors do not sum to 1.

    >>> from suffice import Loss, ratio_test
    >>> loss = Loss({"treat": {"ill": 0, "well": 5}, "wait": {"ill": 100, "well": 0}})
    >>> test = ratio_test(loss, {"ill": 0.2, "well": 0.8})
    >>> test.threshold, round(test.posterior, 4)
    (0.2, 0.0476)

    """
    if not isinstance(priors, Classifier):
        return likelihood_ratio_test(loss, priors)
    model, wanted = priors, Loss(loss).classes
    names = wanted if set(wanted) == set(model.joint_.classes) else model.joint_.classes
    shares = dict(zip(model.joint_.classes, model.priors_.tolist(), strict=True))
    test = likelihood_ratio_test(loss, {name: shares[name] for name in names})
    return replace(test, log_ratio=lambda X: _log_ratio(model, X, test))


def _log_ratio(model: Classifier, X: IntoTable, test: RatioTest) -> Array:
    """Ln p(row | numerator) − ln p(row | denominator); 0, said aloud, where the row is impossible under both."""
    logs = model.joint_.log_density(model._table(X), model._as_fitted._unseen())
    above, below = (logs[:, model.joint_.position(name)] for name in (test.numerator, test.denominator))
    never = np.isneginf(above) & np.isneginf(below)
    if never.any():
        warn(
            f"{int(never.sum())} of {len(logs)} rows are impossible under both classes, first row "
            f"{int(np.argmax(never))}; they are decided by the priors.",
            ImpossibleRowWarning,
        )
    return np.where(never, 0.0, np.where(never, 0.0, above) - np.where(never, 0.0, below))


def bayes_error(model: Classifier, loss: IntoLoss = None, draws: int = 100_000, random_state: Seed = 0) -> ExpectedRisk:
    """What the best decision would cost on average if the model were true: its error, or its risk under a loss.

    Exact for two Gaussians that share a covariance, for columns that allow at most a million different rows, and for a
    single column; otherwise estimated from random draws, with a standard error.

    Raises
    ------
    ParameterError
        If `model` is not a classifier with densities.
    LossError
        If the loss is about other classes than the model.
    NotFittedError
        If the model has not been fitted.

    >>> from suffice import GaussianDiscriminant, bayes_error
    >>> bayes_error(GaussianDiscriminant.from_parameters({"a": 0.0, "b": 2.0}, {"a": 1.0, "b": 4.0}))
    0.226694 (quadrature)

    """
    return expected_risk(ours(model).joint_, read_loss(loss), draws, random_state)


def error_bound(model: Classifier, share: float | None = None) -> float:
    """An upper bound on the Bayes error of two Gaussian classes: Chernoff's, or Bhattacharyya's with share=0.5.

    Raises
    ------
    ParameterError
        If there are not two classes of Gaussian columns, or `share` is not between 0 and 1.
    NotFittedError
        If the model has not been fitted.

    >>> from suffice import GaussianDiscriminant, error_bound
    >>> model = GaussianDiscriminant.from_parameters({"a": 0.0, "b": 2.0}, {"a": 1.0, "b": 4.0})
    >>> round(error_bound(model), 4), round(error_bound(model, 0.5), 4)
    (0.3565, 0.3661)

    """
    return chernoff_bound(ours(model).joint_, share)


def nomogram(model: Classifier, X: IntoTable, between: Sequence[Level] | None = None) -> Nomogram:
    """How much each value of each column adds to the log odds between two classes.

    `X` is a table that shows the range of the numbers; `between` is as for `explain`.

    Raises
    ------
    TableError
        If the rows cannot be read, or lack a column of the model.
    ParameterError
        If columns are modelled together, or `between` does not name two classes.
    NotFittedError
        If the model has not been fitted.

    >>> from suffice import NaiveBayes, nomogram
    >>> sky = {"sky": ["clear", "grey", "grey", "clear"]}
    >>> nomogram(NaiveBayes().fit(sky, ["go", "stay", "stay", "go"]), sky)
    points of stay against go, in nats · prior +0.0000
    sky       clear     grey
    points  -1.0986  +1.0986

    """
    pair = _pair(ours(model), between)
    return nomogram_of(model.joint_, model._table(X), pair)


def ours(model: BaseEstimator) -> Classifier:
    """A classifier that has densities."""
    if not isinstance(model, Classifier):
        inside = " Use the classifier inside it, estimator_." if isinstance(model, BayesDecision) else ""
        raise ParameterError(
            f"This needs a fitted classifier with densities, such as NaiveBayes; found {type(model).__name__}.{inside}"
        )
    return model


def _pair(model: Classifier, between: Any) -> tuple[Level, Level]:
    return read_pair(model.joint_.classes, between)


def read_pair(classes: Levels, between: Any) -> tuple[Level, Level]:
    """Two classes, the one that positive log odds speak for first."""
    if between is None and len(classes) == 2:
        return classes[1], classes[0]
    listed = isinstance(between, list | tuple) or (isinstance(between, np.ndarray) and between.ndim == 1)
    if not listed or len(between) != 2:
        found = "" if between is None else f"; found {shown(between)}"
        raise ParameterError(f"Say between which two of {list(classes)}: between=(a, b){found}.")
    unknown = [name for name in between if not _among(name, classes)]
    if unknown:
        raise ParameterError(f"There is no class {unknown[0]!r}; the model has {list(classes)}.")
    first, second = (plain(name) for name in between)
    if first == second:
        raise ParameterError(f"There are no odds between {first!r} and itself; name two of {list(classes)}.")
    return first, second


def _among(name: Level, classes: Levels) -> bool:
    """Whether it is one of the classes; what has no hash is none."""
    try:
        return plain(name) in set(classes)
    except TypeError:
        return False
