"""Stage 1, doubts: columns that may be of another kind than their type suggests.

In:  a Table, and the columns whose kind nobody has declared.
Out: Hints, as values; whoever plans for a user tells them, once.
"""

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from suffice.arrays import Array, Codes, is_sparse
from suffice.data.columns import INTEGER, NUMBER, TEXT
from suffice.data.kinds import FEW, come_back
from suffice.data.table import Table
from suffice.data.tallies import LOOKED_AT, whole
from suffice.errors import KindHint, warn
from suffice.words import listed

SEVERAL = 50  # distinct whole numbers that may be codes if they leave no gaps
OFTEN = 5  # times that a code comes back, on average
ROWS = 100  # above which an identifier is told from a measurement
DISTINCT = 0.9  # share of rows with a text of their own that identifiers have
CATEGORIES, FEW_VALUES, CODES, NUMBERED, TEXTS = "categories", "few values", "codes", "numbered", "texts"
SAID = {
    CATEGORIES: "NaiveBayes takes for categories what is of few whole values: {names}. If they are measurements or "
    "counts, say so: kinds={{{first!r}: 'gaussian'}} or 'poisson'.",
    FEW_VALUES: "Modelled as Gaussian, but of few whole values: {names}. If they are categories or counts, say so: "
    "kinds={{{first!r}: 'categorical'}} or 'poisson'.",
    CODES: "Modelled as Gaussian, but of whole values that come back often: {names}. If they are codes or counts, say "
    "so: kinds={{{first!r}: 'categorical'}} or 'poisson'.",
    NUMBERED: "Modelled as Gaussian, but with another whole number in every row, as identifiers have: {names}. If they "
    "are identifiers, say so: kinds={{{first!r}: 'ignore'}}.",
}


@dataclass(frozen=True)
class Hint:
    about: str
    column: str
    text: str = ""  # where a hint is about one column alone


def hints(table: Table, inferred: Sequence[str], tallied: Container[str] = ()) -> tuple[Hint, ...]:
    """What is odd about columns whose kind follows from their type; some are tallied."""
    names = [name for name in inferred if table.type(name) in (INTEGER, NUMBER)]
    if not names or is_sparse(table.matrix):
        return ()
    top, integers = table.numbers(names, slice(0, LOOKED_AT)), [table.type(name) == INTEGER for name in names]
    few = [j for j, name in enumerate(names) if name in tallied and _come_back(top[:, j])]
    if not any(integers) and not few and not np.isnan(top.sum()):  # floats without a missing cell are measurements
        return ()
    looks = [(names[j], CATEGORIES) for j in few]
    looks += [(names[j], look) for j in _whole(top, integers) if j not in few and (look := _look(top[:, j]))]
    looks = [(name, look) for name, look in looks if look != NUMBERED or _numbered(table, name)]
    return tuple(Hint(look, name) for name, look in looks)


def hint_at_texts(table: Table, name: str, levels: int) -> tuple[Hint, ...]:
    """Whether a column of text has another in nearly every row."""
    if table.type(name) != TEXT or table.rows <= ROWS or levels <= DISTINCT * table.rows:
        return ()
    text = f"Column '{name}' has {levels} different texts in {table.rows} rows, which looks like an identifier; "
    return (Hint(TEXTS, name, text + "if it is one, declare it 'ignore'."),)


def tell(found: Iterable[Hint], heard: set[tuple[str, str]]) -> None:
    """Warn of what has not been heard yet: what hints have in common in one sentence."""
    new = [hint for hint in found if (hint.about, hint.column) not in heard]
    heard.update((hint.about, hint.column) for hint in new)
    for about, text in SAID.items():
        names = [hint.column for hint in new if hint.about == about]
        if names:
            warn(text.format(names=listed(names), first=names[0]), KindHint)
    for hint in new:
        if hint.text:
            warn(hint.text, KindHint)


def _whole(cells: Array, integers: Sequence[bool]) -> Codes:
    """Columns of integers, and of floats that would be integers were no cell missing."""
    missing = np.isnan(cells)
    holed = np.flatnonzero(missing.any(axis=0) & ~np.array(integers))
    return np.sort(np.append(np.flatnonzero(integers), holed[whole(cells[:, holed])]))


def _come_back(cells: Array) -> bool:
    known = cells[~np.isnan(cells)]
    return come_back(len(np.unique(known)), len(known))


def _look(cells: Array) -> str | None:
    """What whole numbers look like, other than measurements."""
    values, rows = np.unique(cells[~np.isnan(cells)]), len(cells)
    if rows <= FEW or len(values) < 2:
        return None
    if len(values) <= FEW:
        return FEW_VALUES
    if len(values) * OFTEN <= rows and (len(values) <= SEVERAL or _gaps(values)):
        return CODES
    return NUMBERED if rows > ROWS and len(values) == (~np.isnan(cells)).sum() else None


def _gaps(values: Array) -> bool:
    """Whether they are at most half of those that lie between the first and the last, in steps that they have."""
    steps = np.diff(values)
    every = np.gcd.reduce(steps.astype(np.int64)) if steps.max() < 2.0**62 else 1
    return bool(2 * len(values) <= (values[-1] - values[0]) / every + 1)


def _numbered(table: Table, name: str) -> bool:
    """Whether all rows have a number of their own, and the numbers lie close together."""
    cells = table.numbers([name], slice(0, table.rows))[:, 0]
    cells = cells[~np.isnan(cells)]
    return bool(cells.max() - cells.min() < 2 * len(cells)) and len(np.unique(cells)) == len(cells)
