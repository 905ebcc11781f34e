"""Boundaries in closed form against roots of the model's own log odds, and the textbook cases."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import norm

from suffice import (
    GaussianDiscriminant,
    LinearDiscriminant,
    Loss,
    NaiveBayes,
    NearestMean,
    bayes_error,
    boundary,
    decide,
    error_bound,
    example,
)
from suffice.errors import ParameterError

COLUMNS, SPECIES = example("penguins")
NUMBERS = {name: COLUMNS[name] for name in ("bill_length_mm", "bill_depth_mm", "flipper_length_mm")}


def four_corners(mean, variances):
    """Four rows whose mean and maximum-likelihood covariance are exactly these."""
    signs = np.array([[-1, -1], [-1, 1], [1, -1], [1, 1]])
    return np.asarray(mean) + signs * np.sqrt(variances)


def two_gaussians(first, second, **options):
    X = np.concatenate([four_corners(*first), four_corners(*second)])
    table = {"x1": X[:, 0], "x2": X[:, 1]}
    return GaussianDiscriminant(estimate="ml", **options).fit(table, ["one"] * 4 + ["two"] * 4)


def test_the_parabola_of_the_textbooks_with_its_exact_constant():
    found = boundary(two_gaussians(((3, 6), (0.5, 2)), ((3, -2), (2, 2))), "one", "two")
    assert found.kind == "parabola"
    constant = 2 + 27 / 16 - np.log(2) / 4
    for x1 in (-2.0, 0.0, 3.0):
        (root,) = found.solve_for("x2", at={"x1": x1})
        assert root == pytest.approx(constant - 1.125 * x1 + 0.1875 * x1**2, rel=1e-12)
    assert found.solve_for("x2") == "x2 = 0.1875 x1² − 1.125 x1 + 3.5142"


@pytest.mark.parametrize("priors", [None, {"one": 0.9, "two": 0.1}])
@pytest.mark.parametrize("shape", ["full", "diagonal", "spherical"])
def test_with_one_covariance_it_is_the_plane_through_x0(shape, priors):
    model = two_gaussians(((3, 6), (0.5, 2)), ((1, -2), (2, 2)), shared=True, shape=shape, priors=priors)
    found, (one, two), sigma = boundary(model, "one", "two"), model.means_, model.covariance_
    weights, lean = np.linalg.solve(sigma, one - two), np.log(model.priors_[0] / model.priors_[1])
    assert found.kind == "hyperplane"
    np.testing.assert_allclose(found.w, weights)
    np.testing.assert_allclose(found.x0, (one + two) / 2 - lean / ((one - two) @ weights) * (one - two))


@pytest.mark.parametrize(
    "model",
    [
        LinearDiscriminant(),
        GaussianDiscriminant(estimate="map"),
        GaussianDiscriminant("diagonal"),
        NearestMean(),
        NaiveBayes(joint=[["bill_length_mm", "bill_depth_mm"]], estimate="map"),
    ],
    ids=lambda model: type(model).__name__,
)
def test_it_is_where_the_log_odds_are_zero(model):
    model.fit(NUMBERS, SPECIES)
    found, joint = boundary(model, "Gentoo", "Adelie"), model.log_joint(NUMBERS)
    complete = ~np.isnan(joint).any(axis=1) & ~np.isnan(NUMBERS["bill_length_mm"])
    odds = (joint[:, 2] - joint[:, 0])[complete]
    rows = {name: cells[complete] for name, cells in NUMBERS.items()}
    np.testing.assert_allclose(found.value(rows), odds, rtol=1e-9, atol=1e-8)


def test_slices_and_roots_lie_on_it():
    model = GaussianDiscriminant().fit(NUMBERS, SPECIES)
    whole = boundary(model, "Gentoo", "Adelie")
    cut = whole.slice({"flipper_length_mm": 205.0})
    for root in cut.solve_for("bill_depth_mm", at={"bill_length_mm": 45.0}):
        row = {"bill_length_mm": [45.0], "bill_depth_mm": [root], "flipper_length_mm": [205.0]}
        odds = model.log_joint(row)[0]
        assert odds[2] - odds[0] == pytest.approx(0, abs=1e-8)
    limits = {"bill_length_mm": (30, 60), "bill_depth_mm": (10, 25)}
    np.testing.assert_allclose(cut.value(cut.points(limits, 20)), 0, atol=1e-7)


def test_points_are_tried_evenly_along_both_columns():
    """On x1 = x2, at five values of each column, those inside the limits of the other."""
    found = boundary(two_gaussians(((1, -1), (1, 1)), ((-1, 1), (1, 1))), "one", "two")
    points = found.points({"x1": (-2.5, 1.5), "x2": (-4, 4)}, 5)
    both = [-2.5, -1.5, -0.5, 0.5, 1.5, -2, 0]
    np.testing.assert_allclose(points, np.stack([both, both], axis=1), atol=1e-12)


@pytest.mark.parametrize(
    ("first", "second", "kind"),
    [
        (((0, 0), (1, 1)), ((0, 0), (4, 4)), "circle"),
        (((0, 0), (1, 2)), ((1, 0), (4, 9)), "ellipse"),
        (((0, 0), (1, 4)), ((1, 0), (4, 1)), "hyperbola"),
        (((0, 0), (1, 4)), ((0, 0), (4, 1)), "two lines"),
        (((0, 0), (1, 1)), ((0, 0), (4, 1)), "two lines"),
        (((0, 0), (1, 1)), ((5, 0), (1, 4)), "parabola"),
    ],
)
def test_conics_have_their_names(first, second, kind):
    assert boundary(two_gaussians(first, second), "one", "two").kind == kind


def test_a_circle_has_its_radius():
    found = boundary(two_gaussians(((0, 0), (1, 1)), ((0, 0), (4, 4))), "one", "two")
    radius = brentq(lambda r: -0.5 * r**2 + 0.125 * r**2 + np.log(4), 0, 10)
    assert [length for length, _ in found.axes()] == pytest.approx([radius, radius])
    assert list(found.middle().values()) == pytest.approx([0, 0], abs=1e-12)


@pytest.mark.parametrize("second", [((1, 0), (4, 9)), ((3, -1), (9, 5))])
def test_the_ends_of_the_axes_of_an_ellipse_lie_on_it(second):
    found = boundary(two_gaussians(((0, 0), (1, 2)), second), "one", "two")
    middle = np.array(list(found.middle().values()))
    ends = [middle + sign * length * direction for length, direction in found.axes() for sign in (-1, 1)]
    np.testing.assert_allclose(found.value(np.array(ends)), 0, atol=1e-10)


def test_a_loss_moves_it_and_must_not_be_transposed():
    model = two_gaussians(((0, 0), (1, 1)), ((4, 0), (1, 1)), shared=True)
    loss = {"say one": {"one": 0, "two": 10}, "say two": {"one": 1, "two": 0}}
    found = boundary(model, "one", "two", loss=loss)
    assert found.x0[0] == pytest.approx(2 - np.log(10) / 4)


@pytest.mark.parametrize(
    ("model", "text"),
    [
        (NaiveBayes(kinds={"year": "ignore"}), "Gaussian columns with plug-in parameters"),
        (
            NaiveBayes(kinds=dict.fromkeys(["island", "sex", "year"], "ignore"), estimate="predictive"),
            "Gaussian columns with plug-in",
        ),
    ],
)
def test_other_models_are_pointed_to_the_contour(model, text):
    with pytest.raises(ParameterError, match=text):
        boundary(model.fit(COLUMNS, SPECIES), "Gentoo", "Adelie")


@pytest.mark.parametrize("priors", [None, {"one": 0.8, "two": 0.2}])
def test_the_bayes_error_is_exact_and_the_draws_agree(priors):
    options = {"shape": "full", "priors": priors}
    exact = bayes_error(two_gaussians(((0, 0), (1, 2)), ((1.5, 1), (1, 2)), shared=True, **options))
    drawn = bayes_error(two_gaussians(((0, 0), (1, 2)), ((1.5, 1), (1, 2)), shared=False, **options))
    assert exact.standard_error == 0
    assert abs(drawn.value - exact.value) < 4 * drawn.standard_error


def test_the_bayes_error_of_any_model():
    found = bayes_error(NaiveBayes(kinds={"year": "poisson"}).fit(COLUMNS, SPECIES), draws=20_000)
    assert 0 < found.value < 0.05
    assert "20,000 draws" in repr(found)


@pytest.mark.parametrize("share", [0.3, 0.5])
def test_bounds_are_the_integrals_they_stand_for(share):
    model = GaussianDiscriminant(estimate="ml").fit(np.array([[-1.0], [1], [1], [5]]), ["one", "one", "two", "two"])
    (m, n), (v, w) = model.means_.ravel(), model.covariance_.ravel()
    powers = lambda x: norm.pdf(x, m, np.sqrt(v)) ** share * norm.pdf(x, n, np.sqrt(w)) ** (1 - share)  # noqa: E731
    assert error_bound(model, share) == pytest.approx(0.5 * quad(powers, -40, 40)[0], rel=1e-7)
    assert bayes_error(model).value < error_bound(model) <= error_bound(model, share) + 1e-12


def test_risk_under_a_loss_is_what_deciding_costs():
    model = two_gaussians(((0, 0), (1, 2)), ((1.5, 1), (1, 2)))
    loss = Loss({"one": {"one": 0, "two": 9}, "two": {"one": 1, "two": 0}, "ask": 0.3})
    rng = np.random.default_rng(1)
    which = rng.integers(0, 2, 40_000)
    rows = model.joint_.density.sample(which, rng)[0]
    posterior = model.predict_proba({"x1": rows[:, 0], "x2": rows[:, 1]})
    taken = [loss.actions.index(action) for action in decide(posterior, loss, ["one", "two"]).action]
    costs = loss.on(["one", "two"])[taken, which]
    found = bayes_error(model, loss)
    assert abs(found.value - costs.mean()) < 4 * np.hypot(found.standard_error, costs.std() / 200)


def test_the_equation_is_written_in_the_names_of_the_columns():
    found = boundary(two_gaussians(((3, 6), (0.5, 2)), ((3, -2), (2, 2))), "one", "two")
    assert found.equation() == "−0.75 x1² + 4.5 x1 + 4 x2 − 14.057 = 0"
    assert found.latex() == r"-0.75 \, \text{x1}^2 + 4.5 \, \text{x1} + 4 \, \text{x2} - 14.057 = 0"


@pytest.mark.parametrize("priors", [None, {"one": 0.7, "two": 0.3}])
@pytest.mark.parametrize("shape", ["spherical", "full"])
def test_x0_is_the_root_of_the_log_odds_between_the_means(shape, priors):
    model = two_gaussians(((3, 6), (0.5, 2)), ((1, -2), (2, 2)), shared=True, shape=shape, priors=priors)
    one, two = model.means_

    def odds(t):
        joint = model.log_joint({"x1": [two[0] + t * (one - two)[0]], "x2": [two[1] + t * (one - two)[1]]})[0]
        return joint[0] - joint[1]

    root = brentq(odds, -5, 6, xtol=1e-14)
    np.testing.assert_allclose(boundary(model, "one", "two").x0, two + root * (one - two), rtol=1e-10)
