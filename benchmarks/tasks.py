"""What is measured against whom: one entry for each task. `compare.py` times them, `report.py` shows them.

A task has data of a size, what the peer does with it and what we do, and an answer on which the two should agree.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import CategoricalNB, GaussianNB, MultinomialNB
from sklearn.svm import LinearSVC

from suffice import (
    AveragedOneDependence,
    LinearDiscriminant,
    LogisticClassifier,
    MarginClassifier,
    Mixture,
    NaiveBayes,
    QuadraticDiscriminant,
    TreeAugmentedBayes,
    collect,
    leave_one_out,
)
from suffice.data.table import read_table
from suffice.discriminative.margin import best_intercept
from suffice.errors import NotConvergedWarning

SOME = 2000  # rows on which predictions are compared


@dataclass(frozen=True)
class Task:
    name: str
    peer: str
    target: float  # how many times as fast as the peer we mean to be
    data: Callable[[float], Any]  # for a share of the full size
    theirs: Callable[[Any], Callable[[], Any]]  # prepares, and gives what is timed
    ours: Callable[[Any], Callable[[], Any]]
    answer: Callable[[Any, Any], Any]  # (what was timed gave, data) → numbers that should agree
    agrees: bool = True  # whether the answers should be the same; rows left out have others than rows kept in
    least: bool = False  # whether the answer is an objective, which may be less than the peer's but not more
    forks: bool = True  # whether data made in one process can be used in its forks; polars' own threads cannot
    needs: str = ""  # a module that only the peer needs, and that may not be there

    @property
    def can_run(self):
        return not self.needs or find_spec(self.needs) is not None


# data


def numbers(share, rows=1_000_000, columns=50, classes=5):
    rng = np.random.default_rng(0)
    n = max(min(rows, 200), int(rows * share))
    labels = rng.integers(0, classes, n)
    X = rng.standard_normal((n, columns))
    X += 0.3 * rng.standard_normal((classes, columns))[labels]
    X[:, 1:] += 0.4 * X[:, :-1]
    return X, labels


def codes(share, rows=1_000_000, columns=30, values=10, classes=5):
    rng = np.random.default_rng(0)
    n = max(200, int(rows * share))
    X = rng.integers(0, values, (n, columns))
    X[:values] = np.arange(values)[:, None]  # every value is there, however few rows
    return X, rng.integers(0, classes, n)


def documents(share, rows=100_000, words=50_000, length=80, classes=20):
    rng = np.random.default_rng(0)
    n, words = max(200, int(rows * share)), max(500, int(words * share))
    common = 1 / np.arange(1, words + 1) ** 0.6
    word = rng.choice(words, size=n * length, p=common / common.sum())
    row = np.repeat(np.arange(n), length)
    X = sparse.csr_matrix((np.ones(len(word)), (row, word)), shape=(n, words))
    return X, rng.integers(0, classes, n)


def flowers(_share):
    return numbers(1, rows=150, columns=4, classes=3)


def text(share, rows=1_000_000):
    import polars

    rng = np.random.default_rng(0)
    n = max(200, int(rows * share))
    sizes = {"town": 300, "street": 2000, "colour": 12}
    return polars.DataFrame({name: [f"{name} {i}" for i in rng.integers(0, s, n)] for name, s in sizes.items()})


# tasks


def fitting(name, peer, target, data, theirs, ours):
    def predicted(model, rows):
        return model.predict_proba(rows[0][:SOME])

    def fits(make):
        return lambda rows: lambda: make().fit(*rows)

    return Task(f"{name} fit", peer, target, data, fits(theirs), fits(ours), predicted)


def predicting(name, peer, target, data, theirs, ours):
    def predicts(make):
        def prepared(rows):
            model = make().fit(*rows)
            return lambda: model.predict_proba(rows[0])

        return prepared

    return Task(
        f"{name} predict_proba",
        peer,
        target,
        data,
        predicts(theirs),
        predicts(ours),
        lambda shares, _rows: shares,
    )


def both(name, targets, data, peer, ours):
    """Fitting and predicting against the same peer, (its name, how it is made)."""
    return [
        fitting(name, peer[0], targets[0], data, peer[1], ours),
        predicting(name, peer[0], targets[1], data, peer[1], ours),
    ]


def gaussian():
    return NaiveBayes(estimate="ml")


def mixed(share, rows, columns, components):
    """Rows of a mixture, and a component for each to begin with."""
    rng = np.random.default_rng(0)
    n = max(100 * components, int(rows * share))
    middles = 2 * rng.standard_normal((components, columns))
    X = rng.standard_normal((n, columns)) + middles[rng.integers(0, components, n)]
    return X, rng.integers(0, components, n)


STEPS = 4  # of EM, after the first look at the rows
KINDS = {"full": ("full", False), "tied": ("full", True), "diag": ("diagonal", False)}


def their_start(X, labels, kind):
    """The parameters that our first step gives, as scikit-learn takes them."""
    shape, shared = KINDS[kind]
    model = Mixture(labels.max() + 1, shape, shared, start=labels, parameter_prior="flat", tol=0, max_iter=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConvergedWarning)
        density = model.fit(X).joint_.density.parts[0]
    precision = np.linalg.inv(density.covariance) if density.shape.crosswise else 1 / density.covariance
    precision = precision[0] if kind == "tied" else precision
    return {"weights_init": model.weights_, "means_init": density.mean, "precisions_init": precision}


def mixing(size, kind, target, *shape):
    """Steps of EM from the same start: each side reads the rows once more than it learns."""

    def theirs(data):
        start = their_start(*data, kind)
        settings = {"covariance_type": kind, "tol": 0, "max_iter": STEPS, "reg_covar": 0}
        return lambda: quietly(GaussianMixture(data[1].max() + 1, **settings, **start), data[0])

    def ours(data):
        shape, shared = KINDS[kind]
        settings = {"parameter_prior": "flat", "tol": 0, "max_iter": STEPS + 1}
        return lambda: quietly(Mixture(data[1].max() + 1, shape, shared, start=data[1], **settings), data[0])

    name = f"mixture {size}, {kind}, {STEPS} steps of EM"
    make = cache(lambda share: mixed(share, *shape))
    return Task(name, "GaussianMixture", target, make, theirs, ours, lambda m, data: m.predict_proba(data[0][:SOME]))


def quietly(model, *rows):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it has not settled, which was not asked for
        return model.fit(*rows)


def left_out(peer, target, theirs):
    data = cache(lambda share: numbers(share, rows=100_000))
    name = f"leave-one-out, linear discriminant 1e5 × 50, against {peer}"
    ours = lambda rows: lambda: leave_one_out(LinearDiscriminant(estimate="ml"), *rows).posterior  # noqa: E731
    return Task(name, peer, target, data, theirs, ours, lambda shares, _rows: shares[:SOME], agrees=False)


def fit_and_predict(rows):
    return lambda: LinearDiscriminant(estimate="ml").fit(*rows).predict_proba(rows[0])


def people(share, rows=1_000_000):
    """Numbers, categories and counts in one frame."""
    rng = np.random.default_rng(0)
    n = max(200, int(rows * share))
    labels = rng.integers(0, 3, n)
    columns = {f"size {j}": rng.normal(labels) for j in range(4)}
    columns |= {f"group {j}": pd.Categorical.from_codes(rng.integers(0, 5, n), list("abcde")) for j in range(4)}
    columns |= {f"visits {j}": rng.poisson(1 + labels).astype(float) for j in range(2)}
    return pd.DataFrame(columns), labels


def naive_left_out(name, data, **settings):
    """Against our own fit and predict_proba: at most six times as long."""
    make = lambda: NaiveBayes(**settings)  # noqa: E731
    theirs = lambda rows: lambda: make().fit(*rows).predict_proba(rows[0])  # noqa: E731
    ours = lambda rows: lambda: leave_one_out(make(), *rows).posterior  # noqa: E731
    title, peer = f"leave-one-out, naive Bayes {name}", "our own fit and predict_proba"
    return Task(title, peer, 1 / 6, data, theirs, ours, lambda shares, _rows: shares[:SOME], agrees=False)


def dependent(name, times, model):
    """Against our own naive Bayes: an average has thirty times as many looks into tables, a tree as many."""
    few = cache(lambda share: codes(share, values=5, classes=2))
    makes = [partial(made, kinds="categorical") for made in (NaiveBayes, model)]
    task = predicting(f"{name} 1e6 × 30", "our own naive Bayes", 1 / times, few, *makes)
    return replace(task, agrees=False)


def pairs():
    """Counts of every two of thirty columns, against counts of each: at most thirty times as long."""
    few = cache(lambda share: codes(share, values=5, classes=2))
    ours = lambda rows: lambda: collect(*rows, kinds="categorical", pairs=True)  # noqa: E731
    theirs = lambda rows: lambda: NaiveBayes(kinds="categorical").fit(*rows).summary_  # noqa: E731
    name, peer = "counts of all pairs 1e6 × 30 collect", "our own naive Bayes, fit"
    return Task(name, peer, 1 / 30, few, theirs, ours, lambda found, _rows: found.statistics.parts[0].counts)


def sides(share, rows=200_000, columns=50):
    """Two classes that overlap, in columns of one scale."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(max(500, int(rows * share)), columns))
    return x, (x @ rng.normal(size=columns) + 3 * rng.normal(size=len(x)) > 0).astype(int)


def words(share, rows=20_000, columns=50_000, length=50):
    """Two classes of wide sparse rows: 1e6 counts that are not 0, few of them of common words."""
    X, _ = documents(share, rows, columns, length)
    rng = np.random.default_rng(0)
    return X, (X @ rng.normal(size=X.shape[1]) + 8 * rng.normal(size=X.shape[0]) > 0).astype(int)


def margin(size, data, target, tol):
    """Both judged by ½‖w‖² + Σ hinge losses, with the best b for either's w: ours is no larger than the peer's."""
    theirs = lambda rows: lambda: quietly(LinearSVC(loss="hinge"), *rows)  # noqa: E731
    ours = lambda rows: lambda: MarginClassifier(scale=False, tol=tol).fit(*rows)  # noqa: E731
    name, peer = f"margin {size} fit, gap {tol:.0e}", "LinearSVC, at its gap"
    return Task(name, peer, target, cache(data), theirs, ours, hinge_objective, least=True)


def hinge_objective(model, rows):
    side, scores = 2.0 * rows[1] - 1, rows[0] @ model.coef_[0]
    slack = np.maximum(0, 1 - side * (scores + best_intercept(scores, side, np.ones(len(side)))))
    found = 0.5 * float(model.coef_[0] @ model.coef_[0]) + float(slack.sum())
    return np.array([found / len(side)])


def logistic():
    """Of the solvers of scikit-learn L-BFGS is the fastest here."""
    theirs = lambda rows: lambda: LogisticRegression(tol=1e-8, max_iter=1000).fit(*rows)  # noqa: E731
    ours = lambda rows: lambda: LogisticClassifier(scale=False, tol=1e-8).fit(*rows)  # noqa: E731
    answer = lambda model, rows: model.predict_proba(rows[0][:SOME])  # noqa: E731
    name, peer = "logistic loss 2e5 × 50 fit", "LogisticRegression, L-BFGS"
    return Task(name, peer, 1, cache(sides), theirs, ours, answer)


def tree_of_categories():
    """A tree and its tables by maximum likelihood, and posteriors of a few rows."""

    def frame(share):
        X, y = codes(share, rows=100_000, columns=10, values=5, classes=2)
        columns = {f"c{j}": pd.Categorical(X[:, j].astype(str)) for j in range(X.shape[1])}
        return pd.DataFrame(columns), y.astype(str)

    def theirs(data):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what it says of its own modules
            from pgmpy.estimators import TreeSearch
            from pgmpy.models import DiscreteBayesianNetwork
        table = data[0].assign(label=data[1])

        def fitted():
            tree = TreeSearch(table, root_node="c0", n_jobs=1)
            arcs = tree.estimate(estimator_type="tan", class_node="label", show_progress=False).edges()
            return DiscreteBayesianNetwork(arcs).fit(table)

        return fitted

    def posteriors(model, data):
        some = data[0][:50]
        return model.predict_probability(some) if hasattr(model, "predict_probability") else model.predict_proba(some)

    ours = lambda data: lambda: TreeAugmentedBayes(smoothing=0).fit(*data)  # noqa: E731
    name = "tree of ten categories 1e5 fit"
    return Task(name, "pgmpy", 5, cache(frame), theirs, ours, posteriors, needs="pgmpy")


def folded(rows):
    model = LinearDiscriminantAnalysis(solver="lsqr")
    return lambda: cross_val_predict(model, *rows, cv=5, method="predict_proba")


def encoded(frame):
    table = read_table(frame)
    return [table.encoded(name) for name in table.names]


def dictionaries(frame):
    table = frame.to_arrow()
    return [column.combine_chunks().dictionary_encode() for column in table.columns]


def spelled(columns, _frame):
    """How many different texts each column has."""
    return np.array([len(c.levels if hasattr(c, "levels") else c.dictionary) for c in columns])


TASKS = {
    task.name: task
    for task in [
        *both("Gaussian NB 1e6 × 50", (20, 15), cache(numbers), ("GaussianNB", GaussianNB), gaussian),
        *both(
            "categorical NB 1e6 × 30",
            (40, 7),
            cache(codes),
            ("CategoricalNB", CategoricalNB),
            lambda: NaiveBayes(kinds="categorical"),
        ),
        *both(
            "multinomial NB sparse 1e5 × 50 000",
            (3.5, 1.7),
            cache(documents),
            ("MultinomialNB", MultinomialNB),
            lambda: NaiveBayes(kinds="counts"),
        ),
        *both(
            "linear discriminant 1e6 × 50",
            (7, 2.2),
            cache(numbers),
            ("LDA, lsqr", lambda: LinearDiscriminantAnalysis(solver="lsqr")),
            lambda: LinearDiscriminant(estimate="ml"),
        ),
        *both(
            "quadratic discriminant 1e6 × 50",
            (3.5, 7),
            cache(numbers),
            ("QDA, eigen", lambda: QuadraticDiscriminantAnalysis(solver="eigen")),
            lambda: QuadraticDiscriminant(estimate="ml"),
        ),
        *both("Gaussian NB 150 × 4", (2, 1.5), flowers, ("GaussianNB", GaussianNB), gaussian),
        mixing("1e6 × 10, 10 components", "full", 13, 1_000_000, 10, 10),
        mixing("1e5 × 50, 20 components", "full", 4.3, 100_000, 50, 20),
        mixing("1e6 × 10, 10 components", "diag", 5, 1_000_000, 10, 10),
        mixing("1e6 × 10, 10 components", "tied", 15, 1_000_000, 10, 10),
        left_out("our own fit and predict_proba", 1 / 4, fit_and_predict),
        left_out("LDA in 5 folds", 1, folded),
        naive_left_out("3e5 × 20 numbers", cache(lambda share: numbers(share, rows=300_000, columns=20))),
        naive_left_out(
            "3e5 × 20 categories", cache(lambda share: codes(share, rows=300_000, columns=20)), kinds="categorical"
        ),
        naive_left_out("1e6 mixed", cache(people), kinds={"visits 0": "poisson", "visits 1": "poisson"}),
        pairs(),
        dependent("tree", 4, TreeAugmentedBayes),
        dependent("averaged one-dependence", 40, AveragedOneDependence),
        tree_of_categories(),
        margin("2e5 × 50", sides, 10, 1e-6),
        margin("2e4 × 50 000 sparse", words, 1 / 2, 1e-5),
        logistic(),
        Task(
            "three text columns 1e6 rows, read",
            "pyarrow dictionaries",
            1 / 1.2,
            cache(text),
            lambda frame: lambda: dictionaries(frame),
            lambda frame: lambda: encoded(frame),
            spelled,
            forks=False,
        ),
    ]
}
