"""Stage 1, kinds of columns: everything in which they differ, one entry for each.

In:  what `suffice.families.kinds` registers for the library, and `suffice.register_kind` for others.
Out: Kind: which cells it allows, which numbers are declared with it, how it prints, and what its columns are to models.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.arrays import Array
from suffice.errors import ParameterError
from suffice.options import number, whole
from suffice.transforms import Transform

GAUSSIAN, CATEGORICAL, BINOMIAL, POISSON, EXPONENTIAL = "gaussian", "categorical", "binomial", "poisson", "exponential"
JOINT, COUNTS, LOG_GAUSSIAN = "joint", "counts", "log-gaussian"
TALLIED = "tallied"  # whole numbers of few values so far, by their counts: categories or numbers, as a model decides
FEW = 10  # values that a tally keeps at most
OFTEN = 2  # times that each of them comes, on average, where they are likely categories
Numbers = tuple[float, ...]  # known beforehand, declared with a kind
BINARY, IGNORE = "binary", "ignore"  # declared, but no kinds of their own: binomial, or two categories; no column


@dataclass(frozen=True)
class Range:
    """The numbers that cells may hold: from `least` to `most`; strictly between if `above`; only `whole` numbers if so.

    >>> from suffice import Range
    >>> Range(0, whole=True).outside(np.array([0.0, 3.0, -1.0, 0.5])).tolist()
    [False, False, True, True]
    """

    least: float = -np.inf
    most: float = np.inf
    above: bool = False  # whether cells must lie above the least, and below the most, not at them
    whole: bool = False

    def outside(self, values: Array) -> NDArray[np.bool_]:
        low = values <= self.least if self.above else values < self.least
        high = values >= self.most if self.above else values > self.most
        odd = low | (high & np.isfinite(values))
        return np.asarray(odd | (values % 1 > 0) if self.whole else odd)

    def holds(self, values: Array) -> bool:
        return not self.outside(values).any()

    def complaint(self, value: float) -> tuple[str, str]:
        """What to call a value outside, and what was expected."""
        if value < self.least or (self.above and value == self.least):
            below = "Negative values" if value < 0 == self.least else f"Values of {value:g}"
            return below, f"more than {self.least:g}" if self.above else f"{self.least:g} or more"
        if value > self.most or (self.above and value == self.most):
            most = f"less than {self.most:g}" if self.above else f"at most {self.most:g}"
            return "Values that are too large", "0 or 1" if self.whole and self.most == 1 else most
        return "Fractions", "a whole number"


ANYWHERE = Range()


@dataclass(frozen=True)
class Number:
    """A number that is known beforehand and declared with a kind: ("binomial", 10).

    `example` is a value that messages show. `read` takes what a user gives, and in words what is expected; it returns
    the number or says what is wrong. By default it takes anything above 0.

    >>> from suffice import Number
    >>> Number("number of trials", 10).name
    'number of trials'
    """

    name: str  # in words: "number of trials"
    example: float
    read: Callable[[Any, str], float] = lambda given, expected: number(given, expected, lambda value: value > 0)


def count(given: Any, expected: str) -> int:
    return whole(given, expected)


@dataclass(frozen=True)
class Kind:
    """A kind of column; `suffice.families.kinds` knows which family models it."""

    name: str
    allows: Callable[..., Range] = lambda *numbers: ANYWHERE
    numbers: tuple[Number, ...] = ()
    described: Callable[..., str] | None = None  # how it prints, its numbers given
    discrete: bool = False  # whether cells have probabilities, not densities
    counted: bool = False  # whether a table of counts is learned, which smoothing fills
    together: bool = False  # whether its columns are one whole
    coded: bool = False  # whether its cells are codes of levels
    undecided: bool = False  # whether a model says if those are categories or numbers
    words: bool = False  # whether its columns are one row of counts
    numeric: bool = False  # whether its columns are numbers as they stand, which models take alone or together
    transform: Transform | None = None  # into the units that the family models; None: those of the table

    def text(self, numbers: Numbers) -> str:
        if self.described is not None:
            return self.described(*numbers)
        told = [f"{entry.name} {value:g}" for entry, value in zip(self.numbers, numbers, strict=True)]
        return ", ".join([self.name.replace("-", " "), *told])

    def read(self, column: str, given: tuple[Any, ...]) -> Numbers:
        """The numbers declared for a column, checked."""
        if len(given) != len(self.numbers):
            found = (self.name, *given) if given else self.name
            raise ParameterError(f"Column '{column}' is declared {found!r}; {self.usage}.")
        pairs = zip(self.numbers, given, strict=True)
        return tuple(entry.read(value, f"Column '{column}': {self.usage}") for entry, value in pairs)

    @property
    def positive(self) -> bool:
        """Whether no cell may lie below 0, whatever the numbers."""
        return self.allows(*(entry.example for entry in self.numbers)).least >= 0

    @property
    def example(self) -> str | tuple[str | float, ...]:
        return (self.name, *(entry.example for entry in self.numbers)) if self.numbers else self.name

    @property
    def usage(self) -> str:
        names = " and its ".join(entry.name for entry in self.numbers)
        takes = f"takes its {names}: {self.example!r}" if self.numbers else f"takes no number, as {examples()} do"
        return f"{self.name} {takes}"


KINDS: dict[str, Kind] = {}


class Chosen(str):
    """A kind that was chosen by the cells there were: cells to come that it does not allow are taken for missing."""


def come_back(values: int, rows: float) -> bool:
    """Whether whole numbers look like categories: few values, which come again in more rows than values may be."""
    return 1 < values <= FEW < rows and values * OFTEN <= rows


def examples() -> str:
    return ", ".join(repr(kind.example) for kind in KINDS.values() if kind.numbers)


def declarable() -> tuple[str, ...]:
    """What may be declared; columns modelled together are named by joint=, and nobody need ask for a tally."""
    return (*(name for name in KINDS if name not in (JOINT, TALLIED)), BINARY, IGNORE)
