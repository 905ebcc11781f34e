"""Studies of classifiers on one table: ten folds, small samples, few labels.

In:  `Data` and a model's name.
Out: parts, each to be learned from and predicted; a record of plain numbers for the store, {"refused": reason} where
     the model raised an error; and whether a record of an earlier state of the library still holds.
"""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

from quality.data import Data
from quality.models import MODELS
from quality.scores import Told, calibration_error, told
from quality.store import Record

Rows = np.ndarray
Part = tuple[Rows, Any, Rows]  # rows to learn from, their labels, rows to be predicted
Parts = list[Part]
ROUNDED = 1e-5  # what losses are kept to


@dataclass(frozen=True)
class Sizes:
    folds: int = 10
    samples: tuple[int, ...] = (30, 60, 120)
    repeats: int = 5
    labelled: float = 0.1
    seeds: int = 5
    many_starts: int = 100


def folds(data: Data, sizes: Sizes) -> Parts:
    """Every row by a model that has not seen its fold."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that some folds have no row of a rare class
        splits = list(StratifiedKFold(sizes.folds, shuffle=True, random_state=0).split(data.X, data.y))
    return [(training, data.y[training], test) for training, test in splits]


def small_sample(data: Data, sizes: Sizes, rows: int) -> Parts:
    """Learned from a few rows, several times, and judged by all others."""
    splits = StratifiedShuffleSplit(sizes.repeats, train_size=rows, random_state=0).split(data.X, data.y)
    return [(training, data.y[training], test) for training, test in splits]


def few_labels(data: Data, sizes: Sizes, alone: bool) -> Parts:
    """Labels known for a tenth of the training rows, which are taken alone or with all others."""
    splits = StratifiedShuffleSplit(sizes.repeats, test_size=0.3, random_state=0).split(data.X, data.y)
    rng = np.random.default_rng(0)
    parts = []
    for training, test in splits:
        known = labelled(data.y[training], sizes.labelled, rng)
        rows = training[known] if alone else training
        labels = data.y[rows] if alone else np.where(known, data.y[rows].astype(object), None)
        parts.append((rows, labels, test))
    return parts


def labelled(y: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """Which rows have labels: the share of each class, and two rows at least."""
    known = np.zeros(len(y), dtype=bool)
    for label in np.unique(y):
        rows = np.flatnonzero(y == label)
        known[rng.choice(rows, max(2, round(share * len(rows))), replace=False)] = True
    return known


def scored(data: Data, name: str, parts: Parts) -> Record:
    """What a model says of the test rows of all parts."""
    answers = []
    for part in parts:
        try:
            answers.append(answer(data, name, part))
        except Exception as error:  # whatever it is, the user has no answer
            return {"refused": f"{type(error).__name__}: {error}"[:200]}
    return record(answers, _tests(parts))


def holds(data: Data, name: str, parts: Parts, found: Record) -> bool:
    """Whether the first part, learned anew, is as a record has it."""
    if len(found.get("losses", ())) != len(_tests(parts)):
        return False
    try:
        first = answer(data, name, parts[0]).losses
    except Exception:  # it was an answer, and is none now
        return False
    places = np.searchsorted(np.sort(_tests(parts)), parts[0][2])  # of several predictions of a row, the first part's
    return bool(np.abs(np.array(found["losses"])[places] - first).max() < 2 * ROUNDED)


def answer(data: Data, name: str, part: Part) -> Told:
    training, labels, test = part
    model = MODELS[name].make(data)
    return told(model, (data.X.iloc[training], labels), (data.X.iloc[test], data.y[test]))


def _tests(parts: Parts) -> Rows:
    return np.concatenate([test for _, _, test in parts])


def record(answers: list[Told], rows: Rows) -> Record:
    order = np.argsort(rows, kind="stable")  # the same rows in the same order, whatever the model
    losses, hits, sure = (
        np.concatenate([getattr(answer, name) for answer in answers])[order] for name in ("losses", "hits", "sure")
    )
    return {
        "losses": [round(float(loss), 5) for loss in losses],
        "accuracy": float(hits.mean()),
        "calibration": calibration_error(sure, hits),
        "seconds": sum(answer.seconds for answer in answers),
    }
