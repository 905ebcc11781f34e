"""Stage 3, who is predicted from whom: for each fold the rows to learn from and the rows to be predicted.

In:  the fold of each row; or, for any other plan, pairs of rows to learn from and rows to predict.
Out: those pairs, and the summary of the rows to learn from in each. Where every row is in one fold and learned from by
     all others, the folds are summed up in one pass and added, never read again.

Rows are counted as those that count, and behind them those of weight 0, which are predicted but never learned from.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import accumulate
from operator import add
from typing import Protocol

import numpy as np

from suffice.arrays import Codes
from suffice.data.labelled import Labelled
from suffice.data.schema import Schema
from suffice.families.product import ProductStatistics
from suffice.lazy import Known
from suffice.model.collect import summary_of, summary_of_some
from suffice.model.summary import Summary, summarise

FOLDS = 10  # where leaving one row out has no closed form
Pair = tuple[Codes, Codes]  # rows to learn from, rows to predict


class Plan(Protocol):
    """Which rows are predicted from which."""

    def __len__(self) -> int: ...

    @property
    def title(self) -> str: ...

    def pairs(self) -> Iterator[Pair]: ...

    def summaries(self, known: Labelled, schema: Schema) -> Iterator[Summary]: ...  # of the rows to learn from


def evenly(labels: Codes, number: int, rng: np.random.Generator) -> Codes:
    """A fold for each row, dealt at random, evenly over the classes, one class after the other."""
    shuffled = rng.permutation(len(labels))
    by_class = shuffled[np.argsort(labels[shuffled], kind="stable")]
    fold = np.empty(len(labels), dtype=np.intp)
    fold[by_class] = np.arange(len(labels)) % number
    return fold


@dataclass(frozen=True, eq=False)
class Folds:
    """Each row is in one fold and is predicted from all others."""

    fold: Codes  # (N,) 0, 1, … all of them there
    aside: Codes = field(default_factory=lambda: np.empty(0, dtype=np.intp))  # (M,) the same of rows of weight 0
    learned: Known[Schema, list[Summary]] = field(default_factory=Known, repr=False)

    def __len__(self) -> int:
        return int(max(self.fold.max(initial=-1), self.aside.max(initial=-1))) + 1

    @property
    def title(self) -> str:
        """Folds without a row that counts are not told."""
        return f"{len(np.unique(self.fold))}-fold cross-validation"

    def pairs(self) -> Iterator[Pair]:
        every = np.concatenate([self.fold, self.aside])
        for number in range(len(self)):
            yield np.flatnonzero(self.fold != number), np.flatnonzero(every == number)

    def summaries(self, known: Labelled, schema: Schema) -> Iterator[Summary]:
        return iter(self.learned.get(schema, lambda: list(self._summed(known, schema))))

    def _summed(self, known: Labelled, schema: Schema) -> Iterator[Summary]:
        """Sums of the folds before and after, from either end."""
        of_folds, whole = self._apart(known, schema), summary_of(known, schema)
        before = [None, *accumulate(of_folds[:-1], add)]
        after = [None, *accumulate(of_folds[:0:-1], add)][::-1]
        for first, second in zip(before, after, strict=True):
            there = [part for part in (first, second) if part is not None]
            yield replace(whole, statistics=reduce(add, there))

    def _apart(self, known: Labelled, schema: Schema) -> list[ProductStatistics]:
        """The statistics of each fold."""
        size = len(known.classes)
        places, names = self.fold * size + known.codes, tuple(range(len(self) * size))
        apart = summarise(known.table, schema, names, places, known.weights)
        return [apart.statistics.only(np.arange(number * size, (number + 1) * size)) for number in range(len(self))]


@dataclass(frozen=True, eq=False)
class Splits:
    """Any rows predicted from any others, as often as one likes."""

    given: Sequence[Pair]
    title: str

    def __len__(self) -> int:
        return len(self.given)

    def pairs(self) -> Iterator[Pair]:
        return iter(self.given)

    def summaries(self, known: Labelled, schema: Schema) -> Iterator[Summary]:
        return (summary_of_some(known, learned, schema) for learned, _ in self.given)
