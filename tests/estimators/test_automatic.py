"""Which model: several side by side on the same folds, each with the settings that suit it, the best fitted."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

from suffice import Calibrated, GaussianDiscriminant, NaiveBayes, auto, cross_validate, example, load
from suffice.errors import ParameterError
from suffice.estimators.automatic import PLAIN
from suffice.estimators.calibrated import recalibrated
from suffice.learn import unlabelled_weight

IRISES, SPECIES = load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def irises():
    return auto(IRISES, SPECIES)


def test_the_best_comes_first_and_is_fitted(irises):
    losses = [float(trial.validation.log_loss) for trial in irises.trials]
    assert losses == sorted(losses)
    assert irises.best is irises.trials[0]
    again = type(irises.best.model)(**irises.best.model.get_params()).fit(IRISES, SPECIES)
    np.testing.assert_array_equal(irises.best.model.predict_proba(IRISES), again.predict_proba(IRISES))


@pytest.mark.filterwarnings("ignore::suffice.errors.UndeterminedWarning")
def test_a_plainer_one_within_two_standard_errors_is_kept():
    rng, kept = np.random.default_rng(0), 0
    for _ in range(4):
        y = np.arange(60) % 2
        found = auto(np.exp(rng.normal(size=(60, 3)) + 0.7 * y[:, None]), y)
        near = {
            trial.name
            for trial in found.trials
            if (gap := found.difference(trial.name, found.least.name)) <= 2 * gap.se
        }
        assert found.least is found.trials[0]
        assert found.best.name == next(name for name in (*PLAIN, found.least.name) if name in near)
        assert found.best.model.predict([[1.0, 2.0, 3.0]]).shape == (1,)
        told = f"{found.best.name} is within two standard errors of {found.least.name}, and plainer" in str(found)
        assert told == (found.best is not found.least)
        kept += told
    assert kept


@pytest.mark.filterwarnings("ignore::suffice.errors.UndeterminedWarning")
def test_by_a_loss_of_your_own_the_least_is_kept():
    y = np.arange(60) % 2
    X = np.random.default_rng(0).normal(size=(60, 3)) + 0.7 * y[:, None]
    found = auto(X, y, loss={"keep": {0: 0, 1: 1}, "free": {0: 1, 1: 0}})
    assert found.best is found.least is found.trials[0]


def test_every_model_is_judged_by_the_same_folds(irises):
    for trial in irises.trials:
        same = cross_validate(trial.model, IRISES, SPECIES, folds=10)
        near = 0.05 if trial.name.startswith("calibrated") else 1e-6  # which is told from the rows left out alone
        assert float(trial.validation.log_loss) == pytest.approx(float(same.log_loss), rel=near)


def test_each_has_the_settings_that_rows_left_out_choose(irises):
    chosen = GaussianDiscriminant("auto", "auto", shrink_shared="auto", shrink_spherical="auto").fit(IRISES, SPECIES)
    model = irises["discriminant"].model
    assert model.recipe().parameters == chosen.model_.recipe.parameters
    chosen = NaiveBayes(kinds="auto").fit(IRISES, SPECIES)
    assert irises["naive-bayes"].model.kinds == chosen.model_.recipe.kinds != {}


def test_posteriors_are_calibrated_where_that_gains_more_than_a_standard_error(irises):
    cells, tumours = load_breast_cancer(return_X_y=True)
    found = auto(cells[::2, :8], tumours[::2])
    names = {trial.name for trial in found.trials}
    for name in ("naive-bayes", "discriminant", "tree"):
        plain = found[name]
        warmer = cross_validate(Calibrated(plain.model), cells[::2, :8], tumours[::2], folds=10)
        gain = plain.validation.difference(warmer)
        assert (f"calibrated {name}" in names) == (gain > gain.se)
        told = float(recalibrated(plain.validation).log_loss)
        assert told == pytest.approx(float(warmer.log_loss), rel=0.05)
    assert any(name.startswith("calibrated") for name in names)
    assert any(f"calibrated {name}" not in {trial.name for trial in irises.trials} for name in ("discriminant", "tree"))


def test_settings_reach_the_models_that_have_them(tmp_path):
    columns, species = example("penguins")
    priors = {"Adelie": 0.5, "Chinstrap": 0.2, "Gentoo": 0.3}
    found = auto(columns, species, kinds={"year": "ignore"}, priors=priors)
    assert {trial.name.removeprefix("calibrated ") for trial in found.trials} == {"naive-bayes", "discriminant", "tree"}
    models = [getattr(trial.model, "estimator", trial.model) for trial in found.trials]
    assert all(model.kinds["year"] == "ignore" for model in models)
    best = found.best.model
    inside = getattr(best, "estimator_", best)  # of one that is calibrated
    np.testing.assert_allclose(inside.priors_, list(priors.values()))
    assert "year" not in [column.name for column in inside.joint_.schema.columns]
    best.save(tmp_path / "best.suffice")
    np.testing.assert_array_equal(load(tmp_path / "best.suffice").predict(columns), best.predict(columns))


def test_the_kinds_of_columns_not_named_are_left_to_the_rows():
    rng = np.random.default_rng(0)
    labels = np.repeat(["a", "b"], 60)
    table = {"id": np.arange(120) * 1.5, "wait": np.exp(rng.normal(np.repeat([0.0, 1.5], 60), 1.0))}
    kinds = auto(table, labels, kinds={"id": "ignore"})["naive-bayes"].model.kinds
    assert kinds == {"id": "ignore", "wait": "log-gaussian"}


def test_margins_join_where_a_loss_says_what_answers_cost():
    costs = {"keep": {0: 0, 1: 5, 2: 5}, "free": {0: 9, 1: 0, 2: 0}}
    found = auto(IRISES, SPECIES, loss=costs)
    assert "margin" in {trial.name for trial in found.trials}
    means = [float(trial.validation.mean_loss) for trial in found.trials]
    assert means == sorted(means)


def test_a_model_that_cannot_answer_says_why():
    cells, species = IRISES[::2], [None, *SPECIES[2::2].tolist()]
    found = auto(cells, species, folds=3)
    assert found["logistic"].validation is None
    assert "needs its class" in found["logistic"].note
    assert found.best.model.predict(cells).shape == (75,)


def test_settings_that_no_model_has_are_refused():
    with pytest.raises(ParameterError, match=r"None of the models naive-bayes, .* has all of the settings colour"):
        auto(IRISES, SPECIES, colour="red")


def test_what_rows_without_a_label_count_is_found_once_for_all_settings(monkeypatch):
    """Not anew for every setting and fold, which would take most of the time."""
    asked = []
    monkeypatch.setattr(unlabelled_weight, "_chosen", lambda *_: asked.append(1) or unlabelled_weight.LIGHT)
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    table, labels = rng.normal(size=(60, 2)) + y[:, None], np.where(rng.random(60) < 0.25, -1, y)
    GaussianDiscriminant(shared="auto", shrink_spherical="auto", unknown=-1).fit(table, labels)
    assert len(asked) <= 2  # for the plainest settings, and for those that were chosen
