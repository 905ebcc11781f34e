"""Recipes of classifiers that are densities: a prior over classes times a density of the columns given the class.

In:  parameters; a recipe itself says only which schema, design and rules follow from them.
Out: Densities, learned in closed form where the class of every row is known, and by EM where something is hidden.
"""

from abc import abstractmethod
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from suffice.arrays import Array
from suffice.data.labelled import Labelled, labelled
from suffice.data.labels import Labels
from suffice.data.planning import like
from suffice.data.rows import InBatches
from suffice.data.schema import Schema
from suffice.data.source import Source
from suffice.data.table import Table
from suffice.decisions.posterior import log_posterior
from suffice.engines.collect import Asked, gathered
from suffice.engines.lazy_rows import library
from suffice.errors import HiddenLabelsError, ParameterError
from suffice.learn.densities import Densities, without_hints
from suffice.learn.em import EM, read_em
from suffice.learn.model import Heard
from suffice.learn.recipe import Foretold, Recipe, ToForetell, declared
from suffice.learn.unlabelled_weight import weighed, weight_for
from suffice.model.collect import PlanOf, summary_of
from suffice.model.criteria import log_evidence
from suffice.model.design import Design
from suffice.model.em.intervals import left_open, left_open_by_cells
from suffice.model.em.label_evidence import LabelEvidence, Noise, numbers_of, read_noise
from suffice.model.em.run import Guess, Mixed, Problem, posed, run, set_up
from suffice.model.em.starts import KMEANS
from suffice.model.em.streamed import Streamed, first_pass
from suffice.model.evidence import Evidence
from suffice.model.fit import fit
from suffice.model.folds import Plan
from suffice.model.joint import Joint
from suffice.model.left_out import LeftOutRows
from suffice.model.rules import Control, Rules
from suffice.model.summary import Summary
from suffice.model.uncertainty import Uncertain, uncertain
from suffice.model.validate import Rows, leave_folds_out, leave_one_out
from suffice.options import generator
from suffice.printing.description import Text
from suffice.printing.language import word, worded

NEEDS_ALL_ROWS = (
    "Learning from statistics alone needs the class of every row, labels that are never wrong, and one component for "
    "each class. Use fit(X, y) on all rows, which finds what is hidden by EM."
)
NO_LEAVING_OUT = (
    "Labels or components are hidden, so a row cannot be taken out in closed form. Use "
    "cross_validate(model, X, y, folds=10), which fits again for each fold."
)


@dataclass(kw_only=True, eq=False, repr=False)  # writes the constructor, whose arguments scikit-learn asks for
class FindsHidden:
    """Parameters of classifiers that learn what is hidden by EM."""

    components: Any = 1
    unknown: Any = None
    em: EM | None = None


class Generative(Recipe):
    priors: Any
    estimate: str
    components: Any = 1
    em: EM | None = None

    NEEDS_LABELS: ClassVar[str] = NEEDS_ALL_ROWS  # why some rows are not enough, and what to do
    MODEL: ClassVar[type[Densities]] = Densities

    # what its parameters mean

    @abstractmethod
    def plan(self, head: Table) -> Schema:
        """Plan the kind of each column, and which columns are modelled together."""

    @abstractmethod
    def design(self, summary: Summary) -> Design:
        """Divide the columns of a summary among families."""

    @abstractmethod
    def rules(self) -> Rules:
        """The rules of the estimate: what to believe beforehand, and what to make of the belief."""

    @abstractmethod
    def unseen_as(self) -> str:
        """The treatment of categories never seen in fitting."""

    def in_words(self) -> tuple[Text, ...]:
        """Settings that are printed beside the estimate, in words; none, unless a recipe has some."""
        return ()

    def headline(self, found: Densities) -> tuple[Text, ...]:
        """Describe how a model was learned, for the line beside its sizes."""
        return (word("estimate {name}", name=worded(found.joint.estimate)), *self.in_words())

    def uncertain(self, joint: Joint, summary: Summary) -> Uncertain | None:
        """The uncertainty that rows leave about parameters of a closed form."""
        model = joint, summary, self.design(summary), self.rules()
        return uncertain(*model) or left_open_by_cells(*model)

    @property
    def how(self) -> EM:
        """The settings of EM."""
        return read_em(self.em)

    @property
    def _noise(self) -> Noise:
        """The rate of wrong labels, as the user gave it."""
        return None if self.em is None else self.how.label_noise

    def control(self) -> Control:
        return self.how.control()

    def check(self) -> None:
        self.rules().check()
        if self.em is not None:
            self.control()

    def label_evidence(self, labels: Labels) -> LabelEvidence | None:
        """Read what labels say about the components of the classes; None if they say all."""
        noise = self._noise
        one_each = type(self.components) is int and self.components == 1
        if one_each and noise is None and not labels.hidden:
            return None
        owners = np.repeat(np.arange(len(labels.classes)), numbers_of(self.components, labels.classes))
        found = LabelEvidence(labels, owners, *read_noise(noise, labels.classes))
        return found if found.hidden else None

    @property
    def closed(self) -> bool:
        """True if statistics are all it learns from, as long as the class of every row is known."""
        return isinstance(self.components, int) and self.components == 1 and self._noise is None

    def posed(self, known: Labelled, schema: Schema, evidence: LabelEvidence) -> Problem:
        """Set up the problem that EM solves."""
        return set_up(known.table, schema, evidence, known.weights, self.design, self.rules())

    # learning

    def of_summary(self, summary: Summary) -> Densities:
        """The model that the rows behind a summary give."""
        self.check()
        self.closed_form(summary)  # refuses what a summary cannot say
        return without_hints(self.MODEL(self, summary.schema, summary.classes, summary))

    def given(self, joint: Joint) -> Densities:
        """The model with parameters that somebody gives."""
        self.check()
        return self.MODEL(self, joint.schema, joint.classes, None, joint)

    def restored(self, summary: Summary | None, joint: Joint | None) -> Densities:
        """The model that a file holds."""
        if joint is None:
            assert summary is not None  # as it is in a file without a joint
            return self.of_summary(summary)
        return replace(self.given(joint), schema=joint.schema if summary is None else summary.schema, summary=summary)

    def closed_form(self, summary: Summary) -> tuple[Summary, Design, Rules]:
        """The summary, design and rules that closed forms start from; a model with something hidden has none."""
        if max(numbers_of(self.components, summary.classes)) > 1 or self._noise is not None:
            raise HiddenLabelsError(self.NEEDS_LABELS)
        return summary, self.design(summary), self.rules()

    def learn(self, known: Labelled) -> Densities:
        weight = None
        if known.labels.hidden:
            known.labels.refuse_one_known()
            weight = weight_for(self, known)
            known = weighed(known, weight)
        evidence, schema = self.label_evidence(known.labels), self.plan(known.table)
        if evidence is None:
            found = self.MODEL(self, schema, known.classes, summary_of(known, schema))
        else:
            found = self._searched(schema, self.posed(known, schema, evidence))
        return replace(found, unlabelled_weight=weight, library=known.table.library)

    def _searched(self, schema: Schema, problem: Problem) -> Densities:
        """EM over what is hidden."""
        control, evidence = self.control(), problem.rows.label_evidence
        several = len(evidence.owners) > len(evidence.labels.classes)
        ended = run(problem, KMEANS, control if several else replace(control, restarts=1))
        found = self._ended(schema, evidence.labels, ended)
        return replace(found, left_open=left_open(problem, ended.joint, control))

    def _ended(self, schema: Schema, labels: Labels, ended: Mixed) -> Densities:
        """Make a model of what EM has found."""
        joint, summary = ended.joint, replace(ended.summary, classes=ended.joint.components)
        return self.MODEL(self, schema, labels.classes, summary, joint, ended.trace)

    def more(self, before: Densities, source: Source) -> Densities:
        """The model of the rows before and of more, learned by this recipe."""
        summary = before.rows  # of which there are none where parameters were given
        if before.found is not None:
            raise HiddenLabelsError(self.NEEDS_LABELS)
        self.check()
        declared = before.declared if source.classes is None else source.classes
        plan, own = partial(like, summary.schema), replace(source, classes=declared)
        if source.streams:
            new = self.summed(own, plan, set())
        else:
            known = labelled(before.table(own.X), own.y, own.sample_weight, declared, self.unknown)
            new = summary_of(known, plan(known.table))
        both = self.of_summary(summary + new)
        return replace(both, library=before.library, declared=before.declared)

    # of rows that come in batches

    def learn_of(self, source: Source) -> Densities:
        """The model of rows wherever they are: in one pass, or where something is hidden in one for each step of EM."""
        if not source.streams:
            return self.learn(source.known(self.unknown))
        heard = Heard()
        try:
            return self.summed_up(source, heard)
        except HiddenLabelsError:
            return self.learn_in_batches(source, heard)

    def first_of(self, source: Source) -> Densities:
        """The model of the first of several batches, each of which it learns from in closed form."""
        self.check()
        if source.streams:
            found = self.summed_up(source, Heard())
        elif self.label_evidence(source.known(self.unknown).labels) is not None:
            raise HiddenLabelsError(self.NEEDS_LABELS)
        else:
            found = self.learn(source.known(self.unknown))
        return replace(found, declared=None if source.classes is None else tuple(source.classes))

    def summed_up(self, source: Source, heard: Heard) -> Densities:
        """The model of rows that a summary says everything about, in one pass."""
        if not self.closed:
            raise HiddenLabelsError(self.NEEDS_LABELS)
        summary = self.summed(source, self.plan, heard)
        return without_hints(self.MODEL(self, summary.schema, summary.classes, summary, library=library(source.rows)))

    def summed(self, source: Source, plan: PlanOf, heard: Heard) -> Summary:
        """The summary of rows wherever they are; hints are told before they are gone over."""
        asked = Asked(source.rows, source.labels, source.weights, source.classes, self.unknown, source.reading)
        return gathered(asked, plan, heard)

    def learn_in_batches(self, source: Source, heard: Heard) -> Densities:
        """EM over batches, from where it ends for a sample of the rows."""
        refuse_intervals(self.control())
        with closing(source.in_batches(self.unknown)) as rows:
            return replace(self._over_batches(source, rows, heard), library=library(source.rows))

    def _over_batches(self, source: Source, rows: InBatches, heard: Heard) -> Densities:
        found = self._surveyed(source, rows, heard)
        sample = Source.of(found.sample, source.labels, source.weights, found.labels.classes)
        known = sample.known(self.unknown)
        if found.whole:
            return without_hints(self.learn(known))
        weight = None
        if found.labels.hidden:
            found.labels.refuse_one_known()
            weight = weight_for(self, known)
            if weight != 1.0:
                found = self._surveyed(source, rows.taken(replace(rows.roles, silent=weight)), heard)
        model = self._searched_in_batches(found, known)
        return without_hints(replace(model, unlabelled_weight=weight, start_rows=len(found.sample)))

    def _surveyed(self, source: Source, rows: InBatches, heard: Heard) -> Streamed:
        return first_pass(rows, self.plan, source.classes, generator(self.how.random_state), heard)

    def _searched_in_batches(self, found: Streamed, sample: Labelled) -> Densities:
        evidence = self.label_evidence(found.labels)
        if evidence is None:  # as rows without a label count nothing
            return self.MODEL(self, found.schema, found.labels.classes, found.labelled)
        problem = posed(found.apart, found.schema, evidence, self.design, self.rules(), found.cut_to)
        begun = Guess(self.but({"em": replace(self.how, intervals=None)}).learn(sample).joint)
        return self._ended(found.schema, found.labels, run(problem, begun, replace(self.control(), restarts=1)))

    # validation

    def with_classes(self, known: Labelled) -> Labelled:
        """Keep classes that no row has, if the shares of classes do not follow from the rows."""
        return known if self.priors is None else declared(known)

    def without(self, asking: ToForetell) -> Foretold:
        known, plan = asking.known, asking.plan
        if plan is not None and self.label_evidence(known.labels) is not None:
            return replace(self.without_intervals().fold_by_fold(asking), hints=self.plan(known.table).hints)
        rows = self.rows(known)
        rows = rows if plan is None else replace(rows, asked=asking.table, unseen=self.unseen_as())
        joint = fit(rows.summary, rows.design, rows.rules)  # what cannot be fitted at all is an error now
        found = left_out(rows, plan)
        logs = log_posterior(found.log_joint, found.prevalence, joint.schema)
        depends = rows.design.dependence
        alone = "leave-one-out" if depends is None else depends.LEAVING_ONE_OUT
        whole = partial(_answered, joint, self.unseen_as())
        return Foretold(
            logs, found.rows, plan.title if plan else alone, None if plan else whole, rows.schema.hints, joint
        )

    def without_intervals(self) -> Self:
        """Return a recipe without intervals, for models that are asked for nothing but their answers."""
        return self if self.how.intervals is None else self.but({"em": replace(self.how, intervals=None)})

    def rows(self, known: Labelled) -> Rows:
        """The rows with what the recipe makes of them."""
        if self.label_evidence(known.labels) is not None:
            raise HiddenLabelsError(NO_LEAVING_OUT)
        schema = self.plan(known.table)
        return Rows(known, schema, self.design(summary_of(known, schema)), self.rules())

    def evidence(self, known: Labelled) -> Evidence:
        rows = self.rows(known)
        return log_evidence(rows.summary, rows.design, rows.rules)

    def evidence_of(self, summary: Summary) -> Evidence:
        return log_evidence(*self.closed_form(summary))


def left_out(rows: Rows, plan: Plan | None) -> LeftOutRows:
    """Rows left out in closed form."""
    if rows.known.table.rows < 2:
        raise ParameterError("Found 1 sample; leaving it out leaves nothing to learn from. Give two rows or more.")
    return leave_one_out(rows) if plan is None else leave_folds_out(rows, plan)


def _answered(joint: Joint, unseen: str, table: Table) -> Array:
    return log_posterior(joint.log_joint(table, unseen), joint.prevalence, joint.schema)


def refuse_intervals(control: Control) -> None:
    """An error where intervals are asked for of rows that are not here all at once."""
    if control.intervals is not None:
        raise ParameterError(
            "intervals need all rows in memory, but these come in batches. Use intervals=None (for a classifier in "
            "em=EM(intervals=None)), or fit on a table in memory."
        )
