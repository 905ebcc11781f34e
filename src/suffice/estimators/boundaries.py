"""Where the classes of a fitted classifier part, and how often the best decision between them errs.

In:  a fitted classifier, or what a test needs of one.
Out: Quadric, Discriminants, Divergence, RatioTest, ExpectedRisk; bounds as numbers.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from sklearn.utils.validation import check_is_fitted

from suffice.arrays import Array
from suffice.data.levels import Level, plain
from suffice.data.table import IntoTable
from suffice.decisions.boundary import boundary_of
from suffice.decisions.discriminants import Discriminants, discriminants_of
from suffice.decisions.divergence import Divergence, divergence_of
from suffice.decisions.error import ExpectedRisk, chernoff_bound, expected_risk
from suffice.decisions.loss import IntoLoss, Loss
from suffice.decisions.quadric import Quadric
from suffice.decisions.two_classes import RatioTest, likelihood_ratio_test
from suffice.errors import ImpossibleRowWarning, warn
from suffice.estimators.discriminative import LinearClassifier
from suffice.estimators.generative import GenerativeClassifier
from suffice.estimators.reasons import ours
from suffice.judge.validation import read_loss
from suffice.learn.densities import Densities
from suffice.options import Seed


def boundary(model: GenerativeClassifier | LinearClassifier, a: Level, b: Level, loss: IntoLoss = None) -> Quadric:
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
        check_is_fitted(model)
        return model.model_.boundary(plain(a), plain(b))
    return boundary_of(ours(model).joint, plain(a), plain(b), read_loss(loss))


def discriminants(model: GenerativeClassifier) -> Discriminants:
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
    return discriminants_of(ours(model).joint)


def divergence(model: GenerativeClassifier, a: Level, b: Level) -> Divergence:
    """Measure how far apart two classes are: KL divergence both ways, Bhattacharyya and Mahalanobis distances.

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
    return divergence_of(ours(model).joint, plain(a), plain(b))


def ratio_test(loss: IntoLoss, priors: GenerativeClassifier | Mapping[Level, float]) -> RatioTest:
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
    if not isinstance(priors, GenerativeClassifier):
        return likelihood_ratio_test(loss, priors)
    model, wanted = ours(priors), Loss(loss).classes
    names = wanted if set(wanted) == set(model.classes) else model.classes
    shares = dict(zip(model.classes, model.shares.tolist(), strict=True))
    test = likelihood_ratio_test(loss, {name: shares[name] for name in names})
    return replace(test, log_ratio=lambda X: _log_ratio(model, X, test))


def _log_ratio(model: Densities, X: IntoTable, test: RatioTest) -> Array:
    """Ln p(row | numerator) − ln p(row | denominator); 0, said aloud, where the row is impossible under both."""
    logs = model.log_density(model.table(X))
    above, below = (logs[:, model.joint.position(name)] for name in (test.numerator, test.denominator))
    never = np.isneginf(above) & np.isneginf(below)
    if never.any():
        warn(
            f"{int(never.sum())} of {len(logs)} rows are impossible under both classes, first row "
            f"{int(np.argmax(never))}; they are decided by the priors.",
            ImpossibleRowWarning,
        )
    return np.where(never, 0.0, np.where(never, 0.0, above) - np.where(never, 0.0, below))


def bayes_error(
    model: GenerativeClassifier, loss: IntoLoss = None, draws: int = 100_000, random_state: Seed = 0
) -> ExpectedRisk:
    """The average cost of the best decision if the model were true: its error, or its risk under a loss.

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
    return expected_risk(ours(model).joint, read_loss(loss), draws, random_state)


def error_bound(model: GenerativeClassifier, share: float | None = None) -> float:
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
    return chernoff_bound(ours(model).joint, share)
