"""How much rows whose class is not known count beside those whose class is.

In:  rows with their labels, and the recipe of what is to be learned from them.
Out: the weight of a row without a label, chosen by folds over the labelled rows where it is left to them; and the rows
     with their weights.
"""

from dataclasses import replace
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from suffice.arrays import Array, Codes, ones
from suffice.data.labelled import Labelled
from suffice.decisions.scores import Score, log_losses
from suffice.errors import CollapsedError, SingularError
from suffice.learn.em import EM
from suffice.learn.model import Settings
from suffice.learn.recipe import Foretold, ToForetell
from suffice.model.folds import Pair, Splits, evenly
from suffice.model.rules import read_unlabelled_weight

LIGHT = 0.1  # what "auto" tries beside 0; where they count fully, most tables of the study do worse
SURE = 2.0  # standard errors that they must gain
FOLDS, LOOSE = 5, 1e-4  # nats per row at which EM may stop there
FEW = 0.1  # of the labelled rows: fewer rows without a label count fully, as no choice could matter


class FindsLabels(Protocol):
    """The members of a recipe that the choice of a weight uses."""

    @property
    def how(self) -> EM: ...

    def but(self, changed: Settings, /) -> Self: ...

    def fold_by_fold(self, asking: ToForetell, /) -> Foretold: ...


def weight_for(recipe: FindsLabels, known: Labelled) -> float:
    """Choose what a row without a label counts, unless it was given."""
    asked = read_unlabelled_weight(recipe.how.unlabelled_weight)
    if asked is not None:
        return asked
    silent, weights = _silent(known), known.weights
    told = len(known.classes) > 1 and bool((known.labels.certain >= 0).any())
    few = weights[silent].sum() <= FEW * weights[~silent].sum()
    return _chosen(recipe, known) if told and not few else 1.0


def weighed(known: Labelled, weight: float) -> Labelled:
    """The rows, those without a label made lighter; where no row has one, as they are."""
    silent = _silent(known)
    if silent.all() or not silent.any():
        return known
    if weight == 0:
        return known.take(np.flatnonzero(~silent))
    return replace(known, weights=known.weights * np.where(silent, weight, 1.0))


def _silent(known: Labelled) -> NDArray[np.bool_]:
    """Mark rows whose label says nothing: they may be of any class."""  # (N,)
    labels = known.labels
    return (labels.options.all(axis=1) & (labels.meant < 0))[labels.codes]


def _chosen(recipe: FindsLabels, known: Labelled) -> float:
    """Light where folds over the labelled rows gain by it, by more than two standard errors, or can tell nothing."""
    labelled = np.flatnonzero(known.labels.certain >= 0)
    met = np.unique(known.labels.certain[labelled])
    if len(labelled) < FOLDS or len(met) < len(known.classes):  # of a class without any, they cannot tell
        return LIGHT
    fold = evenly(known.labels.certain[labelled], FOLDS, np.random.default_rng(0))
    pairs = beside_the_others([(labelled[fold != f], labelled[fold == f]) for f in range(FOLDS)], known)
    em = replace(recipe.how, tol=max(LOOSE, recipe.how.control().tol), intervals=None)
    asking = ToForetell(known, Splits(pairs, ""), known.table)
    alone, beside = (
        _losses(recipe.but({"em": replace(em, unlabelled_weight=weight)}), asking) for weight in (0.0, LIGHT)
    )
    told = np.isfinite(alone)  # not so of a class that has one labelled row
    if told.sum() < 2:
        return LIGHT
    change = Score.mean(beside[told] - alone[told], ones(int(told.sum())))
    return LIGHT if change < -SURE * change.se else 0.0


def beside_the_others(pairs: list[Pair], known: Labelled) -> list[Pair]:
    """Labelled rows predicted from others, and from all rows without labels as well."""
    others: Codes = np.flatnonzero(known.labels.certain < 0)
    return [(np.concatenate([learned, others]), tested) for learned, tested in pairs]


def _losses(recipe: FindsLabels, asking: ToForetell) -> Array:
    """−ln P(true class) of the rows that the plan has predicted; infinite where EM comes to no end."""
    assert asking.plan is not None  # of the labelled rows
    try:
        found = recipe.fold_by_fold(asking)
    except (CollapsedError, SingularError):
        return np.full(sum(len(tested) for _, tested in asking.plan.pairs()), np.inf)
    return log_losses(found.log_posterior, asking.known.labels.certain[found.rows])
