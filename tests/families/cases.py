"""One case for each family: known components, an independent oracle (scipy), an example prior. The laws run over all.

A new family joins the laws by adding one Case to CASES.
"""

from itertools import product

import numpy as np
from scipy import stats
from scipy.special import betaln, gammaln, logsumexp

from suffice import Beta, Dirichlet, InverseGamma, NormalMean
from suffice.families.angles.family import Angles
from suffice.families.angles.von_mises import VonMisesDensity, VonMisesPrior
from suffice.families.cells.binomial import Binomial
from suffice.families.cells.categorical import Categorical
from suffice.families.cells.densities import CellDensity
from suffice.families.cells.multinomial import Multinomial
from suffice.families.cells.negative_binomial import NegativeBinomial
from suffice.families.gaussian.densities import GaussianDensity
from suffice.families.gaussian.family import Gaussian
from suffice.families.gaussian.shapes import DIAGONAL, FULL, SPHERICAL
from suffice.families.inverse_gaussian.densities import InverseGaussianDensity
from suffice.families.inverse_gaussian.family import InverseGaussian
from suffice.families.inverse_gaussian.normal_gamma import NormalGammaPrior
from suffice.families.rates.gamma import GammaPrior, RateDensity
from suffice.families.rates.poisson import Poisson
from suffice.families.rates.waiting import Waiting
from suffice.testing import Case, K

LEVELS = (("甲", "乙", "丙"), (False, True))


def over_columns(log_density):
    """Σ_j ln p(x_j) over the cells that are there, for each component k: log_density(x, k) is elementwise."""
    return lambda parameters, x: np.stack(
        [np.nansum(np.where(np.isnan(x), np.nan, log_density(parameters, x, k)), axis=1) for k in range(K)], axis=1
    )


def over_observed(distribution):
    """ln p of the observed cells of each row; distribution(parameters, k, columns) is a frozen scipy one."""

    def log_density(parameters, x):
        out = np.zeros((len(x), K))
        for (i, row), k in product(enumerate(x), range(K)):
            seen = np.flatnonzero(~np.isnan(row))
            out[i, k] = distribution(parameters, k, seen).logpdf(row[seen]) if len(seen) else 0.0
        return out

    return log_density


def shared(array, k):
    return array[k if len(array) > 1 else 0]


# families of cells


def cells(family, probabilities):
    unseen = np.zeros((K, len(family.layout.sizes)))
    return CellDensity(np.concatenate([np.log(probabilities), unseen], axis=1), family)


def categorical_oracle(density, codes):
    out = np.zeros((len(codes), K))
    for j, levels in enumerate(LEVELS):
        table = density.log_probability[:, 3 * j : 3 * j + len(levels)]
        out += np.where(codes[:, j, None] < 0, 0.0, table.T[codes[:, j]])
    return out


def categorical_predictive(belief, codes):
    share = [part / part.sum(axis=1, keepdims=True) for part in np.split(belief.concentration, [3], axis=1)]
    return categorical_oracle(cells(belief.family, np.concatenate(share, axis=1)), codes)


CATEGORICAL = Categorical(LEVELS)
BINOMIAL = Binomial([1, 6])
MULTINOMIAL = Multinomial(("the", "cat", "sat"), total=4)

categorical = Case(
    "categorical",
    CATEGORICAL,
    cells(CATEGORICAL, np.array([[0.2, 0.5, 0.3, 0.1, 0.9], [0.6, 0.2, 0.2, 0.5, 0.5], [0.1, 0.1, 0.8, 0.7, 0.3]])),
    CATEGORICAL.symmetric(0.7),
    categorical_oracle,
    categorical_predictive,
    everything=lambda: np.array(list(product(range(3), range(2)))),
)
binomial = Case(
    "binomial",
    BINOMIAL,
    cells(BINOMIAL, np.array([[0.2, 0.8, 0.5, 0.5], [0.6, 0.4, 0.9, 0.1], [0.3, 0.7, 0.25, 0.75]])),
    BINOMIAL.symmetric(1.3),
    over_columns(lambda d, x, k: stats.binom.logpmf(x, [1, 6], np.exp(d.log_probability[k, :4:2]))),
    over_columns(lambda b, x, k: stats.betabinom.logpmf(x, [1, 6], b.concentration[k, ::2], b.concentration[k, 1::2])),
    everything=lambda: np.array(list(product(range(2), range(7))), dtype=float),
)
multinomial = Case(
    "multinomial",
    MULTINOMIAL,
    cells(MULTINOMIAL, np.array([[0.2, 0.5, 0.3], [0.6, 0.2, 0.2], [0.1, 0.1, 0.8]])),
    Dirichlet({"sat": 2.0, "the": 0.5, "cat": 1.0}).on(MULTINOMIAL, K),
    lambda d, x: np.stack([stats.multinomial.logpmf(x, x.sum(axis=1), p) for p in np.exp(d.log_probability[:, :3])], 1),
    lambda b, x: np.stack([stats.dirichlet_multinomial.logpmf(x.astype(int), a, 4) for a in b.concentration], axis=1),
    everything=lambda: np.array([row for row in product(range(5), repeat=3) if sum(row) == 4], dtype=float),
    missing=False,
    together=True,
)
R = np.array([1.0, 2.5])
FAILURES = NegativeBinomial(R)


def beta_negative_binomial(belief, x, k):
    """Γ(x + r) / (x! Γ(r)) · B(a + r, b + x) / B(a, b)."""
    a, b = belief.concentration[k, ::2], belief.concentration[k, 1::2]
    return -np.log(x + R) - betaln(x + 1, R) + betaln(a + R, b + x) - betaln(a, b)


negative_binomial = Case(
    "negative binomial",
    FAILURES,
    cells(FAILURES, np.array([[0.4, 0.6, 0.5, 0.5], [0.6, 0.4, 0.8, 0.2], [0.7, 0.3, 0.6, 0.4]])),
    FAILURES.symmetric(1.7),
    over_columns(lambda d, x, k: stats.nbinom.logpmf(x, [1.0, 2.5], np.exp(d.log_probability[k, :4:2]))),
    over_columns(beta_negative_binomial),
    everything=lambda: np.array(list(product(range(300), repeat=2)), dtype=float),
)
beta = Case(
    "beta",
    Binomial([3]),
    cells(Binomial([3]), np.array([[0.2, 0.8], [0.6, 0.4], [0.5, 0.5]])),
    Beta(2.5, 0.8).on(Binomial([3]), K),
    over_columns(lambda d, x, k: stats.binom.logpmf(x, 3, np.exp(d.log_probability[k, :1]))),
    over_columns(lambda b, x, k: stats.betabinom.logpmf(x, 3, b.concentration[k, 0], b.concentration[k, 1])),
    everything=lambda: np.arange(4.0)[:, None],
)

# families of rates

RATES = np.array([[0.5, 4.0], [2.0, 1.0], [1.0, 1.5]])

poisson = Case(
    "poisson",
    Poisson(2),
    RateDensity(RATES, Poisson(2)),
    GammaPrior(np.array([[2.0, 1.5]]), np.array([[1.0, 0.5]]), Poisson(2)),
    over_columns(lambda d, x, k: stats.poisson.logpmf(x, d.rate[k])),
    over_columns(lambda b, x, k: stats.nbinom.logpmf(x, b.shape[k], b.rate[k] / (b.rate[k] + 1))),
    everything=lambda: np.array(list(product(range(80), repeat=2)), dtype=float),
)
EXPONENTIAL, WAITING = Waiting([1.0, 1.0]), Waiting([2.5, 0.7])
exponential = Case(
    "exponential",
    EXPONENTIAL,
    RateDensity(RATES, EXPONENTIAL),
    GammaPrior(np.array([[2.0, 1.5]]), np.array([[1.0, 0.5]]), EXPONENTIAL),
    over_columns(lambda d, x, k: stats.expon.logpdf(x, scale=1 / d.rate[k])),
    over_columns(lambda b, x, k: stats.lomax.logpdf(x, b.shape[k], scale=b.rate[k])),
    to_line=lambda u: (u / (1 - u), 1 / (1 - u) ** 2),
    moves=((0.0, 1e-9), (0.0, np.array([1e-9, 1.0]))),
)

gamma = Case(
    "gamma",
    WAITING,
    RateDensity(RATES, WAITING),
    GammaPrior(np.array([[2.0, 1.5]]), np.array([[1.0, 0.5]]), WAITING),
    over_columns(lambda d, x, k: stats.gamma.logpdf(x, WAITING.law.k, scale=1 / d.rate[k])),
    over_columns(lambda b, x, k: stats.betaprime.logpdf(x, WAITING.law.k, b.shape[k], scale=b.rate[k])),
    to_line=lambda u: ((u / (1 - u)) ** 3, 3 * u**2 / (1 - u) ** 4),
    moves=((0.0, 1e-9), (0.0, np.array([1e-9, 1.0]))),
)

# waits


def integrated_wait(belief, x, k):
    """By quadrature over 1/μ > 0, of p(x, 1/μ) with λ integrated out: Gamma integrals before and after the row."""

    def log_marginal(rate, more, excess):  # ∫ λ^((ν − 1)/2 + more/2) e^(−λ excess / 2) dλ
        power = (belief.degrees[k] + 1 + more) / 2
        return gammaln(power) - power * np.log(excess / 2)

    n, total, excess = belief.seen[k], belief.total[k], belief.excess[k]
    u = (np.arange(4000) + 0.5) / 4000
    rate = (n / total)[None, :] * (u / (1 - u))[:, None]  # (M, D)
    step = (n / total)[None, :] / ((1 - u) ** 2)[:, None]
    before = excess + total * (rate - n / total) ** 2
    after = before + (x[:, None, :] * rate - 1) ** 2 / x[:, None, :]  # (N, M, D)
    above, below = log_marginal(rate, 1, after) + np.log(step), log_marginal(rate, 0, before) + np.log(step)
    return logsumexp(above, axis=1) - logsumexp(below, axis=0) - 0.5 * np.log(2 * np.pi) - 1.5 * np.log(x)


WAITS = InverseGaussian(2)
inverse_gaussian = Case(
    "inverse gaussian",
    WAITS,
    InverseGaussianDensity(
        np.array([[0.5, 4.0], [2.0, 1.0], [1.0, 1.5]]), np.array([[1.0, 9.0], [3.0, 0.5], [0.4, 2.0]])
    ),
    NormalGammaPrior(*np.array([[[1.5, 0.8]], [[2.0, 1.0]], [[1.2, 0.5]], [[2.5, 3.0]]])),
    over_columns(lambda d, x, k: stats.invgauss.logpdf(x, d.mean[k] / d.shape[k], scale=d.shape[k])),
    over_columns(integrated_wait),
    to_line=lambda u: ((u / (1 - u)) ** 3, 3 * u**2 / (1 - u) ** 4),
    moves=((0.0, 1e-9), (0.0, np.array([1e-9, 1.0]))),
    unshown=("mean",),
)

# Gaussians: three shapes, own or shared

MEANS = np.array([[0.0, 1.0], [2.0, -1.0], [-3.0, 0.5]])
COVARIANCES = {
    FULL: np.array([[[1.0, 0.6], [0.6, 2.0]], [[0.5, -0.1], [-0.1, 0.3]], [[2.0, 0.0], [0.0, 1.0]]]),
    DIAGONAL: np.array([[1.0, 2.0], [0.5, 0.3], [2.0, 1.0]]),
    SPHERICAL: np.array([[1.0], [0.4], [2.0]]),
}


def dense(shape, matrix):
    """A covariance of any shape as a matrix."""
    return matrix if shape is FULL else np.diag(np.broadcast_to(matrix, (2,)))


def normal_oracle(mean, covariance, seen):
    return stats.multivariate_normal(mean[seen], covariance[np.ix_(seen, seen)])


def gaussian_oracle(density, k, seen):
    return normal_oracle(density.mean[k], dense(density.shape, shared(density.covariance, k)), seen)


def student_oracle(belief, k, seen):
    shape = belief.family.shape
    df = shared(belief.degrees, k)[0] - (1 if shape is FULL else 0)  # ν − q + 1
    spread = np.diag((1 + 1 / belief.kappa[k]) ** 0.5)
    scale = spread @ dense(shape, shared(belief.scatter, k) / df) @ spread
    return stats.multivariate_t(belief.location[k, seen], scale[np.ix_(seen, seen)], df)


def gaussian(shape, is_shared):
    family = Gaussian(2, shape, is_shared)
    covariance = COVARIANCES[shape][:1] if is_shared else COVARIANCES[shape]
    scatter = shape.matrix(np.array([[1.5, 0.7]]))
    columns = over_columns(
        lambda b, x, k: stats.t.logpdf(
            x,
            shared(b.degrees, k),
            b.location[k],
            np.sqrt(shared(b.scatter, k) / shared(b.degrees, k) * (1 + 1 / b.kappa[k])),
        )
    )
    return Case(
        f"gaussian {shape.name} {'shared' if is_shared else 'own'}",
        family,
        GaussianDensity(MEANS, covariance, shape),
        family.belief(np.full((1, 2), 0.5), np.array([[0.3, -0.2]]), 3.5, scatter, K),
        over_observed(gaussian_oracle),
        columns if shape is DIAGONAL else over_observed(student_oracle),
        to_line=lambda u: (np.tan(np.pi * (u - 0.5)), np.pi / np.cos(np.pi * (u - 0.5)) ** 2),
        moves=((1e6, 1.0), (0.0, 1e-9)) + (() if shape is SPHERICAL else ((0.0, np.array([1e-9, 1.0])),)),
        hidden=shape is FULL,
        given=shape is DIAGONAL and not is_shared,
    )


known_variance = Case(
    "gaussian known variance",
    Gaussian(1),
    GaussianDensity(MEANS[:, :1], np.array([[0.8]]), DIAGONAL),
    NormalMean(0.5, 2.0, 0.8).on(Gaussian(1), K),
    over_columns(lambda d, x, k: stats.norm.logpdf(x, d.mean[k], np.sqrt(0.8))),
    over_columns(lambda b, x, k: stats.norm.logpdf(x, b.location[k], np.sqrt(0.8 + b.variance[k]))),
    to_line=lambda u: (np.tan(np.pi * (u - 0.5)), np.pi / np.cos(np.pi * (u - 0.5)) ** 2),
    known="sd",
)

known_covariance = Case(
    "gaussian known covariance",
    Gaussian(2, FULL),
    GaussianDensity(MEANS, COVARIANCES[FULL][:1], FULL),
    NormalMean([0.3, -0.2], [[2.0, 0.5], [0.5, 1.0]], COVARIANCES[FULL][0]).on(Gaussian(2, FULL), K),
    over_observed(gaussian_oracle),
    over_observed(lambda b, k, seen: normal_oracle(b.location[k], b.variance[k] + COVARIANCES[FULL][0], seen)),
    to_line=lambda u: (np.tan(np.pi * (u - 0.5)), np.pi / np.cos(np.pi * (u - 0.5)) ** 2),
    hidden=True,
    known="sd",
)


def known_mean(is_shared):
    family = Gaussian(1, DIAGONAL, is_shared)
    return Case(
        f"gaussian known mean {'shared' if is_shared else 'own'}",
        family,
        GaussianDensity(np.full((K, 1), 0.5), COVARIANCES[DIAGONAL][: 1 if is_shared else K, :1], DIAGONAL),
        InverseGamma(3.5, 2.0, mean=0.5).on(family, K),
        over_columns(lambda d, x, k: stats.norm.logpdf(x, d.mean[k], np.sqrt(shared(d.covariance, k)))),
        over_columns(
            lambda b, x, k: stats.t.logpdf(x, 2 * shared(b.a, k), 0.5, np.sqrt(shared(b.b, k) / shared(b.a, k)))
        ),
        to_line=lambda u: (np.tan(np.pi * (u - 0.5)), np.pi / np.cos(np.pi * (u - 0.5)) ** 2),
        known="mean",
    )


# angles


def integrated_angle(belief, x, k):
    """By quadrature over the mean direction."""
    mean = np.linspace(-np.pi, np.pi, 4001)[:-1]
    size, kappa = np.abs(belief.pull[k]), np.array(belief.family.concentration)
    believed = stats.vonmises.logpdf(mean[:, None], size, loc=np.angle(belief.pull[k]))  # (M, D)
    rows = stats.vonmises.logpdf(x[:, None, :], kappa, loc=mean[:, None])  # (N, M, D)
    return logsumexp(believed + rows, axis=1) + np.log(2 * np.pi / len(mean))


ANGLES = Angles((2.0, 0.7))
von_mises = Case(
    "von mises",
    ANGLES,
    VonMisesDensity(np.array([[0.5, -1.0], [-2.0, 1.5], [1.2, 0.0]]), ANGLES),
    VonMisesPrior(np.array([[1.5 + 0.5j, -0.3 + 0.2j]]), ANGLES),
    over_columns(lambda d, x, k: stats.vonmises.logpdf(x, np.array(d.family.concentration), loc=d.mean[k])),
    over_columns(integrated_angle),
    to_line=lambda u: (2 * np.pi * u - np.pi, np.full(u.shape, 2 * np.pi)),
    moves=((0.4, 1.0), (2 * np.pi, 1.0)),
)

GAUSSIANS = [gaussian(shape, is_shared) for shape in (FULL, DIAGONAL, SPHERICAL) for is_shared in (False, True)]
KNOWN = [known_variance, known_covariance, known_mean(False), known_mean(True)]
COUNTED = [categorical, binomial, beta, multinomial, negative_binomial]
CASES = [*COUNTED, poisson, exponential, gamma, von_mises, inverse_gaussian, *GAUSSIANS, *KNOWN]
