"""Partitions that stay where they are: each is collected by whoever holds it, and the summaries are added in a tree.

In:  a frame of Dask or PySpark, or files that workers of Dask read, each a partition; the names of its labels and
     weights, and a schema, which every partition obeys.
Out: Summary. What travels is a summary for each partition, a few kilobytes, and never a row. A worker that dies is
     replaced by its cluster, which has its partitions collected again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from suffice.data.batches import Batches, is_source, open_batches, paths_of
from suffice.data.files import as_tables, found
from suffice.data.formats import is_text
from suffice.data.frames import is_dask, is_spark
from suffice.data.persisted import selected, summed_in_spark, summed_in_tree
from suffice.data.planning import like
from suffice.data.reading import Reading
from suffice.data.schema import Schema
from suffice.data.table import IntoTable, Table, read_table
from suffice.errors import TableError
from suffice.extras import needed
from suffice.model.collect import Classes, summed_if_any
from suffice.model.summary import Summary

if TYPE_CHECKING:  # which is imported where it is
    import pyarrow as pa

HEAD = 10_000  # rows that a plan looks at


@dataclass(frozen=True)
class Collecting:
    """What is done to a partition; it is sent to whoever holds one."""

    label: str
    weight: str | None
    schema: Schema
    classes: Classes
    unknown: Any
    reading: Reading = field(default_factory=Reading)  # of files that have no types of their own

    def __call__(self, rows: Batches | Iterator[IntoTable] | None) -> Summary | None:
        """The summary of a partition, or None where it has no row that counts."""
        if rows is None:
            return None
        plan = partial(like, self.schema)
        return summed_if_any(rows, self.label, self.weight, plan, self.classes, self.unknown)

    def of_frame(self, frame: IntoTable) -> Summary | None:
        return self(iter([frame]))

    def of_file(self, path: str) -> Summary | None:
        """Of a file that whoever does this can open; only the columns that are needed are read."""
        return self(open_batches([path], replace(self.reading, schema=self.schema)))

    def of_record_batches(self, batches: "Iterator[pa.RecordBatch]") -> Summary | None:
        return self(as_tables(batches))


def is_partitioned(rows: Any) -> bool:
    """Whether rows lie in partitions whose holders can collect them."""
    return is_dask(rows) or is_spark(rows) or _are_files(rows)


def stays(rows: Any) -> bool:
    """Whether that is so unless somebody asks for it otherwise: files are partitions only where that is asked for."""
    return is_dask(rows)


def _are_files(rows: Any) -> bool:
    return is_source(rows) and bool(paths_of(rows))


def columns_of(rows: Any, files: Batches | None) -> list[str]:
    return list(files.names) if files is not None else [str(name) for name in rows.columns]


def first_rows(frame: Any, names: Sequence[str], files: Batches | None) -> Table:
    """Of files, or a frame of Dask, without some columns."""
    if files is not None:
        return read_table(files.head.drop_columns(list(names)))
    frame = frame[[name for name in frame.columns if name not in names]]
    rows = _dask_head(frame)
    if len(rows) == 0:
        raise TableError("There are no rows to read.")
    return read_table(rows)


def files_of(rows: Any, reading: Reading) -> Batches | None:
    """The files that paths stand for, which no worker reads yet; None of what is no path."""
    return open_batches(rows, reading) if _are_files(rows) else None


def as_all_are_read(files: Batches | None, reading: Reading) -> Reading:
    """How each of several files is to be read by itself, so that it has the columns of text that all have together."""
    if files is None or files.files is None:
        return reading
    texts = frozenset(name for name, kind in files.files.types.items() if is_text(kind))
    return replace(reading, texts=texts, skip=None)


def _dask_head(frame: Any) -> Any:
    """Rows of the first partition that has any: Dask's own head would have all partitions made."""
    dask = needed("dask", "dask", "Dask")
    heads = (dask.delayed(_first)(part).compute() for part in frame.to_delayed())
    return next((rows for rows in heads if len(rows)), ())


def _first(rows: Any) -> Any:
    return rows[:HEAD]


def collected_there(frame: Any, work: Collecting) -> Summary:
    """Every partition by its holder; the sums of Dask are there too, those of Spark, of which there are few, here."""
    total = _in_spark(frame, work) if is_spark(frame) else _in_dask(frame, work)
    if total is None:
        raise TableError("There are no partitions to collect from, or all of their rows have weight zero.")
    return total


def _in_dask(rows: Any, work: Collecting) -> Summary | None:
    dask = needed("dask", "dask", "Dask")
    if _are_files(rows):
        level = [dask.delayed(work.of_file)(str(path.absolute())) for path in found(paths_of(rows))]
    else:
        own = {work.label, work.weight, *(column.name for column in work.schema.columns)}
        frame = rows[[name for name in rows.columns if name in own]]
        level = [dask.delayed(work.of_frame)(part) for part in frame.to_delayed()]
    total: Summary | None = summed_in_tree(level)
    return total


def _in_spark(frame: Any, work: Collecting) -> Summary | None:
    own = {work.label, work.weight, *(column.name for column in work.schema.columns)}
    return summed_in_spark(selected(frame, [name for name in frame.columns if name in own]), work.of_record_batches)
