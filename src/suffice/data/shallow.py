"""Stage 1, JSON that is nested too deeply, found before it is parsed: parsers that call themselves are killed by it.

In:  a stream of lines of JSON, as bytes.
Out: the same stream. A line with more brackets within each other than people write is an error with its number.
"""

import io
import re
from typing import TYPE_CHECKING

import numpy as np

from suffice.errors import FileError

if TYPE_CHECKING:  # which is imported when it is needed
    import pyarrow as pa

DEEPEST = 100  # brackets within each other
TEXT = re.compile(rb'"(?:[^"\\]|\\.)*"?', re.DOTALL)
OPENING, CLOSING = b"[{", b"]}"


class Shallow(io.RawIOBase):
    """A stream that is read as it is, as long as no line of it is nested too deeply."""

    def __init__(self, stream: "pa.NativeFile", name: str) -> None:
        self.stream, self.name, self.begun, self.lines = stream, name, b"", 0

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self.stream.close()
        super().close()

    def read(self, size: int = -1, /) -> bytes:
        some: bytes = self.stream.read(size if size >= 0 else None)
        block = self.begun + some
        for line in _suspects(block):
            self._refuse_deep(block, line)
        self.lines += some.count(b"\n")
        self.begun = block[block.rfind(b"\n") + 1 :]
        return some

    def _refuse_deep(self, block: bytes, line: int) -> None:
        deep = depth(block.split(b"\n", line + 1)[line])
        if deep > DEEPEST:
            raise FileError(
                f"Line {self.lines + line + 1} of {self.name!r} has {deep:,} brackets within each other; at most "
                f"{DEEPEST} are read. Take out the column that is nested so deeply, or write it as text."
            )


def _suspects(block: bytes) -> list[int]:
    """Lines with so many opening brackets, in texts or not, that they could be nested too deeply."""
    cells = np.frombuffer(block, np.uint8)
    opening = np.flatnonzero((cells == OPENING[0]) | (cells == OPENING[1]))
    if len(opening) <= DEEPEST:
        return []
    line = np.searchsorted(np.flatnonzero(cells == ord("\n")), opening)
    same = line[DEEPEST:] == line[:-DEEPEST]
    return [int(each) for each in np.unique(line[DEEPEST:][same])]


def depth(line: bytes) -> int:
    """How many brackets of a line are within each other; those in texts do not count."""
    cells = np.frombuffer(TEXT.sub(b"", line), np.uint8)
    steps = np.isin(cells, list(OPENING)).astype(np.intp) - np.isin(cells, list(CLOSING))
    return int(np.cumsum(steps).max(initial=0))
