"""Everything in which the SQL of the engines differs.

In:  names, texts and numbers of a model.
Out: Dialect, which writes them so that nothing in them is ever read as SQL; `DIALECTS` has those there are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.errors import NoFormulaError, ParameterError
from suffice.words import listed


@dataclass(frozen=True)
class Dialect:
    name: str
    literal_number: str  # digits as a double: "{}::float8"
    number: str  # a column as doubles, without NaN; NULL where it is no number at all
    no_number: str  # whether a cell is there, and no number, nor a truth value
    level: str  # a column of whole numbers that doubles cannot tell apart, without NaN
    truth: str  # a column of truth values
    text: str  # a column as text that is compared letter by letter
    no_text: str  # whether a cell is there, and a number, a truth value, or a time
    infinity: str  # a literal that a sign may stand before
    greatest: str  # of several numbers
    least: str
    fence: str = ""  # after a layer: what keeps it from being worked out again for each use
    lgamma: bool = False  # whether there is such a function
    strict: bool = False  # whether numbers too large or too small for a double are an error
    ignores_case: bool = False  # of names
    longest_name: int | None = None  # in bytes; the rest is cut off
    most_columns: int | None = None  # of a layer
    backslashes: bool = False  # whether a backslash in a text may be read as the start of something else

    # names and values

    def quoted(self, name: str) -> str:
        """A name of the user's own."""
        if not name or "\0" in name:
            raise ParameterError(f"A name in SQL must not be empty or contain NUL; found {name!r}.")
        return '"' + name.replace('"', '""') + '"'

    def literal(self, value: Any) -> str:
        """A level or a class."""
        if isinstance(value, bool):
            return "TRUE" if value else "FALSE"
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, int):
            return str(value) if value >= 0 else f"({value})"
        if isinstance(value, float):
            return self.double_literal(value)
        raise NoFormulaError(
            f"Values in SQL must be text, numbers or booleans; found {value!r} of type {type(value).__name__}. Turn "
            "the column, or the labels, into text before fitting."
        )

    def _text(self, value: str) -> str:
        if "\0" in value:
            raise NoFormulaError(f"Text that contains NUL cannot be written in SQL; found {value!r}. Remove the NUL.")
        if self.backslashes and "\\" in value:
            value = value.replace("\\", "\\\\")
            return "E'" + value.replace("'", "''") + "'"
        return "'" + value.replace("'", "''") + "'"

    def double_literal(self, value: float) -> str:
        """To the last digit, and never read as a decimal number."""
        if np.isinf(value):
            return self.infinity if value > 0 else f"(-{self.infinity})"
        digits = repr(abs(float(value)))
        written = self.literal_number.format(digits if "e" in digits else digits + "e0")
        return written if value >= 0 else f"(-{written})"

    # what names the engine cannot tell apart

    def known_as(self, name: str) -> str:
        """What the engine takes a name for: the same for names that it does not tell apart."""
        cut = name.encode(errors=BYTES)[: self.longest_name].decode(errors=BYTES)
        return cut.translate(TO_LOWER) if self.ignores_case else cut

    def shortened(self, name: str) -> str:
        """A name of ours that is not cut off, with a few letters to spare."""
        if self.longest_name is None or len(name.encode(errors=BYTES)) <= self.longest_name - SPARE:
            return name
        return name.encode(errors=BYTES)[: self.longest_name - SPARE].decode(errors="ignore")

    def refuse_alike(self, names: Sequence[str]) -> None:
        """Columns of the table that the engine would take for one."""
        known: dict[str, str] = {}
        for name in names:
            other = known.setdefault(self.known_as(name), name)
            if other != name:
                raise ParameterError(
                    f"{self.name} treats {listed([other, name])} as the same name, so a table there cannot have both "
                    "columns. Rename one of them before fitting."
                )


BYTES = "surrogateescape"  # names that are no UTF-8 are told apart by their bytes
SPARE = 16  # bytes of a name, for what tells it from others
TO_LOWER = {ord(letter): ord(letter) + 32 for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}

IN_DUCKDB = "(U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|FLOAT|DOUBLE|BIGNUM|VARINT|DECIMAL.*|BOOLEAN"  # types of numbers
IN_POSTGRES = "'smallint', 'integer', 'bigint', 'numeric', 'real', 'double precision', 'boolean'"
TEXT_IN_POSTGRES = "'text', 'character varying', 'character', 'name', 'citext', 'bytea', 'uuid', 'json', 'jsonb'"
TIMES_IN_POSTGRES = (
    "'date', 'interval', 'time without time zone', 'timestamp without time zone', 'timestamp with time zone'"
)

DUCKDB = Dialect(
    name="duckdb",
    literal_number="{}",
    number="nullif(TRY_CAST({0} AS DOUBLE), 'nan'::DOUBLE)",
    no_number=f"({{0}} IS NOT NULL AND NOT regexp_full_match(typeof({{0}}), '{IN_DUCKDB})'))",
    level="CASE WHEN isnan(TRY_CAST({0} AS DOUBLE)) OR typeof({0}) = 'VARCHAR' THEN NULL ELSE {0} END",
    truth="TRY_CAST({0} AS DOUBLE)",
    text="CAST({0} AS VARCHAR) COLLATE C",
    no_text=f"({{0}} IS NOT NULL AND regexp_full_match(typeof({{0}}), '{IN_DUCKDB}|DATE|TIME.*|INTERVAL)'))",
    infinity="'inf'::DOUBLE",
    greatest="greatest",
    least="least",
    lgamma=True,
    ignores_case=True,
)
POSTGRES = Dialect(
    name="postgres",
    literal_number="{}::float8",
    number=f"CASE WHEN pg_typeof({{0}})::text NOT IN ({TEXT_IN_POSTGRES}) "
    "THEN nullif(CAST({0} AS float8), 'NaN'::float8) END",
    no_number=f"({{0}} IS NOT NULL AND pg_typeof({{0}})::text IN ({TEXT_IN_POSTGRES}))",
    level="CASE WHEN CAST({0} AS float8) = 'NaN'::float8 THEN NULL ELSE {0} END",
    truth=f"CASE WHEN pg_typeof({{0}})::text NOT IN ({TEXT_IN_POSTGRES}) THEN CAST({{0}} AS boolean) END",
    text='CAST({0} AS text) COLLATE "C"',
    no_text=f"({{0}} IS NOT NULL AND pg_typeof({{0}})::text IN ({IN_POSTGRES}, {TIMES_IN_POSTGRES}))",
    infinity="'Infinity'::float8",
    greatest="greatest",
    least="least",
    fence="OFFSET 0",
    strict=True,
    longest_name=63,
    most_columns=1664,
    backslashes=True,
)
SQLITE = Dialect(
    name="sqlite",
    literal_number="{}",
    number="CASE WHEN typeof({0}) IN ('integer', 'real') THEN CAST({0} AS REAL) END",
    no_number="typeof({0}) IN ('text', 'blob')",
    level="{0}",
    truth="{0}",
    text="CAST({0} AS TEXT) COLLATE BINARY",
    no_text="typeof({0}) IN ('integer', 'real')",
    infinity="9e999",
    greatest="max",
    least="min",
    fence="LIMIT -1 OFFSET 0",
    ignores_case=True,
    most_columns=2000,
)
DIALECTS = {dialect.name: dialect for dialect in (DUCKDB, POSTGRES, SQLITE)}
