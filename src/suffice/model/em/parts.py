"""Stage 3, the pass over some rows that a step of EM makes: what their holder has to know, and what it makes of them.

In:  rows that are somewhere at a time, and what a step knows: densities and shares of the components, or memberships.
Out: sums that add. Memberships of a block of rows become statistics at once: no array of all rows times components is
     ever there. Passes are values without rows, so that they can be sent to where rows are.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from operator import add
from typing import Protocol

import numpy as np

from suffice.arrays import Array, Codes, workspace
from suffice.data.blocks import Blocks
from suffice.data.persisted import T
from suffice.families.accumulator import Sums
from suffice.families.mass import Mass
from suffice.families.memberships import Memberships, Soft
from suffice.families.product import ProductStatistics, Transforms, volumes_of
from suffice.kernels.exponentials import softened
from suffice.model.em.columns import HiddenColumns, Read, Reader
from suffice.threads import over_rows


@dataclass(frozen=True, eq=False)
class Gathered:
    """Statistics of the components, and how often each label met each of them."""

    parts: ProductStatistics
    labels: Array  # (L, K)

    def __add__(self, other: "Gathered") -> "Gathered":
        return Gathered(self.parts + other.parts, self.labels + other.labels)


@dataclass(frozen=True, eq=False)
class Seen:
    """What some rows said, as sums over them."""

    sums: tuple[Sums, ...]  # as the reader has them
    labels: Array  # (L, K)
    log_likelihood: Array  # (M,) of each model
    entropy: Array  # (M,) of the components, given the rows

    def __add__(self, other: "Seen") -> "Seen":
        sums = tuple(a + b for a, b in zip(self.sums, other.sums, strict=True))
        likelihood, entropy = self.log_likelihood + other.log_likelihood, self.entropy + other.entropy
        return Seen(sums, self.labels + other.labels, likelihood, entropy)


@dataclass(frozen=True, eq=False)
class Part:
    """Rows that are here at a time."""

    blocks: Blocks
    weights: Array  # (n,)
    codes: Codes  # (n,) of their labels, into what those can say


class Over(Protocol):
    """What some work makes of each part of the rows, added up: here, or by whoever holds the part."""

    def __call__(self, work: Callable[[Part], T], /) -> T: ...


@dataclass(frozen=True, eq=False)
class Batched:
    """Rows that are not all here, and are gone over as often as asked for."""

    summed: Over
    rows: int
    mass: float


@dataclass(frozen=True, eq=False)
class Pass:
    """The pass of a step of EM over some rows, with all that whoever holds them has to know: it is sent there."""

    reader: Reader
    base: Array  # (L, K) ln p of component and label
    models: int
    number: int  # of all rows

    def __call__(self, part: Part) -> Seen:
        width = 2 * self.base.shape[1] + self.reader.width
        return reduce(add, over_rows(partial(self._share, part), len(part.weights), width))

    def _share(self, part: Part, blocks: Sequence[slice]) -> Seen:
        return reduce(add, (self._seen(part, rows) for rows in blocks))

    def _seen(self, part: Part, rows: slice) -> Seen:
        """One block of rows: read once, for what they are and for what that says."""
        read = self.reader.read(part.blocks[rows])
        soft, likelihood, entropy = self.memberships(read, part, rows)
        return Seen(self.reader.sums(read, soft), _met(part.codes[rows], soft, len(self.base)), likelihood, entropy)

    def memberships(self, read: Read, part: Part, rows: slice) -> tuple[Soft, Array, Array]:
        """What some rows are, their log likelihood, and the entropy of that."""
        weights, base = part.weights[rows], self.base
        logs = workspace("logs", base.shape[1], len(weights))  # (K, n): along rows, not across
        self.reader.add_log_density(read, base.T if len(base) == 1 else base[part.codes[rows]].T, logs)
        apart = logs.reshape(self.models, -1, len(weights))  # (M, K, n)
        found = [softened(model, weights, self.number * len(logs)) for model in apart]
        likelihood, entropy = np.array(found).T
        return Soft(logs.T), likelihood, entropy


@dataclass(frozen=True, eq=False)
class VolumePass:
    """What cells in other units than the user's amount to, component by component, once EM has ended."""

    step: Pass
    transforms: Transforms

    def __call__(self, part: Part) -> ProductStatistics:
        width = 2 * self.step.base.shape[1] + self.step.reader.width
        return reduce(add, over_rows(partial(self._share, part), len(part.weights), width))

    def _share(self, part: Part, blocks: Sequence[slice]) -> ProductStatistics:
        return reduce(add, (self._summed(part, rows) for rows in blocks))

    def _summed(self, part: Part, rows: slice) -> ProductStatistics:
        blocks = part.blocks[rows]
        soft, _, _ = self.step.memberships(self.step.reader.read(blocks), part, rows)
        return ProductStatistics(Mass(soft.weight), (), volumes=volumes_of(self.transforms, blocks, soft))


@dataclass(frozen=True, eq=False)
class Begun:
    found: Gathered
    entropy: float  # of the memberships

    def __add__(self, other: "Begun") -> "Begun":
        return Begun(self.found + other.found, self.entropy + other.entropy)


@dataclass(frozen=True, eq=False)
class FirstPass:
    """What memberships say about some rows, with all that whoever holds them has to know."""

    columns: HiddenColumns
    options: int  # L
    belonging: Callable[[Part], Memberships]

    def __call__(self, part: Part) -> Begun:
        memberships = self.belonging(part)
        shares = over_rows(partial(self._share, part, memberships), len(part.weights), part.blocks.width)
        return Begun(reduce(add, shares), memberships.entropy(part.weights))

    def _share(self, part: Part, memberships: Memberships, blocks: Sequence[slice]) -> Gathered:
        return reduce(add, (self._gathered(part, rows, memberships[rows]) for rows in blocks))

    def _gathered(self, part: Part, rows: slice, memberships: Memberships) -> Gathered:
        statistics = self.columns.statistics(part.blocks[rows], memberships)
        return Gathered(statistics, _met(part.codes[rows], memberships, self.options))


def _met(codes: Codes, memberships: Memberships, options: int) -> Array:
    """How often each label met each component."""  # (L, K)
    return memberships.weight[None, :] if options == 1 else memberships.sums(np.eye(options)[codes]).T
