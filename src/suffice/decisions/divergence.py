"""Stage 4, how far apart two classes are: divergences between their densities, in closed form.

In:  a Joint and two of its classes, their parameters known.
Out: Divergence. Columns independent of each other add up; a change of units changes nothing.
"""

from dataclasses import dataclass

import numpy as np

from suffice.data.levels import Level
from suffice.data.schema import BlockPlan
from suffice.decisions.boundary import gaussian_columns
from suffice.errors import ParameterError
from suffice.families.capabilities import Divergent, Separation
from suffice.families.protocol import Density
from suffice.model.joint import Joint
from suffice.printing.description import Description, Text, facts
from suffice.printing.language import word
from suffice.printing.printed import Printed
from suffice.words import listed


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


def _apart(block: BlockPlan, density: Density, a: int, b: int) -> Separation:
    found = density.divergence(a, b) if isinstance(density, Divergent) else None
    if found is None:
        raise ParameterError(
            f"There is no divergence in closed form for {listed(block.names)}: densities of the kind {block.kind!r} "
            "have none, or not with these parameters. It needs one of the built-in kinds, with plug-in parameters: use "
            "estimate='map', or any other than 'predictive', the default of NaiveBayes."
        )
    return found


def _mahalanobis(joint: Joint, pair: tuple[int, int]) -> float | None:
    names, mean, covariance = gaussian_columns(joint, pair)
    if not names or len(names) < len(joint.schema.columns):
        return None
    off = mean[0] - mean[1]
    return float(np.sqrt(off @ np.linalg.solve(covariance.mean(axis=0), off)))
