"""The soft margin: values of a certified solver, the conditions of the optimum, and a quadratic program by hand."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize

from suffice.discriminative.margin import best_intercept, soft_margin
from suffice.kernels.coordinates import coordinate_pass

REFERENCE = Path(__file__).parents[1] / "reference"
SOLVED = json.loads((REFERENCE / "svm_linear_iris.json").read_text(encoding="utf-8"))["outputs"]


def irises(name):
    rows = np.loadtxt(REFERENCE / "data" / "iris_R.csv", delimiter=",", skiprows=1, usecols=range(4))
    some = rows[50:150] if name.startswith("versicolor") else rows[:100]
    return some, np.repeat([-1.0, 1.0], 50)


@pytest.mark.parametrize("name", SOLVED)
def test_weights_and_objective_of_the_certified_solution(name):
    x, side = irises(name)
    exact, cost = SOLVED[name]["exact"], SOLVED[name]["C"]
    middle = x.mean(axis=0)
    found = soft_margin(x - middle, side, np.full(100, cost), 1e-13)
    np.testing.assert_allclose(found.w, exact["w"], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found.b - found.w @ middle, exact["b"], rtol=1e-9)
    np.testing.assert_allclose(found.primal, exact["primal_objective"], rtol=1e-8)
    assert found.gap < 1e-12


def drawn(seed):
    """Rows that are separable or not, equal, with columns twice, in whole numbers or in other units."""
    rng = np.random.default_rng(seed)
    rows, columns = int(rng.integers(2, 120)), int(rng.integers(1, 12))
    z = rng.normal(size=(rows, columns))
    noise = rng.choice([0.0, 2.0])
    side = np.where(z @ rng.normal(size=columns) + noise * rng.normal(size=rows) > 0, 1.0, -1.0)
    form = rng.integers(5)
    if form == 1:
        z = z[rng.integers(0, rows, rows)]
    elif form == 2:
        z = np.hstack([z, z])
    elif form == 3:
        z = np.round(z)
    elif form == 4:
        z = z * 10.0 ** rng.integers(-3, 4, columns)
    side[:2] = -1.0, 1.0
    return z, side, 10.0 ** rng.uniform(-6, 6) * rng.choice([0.5, 1.0, 3.0], rows)


@settings(max_examples=150, deadline=None)
@example(212)  # units so far apart that b is all but undetermined
@given(st.integers(0, 2**32 - 1))
def test_the_gap_is_closed_and_the_multipliers_meet_their_conditions(seed):
    z, side, cap = drawn(seed)
    found = soft_margin(z, side, cap, 1e-6)
    assert found.gap <= 1e-6
    assert (found.alpha >= 0).all()
    assert (found.alpha <= cap * (1 + 1e-12)).all()
    assert abs(found.alpha @ side) <= 1e-9 * found.alpha.sum()
    slack = np.maximum(0, 1 - side * (z @ found.w + found.b))
    np.testing.assert_allclose(found.primal, 0.5 * found.w @ found.w + cap @ slack, rtol=1e-10)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_no_other_hyperplane_is_better(seed):
    z, side, cap = drawn(seed)
    found = soft_margin(z, side, cap, 1e-8)
    rng = np.random.default_rng(seed)
    for size in (1e-3, 1e-1, 1.0):
        w = found.w + size * rng.normal(size=len(found.w)) * (np.abs(found.w).max() + 1e-6)
        b = found.b + size * rng.normal()
        other = 0.5 * w @ w + cap @ np.maximum(0, 1 - side * (z @ w + b))
        assert other >= found.primal - 1e-8 * max(1, found.primal)  # the gap that was asked for


def test_the_constrained_problem_has_the_same_optimum_and_slacks():
    rng = np.random.default_rng(3)
    z = rng.normal(size=(12, 2))
    side = np.where(z[:, 0] + rng.normal(size=12) > 0, 1.0, -1.0)
    found = soft_margin(z, side, np.ones(12), 1e-12)

    def objective(v):
        return 0.5 * v[:2] @ v[:2] + v[3:].sum()

    holds = {"type": "ineq", "fun": lambda v: side * (z @ v[:2] + v[2]) - 1 + v[3:]}
    start = np.concatenate([np.zeros(3), np.ones(12)])
    program = minimize(objective, start, constraints=[holds], bounds=[(None, None)] * 3 + [(0, None)] * 12, tol=1e-14)
    np.testing.assert_allclose(program.x[:2], found.w, atol=1e-5)
    np.testing.assert_allclose(program.x[3:], np.maximum(0, 1 - side * (z @ found.w + found.b)), atol=1e-4)


def test_a_row_that_weighs_two_is_the_row_twice():
    z, side, _ = drawn(11)
    twice = np.concatenate([z, z[::2]]), np.concatenate([side, side[::2]])
    cap = np.ones(len(z))
    cap[::2] = 2.0
    first = soft_margin(z, side, cap, 1e-12)
    second = soft_margin(*twice, np.ones(len(twice[1])), 1e-12)
    np.testing.assert_allclose(first.w, second.w, atol=1e-8)
    np.testing.assert_allclose(first.primal, second.primal, rtol=1e-10)


def test_without_a_free_multiplier_b_is_the_middle_of_its_interval():
    scores, side = np.zeros(2), np.array([-1.0, 1.0])
    assert best_intercept(scores, side, np.ones(2)) == 0.0  # any b from −1 to 1 is as good
    found = soft_margin(np.array([[0.1], [-0.1], [0.3], [-0.3]]), np.array([1.0, 1.0, -1.0, -1.0]), np.ones(4), 1e-9)
    assert found.gap <= 1e-9


def test_sparse_rows_and_rows_without_a_matrix_for_the_curvature(monkeypatch):
    z, side, cap = drawn(5)
    dense = soft_margin(z, side, cap, 1e-10)
    np.testing.assert_allclose(soft_margin(sparse.csr_array(z), side, cap, 1e-10).w, dense.w, atol=1e-8)
    monkeypatch.setattr("suffice.discriminative.margin.WIDEST", 0)
    np.testing.assert_allclose(soft_margin(z, side, cap, 1e-10).primal, dense.primal, rtol=1e-8)


def test_a_sample_to_begin_with_changes_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    z = rng.normal(size=(600, 3))
    side = np.where(z[:, 0] + rng.normal(size=600) > 0, 1.0, -1.0)
    whole = soft_margin(z, side, np.ones(600), 1e-12)
    monkeypatch.setattr("suffice.discriminative.margin.SAMPLE", 100)
    np.testing.assert_allclose(soft_margin(z, side, np.ones(600), 1e-12).w, whole.w, atol=1e-8)


@pytest.mark.parametrize("seed", range(6))
def test_a_start_elsewhere_ends_at_the_same_optimum(seed):
    z, side, cap = drawn(seed)
    near = soft_margin(z, side, cap, 1e-6)
    found, anew = soft_margin(z, side, 30 * cap, 1e-9, near.by(30.0)), soft_margin(z, side, 30 * cap, 1e-9)
    np.testing.assert_allclose(found.primal, anew.primal, rtol=1e-8)


def wide(seed, common):
    """Sparse rows of more columns than a matrix of curvature is made for; of common words some are in most rows."""
    rng = np.random.default_rng(seed)
    rows, columns, length = 400, 2500, 20
    word = (columns * rng.random(rows * length) ** common).astype(int)
    z = sparse.csr_array(
        (rng.choice([1.0, 2.0], len(word)), (np.repeat(np.arange(rows), length), word)), (rows, columns)
    )
    return z, np.where(z @ rng.normal(size=columns) + 3 * rng.normal(size=rows) > 0, 1.0, -1.0)


@pytest.mark.parametrize("common", [1, 4])
@pytest.mark.parametrize("cost", [1e-3, 1.0, 1e2])
def test_wide_sparse_rows_reach_the_same_optimum_with_and_without_compiled_passes(cost, common, monkeypatch):
    z, side = wide(0, common)
    plain = soft_margin(z, side, np.full(400, cost), 1e-9)
    pytest.importorskip("numba", reason="passes over multipliers are compiled")
    monkeypatch.setattr("suffice.kernels.twins.COMPILED_FROM", 0)
    found = soft_margin(z, side, np.full(400, cost), 1e-9)
    assert max(plain.gap, found.gap) <= 1e-9
    np.testing.assert_allclose(found.primal, plain.primal, rtol=1e-8)


def test_a_compiled_pass_takes_each_multiplier_to_its_best(monkeypatch):
    pytest.importorskip("numba", reason="passes over multipliers are compiled")
    monkeypatch.setattr("suffice.kernels.twins.COMPILED_FROM", 0)
    z, side = wide(1, 2)
    cap, order, loose = np.full(400, 0.3), np.random.default_rng(2).permutation(400), 0.7
    size = np.asarray(z.multiply(z).sum(axis=1)).ravel() + loose
    alpha, w = np.zeros(400), np.zeros(2500)
    b = coordinate_pass(z, side, cap, size, order, alpha, w, 0.0, loose)
    slow, weights, level, dense = np.zeros(400), np.zeros(2500), 0.0, z.toarray()
    for i in order:
        new = np.clip(slow[i] + (1 - side[i] * (dense[i] @ weights + level)) / size[i], 0, cap[i])
        weights += (new - slow[i]) * side[i] * dense[i]
        level += loose * (new - slow[i]) * side[i]
        slow[i] = new
    np.testing.assert_allclose(alpha, slow, atol=1e-12)
    np.testing.assert_allclose(w, weights, atol=1e-12)
    assert b == pytest.approx(level)


# caps that are large


def parted(seed, rows=40, columns=8):
    """Rows that a hyperplane parts."""
    z = np.random.default_rng(seed).normal(size=(rows, columns))
    return z, np.where(z[:, 0] > 0, 1.0, -1.0)


@pytest.mark.parametrize("cap", [1e10, 1e14, 1e17, 1e20])
@pytest.mark.parametrize("size", [(40, 8), (30, 100), (60, 3)])
def test_a_hard_margin_is_the_same_however_large_the_caps(cap, size):
    z, side = parted(5, *size)
    found = [soft_margin(z, side, np.full(len(side), each), 1e-10) for each in (1e6, cap)]
    np.testing.assert_allclose(found[1].w, found[0].w, rtol=1e-4, atol=1e-6)
    assert found[1].gap <= 1e-10
    assert (side * (z @ found[1].w + found[1].b)).min() == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("heavy", [1e10, 1e15, 1e20])
def test_a_few_heavy_rows_do_not_drown_the_light_ones(heavy):
    z, side = parted(0)
    side[::9] *= -1  # rows on the wrong side, which are light
    weights = np.where(np.arange(len(side)) % 9 == 4, heavy, 1.0)
    found, lighter = (soft_margin(z, side, cap, 1e-10) for cap in (weights, np.minimum(weights, 1e7)))
    np.testing.assert_allclose(found.w, lighter.w, rtol=1e-5, atol=1e-6)
    assert found.gap <= 1e-10


@pytest.mark.parametrize("seed", range(3))
def test_rows_that_nothing_parts_settle_as_caps_grow(seed):
    z, side = parted(seed, 60, 3)
    side[::7] *= -1
    few, many = (soft_margin(z, side, np.full(len(side), cap), 1e-10) for cap in (1e12, 1e20))
    np.testing.assert_allclose(few.w, many.w, rtol=1e-6)
