from sklearn.utils.estimator_checks import parametrize_with_checks

from suffice import NaiveBayes


@parametrize_with_checks([NaiveBayes(), NaiveBayes(kinds="counts"), NaiveBayes(estimate="predictive")])
def test_scikit_learn_contract(estimator, check):
    check(estimator)
