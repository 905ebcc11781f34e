"""Recipes of classifiers that are densities: a prior over classes times a density of the columns given the class.

In:  parameters; a recipe itself says only which schema, design and rules follow from them.
Out: Densities, learned in closed form where the class of every row is known, and by EM where something is hidden.
"""

from abc import abstractmethod
from contextlib import closing
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from suffice.data.labels import Labels
from suffice.data.rows import InBatches, Labelled, Source
from suffice.data.schema import Schema
from suffice.data.table import Table
from suffice.engines.collect import Asked, gathered
from suffice.engines.lazy_rows import library
from suffice.errors import HiddenLabelsError, ParameterError
from suffice.learn.densities import Densities
from suffice.learn.em import EM, read_em
from suffice.learn.recipe import Recipe
from suffice.model.collect import PlanOf, summary_of
from suffice.model.design import Design
from suffice.model.em.intervals import left_open
from suffice.model.em.label_evidence import LabelEvidence, numbers_of, read_noise
from suffice.model.em.run import Guess, Problem, posed, run, set_up
from suffice.model.em.starts import KMEANS
from suffice.model.em.streamed import Streamed, first_pass
from suffice.model.joint import Joint
from suffice.model.rules import Control, Rules
from suffice.model.summary import Summary
from suffice.options import generator
from suffice.printing.description import Sheet, Text
from suffice.printing.language import word, worded

NEEDS_ALL_ROWS = (
    "Learning from statistics alone needs the class of every row, labels that are never wrong, and one component for "
    "each class. Use fit(X, y) on all rows, which finds what is hidden by EM."
)
NO_LEAVING_OUT = (
    "Labels or components are hidden, so a row cannot be taken out in closed form. Use "
    "cross_validate(model, X, y, folds=10), which fits again for each fold."
)


class Generative(Recipe):
    components: Any = 1
    unknown: Any = None
    em: EM | None = None

    NEEDS_LABELS: ClassVar[str] = NEEDS_ALL_ROWS  # why some rows are not enough, and what to do

    # what its parameters mean

    @abstractmethod
    def plan(self, head: Table) -> Schema:
        """Which kind each column is of, and what is modelled together."""

    @abstractmethod
    def design(self, summary: Summary) -> Design:
        """How the columns of a summary are divided among families."""

    @abstractmethod
    def rules(self) -> Rules:
        """What to believe beforehand, and what to make of the belief."""

    @abstractmethod
    def unseen(self) -> str:
        """What a category never seen in fitting is taken for."""

    def in_words(self) -> tuple[Text, ...]:
        """What to print of the parameters."""
        return ()

    def headline(self, found: Densities) -> tuple[Text, ...]:
        """What to print of how it was learned, beside its sizes."""
        return (word("estimate {name}", name=worded(found.joint.estimate)), *self.in_words())

    def further(self, found: Densities) -> list[Sheet]:
        """What to print below the parameters."""
        return []

    def refuse_intervals(self) -> None:
        """An error where nothing says how sure parameters are."""

    @property
    def settings(self) -> EM:
        return read_em(self.em)

    def control(self) -> Control:
        return self.settings.control()

    def check(self) -> None:
        self.rules().check()
        self.control()

    def label_evidence(self, labels: Labels) -> LabelEvidence | None:
        """What labels say about the components of the classes, or None where they say all."""
        noise = self.settings.label_noise
        one_each = type(self.components) is int and self.components == 1
        if one_each and noise is None and not labels.hidden:
            return None
        owners = np.repeat(np.arange(len(labels.classes)), numbers_of(self.components, labels.classes))
        found = LabelEvidence(labels, owners, *read_noise(noise, labels.classes))
        return found if found.hidden else None

    @property
    def closed(self) -> bool:
        """Whether statistics are all it learns from, as long as the class of every row is known."""
        return isinstance(self.components, int) and self.components == 1 and self.settings.label_noise is None

    def posed(self, known: Labelled, schema: Schema, evidence: LabelEvidence) -> Problem:
        """What EM has to solve."""
        return set_up(known.table, schema, evidence, known.weights, self.design, self.rules())

    # learning

    def of_summary(self, summary: Summary) -> Densities:
        """The model that the rows behind a summary give."""
        self.closed_form(summary)  # refuses what a summary cannot say
        return Densities(self, summary.schema, summary.classes, summary)

    def closed_form(self, summary: Summary) -> tuple[Summary, Design, Rules]:
        """What closed forms start from; a model with something hidden has none."""
        if max(numbers_of(self.components, summary.classes)) > 1 or self.settings.label_noise is not None:
            raise HiddenLabelsError(self.NEEDS_LABELS)
        return summary, self.design(summary), self.rules()

    def learn(self, known: Labelled) -> Densities:
        weight = None
        if known.labels.hidden:
            weight = weight_for(self, known)
            known = weighed(known, weight)
        schema, evidence = self.plan(known.table), self.label_evidence(known.labels)
        if evidence is None:
            summary = summary_of(known, schema)
            found = Densities(self, schema, summary.classes, summary)
        else:
            found = self._searched(known, self.posed(known, schema, evidence))
        return replace(found, unlabelled_weight=weight, library=known.table.library)

    def _searched(self, known: Labelled, problem: Problem) -> Densities:
        """EM over what is hidden."""
        control, several = self.control(), len(problem.rows.label_evidence.owners) > len(known.classes)
        ended = run(problem, KMEANS, control if several else replace(control, restarts=1))
        found = self._ended(problem.schema, ended.joint, ended.summary)
        return replace(found, trace=ended.trace, left_open=left_open(problem, ended.joint, control))

    def _ended(self, schema: Schema, joint: Joint, summary: Summary) -> Densities:
        """What EM has found."""
        return Densities(self, schema, joint.classes, replace(summary, classes=joint.components), joint)

    # of rows that come in batches

    def learn_of(self, source: Source) -> Densities:
        """The model of rows wherever they are: in one pass, or where something is hidden in one for each step of EM."""
        if not source.streams:
            return self.learn(source.known(self.unknown))
        try:
            return self.of_summary_of(source)
        except HiddenLabelsError:
            return self.learn_in_batches(source)

    def of_summary_of(self, source: Source) -> Densities:
        if not self.closed:
            raise HiddenLabelsError(self.NEEDS_LABELS)
        summary = self.summed(source, self.plan)
        return replace(self.of_summary(summary), library=library(source.rows))

    def summed(self, source: Source, plan: PlanOf) -> Summary:
        """The summary of rows wherever they are."""
        return gathered(
            Asked(source.rows, source.labels, source.weights, source.classes, self.unknown, source.schema), plan
        )

    def learn_in_batches(self, source: Source) -> Densities:
        """EM over batches, from where it ends for a sample of the rows."""
        if self.control().intervals is not None:
            raise ParameterError(
                "intervals need all rows in memory, but these come in batches. Use intervals=None, or fit on a table "
                "in memory."
            )
        with closing(source.in_batches(self.unknown)) as rows:
            return replace(self._over_batches(source, rows), library=library(source.rows))

    def _over_batches(self, source: Source, rows: InBatches) -> Densities:
        found = self._surveyed(rows, source)
        known = found.known(source, self.unknown)
        if found.whole:
            return self.learn(known)
        weight = weight_for(self, known) if found.labels.hidden else None
        if weight not in (None, 1.0):
            found = self._surveyed(rows.but(silent=weight), source)
        model = self._searched_in_batches(found, known)
        return replace(model, unlabelled_weight=weight, start_rows=len(found.sample))

    def _surveyed(self, rows: InBatches, source: Source) -> Streamed:
        return first_pass(rows, self.plan, source.classes, generator(self.settings.random_state))

    def _searched_in_batches(self, found: Streamed, sample: Labelled) -> Densities:
        evidence = self.label_evidence(found.labels)
        if evidence is None:  # as rows without a label count nothing
            return Densities(self, found.schema, found.labels.classes, found.labelled)
        problem = posed(found.apart, found.schema, evidence, self.design, self.rules(), found.cut_to)
        begun = Guess(self.learn(sample).joint)
        ended = run(problem, begun, replace(self.control(), restarts=1))
        return replace(self._ended(found.schema, ended.joint, ended.summary), trace=ended.trace)
