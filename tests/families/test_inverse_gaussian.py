"""Inverse Gaussian columns: against exact fractions, scipy and quadrature, and in whole models."""

import copy
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad
from scipy.special import digamma, logsumexp

from suffice import Mixture, NaiveBayes, collect, language, leave_one_out, load, suppressed
from suffice.errors import NoFormulaError, NotInSummaryError, ParameterError, SingularError
from suffice.families.inverse_gaussian.densities import drawn
from suffice.families.inverse_gaussian.family import InverseGaussian
from suffice.families.inverse_gaussian.normal_gamma import NormalGammaPrior
from suffice.families.inverse_gaussian.positive import log_gamma_above
from suffice.families.memberships import memberships

ONE = InverseGaussian(1)
WAITS = {"wait": "inverse-gaussian"}


@pytest.fixture
def rng():
    return np.random.default_rng(8)


def learned(x, weights=None):
    return ONE.statistics(np.asarray(x, dtype=float)[:, None], memberships(np.zeros(len(x), dtype=int), 1, weights))


def believed(seen, total, excess, degrees):
    return NormalGammaPrior(*(np.array([[part]]) for part in (seen, total, excess, degrees)))


def table(rng, rows=150):
    """Waits of three classes, some missing, beside a number."""
    y = rng.integers(0, 3, rows)
    wait = np.where(rng.random(rows) < 0.1, np.nan, rng.wald(1.0 + y, 2.0 + 3 * y))
    return {"wait": wait, "height": rng.normal(y)}, np.array(["a", "b", "c"])[y]


# statistics


@pytest.mark.parametrize("spread", [1e-3, 1e-6, 1e-9])
def test_narrow_columns_keep_their_digits(rng, spread):
    x = 5 * (1 + spread * rng.standard_normal(60))
    exact = [Fraction(value) for value in x.tolist()]
    excess = float(sum(1 / value for value in exact) - Fraction(len(x) ** 2) / sum(exact))
    whole, parts = learned(x), learned(x[:7]) + learned(x[7:30]) + learned(x[30:])
    digits = 1e-16 / spread  # of what differs between cells
    for found in (whole, parts, (whole + learned([3.0, 9.0])) - learned([3.0, 9.0])):
        assert found.excess[0, 0] == pytest.approx(excess, rel=1e-9 + 10 * digits)
    assert ONE.constant(whole) == []
    assert ONE.constant(learned([0.3] * 7 + [0.3 * (1 + 1e-15)])) == [0]


def test_rows_that_would_leave_an_impossible_spread_were_never_there():
    with pytest.raises(NotInSummaryError, match="impossible spread"):
        learned([2.0, 2.1, 2.2, 2.3]) - learned([0.1, 4.0])


def test_maximum_likelihood_is_that_of_scipy(rng):
    x = rng.wald(2.0, 3.0, 80)
    density = ONE.flat().after(learned(x)).mode()
    ratio, _, shape = stats.invgauss.fit(x, floc=0)
    assert density.shape.item() == pytest.approx(shape, rel=1e-9)
    assert density.mean.item() == pytest.approx(ratio * shape, rel=1e-9)
    assert ONE.unbiased().after(learned(x)).mode().shape.item() == pytest.approx(shape * 79 / 80, rel=1e-9)


# beliefs


@pytest.mark.parametrize("parts", [(1.5, 2.0, 1.2, 2.5), (0.3, 1.0, 4.0, 1.5), (6.0, 4.0, 0.5, 7.0)])
def test_evidence_is_an_integral_over_means_and_shapes(rng, parts):
    prior, x, weights = believed(*parts), rng.wald(1.5, 2.0, 4), np.array([1.0, 2.0, 0.5, 1.0])
    seen, total, excess, degrees = parts

    def log_prior(rate, shape):
        return (degrees - 1) / 2 * np.log(shape) - shape * (excess + total * (rate - seen / total) ** 2) / 2

    def log_rows(rate, shape):
        each = zip(x, weights, strict=True)
        return sum(w * stats.invgauss.logpdf(cell, 1 / (rate * shape), scale=shape) for cell, w in each)

    u = (np.arange(1500) + 0.5) / 1500  # 1/μ and λ are cubes of u/(1 − u), u between 0 and 1
    rate, shape = np.meshgrid((u / (1 - u)) ** 3, (u / (1 - u)) ** 3)
    step = 2 * np.log(u) - 4 * np.log1p(-u)
    before = log_prior(rate, shape) + np.add.outer(step, step)
    expected = logsumexp(before + log_rows(rate, shape)) - logsumexp(before)
    assert prior.log_evidence(learned(x, weights)).item() == pytest.approx(expected, abs=1e-5)


def test_a_belief_that_the_cut_shortens_much_still_predicts_with_mass_1():
    predictive = believed(0.2, 1.0, 6.0, 1.5).predictive()
    mass = quad(lambda z: np.exp(predictive.log_density(np.array([[np.exp(z)]])).item() + z), -60, 120, limit=400)[0]
    assert mass == pytest.approx(1, abs=1e-8)


@pytest.mark.parametrize("degrees", [0.7, 2.0, 9.5, 400.0])
@pytest.mark.parametrize("c", [1e-3, 0.2, 1.0, 4.0])
def test_expected_logarithms_are_integrals(c, degrees):
    def given(t):
        return stats.t.pdf(t, degrees) * (digamma((degrees + 1) / 2) - np.log1p(t**2 / degrees))

    expected = (quad(given, -c, 0)[0] + quad(given, 0, np.inf)[0]) / stats.t.cdf(c, degrees)
    assert log_gamma_above(np.array([c]), np.array([degrees])).item() == pytest.approx(expected, abs=1e-7)


def test_intervals_of_shapes_hold_as_many_draws_as_they_say(rng):
    belief = ONE.weak(learned([1.0, 2.0, 5.0])).after(learned(rng.wald(2.0, 3.0, 12)))
    marginal = belief.marginals(["wait"])["wait"]["shape"]
    shapes = np.array([belief.draw(rng).shape.item() for _ in range(4000)])
    for share in (0.05, 0.5, 0.95):
        assert np.mean(shapes < marginal.ppf(share)) == pytest.approx(share, abs=0.02)


def test_the_mean_is_that_of_draws_of_reciprocal_means_and_shapes(rng):
    belief = believed(0.8, 1.5, 2.0, 6.0)
    draws = [belief.draw(rng) for _ in range(20_000)]
    rates, shapes = np.array([1 / some.mean.item() for some in draws]), np.array([some.shape.item() for some in draws])
    assert belief.mean().mean.item() == pytest.approx(1 / rates.mean(), rel=0.02)
    assert belief.mean().shape.item() == pytest.approx(shapes.mean(), rel=0.02)


def test_samples_of_any_shape_are_those_of_scipy(rng):
    for mean, shape in ((1.0, 1e-3), (2.0, 3.0), (1.0, 1e6)):
        x = drawn(np.full(20_000, 1 / mean), np.full(20_000, shape), rng)
        assert stats.kstest(x, stats.invgauss(mean / shape, scale=shape).cdf).pvalue > 1e-3


def test_what_no_row_has_settled_is_refused():
    for prior, x, words in (
        (ONE.flat(), [], "no row tells the mean"),
        (ONE.flat(), [2.0], "the divisor is 0 for the shape"),
        (ONE.reference(), [2.0, 3.0], "too few rows for the shape"),
    ):
        with pytest.raises(SingularError, match=words):
            prior.after(learned(x)).mode()
    with pytest.raises(ValueError, match="has no evidence"):
        ONE.flat().log_evidence(learned([2.0, 3.0]))


# whole models


@pytest.mark.parametrize("estimate", ["ml", "map", "mean", "predictive"])
def test_leaving_out_is_learning_without(rng, estimate):
    columns, labels = table(rng, 40)
    weights = rng.uniform(0.5, 2, 40)
    model = NaiveBayes(kinds=WAITS, estimate=estimate)
    found = leave_one_out(model, columns, labels, sample_weight=weights).posterior
    for i in range(0, 40, 7):
        rest = np.arange(40) != i
        others = {name: cells[rest] for name, cells in columns.items()}
        again = copy.deepcopy(model).fit(others, labels[rest], sample_weight=weights[rest])
        row = {name: cells[i : i + 1] for name, cells in columns.items()}
        np.testing.assert_allclose(found[i], again.predict_proba(row)[0], rtol=1e-9)


def test_batches_hidden_labels_files_and_imputation(rng, tmp_path):
    columns, labels = table(rng, 400)
    model = NaiveBayes(kinds=WAITS, estimate="map").fit(columns, labels)
    parts = NaiveBayes(kinds=WAITS, estimate="map")
    for some in np.split(np.arange(400), 2):
        rows = {name: cells[some] for name, cells in columns.items()}
        parts.partial_fit(rows, labels[some], classes=["a", "b", "c"])
    np.testing.assert_allclose(parts.predict_proba(columns), model.predict_proba(columns), rtol=1e-9)
    model.save(tmp_path / "waits.model")
    np.testing.assert_array_equal(load(tmp_path / "waits.model").predict_proba(columns), model.predict_proba(columns))
    hidden = NaiveBayes(kinds=WAITS).fit(columns, np.where(np.arange(400) % 3 == 0, labels, None))
    assert np.mean(hidden.predict(columns) == labels) > 0.6
    gone, means = np.isnan(columns["wait"]), model.tables()["wait"]["mean"]
    np.testing.assert_allclose(
        model.impute(columns)["wait"][gone], (model.predict_proba(columns) @ np.asarray(means))[gone], rtol=1e-9
    )


def test_a_mixture_finds_two_kinds_of_waits(rng):
    x = np.concatenate([rng.wald(1.0, 8.0, 300), rng.wald(9.0, 60.0, 500)])
    found = Mixture(2, kinds="inverse-gaussian").fit({"wait": x}).tables()["wait"]
    np.testing.assert_allclose(np.sort(found["mean"]), [1.0, 9.0], rtol=0.1)


def test_tables_in_two_languages_and_back(rng):
    columns, labels = table(rng)
    model = NaiveBayes(kinds=WAITS, estimate="map").fit({"wait": columns["wait"]}, labels)
    assert "wait (inverse Gaussian)" in str(model)
    with language("zh"):
        assert "wait（逆高斯分布）" in str(model)
    again = NaiveBayes.from_tables(model.tables(), kinds=WAITS)
    np.testing.assert_allclose(again.predict_proba(columns), model.predict_proba(columns), rtol=1e-9)
    head = {"class": {"class": ["a"], "prior": [1.0]}}
    with pytest.raises(ParameterError, match="means and shapes of 'wait' must be above 0; found 0"):
        NaiveBayes.from_tables(head | {"wait": {"mean": [1.0], "shape": [0.0]}}, kinds=WAITS)


def test_predictives_have_no_sql_and_say_so(rng):
    columns, labels = table(rng)
    with pytest.raises(NoFormulaError, match=r"Student .* Use estimate='map'"):
        NaiveBayes(kinds=WAITS).fit(columns, labels).to_sql("sqlite", "t", "id")
    assert "SELECT" in NaiveBayes(kinds=WAITS, estimate="map").fit(columns, labels).to_sql("sqlite", "t", "id")


def test_suppressed_summaries_keep_no_logarithms(rng):
    columns, labels = table(rng)
    rest = suppressed(collect({"wait": columns["wait"]}, labels, kinds=WAITS), 3)
    (piece,) = rest.pieces()
    assert not piece.statistics.logs.any()
    model = NaiveBayes.from_summary(rest, kinds=WAITS)
    expected = NaiveBayes(kinds=WAITS).fit({"wait": columns["wait"]}, labels)
    np.testing.assert_allclose(model.predict_proba(columns), expected.predict_proba(columns), rtol=1e-9)
