"""Stage 1, streams that are looked at as they pass: one is read once, block by block, by whoever parses it.

In:  a stream of bytes. Out: the same blocks, each of which has been looked at.
"""

from abc import ABC, abstractmethod
from typing import BinaryIO


class Passing(ABC):
    """A stream whose blocks are looked at before they are handed on."""

    def __init__(self, stream: BinaryIO) -> None:
        self.stream, self.closed = stream, False

    @abstractmethod
    def look(self, block: bytes) -> None:
        """Look at the next block, which is empty at the end."""

    def read(self, size: int = -1) -> bytes:
        block = self.stream.read(size)
        self.look(block)
        return block

    def close(self) -> None:
        self.closed = True
        self.stream.close()

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return False

    def seekable(self) -> bool:
        return False
