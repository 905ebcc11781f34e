"""Mixtures: laws over many models, scikit-learn from the same start, planted parameters, collapse, choosing, files."""

import sys
import time

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal
from sklearn.mixture import GaussianMixture

import suffice
from estimators.hidden_cases import SIX, clumps, holed, moments, shares, steps, unsettled
from suffice import LatentClass, Mixture, choose, em_steps
from suffice.errors import (
    CollapsedError,
    FallingObjectiveError,
    NotConvergedWarning,
    ParameterError,
    StoppedWarning,
)
from suffice.model.em.hidden import HiddenRows

six_models = pytest.mark.parametrize("shape, shared", SIX)


def frame(rows=90, seed=0, missing=0.0):
    """Numbers, categories and counts in one table, from two components that differ in all."""
    rng = np.random.default_rng(seed)
    which = rng.integers(0, 2, rows)
    numbers = rng.normal(size=(rows, 2)) @ np.array([[1.0, 0.5], [0.0, 1.0]]) + 2.0 * which[:, None]
    colours = np.array(["red", "green", "blue"], dtype=object)
    colour = colours[(rng.random((rows, 1)) > np.array([[0.6, 0.9], [0.1, 0.4]])[which]).sum(axis=1)]
    table = {"a": numbers[:, 0], "b": numbers[:, 1], "colour": colour, "visits": rng.poisson(2.0 + 5 * which)}
    gone = rng.random((rows, 4)) < missing
    gone[np.arange(rows), rng.integers(0, 4, rows)] = False
    return pd.DataFrame(
        {
            name: pd.Series(cells, dtype=object if name == "colour" else float).where(~gone[:, j])
            for j, (name, cells) in enumerate(table.items())
        }
    )


KINDS = {"visits": "poisson"}
PROBLEMS = {
    **{f"{shape}, {'shared' if shared else 'own'}": ("numbers", shape, shared) for shape, shared in SIX},
    **{f"{shape}, {'shared' if shared else 'own'}, holes": ("holes", shape, shared) for shape, shared in SIX},
    "mixed columns": ("mixed", "full", False),
    "mixed columns, diagonal": ("mixed", "diagonal", True),
    "mixed columns, holes": ("mixed holes", "full", False),
    "categories": ("categories", "full", False),
    "events": ("events", "full", False),
}
each_problem = pytest.mark.parametrize("name", PROBLEMS)


def problem(name, components=2, seed=0, **options):
    """A mixture that has not been fitted, and rows for it."""
    columns, shape, shared = PROBLEMS[name]
    kinds = None
    if columns in ("numbers", "holes"):
        X, _ = clumps(80, 3, components, 2.0, seed)
        X = holed(X, seed=seed) if columns == "holes" else X
    else:
        X = frame(80, seed, 0.15 if "holes" in columns else 0.0)
        X = {"categories": X[["colour"]].assign(big=np.where(X.a > 1, "yes", "no")), "events": X[["visits"]]}.get(
            columns, X
        )
        kinds = {name: "poisson" for name in X if name == "visits"}
    return Mixture(components, shape, shared, kinds=kinds, **options), X


def rows_of(X, rows):
    return X.iloc[rows].reset_index(drop=True) if isinstance(X, pd.DataFrame) else X[rows]


def parameters(model):
    """All parameters as one array."""
    arrays = [array.ravel() for array in model.joint_.packed()[1].values()]
    return np.concatenate(arrays)


# laws


@each_problem
@pytest.mark.parametrize("prior", ["weak", "flat"])
def test_the_objective_never_falls_and_the_bound_is_short_by_the_gap(name, prior):
    for seed in range(3):
        options = {"parameter_prior": prior, "smoothing": 1.0 if prior == "weak" else 0.0}
        model, X = problem(name, seed=seed, start=shares(80, 2, seed), max_iter=60, **options)
        trace = unsettled(model, X).trace_
        room = 1e-9 * (1 + abs(trace.objective[-1]))
        assert (np.diff(trace.objective) >= -room).all()
        assert (trace.kl >= -room).all()
        np.testing.assert_allclose(trace.bound, trace.log_likelihood - trace.kl, rtol=1e-12)
        log_prior = trace.objective - trace.log_likelihood
        assert ((trace.bound + log_prior)[1:] >= trace.objective[:-1] - room).all()  # the M step has raised it


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(list(PROBLEMS)), st.integers(2, 3), st.integers(0, 1000), st.sampled_from(["kmeans", "random"]))
def test_random_problems_only_climb(name, components, seed, start):
    model, X = problem(name, components, seed, start=start, restarts=2, max_iter=25, random_state=seed)
    trace = unsettled(model, X).trace_
    assert (np.diff(trace.objective) >= -1e-9 * (1 + np.abs(trace.objective[1:]))).all()
    assert (trace.kl >= -1e-9 * (1 + np.abs(trace.objective))).all()


@each_problem
def test_a_weight_is_a_repetition(name):
    times = np.arange(80) % 3 + 1
    model, X = problem(name, start=shares(80, 2), max_iter=15)
    again = np.repeat(np.arange(80), times)
    weighted = unsettled(model, X, sample_weight=times)
    repeated = unsettled(problem(name, start=shares(80, 2)[again], max_iter=15)[0], rows_of(X, again))
    np.testing.assert_allclose(parameters(weighted), parameters(repeated), rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(weighted.trace_.objective, repeated.trace_.objective, rtol=1e-10)
    assert weighted.bic(X, sample_weight=times) == pytest.approx(repeated.bic(rows_of(X, again)), rel=1e-10)


@each_problem
def test_a_row_of_weight_0_is_absent(name):
    kept = np.arange(80) % 4 > 0
    model, X = problem(name, start=shares(80, 2), max_iter=15)
    without = problem(name, start=shares(80, 2)[kept], max_iter=15)[0]
    np.testing.assert_array_equal(
        parameters(unsettled(model, X, sample_weight=kept * 1.0)),
        parameters(unsettled(without, rows_of(X, np.flatnonzero(kept)))),
    )


@each_problem
def test_a_row_without_cells_changes_nothing_but_the_count(name):
    """Its memberships are the weights, so the weights settle where they would without it."""
    begin = shares(80, 2)
    model, X = problem(name, start=begin, max_iter=4000, tol=1e-13)
    empty = np.full((1, X.shape[1]), np.nan)
    if isinstance(X, pd.DataFrame):
        more = pd.concat([X, X.iloc[:1].map(lambda cell: None if isinstance(cell, str) else np.nan)], ignore_index=True)
    else:
        more = np.concatenate([X, empty])
    plain = model.fit(X)
    begun = np.concatenate([begin, plain.weights_[None]])
    with_it = problem(name, start=begun, max_iter=4000, tol=1e-13)[0].fit(more)
    assert with_it.score_samples(more)[-1] == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(with_it.weights_, plain.weights_, atol=1e-4)
    np.testing.assert_allclose(with_it.score_samples(X), plain.score_samples(X), atol=1e-3)


@six_models
def test_a_row_without_cells_leaves_maximum_likelihood_where_it_is(shape, shared):
    """At a maximum, exactly: start there, and go one step."""
    X, which = clumps(150, 2, 2, 4.0)
    at = Mixture(2, shape, shared, start=which, parameter_prior="flat", tol=1e-16, max_iter=3000).fit(X)
    more = np.concatenate([X, np.full((3, 2), np.nan)])
    memberships = np.concatenate([at.predict_proba(X), np.tile(at.weights_, (3, 1))])
    after = Mixture(2, shape, shared, start=memberships, parameter_prior="flat").fit(more)
    np.testing.assert_allclose(after.weights_, at.weights_, atol=1e-6)
    assert after.trace_.log_likelihood[0] == pytest.approx(at.trace_.log_likelihood[-1], rel=1e-9)
    assert after.summary_.statistics.weight.sum() == pytest.approx(153)


@each_problem
def test_the_same_seed_gives_the_same_answer(name):
    model, X = problem(name, restarts=4, random_state=3, max_iter=20)
    first = parameters(unsettled(model, X))
    np.testing.assert_array_equal(first, parameters(unsettled(model, X)))


def test_seeds_give_different_starts():
    X, _ = clumps(100, 2, 4, 1.0)
    found = [steps(X, 1, components=4, restarts=1, random_state=seed).trace_.log_likelihood[0] for seed in range(3)]
    assert len(set(found)) == 3


# against scikit-learn

THEIRS = {
    ("full", False): "full",
    ("full", True): "tied",
    ("diagonal", False): "diag",
    ("spherical", False): "spherical",
}


def precisions(covariance, kind):
    if kind == "tied":
        return np.linalg.inv(covariance[0])
    if kind == "full":
        return np.linalg.inv(covariance)
    variances = np.diagonal(covariance, axis1=1, axis2=2)
    return 1 / (variances if kind == "diag" else variances[:, 0])


@pytest.mark.parametrize("shape, shared", THEIRS)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # as many steps as asked for, no more
@pytest.mark.parametrize("number", [1, 5, 30])
def test_the_same_steps_as_scikit_learn(shape, shared, number):
    X, _ = clumps(200, 3, 3, 1.5)
    kind, options = THEIRS[shape, shared], {"components": 3, "shape": shape, "shared": shared, "start": shares(200, 3)}
    first = steps(X, 1, **options)
    mean, covariance = moments(first)
    theirs = GaussianMixture(
        3,
        covariance_type=kind,
        reg_covar=0,
        tol=0,
        max_iter=number,
        weights_init=first.weights_,
        means_init=mean,
        precisions_init=precisions(covariance, kind),
    ).fit(X)
    ours = steps(X, number + 1, **options)
    mean, covariance = moments(ours)
    np.testing.assert_allclose(ours.weights_, theirs.weights_, rtol=1e-8)
    np.testing.assert_allclose(mean, theirs.means_, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(precisions(covariance, kind), theirs.precisions_, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(ours.score_samples(X), theirs.score_samples(X), rtol=1e-8)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-9)
    assert ours.bic(X) == pytest.approx(theirs.bic(X), rel=1e-10)
    assert ours.aic(X) == pytest.approx(theirs.aic(X), rel=1e-10)


def test_icl_is_bic_and_what_the_components_leave_open():
    X, _ = clumps(100, 2, 2, 1.0)
    model = Mixture(2).fit(X)
    certainty = np.log(model.predict_proba(X).max(axis=1)).sum()
    assert model.icl(X) == pytest.approx(model.bic(X) - 2 * certainty, rel=1e-12)
    assert model.icl(X) > model.bic(X)


# missing cells


@six_models
def test_log_likelihood_is_that_of_the_cells_that_are_there(shape, shared):
    X = holed(clumps(80, 3, 2, 2.0)[0])
    model = Mixture(2, shape, shared, start=shares(80, 2)).fit(X)
    mean, covariance = moments(model)
    by_hand = 0.0
    for x in X:
        here = ~np.isnan(x)
        densities = [
            multivariate_normal(m[here], c[np.ix_(here, here)]).pdf(x[here])
            for m, c in zip(mean, covariance, strict=True)
        ]
        by_hand += np.log(model.weights_ @ densities)
    assert model.score_samples(X).sum() == pytest.approx(by_hand, rel=1e-9)
    assert model.trace_.log_likelihood[-1] == pytest.approx(by_hand, rel=1e-9)


# planted parameters


@six_models
def test_planted_parameters_are_found(shape, shared):
    rng = np.random.default_rng(5)
    weights, mean = np.array([0.5, 0.3, 0.2]), np.array([[0.0, 0.0], [8.0, 1.0], [-2.0, 9.0]])
    own = {
        "full": [[[1.0, 0.6], [0.6, 2.0]], [[0.5, -0.2], [-0.2, 0.3]], [[2.0, 0.0], [0.0, 0.5]]],
        "diagonal": [np.diag([1.0, 2.0]), np.diag([0.5, 0.3]), np.diag([2.0, 0.5])],
        "spherical": [np.eye(2), 0.5 * np.eye(2), 2.0 * np.eye(2)],
    }[shape]
    truth = np.array([own[0]] * 3 if shared else own, dtype=float)
    which = rng.choice(3, 3000, p=weights)
    X = np.array([rng.multivariate_normal(mean[k], truth[k]) for k in which])
    model = Mixture(3, shape, shared).fit(X)
    counts = 3000 * weights
    assert (np.abs(model.weights_ - weights) < 4 * np.sqrt(weights * (1 - weights) / 3000)).all()
    found, covariance = moments(model)
    variances = np.diagonal(truth, axis1=1, axis2=2)
    assert (np.abs(found - mean) < 4 * np.sqrt(variances / counts[:, None])).all()
    outer = np.sqrt((truth**2 + variances[:, :, None] * variances[:, None, :]) / counts[:, None, None])
    assert (np.abs(covariance - truth) < 4.5 * outer).all()
    assert (model.predict(X) == which).mean() > 0.99


def test_planted_latent_classes_are_found():
    rng = np.random.default_rng(0)
    which = rng.choice(2, 4000, p=[0.7, 0.3])
    truth = rng.uniform(0.1, 0.9, (2, 8))
    X = np.where(rng.random((4000, 8)) < truth[which], "yes", "no")
    model = LatentClass(2).fit(X)
    found = np.array([model.tables()[f"x{j}"]["yes"] for j in range(8)]).T
    np.testing.assert_allclose(model.weights_, [0.7, 0.3], atol=0.06)
    np.testing.assert_allclose(found, truth, atol=0.08)


def test_mixed_columns_and_holes_are_found():
    table = frame(3000, 1, missing=0.2)
    model = Mixture(2, kinds=KINDS).fit(table)
    low, high = np.sort(model.tables()["visits"]["rate"])
    assert low == pytest.approx(2.0, abs=0.2)
    assert high == pytest.approx(7.0, abs=0.3)


# order


def test_components_come_by_decreasing_weight():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 1)) + 20 * np.repeat([0, 1, 2], [50, 200, 50])[:, None]
    for seed in range(4):
        model = Mixture(3, random_state=seed).fit(X)
        assert (np.diff(model.weights_) <= 0).all()
        assert model.weights_[0] == pytest.approx(2 / 3, abs=0.01)
        assert (model.predict(X[50:250]) == 0).all()
        np.testing.assert_allclose(model.summary_.statistics.weight / 300, model.weights_, rtol=1e-6)


def test_a_start_that_is_given_keeps_its_order():
    which = np.repeat([0, 1], [60, 30])
    X = np.random.default_rng(0).normal(size=(90, 1)) + 20 * which[:, None]
    for start in (which, 1 - which):
        model = Mixture(2, start=start).fit(X)
        np.testing.assert_array_equal(model.predict(X), start)


# collapse


def twins():
    """Twenty rows that spread, and five that are one and the same."""
    X, _ = clumps(20, 2, 1)
    return np.concatenate([X, np.full((5, 2), 9.0)])


def test_a_collapsed_component_never_wins():
    """Some starts put the equal rows into a component of their own: those are out, however infinite."""
    X = np.concatenate([clumps(200, 2, 2, 6.0, seed=3)[0], np.full((3, 2), 30.0)])
    model = Mixture(2, parameter_prior="flat", restarts=40, random_state=1, max_iter=3000).fit(X)
    out = [told for told in model.trace_.restarts if "shrunk" in told or "empty" in told or "begin" in told]
    assert 0 < len(out) < 40
    assert len(model.trace_.restarts) == 40
    assert np.isfinite(model.trace_.log_likelihood).all()
    _, covariance = moments(model)
    assert (np.linalg.eigvalsh(covariance) > 1e-6).all()


def test_where_all_collapse_the_error_says_what_to_do():
    start = np.repeat([0, 1], [20, 5])
    with pytest.raises(CollapsedError, match=r"EM failed from every start.*Use fewer components"):
        Mixture(2, parameter_prior="flat", start=start).fit(twins())


def test_a_weak_prior_does_not_collapse():
    model = Mixture(2, start=np.repeat([0, 1], [20, 5])).fit(twins())
    assert model.converged_
    np.testing.assert_array_equal(model.predict(twins()), np.repeat([0, 1], [20, 5]))


def test_an_empty_component_is_reported():
    X, which = clumps(40, 2, 2)
    with pytest.raises(CollapsedError, match="component 2"):
        Mixture(3, parameter_prior="flat", start=which).fit(X)


# numbers that are hard


@six_models
@pytest.mark.parametrize("prior", ["weak", "flat"])
def test_far_from_zero(shape, shared, prior):
    X, which = clumps(200, 2, 2, 5.0)
    near, far = (
        Mixture(2, shape, shared, start=which, parameter_prior=prior).fit(rows)
        for rows in (X, X + np.array([1e8, 1e8]))
    )
    np.testing.assert_allclose(far.predict_proba(X + 1e8), near.predict_proba(X), atol=1e-6)
    np.testing.assert_allclose(moments(far)[1], moments(near)[1], rtol=1e-6, atol=1e-6)


@six_models
@pytest.mark.parametrize("prior", ["weak", "flat"])
def test_units_do_not_matter(shape, shared, prior):
    X, _ = clumps(150, 2, 2, 2.0)
    scale = np.full(2, 1e-9) if shape == "spherical" else np.array([1e-9, 1e5])
    ours, scaled = (
        unsettled(Mixture(2, shape, shared, start=shares(150, 2), parameter_prior=prior, max_iter=40), rows)
        for rows in (X, X * scale)
    )
    np.testing.assert_allclose(scaled.predict_proba(X * scale), ours.predict_proba(X), atol=1e-7)


def test_single_precision():
    X, which = clumps(200, 2, 2, 5.0)
    single = X.astype(np.float32)
    np.testing.assert_allclose(
        Mixture(2, start=which).fit(single).predict_proba(single),
        Mixture(2, start=which).fit(single.astype(float)).predict_proba(single.astype(float)),
        atol=1e-12,
    )


def test_a_narrow_component_is_not_lost():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(0, 1, 500), rng.normal(3, 1e-5, 500)])[:, None]
    model = Mixture(2, start=np.repeat([0, 1], 500), parameter_prior="flat").fit(X)
    mean, covariance = moments(model)
    assert mean[1, 0] == pytest.approx(3, abs=1e-5)
    assert np.sqrt(covariance[1, 0, 0]) == pytest.approx(1e-5, rel=0.15)


def test_the_tolerance_is_per_row():
    X, _ = clumps(100, 2, 2, 1.0)
    once, often = (
        Mixture(2, start=np.repeat(shares(100, 2), times, axis=0), parameter_prior="flat", max_iter=5000, tol=1e-5).fit(
            np.repeat(X, times, axis=0)
        )
        for times in (1, 20)
    )
    assert once.n_iter_ == often.n_iter_
    gains = np.diff(once.trace_.objective) / 100
    assert (gains[:-1] >= 1e-5).all()
    assert gains[-1] < 1e-5


# choosing


def test_bic_picks_the_planted_number():
    X, _ = clumps(300, 2, 3, 6.0)
    found = choose(Mixture(), X, range(1, 6), shapes=("full", "diagonal"), shared=(False, True))
    assert found.best.components == 3
    table = found.table()
    assert list(table) == ["components", "shape", "shared", "log likelihood", "bic", "icl", "aic", "note"]
    assert len(table["bic"]) == 20
    at = int(np.argmin(table["bic"]))
    assert found.best.bic(X) == table["bic"][at]
    assert found.best.icl(X) == table["icl"][at]
    assert "mixtures by BIC" in repr(found)
    assert "the best of 20; table() has them all" in repr(found)


def test_the_table_is_in_the_frame_library_of_the_rows():
    found = choose(Mixture(), pd.DataFrame(clumps(60)[0], columns=["a", "b"]), (1, 2), criterion="icl")
    assert isinstance(found.table(), pd.DataFrame)
    assert found.table().components.tolist() == [1, 2]


@pytest.mark.filterwarnings("ignore::suffice.errors.KindHint")  # numbers of few values are meant
def test_what_cannot_be_fitted_stays_in_the_table_with_its_reason():
    X = np.repeat([[0.0], [1.0]], 10, axis=0)
    found = choose(Mixture(parameter_prior="flat"), X, (1, 3))
    assert found.best.components == 1
    assert "EM failed from every start" in found.table()["note"][1]
    assert np.isnan(found.table()["bic"][1])
    assert "EM failed from every start" in repr(found)
    with pytest.raises(ParameterError, match="None of the mixtures could be fitted"):
        _ = choose(Mixture(parameter_prior="flat"), X, (3,)).best


def test_an_unknown_criterion_is_refused():
    with pytest.raises(ParameterError, match="use one of bic, icl, aic"):
        choose(Mixture(), clumps()[0], criterion="best")


# steps to look at


@each_problem
def test_states_are_those_of_the_fit(name):
    options = {"start": shares(80, 2), "max_iter": 12, "tol": 1e-5}
    model, X = problem(name, **options)
    states = list(em_steps(model, X))
    trace = unsettled(model, X).trace_
    for field in ("log_likelihood", "bound", "kl", "objective"):
        np.testing.assert_array_equal([getattr(state, field) for state in states], getattr(trace, field))
    np.testing.assert_allclose(states[-1].memberships, model.predict_proba(X), atol=1e-12)
    np.testing.assert_array_equal(states[-1].tables()["component"]["weight"], model.weights_)
    assert [state.step for state in states] == list(range(1, len(states) + 1))


def test_steps_are_of_mixtures_only():
    with pytest.raises(ParameterError, match="such as NaiveBayes"):
        next(em_steps(suffice.NaiveBayes(), clumps()[0]))


# going on, files, interruption


def test_a_warm_start_goes_on_where_it_ended():
    X, _ = clumps(150, 2, 3, 1.5)
    whole = unsettled(Mixture(3, start=shares(150, 3), max_iter=20, tol=1e-300), X)
    part = unsettled(Mixture(3, start=shares(150, 3), max_iter=10, tol=1e-300, warm_start=True), X)
    unsettled(part, X)
    np.testing.assert_allclose(part.trace_.objective, whole.trace_.objective[10:], rtol=1e-12)


@each_problem
def test_saved_and_loaded_bit_for_bit(name, tmp_path):
    model, X = problem(name, max_iter=8)
    unsettled(model, X).save(tmp_path / "mixture")
    again = suffice.load(tmp_path / "mixture")
    assert type(again) is Mixture
    np.testing.assert_array_equal(parameters(again), parameters(model))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(again.score_samples(X), model.score_samples(X))
    assert again.get_params() == model.get_params()
    assert again.bic(X) == model.bic(X)
    assert "Mixture" in str(again)


def test_latent_classes_saved_with_a_given_start(tmp_path):
    X = frame(60)[["colour"]].assign(b="no")
    X.loc[::3, "b"] = "yes"
    model = LatentClass(2, start=shares(60, 2)).fit(X)
    model.save(tmp_path / "classes")
    np.testing.assert_array_equal(suffice.load(tmp_path / "classes").predict_proba(X), model.predict_proba(X))


def interrupted(monkeypatch, after):
    """Ctrl-C in the E step, after that many of them."""
    expect, calls = HiddenRows.expect, []

    def until(self, theta):
        calls.append(theta)
        if len(calls) > after:
            raise KeyboardInterrupt
        return expect(self, theta)

    monkeypatch.setattr(HiddenRows, "expect", until)


def test_ctrl_c_returns_the_best_so_far(monkeypatch):
    X, _ = clumps(100, 2, 2, 1.0)
    options = {"start": shares(100, 2), "tol": 1e-300}
    whole = unsettled(Mixture(2, max_iter=5, **options), X)
    interrupted(monkeypatch, after=5)
    with pytest.warns(StoppedWarning, match="best parameters so far"):
        model = Mixture(2, **options).fit(X)
    np.testing.assert_array_equal(model.trace_.objective, whole.trace_.objective)
    np.testing.assert_array_equal(parameters(model), parameters(whole))
    assert not model.converged_


def test_ctrl_c_among_restarts(monkeypatch):
    X, _ = clumps(100, 2, 3, 1.0)
    interrupted(monkeypatch, after=25)
    with pytest.warns(StoppedWarning):
        model = Mixture(3, restarts=4).fit(X)
    assert np.isfinite(model.score(X))


def test_ctrl_c_before_anything_is_known_is_an_interruption(monkeypatch):
    interrupted(monkeypatch, after=0)
    with pytest.raises(KeyboardInterrupt):
        Mixture(2, start=shares(100, 2)).fit(clumps(100)[0])


def test_too_few_steps_are_a_warning():
    with pytest.warns(NotConvergedWarning, match="raise max_iter, or tol"):
        model = Mixture(2, max_iter=2, start=shares(120, 2)).fit(clumps()[0])
    assert model.n_iter_ == 2
    assert not model.converged_


def test_a_falling_objective_is_an_error(monkeypatch):
    X, which = clumps(60)
    expect, calls = HiddenRows.expect, []

    def worse(self, theta):
        found = expect(self, theta)
        calls.append(found)
        object.__setattr__(found, "log_likelihood", found.log_likelihood - len(calls))
        return found

    monkeypatch.setattr(HiddenRows, "expect", worse)
    with pytest.raises((FallingObjectiveError, CollapsedError), match="EM lowered its objective"):
        Mixture(2, start=which).fit(X)


class Terminal:
    """A stream that may be one that people look at."""

    def __init__(self, looked_at):
        self.looked_at, self.written = looked_at, []

    def isatty(self):
        return self.looked_at

    def write(self, text):
        self.written.append(text)

    def flush(self):
        pass


@pytest.mark.parametrize("looked_at, pace, shown", [(True, 0.5, True), (True, 0.01, False), (False, 0.5, False)])
def test_progress_is_shown_after_two_seconds_where_somebody_looks(monkeypatch, looked_at, pace, shown):
    """A clock that goes on by `pace` whenever somebody asks for the time."""
    terminal, asked = Terminal(looked_at), iter(range(10**6))
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(time, "monotonic", lambda: pace * next(asked))
    unsettled(Mixture(2, start=shares(120, 2), tol=1e-300, max_iter=30), clumps()[0])
    assert any("EM step" in text for text in terminal.written) is shown


# what cannot be


@pytest.mark.parametrize("components", [0, -1, 2.5, "two"])
def test_a_number_of_components_that_cannot_be(components):
    with pytest.raises(ParameterError, match="components must be a whole number, 1 or more"):
        Mixture(components).fit(clumps()[0])


def test_more_components_than_rows():
    with pytest.raises(ParameterError, match="3 samples for 4 components"):
        Mixture(4).fit(clumps(3)[0])


NO_START = ["means", *(np.zeros(n, dtype=int) for n in (10, 130)), np.full(120, 2), np.ones((120, 2)), np.eye(3)[:1]]


@pytest.mark.parametrize("start", NO_START)
def test_a_start_that_cannot_be(start):
    with pytest.raises(ParameterError, match="start must be 'kmeans', 'random', a component 0 … 1 for each of 120"):
        Mixture(2, start=start).fit(clumps()[0])


# faces


def test_drawn_rows_are_of_the_mixture():
    X, _ = clumps(300, 2, 2, 5.0)
    model = Mixture(2).fit(pd.DataFrame(X, columns=["a", "b"]))
    rows, which = model.sample(4000, random_state=0)
    assert list(rows.columns) == ["a", "b"]
    mean, covariance = moments(model)
    for k in range(2):
        mine = rows[which == k].to_numpy()
        off = np.sqrt(np.diag(covariance[k]) / len(mine))
        assert (np.abs(mine.mean(axis=0) - mean[k]) < 4 * off).all()
    np.testing.assert_allclose(np.bincount(which) / 4000, model.weights_, atol=0.04)


def test_fit_predict_is_fit_and_predict():
    X, _ = clumps(100, 2, 2, 5.0)
    model = Mixture(2)
    np.testing.assert_array_equal(model.fit_predict(X), model.predict(X))
    assert model.score(X) == pytest.approx(model.score_samples(X).mean())
    assert "2 components" in str(model)
    assert "log likelihood" in str(model)


@pytest.mark.parametrize("components", [1, 2])
def test_the_likelihood_of_logarithms_is_told_of_the_cells_themselves(components):
    rng = np.random.default_rng(0)
    table = {"x": np.exp(rng.normal(3, 1, 200)), "z": rng.normal(size=200)}
    model = Mixture(components, kinds={"x": "log-gaussian"}).fit(table)
    found = model.score_samples(table).sum()
    np.testing.assert_allclose(model.trace_.log_likelihood[-1], found, rtol=1e-9)
    assert (model.trace_.kl > -1e-6).all()
