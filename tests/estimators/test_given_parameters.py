"""Models from parameters that a text states: nothing was learned, and everything that needs no rows works."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import multivariate_normal, norm

from suffice import (
    GaussianDiscriminant,
    LatentClass,
    LinearDiscriminant,
    Mixture,
    NaiveBayes,
    NearestMean,
    QuadraticDiscriminant,
    bayes_error,
    boundary,
    compare,
    cross_validate,
    error_bound,
    example,
    explain,
    leave_one_out,
    load,
    plots,
    tune,
)
from suffice.errors import GivenParametersError, ParameterError, UnseenCategoryError

MEANS = {"ω1": {"x1": 3, "x2": 6}, "ω2": {"x1": 3, "x2": -2}}
COVARIANCES = {"ω1": [[0.5, 0], [0, 2]], "ω2": [[2, 0], [0, 2]]}
TEXTBOOK = GaussianDiscriminant.from_parameters(MEANS, COVARIANCES)
POINTS = pd.DataFrame({"x1": [0.0, 3.0, 5.0], "x2": [3.0, 2.0, -1.0]})
MELONS, RIPE = example("watermelon")
MELONS = {name: cells for name, cells in MELONS.items() if name != "编号"}
PENGUINS, SPECIES = example("penguins")
PENGUINS_AT_HAND = pd.DataFrame({name: PENGUINS[name] for name in ("bill_length_mm", "bill_depth_mm")}).dropna()
SPECIES_AT_HAND = np.asarray(SPECIES)[PENGUINS_AT_HAND.index]


def test_the_parabola_of_the_textbook():
    """x₂ = 3.514 − 1.125 x₁ + 0.1875 x₁²."""
    surface = boundary(TEXTBOOK, "ω1", "ω2")
    for x1 in (-2.0, 1.0, 4.0, 0.0):
        [x2] = surface.solve_for("x2", at={"x1": x1})
        assert x2 == pytest.approx(2 - np.log(2) / 4 + 0.1875 * (x1 - 3) ** 2, abs=1e-12)
    assert round(float(x2), 3) == 3.514


def test_posteriors_are_those_of_scipy():
    densities = [multivariate_normal([3, 6], COVARIANCES["ω1"]), multivariate_normal([3, -2], COVARIANCES["ω2"])]
    joint = np.stack([0.3 * densities[0].pdf(POINTS), 0.7 * densities[1].pdf(POINTS)], axis=1)
    for priors in ({"ω2": 0.7, "ω1": 0.3}, [0.3, 0.7], pd.Series({"ω1": 0.3, "ω2": 0.7})):
        model = GaussianDiscriminant.from_parameters(MEANS, COVARIANCES, priors)
        np.testing.assert_allclose(model.predict_proba(POINTS), joint / joint.sum(axis=1)[:, None], rtol=1e-12)


@pytest.mark.parametrize(
    ("means", "covariances", "shape", "shared"),
    [
        ([[0, 0], [1, 2]], np.eye(2), "full", True),
        ([[0, 0], [1, 2]], np.array([np.eye(2), 2 * np.eye(2)]), "full", False),
        ([[0, 0], [1, 2]], [1.0, 2.0], "diagonal", True),
        ({"b": [0, 0], "a": [1, 2]}, {"a": [1.0, 2.0], "b": [2, 2]}, "diagonal", False),
        ([[0, 0], [1, 2]], 3.0, "spherical", True),
        ({"b": [0, 0], "a": [1, 2]}, {"a": 1.0, "b": 4.0}, "spherical", False),
        ([0.0, 1.0], [1.0, 2.0], "full", False),
        ({"b": 0.0, "a": 1.0}, 2.0, "full", True),
    ],
)
def test_covariances_come_in_every_shape(means, covariances, shape, shared):
    model = GaussianDiscriminant.from_parameters(means, covariances)
    assert (model.shape, model.shared) == (shape, shared)
    rows = np.array([[0.3, -1.0], [2.0, 5.0]])[:, : model.n_features_in_]
    for k, name in enumerate(model.classes_.tolist()):
        mean = np.atleast_1d(means[name])
        one = covariances[name] if isinstance(covariances, dict) else covariances
        one = np.asarray(one)[k] if np.ndim(one) == 3 or (len(mean) == 1 and np.ndim(one) == 1) else np.asarray(one)
        matrix = one if one.ndim == 2 else np.diag(np.broadcast_to(one, len(mean)))
        np.testing.assert_allclose(model.log_density(rows)[:, k], multivariate_normal(mean, matrix).logpdf(rows))


def test_arrays_have_names_by_classes_and_columns():
    model = QuadraticDiscriminant(estimate="ml").fit(PENGUINS_AT_HAND, SPECIES_AT_HAND)
    again = QuadraticDiscriminant.from_parameters(
        model.means_, model.covariances_, model.priors_, model.feature_names_in_, model.classes_
    )
    np.testing.assert_allclose(again.log_joint(PENGUINS_AT_HAND), model.log_joint(PENGUINS_AT_HAND), rtol=1e-12)
    turned = GaussianDiscriminant.from_parameters([[0, 0], [5, 5]], 1.0, [0.9, 0.1], classes=["好", "坏"])
    assert turned.classes_.tolist() == ["坏", "好"]
    assert turned.priors_.tolist() == [0.1, 0.9]
    assert turned.predict([[0, 0], [5, 5]]).tolist() == ["好", "坏"]
    frame = pd.DataFrame([[0.0, 0.0], [5.0, 5.0]], columns=["长", "宽"])
    assert GaussianDiscriminant.from_parameters(frame, 1.0, classes=["好", "坏"]).means_.tolist() == [[5, 5], [0, 0]]


@pytest.mark.parametrize(
    ("means", "names", "text"),
    [
        ([[0, 0], [1, 2]], {"classes": ["a"]}, "classes must be a list of 2 different names"),
        ([[0, 0], [1, 2]], {"classes": "ab"}, "classes must be a list of 2 different names"),
        ([[0, 0], [1, 2]], {"classes": ["a", "a"]}, "2 different names"),
        ([[0, 0], [1, 2]], {"classes": [["a"], ["b"]]}, "classes must be a list of 2 different names"),
        (MEANS, {"classes": ["a", "b"]}, "already has them"),
        ([[0, 0], [1, 2]], {"columns": ["x", "x"]}, "columns must be a list of 2 different names"),
        ([[0], [1]], {"columns": "x"}, "columns must be a list of 1 different names"),
        (pd.DataFrame({"x": [0.0, 1.0]}, index=["a", "a"]), {}, "2 different names"),
    ],
)
def test_names_that_cannot_be_are_told_as_such(means, names, text):
    with pytest.raises(ParameterError, match=text):
        GaussianDiscriminant.from_parameters(means, 1.0, **names)


def test_other_discriminants_take_their_own_shapes():
    linear = LinearDiscriminant.from_parameters(MEANS, [[2, 0.5], [0.5, 1]])
    np.testing.assert_allclose(linear.coef_, [np.linalg.solve([[2, 0.5], [0.5, 1]], [0, -8])])
    assert linear.transform(POINTS).shape == (3, 1)
    assert QuadraticDiscriminant.from_parameters(MEANS, np.eye(2)).covariance_.shape == (2, 2, 2)
    assert NearestMean.from_parameters(MEANS, 1.0).predict(POINTS).tolist() == ["ω1", "ω1", "ω2"]
    for face, covariances in ((LinearDiscriminant, COVARIANCES), (NearestMean, np.eye(2))):
        with pytest.raises(ParameterError, match="Use GaussianDiscriminant"):
            face.from_parameters(MEANS, covariances)


@pytest.mark.parametrize(
    ("means", "covariances", "priors", "text"),
    [
        ({}, 1.0, None, "a row for each class"),
        ([[0, 1], [2]], 1.0, None, "means"),
        ([[0, np.nan], [2, 1]], 1.0, None, "a finite number for each class"),
        (MEANS, [[1, 2], [2, 1]], None, "symmetric, positive definite matrix"),
        (MEANS, [[1, 0.5], [0, 1]], None, "symmetric"),
        (MEANS, -1.0, None, "above 0"),
        (MEANS, {"ω1": 1.0}, None, "names the classes"),
        (MEANS, np.eye(3), None, "2 × 2"),
        (MEANS, 1.0, [0.5, 0.6], "sum to 1"),
        (MEANS, 1.0, [0.2, 0.3, 0.5], "3 numbers"),
    ],
)
def test_parameters_that_cannot_be_are_told_as_such(means, covariances, priors, text):
    with pytest.raises(ParameterError, match=text):
        GaussianDiscriminant.from_parameters(means, covariances, priors)


WAITS = {
    "k": ("gamma", 2.5),
    "r": ("negative-binomial", 3),
    "g": ("negative-binomial", 1),
    "p": "logit-gaussian",
    "°": ("von-mises-degrees", 2.0),
}
ROUND_TRIPS = {
    "melons": (NaiveBayes(estimate="unbiased", smoothing=0), MELONS, RIPE, None),
    "melons, Laplace": (NaiveBayes(estimate="map"), pd.DataFrame(MELONS), RIPE, None),
    "penguins, joint": (
        NaiveBayes(joint=[["bill_length_mm", "bill_depth_mm"]], kinds={"year": "ignore"}, estimate="map"),
        PENGUINS,
        SPECIES,
        None,
    ),
    "every kind": (
        NaiveBayes(
            kinds={"n": "poisson", "t": "exponential", "s": "log-gaussian", "b": "binary", "c": "categorical"},
            estimate="map",
        ),
        {
            "n": [0, 3, 2, 5, 4, 1],
            "t": [0.5, 1.0, 2.0, 0.3, 4.0, 2.0],
            "s": [1.0, 2.0, 3.0, 4.0, 5.0, 7.0],
            "b": [0, 1, 1, 0, 1, 1],
            "c": [1, 2, 3, 1, 2, 2],
        },
        list("aaabbb"),
        {"s": "log-gaussian"},
    ),
    "angles and trials": (
        NaiveBayes(kinds={"d": ("von-mises", 2.0), "k": ("binomial", 4)}, estimate="map"),
        {"d": [0.1, 0.5, 3.0, 2.5], "k": [1, 2, 3, 4]},
        list("aabb"),
        {"d": ("von-mises", 2.0), "k": ("binomial", 4)},
    ),
    "words": (NaiveBayes(kinds="counts"), {"w": [1, 0, 2], "v": [0, 3, 1]}, list("aba"), "counts"),
    "words by groups": (
        NaiveBayes(counts=[["w", "v"], ["红", "绿", "蓝"]], estimate="map"),
        {"蓝": [2, 0, 1], "w": [1, 0, 2], "红": [0, 3, 1], "v": [0, 3, 1], "绿": [4, 0, 1], "x": [0.5, 1.0, 2.5]},
        list("aba"),
        None,
    ),
    "waits, failures and shares": (
        NaiveBayes(kinds=WAITS, estimate="map"),
        {
            "k": [1.5, 2.0, 0.5, 4.0],
            "r": [0, 3, 1, 7],
            "g": [2, 0, 5, 1],
            "p": [0.2, 0.3, 0.6, 0.9],
            "°": [5, 9, 180, 1],
        },
        list("aabb"),
        WAITS,
    ),
    "categories of every type": (
        NaiveBayes(kinds={"f": "categorical", "i": "categorical", "t": "binary", "no": "ignore"}, estimate="map"),
        {
            "f": [0.5, 2.0, 2.0, -1.5],
            "i": [-1, 0, 7, 7],
            "b": [True, False, True, True],
            "t": list("yxyy"),
            "no": [1] * 4,
        },
        list("aabb"),
        {"f": "categorical", "t": "binary", "no": "ignore"},
    ),
    "a column that is called a correlation": (
        NaiveBayes(estimate="map"),
        {"a": [1.0, 2.5, 3.0, 1.5], "correlation of a": [0.1, 0.9, 0.4, 0.7]},
        list("aabb"),
        None,
    ),
    "no names, some together, one ignored": (
        NaiveBayes(kinds={"x1": "poisson", "x2": "ignore"}, joint=[["x0", "x4"]], estimate="map"),
        np.random.default_rng(0).poisson(5, size=(20, 5)),
        np.arange(20) % 2,
        {"x1": "poisson", "x2": "ignore"},
    ),
    "no names": (NaiveBayes(estimate="map"), np.random.default_rng(0).normal(size=(20, 3)), np.arange(20) % 2, None),
}


@pytest.mark.filterwarnings("ignore::suffice.errors.KindHint")
@pytest.mark.parametrize("form", [None, pd.DataFrame, pl.DataFrame], ids=["as it is", "pandas", "polars"])
@pytest.mark.parametrize("case", ROUND_TRIPS.values(), ids=ROUND_TRIPS)
def test_tables_there_and_back(case, form):
    model, table, y, kinds = case
    table = form(table) if form and isinstance(table, dict) else table
    model.fit(table, y)
    again = NaiveBayes.from_tables(model.tables(), kinds=kinds)
    np.testing.assert_allclose(again.log_joint(table), model.log_joint(table), rtol=1e-12, atol=1e-12)
    for title, mine in model.joint_.tables().items():
        for heading, cells in mine.items():
            np.testing.assert_allclose(again.joint_.tables()[title][heading], cells, rtol=1e-12)
    assert again.classes_.tolist() == model.classes_.tolist()


def test_mixtures_there_and_back():
    numbers = {name: PENGUINS[name] for name in ("bill_length_mm", "bill_depth_mm")}
    mixture = Mixture(3, restarts=1).fit(numbers)
    again = Mixture.from_tables(mixture.tables())
    np.testing.assert_allclose(again.score_samples(numbers), mixture.score_samples(numbers), rtol=1e-12, atol=1e-12)
    latent = LatentClass(2, restarts=1).fit({name: MELONS[name] for name in ("色泽", "根蒂", "敲声")})
    again = LatentClass.from_tables(latent.tables())
    np.testing.assert_allclose(again.predict_proba(MELONS), latent.predict_proba(MELONS), rtol=1e-10)
    given = Mixture.from_parameters([0.0, 4.0], [1.0, 2.0], [0.25, 0.75])
    expected = 0.25 * norm(0, 1).pdf(1.5) + 0.75 * norm(4, np.sqrt(2)).pdf(1.5)
    assert given.score_samples([[1.5]])[0] == pytest.approx(np.log(expected), abs=1e-12)
    assert given.sample(5, random_state=0)[0].shape == (5, 1)
    assert "weight" in str(given)
    for asked in (given.standard_errors, lambda: given.tables(level=0.9), lambda: given.predict_interval([[1.0]])):
        with pytest.raises(GivenParametersError, match="were given, not learned"):
            asked()


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda tables: {}, "as tables.. gives them"),
        (lambda tables: {"色泽": tables["色泽"]}, "how common each class is"),
        (lambda tables: tables | {"色泽": {"青绿": [0.5, 0.5]}}, "sum to 1"),
        (lambda tables: tables | {"密度": {"mean": [0.5, 0.5], "sd": [0.1, -0.1]}}, "above 0"),
        (lambda tables: tables | {"密度": {"mean": [0.5, 0.5, 1.0], "sd": [0.1, 0.1, 1.0]}}, "needs 2 numbers"),
        (lambda tables: tables | {"密度": {"class": ["好", "坏"], "mean": [1, 2], "sd": [1, 1]}}, "the same rows"),
        (lambda tables: tables | {"密度": 3}, "a data frame or"),
        (lambda tables: tables | {"密度": {}}, "Every table needs headings"),
    ],
)
def test_tables_that_cannot_be_are_told_as_such(change, text):
    tables = NaiveBayes().fit(MELONS, RIPE).tables()
    with pytest.raises(ParameterError, match=text):
        NaiveBayes.from_tables(change(tables))


def test_tables_that_lack_something_say_what():
    tables = NaiveBayes().fit(MELONS, RIPE).tables()
    with pytest.raises(ParameterError, match="lack 'rate'"):
        NaiveBayes.from_tables(tables, kinds={"密度": "poisson"})
    with pytest.raises(ParameterError, match="joint names"):
        NaiveBayes.from_tables(tables, joint=[["密度", "含糖率"]])


MODELS = {
    "Gaussians": (TEXTBOOK, POINTS),
    "tables": (NaiveBayes.from_tables(NaiveBayes().fit(MELONS, RIPE).tables()), MELONS),
}


@pytest.mark.parametrize("case", MODELS.values(), ids=MODELS)
def test_everything_that_needs_no_rows_works(case, tmp_path):
    model, table = case
    a, b = model.classes_
    terms = explain(model, table, between=(b, a))
    np.testing.assert_allclose(terms.log_odds, model.decision_function(table), rtol=1e-10)
    assert 0 < bayes_error(model, draws=2000).value < 0.5
    rows, labels = model.sample(30, random_state=0)
    assert np.isfinite(model.log_likelihood(rows, labels))
    assert model.bic(rows, labels) == -2 * model.log_likelihood(rows, labels)
    assert str(model).startswith(type(model).__name__)
    assert "given" in str(model)
    assert model.estimate_ == "given"
    assert model.impute(table) is not None
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict_proba(table), model.predict_proba(table))
    assert again.estimate_ == "given"


def test_pictures_and_bounds_of_given_gaussians():
    assert bayes_error(TEXTBOOK, draws=20_000).value < error_bound(TEXTBOOK) < error_bound(TEXTBOOK, 0.5) + 1e-12
    rows, labels = TEXTBOOK.sample(40, random_state=0)
    plots.regions(TEXTBOOK, rows, labels)


@pytest.mark.parametrize("case", MODELS.values(), ids=MODELS)
def test_what_needs_rows_says_so(case):
    model, table = case
    y = model.predict(table)
    for asked in (
        lambda: model.partial_fit(table, y),
        lambda: model.tables(level=0.9),
        lambda: model.predict_interval(table),
        lambda: leave_one_out(model, table, y),
        lambda: cross_validate(model, table, y, folds=2),
        lambda: compare([model], table, y),
        lambda: tune(model, table, y),
    ):
        with pytest.raises(GivenParametersError, match="were given, not learned"):
            asked()
    assert not hasattr(model, "summary_")


def test_values_that_no_table_names():
    tables = {"class": {"class": [0, 1], "prior": [0.5, 0.5]}, "x": {"a": [0.2, 0.8], "b": [0.8, 0.2]}}
    with pytest.raises(UnseenCategoryError):
        NaiveBayes.from_tables(tables).predict({"x": ["c"]})
    assert NaiveBayes.from_tables(tables, unseen="ignore").predict_proba({"x": ["c"]}).tolist() == [[0.5, 0.5]]


def test_a_given_model_can_be_fitted():
    model = GaussianDiscriminant.from_parameters(MEANS, COVARIANCES)
    model.set_params(estimate="map").fit({"m": [1.0, 2, 3, 5, 0, 1], "n": [1.0, 0, 2, 7, 3, 5]}, list("aabbab"))
    assert model.summary_.n == 6
