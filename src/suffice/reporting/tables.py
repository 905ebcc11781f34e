"""Tables by title: a dict of frames for those who go on computing, and a print of all of them.

In:  headings and numbers of each table, the names of its rows, and what those are. Out: PrintedTables.
"""

from typing import Any

from suffice.arrays import Values
from suffice.data.frames import Library, columns_out
from suffice.families.protocol import Tables
from suffice.printing.description import Description, Series, Sheet
from suffice.printing.printed import Printed
from suffice.words import free


class PrintedTables(Printed, dict[str, Any]):
    """Frames in the user's library, or dicts of arrays, by title."""

    def __init__(self, tables: Tables, names: Values, noun: str, library: Library | None) -> None:
        rows = {title: {free(noun, table.__contains__): names, **table} for title, table in tables.items()}
        super().__init__({title: columns_out(library, columns) for title, columns in rows.items()})
        self._sheets = [
            Sheet(title, names.tolist(), [Series(*entry) for entry in table.items()]) for title, table in tables.items()
        ]

    def description(self) -> Description:
        return Description((), self._sheets)

    def table(self) -> Any:
        """The first of them."""
        return next(iter(self.values()))
