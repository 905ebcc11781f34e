"""scikit-learn's own checks, over every estimator and the settings that change what it accepts."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from suffice import NaiveBayes


@pytest.mark.filterwarnings("ignore::suffice.errors.KindHint")  # the checks feed integers of few values
@parametrize_with_checks([NaiveBayes(), NaiveBayes(kinds="counts"), NaiveBayes(estimate="predictive")])
def test_scikit_learn_contract(estimator, check):
    check(estimator)
