"""Rows whose class is not known: whether they help.

In:  a classifier, and rows of which some have labels.
Out: a comparison of the model with and without the rows that have none.
"""

import numpy as np

from suffice.arrays import Codes
from suffice.data.labelled import Labelled
from suffice.data.labels import IntoLabels
from suffice.data.source import Source
from suffice.data.table import IntoTable
from suffice.data.weights import Weights
from suffice.decisions.loss import IntoLoss
from suffice.errors import ParameterError, SufficeError
from suffice.judge.comparison import ALL, ALONE, Comparison, Trial
from suffice.judge.folds import read_folds
from suffice.judge.validation import Examination, read_loss, refuse_others
from suffice.learn.face import HasRecipe
from suffice.learn.unlabelled_weight import beside_the_others
from suffice.model.folds import Pair
from suffice.options import Seed


def _pairs(known: Labelled, labelled: Codes, folds: int, random_state: Seed) -> tuple[list[Pair], list[Pair]]:
    """Labelled rows predicted from those of the other folds: by themselves, and beside all rows without labels."""
    some = known.take(labelled)
    dealt = read_folds(folds, None, random_state, some, len(labelled), None, None)
    apart = [(labelled[learned], labelled[tested]) for learned, tested in dealt.pairs()]
    return apart, beside_the_others(apart, known)


def compare_unlabelled(
    model: HasRecipe,
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
    known = source.known(model.recipe().unknown)
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
    """Turn positions among the known rows into positions in the table that was given."""
    return [(known.rows[learned], known.rows[tested]) for learned, tested in pairs]


def _tried(name: str, model: HasRecipe, exam: Examination) -> Trial:
    try:
        return Trial(name, model, exam.validation(model), None)
    except SufficeError as error:
        return Trial(name, model, None, None, error)
