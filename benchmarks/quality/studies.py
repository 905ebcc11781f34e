"""Studies of classifiers on one table: ten folds, small samples, few labels.

In:  `Data` and a model's name.
Out: a record of plain numbers, for the store; {"refused": reason} where the model raised an error.
"""

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

from quality.data import Data
from quality.models import MODELS
from quality.scores import Told, calibration_error, told

Record = dict[str, Any]
Rows = np.ndarray


@dataclass(frozen=True)
class Sizes:
    folds: int = 10
    samples: tuple[int, ...] = (30, 60, 120)
    repeats: int = 5
    labelled: float = 0.1
    seeds: int = 5
    many_starts: int = 100


def folds(data: Data, model: str, sizes: Sizes) -> Record:
    """Every row by a model that has not seen its fold."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that some folds have no row of a rare class
        splits = list(StratifiedKFold(sizes.folds, shuffle=True, random_state=0).split(data.X, data.y))
    return scored(data, model, ((training, data.y[training], test) for training, test in splits))


def small_sample(data: Data, model: str, sizes: Sizes, rows: int) -> Record:
    """Learned from a few rows, several times, and judged by all others."""
    splits = StratifiedShuffleSplit(sizes.repeats, train_size=rows, random_state=0).split(data.X, data.y)
    return scored(data, model, ((training, data.y[training], test) for training, test in splits))


def few_labels(data: Data, model: str, sizes: Sizes, alone: bool) -> Record:
    """Labels known for a tenth of the training rows, which are taken alone or with all others."""
    splits = StratifiedShuffleSplit(sizes.repeats, test_size=0.3, random_state=0).split(data.X, data.y)
    rng = np.random.default_rng(0)
    parts = []
    for training, test in splits:
        known = labelled(data.y[training], sizes.labelled, rng)
        rows = training[known] if alone else training
        labels = data.y[rows] if alone else np.where(known, data.y[rows].astype(object), None)
        parts.append((rows, labels, test))
    return scored(data, model, parts)


def labelled(y: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """Which rows have labels: the share of each class, and two rows at least."""
    known = np.zeros(len(y), dtype=bool)
    for label in np.unique(y):
        rows = np.flatnonzero(y == label)
        known[rng.choice(rows, max(2, round(share * len(rows))), replace=False)] = True
    return known


def scored(data: Data, name: str, parts: Iterable[tuple[Rows, Any, Rows]]) -> Record:
    """Training rows, their labels and test rows, part by part."""
    answers, tests = [], []
    for training, labels, test in parts:
        model = MODELS[name].make(data)
        try:
            answers.append(told(model, (data.X.iloc[training], labels), (data.X.iloc[test], data.y[test])))
        except Exception as error:  # whatever it is, the user has no answer
            return {"refused": f"{type(error).__name__}: {error}"[:200]}
        tests.append(test)
    return record(answers, np.concatenate(tests))


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
