"""What was learned, as a value: a model answers, prints, is saved and becomes SQL. It never changes.

In:  what a recipe has learned.
Out: Model, for all kinds of them: densities, linear scores, and models around another.
"""

from abc import ABC, abstractmethod
from typing import Any, Protocol

from suffice.arrays import Array
from suffice.data.frames import Library
from suffice.data.hints import Hint
from suffice.data.levels import Levels
from suffice.data.schema import Schema
from suffice.data.table import IntoTable, Table, read_table
from suffice.engines.scoring.answers import Scoring
from suffice.errors import TableError, warn
from suffice.printing.description import Description
from suffice.store import Header

Settings = dict[str, Any]  # parameters by name, as users hand them in
Packed = tuple[Header, dict[str, Array]]  # what a file holds


class Asked(Protocol):
    """What was asked for: whatever else a recipe may be."""

    @property
    def name(self) -> str: ...  # of the model

    @property
    def parameters(self) -> Settings: ...


class Model(ABC):
    schema: Schema  # the columns of the table that was learned from
    classes: Levels
    library: Library | None  # the frame library of that table

    @property
    def hints(self) -> tuple[Hint, ...]:
        """What the cells have suggested."""
        return self.schema.hints

    @property
    def read(self) -> Schema:
        """The columns that its answers follow from."""
        return self.schema

    @property
    @abstractmethod
    def asked(self) -> Asked:
        """By which recipe it was learned."""

    def table(self, X: IntoTable) -> Table:
        """Columns as those learned from: by name, or by position where either table has none."""
        return table_like(self.asked.name, self.schema, X)

    @abstractmethod
    def log_posterior(self, table: Table) -> Array:
        """Ln P(class | row), in the order of its classes."""  # (N, K)

    @abstractmethod
    def scoring(self, output: str) -> Scoring:
        """What it is, as far as SQL is concerned; an error where it has no such output."""

    @abstractmethod
    def description(self) -> Description:
        """What it has learned, as names and numbers."""

    @abstractmethod
    def packed(self) -> Packed:
        """What a file holds of it."""


def table_like(name: str, schema: Schema, X: IntoTable) -> Table:
    """The columns of a schema in another table, for a model of that name."""
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
