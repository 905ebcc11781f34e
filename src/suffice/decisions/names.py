"""Stage 4, names of classes and actions: each once, in an order, and of the type that they came with.

In:  names as a user gives them. Out: a tuple of plain names.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Set
from typing import Any

import numpy as np

from suffice.data.levels import Levels, missing, plain
from suffice.errors import LossError


def names_of(given: Any, what: str) -> Levels:
    """The names, refused where they have no order, are none, or occur twice."""
    listed = isinstance(given, Iterable) and not isinstance(given, str | bytes | Set | Mapping)
    if not listed or (isinstance(given, np.ndarray) and given.ndim != 1):
        raise LossError(f"The {what} must be a list of names, such as ['a', 'b']; found {given!r}.")
    names = tuple(plain(name) for name in given)
    if not names:
        raise LossError(f"The {what} are empty; give at least one.")
    no_name = [name for name in names if missing(name) or not _hashable(name)]
    if no_name:
        raise LossError(f"The {what} must have names that are text, numbers or booleans; found {no_name[0]!r}.")
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise LossError(f"The {what} must differ from each other; found {twice[0]!r} twice in {list(names)}.")
    return names


def _hashable(name: Any) -> bool:
    try:
        hash(name)
    except TypeError:
        return False
    return True
