"""Stage 3, how sure the rows make us: beliefs about all parameters of a model, and joint models drawn from them.

In:  a Summary, the Design of the model, and its Rules. Parameters have the priors of the estimate; where it uses none,
     the reference prior, which leaves the centre to the rows: E Σ⁻¹ is the inverse of the unbiased covariance.
Out: Uncertain: draws of the whole Joint, and intervals for every entry of its tables. Here they are of closed beliefs;
     those of parameters that EM has found are in `em/approximate` and `em/bootstrap`.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

import numpy as np
import scipy

from suffice.arrays import Array, Codes
from suffice.errors import ParameterError
from suffice.families.product import ProductDensity
from suffice.families.protocol import Distribution, Prior, Statistics
from suffice.model.design import Design
from suffice.model.fit import pieces_of
from suffice.model.joint import Joint, Tables
from suffice.model.piece import Piece
from suffice.model.rules import ESTIMATES, Rules
from suffice.model.summary import Summary

NO_PRIOR = "Shrinkage is not a prior, so there is no belief to draw parameters from."


class Uncertain(ABC):
    """A model whose parameters are not known for sure."""

    joint: Joint  # the model in use

    @abstractmethod
    def draw(self, rng: np.random.Generator) -> Joint: ...

    @abstractmethod
    def intervals(self, level: float) -> list[Tables]: ...  # for the tables of each block, "… low" and "… high"

    @abstractmethod
    def prevalence_interval(self, level: float, heading: str) -> dict[str, Array]: ...  # empty where it is given

    @abstractmethod
    def errors(self) -> list[Tables]: ...  # standard errors of the entries of the tables of each block

    @abstractmethod
    def prevalence_error(self) -> Array: ...  # (K,)


@dataclass(frozen=True, eq=False)
class Reordered(Uncertain):
    """The same with the components in another order."""

    inner: Uncertain
    order: Codes
    joint: Joint

    def draw(self, rng: np.random.Generator) -> Joint:
        return self.inner.draw(rng).only(self.order)

    def intervals(self, level: float) -> list[Tables]:
        return self._moved(self.inner.intervals(level))

    def errors(self) -> list[Tables]:
        return self._moved(self.inner.errors())

    def prevalence_interval(self, level: float, heading: str) -> dict[str, Array]:
        return {name: ends[self.order] for name, ends in self.inner.prevalence_interval(level, heading).items()}

    def prevalence_error(self) -> Array:
        return self.inner.prevalence_error()[self.order]

    def _moved(self, blocks: list[Tables]) -> list[Tables]:
        return [
            {title: {name: entry[self.order] for name, entry in table.items()} for title, table in tables.items()}
            for tables in blocks
        ]


@dataclass(frozen=True, eq=False)
class Believed(Uncertain):
    joint: Joint
    pieces: tuple[Piece, ...]
    beliefs: tuple[Prior[Statistics], ...]  # of each piece, after the rows
    shares: Array | None  # (K,) of a Dirichlet belief about the prevalence; None where it is given

    def draw(self, rng: np.random.Generator) -> Joint:
        density = ProductDensity(tuple(belief.draw(rng) for belief in self.beliefs))
        shares = self.joint.prevalence if self.shares is None else rng.dirichlet(self.shares)
        return replace(self.joint, density=density, prevalence=shares)

    def intervals(self, level: float) -> list[Tables]:
        """For the tables of each block the ends of a credible interval for each entry that has a closed form."""
        ends, classes = {"low": (1 - level) / 2, "high": (1 + level) / 2}, len(self.joint.classes)
        return [{title: _ends(some, ends, classes) for title, some in table.items()} for table in self._marginals()]

    def errors(self) -> list[Tables]:
        wide = len(self.joint.classes)
        return [
            {
                title: {heading: np.broadcast_to(np.sqrt(m.var()), wide) for heading, m in some.items()}
                for title, some in t.items()
            }
            for t in self._marginals()
        ]

    def _marginals(self) -> list[dict[str, dict[str, Distribution]]]:
        return [b.marginals(piece.block.titles) for piece, b in zip(self.pieces, self.beliefs, strict=True)]

    def prevalence_interval(self, level: float, heading: str) -> dict[str, Array]:
        if self.shares is None:
            return {}
        marginal = scipy.stats.beta(self.shares, self.shares.sum() - self.shares)
        return {f"{heading} low": marginal.ppf((1 - level) / 2), f"{heading} high": marginal.ppf((1 + level) / 2)}

    def prevalence_error(self) -> Array:
        if self.shares is None:
            return np.zeros(len(self.joint.prevalence))
        whole = self.shares.sum()
        return np.asarray(np.sqrt(self.shares * (whole - self.shares) / (whole + 1)) / whole)


def _ends(marginals: dict[str, Distribution], ends: dict[str, float], components: int) -> dict[str, Array]:
    return {
        f"{heading} {end}": np.broadcast_to(marginal.ppf(share), components)
        for heading, marginal in marginals.items()
        for end, share in ends.items()
    }


def uncertain(joint: Joint, summary: Summary, design: Design, rules: Rules) -> Believed | None:
    """None where cells are missing that take EM: then no belief is closed."""
    prior = "reference" if ESTIMATES[joint.estimate].prior else rules.parameter_prior
    pieces, _ = pieces_of(summary, design, replace(rules, estimate="predictive", parameter_prior=prior))
    if any(piece.statistics.hidden for piece in pieces):
        return None
    if any(piece.shrinks for piece in pieces):
        raise ParameterError(NO_PRIOR)
    beliefs = tuple(piece.rule.prior(piece.family, piece.statistics).after(piece.statistics) for piece in pieces)
    weight = summary.statistics.weight
    given = rules.priors is not None and not (isinstance(rules.priors, str) and rules.priors == "smoothed")
    added = rules.smoothing if rules.priors is not None else 1.0  # from the rows alone: all prevalences alike before
    return Believed(joint, tuple(pieces), beliefs, None if given else weight + added)
