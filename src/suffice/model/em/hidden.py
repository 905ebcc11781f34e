"""Stage 3, rows whose components are hidden: what they are expected to be, and what that teaches. One pass a step.

In:  blocks of rows, what their labels say, and what is believed of their columns (`columns`).
Out: the E and M steps of `fit.EM`; `parts` has what is done to rows. Missing cells among columns modelled together are
     filled in by their patterns.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from suffice.arrays import Array, Codes, log, softmax
from suffice.data.blocks import Blocks
from suffice.data.persisted import T
from suffice.errors import CollapsedError, SingularError
from suffice.families.mass import Mass
from suffice.families.memberships import Memberships, memberships
from suffice.families.product import ProductStatistics, RowDensity, Transforms, Volumes
from suffice.model.em.columns import HiddenColumns, Pieces
from suffice.model.em.label_evidence import LabelEvidence
from suffice.model.em.loop import Expected, Loop
from suffice.model.em.parts import Batched, FirstPass, Gathered, Part, Pass, VolumePass
from suffice.model.rules import learned_from_rows, prevalence

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
class HiddenRows:
    blocks: Blocks  # of all rows, or where they come in batches of a sample
    weights: Array  # (N,)
    label_evidence: LabelEvidence
    columns: HiddenColumns
    given: Any = None  # prevalence of the classes: the face calls it priors
    smoothing: float = 0.0
    models: int = 1  # M, side by side on the component axis, each with the same components
    batched: Batched | None = None
    volume: float = 0.0  # Σ ln |dx/dz| of all cells: by so much densities of theirs exceed those in the user's units

    @property
    def number(self) -> int:
        return len(self.weights) if self.batched is None else self.batched.rows

    @property
    def mass(self) -> float:
        return float(self.weights.sum()) if self.batched is None else self.batched.mass

    def over_parts(self, work: Callable[[Part], T]) -> T:
        """What some work makes of all rows: the sum of what it makes of each part of them."""
        return work(self.here) if self.batched is None else self.batched.summed(work)

    @property
    def here(self) -> Part:
        return Part(self.blocks, self.weights, self.label_evidence.labels.codes)

    @property
    def pieces(self) -> Pieces:
        """The columns of a model whose blocks do not depend on each other."""
        assert isinstance(self.columns, Pieces)  # those who ask take no other
        return self.columns

    def em(self) -> Loop[Parameters, Gathered]:
        return Loop(self.expect, self.learn, self.log_prior, self.complete)

    def side_by_side(self, models: int) -> "HiddenRows":
        """The same rows for so many models, where components share nothing."""
        owners = np.tile(self.label_evidence.owners, models)
        evidence = replace(self.label_evidence, owners=owners)
        return replace(self, label_evidence=evidence, columns=self.pieces.side_by_side(models), models=models)

    def reweighed(self, weights: Array) -> "HiddenRows":
        """The same rows with other weights; what all of them are together goes with those."""
        all_alike = memberships(np.zeros(len(weights), dtype=np.intp), 1, weights)
        together = self._beginning(lambda part: all_alike)(self.here).found
        volume = float(sum(np.sum(weights[rows] * self.blocks.volume(cells)) for rows, cells in self.blocks))
        return replace(self, weights=weights, columns=replace(self.pieces, pooled=together.parts.parts), volume=volume)

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
        step = self._step(parameters)
        seen = self.over_parts(step)
        if not np.isfinite(seen.log_likelihood).all():
            raise CollapsedError("a row became impossible under every component")
        filled, cells = step.reader.statistics(seen.sums)
        gathered = Gathered(ProductStatistics(Mass(seen.labels.sum(axis=0)), filled), seen.labels)
        return gathered, seen.log_likelihood - self.volume, seen.entropy + cells / self.models

    def _step(self, parameters: Parameters) -> Pass:
        reader = self.columns.reader(parameters.density, self.number)
        base = log(parameters.prevalence) + self._log_table(parameters)  # (L, K)
        return Pass(reader, base, self.models, self.number)

    def volumes(self, parameters: Parameters, transforms: Transforms) -> Volumes:
        """Of the cells of each block, by component."""
        return self.over_parts(VolumePass(self._step(parameters), transforms)).volumes

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
        begun = self.over_parts(self._beginning(belonging))
        parts, cells = self.columns.initially(begun.found.parts)
        return Expected(Gathered(parts, begun.found.labels), np.nan, begun.entropy + cells)

    def _beginning(self, belonging: Callable[[Part], Memberships]) -> FirstPass:
        return FirstPass(self.columns, len(self.label_evidence.labels.options), belonging)

    def learn(self, expected: Expected[Gathered]) -> Parameters:
        gathered = expected.statistics
        weight = gathered.parts.weight
        empty = np.flatnonzero(weight < LEAST_SHARE * weight.sum())
        if len(empty) and not self.columns.proper:  # no belief to stand in for the rows
            raise CollapsedError(f"component {int(empty[0])} has no rows left")
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
        total = self.columns.log_likelihood(parameters.density, gathered.parts) - self.models * self.volume
        total += _weighted(gathered.parts.weight, log(parameters.prevalence))
        return total + _weighted(gathered.labels, self._log_table(parameters))


def _weighted(counts: Array, logs: Array) -> float:
    return float((counts * np.where(counts > 0, logs, 0.0)).sum())
