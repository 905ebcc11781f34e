"""Where EM begins and which start wins: the first state, more restarts, going on, more components than rows differ."""

import warnings
from threading import Event

import numpy as np
import pytest
from scipy.special import rel_entr

from estimators.hidden_cases import SIX, clumps, holed, shares, unsettled
from suffice import EM, InverseGamma, LatentClass, Mixture, NaiveBayes, NormalInverseGamma, em_steps
from suffice.errors import CollapsedError, NotConvergedWarning, ParameterError
from suffice.learn.mixture import unlabelled
from suffice.model.em.run import initial_memberships
from suffice.model.em.search import LOOK_BACK, Run, drawn_by

X, which = clumps(80, 2, 2, 1.5)
CATEGORIES = np.where(np.median(X, axis=0) < X, "much", "little")
WEIGHTS = np.random.default_rng(0).uniform(0.5, 3.0, 80)
PROBLEMS = {
    **{f"{shape}, {shared}": ({"shape": shape, "shared": shared}, X) for shape, shared in SIX},
    "columns by themselves, holes": ({"shape": "diagonal"}, holed(X)),
    "categories": ({"kinds": "categorical"}, CATEGORIES),
    "events": ({"kinds": "poisson"}, np.floor(X - X.min(axis=0))),
}
each_problem = pytest.mark.parametrize("name", PROBLEMS)


def divergence(memberships, state, weights=1.0):
    """KL(q ‖ P(component | row, θ)), summed over the rows."""
    return float((weights * rel_entr(memberships, state.memberships).sum(axis=1)).sum())


# runs that are left behind


def run_from(seed, **control):
    recipe, known = Mixture(2).recipe(), unlabelled(X, None)
    problem = recipe.posed(known, recipe.plan(known.table))
    [rng] = drawn_by(seed, 1)
    return Run.of(problem.rows, initial_memberships(problem, "kmeans", rng), 1e-6).advance(500, Event(), **control)


def test_a_run_that_is_ahead_goes_on_to_its_end():
    for seed in range(3):
        end = run_from(seed)
        again = run_from(seed, to_beat=end.history[LOOK_BACK][2])
        assert again.converged
        assert again.history == end.history


def test_a_run_without_hope_ends_as_soon_as_that_is_known():
    run = run_from(0, to_beat=np.inf)
    assert not run.converged
    assert len(run.history) == LOOK_BACK + 1


def test_one_component_has_one_start():
    assert len(Mixture(1).fit(X).trace_.restarts) == 1
    assert len(Mixture(2).fit(X).trace_.restarts) == 10


# the first state


@each_problem
@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_the_bound_of_the_first_state_belongs_to_the_memberships_it_was_learned_from(name, weights):
    options, table = PROBLEMS[name]
    for begin in (which, shares(80, 2)):
        states = em_steps(Mixture(2, start=begin, **options), table, sample_weight=weights)
        memberships = np.eye(2)[begin] if begin.ndim == 1 else begin
        for state in (next(states), next(states), next(states)):
            found = divergence(memberships, state, 1.0 if weights is None else weights)
            assert state.kl == pytest.approx(found, rel=1e-6, abs=1e-9)
            assert state.bound == pytest.approx(state.log_likelihood - state.kl, rel=1e-12)
            memberships = state.memberships


@each_problem
@pytest.mark.parametrize("start", ["kmeans", "random"])
def test_a_start_that_is_drawn_has_a_gap_too(name, start):
    options, table = PROBLEMS[name]
    first = next(em_steps(Mixture(2, start=start, **options), table))
    assert first.kl > 1e-3


def test_missing_cells_of_the_start_count_too():
    states = list(em_steps(Mixture(2, start=shares(80, 2)), holed(X)))
    assert states[0].kl > divergence(shares(80, 2), states[0])  # cells were not where these parameters expect them
    assert states[1].objective - states[0].objective >= 0


def test_a_start_that_knows_some_rows_only_takes_the_others_as_expected():
    model = NaiveBayes(em=EM(unlabelled_weight=1)).fit(X, np.where(np.arange(80) < 60, which, None))
    assert model.trace_.kl[0] == pytest.approx(0, abs=1e-9)
    assert (model.trace_.kl > -1e-9).all()


def test_steps_are_refused_when_they_are_asked_for_not_when_they_are_taken():
    with pytest.raises(ParameterError, match="such as NaiveBayes"):
        em_steps(NaiveBayes(), X)
    with pytest.raises(ParameterError, match="max_iter, the most steps"):
        em_steps(Mixture(2, max_iter=0), X)


@each_problem
@pytest.mark.parametrize("start", ["kmeans", "random"])
def test_steps_are_those_of_a_fit_with_one_start(name, start):
    options, table = PROBLEMS[name]
    model = Mixture(2, start=start, restarts=1, max_iter=5, random_state=4, **options)
    states = [state.objective for state in em_steps(model, table)]
    np.testing.assert_array_equal(unsettled(model, table).trace_.objective, states)


# more starts


def reached(restarts, table, components=4, **options):
    return unsettled(Mixture(components, restarts=restarts, **options), table).trace_.objective[-1]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("start", ["kmeans", "random"])
def test_more_restarts_are_never_worse(seed, start):
    rows = np.random.default_rng(seed).normal(size=(50, 2))
    found = [reached(n, rows, start=start, random_state=seed) for n in (1, 2, 3, 5, 10)]
    assert found == sorted(found)


def test_more_restarts_are_never_worse_where_some_collapse():
    rows = np.concatenate([clumps(200, 2, 2, 6.0, seed=3)[0], np.full((3, 2), 30.0)])
    found, options = [-np.inf], {"components": 2, "parameter_prior": "flat", "random_state": 1}
    for restarts in (1, 2, 4, 8, 16, 32):
        try:
            found.append(reached(restarts, rows, **options))
        except CollapsedError:
            assert found == [-np.inf]  # once a start has come to an end, it always does
    assert found == sorted(found)
    assert len(found) > 1


LEARNERS = {
    "mixture": lambda rows, **options: unsettled(Mixture(3, **options), rows),
    "shared": lambda rows, **options: unsettled(Mixture(2, shared=True, **options), rows),
    "latent classes": lambda rows, **options: unsettled(LatentClass(3, **options), (rows > 0).astype(int)),
    "components": lambda rows, **options: unsettled(
        NaiveBayes(components=2, em=EM(**options)), rows, y=np.arange(len(rows)) % 2
    ),
    "hidden": lambda rows, **options: unsettled(
        NaiveBayes(components=2, unknown=-1, em=EM(**options)), rows, y=np.arange(len(rows)) % 3 - 1
    ),
}


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("seed", range(3))
def test_the_first_of_several_starts_is_the_only_one_run_to_its_end(learner, seed):
    rows = np.random.default_rng(100 + seed).normal(size=(40, 3))
    traces = [LEARNERS[learner](rows, restarts=n, random_state=seed).trace_ for n in (1, 2, 5)]
    assert {trace.restarts[0] for trace in traces} == {traces[0].restarts[0]}
    objectives = [trace.objective[-1] for trace in traces]
    assert objectives == sorted(objectives)


def test_more_restarts_of_categories_and_of_classes():
    found = [unsettled(LatentClass(3, restarts=n), CATEGORIES).trace_.objective[-1] for n in (1, 4, 12)]
    assert found == sorted(found)
    rows = np.random.default_rng(1).normal(size=(60, 2))
    classes = [
        unsettled(NaiveBayes(components=3, em=EM(restarts=n)), rows, y=np.arange(60) % 2).trace_.objective[-1]
        for n in (1, 4, 12)
    ]
    assert classes == sorted(classes)


# going on


@each_problem
def test_a_fit_that_goes_on_step_by_step_settles_where_one_fit_does(name):
    options, table = PROBLEMS[name]
    options |= {"start": shares(80, 2), "tol": 1e-5}
    whole = Mixture(2, **options).fit(table)
    step = Mixture(2, warm_start=True, max_iter=1, **options)
    for _ in range(whole.n_iter_):
        assert not getattr(step, "converged_", False)
        unsettled(step, table)
    assert step.converged_
    assert step.trace_.objective[-1] == pytest.approx(whole.trace_.objective[-1], rel=1e-12)


def test_a_fit_that_has_settled_stays_so():
    model = Mixture(2, warm_start=True).fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error", NotConvergedWarning)
        assert model.set_params(max_iter=1).fit(X).n_iter_ == 1
    assert model.converged_


@pytest.mark.parametrize("change", [{"shape": "spherical"}, {"shared": True}, {"parameter_prior": "flat"}])
def test_going_on_with_another_model_of_the_same_columns_is_not_settled_at_once(change):
    model = Mixture(2, "diagonal", warm_start=True).fit(X).set_params(**change).fit(X)
    anew = Mixture(2, **{"shape": "diagonal"} | change).fit(X)
    assert model.trace_.objective[-1] == pytest.approx(anew.trace_.objective[-1], rel=1e-3)


@pytest.mark.parametrize("other", [{"components": 3}, {"shape": "diagonal"}, {"kinds": "exponential"}])
def test_going_on_with_other_components_or_columns_is_refused(other):
    rows = X - X.min(axis=0)
    model = Mixture(2, warm_start=True).fit(rows)
    with pytest.raises(ParameterError, match=r"warm_start=True the last fit.* Use another start, or warm_start=False"):
        model.set_params(**other).fit(rows)


# more components than the rows have values


@pytest.mark.filterwarnings("ignore::suffice.errors.KindHint")  # numbers of few values are meant
@pytest.mark.parametrize("shape, shared", SIX)
@pytest.mark.parametrize("start", ["kmeans", "random"])
def test_more_components_than_different_rows_do_not_collapse_under_a_weak_prior(shape, shared, start):
    for rows in (np.repeat([[0.0], [1.0]], 10, axis=0), np.eye(3)[np.arange(12) % 3], [[0.0, 1.0]] + [[1.0, 3.0]] * 5):
        model = unsettled(Mixture(5, shape, shared, start=start), np.array(rows))
        assert model.weights_.sum() == pytest.approx(1)
        assert np.isfinite(model.score(rows))


@pytest.mark.filterwarnings("ignore::suffice.errors.KindHint")  # numbers of few values are meant
@pytest.mark.parametrize("seed", range(30))
def test_small_tables_of_few_values_do_not_collapse(seed):
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 3, (int(rng.integers(8, 20)), 2)).astype(float)
    for options in ({"shape": "diagonal"}, {"kinds": "poisson"}, {"kinds": "categorical"}):
        assert np.isfinite(unsettled(Mixture(7, random_state=seed, **options), table).score(table))


@pytest.mark.filterwarnings("ignore::suffice.errors.KindHint")  # numbers of few values are meant
def test_without_a_prior_they_do_and_the_error_says_so():
    with pytest.raises(CollapsedError, match="Use fewer components"):
        Mixture(3, parameter_prior="flat").fit(np.repeat([[0.0], [1.0]], 10, axis=0))


# several pieces of one kind


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("prior", [{}, {"x1": NormalInverseGamma(0, 1, 2, 2)}, {"x0": InverseGamma(2, 2, 0.0)}])
def test_columns_read_one_after_the_other_do_not_mix(shared, prior):
    """Beliefs of their own, and logarithms, make several Gaussian pieces; the log likelihood is that of the rows."""
    rows = np.exp(X / 4) if not prior else X
    kinds = None if prior else {"x0": "log-gaussian"}
    options = {"parameter_prior": prior or "weak", "kinds": kinds, "start": shares(80, 2), "max_iter": 20}
    model = unsettled(Mixture(2, "diagonal", shared, **options), rows)
    assert model.trace_.log_likelihood[-1] == pytest.approx(model.score_samples(rows).sum(), rel=1e-9)
    assert (np.diff(model.trace_.objective) > -1e-9).all()


def test_groups_of_columns_read_one_after_the_other_do_not_mix():
    rows = np.concatenate([X, X[::-1]], axis=1)
    hidden = np.where(np.arange(80) < 20, which, None)
    model = NaiveBayes(joint=[["x0", "x1"], ["x2", "x3"]], em=EM(unlabelled_weight=1)).fit(rows, hidden)
    known = model.log_joint(rows)
    by_label = np.where(np.arange(80) < 20, known[np.arange(80), which], np.logaddexp(*known.T))
    assert model.trace_.log_likelihood[-1] == pytest.approx(by_label.sum(), rel=1e-9)


def test_a_start_needs_parameters():
    """Those of a model that integrates them out by default are the most probable ones; asked to, it has none."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(24, 2)), np.repeat([0, 1], 12)
    hidden = np.where(np.arange(24) % 3, y, -1)
    model = NaiveBayes(unknown=-1, em=EM(unlabelled_weight=1))
    begun, same = (
        next(iter(em_steps(model, X, hidden, start=NaiveBayes(estimate=e).fit(X, y)))) for e in ("auto", "map")
    )
    assert begun.objective == same.objective
    with pytest.raises(ParameterError, match="integrated them out"):
        em_steps(model, X, hidden, start=NaiveBayes(estimate="predictive").fit(X, y))
