"""Models that are densities: a joint model of the row and its class, with the statistics that it follows from.

In:  a recipe, and a summary of rows, what EM has found, or parameters that somebody gives.
Out: Densities, which answers, prints, is saved and becomes SQL. What follows from a summary is worked out when it is
     first needed, so that summaries can be added one after the other at no cost.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol, Self, TypeVar

import numpy as np

from suffice.arrays import Array, Codes, Values, log, log_sum_exp
from suffice.data.frames import Library
from suffice.data.labelled import Labelled
from suffice.data.levels import Level, Levels, array_of
from suffice.data.schema import Schema
from suffice.data.table import Table
from suffice.decisions.boundary import gaussian_columns
from suffice.decisions.posterior import against_first, log_shares, shares, with_prior_where_impossible
from suffice.decisions.posterior_intervals import intervals
from suffice.engines.scoring.answers import Scoring
from suffice.engines.scoring.reading import in_own_units
from suffice.errors import (
    FileError,
    GivenParametersError,
    HiddenCellsError,
    HiddenLabelsError,
    KindError,
    ParameterError,
    SingularError,
)
from suffice.lazy import lazy
from suffice.learn.model import Model, Packed, Settings
from suffice.learn.packing import packed_model
from suffice.model.collect import summary_of
from suffice.model.criteria import free_parameters
from suffice.model.design import Design
from suffice.model.em.search import Trace
from suffice.model.fit import fit
from suffice.model.impute import imputed, sampled
from suffice.model.joint import Answer, Joint, Tables
from suffice.model.patterns import patterns_of
from suffice.model.rules import Rules
from suffice.model.summary import Summary
from suffice.model.uncertainty import Uncertain
from suffice.options import Seed, number, whole
from suffice.printing.description import Description, Sheet, Text
from suffice.reporting.describe import describe
from suffice.reporting.tables import PrintedTables
from suffice.store import Header
from suffice.words import free

START_ROWS, WEIGHT, TRACE = COURSE = "start_rows_", "unlabelled_weight_", "trace"  # how it was learned, in files
NO_WEIGHT = "unlabelled_weight_ must be 0 or more"
NO_INTERVALS = (
    "Parameters found by EM are a mode: they have no distribution in closed form to draw from. Make a mixture with "
    "intervals='information' (or 'scores', 'bootstrap'), a classifier with em=EM(intervals='information'), and fit it, "
    "which works out their uncertainty while the rows are at hand; it is not saved in files."
)


class AsksForDensities(Protocol):
    """The members of a recipe that a density uses."""

    @property
    def name(self) -> str: ...

    @property
    def parameters(self) -> Settings: ...

    @property
    def unknown(self) -> Level | None: ...

    def design(self, summary: Summary, /) -> Design: ...

    def rules(self) -> Rules: ...

    def unseen_as(self) -> str: ...

    def headline(self, found: "Densities", /) -> tuple[Text, ...]: ...

    def uncertain(self, joint: Joint, summary: Summary, /) -> Uncertain | None: ...  # in closed form


@dataclass(frozen=True, eq=False)
class Densities(Model):
    SHARE: ClassVar[str] = "prior"  # what it calls how common classes are

    recipe: AsksForDensities
    schema: Schema
    classes: Levels
    summary: Summary | None  # None if its parameters were given
    found: Joint | None = None  # by EM, or given; None if it follows from the summary
    trace: Trace | None = None  # the course of EM, step by step
    left_open: Uncertain | None = None  # uncertainty of what EM has found, if asked for
    library: Library | None = None
    declared: tuple[Level, ...] | None = None  # all classes that there can be, if the user has said
    unlabelled_weight: float | None = None  # the weight of a row without a label in EM
    start_rows: int | None = None  # the number of rows that EM over batches began from

    # the joint model

    @lazy
    def learned(self) -> Joint:
        """The joint model: as EM has found it, or else as it follows from the summary."""
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
        return self.found or self.by(replace(rules, estimate="map"))

    def by(self, rules: Rules) -> Joint:
        """Fit the joint model to the summary by some rules."""
        summary = self.rows
        return fit(summary, self.recipe.design(summary), rules)

    @property
    def rows(self) -> Summary:
        """The summary of the rows; an error if parameters were given."""
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
        if self.found is not None:
            return self.found
        summary, recipe = self.rows, self.recipe
        return replace(joint, parameters=free_parameters(summary, recipe.design(summary), recipe.rules()))

    # answers

    @property
    def read(self) -> Schema:
        return self.joint.schema

    @property
    def shares(self) -> Array:
        """The share of each class."""
        return self.joint.shares

    def log_joint(self, table: Table) -> Array:
        """Ln p(row, class)."""  # (N, K)
        return self.joint.log_joint(table, self.recipe.unseen_as())

    def log_density(self, table: Table) -> Array:
        """Ln p(row | class)."""  # (N, K)
        return self.joint.log_density(table, self.recipe.unseen_as())

    def log_components(self, table: Table) -> Array:
        """Ln p(row, component)."""  # (N, C)
        return self.joint.log_components(table, self.recipe.unseen_as())

    def log_rows(self, table: Table) -> Array:
        """Ln p(row)."""  # (N,)
        return log_sum_exp(self.log_joint(table))

    def log_posterior(self, table: Table) -> Array:
        return with_prior_where_impossible(self._answers(table, log_shares), log(self.shares), self.joint.schema)

    def posterior(self, table: Table) -> Array:
        """P(class | row)."""  # (N, K)
        return with_prior_where_impossible(self._answers(table, shares), self.shares, self.joint.schema)

    def component_posterior(self, table: Table) -> Array:
        """P(component | row)."""  # (N, C)
        joint = self.joint
        answers = joint.component_answers(table, self.recipe.unseen_as(), shares)
        return with_prior_where_impossible(answers, joint.prevalence, joint.schema)

    def scores(self, table: Table) -> Array:
        """The values of decision functions: always finite; a row that no class can have produced gets the priors."""
        scores = self.log_joint(table)
        scores[np.isneginf(scores).all(axis=1)] = np.nan
        return against_first(with_prior_where_impossible(scores, log(self.shares), self.joint.schema))

    def _answers(self, table: Table, answer: Answer) -> Array:
        return self.joint.answers(table, self.recipe.unseen_as(), answer)

    def imputed(self, table: Table, draw: bool, random_state: Seed) -> Any:
        """The table with its missing cells filled in."""
        return imputed(self.with_parameters, table, draw, random_state)

    def drawn(self, n: int, rng: np.random.Generator) -> tuple[Any, Codes]:
        """Rows drawn from the model, and the component of each."""
        joint = self.joint
        which = rng.choice(len(joint.prevalence), n, p=joint.prevalence)
        return sampled(joint, which, rng, self.schema, self.library), which

    def scoring(self, output: str) -> Scoring:
        joint = self.joint
        return self._scored(joint.class_formula, joint.classes, joint.shares)

    def _scored(self, formula: Callable[..., Any], names: Levels, instead: Array) -> Scoring:
        joint = self.joint
        patterns = patterns_of(joint.schema.blocks, self.summary)
        own = in_own_units(joint.schema.blocks, lambda cells: formula(cells, patterns))
        return Scoring(joint.schema, self.recipe.unseen_as(), own, names, instead, self.NOUN)

    def learned_from(self, known: Labelled) -> bool:
        if self.summary is None:
            return False
        if self.found is not None:  # by EM, whose statistics are those of components
            return bool(np.isclose(self.summary.n, known.weights.sum()))
        return summary_of(known, self.summary.schema) == self.summary

    # how sure it is

    def uncertain(self) -> Uncertain:
        """The uncertainty about the parameters that the rows leave."""
        summary = self.rows
        found = self.recipe.uncertain(self.joint, summary) if self.found is None else self.left_open
        if found is None:
            raise HiddenLabelsError(NO_INTERVALS)
        return found

    def posterior_intervals(self, table: Table, level: float, draws: int, random_state: Seed) -> tuple[Array, Array]:
        """Ends of intervals for P(class | row), from what is left open about the parameters."""
        unseen = self.recipe.unseen_as()
        return intervals(self.uncertain(), table, unseen, level, draws, random_state, self.NOUN == Model.NOUN)

    # what it says of itself

    @property
    def names(self) -> Values:
        """The names in front of the lines of its tables, one for each component."""
        return array_of(self.joint.components)

    def called(self, components: Codes) -> Values:
        """Name the class, or the component of a mixture, that each row was drawn from."""
        owners = self.joint.owners
        return np.asarray(array_of(self.classes)[components if owners is None else owners[components]])

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

    def tables(self, level: float | None = None) -> dict[str, Any]:
        """The parameters as tables; with a level there are also the ends of intervals."""
        joint = self.with_parameters
        first, ends = {self.SHARE: joint.prevalence}, None
        if level is not None:
            found = self.uncertain()
            first, ends = first | found.prevalence_interval(level, self.SHARE), found.intervals(level)
        return self.laid_out(first, joint.tables(ends))

    def standard_errors(self) -> dict[str, Any]:
        """The standard errors of the parameters, as tables like those of `tables`."""
        found, schema, out = self.uncertain(), self.joint.schema, dict[str, dict[str, Array]]()
        for block, tables in zip(schema.blocks, found.errors(), strict=True):
            for title, table in tables.items():
                out[schema.apart(title, block, out)] = table
        return self.laid_out({self.SHARE: found.prevalence_error()}, out)

    def laid_out(self, first: dict[str, Array], tables: Tables) -> dict[str, Any]:
        """Tables with the names of their rows, in the frame library learned from; the first says how common each is."""
        return PrintedTables(headed(self.NOUN, first, tables), self.names, self.NOUN, self.library)

    def further(self) -> Sequence[Sheet]:
        """Further sheets to print below the parameters; none, unless a model has some."""
        return ()

    def description(self) -> Description:
        """Classes or components, then the parameters of every column, in the order of the table."""
        headline = self.recipe.headline(self)
        return describe(self.recipe.name, self.with_parameters, self.summary, headline, list(self.further()))

    # files

    def packed(self) -> Packed:
        return packed_model(self.recipe.name, self.recipe.parameters, self.summary, self.found, self._course())

    def _course(self) -> Packed:
        """Pack how it was learned, beside what it has learned, as plain data and arrays."""
        numbers = {START_ROWS: self.start_rows, WEIGHT: self.unlabelled_weight}
        header: Header = {name: value for name, value in numbers.items() if value is not None}
        if self.trace is None:
            return header, {}
        told, arrays = self.trace.packed()
        return header | {TRACE: told}, arrays

    def recalled(self, header: Header, arrays: Mapping[str, Array]) -> Self:
        """Return a copy that knows how it was learned, from a file; files of the first format do not say."""
        strange = set(header).difference(COURSE)
        if strange or (arrays and TRACE not in header):
            raise FileError(f"The file tells what this version does not know: {sorted(strange) or sorted(arrays)}.")
        rows, weight, trace = (header.get(name) for name in COURSE)
        return replace(
            self,
            start_rows=None if rows is None else whole(rows, "start_rows_ must be a number of rows"),
            unlabelled_weight=None if weight is None else number(weight, NO_WEIGHT, lambda given: given >= 0),
            trace=None if trace is None else Trace.unpacked(trace, arrays),
        )

    def refuse_impossible(self) -> None:
        with suppress(SingularError, KindError, HiddenCellsError):  # what these rows leave open, more may settle
            self.joint  # noqa: B018 # which is worked out now

    def refuse_given(self) -> None:
        self.rows  # noqa: B018 # of which there are none


D = TypeVar("D", bound=Densities)


def without_hints(found: D) -> D:
    """The model without its hints, where they were told before its rows were gone over."""
    return replace(found, schema=replace(found.schema, hints=()))


def headed(noun: str, first: dict[str, Array], tables: Tables) -> Tables:
    """Tables of parameters, the first of them how common each class or component is."""
    return {free(noun, tables.__contains__): first} | tables
