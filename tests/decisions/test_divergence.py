"""Divergences between classes, exact Bayes errors, and ratio tests of models, against sums and integrals."""

from itertools import product

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

from suffice import (
    BayesDecision,
    GaussianDiscriminant,
    LinearDiscriminant,
    Loss,
    NaiveBayes,
    TreeAugmentedBayes,
    bayes_error,
    divergence,
    example,
    ratio_test,
)
from suffice.errors import ImpossibleRowWarning, LossError, ParameterError

HEAD = {"class": {"class": ["a", "b"], "prior": [0.3, 0.7]}}
MELONS, RIPE = example("watermelon")


def of(kind, **table):
    return NaiveBayes.from_tables(HEAD | {"x": table}, kinds={"x": kind})


WORDS = {"class": {"class": ["a", "b"], "prior": [0.3, 0.7]}, "u, v": {"u": [0.2, 0.6], "v": [0.8, 0.4]}}
DISCRETE = {
    "categorical": (of("categorical", u=[0.2, 0.5], v=[0.3, 0.4], w=[0.5, 0.1]), ["u", "v", "w"]),
    "binomial": (of(("binomial", 4), success=[0.2, 0.6], failure=[0.8, 0.4]), range(5)),
    "negative binomial": (of(("negative-binomial", 2), success=[0.4, 0.7], failure=[0.6, 0.3]), range(200)),
    "poisson": (of("poisson", rate=[1.0, 3.5]), range(100)),
}
CONTINUOUS = {
    "gaussian": (of("gaussian", mean=[0.0, 2.0], sd=[1.0, 1.7]), (-30, 30)),
    "exponential": (of("exponential", rate=[0.5, 2.0]), (0, 90)),
    "gamma": (of(("gamma", 2.5), rate=[0.5, 2.0]), (0, 120)),
    "inverse gaussian": (of("inverse-gaussian", mean=[1.0, 2.5], shape=[3.0, 5.0]), (1e-9, 90)),
    "von mises": (of(("von-mises", 2.0), direction=[0.3, 2.5]), (-np.pi, np.pi)),
    "log-gaussian": (
        NaiveBayes.from_tables(HEAD | {"ln x": {"mean": [0.0, 0.8], "sd": [0.5, 0.7]}}, kinds={"x": "log-gaussian"}),
        (0, 400),
    ),
}


@pytest.mark.parametrize("case", DISCRETE.values(), ids=DISCRETE)
def test_divergences_are_sums(case):
    model, values = case
    p, q = np.exp(model.log_density({"x": list(values)})).T
    found = divergence(model, "a", "b")
    assert found.kl == pytest.approx((p * np.log(p / q)).sum(), rel=1e-9)
    assert found.kl_back == pytest.approx((q * np.log(q / p)).sum(), rel=1e-9)
    assert found.bhattacharyya == pytest.approx(-np.log(np.sqrt(p * q).sum()), rel=1e-9)
    assert found.mahalanobis is None


@pytest.mark.parametrize("case", CONTINUOUS.values(), ids=CONTINUOUS)
def test_divergences_are_integrals(case):
    model, ends = case

    def integral(of_logs):
        each = lambda x: of_logs(*model.log_density({"x": [x]})[0])  # noqa: E731
        return quad(each, *ends, limit=400, points=np.linspace(*ends, 9)[1:-1])[0]

    found = divergence(model, "a", "b")
    assert found.kl == pytest.approx(integral(lambda p, q: np.exp(p) * (p - q)), rel=1e-6)
    assert found.kl_back == pytest.approx(integral(lambda p, q: np.exp(q) * (q - p)), rel=1e-6)
    assert found.bhattacharyya == pytest.approx(-np.log(integral(lambda p, q: np.exp((p + q) / 2))), rel=1e-6)


def test_divergences_of_gaussians_and_of_several_columns():
    sigma = np.array([[2.0, 0.5], [0.5, 1.0]])
    model = GaussianDiscriminant.from_parameters({"a": [0, 0], "b": [1, 2]}, sigma)
    squared = np.array([1, 2]) @ np.linalg.solve(sigma, [1, 2])
    found = divergence(model, "a", "b")
    assert (found.kl, found.bhattacharyya, found.mahalanobis) == pytest.approx((squared / 2, squared / 8, squared**0.5))
    assert found.jeffreys == pytest.approx(squared)
    both = NaiveBayes.from_tables(
        HEAD | {"x": {"mean": [0.0, 2.0], "sd": [1.0, 1.7]}, "y": {"u": [0.2, 0.5], "v": [0.8, 0.5]}}
    )
    parts = [CONTINUOUS["gaussian"][0], NaiveBayes.from_tables(HEAD | {"y": {"u": [0.2, 0.5], "v": [0.8, 0.5]}})]
    assert divergence(both, "a", "b").kl == pytest.approx(sum(divergence(part, "a", "b").kl for part in parts))
    assert divergence(NaiveBayes.from_tables(WORDS, kinds="counts"), "a", "b").kl == pytest.approx(
        0.2 * np.log(0.2 / 0.6) + 0.8 * np.log(2)
    )


def test_a_divergence_may_be_infinite_and_needs_parameters():
    model = of("categorical", u=[0.0, 0.5], v=[1.0, 0.5])
    assert divergence(model, "a", "b").kl == pytest.approx(np.log(2))
    assert divergence(model, "a", "b").kl_back == np.inf
    with pytest.raises(ParameterError, match="with plug-in parameters"):
        divergence(NaiveBayes(estimate="predictive").fit([[1.0], [2], [4], [7]], [0, 0, 1, 1]), 0, 1)
    with pytest.raises(ParameterError, match="no class 'c'"):
        divergence(model, "a", "c")


# Bayes errors


@pytest.mark.parametrize("name", DISCRETE)
def test_errors_of_finitely_many_rows_are_sums(name):
    model, values = DISCRETE[name]
    joint = np.exp(model.log_joint({"x": list(values)}))
    found = bayes_error(model)
    assert found.value == pytest.approx(joint.min(axis=1).sum(), rel=1e-12)
    assert found.standard_error == 0
    assert found.method == "sum over all rows"


@pytest.mark.parametrize("name", CONTINUOUS)
def test_errors_over_one_column_are_integrals(name):
    model, ends = CONTINUOUS[name]
    loss = {"a": {"a": 0, "b": 3}, "b": {"a": 1, "b": 0}, "reject": 0.4}
    costs = np.array([[0, 3], [1, 0], [0.4, 0.4]])
    x = np.linspace(*ends, 4_000_001)[1:]
    joint = np.exp(model.log_joint({"x": x}))
    for given, table in ((None, 1 - np.eye(2)), (loss, costs)):
        found = bayes_error(model, given)
        assert found.method == "quadrature"
        expected = (joint @ table.T).min(axis=1).sum() * (x[1] - x[0])
        assert found.value == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("kappa", [0.3, 2.0, 1e5])
@pytest.mark.parametrize("estimate", ["map", "predictive"])
def test_errors_of_angles_are_integrals_around_the_circle(kappa, estimate):
    spread = 1 / np.sqrt(kappa)
    angles, y = {"x": np.array([-1.0, 0.5, 0.0, 1.0, 1.5, 0.8]) * spread + 3.0}, list("aaabbb")
    model = NaiveBayes(kinds=("von-mises", kappa), estimate=estimate).fit(angles, y)
    x = 3.0 + np.linspace(-1, 1, 1_000_001)[1:] * min(np.pi, 40 * spread)
    least = np.exp(model.log_joint({"x": x})).min(axis=1)
    assert bayes_error(model).method == "quadrature"
    assert bayes_error(model).value == pytest.approx(least.sum() * (x[1] - x[0]), rel=1e-6)


@pytest.mark.parametrize("kind", ["poisson", ("negative-binomial", 3)])
def test_errors_of_counts_whose_parameters_are_integrated_out_are_sums(kind):
    model = NaiveBayes(kinds=kind, estimate="predictive").fit({"x": [0, 3, 2, 40, 55, 61]}, list("aaabbb"))
    joint = np.exp(model.log_joint({"x": np.arange(100_000)}))
    assert bayes_error(model).method == "sum over all rows"
    assert bayes_error(model).value == pytest.approx(joint.min(axis=1).sum(), rel=1e-10)


def test_errors_of_trees_of_categories_are_sums():
    table = {name: MELONS[name] for name in ("色泽", "根蒂", "触感")}
    model = TreeAugmentedBayes(kinds={"n": ("binomial", 2)}).fit(table | {"n": [0, 1, 2] * 5 + [1, 1]}, RIPE)
    levels = [sorted(set(cells)) for cells in table.values()]
    rows = list(product(*levels, range(3)))
    joint = np.exp(model.log_joint(dict(zip([*table, "n"], zip(*rows, strict=True), strict=True))))
    assert joint.sum() == pytest.approx(1, abs=1e-12)
    assert bayes_error(model).method == "sum over all rows"
    assert bayes_error(model).value == pytest.approx(joint.min(axis=1).sum(), rel=1e-12)


def test_two_gaussians_of_two_widths_by_their_boundary():
    """Equal priors, σ = 1 and 2, one mean: decide for the narrow one inside ±√(8 ln 2 / 3)."""
    model = GaussianDiscriminant.from_parameters([0.0, 0.0], [1.0, 4.0])
    edge = np.sqrt(8 * np.log(2) / 3)
    expected = 0.5 * (2 * stats.norm.sf(edge) + stats.norm.cdf(edge / 2) - stats.norm.cdf(-edge / 2))
    assert bayes_error(model).value == pytest.approx(expected, abs=1e-13)


def test_the_integral_agrees_with_the_closed_form_and_with_draws():
    near = GaussianDiscriminant.from_parameters([0.0, 1.5], [1.0, 1.0], [0.2, 0.8])
    shared = LinearDiscriminant.from_parameters([0.0, 1.5], 1.0, [0.2, 0.8])
    assert bayes_error(shared).method == "closed form"
    assert bayes_error(near).value == pytest.approx(bayes_error(shared).value, abs=1e-13)
    student = NaiveBayes(estimate="predictive").fit([[1.0], [2], [3.5], [4], [7], [9]], [0, 0, 0, 1, 1, 1])
    found = bayes_error(student)
    assert found.method == "quadrature"
    rows, labels = student.sample(200_000, random_state=0)
    assert (student.predict(rows) != labels).mean() == pytest.approx(found.value, abs=5e-3)


@pytest.mark.parametrize(("means", "priors"), [([1.5, 1.5], [0.3, 0.7]), ([0.0, 1.5], [0.0, 1.0])])
def test_the_closed_form_where_classes_coincide_or_one_never_comes(means, priors):
    found = bayes_error(LinearDiscriminant.from_parameters(means, 1.0, priors))
    assert (found.value, found.method) == (min(priors), "closed form")


def test_the_melons_have_an_exact_error():
    table = {name: MELONS[name] for name in ("色泽", "根蒂", "敲声", "纹理", "脐部", "触感")}
    model = NaiveBayes().fit(table, RIPE)
    found = bayes_error(model)
    rows, labels = model.sample(100_000, random_state=0)
    assert found.standard_error == 0
    assert (model.predict(rows) != labels).mean() == pytest.approx(found.value, abs=6e-3)
    numbers = NaiveBayes(kinds={"编号": "gaussian"}).fit(MELONS | {"编号": [0.0] * 16 + [1.0]}, RIPE)
    assert "draws" in bayes_error(numbers, draws=200).method


# the likelihood-ratio test


def test_a_test_of_a_model_decides_as_risks_do():
    loss = Loss({"treat": {"ill": 0, "well": 5}, "wait": {"ill": 100, "well": 0}})
    model = GaussianDiscriminant.from_parameters({"ill": 1.0, "well": -1.0}, [1.0, 2.0], {"ill": 0.2, "well": 0.8})
    test = ratio_test(loss, model)
    assert test.threshold == pytest.approx(0.2)
    assert test.posterior == pytest.approx(5 / 105)
    rows = np.linspace(-6, 6, 301)[:, None]
    posterior = model.predict_proba(rows)[:, 0]
    np.testing.assert_array_equal(test.decide(rows) == "treat", posterior > test.posterior)
    costly = BayesDecision(LinearDiscriminant(), loss=loss)
    y = np.array(["ill", "well"])[(rows[:, 0] < 0).astype(int)]
    fitted = costly.fit(rows, y)
    np.testing.assert_array_equal(ratio_test(loss, fitted.estimator_).decide(rows), fitted.predict(rows))


def test_thresholds_as_probabilities_where_there_is_none():
    always = ratio_test({"x": {"a": 0, "b": 0}, "y": {"a": 1, "b": 1}}, {"a": 0.5, "b": 0.5})
    assert (always.always, always.posterior) == ("x", 0.0)
    with pytest.raises(ParameterError, match="make the test with a model"):
        always.decide([[1.0]])
    with pytest.raises(LossError):
        ratio_test(
            {"x": {0: 0, 1: 1}, "y": {0: 1, 1: 0}},
            NaiveBayes().fit([[1.0], [2], [3], [5], [6], [8]], [0, 0, 1, 1, 2, 2]),
        )


def test_rows_impossible_under_both_classes_go_by_the_priors():
    model = NaiveBayes(smoothing=0, priors=[0.2, 0.8]).fit({"x": ["a", "b"], "y": ["u", "v"]}, [0, 1])
    test = ratio_test(Loss.zero_one([0, 1]), model)
    with pytest.warns(ImpossibleRowWarning, match="under both classes"):
        assert test.decide({"x": ["a"], "y": ["v"]}).tolist() == [1]
