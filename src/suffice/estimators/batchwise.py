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
from warnings import catch_warnings, simplefilter

import numpy as np
from sklearn.utils.validation import check_is_fitted

from suffice.arrays import Values
from suffice.data.batches import Batches, IntoRows, is_source, open_batches, paths_of, refuse_absent, told_where
from suffice.data.encodings import checked
from suffice.data.files import FORMATS, Batch, found, refuse_among
from suffice.data.frames import CODED_TEXT
from suffice.data.reading import Reading
from suffice.data.schema import Schema
from suffice.data.text_files import AS_NUMBERS
from suffice.data.writing import Write, written
from suffice.errors import KindError, ParameterError
from suffice.extras import needed
from suffice.learn.model import Model
from suffice.options import switch
from suffice.store import refuse_impossible, refuse_overwriting
from suffice.words import free

if TYPE_CHECKING:  # which is imported when it is needed
    import pyarrow as pa

M = TypeVar("M", bound="AnswersRows")
A = TypeVar("A", bound=Values)


class AnswersRows(ABC):
    """A model that is asked about rows."""

    model_: Model

    @abstractmethod
    def _asked(self) -> Model:
        """Return the model that was learned; raise an error if there is none."""

    def predict_file(
        self,
        source: IntoRows,
        target: str | PathLike[str],
        *,
        proba: bool = True,
        columns: Sequence[str] | None = None,
        encoding: str | None = None,
    ) -> list[Path]:
        """Write the rows of a source, with the model's answers beside them, into files; gives the files written.

        Parameters
        ----------
        source : path, list of paths, or a stream of Arrow
            As for `fit`. Its rows keep their order, and cells of CSV and JSON lines the text that they are.
        target : path
            A file, whose ending tells its format; or a folder, into which each file of the source is written under its
            own name. In formats that have types, columns of CSV that the model does not read are text.
        proba : bool
            Whether to add the probability of each class, as columns "P(name)", to the column "class".
        columns : list of names
            Which columns of the source to keep; by default all of them.
        encoding : str
            Of CSV and JSON lines that are not in UTF-8, such as "cp1252" or "gb18030". What is written is in UTF-8.

        Raises
        ------
        NoFileError
            If there is no such file.
        ParameterError
            If `source` is neither paths nor a stream, or `target` is one of its files or would lie among them.

        """
        switch(proba, "proba")
        with ExitStack() as whole:
            goals = _goals(source, Path(target), Reading(self._asked().read, encoding=checked(encoding)), whole)
            return [goal for rows, goal in goals if self._written(rows, goal, proba, columns, whole)]

    def _written(self, rows: Batches, goal: Path, proba: bool, columns: Sequence[str] | None, whole: ExitStack) -> bool:
        """Write answers to a file, which appears when `whole` ends well; tell whether there were any."""
        write: Write | None = None
        for table in self.answered(rows, proba, columns):
            if write is None:
                write = whole.enter_context(written(goal, table.schema))
            write(table)
        return write is not None

    def answered(self, rows: Batches, proba: bool = True, columns: Sequence[str] | None = None) -> "Iterator[pa.Table]":
        """Batches of rows, in order, with what the model says of each beside them; of files at least one."""
        return answered(self._asked(), rows, proba, columns)


def answered(
    model: Model, rows: Batches, proba: bool = True, columns: Sequence[str] | None = None
) -> "Iterator[pa.Table]":
    """Batches of rows, in order, with what a model says of each beside them; of files at least one."""
    kept = rows.names if columns is None else columns
    refuse_absent(kept, rows.names)
    own, none = [column.name for column in model.read.columns], True
    for batch in rows.beside(own if model.read.named else None, kept):
        with told_where(batch.place):
            table = _beside(batch, kept, model.answers(batch.table, proba))
        yield table
        none = False
    nothing = rows.missing_row() if none else None
    if nothing is not None:
        yield _beside(Batch(nothing, ""), kept, _answers_of_none(model, nothing, proba)).slice(0, 0)


def _answers_of_none(model: Model, row: "pa.Table", proba: bool) -> Mapping[str, Values]:
    """The columns of answers where there are no rows, by asking about one in which everything is missing, or 0."""
    with catch_warnings():
        simplefilter("ignore")
        try:
            return model.answers(row, proba)
        except KindError:  # where cells must not be missing, as in rows of counts
            zeros = [column.fill_null(0) if str(column.type) == "double" else column for column in row.columns]
            return model.answers(row.from_arrays(zeros, names=row.column_names), proba)


def _goals(source: IntoRows, target: Path, reading: Reading, whole: ExitStack) -> list[tuple[Batches, Path]]:
    """Pair what is read with where it is written: one file, or a folder that gets a file for each that is read."""
    refuse_impossible(target)
    paths = found(paths_of(source))
    folder = target.is_dir() or not any(suffix in FORMATS for suffix in target.suffixes)
    if folder and not paths:
        raise ParameterError(
            f"Rows that do not come from files are written to one file; found the folder {str(target)!r}."
        )
    goals = [target / path.name for path in paths] if folder else [target]
    refuse_overwriting(goals, paths)
    refuse_among(goals, paths_of(source))
    if folder and not target.exists():
        target.mkdir()
        whole.push(partial(_removed, target))
    opened = [open_batches(one, reading) for one in (paths if folder else [source])]
    if None in opened:
        raise ParameterError(f"predict_file reads paths or a stream of Arrow; found {type(source).__name__}.")
    return [(rows, goal) for rows, goal in zip(opened, goals, strict=True) if rows is not None]


def _removed(folder: Path, failure: type[BaseException] | None, *_: object) -> None:
    """Remove a folder that was made for answers if writing them has failed."""
    if failure is not None:
        with suppress(OSError):
            folder.rmdir()


def _beside(batch: Batch, kept: Sequence[str], answers: Mapping[str, Values]) -> "pa.Table":
    """The columns to keep as they were in the file, and answers beside them by names that are free."""
    arrow = needed("pyarrow", "arrow", "Writing files")
    out = (batch.table if batch.written is None else batch.written).select(list(kept))
    read = {field.name for field in batch.table.schema if str(field.type) in ("double", "int64")}
    for place, field in enumerate(out.schema):
        if field.metadata == CODED_TEXT:
            out = out.set_column(place, field.name, out.column(place).cast(field.type.value_type))
        elif batch.written is not None and field.name in read:
            out = out.set_column(place, field.with_metadata(field.metadata | AS_NUMBERS), out.column(place))
    for name, values in answers.items():
        cells = values if values.dtype == float else values.tolist()
        out = out.append_column(free(name, out.column_names.__contains__), arrow.array(cells))
    return out


def _like(schema: Schema, X: IntoRows) -> Iterator[Batch]:
    """The rows of a source, with the columns, and of files without types the types, that a model knows."""
    source = open_batches(X, Reading(schema))
    assert source is not None  # who asks has made sure
    own = [column.name for column in schema.columns] or source.names[:1]  # rows of no column cannot be counted
    return source.read(own if schema.named else None)


def batchwise(answer: Callable[[M, IntoRows], A]) -> Callable[[M, IntoRows], A]:
    @wraps(answer)
    def answers(model: M, X: IntoRows) -> A:
        if not is_source(X):
            return answer(model, X)
        parts: list[A] = []
        check_is_fitted(model)
        for batch in _like(model.model_.read, X):
            with told_where(batch.place):
                parts.append(answer(model, batch.table))
        return np.concatenate(parts)  # type: ignore[return-value] # arrays of one kind

    return answers
