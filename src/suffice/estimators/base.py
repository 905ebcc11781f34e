"""Stage 5, what all classifiers share with scikit-learn: fit, partial_fit, predict and their kin.

In:  the user's table and labels, in any form that stage 1 reads.
Out: a summary, the joint model fitted from it, and answers in scikit-learn's manner. A classifier itself only says
     which schema and which rules follow from its parameters.
"""

import warnings
from collections.abc import Callable, Container, Mapping
from os import PathLike
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, column_or_1d

from suffice.arrays import Array, log, log_sum_exp
from suffice.data.frames import columns_out, is_frame
from suffice.data.schema import BINOMIAL, CATEGORICAL, DECLARABLE, GAUSSIAN, JOINT, Schema, listed
from suffice.data.table import Table, read_table
from suffice.decide.posterior import log_shares, settled, shares
from suffice.errors import ParameterError, TableError
from suffice.estimators.files import save_model
from suffice.model.collect import collected
from suffice.model.design import Design
from suffice.model.fit import Rules, fit
from suffice.model.joint import Answer, Joint
from suffice.model.summary import Summary
from suffice.report.describe import describe
from suffice.report.text import render

# what a kind of column may be declared, besides its own name, once it has been collected
AS_COLLECTED = {BINOMIAL: ("binary",), CATEGORICAL: ("binary",), JOINT: (GAUSSIAN,)}


class GenerativeClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc] # scikit-learn has no types
    """A prior over classes times a density of the columns given the class."""

    def _plan(self, table: Table) -> Schema:
        raise NotImplementedError

    def _design(self, summary: Summary) -> Design:
        raise NotImplementedError

    def _rules(self) -> Rules:
        raise NotImplementedError

    def _unseen(self) -> str:
        return "error"

    def _settings(self) -> tuple[str, ...]:
        return ()

    # learning

    @classmethod
    def from_summary(cls, summary: Summary, **parameters: Any) -> Self:
        """The model that `fit` would give on the rows behind a summary; `parameters` are those of the constructor."""
        if not isinstance(summary, Summary):
            raise ParameterError(f"from_summary takes what collect() gives; found {type(summary).__name__}. Use fit.")
        model = cls(**parameters)._adopt(summary)
        model.joint_  # noqa: B018 # parameters that cannot be estimated are an error now
        return model

    def _adopt(self, summary: Summary) -> Self:
        self._declared, self._library = None, None
        self._know(summary.schema)
        return self._take(summary)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from these rows alone."""
        self._learn(X, y, None, sample_weight)
        self.joint_  # noqa: B018 # parameters that cannot be estimated are an error now
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from these rows too. Parameters are worked out when they are first asked for."""
        if not self.__sklearn_is_fitted__():
            return self._learn(X, y, classes, sample_weight)
        declared = self._declared if classes is None else classes
        plan = self.summary_.schema.of
        return self._take(self.summary_ + self._summary(self._table(X), plan, y, declared, sample_weight))

    def _learn(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> Self:
        table = read_table(X)
        summary = self._summary(table, self._plan, y, classes, sample_weight)
        self._declared, self._library = classes, table.library
        self._know(summary.schema)
        return self._take(summary)

    def _take(self, summary: Summary) -> Self:
        self.summary_ = summary
        self.classes_ = np.array(summary.classes)
        self._joint: Joint | None = None
        return self

    def _summary(
        self, table: Table, plan: Callable[[Table], Schema], y: Any, classes: Any, sample_weight: Any
    ) -> Summary:
        self._rules()  # parameters that make no sense are an error before any work
        return collected(table, plan, one_column(y), sample_weight, classes)

    @property
    def joint_(self) -> Joint:
        """The model, fitted from summary_."""
        check_is_fitted(self)
        if self._joint is None:
            self._joint = fit(self.summary_, self._design(self.summary_), self._rules())
        return self._joint

    # answers

    def log_joint(self, X: Any) -> Array:
        """Ln p(row, class), (N, K): what Bayes' rule starts from."""
        check_is_fitted(self)
        return self.joint_.log_joint(self._table(X), self._unseen())

    def score_samples(self, X: Any) -> Array:
        """Ln p(row), whatever its class."""
        return log_sum_exp(self.log_joint(X))

    def predict_log_proba(self, X: Any) -> Array:
        """Ln P(class | row), (N, K) in the order of classes_."""
        return settled(self._answers(X, log_shares), log(self.priors_))

    def predict_proba(self, X: Any) -> Array:
        """P(class | row), (N, K) in the order of classes_."""
        return settled(self._answers(X, shares), self.priors_)

    def _answers(self, X: Any, answer: Answer) -> Array:
        check_is_fitted(self)
        return self.joint_.answers(self._table(X), self._unseen(), answer)

    def predict(self, X: Any) -> np.ndarray[Any, Any]:
        """The most probable class of each row; of equals, the first in classes_."""
        best = np.argmax(self.predict_log_proba(X), axis=1)
        return np.asarray(self.classes_[best])

    # what was learned

    @property
    def priors_(self) -> Array:
        """Class probabilities in use, in the order of classes_."""
        return self.joint_.prevalence

    @property
    def estimate_(self) -> str:
        """The estimate in use."""
        return self.joint_.estimate

    def tables(self) -> dict[str, Any]:
        """The parameters, classes down: in the frame library of the table fitted on, else dicts of arrays."""
        check_is_fitted(self)
        described = self.joint_.tables()
        described = {_free("class", described): {"prior": self.priors_}} | described
        return {
            title: columns_out(self._library, {_free("class", columns): self.classes_, **columns})
            for title, columns in described.items()
        }

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file that `suffice.load` reads back bit for bit."""
        check_is_fitted(self)
        save_model(path, type(self).__name__, self.get_params(), self.summary_)

    def __str__(self) -> str:
        if not self.__sklearn_is_fitted__():
            return repr(self)
        settings = (f"estimate {self.estimate_}", *self._settings())
        return render(describe(type(self).__name__, self.joint_, self.summary_, settings))

    # columns by name, or by position where the table has no names

    def _know(self, schema: Schema) -> None:
        if schema.named:
            self.feature_names_in_ = np.array(schema.names, dtype=object)
        elif "feature_names_in_" in vars(self):
            del self.feature_names_in_
        self.n_features_in_ = len(schema.names)

    def _table(self, X: Any) -> Table:
        table, name = read_table(X), type(self).__name__
        schema = self.summary_.schema
        if table.named and schema.named:
            return table
        if len(table.names) != self.n_features_in_:
            raise TableError(
                f"X has {len(table.names)} features, but {name} is expecting {self.n_features_in_} features as input."
            )
        if schema.named:
            _warn(f"X does not have valid feature names, but {name} was fitted with feature names")
        elif table.named:
            _warn(f"X has feature names, but {name} was fitted without feature names")
        return table if table.names == schema.names else table.renamed(schema.names)

    def __sklearn_is_fitted__(self) -> bool:
        return "summary_" in vars(self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def left_out(kinds: Any, summary: Summary) -> frozenset[str]:
    """Columns of a summary that are declared "ignore"; any other kind must be the one they were collected with."""
    if kinds is None or all(block.kind == kinds for block in summary.schema.blocks):
        return frozenset()
    names, collected_as = summary.schema.names, {column.name: column for column in summary.schema.columns}
    declared = kinds if isinstance(kinds, Mapping) else dict.fromkeys(names, kinds) if kinds else {}
    for key, given in declared.items():
        name, kind = str(key), given if isinstance(given, str) else given[0]
        column = collected_as.get(name)
        if name not in names or kind not in DECLARABLE:
            raise ParameterError(
                f"kinds says {{{key!r}: {given!r}}}; columns are {listed(names)}, kinds {', '.join(DECLARABLE)}."
            )
        if kind != "ignore" and (column is None or kind not in (column.kind, *AS_COLLECTED.get(column.kind, ()))):
            was = f"collected as {column.described}" if column else "left out when the rows were collected"
            raise ParameterError(f"Column '{name}' was {was} and cannot be modelled as {given!r}. Collect it so.")
    return frozenset(str(name) for name, kind in declared.items() if kind == "ignore")


def _free(name: str, taken: Container[str]) -> str:
    """A heading of ours that is not one of the user's own names."""
    return _free(name + "_", taken) if name in taken else name


def _warn(message: str) -> None:
    warnings.warn(message, UserWarning, stacklevel=4)


def one_column(y: Any) -> Any:
    """scikit-learn accepts a column vector, with a warning; so do we."""
    return column_or_1d(y, warn=True) if is_frame(y) or (isinstance(y, np.ndarray) and y.ndim == 2) else y
