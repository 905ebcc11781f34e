"""Answers for rows that come in batches: what a method says of each row of a table, it says of those of files too.

In:  a source of batches; for files of answers also where to write them.
Out: answers in order, as one array; or files with the rows as they are and what the model says of each, whole or not at
     all. Memory is bounded by a batch or two, and by the array.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import partial, wraps
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from suffice.arrays import Values
from suffice.data.batches import Batches, IntoRows, is_source, open_batches, paths_of, refuse_absent, told_where
from suffice.data.files import Batch, found
from suffice.data.formats import FORMATS
from suffice.data.frames import CODED_TEXT
from suffice.data.schema import Schema
from suffice.data.table import IntoTable
from suffice.data.writing import Write, written
from suffice.errors import ParameterError
from suffice.extras import needed
from suffice.options import switch
from suffice.words import free, listed

if TYPE_CHECKING:  # which is imported when it is needed
    import pyarrow as pa

M = TypeVar("M", bound="AnswersRows")
A = TypeVar("A", bound=Values)


class AnswersRows(ABC):
    """A model that is asked about rows."""

    @abstractmethod
    def _columns_read(self) -> Schema:
        """The columns that its answers follow from."""

    @abstractmethod
    def _row_answers(self, X: IntoTable, proba: bool) -> Mapping[str, Values]:
        """What it says of each row, as columns of a table: the class, and P(class | row) if asked and if it has any."""

    def _read(self, X: IntoRows) -> Iterator[Batch]:
        """The rows of a source, with the columns, and of files without types the types, that the model knows."""
        schema = self._columns_read()
        source = open_batches(X, schema)
        assert source is not None  # who asks has made sure
        own = [column.name for column in schema.columns] or source.names[:1]  # rows of no column cannot be counted
        return source.read(own if schema.named else None)

    def predict_file(
        self,
        source: IntoRows,
        target: str | PathLike[str],
        *,
        proba: bool = True,
        columns: Sequence[str] | None = None,
    ) -> list[Path]:
        """Write the rows of a source, with the model's answers beside them, into files; gives the files written.

        Parameters
        ----------
        source : path, list of paths, or a stream of Arrow
            As for `fit`. Its rows keep their order.
        target : path
            A file, whose ending tells its format; or a folder, into which each file of the source that has rows is
            written under its own name.
        proba : bool
            Whether to add the probability of each class, as columns "P(name)", to the column "class".
        columns : list of names
            Which columns of the source to keep; by default all of them.

        Raises
        ------
        NoFileError
            If there is no such file.
        ParameterError
            If `source` is neither paths nor a stream.

        """
        switch(proba, "proba")
        with ExitStack() as whole:
            goals = _goals(source, Path(target), self._columns_read(), whole)
            return [goal for rows, goal in goals if self._written(rows, goal, proba, columns, whole)]

    def _written(self, rows: Batches, goal: Path, proba: bool, columns: Sequence[str] | None, whole: ExitStack) -> bool:
        """Whether there were rows to write. The file appears when `whole` ends well."""
        write: Write | None = None
        for table in self.answered(rows, proba, columns):
            if write is None:
                write = whole.enter_context(written(goal, table.schema))
            write(table)
        return write is not None

    def answered(self, rows: Batches, proba: bool = True, columns: Sequence[str] | None = None) -> "Iterator[pa.Table]":
        """Batches of rows, in order, with what the model says of each beside them."""
        kept, own = rows.names if columns is None else columns, [c.name for c in self._columns_read().columns]
        refuse_absent(kept, rows.names)
        for batch in rows.read([*kept, *own] if self._columns_read().named else None):
            with told_where(batch.place):
                table = _beside(batch.table, kept, self._row_answers(batch.table, proba))
            yield table


def _goals(source: IntoRows, target: Path, schema: Schema, whole: ExitStack) -> list[tuple[Batches, Path]]:
    """What is read, and what it is written into: one file, or a folder of those that files are written into."""
    paths = found(paths_of(source))
    folder = target.is_dir() or not any(suffix in FORMATS for suffix in target.suffixes)
    if folder and not paths:
        raise ParameterError(
            f"Rows that do not come from files are written to one file; found the folder {str(target)!r}."
        )
    goals = [target / path.name for path in paths] if folder else [target]
    same = {path.resolve() for path in paths} & {goal.resolve() for goal in goals}
    if same or len(set(goals)) < len(goals):
        twice = listed(sorted(path.name for path in same or goals if same or goals.count(path) > 1))
        raise ParameterError(f"Predictions would overwrite the input, or each other: {twice}. Use another folder.")
    if folder and not target.exists():
        target.mkdir()
        whole.push(partial(_removed, target))
    opened = [open_batches(one, schema, verbatim=True) for one in (paths if folder else [source])]
    if None in opened:
        raise ParameterError(f"predict_file reads paths or a stream of Arrow; found {type(source).__name__}.")
    return [(rows, goal) for rows, goal in zip(opened, goals, strict=True) if rows is not None]


def _removed(folder: Path, failure: type[BaseException] | None, *_: object) -> None:
    """Of a folder that was made for answers and has none."""
    if failure is not None:
        with suppress(OSError):
            folder.rmdir()


def _beside(table: "pa.Table", kept: Sequence[str], answers: Mapping[str, Values]) -> "pa.Table":
    """The columns to keep as they were in the file, and answers beside them by names that are free."""
    arrow = needed("pyarrow", "arrow", "Writing files")
    out = table.select(list(kept))
    for place, field in enumerate(out.schema):
        if field.metadata == CODED_TEXT:
            out = out.set_column(place, field.name, out.column(place).cast(field.type.value_type))
    for name, values in answers.items():
        cells = values if values.dtype == float else values.tolist()
        out = out.append_column(free(name, out.column_names.__contains__), arrow.array(cells))
    return out


def by_name(names: Values, shares: Values) -> dict[str, Values]:
    """P(class | row), or of components, by the names of columns."""
    return {f"P({name})": shares[:, k] for k, name in enumerate(names.tolist())}


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
