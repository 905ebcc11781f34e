"""How good posteriors were, on rows that the model has not learned from.

In:  a model, tables and labels of training and test rows.
Out: −ln P(true class) of each test row, whether the most probable class was right, and how sure the model was of it.
"""

import time
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

LEAST = 1e-15  # a probability below counts as this: 34.5 nats at most for a row
BINS = 10


@dataclass(frozen=True)
class Told:
    """What a model said of some rows."""

    losses: np.ndarray
    hits: np.ndarray
    sure: np.ndarray  # the probability of the class that it held to be the most probable
    seconds: float


def told(model: Any, training: tuple[Any, Any], test: tuple[Any, Any]) -> Told:
    started = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        posterior = np.asarray(model.fit(*training).predict_proba(test[0]))
    seconds = time.process_time() - started
    truth = np.asarray(model.classes_)[None, :] == np.asarray(test[1])[:, None]
    of_truth = (posterior * truth).sum(axis=1)
    if not np.isfinite(posterior).all():
        raise ValueError("posteriors are not numbers")
    losses = -np.log(np.maximum(of_truth, LEAST))
    best = posterior.argmax(axis=1)
    return Told(losses, truth[np.arange(len(best)), best], posterior.max(axis=1), seconds)


def calibration_error(sure: np.ndarray, hits: np.ndarray) -> float:
    """How far from how often a model is right it says to be sure: mean over ten bins of probability, by their rows."""
    bins = np.minimum((sure * BINS).astype(int), BINS - 1)
    gaps = np.bincount(bins, weights=sure - hits.astype(float), minlength=BINS)
    return float(np.abs(gaps).sum() / len(sure))
