"""Faults of other tools that bear on naive Bayes, one test for each: it fails as soon as we have the fault."""

import tracemalloc
import warnings

import numpy as np
import pytest
from scipy.special import log_softmax
from scipy.stats import norm

from suffice import NaiveBayes, arrays
from suffice.errors import (
    ConstantColumnWarning,
    ImpossibleRowWarning,
    ParameterError,
    SingularError,
    UnseenCategoryError,
    UnseenCategoryWarning,
)

ESTIMATES = ["ml", "unbiased", "map", "mean", "predictive"]
ROWS = 60
DRAWS = {
    "gaussian": lambda rng: rng.normal(5, 2, ROWS),
    "joint": lambda rng: rng.normal(5, 2, ROWS),
    "exponential": lambda rng: rng.exponential(2, ROWS),
    "poisson": lambda rng: rng.poisson(3, ROWS),
    "counts": lambda rng: rng.poisson(3, ROWS),
    "binomial": lambda rng: rng.binomial(4, 0.4, ROWS),
    "binary": lambda rng: rng.binomial(1, 0.4, ROWS),
    "categorical": lambda rng: rng.choice(["青绿", "β", "c"], ROWS),
}
all_kinds = pytest.mark.parametrize("kind", DRAWS)
all_estimates = pytest.mark.parametrize("estimate", ESTIMATES)


def drawn(kind, seed=0):
    """Two columns of a kind, and labels."""
    rng = np.random.default_rng(seed)
    return {"a": DRAWS[kind](rng), "b": DRAWS[kind](rng)}, rng.choice(["x", "y", "z"], ROWS)


def model(kind, **options):
    if kind == "joint":
        return NaiveBayes(joint=[["a", "b"]], **options)
    return NaiveBayes(kinds=dict.fromkeys("ab", ("binomial", 4) if kind == "binomial" else kind), **options)


def rows(table, chosen):
    return {name: np.asarray(cells)[chosen] for name, cells in table.items()}


def standard(count=200, seed=0):
    """Numbers of mean 0 and variance 1 to the last digit."""
    z = np.random.default_rng(seed).standard_normal(count)
    return (z - z.mean()) / z.std()


def two_classes(first, second):
    return np.concatenate([first, second])[:, None], np.repeat(["a", "b"], [len(first), len(second)])


def spreads(fitted, column="x0"):
    return fitted.tables()[column]["sd"]


def assert_same(ours, theirs, table, tolerance=1e-10):
    assert ours.classes_.tolist() == theirs.classes_.tolist()
    np.testing.assert_allclose(ours.log_joint(table), theirs.log_joint(table), rtol=tolerance, atol=tolerance)


def test_variance_is_right_far_from_zero():
    X, y = two_classes(1e8 + standard(), 1e8 + 3 + 2 * standard(seed=1))
    expected = [(X[y == label, 0] - 1e8).std() for label in "ab"]
    np.testing.assert_allclose(spreads(NaiveBayes(estimate="ml").fit(X, y)), expected, rtol=1e-12)


def test_log_density_is_right_far_from_zero():
    X, y = two_classes(1e8 + standard(), 1e8 + 3 + 2 * standard(seed=1))
    at = np.array([-2.0, 0.0, 1.5, 8.0])
    expected = norm.logpdf(at[:, None], [0, 3], [1, 2]) + np.log(0.5)
    np.testing.assert_allclose(NaiveBayes(estimate="ml").fit(X, y).log_joint(1e8 + at[:, None]), expected, atol=1e-6)


@all_estimates
@pytest.mark.parametrize("centre", [0.0, 1e4])
def test_float32_is_float64_of_the_same_values(estimate, centre):
    X, y = two_classes(centre + standard(), centre + 1 + standard(seed=1))
    narrow = X.astype(np.float32)
    fitted = NaiveBayes(estimate=estimate).fit(narrow, y)
    wide = NaiveBayes(estimate=estimate).fit(narrow.astype(np.float64), y)
    np.testing.assert_array_equal(fitted.log_joint(narrow), wide.log_joint(narrow.astype(np.float64)))


@all_estimates
@pytest.mark.parametrize(
    "kind, moved",
    [(kind, scale) for kind in ("gaussian", "joint", "exponential") for scale in ("scale 1e-9", "scale 1e9")]
    + [(kind, "shift 1e6") for kind in ("gaussian", "joint")],
)
def test_the_unit_of_one_column_does_not_matter(kind, moved, estimate):
    table, y = drawn(kind)
    rule, amount = moved.split()
    other = table | {"a": table["a"] * float(amount) if rule == "scale" else table["a"] + float(amount)}
    ours, theirs = (model(kind, estimate=estimate).fit(data, y).predict_proba(data) for data in (table, other))
    np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-9)


@all_kinds
@all_estimates
@pytest.mark.parametrize("cuts", [[30], [1, 2, 5, 59], range(1, ROWS)], ids=["halves", "uneven", "single rows"])
@pytest.mark.filterwarnings("ignore::suffice.errors.ConstantColumnWarning")
def test_batches_equal_one_fit(kind, estimate, cuts):
    table, y = drawn(kind)
    parts = model(kind, estimate=estimate)
    for chosen in np.split(np.arange(ROWS), cuts):
        parts.partial_fit(rows(table, chosen), y[chosen])
    assert_same(parts, model(kind, estimate=estimate).fit(table, y), table)


@all_estimates
@pytest.mark.parametrize("spread, centre", [(0.005, 0.0), (1e-12, 0.0), (1e-10, 1.0), (1e-150, 0.0)])
def test_a_column_of_tiny_spread_counts(spread, centre, estimate):
    X, y = two_classes(centre + spread * standard(), centre + spread * (3 + standard(seed=1)))
    fitted = NaiveBayes(estimate=estimate).fit(X, y)
    assert fitted.score(X, y) > 0.9
    if estimate == "ml":
        np.testing.assert_allclose(spreads(fitted), spread, rtol=1e-4)


def test_an_underflow_has_no_floor():
    fitted = NaiveBayes(estimate="ml").fit(*two_classes(np.array([-1.0, 1.0]), np.array([33.0, 37.0])))
    expected = norm.logpdf(45, [0, 35], [1, 2]) + np.log(0.5)
    np.testing.assert_allclose(fitted.log_joint([[45.0]])[0], expected)
    assert fitted.predict([[45.0]]) == ["ab"[np.argmax(expected)]] == ["b"]


@pytest.mark.parametrize("far", [1e3, -1e6, 1e100])
def test_far_rows_are_not_all_the_same(far):
    fitted = NaiveBayes(estimate="ml").fit(*two_classes(standard(), 2 * standard(seed=1)))
    odds = np.diff(fitted.predict_log_proba([[far]])[0])
    np.testing.assert_allclose(odds, np.diff(norm.logpdf(far, [0, 0], [1, 2])), rtol=1e-9)


def test_posterior_by_the_largest_of_each_row():
    """One shift for all rows, or none, gives NaN or 0 for some of these; ln p(x) taken off afterwards, sums above 1."""
    X, y = two_classes(standard(), 1 + standard(seed=1))
    fitted = NaiveBayes().fit(np.repeat(X, 500, axis=1), y)
    table = np.repeat([[0.0], [1e3], [-1e5], [1e8], [1e30]], 500, axis=1)
    np.testing.assert_allclose(fitted.predict_log_proba(table), log_softmax(fitted.log_joint(table), axis=1))
    np.testing.assert_allclose(fitted.predict_proba(table).sum(axis=1), 1.0)


@pytest.mark.parametrize("kind, cells, other", [("categorical", "pqpp", "q"), ("binary", [0, 1, 0, 0], 1)])
def test_zero_counts_are_minus_infinity(kind, cells, other):
    fitted = NaiveBayes(kinds=kind, smoothing=0).fit({"a": list(cells)}, list("xxyy"))
    np.testing.assert_array_equal(fitted.log_joint({"a": [other]}), [[np.log(0.25), -np.inf]])
    np.testing.assert_array_equal(fitted.predict_proba({"a": [other]}), [[1.0, 0.0]])


def test_zero_rate_is_minus_infinity():
    fitted = NaiveBayes(kinds="poisson", estimate="ml").fit({"a": [0, 2, 0, 0]}, list("xxyy"))
    assert fitted.log_joint({"a": [3]})[0, 1] == -np.inf
    np.testing.assert_allclose(fitted.log_joint({"a": [0]}), np.log(0.5) - np.array([[1.0, 0.0]]))


def impossible_rows():
    """A model in which "p" means x and 0 means y, and rows of which two are both."""
    table = {"a": ["p", "p", "q", "q", "q"], "b": [1, 1, 0, 0, 0]}
    fitted = NaiveBayes(kinds={"b": "categorical"}, smoothing=0).fit(table, list("xxyyy"))
    return fitted, {"a": ["p", "p", "q", "q"], "b": [1, 0, 0, 1]}


@pytest.mark.parametrize("method", ["predict", "predict_proba", "predict_log_proba"])
def test_an_impossible_row_is_counted_once(method):
    fitted, table = impossible_rows()
    with pytest.warns(ImpossibleRowWarning, match="2 of 4 rows .* first row 1") as caught:
        getattr(fitted, method)(table)
    assert len(caught) == 1


@pytest.mark.filterwarnings("ignore::suffice.errors.ImpossibleRowWarning")
def test_an_impossible_row_keeps_the_priors():
    fitted, table = impossible_rows()
    np.testing.assert_allclose(fitted.predict_proba(table), [[1, 0], [0.4, 0.6], [0, 1], [0.4, 0.6]])
    np.testing.assert_allclose(fitted.score_samples(table), [np.log(0.4), -np.inf, np.log(0.6), -np.inf])


UNSEEN = {"a": ["p", "q", None, "p", "q", "r"]}, list("xxxyyy")  # observed cells: 2 in x, 3 in y; three levels


@all_estimates
@pytest.mark.parametrize("smoothing", [0.5, 1.0, 3.0])
def test_an_unseen_category_gets_its_smoothed_mass(estimate, smoothing):
    fitted = NaiveBayes(smoothing=smoothing, estimate=estimate).fit(*UNSEEN)
    mass = fitted.log_joint({"a": ["strange"]})[0] - np.log(fitted.priors_)
    np.testing.assert_allclose(np.exp(mass), smoothing / (np.array([2, 3]) + 4 * smoothing))


def test_unseen_numbers_are_no_index_error():
    fitted = NaiveBayes(kinds="categorical").fit(np.array([[0], [1], [0], [2]]), list("xxyy"))
    mass = fitted.log_joint(np.array([[7], [-7]])) - np.log(0.5)
    np.testing.assert_allclose(np.exp(mass), 1 / (2 + 4))


@pytest.mark.parametrize("smoothing", [0, 1])
def test_an_unseen_category_ignored_is_a_missing_cell(smoothing):
    fitted = NaiveBayes(smoothing=smoothing, unseen="ignore").fit(*UNSEEN)
    np.testing.assert_array_equal(fitted.log_joint({"a": ["strange"]}), fitted.log_joint({"a": [None]}))
    np.testing.assert_allclose(fitted.log_joint({"a": ["strange"]}), np.log(0.5))


def test_an_unseen_category_can_be_an_error():
    fitted = NaiveBayes(unseen="error").fit(*UNSEEN)
    with pytest.raises(UnseenCategoryError, match=r"Column 'a' had 3 values .* row 2 holds '断裂'.*unseen='ignore'"):
        fitted.predict({"a": ["p", None, "断裂"]})


def test_an_unseen_category_without_smoothing_is_ignored_aloud():
    fitted = NaiveBayes(smoothing=0).fit(*UNSEEN)
    with pytest.warns(UnseenCategoryWarning, match=r"Column 'a' holds 'strange', never seen .* ignored") as caught:
        found = fitted.log_joint({"a": ["strange", "p"]})
    np.testing.assert_allclose(found, np.log(0.5) + np.log([[1, 1], [1 / 2, 1 / 3]]))
    assert len(caught) == 1


def test_categories_keep_their_names():
    fitted = NaiveBayes().fit({"色泽": ["青绿", "乌黑", "青绿", "😀"]}, ["是", "是", "否", "否"])
    assert set(fitted.tables()["色泽"]) == {"class", "青绿", "乌黑", "😀"}
    assert fitted.tables()["class"]["class"].tolist() == ["否", "是"]


@pytest.mark.parametrize("priors, shown", [([0.5, 0.6], "1.1"), ({"x": 0.2, "y": 0.2}, "0.4"), ([1.0, np.nan], "nan")])
def test_priors_that_do_not_sum_to_one(priors, shown):
    with pytest.raises(ParameterError, match=rf"sum to 1; .* sums to {shown}\."):
        NaiveBayes(priors=priors).fit(*UNSEEN)


@all_kinds
@all_estimates
def test_a_single_class_works(kind, estimate):
    table, _ = drawn(kind)
    fitted = model(kind, estimate=estimate).fit(table, ["only"] * ROWS)
    np.testing.assert_array_equal(fitted.predict_proba(table), np.ones((ROWS, 1)))
    assert np.isfinite(fitted.score_samples(table)).all()


@all_kinds
@all_estimates
@pytest.mark.parametrize("priors", [None, "smoothed"])
def test_weight_two_is_the_row_twice(kind, estimate, priors):
    table, y = drawn(kind)
    weights = np.arange(ROWS) % 3 + 1
    again = np.repeat(np.arange(ROWS), weights)
    ours = model(kind, estimate=estimate, priors=priors).fit(table, y, sample_weight=weights)
    assert_same(ours, model(kind, estimate=estimate, priors=priors).fit(rows(table, again), y[again]), table)


@all_kinds
@all_estimates
def test_weight_zero_is_the_row_absent(kind, estimate):
    """Also where only such a row has the class, and where only such a row has the category."""
    table, y = drawn(kind)
    if kind == "categorical":
        table["a"] = np.where(np.arange(ROWS) == 7, "only here", table["a"])
    y[3], there = "w", ~np.isin(np.arange(ROWS), [3, 7, 8])
    ours = model(kind, estimate=estimate, smoothing=2).fit(table, y, sample_weight=there.astype(float))
    theirs = model(kind, estimate=estimate, smoothing=2).fit(rows(table, there), y[there])
    assert_same(ours, theirs, table)
    assert [list(part) for part in ours.tables().values()] == [list(part) for part in theirs.tables().values()]


@pytest.mark.parametrize("apart", [1e5, 1e7])
@pytest.mark.parametrize("batches", [1, 7])
def test_classes_far_apart_keep_their_variance(apart, batches):
    X, y = two_classes(standard(), apart + 2 * standard(seed=1))
    expected = [X[y == "a"].std(), (X[y == "b"] - apart).std()]
    fitted = NaiveBayes(estimate="ml")
    for chosen in np.array_split(np.random.default_rng(0).permutation(len(y)), batches):
        fitted.partial_fit(X[chosen], y[chosen])
    np.testing.assert_allclose(spreads(fitted), expected, rtol=1e-10)


@pytest.mark.parametrize("apart", [0.0, 1e5, 1e7])
def test_the_weak_prior_does_not_swamp_tight_classes(apart):
    fitted = NaiveBayes().fit(*two_classes(standard(), apart + standard(seed=1)))
    np.testing.assert_allclose(spreads(fitted), 1.0, rtol=0.02)


@pytest.mark.parametrize("cells", [np.full(ROWS, 1 / 3), np.full(ROWS, 1e8 + 0.1), np.full(ROWS, "k")], ids=repr)
@all_estimates
def test_a_constant_column_is_left_out(cells, estimate):
    table, y = drawn("gaussian")
    with pytest.warns(ConstantColumnWarning, match="'k'") as caught:
        fitted = NaiveBayes(estimate=estimate).fit(table | {"k": cells}, y)
    assert_same(fitted, NaiveBayes(estimate=estimate).fit(table, y), table | {"k": cells})
    assert len(caught) == 1


@pytest.mark.parametrize("estimate", ["ml", "unbiased"])
@pytest.mark.parametrize("pressed", [[2.5, 2.5, 2.5], [1e8, 1e8, 1e8], [0.1]])
def test_a_column_constant_in_one_class_is_named(estimate, pressed):
    X, y = two_classes(np.array(pressed), np.array([1.0, 2.0, 4.0]))
    with pytest.raises(
        SingularError, match=rf"class 'a' there .* 'x0', so estimate='{estimate}' is not .*estimate='map'"
    ):
        NaiveBayes(estimate=estimate).fit(X, y)
    with warnings.catch_warnings(action="error"):
        assert np.isfinite(NaiveBayes().fit(X, y).log_joint(X)).all()


def test_columns_that_depend_on_each_other_are_named():
    table, y = drawn("joint")
    table["b"] = 3 - 2 * table["a"]
    with pytest.raises(SingularError, match="class 'x' there is a linear dependence between 'a', 'b'"):
        model("joint", estimate="ml").fit(table, y)


@pytest.mark.parametrize("kind", ["gaussian", "joint"])
def test_samples_spread_by_the_standard_deviation(kind):
    table, y = {"a": 10 * standard(), "b": 0.1 * standard(seed=1)}, np.repeat("x", 200)
    density = model(kind, estimate="ml").fit(table, y).joint_.density
    (sample,) = density.sample(np.zeros(20_000, dtype=int), np.random.default_rng(0))
    np.testing.assert_allclose(sample.std(axis=0), [10, 0.1], rtol=0.02)


def test_predictive_samples_spread_like_student():
    fitted = NaiveBayes(estimate="predictive").fit(10 * standard(30)[:, None], ["x"] * 30)
    (sample,) = fitted.joint_.density.sample(np.zeros(50_000, dtype=int), np.random.default_rng(0))
    table = fitted.tables()["x0"]
    np.testing.assert_allclose(sample.std(), table["scale"] * np.sqrt(table["degrees"] / (table["degrees"] - 2)), 0.02)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_memory_beyond_the_input_is_a_few_blocks(dtype, monkeypatch):
    monkeypatch.setattr(arrays, "BLOCK_CELLS", 1 << 17)  # a megabyte
    monkeypatch.setattr("suffice.threads.CORES", 2)  # each core has blocks of its own
    X, y = np.random.default_rng(0).standard_normal((40_000, 200), dtype=dtype), np.arange(40_000) % 3
    NaiveBayes().fit(X, y)  # what it loads stays
    tracemalloc.start()
    NaiveBayes().fit(X, y).predict(X)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 16e6 < X.nbytes
