"""A belief about a column says what sort of column it is; where it could be several, the error says which."""

import numpy as np
import pandas as pd
import pytest

from suffice import Beta, Dirichlet, Gamma, NaiveBayes, NormalInverseGamma, collect
from suffice.errors import ParameterError

pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.KindHint")
RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 24)
COIN = RNG.random(24) < 0.3 + 0.4 * Y
SPELLED = {
    "0 and 1": COIN.astype(int),
    "0.0 and 1.0": COIN.astype(float),
    "truth values": COIN,
    "yes and no": np.where(COIN, "yes", "no"),
    "Y and N": np.where(COIN, "Y", "N"),
    "是与否": np.where(COIN, "是", "否"),
    "nullable": pd.array(COIN.astype(int), dtype="Int64"),
}


def shares(cells, belief):
    return NaiveBayes(estimate="mean", parameter_prior={"x": belief}).fit(pd.DataFrame({"x": cells}), Y).tables()["x"]


@pytest.mark.parametrize("cells", SPELLED.values(), ids=SPELLED)
def test_a_beta_is_about_a_column_of_two_values_however_they_are_spelled(cells):
    found = shares(cells, Beta(2, 5)).drop(columns="class", errors="ignore").to_numpy(float)
    successes = np.array([COIN[k == Y].sum() for k in (0, 1)])
    expected = (successes + 2) / (np.bincount(Y) + 7)
    assert any(np.allclose(column, expected) for column in found.T)


def test_outcomes_that_rows_have_named_are_found_again():
    cells, belief = np.where(COIN, "heads", "tails"), Beta(2, 5).after(heads=1, tails=0)
    successes = np.array([COIN[k == Y].sum() for k in (0, 1)])
    np.testing.assert_allclose(shares(cells, belief)["heads"], (successes + 3) / (np.bincount(Y) + 8))


def test_two_levels_that_do_not_say_which_is_a_success_need_a_symmetric_belief():
    cells = np.where(COIN, "red", "blue")
    assert shares(cells, Beta(3, 3))["red"].between(0, 1).all()
    with pytest.raises(ParameterError, match=r"does not say which of the levels \['blue', 'red'\].*Dirichlet"):
        shares(cells, Beta(3, 2))


@pytest.mark.parametrize("values", [(0, 1), (3, 8), (1, 2, 5)])
def test_a_dirichlet_takes_whole_numbers_for_categories_in_every_way_in(values):
    cells = np.resize(values, 24)
    model = NaiveBayes(estimate="mean", parameter_prior={"x": Dirichlet(dict.fromkeys(values, 2))})
    table = model.fit({"x": cells}, Y).tables()["x"]
    counts = np.array([[np.sum(cells[k == Y] == value) for value in values] for k in (0, 1)]) + 2
    np.testing.assert_allclose(
        np.stack([table[str(value)] for value in values], axis=1), counts / counts.sum(axis=1, keepdims=True)
    )
    again = model.from_summary(collect({"x": cells}, Y), **model.get_params()).tables()["x"]
    np.testing.assert_array_equal(again[str(values[0])], table[str(values[0])])


def test_too_few_rows_to_look_like_categories_are_settled_by_the_belief():
    model = NaiveBayes(parameter_prior={"x": Dirichlet({7: 2, 8: 3})})
    assert "7" in model.fit({"x": [7, 8, 7]}, ["a", "b", "b"]).tables()["x"]


def test_a_belief_about_means_takes_whole_numbers_for_numbers():
    assert "mean" in shares(np.resize([0, 1, 2], 24), NormalInverseGamma(0, 1, 2, 2))


@pytest.mark.parametrize(
    ("cells", "belief", "kinds"),
    [
        (np.arange(24), Gamma(2, 1), "'poisson', 'exponential'"),
        (np.resize([0, 1, 2], 24), {0: Gamma(2, 1), 1: Gamma(1, 1)}, "kinds={'x': 'poisson'}"),
        (RNG.normal(size=24), Dirichlet({0: 1, 1: 1}), "kinds={'x': 'categorical'}"),
        (np.where(COIN, "a", "b"), NormalInverseGamma(0, 1, 2, 2), "kinds={'x': 'gaussian'}"),
    ],
)
def test_a_belief_that_fits_several_kinds_or_another_says_which(cells, belief, kinds):
    with pytest.raises(ParameterError, match=f"column 'x' is modelled as .*{kinds}"):
        shares(cells, belief)
