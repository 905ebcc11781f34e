"""What every estimator of ours shares with scikit-learn about its table: columns by name, or by position."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from suffice.data.schema import Schema
from suffice.data.table import Table, read_table
from suffice.errors import TableError, warn


class TableEstimator(BaseEstimator):  # type: ignore[misc] # scikit-learn has no types
    """An estimator that knows the columns it was fitted with."""

    _schema: Schema

    def _know(self, schema: Schema) -> None:
        self._schema = schema
        if schema.named:
            self.feature_names_in_ = np.array(schema.names, dtype=object)
        elif "feature_names_in_" in vars(self):
            del self.feature_names_in_
        self.n_features_in_ = len(schema.names)

    def _table(self, X: Any) -> Table:
        table, name = read_table(X), type(self).__name__
        schema = self._schema
        if table.named and schema.named:
            return table
        if len(table.names) != self.n_features_in_:
            raise TableError(
                f"X has {len(table.names)} features, but {name} is expecting {self.n_features_in_} features as input."
            )
        if schema.named:
            warn(f"X does not have valid feature names, but {name} was fitted with feature names", UserWarning)
        elif table.named:
            warn(f"X has feature names, but {name} was fitted without feature names", UserWarning)
        return table if table.names == schema.names else table.renamed(schema.names)

    def __sklearn_is_fitted__(self) -> bool:
        return "_schema" in vars(self)
