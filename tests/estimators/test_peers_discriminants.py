"""Gaussian discriminants side by side with scikit-learn's and with each other: the same posteriors where the
definitions coincide, and good citizens among scikit-learn's tools."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.special import log_softmax
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from suffice import GaussianDiscriminant, LinearDiscriminant, NaiveBayes, NearestMean, QuadraticDiscriminant
from suffice.errors import ParameterError

ROWS, COLUMNS = 120, 4
NAMES = list("pqrs")
SHAPES = ["full", "diagonal", "spherical"]
ESTIMATES = ["ml", "unbiased", "map", "mean", "predictive"]
WITHOUT_PRIOR = ["ml", "unbiased"]
PRIORS = {  # ours, and scikit-learn's
    "empirical": (None, None),
    "uniform": ("uniform", np.full(3, 1 / 3)),
    "given": ({0: 0.2, 1: 0.5, 2: 0.3}, np.array([0.2, 0.5, 0.3])),
}
each_estimate = pytest.mark.parametrize("estimate", ESTIMATES)
each_prior = pytest.mark.parametrize("ours, theirs", PRIORS.values(), ids=PRIORS)
each_shape = pytest.mark.parametrize("shape", SHAPES)


def drawn(classes=3):
    """Correlated columns of unlike scale, unequal classes that differ in mean and spread."""
    rng = np.random.default_rng(5)
    y = rng.permutation(np.arange(ROWS) ** 2 * classes // ROWS**2)
    mixing = rng.normal(size=(COLUMNS, COLUMNS)) + 2 * np.eye(COLUMNS)
    return (rng.normal(size=(ROWS, COLUMNS)) * (1 + y[:, None] / 2) + y[:, None]) @ mixing * [1, 10, 0.1, 3], y


def frame():
    return pd.DataFrame(drawn()[0], columns=NAMES)


def svd_estimate():
    """scikit-learn's svd solvers divide by N; those of older versions by N − K (linear) and N_k − 1 (quadratic)."""
    tiny = QuadraticDiscriminantAnalysis(store_covariance=True).fit([[0.0], [2.0], [1.0], [3.0]], [0, 0, 1, 1])
    return "ml" if np.isclose(tiny.covariance_[0], 1.0) else "unbiased"


def assert_same(ours, theirs, tolerance=1e-10):
    np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)


def assert_same_answers(ours, theirs):
    X, y = drawn()
    assert_same(ours.fit(X, y).predict_log_proba(X), theirs.fit(X, y).predict_log_proba(X), 1e-9)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


# scikit-learn's


@pytest.mark.parametrize("solver", ["lsqr", "eigen"])
def test_linear_ml_is_lsqr_and_eigen_with_the_priors_of_the_rows(solver):
    """Other priors also change the covariance of these two, which they weight by them."""
    assert_same_answers(LinearDiscriminant(estimate="ml"), LinearDiscriminantAnalysis(solver=solver))


@each_prior
def test_linear_is_svd_with_any_priors(ours, theirs):
    assert_same_answers(
        LinearDiscriminant(estimate=svd_estimate(), priors=ours), LinearDiscriminantAnalysis(priors=theirs)
    )


@each_prior
def test_quadratic_is_svd_with_any_priors(ours, theirs):
    peer = QuadraticDiscriminantAnalysis(priors=theirs)
    assert_same_answers(QuadraticDiscriminant(estimate=svd_estimate(), priors=ours), peer)


@each_prior
def test_directions_are_those_of_svd(ours, theirs):
    X, y = drawn()
    fitted = LinearDiscriminant(estimate=svd_estimate(), priors=ours).fit(X, y)
    peer = LinearDiscriminantAnalysis(priors=theirs).fit(X, y)
    signs = np.sign((fitted.transform(X) * peer.transform(X)).sum(axis=0))
    assert_same(fitted.transform(X), signs * peer.transform(X))
    assert_same(fitted.explained_variance_ratio_, peer.explained_variance_ratio_)


@pytest.mark.parametrize("classes", [2, 3])
def test_coefficients_are_those_of_lsqr(classes):
    X, y = drawn(classes)
    fitted, peer = LinearDiscriminant(estimate="ml").fit(X, y), LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)
    for name in ("coef_", "intercept_"):
        assert_same(between_classes(getattr(fitted, name)), between_classes(getattr(peer, name)))


def between_classes(scores):
    """Scores without the term that all classes have in common; those of two classes have none."""
    return scores if len(scores) == 1 else np.diff(scores, axis=0)


@pytest.mark.parametrize("estimate", WITHOUT_PRIOR)  # a prior draws small classes more to the middle
def test_nearest_mean_is_nearest_centroid(estimate):
    X, y = drawn()
    ours, theirs = NearestMean(estimate=estimate, priors="uniform").fit(X, y), NearestCentroid().fit(X, y)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


# each other


def full(**options):
    return NaiveBayes(joint=[[f"x{j}" for j in range(COLUMNS)]], **options)


SAME_FOR_EVERY_ESTIMATE = {
    "diagonal own is naive Bayes": (GaussianDiscriminant("diagonal"), NaiveBayes()),
    "full own is naive Bayes with all columns joint": (GaussianDiscriminant(), full()),
    "quadratic is own": (QuadraticDiscriminant(), GaussianDiscriminant(shared=False)),
    "linear is shared": (LinearDiscriminant(), GaussianDiscriminant(shared=True)),
    "linear diagonal is shared": (LinearDiscriminant("diagonal"), GaussianDiscriminant("diagonal", shared=True)),
    "nearest mean is spherical shared": (NearestMean(), GaussianDiscriminant("spherical", shared=True)),
    "nearest mean is linear spherical": (NearestMean(), LinearDiscriminant("spherical")),
}
SAME_WITHOUT_PRIOR = {
    "wholly shrunk to shared is linear": (QuadraticDiscriminant(shrink_shared=1), LinearDiscriminant()),
    "wholly shrunk to spherical is spherical": (
        QuadraticDiscriminant(shrink_spherical=1),
        QuadraticDiscriminant("spherical"),
    ),
    "linear wholly shrunk is nearest mean": (LinearDiscriminant(shrink_spherical=1), NearestMean()),
    "shrunk both ways is nearest mean": (
        GaussianDiscriminant(shrink_shared=1, shrink_spherical=1),
        NearestMean(),
    ),
    "the order of shapes": (
        QuadraticDiscriminant("diagonal", shrink_shared=0.3, shrink_spherical=1),
        QuadraticDiscriminant("spherical", shrink_shared=0.3),
    ),
    "shared has nothing to share": (GaussianDiscriminant(shared=True, shrink_shared=0.7), LinearDiscriminant()),
}


def assert_same_fits(pair, estimate, X, y):
    ours, theirs = (clone(model).set_params(estimate=estimate).fit(X, y) for model in pair)
    assert_same(ours.log_joint(X), theirs.log_joint(X))


@each_estimate
@pytest.mark.parametrize("pair", SAME_FOR_EVERY_ESTIMATE.values(), ids=SAME_FOR_EVERY_ESTIMATE)
def test_compositions(pair, estimate):
    assert_same_fits(pair, estimate, *drawn())


@pytest.mark.parametrize("estimate", WITHOUT_PRIOR)
@pytest.mark.parametrize("pair", SAME_WITHOUT_PRIOR.values(), ids=SAME_WITHOUT_PRIOR)
def test_shrinkage_ends_in_compositions(pair, estimate):
    assert_same_fits(pair, estimate, *drawn())


@each_estimate
@pytest.mark.parametrize("shared", [False, True])
@each_shape
def test_shapes_of_one_column_are_one(shape, shared, estimate):
    X, y = drawn()
    pair = GaussianDiscriminant(shape, shared), GaussianDiscriminant("diagonal", shared)
    assert_same_fits(pair, estimate, X[:, :1], y)


@each_estimate
@each_shape
def test_sharing_with_nobody(shape, estimate):
    assert_same_fits((LinearDiscriminant(shape), QuadraticDiscriminant(shape)), estimate, drawn()[0], ["only"] * ROWS)


@pytest.mark.parametrize("estimate", ["map", "mean"])
@pytest.mark.parametrize("options", [{"shrink_shared": 0.5}, {"shrink_spherical": 0.5}], ids=repr)
def test_shrinkage_goes_with_a_prior_too(estimate, options):
    X, y = drawn()
    assert QuadraticDiscriminant(estimate=estimate, **options).fit(X, y).score(X, y) > 0.5


def test_a_predictive_cannot_be_shrunk():
    with pytest.raises(ParameterError, match="no covariance to shrink"):
        LinearDiscriminant(estimate="predictive", shrink_spherical=0.5).fit(*drawn())


# lines

LINES = [*map(LinearDiscriminant, SHAPES), LinearDiscriminant(shrink_spherical=0.3), NearestMean()]


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("priors", [None, "uniform"])
@pytest.mark.parametrize("estimate", ["ml", "unbiased", "map", "mean"])
@pytest.mark.parametrize("line", LINES, ids=repr)
def test_scores_are_the_log_joint_up_to_what_all_classes_have(line, estimate, priors, classes):
    X, y = drawn(classes)
    fitted = clone(line).set_params(estimate=estimate, priors=priors).fit(X, y)
    scores, log_joint = fitted.decision_function(X), fitted.log_joint(X)
    assert_same((X @ fitted.coef_.T + fitted.intercept_).reshape(scores.shape), scores)
    expected = log_joint[:, 1] - log_joint[:, 0] if classes == 2 else log_joint - log_joint[:, :1]
    assert_same(scores if classes == 2 else scores - scores[:, :1], expected, 1e-9)


@pytest.mark.parametrize("line", LINES, ids=repr)
def test_scores_give_the_posterior(line):
    X, y = drawn()
    fitted = clone(line).fit(X, y)
    assert_same(log_softmax(fitted.decision_function(X), axis=1), fitted.predict_log_proba(X), 1e-9)


@pytest.mark.parametrize("line", [*map(LinearDiscriminant, SHAPES), NearestMean()], ids=repr)
def test_a_predictive_has_no_line(line):
    X, y = drawn()
    model = clone(line).set_params(estimate="predictive").fit(X, y)
    with pytest.raises(ParameterError, match=r"Student-t densities, so scores are not linear.*estimate='mean'"):
        model.coef_  # noqa: B018
    np.testing.assert_array_equal(model.decision_function(X), model.log_joint(X))


# directions


@pytest.mark.parametrize("estimate, divisor", [("ml", ROWS), ("unbiased", ROWS - 3)])
@pytest.mark.parametrize("priors", [None, "uniform"])
def test_the_covariance_within_classes_is_the_identity(estimate, divisor, priors):
    X, y = drawn()
    z = LinearDiscriminant(estimate=estimate, priors=priors).fit(X, y).transform(X)
    within = z - np.stack([z[y == label].mean(axis=0) for label in range(3)])[y]
    assert_same(within.T @ within / divisor, np.eye(2))


@each_prior
def test_class_means_are_centred_and_sorted_by_what_they_tell(ours, theirs):
    X, y = drawn()
    fitted = LinearDiscriminant(priors=ours).fit(X, y)
    means = np.stack([fitted.transform(X[y == label]).mean(axis=0) for label in range(3)])
    assert_same(fitted.priors_ @ means, np.zeros(2))
    between = (fitted.priors_[:, None] * means).T @ means
    assert_same(between, np.diag(np.diagonal(between)))
    assert_same(np.diagonal(between) / np.trace(between), fitted.explained_variance_ratio_)
    assert between[0, 0] > between[1, 1]


@pytest.mark.parametrize("classes, columns, directions", [(2, 4, 1), (3, 4, 2), (3, 1, 1)])
def test_as_many_directions_as_can_tell(classes, columns, directions):
    X, y = drawn(classes)
    fitted = LinearDiscriminant().fit(X[:, :columns], y)
    assert fitted.transform(X[:, :columns]).shape == (ROWS, directions)
    assert fitted.get_feature_names_out().tolist() == [f"lineardiscriminant{j}" for j in range(directions)]
    assert_same(fitted.explained_variance_ratio_.sum(), 1.0)


@pytest.mark.parametrize("library, kind", [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_set_output(library, kind):
    fitted = LinearDiscriminant().set_output(transform=library).fit(frame(), drawn()[1])
    out = fitted.transform(frame())
    assert isinstance(out, kind)
    assert list(out.columns) == ["lineardiscriminant0", "lineardiscriminant1"]
    assert_same(out.to_numpy(), LinearDiscriminant().fit(*drawn()).transform(drawn()[0]))


# scikit-learn's tools

FACES = [
    GaussianDiscriminant("full", shared=True, estimate="map"),
    GaussianDiscriminant("spherical", priors="uniform"),
    QuadraticDiscriminant(estimate="unbiased", shrink_shared=0.2, shrink_spherical=0.1),
    LinearDiscriminant("diagonal", priors={0: 0.2, 1: 0.5, 2: 0.3}),
    LinearDiscriminant(estimate="predictive", parameter_prior="reference", kinds={"p": "ignore"}),
    NearestMean(estimate="ml"),
]
each_face = pytest.mark.parametrize("face", FACES, ids=repr)


@each_face
def test_a_clone_has_the_parameters_and_nothing_learned(face):
    copy = clone(clone(face).fit(frame(), drawn()[1]))
    assert copy.get_params() == face.get_params()
    assert not hasattr(copy, "classes_")


@each_face
def test_pickle_keeps_everything(face):
    fitted = clone(face).fit(frame(), drawn()[1])
    back = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(back.log_joint(frame()), fitted.log_joint(frame()))
    assert str(back) == str(fitted)
    assert back.partial_fit(frame(), drawn()[1]).summary_.n == 2 * ROWS


@each_face
def test_in_a_pipeline(face):
    scaler = StandardScaler().set_output(transform="pandas")
    pipeline = make_pipeline(scaler, clone(face)).fit(frame(), drawn()[1])
    assert pipeline[-1].feature_names_in_.tolist() == NAMES
    direct = clone(face).fit(scaler.fit_transform(frame()), drawn()[1])
    assert_same(pipeline.predict_proba(frame()), direct.predict_proba(scaler.transform(frame())))


def test_directions_in_a_pipeline():
    X, y = drawn()
    reduced = make_pipeline(LinearDiscriminant(), NearestMean()).fit(X, y)
    assert_same(reduced.predict_proba(X), LinearDiscriminant().fit(X, y).predict_proba(X), 1e-9)


@pytest.mark.filterwarnings("ignore::suffice.errors.UndeterminedWarning")
@pytest.mark.parametrize("face", [GaussianDiscriminant(), QuadraticDiscriminant(), LinearDiscriminant()], ids=repr)
def test_grid_search_over_shrinkage(face):
    grid = {"shrink_spherical": [0.0, 0.01, 0.5, 1.0], "priors": [None, "uniform"]}
    found = GridSearchCV(face, grid, scoring="neg_log_loss", error_score="raise").fit(*drawn())
    assert np.isfinite(found.cv_results_["mean_test_score"]).all()
    assert found.best_params_["shrink_spherical"] < 1  # columns are of unlike scale
