"""Stage 3, rows whose components are hidden: what they are expected to be, and what that teaches. One pass a step.

In:  blocks of rows, what their labels say, and what is believed of their columns (`columns`).
Out: the E and M steps of `fit.EM`. Memberships of a block of rows become statistics at once: no array of all rows
     times components is ever there. Missing cells among columns modelled together are filled in by their patterns.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from suffice.arrays import Array, Codes, log, softmax, workspace
from suffice.data.blocks import Blocks
from suffice.errors import CollapsedError, SingularError
from suffice.families.accumulator import Sums
from suffice.families.memberships import Memberships, Soft, memberships
from suffice.families.product import ProductStatistics, RowDensity
from suffice.kernels.exponentials import softened
from suffice.model.em.columns import HiddenColumns, Pieces, Reader
from suffice.model.em.label_evidence import LabelEvidence
from suffice.model.em.loop import EM, Expected
from suffice.model.rules import learned_from_rows, prevalence
from suffice.threads import over_rows

LEAST_SHARE = 1e-10  # of all rows: a component with less is empty


@dataclass(frozen=True, eq=False)
class Parameters:
    prevalence: Array  # (K,) of the components
    density: RowDensity
    confusion: Array | None = None  # of the labels

    @property
    def form(self) -> list[tuple[int, ...]]:
        """The shapes of all arrays: two models with the same have parameters of the same kind."""
        return [array.shape for array in self.density.arrays().values()]

    def only(self, components: Codes) -> "Parameters":
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


@dataclass(frozen=True, eq=False)
class Batched:
    """Rows that come in batches, as often as they are asked for."""

    read: Callable[[], Iterable[Part]]
    rows: int
    mass: float


@dataclass(frozen=True, eq=False)
class HiddenRows:
    blocks: Blocks  # of all rows, or where they come in batches of a sample
    weights: Array  # (N,)
    label_evidence: LabelEvidence
    columns: HiddenColumns
    given: Any = None  # prevalence of the classes: the face calls it priors
    smoothing: float = 0.0
    models: int = 1  # M, side by side on the component axis, each with the same components
    batched: Batched | None = None

    @property
    def number(self) -> int:
        return len(self.weights) if self.batched is None else self.batched.rows

    @property
    def mass(self) -> float:
        return float(self.weights.sum()) if self.batched is None else self.batched.mass

    def parts(self) -> Iterable[Part]:
        """All rows, a part of them at a time."""
        return [self.here] if self.batched is None else self.batched.read()

    @property
    def here(self) -> Part:
        return Part(self.blocks, self.weights, self.label_evidence.labels.codes)

    @property
    def pieces(self) -> Pieces:
        """The columns of a model whose blocks do not depend on each other."""
        assert isinstance(self.columns, Pieces)  # those who ask take no other
        return self.columns

    def em(self) -> EM[Parameters, Gathered]:
        return EM(self.expect, self.learn, self.log_prior, self.complete)

    def side_by_side(self, models: int) -> "HiddenRows":
        """The same rows for so many models, where components share nothing."""
        owners = np.tile(self.label_evidence.owners, models)
        evidence = replace(self.label_evidence, owners=owners)
        return replace(self, label_evidence=evidence, columns=self.pieces.side_by_side(models), models=models)

    def reweighed(self, weights: Array) -> "HiddenRows":
        """The same rows with other weights; what all of them are together goes with those."""
        together = self._gathered(self.here, memberships(np.zeros(len(weights), dtype=np.intp), 1, weights))
        return replace(self, weights=weights, columns=replace(self.pieces, pooled=together.parts.parts))

    @property
    def parameters(self) -> int:
        """How many numbers the rows are free to choose: what the user has given, and what beliefs know, is none."""
        components, classes = len(self.label_evidence.owners), len(self.label_evidence.labels.classes)
        shares = components - 1 if learned_from_rows(self.given) else components - classes
        confusion = classes * (classes - 1) if self.label_evidence.learned else 0
        return shares + confusion + self.columns.parameters(components)

    # what to expect

    def _log_table(self, parameters: Parameters) -> Array:
        """Ln p(label | component), where labels may be wrong by what has been learned of that."""  # (L, K)
        evidence = self.label_evidence
        learned = parameters.confusion is not evidence.confusion
        return (replace(evidence, confusion=parameters.confusion) if learned else evidence).log_table

    def expect(self, parameters: Parameters) -> Expected[Gathered]:
        gathered, likelihood, entropy = self.expect_each(parameters)
        return Expected(gathered, float(likelihood.sum()), float(entropy.sum()))

    def expect_each(self, parameters: Parameters) -> tuple[Gathered, Array, Array]:
        """Statistics, and for each model the log likelihood and the entropy of what is hidden."""
        reader = self.columns.reader(parameters.density, self.number)
        base = log(parameters.prevalence) + self._log_table(parameters)  # (L, K)
        width = 2 * base.shape[1] + reader.width

        def seen_of(part: Part) -> Seen:
            def share(blocks: Sequence[slice]) -> Seen:
                return reduce(add, (self._seen(reader, base, part, rows) for rows in blocks))

            return reduce(add, over_rows(share, len(part.weights), width))

        seen = reduce(add, map(seen_of, self.parts()))
        if not np.isfinite(seen.log_likelihood).all():
            raise CollapsedError("a row became impossible under every component")
        filled, cells = reader.statistics(seen.sums)
        gathered = Gathered(ProductStatistics(seen.labels.sum(axis=0), filled), seen.labels)
        return gathered, seen.log_likelihood, seen.entropy + cells / self.models

    def _seen(self, reader: Reader, base: Array, part: Part, rows: slice) -> "Seen":
        """One block of rows: read once, for what they are and for what that says."""
        weights, read = part.weights[rows], reader.read(part.blocks[rows])
        logs = workspace("logs", base.shape[1], len(weights))  # (K, n): along rows, not across
        reader.add_log_density(read, base.T if len(base) == 1 else base[part.codes[rows]].T, logs)
        apart = logs.reshape(self.models, -1, len(weights))  # (M, K, n)
        found = [softened(model, weights, self.number * len(logs)) for model in apart]
        likelihood, entropy = np.array(found).T
        soft = Soft(logs.T)
        return Seen(reader.sums(read, soft), self._met(part.codes[rows], soft), likelihood, entropy)

    def _met(self, codes: Codes, memberships: Memberships) -> Array:
        """How often each label met each component."""  # (L, K)
        options = len(self.label_evidence.labels.options)
        if options == 1:
            return memberships.weight[None, :]
        return memberships.sums(np.eye(options)[codes]).T

    def memberships(self, parameters: Parameters) -> Iterator[tuple[slice, Array]]:
        """Of all rows, block by block: for those who want to look."""
        table = self._log_table(parameters)
        for rows, blocks in self.blocks:
            allowed = table[self.label_evidence.labels.codes[rows]]
            logs = log(parameters.prevalence) + parameters.density.log_density(blocks) + allowed
            yield rows, softmax(logs)

    # what to learn

    def initial_expectation(self, memberships: Memberships) -> Expected[Gathered]:
        """What memberships say about the rows; missing cells begin where they are seen elsewhere."""
        return self.expected_by(lambda part: memberships)

    def expected_by(self, belonging: Callable[[Part], Memberships]) -> Expected[Gathered]:
        """The same, of memberships that are worked out part by part."""
        found, uncertain = reduce(_both, (self._by(belonging(part), part) for part in self.parts()))
        parts, cells = self.columns.initially(found.parts)
        return Expected(Gathered(parts, found.labels), np.nan, uncertain + cells)

    def _by(self, memberships: Memberships, part: Part) -> tuple[Gathered, float]:
        return self._gathered(part, memberships), memberships.entropy(part.weights)

    def _gathered(self, part: Part, memberships: Memberships) -> Gathered:
        def share(blocks: Sequence[slice]) -> Gathered:
            return reduce(add, (self._gathered_from(part, rows, memberships[rows]) for rows in blocks))

        return reduce(add, over_rows(share, len(part.weights), part.blocks.width))

    def _gathered_from(self, part: Part, rows: slice, memberships: Memberships) -> Gathered:
        statistics = self.columns.statistics(part.blocks[rows], memberships)
        return Gathered(statistics, self._met(part.codes[rows], memberships))

    def learn(self, expected: Expected[Gathered]) -> Parameters:
        gathered = expected.statistics
        weight = gathered.parts.weight
        empty = np.flatnonzero(weight < LEAST_SHARE * weight.sum())
        if len(empty) and not self.columns.proper:  # no belief to stand in for the rows
            raise CollapsedError(f"component {int(empty[0])} ran empty")
        try:
            density = self.columns.mode(gathered.parts)
        except SingularError as error:
            raise CollapsedError(f"component {error.component or 0} has shrunk to a point or a line") from None
        return Parameters(self._prevalence(weight), density, self.label_evidence.learn(gathered.labels))

    def _prevalence(self, weight: Array) -> Array:
        return np.concatenate([self._prevalence_of_one(model) for model in weight.reshape(self.models, -1)])

    def _prevalence_of_one(self, weight: Array) -> Array:
        """Of the classes as asked for, times the share of each component in its class."""
        owners, classes = self.label_evidence.owners[: len(weight)], self.label_evidence.labels.classes
        whole = np.bincount(owners, weight, len(classes)).astype(float)
        shares = prevalence(whole, classes, self.given, self.smoothing)
        return np.asarray(shares[owners] * weight / np.where(whole == 0, 1.0, whole)[owners])

    # what it is worth

    def log_prior(self, parameters: Parameters) -> float:
        return float(self.log_priors(parameters).sum())

    def log_priors(self, parameters: Parameters) -> Array:
        """Of each model."""  # (M,)
        total = self.columns.log_priors(parameters.density, self.models)
        total += self.label_evidence.log_prior(parameters.confusion)
        if isinstance(self.given, str) and self.given == "smoothed":
            shares = parameters.prevalence.reshape(self.models, -1)  # (M, K)
            owners = self.label_evidence.owners[: shares.shape[1]]
            total += [self.smoothing * log(np.bincount(owners, model).astype(float)).sum() for model in shares]
        return total

    def complete(self, parameters: Parameters, expected: Expected[Gathered]) -> float:
        """Log likelihood had memberships and cells been seen as expected."""
        gathered = expected.statistics
        total = self.columns.log_likelihood(parameters.density, gathered.parts)
        total += _weighted(gathered.parts.weight, log(parameters.prevalence))
        return total + _weighted(gathered.labels, self._log_table(parameters))


def _both(one: tuple[Gathered, float], other: tuple[Gathered, float]) -> tuple[Gathered, float]:
    return one[0] + other[0], one[1] + other[1]


def _weighted(counts: Array, logs: Array) -> float:
    return float((counts * np.where(counts > 0, logs, 0.0)).sum())
