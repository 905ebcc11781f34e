"""Other class priors: the same answer as a classifier trained under them, whatever priors it was trained under."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier, VotingClassifier
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import BernoulliNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from suffice import (
    BayesDecision,
    Calibrated,
    LinearDiscriminant,
    LogisticClassifier,
    NaiveBayes,
    estimate_priors,
    load,
)
from suffice.decisions.shift import shifted
from suffice.errors import FileError, ParameterError

RNG = np.random.default_rng(0)
Y = (np.arange(2000) % 10 == 0).astype(int)  # 9 : 1
COUNTS = RNG.poisson(np.where(Y[:, None] == 1, [4.0, 2.0, 1.0], [2.0, 2.0, 2.0]))
X = RNG.normal(size=(2000, 2)) + 1.2 * Y[:, None]
EVEN = {0: 0.5, 1: 0.5}
TOLD = {0: 0.3, 1: 0.7}


def moved(model, table=X, y=Y, priors=EVEN, **options):
    fit_params = options.pop("fit_params", {})
    return BayesDecision(model, priors=priors, **options).fit(table, y, **fit_params).predict_proba(table)


@pytest.mark.parametrize("trained", [None, [0.5, 0.5], [0.2, 0.8]])
@pytest.mark.parametrize("make", [GaussianNB, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis, NaiveBayes])
def test_generative_classifiers_say_their_priors_themselves(make, trained):
    expected = make(priors=np.array([0.3, 0.7])).fit(X, Y).predict_proba(X)
    np.testing.assert_allclose(moved(make(priors=trained), priors=TOLD), expected, atol=1e-9)


@pytest.mark.parametrize("options", [{}, {"fit_prior": False}, {"class_prior": [0.2, 0.8]}])
@pytest.mark.parametrize("make", [MultinomialNB, BernoulliNB])
def test_logarithms_of_priors_are_read_too(make, options):
    expected = make(class_prior=[0.3, 0.7]).fit(COUNTS, Y).predict_proba(COUNTS)
    np.testing.assert_allclose(moved(make(**options), COUNTS, priors=TOLD), expected, atol=1e-9)


@pytest.mark.parametrize("weight", ["balanced", {0: 1, 1: 9}, {1: 3.0}, None])
def test_class_weights_are_counted_once(weight):
    found = moved(LogisticRegression(C=1e6, class_weight=weight))
    expected = LogisticRegression(C=1e6, class_weight="balanced").fit(X, Y).predict_proba(X)
    assert np.abs(found - expected).max() < 0.06  # other weights are another fit, but not another prior
    if weight in ("balanced", {0: 1, 1: 9}):
        np.testing.assert_allclose(found, expected, atol=1e-4)


@pytest.mark.parametrize(
    ("model", "shares"),
    [
        (RandomForestClassifier(5, class_weight="balanced_subsample", random_state=0), [0.5, 0.5]),
        (KNeighborsClassifier(), [0.9, 0.1]),
        (GaussianProcessClassifier(), [0.9, 0.1]),
        (SVC(kernel="linear"), None),
    ],
    ids=lambda case: type(case).__name__,
)
def test_what_the_labels_say_of_other_classifiers(model, shares):
    if shares is None:
        with pytest.raises(ParameterError, match=r"classifier with predict_proba.*found SVC"):
            BayesDecision(model).fit(X[:100], Y[:100])
        return
    np.testing.assert_allclose(BayesDecision(model).fit(X[:100], Y[:100]).training_priors_, shares)


def test_row_weights_are_part_of_the_shares():
    weights = np.where(Y == 1, 9.0, 1.0)
    found = BayesDecision(LogisticRegression()).fit(X, Y, sample_weight=weights)
    np.testing.assert_allclose(found.training_priors_, [0.5, 0.5])


UNTOLD = [
    make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced")),
    make_pipeline(StandardScaler(), GaussianNB(priors=[0.5, 0.5])),
    GridSearchCV(LogisticRegression(), {"class_weight": ["balanced", None]}),
    VotingClassifier([("a", GaussianNB()), ("b", LogisticRegression())], voting="soft"),
    CalibratedClassifierCV(GaussianNB()),
]


@pytest.mark.parametrize("model", UNTOLD, ids=lambda model: type(model).__name__)
def test_a_classifier_inside_another_is_asked_about(model):
    with pytest.raises(ParameterError, match=r"cannot be read from it.*training_priors="):
        moved(model)
    fitted = BayesDecision(model).fit(X, Y)  # without other priors there is nothing to ask
    with pytest.raises(ParameterError, match="training_priors="):
        estimate_priors(fitted, X)
    with pytest.raises(ParameterError, match="training_priors="):
        estimate_priors(fitted.estimator_, X)


OURS = [
    Calibrated(NaiveBayes()),
    Calibrated(NaiveBayes(), method="platt"),
    Calibrated(LinearDiscriminant(priors="uniform")),
    Calibrated(LinearDiscriminant(priors="uniform"), method="platt"),
    Calibrated(LogisticClassifier()),
]


@pytest.mark.parametrize("model", OURS, ids=repr)
def test_calibrated_says_the_class_priors_that_it_has(model, tmp_path):
    weights = np.where(Y == 1, 3.0, 1.0)
    fitted = BayesDecision(model, priors=EVEN).fit(X, Y, sample_weight=weights)
    given = "uniform" in repr(model) and model.method == "temperature"
    before = np.array([0.5, 0.5] if given else [0.75, 0.25])
    np.testing.assert_allclose(fitted.training_priors_, before)
    posterior = fitted.estimator_.predict_proba(X)
    np.testing.assert_allclose(fitted.predict_proba(X), shifted(posterior, before, np.array([0.5, 0.5])), rtol=1e-12)
    fitted.estimator_.save(tmp_path / "calibrated")
    np.testing.assert_array_equal(load(tmp_path / "calibrated").priors_, before)
    assert sum(estimate_priors(load(tmp_path / "calibrated"), X).priors.values()) == pytest.approx(1)


def test_priors_in_a_file_that_are_none_are_refused(tmp_path):
    model = Calibrated(NaiveBayes(), method="platt").fit(X[:100], Y[:100])
    for wrong in ([0.5, 0.6], [1.5, -0.5], [np.nan, 1.0], [1.0]):
        model.model_ = replace(model.model_, priors=np.array(wrong))
        model.save(tmp_path / "calibrated")
        with pytest.raises(FileError, match="does not hold what its header says"):
            load(tmp_path / "calibrated")
    model.model_ = replace(model.model_, priors=None)  # as files had it once
    model.save(tmp_path / "calibrated")
    assert load(tmp_path / "calibrated").priors_ is None


def test_complement_naive_bayes_has_no_priors_in_its_posteriors():
    with pytest.raises(ParameterError, match="training_priors="):
        moved(ComplementNB(), COUNTS)


def test_what_is_told_is_what_is_used():
    inside = make_pipeline(StandardScaler(), GaussianNB(priors=[0.2, 0.8]))
    expected = GaussianNB(priors=[0.5, 0.5]).fit(X, Y).predict_proba(X)
    for told in ({0: 0.2, 1: 0.8}, [0.2, 0.8]):
        np.testing.assert_allclose(moved(inside, training_priors=told), expected, atol=1e-9)
    even = make_pipeline(StandardScaler(), GaussianNB(priors=[0.5, 0.5]))
    np.testing.assert_allclose(moved(even, training_priors="uniform"), expected, atol=1e-9)


@pytest.mark.parametrize("model", [GaussianNB(priors=[0.5, 0.5]), NaiveBayes(), LinearDiscriminantAnalysis()])
def test_what_contradicts_the_classifier_is_refused(model):
    with pytest.raises(ParameterError, match=r"was fitted with the class priors .* but training_priors says"):
        moved(model, training_priors={0: 0.35, 1: 0.65})


@pytest.mark.parametrize(
    ("told", "text"),
    [
        ("smoothed", "training_priors must be"),
        ({0: 0.5, 2: 0.5}, "training_priors names the classes"),
        ([0.5, 0.6], "training_priors must be probabilities that sum to 1"),
        (object(), "training_priors must be numbers"),
        ([0.5, np.nan], "training_priors must be probabilities"),
    ],
)
def test_training_priors_that_are_none_are_called_by_their_name(told, text):
    with pytest.raises(ParameterError, match=text):
        moved(LogisticRegression(), training_priors=told)
    with pytest.raises(ParameterError, match=text):
        estimate_priors(LogisticRegression().fit(X, Y), X, training_priors=told)


@pytest.mark.parametrize(
    "model", [NaiveBayes(priors=[0, 1]), LinearDiscriminant(priors={0: 1, 1: 0}), GaussianNB(priors=[0.0, 1.0])]
)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_a_prior_of_zero_cannot_be_moved(model):
    with pytest.raises(ParameterError, match=r"prior of 0 for \[.\].*Fit it with priors above 0"):
        moved(model)
    with pytest.raises(ParameterError, match="prior of 0"):
        estimate_priors(model.fit(X, Y), X)
    stays = BayesDecision(model, priors=[*model.fit(X, Y).predict_proba(X)[0].round()]).fit(X, Y)
    np.testing.assert_allclose(stays.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("model", [GaussianNB(priors=[0.5, 0.5]), LinearDiscriminantAnalysis(), NaiveBayes()])
def test_priors_of_rows_are_estimated_from_what_the_classifier_says(model):
    told = np.full(2, 0.5) if isinstance(model, GaussianNB) else [0.9, 0.1]
    found = estimate_priors(model.fit(X, Y), X).priors
    again = estimate_priors(make_pipeline(StandardScaler(), model).fit(X, Y), X, training_priors=told).priors
    assert found == pytest.approx(again, abs=1e-6)
    assert estimate_priors(BayesDecision(model, priors=EVEN).fit(X, Y), X).priors == pytest.approx(found)
    assert found[1] == pytest.approx(0.1, abs=0.03)


def test_options_set_after_fitting_wait_for_the_next_fit():
    found = BayesDecision(GaussianNB(), priors=EVEN).fit(X, Y)
    before = found.predict_proba(X)
    found.set_params(priors=TOLD)
    np.testing.assert_array_equal(found.predict_proba(X), before)
    np.testing.assert_allclose(found.priors_, [0.5, 0.5])


def test_decisions_on_top_of_decisions_know_their_priors():
    inner = BayesDecision(GaussianNB(), priors=EVEN)
    np.testing.assert_allclose(moved(inner, priors=TOLD), moved(GaussianNB(), priors=TOLD), atol=1e-9)
