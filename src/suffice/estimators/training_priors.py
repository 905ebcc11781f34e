"""Class priors that a classifier has in its posteriors: as it says itself, as its labels and class weights say, or as
the user says where neither can.

In:  a fitted classifier, ours or not, and what is known of the rows it was fitted on.
Out: probabilities in the order of its classes_, or None where they cannot be told.
"""

from collections.abc import Callable, Mapping
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from suffice.arrays import Array
from suffice.data.labels import IntoLabels, known_labels
from suffice.data.levels import Level, Levels, plain
from suffice.data.weights import Weights, row_weights
from suffice.errors import ParameterError
from suffice.model.rules import prevalence

IntoPriors = Mapping[Level, float] | ArrayLike | None  # by class, in the order of classes_, or "uniform"

STATED: dict[str, Callable[[Any], Any]] = {
    "priors_": np.asarray,
    "class_prior_": np.asarray,
    "class_log_prior_": np.exp,
}
NOT_USED = {"ComplementNB"}  # by name, as importing them takes longer than all of ours: has priors, posteriors do not
CALIBRATED = {"SVC", "NuSVC"}  # whose posteriors are fitted to the labels after class weights have done their work
REWEIGHING = ("scale_pos_weight", "is_unbalance", "auto_class_weights", "class_weights", "sampling_strategy")


def priors_of(model: BaseEstimator, said: IntoPriors, from_labels: Array | None = None) -> Array | None:
    """The class priors of training: stated by the classifier, else said by the user, else those of its labels."""
    names = tuple(plain(name) for name in model.classes_)
    stated = _stated(model)
    if said is None:
        return stated if stated is not None else from_labels
    if isinstance(said, str) and said != "uniform":
        raise ParameterError(f"training_priors must be {{class: probability}} or 'uniform'; found {said!r}.")
    given = prevalence(np.ones(len(names)), names, said, 0.0, "training_priors")
    if stated is not None and not np.allclose(given, stated, rtol=0, atol=1e-6):
        raise ParameterError(
            f"{type(model).__name__} was fitted with the class priors {_listed(names, stated)}, but training_priors "
            f"says {_listed(names, given)}. Leave training_priors out; `priors` is for where decisions are made."
        )
    return given


def known(found: Array | None, model: BaseEstimator) -> Array:
    if found is None:
        raise ParameterError(
            f"The class priors that {type(model).__name__} was trained with cannot be read from it. Give them: "
            "training_priors={class: probability}, the shares of the classes in its rows, or 'uniform' if it balances "
            "them."
        )
    return found


def label_priors(model: BaseEstimator, y: IntoLabels, sample_weight: Weights) -> Array | None:
    """Shares of the labels, times class weights; None where a classifier inside it, or an option, may do otherwise."""
    options = model.get_params(deep=True)
    weighing = options.get("class_weight")
    inside = any(hasattr(value, "fit") for value in options.values())
    if inside or _is_one_of(model, NOT_USED) or any(_is_set(options.get(name)) for name in REWEIGHING):
        return None
    if weighing is not None and (_is_one_of(model, CALIBRATED) or not isinstance(weighing, str | Mapping)):
        return None
    if isinstance(weighing, str):  # balanced, but there are two ways to count weighted rows
        return None if sample_weight is not None else np.full(len(model.classes_), 1 / len(model.classes_))
    codes, found = known_labels(y, np.asarray(y).shape[0])
    mass = dict(zip(found, np.bincount(codes, row_weights(sample_weight, len(codes)), len(found)), strict=True))
    times = {plain(name): weight for name, weight in (weighing or {}).items()}
    names = [plain(name) for name in model.classes_]
    weights = np.array([mass.get(name, 0.0) * times.get(name, 1.0) for name in names])
    return np.asarray(weights / weights.sum())


def _is_one_of(model: BaseEstimator, names: set[str]) -> bool:
    return any(base.__name__ in names for base in type(model).__mro__)


def _is_set(option: Any) -> bool:
    return option is not None and option is not False and not (isinstance(option, Real) and option == 1)


def _stated(model: BaseEstimator) -> Array | None:
    for name, read in STATED.items():
        value = None if _is_one_of(model, NOT_USED) else getattr(model, name, None)
        if value is not None and np.shape(value) == np.shape(model.classes_):
            return np.asarray(read(value), dtype=np.float64)
    return None


def _listed(names: Levels, shares: Array) -> str:
    return ", ".join(f"{name!r} {share:.4g}" for name, share in zip(names, shares, strict=True))
