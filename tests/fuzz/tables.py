"""Tables as hypothesis draws them: plain columns first, then the same rows in the clothes of any library.

Out: Case, plain rows with their classes and weights, and the columns as the oracle knows them; `dressed` turns rows
     into a table that the library takes, `labels_in` and `weights_in` do the same for classes and weights.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import strategies as st

from fuzz.forms import LIBRARIES, Form, forms_of, truth_values
from fuzz.oracle import Column, Rows

SCRIPTS = [
    "",
    " ",
    "a",
    "A",
    "b",
    "nan",
    "None",
    "NA",
    "0",
    "1",
    "True",
    "青绿",
    "乌黑",
    "ة",
    "é",
    "e\u0301",
    "ß",
    "İ",
    "🍉",
]
texts = st.sampled_from(SCRIPTS) | st.text(st.characters(exclude_categories=["Cs"]), max_size=3)
eighths = st.integers(-80, 80).map(lambda k: k / 8)
LARGE = [2**53, 2**53 + 1, 2**60 + 1, -(2**53) - 1]
CELLS = {  # kind, type → cells
    ("gaussian", "number"): eighths,
    ("gaussian", "whole"): st.integers(-9, 9),
    ("log-gaussian", "number"): st.integers(1, 80).map(lambda k: k / 8),
    ("exponential", "number"): st.integers(0, 80).map(lambda k: k / 8),
    ("poisson", "whole"): st.integers(0, 9),
    ("binary", "whole"): st.integers(0, 1),
    ("binary", "boolean"): st.booleans(),
    ("binomial", "whole"): st.integers(0, 4),
    ("categorical", "text"): texts,
    ("categorical", "whole"): st.integers(-2, 2) | st.sampled_from(LARGE),
    ("categorical", "number"): st.sampled_from([-0.5, 0.0, 0.125, 2.0]),
    ("categorical", "boolean"): st.booleans(),
}
TRIALS = 4
NATURAL = {("gaussian", "number"), ("gaussian", "whole"), ("categorical", "text"), ("categorical", "boolean")}


@dataclass(frozen=True)
class Plain:
    """A column before it is dressed."""

    name: str
    kind: str
    type: str
    cells: tuple[Any, ...]

    @property
    def declaration(self) -> Any:
        return ("binomial", TRIALS) if self.kind == "binomial" else self.kind

    def modelled(self, declared: tuple[Any, ...] = ()) -> Column:
        kinds = {"binary": "binomial"}
        trials = TRIALS if self.kind == "binomial" else 1
        return Column(kinds.get(self.kind, self.kind), (self.name,), trials, declared)


@dataclass(frozen=True)
class Case:
    columns: tuple[Plain, ...]
    labels: tuple[Any, ...]
    weights: tuple[float, ...]

    @property
    def cells(self) -> list[dict[str, Any]]:
        return [{c.name: c.cells[i] for c in self.columns} for i in range(len(self.labels))]

    @property
    def rows(self) -> Rows:
        return Rows.of(self.cells, self.labels, self.weights)

    def take(self, rows: Any) -> "Case":
        columns = tuple(replace(c, cells=tuple(c.cells[i] for i in rows)) for c in self.columns)
        return Case(columns, *(tuple(part[i] for i in rows) for part in (self.labels, self.weights)))


@dataclass(frozen=True)
class Dressed:
    """A table as a user has it, with what its types declare and what its columns are called."""

    X: Any
    declared: dict[str, tuple[Any, ...]]
    names: tuple[str, ...]  # as the library calls them
    how: str

    def __repr__(self) -> str:
        return f"{self.how}:\n{self.X!r}"


LABELS = {
    "text": st.lists(texts, min_size=1, max_size=3, unique=True),
    "whole": st.lists(st.integers(-2, 3) | st.sampled_from([2**53, 2**53 + 1]), min_size=1, max_size=3, unique=True),
    "boolean": st.just([False, True]),
}
types_of_labels = st.sampled_from(list(LABELS))
weights_of_rows = st.sampled_from([0.0, 0.25, 1.0, 1.0, 2.0, 3.5])


@st.composite
def plain_columns(draw: Any, rows: int, kinds: Any, most: int = 4, holes: bool = True) -> tuple[Plain, ...]:
    names = draw(st.lists(texts, min_size=1, max_size=most, unique=True))
    return tuple(draw(plain_column(name, rows, kinds, holes)) for name in names)


@st.composite
def plain_column(draw: Any, name: str, rows: int, kinds: Any, holes: bool = True) -> Plain:
    kind, type = draw(st.sampled_from(kinds))
    cell = CELLS[kind, type]
    if holes and draw(st.booleans()):
        cell = cell | st.none()
    return Plain(name, kind, type, tuple(draw(st.lists(cell, min_size=rows, max_size=rows))))


@st.composite
def cases(draw: Any, kinds: Any = tuple(CELLS), most: int = 4, holes: bool = True, least: int = 1) -> Case:
    rows = draw(st.integers(least, 14))
    columns = draw(plain_columns(rows, kinds, most, holes))
    classes = draw(types_of_labels.flatmap(LABELS.__getitem__))
    labels = tuple(draw(st.lists(st.sampled_from(classes), min_size=rows, max_size=rows)))
    plain = st.just([1.0] * rows)
    weights = draw(plain | st.lists(weights_of_rows, min_size=rows, max_size=rows).filter(any))
    return Case(columns, labels, tuple(weights))


@st.composite
def dressed(draw: Any, columns: tuple[Plain, ...]) -> Dressed:
    """The same rows in some library; each column in one of its types. In arrays columns have no names."""
    numbers = all(c.type in ("number", "whole") for c in columns)
    library = draw(st.sampled_from(["dict", *LIBRARIES[1:], "objects", *(["matrix"] * 2 if numbers else [])]))
    if library == "matrix":
        return draw(matrices(columns))
    if library == "objects":
        X = np.empty((len(columns[0].cells), len(columns)), dtype=object)
        for j, c in enumerate(columns):
            X[:, j] = c.cells
        declared = {c.name: truth_values(c.cells) for c in columns if c.type == "boolean"}
        rows = not declared and draw(st.booleans())  # of lists NumPy makes truth values numbers, beside numbers
        return Dressed(X.tolist() if rows else X, declared, _numbered(columns), "rows" if rows else "objects")
    return draw(dressed_by_name(columns, library))


@st.composite
def dressed_by_name(draw: Any, columns: tuple[Plain, ...], library: str = "") -> Dressed:
    library = library or draw(st.sampled_from(["dict", *LIBRARIES[1:]]))
    forms = [draw(forms_for(c, None if library == "dict" else library)) for c in columns]
    made = {c.name: form(list(c.cells)) for c, form in zip(columns, forms, strict=True)}
    declared = {c.name: form.levels(list(c.cells)) for c, form in zip(columns, forms, strict=True)}
    return Dressed(_table(draw, library, made), declared, tuple(made), f"{library} of {forms}")


def forms_for(column: Plain, library: str | None) -> st.SearchStrategy[Form]:
    return st.sampled_from(forms_of(list(column.cells), column.type, column.kind == "categorical", library))


@st.composite
def matrices(draw: Any, columns: tuple[Plain, ...]) -> Dressed:
    """Numbers in one array."""
    cells = np.array([[np.nan if cell is None else cell for cell in c.cells] for c in columns], dtype=object).T
    large = any(cell is not None and abs(cell) > 2**53 for c in columns for cell in c.cells)
    whole = all(c.type == "whole" and None not in c.cells for c in columns)
    kinds = ([] if large else MATRICES) + (MATRICES_OF_INTEGERS if whole else [])
    if not kinds:
        return draw(dressed(columns))
    name, make = draw(st.sampled_from(kinds))
    return Dressed(make(cells), {}, _numbered(columns), f"matrix, {name}")


MATRICES = [
    ("float64", lambda x: x.astype(float)),
    ("float32", lambda x: x.astype(np.float32)),
    ("by columns", lambda x: np.asfortranarray(x.astype(float))),
    ("big-endian", lambda x: x.astype(">f8")),
    ("every other row", lambda x: np.repeat(x.astype(float), 2, axis=0)[::2]),
    ("backwards", lambda x: x[::-1, ::-1].astype(float)[::-1, ::-1]),
    ("masked", lambda x: np.ma.masked_invalid(x.astype(float))),
    ("read only", lambda x: _read_only(x.astype(float))),
    ("lists", lambda x: x.astype(float).tolist()),
]
MATRICES_OF_INTEGERS = [
    ("int64", lambda x: x.astype(np.int64)),
    ("int64 by columns", lambda x: np.asfortranarray(x.astype(np.int64))),
    ("masked integers", lambda x: np.ma.masked_array(x.astype(np.int64), np.zeros(x.shape, bool))),
    ("lists of integers", lambda x: x.tolist()),
]


def _read_only(values: Any) -> Any:
    values.flags.writeable = False
    return values


def _numbered(columns: tuple[Plain, ...]) -> tuple[str, ...]:
    return tuple(f"x{j}" for j in range(len(columns)))


def _table(draw: Any, library: str, columns: dict[str, Any]) -> Any:
    if library == "pandas":
        rows = len(next(iter(columns.values())))
        frame = pd.DataFrame(columns)
        frame.index = draw(st.sampled_from([range(rows), range(rows)[::-1], [7] * rows]))
        return frame
    if library == "polars":
        return pl.DataFrame(columns)
    if library == "pyarrow":
        table = pa.table(columns)
        return draw(st.sampled_from([table, *table.combine_chunks().to_batches()[:1]])) if table.num_rows else table
    return columns


@st.composite
def labels_in(draw: Any, labels: tuple[Any, ...]) -> Any:
    """Classes, None where not known, as any column of them could be."""
    kind = type_of(labels)
    form = draw(st.sampled_from([f for f in forms_of(list(labels), kind, categories=True) if f.name != "Fraction"]))
    return form(list(labels))


def type_of(labels: tuple[Any, ...]) -> str:
    first = next(label for label in labels if label is not None)
    return {str: "text", bool: "boolean"}.get(type(first), "whole")


@st.composite
def weights_in(draw: Any, weights: tuple[float, ...]) -> Any:
    if set(weights) == {1.0} and draw(st.booleans()):
        return None
    made = [list, np.array, tuple, pd.Series, lambda w: pl.Series(list(w)), lambda w: pa.array(list(w))]
    made += [
        lambda w: np.array(w, np.float32),
        lambda w: np.ma.masked_array(list(w)),
        lambda w: pd.Series(w, range(9, 9 + len(w)), "Float64"),
    ]
    return draw(st.sampled_from(made))(weights)
