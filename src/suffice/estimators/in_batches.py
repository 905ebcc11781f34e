"""Classifiers of rows that come in batches: closed forms in one pass, hidden labels and components by EM over batches.

In:  a Source whose rows come in batches, or are summed where they are.
Out: what the classifier learns, with no more than a batch or two of the rows here at a time.
"""

from abc import abstractmethod
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

from suffice.data.frames import Library
from suffice.data.labelled import Classes, Labelled, labelled
from suffice.data.levels import Levels
from suffice.data.rows import InBatches
from suffice.data.source import Source
from suffice.engines.collect import Asked, gathered
from suffice.engines.lazy_rows import library
from suffice.errors import HiddenLabelsError, ParameterError
from suffice.estimators.classifier import Classifier
from suffice.estimators.unlabelled_rows import weight_for
from suffice.learn.em import read_em
from suffice.model.collect import PlanOf, summary_of
from suffice.model.em.run import Guess, Mixed, posed, run
from suffice.model.em.streamed import Streamed, first_pass
from suffice.model.rules import Control
from suffice.model.summary import Summary
from suffice.options import generator

NEEDS_ALL_ROWS = (
    "Learning from statistics alone needs the class of every row, labels that are never wrong, and one component for "
    "each class. Use fit(X, y) on all rows, which finds what is hidden by EM."
)


@dataclass(eq=False, repr=False)
class LearnsInBatches(Classifier):
    NEEDS_LABELS: ClassVar[str] = NEEDS_ALL_ROWS  # why some rows are not enough, and what to do

    start_rows_: int = field(init=False)  # from which EM over batches began
    unlabelled_weight_: float = field(init=False)
    components: Any

    @abstractmethod
    def _learned(self, known: Labelled, library: Library | None, aloud: bool = True) -> Self:
        """From rows that are here."""

    @abstractmethod
    def _take(self, summary: Summary) -> Self:
        """Statistics by class are all it needs."""

    @abstractmethod
    def _ended(self, found: Mixed, classes: Levels) -> Self:
        """What EM has found."""

    @property
    def _closed(self) -> bool:
        """Whether statistics are all it learns from, as long as the class of every row is known."""
        return isinstance(self.components, int) and self.components == 1 and read_em(self.em).label_noise is None

    def _learned_in_batches(self, source: Source) -> Self:
        """One pass, or where something is hidden one for each step of EM."""
        try:
            return self._closed_in_batches(source)
        except HiddenLabelsError:
            return self._searched_in_batches(source)

    def _closed_in_batches(self, source: Source) -> Self:
        if not self._closed:
            raise HiddenLabelsError(self.NEEDS_LABELS)
        summary = self._summed(source, self._as_fitted._plan, source.classes)
        self._know(summary.schema, library(source.rows))
        return self._take(summary)

    def _more(self, source: Source, plan: PlanOf, classes: Classes) -> Summary:
        """The summary of more rows, whether they are here or come in batches."""
        if source.streams:
            return self._summed(source, plan, classes)
        known = labelled(self._table(source.X), source.y, source.sample_weight, classes, self.unknown)
        return summary_of(known, plan(known.table))

    def _summed(self, source: Source, plan: PlanOf, classes: Classes) -> Summary:
        asked = Asked(source.rows, source.labels, source.weights, classes, self.unknown, source.reading)
        return gathered(asked, plan, self._heard)

    def _searched_in_batches(self, source: Source) -> Self:
        refuse_intervals(self._as_fitted._control())
        with closing(source.in_batches(self.unknown)) as rows:
            return self._searched(source, rows)

    def _searched(self, source: Source, rows: InBatches) -> Self:
        """EM over batches, from where it ends for a sample of the rows."""
        how, control = self._as_fitted, self._as_fitted._control()
        found = self._passed(rows, source.classes)
        known = Source.of(found.sample, source.labels, source.weights, found.labels.classes).known(self.unknown)
        if found.whole:
            return self._learned(known, library(source.rows))
        self._know(found.schema, library(source.rows))
        self.start_rows_ = len(found.sample)
        if found.labels.hidden:
            found.labels.refuse_one_known()
            self.unlabelled_weight_ = weight_for(how, known, read_em(self.em).unlabelled_weight)
            if self.unlabelled_weight_ != 1.0:
                found = self._passed(rows.taken(replace(rows.roles, silent=self.unlabelled_weight_)), source.classes)
        evidence = self._label_evidence(found.labels)
        if evidence is None:  # as rows without a label count nothing
            return self._take(found.labelled)
        problem = posed(found.apart, found.schema, evidence, how._design, how._rules(), found.cut_to)
        begun = Guess(how._anew(known).joint_)
        return self._ended(run(problem, begun, replace(control, restarts=1)), found.labels.classes)

    def _passed(self, rows: InBatches, classes: Classes) -> Streamed:
        return first_pass(rows, self._as_fitted._plan, classes, generator(read_em(self.em).random_state), self._heard)


def refuse_intervals(control: Control) -> None:
    if control.intervals is not None:
        raise ParameterError(
            "intervals need all rows in memory, but these come in batches. Use intervals=None (for a classifier in "
            "em=EM(intervals=None)), or fit on a table in memory."
        )
