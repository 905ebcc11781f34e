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
from suffice.data.levels import Level, Levels, plain
from suffice.errors import ParameterError
from suffice.options import numbers


def prevalence(weight: Array, classes: Levels, given: Any, smoothing: float, name: str = "priors") -> Array:
    """`name` is what the user calls them."""
    if given is None:
        return np.asarray(weight / weight.sum(axis=-1, keepdims=True))
    given = by_name(given)
    if isinstance(given, str):
        return _by_name(given, weight, smoothing, name)
    values = numbers(_in_order(given, classes, name) if isinstance(given, Mapping) else given, name)
    if values.shape != weight.shape[-1:]:
        raise ParameterError(f"{name} has {values.size} numbers but there are {len(classes)} classes: {list(classes)}.")
    if np.any(values < 0):
        raise ParameterError(f"{name} must be probabilities, none below 0; found {values.tolist()}.")
    if not np.isclose(values.sum(), 1.0, rtol=0, atol=1e-8):
        raise ParameterError(
            f"{name} must be probabilities that sum to 1; {values.tolist()} sums to {values.sum():.6g}. "
            "Divide them by their sum if they are meant as proportions."
        )
    return np.broadcast_to(values / values.sum(), weight.shape)


def _by_name(rule: str, weight: Array, smoothing: float, name: str) -> Array:
    rules = {"uniform": np.ones_like(weight), "smoothed": weight + smoothing}
    if rule not in rules:
        raise ParameterError(
            f"{name}={rule!r} is not known; use None (as in the rows), 'uniform', 'smoothed', "
            "probabilities in the order of classes_, or {class: probability}."
        )
    return np.asarray(rules[rule] / rules[rule].sum(axis=-1, keepdims=True))


def _in_order(given: Mapping[Level, float], classes: Levels, called: str) -> list[float]:
    named = {plain(name): share for name, share in given.items()}
    if set(named) != set(classes):
        raise ParameterError(f"{called} names the classes {list(named)}, but the rows have {list(classes)}.")
    return [named[name] for name in classes]


def learned_from_rows(given: Any) -> bool:
    """Whether the rows have a say in it."""
    return given is None or (isinstance(given, str) and given == "smoothed")
