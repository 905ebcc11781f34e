"""Stage 1, files of text: bytes of whatever encoding and packing, and what the first of them say.

In:  a path.
Out: its lines as UTF-8, its encoding and delimiter; rows as record batches, with columns that a model reads by their
     types and, beside them, columns as they are written.
"""

import re
from abc import abstractmethod
from collections.abc import Iterator
from functools import cached_property
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from suffice.data import formats
from suffice.data.encodings import broken_line, encoding_of
from suffice.data.formats import File, Names, Types
from suffice.data.quotes import unquoted
from suffice.data.spelling import DIGITS
from suffice.extras import needed
from suffice.store import openable

if TYPE_CHECKING:  # which is imported when it is needed
    import pyarrow as pa

DELIMITERS = ";\t|,"  # the comma last, since texts and numbers have commas too
LINES = 20  # which are looked at to find the delimiter
SAMPLE = 1 << 16  # bytes of them
AS_WRITTEN = {b"suffice": b"as written"}  # a field of Arrow with the very texts of a file
JSON_VALUES = {b"suffice": b"json"}  # with values as JSON writes them
AS_NUMBERS = {b"number": b"yes"}  # and besides, where a model has read them as numbers
QUOTED_NUMBER = re.compile(rb'"[-+]?[0-9][-+0-9.,eE]*"(?=[\n\r,;\t|]|$)')
QUOTED_EMPTY = re.compile(rb'""(?=[\n\r,;\t|]|$)')
WIDE = ("utf-16", "utf-32")
BETWEEN = b"\n\r,;\t|"  # before a cell
ZERO, NINE, POINT = b"09."


class Head(NamedTuple):
    """What the first bytes of a file say."""

    encoding: str
    whole: bool  # whether they are all that there is
    delimiter: str
    quotes_mean_text: bool  # as numbers are not quoted
    quoted_empty: bool  # whether a cell with nothing in it is
    code_like: bool  # whether digits may be more than a number: a zero before others, or very many
    odd_quotes: bool  # whether quotes do not come in pairs


class Text(File):
    """Lines of text, perhaps packed, in UTF-8, UTF-16, UTF-32, GB18030, or an encoding that is given."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.codes: dict[str, str] = {}  # categories that are numbers, each with its spelling, by all files together
        self.literal: frozenset[str] = frozenset()  # columns in which texts such as NA are levels
        self.label: str | None = None  # the column of classes, where that is known
        self.told = False  # whether what is odd has been told, as a file may be read more than once

    def expect(self, label: str | None, literal: frozenset[str]) -> None:
        """What somebody has said of its columns."""
        self.label, self.literal = label, literal

    @property
    def typed(self) -> bool:
        return False

    def packed_as(self) -> "pa.NativeFile":
        """Its bytes, unpacked."""
        packing = formats.PACKING.get(self.path.suffix.lower())
        with openable(self.path) as name:
            return needed("pyarrow", "arrow", "Reading files of text").input_stream(name, compression=packing)

    def stream(self) -> "pa.NativeFile":
        """Its bytes as UTF-8, unpacked."""
        arrow, stream = needed("pyarrow", "arrow", "Reading files of text"), self.packed_as()
        return stream if self.encoding == "utf-8" else arrow.transcoding_input_stream(stream, self.encoding, "utf8")

    def lines(self) -> TextIOWrapper:
        """Its lines as texts, whatever bytes they have."""
        return TextIOWrapper(self.stream(), encoding="utf-8-sig", errors="replace", newline="\n")

    @cached_property
    def head(self) -> Head:
        """Nothing of the bytes is kept: there may be very many files."""
        with self.packed_as() as stream:
            head = bytes(stream.read(formats.HEAD + 1))
        whole = len(head) <= formats.HEAD
        encoding = encoding_of(self.path, head, not whole, self.given)
        some = head[:SAMPLE].decode(encoding, errors="ignore").removeprefix("\ufeff")
        if encoding.startswith(WIDE):  # whose signs are not single bytes
            head = head.decode(encoding, errors="ignore").encode()
        quotes = b'"' in head
        texts = quotes and not _has_cell(head, QUOTED_NUMBER)
        empty = b'""' in head and _has_cell(head, QUOTED_EMPTY)
        codes = encoding != "utf-8" or _zero_leads(head) or _many_digits(head)
        odd = head.count(b'"') % 2 == 1
        return Head(encoding, whole, delimiter_of(some), texts, empty, codes, odd)

    @property
    def encoding(self) -> str:
        return self.head.encoding

    @property
    def whole(self) -> bool:
        return self.head.whole

    @abstractmethod
    def spellings(self, column: str) -> frozenset[str]:
        """How the categories of a column may be spelled, by the head."""

    @property
    @abstractmethod
    def codes_there(self) -> frozenset[str]:
        """Columns of whole numbers that would not come back from numbers as they were, by the head."""

    @abstractmethod
    def beside(self, own: Names, kept: Names, types: Types) -> "Iterator[pa.RecordBatch]":
        """Rows with columns by their types, and then columns as they are written, which may be the same."""

    def broken_line(self) -> int | None:
        """The first line that is no text in the encoding of the file, or None."""
        return broken_line(self._blocks, self.encoding)

    def _blocks(self) -> Iterator[bytes]:
        with self.packed_as() as stream:
            yield from iter(lambda: bytes(stream.read(formats.BLOCK)), b"")


def delimiter_of(text: str) -> str:
    """What parts the cells: in the header, outside quotes, and as often in the lines after it."""
    header, *others = [unquoted(line) for line in _without_quotes(text).split("\n")[:LINES] if line.strip()] or [""]
    there = [sign for sign in DELIMITERS if sign in header]
    same = [sign for sign in there if all(line.count(sign) == header.count(sign) for line in others[:-1] or others)]
    return (same or sorted(there, key=header.count, reverse=True) or [","])[0]


def _without_quotes(text: str) -> str:
    """A text without what stands in quotes, which may have line ends."""
    return re.sub(r'"[^"]*"', "", text)


def _has_cell(text: bytes, pattern: re.Pattern[bytes]) -> bool:
    """Whether a cell is so; patterns that begin with a quote are found soon."""
    return any(text[at - 1 : at] in BETWEEN for at in (found.start() for found in pattern.finditer(text)) if at)


def _zero_leads(text: bytes) -> bool:
    """Whether a zero stands before another digit, and not behind one or behind a point."""
    signs = np.frombuffer(text, np.uint8)
    zeros = np.flatnonzero(signs[:-1] == ZERO)
    before, after = np.where(zeros > 0, signs[zeros - 1], 0), signs[zeros + 1]
    inside = ((before >= ZERO) & (before <= NINE)) | (before == POINT)
    return bool((~inside & (after >= ZERO) & (after <= NINE)).any())


def _many_digits(text: bytes) -> bool:
    """Whether so many digits stand in a row that a number would not keep them all."""
    run = (np.frombuffer(text, np.uint8) - ZERO) < 10  # bytes below 0 are large
    together = 1
    while together < DIGITS:  # run[i] says whether as many digits begin there
        step = min(together, DIGITS - together)
        run, together = run[:-step] & run[step:], together + step
    return bool(run.any())
