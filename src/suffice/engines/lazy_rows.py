"""Rows that stay where they are: a lazy frame of any engine that narwhals knows, asked for sums.

In:  a lazy frame (Polars, DuckDB, ibis, PySpark, sqlframe), and the names of the columns that matter.
Out: LazyRows: cells in one form for all engines (float64 numbers, NULL where missing, never NaN, names of our own), and
     answers to grouped questions as NumPy columns.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from suffice.data.batches import IntoRows
from suffice.data.foreign import said_by
from suffice.data.frames import LazyFrame, Library, lazy_frame
from suffice.data.levels import plain
from suffice.data.table import Table, read_table
from suffice.engines.exact_text import as_text, with_exact_texts
from suffice.errors import ParameterError, TableError

LABEL, WEIGHT, MASS = "label", "weight", "mass"  # names of our own, beside c0, c1 and so on
HEAD = 10_000  # rows that a plan looks at
MOST = 1000  # expressions of one question: PostgreSQL takes 1664 columns
Answer = Mapping[str, list[Any]]  # a column for each name


@dataclass(frozen=True)
class LazyRows:
    frame: LazyFrame  # label, weight if there is one, and cells
    own: Mapping[str, str]  # the user's names of columns → ours
    weighted: bool
    encoded: frozenset[str] = frozenset()  # ours of which texts come as bytes

    @classmethod
    def of(
        cls, frame: LazyFrame, label: str, weight: str | None, names: Sequence[str], numbers: set[str]
    ) -> "LazyRows":
        """Of some columns, of which some are to be numbers."""
        types, own = frame.collect_schema(), {name: f"c{j}" for j, name in enumerate(names)}
        texts = [name for name in [label, *names] if types[name] == nw.String]
        exact = with_exact_texts(frame, texts)
        changed = {name for name in texts if exact.collect_schema()[name] != nw.String}
        encoded = frozenset(name for text, name in {**own, label: LABEL}.items() if text in changed)
        cells = [_cell(name, types[name], name in numbers).alias(own[name]) for name in names]
        told = [_cell(label, types[label], False).alias(LABEL)]
        told += [_weight(weight, types[weight]).alias(WEIGHT)] if weight else []
        return cls(exact.select(*told, *cells), own, weight is not None, encoded)

    def cell(self, name: str) -> nw.Expr:
        return nw.col(self.own[name])

    def mass(self, expression: nw.Expr) -> nw.Expr:
        """The sum of an expression over rows, by their weights."""
        return (expression * nw.col(WEIGHT) if self.weighted else expression).sum()

    def seen(self, name: str) -> nw.Expr:
        """The mass of the rows of a group that have a cell."""
        cell = self.cell(name)
        return nw.when(~cell.is_null()).then(nw.col(WEIGHT)).sum() if self.weighted else cell.count()

    def counted(self) -> nw.Expr:
        """The mass of the rows of a group."""
        return (nw.col(WEIGHT).sum() if self.weighted else nw.len()).alias(MASS)

    def that_count(self) -> "LazyRows":
        """Without rows of weight 0, after a look at the weights."""
        if not self.weighted:
            return self
        weight = nw.col(WEIGHT)
        ends = [weight.min().alias("least"), weight.max().alias("most"), weight.null_count().alias("no")]
        found = self.asked([], ends)
        least, most, missing = (found[name][0] for name in ("least", "most", "no"))
        if missing or least is None or not (least >= 0 and np.isfinite(most)):
            raise ParameterError("sample_weight must be finite and 0 or more: a weight is how often a row counts.")
        if most == 0:
            raise ParameterError("All rows have weight zero, so there is nothing to learn from.")
        return replace(self, frame=self.frame.filter(weight > 0))

    def only(self, label: Any) -> "LazyRows":
        """The rows of one class, whose text may be asked for as bytes."""
        asked_for = label.encode() if LABEL in self.encoded else label
        return replace(self, frame=self.frame.filter(nw.col(LABEL) == nw.lit(asked_for)))

    def distinct(self, name: str, most: int) -> list[Any]:
        """Some of the values of a column, all if they are few."""
        values = self._columns(self.frame.select(self.own[name]).unique().head(most))
        return [value for value in values[self.own[name]] if value is not None]

    def asked(self, groups: Sequence[str], questions: Sequence[nw.Expr], keys: Sequence[nw.Expr] = ()) -> Answer:
        """Answers for each group, in an order that is the same for all questions; keys are groups worked out first."""
        frame = self.frame.with_columns(*keys) if keys else self.frame
        every: dict[str, list[Any]] = {}
        for some in (questions[i : i + MOST] for i in range(0, len(questions), MOST)):
            asked = frame.group_by(*groups).agg(*some) if groups else frame.select(*some)
            found = self._columns(asked)
            order = _order([found[name] for name in groups], len(next(iter(found.values()))))
            every |= {name: [column[i] for i in order] for name, column in found.items()}
        return every

    def _columns(self, frame: LazyFrame) -> dict[str, list[Any]]:
        found = _collected(frame).to_dict(as_series=False)
        return {name: list(map(as_text, cells)) if name in self.encoded else cells for name, cells in found.items()}


def library(rows: IntoRows) -> Library:
    """The frame library to answer in, of rows that come in batches or are summed elsewhere."""
    frame = lazy_frame(rows)
    polars = frame is not None and frame.implementation.is_polars()
    return Library.POLARS if polars else Library.PYARROW


def head(frame: LazyFrame) -> Table:
    """The first rows, with all columns."""
    rows = _collected(frame.head(HEAD))
    if rows.shape[0] == 0:
        raise TableError("There are no rows to read.")
    return read_table(rows.to_native())


def _cell(name: str, kind: nw.dtypes.DType, number: bool) -> nw.Expr:
    """A cell as it is, but NULL where it is NaN; numbers as floats of 64 bits, whose products do not overflow."""
    plain = nw.col(name)
    cell = plain.cast(nw.Float64) if number else plain
    if not (kind.is_float() or (number and kind != nw.Boolean)):
        return cell
    return nw.when(~cell.is_nan()).then(cell)


def _weight(name: str, kind: nw.dtypes.DType) -> nw.Expr:
    """Weights as numbers, NULL where they are NaN."""
    if not (kind.is_numeric() or kind == nw.Boolean):
        raise ParameterError(f"sample_weight must be one number for each row; column {name!r} holds {kind}.")
    return _cell(name, kind, True)


def _collected(frame: LazyFrame) -> nw.DataFrame[Any]:
    """Polars reads in pieces if it is asked to."""
    with said_by("The engine that holds the rows cannot answer", "With where='here' its rows come here in batches."):
        return frame.collect(engine="streaming") if frame.implementation.is_polars() else frame.collect()


def _order(keys: Sequence[Sequence[Any]], rows: int) -> list[int]:
    """By the keys of groups, which engines give in any order; those that are not there come first."""
    return sorted(range(rows), key=lambda i: [(key[i] is not None, str(plain(key[i]))) for key in keys])
