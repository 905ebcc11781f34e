"""Faces of the soft margin and of logistic loss: any table, by name, explained, compared, kept in files."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_iris, load_wine
from sklearn.linear_model import LogisticRegression

from suffice import (
    BayesDecision,
    Calibrated,
    LinearDiscriminant,
    LogisticClassifier,
    MarginClassifier,
    boundary,
    compare,
    cross_validate,
    evaluate,
    example,
    explain,
    leave_one_out,
    load,
    tune,
)
from suffice.discriminative.margin import soft_margin
from suffice.errors import KindHint, NotConvergedWarning, ParameterError, SufficeError, TableError, UnseenCategoryError

IRISES, SPECIES = load_iris(return_X_y=True)
MODELS = [LogisticClassifier(), MarginClassifier(), MarginClassifier(probabilities=True)]
pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.KindHint")


def penguins():
    columns, species = example("penguins")
    return {name: cells for name, cells in columns.items() if name != "year"}, species


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_units_and_shifts_of_columns_do_not_matter(model):
    units, shift = np.array([1e-3, 1.0, 40.0, 1e5]), np.array([0.0, 5.0, -300.0, 1e4])
    first = model.fit(IRISES, SPECIES).decision_function(IRISES)
    other = type(model)(**model.get_params()).fit(IRISES * units + shift, SPECIES)
    np.testing.assert_allclose(other.decision_function(IRISES * units + shift), first, atol=1e-6)


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_coefficients_are_in_the_users_own_units(model):
    found = model.fit(IRISES, SPECIES)
    np.testing.assert_allclose(IRISES @ found.coef_.T + found.intercept_, found.decision_function(IRISES), atol=1e-9)
    table = found.coefficients()
    assert list(table["column"]) == ["x0", "x1", "x2", "x3", "intercept"]
    np.testing.assert_allclose(table["2"], np.append(found.coef_[2], found.intercept_[2]))


def test_logistic_weights_are_those_of_scikit_learn_on_the_same_columns():
    found = LogisticClassifier(C=0.7, scale=False).fit(IRISES, SPECIES)
    theirs = LogisticRegression(C=0.7, tol=1e-12, max_iter=100_000, solver="newton-cg").fit(IRISES, SPECIES)
    np.testing.assert_allclose(found.coef_, theirs.coef_, atol=1e-7)
    np.testing.assert_allclose(found.predict_proba(IRISES), theirs.predict_proba(IRISES), atol=1e-8)


def test_levels_stay_0_and_1_where_numbers_are_scaled():
    columns, species = penguins()
    rows = np.flatnonzero(~np.isnan(np.array(columns["body_mass_g"], dtype=float)))
    table = {name: np.array(columns[name])[rows] for name in ("island", "body_mass_g")}
    found = LogisticClassifier().fit(table, np.array(species)[rows])
    mass = table["body_mass_g"].astype(float)
    levels = table["island"][:, None] == np.unique(table["island"])
    theirs = LogisticRegression(tol=1e-12, max_iter=100_000, solver="newton-cg")
    theirs.fit(same := np.column_stack([levels, (mass - mass.mean()) / mass.std()]), np.array(species)[rows])
    np.testing.assert_allclose(found.predict_proba(table), theirs.predict_proba(same), atol=1e-7)


def test_linear_discriminants_have_a_posterior_that_is_logistic():
    X, y = IRISES[50:], SPECIES[50:]
    exact = LinearDiscriminant(estimate="unbiased").fit(X, y)
    plane = boundary(exact, 2, 1)
    np.testing.assert_allclose(1 / (1 + np.exp(-plane.value(X))), exact.predict_proba(X)[:, 1], rtol=1e-9)


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_mixed_columns_with_missing_cells_in_any_frame(model):
    columns, species = penguins()
    frame = pd.DataFrame(columns)
    found = model.fit(frame, species)
    assert found.score(frame, species) > 0.97
    assert {"island = Dream", "sex missing", "bill_length_mm"} <= set(found.columns_)
    assert isinstance(found.coefficients(), pd.DataFrame)
    by_dict = type(model)(**model.get_params()).fit(columns, species)
    np.testing.assert_allclose(by_dict.decision_function(columns), found.decision_function(frame), atol=1e-9)


def test_missing_cells_are_told_with_what_stands_for_them():
    with pytest.warns(KindHint, match="Missing cells in .*a missing number is set to the mean"):
        LogisticClassifier().fit([[1.0], [2.0], [np.nan], [4.0]], [0, 0, 1, 1])


def test_levels_that_were_never_met():
    model = LogisticClassifier().fit({"a": ["x", "y", "x", "y"]}, [0, 1, 0, 1])
    assert model.predict_proba({"a": ["z"]})[0, 0] == pytest.approx(0.5)
    model = LogisticClassifier(unseen="error").fit({"a": ["x", "y", "x", "y"]}, [0, 1, 0, 1])
    with pytest.raises(UnseenCategoryError, match="'z'"):
        model.predict({"a": ["z"]})


@pytest.mark.parametrize("model", MODELS, ids=repr)
@pytest.mark.parametrize("scale", [True, False])
def test_sparse_rows_of_any_numbers(model, scale):
    rows = np.where(IRISES > 2, IRISES - 3, 0.0)
    model = type(model)(**model.get_params() | {"scale": scale})
    dense = model.fit(rows, SPECIES).decision_function(rows)
    found = type(model)(**model.get_params()).fit(sparse.csr_array(rows), SPECIES)
    np.testing.assert_allclose(found.decision_function(sparse.csr_array(rows)), dense, atol=1e-5)


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_explanations_add_up_by_the_users_columns(model):
    columns, species = penguins()
    found = explain(model.fit(columns, species), columns, between=("Gentoo", "Adelie"))
    scores = model.decision_function(columns)
    np.testing.assert_allclose(found.log_odds, scores[:, 2] - scores[:, 0], atol=1e-9)
    assert set(found.terms) == set(columns)
    assert "intercept" in repr(found)
    with pytest.raises(ParameterError, match="no class 'Emperor'"):
        explain(model, columns, between=("Emperor", "Adelie"))


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_boundaries_are_hyperplanes(model):
    found = model.fit(IRISES, SPECIES)
    scores, plane = found.decision_function(IRISES), boundary(found, 1, 2)
    np.testing.assert_allclose(plane.value(IRISES), scores[:, 1] - scores[:, 2], atol=1e-8)
    assert plane.kind == "hyperplane"
    columns, species = penguins()
    with pytest.raises(ParameterError, match=r"numeric columns only; .*island = Biscoe"):
        boundary(type(model)(**model.get_params()).fit(columns, species), "Gentoo", "Adelie")


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_files_and_pickles_keep_the_model_and_no_row(model, tmp_path):
    columns, species = penguins()
    model.fit(columns, species)
    model.save(tmp_path / "模型")
    for other in (load(tmp_path / "模型"), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(other.decision_function(columns), model.decision_function(columns))
        assert list(other.predict(columns)) == list(model.predict(columns))
        assert other.get_params() == model.get_params()
    assert (tmp_path / "模型").stat().st_size < 10_000


def test_what_is_saved_is_what_was_fitted(tmp_path):
    model = LogisticClassifier(C=0.5).fit(IRISES, SPECIES).set_params(C=100.0, unseen="error")
    model.save(tmp_path / "m")
    assert load(tmp_path / "m").C == 0.5


def test_the_margin_reports_its_rows():
    model = MarginClassifier(scale=False).fit(IRISES[50:], SPECIES[50:])
    side = np.repeat([-1.0, 1.0], 50)
    margins = side * model.decision_function(IRISES[50:])
    np.testing.assert_allclose(model.slack_[:, 0], np.maximum(0, 1 - margins), atol=1e-9)
    assert set(np.flatnonzero(margins < 1 - 1e-6)) <= set(model.support_[0])
    assert not set(np.flatnonzero(margins > 1 + 1e-6)) & set(model.support_[0])
    np.testing.assert_allclose(model.width_, 2 / np.linalg.norm(model.coef_))
    np.testing.assert_allclose(model.primal_, 0.5 * (model.coef_**2).sum() + model.slack_.sum())
    assert 0 <= model.gap_[0] <= 1e-10


@pytest.mark.parametrize(
    "model", [LogisticClassifier(), MarginClassifier(), MarginClassifier(probabilities=True)], ids=repr
)
def test_a_path_over_c_has_the_models_that_fit_gives(model):
    columns, species = penguins()
    costs = [10.0, 1e-3, 0.1, 1e3]
    found = model.path(columns, species, C=costs)
    assert [one.C for one in found] == costs
    for cost, one in zip(costs, found, strict=True):
        alone = type(model)(**model.get_params() | {"C": cost}).fit(columns, species)
        assert one.get_params() == alone.get_params()
        np.testing.assert_allclose(
            one.decision_function(columns), alone.decision_function(columns), rtol=1e-4, atol=1e-4
        )
        assert list(one.predict(columns)) == list(alone.predict(columns))
    assert model.get_params()["C"] == 1.0
    with pytest.raises(ParameterError, match="C must be"):
        model.path(columns, species, C=[1.0, -1.0])


@pytest.mark.parametrize("model", [LogisticClassifier(), MarginClassifier()], ids=repr)
def test_there_are_no_batches_and_why(model):
    assert not hasattr(model, "partial_fit")
    with pytest.raises(AttributeError, match=r"no partial_fit: .*every row.*NaiveBayes"):
        model.partial_fit(IRISES, SPECIES)


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_cells_that_are_missing_only_later_stand_at_the_mean(model):
    found = type(model)(**model.get_params()).fit(IRISES, SPECIES)
    row, gone = IRISES[60:61].copy(), IRISES[60:61].copy()
    row[0, 2], gone[0, 2] = IRISES[:, 2].mean(), np.nan
    np.testing.assert_allclose(found.decision_function(gone), found.decision_function(row), atol=1e-12)


def test_rows_of_weight_0_are_absent():
    weights = np.r_[np.ones(100), np.zeros(50)]
    for model in (LogisticClassifier(), MarginClassifier()):
        first = model.fit(IRISES, SPECIES, weights).coef_
        np.testing.assert_allclose(first, type(model)().fit(IRISES[:100], SPECIES[:100]).coef_)


def test_probabilities_of_a_margin_are_asked_for():
    model = MarginClassifier().fit(IRISES, SPECIES)
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError, match="probabilities=True"):
        model.predict_proba(IRISES)
    found = MarginClassifier(probabilities=True).fit(IRISES, SPECIES).predict_proba(IRISES)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    assert -np.log(found[np.arange(150), SPECIES]).mean() < 0.4


def test_the_only_row_of_a_class_is_never_left_out():
    labels = np.r_[SPECIES[:100], [2]]
    found = MarginClassifier(probabilities=True).fit(IRISES[:101], labels)
    assert found.predict_proba(IRISES[:101]).shape == (101, 3)


def test_comparisons_on_the_same_folds_as_all_others():
    models = {
        "margin": MarginClassifier(probabilities=True),
        "logistic": LogisticClassifier(),
        "no": MarginClassifier(),
    }
    found = compare(models | {"lda": LinearDiscriminant()}, IRISES, SPECIES, folds=5)
    assert float(found["logistic"].validation.accuracy) > 0.93
    assert "not a density" in found["margin"].note
    assert "probabilities=True" in found["no"].note
    exam = cross_validate(LogisticClassifier(), IRISES, SPECIES, folds=np.arange(150) % 3)
    some = np.arange(150) % 3 == 0
    apart = LogisticClassifier().fit(IRISES[~some], SPECIES[~some]).predict_proba(IRISES[some])
    np.testing.assert_allclose(exam.posterior[some], apart, atol=1e-12)
    with pytest.raises(ParameterError, match="Give folds"):
        leave_one_out(MarginClassifier(), IRISES, SPECIES)


TABLES = {
    "iris": lambda: (IRISES, SPECIES),
    "two irises": lambda: (IRISES[50:], SPECIES[50:]),
    "wine": lambda: load_wine(return_X_y=True),
    "penguins": penguins,
    "watermelon": lambda: example("watermelon"),
}


@pytest.mark.parametrize("name", TABLES)
def test_rows_left_out_of_logistic_loss_are_nearly_those_of_refitting(name):
    X, y = TABLES[name]()
    found = leave_one_out(LogisticClassifier(), X, y)
    exact = cross_validate(LogisticClassifier(), X, y, folds=np.arange(len(y)))
    assert "approximate" in repr(found)
    np.testing.assert_allclose(float(found.log_loss), float(exact.log_loss), rtol=0.01)


def test_the_last_row_of_a_class_is_impossible_without_it():
    labels = np.r_[SPECIES[:100], [2]]
    found = leave_one_out(LogisticClassifier(), IRISES[:101], labels)
    assert found.impossible == {2: [100]}


def refitted(cost, X, y):
    """Ln P(class | row) by scikit-learn, learned anew without each row from columns of variance 1."""
    out = []
    for row in range(len(y)):
        rest = np.arange(len(y)) != row
        middle, sd = X[rest].mean(axis=0), X[rest].std(axis=0)
        theirs = LogisticRegression(C=cost, tol=1e-12, max_iter=100_000, solver="newton-cg")
        out.append(theirs.fit((X[rest] - middle) / sd, y[rest]).predict_log_proba((X[[row]] - middle) / sd)[0, y[row]])
    return np.array(out)


@pytest.mark.parametrize("cost", [1.0, 100.0])
def test_rows_on_the_wrong_side_are_left_out_as_by_refitting(cost):
    rng = np.random.default_rng(8)
    X, y = rng.normal(size=(24, 2)), np.repeat([0, 1], 12)
    X[:, 0] += 5 * y
    X[[0, 13], 0] = [4.99, 0.01]
    found, theirs = leave_one_out(LogisticClassifier(C=cost), X, y), refitted(cost, X, y)
    np.testing.assert_allclose(float(found.log_loss), -theirs.mean(), rtol=0.03)


def test_the_only_row_of_a_class_has_none_without_it():
    x, y = np.random.default_rng(1).normal(size=(12, 1)), np.array([0] * 6 + [1] * 5 + [2])
    assert leave_one_out(LogisticClassifier(), x, y).posterior[11, 2] == 0


@pytest.mark.parametrize(
    "ask",
    [
        lambda X, y, w: leave_one_out(LogisticClassifier(), X, y, sample_weight=w),
        lambda X, y, w: cross_validate(LogisticClassifier(), X, y, sample_weight=w, folds=4),
        lambda X, y, w: cross_validate(Calibrated(LinearDiscriminant()), X, y, sample_weight=w, folds=4),
        lambda X, y, w: cross_validate(LinearDiscriminant(), X, [None, *y[1:]], sample_weight=w, folds=4),
    ],
    ids=["one row", "folds", "calibrated", "by EM"],
)
def test_rows_of_weight_0_stand_where_they_stand_in_the_table(ask):
    X, y, weights = IRISES[50:], SPECIES[50:].tolist(), np.ones(100)
    weights[[3, 70]] = 0
    found = ask(X, y, weights)
    assert found.posterior.shape == (100, 2)
    assert found.labels[[3, 70]].tolist() == [-1, -1]
    assert found.rows.tolist() == list(range(100))
    assert (found.posterior[[3, 70]].argmax(axis=1) == [0, 1]).all()


def test_a_margin_asked_for_scores_of_probabilities_says_what_to_do():
    with pytest.raises(SufficeError, match="probabilities=True"):
        evaluate(MarginClassifier().fit(IRISES, SPECIES), IRISES[:9] + 0.01, SPECIES[:9])


def test_decisions_by_cost():
    model = BayesDecision(LogisticClassifier(), reject=0.2).fit(IRISES, SPECIES)
    assert "reject" in set(model.predict(IRISES))


@pytest.mark.parametrize("model", [LogisticClassifier, MarginClassifier])
def test_settings_and_rows_that_make_no_sense(model):
    with pytest.raises(ParameterError, match="C must be"):
        model(C=0).fit(IRISES, SPECIES)
    with pytest.raises(ParameterError, match="unseen="):
        model(unseen="prior").fit(IRISES, SPECIES)
    with pytest.raises(ParameterError, match="one class is not enough"):
        model().fit(IRISES[:50], SPECIES[:50])
    with pytest.raises(ParameterError, match="'d' in 0 rows"):
        model().fit([[1.0], [2.0]], ["a", "b"], classes=["a", "b", "d"])
    with pytest.raises(TableError, match="not have missing"):
        model().fit(sparse.csr_array([[np.nan], [1.0]]), [0, 1])


def test_an_optimum_that_is_not_reached_is_told(monkeypatch):
    early = lambda z, side, cap, *_: soft_margin(z, side, cap, 0.5)  # noqa: E731
    monkeypatch.setattr("suffice.learn.margin.soft_margin", early)
    with pytest.warns(NotConvergedWarning, match="has not converged"):
        MarginClassifier().fit(IRISES, SPECIES)


@pytest.mark.parametrize("model", [*MODELS, Calibrated(LinearDiscriminant())], ids=repr)
def test_settings_are_laid_side_by_side_instead_of_tuned(model):
    with pytest.raises(ParameterError, match=r"fitted again for each fold.*compare"):
        tune(model, IRISES, SPECIES)
