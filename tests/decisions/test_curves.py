"""Curves against scikit-learn's and against counting."""

import numpy as np
import pytest
from matplotlib.path import Path
from scipy.stats import beta
from sklearn.calibration import calibration_curve
from sklearn.metrics import roc_auc_score, roc_curve

from suffice.decisions.curves import calibration, cost_by_threshold, risk_coverage, roc
from suffice.errors import ParameterError


def between(low, high):
    return low + np.random.default_rng(1).uniform(0.01, 0.99, len(low)) * (high - low)


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


def test_a_bin_of_one_row_is_kept_and_one_of_none_is_not():
    found = calibration([0.05, 0.92, 0.98], [1, 1, 0])
    np.testing.assert_allclose([found.predicted, found.observed, found.rows], [[0.05, 0.95], [1, 0.5], [1, 2]])


def test_risk_of_the_surest_is_what_counting_gives():
    posterior = np.array([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8], [0.45, 0.55]])
    found = risk_coverage(posterior, np.array([0, 1, 1, 0]))
    np.testing.assert_allclose(found.coverage, [0.25, 0.5, 0.75, 1])
    np.testing.assert_allclose(found.risk, [0, 0, 1 / 3, 0.5])
    assert found.area == pytest.approx(np.mean([0, 0, 1 / 3, 0.5]))


def test_the_error_of_the_area_is_delongs(judged):
    """From the placements of every row among those of the other kind, one by one."""
    score, truth = judged
    yes, no = score[truth], score[~truth]
    above = (yes[:, None] > no) + 0.5 * (yes[:, None] == no)  # (positives, others)
    variance = above.mean(axis=1).var(ddof=1) / len(yes) + above.mean(axis=0).var(ddof=1) / len(no)
    area = roc(score, truth).area
    assert float(area) == pytest.approx(above.mean())
    assert area.se == pytest.approx(np.sqrt(variance))


def test_one_row_of_a_class_leaves_the_error_open():
    assert np.isnan(roc([0.9, 0.2, 0.4], [1, 0, 0]).area.se)


def test_intervals_of_rates_are_jeffreys(judged):
    score, truth = judged
    found = calibration(score, truth, bins=4)
    hits = found.observed * found.rows
    inside = beta(hits + 0.5, found.rows - hits + 0.5)
    open_ended = (hits > 0) & (hits < found.rows)
    np.testing.assert_allclose(inside.cdf(found.low)[open_ended], 0.025)
    np.testing.assert_allclose(inside.cdf(found.high)[open_ended], 0.975)
    all_alike = calibration([0.1, 0.1], [0, 0])
    assert (float(all_alike.low[0]), float(all_alike.high[0])) == (0.0, pytest.approx(beta.ppf(0.975, 0.5, 2.5)))


def test_the_band_of_risks_is_jeffreys_at_each_coverage():
    rng = np.random.default_rng(0)
    posterior = rng.dirichlet([1, 1], 50)
    truth = rng.integers(2, size=50)
    coverage, low, high = risk_coverage(posterior, truth).band()
    sure = np.argsort(-posterior.max(axis=1))[:20]
    wrong = (posterior.argmax(axis=1) != truth)[sure].sum()
    assert coverage[19] == pytest.approx(0.4)
    assert (low[19], high[19]) == pytest.approx(beta(wrong + 0.5, 20.5 - wrong).ppf([0.025, 0.975]))


def test_bands_of_many_rows_have_as_many_points_as_can_be_seen():
    score = np.random.default_rng(0).random(5000)
    truth = score > 0.4
    assert len(roc(score, truth).boxes()[0]) == 1000
    coverage = risk_coverage(np.column_stack([1 - score, score]), truth).band()[0]
    assert len(coverage) == 1000
    assert coverage[-1] == 1.0


def test_the_band_holds_the_curve_and_its_boxes(judged):
    found = roc(*judged)
    left, right, bottom, top = found.boxes()
    assert ((left <= found.false_positive) & (found.false_positive <= right)).all()
    assert ((bottom <= found.true_positive) & (found.true_positive <= top)).all()
    outline = Path(found.band().T)
    x, y = between(left, right), between(bottom, top)
    assert outline.contains_points(np.stack([x, y], axis=1)).all()
    beyond = np.stack([right + 0.05, bottom - 0.05], axis=1)  # below and to the right of every box
    assert not outline.contains_points(beyond[: len(beyond) // 2]).any()


def test_costs_are_what_counting_gives(judged):
    score, truth = judged
    costs = np.where(truth[:, None], [0.0, 4.0], [1.0, 0.0])
    found = cost_by_threshold(score, costs)
    for threshold in (0.0, 0.2, 0.5, 0.77, 1.0, 2.0):
        each = costs[np.arange(len(score)), np.where(score >= threshold, 0, 1)]
        mean = found.at(threshold)
        assert float(mean) == pytest.approx(each.mean())
        assert mean.se == pytest.approx(each.std(ddof=1) / np.sqrt(len(each)))
    assert found.cost.min() == pytest.approx(float(found.at(found.least)))


def test_costs_are_of_two_actions(judged):
    with pytest.raises(ParameterError, match=r"for each action, and 300 rows; found shape \(300, 3\)"):
        cost_by_threshold(judged[0], np.zeros((300, 3)))


def test_a_weight_of_two_is_the_row_twice(judged):
    score, truth = judged
    times = np.arange(len(score)) % 3
    often = np.repeat(np.arange(len(score)), times)
    posterior, costs = np.column_stack([1 - score, score]), np.where(truth[:, None], [0.0, 4.0], [1.0, 0.0])
    curves = [
        (roc(score, truth, times), roc(score[often], truth[often])),
        (calibration(score, truth, 7, times), calibration(score[often], truth[often], 7)),
        (cost_by_threshold(score, costs, times), cost_by_threshold(score[often], costs[often])),
        (risk_coverage(posterior, truth, times), risk_coverage(posterior[often], truth[often])),
    ]
    for one, other in curves[:2]:
        for name in ("low", "high", "observed", "rows") if hasattr(one, "low") else ("others", "positives", "area"):
            np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-12)
    assert curves[0][0].area.se == pytest.approx(curves[0][1].area.se)
    for threshold in (0.1, 0.5, 0.9):
        assert float(curves[2][0].at(threshold)) == pytest.approx(float(curves[2][1].at(threshold)))
        assert curves[2][0].at(threshold).se == pytest.approx(curves[2][1].at(threshold).se)
    assert curves[3][0].risk[-1] == pytest.approx(curves[3][1].risk[-1])


@pytest.mark.parametrize("weights", [[1.0], [-1.0] * 3, [0.0] * 3])
def test_odd_weights_are_refused(weights):
    with pytest.raises(ParameterError, match="Weights must be numbers, 0 or more, one for each of 3 rows"):
        roc([0.1, 0.5, 0.9], [0, 1, 1], weights)
