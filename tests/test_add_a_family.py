"""The page "How to add a family", followed to the letter, and its kinds used for everything."""

import re
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from types import ModuleType

import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy import stats

import suffice
from suffice import LatentClass, Mixture, NaiveBayes, compare, evidence_of_columns, explain, leave_one_out, plots
from suffice.data.kinds import KINDS
from suffice.errors import FileError, KindError, NoFormulaError, ParameterError
from suffice.families.rates.family import Rates

PAGE = Path(__file__).parents[1] / "docs" / "en" / "pages" / "add-a-family.md"


@pytest.fixture(scope="module")
def space():
    """What the page defines; it tries all laws, and registers its kinds."""
    names = {"__name__": "added"}
    sys.modules["added"] = ModuleType("added")  # dataclasses look their module up
    for code in re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL):
        exec(code, names)
    yield names
    for name in ("rayleigh", "pareto", "root-gaussian"):
        del KINDS[name]


@pytest.fixture
def table(space):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 300)
    speed = stats.rayleigh.rvs(scale=1.0 + y, size=300, random_state=rng)
    income = stats.pareto.rvs(3.0 - y, scale=1000, size=300, random_state=rng)
    return {"speed": speed, "income": income, "城": rng.choice(["甲", "乙"], 300)}, y


DECLARED = {"speed": "rayleigh", "income": ("pareto", 1000)}


def taken(table, rows):
    return {name: cells[rows] for name, cells in table.items()}


def test_fit_and_predict(table):
    X, y = table
    model = NaiveBayes(kinds=DECLARED | {"城": "ignore"}, estimate="ml").fit(X, y)
    for k in range(2):
        rows = y == k
        scale = np.sqrt((X["speed"][rows] ** 2).mean() / 2)
        exponent = rows.sum() / np.log(X["income"][rows] / 1000).sum()
        expected = stats.rayleigh.logpdf(X["speed"], scale=scale) + stats.pareto.logpdf(
            X["income"], exponent, scale=1000
        )
        found = model.log_joint(X)[:, k] - np.log(rows.mean())
        np.testing.assert_allclose(found, expected, rtol=1e-10)
    assert model.score(X, y) > 0.7
    assert "pareto, least value 1000" in str(model)
    assert model.tables()["income"]["exponent"].shape == (2,)


def test_batches_and_rows_left_out(table):
    X, y = table
    model = NaiveBayes(kinds=DECLARED)
    halves = model.partial_fit(taken(X, slice(0, 99)), y[:99]).partial_fit(taken(X, slice(99, None)), y[99:])
    whole = NaiveBayes(kinds=DECLARED).fit(X, y)
    np.testing.assert_allclose(halves.predict_proba(X), whole.predict_proba(X), rtol=1e-10)
    found = leave_one_out(whole, X, y)
    for row in (0, 17, 299):
        others = np.delete(np.arange(300), row)
        refitted = NaiveBayes(kinds=DECLARED).fit(taken(X, others), y[others])
        np.testing.assert_allclose(found.posterior[row], refitted.predict_proba(taken(X, [row]))[0], rtol=1e-9)


def test_hidden_components_and_missing_cells(table):
    X, _ = table
    mixture = Mixture(2, kinds=DECLARED).fit(X)
    assert np.all(np.diff(mixture.trace_.objective) > -1e-7)
    assert np.isfinite(mixture.bic(X))
    holes = X | {"speed": np.where(np.arange(300) < 5, np.nan, X["speed"])}
    full = mixture.impute(holes)
    assert np.isfinite(full["speed"]).all()
    np.testing.assert_array_equal(full["speed"][5:], X["speed"][5:])
    assert LatentClass(2, kinds=DECLARED | {"城": "categorical"}).fit(holes).converged_


def test_evidence_files_and_reasons(table, tmp_path):
    X, y = table
    model = NaiveBayes(kinds=DECLARED).fit(X, y)
    assert {"speed", "income", "城"} <= {name for row in evidence_of_columns(model, X, y) for name in row.columns}
    assert len(compare([model, NaiveBayes()], X, y).trials) == 2
    model.save(tmp_path / "模型")
    again = suffice.load(tmp_path / "模型")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    found = explain(model, taken(X, slice(0, 9)), between=(1, 0))
    logs = model.predict_log_proba(taken(X, slice(0, 9)))
    np.testing.assert_allclose(found.prior + sum(found.terms.values()), logs[:, 1] - logs[:, 0], rtol=1e-9)


def test_pictures(table):
    X, y = table
    columns = {name: X[name] for name in ("speed", "income")}
    model = NaiveBayes(kinds=DECLARED).fit(columns, y)
    _, axes = plt.subplots(1, 2)
    plots.regions(model, columns, y, ax=axes[0])
    plots.explanation(explain(model, taken(columns, slice(0, 1)), between=(1, 0)), ax=axes[1])
    plt.close("all")


def test_cells_outside_are_refused_by_name(table):
    X, y = table
    with pytest.raises(
        KindError, match=r"Values.*'income' .pareto, least value 1000. holds 3 in row 7; .*1000 or more"
    ):
        NaiveBayes(kinds=DECLARED).fit(X | {"income": np.where(np.arange(300) == 7, 3.0, X["income"])}, y)
    with pytest.raises(ParameterError, match=r"pareto takes its least value: \('pareto', 1000\)"):
        NaiveBayes(kinds={"income": "pareto"}).fit(X, y)


def test_a_family_that_lacks_something_is_refused_when_it_is_registered(space):
    class Half(space["RayleighLaw"].__mro__[1]):
        def events(self, x):
            return x

    with pytest.raises(ParameterError, match=r"The family of 'half' cannot be made: .*columns"):
        suffice.register_kind("half", lambda block: Rates(Half()))
    with pytest.raises(ParameterError, match="found dict"):
        suffice.register_kind("half", lambda block: {})
    with pytest.raises(ParameterError, match="The name of a new kind"):
        suffice.register_kind("poisson", lambda block: space["Rayleigh"](1))


def test_a_file_of_a_kind_that_is_not_registered(table, tmp_path):
    X, y = table
    NaiveBayes(kinds=DECLARED).fit(X, y).save(tmp_path / "it")
    entry = KINDS.pop("rayleigh")
    try:
        with pytest.raises(FileError, match="'rayleigh', which is not registered here"):
            suffice.load(tmp_path / "it")
    finally:
        KINDS["rayleigh"] = entry


@pytest.mark.parametrize("estimate", ["map", "predictive"])
def test_scored_in_sql_where_the_law_has_a_formula(table, estimate):
    X, y = table
    speed = {"speed": X["speed"]}
    model = NaiveBayes(kinds={"speed": "rayleigh"}, estimate=estimate).fit(speed, y)
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE trips (id INTEGER, speed REAL)")
        database.executemany("INSERT INTO trips VALUES (?, ?)", list(enumerate(X["speed"].tolist())))
        found = {key: scores for key, *scores in database.execute(model.to_sql("sqlite", "trips", "id", "log_joint"))}
    np.testing.assert_allclose([found[i] for i in range(len(y))], model.log_joint(speed), rtol=1e-12)
    with pytest.raises(NoFormulaError, match="ParetoLaw has no formula"):
        NaiveBayes(kinds=DECLARED, estimate=estimate).fit(X, y).to_sql("sqlite", "trips", "id")


def test_a_kind_of_cells_in_other_units_needs_no_family(space):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 80)
    x = (4 + y + rng.normal(size=80)) ** 2
    found = NaiveBayes(kinds={"x": "root-gaussian"}, estimate="ml").fit({"x": x}, y)
    roots = NaiveBayes(estimate="ml").fit({"√x": np.sqrt(x)}, y)
    expected = roots.log_density({"√x": np.sqrt(x)}) - np.log(2 * np.sqrt(x))[:, None]
    np.testing.assert_allclose(found.log_density({"x": x}), expected, rtol=1e-10)
    assert list(found.joint_.tables()) == ["√x"]
