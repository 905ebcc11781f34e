"""Stage 1, how large a batch is once its texts are written out: a code of four bytes may stand for a megabyte.

In:  a record batch of pyarrow.
Out: parts of it of which none is much larger than asked for, each with its size, in cells of eight bytes.
"""

from collections.abc import Iterator
from types import ModuleType
from typing import TYPE_CHECKING

from suffice.extras import needed

if TYPE_CHECKING:  # which is imported when it is needed
    import pyarrow as pa

CELL = 8  # bytes
VARYING = ("string", "large_string", "string_view", "binary", "large_binary", "binary_view")


def parts_of(batch: "pa.RecordBatch", most: int) -> "Iterator[tuple[pa.RecordBatch, int]]":
    """Rows of a batch, in order, in parts of so many cells at most, but for rows that are larger by themselves."""
    size = _size(batch)
    if size <= most or len(batch) == 1:
        yield batch, size
        return
    half = len(batch) // 2
    yield from parts_of(batch.slice(0, half), most)
    yield from parts_of(batch.slice(half), most)


def _size(batch: "pa.RecordBatch") -> int:
    """In cells of eight bytes, texts of any length counted as what they take."""
    arrow = needed("pyarrow", "arrow", "A stream of Arrow")
    every = [max(len(batch), _bytes(arrow, column) // CELL) for column in batch.columns]
    return sum(every)


def _bytes(arrow: ModuleType, column: "pa.Array") -> int:
    """What a column takes once nothing in it is coded; codes are counted as the longest text first, which is fast."""
    if not arrow.types.is_dictionary(column.type):
        return int(column.nbytes)
    compute = needed("pyarrow.compute", "arrow", "A stream of Arrow")
    if str(column.type.value_type) not in VARYING:
        return CELL * len(column)
    each = compute.binary_length(column.dictionary)
    longest = compute.max(each).as_py() or 0
    if longest <= CELL:
        return CELL * len(column)
    return int(compute.sum(each.take(column.indices)).as_py() or 0)
