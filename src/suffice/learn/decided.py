"""Decisions on top of a model of ours, as a model: its answers are actions, under the class priors where they are made.

In:  a model, a loss, and the class priors of training and of use.
Out: Decided, which is saved and becomes SQL as every model does.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from suffice.arrays import Array, Values, log, ratio
from suffice.data.frames import Library
from suffice.data.levels import Levels, array_of
from suffice.data.schema import Schema
from suffice.data.table import IntoTable, Table
from suffice.decisions.decide import Decision, decide, posteriors
from suffice.decisions.loss import Loss
from suffice.decisions.shift import shifted
from suffice.engines.scoring.answers import LOG_JOINT, PROBA, Scoring
from suffice.errors import NoDensityError
from suffice.formulas import levels, total
from suffice.learn.model import Model, Packed, Settings, by_name
from suffice.learn.packing import packed_around
from suffice.printing.description import Description, Series, Sheet
from suffice.printing.language import word


@dataclass(frozen=True, eq=False)
class Priors:
    """Class priors that posteriors have, and those that they are to have."""

    training: Array | None  # those the classifier was trained with; None if nobody knows them
    use: Array | None  # those of the decisions

    @property
    def differ(self) -> bool:
        return self.use is not self.training

    def shifted(self, posterior: Array) -> Array:
        """P(class | row) under the priors of use."""
        if self.training is None or self.use is None or self.use is self.training:
            return posterior
        return shifted(posterior, self.training, self.use)


@dataclass(frozen=True)
class Deciding:
    """The settings of a decision, beside those of the classifier."""

    parameters: Settings
    name: str = "BayesDecision"
    unknown: Any = None


@dataclass(frozen=True, eq=False)
class Decided(Model):
    recipe: Deciding
    inner: Model
    loss: Loss
    priors: Priors
    schema: Schema
    classes: Levels
    library: Library | None

    @property
    def read(self) -> Schema:
        return self.inner.read

    def table(self, X: IntoTable) -> Table:
        return self.inner.table(X)

    def log_posterior(self, table: Table) -> Array:
        return log(self.posterior(table))

    def posterior(self, table: Table) -> Array:
        """P(class | row), under the priors where decisions are made."""
        return self.priors.shifted(posteriors(self.inner.posterior(table)))

    def answers(self, X: IntoTable, proba: bool) -> Mapping[str, Values]:
        """The action of least risk, its risk, and what it follows from."""
        posterior = self.posterior(self.table(X))
        found: Decision = decide(posterior, self.loss, self.classes)
        actions = {"action": found.action, "expected cost": found.risk}
        return actions | (by_name(array_of(self.classes), posterior) if proba else {})

    def scoring(self, output: str) -> Scoring:
        if output == LOG_JOINT:
            raise NoDensityError("Decisions have only posteriors; use estimator_ for output='log_joint'.")
        inner, before, after = self.inner.scoring(PROBA), self.priors.training, self.priors.use
        if before is None or after is None or after is before:
            return inner
        odds = levels(log(ratio(after, before)))
        return replace(inner, formula=lambda cells: total([inner.formula(cells), odds]), instead=after)

    def description(self) -> Description:
        return described(self.recipe.name, self.loss, self.priors, self.classes, self.inner.description())

    def packed(self) -> Packed:
        arrays = {} if self.priors.training is None else {"training_priors": self.priors.training}
        return packed_around(self.recipe.name, self.recipe.parameters, self.inner.packed(), arrays)


def described(name: str, loss: Loss, priors: Priors, classes: Levels, inner: Description) -> Description:
    """The loss, the class priors behind the decisions, and what the classifier has learned."""
    shares = {word("prior in training"): priors.training, word("prior in use"): priors.use}
    moved = [Series(title, values) for title, values in shares.items() if values is not None and priors.differ]
    sheets = [Sheet(word("class"), list(classes), moved)] if moved else []
    return Description((name, *inner.title), [*loss.description().parts, *sheets, *inner.parts], inner.behind)
