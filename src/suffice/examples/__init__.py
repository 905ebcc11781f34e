"""Stage 7, something to try things on: bundled tables, read without any data frame library."""

import csv
from importlib.resources import files
from typing import Any

import numpy as np

from suffice.errors import ParameterError

TARGETS = {"watermelon": "好瓜", "penguins": "species"}
MISSING = ("", "NA")


def example(name: str) -> tuple[dict[str, Any], Any]:
    """A bundled table as a dict of columns, and its labels; its `name` is "watermelon" or "penguins".

    Raises
    ------
    ParameterError
        If there is no such table.

    >>> columns, labels = example("watermelon")
    >>> labels[0], columns["根蒂"][0], float(columns["密度"][0])
    ('是', '蜷缩', 0.697)

    """
    if not isinstance(name, str) or name not in TARGETS:
        raise ParameterError(f"There is no example {name!r}; the examples are {', '.join(map(repr, TARGETS))}.")
    text = files("suffice.examples").joinpath(f"{name}.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(text.splitlines()))
    columns = {column: _column([row[column] for row in rows]) for column in rows[0]}
    return columns, columns.pop(TARGETS[name])


def _column(cells: list[str]) -> Any:
    """Whole numbers where all cells are such, else numbers, else text."""
    for read, missing in ((int, None), (float, np.nan)):
        try:
            found = np.array([missing if cell in MISSING else read(cell) for cell in cells])
        except ValueError:
            continue
        if found.dtype != object:  # whole numbers of which some are missing are floats
            return found
    return [None if cell in MISSING else cell for cell in cells]
