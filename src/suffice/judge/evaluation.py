"""How good a model is on rows whose classes are known: left out if it has learned from them, else as it is fitted.

In:  a model, a table and its classes.
Out: Validation, which says where its posteriors come from. A model that is not fitted, or was fitted on these very
     rows, is asked about each row by what it learns from all others; a model fitted on other rows is asked as it is.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import _is_fitted as is_fitted

from suffice.arrays import Array, log
from suffice.data.batches import IntoRows, named_apart
from suffice.data.labelled import Classes
from suffice.data.labels import IntoLabels, known_labels
from suffice.data.levels import plain
from suffice.data.source import Source
from suffice.data.table import IntoTable
from suffice.data.weights import Weights, row_weights
from suffice.decisions.loss import IntoLoss, Loss
from suffice.errors import HiddenCellsError, HiddenLabelsError, NoStatisticsError, ParameterError, SufficeError
from suffice.judge.validation import Examination, Validation, read_loss
from suffice.learn.face import HasRecipe
from suffice.model.folds import FOLDS
from suffice.options import shown, switch

IN_SAMPLE, AS_FITTED = "in-sample: rows it learned from", "model as fitted, on rows given"


def evaluate(
    model: BaseEstimator,
    X: IntoRows,
    y: IntoLabels,
    *,
    sample_weight: Weights = None,
    loss: IntoLoss = None,
    left_out: bool | None = None,
) -> Validation:
    """Score a model, of suffice or any other library, on rows with known classes.

    Rows that the model learned from are left out one at a time (or in ten folds, if that has no closed form), unless
    left_out=False; other rows are predicted by the model as it is, unless left_out=True.

    Raises
    ------
    UnknownLabelsError
        If the class of some row is not known.
    ParameterError
        If labels name a class that the model does not know.
    GivenParametersError
        If rows are to be left out of a model whose parameters were given.

    >>> from suffice import NaiveBayes, evaluate, example
    >>> columns, species = example("penguins")
    >>> half = {name: cells[::2] for name, cells in columns.items()}
    >>> model = NaiveBayes(kinds={"year": "ignore"}).fit(half, species[::2])
    >>> evaluate(model, columns, species).how
    'model as fitted, on rows given'
    >>> evaluate(model, half, species[::2]).how
    'leave-one-out'

    """
    asked = None if left_out is None else switch(left_out, "left_out")
    refuse_no_classifier(model)
    fitted = is_fitted(model)
    seen = fitted and learned_from(model, X, y, sample_weight)
    if asked or (asked is None and (seen or not fitted)):
        return _left_out(model, X, y, sample_weight, loss, model.classes_ if seen else None)
    table, labels, weights = named_apart(X, y, sample_weight)
    return _as_fitted(model, table, labels, weights, read_loss(loss), IN_SAMPLE if seen else AS_FITTED)


def refuse_no_classifier(model: Any) -> None:
    """Refuse anything that is neither a classifier of ours nor a fitted one with posteriors."""
    instance = not isinstance(model, type)
    foreign = instance and hasattr(model, "predict_proba") and is_fitted(model)
    if not (instance and isinstance(model, HasRecipe)) and not foreign:
        raise ParameterError(f"Expected a classifier with predict_proba, of suffice or fitted; found {shown(model)}.")


def _left_out(
    model: BaseEstimator, X: IntoRows, y: IntoLabels, sample_weight: Weights, loss: IntoLoss, classes: Classes
) -> Validation:
    source = Source.of(X, y, sample_weight, classes)
    try:
        return Examination(source, read_loss(loss)).validation(model)
    except (HiddenCellsError, HiddenLabelsError, NoStatisticsError):
        return Examination(source, read_loss(loss), FOLDS).validation(model)


def learned_from(model: BaseEstimator, X: IntoRows, y: IntoLabels, sample_weight: Weights = None) -> bool:
    """Tell whether a fitted model has learned from these rows and no others; of foreign models nobody knows."""
    fitted = model.fitted if isinstance(model, HasRecipe) else None
    if fitted is None:
        return False
    try:
        known = Source.of(X, y, sample_weight, fitted.classes).known(fitted.recipe.unknown)
        return fitted.learned_from(known)
    except SufficeError:  # rows that it could not have learned from
        return False


def _as_fitted(
    model: BaseEstimator, X: IntoTable, y: IntoLabels, weights: ArrayLike | None, loss: Loss | None, how: str
) -> Validation:
    logs, classes = _log_posterior(model, X), tuple(plain(name) for name in model.classes_)
    codes, found = known_labels(y, len(logs))
    unknown = [name for name in found if name not in classes]
    if unknown:
        raise ParameterError(f"y holds {unknown}, but the model knows {list(classes)}.")
    labels = np.array([classes.index(name) for name in found], dtype=np.intp)[codes]
    counts = row_weights(weights, len(logs))
    return Validation(logs, classes, np.where(counts > 0, labels, -1), counts, np.arange(len(logs)), how, loss)


def _log_posterior(model: BaseEstimator, X: IntoTable) -> Array:
    """Ask a model for log posteriors; take the logarithms of its posteriors if it has none."""
    if hasattr(model, "predict_log_proba"):
        return np.asarray(model.predict_log_proba(X))
    return log(np.asarray(model.predict_proba(X)))
