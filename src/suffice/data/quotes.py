"""Stage 1, quotes of CSV: one that is never closed makes a single cell of all that follows.

In:  the bytes of a file as they are read, then, only if those look odd, its lines.
Out: where a quote was left open, and which cell has many lines.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np

from suffice.data.passing import Passing

QUOTE, LINE_END = ord('"'), ord("\n")
MANY = 10  # lines that a cell may have without a word


class Counted(Passing):
    """A stream whose quotes and line ends are counted."""

    def __init__(self, stream: BinaryIO) -> None:
        super().__init__(stream)
        self.quotes, self.lines = 0, 0

    def look(self, block: bytes) -> None:
        if QUOTE in block or self.quotes:
            signs = np.frombuffer(block, np.uint8)
            self.quotes += int(np.count_nonzero(signs == QUOTE))
            self.lines += int(np.count_nonzero(signs == LINE_END))
        else:
            self.lines += block.count(b"\n")

    def odd(self, rows: int) -> bool:
        """Whether so many rows, and a header, do not account for the lines, or quotes come in no pairs."""
        return self.quotes > 0 and (self.quotes % 2 == 1 or self.lines > rows + 1)


@dataclass(frozen=True)
class Quoting:
    left_open: int | None  # the line in which a quote opens that is never closed
    long: int | None  # the line in which a cell begins that looks like many
    lines: int = 0  # that the long cell has


def quoting(lines: Iterable[str], delimiter: str, columns: int) -> Quoting:
    """What quotes do to lines. A cell is long if it has many lines, or one that looks like a row of the table."""
    inside, begun, long = False, 0, (0, 0)
    rowlike = False
    for number, line in enumerate(lines, 1):
        if inside:
            rowlike |= columns > 1 and line.count(delimiter) == columns - 1 and '"' not in line
        opened = left_open(line, inside, delimiter) if inside or '"' in line else False
        if opened and not inside:
            begun, rowlike = number, False
        if inside and not opened and not long[0] and (rowlike or number - begun > MANY):
            long = begun, number - begun + 1
        inside = opened
    return Quoting(begun if inside else None, long[0] or None, long[1])


def left_open(line: str, inside: bool, delimiter: str) -> bool:
    """Whether a quote is open at the end of a line: one opens where a cell begins, and two stand for one."""
    if not inside and line.startswith('"'):
        inside, line = True, line[1:]
    for at in _turns(line, inside, delimiter):
        inside = at
    return inside


def _turns(line: str, inside: bool, delimiter: str) -> Iterator[bool]:
    """Whether a quote is open, from each place on where that changes."""
    at, opening = 0, delimiter + '"'
    while True:
        found = line.find('"' if inside else opening, at)
        if found < 0:
            return
        if inside and line[found + 1 : found + 2] == '"':
            at = found + 2
            continue
        at, inside = found + (1 if inside else len(opening)), not inside
        yield inside


def unquoted(line: str) -> str:
    """A line without what stands in quotes."""
    return "".join(line.split('"')[::2])
