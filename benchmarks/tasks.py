"""What is measured against whom: one entry for each task. `compare.py` times them, `report.py` shows them.

A task has data of a size, what the peer does with it and what we do, and an answer on which the two should agree.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.naive_bayes import CategoricalNB, GaussianNB, MultinomialNB

from suffice import LinearDiscriminant, NaiveBayes, QuadraticDiscriminant
from suffice.data.table import read_table

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
    small: bool = False  # call overhead: microseconds, and no share of a size
    forks: bool = True  # whether data made in one process can be used in its forks; polars' own threads cannot


# data


def numbers(share, rows=1_000_000, columns=50, classes=5):
    rng = np.random.default_rng(0)
    n = max(200, int(rows * share))
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


def fitting(name, peer, target, data, theirs, ours, small=False):
    def predicted(model, rows):
        return model.predict_proba(rows[0][:SOME])

    def fits(make):
        return lambda rows: lambda: make().fit(*rows)

    return Task(f"{name} fit", peer, target, data, fits(theirs), fits(ours), predicted, small)


def predicting(name, peer, target, data, theirs, ours, small=False):
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
        small,
    )


def both(name, targets, data, peer, ours, small=False):
    """Fitting and predicting against the same peer, (its name, how it is made)."""
    return [
        fitting(name, peer[0], targets[0], data, peer[1], ours, small),
        predicting(name, peer[0], targets[1], data, peer[1], ours, small),
    ]


def gaussian():
    return NaiveBayes(estimate="ml")


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
        *both("Gaussian NB 150 × 4", (2, 1.5), flowers, ("GaussianNB", GaussianNB), gaussian, small=True),
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
