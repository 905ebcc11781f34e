"""Models that are densities: a joint model of the row and its class, with the statistics that it follows from.

In:  a recipe, and a summary of rows, what EM has found, or parameters that somebody gives.
Out: Densities, which answers, prints, is saved and becomes SQL. What follows from a summary is worked out when it is
     first needed, so that summaries can be added one after the other at no cost.
"""

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from suffice.arrays import Array, Values
from suffice.data.frames import Library
from suffice.data.levels import Level, Levels, array_of
from suffice.data.schema import Schema
from suffice.data.table import Table
from suffice.decisions.boundary import gaussian_columns
from suffice.decisions.posterior import log_posterior
from suffice.engines.scoring.answers import Scoring
from suffice.errors import GivenParametersError, HiddenLabelsError, ParameterError, SingularError
from suffice.lazy import lazy
from suffice.learn.model import Model, Packed, Settings
from suffice.learn.packing import packed_model
from suffice.model.criteria import free_parameters
from suffice.model.design import Design
from suffice.model.em.intervals import left_open_by_cells
from suffice.model.em.search import Trace
from suffice.model.fit import fit
from suffice.model.joint import Joint
from suffice.model.patterns import patterns_of
from suffice.model.rules import Rules
from suffice.model.summary import Summary
from suffice.model.uncertainty import Uncertain, uncertain
from suffice.printing.description import Description, Sheet, Text
from suffice.reporting.describe import describe

NO_INTERVALS = (
    "Parameters found by EM are a mode: they have no distribution in closed form to draw from. Make the model with "
    "intervals='information' (or 'scores', 'bootstrap') and fit it, which works out their uncertainty while the rows "
    "are at hand; it is not saved in files."
)


class AsksForDensities(Protocol):
    """What a density has to know of the recipe behind it."""

    @property
    def name(self) -> str: ...

    @property
    def parameters(self) -> Settings: ...

    def design(self, summary: Summary, /) -> Design: ...

    def rules(self) -> Rules: ...

    def unseen(self) -> str: ...

    def headline(self, found: "Densities", /) -> tuple[Text, ...]: ...

    def further(self, found: "Densities", /) -> list[Sheet]: ...

    def uncertain(self, found: "Densities", /) -> Uncertain: ...


@dataclass(frozen=True, eq=False)
class Densities(Model):
    recipe: AsksForDensities
    schema: Schema
    classes: Levels
    summary: Summary | None  # None: its parameters were given
    found: Joint | None = None  # by EM, or given; None: it follows from the summary
    trace: Trace | None = None  # of EM
    left_open: Uncertain | None = None  # about what EM has found, where that was asked for
    library: Library | None = None
    declared: tuple[Level, ...] | None = None  # all classes that there can be, as somebody has said
    unlabelled_weight: float | None = None  # what a row without a label has counted
    start_rows: int | None = None  # from which EM over batches began

    NOUN = "class"  # what the rows of its tables are
    SHARE = "prior"  # what it calls how common they are

    @property
    def asked(self) -> AsksForDensities:
        return self.recipe

    # the joint model

    @lazy
    def learned(self) -> Joint:
        """As EM has found it, or as it follows from the summary."""
        return self.found or self.by(self.recipe.rules())

    @lazy
    def joint(self) -> Joint:
        """The model that answers: EM may go by another estimate."""
        if not self.learned.answered_by:
            return self.learned
        try:  # from the rows as EM has ended with them, where these determine it
            return self.by(replace(self.recipe.rules(), auto=(self.learned.answered_by,)))
        except SingularError:
            return self.learned

    @lazy
    def with_parameters(self) -> Joint:
        """The model; where "auto" has integrated parameters out, with the most probable ones."""
        rules = self.recipe.rules()
        if self.joint.plug_in or rules.estimate != "auto":
            return self.joint
        return self.no_sum or self.by(replace(rules, estimate="map"))

    @property
    def no_sum(self) -> Joint | None:
        """The model, where it does not follow from a summary: EM has found it, or somebody gave it."""
        found = self.found
        return found if found is not None and (found.owners is not None or self.summary is None) else None

    def by(self, rules: Rules) -> Joint:
        """What follows from the summary by some rules."""
        summary = self.rows
        return fit(summary, self.recipe.design(summary), rules)

    @property
    def rows(self) -> Summary:
        """What is known of the rows, or an error where parameters were given."""
        if self.summary is None:
            raise GivenParametersError(
                f"The parameters of this {self.recipe.name} were given, not learned: there is no summary_ of rows "
                "to add to, leave rows out of or compute evidence from. Use fit(X, y) to learn from rows."
            )
        return self.summary

    @property
    def counted(self) -> Joint:
        """The model with known parameters, and how many of them are free."""
        joint = self.with_parameters
        if not joint.plug_in:
            raise ParameterError(
                "Information criteria need a number of parameters, but estimate='predictive' integrates them out. Use "
                "estimate='map'."
            )
        if self.no_sum is not None:
            return self.no_sum
        summary, recipe = self.rows, self.recipe
        return replace(joint, parameters=free_parameters(summary, recipe.design(summary), recipe.rules()))

    # answers

    @property
    def read(self) -> Schema:
        return self.joint.schema

    @property
    def shares(self) -> Array:
        """How common each class is."""
        return self.joint.shares

    def log_posterior(self, table: Table) -> Array:
        joint = self.joint
        return log_posterior(joint.log_joint(table, self.recipe.unseen()), joint.shares, joint.schema)

    def scoring(self, output: str) -> Scoring:
        joint = self.joint
        patterns = patterns_of(joint.schema.blocks, self.summary)
        formula, names, shares = joint.class_formula, joint.classes, joint.shares
        return Scoring(
            joint.schema, self.recipe.unseen(), lambda cells: formula(cells, patterns), names, shares, self.NOUN
        )

    # how sure it is

    def uncertain(self) -> Uncertain:
        """What the rows leave open about the parameters."""
        rows = self.rows  # of which there are none where parameters were given
        if self.no_sum is None and self.closed:
            model = self.joint, rows, self.recipe.design(rows), self.recipe.rules()
            return uncertain(*model) or left_open_by_cells(*model)
        if self.left_open is None:
            raise HiddenLabelsError(NO_INTERVALS)
        return self.left_open

    @property
    def closed(self) -> bool:
        """Whether classes are what statistics are of."""
        return True

    # what it says of itself

    @property
    def names(self) -> Values:
        """Of the rows of its tables."""
        return array_of(self.joint.components)

    def gaussians(self) -> tuple[Array, Array]:
        """The means (K, D) and covariances (K, D, D) of its Gaussian columns, in the order of the table."""
        joint = self.with_parameters
        names, mean, covariance = gaussian_columns(joint, range(len(joint.prevalence)))
        if not names:
            why = "" if joint.plug_in else " estimate='predictive' integrates them out; 'map' does not."
            raise AttributeError(
                f"There are no means_ and covariances_: the model has no Gaussian with known parameters.{why}"
            )
        order = np.argsort([self.schema.names.index(name) for name in names])
        return mean[:, order], covariance[:, order[:, None], order]

    def description(self) -> Description:
        """Classes or components, then the parameters of every column, in the order of the table."""
        further, joint = self.recipe.further(self), self.with_parameters
        return describe(self.recipe.name, joint, self.summary, self.recipe.headline(self), further)

    def packed(self) -> Packed:
        return packed_model(self.recipe.name, self.recipe.parameters, self.summary, self.no_sum)
