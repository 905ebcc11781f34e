"""The clothes of a column: the same cells in every type of every library that the door takes.

A form makes a column of plain cells (None where missing). `holes` says whether it can have missing cells, `fits` which
cells it can hold, `declares` whether its type says which levels there are: then it is given one that no row has.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

UNTYPED = ("list", "objects", "NumPy scalars", "masked")  # forms whose type is that of the cells that are there
LIBRARIES = ("numpy", "pandas", "polars", "pyarrow")
UNMET = {"text": "zz unmet", "whole": 99, "number": 99.5, "boolean": True}


@dataclass(frozen=True)
class Form:
    name: str
    library: str
    type: str  # number, whole, text or boolean
    make: Callable[..., Any]
    holes: bool = True
    fits: Callable[[Any], bool] = lambda cell: True
    declares: bool = False

    def suits(self, cells: list[Any]) -> bool:
        there = [cell for cell in cells if cell is not None]
        return (self.holes or len(there) == len(cells)) and all(map(self.fits, there))

    def __call__(self, cells: list[Any]) -> Any:
        return self.make(cells, self.levels(cells)) if self.declares else self.make(cells)

    def levels(self, cells: list[Any]) -> tuple[Any, ...]:
        """What its type declares, in no particular order."""
        if self.type == "boolean":
            return truth_values(cells) if self.name in UNTYPED else (False, True)
        met = dict.fromkeys(cell for cell in cells if cell is not None)
        return (UNMET[self.type], *met) if self.declares else ()

    def __repr__(self) -> str:
        return f"{self.library} {self.type} as {self.name}"


def truth_values(cells: Sequence[Any]) -> tuple[Any, ...]:
    """What objects declare: with no truth value among them they are not known to be any."""
    return () if all(cell is None for cell in cells) else (False, True)


def holed(mark: Any) -> Callable[[list[Any]], list[Any]]:
    return lambda cells: [mark if cell is None else cell for cell in cells]


def array(dtype: Any, mark: Any = None) -> Callable[[list[Any]], Any]:
    return lambda cells: np.array(holed(mark)(cells), dtype=dtype)


def objects(mark: Any, wrap: Callable[[Any], Any] = lambda cell: cell) -> Callable[[list[Any]], Any]:
    def make(cells: list[Any]) -> Any:
        out = np.empty(len(cells), dtype=object)
        out[:] = [mark if cell is None else wrap(cell) for cell in cells]
        return out

    return make


def masked(dtype: Any, filler: Any) -> Callable[[list[Any]], Any]:
    return lambda cells: np.ma.masked_array(
        np.array([filler if cell is None else cell for cell in cells], dtype=dtype), [cell is None for cell in cells]
    )


def strided(values: Any) -> Any:
    return np.repeat(values, 3)[::3]


def series(dtype: Any, mark: Any = None) -> Callable[[list[Any]], Any]:
    return lambda cells: pd.Series(holed(mark)(cells), dtype=dtype)


def category(ordered: bool) -> Callable[[list[Any], tuple[Any, ...]], Any]:
    return lambda cells, levels: pd.Series(pd.Categorical(cells, categories=list(levels), ordered=ordered))


def polars(dtype: Any) -> Callable[[list[Any]], Any]:
    return lambda cells: pl.Series("", cells, dtype=dtype, strict=False)


def arrow(kind: Any, pieces: int = 1) -> Callable[[list[Any]], Any]:
    def make(cells: list[Any]) -> Any:
        if pieces == 1:
            return pa.array(cells, kind)
        cut = len(cells) // 2
        return pa.chunked_array([pa.array(cells[:cut], kind), pa.array(cells[cut:], kind)], kind)

    return make


def dictionary(cells: list[Any], levels: tuple[Any, ...]) -> Any:
    codes = pa.array([None if cell is None else levels.index(cell) for cell in cells], pa.int8())
    return pa.DictionaryArray.from_arrays(codes, pa.array(list(levels)))


def small(cell: Any) -> bool:
    return bool(-128 <= cell <= 127)


def within_2_53(cell: Any) -> bool:
    return bool(abs(cell) <= 2**53)


def no_final_zero(cell: str) -> bool:
    return not cell.endswith("\0")  # which fixed-width text cannot have


NAN = float("nan")
NUMBERS = [
    Form("list", "numpy", "number", list),
    Form("tuple with nan", "numpy", "number", lambda cells: tuple(holed(NAN)(cells))),
    Form("float64", "numpy", "number", array(float, NAN)),
    Form("float32", "numpy", "number", array(np.float32, NAN)),
    Form("float16", "numpy", "number", array(np.float16, NAN), fits=lambda cell: abs(cell) < 64),
    Form("longdouble", "numpy", "number", array(np.longdouble, NAN)),
    Form("big-endian", "numpy", "number", array(">f8", NAN)),
    Form("strided", "numpy", "number", lambda cells: strided(array(float, NAN)(cells))),
    Form("reversed", "numpy", "number", lambda cells: array(float, NAN)(cells[::-1])[::-1]),
    Form("masked", "numpy", "number", masked(float, -999.0)),
    Form("masked nan", "numpy", "number", masked(np.float32, NAN)),
    Form("objects", "numpy", "number", objects(None)),
    Form("objects with NA", "numpy", "number", objects(pd.NA)),
    Form("Decimal", "numpy", "number", objects(Decimal("NaN"), lambda cell: Decimal(float(cell)))),
    Form("Fraction", "numpy", "number", objects(None, Fraction)),
    Form("float64", "pandas", "number", series("float64", NAN)),
    Form("float32", "pandas", "number", series("float32", NAN)),
    Form("Float64", "pandas", "number", series("Float64")),
    Form("Float32", "pandas", "number", series("Float32")),
    Form("arrow double", "pandas", "number", series(pd.ArrowDtype(pa.float64()))),
    Form("objects", "pandas", "number", series(object, pd.NA)),
    Form("sparse", "pandas", "number", lambda cells: series("float64", NAN)(cells).astype("Sparse[float64]")),
    Form("Float64", "polars", "number", polars(pl.Float64)),
    Form("Float64 with NaN", "polars", "number", lambda cells: polars(pl.Float64)(holed(NAN)(cells))),
    Form("Float32", "polars", "number", polars(pl.Float32)),
    Form("Decimal", "polars", "number", lambda cells: polars(pl.Float64)(cells).cast(pl.Decimal(20, 6))),
    Form("double", "pyarrow", "number", arrow(pa.float64())),
    Form("float", "pyarrow", "number", arrow(pa.float32())),
    Form("double in pieces", "pyarrow", "number", arrow(pa.float64(), 2)),
    Form("double with NaN", "pyarrow", "number", lambda cells: pa.array(holed(NAN)(cells), pa.float64())),
    Form("decimal", "pyarrow", "number", lambda cells: pa.array(cells, pa.float64()).cast(pa.decimal128(20, 6))),
]
WHOLES = [
    Form("list", "numpy", "whole", list),
    Form("int64", "numpy", "whole", array(np.int64), holes=False),
    Form("int8", "numpy", "whole", array(np.int8), holes=False, fits=small),
    Form("uint64", "numpy", "whole", array(np.uint64), holes=False, fits=lambda cell: cell >= 0),
    Form("big-endian", "numpy", "whole", array(">i4"), holes=False, fits=small),
    Form("float64", "numpy", "whole", array(float, NAN), fits=within_2_53),
    Form("strided", "numpy", "whole", lambda cells: strided(array(np.int64)(cells)), holes=False),
    Form("masked", "numpy", "whole", masked(np.int64, -999)),
    Form("objects", "numpy", "whole", objects(None)),
    Form("NumPy scalars", "numpy", "whole", objects(np.nan, np.int64)),
    Form("Decimal", "numpy", "whole", objects(None, Decimal), fits=within_2_53),
    Form("int64", "pandas", "whole", series("int64"), holes=False),
    Form("int16", "pandas", "whole", series("int16"), holes=False, fits=small),
    Form("Int64", "pandas", "whole", series("Int64")),
    Form("Int8", "pandas", "whole", series("Int8"), fits=small),
    Form("float64", "pandas", "whole", series("float64", NAN), fits=within_2_53),
    Form("arrow int64", "pandas", "whole", series(pd.ArrowDtype(pa.int64()))),
    Form("objects", "pandas", "whole", series(object)),
    Form("Int64", "polars", "whole", polars(pl.Int64)),
    Form("Int8", "polars", "whole", polars(pl.Int8), fits=small),
    Form("UInt64", "polars", "whole", polars(pl.UInt64), fits=lambda cell: cell >= 0),
    Form("Int128", "polars", "whole", polars(pl.Int128)),
    Form("Float64", "polars", "whole", polars(pl.Float64), fits=within_2_53),
    Form("int64", "pyarrow", "whole", arrow(pa.int64())),
    Form("int8 in pieces", "pyarrow", "whole", arrow(pa.int8(), 2), fits=small),
    Form("uint16", "pyarrow", "whole", arrow(pa.uint16()), fits=lambda cell: 0 <= cell < 60_000),
    Form("double", "pyarrow", "whole", arrow(pa.float64()), fits=within_2_53),
]
TEXTS = [
    Form("list", "numpy", "text", list),
    Form("tuple with nan", "numpy", "text", lambda cells: tuple(holed(NAN)(cells))),
    Form("fixed width", "numpy", "text", lambda cells: np.array(cells), holes=False, fits=no_final_zero),
    Form("variable width", "numpy", "text", lambda cells: np.array(cells, np.dtypes.StringDType()), holes=False),
    Form("variable width with None", "numpy", "text", array(np.dtypes.StringDType(na_object=None))),
    Form("variable width with NaN", "numpy", "text", array(np.dtypes.StringDType(na_object=NAN), NAN)),
    Form("objects", "numpy", "text", objects(None)),
    Form("objects with nan", "numpy", "text", objects(NAN)),
    Form("objects with NA", "numpy", "text", objects(pd.NA)),
    Form("text of NumPy", "numpy", "text", objects(None, np.str_), fits=no_final_zero),
    Form("masked", "numpy", "text", masked(object, "-")),
    Form("str", "pandas", "text", series("str")),
    Form("objects", "pandas", "text", series(object)),
    Form("objects with NA", "pandas", "text", series(object, pd.NA)),
    Form("string", "pandas", "text", series("string")),
    Form("arrow string", "pandas", "text", series(pd.ArrowDtype(pa.string()))),
    Form("category", "pandas", "text", category(False), declares=True),
    Form("ordered category", "pandas", "text", category(True), declares=True),
    Form("String", "polars", "text", polars(pl.String)),
    Form("Categorical", "polars", "text", polars(pl.Categorical)),
    Form("Enum", "polars", "text", lambda cells, levels: polars(pl.Enum(list(levels)))(cells), declares=True),
    Form("string", "pyarrow", "text", arrow(pa.string())),
    Form("large string in pieces", "pyarrow", "text", arrow(pa.large_string(), 2)),
    Form("string view", "pyarrow", "text", arrow(pa.string_view())),
    Form("dictionary", "pyarrow", "text", dictionary, declares=True),
]
BOOLEANS = [
    Form("list", "numpy", "boolean", list),
    Form("bool", "numpy", "boolean", array(bool), holes=False),
    Form("objects", "numpy", "boolean", objects(None)),
    Form("NumPy scalars", "numpy", "boolean", objects(np.nan, np.bool_)),
    Form("masked", "numpy", "boolean", masked(bool, True)),
    Form("bool", "pandas", "boolean", series("bool"), holes=False),
    Form("boolean", "pandas", "boolean", series("boolean")),
    Form("objects", "pandas", "boolean", series(object)),
    Form("arrow bool", "pandas", "boolean", series(pd.ArrowDtype(pa.bool_()))),
    Form("Boolean", "polars", "boolean", polars(pl.Boolean)),
    Form("bool", "pyarrow", "boolean", arrow(pa.bool_())),
    Form("bool in pieces", "pyarrow", "boolean", arrow(pa.bool_(), 2)),
]
AS_CATEGORIES = [
    Form("category", "pandas", "whole", category(False), declares=True),
    Form("ordered category", "pandas", "whole", category(True), declares=True),
    Form("category", "pandas", "number", category(False), declares=True),
    Form("category", "pandas", "boolean", category(False), declares=True),
]
FORMS = [*NUMBERS, *WHOLES, *TEXTS, *BOOLEANS]


def forms_of(cells: list[Any], kind: str, categories: bool = False, library: str | None = None) -> list[Form]:
    """All forms that can hold these cells of this type, of one library or of any; plain sequences are NumPy's."""
    every = [*FORMS, *AS_CATEGORIES] if categories else FORMS
    return [f for f in every if f.type == kind and library in (None, f.library) and f.suits(cells)]
