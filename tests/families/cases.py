"""One case for each family: known components, an independent oracle (scipy), an example prior. The laws run over all.

A new family joins the laws by adding one Case to CASES.
"""

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from scipy import stats

from suffice import Beta, Dirichlet, InverseGamma, NormalMean
from suffice.families.cells.binomial import Binomial
from suffice.families.cells.categorical import Categorical
from suffice.families.cells.dirichlet import CellDensity
from suffice.families.cells.multinomial import Multinomial
from suffice.families.gaussian.densities import GaussianDensity
from suffice.families.gaussian.family import Gaussian
from suffice.families.gaussian.shapes import DIAGONAL, FULL, SPHERICAL
from suffice.families.product import Product, ProductDensity, ProductPrior
from suffice.families.rates.exponential import Exponential
from suffice.families.rates.gamma import GammaPrior, RateDensity
from suffice.families.rates.poisson import Poisson

K = 3
LEVELS = (("甲", "乙", "丙"), (False, True))


@dataclass(frozen=True)
class Case:
    name: str
    family: Any
    truth: Any  # a Density of K components
    prior: Any  # a proper Prior on the family
    plug_in: Callable[[Any, Any], Any]  # (density, block) → log densities (N, K), by scipy
    predictive: Callable[[Any, Any], Any]  # (belief, block) → the same with parameters integrated out
    everything: Callable[[], Any] | None = None  # all rows there can be, for discrete families
    to_line: Callable[[Any], Any] | None = None  # (0, 1)^D → rows and the Jacobian, for continuous ones
    missing: bool = True  # whether a cell may be missing
    hidden: bool = False  # whether a missing cell takes EM, so that beliefs want complete rows
    moves: tuple[tuple[float, Any], ...] = ()  # shifts and scales after which the rows are of the same family

    def __str__(self):
        return self.name

    def rows(self, rng, n=40, missing=True):
        """Rows from all components, and which component each is from."""
        labels = np.concatenate([np.arange(K), rng.integers(0, K, n - K)])
        block = self.truth.sample(labels, rng)
        return (with_holes(block, rng) if missing and self.missing else block), labels

    def closed(self, rng, n=40):
        """Rows that a belief can learn from in closed form."""
        return self.rows(rng, n, missing=not self.hidden)


def with_holes(block, rng):
    if isinstance(block, tuple):
        return tuple(with_holes(part, rng) for part in block)
    holes = rng.random(block.shape) < 0.15
    holes[:12] = False
    return np.where(holes, -1 if block.dtype.kind == "i" else np.nan, block)


def take(block, rows):
    return tuple(part[rows] for part in block) if isinstance(block, tuple) else block[rows]


def size(block):
    return len(block[0]) if isinstance(block, tuple) else len(block)


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
    CATEGORICAL.even(0.7),
    categorical_oracle,
    categorical_predictive,
    everything=lambda: np.array(list(product(range(3), range(2)))),
)
binomial = Case(
    "binomial",
    BINOMIAL,
    cells(BINOMIAL, np.array([[0.2, 0.8, 0.5, 0.5], [0.6, 0.4, 0.9, 0.1], [0.3, 0.7, 0.25, 0.75]])),
    BINOMIAL.even(1.3),
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
exponential = Case(
    "exponential",
    Exponential(2),
    RateDensity(RATES, Exponential(2)),
    GammaPrior(np.array([[2.0, 1.5]]), np.array([[1.0, 0.5]]), Exponential(2)),
    over_columns(lambda d, x, k: stats.expon.logpdf(x, scale=1 / d.rate[k])),
    over_columns(lambda b, x, k: stats.lomax.logpdf(x, b.shape[k], scale=b.rate[k])),
    to_line=lambda u: (u / (1 - u), 1 / (1 - u) ** 2),
    moves=((0.0, 1e-9), (0.0, np.array([1e-9, 1.0]))),
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
    )


known_variance = Case(
    "gaussian known variance",
    Gaussian(1),
    GaussianDensity(MEANS[:, :1], np.array([[0.8]]), DIAGONAL),
    NormalMean(0.5, 2.0, 0.8).on(Gaussian(1), K),
    over_columns(lambda d, x, k: stats.norm.logpdf(x, d.mean[k], np.sqrt(0.8))),
    over_columns(lambda b, x, k: stats.norm.logpdf(x, b.location[k], np.sqrt(0.8 + b.variance[k]))),
    to_line=lambda u: (np.tan(np.pi * (u - 0.5)), np.pi / np.cos(np.pi * (u - 0.5)) ** 2),
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
    )


# a product of three of them

PARTS = (categorical, poisson, gaussian(DIAGONAL, False))


def sum_of_parts(which):
    return lambda whole, blocks: sum(
        getattr(case, which)(part, block) for case, part, block in zip(PARTS, whole.parts, blocks, strict=True)
    )


mixed = Case(
    "product",
    Product(tuple(case.family for case in PARTS)),
    ProductDensity(tuple(case.truth for case in PARTS)),
    ProductPrior(tuple(case.prior for case in PARTS)),
    sum_of_parts("plug_in"),
    sum_of_parts("predictive"),
)

GAUSSIANS = [gaussian(shape, is_shared) for shape in (FULL, DIAGONAL, SPHERICAL) for is_shared in (False, True)]
KNOWN = [known_variance, known_covariance, known_mean(False), known_mean(True)]
CASES = [categorical, binomial, beta, multinomial, poisson, exponential, *GAUSSIANS, *KNOWN, mixed]


def documented():
    """The family that the documentation teaches, as its page has it."""
    page = (Path(__file__).parents[2] / "docs" / "add-a-family.md").read_text(encoding="utf-8")
    space: dict[str, Any] = {"__name__": "documented"}
    sys.modules["documented"] = ModuleType("documented")  # dataclasses look their module up
    for code in re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL):
        exec(code, space)
    return space["case"]


CASES.append(documented())
