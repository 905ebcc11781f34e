"""Scaled columns are free of units: what a linear model says is the same in any of them, or it says why not."""

import numpy as np
import pytest

from suffice import LogisticClassifier, MarginClassifier
from suffice.errors import KindError, ParameterError

RNG = np.random.default_rng(2)
Y = np.repeat([0, 1], 30)
X = RNG.normal(size=(60, 3)) + Y[:, None]
MODELS = {"margin": MarginClassifier, "logistic": LogisticClassifier}
UNITS = {"small": 1e-165, "smaller": 1e-300, "large": 1e140, "mixed": np.array([1e-6, 1.0, 1e6])}


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_units_change_nothing(model, unit):
    same = model().fit(X, Y).decision_function(X)
    np.testing.assert_allclose(model().fit(X * unit, Y).decision_function(X * unit), same, rtol=1e-9)


@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_numbers_too_far_from_0_for_their_spread_are_refused_by_name(model, scale):
    with pytest.raises(KindError, match=r"'far' lie too far from 0"):
        model(scale=scale).fit({"far": X[:, 0] + 1e15, "x": X[:, 1]}, Y)


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_a_column_that_never_varies_says_nothing_however_far_from_0_it_lies(model):
    constant = np.full(60, 0.1 + 1e15)
    with_it, without = model().fit(np.c_[X, constant], Y), model().fit(X, Y)
    np.testing.assert_allclose(
        with_it.decision_function(np.c_[X, constant]), without.decision_function(X), rtol=1e-9, atol=1e-12
    )


def test_a_margin_over_columns_too_small_to_tell_anything_is_flat_not_an_error():
    model = MarginClassifier(scale=False).fit(X * 1e-200, Y)
    assert np.ptp(model.decision_function(X * 1e-200)) == 0.0


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_a_c_beyond_all_reason_is_refused(model):
    with pytest.raises(ParameterError, match=r"at most 1e\+(100|20); found 1e\+300"):
        model(C=1e300).fit(X, Y)


@pytest.mark.parametrize("weight", [1e308, 3e200, 1e101])
@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_weights_beyond_all_reason_are_refused(model, weight):
    for weights in (np.full(len(Y), weight), np.where(np.arange(len(Y)) == 3, weight, 1.0)):
        with pytest.raises(ParameterError, match=r"weight of a row must be at most 1e\+.*and a weight of "):
            model().fit(X, Y, sample_weight=weights)


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_c_and_weights_that_are_too_much_together_are_refused(model):
    with pytest.raises(ParameterError, match="Divide all weights by the largest, or choose a smaller C"):
        model(C=model.RECIPE.HEAVIEST / 10).fit(X, Y, sample_weight=np.full(len(Y), 100.0))
