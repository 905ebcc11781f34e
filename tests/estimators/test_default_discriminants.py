"""What discriminants predict when nothing is asked for, where rows barely determine a covariance."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from suffice import GaussianDiscriminant, LinearDiscriminant, QuadraticDiscriminant, leave_one_out
from suffice.families.gaussian.family import Gaussian
from suffice.families.gaussian.shapes import FULL
from suffice.families.memberships import memberships
from suffice.families.protocol import LastStep

pytestmark = [
    pytest.mark.filterwarnings(f"ignore::suffice.errors.{name}")
    for name in ("UndeterminedWarning", "ConstantColumnWarning")
]
SHRINKS_MORE = pytest.mark.xfail(
    reason="with equally many rows of both tumours the peer is ahead, by .01 to .03; nothing was changed there",
    strict=True,
)
BUNDLED = {"iris": load_iris, "wine": load_wine, "cancer": load_breast_cancer, "digits": load_digits}


def correlated(rng, rows, columns=12):
    """Three classes that share a covariance in which neighbours go together."""
    y = rng.integers(3, size=rows)
    root = np.linalg.cholesky(0.8 ** np.abs(np.subtract.outer(range(columns), range(columns))))
    return 0.5 * rng.normal(size=(3, columns))[y] + rng.normal(size=(rows, columns)) @ root.T, y


def heavy(rng, rows):
    """The same with heavy tails."""
    X, y = correlated(rng, rows)
    return X / np.sqrt(rng.chisquare(5, size=(rows, 1)) / 3), y


def skewed(rng, rows):
    """The same with long tails on one side."""
    X, y = correlated(rng, rows)
    return np.exp(X / 2), y


DRAWN = {"correlated": correlated, "heavy": heavy, "skewed": skewed}


def of_each_class(name, rows, draw):
    """So many rows of each class to learn from, and others to predict."""
    rng = np.random.default_rng(draw)
    X, y = BUNDLED[name](return_X_y=True) if name in BUNDLED else DRAWN[name](rng, 1500)
    order = rng.permutation(len(y))
    learned = np.concatenate([order[y[order] == k][:n] for k, n in enumerate(rows)])
    rest = np.setdiff1d(order, learned)[:800]
    return X[learned], y[learned], X[rest], y[rest]


def loss(model, X, y, others, classes):
    answers = model.fit(X, y).predict_proba(others)
    return -np.log(np.maximum(answers[np.arange(len(classes)), classes], 1e-300)).mean()


def against(name, rows, model, peer, draws=5):
    """Mean difference of the log losses, ours less theirs, and its standard error."""
    parts = [of_each_class(name, rows, draw) for draw in range(draws)]
    differences = [loss(model, *part) - loss(make_pipeline(StandardScaler(), peer), *part) for part in parts]
    return np.mean(differences), np.std(differences, ddof=1) / np.sqrt(draws)


@pytest.mark.parametrize(
    "name, rows",
    [
        *(("iris", [n] * 3) for n in (5, 15)),
        *(("wine", [n] * 3) for n in (16, 25)),
        *(("cancer", rows) for rows in ([35, 45], [45, 75], [80, 40])),
        *((name, [15] * 3) for name in DRAWN),
        ("skewed", [14, 25, 60]),
    ],
)
def test_quadratic_ones_predict_no_worse_than_a_regularised_peer(name, rows):
    difference, error = against(name, rows, QuadraticDiscriminant(), QuadraticDiscriminantAnalysis(reg_param=0.1))
    assert difference < 2 * error


@pytest.mark.parametrize(
    "name, rows",
    [
        *(("iris", [n] * 3) for n in (5, 20)),
        *(("wine", [n] * 3) for n in (10, 40)),
        *(("cancer", rows) for rows in ([22, 38], [45, 75])),
        *(pytest.param("cancer", rows, marks=SHRINKS_MORE) for rows in ([30, 30], [60, 60])),
        *(("digits", [n] * 10) for n in (10, 25, 120)),
        *((name, [20] * 3) for name in DRAWN),
    ],
)
def test_linear_ones_predict_no_worse_than_a_shrunk_peer(name, rows):
    peer = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")
    difference, error = against(name, rows, LinearDiscriminant(), peer)
    assert difference < 2 * error


@pytest.mark.parametrize("rows", [[100, 5], [5, 100]])
def test_a_class_of_few_rows_does_not_draw_the_others_to_it(rows):
    """Before, it was so wide that nearly all rows were said to be of it, without any doubt."""
    parts = [of_each_class("cancer", rows, draw) for draw in range(3)]
    assert np.mean([loss(QuadraticDiscriminant(), *part) for part in parts]) < 2


@pytest.mark.parametrize("step", list(LastStep))
@pytest.mark.parametrize("rows", [(40, 9, 15), (3, 200, 60), (30, 30, 30)])
def test_classes_that_vary_as_believed_are_equally_wide(step, rows):
    """However few rows they have: worth and rows, over what the last step divides by."""
    y, columns = np.repeat(np.arange(3), rows), 4
    X = np.random.default_rng(0).normal(size=(len(y), columns))
    family = Gaussian(columns, FULL)
    statistics = family.statistics(X, memberships(y, 3))
    weak, made = family.weak(statistics), family.weak_for(statistics, step)
    if rows[1] == 9 or step is not LastStep.MEAN:  # else the mean of three rows' covariance does not exist
        worth = made.scatter[:, 0, 0] / weak.mode().covariance[:, 0, 0]
        width = (worth + rows) / (made.divisor(step)[:, 0] + rows)
        np.testing.assert_allclose(width, width[0], rtol=1e-12)
    assert made.proper
    np.testing.assert_array_equal(made.degrees, weak.degrees)
    if step is LastStep.MODE or len(set(rows)) == 1:
        np.testing.assert_allclose(made.scatter, weak.scatter, rtol=1e-12)


@pytest.mark.parametrize("columns, needed", [(4, 60), (9, 135), (10, 165), (12, 234)])
def test_many_columns_need_rows_for_every_entry_of_a_shared_covariance(columns, needed):
    """Fifteen degrees of freedom for each column, and three for each variance and covariance."""
    rng = np.random.default_rng(0)
    for free, estimate in ((needed - 1, "mean"), (needed, "unbiased")):
        y = np.arange(free + 2) % 2
        assert LinearDiscriminant().fit(rng.normal(size=(len(y), columns)), y).estimate_ == estimate


@pytest.mark.parametrize("estimate", ["auto", "mean"])
def test_a_row_left_out_is_one_never_learned_from(estimate):
    """Also among classes of unequal size, whose priors then all follow from one row less."""
    X, y, _, _ = of_each_class("wine", [12, 30, 20], 0)
    X, model = X[:, :5], QuadraticDiscriminant(estimate=estimate)
    found = leave_one_out(model, X, y).log_posterior
    for row in range(0, len(y), 9):
        others = np.delete(np.arange(len(y)), row)
        expected = model.fit(X[others], y[others]).predict_log_proba(X[row : row + 1])[0]
        np.testing.assert_allclose(found[row], expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("shift, scale", [(1e6, 1.0), (0.0, 1e-9), (-3.0, 1e6)])
def test_no_unit_matters(shift, scale):
    X, y, others, _ = of_each_class("cancer", [30, 50], 1)
    plain = GaussianDiscriminant().fit(X[:, :6], y).predict_log_proba(others[:, :6])
    turned = GaussianDiscriminant().fit(shift + scale * X[:, :6], y).predict_log_proba(shift + scale * others[:, :6])
    np.testing.assert_allclose(turned, plain, rtol=1e-4, atol=1e-4)
