"""Stage 1, partitions that stay where they are: each is worked on by whoever holds it, and what that makes is added.

In:  a frame of Dask or PySpark, and work that makes something that adds of the batches of a partition.
Out: the sum. Holders keep columns that are worked on several times until they are released; what travels is work and
     sums, which holders add a few at a time, so that one comes here however many partitions there are.
"""

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Protocol, Self, TypeVar

from suffice.data.files import Batch, record_batches
from suffice.data.formats import Names
from suffice.data.table import IntoTable
from suffice.errors import SufficeError
from suffice.extras import needed
from suffice.lazy import lazy

if TYPE_CHECKING:  # which is imported when it is needed
    import pyarrow as pa

COLUMN = "sum"  # of the frames in which Spark hands sums over
FEW = 8  # sums that are in the memory of a worker of Spark at a time, or about so many: it deals them out by chance


class Adds(Protocol):
    def __add__(self, other: Self, /) -> Self: ...


T = TypeVar("T", bound=Adds)
Work = Callable[[int, Iterator[Batch]], T | None]  # of the number of a partition, and its batches
Opened = Callable[[Names], Iterator[Batch]]  # some columns of a file
Made = Callable[[Iterator["pa.RecordBatch"]], T | None]  # of the record batches of a partition


class DaskFrame(Protocol):
    """What is asked of a frame of Dask."""

    def __getitem__(self, names: list[str], /) -> Self: ...

    def persist(self) -> Self: ...

    def to_delayed(self) -> Sequence[IntoTable]: ...  # each is a frame by the time that work is done on it


class SparkLevel(Protocol):
    useMemory: bool  # noqa: N815 (so PySpark names it)
    useDisk: bool  # noqa: N815


class SparkFrame(Protocol):
    """What is asked of a frame of PySpark."""

    storageLevel: SparkLevel  # noqa: N815

    def select(self, *names: str) -> Self: ...

    def selectExpr(self, *expressions: str) -> Self: ...

    def repartition(self, partitions: int, /) -> Self: ...

    def persist(self) -> Self: ...

    def unpersist(self) -> Self: ...

    def first(self) -> Mapping[str, int | None]: ...

    def toArrow(self) -> "pa.Table": ...

    def collect(self) -> list[Mapping[str, bytes]]: ...

    def mapInArrow(
        self, made: "Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]", schema: str
    ) -> Self: ...


class Held(Protocol):
    """Some columns of a frame, kept by the holders of its partitions."""

    def summed(self, work: Work[T], /) -> T | None: ...

    def release(self) -> None: ...


class There:
    """Partitions that lie elsewhere. Their holders keep columns that are asked for `again` until they are released."""

    def __init__(self, hold: Callable[[Names, bool], Held]) -> None:
        self.hold, self.kept = hold, dict[Names, Held]()

    def __call__(self, columns: Names, work: Work[T], again: bool) -> T | None:
        if not again:
            return self.hold(columns, False).summed(work)
        if columns not in self.kept:
            self.kept[columns] = self.hold(columns, True)
        return self.kept[columns].summed(work)

    def release(self) -> None:
        while self.kept:
            self.kept.popitem()[1].release()


class InDask:
    """The partitions of a frame of Dask."""

    def __init__(self, frame: DaskFrame, columns: Names, again: bool) -> None:
        some = frame[list(columns)]
        self.frame, self.columns = some.persist() if again else some, columns

    def summed(self, work: Work[T]) -> T | None:
        dask = needed("dask", "dask", "Dask")
        known, parts = dask.delayed(work), self.frame.to_delayed()  # the work is sent once
        made = [dask.delayed(_worked)(known, i, part, self.columns) for i, part in enumerate(parts)]
        total: T | None = summed_in_tree(made)
        return total

    def release(self) -> None:
        """Holders keep what somebody here knows of."""
        del self.frame


class FilesInDask:
    """Files that the workers of Dask open, each a partition."""

    def __init__(self, paths: Sequence[str], opened: Callable[[str], Opened], columns: Names, again: bool) -> None:
        self.paths, self.opened, self.columns = paths, opened, columns

    def summed(self, work: Work[T]) -> T | None:
        dask = needed("dask", "dask", "Dask")
        known = dask.delayed(work)
        made = [dask.delayed(_worked_on_file)(known, i, p, self.opened, self.columns) for i, p in enumerate(self.paths)]
        total: T | None = summed_in_tree(made)
        return total

    def release(self) -> None:
        """Nothing of files is kept."""


def _worked_on_file(work: Work[T], number: int, path: str, opened: Callable[[str], Opened], columns: Names) -> T | None:
    return work(number, opened(path)(columns))


def _worked(work: Work[T], number: int, part: IntoTable, columns: Names) -> T | None:
    arrow = needed("pyarrow", "arrow", "A frame of Dask")
    some = arrow.Table.from_pandas(part, preserve_index=False).to_batches()
    return work(number, record_batches(some, columns))


class InSpark:
    """The partitions of a frame of PySpark."""

    def __init__(self, frame: SparkFrame, columns: Names, again: bool) -> None:
        self.frame, self.columns, self.again = selected(frame, columns), columns, again
        level = self.frame.storageLevel
        self.ours = again and not (level.useMemory or level.useDisk)  # what is kept already, somebody else releases
        if self.ours:
            self.frame.persist()

    @lazy
    def partitions(self) -> int:
        last = self.frame.selectExpr("spark_partition_id() AS number").selectExpr("max(number) AS last").first()
        return int(last["last"] or 0) + 1

    def summed(self, work: Work[T]) -> T | None:
        number = self.partitions if self.again else 1  # to count them is a pass of its own
        return summed_in_spark(self.frame, partial(_worked_in_spark, work, self.columns), number)

    def release(self) -> None:
        if self.ours:
            self.frame.unpersist()


def _worked_in_spark(work: Work[T], columns: Names, batches: "Iterator[pa.RecordBatch]") -> T | None:
    number = needed("pyspark", "spark", "Spark").TaskContext.get().partitionId()
    return work(number, record_batches(batches, columns))


def selected(frame: SparkFrame, columns: Iterable[str]) -> SparkFrame:
    """Columns of a frame of PySpark, to which dots and backticks in names mean something unless they are quoted."""
    return frame.select(*(f"`{name.replace('`', '``')}`" for name in columns))


def summed_in_tree(level: list[Any]) -> Any:
    """The sum of delayed values of Dask, some of which may be None, in a tree, so that no one adds all of them."""
    dask = needed("dask", "dask", "Dask")
    while len(level) > 1:
        level = [dask.delayed(added)(level[i : i + 2]) for i in range(0, len(level), 2)]
    return level[0].compute() if level else None


def summed_in_spark(frame: SparkFrame, made: Made[T], partitions: int = 1) -> T | None:
    """The sum of what is made of each partition of a frame of PySpark: of several partitions, by their holders."""
    sums = frame.mapInArrow(_Sent(made), f"{COLUMN} binary")
    while partitions > 1:
        partitions = -(-partitions // FEW)
        sums = sums.repartition(partitions).mapInArrow(_Sent(_added_in_spark), f"{COLUMN} binary")
    return added(_received(row[COLUMN]) for row in sums.collect())


@dataclass(frozen=True)
class _Sent(Generic[T]):
    """What is made of a partition, as mapInArrow asks for it; what is wrong with one is sent too."""

    made: Made[T]

    def __call__(self, batches: "Iterator[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        found = self._found(batches)
        if found is not None:
            arrow = needed("pyarrow", "spark", "Spark")
            yield arrow.RecordBatch.from_pydict({COLUMN: [pickle.dumps(found)]})

    def _found(self, batches: "Iterator[pa.RecordBatch]") -> T | SufficeError | None:
        try:
            return self.made(batches)
        except SufficeError as error:
            return error


def _received(sent: bytes) -> Any:
    found = pickle.loads(sent)
    if isinstance(found, SufficeError):
        raise found
    return found


def _added_in_spark(batches: "Iterator[pa.RecordBatch]") -> Any:
    return added(_received(sent) for batch in batches for sent in batch.column(COLUMN).to_pylist())


def added(some: Iterable[T | None]) -> T | None:
    """Their sum, one after the other, those left out that are None."""
    total: T | None = None
    for one in some:
        total = one if total is None else total if one is None else total + one
    return total
