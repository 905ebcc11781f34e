"""Answers for rows that come in batches: what a method says of each row of a table, it says of those of files too.

In:  a method of X with one answer for each row. Out: the same, where X may be a source of batches: answers in order.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import wraps
from typing import TypeVar

import numpy as np

from suffice.arrays import Values
from suffice.data.batches import IntoRows, is_source, open_batches, told_where
from suffice.data.files import Batch
from suffice.data.schema import Schema

M = TypeVar("M", bound="AnswersRows")
A = TypeVar("A", bound=Values)


class AnswersRows(ABC):
    """A model that is asked about rows."""

    @abstractmethod
    def _columns_read(self) -> Schema | None:
        """The columns that its answers follow from; None: whichever there are."""

    def _read(self, X: IntoRows) -> Iterator[Batch]:
        """The rows of a source, with the columns, and of files without types the types, that the model knows."""
        schema = self._columns_read()
        source = open_batches(X, schema)
        assert source is not None  # who asks has made sure
        return source.read([column.name for column in schema.columns] if schema and schema.named else None)


def batchwise(answer: Callable[[M, IntoRows], A]) -> Callable[[M, IntoRows], A]:
    @wraps(answer)
    def answers(model: M, X: IntoRows) -> A:
        if not is_source(X):
            return answer(model, X)
        parts: list[A] = []
        for batch in model._read(X):
            with told_where(batch.place):
                parts.append(answer(model, batch.table))
        return np.concatenate(parts)  # type: ignore[return-value] # arrays of one kind

    return answers
