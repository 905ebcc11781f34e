"""Stage 1, encodings: which one a file of text is in, by its first bytes.

In:  the first bytes of a file, and the encoding that somebody gave, if any.
Out: the name of an encoding of Python. What cannot be told apart is said, or refused; nothing is guessed in silence.
"""

import codecs
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np

from suffice.data.passing import Passing
from suffice.errors import FileError, FileHint, ParameterError, warn
from suffice.options import shown

MARKS = (  # at the beginning of a file; those of four bytes before those of two, with which they begin
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
WIDE = {(0,): "utf-32-le", (3,): "utf-32-be", (0, 2): "utf-16-le", (1, 3): "utf-16-be"}  # which bytes of four are full
EMPTY = 0.1  # share of bytes that are empty in such an encoding, beside delimiters and digits at least
CHINESE = "gb18030"
COMMON = 0xA1  # from which on the second byte of a character of GB 2312, simplified Chinese, lies
STRANGE = 1 / 3  # share of two-byte characters outside it that text in another encoding has, read so
SAMPLE = 1 << 16  # bytes


def encoding_of(path: Path, head: bytes, more: bool, given: str | None) -> str:
    """The encoding of a file that begins with `head`; `more` says that the head may end within a character."""
    if given is not None:
        return _as_given(path, head, more, given)
    marked = next((name for mark, name in MARKS if head.startswith(mark)), None)
    if marked is not None:
        return marked
    wide = _wide(head)
    if wide is not None:
        warn(f"{str(path)!r} is read as {wide.upper()}, though it has no mark that says so.", FileHint)
        return wide
    if _decodes(head, "utf-8", more):
        return "utf-8"
    if _decodes(head, CHINESE, more) and _is_chinese(head):
        warn(
            f"{str(path)!r} is not in UTF-8 and is read as GB18030 (Chinese). If its letters look wrong, name its "
            "encoding: encoding='cp1252' for Western languages, 'big5', 'shift-jis', 'euc-kr', ….",
            FileHint,
        )
        return CHINESE
    raise FileError(
        f"{str(path)!r} is text in neither UTF-8 nor GB18030, as far as can be told. Name its encoding, such as "
        "encoding='cp1252' (Western languages), 'latin-1', 'big5', 'shift-jis' or 'gb18030', or convert it to UTF-8."
    )


def checked(encoding: str | None) -> str | None:
    """An encoding that a user named, by the name that Python has for it."""
    if encoding is None:
        return None
    try:
        name = codecs.lookup(encoding).name
        "a".encode(name)  # which codecs that are no encodings of text refuse
    except (LookupError, TypeError, ValueError):
        raise ParameterError(
            f"encoding must be the name of an encoding of text, such as 'cp1252' or 'gb18030'; found {shown(encoding)}."
        ) from None
    return "utf-8" if name == "utf-8-sig" else name


def _as_given(path: Path, head: bytes, more: bool, given: str) -> str:
    if not _decodes(head, given, more):
        line = next(_broken([head], given, not more))
        raise FileError(f"Line {line} of {str(path)!r} is no text in {given}. Name the encoding that it is in.")
    return given


def _wide(head: bytes) -> str | None:
    """An encoding of two or four bytes for a letter, in which every ASCII character has empty bytes beside it."""
    sample = np.frombuffer(head[: min(SAMPLE, len(head)) // 4 * 4], np.uint8).reshape(-1, 4)
    empty = (sample == 0).mean(axis=0) if len(sample) else np.zeros(4)
    if empty.mean() < EMPTY:
        return None
    return WIDE.get(tuple(np.flatnonzero(empty < empty.max() / 4).tolist()))


def _is_chinese(head: bytes) -> bool:
    """Whether most of its two-byte characters are of GB 2312; letters with accents before others are not."""
    pairs = list(_second_bytes(head[:SAMPLE]))
    return sum(second < COMMON for second in pairs) <= STRANGE * len(pairs)


def _second_bytes(text: bytes) -> Iterator[int]:
    at = 0
    while at < len(text) - 1:
        if text[at] < 0x80:
            at += 1
        else:
            yield text[at + 1]
            at += 2


def _decodes(head: bytes, encoding: str, more: bool) -> bool:
    try:
        codecs.getincrementaldecoder(encoding)().decode(head, final=not more)
    except UnicodeError:
        return False
    return True


class Checked(Passing):
    """A stream of UTF-8 of which every byte is looked at, as readers of JSON do not."""

    def __init__(self, stream: BinaryIO) -> None:
        super().__init__(stream)
        self.decoder = codecs.getincrementaldecoder("utf-8")()

    def look(self, block: bytes) -> None:
        if not (block.isascii() and block) or self.decoder.getstate()[0]:
            self.decoder.decode(block, final=not block)


def broken_line(blocks: Callable[[], Iterator[bytes]], encoding: str) -> int | None:
    """The first line whose bytes are no text, or None."""
    return next(_broken(blocks(), encoding, True), None)


def _broken(blocks: "Iterator[bytes] | list[bytes]", encoding: str, whole: bool) -> Iterator[int]:
    decoder, line = codecs.getincrementaldecoder(encoding)(), 1
    for block in blocks:
        try:
            line += decoder.decode(block).count("\n")
        except UnicodeDecodeError as error:
            yield line + error.object[: error.start].decode(encoding, errors="ignore").count("\n")
            return
    try:
        decoder.decode(b"", final=whole)
    except UnicodeDecodeError:
        yield line
