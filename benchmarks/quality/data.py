"""What a study has of a table: a frame of columns, and the labels of its rows.

In:  a `Table`: where it comes from, what is to be told, what is left out and why.
Out: `Data`. A column is as pandas reads it. Classes of fewer than 4 rows are left out (a fold would lack them), and so
     are rows without a class; of tables with more than 1000 rows, 1000 are drawn.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from quality.packages import folder_of

MOST_ROWS = 1000
FEWEST_OF_A_CLASS = 4
FEW_VALUES = 10


@dataclass(frozen=True)
class Table:
    name: str
    package: str
    read: Callable[[Path], pd.DataFrame]
    target: str
    left_out: tuple[str, ...] = ()
    why: str = ""
    counts: bool = False  # rows of counts: one multinomial


@dataclass(frozen=True)
class Data:
    table: Table
    X: pd.DataFrame
    y: np.ndarray

    @cached_property
    def numbers(self) -> list[str]:
        return [name for name, dtype in self.X.dtypes.items() if dtype.kind in "iuf"]

    @cached_property
    def categories(self) -> list[str]:
        return [name for name, dtype in self.X.dtypes.items() if dtype.kind not in "iuf"]

    @cached_property
    def few_values(self) -> list[str]:
        """Columns of whole numbers that take at most ten values."""
        return [name for name in self.numbers if _few_whole(self.X[name].dropna())]

    def describe(self) -> str:
        """What kind of table it is."""
        missing = int(self.X.isna().sum().sum())
        few = f" ({len(self.few_values)} whole, of few values)" if self.few_values else ""
        parts = [f"{len(self.numbers)} of numbers{few}"] if self.numbers else []
        parts += [f"{len(self.categories)} of categories"] if self.categories else []
        parts = [f"counts of {self.X.shape[1]} words"] if self.table.counts else parts
        return ", ".join(parts) + (f"; {missing} cells missing" if missing else "")


def _few_whole(cells: pd.Series) -> bool:
    return cells.nunique() <= FEW_VALUES and bool((cells == cells.round()).all())


def load(table: Table, cache: Path) -> Data:
    frame = table.read(folder_of(table.package, cache))
    frame = of_large_classes(frame[frame[table.target].notna()], table.target, FEWEST_OF_A_CLASS)
    if len(frame) > MOST_ROWS:
        frame = frame.sample(MOST_ROWS, random_state=0)
    X = frame.drop(columns=[table.target, *table.left_out]).reset_index(drop=True)
    return Data(table, X, np.asarray([str(label) for label in frame[table.target]]))


def of_large_classes(frame: pd.DataFrame, target: str, least: int) -> pd.DataFrame:
    return frame[frame[target].map(frame[target].value_counts()) >= least]
