"""Curves against scikit-learn's and against counting."""

import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.metrics import roc_auc_score, roc_curve

from suffice.decisions.curves import calibration, risk_coverage, roc


@pytest.fixture
def judged():
    rng = np.random.default_rng(0)
    truth = rng.random(300) < 0.4
    return np.round(np.clip(0.4 + 0.3 * truth + 0.25 * rng.normal(size=300), 0, 1), 2), truth


def test_roc_is_scikit_learns(judged):
    score, truth = judged
    found = roc(score, truth)
    names = ("false_positive", "true_positive", "threshold")
    for name, expected in zip(names, roc_curve(truth, score, drop_intermediate=False), strict=True):
        np.testing.assert_allclose(getattr(found, name), expected)
    assert found.area == pytest.approx(roc_auc_score(truth, score))


@pytest.mark.parametrize("threshold", [0.0, 0.33, 0.5, 1.0, 2.0])
def test_an_operating_point_is_what_counting_gives(judged, threshold):
    score, truth = judged
    called = score >= threshold
    assert roc(score, truth).at(threshold) == pytest.approx((called[~truth].mean(), called[truth].mean()))


def test_calibration_is_scikit_learns(judged):
    score, truth = judged
    score = np.clip(score + 1e-3, 0.001, 0.999)  # off the edges of the bins, which belong to either side
    observed, predicted = calibration_curve(truth, score, n_bins=5)
    found = calibration(score, truth, bins=5)
    np.testing.assert_allclose(found.predicted, predicted)
    np.testing.assert_allclose(found.observed, observed)
    assert found.rows.sum() == len(score)


def test_risk_of_the_surest_is_what_counting_gives():
    posterior = np.array([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8], [0.45, 0.55]])
    found = risk_coverage(posterior, np.array([0, 1, 1, 0]))
    np.testing.assert_allclose(found.coverage, [0.25, 0.5, 0.75, 1])
    np.testing.assert_allclose(found.risk, [0, 0, 1 / 3, 0.5])
    assert found.area == pytest.approx(np.mean([0, 0, 1 / 3, 0.5]))
