"""What beliefs for people differ in: how their rows are read, what their numbers are called, their scipy predictive.

In:  a `Prior` of one component (or of many draws, in `numbers`), and what the user gave.
Out: names and plain numbers. The arithmetic is all in the priors; `belief` is the class that people hold.

Here are beliefs about probabilities (`Coin`, `Categories`) and rates (`Rate`); `faces_normal` has the Gaussian ones.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, Protocol, Self

import numpy as np
from scipy import stats
from scipy.special import gammaln, xlogy

from suffice.arrays import Array
from suffice.data.schema import BINOMIAL, COUNTS, EXPONENTIAL, POISSON
from suffice.errors import ParameterError
from suffice.families.binomial import Binomial
from suffice.families.categorical import Categorical
from suffice.families.cells import Cells
from suffice.families.counts import Counts
from suffice.families.dirichlet import CellDensity, DirichletPrior
from suffice.families.exponential import ExponentialLaw
from suffice.families.gamma import GammaPrior, RateDensity
from suffice.families.multinomial import Multinomial
from suffice.families.poisson import PoissonLaw
from suffice.families.protocol import Names
from suffice.families.rates import Rates
from suffice.families.rows import Told, amounts_of, block_of, codes_of, one_component, plan_of


class Face(Protocol):
    @property
    def family(self) -> Any: ...  # what the belief is about by nature

    @property
    def names(self) -> Names: ...  # of the columns, for the marginals

    @property
    def columns(self) -> tuple[str, ...]: ...  # their names, where the user gave them

    def parameters(self) -> dict[str, str]: ...  # name → heading of its marginal

    def arguments(self, prior: Any) -> dict[str, Any]: ...  # of the constructor that would give this belief

    def read(self, told: Told) -> tuple[Self, Any]: ...  # statistics

    def numbers(self, density: Any) -> dict[str, Array]: ...  # one or more for each component

    @property
    def logs(self) -> Names: ...  # of what has an expected logarithm

    def predictive(self, prior: Any, trials: int | None, of: str | None) -> Any: ...


@dataclass(frozen=True)
class Coin:
    """A probability of success. The names of success and failure are those of the first amounts given."""

    outcomes: tuple[str, ...] = ()
    family = Binomial([1])
    names = ("probability",)
    columns = ()

    @property
    def logs(self) -> Names:
        return self.outcomes or ("success", "failure")

    def parameters(self) -> dict[str, str]:
        return {self.logs[0]: "success"}

    def arguments(self, prior: DirichletPrior) -> dict[str, Any]:
        a, b = prior.concentration[0].tolist()
        return {"a": a, "b": b}

    def read(self, told: Told) -> tuple["Coin", Counts]:
        if told.amounts:
            refuse_trials(told.trials)
            face = replace(self, outcomes=self.outcomes or _two(told.amounts))
            return face, _counted(self.family, np.array([[1.0], [0.0]]), amounts_of(told.amounts, face.outcomes))
        if self.outcomes and any(isinstance(cell, str) for cell in told.rows):
            codes = codes_of(told.rows, self.outcomes)[:, None]
            return self, _counted(self.family, np.where(codes < 0, np.nan, 1.0 - codes), told.weights)
        trials = 1 if told.trials is None else _whole(told.trials)
        block = block_of(told.rows, plan_of(BINOMIAL, ["successes"], trials))
        return self, _counted(Binomial([trials]), block, told.weights)

    def numbers(self, density: CellDensity) -> dict[str, Array]:
        [name] = self.parameters()
        return {name: np.exp(density.log_probability[:, 0])}

    def predictive(self, prior: DirichletPrior, trials: int | None, of: str | None) -> Any:
        refuse_of(of)
        if trials is None:
            return stats.bernoulli(np.exp(prior.predictive().log_probability[0, 0]))  # type: ignore[union-attr]
        return stats.betabinom(_whole(trials), *prior.concentration[0])


@dataclass(frozen=True)
class Categories:
    """Probabilities of named categories; without names they are numbered from 0."""

    levels: tuple[Any, ...]
    names = ("probability",)
    columns = ()

    @property
    def family(self) -> Cells:
        return Categorical([self.levels])

    @property
    def logs(self) -> Names:
        return self.levels

    @property
    def numbered(self) -> bool:
        return self.levels == tuple(range(len(self.levels)))

    def parameters(self) -> dict[str, str]:
        return {level: str(level) for level in self.levels}

    def arguments(self, prior: DirichletPrior) -> dict[str, Any]:
        amounts = prior.concentration[0].tolist()
        concentration = amounts if self.numbered else dict(zip(self.levels, amounts, strict=True))
        return {"concentration": concentration, "unseen": float(prior.new[0, 0])}

    def read(self, told: Told) -> tuple["Categories", Counts]:
        refuse_trials(told.trials)
        if told.amounts:
            codes = np.arange(len(self.levels))[:, None]
            return self, _counted(self.family, codes, amounts_of(told.amounts, self.levels))
        if np.ndim(told.rows) == 2:
            names = [str(level) for level in self.levels]
            return self, _counted(Multinomial(names), block_of(told.rows, plan_of(COUNTS, names)), told.weights)
        return self, _counted(self.family, codes_of(told.rows, self.levels)[:, None], told.weights)

    def numbers(self, density: CellDensity) -> dict[str, Array]:
        return {level: np.exp(density.log_probability[:, cell]) for cell, level in enumerate(self.levels)}

    def predictive(self, prior: DirichletPrior, trials: int | None, of: str | None) -> Any:
        refuse_of(of)
        if trials is None:
            shares = np.exp(prior.predictive().log_probability[0, :-1])  # type: ignore[union-attr] # one draw
            return stats.multinomial(1, shares)
        return stats.dirichlet_multinomial(prior.concentration[0], _whole(trials))


LAWS = {"counts": PoissonLaw(), "waits": ExponentialLaw()}
KINDS = {"counts": POISSON, "waits": EXPONENTIAL}


@dataclass(frozen=True)
class Rate:
    """A rate of events, met as counts in a unit of exposure or as waits for one event."""

    of: str | None = None  # what was met last: "counts" or "waits"
    names = logs = ("rate",)
    columns = ()

    @property
    def family(self) -> Rates:
        return Rates(LAWS[self.of or "counts"], 1)

    def parameters(self) -> dict[str, str]:
        return {"rate": "rate"}

    def arguments(self, prior: GammaPrior) -> dict[str, Any]:
        return {"shape": float(prior.shape[0, 0]), "rate": float(prior.rate[0, 0])}

    def read(self, told: Told) -> tuple["Rate", Counts]:
        refuse_trials(told.trials)
        if set(told.named) == {"events", "exposure"}:
            return replace(self, of="counts"), _events(**told.named, weights=told.weights)
        given = {self.of or "numbers": told.rows} if told.rows is not None else told.named
        if len(given) != 1 or not set(given) <= set(LAWS):
            raise ParameterError(
                "Say what the numbers are: counts=[2, 0, 3] in units of exposure, waits=[0.3, 1.2] for one event each, "
                f"or events=14, exposure=7; found {', '.join(given)}."
            )
        [(of, numbers)] = given.items()
        face = replace(self, of=of)
        return face, _counted(face.family, block_of(numbers, plan_of(KINDS[of], [of])), told.weights)

    def numbers(self, density: RateDensity) -> dict[str, Array]:
        return {"rate": density.rate[:, 0]}

    def predictive(self, prior: GammaPrior, trials: int | None, of: str | None) -> Any:
        refuse_trials(trials)
        known = of or self.of
        if known not in LAWS:
            raise ParameterError(f"A rate predicts of='counts' or of='waits'; found of={of!r}.")
        law = prior.on(Rates(LAWS[known], 1), 1).predictive()
        shape, rate = float(law.shape[0, 0]), float(law.rate[0, 0])
        return stats.nbinom(shape, rate / (rate + 1)) if known == "counts" else stats.lomax(shape, scale=rate)


def refuse_of(of: str | None) -> None:
    if of is not None:
        raise ParameterError(f"Only a belief about a rate predicts of='counts' or of='waits'; found of={of!r}.")


def refuse_trials(trials: int | None) -> None:
    if trials is not None:
        raise ParameterError(f"trials belong to probabilities, and to counts out of them; found trials={trials!r}.")


def _counted(family: Any, block: Any, weights: Any) -> Counts:
    statistics: Counts = family.statistics(block, one_component(len(block), weights))
    return statistics


def _events(events: Any, exposure: Any, weights: Any) -> Counts:
    """Poisson counts with exposures of their own."""
    n, t = (np.atleast_1d(np.asarray(part, dtype=float))[:, None] for part in np.broadcast_arrays(events, exposure))
    if not (np.all(n >= 0) and np.all(t > 0) and np.all(np.isfinite(n + t)) and np.all(n % 1 == 0)):
        raise ParameterError(f"events are whole numbers and exposure is above 0; found {events!r} and {exposure!r}.")
    member = one_component(len(n), weights)
    return Counts(member.weight, member.sums(n), member.sums(t), member.sums(xlogy(n, t) - gammaln(n + 1)))


def _whole(trials: Any) -> int:
    if not isinstance(trials, Integral) or trials < 1:
        raise ParameterError(f"trials is a whole number above 0; found {trials!r}.")
    return int(trials)


def _two(given: Mapping[Any, Any]) -> tuple[str, ...]:
    if len(given) != 2:
        raise ParameterError(
            f"A Beta learns from two amounts, the success first, as in heads=15, tails=10; found {list(given)}."
        )
    return tuple(str(name) for name in given)
