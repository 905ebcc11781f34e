"""How sure a model is: credible intervals of class probabilities and of every table entry."""

from functools import partial

import numpy as np
import pytest
from scipy import stats

from suffice import (
    Beta,
    Dirichlet,
    Gamma,
    GaussianDiscriminant,
    LinearDiscriminant,
    NaiveBayes,
    NormalInverseGamma,
    QuadraticDiscriminant,
    example,
)
from suffice.errors import HiddenCellsError, ImproperPriorError, ParameterError

same = partial(np.testing.assert_allclose, rtol=1e-9)
pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.KindHint")  # the years of penguins are three
REPLICATIONS, ROWS, LEVEL = 250, 12, 0.9
PRIORS = {
    "n": {"a": Gamma(3.0, 1.0), "b": Gamma(6.0, 2.0)},
    "x": {"a": NormalInverseGamma(0.0, 1.0, 3.0, 3.0), "b": NormalInverseGamma(1.0, 2.0, 4.0, 2.0)},
    "s": {"a": Beta(2.0, 3.0), "b": Beta(3.0, 2.0)},
}


@pytest.fixture
def penguins():
    return example("penguins")


def drawn(rng):
    """Parameters from the priors, a table from those, one more row, and the posterior of that row under the truth."""
    rate = rng.gamma([3.0, 6.0], [1.0, 0.5])
    variance = 1 / rng.gamma([3.0, 4.0], [1 / 3.0, 1 / 2.0])
    mean = rng.normal([0.0, 1.0], np.sqrt(variance / [1.0, 2.0]))
    chance = rng.beta([2.0, 3.0], [3.0, 2.0])
    kinds = np.append(np.arange(ROWS) % 2, rng.integers(2))
    table = {
        "n": rng.poisson(rate[kinds]).astype(float),
        "x": rng.normal(mean[kinds], np.sqrt(variance[kinds])),
        "s": rng.binomial(1, chance[kinds]).astype(float),
    }
    last = {name: cells[-1:] for name, cells in table.items()}
    logs = stats.poisson.logpmf(last["n"], rate) + stats.norm.logpdf(last["x"], mean, np.sqrt(variance))
    logs += stats.bernoulli.logpmf(last["s"].astype(int), chance)
    truth = np.exp(logs - np.logaddexp.reduce(logs))
    labels = np.array(["a", "b"])[kinds[:-1]]
    return {name: cells[:-1] for name, cells in table.items()}, labels, last, truth


def test_intervals_of_class_probabilities_cover_the_truth_as_often_as_they_say():
    rng = np.random.default_rng(3)
    model = NaiveBayes(
        kinds={"n": "poisson", "s": "binary"}, estimate="predictive", parameter_prior=PRIORS, priors="uniform"
    )
    covered = 0
    for _ in range(REPLICATIONS):
        table, labels, row, truth = drawn(rng)
        low, high = model.fit(table, labels).predict_interval(row, level=LEVEL, draws=200, random_state=1)
        covered += low[0, 0] <= truth[0] <= high[0, 0]
    error = np.sqrt(LEVEL * (1 - LEVEL) / REPLICATIONS)
    assert abs(covered / REPLICATIONS - LEVEL) < 3 * error


@pytest.mark.parametrize("model", [NaiveBayes(estimate="predictive"), NaiveBayes(), NaiveBayes(priors="uniform")])
def test_an_interval_is_around_its_posterior_and_narrows_with_its_level(penguins, model):
    table, species = penguins
    some = {name: cells[:30] for name, cells in table.items()}
    model.fit(table, species)
    low, high = model.predict_interval(some, level=0.99, draws=200)
    lower, higher = model.predict_interval(some, level=0.5, draws=200)
    posterior = model.predict_proba(some)
    assert np.all((low <= lower) & (lower <= higher) & (higher <= high))
    assert np.mean((low <= posterior) & (posterior <= high)) > 0.95


def test_intervals_come_from_a_seed_and_do_not_depend_on_other_rows(penguins):
    table, species = penguins
    model = NaiveBayes().fit(table, species)
    whole = model.predict_interval(table, draws=30)
    some = model.predict_interval({name: cells[200:210] for name, cells in table.items()}, draws=30)
    for all_rows, few in zip(whole, some, strict=True):
        same(all_rows[200:210], few)
    assert np.abs(whole[0] - model.predict_interval(table, draws=30, random_state=1)[0]).max() > 0


@pytest.mark.parametrize("face", [LinearDiscriminant, QuadraticDiscriminant])
def test_discriminants_have_intervals_too(face):
    rng = np.random.default_rng(0)
    labels = np.arange(60) % 3
    rows = rng.normal(size=(60, 2)) + labels[:, None]
    face = partial(face, estimate="unbiased")
    model = face().fit(rows, labels)
    few, many = (
        np.subtract(*face().fit(*some).predict_interval(rows[:5], draws=100)[::-1]).mean()
        for some in ((rows[:30], labels[:30]), (np.tile(rows, (20, 1)), np.tile(labels, 20)))
    )
    assert many < few
    assert model.predict_interval(rows[:5], draws=10)[0].shape == (5, 3)


def test_every_entry_of_a_table_has_its_interval(penguins):
    table, species = penguins
    kinds = {"year": "ignore", "body_mass_g": "log-gaussian"}
    model = NaiveBayes(kinds=kinds, estimate="predictive").fit(table, species)
    tables = model.tables(level=0.9)
    for title, columns in tables.items():
        plain = [name for name in columns if f"{name} low" in columns]
        assert plain, title
        for name in plain:
            assert np.all(columns[f"{name} low"] <= columns[name]), (title, name)
            assert np.all(columns[name] <= columns[f"{name} high"]), (title, name)
    adelie = np.isin(table["island"], ["Biscoe"]) & (np.asarray(species) == "Adelie")
    rows = np.sum(np.asarray(species) == "Adelie")
    belief = Beta(adelie.sum() + 1.0, rows - adelie.sum() + 2.0)
    same([tables["island"]["Biscoe low"][0], tables["island"]["Biscoe high"][0]], belief.interval(0.9))


def test_missing_cells_among_columns_together_leave_more_open(penguins):
    """Beliefs are not closed then, but statistics by pattern have the observed information."""
    table, species = penguins
    there = ~np.isnan(np.asarray(table["bill_length_mm"], float))
    numbers = {name: np.asarray(table[name], float)[there] for name in ("bill_length_mm", "bill_depth_mm")}
    species = np.asarray(species)[there]
    gaps = {
        gap: numbers | {"bill_depth_mm": np.where(hidden, np.nan, numbers["bill_depth_mm"])}
        for gap, hidden in (("one", np.arange(342) == 7), ("half", np.arange(342) % 2 == 0))
    }
    errors = {
        gap: QuadraticDiscriminant(estimate="ml").fit(rows, species).standard_errors() for gap, rows in gaps.items()
    }
    one, half = (errors[gap]["bill_length_mm, bill_depth_mm"] for gap in gaps)
    spread = QuadraticDiscriminant(estimate="ml").fit(gaps["one"], species).tables()["bill_length_mm, bill_depth_mm"]
    rows = np.unique(species, return_counts=True)[1]
    for column in ("bill_length_mm", "bill_depth_mm"):
        same(one[f"mean {column}"], spread[f"sd {column}"] / np.sqrt(rows), rtol=0.03)
        same(one[f"sd {column}"], spread[f"sd {column}"] / np.sqrt(2 * rows), rtol=0.06)
    assert (half["mean bill_depth_mm"] > 1.1 * one["mean bill_depth_mm"]).all()
    same(half["mean bill_length_mm"], one["mean bill_length_mm"], rtol=0.05)
    model = QuadraticDiscriminant(estimate="ml").fit(gaps["half"], species)
    low, high = model.predict_interval(gaps["half"], draws=100)
    assert np.mean((low <= model.predict_proba(gaps["half"])) & (model.predict_proba(gaps["half"]) <= high)) > 0.95
    shrunken = GaussianDiscriminant(shrink_shared=0.5, estimate="ml")
    with pytest.raises(HiddenCellsError, match="with shrinkage EM may not converge"):
        shrunken.fit(gaps["half"], species)


def test_what_has_no_belief_says_so(penguins):
    table, species = penguins
    numbers = {name: table[name] for name in ("bill_length_mm", "bill_depth_mm")}
    complete = {name: np.nan_to_num(np.asarray(cells, float), nan=1.0) for name, cells in numbers.items()}
    with pytest.raises(ParameterError, match="Shrinkage is not a prior"):
        GaussianDiscriminant(shrink_shared=0.5).fit(complete, species).predict_interval(complete)
    with pytest.raises(ImproperPriorError):
        NaiveBayes(smoothing=0).fit({"c": table["island"]}, species).predict_interval({"c": table["island"]})
    with pytest.raises(ParameterError, match="above 0 and below 1; found 95"):
        NaiveBayes().fit(table, species).predict_interval(table, level=95)


def test_informative_priors_pull_the_table_towards_them():
    table, labels = {"c": ["u", "v", "u", "v"]}, ["a", "a", "b", "b"]
    prior = {"c": {"a": Dirichlet({"u": 100, "v": 1}), "b": Dirichlet({"u": 1, "v": 100})}}
    found = NaiveBayes(estimate="mean", parameter_prior=prior).fit(table, labels).tables()["c"]["u"]
    same(found, [101 / 103, 2 / 103])
