"""Stage 1, errors of engines and streams: what they cannot do is said as an error of ours.

In:  work that an engine, or a stream of Arrow, does. Out: the same work, or a TableError that quotes what was said.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

from suffice.errors import SufficeError, TableError

T = TypeVar("T")


@contextmanager
def said_by(whose: str, advice: str = "") -> Iterator[None]:
    """Every engine has errors of its own, and none of them is imported here."""
    try:
        yield
    except SufficeError:
        raise
    except Exception as error:
        raise TableError(f"{whose}: {' '.join(str(error).split())}.{advice and ' '}{advice}") from error


def guarded(items: Iterator[T], whose: str) -> Iterator[T]:
    """The same items, with what goes wrong in between said so."""
    with said_by(whose):
        yield from items
