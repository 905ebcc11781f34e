"""Beliefs about probabilities, for people (see `presentation`): a coin, or named categories."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from suffice.arrays import Array, log
from suffice.beliefs.observations import Observations, amounts_of, axes, block_of, codes_of, one_component, plan_of
from suffice.beliefs.presentation import Arguments, refuse_of, refuse_trials
from suffice.data.columns import TEXT
from suffice.data.kinds import BINOMIAL, COUNTS
from suffice.data.levels import Level, Levels, plain
from suffice.data.table import read_column
from suffice.errors import ParameterError
from suffice.families.cells.binomial import Binomial
from suffice.families.cells.categorical import Categorical
from suffice.families.cells.densities import CellDensity
from suffice.families.cells.dirichlet import DirichletPrior
from suffice.families.cells.family import Cells
from suffice.families.cells.multinomial import Multinomial
from suffice.families.counts import Counts
from suffice.families.protocol import Block, Names
from suffice.options import number, numbers, shown
from suffice.words import listed


@dataclass(frozen=True)
class Coin:
    """A probability of success. The names of success and failure are those of the first amounts given."""

    outcomes: Levels = ()
    family = Binomial([1])
    names = ("probability",)
    columns = ()

    @property
    def logs(self) -> Names:
        return self.outcomes or ("success", "failure")

    def parameters(self) -> dict[Level, str]:
        return {self.logs[0]: "success"}

    def arguments(self, prior: DirichletPrior) -> Arguments:
        a, b = prior.concentration[0].tolist()
        return {"a": a, "b": b}

    def read(self, observations: Observations) -> tuple["Coin", Counts]:
        if observations.amounts:
            refuse_trials(observations.trials)
            face = replace(self, outcomes=self.outcomes or _two(observations.amounts))
            return face, _counted(
                self.family, np.array([[1.0], [0.0]]), amounts_of(observations.amounts, face.outcomes)
            )
        if observations.success is not None:
            return self._tossed(observations)
        if self.outcomes and read_column(observations.rows, "rows").type == TEXT:
            codes = codes_of(observations.rows, self.outcomes)[:, None]
            return self, _counted(self.family, np.where(codes < 0, np.nan, 1.0 - codes), observations.weights)
        trials = 1 if observations.trials is None else _whole(observations.trials)
        block = block_of(observations.rows, plan_of(BINOMIAL, ["successes"], trials))
        return self, _counted(Binomial([trials]), block, observations.weights)

    def _tossed(self, observations: Observations) -> tuple["Coin", Counts]:
        """A sequence of outcomes, one of which is a success."""
        refuse_trials(observations.trials)
        if not isinstance(observations.success, str | Real):
            found = shown(observations.success)
            raise ParameterError(f"success must be one of the two outcomes, text or a number; found {found}.")
        success: Level = plain(observations.success)
        levels = read_column(observations.rows, "rows").encoded().levels
        known = dict.fromkeys([success, *self.outcomes, *levels])
        if len(known) > 2 or self.outcomes[:1] not in ((), (success,)):
            met = f"the first rows called {self.outcomes[0]!r} a success" if self.outcomes else listed(list(known))
            raise ParameterError(f"A Beta is about two outcomes, success={success!r} and one other; found {met}.")
        codes = codes_of(observations.rows, list(known))[:, None]
        face = replace(self, outcomes=tuple(known) if len(known) == 2 else self.outcomes)
        return face, _counted(self.family, np.where(codes < 0, np.nan, 1.0 - codes), observations.weights)

    def density(self, prior: DirichletPrior, values: Mapping[Level, ArrayLike]) -> CellDensity:
        share = number(values[self.logs[0]], "A probability must be between 0 and 1", lambda p: 0 <= p <= 1)
        return CellDensity(log(np.array([[share, 1 - share, 0.0]])), self.family)

    def numbers(self, density: CellDensity) -> dict[Level, Array]:
        [name] = self.parameters()
        return {name: np.exp(density.log_probability[:, 0])}

    def predictive(self, prior: DirichletPrior, trials: int | None, of: str | None) -> Any:
        refuse_of(of)
        if trials is None:
            return scipy.stats.bernoulli(np.exp(prior.mean().log_probability[0, 0]))
        return scipy.stats.betabinom(_whole(trials), *prior.concentration[0])


@dataclass(frozen=True)
class Categories:
    """Probabilities of named categories; without names they are numbered from 0."""

    levels: Levels
    named: bool  # whether the levels are the user's own
    names = ("probability",)
    columns = ()

    @property
    def family(self) -> Cells:
        return Categorical([self.levels])

    @property
    def logs(self) -> Names:
        return self.levels

    def parameters(self) -> dict[Level, str]:
        return {level: str(level) for level in self.levels}

    def arguments(self, prior: DirichletPrior) -> Arguments:
        amounts = prior.concentration[0].tolist()
        concentration = dict(zip(self.levels, amounts, strict=True)) if self.named else amounts
        return {"concentration": concentration, "unseen": float(prior.new[0, 0])}

    def read(self, observations: Observations) -> tuple["Categories", Counts]:
        refuse_trials(observations.trials)
        if observations.amounts:
            codes = np.arange(len(self.levels))[:, None]
            return self, _counted(self.family, codes, amounts_of(observations.amounts, self.levels))
        if axes(observations.rows) == 2:
            names = [str(level) for level in self.levels]
            plan = plan_of(COUNTS, names)
            return self, _counted(
                Multinomial(names), block_of(observations.rows, plan, self.named), observations.weights
            )
        return self, _counted(self.family, codes_of(observations.rows, self.levels)[:, None], observations.weights)

    def density(self, prior: DirichletPrior, values: Mapping[Level, ArrayLike]) -> CellDensity:
        shares = numbers([values[level] for level in self.levels], "Probabilities")
        if not (shares.ndim == 1 and (shares >= 0).all() and np.isclose(shares.sum(), 1.0, rtol=0, atol=1e-8)):
            raise ParameterError(f"Probabilities must be 0 or more and sum to 1; found {shown(values)}.")
        return CellDensity(log(np.append(shares, 0.0)[None]), self.family)

    def numbers(self, density: CellDensity) -> dict[Level, Array]:
        return {level: np.exp(density.log_probability[:, cell]) for cell, level in enumerate(self.levels)}

    def predictive(self, prior: DirichletPrior, trials: int | None, of: str | None) -> Any:
        refuse_of(of)
        if trials is None:
            shares = np.exp(prior.mean().log_probability[0, :-1])
            return scipy.stats.multinomial(1, shares)
        return scipy.stats.dirichlet_multinomial(prior.concentration[0], _whole(trials))


def _counted(family: Cells, block: Block, weights: ArrayLike | None) -> Counts:
    return family.statistics(block, one_component(len(block), weights))


def _whole(trials: Any) -> int:
    if not isinstance(trials, Integral) or trials < 1:
        raise ParameterError(f"trials must be a whole number above 0; found {trials!r}.")
    return int(trials)


def _two(given: Mapping[Level, float]) -> Levels:
    if len(given) != 2:
        raise ParameterError(
            f"A Beta learns from two amounts, the success first, as in heads=15, tails=10; found {list(given)}."
        )
    return tuple(str(name) for name in given)
