"""A discriminant's default answers every table: textbook estimates where the rows determine them, a prior elsewhere."""

import warnings
from contextlib import suppress

import numpy as np
import pytest
from sklearn.base import clone

from suffice import (
    GaussianDiscriminant,
    LinearDiscriminant,
    NearestMean,
    QuadraticDiscriminant,
    collect,
    compare,
    cross_validate,
    leave_one_out,
    load,
    tune,
)
from suffice.errors import ConstantColumnWarning, KindHint, SingularError, SufficeError, UndeterminedWarning

FACES = [
    LinearDiscriminant(),
    QuadraticDiscriminant(),
    GaussianDiscriminant(shared=True),
    GaussianDiscriminant("diagonal"),
    GaussianDiscriminant("diagonal", shared=True),
    GaussianDiscriminant("spherical"),
    NearestMean(),
    QuadraticDiscriminant(shrink_shared=0.5),
    LinearDiscriminant(shrink_spherical=0.1),
]
FULL = [LinearDiscriminant(), QuadraticDiscriminant()]
each_face = pytest.mark.parametrize("model", FACES, ids=repr)
each_full = pytest.mark.parametrize("model", FULL, ids=repr)
quietly = pytest.mark.filterwarnings("ignore::suffice.errors.UndeterminedWarning")


def drawn(rows, columns, classes=2, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(rows) % classes
    return rng.normal(size=(rows, columns)) @ rng.normal(size=(columns, columns)) + y[:, None], y


def wide():
    return drawn(20, 30)


def dependent():
    X, y = drawn(120, 3)
    return np.column_stack([X, X[:, 0] - X[:, 2]]), y


def copied():
    X, y = drawn(200, 3)
    return np.column_stack([X, X[:, 1]]), y


def constant_within():
    X, y = drawn(120, 3)
    return np.column_stack([X, 7.5 * y]), y


def lonely():
    X, _ = drawn(120, 3)
    return X, np.array(["many"] * 119 + ["one"])


def two_rows():
    return np.array([[0.0, 1.0], [3.0, 2.0]]), np.array([0, 1])


def nearly_dependent():
    X, y = drawn(120, 3)
    return np.column_stack([X, X[:, 0] - X[:, 2] + 1e-6 * np.sin(np.arange(120))]), y


def coarse():
    """A column of whole numbers, few of them, among measurements."""
    X, y = drawn(120, 3)
    return np.column_stack([X, (np.arange(120) + y) % 5]), y


CASES = [wide, dependent, copied, constant_within, lonely, two_rows, nearly_dependent, coarse]
each_case = pytest.mark.parametrize("case", CASES)


def fresh(model, **settings):
    """A copy that shares no memory of what was told."""
    return type(model)(**model.get_params() | settings)


def same(ours, theirs, tolerance=1e-9):
    np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)


@quietly
@each_face
@each_case
def test_the_default_answers(model, case):
    X, y = case()
    fitted = fresh(model).fit(X, y)
    assert np.isfinite(fitted.log_joint(X)).all()
    same(fitted.predict_proba(X).sum(axis=1), 1.0)
    explicit = fresh(model, estimate=fitted.estimate_).fit(X, y)
    same(fitted.predict_log_proba(X), explicit.predict_log_proba(X), 0)
    assert np.isfinite(fitted.means_).all()
    assert fitted.covariance_.shape[-2:] == (X.shape[1],) * 2


@quietly
@pytest.mark.parametrize("total", [1e-3, 1.0, 1e6])
@each_face
def test_whatever_rows_weigh(model, total):
    X, y = drawn(30, 3)
    fitted = fresh(model).fit(X, y, sample_weight=np.full(30, total / 30))
    assert np.isfinite(fitted.predict_log_proba(X)).all()


@pytest.mark.parametrize("estimate", ["unbiased", "ml"])
@pytest.mark.parametrize("case", [wide, dependent, copied, constant_within])
@each_full
def test_the_textbook_asked_for_refuses(model, case, estimate):
    with pytest.raises(SingularError, match=f"estimate='{estimate}' is not determined"):
        fresh(model, estimate=estimate).fit(*case())


@pytest.mark.parametrize(
    "case, model, said, used",
    [
        (wide, LinearDiscriminant(), r"few rows \(10 of class 0, 10 of class 1\) for 30 columns", "mean"),
        (wide, QuadraticDiscriminant(), r"few rows \(10 of class 0, 10 of class 1\) for 30 columns", "predictive"),
        (dependent, LinearDiscriminant(), "Within the classes there is a linear dependence", "mean"),
        (dependent, QuadraticDiscriminant(), "In class 0 there is a linear dependence", "predictive"),
        (nearly_dependent, LinearDiscriminant(), "Within the classes there is a linear dependence", "mean"),
        (nearly_dependent, QuadraticDiscriminant(), "In class 0 there is a linear dependence", "predictive"),
        (
            coarse,
            QuadraticDiscriminant(),
            "Too few different whole numbers to be Gaussian in 'x3'",
            "predictive",
        ),
        (lonely, QuadraticDiscriminant(), "1 of class 'one'", "predictive"),
        (constant_within, QuadraticDiscriminant(shrink_shared=0.5), "no variation in 'x3'", "mean"),
        (wide, LinearDiscriminant(shrink_spherical=0.1), r"few rows \(10 of class 0, 10 of class 1\)", "mean"),
    ],
)
def test_one_warning_says_what_was_done_and_why(case, model, said, used):
    with pytest.warns(UndeterminedWarning, match=rf"{said}.*estimate='{used}' is used.*estimate='unbiased'") as told:
        fitted = fresh(model).fit(*case())
    assert len(told) == 1
    assert fitted.estimate_ == used
    fitted.predict_proba(case()[0])  # a second warning would be an error here


def test_rows_that_determine_it_have_the_textbook():
    X, y = drawn(98, 4)  # 96 degrees of freedom for 4 columns, and 48 of each class
    for model in FULL:
        assert fresh(model).fit(X, y).estimate_ == "unbiased"


@quietly
@pytest.mark.parametrize("rows", [61, 62, 63])
def test_fifteen_degrees_of_freedom_for_each_column_are_enough_for_one_covariance(rows):
    X, y = drawn(rows, 4)
    assert fresh(LinearDiscriminant()).fit(X, y).estimate_ == ("unbiased" if rows >= 62 else "mean")


@quietly
@pytest.mark.parametrize("rows", [97, 98, 99])
def test_twelve_for_each_are_enough_for_one_of_each_class(rows):
    X, y = drawn(rows, 4)
    assert fresh(QuadraticDiscriminant()).fit(X, y).estimate_ == ("unbiased" if rows >= 98 else "predictive")


def test_whole_numbers_of_few_values_where_they_do_no_harm():
    X, y = coarse()
    assert fresh(LinearDiscriminant()).fit(X, y).estimate_ == "unbiased"
    assert QuadraticDiscriminant(kinds={"x3": "gaussian"}).fit(X, y).estimate_ == "unbiased"
    assert QuadraticDiscriminant("diagonal").fit(X, y).estimate_ == "unbiased"


def test_that_they_are_few_is_decided_when_all_rows_are_in():
    X, y = coarse()
    more = np.column_stack([X[:, :3], 5 + np.arange(120) % 7])  # an eleventh value, and a twelfth
    model = QuadraticDiscriminant().partial_fit(X, y)
    with pytest.warns(UndeterminedWarning, match="few different whole numbers"):
        assert model.estimate_ == "predictive"
    assert model.partial_fit(more, y).estimate_ == "unbiased"
    with pytest.warns(KindHint):
        both = collect(X, y, joint=True) + collect(more, y, joint=True)
    assert QuadraticDiscriminant.from_summary(both).estimate_ == "unbiased"


# by statistics: however the rows come


@quietly
@pytest.mark.filterwarnings("ignore::suffice.errors.KindHint")
@each_case
@each_face
def test_batches_and_summaries_come_to_the_same(model, case, tmp_path):
    X, y = case()
    whole, middle = fresh(model).fit(X, y), len(X) // 2
    batches = fresh(model).partial_fit(X[:middle], y[:middle], classes=np.unique(y)).partial_fit(X[middle:], y[middle:])
    summary = type(model).from_summary(collect(X, y, joint=True), **model.get_params())
    whole.save(tmp_path / "model")
    for other in (batches, summary, load(tmp_path / "model"), clone(whole).fit(X, y)):
        assert other.estimate_ == whole.estimate_
        assert other.estimate == "auto"
        same(other.predict_proba(X), whole.predict_proba(X), 1e-6)


def test_a_class_declared_without_rows_is_as_the_prior_has_it():
    X, y = drawn(120, 3)
    model = LinearDiscriminant().partial_fit(X, y, classes=[0, 1, 2])
    with pytest.warns(UndeterminedWarning, match="no rows to estimate the mean"):
        assert model.estimate_ == "mean"
    assert np.isfinite(model.predict_proba(X)).all()


# validation: each fold decides for itself


def refitted(model, X, y, rows):
    """Posteriors of some rows by a model of the others."""
    rest = np.delete(np.arange(len(y)), rows)
    return fresh(model).fit(X[rest], y[rest]).predict_proba(X[rows])


@quietly
@pytest.mark.parametrize("case", [wide, dependent, coarse, *(lambda n=n: drawn(n, 4) for n in (62, 63, 98))])
@each_full
def test_leaving_one_out_is_refitting(model, case):
    X, y = case()
    found = leave_one_out(fresh(model), X, y).posterior
    same(found, np.concatenate([refitted(model, X, y, [i]) for i in range(len(y))]), 1e-7)


@quietly
@each_full
def test_a_column_that_varies_in_one_row_only(model):
    X, y = drawn(100, 2)
    X = np.column_stack([X, np.where(np.arange(100) == 7, 1.0, 0.0)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConstantColumnWarning)
        found = leave_one_out(fresh(model), X, y).posterior
        same(found[7:9], np.concatenate([refitted(model, X, y, [i]) for i in (7, 8)]), 1e-7)


@quietly
@each_full
def test_the_last_row_of_a_class(model):
    X, y = lonely()
    found = leave_one_out(fresh(model), X, y).posterior
    same(found[-1], [1.0, 0.0])
    same(found[:3], np.concatenate([refitted(model, X, y, [i]) for i in range(3)]), 1e-7)


@quietly
@each_full
def test_folds_are_refitting(model):
    X, y = drawn(77, 4)  # enough in all, too few in two of five folds
    fold = np.arange(77) % 5
    found = cross_validate(fresh(model), X, y, folds=fold).posterior
    for number in range(5):
        some = np.flatnonzero(fold == number)
        same(found[some], refitted(model, X, y, some), 1e-7)


def test_validation_says_it_once_and_tuning_of_what_it_chose():
    X, y = wide()
    for work in (leave_one_out, cross_validate):
        with pytest.warns(UndeterminedWarning) as told:
            work(LinearDiscriminant(), X, y)
        assert len(told) == 1
    with pytest.warns(UndeterminedWarning) as told:
        compare([LinearDiscriminant(), QuadraticDiscriminant()], X, y)
    assert len(told) == 2
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        found = tune(QuadraticDiscriminant(), X, y, over=["shape", "shrink_shared"])
    assert len(heard) <= 1
    assert all(trial.error is None or not isinstance(trial.error, SingularError) for trial in found.trials)


@quietly
@pytest.mark.parametrize("rows", [4, 7, 12])
@pytest.mark.parametrize("shape", ["full", "diagonal", "spherical"])
@pytest.mark.parametrize("to_shared", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("to_spherical", [0.05, 0.5, 1.0])
def test_nothing_but_what_was_done_is_said_of_few_rows(rows, shape, to_shared, to_spherical):
    X, y = drawn(rows, 5, classes=3)
    model = GaussianDiscriminant(shape, shrink_shared=to_shared, shrink_spherical=to_spherical)
    assert not np.isnan(leave_one_out(model, X, y).posterior).any()
    with suppress(SufficeError):  # which may refuse, but without a word from NumPy
        leave_one_out(fresh(model, estimate="ml"), X, y, sample_weight=np.linspace(0.1, 1.0, rows))
