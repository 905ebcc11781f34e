"""Beliefs about Gaussian columns, for people (see `presentation`): one column, means, or means and a covariance."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from suffice.arrays import Array
from suffice.beliefs.observations import Observations, block_of, one_component, plan_of
from suffice.beliefs.presentation import Arguments, refuse_of, refuse_trials
from suffice.data.kinds import GAUSSIAN, JOINT
from suffice.data.levels import Level
from suffice.errors import ParameterError
from suffice.families.capabilities import LogQuadratic
from suffice.families.gaussian.densities import GaussianDensity
from suffice.families.gaussian.family import Gaussian
from suffice.families.gaussian.moments import Moments
from suffice.families.gaussian.normal_mean import NormalMeanPrior
from suffice.families.gaussian.normal_variance import InverseGammaPrior
from suffice.families.gaussian.normal_wishart import NormalInverseWishartPrior
from suffice.families.gaussian.patterns import PatternMoments, pattern_moments
from suffice.families.gaussian.shapes import FULL
from suffice.options import number, numbers, shown

Believed = NormalMeanPrior | InverseGammaPrior | NormalInverseWishartPrior


@dataclass(frozen=True)
class OneColumn:
    """A column by itself: its mean, its variance, or both."""

    believed: tuple[str, ...]  # which of "mean" and "variance" are not known
    family = Gaussian(1)
    names = ("x",)
    logs = columns = ()

    def parameters(self) -> dict[Level, str]:
        return {name: name for name in self.believed}

    def arguments(self, prior: Believed) -> Arguments:
        if isinstance(prior, NormalMeanPrior):  # each has arguments of its own constructor
            given = {"location": prior.location, "variance": prior.variance, "known": prior.known}
        elif isinstance(prior, InverseGammaPrior):
            given = {"a": prior.a, "b": prior.b, "mean": prior.known}
        else:
            given = {"location": prior.location, "kappa": prior.kappa, "a": prior.degrees / 2, "b": prior.scatter / 2}
        return {name: float(value.item()) for name, value in given.items()}

    def read(self, observations: Observations) -> tuple["OneColumn", Moments]:
        refuse_trials(observations.trials)
        block = block_of(observations.columns, plan_of(GAUSSIAN, self.names))
        statistics = self.family.statistics(block, one_component(len(block), observations.weights))
        return self, statistics.complete()

    def density(self, prior: Believed, values: Mapping[Level, ArrayLike]) -> GaussianDensity:
        """What is not believed is known."""
        known = prior.known if isinstance(prior, NormalMeanPrior | InverseGammaPrior) else np.zeros((1, 1))
        mean = np.array([[values["mean"]]], float) if "mean" in self.believed else known
        variance = np.array([[values["variance"]]], float) if "variance" in self.believed else known
        number(variance.item(), "A variance must be a number above 0", lambda given: given > 0)
        return GaussianDensity(mean, variance, self.family.shape)

    def numbers(self, density: GaussianDensity) -> dict[Level, Array]:
        both = {"mean": density.mean[:, 0], "variance": density.covariance[:, 0]}
        return {name: both[name] for name in self.believed}

    def predictive(self, prior: Believed, trials: int | None, of: str | None) -> Any:
        refuse_trials(trials)
        refuse_of(of)
        density = prior.predictive()
        if isinstance(density, LogQuadratic):
            return scipy.stats.norm(density.mean.item(), np.sqrt(density.matrix(0).item()))
        return scipy.stats.t(density.degrees.item(), density.mean.item(), np.sqrt(density.squared_scale.item()))


@dataclass(frozen=True)
class Means:
    """The means of columns modelled together, whose covariance is known."""

    names: tuple[str, ...]
    named: bool  # whether the names are the user's own
    logs = ()

    @property
    def family(self) -> Gaussian:
        return Gaussian(len(self.names), FULL)

    @property
    def columns(self) -> tuple[str, ...]:
        return self.names if self.named else ()

    def parameters(self) -> dict[Level, str]:
        return {name: f"mean {name}" for name in self.names}

    def arguments(self, prior: NormalMeanPrior) -> Arguments:
        return {"location": by_name(self, prior), "variance": prior.variance[0], "known": prior.known[0]}

    def read(self, observations: Observations) -> tuple["Means", PatternMoments]:
        return self, together(self.names, self.named, observations)

    def density(self, prior: NormalMeanPrior, values: Mapping[Level, ArrayLike]) -> GaussianDensity:
        return GaussianDensity(numbers([[values[name] for name in self.names]], "Means"), prior.known, FULL)

    def numbers(self, density: GaussianDensity) -> dict[Level, Array]:
        return dict(zip(self.names, density.mean.T, strict=True))

    def predictive(self, prior: NormalMeanPrior, trials: int | None, of: str | None) -> Any:
        refuse_trials(trials)
        refuse_of(of)
        density = prior.predictive()
        return scipy.stats.multivariate_normal(density.mean[0], density.covariance[0])


@dataclass(frozen=True)
class MeansAndCovariance:
    """The means and the covariance matrix of columns modelled together."""

    names: tuple[str, ...]
    named: bool
    logs = ()

    @property
    def family(self) -> Gaussian:
        return Gaussian(len(self.names), FULL)

    @property
    def columns(self) -> tuple[str, ...]:
        return self.names if self.named else ()

    def parameters(self) -> dict[Level, str]:
        headings = [f"{what} {name}" for name in self.names for what in ("mean", "variance")]
        return {heading: heading for heading in headings}

    def arguments(self, prior: NormalInverseWishartPrior) -> Arguments:
        kappa, degrees = float(prior.kappa[0, 0]), float(prior.degrees[0, 0])
        return {"location": by_name(self, prior), "kappa": kappa, "degrees": degrees, "scatter": prior.scatter[0]}

    def read(self, observations: Observations) -> tuple["MeansAndCovariance", PatternMoments]:
        return self, together(self.names, self.named, observations)

    def density(self, prior: NormalInverseWishartPrior, values: Mapping[Level, ArrayLike]) -> GaussianDensity:
        mean, covariance = numbers(values["mean"], "Means"), numbers(values["covariance"], "A covariance")
        size = len(self.names)
        if mean.shape != (size,) or covariance.shape != (size, size) or np.linalg.eigvalsh(covariance).min() <= 0:
            raise ParameterError(
                f"For {size} columns give {size} means and a positive definite covariance; found {shown(values)}."
            )
        return GaussianDensity(mean[None], covariance[None], FULL)

    def numbers(self, density: GaussianDensity) -> dict[Level, Array]:
        return {"mean": density.mean, "covariance": density.covariance}

    def predictive(self, prior: NormalInverseWishartPrior, trials: int | None, of: str | None) -> Any:
        refuse_trials(trials)
        refuse_of(of)
        density = prior.predictive()
        return scipy.stats.multivariate_t(density.mean[0], density.squared_scale[0], density.degrees[0, 0])


def together(names: tuple[str, ...], named: bool, observations: Observations) -> PatternMoments:
    refuse_trials(observations.trials)
    block = block_of(observations.columns, plan_of(JOINT, names), named)
    statistics = pattern_moments(block, one_component(len(block), observations.weights))
    statistics.complete()  # refuses missing cells
    return statistics


def by_name(
    face: Means | MeansAndCovariance, prior: NormalMeanPrior | NormalInverseWishartPrior
) -> dict[str, float] | list[float]:
    """Where the means are believed to lie; by column, if the user named them."""
    values: list[float] = prior.location[0].tolist()
    return dict(zip(face.names, values, strict=True)) if face.columns else values
