"""Side by side with scikit-learn: the same posteriors where the definitions coincide, and a good citizen among its
tools."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import VotingClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from suffice import NaiveBayes

ROWS, COLUMNS, LEVELS = 150, 4, 5
ALPHAS = [1e-3, 1.0, 7.5]
SHARES = np.array([0.2, 0.5, 0.3])
PRIORS = [  # ours, and scikit-learn's fit_prior and class_prior
    (None, True, None),
    ("uniform", False, None),
    (SHARES, True, SHARES),
]
all_priors = pytest.mark.parametrize("priors, fit_prior, class_prior", PRIORS, ids=["empirical", "uniform", "given"])
weighted = pytest.mark.parametrize("weighted", [False, True])


def labels():
    return np.random.default_rng(1).choice(3, ROWS, p=[0.5, 0.3, 0.2])


def weights(wanted):
    return np.random.default_rng(2).uniform(0.1, 3, ROWS) if wanted else None


def shifted_by_class(draw):
    """Cells (N, D) whose distribution depends on the class."""
    rng = np.random.default_rng(3)
    return np.array([draw(rng, label) for label in labels()])


def numbers():
    return shifted_by_class(lambda rng, label: rng.normal(label, 1 + label, COLUMNS))


def codes():
    return shifted_by_class(lambda rng, label: rng.binomial(LEVELS - 1, 0.3 + 0.1 * label, COLUMNS))


def bits():
    return shifted_by_class(lambda rng, label: rng.binomial(1, [0.1, 0.5, 0.6, 0.9][label : label + 1] * COLUMNS))


def words():
    return shifted_by_class(lambda rng, label: rng.poisson(np.roll([5.0, 1.0, 0.3, 0.0], label)))


def mixed():
    return pd.DataFrame({"x": numbers()[:, 0], "c": np.array(list("abcde"))[codes()[:, 0]], "b": bits()[:, 0] > 0})


def assert_equal(ours, theirs, X, is_weighted, given=None):
    """Posteriors, log posteriors and predictions after both learned the same rows."""
    ours.fit(X if given is None else given, labels(), sample_weight=weights(is_weighted))
    theirs.fit(X, labels(), sample_weight=weights(is_weighted))
    found = ours.predict_proba(X if given is None else given)
    np.testing.assert_allclose(found, theirs.predict_proba(X), rtol=1e-10, atol=1e-13)
    np.testing.assert_array_equal(ours.predict(X if given is None else given), theirs.predict(X))


@weighted
@pytest.mark.parametrize("shares", [None, SHARES])
def test_gaussian(weighted, shares):
    ours, theirs = NaiveBayes(estimate="ml", priors=shares), GaussianNB(var_smoothing=0, priors=shares)
    assert_equal(ours, theirs, numbers(), weighted)


@weighted
@all_priors
@pytest.mark.parametrize("alpha", ALPHAS)
def test_categorical(alpha, weighted, priors, fit_prior, class_prior):
    ours = NaiveBayes(kinds="categorical", smoothing=alpha, priors=priors)
    theirs = CategoricalNB(alpha=alpha, min_categories=LEVELS, fit_prior=fit_prior, class_prior=class_prior)
    assert_equal(ours, theirs, codes(), weighted, pd.DataFrame(codes()).astype(declared()))


def declared():
    return pd.CategoricalDtype(range(LEVELS))


@weighted
@all_priors
@pytest.mark.parametrize("alpha", ALPHAS)
def test_bernoulli(alpha, weighted, priors, fit_prior, class_prior):
    ours = NaiveBayes(kinds="binary", smoothing=alpha, priors=priors)
    theirs = BernoulliNB(alpha=alpha, fit_prior=fit_prior, class_prior=class_prior)
    assert_equal(ours, theirs, bits(), weighted)


@weighted
@all_priors
@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array, sparse.csc_matrix])
def test_multinomial(layout, alpha, weighted, priors, fit_prior, class_prior):
    ours = NaiveBayes(kinds="counts", smoothing=alpha, priors=priors)
    theirs = MultinomialNB(alpha=alpha, fit_prior=fit_prior, class_prior=class_prior)
    assert_equal(ours, theirs, layout(words()), weighted)


PAIRS = {
    "gaussian": (NaiveBayes(estimate="ml"), GaussianNB(var_smoothing=0), numbers),
    "binary": (NaiveBayes(kinds="binary"), BernoulliNB(), bits),
    "counts": (NaiveBayes(kinds="counts"), MultinomialNB(), words),
}


@pytest.mark.parametrize("kind", PAIRS)
@pytest.mark.parametrize("as_given", [list, np.array])
@pytest.mark.parametrize("again", [False, True], ids=["classes once", "classes each time"])
def test_partial_fit_with_all_classes_named(kind, as_given, again):
    ours, theirs, cells = PAIRS[kind]
    ours, theirs, X, y = clone(ours), clone(theirs), cells(), np.sort(labels())  # so the first batch has one class
    for first in range(0, ROWS, 50):
        rows, named = slice(first, first + 50), {"classes": as_given([0, 1, 2])} if again or not first else {}
        ours.partial_fit(X[rows], y[rows], **named)
        theirs.partial_fit(X[rows], y[rows], **named)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("smoothing", [0.0, 0.5])
def test_a_class_declared_and_not_seen_yet(smoothing):
    fitted = NaiveBayes(smoothing=smoothing).partial_fit(mixed(), labels(), classes=[0, 1, 2, 3])
    np.testing.assert_array_equal(fitted.predict_proba(mixed())[:, 3], 0)
    np.testing.assert_allclose(fitted.predict_proba(mixed()).sum(axis=1), 1)


# scikit-learn's tools


def test_a_clone_has_the_parameters_and_nothing_learned():
    options = {"kinds": {"x": "gaussian"}, "smoothing": 0.5, "priors": {0: 0.2, 1: 0.5, 2: 0.3}, "unseen": "ignore"}
    copy = clone(NaiveBayes(**options).fit(mixed(), labels()))
    assert not hasattr(copy, "classes_")
    assert {name: copy.get_params()[name] for name in options} == options


def test_parameters_can_be_set_afterwards():
    changed = NaiveBayes().set_params(smoothing=3, estimate="unbiased").fit(mixed(), labels())
    direct = NaiveBayes(smoothing=3, estimate="unbiased").fit(mixed(), labels())
    np.testing.assert_array_equal(changed.log_joint(mixed()), direct.log_joint(mixed()))


@pytest.mark.parametrize("estimate", ["ml", "unbiased", "map", "mean", "predictive"])
@pytest.mark.parametrize("kinds", [None, {"x": "ignore", "b": "binary"}])
def test_pickle_keeps_everything(estimate, kinds):
    fitted = NaiveBayes(kinds, estimate=estimate).fit(mixed(), labels())
    back = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(back.log_joint(mixed()), fitted.log_joint(mixed()))
    np.testing.assert_array_equal(back.partial_fit(mixed(), labels()).summary_.n, 2 * ROWS)
    assert str(pickle.loads(pickle.dumps(fitted))) == str(fitted)


def test_in_a_pipeline_with_names():
    frame = pd.DataFrame(numbers(), columns=list("pqrs"))
    pipeline = make_pipeline(StandardScaler().set_output(transform="pandas"), NaiveBayes()).fit(frame, labels())
    assert pipeline[-1].feature_names_in_.tolist() == list("pqrs")
    direct = NaiveBayes().fit(frame, labels()).predict_proba(frame)
    np.testing.assert_allclose(pipeline.predict_proba(frame), direct, rtol=1e-9, atol=1e-12)


def test_in_a_pipeline_with_text():
    texts = np.array(["free money now", "meeting at noon", "free offer", "lunch at noon"])
    pipeline = make_pipeline(CountVectorizer(), NaiveBayes(kinds="counts")).fit(texts, list("shsh"))
    assert pipeline.predict(["free lunch money"]) == ["s"]


def test_behind_a_column_transformer():
    scaled = ColumnTransformer([("scale", StandardScaler(), ["x"])], remainder="passthrough")
    pipeline = make_pipeline(scaled.set_output(transform="pandas"), NaiveBayes()).fit(mixed(), labels())
    direct = NaiveBayes().fit(mixed(), labels()).predict_proba(mixed())
    np.testing.assert_allclose(pipeline.predict_proba(mixed()), direct, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("scoring", ["accuracy", "neg_log_loss"])
def test_grid_search_over_smoothing(scoring):
    grid = {"smoothing": [0.01, 1.0, 100.0], "estimate": ["map", "predictive"], "priors": [None, "uniform"]}
    found = GridSearchCV(NaiveBayes(), grid, scoring=scoring, error_score="raise").fit(mixed(), labels())
    assert np.isfinite(found.cv_results_["mean_test_score"]).all()
    assert set(found.best_params_) == set(grid)


def test_cross_validation_agrees_with_theirs():
    ours = cross_val_score(NaiveBayes(estimate="ml"), numbers(), labels(), error_score="raise")
    np.testing.assert_array_equal(ours, cross_val_score(GaussianNB(var_smoothing=0), numbers(), labels()))


def test_cross_validated_posteriors_of_text_classes():
    names = np.array(["甲", "乙", "丙"])[labels()]
    found = cross_val_predict(NaiveBayes(), mixed(), names, method="predict_proba")
    np.testing.assert_allclose(found.sum(axis=1), 1)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_can_be_calibrated(method):
    found = CalibratedClassifierCV(NaiveBayes(), method=method, cv=3).fit(mixed(), labels())
    np.testing.assert_allclose(found.predict_proba(mixed()).sum(axis=1), 1)


def test_can_vote():
    members = [("ours", NaiveBayes()), ("theirs", LogisticRegression())]
    found = VotingClassifier(members, voting="soft").fit(numbers(), labels()).predict_proba(numbers())
    alone = [member.fit(numbers(), labels()).predict_proba(numbers()) for _, member in members]
    np.testing.assert_allclose(found, np.mean(alone, axis=0))
