"""Missing cells filled in: the conditional Gaussian by hand, draws with its moments, tables in the form they had."""

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest

from estimators.hidden_cases import SIX, clumps, holed, moments
from suffice import GaussianDiscriminant, LinearDiscriminant, Mixture, NaiveBayes, QuadraticDiscriminant
from suffice.errors import ParameterError


def conditional(x, mean, covariance):
    """Mean and covariance of the missing cells given those that are there."""
    gone, here = np.isnan(x), ~np.isnan(x)
    slopes = covariance[np.ix_(gone, here)] @ np.linalg.inv(covariance[np.ix_(here, here)])
    left = covariance[np.ix_(gone, gone)] - slopes @ covariance[np.ix_(here, gone)]
    return mean[gone] + slopes @ (x - mean)[here], left


def test_one_component_is_regression():
    X = holed(clumps(60, 4, 1)[0])
    X[0] = np.nan
    model = Mixture(1).fit(X)
    (mean,), (covariance,) = moments(model)
    by_hand = X.copy()
    for i, x in enumerate(X):
        by_hand[i, np.isnan(x)] = conditional(x, mean, covariance)[0]
    np.testing.assert_allclose(model.impute(X), by_hand, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("shape, shared", SIX)
def test_several_components_are_regressions_weighted_by_membership(shape, shared):
    X = holed(clumps(80, 3, 2, 2.0)[0])
    model = Mixture(2, shape, shared).fit(X)
    mean, covariance = moments(model)
    shares, by_hand = model.predict_proba(X), X.copy()
    for i, x in enumerate(X):
        each = [conditional(x, m, c)[0] for m, c in zip(mean, covariance, strict=True)]
        by_hand[i, np.isnan(x)] = shares[i] @ each
    np.testing.assert_allclose(model.impute(X), by_hand, rtol=1e-8, atol=1e-10)


def test_draws_have_the_conditional_mean_and_covariance():
    model = Mixture(1).fit(clumps(200, 3, 1)[0])
    (mean,), (covariance,) = moments(model)
    x = np.array([0.7, np.nan, np.nan])
    drawn = model.impute(np.tile(x, (20_000, 1)), draw=True, random_state=0)[:, 1:]
    expected, left = conditional(x, mean, covariance)
    assert (np.abs(drawn.mean(axis=0) - expected) < 4 * np.sqrt(np.diag(left) / 20_000)).all()
    variances = np.diag(left)
    errors = np.sqrt((left**2 + np.outer(variances, variances)) / 20_000)
    assert (np.abs(np.cov(drawn.T) - left) < 4 * errors).all()


def test_draws_are_of_the_components_as_rows_belong_to_them():
    """A row without cells is drawn from the mixture itself."""
    X = np.concatenate(
        [np.random.default_rng(0).normal(size=(150, 2)), 30 + np.random.default_rng(1).normal(size=(50, 2))]
    )
    model = Mixture(2).fit(X)
    drawn = model.impute(np.full((4000, 2), np.nan), draw=True, random_state=0)
    share = (drawn[:, 0] > 15).mean()
    assert share == pytest.approx(0.25, abs=4 * np.sqrt(0.25 * 0.75 / 4000) + 1e-3)
    assert ((drawn[:, 0] > 15) == (drawn[:, 1] > 15)).all()


def test_draws_are_seeded():
    X = holed(clumps(60, 3, 2)[0])
    model = Mixture(2).fit(X)
    first, again, other = (model.impute(X, draw=True, random_state=seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def columns(rows=120, seed=0):
    """A number, a category that follows it, and a count, with holes."""
    rng = np.random.default_rng(seed)
    high = rng.random(rows) < 0.4
    number = rng.normal(size=rows) + 6 * high
    colour = np.where(rng.random(rows) < 0.9, np.where(high, "red", "blue"), "green").astype(object)
    visits = rng.poisson(np.where(high, 12, 2)).astype(float)
    number[::7], visits[3::7], colour[5::7] = np.nan, np.nan, None
    return {"number": number, "colour": list(colour), "visits": visits}


FORMS = {"dict": dict, "pandas": pd.DataFrame, "polars": lambda c: pl.DataFrame(c, nan_to_null=True)}


def plain(table):
    return (
        {name: list(table[name]) for name in table}
        if isinstance(table, dict)
        else plain({n: table[n] for n in table.columns})
    )


@pytest.fixture
def mixed():
    return Mixture(2, kinds={"visits": "poisson"}).fit(columns())


@pytest.mark.parametrize("form", FORMS)
def test_a_table_comes_back_in_its_form(form):
    table = FORMS[form](columns())
    filled = Mixture(2, kinds={"visits": "poisson"}).fit(table).impute(table)
    assert type(filled) is type(table)
    found, before = plain(filled), plain(columns())
    assert list(found) == ["number", "colour", "visits"]
    for name, cells in before.items():
        pairs = zip(cells, found[name], strict=True)
        there = [(before, after) for before, after in pairs if before is not None and before == before]  # NaN is not
        assert len(there) < len(cells)
        assert all(before == after for before, after in there)
        assert all(cell is not None and cell == cell for cell in found[name])


def test_an_array_comes_back_as_an_array():
    X = holed(clumps(60, 3, 2)[0])
    filled = Mixture(2).fit(X).impute(X)
    assert isinstance(filled, np.ndarray)
    assert not np.isnan(filled).any()
    np.testing.assert_array_equal(filled[~np.isnan(X)], X[~np.isnan(X)])


def test_categories_are_the_most_probable(mixed):
    """Given the other cells: Σ over components of P(component | row) P(category | component)."""
    table = columns()
    gone = [i for i, colour in enumerate(table["colour"]) if colour is None]
    cells = mixed.tables()["colour"]
    names = [name for name in cells if name != "component"]
    chances = mixed.predict_proba(table)[gone] @ np.array([cells[name] for name in names]).T
    filled = mixed.impute(table)["colour"]
    assert [filled[i] for i in gone] == [names[k] for k in chances.argmax(axis=1)]


def test_counts_are_filled_in_by_their_mean(mixed):
    table = columns()
    gone = np.isnan(table["visits"])
    expected = mixed.predict_proba(table)[gone] @ mixed.tables()["visits"]["rate"]
    np.testing.assert_allclose(np.asarray(mixed.impute(table)["visits"])[gone], expected, rtol=1e-10)


def test_drawn_categories_come_as_often_as_they_should(mixed):
    one = {"number": [6.0], "colour": [None], "visits": [12.0]}
    many = {name: cells * 4000 for name, cells in one.items()}
    cells, shares = mixed.tables()["colour"], mixed.predict_proba(many)[0]
    drawn = np.asarray(mixed.impute(many, draw=True, random_state=0)["colour"])
    for name in ("red", "green", "blue"):
        p = shares @ cells[name]
        assert (drawn == name).mean() == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / 4000) + 1e-9)


@pytest.mark.parametrize(
    "model",
    [
        LinearDiscriminant(),
        QuadraticDiscriminant(),
        NaiveBayes(),
        GaussianDiscriminant("spherical"),
        Mixture(3),
        Mixture(2, "diagonal", True),
    ],
    ids=str,
)
def test_rows_without_missing_cells_stay_as_they_are(model):
    X, y = clumps(120, 3, 3, 3.0)
    model = model.fit(X, y)
    np.testing.assert_array_equal(model.impute(X), X)
    np.testing.assert_array_equal(model.impute(X, draw=True, random_state=0), X)


def test_a_classifier_weighs_its_classes():
    X, y = clumps(120, 3, 2, 2.0)
    model = QuadraticDiscriminant().fit(X, y)
    x = np.array([[0.5, np.nan, np.nan], [np.nan, -1.0, 0.3]])
    shares = model.predict_proba(x)
    filled = model.impute(x)
    for i, row in enumerate(x):
        each = [conditional(row, m, c)[0] for m, c in zip(model.means_, model.covariance_, strict=True)]
        np.testing.assert_allclose(filled[i, np.isnan(row)], shares[i] @ each, rtol=1e-9)


def test_what_is_filled_in_is_close_to_what_was_there():
    """Columns that hang together: regression beats the mean."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 1)) @ np.array([[1.0, -2.0, 0.5]]) + 0.1 * rng.normal(size=(400, 3))
    gone = holed(X)
    filled = Mixture(1).fit(gone).impute(gone)
    missing = np.isnan(gone)
    off = np.abs(filled - X)[missing].mean()
    assert off < 0.25 * np.abs(np.where(missing, np.nanmean(gone, axis=0), X) - X)[missing].mean()


def test_integrated_parameters_cannot_fill_in():
    X, y = clumps(40, 2, 2)
    with pytest.raises(ParameterError, match="use estimate='map' or another plug-in"):
        QuadraticDiscriminant(estimate="predictive").fit(X, y).impute(X)


# the table that comes back is the user's own


MIXED = {
    "date": pd.to_datetime(["2024-01-01"] * 4),
    "x": [1.0, 2.0, None, 4.0],
    "n": [1, 2, 3, 4],
    "colour": ["红", None, "绿", "红"],
    "open": [True, None, False, True],
}
LEVELS = ["绿", "红", "蓝"]


def own_frames():
    pandas = pd.DataFrame(MIXED, index=[10, 20, 30, 40])
    types = {"colour": pd.CategoricalDtype(LEVELS), "open": "boolean"}
    polars = pl.DataFrame(MIXED).with_columns(pl.col("colour").cast(pl.Enum(LEVELS)))
    return {"pandas": pandas.astype(types), "polars": polars, "pyarrow": polars.to_arrow()}


@pytest.mark.parametrize("library", own_frames())
@pytest.mark.parametrize("kinds", [{}, {"open": "binary"}], ids=str)
def test_imputing_gives_back_the_frame_with_its_types(library, kinds):
    frame = own_frames()[library]
    filled = NaiveBayes(kinds={"date": "ignore", **kinds}).fit(frame, [0, 0, 1, 1]).impute(frame)
    before, after = (nw.from_native(some) for some in (frame, filled))
    assert [dtype for name, dtype in after.schema.items() if name != "open"] == [
        dtype for name, dtype in before.schema.items() if name != "open"
    ]
    assert after["open"].dtype == nw.Boolean
    assert all(not after[name].is_null().any() for name in after.columns)
    there = ~before["colour"].is_null().to_numpy()
    assert np.array(after["colour"].to_list())[there].tolist() == ["红", "绿", "红"]
    assert after["n"].to_list() == MIXED["n"]
    if library == "pandas":
        assert filled.index.tolist() == [10, 20, 30, 40]


def test_a_category_never_met_is_no_missing_cell():
    model = NaiveBayes(unseen="error").fit({"城市": ["北京", "北京", "上海"]}, [0, 0, 1])
    assert list(model.impute({"城市": ["成都", None]})["城市"]) == ["成都", "北京"]


def test_arrays_of_objects_come_back_as_such():
    rows = np.array([["a", 1.0], [None, 2.0], ["b", np.nan], ["a", 3.0]], dtype=object)
    filled = NaiveBayes().fit(rows, [0, 0, 1, 1]).impute(rows)
    assert filled[:, 0].tolist() == ["a", "a", "b", "a"]
    assert isinstance(filled[2, 1], float)
    assert not np.isnan(filled[2, 1])
    assert rows[1, 0] is None


def test_where_ln_x_is_gaussian_the_x_expected_is_filled_in():
    rng = np.random.default_rng(0)
    x, y = np.exp(rng.normal([[1.0], [3.0]], [[0.5], [1.0]], (2, 500))).ravel(), np.repeat([0, 1], 500)
    model = NaiveBayes(kinds={"x": "log-gaussian"}, estimate="ml").fit({"x": x}, y)
    logs = [np.log(x[y == k]) for k in (0, 1)]
    expected = np.mean([np.exp(some.mean() + some.var() / 2) for some in logs])
    np.testing.assert_allclose(model.impute({"x": [np.nan]})["x"], [expected], rtol=1e-12)
    drawn = model.impute({"x": np.full(200_000, np.nan)}, draw=True, random_state=0)["x"]
    assert abs(drawn.mean() - expected) < 4 * drawn.std() / np.sqrt(len(drawn))
