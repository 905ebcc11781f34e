"""Numbers of the discriminants: units, origins, types, weights and batches do not matter; what the rows do not
determine is an error that says what to do."""

import numpy as np
import pytest
from sklearn.base import clone

from suffice import GaussianDiscriminant, LinearDiscriminant, NearestMean, QuadraticDiscriminant
from suffice.errors import ConstantColumnWarning, SingularError

ROWS, COLUMNS = 120, 3
ESTIMATES = ["ml", "unbiased", "map", "mean", "predictive"]
FREE_OF_UNITS = [  # of each column
    LinearDiscriminant(),
    LinearDiscriminant("diagonal"),
    QuadraticDiscriminant(),
    QuadraticDiscriminant("diagonal"),
]
FREE_OF_ONE_UNIT = [NearestMean(), QuadraticDiscriminant("spherical")]
SHRUNK = [
    QuadraticDiscriminant(shrink_shared=0.3),
    QuadraticDiscriminant("diagonal", shrink_shared=0.3),
    LinearDiscriminant(shrink_spherical=0.2),
    QuadraticDiscriminant(shrink_shared=0.3, shrink_spherical=0.2),
]
ALL = [*FREE_OF_UNITS, *FREE_OF_ONE_UNIT, *SHRUNK]
LINES = [model for model in ALL if hasattr(type(model), "coef_")]


def is_shrunk(model):
    return any(model.get_params().get(name) for name in ("shrink_shared", "shrink_spherical"))


def with_estimates(models):
    """Models with every estimate they can have."""
    pairs = ((m, e) for m in models for e in ESTIMATES if not (is_shrunk(m) and e == "predictive"))
    return [clone(model).set_params(estimate=estimate) for model, estimate in pairs]


each_model = pytest.mark.parametrize("model", with_estimates(ALL), ids=repr)
each_face = pytest.mark.parametrize("model", ALL, ids=repr)
each_line = pytest.mark.parametrize("model", LINES, ids=repr)


def drawn(classes=3, seed=0):
    """Correlated columns; classes that overlap. Multiples of 2⁻²⁰, so that shifts by whole numbers are exact."""
    rng = np.random.default_rng(seed)
    y = np.arange(ROWS) % classes
    X = rng.normal(size=(ROWS, COLUMNS)) @ rng.normal(size=(COLUMNS, COLUMNS)) * (1 + y[:, None] / 2) + y[:, None]
    return np.round(X * 2**20) / 2**20, y


def assert_same(ours, theirs, tolerance=1e-10):
    np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)


def assert_same_posterior(model, X, other, y, tolerance):
    expected = clone(model).fit(X, y).predict_log_proba(X)
    assert_same(clone(model).fit(other, y).predict_log_proba(other), expected, tolerance)


# origins and units


@pytest.mark.parametrize("column", [1, slice(None)], ids=["one", "all"])
@each_model
def test_the_origin_does_not_matter(model, column):
    X, y = drawn()
    other = X.copy()
    other[:, column] += 1e6
    assert_same_posterior(model, X, other, y, 1e-7)


@each_model
def test_far_from_the_origin(model):
    X, y = drawn()
    assert_same_posterior(model, X, X + 2.0**27, y, 1e-5)


@pytest.mark.parametrize("model", with_estimates([*FREE_OF_UNITS, *SHRUNK[:2]]), ids=repr)
def test_the_unit_of_one_column_does_not_matter(model):
    X, y = drawn()
    assert_same_posterior(model, X, X * [1, 1e-9, 1], y, 1e-8)


@each_model
def test_one_unit_for_all_does_not_matter(model):
    X, y = drawn()
    assert_same_posterior(model, X, X * 1e-9, y, 1e-8)


@pytest.mark.parametrize("shift", [1e6, 2.0**27])
@pytest.mark.parametrize("classes", [2, 3])
@each_line
def test_scores_do_not_depend_on_the_origin(model, classes, shift):
    X, y = drawn(classes)
    model = clone(model).fit(X + shift, y)
    log_joint, scores = model.log_joint(X + shift), model.decision_function(X + shift)
    expected = np.diff(log_joint).ravel() if classes == 2 else log_joint - log_joint[:, :1]
    assert_same(scores if classes == 2 else scores - scores[:, :1], expected, 1e-5)


@pytest.mark.parametrize("shift", [1e6, 2.0**27])
def test_directions_do_not_depend_on_the_origin(shift):
    X, y = drawn()
    near, far = LinearDiscriminant().fit(X, y), LinearDiscriminant().fit(X + shift, y)
    assert_same(far.transform(X + shift), near.transform(X), 1e-6)
    assert_same(far.explained_variance_ratio_, near.explained_variance_ratio_, 1e-6)


# precision


@each_model
def test_float32_is_float64_of_the_same_values(model):
    X, y = drawn()
    narrow = (X + 1e4).astype(np.float32)
    wide = narrow.astype(np.float64)
    ours, theirs = clone(model).fit(narrow, y), clone(model).fit(wide, y)
    np.testing.assert_array_equal(ours.log_joint(narrow), theirs.log_joint(wide))


def covariance(model):
    (density,) = model.joint_.density.parts
    return density.covariance


@pytest.mark.parametrize("apart", [2.0**17, 2.0**23])  # about 1e5 and 1e7 standard deviations
@pytest.mark.parametrize("batches", [1, 7])
@pytest.mark.parametrize("shared", [False, True])
def test_classes_far_apart_keep_their_covariance(apart, batches, shared):
    X, y = drawn()
    model, far = GaussianDiscriminant(shared=shared, estimate="ml"), X + apart * y[:, None]
    for some in np.array_split(np.random.default_rng(0).permutation(ROWS), batches):
        model.partial_fit(far[some], y[some])
    expected = np.array([np.cov(X[y == k].T, bias=True) for k in range(3)])
    assert_same(covariance(model), expected.mean(axis=0, keepdims=True) if shared else expected, 1e-8)
    assert model.score(far, y) == 1


each_spread = pytest.mark.parametrize("spread", [0.005, 1e-6, 1e-12])


@each_spread
@each_face
def test_a_column_of_small_spread_is_fine(model, spread):
    X, y = drawn()
    X = X * [1, spread, 1]
    assert np.isfinite(clone(model).fit(X, y).log_joint(X)).all()


@each_spread
@pytest.mark.parametrize("model", FREE_OF_UNITS, ids=repr)
def test_a_column_of_small_spread_decides(model, spread):
    X, y = drawn()
    X[:, 1] = spread * (X[:, 1] + 100 * y)
    assert clone(model).fit(X, y).score(X, y) == 1


# what the rows do not determine


def dependent():
    """The last column is a combination of two others."""
    X, y = drawn()
    return np.column_stack([X, 3 - 2 * X[:, 0] + X[:, 2]]), y


def still():
    """A column that does not vary within any class."""
    X, y = drawn()
    return np.column_stack([X[:, :2], 7.0 * y, X[:, 2]]), y


def wide():
    """More columns than rows."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(9, 12)), np.arange(9) % 3


UNDETERMINED = {
    "dependent": (dependent, "dependence between 'x0', 'x2', 'x3'"),
    "still": (still, "no variation in 'x2'"),
    "wide": (wide, "dependence between 'x"),
}
each_case = pytest.mark.parametrize("case, found", UNDETERMINED.values(), ids=UNDETERMINED)


@pytest.mark.parametrize("shift", [0.0, 1e6, 1e8])
@pytest.mark.parametrize("estimate", ["ml", "unbiased"])
@pytest.mark.parametrize("face", [LinearDiscriminant, QuadraticDiscriminant])
@each_case
def test_what_is_not_determined_is_named(case, found, face, estimate, shift):
    X, y = case()
    remedy = rf"estimate='{estimate}' is not determined.*estimate='map'.*shrink_spherical"
    with pytest.raises(SingularError, match=rf"class.*{found}.*{remedy}"):
        face(estimate=estimate).fit(X + shift, y)


def test_the_class_is_named():
    X, y = drawn()
    X[y == 1, 2] = X[y == 1, 0]
    with pytest.raises(SingularError, match=r"class 1 .*'x0', 'x2'"):
        QuadraticDiscriminant(estimate="unbiased").fit(X, y)


def test_what_all_classes_share_is_not_blamed_on_one():
    with pytest.raises(SingularError) as caught:
        LinearDiscriminant(estimate="unbiased").fit(*dependent())
    assert "class 0" not in str(caught.value)


@pytest.mark.parametrize("options", [{"estimate": "map"}, {"estimate": "unbiased", "shrink_spherical": 0.1}], ids=repr)
@pytest.mark.parametrize("face", [LinearDiscriminant, QuadraticDiscriminant])
@each_case
def test_what_the_error_offers_helps(case, found, face, options):
    X, y = case()
    fitted = face(**options).fit(X, y)
    assert np.isfinite(fitted.log_joint(X)).all()
    assert_same(fitted.predict_proba(X).sum(axis=1), 1.0)


LONELY = drawn()[0], np.array(["many"] * (ROWS - 1) + ["one"])


@pytest.mark.parametrize("shape", ["full", "diagonal", "spherical"])
def test_a_class_of_one_row_is_named(shape):
    with pytest.raises(SingularError, match=r"class 'one'.*too few rows.*estimate='map'") as caught:
        QuadraticDiscriminant(shape, estimate="unbiased").fit(*LONELY)
    assert "shrink_spherical" not in str(caught.value)  # which would not help: there is nothing to shrink


def test_where_all_classes_have_one_row_none_is_blamed_for_the_covariance_of_all():
    with pytest.raises(SingularError, match=r"^Within the classes there are too few rows to estimate the variance"):
        QuadraticDiscriminant(estimate="unbiased", shrink_shared=1).fit([[1.0, 2.0], [3.0, 5.0]], ["one", "two"])


@pytest.mark.parametrize(
    "model",
    [
        QuadraticDiscriminant(estimate="map"),
        QuadraticDiscriminant(shrink_shared=1),
        LinearDiscriminant(),
        NearestMean(),
    ],
    ids=repr,
)
def test_a_class_of_one_row_is_fine_with_a_prior_or_a_shared_covariance(model):
    X, y = LONELY
    assert np.isfinite(clone(model).fit(X, y).log_joint(X)).all()


# columns that say nothing


@each_face
@pytest.mark.parametrize("cell", [0.0, 1 / 3, 1e8 + 0.1])
def test_a_constant_column_is_left_out(model, cell):
    X, y = drawn()
    more = np.insert(X, 1, cell, axis=1)
    with pytest.warns(ConstantColumnWarning, match="'x1'"):
        fitted = clone(model).fit(more, y)
    assert_same(fitted.log_joint(more), clone(model).fit(X, y).log_joint(X))


@pytest.mark.filterwarnings("ignore::suffice.errors.ConstantColumnWarning")
@each_line
@pytest.mark.parametrize("classes", [2, 3])
def test_a_constant_column_has_weight_zero(model, classes):
    X, y = drawn(classes)
    more = np.insert(X, 1, 4.0, axis=1)
    ours, theirs = clone(model).fit(more, y), clone(model).fit(X, y)
    np.testing.assert_array_equal(ours.coef_[:, 1], 0.0)
    assert_same(np.delete(ours.coef_, 1, axis=1), theirs.coef_)
    more[0, 1] = np.nan  # nor does it matter whether it is there
    assert_same(ours.decision_function(more), theirs.decision_function(X))


@pytest.mark.filterwarnings("ignore::suffice.errors.ConstantColumnWarning")
@each_line
def test_with_constant_columns_only_the_priors_are_left(model):
    y = drawn()[1]
    fitted = clone(model).fit(np.ones((ROWS, 2)), y)
    np.testing.assert_allclose(fitted.predict_proba(np.ones((2, 2))), 1 / 3)
    np.testing.assert_array_equal(fitted.coef_, np.zeros((3, 2)))
    assert_same(fitted.decision_function(np.ones((2, 2))), np.full((2, 3), np.log(1 / 3)))


# rows


@each_model
def test_weight_two_is_the_row_twice(model):
    X, y = drawn()
    weights = np.arange(ROWS) % 3 + 1
    again = np.repeat(np.arange(ROWS), weights)
    ours, theirs = clone(model).fit(X, y, sample_weight=weights), clone(model).fit(X[again], y[again])
    assert_same(ours.log_joint(X), theirs.log_joint(X))


@each_model
def test_weight_zero_is_the_row_absent(model):
    X, y = drawn()
    there = np.arange(ROWS) % 4 > 0
    far = np.where(there[:, None], X, 1e9)
    labels = np.where(there | (np.arange(ROWS) > 3), y, 9)  # a class that only an absent row has
    ours = clone(model).fit(far, labels, sample_weight=there.astype(float))
    assert_same(ours.log_joint(X), clone(model).fit(X[there], y[there]).log_joint(X))
    assert ours.classes_.tolist() == [0, 1, 2]


@each_model
def test_batches_are_one_fit(model):
    X, y = drawn()
    parts = clone(model)
    for some in np.split(np.arange(ROWS), [1, 2, 5, 45, 89]):
        parts.partial_fit(X[some], y[some])
    assert_same(parts.log_joint(X), clone(model).fit(X, y).log_joint(X))


@each_model
def test_columns_and_classes_in_another_order(model):
    X, y = drawn()
    expected = clone(model).fit(X, y).predict_log_proba(X)
    turned = clone(model).fit(X[:, ::-1], np.array(["c", "b", "a"])[y])
    assert_same(turned.predict_log_proba(X[:, ::-1])[:, ::-1], expected, 1e-9)


@each_model
def test_a_single_class_works(model):
    X, _ = drawn()
    fitted = clone(model).fit(X, ["only"] * ROWS)
    np.testing.assert_array_equal(fitted.predict_proba(X), np.ones((ROWS, 1)))
    assert np.isfinite(fitted.score_samples(X)).all()


@pytest.mark.parametrize("cells", [1, 7, 100])
@each_face
def test_blocks_of_any_size(monkeypatch, model, cells):
    X, y = drawn()
    expected = answers(clone(model).fit(X, y), X)
    monkeypatch.setattr("suffice.arrays.BLOCK_CELLS", cells)
    for ours, theirs in zip(answers(clone(model).fit(X, y), X), expected, strict=True):
        assert_same(ours, theirs, 1e-9)


def answers(model, X):
    asked = ("log_joint", "decision_function", "transform")
    return [getattr(model, method)(X) for method in asked if hasattr(model, method)]
