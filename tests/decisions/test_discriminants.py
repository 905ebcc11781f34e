"""Discriminant functions of each class, against the formulas of the texts."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from suffice import (
    GaussianDiscriminant,
    LinearDiscriminant,
    NaiveBayes,
    NearestMean,
    QuadraticDiscriminant,
    discriminants,
)
from suffice.errors import ParameterError

IRISES, SPECIES = load_iris(return_X_y=True)


def test_the_third_case_of_the_texts():
    model = QuadraticDiscriminant(priors=[0.2, 0.3, 0.5]).fit(IRISES, SPECIES)
    found = discriminants(model)
    assert found.form == "quadratic"
    for k, prior in enumerate([0.2, 0.3, 0.5]):
        rows = IRISES[k == SPECIES]
        mean, inverse = rows.mean(axis=0), np.linalg.inv(np.cov(rows.T))
        np.testing.assert_allclose(found.W[k], -0.5 * inverse, rtol=1e-9)
        np.testing.assert_allclose(found.w[k], inverse @ mean, rtol=1e-9)
        constant = -0.5 * mean @ inverse @ mean + 0.5 * np.linalg.slogdet(inverse)[1] + np.log(prior)
        assert found.w0[k] == pytest.approx(constant, rel=1e-9)
    np.testing.assert_allclose(found.value(IRISES) - 2 * np.log(2 * np.pi), model.log_joint(IRISES), rtol=1e-9)


@pytest.mark.parametrize(
    ("model", "form"),
    [(LinearDiscriminant(), "linear"), (NearestMean(), "spherical"), (NaiveBayes(estimate="map"), "quadratic")],
    ids=lambda case: repr(case),
)
def test_the_largest_is_the_most_probable(model, form):
    model.fit(IRISES, SPECIES)
    found = discriminants(model)
    assert found.form == form
    values, logs = found.value(IRISES), model.log_joint(IRISES)
    np.testing.assert_allclose(values - values[:, :1], logs - logs[:, :1], rtol=1e-8, atol=1e-8)


def test_the_first_two_cases_of_the_texts():
    """Σ = σ²I: w = μ/σ², w₀ = −μᵀμ/2σ² + ln P; one Σ: w = Σ⁻¹μ."""
    means, priors = {"a": [1.0, 2.0], "b": [3.0, -1.0]}, {"a": 0.25, "b": 0.75}
    sphere = discriminants(GaussianDiscriminant.from_parameters(means, 4.0, priors))
    assert sphere.form == "spherical"
    np.testing.assert_allclose(sphere.w, [[0.25, 0.5], [0.75, -0.25]])
    np.testing.assert_allclose(sphere.w0, [-5 / 8 + np.log(0.25), -10 / 8 + np.log(0.75)])
    sigma = np.array([[2.0, 0.5], [0.5, 1.0]])
    line = discriminants(GaussianDiscriminant.from_parameters(means, sigma, priors))
    np.testing.assert_allclose(line.w, np.linalg.solve(sigma, np.array([[1, 2], [3, -1]]).T).T)
    assert not line.W.any()
    assert line["b"].w0 == pytest.approx(-0.5 * line.w[1] @ [3, -1] + np.log(0.75))


def test_equations():
    model = GaussianDiscriminant.from_parameters({"a": {"x_1": 1.0}, "b": {"x_1": 3.0}}, [1.0, 1.0], [0.5, 0.5])
    found = discriminants(model)
    assert found.equations() == {"a": "−0.5 x_1² + 1 x_1 − 1.1931", "b": "−0.5 x_1² + 3 x_1 − 5.1931"}
    assert "g_{\\text{a}}(x) &= -0.5 \\, \\text{x\\_1}^2" in found.latex()


@pytest.mark.parametrize(
    ("model", "text"),
    [
        (lambda: NaiveBayes(estimate="map").fit({"x": ["a", "b"]}, [0, 1]), "Gaussian columns with plug-in"),
        (lambda: QuadraticDiscriminant(priors=[1.0, 0.0, 0.0]).fit(IRISES, SPECIES), "prior of 1 is 0"),
        (lambda: LinearDiscriminant(components=2, estimate="map").fit(IRISES, SPECIES), "one component for each class"),
    ],
)
def test_models_without_any_say_so(model, text):
    with pytest.raises(ParameterError, match=text):
        discriminants(model())
