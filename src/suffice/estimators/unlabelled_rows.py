"""Rows whose class is not known: how much they count beside those whose class is, and whether they help.

In:  rows with their labels, and the weight that a row without one is to have.
Out: the same rows with their weights; and a comparison of the model with and without those rows.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.arrays import Array, Codes, ones
from suffice.data.labelled import Labelled
from suffice.data.labels import IntoLabels
from suffice.data.source import Source
from suffice.data.table import IntoTable
from suffice.data.weights import Weights
from suffice.decisions.loss import IntoLoss
from suffice.decisions.posterior import log_posterior
from suffice.decisions.scores import Score, log_losses
from suffice.errors import CollapsedError, ParameterError, SingularError, SufficeError
from suffice.estimators.classifier import Classifier
from suffice.estimators.comparison import ALL, ALONE, Comparison, Trial
from suffice.estimators.folds import read_folds
from suffice.estimators.validation import Examination, read_loss, refitted, refuse_others
from suffice.learn.em import read_em
from suffice.model.folds import Pair, Splits
from suffice.model.rules import read_unlabelled_weight
from suffice.options import Seed

LIGHT = 0.1  # what "auto" tries beside 0; where they count fully, most tables of the study do worse
SURE = 2.0  # standard errors that they must gain
FOLDS, LOOSE = 5, 1e-4  # nats per row at which EM may stop there
FEW = 0.1  # of the labelled rows: fewer rows without a label count fully, as no choice could matter


def weight_for(model: Classifier, known: Labelled, given: float | str) -> float:
    """What a row without a label counts."""
    asked, silent, weights = read_unlabelled_weight(given), _silent(known), known.weights
    if asked is not None:
        return asked
    told = len(known.classes) > 1 and bool((known.labels.certain >= 0).any())
    few = weights[silent].sum() <= FEW * weights[~silent].sum()
    return _chosen(model, known) if told and not few else 1.0


def weighed(known: Labelled, weight: float) -> Labelled:
    """The rows, those without a label made lighter; where no row has one, as they are."""
    silent = _silent(known)
    if silent.all() or not silent.any():
        return known
    if weight == 0:
        return known.take(np.flatnonzero(~silent))
    return replace(known, weights=known.weights * np.where(silent, weight, 1.0))


def _silent(known: Labelled) -> NDArray[np.bool_]:
    """Whether the label of a row says nothing: it may be of any class."""  # (N,)
    labels = known.labels
    return (labels.options.all(axis=1) & (labels.meant < 0))[labels.codes]


def _chosen(model: Classifier, known: Labelled) -> float:
    """Light where folds over the labelled rows gain by it, by more than two standard errors, or can tell nothing."""
    labelled = np.flatnonzero(known.labels.certain >= 0)
    met = np.unique(known.labels.certain[labelled])
    if len(labelled) < FOLDS or len(met) < len(known.classes):  # of a class without any, they cannot tell
        return LIGHT
    plan = Splits(_pairs(known, labelled, FOLDS, 0)[1], "")
    how = replace(read_em(model.em), tol=max(LOOSE, model._control().tol))
    models = (model._copied({"em": replace(how, unlabelled_weight=weight)}) for weight in (0.0, LIGHT))
    alone, beside = (_losses(one, known, plan) for one in models)
    told = np.isfinite(alone)  # not so of a class that has one labelled row
    if told.sum() < 2:
        return LIGHT
    change = Score.mean(beside[told] - alone[told], ones(int(told.sum())))
    return LIGHT if change < -SURE * change.se else 0.0


def _losses(model: Classifier, known: Labelled, plan: Splits) -> Array:
    """−ln P(true class) of the rows that the plan has predicted; infinite where EM comes to no end."""
    try:
        found = refitted(model, known, plan)
    except (CollapsedError, SingularError):
        return np.full(sum(len(tested) for _, tested in plan.pairs()), np.inf)
    return log_losses(log_posterior(found.log_joint, found.prevalence), known.labels.certain[found.rows])


def _pairs(known: Labelled, labelled: Codes, folds: Any, random_state: Seed) -> tuple[list[Pair], list[Pair]]:
    """Labelled rows predicted from those of the other folds: by themselves, and beside all rows without labels."""
    some = known.take(labelled)
    dealt = read_folds(folds, None, random_state, some, len(labelled), None, None)
    apart = [(labelled[learned], labelled[tested]) for learned, tested in dealt.pairs()]
    others = np.setdiff1d(np.arange(known.table.rows), labelled)
    return apart, [(np.concatenate([learned, others]), tested) for learned, tested in apart]


def compare_unlabelled(
    model: Classifier,
    X: IntoTable,
    y: IntoLabels,
    *,
    folds: int = 10,
    sample_weight: Weights = None,
    loss: IntoLoss = None,
    random_state: Seed = 0,
) -> Comparison:
    """Tell whether rows without labels help: the model with and without them, by folds over the labelled rows.

    Every labelled row is predicted from the labelled rows of the other folds, once from these alone and once together
    with all unlabelled rows, which count by `unlabelled_weight` of the model's EM. `difference` holds the gain and its
    standard error.

    Raises
    ------
    TableError
        If the rows cannot be read as a table.
    ParameterError
        If not both kinds of rows are there, with labels and without, or `folds` do not fit them.

    >>> from sklearn.datasets import load_iris
    >>> from suffice import EM, NaiveBayes, compare_unlabelled
    >>> X, y = load_iris(return_X_y=True)
    >>> some = [label if row % 5 == 0 else None for row, label in enumerate(y)]
    >>> compare_unlabelled(NaiveBayes(em=EM(unlabelled_weight=1)), X, some)
    model                        accuracy         log loss      Brier score
    labelled rows alone   0.9667 ± 0.0333  0.0301 ± 0.0258  0.0198 ± 0.0194
    with unlabelled rows  0.9667 ± 0.0333  0.0654 ± 0.0621  0.0479 ± 0.0476

    """
    refuse_others(model)
    source = Source.of(X, y, sample_weight)
    known = source.known(model.unknown)
    with_label, without = (np.flatnonzero(some) for some in (known.labels.certain >= 0, known.labels.certain < 0))
    if not len(with_label) or not len(without):
        raise ParameterError(
            "compare_unlabelled needs some rows with labels and some without; found "
            f"{len(with_label)} with and {len(without)} without. Give None, NaN or unknown=... where the class is not "
            "known."
        )
    plans = (_placed(known, pairs) for pairs in _pairs(known, with_label, folds, random_state))
    exams = [Examination(source, read_loss(loss), plan) for plan in plans]
    trials = [_tried(name, model, exam) for name, exam in zip((ALONE, ALL), exams, strict=True)]
    return Comparison(tuple(trials), source.table.library)


def _placed(known: Labelled, pairs: list[Pair]) -> list[Pair]:
    """As positions in the table that was given."""
    return [(known.rows[learned], known.rows[tested]) for learned, tested in pairs]


def _tried(name: str, model: Classifier, exam: Examination) -> Trial:
    try:
        return Trial(name, model, exam.validation(model), None)
    except SufficeError as error:
        return Trial(name, model, None, None, error)
