"""What decisions ask of densities: who can answer is asked, whatever its class; who cannot is named."""

from dataclasses import dataclass

import numpy as np
import pytest

from suffice import GaussianDiscriminant, NaiveBayes, bayes_error, divergence, example, register_kind
from suffice.data.kinds import KINDS, Range
from suffice.errors import ParameterError
from suffice.families.capabilities import Divergent, Integrable, LogQuadratic, Tabular
from suffice.families.panels import around
from suffice.families.rates.family import Rates
from suffice.families.rates.law import Law

Y = np.repeat([0, 1], 200)
X = np.random.default_rng(4).rayleigh(1.0 + Y)


@dataclass(frozen=True)
class Squares(Law):
    """p(x) = 2 rate x e^(−rate x²): x² is exponential."""

    columns: int = 1
    jeffreys = 0.0

    def events(self, x):
        return np.ones_like(x)

    def exposure(self, x):
        return x**2

    def log_base(self, x):
        return np.log(2 * x)

    def typical(self, rate):
        return np.sqrt(np.pi / (4 * rate))

    def log_predictive(self, x, shape, rate):
        return np.log(2 * x) + np.log(shape / rate) - (shape + 1) * np.log1p(x**2 / rate)

    def described(self, rate):
        return {"rate": rate}

    def marginals(self, shape, rate):
        raise NotImplementedError

    def draw(self, rate, rng):
        return np.sqrt(rng.standard_exponential(rate.shape) / rate)

    def take(self, columns):
        return type(self)(len(columns))


class Told(Squares):
    """The same, in closed form where there is one."""

    def divergence(self, first, second):
        kl = np.log(first / second) + second / first - 1
        return float(kl.sum()), float((np.log((first + second) / 2) - 0.5 * np.log(first * second)).sum())

    def panels(self, rate):
        return around(-0.5 * np.log(rate), np.full(len(rate), 0.5), 60.0)


@pytest.fixture(params=[Squares, Told])
def law(request):
    register_kind("squares", lambda block: Rates(request.param(len(block.columns))), allows=Range(0, above=True))
    yield request.param
    del KINDS["squares"]


@pytest.fixture
def model(law):
    return NaiveBayes(kinds="squares", estimate="map").fit({"x": X}, Y)


def test_a_law_of_ones_own_has_the_divergence_that_it_states_and_no_other(law, model):
    if law is Squares:
        with pytest.raises(ParameterError, match="in closed form for 'x': densities of the kind 'squares'"):
            divergence(model, 0, 1)
    else:
        a, b = model.tables()["x"]["rate"]
        grid = np.linspace(1e-6, 15, 400_001)
        p, q = np.exp(model.log_density({"x": grid})).T
        found = divergence(model, 0, 1)
        assert found.kl == pytest.approx(np.trapezoid(p * np.log(p / q), grid), rel=1e-6)
        assert found.kl_back == pytest.approx(np.log(b / a) + a / b - 1)
        assert found.bhattacharyya == pytest.approx(-np.log(np.trapezoid(np.sqrt(p * q), grid)), rel=1e-6)


def test_an_error_is_integrated_where_a_law_says_along_what(law, model):
    found = bayes_error(model, draws=20_000, random_state=0)
    assert found.method == ("20,000 draws" if law is Squares else "quadrature")
    a, b = model.tables()["x"]["rate"]
    cut = np.sqrt(np.log(a / b) / (a - b))  # where classes of one size are equally probable
    exact = (np.exp(-a * cut**2) + 1 - np.exp(-b * cut**2)) / 2
    assert found.value == pytest.approx(exact, abs=4 * found.standard_error + 1e-12)


def test_a_predictive_density_has_no_divergence_and_its_kind_is_named():
    table, labels = example("penguins")
    model = NaiveBayes(kinds={"year": "ignore"}).fit(table, labels)
    with pytest.raises(ParameterError, match=r"densities of the kind '[a-z-]+' have none"):
        divergence(model, "Adelie", "Gentoo")


def test_densities_can_what_they_say():
    table = {"x": X, "c": np.where(X > 1, "u", "v")}
    parts = NaiveBayes(estimate="map").fit(table, Y).joint_.density.parts
    able = [{c for c in (Divergent, Integrable, LogQuadratic, Tabular) if isinstance(part, c)} for part in parts]
    assert sorted(able, key=len) == [{Divergent, Tabular}, {Divergent, Integrable, LogQuadratic}]


@pytest.mark.parametrize("shared", [True, False])
def test_a_quadratic_density_says_whether_components_share_a_covariance(shared):
    table = {"x": X, "z": X + np.random.default_rng(1).normal(size=400)}
    [part] = GaussianDiscriminant(shared=shared, estimate="map").fit(table, Y).joint_.density.parts
    assert part.shared is shared
    assert np.array_equal(part.matrix(0), part.matrix(1)) is shared
