"""What something says, as names and numbers; text, HTML, frames and JSON all follow from this, and compute nothing.

In:  words of ours (Word), names of the user (plain), and arrays.
Out: Description: a title, then tables and sentences.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from suffice.arrays import Array, Codes, Values
from suffice.data.frames import Library, columns_out
from suffice.data.levels import Level, array_of
from suffice.json_text import finite
from suffice.printing.language import Word, say, word
from suffice.printing.numbers import Format, beside, quantity, with_spread
from suffice.words import free

Text = Word | str  # to be said in the language in use, or the user's own
Name = Text | Level
MOST_ROWS, LAST = 20, 5  # of a table that are shown, and how many of those are its last
SIZES = {
    "row": "{n} row|{n} rows",
    "class": "{n} class|{n} classes",
    "component": "{n} component|{n} components",
    "column": "{n} column|{n} columns",
}


@dataclass(frozen=True, eq=False)
class Series:
    """Numbers of one quantity, which share a format; or names, or words."""

    heading: Name
    values: Array | Sequence[Any]  # numbers; or words of ours and cells of the user's
    form: Format = quantity
    spread: Array | None = None  # written after ±
    name: str | None = None  # in frames; the heading in English unless given
    spread_name: str | None = None

    @property
    def numeric(self) -> bool:
        return isinstance(self.values, np.ndarray) and self.values.dtype.kind in "biuf"

    def texts(self, some: Codes) -> list[str]:
        """Of some of the things."""
        if not self.numeric:
            return [str(self.values[i]) for i in some]
        numbers = np.asarray(self.values, dtype=float)[some]
        if self.spread is None:
            return self.form(numbers)
        form = with_spread if self.form is quantity else partial(beside, form=self.form)
        return form(numbers, self.spread[some])

    def columns(self) -> Iterator[tuple[str, Values]]:
        """Of a frame, with names that are the same in every language."""
        name = self.name or english(self.heading)
        yield name, np.asarray(self.values) if self.numeric else array_of([in_english(v) for v in self.values])
        if self.spread is not None:
            yield self.spread_name or f"{name} se", self.spread


class Lines(NamedTuple):
    """A column of texts, as it is shown."""

    texts: list[str]
    right: bool  # whether they stand flush right, as numbers do


@dataclass(frozen=True, eq=False)
class Sheet:
    """Series over the same things, side by side; one below the other where it is `turned`."""

    corner: Text  # what the things are
    stubs: Sequence[Name]
    series: Sequence[Series]
    turned: bool = False
    keys: Sequence[Name] | None = None  # the things in frames, where the stubs are drawn
    most: int = MOST_ROWS

    @property
    def shown(self) -> Codes:
        """Which of the things are shown: of very many the first and the last."""
        many = len(self.stubs)
        if self.turned or many <= self.most:
            return np.arange(many)
        return np.concatenate([np.arange(self.most - LAST), np.arange(many - LAST, many)])

    def grid(self) -> list[Lines]:
        """The texts of each column, below its heading; the names of the rows are the first."""
        some = self.shown
        stubs = Lines([str(self.corner), *(str(self.stubs[i]) for i in some)], right=False)
        columns = [Lines([str(series.heading), *series.texts(some)], series.numeric) for series in self.series]
        if len(some) < len(self.stubs):
            stubs.texts.insert(-LAST, say("… {n} more", n=len(self.stubs) - len(some)))
            for column in columns:
                column.texts.insert(-LAST, "")
        if not self.turned:
            return [stubs, *columns]
        heads, *rows = zip(stubs.texts, *(column.texts for column in columns), strict=True)
        right = all(column.right for column in columns)
        return [Lines(list(heads), right=False), *(Lines(list(row), right) for row in rows)]

    def columns(self) -> dict[str, Values]:
        out: dict[str, Values] = {english(self.corner): array_of([in_english(key) for key in self.keys or self.stubs])}
        for series in self.series:
            for name, values in series.columns():
                out[free(name, out.__contains__)] = values
        return out

    def frame(self, library: Library | None = None) -> Any:
        """In a frame library, or as a dict of arrays; the things are down, whichever way it prints."""
        return columns_out(library, self.columns())

    def plain(self) -> dict[str, list[Any]]:
        return {name: [_plain(value) for value in values] for name, values in self.columns().items()}


@dataclass(frozen=True, eq=False)
class Description:
    title: Sequence[Text]
    parts: Sequence[Sheet | Sequence[Text]] = ()  # tables, and sentences that stand together
    behind: Sequence[Sheet] = ()  # numbers of what sentences say, or of more than is shown

    @property
    def tables(self) -> list[Sheet]:
        return [*(part for part in self.parts if isinstance(part, Sheet)), *self.behind]

    def plain(self) -> dict[str, Any]:
        """Names and numbers for JSON, the same in every language."""
        sentences = [english(line) for part in self.parts if not isinstance(part, Sheet) for line in part]
        tables = [table.plain() for table in self.tables]
        return {"title": [english(part) for part in self.title], "tables": tables, "sentences": sentences}


def sizes(many: Mapping[str, float]) -> list[Text]:
    """So many rows, classes, components, columns."""
    return [Word(SIZES[noun], {"n": number}) for noun, number in many.items()]


def english(name: Name) -> str:
    return name.english if isinstance(name, Word) else str(name)


def in_english(name: Name) -> Level:
    """A cell of a frame: the user's own as it is."""
    return name.english if isinstance(name, Word) else name


def facts(named: Mapping[Text, float], form: Format = quantity, corner: Text = "") -> Sheet:
    """A number for each name."""
    numbers = np.array(list(named.values()), dtype=float)
    return Sheet(corner, list(named), [Series(word("value") if corner else "", numbers, form, name="value")])


def _plain(value: Any) -> Any:
    return finite(value.item() if isinstance(value, np.generic) else value)
