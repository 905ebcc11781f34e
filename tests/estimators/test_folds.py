"""Folds in every form, what they may not be, and classes that a fold takes away."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    PredefinedSplit,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    TimeSeriesSplit,
)

from suffice import LinearDiscriminant, NaiveBayes, compare, cross_validate, leave_one_out, tune
from suffice.errors import ParameterError

same = partial(np.testing.assert_allclose, rtol=1e-9, atol=1e-12)
ROWS = 40
SPLITTERS = [
    KFold(3),
    KFold(4, shuffle=True, random_state=1),
    StratifiedKFold(5),
    GroupKFold(3),
    StratifiedGroupKFold(3),
    LeaveOneGroupOut(),
    LeaveOneOut(),
    PredefinedSplit(np.arange(ROWS) % 3 - 1),
    TimeSeriesSplit(3),
    ShuffleSplit(3, test_size=0.4, random_state=0),
    RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),
]


@pytest.fixture
def rows():
    rng = np.random.default_rng(3)
    labels = np.tile([0, 1, 2, 1], ROWS // 4)
    return rng.normal(size=(ROWS, 2)) + labels[:, None], labels


def groups():
    return np.array(list("abcde"))[np.arange(ROWS) % 5]


def by_hand(model, splits, table, labels, weights=None):
    """Predictions and their rows, sorted by row, as a loop over the splits gives them."""
    found = []
    for learned, tested in splits:
        some = None if weights is None else weights[learned]
        found += [(row, model.fit(table[learned], labels[learned], some).predict_proba(table[[row]])) for row in tested]
    order = sorted(range(len(found)), key=lambda i: found[i][0])
    return np.array([found[i][0] for i in order]), np.concatenate([found[i][1] for i in order])


@pytest.mark.parametrize("splitter", SPLITTERS, ids=lambda splitter: type(splitter).__name__)
@pytest.mark.parametrize("weighted", [False, True])
def test_splitters_of_scikit_learn_are_folds(rows, splitter, weighted):
    weights = np.where(np.arange(ROWS) % 9 == 4, 0.0, 1.5) if weighted else None
    asked = groups() if "Group" in type(splitter).__name__ else None
    found = cross_validate(NaiveBayes(), *rows, folds=splitter, groups=asked, sample_weight=weights)
    which, expected = by_hand(NaiveBayes(), splitter.split(*rows, asked), *rows, weights)
    counts = np.ones(len(which), bool) if weights is None else weights[which] > 0
    here = found.labels >= 0
    same(found.rows[here], which[counts], rtol=0)
    same(found.posterior[here], expected[counts])
    assert (found.labels[here] == rows[1][which[counts]]).all()


def test_a_row_predicted_several_times_counts_once_by_its_mean(rows):
    found = cross_validate(NaiveBayes(), *rows, folds=RepeatedStratifiedKFold(n_splits=4, n_repeats=3, random_state=1))
    each = found.log_losses.reshape(ROWS, 3).mean(axis=1)
    same([found.log_loss, found.log_loss.se], [each.mean(), each.std(ddof=1) / np.sqrt(ROWS)])


def test_what_a_splitter_gives_is_folds_too(rows):
    expected = cross_validate(NaiveBayes(), *rows, folds=KFold(4)).posterior
    for folds in (list(KFold(4).split(rows[0])), KFold(4).split(rows[0]), np.arange(ROWS) // 10):
        same(cross_validate(NaiveBayes(), *rows, folds=folds).posterior, expected)


@pytest.mark.parametrize(
    "names",
    [
        lambda codes: np.array(["春", "夏", "秋"])[codes],
        lambda codes: pd.Series(codes).astype("category"),
        lambda codes: (codes * 2.0).tolist(),
        lambda codes: codes == 1,
    ],
)
def test_folds_by_any_name(rows, names):
    codes = np.arange(ROWS) % 3
    codes = codes == 1 if names(codes).__class__ is np.ndarray and names(codes).dtype == bool else codes
    found = cross_validate(NaiveBayes(), *rows, folds=names(np.arange(ROWS) % 3))
    same(found.posterior, cross_validate(NaiveBayes(), *rows, folds=codes.astype(int)).posterior)


@pytest.mark.parametrize("use", [cross_validate, lambda *a, **k: compare([a[0]], *a[1:], **k).best.validation])
def test_groups_stay_together(rows, use):
    found = use(NaiveBayes(), *rows, folds=LeaveOneGroupOut(), groups=groups())
    same(found.posterior, cross_validate(NaiveBayes(), *rows, folds=groups()).posterior)


def test_tuning_by_a_splitter(rows):
    table = {"colour": np.array(["red", "green", "blue"])[rows[1] - (np.arange(ROWS) % 5 == 0)]}
    found = tune(NaiveBayes(), table, rows[1], over="smoothing", folds=GroupKFold(5), groups=groups())
    assert {trial.validation.how for trial in found.trials} == {"5-fold cross-validation"}


@pytest.mark.parametrize(
    "folds, message",
    [
        (2.5, "folds must be a number, 2 or more, the fold of each row, or a splitter.* found 2.5"),
        (True, "at least 2 and at most the number of rows, 40; found True"),
        (0, "at least 2 .* found 0"),
        (np.int64(41), "at most the number of rows, 40; found"),
        (None, "folds=None leaves nothing out"),
        ("five", "folds must be a number, 2 or more.* found 'five'"),
        (object(), "folds must be a number, 2 or more"),
        (np.zeros(ROWS), "all rows into one fold"),
        (["a"] * ROWS, "all rows into one fold"),
        (np.arange(ROWS + 1), r"the fold of each of 40 rows; found shape \(41,\)"),
        (np.arange(ROWS - 1), r"the fold of each of 40 rows; found shape \(39,\)"),
        (np.zeros((ROWS, 2)), r"found shape \(40, 2\)"),
        ([None, *range(ROWS - 1)], "folds has no fold for row 0"),
        ([[1]] * ROWS, "folds must be a number, 2 or more"),
        (KFold(41), "cannot split these 40 rows: .*number of splits"),
        (GroupKFold(3), "cannot split these 40 rows: .*groups.*Give it rows, or groups="),
        ([(np.arange(5), np.arange(50))], "folds names row 49, but there are only 40 rows"),
        ([(np.arange(5), "all")], "A fold must be a pair of row positions"),
        ([(np.arange(5), [])], "no rows to predict"),
        ([([], np.arange(5))], "none to learn from"),
    ],
)
def test_folds_that_cannot_be_say_so(rows, folds, message):
    with pytest.raises(ParameterError, match=message):
        cross_validate(NaiveBayes(), *rows, folds=folds)


def test_folds_that_are_longer_than_the_rows_that_count_but_not_than_the_table(rows):
    weights = (np.arange(ROWS) % 3 > 0).astype(float)
    found = cross_validate(NaiveBayes(), *rows, folds=np.arange(ROWS) % 4, sample_weight=weights)
    assert (found.labels[weights == 0] == -1).all()
    assert (found.labels[weights > 0] == rows[1][weights > 0]).all()
    assert np.isnan(found.log_losses[weights == 0]).all()
    with pytest.raises(ParameterError, match="the fold of each of 40 rows"):
        cross_validate(NaiveBayes(), *rows, folds=np.arange(20), sample_weight=weights)


@pytest.mark.parametrize("groups", [np.arange(3), ["a"] * (ROWS + 1)])
def test_groups_of_another_length(rows, groups):
    with pytest.raises(ParameterError, match="groups must be the group of each of 40 rows"):
        cross_validate(NaiveBayes(), *rows, folds=GroupKFold(2), groups=groups)
    with pytest.raises(ParameterError, match="groups is for splitters"):
        cross_validate(NaiveBayes(), *rows, folds=3, groups=groups)


# a class that the rows learned from do not have


@pytest.fixture
def mixed():
    """Two rows of class "c" only, in one fold, with a category and a number that no other row has."""
    rng = np.random.default_rng(0)
    labels = np.array([*"aabb" * 5, "c", "c"])
    table = pd.DataFrame({"x": rng.normal(size=22), "n": rng.poisson(2, 22), "colour": [*"rgrb" * 5, "w", "r"]})
    return table, labels, np.array([0, 1] * 10 + [2, 2])


@pytest.mark.parametrize("priors", ["uniform", "smoothed", [0.2, 0.3, 0.5], {"a": 0.5, "b": 0.4, "c": 0.1}])
@pytest.mark.parametrize("estimate", ["map", "predictive"])
def test_a_class_left_with_no_rows_is_as_its_prior_has_it_where_its_share_is_declared(mixed, priors, estimate):
    table, labels, folds = mixed
    model = NaiveBayes(kinds={"n": "poisson"}, priors=priors, estimate=estimate)
    kept = table.astype({"colour": pd.CategoricalDtype([*"bgrw"])})  # categories stay, whichever rows are left
    declared = clone(model).partial_fit(kept[:20], labels[:20], classes=[*"abc"]).predict_proba(kept[20:])
    same(cross_validate(model, table, labels, folds=folds).posterior[20:], declared)
    alone = [*range(20), 21]  # leaving the only row of the class out
    expected = clone(model).partial_fit(kept[:20], labels[:20], classes=[*"abc"]).predict_proba(kept[21:])
    same(leave_one_out(model, kept.iloc[alone], labels[alone]).posterior[-1:], expected)


@pytest.mark.parametrize(
    "model", [NaiveBayes(kinds={"n": "poisson"}), NaiveBayes(kinds={"n": "poisson"}, estimate="ml")]
)
def test_a_class_left_with_no_rows_has_no_share_where_shares_follow_from_the_rows(mixed, model):
    table, labels, folds = mixed
    found = cross_validate(model, table, labels, folds=folds)
    assert (found.posterior[20:, 2] == 0).all()
    assert found.impossible == {"c": [20, 21]}


def test_a_class_left_with_no_rows_is_impossible_where_no_prior_determines_it(mixed):
    table, labels, folds = mixed
    table = table[["x"]]
    found = cross_validate(NaiveBayes(estimate="ml", priors="uniform"), table, labels, folds=folds)
    assert (found.posterior[20:, 2] == 0).all()
    without = NaiveBayes(estimate="ml", priors="uniform").fit(table[:20], labels[:20])
    same(found.posterior[20:, :2], without.predict_proba(table[20:]))


def test_a_class_left_with_no_rows_where_labels_are_hidden(mixed):
    table, labels, folds = mixed
    labels = np.where(np.arange(22) == 3, None, labels)
    table = table[["x"]]
    none = cross_validate(NaiveBayes(), table, labels, folds=folds)
    assert (none.posterior[20:, 2] == 0).all()
    some = cross_validate(NaiveBayes(priors=[0.2, 0.3, 0.5]), table, labels, folds=folds)
    assert (some.posterior[20:, 2] > 0).all()


def test_discriminants_keep_the_share_of_others_when_a_class_is_gone(mixed):
    table, labels, folds = mixed
    found = cross_validate(LinearDiscriminant(priors=[0.2, 0.3, 0.5]), table[["x"]], labels, folds=folds)
    alone = LinearDiscriminant(priors=[0.4, 0.6]).fit(table[["x"]][:20], labels[:20])
    same(found.posterior[20:, :2], alone.predict_proba(table[["x"]][20:]))
