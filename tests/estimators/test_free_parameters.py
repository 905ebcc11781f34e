"""How many numbers a mixture is free to choose: what the user has declared known is none of them."""

import numpy as np
import pandas as pd
import pytest

import suffice
from estimators.hidden_cases import SIX, clumps, unsettled
from suffice import (
    EM,
    Beta,
    Dirichlet,
    Gamma,
    InverseGamma,
    LatentClass,
    Mixture,
    NaiveBayes,
    NormalInverseGamma,
    NormalInverseWishart,
    NormalMean,
    choose,
)

K = 3
rng = np.random.default_rng(0)
ROWS = 60
FRAME = pd.DataFrame(
    {
        "a": rng.normal(size=ROWS),
        "b": rng.normal(size=ROWS),
        "colour": rng.choice(["red", "green", "blue", "grey"], ROWS),
        "yes": rng.integers(0, 2, ROWS),
        "hits": rng.integers(0, 5, ROWS),
        "waits": rng.exponential(size=ROWS),
    }
)
KINDS = {"colour": "categorical", "yes": "binary", "hits": "poisson", "waits": "exponential"}
BOTH = ("a", "b")
EYE = np.eye(2)
# columns, parameters, and what is free: of each component, and once for all of them
COUNTS = {
    "categories": (["colour"], {}, 3, 0),
    "binary": (["yes"], {}, 1, 0),
    "rates": (["hits", "waits"], {}, 2, 0),
    "all kinds": (list(FRAME), {}, 3 + 1 + 2 + 5, 0),
    "a known variance": (["a"], {"parameter_prior": {"a": NormalMean(0, 1, 1)}}, 1, 0),
    "a known variance, shared": (["a"], {"shared": True, "parameter_prior": {"a": NormalMean(0, 1, 1)}}, 1, 0),
    "a known covariance": (BOTH, {"parameter_prior": {BOTH: NormalMean({"a": 0, "b": 0}, EYE, EYE)}}, 2, 0),
    "a known covariance, shared": (
        BOTH,
        {"shared": True, "parameter_prior": {BOTH: NormalMean({"a": 0, "b": 0}, EYE, EYE)}},
        2,
        0,
    ),
    "one variance known of two": (BOTH, {"shape": "diagonal", "parameter_prior": {"a": NormalMean(0, 1, 1)}}, 1 + 2, 0),
    "one variance known of two, shared": (
        BOTH,
        {"shape": "diagonal", "shared": True, "parameter_prior": {"a": NormalMean(0, 1, 1)}},
        1 + 1,
        1,
    ),
    "a known mean": (BOTH, {"shape": "diagonal", "parameter_prior": {"a": InverseGamma(2, 2, 0.0)}}, 1 + 2, 0),
    "a known mean, shared": (
        BOTH,
        {"shape": "diagonal", "shared": True, "parameter_prior": {"a": InverseGamma(2, 2, 0.0)}},
        1,
        2,
    ),
    "a belief that leaves all open": (
        BOTH,
        {"shape": "diagonal", "parameter_prior": {"a": NormalInverseGamma(0, 1, 2, 2)}},
        4,
        0,
    ),
    "the same, together": (
        BOTH,
        {"parameter_prior": {BOTH: NormalInverseWishart({"a": 0, "b": 0}, 1, 4, EYE)}},
        5,
        0,
    ),
    "a belief about a rate": (["hits"], {"parameter_prior": {"hits": Gamma(2, 1)}}, 1, 0),
    "a belief about a probability": (["yes"], {"parameter_prior": {"yes": Beta(2, 2)}}, 1, 0),
    "a belief about categories": (
        ["colour"],
        {"parameter_prior": {"colour": Dirichlet(dict.fromkeys(["red", "green", "blue", "grey"], 2.0))}},
        3,
        0,
    ),
    **{
        f"{shape}, {'shared' if shared else 'own'}": (
            BOTH,
            {"shape": shape, "shared": shared},
            2 + (0 if shared else covariance),
            covariance if shared else 0,
        )
        for (shape, shared), covariance in zip(SIX, (3, 3, 2, 2, 1, 1), strict=True)
    },
}


def free(model, table):
    """What BIC and AIC say: their difference is parameters · (ln N − 2)."""
    return (model.bic(table) - model.aic(table)) / (np.log(len(table)) - 2)


def posed(name):
    columns, options, *_ = COUNTS[name]
    table = FRAME[list(columns)]
    return Mixture(K, kinds={c: KINDS[c] for c in columns if c in KINDS}, restarts=1, **options), table


@pytest.mark.parametrize("name", COUNTS)
def test_parameters_are_counted_as_by_hand(name, tmp_path):
    model, table = posed(name)
    own, common = COUNTS[name][2:]
    unsettled(model, table).save(tmp_path / "model")
    assert free(model, table) == pytest.approx(K - 1 + K * own + common)
    assert free(suffice.load(tmp_path / "model"), table) == pytest.approx(K - 1 + K * own + common)


@pytest.mark.parametrize("name", [name for name in COUNTS if COUNTS[name][0] is BOTH])
def test_parameters_are_as_many_as_directions_in_which_the_model_moves(name):
    """The rank of the differences that fits to many tables make to the parameters."""
    model, table = posed(name)
    own, common = COUNTS[name][2:]
    model.set_params(max_iter=2)
    moved = []
    for seed in range(40):
        rows = table.to_numpy() + np.random.default_rng(seed).normal(scale=0.3, size=table.shape)
        fitted = unsettled(model, pd.DataFrame(rows, columns=list(BOTH)))
        moved.append(np.concatenate([a.ravel() for key, a in fitted.joint_.packed()[1].items() if key != "owners"]))
    assert np.linalg.matrix_rank(np.array(moved) - moved[0], tol=1e-9) == K - 1 + K * own + common


def test_latent_classes_count_levels_less_one():
    table = FRAME[["colour", "yes"]]
    assert free(LatentClass(2, restarts=1).fit(table), table) == pytest.approx(1 + 2 * (3 + 1))


def test_four_columns_of_known_variance_and_choosing_among_them():
    X, _ = clumps(200, 4, 4, 2.0)
    prior = {f"x{j}": NormalMean(0, 100, 1) for j in range(4)}
    found = choose(Mixture(shape="diagonal", parameter_prior=prior, restarts=1), X, (1, 4))
    for candidate in found.candidates:
        k = candidate.components
        assert free(candidate.model, X) == pytest.approx(k - 1 + 4 * k)


def test_a_constant_column_is_not_counted():
    table = FRAME[["a"]].assign(same=1.0)
    with pytest.warns(suffice.errors.ConstantColumnWarning):
        model = Mixture(2, "diagonal", restarts=1).fit(table)
    assert free(model, table) == pytest.approx(1 + 2 * 2)


@pytest.mark.parametrize("priors, shares", [(None, 3), ("smoothed", 3), ("uniform", 2), ({"x": 0.3, "y": 0.7}, 2)])
def test_class_probabilities_that_are_given_are_not_counted(priors, shares):
    X, which = clumps(60, 1, 4)
    model = NaiveBayes(components=2, em=EM(restarts=1), priors=priors).fit(X, np.where(which < 2, "x", "y"))
    assert model.joint_.parameters == shares + 4 * 2


@pytest.mark.parametrize("components", [2, {"high": 2}, {"low": 3, "high": 1}])
def test_a_belief_of_each_class_is_that_of_all_its_components(components):
    X, which = clumps(60, 1, 2, 30.0)
    beliefs = {"low": NormalMean(0, 1e-6, 1), "high": NormalMean(30, 1e-6, 1)}
    model = NaiveBayes(components=components, parameter_prior={"x0": beliefs}).fit(X, np.where(which, "high", "low"))
    means = model.joint_.density.parts[0].mean[:, 0]
    np.testing.assert_allclose(means, np.where(model.joint_.owners == 0, 30, 0), atol=1e-2)


BELIEFS = {  # shape, belief, and whether it knows the covariance, 1
    "means, of one column": ("diagonal", {"x0": NormalMean(0, 9, 1)}, True),
    "means, of two columns": ("full", {("x0", "x1"): NormalMean([0.0, 0.0], 9 * np.eye(2), np.eye(2))}, True),
    "a variance": ("diagonal", {"x0": suffice.InverseGamma(3, 2, mean=0)}, False),
    "both": ("diagonal", {"x0": suffice.NormalInverseGamma(0, 1, 3, 2)}, False),
}


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("shape, belief, known", BELIEFS.values(), ids=BELIEFS)
def test_a_belief_holds_in_every_start_of_em(shape, belief, known, shared):
    names = ["x0"] if shape == "diagonal" else ["x0", "x1"]
    table = dict(zip(names, clumps(60, len(names), 2, 4.0)[0].T, strict=True))
    one, many = (Mixture(2, shape, shared=shared, parameter_prior=belief, restarts=n).fit(table) for n in (1, 5))
    assert many.trace_.objective[-1] >= one.trace_.objective[-1] - 1e-4
    if known:
        np.testing.assert_array_equal(many.covariances_, np.broadcast_to(np.eye(len(names)), many.covariances_.shape))
