"""Where runs of EM begin: models side by side are those one by one, candidates keep to classes, none runs empty."""

import csv
from pathlib import Path

import numpy as np
import pytest

from estimators.hidden_cases import clumps, holed
from suffice import EM, LatentClass, Mixture, NaiveBayes
from suffice.errors import ConstantColumnWarning
from suffice.families.memberships import Soft, memberships
from suffice.learn.mixture import unlabelled
from suffice.model.em.candidates import Candidates, uncorrelated
from suffice.model.em.loop import Expected
from suffice.model.em.scouting import Scouts

X, _ = clumps(60, 2, 3, 1.5)
CATEGORIES = np.where(np.median(X, axis=0) < X, "much", "little")
MIXED = {"x": X[:, 0], "y": X[:, 1], "kind": CATEGORIES[:, 0], "events": np.floor(X[:, 1] - X[:, 1].min())}
PROBLEMS = {
    "full": (Mixture(3), X),
    "full, holes": (Mixture(3), holed(X)),
    "diagonal": (Mixture(3, "diagonal"), X),
    "spherical": (Mixture(3, "spherical"), X),
    "categories": (LatentClass(3), CATEGORIES),
    "mixed": (Mixture(3, kinds={"events": "poisson"}), MIXED),
    "logarithms": (Mixture(3, kinds="log-gaussian"), np.exp(X / 4)),
    "angles": (Mixture(3, kinds=("von-mises", 2.0)), X),
}
each_problem = pytest.mark.parametrize("name", PROBLEMS)


def posed(model, table):
    recipe, known = model.recipe(), unlabelled(table, None)
    return recipe.posed(known, recipe.plan(known.table))


def rows_of(name):
    model, table = PROBLEMS[name]
    return posed(model, table).rows


# side by side


@pytest.mark.parametrize("name", [name for name in PROBLEMS if name != "full, holes"])  # cells begin elsewhere there
def test_models_side_by_side_take_the_steps_of_each_by_itself(name):
    rows, codes = rows_of(name), np.random.default_rng(0).integers(0, 3, (4, 60))
    many = rows.side_by_side(4)
    beside = np.concatenate([np.eye(3)[some] for some in codes], axis=1)
    together = many.learn(many.initial_expectation(Soft(beside)))
    alone = [rows.learn(rows.initial_expectation(memberships(some, 3, rows.weights))) for some in codes]
    for _ in range(3):
        expected = [rows.expect(some) for some in alone]
        gathered, likelihood, _ = many.expect_each(together)
        np.testing.assert_allclose(likelihood, [each.log_likelihood for each in expected], rtol=1e-9)
        np.testing.assert_allclose(many.log_priors(together), [rows.log_prior(some) for some in alone], rtol=1e-9)
        together = many.learn(Expected(gathered, np.nan, np.nan))
        alone = [rows.learn(each) for each in expected]
    for place, some in enumerate(alone):
        np.testing.assert_allclose(together.only(np.arange(3) + 3 * place).prevalence, some.prevalence, rtol=1e-7)


def test_smoothed_shares_side_by_side():
    labels = np.where(np.arange(60) < 40, np.arange(60) % 2, None)
    settings = {"components": 2, "priors": "smoothed"}
    found = [
        NaiveBayes(em=EM(unlabelled_weight=1, restarts=n), **settings).fit(X, labels).trace_.objective for n in (1, 3)
    ]
    assert found[0][-1] <= found[1][-1]
    assert all((np.diff(objective) > -1e-9).all() for objective in found)


@each_problem
def test_scouts_come_to_where_the_objective_is_higher(name):
    rows, rng = rows_of(name), np.random.default_rng(0)
    scouts, first = Scouts.of(rows), np.random.default_rng(1).integers(0, 3, 60)
    begin = rows.learn(rows.initial_expectation(memberships(first, 3, rows.weights)))
    found = scouts.sent(begin, rng)
    worth = [rows.expect(some).log_likelihood + rows.log_prior(some) for some in (begin, found)]
    assert worth[1] > worth[0]


@pytest.mark.parametrize("model", [Mixture(3, shared=True), Mixture(3, parameter_prior="flat"), Mixture(3)])
def test_scouts_are_for_small_tables_of_components_free_of_each_other(model):
    table = X if model.shared or model.parameter_prior == "flat" else np.random.default_rng(0).normal(size=(10_000, 40))
    assert Scouts.of(posed(model, table).rows) is None


# candidates


def drawn(owners, possible, seed=0):
    rng = np.random.default_rng(seed)
    best = rng.dirichlet(np.ones(len(owners)), 60) * possible
    candidates = Candidates(X, possible, np.ones(60), np.array(owners))
    return candidates.drawn(12, best / best.sum(axis=1, keepdims=True), rng)


@pytest.mark.parametrize("seed", range(5))
def test_every_row_is_of_a_component_it_may_be_of(seed):
    labels = np.arange(60) % 3  # 2 is not known
    owners = np.array([0, 0, 1, 1, 1])
    possible = (labels[:, None] == owners) | (labels[:, None] == 2)
    for codes in drawn(owners, possible, seed):
        assert possible[np.arange(60), codes].all()


def test_a_move_changes_two_components_and_those_that_take_rows_in():
    best = np.eye(3)[np.arange(60) % 3]
    candidates = Candidates(X, np.ones((60, 3), bool), np.ones(60), np.zeros(3, dtype=int))
    for turn in range(1, 12):
        codes = candidates.moved(best, np.random.default_rng(turn), turn)
        assert set(codes) == {0, 1, 2}
        assert (codes != np.arange(60) % 3).any()


def test_where_every_class_has_one_component_all_are_new():
    possible = np.arange(2) == (np.arange(60) % 2)[:, None]
    assert all((codes == np.arange(60) % 2).all() for codes in drawn([0, 1], possible))


def test_coordinates_without_correlation():
    points = X @ np.array([[3.0, 1.0], [0.0, 0.01]])
    turned = uncorrelated(np.column_stack([points, points.sum(axis=1)]))
    np.testing.assert_allclose(turned.T @ turned / 60, np.eye(2), atol=1e-9)


# none runs empty


@pytest.fixture(scope="module")
def zoo():
    path = Path(__file__).parents[1] / "reference" / "data" / "Zoo_categorical.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    names = [name for name in rows[0] if name not in ("type", "animal", "class")]
    return {name: [row[name] for row in rows] for name in names}


@pytest.mark.parametrize("seed", range(6))
def test_a_component_that_runs_empty_is_put_elsewhere(zoo, seed):
    model = LatentClass(6, restarts=1, random_state=seed).fit(zoo)
    assert model.weights_.min() * 101 > 0.5


@pytest.mark.filterwarnings("ignore::suffice.errors.KindHint")  # numbers of few values are meant
def test_where_there_are_fewer_kinds_of_rows_than_components_some_stay_empty():
    model = Mixture(4, "diagonal", restarts=2).fit(np.repeat([[0.0], [1.0]], 10, axis=0))
    assert np.isfinite(model.score([[0.5]]))


def test_rows_that_never_vary_belong_to_all_components_alike():
    with pytest.warns(ConstantColumnWarning, match="'x'"):
        model = Mixture(3).fit({"x": [1.0] * 7})
    np.testing.assert_allclose(model.weights_, 1 / 3)
