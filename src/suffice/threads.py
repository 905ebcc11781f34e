"""Rows in blocks, or other parts of one work, on every core: the one place that knows threads.

In:  work on some blocks of rows, and how many rows and columns there are; or work on any parts.
Out: what the work gave, one result for each core's share of the blocks, in the order of the rows.

The threads are Python's. They run side by side because NumPy, BLAS and the compiled kernels let go of the interpreter;
BLAS itself keeps to one thread meanwhile, and gets its threads back afterwards.
"""

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from functools import cache
from itertools import pairwise
from typing import TypeVar

from threadpoolctl import ThreadpoolController

from suffice import arrays
from suffice.arrays import CACHED_CELLS, row_blocks

P = TypeVar("P")
T = TypeVar("T")

NAME = "suffice-rows"
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def over_rows(work: Callable[[Sequence[slice]], T], rows: int, width: int, record: int = 0) -> list[T]:
    """Work on each core's share of the blocks; `record` is the size of what a block is summed up to."""
    fair = max(CACHED_CELLS, rows * width // CORES)  # a block for every core, unless it would be too small to bother
    blocks = list(row_blocks(rows, width, max(min(arrays.BLOCK_CELLS, fair), 4 * record)))
    return in_shares(work, blocks)


def in_shares(work: Callable[[Sequence[P]], T], parts: Sequence[P]) -> list[T]:
    """Work on each core's share of any parts."""
    cores = 1 if threading.current_thread().name.startswith(NAME) else CORES  # work within work is not shared again
    shares = _split(parts, min(cores, len(parts)))
    if len(shares) < 2:
        return [work(parts)]
    with blas_alone():
        others = [_pool(os.getpid()).submit(work, share) for share in shares[1:]]
        try:
            first = work(shares[0])  # this thread works too
        finally:
            wait(others)  # they write into memory that is the caller's
        return [first, *(other.result() for other in others)]


def ahead(things: Iterator[T]) -> Iterator[T]:
    """The same things, the next two of which are made while one is worked on."""
    with ThreadPoolExecutor(1, "suffice-ahead") as reader:
        coming = deque(reader.submit(next, things, None) for _ in range(2))
        while (thing := coming.popleft().result()) is not None:
            coming.append(reader.submit(next, things, None))
            yield thing


def _split(parts: Sequence[P], number: int) -> list[Sequence[P]]:
    bounds = [len(parts) * i // max(1, number) for i in range(number + 1)]
    return [parts[first:last] for first, last in pairwise(bounds)]


def blas_alone() -> AbstractContextManager[ThreadpoolController]:
    """A context in which BLAS keeps to the thread that calls it: threads of its own would go on spinning afterwards."""
    alone: AbstractContextManager[ThreadpoolController] = _blas().limit(limits=1, user_api="blas")
    return alone


@cache
def _pool(_process: int) -> ThreadPoolExecutor:
    """Threads that wait for work, with the memory they wrote blocks into: they are made once, and anew after a fork."""
    return ThreadPoolExecutor(max(1, CORES - 1), NAME)


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController()
