"""Modes of beliefs: where the density is largest, at a border too; refused where there is no single one; equality."""

import pickle

import numpy as np
import pytest
from scipy import stats

from suffice import (
    Beta,
    Dirichlet,
    Gamma,
    InverseGamma,
    NaiveBayes,
    NormalInverseGamma,
    NormalInverseWishart,
    NormalMean,
    leave_one_out,
)
from suffice.errors import ParameterError, SingularError

FINE = np.linspace(1e-6, 1 - 1e-6, 200_001)


def highest(log_density, grid):
    """Where a density is largest on a grid."""
    return grid[np.argmax(log_density(grid))]


@pytest.mark.parametrize(("a", "b"), [(2, 3), (1, 0.5), (0.3, 1), (0.7, 4), (5, 0.9), (1, 6), (1.5, 1.5)])
def test_the_mode_of_a_beta_is_where_its_density_is_largest(a, b):
    assert Beta(a, b).mode() == pytest.approx(highest(stats.beta(a, b).logpdf, FINE), abs=1e-5)


@pytest.mark.parametrize(("a", "b"), [(0.5, 0.5), (0.2, 0.9), (0.5, 0.7), (1, 1), (1e-3, 1e-3)])
def test_a_beta_of_two_ends_or_none_has_no_single_mode(a, b):
    with pytest.raises(ParameterError, match=r"This Beta has no single most probable value.*Ask for mean\(\)"):
        Beta(a, b).mode()
    assert "mode —" in str(Beta(a, b))


@pytest.mark.parametrize("concentration", [(0.5, 3, 2), (0.4, 1, 0.6), (2, 1, 1), (0.3, 0.3, 1), (1.2, 0.1, 3)])
def test_the_mode_of_a_dirichlet_is_where_its_density_is_largest(concentration):
    steps = np.linspace(1e-4, 1 - 2e-4, 400)
    p, q = (grid.ravel() for grid in np.meshgrid(steps, steps))
    rows = np.stack([p, q, 1 - p - q], axis=1)
    rows = rows[rows.min(axis=1) >= 1e-4 - 1e-12]
    kernel = ((np.array(concentration) - 1) * np.log(rows)).sum(axis=1)
    np.testing.assert_allclose(list(Dirichlet(concentration).mode().values()), rows[np.argmax(kernel)], atol=5e-3)


@pytest.mark.parametrize("concentration", [(0.5, 1, 1), (0.2, 0.5, 0.9), (1, 1, 1)])
def test_a_dirichlet_that_is_flat_or_torn_has_no_single_mode(concentration):
    with pytest.raises(ParameterError, match="no single most probable value"):
        Dirichlet(concentration).mode()


@pytest.mark.parametrize(
    ("belief", "density"),
    [
        (Gamma(0.4, 2), stats.gamma(0.4, scale=1 / 2)),
        (Gamma(1, 3), stats.gamma(1, scale=1 / 3)),
        (Gamma(3, 2), stats.gamma(3, scale=1 / 2)),
        (InverseGamma(0.3, 0.2, mean=0), stats.invgamma(0.3, scale=0.2)),
        (InverseGamma(2, 1, mean=0), stats.invgamma(2, scale=1)),
        (NormalMean(1.2, 0.3, 1), stats.norm(1.2, np.sqrt(0.3))),
    ],
    ids=["gamma at 0", "gamma of 1", "gamma", "inverse gamma", "inverse gamma of 2", "normal"],
)
def test_other_modes_are_where_the_density_is_largest(belief, density):
    grid = np.linspace(1e-6, 4, 400_001)
    assert belief.mode() == pytest.approx(highest(density.logpdf, grid), abs=2e-5)


# models that use them


def rows(missing):
    """A class whose cells of b are all missing."""
    return {"b": ["u", "v", "u", "u", *[missing] * 3], "x": [1.0, 2, 3, 5, 4, 5, 7]}, ["p"] * 4 + ["q"] * 3


def naive(belief, estimate="map"):
    return NaiveBayes(estimate=estimate, parameter_prior={"b": belief})


@pytest.mark.parametrize(
    ("u", "v", "expected"), [(1, 0.5, 1.0), (0.3, 1, 0.0), (3, 0.2, 1.0), (1, 1, 0.5), (4, 2, 0.75)]
)
def test_a_class_without_cells_is_as_the_belief_has_it_most_probably(u, v, expected):
    found = naive(Dirichlet({"u": u, "v": v})).fit(*rows(None)).tables()["b"]
    assert found["u"][1] == pytest.approx(expected)


@pytest.mark.parametrize("belief", [Dirichlet({"u": 0.5, "v": 0.5}), Dirichlet({"u": 0.2, "v": 0.9})])
def test_a_class_without_a_single_mode_is_refused_by_name(belief):
    with pytest.raises(SingularError, match=r"In class 'q' there is no single most probable value.* of 'b'.*'mean'"):
        naive(belief).fit(*rows(None))
    means = naive(belief, "mean").fit(*rows(None)).tables()["b"]["u"]
    assert means[1] == pytest.approx(belief.mean()["u"])


@pytest.mark.filterwarnings("ignore::suffice.errors.ImpossibleRowWarning")
@pytest.mark.parametrize("weights", [None, [1, 0.3, 0.3, 0.3, 0.2, 0.6, 1.0]])
def test_rows_left_out_leave_the_same_modes_as_learning_without_them(weights):
    table = {"b": ["u", "v", "u", "v", "v", "u", None], "c": [0, 1, 1, 0, 1, 0, 1]}
    y, weights = np.array([0, 0, 0, 0, 1, 1, 1]), np.ones(7) if weights is None else np.array(weights)
    model = NaiveBayes(
        estimate="map",
        kinds={"c": "binary"},
        parameter_prior={"b": Dirichlet({"u": 1, "v": 0.5}), "c": Beta(0.4, 1)},
    )
    found = leave_one_out(model, table, y, sample_weight=weights).posterior
    for row in range(7):
        kept = np.arange(7) != row
        one = {name: np.array(cells, dtype=object if name == "b" else float) for name, cells in table.items()}
        rest = {name: cells[kept] for name, cells in one.items()}
        learned = model.fit(rest, y[kept], sample_weight=weights[kept])
        alone = {name: cells[[row]] for name, cells in one.items()}
        np.testing.assert_allclose(found[row], learned.predict_proba(alone)[0], atol=1e-12)


# beliefs are values

BELIEFS = [
    lambda: Beta(2, 3),
    lambda: Beta(3, 2),
    lambda: Dirichlet({"a": 1, "b": 2}),
    lambda: Dirichlet([1, 2]),
    lambda: Dirichlet([1, 2], unseen=3),
    lambda: Gamma(2, 3),
    lambda: NormalMean(0, 1, 1),
    lambda: NormalMean({"a": 0, "b": 1}, np.eye(2), np.eye(2)),
    lambda: InverseGamma(2, 3, mean=0),
    lambda: NormalInverseGamma(0, 1, 2, 3),
    lambda: NormalInverseWishart([0, 0], 1, 4, np.eye(2)),
    lambda: NormalInverseWishart({"b": 0, "a": 0}, 1, 4, np.eye(2)),
]


def test_beliefs_in_the_same_are_equal_and_others_are_not():
    for i, first in enumerate(BELIEFS):
        for j, second in enumerate(BELIEFS):
            assert (first() == second()) == (i == j)
    assert Beta(2, 3) != "Beta(2, 3)"
    assert len({make() for make in BELIEFS * 2}) == len(BELIEFS)


def test_a_belief_is_what_it_has_come_to():
    assert Gamma(2, 1).after(counts=[2, 3]) == Gamma(7, 3)
    assert hash(Beta(1, 2).after([1, 1, 0])) == hash(Beta(3, 3))
    assert pickle.loads(pickle.dumps(NormalMean(0, 1, 1))) == NormalMean(0, 1, 1)
    assert Dirichlet({"b": 2, "a": 1}) == Dirichlet({"a": 1, "b": 2})
