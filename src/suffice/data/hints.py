"""Stage 1, what cells say of columns whose kind nobody has declared: which have few values, and which look odd.

In:  a Table, and those columns.
Out: the values of columns of few whole numbers, which are counted by value because what they are is open until all rows
     are in; it is the cells that count, not their type, as integers turn into floats as soon as a cell is missing. And
     Hints, doubts about kinds, as values; whoever plans for a user tells them, once.
"""

import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from suffice.arrays import Array, Values, is_sparse
from suffice.data.columns import EMPTY, INTEGER, NUMBER, TEXT
from suffice.data.kinds import FEW, come_back
from suffice.data.levels import Levels, as_float
from suffice.data.table import Table
from suffice.errors import KindHint, warn
from suffice.threads import over_rows
from suffice.words import listed

LOOKED_AT = 1000  # rows, the first ones: measurements give themselves away there
TOGETHER = 32  # rows
EXACT = 2.0**53  # below which floats have every whole number
SEVERAL = 50  # distinct whole numbers that may be codes if they leave no gaps
OFTEN = 5  # times that a code comes back, on average
ROWS = 100  # above which an identifier is told from a measurement
BY_CHANCE = 7.0  # pairs of equal numbers to be expected, of which none may be met by chance
DISTINCT = 0.9  # share of rows with a text of their own that identifiers have
CATEGORIES, FEW_VALUES, CODES, NUMBERED, TEXTS = "categories", "few values", "codes", "numbered", "texts"
SAID = {
    CATEGORIES: (
        "These columns are modelled as categories, because they hold few different whole numbers: {names}. If they "
        "are measurements or counts, say so: kinds={{{first!r}: 'gaussian'}} or 'poisson'."
    ),
    FEW_VALUES: (
        "These columns are modelled as Gaussian, but hold few different whole numbers: {names}. If they are "
        "categories or counts, say so: kinds={{{first!r}: 'categorical'}} or 'poisson'."
    ),
    CODES: (
        "These columns are modelled as Gaussian, but hold whole numbers that repeat often: {names}. If they are codes "
        "or counts, say so: kinds={{{first!r}: 'categorical'}} or 'poisson'."
    ),
    NUMBERED: (
        "These columns are modelled as measurements, but hold a different whole number in every row, as identifiers "
        "do: {names}. If they are identifiers, say so: kinds={{{first!r}: 'ignore'}}."
    ),
}


WHOLE = re.compile(r"[-+]?[0-9]+")
LIKE_NUMBERS = (  # texts, and what to say of a column in which all are so
    (
        re.compile(r"-?[0-9]+,[0-9]+"),
        "Column '{name}' holds texts such as {first!r}, which look like numbers with decimal commas, and is modelled "
        "as categories. If they are numbers, write them with points: 1.5.",
    ),
    (
        re.compile(r"[-+]?(0[0-9]+|[0-9]{18,})"),
        "Column '{name}' holds whole numbers as text, such as {first!r}, and is modelled as categories, as zip codes "
        "are. Files of text are read so where a number begins with 0 or has 18 digits or more. If they are "
        "numbers, say so: kinds={{'{name}': 'gaussian'}}; if they are identifiers: 'ignore'.",
    ),
)


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
    top = table.numbers(names, slice(0, LOOKED_AT))
    few = [j for j, name in enumerate(names) if name in tallied and _come_back(top[:, j])]
    looks = [(names[j], CATEGORIES) for j in few]
    looks += [(names[j], look) for j in np.flatnonzero(whole(top)) if j not in few and (look := _look(top[:, j]))]
    looks = [(name, look) for name, look in looks if look != NUMBERED or _numbered(table, name)]
    return tuple(Hint(look, name) for name, look in looks)


def numbered(table: Table, names: Sequence[str]) -> tuple[Hint, ...]:
    """Which columns of whole numbers number the rows: what is odd for whoever takes all numbers as they are."""
    return tuple(hint for hint in hints(table, names) if hint.about == NUMBERED)


def hint_at_texts(table: Table, name: str, levels: Levels) -> tuple[Hint, ...]:
    """Whether a column of text has another in nearly every row, or its texts look like numbers."""
    if table.type(name) != TEXT or not levels:
        return ()
    if table.rows > ROWS and len(levels) > DISTINCT * table.rows:
        text = (
            f"Column '{name}' has {len(levels)} different texts in {table.rows} rows, which looks like an identifier; "
        )
        return (Hint(TEXTS, name, text + "if it is one, declare it 'ignore'."),)
    found = _like_numbers(list(map(str, levels)))
    return () if found is None else (Hint(TEXTS, name, found[1].format(name=name, first=found[0])),)


def _like_numbers(texts: list[str]) -> tuple[str, str] | None:
    """A text, and what to say, where all look like numbers and some like no number that a file would be read as."""
    whole = all(map(WHOLE.fullmatch, texts))
    for form, said in LIKE_NUMBERS:
        fitting = [text for text in texts if form.fullmatch(text)]
        if fitting and (whole or len(fitting) == len(texts)):
            return fitting[0], said
    return None


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
    alone = len(values) == (~np.isnan(cells)).sum()
    return NUMBERED if alone and (rows > ROWS or _counts_up(cells)) else None


def _counts_up(cells: Array) -> bool:
    """Whether each row has the number after that of the row before, from 0 or 1 on."""
    return bool(cells[0] in (0, 1) and (np.diff(cells) == 1).all())


def _gaps(values: Array) -> bool:
    """Whether they are at most half of those that lie between the first and the last, in steps that they have."""
    steps = np.diff(values)
    every = np.gcd.reduce(steps.astype(np.int64)) if steps.max() < 2.0**62 else 1
    return bool(2 * len(values) <= (values[-1] - values[0]) / every + 1)


def _numbered(table: Table, name: str) -> bool:
    """Whether all rows have a number of their own, where measurements as close together would hardly all differ."""
    cells = table.numbers([name], slice(0, table.rows))[:, 0]
    cells = cells[~np.isnan(cells)]
    rows, width = len(cells), cells.max() - cells.min()
    by_chance = width > 0 and rows**2 / (2 * width) < BY_CHANCE
    return not (by_chance and width >= 2 * rows) and len(np.unique(cells)) == rows


# whole numbers of few values


def few_values(table: Table, names: Sequence[str]) -> dict[str, Levels]:
    """The values of columns of whole numbers that have few, or may have: some of an array may not be met."""
    numbers = [name for name in names if table.type(name) in (INTEGER, NUMBER)]
    if is_sparse(table.matrix):
        return {}
    none: dict[str, Levels] = {name: () for name in names if table.type(name) == EMPTY}
    likely = _likely(table, numbers)
    near = _near(table, likely) if table.matrix is not None and likely else {}
    found = {name: near.get(name) or _values(table, name) for name in likely}
    return none | {name: levels for name, levels in found.items() if levels is not None}


def _likely(table: Table, names: Sequence[str]) -> list[str]:
    """Those whose first cells are whole, and few."""
    if not names:
        return []
    top = table.numbers(names, slice(0, LOOKED_AT))
    return [
        name for name, fits, cells in zip(names, whole(top), top.T, strict=True) if fits and _distinct(cells) <= FEW
    ]


def whole(cells: Array) -> NDArray[np.bool_]:
    """Which columns have whole numbers, and missing cells, only."""  # (n, D) → (D,)
    return np.asarray(((cells == np.rint(cells)) | np.isnan(cells)).all(axis=0))


def _near(table: Table, names: Sequence[str]) -> dict[str, Levels]:
    """All whole numbers between the first and the last of a column of an array, where that is not far."""
    where = table.positions(names)
    first, last = (ends[where] for ends in table.ranges) if table.narrow else _ends(table, names)
    near = (last < first + 2 * FEW) & (np.abs(first) < EXACT)  # false where both are infinite
    places = zip(names, first, last, near, strict=True)
    return {name: tuple(range(int(low), int(high) + 1)) for name, low, high, fits in places if fits}


def _ends(table: Table, names: Sequence[str]) -> tuple[Array, Array]:
    """The least and the largest cell of each column; −∞ where some are not whole."""
    found = over_rows(
        lambda blocks: [_ends_of(table.numbers(names, rows)) for rows in blocks], table.rows, len(table.names)
    )
    lowest, highest = zip(*(pair for share in found for pair in share), strict=True)
    return np.fmin.reduce(lowest), np.fmax.reduce(highest)


def _ends_of(cells: Array) -> tuple[Array, Array]:
    with np.errstate(invalid="ignore"):  # of cells that are missing, or too large, which differ then
        small = cells.astype(np.int8)
    if (small == cells).all():  # a byte for each is soon looked through
        return _along(np.minimum, small), _along(np.maximum, small)
    return np.where(whole(cells), _along(np.fmin, cells), -np.inf), _along(np.fmax, cells)


def _along(pick: np.ufunc, cells: Values) -> Array:
    """Down the columns, several rows at a time."""
    rows, columns = cells.shape
    wide = cells[: rows - rows % TOGETHER].reshape(-1, TOGETHER * columns)
    found = [pick.reduce(wide).reshape(TOGETHER, columns)] if len(wide) else []
    return np.asarray(pick.reduce(np.concatenate([*found, cells[rows - rows % TOGETHER :]])), dtype=float)


def _distinct(cells: Array) -> int:
    return len(np.unique(cells[~np.isnan(cells)]))


def _values(table: Table, name: str) -> Levels | None:
    """Those that floats cannot tell apart are left to be refused, or not, as numbers."""
    if table.type(name) == NUMBER and not whole(table.numbers([name], slice(0, table.rows))).all():
        return None
    levels = table.encoded(name).levels
    return levels if len(levels) <= FEW and all(abs(as_float(level)) < EXACT for level in levels) else None
