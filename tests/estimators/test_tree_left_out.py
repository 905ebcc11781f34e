"""Rows left out of a tree whose arcs are given: the same as a fold for each row, and as learning without the row."""

import warnings
from itertools import product

import numpy as np
import pandas as pd
import pytest

from suffice import NaiveBayes, TreeAugmentedBayes, cross_validate, leave_one_out
from suffice.errors import SingularError, SufficeWarning

ESTIMATES = ["ml", "unbiased", "map", "mean", "predictive"]
LEVELS = ("p", "q", "r")
ROWS = 18
CHILDREN = {  # of each kind, cells that grow with a number
    "gaussian": lambda rng, size: rng.normal(size),
    "log-gaussian": lambda rng, size: np.exp(rng.normal(size)),
    "logit-gaussian": lambda rng, size: 1 / (1 + np.exp(-rng.normal(size))),
    ("categorical", LEVELS): lambda rng, size: np.array(LEVELS)[(size + rng.integers(0, 2, ROWS)) % 3],
    ("binomial", 1): lambda rng, size: rng.binomial(1, 0.2 + 0.2 * size).astype(float),
    ("binomial", 6): lambda rng, size: rng.binomial(6, 0.2 + 0.2 * size).astype(float),
    ("negative-binomial", 2): lambda rng, size: rng.poisson(1 + size).astype(float),
    "poisson": lambda rng, size: rng.poisson(1 + size).astype(float),
    "exponential": lambda rng, size: rng.exponential(1.0 + size),
    ("gamma", 2.5): lambda rng, size: rng.gamma(2.5, 1.0 + size),
    "inverse-gaussian": lambda rng, size: rng.wald(1.0 + size, 3.0),
    ("von-mises", 2.0): lambda rng, size: rng.vonmises(size, 2.0),
}
WEIGHTS = {
    "none": lambda rng: None,
    "fractions": lambda rng: rng.choice([1.1, 1.2, 1.3, 1.7], ROWS),
    "some 0": lambda rng: rng.permutation(np.repeat([0.0, 1.1, 2.5], [1, 12, 5])),
}


def drawn(kind, seed, below="category", holes=0.0, even=False):
    """A child of one kind below a category or a number; unless even, a class may have one row of a level, or none."""
    rng = np.random.default_rng(seed)
    y = np.append([0, 1] * 4, rng.integers(0, 2 + seed % 2, ROWS - 8))
    shape = np.append([*LEVELS, *LEVELS], rng.choice(LEVELS, ROWS - 6, p=[0.5, 0.4, 0.1])).astype(object)
    if even:
        y, shape = np.arange(ROWS) % 2, np.repeat(LEVELS, ROWS // 3).astype(object)
    child = CHILDREN[kind](rng, y + rng.integers(0, 2, ROWS))
    table, kinds = pd.DataFrame({"shape": shape, "child": child}), {"shape": ("categorical", LEVELS), "child": kind}
    tree = {"child": "shape"}
    if below == "number":
        table["height"], kinds["height"] = rng.normal(y) + table["child"], "gaussian"
        tree = {"child": "height", "height": "shape"}
    holes = rng.random(table.shape) < (0.0 if even else holes)
    return table.mask(holes), y, {"kinds": kinds, "tree": tree}, rng


def tried(work):
    """What comes of it, or why nothing does; nothing but warnings of ours may be said meanwhile."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", SufficeWarning)
        try:
            return work().posterior
        except SingularError as error:
            return type(error)


def agree(model, table, y, weights):
    """Of rows that count. One of weight 0 is in no sum, so it is answered by the rows outside of its fold: all."""
    found = tried(lambda: leave_one_out(model, table, y, sample_weight=weights))
    folds = tried(lambda: cross_validate(model, table, y, folds=np.arange(ROWS), sample_weight=weights))
    if isinstance(found, type) or isinstance(folds, type):
        assert found is folds
        return False
    np.testing.assert_allclose(found, folds, rtol=1e-9, atol=1e-12)
    return True


@pytest.mark.parametrize("kind", CHILDREN, ids=str)
@pytest.mark.parametrize("estimate", ESTIMATES)
def test_leaving_one_out_is_a_fold_for_each_row(kind, estimate):
    answered = 0
    for seed, (smoothing, weighted) in enumerate(product([0.0, 1.0], WEIGHTS)):
        below, holes = [("category", 0.0), ("category", 0.15), ("number", 0.0)][seed % (3 if kind == "gaussian" else 2)]
        table, y, given, rng = drawn(kind, seed, below, holes, even=seed == 3)
        model = TreeAugmentedBayes(estimate=estimate, smoothing=smoothing, **given)
        answered += agree(model, table, y, WEIGHTS[weighted](rng))
    assert answered  # not always: few rows of a level leave variances open


@pytest.mark.parametrize("kind", CHILDREN, ids=str)
@pytest.mark.parametrize("prior", ["flat", "reference"])
@pytest.mark.parametrize("estimate", ["map", "mean", "predictive"])
def test_so_it_is_under_priors_that_help_no_empty_level(kind, prior, estimate):
    for seed in range(2):
        table, y, given, _ = drawn(kind, seed + 20)
        model = TreeAugmentedBayes(estimate=estimate, parameter_prior=prior, smoothing=0.0, **given)
        agree(model, table, y, None)


@pytest.mark.filterwarnings("ignore::suffice.errors.SufficeWarning")
@pytest.mark.parametrize("kind", CHILDREN, ids=str)
@pytest.mark.parametrize("estimate", ["map", "mean", "predictive"])
@pytest.mark.parametrize("weighted", WEIGHTS)
def test_and_learning_by_hand_without_the_row(kind, estimate, weighted):
    table, y, given, rng = drawn(kind, 40, even=True)
    weights, model = WEIGHTS[weighted](rng), TreeAugmentedBayes(estimate=estimate, smoothing=0.5, **given)
    found = leave_one_out(model, table, y, sample_weight=weights).posterior
    for row in range(0, ROWS, 3):
        rest = np.arange(ROWS) != row
        model.fit(table[rest], y[rest], None if weights is None else weights[rest], classes=[0, 1])
        np.testing.assert_allclose(found[row], model.predict_proba(table.iloc[[row]])[0], rtol=1e-9, atol=1e-12)


def test_a_level_lent_the_rows_of_its_class_does_not_count_them_twice_in_the_prior():
    """The prior of a mean follows from the rows; a level never seen has none to add to it."""
    table = {"shape": list("ppqqppqq"), "wait": [1.0, 2, 3, 9, 4, 6, 5, 2]}
    model = TreeAugmentedBayes(kinds={"wait": "exponential"}, tree={"wait": "shape"}, estimate="mean")
    rate = model.fit(table, [0, 0, 0, 0, 1, 1, 1, 1]).tables()["wait"]["rate | shape=p"][0]
    overall = 8 / 32
    typical = (4 + 1) / (15 + 1 / overall)  # the mode of the class: flat, after one row that is as all rows
    assert rate == pytest.approx((2 + 2) / (3 + 1 / typical))


@pytest.mark.parametrize("kind", [("binomial", 5), ("negative-binomial", 2)], ids=str)
@pytest.mark.parametrize("estimate", ["map", "mean", "predictive"])
def test_of_cells_that_nothing_is_known_of_all_are_alike(kind, estimate):
    """Without smoothing, and with every cell of a class missing: no warning, and the same as a formula."""
    table = {"hits": [1.0, 2, 3, np.nan, np.nan, np.nan], "size": [1.0, 2, 3, 4, 6, 5]}
    model = NaiveBayes(kinds={"hits": kind, "size": "gaussian"}, estimate=estimate, smoothing=0.0)
    model.fit(table, ["seen"] * 3 + ["unseen"] * 3)
    rows = pd.DataFrame({"hits": [0.0, 1.0, 4.0], "size": [3.0, 3.0, 3.0]})
    without = model.log_density(rows.assign(hits=np.nan))[:, 1]
    n, k = (5, rows["hits"]) if kind[0] == "binomial" else (rows["hits"] + 2, rows["hits"])
    choose = {0: [1, 5, 5], 1: [1, 2, 5]}[int(kind[0] != "binomial")]
    expected = without + np.log(choose) - np.log(2) * (k * 0 + n)
    np.testing.assert_allclose(model.log_density(rows)[:, 1], expected, rtol=1e-12)


@pytest.mark.parametrize("below", ["poisson", ("categorical", ("u", "v", "w"))], ids=str)
def test_verdicts_of_impossible_are_those_of_a_fold_for_each_row(below):
    """Two categories and smoothing 0: a (class, level) whose second cells are all missing is as its class."""
    rng = np.random.default_rng(3)
    for _ in range(6):
        y, shape = rng.integers(0, 2, ROWS), rng.choice(LEVELS, ROWS).astype(object)
        y[:4], shape[:4] = [0, 1, 0, 1], "p"
        cells = rng.choice(["u", "v", "w"], ROWS).astype(object) if below != "poisson" else rng.poisson(2.0, ROWS) * 1.0
        table = pd.DataFrame({"shape": shape, "child": cells}).mask(rng.random((ROWS, 2)) < 0.25)
        kinds = {"shape": ("categorical", LEVELS), "child": below}
        for estimate in ("mean", "predictive"):
            agree(
                TreeAugmentedBayes(kinds=kinds, tree={"child": "shape"}, estimate=estimate, smoothing=0.0),
                table,
                y,
                None,
            )
