"""Classifiers whose labels are hidden: not known, known in part, wrong now and then; several components for a class."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.metrics import log_loss

import suffice
from estimators.hidden_cases import clumps, holed
from suffice import (
    EM,
    GaussianDiscriminant,
    LinearDiscriminant,
    Mixture,
    NaiveBayes,
    NearestMean,
    QuadraticDiscriminant,
    bayes_error,
    boundary,
    collect,
    cross_validate,
    error_bound,
    evidence_of_columns,
    explain,
    leave_one_out,
    tune,
)
from suffice.errors import HiddenLabelsError, ParameterError, SufficeError, TableError, UnknownLabelsError

CLASSIFIERS = {
    "linear": LinearDiscriminant(),
    "linear, map": LinearDiscriminant(estimate="map"),
    "quadratic": QuadraticDiscriminant(),
    "quadratic, ml": QuadraticDiscriminant(estimate="ml"),
    "naive": NaiveBayes(),
    "naive, smoothed priors": NaiveBayes(priors="smoothed"),
    "spherical": GaussianDiscriminant("spherical"),
}
each_classifier = pytest.mark.parametrize("name", CLASSIFIERS)


def with_settings(name, **settings):
    """Rows without labels count fully, so that EM is seen at work."""
    return clone(CLASSIFIERS[name]).set_params(**{"em__unlabelled_weight": 1} | settings)


def few_labels(labelled=6, rows=400, apart=1.6, seed=0):
    """Rows of two classes of which a few are labelled, and rows to try."""
    rng = np.random.default_rng(seed)
    y = np.arange(2 * rows) % 2
    X = rng.normal(size=(2 * rows, 4)) + apart * (y[:, None] - 0.5)
    known = np.where(np.arange(rows) < labelled, y[:rows], -1)
    return X[:rows], known, X[rows:], y[rows:]


def parameters(model):
    return np.concatenate([array.ravel() for name, array in model.joint_.packed()[1].items() if name != "owners"])


# all known, all hidden


@each_classifier
def test_with_all_labels_known_it_is_the_supervised_fit(name):
    X, y = clumps(120, 3, 3, 1.5)
    plain, hidden = with_settings(name).fit(X, y), with_settings(name, unknown=-1).fit(X, y)
    assert hidden.trace_ is None
    np.testing.assert_array_equal(hidden.predict_log_proba(X), plain.predict_log_proba(X))
    np.testing.assert_array_equal(parameters(hidden), parameters(plain))


@each_classifier
def test_a_partial_table_that_leaves_nothing_open_is_labels(name):
    X, y = clumps(120, 3, 3, 1.5)
    classes = np.array(["a", "b", "c"])
    table = pd.DataFrame({c: (classes[y] == c).astype(int) for c in ("b", "c", "a")})
    plain, partial = with_settings(name).fit(X, classes[y]), with_settings(name).fit(X, table)
    assert partial.trace_ is None
    np.testing.assert_array_equal(partial.classes_, plain.classes_)
    np.testing.assert_array_equal(partial.predict_proba(X), plain.predict_proba(X))


SAME_MODEL = [
    (GaussianDiscriminant("full"), Mixture(3, "full")),
    (GaussianDiscriminant("full", shared=True), Mixture(3, "full", True)),
    (GaussianDiscriminant("diagonal"), Mixture(3, "diagonal")),
    (GaussianDiscriminant("spherical"), Mixture(3, "spherical")),
]


@pytest.mark.parametrize("estimate, prior", [("map", "weak"), ("ml", "flat")])
@pytest.mark.parametrize("classifier, mixture", SAME_MODEL)
def test_with_all_labels_hidden_it_is_the_mixture(classifier, mixture, estimate, prior):
    """Where the classifier settles, the mixture stays: the same log likelihood, memberships and parameters."""
    X, _ = clumps(120, 2, 3, 4.0)
    anything = pd.DataFrame(1, index=range(120), columns=["a", "b", "c"])
    how = EM(tol=1e-13, max_iter=5000, random_state=4)
    found = clone(classifier).set_params(estimate=estimate, em=how).fit(X, anything)
    start = found.predict_proba(X)
    stays = clone(mixture).set_params(start=start, parameter_prior=prior, tol=1e-13, max_iter=5000).fit(X)
    assert stays.n_iter_ <= 10
    assert stays.trace_.log_likelihood[-1] == pytest.approx(found.trace_.log_likelihood[-1], abs=1e-6)
    assert stays.trace_.objective[-1] == pytest.approx(found.trace_.objective[-1], abs=1e-6)
    np.testing.assert_allclose(stays.weights_, found.priors_, atol=1e-6)
    np.testing.assert_allclose(stays.predict_proba(X), start, atol=1e-5)


# some known


@pytest.mark.filterwarnings("ignore::suffice.errors.UndeterminedWarning")
@pytest.mark.parametrize("name", ["linear", "quadratic", "naive"])
def test_rows_not_known_help(name):
    """On average over a few draws: less loss, and no fewer rows right, than with the labelled rows alone."""
    alone, helped = [], []
    for seed in range(6):
        X, y, X_new, y_new = few_labels(labelled=16, seed=seed)
        known = y >= 0
        for scores, model in [
            (alone, with_settings(name).fit(X[known], y[known])),
            (helped, with_settings(name, unknown=-1).fit(X, y)),
        ]:
            posterior = model.predict_proba(X_new)
            scores.append((log_loss(y_new, posterior), (model.classes_[posterior.argmax(axis=1)] != y_new).mean()))
    assert (np.mean(helped, axis=0) < np.mean(alone, axis=0)).all()


def spelled(y, how):
    names = np.array(["no", "yes"], dtype=object)
    if how == "value":
        return np.where(y < 0, "?", names[y])
    if how == "None":
        return [None if label < 0 else names[label] for label in y]
    if how == "NaN":
        return pd.Series([np.nan if label < 0 else names[label] for label in y], dtype=object)
    return pd.DataFrame({"no": (y != 1) * 1, "yes": (y != 0) * 1})


@pytest.mark.parametrize("how", ["None", "NaN", "partial"])
def test_all_ways_to_say_not_known_mean_the_same(how):
    X, y, X_new, _ = few_labels(rows=100)
    one = with_settings("linear", unknown="?").fit(X, spelled(y, "value"))
    other = with_settings("linear").fit(X, spelled(y, how))
    np.testing.assert_array_equal(other.classes_, ["no", "yes"])
    np.testing.assert_allclose(other.predict_proba(X_new), one.predict_proba(X_new), rtol=1e-12)
    np.testing.assert_allclose(other.trace_.objective, one.trace_.objective, rtol=1e-12)


def test_numbers_with_nan_are_labels_too():
    X, y, X_new, _ = few_labels(rows=100)
    floats = with_settings("linear").fit(X, np.where(y < 0, np.nan, y))
    integers = with_settings("linear", unknown=-1).fit(X, y)
    np.testing.assert_array_equal(floats.predict_proba(X_new), integers.predict_proba(X_new))


@each_classifier
def test_the_objective_never_falls_with_hidden_labels(name):
    X, y, _, _ = few_labels(20, 200)
    if CLASSIFIERS[name].get_params()["estimate"] == "ml":
        y = np.where(np.arange(200) < 60, np.arange(200) % 2, y)
    trace = with_settings(name, unknown=-1, em__max_iter=2000).fit(X, y).trace_
    assert (np.diff(trace.objective) >= -1e-9 * (1 + np.abs(trace.objective[1:]))).all()
    assert (trace.kl >= -1e-9 * (1 + np.abs(trace.objective))).all()
    np.testing.assert_allclose(trace.log_likelihood, trace.bound + trace.kl, rtol=1e-12)


def test_a_weight_is_a_repetition_with_hidden_labels():
    X, y, X_new, _ = few_labels(20, 100)
    times = np.arange(100) % 3 + 1
    weighted = LinearDiscriminant(unknown=-1, em=EM(unlabelled_weight=1)).fit(X, y, sample_weight=times)
    repeated = LinearDiscriminant(unknown=-1, em=EM(unlabelled_weight=1)).fit(
        np.repeat(X, times, axis=0), np.repeat(y, times)
    )
    np.testing.assert_allclose(weighted.predict_proba(X_new), repeated.predict_proba(X_new), rtol=1e-8)


def test_a_label_known_is_kept_whatever_the_columns_say():
    """Trusted labels: P(class | row, label) is 1, so the counts of the known classes never fall below their rows."""
    X, y, _, _ = few_labels(40, 200)
    model = with_settings("linear", unknown=-1).fit(X, y)
    assert (model.summary_.statistics.weight >= np.bincount(y[y >= 0]) - 1e-9).all()
    assert model.summary_.statistics.weight.sum() == pytest.approx(200)


def test_partial_labels_help():
    """Three classes; each unlabelled row has one class excluded."""
    X, y = clumps(600, 2, 3, 1.2, seed=2)
    rng = np.random.default_rng(0)
    out = (y + rng.integers(1, 3, 600)) % 3
    known = np.arange(600) < 9
    allowed = np.ones((600, 3), dtype=int)
    allowed[np.arange(600), out] = 0
    allowed[known] = np.eye(3, dtype=int)[y[known]]
    partial = QuadraticDiscriminant().fit(X, pd.DataFrame(allowed, columns=["a", "b", "c"]))
    full = QuadraticDiscriminant().fit(X, np.array(["a", "b", "c"])[y])
    np.testing.assert_allclose(partial.means_, full.means_, atol=0.3)
    assert (partial.predict(X) == full.predict(X)).mean() > 0.95


def test_missing_cells_and_hidden_labels_together(tmp_path):
    X, y, X_new, y_new = few_labels(60, 300, apart=2.5)
    model = QuadraticDiscriminant(unknown=-1).fit(holed(X), y)
    assert (model.predict(X_new) == y_new).mean() > 0.9
    model.save(tmp_path / "model")
    again = suffice.load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict_proba(holed(X_new)), model.predict_proba(holed(X_new)))


@pytest.mark.filterwarnings("ignore::suffice.errors.UndeterminedWarning")
@pytest.mark.parametrize("settings", [{"unknown": -1}, {"components": {0: 2, 1: 1}, "unknown": -1}], ids=str)
def test_saved_and_loaded_bit_for_bit(settings, tmp_path):
    X, y, X_new, _ = few_labels(30, 200)
    model = QuadraticDiscriminant(**settings).fit(X, y)
    model.save(tmp_path / "model")
    again = suffice.load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict_log_proba(X_new), model.predict_log_proba(X_new))
    np.testing.assert_array_equal(again.classes_, model.classes_)
    assert again.get_params() == model.get_params()


# wrong labels


NOISE = np.array([[0.9, 0.1], [0.4, 0.6]])  # class down, label across: class "b" is often called "a"


def noisy(rows=1500, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, rows)
    X = rng.normal(size=(rows, 3)) + 1.5 * y[:, None]
    said = (rng.random(rows) > NOISE[y, 0]).astype(int)
    names = np.array(["a", "b"])
    return X, names[said], names[y]


GIVEN = {"a": {"a": 0.9, "b": 0.1}, "b": {"a": 0.4, "b": 0.6}}


@pytest.mark.parametrize("noise", [GIVEN, "estimate"], ids=["given", "estimated"])
def test_wrong_labels_are_found_out(noise):
    X, said, truth = noisy()
    trusting = LinearDiscriminant().fit(X, said)
    doubting = LinearDiscriminant(em=EM(label_noise=noise)).fit(X, said)
    assert (doubting.predict(X) == truth).mean() > (trusting.predict(X) == truth).mean() + 0.1
    assert log_loss(truth, doubting.predict_proba(X)) < log_loss(truth, trusting.predict_proba(X)) - 0.1
    np.testing.assert_allclose(doubting.means_, [[0, 0, 0], [1.5, 1.5, 1.5]], atol=0.2)
    np.testing.assert_allclose(doubting.priors_, [0.5, 0.5], atol=0.06)


def test_the_confusion_table_is_near_the_truth():
    X, said, _ = noisy()
    model = LinearDiscriminant(em=EM(label_noise="estimate")).fit(X, said)
    np.testing.assert_allclose(model.confusion_.sum(axis=0), 1.0)
    np.testing.assert_allclose(model.confusion_, NOISE.T, atol=0.07)  # label down, class across


def test_a_given_confusion_table_stays_as_it_is():
    X, said, _ = noisy(300)
    model = LinearDiscriminant(em=EM(label_noise=GIVEN)).fit(X, said)
    np.testing.assert_allclose(model.confusion_, NOISE.T)


def test_a_table_turned_round_is_another_model():
    """Asymmetric noise: P(label | class), not P(class | label) and not its transpose."""
    X, said, truth = noisy()
    turned = {"a": {"a": 0.6, "b": 0.4}, "b": {"a": 0.1, "b": 0.9}}
    models = [LinearDiscriminant(em=EM(label_noise=noise)).fit(X, said) for noise in (GIVEN, turned)]
    losses = [log_loss(truth, model.predict_proba(X)) for model in models]
    assert losses[0] < losses[1]


def test_labels_never_wrong_are_labels():
    X, said, _ = noisy(300)
    never = {"a": {"a": 1.0}, "b": {"b": 1.0}}
    trusting = LinearDiscriminant(estimate="ml").fit(X, said)
    doubting = LinearDiscriminant(estimate="ml", em=EM(label_noise=never)).fit(X, said)
    np.testing.assert_allclose(doubting.predict_proba(X), trusting.predict_proba(X), rtol=1e-9)
    np.testing.assert_allclose(doubting.summary_.statistics.weight, trusting.summary_.statistics.weight)


def test_noise_and_rows_not_known_together():
    X, said, truth = noisy()
    y = [label if i % 2 else None for i, label in enumerate(said)]
    model = LinearDiscriminant(em=EM(label_noise="estimate")).fit(X, y)
    assert (model.predict(X) == truth).mean() > 0.85
    np.testing.assert_allclose(model.confusion_, NOISE.T, atol=0.1)


# several components


def rings(rows=600, seed=0):
    """Class "a" is two clumps and "b" three, so that each lies between the others'."""
    rng = np.random.default_rng(seed)
    clump = rng.integers(0, 5, rows)
    centre = np.array([-8.0, -4.0, 0.0, 4.0, 8.0])[clump]  # b a b a b
    X = np.stack([centre, np.zeros(rows)], axis=1) + rng.normal(scale=0.7, size=(rows, 2))
    return X, np.array(["b", "a"])[clump % 2]


@pytest.fixture(scope="module")
def several():
    X, y = rings()
    return GaussianDiscriminant(components={"a": 2, "b": 3}).fit(X, y)


def test_several_components_find_classes_of_clumps(several):
    X, y = rings(seed=1)
    one = GaussianDiscriminant().fit(*rings())
    assert (several.predict(X) == y).mean() > 0.97
    assert (one.predict(X) == y).mean() < 0.8
    posterior = several.predict_proba(X)
    np.testing.assert_allclose(posterior.sum(axis=1), 1.0)
    assert posterior.shape == (600, 2)
    np.testing.assert_array_equal(several.classes_, ["a", "b"])
    np.testing.assert_allclose(several.priors_, [(rings()[1] == c).mean() for c in "ab"], atol=1e-9)


def test_tables_name_the_components(several):
    table = several.tables()["class"]
    np.testing.assert_array_equal(table["class"], ["a (1)", "a (2)", "b (1)", "b (2)", "b (3)"])
    assert table["prior"].sum() == pytest.approx(1.0)
    assert (np.diff(table["prior"][:2]) <= 0).all()
    assert (np.diff(table["prior"][2:]) <= 0).all()
    np.testing.assert_allclose(np.sort(several.means_[:, 0]), [-8, -4, 0, 4, 8], atol=0.3)
    assert "a (1)" in str(several)


def test_several_components_saved_and_loaded(several, tmp_path):
    X, _ = rings(seed=1)
    several.save(tmp_path / "model")
    again = suffice.load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict_log_proba(X), several.predict_log_proba(X))
    np.testing.assert_array_equal(again.tables()["class"]["class"], several.tables()["class"]["class"])


@pytest.mark.parametrize("shared", [False, True], ids=["own", "shared"])
def test_the_error_of_several_components(shared):
    model = GaussianDiscriminant(shared=shared, components={"a": 2, "b": 3}).fit(*rings())
    X, y = rings(4000, seed=2)
    assert bayes_error(model, draws=20_000).value == pytest.approx((model.predict(X) != y).mean(), abs=0.01)


CLOSED = {
    "boundary": lambda model, X: boundary(model, "a", "b"),
    "explain": lambda model, X: explain(model, X),
    "bound of the error": lambda model, X: error_bound(model),
}
INTERVALS = {
    "of posteriors": lambda model, X: model.predict_interval(X),
    "of parameters": lambda model, X: model.tables(level=0.95),
}


@pytest.mark.parametrize("interval", INTERVALS)
def test_parameters_found_by_em_have_no_intervals(several, interval):
    with pytest.raises(HiddenLabelsError, match="no distribution in closed form"):
        INTERVALS[interval](several, rings()[0][:2])


@pytest.mark.parametrize("closed_form", CLOSED)
def test_closed_forms_refuse_several_components(several, closed_form):
    with pytest.raises(ParameterError, match="needs one component for each class; this model has 5"):
        CLOSED[closed_form](several, rings()[0][:2])


LINEAR = {
    "weights": lambda model, X: model.coef_,
    "offsets": lambda model, X: model.intercept_,
    "directions": lambda model, X: model.transform(X),
}


@pytest.mark.parametrize("linear", LINEAR)
def test_linear_scores_refuse_several_components(linear):
    """Sums over components are not linear in the columns."""
    X, y = rings()
    model = LinearDiscriminant(components=2).fit(X, y)
    with pytest.raises(ParameterError, match="one component for each class"):
        LINEAR[linear](model, X)
    log_joint = model.log_joint(X)
    np.testing.assert_allclose(model.decision_function(X), log_joint[:, 1] - log_joint[:, 0])


def test_one_component_for_a_class_not_named():
    X, y = rings()
    model = GaussianDiscriminant(components={"b": 3}).fit(X, y)
    assert list(model.tables()["class"]["class"]) == ["a (1)", "b (1)", "b (2)", "b (3)"]


def test_several_components_of_naive_bayes_and_nearest_mean():
    X, y = rings()
    for model in (NaiveBayes(components={"a": 2, "b": 3}), NearestMean(components={"a": 2, "b": 3})):
        assert (model.fit(X, y).predict(X) == y).mean() > 0.93


# what cannot be


def test_a_row_that_can_be_of_no_class():
    X, _ = clumps(4, 2, 2)
    with pytest.raises(TableError, match=r"Row 2 of the partial labels allows no class;"):
        LinearDiscriminant().fit(X, pd.DataFrame({"a": [1, 1, 0, 0], "b": [0, 1, 0, 1]}))


def test_partial_labels_are_0_or_1():
    with pytest.raises(TableError, match="table of 0 and 1"):
        LinearDiscriminant().fit(clumps(4, 2, 2)[0], pd.DataFrame({"a": [1, 1, 0, 0], "b": [0, 1, 2, 1]}))


def test_a_confusion_table_sums_to_1():
    X, said, _ = noisy(50)
    with pytest.raises(ParameterError, match=r"must sum to 1; found \{'a': 0\.9, 'b': 1\.0\}"):
        LinearDiscriminant(em=EM(label_noise={"a": {"a": 0.9}, "b": {"a": 0.4, "b": 0.6}})).fit(X, said)


@pytest.mark.parametrize("noise", ["guess", {"a": {"a": 1.0}}, 0.1, {"a": {"a": 0.9, "c": 0.1}, "b": {"b": 1.0}}])
def test_noise_that_cannot_be(noise):
    X, said, _ = noisy(50)
    with pytest.raises(ParameterError, match=r"label_noise must be 'estimate', or|must sum to 1"):
        LinearDiscriminant(em=EM(label_noise=noise)).fit(X, said)


@pytest.mark.parametrize("components", [{"nobody": 2}, 0, {"a": 1.5}, "two"])
def test_components_that_cannot_be(components):
    X, said, _ = noisy(50)
    with pytest.raises(ParameterError, match=r"or one for each class \['a', 'b'\]; found"):
        LinearDiscriminant(components=components).fit(X, said)


@pytest.mark.parametrize(
    "settings", [{"estimate": "unbiased"}, {"estimate": "mean"}, {"estimate": "predictive"}, {"shrink_spherical": 0.1}]
)
def test_estimates_that_em_cannot_climb(settings):
    X, y, _, _ = few_labels(20, 60)
    with pytest.raises(HiddenLabelsError, match=r"EM may not converge\. (Use estimate='map' or 'ml'|Leave both out)"):
        QuadraticDiscriminant(unknown=-1, **settings).fit(X, y)


def test_batches_need_all_labels():
    X, y, _, _ = few_labels(20, 60)
    with pytest.raises(HiddenLabelsError, match="needs the class of every row"):
        NaiveBayes(em=EM(unlabelled_weight=1), unknown=-1).partial_fit(X, y, classes=[0, 1])
    known = NaiveBayes(em=EM(unlabelled_weight=1), unknown=-1).partial_fit(X[:20], y[:20])
    with pytest.raises(HiddenLabelsError, match=r"needs the class of every row|here every row needs"):
        known.partial_fit(X[10:], y[10:])
    with pytest.raises(HiddenLabelsError, match="needs the class of every row"):
        NaiveBayes(em=EM(unlabelled_weight=1), unknown=-1).fit(X, y).partial_fit(X[:20], y[:20])
    with pytest.raises(HiddenLabelsError, match="one component for each class"):
        NaiveBayes(em=EM(unlabelled_weight=1), components=2).partial_fit(X[:20], y[:20])


@pytest.mark.parametrize("unknown, mark", [(-1, -1), (None, np.nan)])
def test_exact_validation_needs_all_labels(unknown, mark):
    X, y, _, _ = few_labels(20, 60)
    with pytest.raises(HiddenLabelsError, match=r"cross_validate\(model, X, y, folds=10\), which fits again"):
        leave_one_out(LinearDiscriminant(unknown=unknown), X, np.where(y < 0, mark, y))


VALIDATIONS = {
    "leave one out": leave_one_out,
    "evidence": evidence_of_columns,
    "summary": lambda model, X, y: type(model).from_summary(collect(X, y), **model.get_params(deep=False)),
}


@pytest.mark.parametrize("how", VALIDATIONS)
@pytest.mark.parametrize("settings", [{"components": 2}, {"em": EM(label_noise="estimate")}], ids=str)
def test_what_follows_from_statistics_refuses_what_em_must_find(how, settings):
    """A number for another model, one component for each class and labels trusted, would be a wrong answer."""
    X, y = rings(80)
    with pytest.raises(SufficeError, match=r"component|hidden|label"):
        VALIDATIONS[how](GaussianDiscriminant(**settings), X, y)


@pytest.mark.parametrize("settings", [{"components": 2}, {"em": EM(label_noise="estimate")}], ids=str)
def test_tuning_goes_by_folds_where_something_is_hidden(settings):
    X, y = rings(80)
    model = GaussianDiscriminant(shared="auto", **settings).set_params(em__restarts=2)
    found = tune(model, X, y, over=["shared"])
    assert {trial.validation.how for trial in found.trials} == {"10-fold cross-validation (refitted)"}
    assert found.trials[0] is found.best
    assert model.fit(X, y).tuned_.best.name == found.best.name


@pytest.mark.filterwarnings("ignore::suffice.errors.UndeterminedWarning")
@pytest.mark.parametrize("settings", [{"components": 2}, {"em": EM(label_noise="estimate")}, {"unknown": -1}], ids=str)
def test_folds_are_refitted_where_something_is_hidden(settings):
    X, y = rings(80)
    labels = np.where(np.arange(80) % 4 == 0, -1, np.unique(y, return_inverse=True)[1])
    labels = labels if "unknown" in settings else np.unique(y, return_inverse=True)[1]
    folds, model = np.arange(80) % 3, GaussianDiscriminant(**settings)
    found = cross_validate(model, X, labels, folds=folds)
    for fold in range(3):
        here = folds == fold
        fitted = clone(model).fit(X[~here], labels[~here])
        np.testing.assert_allclose(found.posterior[here], fitted.predict_proba(X[here]), rtol=1e-9)
    certain = labels >= 0
    hits = found.posterior.argmax(axis=1) == labels
    assert found.accuracy == pytest.approx(hits[certain].mean())
    assert "refitted" in repr(found)


@pytest.mark.parametrize("y", [[None] * 20, [np.nan] * 20, np.full(20, -1)], ids=["None", "NaN", "value"])
def test_some_label_must_be_known(y):
    with pytest.raises(TableError, match="no class is known"):
        LinearDiscriminant(unknown=-1).fit(clumps(20)[0], y)


def test_a_class_of_which_no_row_is_known_may_be_declared_in_part():
    """A class that only a table names has no certain row; it is found among those it may have."""
    X, y = clumps(200, 2, 2, 8.0)
    table = pd.DataFrame({"a": np.ones(200, dtype=int), "b": (y == 1).astype(int)})
    model = QuadraticDiscriminant().fit(X, table)
    assert list(model.classes_) == ["a", "b"]
    assert (model.predict(X[y == 0]) == "a").all()


ONE_KNOWN = {
    "None": (None, [None, 0, 0]),
    "NaN": (None, [np.nan, 0.0, 0.0]),
    "pandas NA": (None, pd.array([None, 0, 0], dtype="Int64")),
    "null of polars": (None, pl.Series([None, 0, 0])),
    "masked": (None, np.ma.masked_array([7, 0, 0], [True, False, False])),
    "a value": (-1, [-1, 0, 0]),
    "a text": ("?", ["?", "a", "a"]),
    "a table": (None, {"0": [1, 1, 1], "1": [1, 0, 0]}),
}
THREE = {"a": [5.5, 0.1, 0.2]}
ASKING = {  # what adds statistics, or takes a row out of them, needs the class of every row
    "first batch": lambda model, y: model.partial_fit(THREE, y),
    "first batch, classes declared": lambda model, y: model.partial_fit(THREE, y, classes=_names(y)),
    "next batch": lambda model, y: model.partial_fit({"a": [0.0, 1, 5, 6]}, _two(y)).partial_fit(THREE, y),
    "score": lambda model, y: model.fit({"a": [0.0, 1, 5, 6]}, _two(y)).score(THREE, y),
    "leave one out": lambda model, y: leave_one_out(model, THREE, y),
    "leave one out beside a row of weight 0": lambda model, y: leave_one_out(
        model, {"a": [5.5, 0.1, 0.2, 9]}, _longer(y), sample_weight=[1, 1, 2, 0]
    ),
    "evidence": lambda model, y: evidence_of_columns(model, THREE, y),
}


def _names(y):
    return list(y) if isinstance(y, dict) else [y[2]]


def _two(y):
    """Labels of the same type for four rows of two classes."""
    other = {"0": "1", "a": "b", 0: 1}[_names(y)[0]]
    return [_names(y)[0]] * 2 + [other] * 2


def _longer(y):
    """The same labels and another class, whose row will not count."""
    if isinstance(y, dict):
        return {name: [*cells, 1] for name, cells in y.items()}
    return [*(None if name is pd.NA or name is np.ma.masked else name for name in list(y)), _two(y)[-1]]


@pytest.mark.parametrize("labels", ONE_KNOWN)
@pytest.mark.parametrize("asked", ASKING)
def test_a_label_not_known_is_not_the_only_class_known(labels, asked):
    unknown, y = ONE_KNOWN[labels]
    with pytest.raises(HiddenLabelsError, match=r"every row|are hidden"):
        ASKING[asked](NaiveBayes(unknown=unknown), y)


@pytest.mark.parametrize("y", [y for unknown, y in ONE_KNOWN.values() if unknown is None], ids=str)
def test_batches_and_summaries_do_not_guess_labels(y):
    for table, labels in [(THREE, y), (iter([({"a": [0.0, 1, 5, 6]}, _two(y)), (THREE, y)]), None)]:
        with pytest.raises(HiddenLabelsError, match="here every row needs its class"):
            collect(table, labels)


def test_one_class_that_is_known_among_rows_that_are_not_is_refused():
    """They would all be learned from as the only class there is."""
    with pytest.raises(UnknownLabelsError, match="The only class in y is 0"):
        NaiveBayes(estimate="ml").fit(THREE, [None, 0, 0])
    assert NaiveBayes().fit(THREE, [None, 0, 0], classes=[0, 1]).classes_.tolist() == [0, 1]
