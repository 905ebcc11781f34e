"""Likelihood functions of beliefs, sequences of outcomes, and a flat belief about a mean."""

import matplotlib as mpl
import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

from suffice import (
    Beta,
    Dirichlet,
    Gamma,
    GaussianDiscriminant,
    InverseGamma,
    LinearDiscriminant,
    NaiveBayes,
    NormalInverseGamma,
    NormalInverseWishart,
    NormalMean,
    QuadraticDiscriminant,
    compare,
)
from suffice.errors import ImproperPriorError, ParameterError, SufficeError

mpl.use("Agg")
ROWS = [4.9, 5.1, 5.6, 4.4]
PAIRS = np.array([[1.0, 0.5], [2.0, 1.0], [3.0, 0.0]])
INF = float("inf")


def test_likelihoods_are_those_of_scipy():
    coin = Beta(1, 1).after(heads=15, tails=10)
    assert coin.log_likelihood(0.6) == pytest.approx(15 * np.log(0.6) + 10 * np.log(0.4))
    assert Beta(2, 2).after([15], trials=25).log_likelihood(0.6) == pytest.approx(stats.binom(25, 0.6).logpmf(15))
    assert coin.log_likelihood({"heads": 0.6}) == coin.log_likelihood(0.6)
    assert coin.log_likelihood([[0.2, 1.0]]).tolist() == [[coin.log_likelihood(0.2), -np.inf]]
    dice = Dirichlet({"a": 1, "b": 2}).after(["a", "b", "b"])
    assert dice.log_likelihood({"a": 0.3, "b": 0.7}) == pytest.approx(np.log(0.3 * 0.7**2))
    rate = Gamma(2, 1.5).after(counts=[2, 0, 3])
    assert rate.log_likelihood(1.7) == pytest.approx(stats.poisson(1.7).logpmf([2, 0, 3]).sum())
    waits = Gamma(2, 1.5).after(waits=[0.3, 1.2])
    assert waits.log_likelihood(1.7) == pytest.approx(stats.expon(scale=1 / 1.7).logpdf([0.3, 1.2]).sum())
    assert NormalMean(4, 2, 0.49).after(ROWS).log_likelihood(5) == pytest.approx(stats.norm(5, 0.7).logpdf(ROWS).sum())
    assert InverseGamma(2, 1.5, 5).after(ROWS).log_likelihood(0.3) == pytest.approx(
        stats.norm(5, np.sqrt(0.3)).logpdf(ROWS).sum()
    )
    both = NormalInverseGamma(4, 1, 2, 1.5).after(ROWS)
    assert both.log_likelihood({"mean": 5, "variance": 0.3}) == pytest.approx(
        stats.norm(5, np.sqrt(0.3)).logpdf(ROWS).sum()
    )
    sigma = [[1.0, 0.2], [0.2, 0.5]]
    expected = stats.multivariate_normal([1.5, 0.4], sigma).logpdf(PAIRS).sum()
    means = NormalMean({"x": 0, "y": 0}, np.eye(2), sigma).after(PAIRS)
    assert means.log_likelihood({"x": 1.5, "y": 0.4}) == pytest.approx(expected)
    wishart = NormalInverseWishart({"x": 0, "y": 0}, 1, 4, np.eye(2)).after(PAIRS)
    assert wishart.log_likelihood({"mean": [1.5, 0.4], "covariance": sigma}) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("prior", "learn", "density", "ends"),
    [
        (Beta(5, 3), lambda b: b.after(heads=4, tails=6), stats.beta(5, 3), (0, 1)),
        (Gamma(2, 1.5), lambda b: b.after(counts=[2, 0, 3]), stats.gamma(2, scale=1 / 1.5), (0, 30)),
        (NormalMean(4, 2.25, 0.49), lambda b: b.after(ROWS), stats.norm(4, 1.5), (-10, 20)),
    ],
)
def test_averaged_over_the_prior_it_is_the_evidence(prior, learn, density, ends):
    belief = learn(prior)
    value, _ = quad(lambda theta: np.exp(belief.log_likelihood(theta)) * density.pdf(theta), *ends, epsabs=1e-14)
    assert np.log(value) == pytest.approx(belief.log_evidence(), rel=1e-7)


@pytest.mark.parametrize(
    ("mistake", "text"),
    [
        (lambda: Beta(1, 1).after([1]).log_likelihood(1.5), "between 0 and 1"),
        (lambda: Beta(1, 1).after([1]).log_likelihood({"tails": 0.5}), "θ must have the parameters success"),
        (lambda: Dirichlet([1, 1]).after([0]).log_likelihood({0: 0.5, 1: 0.6}), "sum to 1"),
        (lambda: Dirichlet([1, 1]).after([0]).log_likelihood(0.5), "Say which is which"),
        (lambda: Gamma(1, 1).after(counts=[1]).log_likelihood(-1), "0 or more"),
        (lambda: InverseGamma(1, 1, 0).after([1.0]).log_likelihood(0), "above 0"),
    ],
)
def test_parameters_that_cannot_be(mistake, text):
    with pytest.raises(ParameterError, match=text):
        mistake()


def test_without_rows_every_parameter_is_as_likely():
    assert Beta(5, 5).log_likelihood([0.1, 0.9]).tolist() == [0.0, 0.0]


def test_a_sequence_of_outcomes():
    coin = Beta(5, 5).after(["H", "T", "T", "H", "H", None], success="H")
    assert coin.arguments == {"a": 8, "b": 7}
    assert coin.after(["H", "T"]).arguments == {"a": 9, "b": 8}
    assert coin.after(H=2, T=1).arguments == {"a": 10, "b": 8}
    assert Beta(1, 1).after(["H", "H"], success="H").after(["T"], success="H").arguments == {"a": 3, "b": 2}
    assert Beta(1, 1).after(["T"], success="H").arguments == {"a": 1, "b": 2}
    assert Beta(1, 1).after(np.array([2, 3, 3]), success=3, weights=[1, 1, 2]).arguments == {"a": 4, "b": 2}
    assert Beta(1, 1).after(success=3, failure=1).arguments == {"a": 4, "b": 2}
    assert Beta(5, 5).log_evidence(["H", "T"], success="H") == pytest.approx(Beta(5, 5).log_evidence(H=1, T=1))


@pytest.mark.parametrize(
    ("mistake", "text"),
    [
        (lambda: Beta(1, 1).after(["H", "T", "edge"], success="H"), "two outcomes"),
        (lambda: Beta(1, 1).after(["H", "T"], success="H").after(["T"], success="T"), "called 'H' a success"),
        (lambda: Dirichlet({"a": 1, "b": 1}).after(["a"], success="a"), "success is only for a Beta"),
        (
            lambda: Beta(1, 1).after(["H", "T"]),
            "found text. Say which outcome is a success, as in after",
        ),
        (lambda: Gamma(1, 1).after(counts=["a", "b"]), "Expected numbers; found text"),
        (lambda: NormalMean(0, 1, 1).after(["a", "b"]), "Expected numbers; found text"),
        (lambda: Beta(1, 1).marginal(["success"]), "has the parameters"),
        (lambda: Beta(1, 1).after(["H"], success="H", trials=3), "trials"),
    ],
)
def test_sequences_that_cannot_be(mistake, text):
    with pytest.raises(ParameterError, match=text):
        mistake()


@pytest.mark.parametrize("belief", [Beta(1, 1), Dirichlet({"a": 1, "b": 1}), NormalMean(0, 1, 1)])
def test_rows_of_different_lengths_are_no_column(belief):
    with pytest.raises(SufficeError, match="list"):
        belief.after([[1, 2], [3]])


def test_a_flat_belief_about_a_mean():
    """The posterior is N(mean of the rows, σ²/N), the limit of ever wider beliefs."""
    flat = NormalMean(0, INF, 0.49)
    assert repr(flat) == "NormalMean(0, inf, 0.49)"
    after = flat.after(ROWS)
    assert after.arguments == pytest.approx({"location": 5.0, "variance": 0.49 / 4, "known": 0.49})
    assert after.after([6.0]).arguments == pytest.approx({"location": 5.2, "variance": 0.49 / 5, "known": 0.49})
    wide = NormalMean(0, 1e10, 0.49).after(ROWS)
    assert after.interval() == pytest.approx(wide.interval(), rel=1e-8)
    after.plot()
    sigma = np.array([[1.0, 0.2], [0.2, 0.5]])
    both = NormalMean({"x": 0, "y": 0}, INF, sigma).after(PAIRS)
    np.testing.assert_allclose(list(both.mode().values()), PAIRS.mean(axis=0))
    np.testing.assert_allclose(both.covariance(), sigma / 3)


def test_what_a_flat_belief_cannot_say():
    flat = NormalMean(0, INF, 0.49)
    for question in (
        flat.interval,
        flat.predictive,
        flat.entropy,
        lambda: flat.log_evidence(ROWS),
        lambda: flat.sample(2),
    ):
        with pytest.raises(ImproperPriorError, match="flat belief"):
            question()
    with pytest.raises(ParameterError, match="flat"):
        flat.mode()
    assert flat.after(ROWS).log_likelihood(5.0) == pytest.approx(stats.norm(5, 0.7).logpdf(ROWS).sum())


def test_a_model_with_known_variances():
    rows, y = np.array([[1.0], [2.0], [7.0], [9.0]]), [0, 0, 1, 1]
    model = NaiveBayes(parameter_prior={"x0": NormalMean(0, INF, 1.0)}).fit(rows, y)
    assert model.tables()["x0"]["mean"] == pytest.approx([1.5, 8.0])
    assert model.tables()["x0"]["sd"] == pytest.approx([1.0, 1.0])
    together = {("x0", "x1"): NormalMean([0, 0], INF, np.eye(2))}
    model = GaussianDiscriminant(parameter_prior=together).fit(np.column_stack([rows, rows**2]), y)
    np.testing.assert_allclose(model.means_, [[1.5, 2.5], [8.0, 65.0]])


def test_posteriors_of_models():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), np.arange(40) % 2
    models = {"own": QuadraticDiscriminant(estimate="map"), "shared": LinearDiscriminant(estimate="map")}
    found = compare(models, X, y)
    odds = np.exp(found.log_bayes_factor("own", "shared"))
    assert found.posterior() == pytest.approx({"own": odds / (1 + odds), "shared": 1 / (1 + odds)})
    tilted = found.posterior({"own": 0.9, "shared": 0.1})
    assert tilted["own"] / tilted["shared"] == pytest.approx(9 * odds)
    apart = compare({"a": NaiveBayes(), "b": NaiveBayes(kinds={"x0": "ignore"})}, X, y)
    with pytest.raises(ParameterError, match="no Bayes factor"):
        apart.posterior()
