"""Beliefs about a rate, for people (see `presentation`)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike
from scipy.special import gammaln, xlogy

from suffice.arrays import Array
from suffice.beliefs.observations import Observations, block_of, numbers, one_component, plan_of
from suffice.beliefs.presentation import Arguments, refuse_trials
from suffice.data.kinds import EXPONENTIAL, POISSON
from suffice.data.levels import Level
from suffice.errors import ParameterError
from suffice.families.counts import Counts
from suffice.families.rates.family import Rates
from suffice.families.rates.gamma import GammaPrior, RateDensity
from suffice.families.rates.poisson import Poisson
from suffice.families.rates.waiting import Waiting
from suffice.options import number

FAMILIES = {"counts": Poisson(1), "waits": Waiting([1.0])}
KINDS = {"counts": POISSON, "waits": EXPONENTIAL}


@dataclass(frozen=True)
class Rate:
    """A rate of events, met as counts in a unit of exposure or as waits for one event."""

    of: str | None = None  # what was met last: "counts" or "waits"
    names = logs = ("rate",)
    columns = ()

    @property
    def family(self) -> Rates:
        return FAMILIES[self.of or "counts"]

    def parameters(self) -> dict[Level, str]:
        return {"rate": "rate"}

    def arguments(self, prior: GammaPrior) -> Arguments:
        return {"shape": float(prior.shape[0, 0]), "rate": float(prior.rate[0, 0])}

    def read(self, observations: Observations) -> tuple["Rate", Counts]:
        refuse_trials(observations.trials)
        if set(observations.named) == {"events", "exposure"}:
            return replace(self, of="counts"), _events(**observations.named, weights=observations.weights)
        given = {self.of or "numbers": observations.rows} if observations.rows is not None else observations.named
        if len(given) != 1 or not set(given) <= set(FAMILIES):
            raise ParameterError(
                "Say what the numbers are: counts=[2, 0, 3] in units of exposure, waits=[0.3, 1.2] for one event each, "
                f"or events=14, exposure=7; found {', '.join(given)}."
            )
        [(of, rows)] = given.items()
        face, block = replace(self, of=of), block_of(rows, plan_of(KINDS[of], [of]))
        return face, face.family.statistics(block, one_component(len(block), observations.weights))

    def density(self, prior: GammaPrior, values: Mapping[Level, ArrayLike]) -> RateDensity:
        rate = number(values["rate"], "A rate must be a number, 0 or more", lambda given: given >= 0)
        return RateDensity(np.array([[rate]]), self.family)

    def numbers(self, density: RateDensity) -> dict[Level, Array]:
        return {"rate": density.rate[:, 0]}

    def predictive(self, prior: GammaPrior, trials: int | None, of: str | None) -> Any:
        refuse_trials(trials)
        known = of or self.of
        if known not in FAMILIES:
            raise ParameterError(f"A rate predicts of='counts' or of='waits'; found of={of!r}.")
        law = prior.on(FAMILIES[known]).predictive()
        shape, rate = float(law.shape[0, 0]), float(law.rate[0, 0])
        return (
            scipy.stats.nbinom(shape, rate / (rate + 1)) if known == "counts" else scipy.stats.lomax(shape, scale=rate)
        )


def _events(events: ArrayLike, exposure: ArrayLike, weights: ArrayLike | None) -> Counts:
    """Poisson counts with exposures of their own."""
    n, t = (np.atleast_1d(numbers(part)) for part in (events, exposure))
    if n.shape != t.shape or n.ndim > 1 or not np.all((n >= 0) & (n % 1 == 0) & (t > 0) & np.isfinite(n + t)):
        raise ParameterError(
            f"events must be whole numbers, each with an exposure above 0; found events={events!r}, "
            f"exposure={exposure!r}."
        )
    n, t = n[:, None], t[:, None]
    member = one_component(len(n), weights)
    return Counts(member.weight, member.sums(n), member.sums(t), member.sums(xlogy(n, t) - gammaln(n + 1)))
