"""Recipe of averages of one-dependence models: every category in turn is the parent of all other columns.

In:  parameters, which the face has too.
Out: AveragedRecipe, and OfParents, what it learns: no density, so there are no samples, no evidence and no EM.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from suffice.data.blocks import IGNORE_ALOUD, UNSEEN_POLICIES
from suffice.data.labelled import Labelled
from suffice.data.planning import Kinds, plan
from suffice.data.schema import Schema
from suffice.data.source import Source
from suffice.data.table import Table
from suffice.errors import HiddenLabelsError, NoDensityError
from suffice.learn.densities import Densities
from suffice.learn.generative import Generative
from suffice.learn.kinds import categories_of, ignored
from suffice.learn.model import Heard
from suffice.learn.naive_bayes import SMOOTHINGS, with_smoothing
from suffice.learn.recipe import Change
from suffice.model.averaged import WHY, Averaged, AveragedJoint
from suffice.model.design import Design
from suffice.model.pairs import with_pairs
from suffice.model.rules import Rules
from suffice.model.summary import Summary
from suffice.options import number, one_of
from suffice.printing.description import Description, Series, Sheet, Text
from suffice.printing.language import word
from suffice.reporting.describe import listing

ESTIMATES = ("auto", "map", "predictive")


@dataclass(frozen=True, eq=False)
class OfParents(Densities):
    @property
    def averaged(self) -> AveragedJoint:
        """The joint model, which is an average."""
        joint = self.joint
        assert isinstance(joint, AveragedJoint)  # as its design asks for
        return joint

    def tables(self, level: float | None = None) -> dict[str, Any]:
        """P(class), and P(class, level) for each parent, with a row for each class."""
        if level is not None:
            self.uncertain()
        return self.laid_out({self.SHARE: self.shares}, self.averaged.parents.tables_of_parents())

    def uncertain(self) -> NoReturn:
        raise NoDensityError(WHY)

    def description(self) -> Description:
        """The classes, and P(class, level) for each parent."""
        joint = self.averaged
        tables = [
            Sheet(word("P(class, {name})", name=title), joint.classes, [Series(*entry) for entry in table.items()])
            for title, table in joint.parents.tables_of_parents().items()
        ]
        return listing(self.recipe.name, joint, self.summary, self.recipe.headline(self), tables)


@dataclass(eq=False, repr=False)
class AveragedParameters:
    smoothing: float = 1.0
    min_count: float = 1
    kinds: Kinds = None
    estimate: str = "auto"
    priors: Any = None
    unseen: str = "prior"


@dataclass(eq=False, repr=False)
class AveragedRecipe(AveragedParameters, Generative):
    name = "AveragedOneDependence"
    TUNABLE = ("smoothing",)
    NEEDS_LABELS = f"Some labels are not known. {WHY}"
    MODEL = OfParents

    def learn(self, known: Labelled) -> Densities:
        if known.labels.hidden:
            raise HiddenLabelsError(self.NEEDS_LABELS)
        return super().learn(known)

    def learn_in_batches(self, source: Source, heard: Heard) -> NoReturn:
        raise HiddenLabelsError(self.NEEDS_LABELS)

    def plan(self, head: Table) -> Schema:
        return with_pairs(plan(head, self.kinds, tallied=True), True)

    def design(self, summary: Summary) -> Design:
        averaged = Averaged(float(self.min_count), self.priors is not None)
        categories = categories_of(summary, self.kinds)
        return Design(ignored=ignored(self.kinds, summary), categories=categories, dependence=averaged)

    def rules(self) -> Rules:
        one_of(self.unseen, "unseen", UNSEEN_POLICIES)
        one_of(self.estimate, "estimate", ESTIMATES)
        number(self.min_count, "min_count must be a number of rows, 0 or more", lambda rows: rows >= 0)
        priors = "smoothed" if self.priors is None else self.priors
        return Rules(self.estimate, ("predictive",), self.smoothing, priors, offers=self.offers())

    def unseen_as(self) -> str:
        return IGNORE_ALOUD if self.unseen == "prior" and self.smoothing == 0 else self.unseen

    def stages(self, names: Sequence[str], table: Table) -> list[list[Change]]:
        return [[lambda best: best], [with_smoothing(amount) for amount in SMOOTHINGS]]

    def in_words(self) -> tuple[Text, ...]:
        least = word("parents from {n} row on|parents from {n} rows on", n=self.min_count)
        return (word("smoothing {number}", number=self.smoothing), least)
