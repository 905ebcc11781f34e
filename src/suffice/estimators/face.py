"""The interface between the faces and what works on any model: validation, comparison, decisions, EM to look at, files.

In:  an estimator that has learned (`parameters`).
Out: Face, with what classifiers and mixtures share: columns, filling cells, tables, files, printing. Names with an
     underscore are for this folder, not for users.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from os import PathLike
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from suffice.arrays import Array, Codes, Values
from suffice.beliefs.intervals import checked as checked_level
from suffice.data.kinds import CATEGORICAL, KINDS
from suffice.data.planning import Kinds
from suffice.data.schema import Schema
from suffice.data.table import IntoTable, Table, read_table
from suffice.decisions.boundary import gaussian_columns
from suffice.decisions.posterior_intervals import intervals
from suffice.engines.scoring.answers import Scoring
from suffice.engines.scoring.reading import in_own_units
from suffice.errors import HiddenLabelsError, TableError, warn
from suffice.estimators.batchwise import AnswersRows
from suffice.estimators.files import Packed, packed_model
from suffice.estimators.in_sql import InSql
from suffice.estimators.parameters import Learner
from suffice.model.impute import imputed, sampled
from suffice.model.joint import Tables
from suffice.model.patterns import patterns_of
from suffice.model.uncertainty import Uncertain
from suffice.options import Seed, generator, whole
from suffice.printing.description import Description, Sheet, Text
from suffice.reporting.describe import describe
from suffice.reporting.tables import PrintedTables
from suffice.store import write
from suffice.words import free

DRAWS = "draws must be the number of parameter sets to draw, from 1 to 1,000,000,000"
NO_INTERVALS = (
    "Parameters found by EM are a mode: they have no distribution in closed form to draw from. Make a mixture with "
    "intervals='information' (or 'scores', 'bootstrap'), a classifier with em=EM(intervals='information'), and fit it, "
    "which works out their uncertainty while the rows are at hand; it is not saved in files."
)
TAKES_TEXT = (CATEGORICAL, "binary", "auto")


@dataclass(eq=False, repr=False)
class Face(AnswersRows, Learner, InSql, ABC):
    """Any suffice model, and what all do with what they have learned."""

    NOUN: ClassVar[str]  # what the rows of its tables are
    SHARE: ClassVar[str]  # what it calls how common they are
    BY_CLASS: ClassVar[bool] = False  # whether its answers are about classes, not components

    # what it has learned, under the names that people know

    @property
    def means_(self) -> Array:
        """The means of the classes or components, (K, D), over the Gaussian columns modelled."""
        return self._gaussians()[0]

    @property
    def covariances_(self) -> Array:
        """The covariances of the classes or components, (K, D, D), over the Gaussian columns modelled."""
        return self._gaussians()[1]

    def _gaussians(self) -> tuple[Array, Array]:
        joint = self._with_parameters()
        names, mean, covariance = gaussian_columns(joint, range(len(joint.prevalence)))
        if not names:
            why = "" if joint.plug_in else " estimate='predictive' integrates them out; 'map' does not."
            raise AttributeError(
                f"There are no means_ and covariances_: the model has no Gaussian with known parameters.{why}"
            )
        order = np.argsort([self._schema.names.index(name) for name in names])
        return mean[:, order], covariance[:, order[:, None], order]

    @property
    def class_count_(self) -> Array:
        """The weight of the rows in each class or component, (K,)."""
        check_is_fitted(self)
        self._refuse_given()
        return self.summary_.statistics.weight

    @property
    def cell_counts_(self) -> dict[str, dict[str, Array]]:
        """The weight of the rows of each class with each value of a counted column: {column: {value: (K,)}}."""
        check_is_fitted(self)
        self._refuse_given()
        return self.summary_.moments().cells

    # what all do with it

    def _columns_read(self) -> Schema:
        return self.joint_.schema

    def _table(self, X: IntoTable) -> Table:
        return table_like(type(self).__name__, self._schema, X)

    def impute(self, X: IntoTable, draw: bool = False, random_state: Seed = None) -> Any:
        """The table with its missing cells filled in from the cells that are there, over all classes or components.

        A number becomes its conditional mean and a category the most probable one; or each is drawn from its
        conditional distribution.

        Raises
        ------
        TableError
            If the rows cannot be read, or lack a column of the model.

        """
        return imputed(self._with_parameters(), self._table(X), draw, random_state)

    def sample(self, n: int = 1, random_state: Seed = None) -> tuple[Any, Values]:
        """Draw rows from the model: first a class or component, then its cells. Gives the rows and their classes.

        Rows come in the form of the table fitted on; columns that the model left out are missing.

        Raises
        ------
        ParameterError
            If `n` is below 0.

        """
        check_is_fitted(self)
        rng = generator(random_state)
        n, joint = whole(n, "n must be the number of rows to draw, 0 or more", least=0), self.joint_
        which = rng.choice(len(joint.prevalence), n, p=joint.prevalence)
        return sampled(joint, which, rng, self._schema, self._library), self._called(which)

    @abstractmethod
    def _called(self, components: Codes) -> Values:
        """What components are called where rows are drawn."""

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file that `suffice.load` reads back bit for bit."""
        write(path, *self._packed())

    def _packed(self) -> Packed:
        check_is_fitted(self)
        summary = self.summary_ if self._learned_from_rows else None
        settings = self._as_fitted.get_params(deep=False)
        return packed_model(type(self).__name__, settings, summary, self._found(), self._course())

    # how sure it is

    def _uncertain(self) -> Uncertain:
        """What the rows leave open about the parameters."""
        self._refuse_given()
        found: Uncertain | None = vars(self).get("_left_open")
        if found is None:
            raise HiddenLabelsError(NO_INTERVALS)
        return found

    def predict_interval(
        self, X: IntoTable, level: float = 0.95, draws: int = 1000, random_state: Seed = 0
    ) -> tuple[Array, Array]:
        """Intervals for what predict_proba gives: lower and upper ends, each (N, K).

        Parameters are drawn from what the rows and the priors leave uncertain about them, around the estimate in use.
        Each draw gives posteriors; the interval covers the middle `level` of those, and the value of predict_proba.
        Models found by EM have intervals if they are made with intervals="information" (or "scores", "bootstrap"), in
        classifiers a setting of `em`.

        Raises
        ------
        ParameterError
            If `level` is not between 0 and 1, or `draws` is not 1 or more.
        HiddenLabelsError
            If the parameters were found by EM, and the model was made without `intervals`.
        GivenParametersError
            If the parameters were given, not learned from rows.

        """
        check_is_fitted(self)
        level, draws = checked_level(level), whole(draws, DRAWS, most=10**9)
        found, unseen = self._uncertain(), self._as_fitted._unseen()
        by_class, point = self.BY_CLASS, self.predict_proba(X)
        low, high = intervals(found, self._table(X), unseen, level, draws, random_state, by_class)
        return np.fmin(low, point), np.fmax(high, point)

    @abstractmethod
    def predict_proba(self, X: IntoTable) -> Array:
        """P(class | row) or P(component | row), as (N, K)."""

    def tables(self, level: float | None = None) -> dict[str, Any]:
        """The parameters as tables, with a row for each class or component.

        They come in the frame library of the table fitted on, or as dicts of arrays. With a `level`, such as 0.95,
        there are also the ends of an interval, "… low" and "… high": credible intervals where the posterior of a
        parameter has a closed form, or those that `intervals` (of classifiers: `em`) asks for where EM found
        the parameters.
        """
        joint = self._with_parameters()
        first, ends = {self.SHARE: joint.prevalence}, None
        if level is not None:
            level, found = checked_level(level), self._uncertain()
            first, ends = first | found.prevalence_interval(level, self.SHARE), found.intervals(level)
        return self._laid_out(headed(self.NOUN, first, joint.tables(ends)), self._stubs())

    def standard_errors(self) -> dict[str, Any]:
        """The standard errors of the parameters, as tables like those of `tables`.

        Raises
        ------
        HiddenLabelsError
            If the parameters were found by EM, and the model was made without `intervals`.
        GivenParametersError
            If the parameters were given, not learned from rows.

        """
        check_is_fitted(self)
        found, out = self._uncertain(), dict[str, dict[str, Array]]()
        for block, tables in zip(self.joint_.schema.blocks, found.errors(), strict=True):
            for title, table in tables.items():
                out[self.joint_.schema.apart(title, block, out)] = table
        return self._laid_out(headed(self.NOUN, {self.SHARE: found.prevalence_error()}, out), self._stubs())

    def _scoring(self, output: str) -> Scoring:
        joint = self.joint_
        patterns = patterns_of(joint.schema.blocks, self.summary_ if self._learned_from_rows else None)
        names, shares, formula = joint.components, joint.prevalence, joint.formula
        if self.BY_CLASS:
            names, shares, formula = joint.classes, joint.shares, joint.class_formula
        unseen = self._as_fitted._unseen()
        own = in_own_units(joint.schema.blocks, lambda cells: formula(cells, patterns))
        return Scoring(joint.schema, unseen, own, names, shares, self.NOUN)

    @abstractmethod
    def _stubs(self) -> Values:
        """The names of the rows of its tables."""

    def _laid_out(self, tables: Tables, names: Values) -> dict[str, Any]:
        """Tables of parameters with the names of their rows, in the frame library of the table fitted on."""
        return PrintedTables(tables, names, self.NOUN, self._library)

    @abstractmethod
    def _headline(self) -> tuple[Text, ...]:
        """What to print of how it was fitted, beside its sizes."""

    def _further(self) -> list[Sheet]:
        """What to print below the parameters."""
        return []

    def description(self) -> Description:
        """Classes or components, then the parameters of every column, in the order of the table."""
        joint, further = self._with_parameters(), self._further()
        summary = self.summary_ if self._learned_from_rows else None
        return describe(type(self).__name__, joint, summary, self._headline(), further)


def table_like(name: str, schema: Schema, X: IntoTable) -> Table:
    """Columns as those fitted on: by name, or by position where either table has none."""
    table, fitted_on = read_table(X), len(schema.names)
    if table.named and schema.named:
        return table
    if len(table.names) != fitted_on:
        raise TableError(f"X has {len(table.names)} features, but {name} is expecting {fitted_on} features as input.")
    if schema.named:
        warn(f"X does not have valid feature names, but {name} was fitted with feature names", UserWarning)
    elif table.named:
        warn(f"X has feature names, but {name} was fitted without feature names", UserWarning)
    return table if table.names == schema.names else table.renamed(schema.names)


def headed(noun: str, first: dict[str, Array], tables: Tables) -> Tables:
    """Tables of parameters, the first of them how common each class or component is."""
    return {free(noun, tables.__contains__): first} | tables


def say_what_is_taken(tags: Tags, kinds: Kinds) -> Tags:
    """The tags of scikit-learn, where all columns are of one kind, or each goes by its type or its declaration."""
    first = kinds[0] if isinstance(kinds, tuple | list) and kinds else kinds
    every = first if isinstance(first, str) else None
    taken = tags.input_tags
    taken.categorical = taken.string = every is None or every in TAKES_TEXT
    taken.positive_only = every == "binary" or (every in KINDS and KINDS[every].positive)
    words = every in KINDS and KINDS[every].words
    taken.sparse, taken.allow_nan = words or every == "binary", not words
    return tags
