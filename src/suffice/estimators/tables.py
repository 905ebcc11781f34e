"""What every estimator of ours shares with scikit-learn: columns by name, or by position; and one rule of parameters.

What was fitted is what answers, prints and is saved: parameters given later, by set_params or otherwise, speak of the
next fit. An estimator that could not learn is what it was before.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field, fields
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from suffice.data.hints import tell
from suffice.data.kinds import CATEGORICAL, COUNTS, KINDS
from suffice.data.schema import Schema
from suffice.data.table import Table, read_table
from suffice.errors import ParameterError, TableError, UnknownParameterError, warn

INSTEAD = {  # what scikit-learn's users look for by its name there
    "class_weight": "How common classes are where the model is used is said by priors={class: probability}, what "
    "mistakes cost by BayesDecision(model, loss=...), and how often a row counts by sample_weight.",
    "alpha": "Rows added to every cell of a table of counts are called smoothing.",
    "class_prior": "The probabilities of the classes are called priors.",
    "fit_prior": "The probabilities of the classes are called priors: None (as in the rows) or 'uniform'.",
    "n_components": "Components of a mixture, or of each class, are called components.",
    "covariance_type": "Covariances have a shape ('full', 'diagonal', 'spherical') and are shared (True) or not.",
    "shrinkage": "Covariances are shrunk by shrink_shared and shrink_spherical, of GaussianDiscriminant.",
}

TAKES_TEXT = (CATEGORICAL, "binary", "auto")


def say_what_is_taken(tags: Any, kinds: Any) -> Any:
    """The tags of scikit-learn, where all columns are of one kind, or each goes by its type or its declaration."""
    every = kinds if isinstance(kinds, str) else kinds[0] if isinstance(kinds, tuple | list) and kinds else None
    taken = tags.input_tags
    taken.categorical = taken.string = every is None or every in TAKES_TEXT
    taken.positive_only = every == "binary" or (every in KINDS and KINDS[every].positive)
    taken.sparse, taken.allow_nan = every == COUNTS, every != COUNTS
    return tags


@dataclass(eq=False, repr=False)
class TableEstimator(BaseEstimator):  # type: ignore[misc] # scikit-learn has no types
    """An estimator that knows the columns and the parameters it was fitted with."""

    _schema: Schema = field(init=False)
    _as_fitted: Self = field(init=False)  # not fitted itself: the parameters behind what was learned
    _twin: bool = field(init=False, default=False)  # whether it is a clone
    _heard: set[tuple[str, str]] = field(init=False, default_factory=set)  # hints that it, or a clone, has told

    def __new__(cls, *_: Any, **given: Any) -> Self:
        """An option that we do not have is refused with what there is instead."""
        known = [part.name for part in fields(cls) if part.init]  # all are dataclasses
        for name in given:
            if name not in known:
                raise UnknownParameterError(
                    f"{cls.__name__} has no parameter {name!r}. " + INSTEAD.get(name, f"It has {', '.join(known)}.")
                )
        return super().__new__(cls)  # type: ignore[no-any-return]

    @contextmanager
    def _learning(self) -> Iterator[None]:
        """What is learned within is kept whole, or not at all."""
        before = dict(vars(self))
        if not self._twin:
            self._heard = set()
        try:
            yield
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    def _noted(self, chosen: dict[str, Any]) -> Self:
        """With the parameters of now as those of what is learned next, and what was chosen for some of them."""
        given = {part.name: getattr(self, part.name) for part in fields(self) if part.init} | chosen
        try:
            self._as_fitted = type(self)(**deepcopy(given))
        except TypeError as error:
            raise ParameterError(f"A parameter is no value that can be kept ({error}). Use a list or a dict.") from None
        return self

    def __sklearn_clone__(self) -> Self:
        """Clones, as searches make one for every fold, say no hint that one of them has said."""
        twin: Self = super().__sklearn_clone__()
        twin._twin, twin._heard = True, self._heard
        return twin

    def _hinted(self, schema: Schema) -> Schema:
        """The schema, after its hints have been told."""
        tell(schema.hints, self._heard)
        return schema

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
