"""Stage 3, rows whose components are hidden: what they are expected to be, and what that teaches. One pass a step.

In:  blocks of rows, what their labels say, families and priors of the pieces.
Out: the E and M steps of `fit.Climb`. Memberships of a block of rows become statistics at once: no array of all rows
     times components is ever there. Missing cells among columns modelled together are filled in by their patterns.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np
from scipy.special import entr

from suffice.arrays import Array, Codes, log, log_sum_exp
from suffice.data.blocks import Blocks
from suffice.errors import CollapsedError, SingularError
from suffice.families.memberships import Memberships, Soft
from suffice.families.product import Product, ProductDensity, ProductStatistics
from suffice.families.protocol import Prior
from suffice.model.fit import Climb, Expected
from suffice.model.labels import Said
from suffice.model.prevalence import prevalence

LEAST_SHARE = 1e-10  # of all rows: a component with less is empty


@dataclass(frozen=True, eq=False)
class Theta:
    prevalence: Array  # (K,) of the components
    density: ProductDensity
    confusion: Array | None = None  # of the labels

    def only(self, components: Codes) -> "Theta":
        """The same components in another order."""
        return replace(self, prevalence=self.prevalence[components], density=self.density.only(components))


@dataclass(frozen=True, eq=False)
class Gathered:
    """Statistics of the components, and how often each label met each of them."""

    parts: ProductStatistics
    labels: Array  # (L, K)

    def __add__(self, other: "Gathered") -> "Gathered":
        return Gathered(self.parts + other.parts, self.labels + other.labels)


@dataclass(frozen=True, eq=False)
class HiddenRows:
    blocks: Blocks
    weights: Array  # (N,)
    said: Said
    family: Product
    priors: tuple[Prior, ...]  # of each piece
    given: Any = None  # prevalence of the classes: the face calls it priors
    smoothing: float = 0.0

    def climb(self) -> Climb[Theta]:
        return Climb(self.expect, self.learn, self.log_prior, self.complete)

    # what to expect

    def expect(self, theta: Theta) -> Expected:
        found = [self._block(theta, rows, blocks) for rows, blocks in self.blocks]
        gathered = reduce(add, (part for part, _, _ in found))
        likelihood, entropy = (float(sum(parts)) for parts in list(zip(*found, strict=True))[1:])
        if not np.isfinite(likelihood):
            raise CollapsedError("a row became impossible under every component")
        pairs = list(zip(gathered.parts.parts, theta.density.parts, strict=True))
        filled = tuple(part.filled(density) if part.hidden else part for part, density in pairs)
        entropy += sum(part.entropy(density) for part, density in pairs if part.hidden)
        parts = ProductStatistics(gathered.parts.weight, filled)
        return Expected(Gathered(parts, gathered.labels), likelihood, entropy)

    def _block(self, theta: Theta, rows: slice, blocks: tuple[Any, ...]) -> tuple[Gathered, float, float]:
        log_joint = self._log_joint(theta, rows, blocks)
        log_evidence = log_sum_exp(log_joint)
        shares, weights = np.exp(log_joint - log_evidence[:, None]), self.weights[rows]
        gathered = self.gather(rows, blocks, Soft(shares * weights[:, None]))
        return gathered, float(weights @ log_evidence), float(weights @ entr(shares).sum(axis=1))

    def _log_joint(self, theta: Theta, rows: slice, blocks: tuple[Any, ...]) -> Array:
        """Ln p(row, its label, component)."""  # (n, K)
        table = replace(self.said, confusion=theta.confusion).log_table
        said = table[self.said.labels.codes[rows]]
        return np.asarray(log(theta.prevalence) + theta.density.log_density(blocks) + said)

    def gather(self, rows: slice, blocks: tuple[Any, ...], memberships: Memberships) -> Gathered:
        met = np.eye(len(self.said.labels.options))[self.said.labels.codes[rows]]
        return Gathered(self.family.statistics(blocks, memberships), memberships.sums(met).T)

    def memberships(self, theta: Theta) -> Iterator[tuple[slice, Array]]:
        """Of all rows, block by block: for those who want to look."""
        for rows, blocks in self.blocks:
            log_joint = self._log_joint(theta, rows, blocks)
            yield rows, np.exp(log_joint - log_sum_exp(log_joint)[:, None])

    # what to learn

    def begin(self, memberships: Memberships) -> Theta:
        """The parameters that memberships of all rows give; missing cells begin where they are seen elsewhere."""
        gathered = reduce(add, (self.gather(rows, blocks, memberships[rows]) for rows, blocks in self.blocks))
        pieces: Any = zip(self.family.parts, self.priors, gathered.parts.parts, strict=True)
        seen = ((p, those.expected(f.start(those)) if those.hidden else those) for f, p, those in pieces)
        densities = [prior.after(those).mode() for prior, those in seen]
        shares = self._prevalence(gathered.parts.weight)
        return Theta(shares, ProductDensity(tuple(densities)), self.said.learn(gathered.labels))

    def learn(self, expected: Expected, before: Theta) -> Theta:
        gathered = expected.statistics
        weight = gathered.parts.weight
        empty = np.flatnonzero(weight < LEAST_SHARE * weight.sum())
        if len(empty):
            raise CollapsedError(f"component {int(empty[0])} ran empty")
        pairs = zip(self.priors, gathered.parts.parts, strict=True)
        try:
            densities = tuple(prior.after(those).mode() for prior, those in pairs)
        except SingularError as error:
            raise CollapsedError(f"component {error.component or 0} has shrunk to a point or a line") from None
        return Theta(self._prevalence(weight), ProductDensity(densities), self.said.learn(gathered.labels))

    def _prevalence(self, weight: Array) -> Array:
        """Of the classes as asked for, times the share of each component in its class."""
        owners, classes = self.said.owners, self.said.labels.classes
        whole = np.bincount(owners, weight, len(classes)).astype(float)
        shares = prevalence(whole, classes, self.given, self.smoothing)
        return np.asarray(shares[owners] * weight / np.where(whole == 0, 1.0, whole)[owners])

    # what it is worth

    def log_prior(self, theta: Theta) -> float:
        pairs = zip(self.priors, theta.density.parts, strict=True)
        total = sum(prior.log_density(density) for prior, density in pairs) + self.said.log_prior(theta.confusion)
        if isinstance(self.given, str) and self.given == "smoothed":
            shares = np.bincount(self.said.owners, theta.prevalence).astype(float)
            total += self.smoothing * float(log(shares).sum())
        return total

    def complete(self, theta: Theta, expected: Expected) -> float:
        """Log likelihood had memberships and cells been seen as expected."""
        gathered = expected.statistics
        pairs: Any = zip(theta.density.parts, gathered.parts.parts, strict=True)
        total = float(sum(density.log_likelihood(those) for density, those in pairs))
        total += _weighted(gathered.parts.weight, log(theta.prevalence))
        return total + _weighted(gathered.labels, replace(self.said, confusion=theta.confusion).log_table)


def _weighted(counts: Array, logs: Array) -> float:
    return float((counts * np.where(counts > 0, logs, 0.0)).sum())
