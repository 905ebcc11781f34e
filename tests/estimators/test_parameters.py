"""One rule of parameters: what was fitted answers, prints and is saved; new parameters wait for the next fit."""

import pickle
from copy import deepcopy

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

import suffice
from suffice import (
    EM,
    BayesDecision,
    GaussianDiscriminant,
    LatentClass,
    LinearDiscriminant,
    Loss,
    Mixture,
    NaiveBayes,
    NearestMean,
    QuadraticDiscriminant,
    bayes_error,
    collect,
    example,
    explain,
    leave_one_out,
    store,
)
from suffice.errors import FileError, HiddenLabelsError, ParameterError, SufficeError

COLUMNS, SPECIES = {name: cells[::4] for name, cells in example("penguins")[0].items()}, example("penguins")[1][::4]
ISLAND = {"island": COLUMNS["island"], "sex": COLUMNS["sex"]}
BILLS = {name: np.array(COLUMNS[name]) for name in ("bill_length_mm", "bill_depth_mm", "body_mass_g")}
MIXED = BILLS | {"island": COLUMNS["island"]}
ODD = {"island": ["Biscoe", "Atlantis"]} | {name: [np.nan, 40.0] for name in BILLS}  # a category never seen
PRIORS = {"Adelie": 0.8, "Chinstrap": 0.1, "Gentoo": 0.1}
HIDDEN = [None if i % 5 == 0 else name for i, name in enumerate(SPECIES)]

OTHER = {  # another value of each parameter
    "smoothing": 7.0,
    "estimate": "predictive",
    "priors": PRIORS,
    "parameter_prior": "flat",
    "unseen": "ignore",
    "joint": [["bill_length_mm", "body_mass_g"]],
    "counts": [["bill_length_mm", "body_mass_g"]],
    "kinds": {"body_mass_g": "ignore"},
    "components": 3,
    "unknown": "Gentoo",
    "em": EM(label_noise="estimate", tol=1e-2, max_iter=3, restarts=2, random_state=5),
    "tol": 1e-2,
    "max_iter": 3,
    "restarts": 2,
    "random_state": 5,
    "shape": "spherical",
    "shared": True,
    "shrink_shared": 0.5,
    "shrink_spherical": 0.5,
    "start": "random",
    "warm_start": True,
}
CLASSIFIERS = [
    (NaiveBayes(priors="uniform"), MIXED),
    (NaiveBayes(smoothing=0.0, unseen="prior"), MIXED),
    (NaiveBayes(smoothing="auto", kinds={"island": "categorical"}), MIXED),
    (GaussianDiscriminant("diagonal"), BILLS),
    (GaussianDiscriminant("diagonal", shared="auto"), BILLS),
    (QuadraticDiscriminant("diagonal"), BILLS),
    (LinearDiscriminant("diagonal"), BILLS),
    (NearestMean(), BILLS),
]
MIXTURES = [(Mixture(2), BILLS), (Mixture(2, shape="diagonal"), MIXED), (LatentClass(2), ISLAND)]


def changes():
    for model, table in CLASSIFIERS + MIXTURES:
        for name, value in model.get_params(deep=False).items():
            if name in OTHER and (not isinstance(value, str) or value != OTHER[name]):
                yield pytest.param(model, table, name, id=f"{type(model).__name__}-{name}")


def told(model, table, folder):
    """All that a model says."""
    out = {"print": str(model), "proba": model.predict_proba(table), "score": model.score_samples(table)}
    odd = {name: ODD[name] for name in table} if "sex" not in table else table
    out["odd"] = model.predict_proba(odd)
    out["tables"] = model.tables()
    out["file"] = written(model, folder)
    if hasattr(model, "classes_"):
        out |= {"share": model.score(table, SPECIES), "classes": model.classes_, "priors": model.priors_}
        out["why"] = explain(model, odd, between=("Adelie", "Gentoo")).terms
        if "smoothing 0" not in str(model):  # counts alone leave nothing to draw from
            out |= {"interval": model.predict_interval(table, draws=20), "ends": model.tables(level=0.9)}
        out["error"] = repr(bayes_error(model, draws=200))
    for name in ("means_", "covariance_", "covariances_", "class_count_", "coef_", "scalings_"):
        if hasattr(model, name):
            out[name] = getattr(model, name)
    return out


def written(model, folder):
    model.save(folder / "it")
    return store.read(folder / "it")


def fitted(model, table):
    return clone(model).fit(table, SPECIES)


@pytest.mark.filterwarnings("ignore::suffice.errors.SufficeWarning")
@pytest.mark.parametrize(("model", "table", "name"), list(changes()))
def test_a_parameter_set_after_fitting_changes_nothing_that_was_fitted(model, table, name, tmp_path):
    model = fitted(model, table)
    before = told(model, table, tmp_path)
    model.set_params(**{name: OTHER[name]})
    np.testing.assert_equal(told(model, table, tmp_path), before)
    for copied in (deepcopy(model), pickle.loads(pickle.dumps(model)), suffice.load(tmp_path / "it")):
        np.testing.assert_array_equal(copied.predict_proba(table), before["proba"])
    assert getattr(model, name) == OTHER[name] == getattr(clone(model), name)  # it waits for the next fit


@pytest.mark.parametrize("name", ["smoothing", "priors", "unseen", "estimate"])
def test_the_next_fit_takes_it_up(name):
    late = NaiveBayes().fit(MIXED, SPECIES).set_params(**{name: OTHER[name]}).fit(MIXED, SPECIES)
    early = NaiveBayes(**{name: OTHER[name]}).fit(MIXED, SPECIES)
    for table in (MIXED, ODD):
        np.testing.assert_array_equal(late.log_joint(table), early.log_joint(table))


@pytest.mark.parametrize("name", ["smoothing", "priors", "unseen", "estimate", "kinds"])
def test_parameters_that_are_worked_out_late_are_those_of_learning(name):
    """partial_fit leaves the estimates for later."""
    late = NaiveBayes().partial_fit(MIXED, SPECIES).set_params(**{name: OTHER[name]})
    np.testing.assert_array_equal(late.log_joint(MIXED), NaiveBayes().fit(MIXED, SPECIES).log_joint(MIXED))


def test_partial_fit_takes_up_what_changes_no_statistics():
    model = NaiveBayes().partial_fit(MIXED, SPECIES).set_params(priors=PRIORS, smoothing=3.0)
    twice = model.partial_fit(MIXED, SPECIES)
    expected = NaiveBayes(priors=PRIORS, smoothing=3.0).fit(MIXED, SPECIES, sample_weight=np.full(len(SPECIES), 2.0))
    np.testing.assert_allclose(twice.log_joint(MIXED), expected.log_joint(MIXED), rtol=1e-12)


@pytest.mark.parametrize(
    ("settings", "error", "found"),
    [
        ({"components": 2}, HiddenLabelsError, "one component for each class"),
        ({"em": EM(label_noise="estimate")}, HiddenLabelsError, "never wrong"),
        ({"kinds": {"body_mass_g": "poisson"}}, ParameterError, "cannot be modelled as"),
        ({"smoothing": -1.0}, ParameterError, "0 or more"),
        ({"joint": (list("ab") for _ in range(2))}, ParameterError, "Use a list or a dict"),
    ],
    ids=["components", "noise", "kinds", "smoothing", "no value"],
)
def test_partial_fit_refuses_what_its_statistics_cannot_say_and_stays_as_it_was(settings, error, found):
    model = NaiveBayes().fit(MIXED, SPECIES)
    before = model.log_joint(MIXED)
    with pytest.raises(error, match=found):
        model.set_params(**settings).partial_fit(MIXED, SPECIES)
    np.testing.assert_array_equal(model.log_joint(MIXED), before)
    assert model.summary_.n == len(SPECIES)


def test_parameters_changed_where_they_lie_change_nothing_that_was_fitted(tmp_path):
    """A dict or an array handed in stays the user's own."""
    kinds, priors = {"body_mass_g": "ignore"}, np.array([0.2, 0.3, 0.5])
    model = NaiveBayes(kinds=kinds, priors=priors).partial_fit(MIXED, SPECIES)
    expected = NaiveBayes(kinds=dict(kinds), priors=priors.copy()).fit(MIXED, SPECIES).log_joint(MIXED)
    kinds["body_mass_g"], kinds["island"], priors[:] = "gaussian", "ignore", (0.5, 0.5, 0.0)
    np.testing.assert_array_equal(model.log_joint(MIXED), expected)
    model.save(tmp_path / "it")
    np.testing.assert_array_equal(suffice.load(tmp_path / "it").log_joint(MIXED), expected)


def test_an_attribute_is_a_parameter_too(tmp_path):
    model = Mixture(2).fit(BILLS)
    model.components, model.shape = 4, "diagonal"
    model.save(tmp_path / "it")
    again = suffice.load(tmp_path / "it")
    assert (again.components, again.shape) == (2, "full")
    assert "full covariance" in str(again)
    assert "full covariance" in str(model)


@pytest.mark.parametrize("labels", [HIDDEN, SPECIES])
def test_a_model_from_a_summary_or_a_file_keeps_the_rule(labels, tmp_path):
    model = NaiveBayes().fit(BILLS, labels) if labels is HIDDEN else NaiveBayes.from_summary(collect(BILLS, labels))
    expected = model.log_joint(BILLS)
    for name in ("first", "second"):
        model.set_params(priors=PRIORS, estimate="predictive", smoothing=9.0).save(tmp_path / name)
        model = suffice.load(tmp_path / name)
        np.testing.assert_array_equal(model.log_joint(BILLS), expected)


def test_settings_left_to_the_rows_are_saved_as_they_were_chosen(tmp_path):
    model = NaiveBayes(smoothing="auto").fit(MIXED, SPECIES)
    model.set_params(smoothing="auto", priors="uniform").save(tmp_path / "it")
    again = suffice.load(tmp_path / "it")
    assert again.smoothing == 1.0  # the plain one, from which no other differs by a standard error
    np.testing.assert_array_equal(again.log_joint(MIXED), model.log_joint(MIXED))
    assert leave_one_out(model, MIXED, SPECIES).accuracy > 0.9  # of the model that "auto" stands for
    assert not hasattr(model.set_params(smoothing=1.0).fit(MIXED, SPECIES), "tuned_")


@pytest.mark.parametrize("estimator", [NaiveBayes(), LogisticRegression()], ids=lambda model: type(model).__name__)
def test_decisions_keep_the_priors_and_the_loss_they_were_fitted_with(estimator):
    table, labels = np.column_stack([[0.0, 1, 2, 3, 7, 8, 9, 9.5]]), np.repeat([0, 1], 4)
    priors = {0: 0.1, 1: 0.9}
    model = BayesDecision(estimator, priors=priors).fit(table, labels)
    before, costs = model.predict_proba(table), model.conditional_risk(table)
    priors[0], priors[1] = 0.9, 0.1
    model.set_params(reject=0.01, loss=Loss.zero_one([0, 1]))
    if isinstance(estimator, NaiveBayes):
        model.set_params(estimator__priors="uniform", estimator__estimate="predictive")
        model.estimator_.set_params(priors=[0.5, 0.5])
    for some in (model, model.set_params(priors=None), deepcopy(model), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(some.predict_proba(table), before)
        np.testing.assert_array_equal(some.conditional_risk(table), costs)


@pytest.mark.parametrize(
    "again",
    [
        lambda model: model.fit({"other": [1.0, np.inf, 2.0]}, ["a", "b", "b"]),
        lambda model: model.fit(BILLS, SPECIES[:-1]),
        lambda model: model.set_params(priors=[1.0, 1.0, 1.0]).fit(BILLS, SPECIES),
        lambda model: model.partial_fit({"bill_length_mm": [np.inf]}, ["Adelie"]),
        lambda model: model.partial_fit(BILLS, HIDDEN),
    ],
)
def test_a_model_that_could_not_learn_is_what_it_was(again):
    model = NaiveBayes().fit(BILLS, SPECIES)
    before = model.log_joint(BILLS), model.n_features_in_, model.feature_names_in_.tolist()
    with pytest.raises(SufficeError):
        again(model)
    np.testing.assert_array_equal(model.log_joint(BILLS), before[0])
    assert (model.n_features_in_, model.feature_names_in_.tolist()) == before[1:]


def test_a_mixture_that_could_not_learn_is_what_it_was():
    model = Mixture(2).fit(BILLS)
    before = model.score_samples(BILLS)
    with pytest.raises(ParameterError, match="whole number"):
        model.set_params(components=0).fit(BILLS)
    with pytest.raises(SufficeError):
        model.set_params(components=2).fit({"a": [1.0, np.inf, 3.0]})
    np.testing.assert_array_equal(model.score_samples(BILLS), before)


def test_a_first_fit_that_fails_leaves_a_model_not_fitted(tmp_path):
    model = NaiveBayes()
    with pytest.raises(SufficeError):
        model.fit({"a": [1.0, np.inf]}, [0, 1])
    with pytest.raises(ValueError, match="not fitted"):
        model.save(tmp_path / "it")
    with pytest.raises((FileError, FileNotFoundError)):
        suffice.load(tmp_path / "it")


def test_noise_learned_by_an_earlier_fit_is_not_told_of_a_later_one():
    model = NaiveBayes(em=EM(label_noise="estimate")).fit(BILLS, SPECIES)
    assert hasattr(model, "confusion_")
    assert not hasattr(model.set_params(em__label_noise=None).fit(BILLS, SPECIES), "confusion_")


GIVEN = {name: {one: 0.9 if one == name else 0.05 for one in PRIORS} for name in PRIORS}


@pytest.mark.parametrize("noise", ["estimate", GIVEN], ids=["learned", "given"])
def test_the_noise_that_was_learned_is_saved(noise, tmp_path):
    model = NaiveBayes(em=EM(label_noise=noise)).fit(BILLS, SPECIES)
    model.save(tmp_path / "it")
    again = suffice.load(tmp_path / "it")
    np.testing.assert_array_equal(again.confusion_, model.confusion_)
    assert again.n_iter_ == model.n_iter_ >= 1
