"""Stage 0, single options as a user gives them: a number within its range, a whole number, a switch, a name, a seed.

In:  anything at all, and what it should have been, in words. Out: a plain value or a generator, or a ParameterError
     that says both what was expected and what was found.
"""

import sys
from collections.abc import Callable, Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.errors import ParameterError

LARGEST = sys.float_info.max
Seed = (
    int
    | np.integer[Any]
    | np.random.Generator
    | np.random.RandomState
    | np.random.BitGenerator
    | np.random.SeedSequence
    | None
)
SEEDS = Integral | np.random.Generator | np.random.RandomState | np.random.BitGenerator | np.random.SeedSequence | None


def number(given: Any, expected: str, fits: Callable[[float], bool] = lambda value: True) -> float:
    """A finite number that fits; NumPy's too, but no truth value and no text."""
    value = given.item() if isinstance(given, np.generic) else given
    real = isinstance(value, Real) and not isinstance(value, bool)
    if not (real and abs(value) <= LARGEST and fits(float(value))):
        raise ParameterError(f"{expected}; found {shown(given)}.")
    return float(value)


def whole(given: Any, expected: str, least: int = 1, most: int = sys.maxsize) -> int:
    """A whole number that is large enough, and not too large."""
    if not isinstance(given, Integral) or isinstance(given, bool) or not least <= int(given) <= most:
        raise ParameterError(f"{expected}; found {shown(given)}.")
    return int(given)


def switch(given: Any, name: str) -> bool:
    """On or off; no number is a switch."""
    if not isinstance(given, bool | np.bool_):
        raise ParameterError(f"{name} must be True or False; found {shown(given)}.")
    return bool(given)


def one_of(given: Any, name: str, known: Iterable[str]) -> str:
    """One of some names."""
    if not isinstance(given, str) or given not in known:
        raise ParameterError(f"{name}={given!r} is not known; use one of {', '.join(known)}.")
    return str(given)


def several(given: Any) -> list[Any] | None:
    """What can be gone through, as a list; None for a text, which is one value, and for anything else."""
    try:
        return None if isinstance(given, str | bytes) else list(given)
    except TypeError:
        return None


def seed(given: Seed) -> Seed:
    """What a generator can be made from, as it was given; made only where looking does not tell."""
    if not isinstance(given, int | np.integer) or isinstance(given, bool) or given < 0:
        generator(given)
    return given


def generator(random_state: Seed) -> np.random.Generator:
    """Random numbers from a seed, from what the system offers (None), or from a generator itself."""
    try:
        if isinstance(random_state, bool) or not isinstance(random_state, SEEDS):
            raise TypeError  # NumPy would take more, and a list that holds itself ends the process
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise ParameterError(
            f"random_state must be a whole number, 0 or more, a NumPy generator or None; found {shown(random_state)}."
        ) from None


def numbers(given: Any, what: str) -> NDArray[np.float64]:
    """Numbers in an array of any shape; a text is none, even where NumPy would read it as one."""
    try:
        found = np.asarray(np.ma.filled(np.ma.asarray(given, float), np.nan) if np.ma.isMA(given) else given)
        if found.dtype.kind not in "biufO" or (found.dtype == object and any(map(_is_text, found.flat))):
            raise TypeError
        return found.astype(float)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError(f"{what} must be numbers; found {shown(given)}.") from None


def _is_text(cell: Any) -> bool:
    return isinstance(cell, str | bytes)


def shown(given: Any) -> str:
    """What was found, in a few words."""
    text = repr(given)
    return text if len(text) <= 80 else f"{text[:79]}…"
