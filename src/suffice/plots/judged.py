"""Posteriors that curves are drawn from: of rows left out, wherever a model can leave them out.

In:  a Validation; or a model, rows and their classes.
Out: Judged: posteriors beside the truth, and in words where they come from. A model that is not fitted, or was fitted
     on these very rows, is asked about each row by what it learns from all others; a model fitted on other rows is
     asked as it is. In-sample posteriors are there on request, and the picture says that they are.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import _is_fitted as is_fitted

from suffice.arrays import Array, Codes
from suffice.data.frames import named_apart
from suffice.data.labels import known_labels
from suffice.data.levels import Level, Levels, plain
from suffice.data.table import IntoTable
from suffice.decisions.loss import Loss
from suffice.discriminative.columns import learned
from suffice.errors import ParameterError, SufficeError
from suffice.estimators.calibrated import Calibrated
from suffice.estimators.face import Classifier, LearnsAnew
from suffice.estimators.linear_scores import LinearClassifier
from suffice.estimators.validation import Validation, leave_one_out
from suffice.model.collect import Labelled, Source
from suffice.plots.style import said
from suffice.printing.language import say


@dataclass(frozen=True, eq=False)
class Judged:
    posterior: Array  # (N, K) of rows that count
    labels: Codes  # (N,)
    weights: Array  # (N,)
    classes: Levels
    how: str  # where the posteriors come from
    loss: Loss | None = None

    def place(self, positive: Level | None) -> int:
        """The class that a curve is about; the second of two unless it is named."""
        if positive is None and len(self.classes) != 2:
            raise ParameterError(f"Say which of {list(self.classes)} the curve is about: positive=...")
        name = self.classes[-1] if positive is None else plain(positive)
        if name not in self.classes:
            raise ParameterError(f"There is no class {name!r}; the model has {list(self.classes)}.")
        return self.classes.index(name)


def judged(source: Any, X: IntoTable | None, y: Any, left_out: bool | None) -> Judged:
    """What a picture is drawn from; `left_out` is whether each row is left out, None where that makes sense."""
    if isinstance(source, Validation):
        if X is not None or y is not None or left_out is not None:
            raise ParameterError("A Validation has its rows already: leave X, y and left_out away.")
        return _of(source)
    if X is None or y is None:
        raise ParameterError(
            f"Give a Validation, such as leave_one_out(model, X, y), or a model, X and y; found "
            f"{type(source).__name__} alone."
        )
    fitted = not isinstance(source, Classifier | LearnsAnew) or is_fitted(source)
    seen = fitted and learned_from(source, X, y)
    if left_out or (left_out is None and (seen or not fitted)):
        return _of(leave_one_out(source, X, y))
    table, labels = named_apart(X, y)
    how = say("in-sample: rows it learned from") if seen else say("model as fitted, on rows given")
    return _as_fitted(source, table, labels, how)


def learned_from(model: Any, X: IntoTable, y: Any) -> bool:
    """Whether a fitted model has learned from these rows, and no others; of foreign models nobody knows."""
    if isinstance(model, Calibrated):
        return learned_from(model.estimator_, X, y)
    try:
        known = Source.of(X, y).known(getattr(model, "unknown", None))
        return _same(model, known)
    except SufficeError:  # rows that it could not have learned from
        return False


def _same(model: Any, known: Labelled) -> bool:
    if isinstance(model, LinearClassifier):
        mine = model._columns
        columns, _ = learned(known.table, mine.schema, known.weights, bool((mine.scale != 1).any()))
        pairs = ((columns.centre, mine.centre), (columns.scale, mine.scale))
        return columns.names == mine.names and all(np.allclose(a, b) for a, b in pairs)
    if not isinstance(model, Classifier) or not model._learned_from_rows:
        return False
    if model._found() is not None:  # by EM, whose statistics are those of components
        return bool(np.isclose(model.summary_.n, known.weights.sum()))
    return known.summary(model.summary_.schema) == model.summary_


def _of(found: Validation) -> Judged:
    here = (found.labels >= 0) & (found.weights > 0)
    often = np.bincount(found.rows)[found.rows]  # a row predicted several times counts once
    parts = (found.posterior[here], found.labels[here], (found.weights / often)[here])
    return Judged(*parts, found.classes, said(found.how), found.loss)


def _as_fitted(model: Any, X: IntoTable, y: Any, how: str) -> Judged:
    posterior, classes = np.asarray(model.predict_proba(X)), tuple(plain(name) for name in model.classes_)
    codes, found = known_labels(y, len(posterior))
    unknown = [name for name in found if name not in classes]
    if unknown:
        raise ParameterError(f"y holds {unknown}, but the model knows {list(classes)}.")
    labels = np.array([classes.index(name) for name in found])[codes]
    return Judged(posterior, labels, np.ones(len(labels)), classes, how)
