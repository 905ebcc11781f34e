"""Stage 1, how categories are spelled in files of text: as numbers, as truth values, or as texts that only look so.

In:  the texts of a column.
Out: its spelling. Texts are numbers only if each is what its number prints as, so that no two of them become one.
"""

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from suffice.extras import needed

if TYPE_CHECKING:  # which is imported when it is needed
    import pyarrow as pa

DIGITS = 18  # that every 64-bit integer can have
WHOLE = re.compile(rf"0|-?[1-9][0-9]{{0,{DIGITS - 1}}}")
POINT = re.compile(r"-?(0|[1-9][0-9]*)\.[0-9]+")
TRUTH = {"true": ("true", "false"), "True": ("True", "False"), "TRUE": ("TRUE", "FALSE")}
CODE = rf"^\s*[-+]?(0[0-9]+|[0-9]{{{DIGITS},}})\s*$"  # whole numbers that numbers would not keep as they are


def _is_whole(text: str) -> bool:
    return WHOLE.fullmatch(text) is not None


def _is_point(text: str) -> bool:
    return POINT.fullmatch(text) is not None and repr(float(text)) == text


def _is_fraction(text: str) -> bool:
    return _is_point(text) and not text.endswith(".0")


FITS: dict[str, Callable[[str], bool]] = {  # spellings that are not just text, the plainest first
    "whole": _is_whole,
    "fractions": lambda text: _is_whole(text) or _is_fraction(text),
    "points": _is_point,
    **{name: set(both).__contains__ for name, both in TRUTH.items()},
}
TYPES = {"whole": "int64", "fractions": "float64", "points": "float64"} | dict.fromkeys(TRUTH, "bool")


def spellings(texts: Iterable[str]) -> frozenset[str]:
    """Those that fit every text."""
    known = list(texts)
    return frozenset(name for name, fits in FITS.items() if all(map(fits, known)))


def plainest(fitting: Iterable[frozenset[str]]) -> str | None:
    """The spelling that fits all of several sets of texts, or None where they are just texts."""
    common = frozenset(FITS).intersection(*fitting)
    return next((name for name in FITS if name in common), None)


def odd_text(column: "pa.ChunkedArray | pa.Array", spelling: str) -> str | None:
    """The first text that is spelled otherwise, or None."""
    texts = column.unique().drop_null().to_pylist()
    return next((text for text in texts if not FITS[spelling](text)), None)


def as_spelled(column: "pa.Array", spelling: str) -> "pa.Array":
    """Texts as the numbers, or truth values, that they spell."""
    compute = needed("pyarrow.compute", "arrow", "Reading files of text")
    if spelling in TRUTH:
        return compute.equal(column, TRUTH[spelling][0])
    return column.cast(TYPES[spelling])
