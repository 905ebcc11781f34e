"""Stage 3, how common each class is: from the rows, from the user, or evenly.

In:  the mass of rows of each class, (K,) or of several models at once (N, K), and what the user says (the face calls it
     `priors`).
Out: probabilities of the same shape that sum to one.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from suffice.arrays import Array
from suffice.data.frames import by_name
from suffice.data.levels import plain
from suffice.errors import ParameterError


def prevalence(weight: Array, classes: tuple[Any, ...], given: Any, smoothing: float) -> Array:
    given = by_name(given)
    if given is None:
        return np.asarray(weight / weight.sum(axis=-1, keepdims=True))
    if isinstance(given, str):
        return _by_name(given, weight, smoothing)
    values = _in_order(given, classes) if isinstance(given, Mapping) else np.asarray(given, dtype=float)
    if values.shape != weight.shape[-1:]:
        raise ParameterError(f"priors has {values.size} numbers but there are {len(classes)} classes: {list(classes)}.")
    if np.any(values < 0):
        raise ParameterError(f"priors must be probabilities, none below 0; found {values.tolist()}.")
    if not np.isclose(values.sum(), 1.0, rtol=0, atol=1e-8):
        raise ParameterError(
            f"priors must be probabilities that sum to 1; {values.tolist()} sums to {values.sum():.6g}. "
            "Divide them by their sum if they are meant as proportions."
        )
    return np.broadcast_to(values / values.sum(), weight.shape)


def _by_name(name: str, weight: Array, smoothing: float) -> Array:
    rules = {"uniform": np.ones_like(weight), "smoothed": weight + smoothing}
    if name not in rules:
        raise ParameterError(
            f"priors={name!r} is not known; use None (as in the rows), 'uniform', 'smoothed', "
            "probabilities in the order of classes_, or {class: probability}."
        )
    return np.asarray(rules[name] / rules[name].sum(axis=-1, keepdims=True))


def _in_order(given: Mapping[Any, float], classes: tuple[Any, ...]) -> Array:
    named = {plain(name): share for name, share in given.items()}
    if set(named) != set(classes):
        raise ParameterError(f"priors names the classes {list(named)}, but the rows have {list(classes)}.")
    return np.array([named[name] for name in classes], dtype=float)
