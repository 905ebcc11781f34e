"""Stage 4, what the best decision costs on average: Bayes error and overall risk of a model taken at its word.

In:  a Joint, and a loss (0–1 without one).
Out: ExpectedRisk: exact for the error of two Gaussians with one covariance, over finitely many rows and over one
     column, else an average over seeded draws with its standard error. For the error of any two
     Gaussians also the bounds of Bhattacharyya and Chernoff.
"""

from dataclasses import dataclass

import numpy as np
import scipy
from scipy.optimize import minimize_scalar

from suffice.arrays import Array, log, softmax
from suffice.decisions.boundary import gaussians
from suffice.decisions.decide import conditional_risk
from suffice.decisions.every_row import risk_over_a_line, risk_over_cells
from suffice.decisions.loss import Loss
from suffice.errors import ParameterError
from suffice.families.capabilities import LogQuadratic
from suffice.families.gaussian.divergence import chernoff_divergence
from suffice.model.joint import Joint
from suffice.options import Seed, generator, number, whole
from suffice.printing.description import Description, Text, facts
from suffice.printing.language import word, worded
from suffice.printing.numbers import with_spread
from suffice.printing.printed import Printed

DRAWS = "draws must be the number of rows to draw, from 2 to 1,000,000,000"
SHARE = (
    "share must be the power of the first density, from 0 to 1 (0.5 for Bhattacharyya's bound), or None for the best"
)


@dataclass(frozen=True, repr=False)
class ExpectedRisk(Printed):
    value: float
    standard_error: float  # 0 where the value is exact
    method: str

    def description(self) -> Description:
        drawn = with_spread(np.array([self.value]), np.array([self.standard_error]))
        value = drawn[0] if self.standard_error else f"{self.value:.6g}"
        line = word("{value} ({method})", value=value, method=worded(self.method))
        numbers: dict[Text, float] = {word("expected risk"): self.value, word("standard error"): self.standard_error}
        return Description((line,), behind=[facts(numbers)])


def expected_risk(joint: Joint, loss: Loss | None, draws: int, seed: Seed) -> ExpectedRisk:
    draws, rng = whole(draws, DRAWS, 2, 10**9), generator(seed)
    two = loss is None and len(joint.classes) == len(joint.prevalence) == 2
    only = joint.density.parts[0] if two and joint.density.independent and len(joint.density.parts) == 1 else None
    if isinstance(only, LogQuadratic) and only.shared:
        return ExpectedRisk(_exact(only, joint.prevalence), 0.0, "closed form")
    costs = (loss or Loss.zero_one(joint.classes)).on(joint.classes)
    summed = risk_over_cells(joint, costs)
    if summed is not None:
        return ExpectedRisk(summed, 0.0, "sum over all rows")
    integral = risk_over_a_line(joint, costs) if joint.density.independent else None
    return _drawn(joint, costs, draws, rng) if integral is None else ExpectedRisk(integral, 0.0, "quadrature")


def chernoff_bound(joint: Joint, share: float | None = None) -> float:
    """P(error) ≤ P₁^s P₂^(1−s) ∫ p₁^s p₂^(1−s): Bhattacharyya's at s = ½, Chernoff's at the best s."""
    if len(joint.classes) != 2:
        raise ParameterError(f"The bound is only for two classes; the model has {list(joint.classes)}.")
    joint.refuse_several("A bound in closed form")
    _, mean, covariance = gaussians(joint, (0, 1), "A bound")

    def bound(s: float) -> float:
        return float(
            np.exp(-chernoff_divergence(mean[0] - mean[1], covariance, s)) * np.prod(joint.prevalence ** [s, 1 - s])
        )

    if share is not None:
        return bound(number(share, SHARE, lambda s: 0 <= s <= 1))
    return float(minimize_scalar(bound, bounds=(0.0, 1.0), method="bounded", options={"xatol": 1e-10}).fun)


def _exact(density: LogQuadratic, prevalence: Array) -> float:
    """P₁ Φ(−Δ/2 − t/Δ) + P₂ Φ(−Δ/2 + t/Δ), with Δ the distance of the means and t = ln P₁/P₂."""
    off = density.mean[0] - density.mean[1]
    distance = float(np.sqrt(off @ np.linalg.solve(density.matrix(0), off)))
    if distance == 0 or prevalence.min() == 0:
        return float(prevalence.min())
    lean = np.log(prevalence[0] / prevalence[1]) / distance
    return float(prevalence @ scipy.stats.norm.cdf([-distance / 2 - lean, -distance / 2 + lean]))


def _drawn(joint: Joint, costs: Array, draws: int, rng: np.random.Generator) -> ExpectedRisk:
    components = rng.choice(len(joint.prevalence), draws, p=joint.prevalence)
    log_joint = log(joint.prevalence) + joint.density.log_density(joint.density.sample(components, rng))
    log_joint = joint.by_class(log_joint)
    posterior = softmax(log_joint)
    risk = conditional_risk(posterior, costs).min(axis=1)
    return ExpectedRisk(float(risk.mean()), float(risk.std(ddof=1) / np.sqrt(draws)), f"{draws:,} draws")
