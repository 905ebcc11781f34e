"""scikit-learn's own checks, over every estimator and the settings that change what it accepts."""

import inspect

import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import check_positive_only_tag_during_fit, parametrize_with_checks

from suffice import (
    BayesDecision,
    Calibrated,
    GaussianDiscriminant,
    LinearDiscriminant,
    MarginClassifier,
    Mixture,
    NaiveBayes,
    QuadraticDiscriminant,
    TreeAugmentedBayes,
)
from suffice.estimators.registry import MODELS

ESTIMATORS = [
    *(entry.model() for entry in MODELS if not entry.around),
    NaiveBayes(kinds="counts"),
    NaiveBayes(estimate="predictive"),
    LinearDiscriminant(shape="diagonal"),
    QuadraticDiscriminant(estimate="map"),
    QuadraticDiscriminant(shrink_spherical=0.1),
    GaussianDiscriminant(shape="spherical", estimate="predictive"),
    TreeAugmentedBayes(kinds="categorical", criterion="evidence"),
    BayesDecision(LogisticRegression()),
    BayesDecision(LinearDiscriminant(estimate="map"), priors="uniform"),
    Mixture(2),
    Mixture(2, "diagonal", start="random"),
    MarginClassifier(probabilities=True),
    Calibrated(NaiveBayes()),
]

DRAWN = "starts are drawn among rows, and rows repeated are drawn otherwise; from a start that is given it holds"
IN_PLACE = "astype(X.dtype)" not in inspect.getsource(check_positive_only_tag_during_fit)  # up to scikit-learn 1.7
HIDDEN = {"check_sample_weight_equivalence_on_dense_data": DRAWN}
FAILING = {
    "Mixture(components=2)": HIDDEN,
    "Mixture(components=2, shape='diagonal', start='random')": HIDDEN,
    "LatentClass()": HIDDEN,
    "NaiveBayes(kinds='counts')": {
        "check_decision_proba_consistency": "its numbers are below 0, no counts, though the tag positive_only says so",
    },
    "Calibrated(estimator=NaiveBayes())": {
        "check_sample_weight_equivalence_on_dense_data": "a row leaves with all of its weight; of two alike one stays",
    },
    "MarginClassifier(probabilities=True)": {
        f"check_sample_weight_equivalence_on_{form}_data": "rows repeated are dealt to folds otherwise"
        for form in ("dense", "sparse")
    },
    "QuadraticDiscriminant(shrink_spherical=0.1)": {
        "check_estimators_nan_inf": "missing cells are refused in fitting; predictions marginalise them exactly",
    },
}
if IN_PLACE:
    why = "scikit-learn's own check takes a mean off integers in place"
    FAILING["QuadraticDiscriminant(shrink_spherical=0.1)"]["check_positive_only_tag_during_fit"] = why


@pytest.mark.filterwarnings("ignore::suffice.errors.UndeterminedWarning")  # and few rows
@pytest.mark.filterwarnings("ignore::suffice.errors.KindHint")  # the checks feed integers of few values
@parametrize_with_checks(ESTIMATORS, expected_failed_checks=lambda estimator: FAILING.get(repr(estimator), {}))
def test_scikit_learn_contract(estimator, check):
    check(estimator)
