"""What was learned, as a value: a model answers, prints, is saved and becomes SQL. It never changes.

In:  what a recipe has learned.
Out: Model, for all kinds of them: densities, linear scores, and models around another.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Protocol

import numpy as np

from suffice.arrays import Array, Values
from suffice.data.frames import Library
from suffice.data.hints import Hint
from suffice.data.labelled import Labelled
from suffice.data.levels import Level, Levels, array_of
from suffice.data.schema import Schema
from suffice.data.table import IntoTable, Table, read_table
from suffice.engines.scoring.answers import Scoring
from suffice.errors import TableError, warn
from suffice.printing.description import Description
from suffice.store import Header

Settings = dict[str, Any]  # parameters by name, as users hand them in
Packed = tuple[Header, dict[str, Array]]  # what a file holds
Heard = set[tuple[str, str]]  # hints, and estimates, that users have been told


class AskedFor(Protocol):
    """The members of a recipe that every model uses, whatever else the recipe may have."""

    @property
    def name(self) -> str: ...  # the name of its models, in print and in files

    @property
    def parameters(self) -> Settings: ...

    @property
    def unknown(self) -> Level | None: ...  # the label that means "not known", beside None and NaN


class Model(ABC):
    """Anything that was learned; all of them are frozen dataclasses."""

    NOUN: ClassVar[str] = "class"  # what its answers are about

    recipe: AskedFor  # the recipe by which it was learned
    schema: Schema  # the columns of the table that was learned from
    classes: Levels
    library: Library | None  # the frame library of that table

    @property
    def hints(self) -> tuple[Hint, ...]:
        """Hints that the cells have suggested."""
        return self.schema.hints

    @property
    def read(self) -> Schema:
        """The columns that its answers follow from."""
        return self.schema

    def table(self, X: IntoTable) -> Table:
        """Columns as those learned from: by name, or by position where either table has none."""
        return table_like(self.recipe.name, self.schema, X)

    @abstractmethod
    def log_posterior(self, table: Table) -> Array:
        """Ln P(class | row), in the order of its classes."""  # (N, K)

    def posterior(self, table: Table) -> Array:
        """P(class | row), in the order of its classes."""  # (N, K)
        return np.asarray(np.exp(self.log_posterior(table)))

    def answers(self, X: IntoTable, proba: bool) -> Mapping[str, Values]:
        """Answer for each row, as columns of a table: the class, and if asked P(class | row), where there is any."""
        logs, names = self.log_posterior(self.table(X)), array_of(self.classes)
        return {self.NOUN: names[np.argmax(logs, axis=1)]} | (by_name(names, np.exp(logs)) if proba else {})

    def learned_from(self, known: Labelled) -> bool:
        """Tell whether the model has learned from these rows, and no others."""
        return False

    def refuse_given(self) -> None:
        """An error for what takes rows, of a model whose parameters were given."""
        return

    def refuse_impossible(self) -> None:
        """Parameters that do not go together are an error when the file is read, not when the model is asked."""
        return

    @abstractmethod
    def scoring(self, output: str) -> Scoring:
        """State the scores for SQL; raise an error if the model has no such output."""

    @abstractmethod
    def description(self) -> Description:
        """Describe what was learned, as names and numbers."""

    @abstractmethod
    def packed(self) -> Packed:
        """Pack the model for a file: a header and arrays."""


def by_name(names: Values, shares: Array) -> dict[str, Values]:
    """P(class | row), or of components, by the names of columns."""
    return {f"P({name})": shares[:, k] for k, name in enumerate(names.tolist())}


def table_like(name: str, schema: Schema, X: IntoTable) -> Table:
    """The columns of a schema in another table, for a model of that name."""
    table, learned_from = read_table(X), len(schema.names)
    if table.named and schema.named:
        return table
    if len(table.names) != learned_from:
        raise TableError(
            f"X has {len(table.names)} features, but {name} is expecting {learned_from} features as input."
        )
    if schema.named:
        warn(f"X does not have valid feature names, but {name} was fitted with feature names", UserWarning)
    elif table.named:
        warn(f"X has feature names, but {name} was fitted without feature names", UserWarning)
    return table if table.names == schema.names else table.renamed(schema.names)
