"""Progress of long work, for people: a line on the terminal that counts up, once two seconds have passed.

In:  things to work through. Out: the same things, one after the other. Nothing is written where nobody looks.
"""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Thing = TypeVar("Thing")
PATIENCE = 2.0  # seconds


def watched(steps: Iterable[Thing]) -> Iterator[Thing]:
    """Steps of EM, of which nobody knows how many there will be."""
    return progress(steps, "EM steps")


def progress(
    things: Iterable[Thing], title: str, total: int | None = None, size: Callable[[Thing], int] = lambda thing: 1
) -> Iterator[Thing]:
    """A thing counts as its `size` says, once the work on it is over."""
    begun, shown, done = time.monotonic(), False, 0
    looked_at = sys.stderr.isatty()  # asked once: each time lets other threads go first
    for thing in things:
        if looked_at and time.monotonic() - begun > PATIENCE:
            shown = True
            of = f" of {total:,}" if total else ""
            sys.stderr.write(f"\r{title}: {done:,}{of} in {time.monotonic() - begun:.0f} s ")
            sys.stderr.flush()
        yield thing
        done += size(thing)
    if shown:
        sys.stderr.write("\r\033[K")
        sys.stderr.flush()
