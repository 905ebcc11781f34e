"""Recipe of naive Bayes over any mix of columns: the product of one family for each kind of column.

In:  parameters, which the face has too.
Out: NaiveBayesRecipe; what kinds columns can be, for whoever chooses among them.
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from suffice.beliefs.per_class import about_cells
from suffice.data.blocks import IGNORE_ALOUD, UNSEEN_POLICIES
from suffice.data.columns import INTEGER, NUMBER
from suffice.data.kinds import (
    EXPONENTIAL,
    GAUSSIAN,
    KINDS,
    LOG_GAUSSIAN,
    POISSON,
    Chosen,
    come_back,
)
from suffice.data.planning import Kinds, by_column, grouped, plan
from suffice.data.schema import Schema
from suffice.data.table import Table
from suffice.errors import IdleSettingWarning, KindHint, ParameterError, warn
from suffice.learn.generative import FindsHidden, Generative
from suffice.learn.kinds import categories_of, ignored
from suffice.learn.model import Settings
from suffice.learn.recipe import Change
from suffice.model.design import Design
from suffice.model.rules import Rules
from suffice.model.summary import Summary
from suffice.options import one_of
from suffice.printing.description import Text
from suffice.printing.language import word
from suffice.words import listed

CANDIDATES = (POISSON, EXPONENTIAL, LOG_GAUSSIAN)  # for numbers whose kind is "auto", beside what they are by default
SMOOTHINGS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)  # what tuning tries


@dataclass(eq=False, repr=False)
class NaiveBayesParameters(FindsHidden):
    """The parameters that users set; the estimator tells what each of them means."""

    kinds: Kinds = None
    joint: Sequence[Sequence[str]] = ()
    counts: Sequence[Sequence[str]] = ()
    smoothing: float = 1.0
    estimate: str = "auto"
    priors: Any = None
    parameter_prior: Any = "weak"
    unseen: str = "prior"


@dataclass(eq=False, repr=False)
class NaiveBayesRecipe(NaiveBayesParameters, Generative):
    name = "NaiveBayes"
    TUNABLE: ClassVar[tuple[str, ...]] = ("smoothing", "kinds")

    def plan(self, head: Table) -> Schema:
        return plan(head, self.kinds, self.joint, self.counts, tallied=True)

    def plainest(self, names: Sequence[str]) -> Settings:
        """Columns whose kind is open go by their type at first."""
        given = self.kinds if isinstance(self.kinds, Mapping) else {}
        kinds = {name: kind for name, kind in given.items() if kind != "auto"}
        return super().plainest(names) | ({"kinds": kinds} if "kinds" in names else {})

    def stages(self, names: Sequence[str], table: Table) -> list[list[Change]]:
        """Stages of tuning: the model as it is, then smoothing."""
        stages: list[list[Change]] = [[lambda best: best]]
        if "smoothing" in names and self._smooths(names, table):
            stages.append([with_smoothing(amount) for amount in SMOOTHINGS])
        return stages

    def open_kinds(self, table: Table) -> dict[str, list[str]]:
        return {name: kinds_for(table, name) for name in self._open_columns(table)}

    def _smooths(self, names: Sequence[str], table: Table) -> bool:
        """Tell whether smoothing changes anything; warn if it was asked for and does not."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", KindHint)  # said when the model is fitted
            schema = self.but(self.plainest(names)).plan(table)
        smooths = self.priors == "smoothed" or any(KINDS[block.kind].counted for block in schema.blocks)
        if not smooths and (names != self.TUNABLE or "smoothing" in self.open):
            warn(
                "smoothing adds rows to tables of counts, but none of these columns is counted (categorical, binary, "
                "binomial, negative binomial, counts), so it has no effect and is not tried. Leave it out, or declare "
                "kinds.",
                IdleSettingWarning,
            )
        return smooths

    def _open_columns(self, table: Table) -> list[str]:
        """Columns of numbers whose kind is "auto", or where none is, not declared."""
        given = self.kinds if isinstance(self.kinds, Mapping) else {}
        if "auto" in given.values():
            return [str(name) for name, kind in given.items() if kind == "auto"]
        spoken_for = {name for group in (*grouped(self.joint), *grouped(self.counts)) for name in group}
        spoken_for |= {str(name) for name in given}
        return [name for name in table.names if name not in spoken_for and table.type(name) in (NUMBER, INTEGER)]

    def design(self, summary: Summary) -> Design:
        rows_of_counts = [block for block in summary.schema.blocks if block.words]
        for group in grouped(self.counts):
            if all(frozenset(group) != frozenset(block.names) for block in rows_of_counts):
                raise ParameterError(
                    f"This summary does not hold {listed(list(group))} as counts. Collect the rows again "
                    "with these columns as counts."
                )
        joint, believed = grouped(self.joint), self.parameter_prior if isinstance(self.parameter_prior, Mapping) else {}
        cells = {str(name) for name in believed if about_cells(believed[name])}
        numbers = {*map(str, believed), *(name for group in joint for name in group)} - cells  # by what is said of them
        categories = categories_of(summary, self.kinds, numbers)
        declared = by_column(self.kinds, summary.schema.tallied)
        categories |= cells.intersection(summary.schema.tallied) - declared.keys()
        return Design(joint, ignored=ignored(self.kinds, summary), categories=categories)

    def rules(self) -> Rules:
        one_of(self.unseen, "unseen", UNSEEN_POLICIES)
        return Rules(
            self.estimate,
            ("predictive",),
            self.smoothing,
            self.priors,
            self.parameter_prior,
            self.offers(),
        )

    def in_words(self) -> tuple[Text, ...]:
        return (word("smoothing {number}", number=self.smoothing),)

    def unseen_as(self) -> str:
        return IGNORE_ALOUD if self.unseen == "prior" and self.smoothing == 0 else self.unseen


def with_smoothing(amount: float) -> Change:
    return lambda best: best | {"smoothing": amount}


def kinds_for(table: Table, name: str) -> list[str]:
    """List the kinds that a column of numbers can have, besides what it is by default, by its cells."""
    cells = table.numbers([name], slice(0, table.rows))[:, 0]
    cells = cells[~np.isnan(cells)]
    able: list[str] = [Chosen(kind) for kind in CANDIDATES if KINDS[kind].allows().holds(cells)]
    categories = come_back(len(np.unique(cells)), len(cells)) and (cells % 1 == 0).all()
    return [Chosen(GAUSSIAN), *able] if categories else able
