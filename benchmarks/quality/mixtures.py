"""The study of mixtures on one table: held-out log density, and what chance in the starts costs.

In:  `Data` of numbers without missing cells; as many components as the table has classes, which nobody tells.
Out: records for the store, losses being −ln p(row) in standard deviations of the columns.
"""

import time
import warnings
from typing import Any

import numpy as np
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import KFold

from quality.data import Data
from quality.store import Record
from quality.studies import Sizes
from suffice import Mixture

OURS, THEIRS, THEIRS_MANY = "Mixture", "GaussianMixture", "GaussianMixture(n_init=10)"
MAKE: dict[str, Any] = {
    OURS: lambda components: Mixture(components),
    THEIRS: lambda components: GaussianMixture(components, random_state=0),
    THEIRS_MANY: lambda components: GaussianMixture(components, n_init=10, random_state=0),
}


def fits(data: Data) -> bool:
    plain = not (data.table.counts or data.categories or data.few_values or data.X.isna().any(axis=None))
    return plain and len(data.y) >= 100 and data.X.shape[1] <= 15


def points(data: Data) -> np.ndarray:
    cells = data.X.to_numpy(dtype=float)
    return (cells - cells.mean(axis=0)) / cells.std(axis=0)


def held_out(data: Data, name: str, sizes: Sizes) -> Record:
    rows, components = points(data), len(set(data.y))
    losses, started = np.zeros(len(rows)), time.process_time()
    for training, test in KFold(min(5, sizes.folds), shuffle=True, random_state=0).split(rows):
        try:
            losses[test] = -quietly(MAKE[name](components), rows[training]).score_samples(rows[test])
        except Exception as error:  # whatever it is, the user has no answer
            return {"refused": f"{type(error).__name__}: {error}"[:200]}
    return {"losses": [round(float(loss), 5) for loss in losses], "seconds": time.process_time() - started}


def starts(data: Data, sizes: Sizes) -> Record:
    """Nats between the objective that a seed ends with and the best that was found."""
    rows, components, started = points(data), len(set(data.y)), time.process_time()
    found = [objective(Mixture(components, random_state=seed), rows) for seed in range(sizes.seeds)]
    seconds = (time.process_time() - started) / sizes.seeds
    many = objective(Mixture(components, restarts=sizes.many_starts), rows)
    return {"gaps": [max(many, *found) - value for value in found], "seconds": seconds}


def objective(model: Any, rows: np.ndarray) -> float:
    return float(quietly(model, rows).trace_.objective[-1])


def quietly(model: Any, rows: np.ndarray) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(rows)
