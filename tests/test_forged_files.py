"""Files of every model with one thing changed and a digest that fits: refused, or a model that answers and prints.

The suite tries a part of all changes; `FORGED=all pytest tests/test_forged_files.py` tries each of them.
"""

import copy
import os
import random

import numpy as np
import pytest

import suffice
import suffice.estimators.load
from suffice import (
    AveragedOneDependence,
    BayesDecision,
    Calibrated,
    ComplementNaiveBayes,
    GaussianDiscriminant,
    LatentClass,
    LinearDiscriminant,
    LogisticClassifier,
    MarginClassifier,
    Mixture,
    NaiveBayes,
    NearestMean,
    QuadraticDiscriminant,
    TreeAugmentedBayes,
    store,
)
from suffice.errors import FileError

RNG = np.random.default_rng(3)
ROWS = 40
Y = np.arange(ROWS) % 3
CLASSES = np.array(["p", "q", "r"])[Y]
HIDDEN = [None if i % 5 == 0 else name for i, name in enumerate(CLASSES)]
HOLES = RNG.random((ROWS, 2)) < 0.15
NUMBERS = {name: RNG.normal(size=ROWS) * (1 + j) + Y for j, name in enumerate("ab")}
HOLED = {name: np.where(HOLES[:, j], np.nan, cells) for j, (name, cells) in enumerate(NUMBERS.items())}
TABLE = {**HOLED, "c": [None if HOLES[i, 0] else "uvw"[(i * 7 + k) % 3] for i, k in enumerate(Y)]}
WORDS = {"goal": RNG.poisson(2, ROWS), "vote": RNG.poisson(1 + Y)}
TEXTS = {"c": TABLE["c"], "d": ["xy"[i % 2] for i in range(ROWS)]}
COSTS = {"see": {"p": 0, "q": 5, "r": 1}, "wait": {"p": 1, "q": 0, "r": 2}}
MODELS = [
    (NaiveBayes(joint=[["a", "b"]], estimate="map"), TABLE, CLASSES),
    (NaiveBayes(kinds={"a": "log-gaussian"}), {"a": np.exp(NUMBERS["a"]), "b": NUMBERS["b"]}, CLASSES),
    (NaiveBayes(joint=[["a", "b"]]), TABLE, HIDDEN),
    (AveragedOneDependence(), TABLE, CLASSES),
    (TreeAugmentedBayes(estimate="map"), TABLE, CLASSES),
    (GaussianDiscriminant(estimate="map"), HOLED, CLASSES),
    (LinearDiscriminant(estimate="mean"), HOLED, CLASSES),
    (QuadraticDiscriminant(estimate="map"), NUMBERS, CLASSES),
    (NearestMean(), NUMBERS, CLASSES),
    (ComplementNaiveBayes(), WORDS, CLASSES),
    (Mixture(2, restarts=2), HOLED, None),
    (LatentClass(2, restarts=2), TEXTS, None),
    (LogisticClassifier(), TABLE, CLASSES),
    (MarginClassifier(probabilities=True), TABLE, CLASSES),
    (MarginClassifier(probabilities=True), NUMBERS, Y > 0),
    (Calibrated(NaiveBayes()), TABLE, CLASSES),
    (Calibrated(LogisticClassifier(), method="platt"), TABLE, CLASSES),
    (BayesDecision(NaiveBayes(), COSTS, priors={"p": 0.5, "q": 0.2, "r": 0.3}), TABLE, CLASSES),
    (BayesDecision(Calibrated(NaiveBayes()), reject=0.2), TABLE, CLASSES),
]
pytestmark = pytest.mark.filterwarnings("ignore")  # what rows and forgers leave open is not what is looked at
EACH = pytest.mark.parametrize(
    ("model", "table", "labels"), MODELS, ids=[f"{i} {type(m).__name__}" for i, (m, _, _) in enumerate(MODELS)]
)
TRIED = None if os.environ.get("FORGED") == "all" else 60  # changes of the header, and as many of arrays
WRONG = [None, True, -1, 0, 2.5, 1e300, "", "é", "auto", [], {}, [[]], [1, "a"], {"tuple": [1]}, {"array": 1}]


def answers(model, table):
    answer = getattr(model, "predict_proba", None) or model.decision_function
    return np.asarray(answer(table))


@EACH
def test_a_loaded_model_answers_prints_and_is_saved_as_the_one_that_was_saved(model, table, labels, tmp_path):
    model.fit(table, labels).save(tmp_path / "it")
    again = suffice.load(tmp_path / "it")
    np.testing.assert_array_equal(answers(again, table), answers(model, table))
    assert str(again) == str(model)
    again.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "it").read_bytes()


@EACH
def test_a_header_with_one_field_changed_is_refused_or_answers(model, table, labels, tmp_path):
    header, arrays = written(model.fit(table, labels), tmp_path)
    changes = [(place, change) for place in range(len(list(within(header)))) for change in range(len(WRONG) + 3)]
    for place, change in some(changes):
        forged = copy.deepcopy(header)
        inner, key = list(within(forged))[place]
        alter(inner, key, change)
        refused_or_answers(tmp_path, forged, arrays, table)


@EACH
def test_numbers_changed_in_one_array_are_refused_or_answer(model, table, labels, tmp_path):
    header, arrays = written(model.fit(table, labels), tmp_path)
    for name, change in some([(name, change) for name in sorted(arrays) for change in CHANGES]):
        refused_or_answers(tmp_path, header, arrays | {name: change(arrays[name])}, table)


@EACH
def test_an_array_too_many_or_too_few_is_refused(model, table, labels, tmp_path):
    header, arrays = written(model.fit(table, labels), tmp_path)
    for name in arrays:
        rest = {other: array for other, array in arrays.items() if other != name}
        refused_or_answers(tmp_path, header, rest, table)
    store.write(tmp_path / "it", header, arrays | {"more": np.ones(2)})
    with pytest.raises(FileError):
        suffice.load(tmp_path / "it")


@EACH
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_number_that_is_none_is_refused_in_every_array(model, table, labels, bad, tmp_path):
    header, arrays = written(model.fit(table, labels), tmp_path)
    for name in (name for name in arrays if arrays[name].size and not name.endswith("log_probability")):
        odd = arrays[name].copy()
        odd.flat[-1] = bad
        store.write(tmp_path / "it", header, arrays | {name: odd})
        with pytest.raises(FileError):
            suffice.load(tmp_path / "it")


def test_every_model_that_files_may_hold_is_forged_here():
    load = suffice.estimators.load
    assert {type(model).__name__ for model, _, _ in MODELS} == {
        *load.MODELS,
        *load.WITHOUT_DENSITIES,
        *load.WITHOUT_SUMMARY,
    }


CHANGES = [
    lambda array: np.full_like(array, np.nan),
    lambda array: put(array, np.inf),
    lambda array: put(array, -np.inf),
    lambda array: put(array, -1.0),
    lambda array: put(array, 0.0),
    lambda array: -array,
    lambda array: 0 * array,
    lambda array: array[:-1],
    lambda array: array[..., :-1] if array.ndim else array,
    lambda array: np.concatenate([array, array]) if array.ndim else array,
    lambda array: array[::-1],
    lambda array: array[..., ::-1] if array.ndim else array,
    lambda array: array[None],
    lambda array: array.ravel(),
    lambda array: np.zeros((0, *array.shape[1:])),
]


def put(array, number):
    out = array.copy()
    if out.size:
        out.flat[0] = number
    return out


def alter(inner, key, change):
    """Another value; or none, the first part only, or all parts the other way round."""
    if change < len(WRONG):
        inner[key] = copy.deepcopy(WRONG[change])
    elif change == len(WRONG):
        del inner[key]
    elif isinstance(inner[key], list | str):
        inner[key] = inner[key][:-1] if change == len(WRONG) + 1 else inner[key][::-1]
    elif isinstance(inner[key], int | float):
        inner[key] = -inner[key] if change == len(WRONG) + 1 else str(inner[key])


def within(data):
    for key in list(data) if isinstance(data, dict) else range(len(data)):
        yield data, key
        if isinstance(data[key], dict | list):
            yield from within(data[key])


def some(changes):
    return changes if TRIED is None or len(changes) <= TRIED else random.Random(1).sample(changes, TRIED)


def written(model, folder):
    model.save(folder / "it")
    return store.read(folder / "it")


def refused_or_answers(folder, header, arrays, table):
    try:
        store.write(folder / "it", header, arrays)
    except (ValueError, TypeError, RecursionError):
        return  # not even a forger can write it
    try:
        model = suffice.load(folder / "it")
    except FileError:
        return
    if not hasattr(model, "get_params"):  # a summary
        return
    try:
        found = answers(model, table)
    except suffice.errors.TableError:  # a column that the table does not have, as the schema now says
        return
    assert np.isfinite(found).all()
    assert type(model).__name__ in str(model)
