"""What rows hold, in words: "size = 10", or that it is missing.

In:  a Table, and some of its columns. Out: HeldCells, which knows their cells without the table, and says each.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np

from suffice.arrays import Array, Codes, is_sparse
from suffice.data.columns import EMPTY, INTEGER, NUMBER
from suffice.data.frames import Library
from suffice.data.levels import Levels
from suffice.data.table import Table
from suffice.printing.description import Text
from suffice.printing.language import word


@dataclass(frozen=True, eq=False)
class HeldCells:
    """Cells by column: numbers, or codes of levels."""

    numbers: Mapping[str, Array]
    coded: Mapping[str, tuple[Codes, Levels]]
    library: Library | None  # of the table

    @classmethod
    def of(cls, table: Table, names: Iterable[str]) -> Self:
        """Of those of the names that are columns."""
        columns = set(table.names)
        types = {name: table.type(name) for name in names if name in columns}
        numeric = [name for name, kind in types.items() if kind in (NUMBER, INTEGER, EMPTY)]
        encoded = {name: table.encoded(name) for name, kind in types.items() if kind not in (NUMBER, INTEGER, EMPTY)}
        coded = {name: (found.codes, found.levels) for name, found in encoded.items()}
        return cls({name: _column(table, name) for name in numeric}, coded, table.library)

    def label(self, name: str, row: int = 0) -> Text:
        """A cell with the name of its column; the name alone where it is none."""
        if name not in self.numbers and name not in self.coded:
            return name
        value = self._value(name, row)
        return word("{name} = missing", name=name) if value is None else f"{name} = {value}"

    def _value(self, name: str, row: int) -> str | None:
        if name in self.numbers:
            number = float(self.numbers[name][row])
            return None if np.isnan(number) else f"{number:.6g}"
        codes, levels = self.coded[name]
        return str(levels[codes[row]]) if codes[row] >= 0 else None


def _column(table: Table, name: str) -> Array:
    cells = table.numbers([name], slice(0, table.rows))
    return np.asarray(cells.toarray() if is_sparse(cells) else cells)[:, 0]
