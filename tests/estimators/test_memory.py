"""Memory beyond input and output: a few row blocks and a few numbers for each row, however wide the table."""

import tracemalloc

import numpy as np
import pytest

from suffice import (
    LinearDiscriminant,
    LogisticClassifier,
    Mixture,
    NaiveBayes,
    QuadraticDiscriminant,
    TreeAugmentedBayes,
    arrays,
)

ROWS, COLUMNS = 60_000, 60  # 29 MB


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    return rng.normal(size=(ROWS, COLUMNS)), np.arange(ROWS) % 4


def peak(work):
    tracemalloc.start()
    work()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


@pytest.fixture(autouse=True)
def blocks_of_a_megabyte(monkeypatch):
    monkeypatch.setattr(arrays, "BLOCK_CELLS", 1 << 17)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("model", [NaiveBayes(), LinearDiscriminant(), QuadraticDiscriminant()])
def test_neither_fitting_nor_predicting_copies_the_table(model, order, table):
    X, y = np.asarray(table[0], order=order), table[1]
    blocks, rows = 8 * 2**20, 8 * ROWS * 4 * 8  # eight blocks of a megabyte; eight numbers for each row and class
    assert peak(lambda: model.fit(X, y)) < blocks + rows / 4
    assert peak(lambda: model.predict_proba(X)) < blocks + rows
    assert blocks + rows < X.nbytes


def test_trees_do_not_copy_it_either(table):
    X, y = table[0][:, :20], table[1]
    model = TreeAugmentedBayes().fit(X[:1000], y[:1000])
    assert peak(lambda: model.fit(X, y)) < 8 * 2**20 + X.nbytes / 2
    assert peak(lambda: model.predict_proba(X)) < 8 * 2**20 + 8 * ROWS * 4 * 4


@pytest.mark.filterwarnings("ignore::suffice.errors.NotConvergedWarning")
@pytest.mark.parametrize(
    "model", [LogisticClassifier(tol=1e-3), Mixture(2, shape="diagonal", restarts=1, max_iter=2)], ids=repr
)
def test_what_goes_over_rows_again_and_again_keeps_at_most_twice_the_table(model, table):
    X, y = table
    labels = () if isinstance(model, Mixture) else (y,)
    rows = 8 * ROWS * 4 * 8
    assert peak(lambda: model.fit(X, *labels)) < 2 * X.nbytes
    assert peak(lambda: model.predict_proba(X)) < X.nbytes + rows
