"""Exact validation: every row predicted as if it had never been read, whatever the model."""

import warnings
from functools import partial
from itertools import product

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, log_loss

from suffice import (
    Dirichlet,
    Gamma,
    GaussianDiscriminant,
    LinearDiscriminant,
    Loss,
    NaiveBayes,
    NormalInverseGamma,
    NormalInverseWishart,
    NormalMean,
    QuadraticDiscriminant,
    cross_validate,
    leave_one_out,
)
from suffice.errors import ConstantColumnWarning, HiddenCellsError, KindHint, ParameterError, SingularError
from suffice.model import validate

same = partial(np.testing.assert_allclose, rtol=1e-9, atol=1e-12)
ROWS = 28
SHAPES, SHARED = ("full", "diagonal", "spherical"), (False, True)
ESTIMATES = ("ml", "unbiased", "map", "mean", "predictive")
MIXED = {
    "kinds": {"visits": "poisson", "wait": "exponential", "wins": ("binomial", 5), "size": "log-gaussian"},
    "joint": [["height", "weight"]],
    "counts": [["a", "b", "c"]],
}


@pytest.fixture
def rng():
    return np.random.default_rng(5)


@pytest.fixture
def mixed(rng):
    """A table with every kind of column, cells missing wherever they may be, and classes."""
    ill = rng.integers(0, 3, ROWS)
    table = pd.DataFrame(
        {
            "age": rng.normal(ill, 1.5),
            "size": np.exp(rng.normal(ill / 2, 0.7)),
            "visits": rng.poisson(2 + ill).astype(float),
            "wait": rng.exponential(1 + ill),
            "wins": rng.binomial(5, 0.4, ROWS).astype(float),
            "颜色": rng.choice(["青绿", "乌黑", "浅白"], ROWS),
            "height": rng.normal(ill),
            "weight": rng.normal(size=ROWS),
            **dict(zip("abc", rng.poisson(1.5, (3, ROWS)).astype(float), strict=True)),
        }
    )
    for name in ("age", "size", "visits", "wait", "wins", "颜色"):
        table.loc[rng.random(ROWS) < 0.15, name] = None
    return table.astype({"颜色": "category"}), np.array(["健康", "轻", "重"])[ill]


@pytest.fixture
def numbers(rng):
    ill = rng.integers(0, 3, ROWS)
    mixing = rng.normal(size=(4, 4))
    return (rng.normal(size=(ROWS, 4)) + ill[:, None]) @ mixing + 100, ill


def weightings(rng):
    return None, rng.integers(1, 4, ROWS).astype(float), rng.random(ROWS) + 0.1


def refitted(model, table, labels, weights=None):
    """The slow way: a model without each row."""
    out = []
    for row in range(len(labels)):
        rest = np.arange(len(labels)) != row
        some = clone(model).fit(table[rest], labels[rest], None if weights is None else weights[rest])
        out.append(some.predict_proba(table[row : row + 1])[0])
    return np.array(out)


@pytest.mark.parametrize("shape, shared", [*product(SHAPES, SHARED)])
@pytest.mark.parametrize("estimate", ESTIMATES)
@pytest.mark.parametrize("shrinkage", [(0.0, 0.0), (0.4, 0.0), (0.0, 0.3), (0.4, 0.3), (1.0, 0.0)])
def test_leaving_one_out_is_refitting_without_it_for_every_gaussian(numbers, rng, shape, shared, estimate, shrinkage):
    if estimate == "predictive" and any(shrinkage):
        shrinkage = (0.0, 0.0)
    to_shared, to_spherical = shrinkage
    model = GaussianDiscriminant(
        shape, shared, estimate=estimate, shrink_shared=to_shared, shrink_spherical=to_spherical
    )
    for weights in weightings(rng):
        found = leave_one_out(model, *numbers, sample_weight=weights)
        same(found.posterior, refitted(model, *numbers, weights))


def test_leaving_one_out_of_a_rounder_covariance_is_refitting_in_small_units_too(numbers):
    table, labels = numbers
    model = GaussianDiscriminant(estimate="ml", shrink_shared=0.4, shrink_spherical=0.3)
    same(leave_one_out(model, 1e-3 * table, labels).posterior, refitted(model, 1e-3 * table, labels))


@pytest.mark.parametrize("estimate", ESTIMATES)
@pytest.mark.parametrize("priors", [None, "smoothed", [0.2, 0.3, 0.5]])
@pytest.mark.parametrize("smoothing", [1.0, 0.25])
def test_leaving_one_out_is_refitting_without_it_for_any_mix_of_columns(mixed, rng, estimate, priors, smoothing):
    model = NaiveBayes(estimate=estimate, priors=priors, smoothing=smoothing, **MIXED)
    for weights in weightings(rng):
        found = leave_one_out(model, *mixed, sample_weight=weights)
        same(found.posterior, refitted(model, *mixed, weights))


@pytest.mark.parametrize("prior", ["flat", "reference"])
def test_leaving_one_out_under_improper_priors(mixed, prior):
    model = NaiveBayes(estimate="predictive", parameter_prior=prior, **MIXED)
    same(leave_one_out(model, *mixed).posterior, refitted(model, *mixed))


@pytest.mark.parametrize("estimate", ["map", "mean", "predictive"])
def test_leaving_one_out_under_beliefs_of_the_user(mixed, estimate):
    classes = np.unique(mixed[1])
    beliefs = {
        "age": NormalMean(0.0, 2.0, 1.0),
        "size": NormalInverseGamma(0.0, 1.0, 2.0, 1.0),
        "visits": {name: Gamma(1.0 + i, 2.0) for i, name in enumerate(classes)},
        "颜色": Dirichlet({"青绿": 2.0, "乌黑": 1.0, "浅白": 0.5}),
        ("height", "weight"): {
            name: NormalInverseWishart([0.0, i], 1.0, 4.0 + i, np.eye(2)) for i, name in enumerate(classes)
        },
    }
    model = NaiveBayes(estimate=estimate, parameter_prior=beliefs, **MIXED)
    same(leave_one_out(model, *mixed).posterior, refitted(model, *mixed))


def test_folds_are_refitted_folds(mixed):
    table, labels = mixed
    folds, model = np.arange(ROWS) % 5, NaiveBayes(**MIXED)
    found = cross_validate(model, table, labels, folds=folds)
    for fold in range(5):
        here = folds == fold
        same(found.posterior[here], clone(model).fit(table[~here], labels[~here]).predict_proba(table[here]))


def test_as_many_folds_as_rows_leave_one_out(mixed):
    model = NaiveBayes(**MIXED)
    same(cross_validate(model, *mixed, folds=ROWS).posterior, leave_one_out(model, *mixed).posterior)


def test_folds_are_dealt_by_seed(numbers):
    model = LinearDiscriminant(estimate="unbiased")
    first, again, other = (cross_validate(model, *numbers, folds=4, random_state=seed).posterior for seed in (0, 0, 1))
    same(first, again, rtol=0, atol=0)
    assert np.abs(first - other).max() > 1e-6


def test_scores_are_scikit_learns(numbers):
    labels = numbers[1]
    found = leave_one_out(LinearDiscriminant(estimate="unbiased"), *numbers)
    same(found.accuracy, np.mean(found.posterior.argmax(axis=1) == labels))
    same(found.log_loss, log_loss(labels, found.posterior))
    same(found.brier, brier_score_loss(labels, found.posterior, scale_by_half=False))


def test_standard_errors(numbers):
    found = leave_one_out(LinearDiscriminant(estimate="unbiased"), *numbers)
    hit = found.posterior.argmax(axis=1) == numbers[1]
    same(found.accuracy.se, np.std(hit, ddof=1) / np.sqrt(ROWS))


def test_mean_loss_is_what_the_actions_cost(numbers):
    loss = Loss({0: {0: 0, 1: 1, 2: 9}, 1: {0: 2, 1: 0, 2: 1}, 2: {0: 4, 1: 3, 2: 0}, "ask": 0.4})
    found = leave_one_out(LinearDiscriminant(estimate="unbiased"), *numbers, loss=loss)
    costs = loss.on(range(3))
    chosen = (found.posterior @ costs.T).argmin(axis=1)
    same(found.mean_loss, costs[chosen, numbers[1]].mean())


def test_weight_two_is_the_row_twice_in_scores_too(numbers, rng):
    table, labels = numbers
    weights = rng.integers(1, 3, ROWS)
    model = QuadraticDiscriminant(estimate="unbiased")
    once, twice = leave_one_out(model, table, labels, sample_weight=weights), np.repeat(np.arange(ROWS), weights)
    same(once.accuracy, np.average(once.posterior.argmax(axis=1) == labels, weights=weights))
    same(once.accuracy.se, np.std((once.posterior.argmax(axis=1) == labels)[twice], ddof=1) / np.sqrt(len(twice)))


def test_a_row_of_weight_zero_is_predicted_by_the_model_and_not_counted(numbers):
    table, labels = numbers
    weights = np.ones(ROWS)
    weights[7] = 0.0
    found = leave_one_out(QuadraticDiscriminant(estimate="unbiased"), table, labels, sample_weight=weights)
    model = QuadraticDiscriminant(estimate="unbiased").fit(table, labels, weights)
    same(found.posterior[7], model.predict_proba(table[7:8])[0])
    rest = weights > 0
    same(found.log_loss, leave_one_out(QuadraticDiscriminant(estimate="unbiased"), table[rest], labels[rest]).log_loss)


@pytest.mark.parametrize(
    "model", [NaiveBayes(), LinearDiscriminant(estimate="unbiased"), QuadraticDiscriminant(estimate="map")]
)
def test_a_class_that_loses_its_last_row_is_counted_and_named(numbers, model):
    table, labels = numbers
    labels = np.where(np.arange(ROWS) == 3, "lonely", labels.astype(str))
    found = leave_one_out(model, table, labels)
    lonely = found.classes.index("lonely")
    assert found.posterior[3, lonely] == 0
    assert found.log_loss == np.inf
    assert found.impossible == {"lonely": [3]}
    assert "because of 1 row of class 'lonely', row 3" in repr(found)
    rest = np.arange(ROWS) != 3
    without = clone(model).fit(table[rest], labels[rest])
    same(np.delete(found.posterior[3], lonely), without.predict_proba(table[3:4])[0])


@pytest.mark.parametrize(
    "model",
    [
        NaiveBayes(estimate="unbiased"),
        LinearDiscriminant(estimate="unbiased"),
        QuadraticDiscriminant(estimate="unbiased"),
    ],
)
def test_a_row_that_outweighs_all_others_is_learned_without_anew(rng, model):
    """Its downdate would leave no digit of the variance of the others."""
    labels = np.arange(30) % 2
    table = rng.normal(size=(30, 2)) + labels[:, None]
    table[4] = 1e5, -3e4
    same(leave_one_out(model, table, labels).posterior, refitted(model, table, labels), rtol=1e-6)


def test_what_is_singular_without_a_row_says_so(rng):
    table, labels = rng.normal(size=(13, 3)), np.array([0] * 9 + [1] * 4)
    QuadraticDiscriminant(estimate="unbiased").fit(table, labels)
    with pytest.raises(SingularError, match=r"In class 1 there .*\(3 rows for 3 columns\)"):
        leave_one_out(QuadraticDiscriminant(estimate="unbiased"), table, labels)


def test_a_column_that_is_constant_without_a_row(rng):
    table, labels = rng.normal(size=(20, 2)), np.arange(20) % 2
    table[:, 1] = 0.0
    table[5, 1] = 1.0
    model = NaiveBayes(kinds="gaussian", estimate="map")
    with pytest.warns(ConstantColumnWarning):
        expected = refitted(model, table, labels)
    same(leave_one_out(model, table, labels).posterior, expected)


def test_missing_cells_among_columns_modelled_together_offer_folds(numbers):
    table, labels = numbers
    table[3, 1] = np.nan
    with pytest.raises(HiddenCellsError, match=r"cross_validate\(model, X, y, folds=10\)"):
        leave_one_out(LinearDiscriminant(estimate="map"), table, labels)
    found = cross_validate(LinearDiscriminant(estimate="map"), table, labels, folds=np.arange(ROWS) % 3)
    rest = np.arange(ROWS) % 3 != 0
    same(
        found.posterior[::3],
        LinearDiscriminant(estimate="map").fit(table[rest], labels[rest]).predict_proba(table[::3]),
    )


def test_models_of_others_are_pointed_elsewhere(numbers):
    with pytest.raises(ParameterError, match="cross_val_predict"):
        leave_one_out(LogisticRegression(), *numbers)


@pytest.mark.parametrize("folds", [1, ROWS + 1])
def test_folds_that_cannot_be(numbers, folds):
    with pytest.raises(ParameterError, match=f"at least 2 and at most the number of rows, {ROWS}; found {folds}"):
        cross_validate(LinearDiscriminant(estimate="unbiased"), *numbers, folds=folds)


def test_folds_of_the_wrong_length(numbers):
    with pytest.raises(ParameterError, match=r"the fold of each of 28 rows; found shape \(3,\)"):
        cross_validate(LinearDiscriminant(estimate="unbiased"), *numbers, folds=[0, 1, 2])


def test_scores_come_in_the_frame_library_of_the_table(mixed):
    found = leave_one_out(NaiveBayes(**MIXED), *mixed).table()
    assert isinstance(found, pd.DataFrame)
    assert found["measure"].tolist() == ["accuracy", "log loss", "Brier score"]


@pytest.mark.parametrize("unit", [1.0, 1e5])
@pytest.mark.parametrize(
    "model", [NaiveBayes(estimate="map"), QuadraticDiscriminant(estimate="map"), NaiveBayes(estimate="ml")]
)
def test_log_losses_too_large_for_a_posterior_are_finite(rng, unit, model):
    """Rows near the other class by hundreds of standard deviations: P underflows, ln P does not."""
    labels = np.arange(40) % 2
    table = (rng.normal(size=(40, 3)) + 300 * labels[:, None]) * unit
    table[0] = table[3] + unit
    expected = []
    for row in range(40):
        rest = np.arange(40) != row
        fitted = clone(model).fit(table[rest], labels[rest])
        expected.append(-fitted.predict_log_proba(table[[row]])[0, labels[row]])
    for found in (leave_one_out(model, table, labels), cross_validate(model, table, labels, folds=40)):
        same(found.log_losses, expected, rtol=1e-7)
        assert 745 < max(found.log_losses) < np.inf  # beyond what exp knows
        assert found.impossible == {}


def test_rows_far_out_do_not_stop_auto_and_folds():
    table, labels = load_digits(return_X_y=True)
    some = np.arange(500)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConstantColumnWarning)
        warnings.simplefilter("ignore", KindHint)  # of the column whose kind is open
        numbers = {f"x{j}": "gaussian" for j in range(64)}
        found = leave_one_out(NaiveBayes(kinds=numbers, estimate="map"), table[some], labels[some])
        fitted = NaiveBayes(kinds=numbers | {"x10": "auto"}, estimate="map").fit(table[some], labels[some])
        folds = cross_validate(NaiveBayes(kinds=numbers, estimate="map"), table[some], labels[some], folds=3)
    assert found.log_losses.max() > 745
    assert max(found.log_loss, folds.log_loss) < np.inf
    assert fitted.tuned_.best.validation.log_loss <= found.log_loss


def test_a_class_of_one_row_does_not_stop_auto(mixed):
    """Every setting thinks that row impossible; they are compared by the others."""
    table, labels = mixed
    table, labels = table[["颜色", "height"]], np.where(np.arange(ROWS) == 0, "单", labels)
    fitted = NaiveBayes(smoothing="auto").fit(table, labels)
    losses = {trial.name: trial.validation.log_losses[1:].mean() for trial in fitted.tuned_.trials}
    assert fitted.tuned_.best.name == min(losses, key=losses.get)
    assert fitted.tuned_.best.validation.impossible == {"单": [0]}


def test_rows_of_weight_zero_have_no_label(numbers):
    table, labels = numbers
    weights = np.where(np.arange(ROWS) % 4 == 1, 0.0, 2.0)
    for found in (
        leave_one_out(NaiveBayes(), table, labels, sample_weight=weights),
        cross_validate(NaiveBayes(), table, labels, folds=3, sample_weight=weights),
    ):
        assert found.labels.tolist() == np.where(weights > 0, labels, -1).tolist()
        assert np.isnan(found.log_losses).tolist() == (weights == 0).tolist()
        assert np.isfinite([found.accuracy, found.log_loss, found.brier, found.mean_loss]).all()


def test_a_lonely_category_in_a_lonely_class(mixed):
    """The last row of a class, with a category that no other row has: the category stays known."""
    table = pd.DataFrame({"x": ["u", "v", "u", "v", "w"], "y": np.arange(5.0)})
    labels = np.array([*"aabbc"])
    found = leave_one_out(NaiveBayes(), table, labels)
    kept = table.astype({"x": pd.CategoricalDtype([*"uvw"])})
    same(found.posterior[4, :2], NaiveBayes().fit(kept[:4], labels[:4]).predict_proba(kept[4:])[0])


@pytest.fixture
def hard(rng):
    """Columns in wild units and far from 0, one that varies only between classes, cells missing, a row far out."""
    ill = np.arange(40) % 3
    table = pd.DataFrame(
        {
            "tiny": rng.normal(ill) * 1e-9,
            "far": rng.normal(ill) + 1e6,
            "between": ill.astype(float),
            "out": np.where(np.arange(40) == 7, 1e5, rng.normal(size=40)),
            "holed": np.where(rng.random(40) < 0.3, np.nan, rng.normal(ill)),
            "rare": np.where(np.arange(40) < 4, rng.normal(size=40), np.nan),
            "level": rng.choice([*"uvw"], 40),
            "events": rng.poisson(1 + ill).astype(float),
            "wait": rng.exponential(1 + ill) * 1e6,
        }
    )
    return table, ill, {"events": "poisson", "wait": "exponential", "between": "gaussian"}


@pytest.mark.parametrize("path", ["numpy", "compiled"], indirect=True)
@pytest.mark.parametrize("estimate", ["map", "predictive"])
@pytest.mark.parametrize("weighted", [False, True])
def test_each_rows_own_step_back_is_refitting_without_it(path, hard, rng, estimate, weighted):
    table, labels, kinds = hard
    weights = rng.uniform(0.5, 3, len(labels)) if weighted else None
    model = NaiveBayes(kinds=kinds, estimate=estimate)
    same(leave_one_out(model, table, labels, sample_weight=weights).posterior, refitted(model, table, labels, weights))


@pytest.mark.parametrize("path", ["numpy", "compiled"], indirect=True)
@pytest.mark.parametrize(
    "estimate, prior", [("ml", "weak"), ("unbiased", "weak"), ("map", "reference"), ("mean", "weak")]
)
def test_under_priors_that_stay_and_means_too(path, hard, estimate, prior):
    table, labels, kinds = hard
    table = table.drop(columns=["between", "rare"])  # which those estimates do not determine
    kinds = {name: kind for name, kind in kinds.items() if name in table}
    model = NaiveBayes(kinds=kinds, estimate=estimate, parameter_prior=prior)
    same(leave_one_out(model, table, labels).posterior, refitted(model, table, labels), rtol=1e-6, atol=1e-9)


def test_rows_lost_are_few(monkeypatch, rng):
    """Rows that are learned without anew, one by one, are those whose step back would cost digits, and no others."""
    anew = []
    original = validate._anew
    monkeypatch.setattr(validate, "_anew", lambda rows, row: anew.append(row) or original(rows, row))
    labels = np.arange(300) % 3
    table = {
        "x": rng.normal(labels),
        "same": labels * 1.0,
        "n": rng.poisson(2, 300) * 1.0,
        "c": rng.choice([*"ab"], 300),
    }
    table["x"][17] = 1e7
    leave_one_out(NaiveBayes(kinds={"n": "poisson", "same": "gaussian"}), table, labels)
    assert anew == [17]


@pytest.mark.parametrize("shape", ["full", "diagonal", "spherical"])
@pytest.mark.parametrize("estimate", ["ml", "map"])
@pytest.mark.parametrize("shrunk", [{"shrink_shared": 0.5}, {"shrink_spherical": 0.5}])
def test_a_row_beside_which_all_others_are_rounding_is_learned_without(shape, estimate, shrunk):
    rng = np.random.default_rng(21)
    n = rng.integers(8, 30)
    X, y = rng.normal(size=(n, 2)) + 300.0, np.arange(n) % 2
    X[y == 1] += 1
    weights = 10.0 ** rng.uniform(-11, 4, n)
    weights[3] = 1e12
    model = GaussianDiscriminant(shape, estimate=estimate, **shrunk)
    found = leave_one_out(model, X, y, sample_weight=weights).posterior
    for row in range(n):
        others = np.arange(n) != row
        again = clone(model).fit(X[others], y[others], sample_weight=weights[others]).predict_proba(X[[row]])[0]
        np.testing.assert_allclose(found[row], again, atol=1e-6)


@pytest.mark.filterwarnings("ignore::suffice.errors.ConstantColumnWarning")
def test_one_row_alone_cannot_be_left_out():
    with pytest.raises(ParameterError, match="Found 1 sample"):
        leave_one_out(NaiveBayes(), [[1.0, 2.0]], ["a"])
