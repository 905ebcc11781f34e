"""Rows in blocks on every core: the one place that knows threads.

In:  work on some blocks of rows, and how many rows and columns there are.
Out: what the work gave, one result for each core's share of the blocks, in the order of the rows.

The threads are Python's. They run side by side because NumPy, BLAS and the compiled kernels let go of the interpreter;
BLAS itself keeps to one thread meanwhile, and gets its threads back afterwards.
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from typing import Any, TypeVar

from threadpoolctl import ThreadpoolController

from suffice import arrays
from suffice.arrays import CACHED_CELLS, row_blocks

T = TypeVar("T")

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def over_rows(work: Callable[[Sequence[slice]], T], rows: int, width: int, record: int = 0) -> list[T]:
    """Work on each core's share of the blocks; `record` is the size of what a block is summed up to."""
    fair = max(CACHED_CELLS, rows * width // CORES)  # a block for every core, unless it would be too small to bother
    blocks = list(row_blocks(rows, width, max(min(arrays.BLOCK_CELLS, fair), 4 * record)))
    shares = [part for part in _split(blocks, min(CORES, len(blocks))) if part]
    if len(shares) < 2:
        return [work(blocks)]
    with _blas().limit(limits=1, user_api="blas"), ThreadPoolExecutor(len(shares) - 1) as pool:
        others = [pool.submit(work, share) for share in shares[1:]]
        return [work(shares[0]), *(other.result() for other in others)]  # this thread works too


def _split(blocks: list[slice], parts: int) -> list[list[slice]]:
    bounds = [len(blocks) * i // max(1, parts) for i in range(parts + 1)]
    return [blocks[first:last] for first, last in pairwise(bounds)]


@cache
def _blas() -> Any:
    return ThreadpoolController()
