"""Stage 4, how far apart two classes are: divergences between their densities, in closed form.

In:  a Joint and two of its classes, their parameters known.
Out: Divergence. Columns independent of each other add up; a change of units changes nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import i0e, i1e, rel_entr

from suffice.arrays import Array, log, log_sum_exp
from suffice.data.levels import Level
from suffice.data.schema import BlockPlan
from suffice.decisions.boundary import gaussian_columns
from suffice.decisions.error import chernoff_divergence
from suffice.errors import ParameterError
from suffice.families.angles.von_mises import VonMisesDensity
from suffice.families.cells.binomial import Trials
from suffice.families.cells.dirichlet import CellDensity
from suffice.families.cells.negative_binomial import Failures
from suffice.families.gaussian.densities import GaussianDensity
from suffice.families.protocol import Density
from suffice.families.rates.gamma import RateDensity
from suffice.families.rates.waiting import WaitingLaw
from suffice.model.joint import Joint
from suffice.printing.description import Description, Text, facts
from suffice.printing.language import word
from suffice.printing.printed import Printed
from suffice.words import listed

Apart = tuple[float, float]  # KL of the second from the first, and Bhattacharyya's distance


@dataclass(frozen=True, repr=False)
class Divergence(Printed):
    """How far apart two classes are, in nats; 0 if they have the same density."""

    between: tuple[Level, Level]
    kl: float  # Kullback and Leibler's, ∫ p_a ln p_a/p_b
    kl_back: float  # ∫ p_b ln p_b/p_a
    bhattacharyya: float  # −ln ∫ √(p_a p_b)
    mahalanobis: float | None  # between the means, in the mean of both covariances; None unless all are Gaussian

    @property
    def jeffreys(self) -> float:
        """The sum of both divergences, which is symmetric."""
        return self.kl + self.kl_back

    def description(self) -> Description:
        a, b = self.between
        numbers: dict[Text, float] = {f"KL({a} ‖ {b})": self.kl, f"KL({b} ‖ {a})": self.kl_back}
        numbers[word("Bhattacharyya")] = self.bhattacharyya
        if self.mahalanobis is not None:
            numbers[word("Mahalanobis")] = self.mahalanobis
        return Description((), [facts(numbers)])


def divergence_of(joint: Joint, a: Level, b: Level) -> Divergence:
    joint.refuse_several("A divergence in closed form")
    first, second = (joint.position(name) for name in (a, b))
    blocks = list(zip(joint.schema.blocks, joint.density.parts, strict=True))
    there = [_apart(block, part, first, second) for block, part in blocks]
    back = [_apart(block, part, second, first) for block, part in blocks]
    kl, bhattacharyya = (float(sum(pair[i] for pair in there)) for i in (0, 1))
    far = _mahalanobis(joint, (first, second))
    return Divergence(
        (joint.classes[first], joint.classes[second]), kl, sum(pair[0] for pair in back), bhattacharyya, far
    )


def _apart(block: BlockPlan, density: Density, a: int, b: int) -> Apart:
    if isinstance(density, GaussianDensity):
        return _gaussians(density, a, b)
    if isinstance(density, CellDensity):
        return _cells(density, a, b)
    if isinstance(density, RateDensity):
        return _rates(density, a, b)
    if isinstance(density, VonMisesDensity):
        return _angles(density, a, b)
    raise ParameterError(
        f"There is no divergence in closed form for {listed(block.names)}: it needs one of the built-in kinds, with "
        "plug-in parameters. Use estimate='map', or any other than 'predictive', the default of NaiveBayes."
    )


def _gaussians(density: GaussianDensity, a: int, b: int) -> Apart:
    off, covariance = density.mean[a] - density.mean[b], np.stack([density.matrix(a), density.matrix(b)])
    inverse, logs = np.linalg.inv(covariance[1]), np.linalg.slogdet(covariance)[1]
    spread = np.trace(inverse @ covariance[0]) - len(off) + logs[1] - logs[0]
    return float(0.5 * (off @ inverse @ off + spread)), chernoff_divergence(off, covariance, 0.5)


def _cells(density: CellDensity, a: int, b: int) -> Apart:
    """Of each group of cells, for one draw of it, times the number of draws."""
    family, ends = density.family, np.cumsum(density.family.layout.sizes)[:-1]
    groups = [np.split(density.log_probability[k, : family.size], ends) for k in (a, b)]
    pairs = list(zip(*groups, strict=True))
    layout = family.layout
    if isinstance(layout, Failures):
        each = zip(pairs, layout.successes, strict=True)
        return _summed([_failures(np.exp(p), np.exp(q), r) for (p, q), r in each])
    draws: Sequence[int] = layout.trials if isinstance(layout, Trials) else [1] * len(pairs)
    single = [(_kl(np.exp(p), np.exp(q)), -float(log_sum_exp((p + q)[None, :] / 2)[0])) for p, q in pairs]
    return _summed([(n * kl, n * distance) for n, (kl, distance) in zip(draws, single, strict=True)])


def _kl(p: Array, q: Array) -> float:
    return float(rel_entr(p, q).sum())


def _failures(p: Array, q: Array, successes: float) -> Apart:
    """So many failures are expected before the successes, each drawn like a toss."""
    kl = successes / p[0] * _kl(p, q)
    return kl, float(-successes * (0.5 * np.log(p[0] * q[0]) - np.log1p(-np.sqrt(p[1] * q[1]))))


def _rates(density: RateDensity, a: int, b: int) -> Apart:
    first, second = density.rate[a], density.rate[b]
    law = density.family.law
    if isinstance(law, WaitingLaw):
        kl = law.k * (log(first) - log(second) + second / first - 1)
        return float(kl.sum()), float((law.k * (np.log((first + second) / 2) - 0.5 * log(first * second))).sum())
    kl = rel_entr(first, second) + second - first
    return float(kl.sum()), float(0.5 * ((np.sqrt(first) - np.sqrt(second)) ** 2).sum())


def _angles(density: VonMisesDensity, a: int, b: int) -> Apart:
    """Of one concentration κ: κ A(κ)(1 − cos Δ), and ln I₀(κ)/I₀(κ cos Δ/2)."""
    kappa, turn = density.family.kappa, density.mean[a] - density.mean[b]
    near = kappa * np.abs(np.cos(turn / 2))
    kl = kappa * i1e(kappa) / i0e(kappa) * (1 - np.cos(turn))
    return float(kl.sum()), float((np.log(i0e(kappa)) + kappa - np.log(i0e(near)) - near).sum())


def _summed(parts: Sequence[Apart]) -> Apart:
    return float(sum(part[0] for part in parts)), float(sum(part[1] for part in parts))


def _mahalanobis(joint: Joint, pair: tuple[int, int]) -> float | None:
    names, mean, covariance = gaussian_columns(joint, pair)
    if not names or len(names) < len(joint.schema.columns):
        return None
    off = mean[0] - mean[1]
    return float(np.sqrt(off @ np.linalg.solve(covariance.mean(axis=0), off)))
