"""When two records of statistics say the same: to ten digits, relative to the largest number of their kind."""

from typing import Any

import numpy as np

from suffice.families.moments import Moments
from suffice.families.patterns import PatternMoments

TOLERANCE = 1e-10


def alike(a: Any, b: Any) -> bool:
    if isinstance(a, PatternMoments):
        empty = (Moments(*(np.zeros(0) for _ in range(4))),) * 2
        pairs = [(a.parts.get(p, empty[0]), b.parts.get(p, empty[1])) for p in {*a.parts, *b.parts}]
        return close(a.weight, b.weight) and all(alike(mine, theirs) for mine, theirs in pairs)
    return all(map(close, vars(a).values(), vars(b).values()))


def close(a: Any, b: Any) -> bool:
    if np.shape(a) != np.shape(b):
        return False
    scale = max(np.abs(a).max(initial=0.0), np.abs(b).max(initial=0.0))
    return bool(np.all(np.abs(a - b) <= TOLERANCE * scale))
