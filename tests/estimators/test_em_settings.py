"""Settings of EM are one parameter of a classifier: cloned, searched, compared, saved, and changed by nobody else."""

import pickle
from copy import deepcopy
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import suffice
from estimators.hidden_cases import clumps
from suffice import (
    EM,
    AveragedOneDependence,
    BayesDecision,
    Calibrated,
    ComplementNaiveBayes,
    GaussianDiscriminant,
    LatentClass,
    LinearDiscriminant,
    LogisticClassifier,
    MarginClassifier,
    Mixture,
    NaiveBayes,
    NearestMean,
    QuadraticDiscriminant,
    TreeAugmentedBayes,
    auto,
    collect,
    store,
)
from suffice.errors import FileError, HiddenLabelsError, ParameterError, UnknownParameterError
from suffice.model.rules import Control

pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.UndeterminedWarning")
X, which = clumps(40, 2)
LABELS = np.where(np.arange(40) % 4, np.array(["a", "b"])[which], None)
NOISE = {"a": {"a": 0.9, "b": 0.1}, "b": {"a": 0.2, "b": 0.8}}
OTHER = {  # another value of each setting, in the order of the constructor
    "unlabelled_weight": 0.5,
    "label_noise": NOISE,
    "restarts": 3,
    "tol": 1e-3,
    "max_iter": 50,
    "intervals": ("bootstrap", 20),
    "random_state": 7,
}
CLASSIFIERS = [
    NaiveBayes,
    GaussianDiscriminant,
    LinearDiscriminant,
    QuadraticDiscriminant,
    NearestMean,
    TreeAugmentedBayes,
]
WITHOUT = [AveragedOneDependence, ComplementNaiveBayes, LogisticClassifier, MarginClassifier]
each_classifier = pytest.mark.parametrize("face", CLASSIFIERS)
each_setting = pytest.mark.parametrize("name", OTHER)


# the settings by themselves


def test_settings_stand_in_one_order_and_have_the_values_that_are_usual():
    assert vars(EM()) == {
        "unlabelled_weight": "auto",
        "label_noise": None,
        "restarts": 10,
        "tol": 1e-6,
        "max_iter": 500,
        "intervals": None,
        "random_state": 0,
    }
    assert vars(EM(*OTHER.values())) == OTHER
    assert EM("auto") == EM()


@each_setting
def test_the_same_settings_are_equal_and_others_are_not(name):
    assert EM(**{name: OTHER[name]}) == EM(**{name: deepcopy(OTHER[name])})
    assert EM(**{name: OTHER[name]}) != EM()
    assert EM() != EM().get_params()


def test_a_copy_of_any_kind_is_equal_and_another_object():
    em = EM(**OTHER)
    for copied in (clone(em), deepcopy(em), pickle.loads(pickle.dumps(em))):
        assert copied == em
        assert copied is not em
        assert copied.label_noise is not em.label_noise


def test_settings_print_what_differs_from_the_usual():
    assert repr(EM()) == "EM()"
    assert repr(NaiveBayes(em=EM(1.0, restarts=3))) == "NaiveBayes(em=EM(restarts=3, unlabelled_weight=1.0))"
    assert repr(NaiveBayes()) == "NaiveBayes()"


def test_what_they_say_to_the_search_is_checked():
    control = EM(**OTHER).control()
    assert isinstance(control, Control)
    assert (control.tol, control.max_iter, control.restarts, control.random_state) == (1e-3, 50, 3, 7)
    assert (control.intervals, control.unlabelled_weight) == (("bootstrap", 20), 0.5)
    for name, wrong in {"restarts": 0, "tol": -1, "max_iter": 1.5, "unlabelled_weight": 2, "intervals": "all"}.items():
        with pytest.raises(ParameterError, match=f"{name}.* must be .*found"):
            EM(**{name: wrong}).control()


def test_a_setting_that_em_does_not_have_is_refused_with_those_it_has():
    with pytest.raises(
        UnknownParameterError, match=r"EM has no parameter 'restart'\. It has unlabelled_weight, label_"
    ):
        EM(restart=3)
    for model in (NaiveBayes(), NaiveBayes(em=EM())):
        with pytest.raises(ValueError, match="Invalid parameter 'components' for estimator EM"):
            model.set_params(em__components=3)


# as a parameter of a classifier


@each_classifier
@each_setting
def test_a_setting_is_given_read_and_set_through_the_classifier(face, name):
    model = face().set_params(**{f"em__{name}": OTHER[name]})
    assert model.em == EM(**{name: OTHER[name]})
    assert model.get_params()[f"em__{name}"] == OTHER[name]
    assert clone(model).em == model.em
    assert clone(model).em is not model.em
    assert face(**model.get_params(deep=False)).em is model.em
    assert "em" in face().get_params()
    assert face().em is None


@each_classifier
def test_an_em_that_somebody_holds_is_never_changed(face):
    shared = EM(restarts=2)
    one, other = face(em=shared), face(em=shared)
    one.set_params(em__restarts=5, em__tol=1e-3)
    assert (shared, other.em) == (EM(restarts=2), EM(restarts=2))
    assert other.em is shared
    assert one.em == EM(restarts=5, tol=1e-3)
    one.set_params(em=shared, em__max_iter=9)
    assert one.em == EM(restarts=2, max_iter=9)
    assert shared == EM(restarts=2)


def test_a_setting_that_is_refused_changes_nothing():
    model = NaiveBayes(em=EM(restarts=2))
    before = model.em
    with pytest.raises(ValueError, match="Invalid parameter"):
        model.set_params(em__restarts=4, em__starts=4)
    assert model.em is before == EM(restarts=2)


def test_settings_changed_after_fitting_wait_for_the_next_fit():
    em = EM(unlabelled_weight=1.0)
    model = QuadraticDiscriminant(em=em).fit(X, LABELS)
    before = model.predict_proba(X)
    em.unlabelled_weight = 0.0
    model.set_params(em__label_noise=NOISE)
    np.testing.assert_array_equal(model.predict_proba(X), before)
    assert model.unlabelled_weight_ == 1.0
    alone = model.set_params(em=em).fit(X, LABELS)
    np.testing.assert_array_equal(
        alone.predict_proba(X), QuadraticDiscriminant(em=EM(0.0)).fit(X, LABELS).predict_proba(X)
    )


@each_classifier
def test_where_nothing_is_hidden_settings_change_no_answer(face):
    labels = np.array(["a", "b"])[which]
    usual, other = face(), face(em=EM(0.5, restarts=2, tol=1e-2, max_iter=3, random_state=5))
    np.testing.assert_array_equal(usual.fit(X, labels).predict_proba(X), other.fit(X, labels).predict_proba(X))


@each_classifier
def test_nothing_given_is_the_usual_settings(face):
    none, usual = face(em=None).fit(X, LABELS), face(em=EM()).fit(X, LABELS)
    np.testing.assert_array_equal(none.predict_proba(X), usual.predict_proba(X))
    assert none.unlabelled_weight_ == usual.unlabelled_weight_


# searches of scikit-learn


@pytest.mark.parametrize("em", [None, EM(), EM(tol=1e-4)], ids=str)
def test_a_grid_search_varies_settings(em):
    rows, labels = clumps(60, 2, 3)
    model = NaiveBayes(components=2, em=em)
    search = GridSearchCV(model, {"em__restarts": [1, 2], "em__max_iter": [400, 500]}, cv=2).fit(rows, labels)
    assert search.best_estimator_.em.restarts in (1, 2)
    assert search.best_estimator_.em.tol == (1e-6 if em is None else em.tol)
    assert len(search.cv_results_["params"]) == 4
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert model.em is em
    assert em in (None, EM(), EM(tol=1e-4))


def test_a_grid_search_varies_whole_settings():
    grid = {"em": [None, EM(unlabelled_weight=0), EM(unlabelled_weight=1)]}
    search = GridSearchCV(LinearDiscriminant(), grid, cv=2).fit(X, which)
    assert search.cv_results_["params"] == [{"em": em} for em in grid["em"]]


def test_scores_of_folds_are_those_of_the_settings():
    rows, labels = clumps(60, 2, 3)
    model = NaiveBayes(components=2, em=EM(restarts=2))
    assert np.isfinite(cross_val_score(model.set_params(em__restarts=1), rows, labels, cv=3)).all()


@pytest.mark.parametrize(
    ("around", "path"),
    [
        (make_pipeline(StandardScaler(), NaiveBayes()), "naivebayes__em__restarts"),
        (Calibrated(NaiveBayes()), "estimator__em__restarts"),
        (BayesDecision(NaiveBayes()), "estimator__em__restarts"),
    ],
    ids=["pipeline", "calibrated", "decision"],
)
def test_settings_are_set_through_what_is_around_the_classifier(around, path):
    around = clone(around).set_params(**{path: 4})
    assert around.get_params()[path] == 4
    assert around.get_params()[path.removesuffix("__restarts")] == EM(restarts=4)


# refusals


WRONG = {
    "a number": (3, r"em must be EM\(\.\.\.\) or None; found 3\. Write em=EM\(restarts=3\), say"),
    "a name": ("auto", r"found 'auto'\. Write em=EM\("),
    "a dict": (
        {"restarts": 3, "tol": 0.1},
        r"found \{'restarts': 3, 'tol': 0\.1\}\. Write em=EM\(restarts=3, tol=0\.1\)\.",
    ),
    "another dict": ({"starts": 3}, r"found \{'starts': 3\}\. Write em=EM\(restarts=3\), say"),
    "no dict": ({}, r"found \{\}\. Write em=EM\("),
    "the class": (EM, r"found <class .*EM'>\. Write em=EM\("),
    "a model": (Mixture(2), r"found Mixture\(components=2\)\. Write em=EM\("),
}


@each_classifier
@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_no_em_is_refused_with_what_to_write(face, wrong):
    given, told = WRONG[wrong]
    for learn in (
        lambda: face(em=given).fit(X, which),
        lambda: face(em=given).partial_fit(X, which),
        lambda: face(em=given).set_params(em__restarts=3),
        lambda: face.from_summary(collect(X, which, joint=True, pairs=True), em=given),
    ):
        with pytest.raises(ParameterError, match=told):
            learn()


@each_classifier
@each_setting
def test_a_setting_by_itself_is_refused_with_the_way_to_write_it(face, name):
    told = rf"{face.__name__} has no parameter '{name}'\. {name}=… is a setting of EM: em=EM\({name}=…\)\."
    with pytest.raises(UnknownParameterError, match=told):
        face(**{name: OTHER[name]})
    with pytest.raises(UnknownParameterError, match=told):
        face().set_params(**{name: OTHER[name]})
    with pytest.raises(UnknownParameterError, match=told):
        GridSearchCV(face(), {name: [OTHER[name]]}, error_score="raise").fit(X, which)


def test_auto_says_the_same_of_settings_that_no_model_has():
    with pytest.raises(ParameterError, match=r"restarts=… is a setting of EM: em=EM\(restarts=…\)"):
        auto(X, which, restarts=3)
    with pytest.raises(ParameterError, match=r"has all of the settings size\.$"):
        auto(X, which, size=3)


@pytest.mark.parametrize("face", WITHOUT)
def test_models_without_em_have_none_of_it(face):
    assert "em" not in face().get_params()
    for name in ("em", "label_noise"):
        with pytest.raises(UnknownParameterError, match=rf"no parameter '{name}'\. It has"):
            face(**{name: None})
    with pytest.raises(ValueError, match="Invalid parameter 'em'"):
        face().set_params(em__restarts=3)


@pytest.mark.parametrize("face", [Mixture, LatentClass])
def test_mixtures_are_em_and_keep_their_own(face):
    assert face(2, restarts=3, tol=1e-3, max_iter=9, random_state=1, intervals="scores").restarts == 3
    with pytest.raises(UnknownParameterError, match=r"no parameter 'em'\. It has components, "):
        face(2, em=EM())


@pytest.mark.parametrize(
    ("em", "told"),
    [
        (EM(label_noise="estimate"), r"no label_noise\. Leave it out of em=EM\(\.\.\.\), or use NaiveBayes"),
        (EM(label_noise=NOISE), r"no label_noise"),
        (EM(intervals="information"), r"Leave intervals out of em=EM\(\.\.\.\), or use NaiveBayes"),
    ],
    ids=str,
)
@pytest.mark.parametrize("labels", [which, LABELS], ids=["known", "hidden"])
def test_a_tree_refuses_settings_that_it_has_no_use_for(em, told, labels):
    with pytest.raises(ParameterError, match=told):
        TreeAugmentedBayes(em=em).fit(X, labels)


def test_the_starts_and_the_seed_do_not_matter_to_a_tree():
    found = [TreeAugmentedBayes(em=em).fit(X, LABELS).predict_proba(X) for em in (None, EM(restarts=2, random_state=9))]
    np.testing.assert_array_equal(*found)


def test_statistics_alone_refuse_labels_that_may_be_wrong():
    with pytest.raises(HiddenLabelsError, match="labels that are never wrong"):
        NaiveBayes.from_summary(collect(X, which), em=EM(label_noise="estimate"))


# files


SAVED = Path(__file__).parents[1] / "reference" / "saved"
SETTINGS = [
    None,
    EM(),
    EM(label_noise=NOISE),
    EM(label_noise="estimate", restarts=np.int64(2), tol=np.float32(1e-4), max_iter=900),
    EM(unlabelled_weight=0.25, intervals=("bootstrap", 5), random_state=np.uint8(3)),
]


@pytest.mark.parametrize("em", SETTINGS, ids=str)
def test_settings_come_back_from_a_file(em, tmp_path):
    model = NaiveBayes(em=em).fit(X, LABELS)
    model.save(tmp_path / "it")
    again = suffice.load(tmp_path / "it")
    assert again.em == em
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(again.fit(X, LABELS).predict_proba(X), model.predict_proba(X))


def test_a_file_holds_them_as_plain_data(tmp_path):
    NaiveBayes(em=EM(label_noise=NOISE)).fit(X, LABELS).save(tmp_path / "it")
    parameters = store.read(tmp_path / "it")[0]["model"]["parameters"]
    assert parameters["em"]["em"]["restarts"] == 10
    assert not set(OTHER) & set(parameters)
    assert not [name for name in parameters if "__" in name]


def flat(path, version, changed=None):
    """The file as it was written before: settings of EM beside the others."""
    header, arrays = store.read(path)
    inner = header.get("inner", header)["model"]["parameters"]
    inner |= inner.pop("em")["em"] | (changed or {})
    store.write(path, header | {"version": version}, arrays)


@each_classifier
@pytest.mark.parametrize("version", [1, 2])
def test_a_file_with_settings_beside_the_others_means_the_same(face, version, tmp_path):
    em = EM(unlabelled_weight=0.25, tol=1e-4, restarts=3)
    model = face(em=em).fit(X, LABELS)
    model.save(tmp_path / "it")
    flat(tmp_path / "it", version)
    again = suffice.load(tmp_path / "it")
    assert again.em == em
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_label_noise_of_such_a_file_is_kept(tmp_path):
    model = NaiveBayes(em=EM(label_noise=NOISE)).fit(X, LABELS)
    model.save(tmp_path / "it")
    flat(tmp_path / "it", 2)
    again = suffice.load(tmp_path / "it")
    assert again.em == EM(label_noise=NOISE)
    np.testing.assert_array_equal(again.confusion_, model.confusion_)


def test_a_model_inside_another_is_read_from_such_a_file_too(tmp_path):
    model = BayesDecision(NaiveBayes(em=EM(restarts=3)), reject=0.1).fit(X, which)
    model.save(tmp_path / "it")
    flat(tmp_path / "it", 2)
    assert suffice.load(tmp_path / "it").estimator.em == EM(restarts=3)


def test_usual_settings_of_such_a_file_are_none():
    assert suffice.load(SAVED / "naive_bayes_hidden.suffice").em is None
    assert suffice.load(SAVED / "mixture.suffice").restarts == 10
    assert repr(suffice.load(SAVED / "tree.suffice")) == "TreeAugmentedBayes(kinds={'visits': 'poisson'})"


@pytest.mark.parametrize("changed", [{"tol": "small"}, {"restarts": 0}, {"label_noise": 3, "shape": 3}], ids=str)
def test_settings_of_such_a_file_that_make_no_sense_are_refused(changed, tmp_path):
    NaiveBayes(em=EM()).fit(X, which).save(tmp_path / "it")
    flat(tmp_path / "it", 2, changed)
    with pytest.raises(FileError, match="does not hold what its header says"):
        suffice.load(tmp_path / "it")
