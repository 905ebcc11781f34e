"""The same rows and seed give the same bits: again, in another process, beside others; nearly, on more cores."""

import hashlib
import os
import subprocess
import sys
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from multiprocessing import get_context

import numpy as np
import pytest

from suffice import EM, NaiveBayes, arrays, cross_validate, threads
from suffice.estimators import registry

ROWS = 3000
SCORES_ONLY = "ComplementNaiveBayes"
FEW_STEPS = {"restarts": 2, "max_iter": 30, "tol": 1e-3}


def made(entry):
    """A model with what it needs to have posteriors, and few steps of EM."""
    hidden = {} if entry.labelled else {"components": 2, **FEW_STEPS}
    return partial(entry.model, *([NaiveBayes()] if entry.around else []), **entry.posteriors, **hidden)


MODELS = {entry.name: made(entry) for entry in registry.MODELS}
MODELS["components"] = partial(NaiveBayes, components=2, em=EM(**FEW_STEPS))
DIGITS = dict.fromkeys(["MarginClassifier", "LogisticClassifier"], 1e-7)  # they stop where they are near enough


def table():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, ROWS)
    return rng.normal(size=(ROWS, 5)) + labels[:, None] * np.arange(5), labels


def columns(name):
    """The table that a model takes: numbers, or the categories or counts that it needs."""
    x = table()[0]
    levels = {f"g{j}": np.digitize(x[:, j], [0.5, 2.5]).astype(str) for j in range(5)}
    other = {
        "LatentClass": levels,
        "AveragedOneDependence": {"x": x[:, 0], **levels},
        "ComplementNaiveBayes": np.exp(x),
    }
    return other.get(name, x)


def answer(name):
    """The posteriors of a fitted model, or its scores where it has no others, (N, K)."""
    cells = columns(name)
    model = MODELS[name]().fit(cells, table()[1])
    return model.decision_function(cells) if name == SCORES_ONLY else model.predict_proba(cells)


def mark(name):
    """All bits of the answer, in a few letters."""
    return hashlib.sha256(answer(name).tobytes()).hexdigest()


@pytest.mark.parametrize("name", MODELS)
def test_again_gives_the_same_bits(name):
    assert mark(name) == mark(name)


@pytest.mark.parametrize("name", MODELS)
def test_small_blocks_on_two_cores_give_the_same_bits_every_time(name, monkeypatch):
    """Shares of the rows are put together in their order, whichever thread is done first."""
    monkeypatch.setattr(threads, "CORES", 2)
    monkeypatch.setattr(threads, "CACHED_CELLS", 500)
    monkeypatch.setattr(arrays, "BLOCK_CELLS", 500)
    assert len({mark(name) for _ in range(3)}) == 1


@pytest.mark.parametrize("cores", [2, 3, 8])
@pytest.mark.parametrize("name", MODELS)
def test_other_numbers_of_cores_give_the_same_to_ten_digits(name, cores, monkeypatch):
    """Not the same bits: sums are put together from other shares of the rows."""
    monkeypatch.setattr(threads, "CACHED_CELLS", 500)
    monkeypatch.setattr(threads, "CORES", 1)
    alone = answer(name)
    monkeypatch.setattr(threads, "CORES", cores)
    np.testing.assert_allclose(answer(name), alone, rtol=DIGITS.get(name, 1e-10), atol=DIGITS.get(name, 1e-12))


SCRIPT = "import sys; sys.path.insert(0, {folder!r}); import test_determinism as t; print(*map(t.mark, {names!r}))"


def test_another_process_gives_the_same_bits():
    """Whatever its hashes, language and time zone."""
    script = SCRIPT.format(folder=os.path.dirname(__file__), names=list(MODELS))
    other = os.environ | {"PYTHONHASHSEED": "7", "LANG": "C", "TZ": "Asia/Kathmandu"}
    found = subprocess.run([sys.executable, "-c", script], env=other, capture_output=True, text=True, check=True)
    assert found.stdout.split() == [mark(name) for name in MODELS]


def test_threads_do_not_disturb_each_other():
    """One model asked by many, and many fitted side by side."""
    model, (X, y) = NaiveBayes().partial_fit(*table()), table()
    expected = NaiveBayes().fit(X, y).predict_proba(X)
    gate = threading.Barrier(8)

    def together(_):
        gate.wait()
        return model.predict_proba(X)

    with ThreadPoolExecutor(8) as pool:
        for found in pool.map(together, range(8)):
            np.testing.assert_array_equal(found, expected)
        assert list(pool.map(mark, MODELS)) == [mark(name) for name in MODELS]


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")  # what this test is about
@pytest.mark.skipif(os.name != "posix", reason="fork is Unix's")
def test_a_forked_process_goes_on():
    """Its threads are made anew."""
    expected = mark("QuadraticDiscriminant")
    with ProcessPoolExecutor(1, mp_context=get_context("fork")) as pool:
        assert pool.submit(mark, "QuadraticDiscriminant").result(timeout=120) == expected


@pytest.mark.parametrize("seed", [0, 5])
def test_folds_go_by_the_seed(seed):
    X, y = table()
    first, again = (cross_validate(NaiveBayes(), X, y, random_state=seed).posterior for _ in range(2))
    np.testing.assert_array_equal(first, again)
