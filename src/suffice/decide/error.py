"""Stage 4, how often the best decision is wrong: the Bayes error of a model taken at its word.

In:  a Joint. Out: BayesError: exact for two Gaussians with one covariance, else an average over seeded draws with its
     standard error; and Bhattacharyya's bound for any two Gaussians.
"""

from dataclasses import dataclass

import numpy as np
from scipy.stats import norm

from suffice.arrays import Array, log, log_sum_exp
from suffice.families.normal import GaussianDensity
from suffice.model.directions import shared_matrix
from suffice.model.joint import Joint


@dataclass(frozen=True)
class BayesError:
    value: float
    standard_error: float  # 0 where the value is exact
    method: str

    def __repr__(self) -> str:
        spread = f" ± {self.standard_error:.2g}" if self.standard_error else ""
        return f"Bayes error {self.value:.6g}{spread} ({self.method})"


def bayes_error_of(joint: Joint, draws: int, seed: int) -> BayesError:
    parts = joint.density.parts
    two = len(joint.classes) == 2 and len(parts) == 1
    if two and isinstance(parts[0], GaussianDensity) and len(parts[0].covariance) == 1:
        return BayesError(_exact(parts[0], joint.prevalence), 0.0, "closed form")
    return _drawn(joint, draws, seed)


def _exact(density: GaussianDensity, prevalence: Array) -> float:
    """P₁ Φ(−Δ/2 − t/Δ) + P₂ Φ(−Δ/2 + t/Δ), with Δ the distance of the means and t = ln P₁/P₂."""
    off = density.mean[0] - density.mean[1]
    distance = float(np.sqrt(off @ np.linalg.solve(shared_matrix(density), off)))
    if distance == 0 or prevalence.min() == 0:
        return float(prevalence.min())
    lean = np.log(prevalence[0] / prevalence[1]) / distance
    return float(prevalence @ norm.cdf([-distance / 2 - lean, -distance / 2 + lean]))


def _drawn(joint: Joint, draws: int, seed: int) -> BayesError:
    rng = np.random.default_rng(seed)
    components = rng.choice(len(joint.classes), draws, p=joint.prevalence)
    log_joint = log(joint.prevalence) + joint.density.log_density(joint.density.sample(components, rng))
    wrong = 1.0 - np.exp(log_joint.max(axis=1) - log_sum_exp(log_joint))
    return BayesError(float(wrong.mean()), float(wrong.std(ddof=1) / np.sqrt(draws)), f"{draws:,} draws")
