"""A Description as a statistician would read it in a terminal.

In:  names and numbers. Out: lines of text, aligned also where names are in Chinese, Japanese or Korean. Names and cells
     of the user's never move the cursor nor end a line.
"""

import unicodedata
from collections.abc import Iterator, Sequence

from suffice.printing.description import Description, Lines, Sheet
from suffice.printing.language import say
from suffice.words import visible

WIDEST = 120  # columns of a terminal, beyond which a table goes on below
LONGEST, LONGEST_STUB = 32, 56  # of a name
MOST_COLUMNS = 12


def as_text(description: Description) -> str:
    title = " · ".join(visible(str(part)) for part in description.title)
    parts = [laid_out(part) if isinstance(part, Sheet) else _sentences(part) for part in description.parts]
    apart = "\n" if len(parts) == 1 else "\n\n"
    return apart.join(piece for piece in (title, *parts) if piece)


def _sentences(sentences: Sequence[object]) -> str:
    return "\n".join(visible(str(line)) for line in sentences)


def laid_out(table: Sheet) -> str:
    """Names of the rows on the left, numbers flush right; what has no room in a line goes on below."""
    stubs, *columns = (Lines([visible(text) for text in texts], right) for texts, right in shown(table))
    return "\n\n".join(_block(stubs, some) for some in _folded(stubs, columns))


def shown(table: Sheet) -> list[Lines]:
    """The columns of a table, names of rows first; very many are not for reading, only counted."""
    stubs, *columns = table.grid()
    rows, many = len(stubs.texts) - 1, len(columns)
    if many > MOST_COLUMNS:
        columns = [*columns[:MOST_COLUMNS], Lines([say("… {n} more", n=many - MOST_COLUMNS), *[""] * rows], True)]
    heads = [Lines([shortened(texts[0]), *texts[1:]], right) for texts, right in columns]
    return [Lines([shortened(text, LONGEST_STUB) for text in stubs.texts], right=False), *heads]


def _folded(stubs: Lines, columns: list[Lines]) -> Iterator[list[Lines]]:
    """Columns that fit beside the names of the rows, the rest after them."""
    room, used, some = WIDEST - _widest(stubs.texts), 0, list[Lines]()
    for column in columns:
        needed = 2 + _widest(column.texts)
        if some and used + needed > room:
            yield some
            used, some = 0, []
        used, some = used + needed, [*some, column]
    yield some


def _block(stubs: Lines, columns: list[Lines]) -> str:
    lines = [padded(stub, _widest(stubs.texts)) for stub in stubs.texts]
    for texts, right in columns:
        wide = _widest(texts)
        lines = [f"{line}  {padded(text, wide, not right)}" for line, text in zip(lines, texts, strict=True)]
    headed = any(texts[0] for texts, _ in (stubs, *columns))
    return "\n".join(line.rstrip() for line in (lines if headed else lines[1:]))


def _widest(texts: Sequence[str]) -> int:
    return max(width(text) for text in texts)


def width(text: str) -> int:
    """Columns of a terminal: wide characters take two, combining ones none."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def padded(text: str, columns: int, left: bool = True) -> str:
    space = " " * (columns - width(text))
    return text + space if left else space + text


def shortened(text: str, most: int = LONGEST) -> str:
    """A name with its middle left out where it is long: names often differ at their ends."""
    if width(text) <= most:
        return text
    half = (most - 1) // 2
    return f"{_fitting(text, most - 1 - half)}…{_fitting(text[::-1], half)[::-1]}"


def _fitting(text: str, columns: int) -> str:
    """As much of the beginning as has room."""
    end = len(text)
    while width(text[:end]) > columns:
        end -= 1
    return text[:end]
