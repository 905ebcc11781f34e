"""Conjugate beliefs against R: posterior = prior + counts, its mean and mode, predictives and marginal likelihoods."""

from functools import partial

import numpy as np
import pytest

from suffice import Beta, Dirichlet, Gamma, NaiveBayes, NormalInverseGamma, NormalInverseWishart, NormalMean
from suffice.families.binomial import Binomial
from suffice.families.categorical import Categorical
from suffice.families.gaussian import Gaussian
from suffice.families.memberships import memberships
from suffice.families.multinomial import Multinomial
from suffice.families.poisson import Poisson
from suffice.families.shapes import FULL

same = partial(np.testing.assert_allclose, rtol=1e-12)


@pytest.fixture
def expected(reference):
    return reference("conjugate")


def column(values):
    """One column of numbers, as a block."""
    return np.array(values, dtype=float)[:, None]


def statistics(prior, block):
    """What the rows say to that prior's family, all in one component."""
    return prior.family.statistics(block, memberships(np.zeros(len(block), dtype=int), 1))


def learned(prior, block):
    return prior.after(statistics(prior, block))


def log_evidence(prior, block):
    return prior.log_evidence(statistics(prior, block))[0]


def log_predictive(belief, block):
    return belief.predictive().log_density(block)[:, 0]


def chained(belief, block):
    """Ln of the marginal likelihood as the product of each row's predictive after the rows before it."""
    total = 0.0
    for row in block[:, None]:
        total += log_predictive(belief, row)[0]
        belief = learned(belief, row)
    return total


def probabilities(density):
    """Of the cells of one group and component."""
    [table] = density.tables(["cells"]).values()
    return np.concatenate([*table.values()])


# coins: Beta

each_coin = pytest.mark.parametrize(
    "case",
    [
        "beta_coin_5_5_15H_10T",
        "beta_uniform_15H_10T",
        "beta_jeffreys_15H_10T",
        "beta_uniform_0H_3T",
        "beta_5_5_14H_9T_as_mistyped",
    ],
)


def tosses(case):
    return column([1] * case["heads"] + [0] * case["tails"])


@each_coin
def test_beta(expected, case):
    case = expected[case]
    belief = learned(Beta(*case["prior"]).on(Binomial([1]), 1), tosses(case))
    same(belief.concentration, [case["posterior"]])
    same(probabilities(belief.mean())[0], case["mean"])
    same(np.exp(log_predictive(belief, column([1]))), case["predictive_next_head"])
    if case["mode"] is not None:  # R gives none on the edge
        same(probabilities(belief.mode())[0], case["mode"])


@each_coin
def test_maximum_likelihood_of_a_coin(expected, case):
    case = expected[case]
    belief = learned(Binomial([1]).flat(1), tosses(case))
    same(probabilities(belief.mode())[0], case["ML"])


@each_coin
def test_beta_binomial(expected, case):
    case = expected[case]
    belief = learned(Beta(*case["prior"]).on(Binomial([1]), 1), tosses(case))
    pmf = case["beta_binomial_next10_pmf"]
    ten = Beta(*belief.concentration[0]).on(Binomial([len(pmf) - 1]), 1)
    same(np.exp(log_predictive(ten, column(range(len(pmf))))), pmf)


@each_coin
def test_evidence_of_a_coin(expected, case):
    case = expected[case]
    one_by_one = Beta(*case["prior"]).on(Binomial([1]), 1)
    at_once = Beta(*case["prior"]).on(Binomial([case["heads"] + case["tails"]]), 1)
    same(log_evidence(one_by_one, tosses(case)), case["log_marginal_sequence"])
    same(log_evidence(at_once, column([case["heads"]])), case["log_marginal_count"])


# dice: Dirichlet, over a sequence of throws or over their counts


def by_throw(counts):
    return Categorical([range(len(counts))]), np.repeat(np.arange(len(counts)), counts)[:, None]


def by_count(counts):
    return Multinomial([str(side) for side in range(len(counts))]), np.array([counts], dtype=float)


@pytest.mark.parametrize("case", ["dirichlet_1_1_1__3_0_5", "dirichlet_half_K4", "dirichlet_asym"])
@pytest.mark.parametrize("laid_out, marginal", [(by_throw, "log_marginal_sequence"), (by_count, "log_marginal_counts")])
def test_dirichlet(expected, case, laid_out, marginal):
    case = expected[case]
    family, block = laid_out(case["counts"])
    prior = Dirichlet(case["prior"]).on(family, 1)
    belief = learned(prior, block)
    same(belief.concentration, [case["posterior"]])
    same(probabilities(belief.mean()), case["mean"])
    same(log_evidence(prior, block), case[marginal])
    if case["mode"] is not None:
        same(probabilities(belief.mode()), case["mode"])


# rates: Gamma


def test_gamma_poisson(expected):
    case = expected["gamma_poisson"]
    prior, block = Gamma(*case["prior_shape_rate"]).on(Poisson(1), 1), column(case["y"])
    belief = learned(prior, block)
    same([belief.shape[0, 0], belief.rate[0, 0]], case["posterior_shape_rate"])
    same(belief.mean().rate, [[case["mean"]]])
    same(belief.mode().rate, [[case["mode"]]])
    same(np.exp(log_predictive(belief, column(case["predictive_k"]))), case["predictive_negbin_pmf"])
    same(log_evidence(prior, block), case["log_marginal"])


# one Gaussian column, its variance known


@pytest.fixture
def known(expected):
    case = expected["normal_known_variance"]
    prior = NormalMean(case["prior_mean"], case["prior_var"], case["sigma2"]).on(Gaussian(1), 1)
    return case, prior, column(case["x"])


def test_normal_mean(known):
    case, prior, block = known
    belief = learned(prior, block)
    same([belief.location[0, 0], belief.variance[0, 0]], [case["posterior_mean"], case["posterior_var"]])
    same(belief.mean().mean, [[case["posterior_mean"]]])
    same(belief.mode().mean, [[case["MAP_formula_of_seed_003"]]])
    same(log_evidence(prior, block), case["log_marginal"])
    same(chained(prior, block), case["log_marginal"])


def test_normal_mean_predictive(known):
    case, prior, block = known
    belief, at = learned(prior, block), 5.5
    predictive = belief.predictive()
    same([predictive.mean[0, 0], predictive.covariance[0, 0]], [case["predictive_mean"], case["predictive_var"]])
    same(log_predictive(belief, column([at])), case[f"predictive_logpdf_at_{at}"])


# one Gaussian column, mean and variance unknown

each_column = pytest.mark.parametrize(
    "case", ["normal_inverse_gamma", "normal_inverse_gamma_weak", "nig_watermelon_density_good"]
)


def about_one_column(case):
    m, kappa, a, b = (case["prior"][name] for name in ("m0", "kappa0", "a0", "b0"))
    return NormalInverseGamma(m, kappa, a, b).on(Gaussian(1), 1)


@each_column
def test_normal_inverse_gamma(expected, case):
    case = expected[case]
    belief = learned(about_one_column(case), column(case["x"]))
    found = [belief.location, belief.kappa, belief.degrees / 2, belief.scatter / 2]
    same(np.ravel(found), [case["posterior"][name] for name in ("m", "kappa", "a", "b")])
    same(belief.mean().covariance, [[case["sigma2_mean"]]])


@each_column
def test_normal_inverse_gamma_predictive(expected, case):
    case = expected[case]
    belief = learned(about_one_column(case), column(case["x"]))
    student = belief.predictive()
    found = [student.degrees, student.mean, np.sqrt(student.squared_scale)]
    same(np.ravel(found), [case["predictive_t"][name] for name in ("df", "loc", "scale")])
    same(log_predictive(belief, column(case["predictive_x"])), case["predictive_logpdf"])


@each_column
def test_normal_inverse_gamma_evidence(expected, case):
    case = expected[case]
    prior, block = about_one_column(case), column(case["x"])
    same(log_evidence(prior, block), case["log_marginal"])
    same(chained(prior, block), case["log_marginal_by_sequential_predictives"])


# Gaussian columns together

each_block = pytest.mark.parametrize("case, table", [("niw_iris_setosa", "iris_R"), ("niw_faithful30", "faithful")])


def given(case):
    return NormalInverseWishart(*(case["prior"][name] for name in ("m0", "kappa0", "nu0", "Psi0")))


def about_columns(case):
    return given(case).on(Gaussian(len(case["prior"]["m0"]), FULL), 1)


def first_rows(case, table):
    """The first n rows of the first D columns."""
    names = list(table)[: len(case["prior"]["m0"])]
    return np.stack([table[name] for name in names], axis=1)[: case["n"]]


@each_block
def test_normal_inverse_wishart(expected, data, case, table):
    case = expected[case]
    belief = learned(about_columns(case), first_rows(case, data(table)))
    for found, name in [("location", "m"), ("degrees", "nu"), ("scatter", "Psi")]:
        same(getattr(belief, found)[0], case["posterior"][name], err_msg=name)
    same(belief.kappa, case["posterior"]["kappa"])  # the same for every column
    same(belief.mean().mean[0], case["posterior"]["m"])
    same(belief.mean().covariance[0], case["Sigma_mean"])


@each_block
def test_the_joint_mode_has_one_more_in_its_divisor_than_the_marginal_mode(expected, data, case, table):
    case = expected[case]
    mode = learned(about_columns(case), first_rows(case, data(table))).mode()
    marginal_divisor = case["posterior"]["nu"] + len(case["posterior"]["m"]) + 1
    same(mode.mean[0], case["posterior"]["m"])
    same(mode.covariance[0] * (marginal_divisor + 1), np.multiply(case["Sigma_mode"], marginal_divisor))


@each_block
def test_normal_inverse_wishart_predictive(expected, data, case, table):
    case = expected[case]
    belief = learned(about_columns(case), first_rows(case, data(table)))
    student = belief.predictive()
    for found, name in [("degrees", "df"), ("mean", "loc"), ("squared_scale", "scale_matrix")]:
        same(getattr(student, found)[0], case["predictive_t"][name], err_msg=name)
    same(log_predictive(belief, np.array(case["T"], dtype=float)), case["predictive_logpdf"])


@each_block
def test_normal_inverse_wishart_evidence(expected, data, case, table):
    case = expected[case]
    prior, block = about_columns(case), first_rows(case, data(table))
    same(log_evidence(prior, block), case["log_marginal"])
    same(chained(prior, block), case["log_marginal_by_sequential_predictives"])


def test_bayesian_classifier(expected, data):
    case, irises = expected["niw_classifier_iris"], data("iris_R")
    species = irises.pop("Species")
    names, smoothing = tuple(irises), case["prior"]["class_dirichlet_alpha"]
    model = NaiveBayes(
        joint=[names],
        estimate="predictive",
        priors="smoothed",
        smoothing=smoothing,
        parameter_prior={names: given(case)},
    ).fit(irises, species)
    same(model.log_joint(irises), case["log_joint"])
    same(model.predict_proba(irises), case["posterior"])
