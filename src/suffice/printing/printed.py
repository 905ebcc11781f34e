"""What everything that prints can do: text in a terminal, HTML in a notebook, a frame, names and numbers.

In:  something that describes itself. Out: its faces.
"""

from abc import ABC, abstractmethod
from typing import Any

from suffice.data.frames import Library
from suffice.printing.description import Description
from suffice.printing.html import as_html
from suffice.printing.text import as_text


class Printed(ABC):
    """Something whose description is all that is ever shown of it."""

    @abstractmethod
    def description(self) -> Description:
        """What it says, as names and numbers: `plain()` gives data for JSON, and each of `tables` has a `frame()`."""

    def _frames(self) -> Library | None:
        """The frame library of the user's table, where it is known."""
        return None

    def table(self) -> Any:
        """The table that it prints, in the frame library of your table, or as a dict of arrays."""
        return self.description().tables[0].frame(self._frames())

    def __repr__(self) -> str:
        return as_text(self.description())

    def __str__(self) -> str:
        return repr(self)

    def _repr_html_(self) -> str:
        return as_html(self.description())
