"""Posteriors made warmer or colder by rows left out: against a general minimiser, and as any other classifier."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.special import log_softmax
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression

from suffice import (
    AveragedOneDependence,
    BayesDecision,
    Calibrated,
    GaussianDiscriminant,
    LinearDiscriminant,
    LogisticClassifier,
    MarginClassifier,
    NaiveBayes,
    QuadraticDiscriminant,
    TreeAugmentedBayes,
    compare,
    cross_validate,
    example,
    leave_one_out,
    load,
)
from suffice.discriminative.temperature import HELD, learned
from suffice.errors import ParameterError

IRISES, SPECIES = load_iris(return_X_y=True)
pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.KindHint")


@pytest.mark.parametrize("levels", [False, True])
@pytest.mark.parametrize("classes", [2, 3])
def test_numbers_are_those_of_a_general_minimiser(levels, classes):
    rng = np.random.default_rng(classes)
    logs = log_softmax(3 * rng.normal(size=(200, classes)), axis=1)
    codes = (log_softmax(0.4 * logs, axis=1) + rng.gumbel(size=logs.shape)).argmax(axis=1)
    weights = rng.uniform(0.5, 2, 200)

    def loss(theta):
        level = np.append(0.0, theta[1:]) if levels else 0.0
        found = log_softmax(theta[0] * logs + level, axis=1)
        away = np.append(theta[0] - 1, np.sqrt(2) * (level - np.mean(level)))
        return 0.5 * HELD * away @ away - weights @ found[np.arange(200), codes]

    best = minimize(loss, np.append(1.0, np.zeros(levels * (classes - 1))), method="BFGS", options={"gtol": 1e-9}).x
    found = learned(logs, codes, weights, levels)
    np.testing.assert_allclose(found.slope, best[0], rtol=1e-5)
    np.testing.assert_allclose(found.level[1:] - found.level[0], best[1:] if levels else 0.0, atol=1e-5)


def test_a_model_that_is_too_sure_is_made_less_so():
    X, y = load_breast_cancer(return_X_y=True)
    found = Calibrated(NaiveBayes()).fit(X, y)
    assert 0 < found.slope_ < 0.5
    assert not found.level_.any()
    plain = NaiveBayes().fit(X, y)
    np.testing.assert_array_equal(found.predict(X), plain.predict(X))
    np.testing.assert_allclose(
        found.predict_proba(X), np.exp(log_softmax(found.slope_ * plain.predict_log_proba(X), axis=1)), atol=1e-12
    )


@pytest.mark.parametrize("model", [NaiveBayes(), LinearDiscriminant(), LogisticClassifier()], ids=repr)
@pytest.mark.parametrize("method", ["temperature", "platt"])
def test_the_temperature_is_that_of_rows_left_out(model, method):
    found = Calibrated(model, method).fit(IRISES, SPECIES)
    exam = leave_one_out(model, IRISES, SPECIES)
    by_hand = learned(exam.log_posterior, SPECIES, np.ones(150), method == "platt")
    np.testing.assert_allclose(found.slope_, by_hand.slope, rtol=1e-6)
    np.testing.assert_allclose(found.level_, by_hand.level, atol=1e-6)


def test_rows_that_cannot_leave_one_by_one_leave_in_folds():
    X = IRISES.copy()
    X[::7, 1] = np.nan
    found = Calibrated(LinearDiscriminant()).fit(X, SPECIES)
    exam = cross_validate(LinearDiscriminant(), X, SPECIES, folds=10)
    np.testing.assert_allclose(found.slope_, learned(exam.log_posterior, SPECIES, np.ones(150), False).slope, rtol=1e-6)
    few = Calibrated(LinearDiscriminant()).fit(X[::25], SPECIES[::25])  # fewer rows than folds
    assert np.isfinite(few.predict_log_proba(X)).all()


@pytest.mark.filterwarnings("ignore::suffice.errors.UndeterminedWarning")
def test_what_is_automatic_is_settled_before_rows_are_left_out():
    settings = dict.fromkeys(GaussianDiscriminant.RECIPE.TUNABLE, "auto")
    found = Calibrated(GaussianDiscriminant(**settings)).fit(IRISES, SPECIES)
    plain = found.estimator_.tuned_.beyond_doubt(
        "shape=full, shared=True, shrink_shared=0.0, shrink_spherical=0.0, inflate=1.0"
    )
    by_hand = learned(plain.validation.log_posterior, SPECIES, np.ones(150), False)
    np.testing.assert_allclose(found.slope_, by_hand.slope, rtol=1e-6)


def test_folds_learn_the_temperature_without_the_fold():
    fold = np.arange(150) % 3
    exam = cross_validate(Calibrated(NaiveBayes()), IRISES, SPECIES, folds=fold)
    apart = Calibrated(NaiveBayes()).fit(IRISES[fold != 1], SPECIES[fold != 1])
    np.testing.assert_allclose(exam.posterior[fold == 1], apart.predict_proba(IRISES[fold == 1]), atol=1e-10)
    found = compare([NaiveBayes(), Calibrated(NaiveBayes())], IRISES, SPECIES, folds=fold)
    assert "not a density" in found["Calibrated"].note


@pytest.mark.parametrize("classes", [2, 3])
def test_its_decision_values_are_those_of_its_posteriors(classes):
    rows = IRISES[classes > SPECIES], SPECIES[classes > SPECIES]
    model = Calibrated(LinearDiscriminant(estimate="unbiased")).fit(*rows)
    logs, scores = model.predict_log_proba(rows[0]), model.decision_function(rows[0])
    np.testing.assert_allclose(scores, logs[:, 1] - logs[:, 0] if classes == 2 else logs)
    assert np.isfinite(model.decision_function([[1e150] * 4])).all()


def test_mixed_columns_decisions_and_pickles():
    columns, species = example("penguins")
    model = Calibrated(NaiveBayes(kinds={"year": "ignore"})).fit(columns, species)
    assert model.score(columns, species) > 0.95
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(columns), model.predict_proba(columns))
    decisions = BayesDecision(Calibrated(NaiveBayes(kinds={"year": "ignore"})), reject=0.1).fit(columns, species)
    assert len(decisions.predict(columns)) == len(species)


@pytest.mark.parametrize("inner", [NaiveBayes(), LinearDiscriminant(), LogisticClassifier(C=2.0)], ids=repr)
@pytest.mark.parametrize("method", ["temperature", "platt"])
def test_files_keep_the_model_and_its_temperature(inner, method, tmp_path):
    model = Calibrated(inner, method).fit(IRISES, SPECIES)
    model.set_params(method="temperature").save(tmp_path / "模型")
    again = load(tmp_path / "模型")
    np.testing.assert_array_equal(again.predict_proba(IRISES), model.predict_proba(IRISES))
    assert (again.method, repr(again.estimator)) == (method, repr(inner))
    assert (tmp_path / "模型").stat().st_size < 5000  # no row of 150


def test_what_cannot_be_calibrated():
    with pytest.raises(ParameterError, match="a classifier of suffice"):
        Calibrated(LogisticRegression()).fit(IRISES, SPECIES)
    with pytest.raises(ParameterError, match="method="):
        Calibrated(NaiveBayes(), "isotonic").fit(IRISES, SPECIES)
    with pytest.raises(ParameterError, match="Give folds"):
        Calibrated(MarginClassifier()).fit(IRISES, SPECIES)


@pytest.mark.parametrize("method", ["temperature", "platt"])
@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize(
    "model",
    [
        NaiveBayes(),
        NaiveBayes(estimate="map", priors="uniform"),
        LinearDiscriminant(estimate="unbiased"),
        QuadraticDiscriminant(estimate="map"),
        TreeAugmentedBayes(tree={"b": "c"}),
        AveragedOneDependence(),
    ],
    ids=repr,
)
def test_no_class_is_special_because_its_name_sorts_first(model, method, classes):
    rng = np.random.default_rng(classes)
    y = np.append(np.arange(classes), rng.integers(0, classes, 60 - classes))
    table = pd.DataFrame({"a": rng.normal(y % 3, 2), "b": rng.normal(size=60), "c": rng.choice(["p", "q"], 60)})
    table = table[["a", "b"]] if "Discriminant" in repr(model) else table
    for weights in (None, rng.choice([0.3, 1.0, 2.2], 60)):
        found = Calibrated(model, method=method).fit(table, y, sample_weight=weights)
        for _ in range(3):
            new = rng.permutation(classes)
            other = Calibrated(model, method=method).fit(table, new[y], sample_weight=weights)
            np.testing.assert_allclose(other.predict_proba(table)[:, new], found.predict_proba(table), atol=1e-12)
            np.testing.assert_allclose([other.slope_, *other.level_[new]], [found.slope_, *found.level_], atol=1e-12)


@pytest.mark.parametrize("method", ["temperature", "platt"])
def test_nor_where_rows_are_left_out_by_folds(method):
    """As where cells are missing in columns modelled together: folds are dealt by class, whatever its name."""
    rng = np.random.default_rng(8)
    y = rng.integers(0, 3, 60)
    X = rng.normal(y[:, None], size=(60, 2))
    X[rng.random(X.shape) < 0.1] = np.nan
    found = Calibrated(QuadraticDiscriminant(estimate="map"), method=method).fit(X, y)
    for new in ([2, 1, 0], [1, 2, 0]):
        other = Calibrated(QuadraticDiscriminant(estimate="map"), method=method).fit(X, np.array(new)[y])
        np.testing.assert_allclose(other.predict_proba(X)[:, new], found.predict_proba(X), atol=1e-10)
