"""Moments of rows that stay where they are: sums of shifted cells and of their products, by class and missing cells.

In:  LazyRows, and columns of numbers that are taken together or each by itself.
Out: Moments by class, or PatternMoments, as exact as those of rows that come here: cells are shifted by a constant near
     their mean before they are squared, and where the constant turns out to be far from a class, that class is asked
     again with its own mean.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from suffice.arrays import Array, Codes, ratio
from suffice.data.blocks import LARGEST
from suffice.data.kinds import Range
from suffice.engines.lazy_rows import LABEL, MASS, Answer, LazyRows
from suffice.errors import KindError
from suffice.families.gaussian.moments import Moments
from suffice.families.gaussian.patterns import Pattern, PatternMoments
from suffice.families.mass import Mass
from suffice.families.rows import Rows

FAR = 100.0  # standard deviations of a class between its mean and the shift, above which it is asked again
TOO_LARGE = "Infinite or too large numbers", "at most 1e150, so that squares can be added"
BITS = 30  # columns whose missing cells one whole number tells


@dataclass(frozen=True)
class Question:
    """Columns whose moments are asked for: of the cell itself, or of what becomes of it."""

    names: tuple[str, ...]
    allowed: tuple[Range, ...]
    together: bool = False
    turned: Callable[[nw.Expr], nw.Expr] = lambda cell: cell
    into: Callable[[Array], Array] = lambda cell: cell  # the same of numbers that are here

    def cells(self, rows: LazyRows, shift: Array) -> list[nw.Expr]:
        return [self.turned(rows.cell(name)) - nw.lit(float(by)) for name, by in zip(self.names, shift, strict=True)]


@dataclass(frozen=True)
class Group:
    """What was found of the rows of a class that lack the same cells."""

    label: Any
    there: Codes  # columns, by position
    weight: float
    seen: Array  # (D,) of the columns that are there, as all that follow
    least: Array
    most: Array
    near: Array
    off: Array  # mean − near
    scatter: Array  # (D,) or (D, D)

    @property
    def far(self) -> bool:
        """Whether so many digits are lost to the shift that the rows must be asked again."""
        squares = self.scatter if self.scatter.ndim == 1 else np.diag(self.scatter)
        sd = np.sqrt(np.maximum(ratio(squares, self.seen), 0.0))
        return bool(((np.abs(self.off) > FAR * sd) & (self.least < self.most)).any())


def asked(rows: LazyRows, question: Question, shift: Array) -> list[Group]:
    """Groups by class and missing cells, each with as many digits as floats have."""
    found = _groups(rows, question, shift)
    again = {group.label for group in found if group.far}
    kept = [group for group in found if group.label not in again]
    for label in sorted(again, key=str):
        mine = [group for group in found if group.label == label]
        means = np.array(shift, dtype=float)
        for group in mine:
            means[group.there] = group.near + group.off
        kept += _groups(rows.only(label), question, means)
    return kept


def alone(groups: Sequence[Group], places: Mapping[Any, int], mass: Mass, columns: int) -> Moments:
    """Of columns each by itself."""
    shape = (len(mass.weight), columns)
    seen, near, off, scatter = (np.zeros(shape) for _ in range(4))
    for group in groups:
        row = places[group.label], group.there
        seen[row], near[row], off[row], scatter[row] = group.seen, group.near, group.off, group.scatter
    return Moments.of(mass.weight, (seen, near, off, scatter), None if mass.rows is None else Rows(mass.rows, seen))


def by_pattern(groups: Sequence[Group], places: Mapping[Any, int], mass: Mass, columns: int) -> PatternMoments:
    """Of columns taken together, a record for each pattern of missing cells."""
    found: dict[Pattern, list[Group]] = defaultdict(list)
    for group in groups:
        found[tuple(group.there.tolist())].append(group)
    parts = {pattern: _together(some, places, mass) for pattern, some in found.items() if pattern}
    return PatternMoments.of(mass, columns, parts)


def _together(groups: Sequence[Group], places: Mapping[Any, int], mass: Mass) -> Moments:
    columns, classes = len(groups[0].there), len(mass.weight)
    weight, near, off = np.zeros(classes), np.zeros((classes, columns)), np.zeros((classes, columns))
    scatter = np.zeros((classes, columns, columns))
    for group in groups:
        k = places[group.label]
        weight[k], near[k], off[k], scatter[k] = group.weight, group.near, group.off, group.scatter
    seen = np.repeat(weight[:, None], columns, axis=1)
    rows = None if mass.rows is None else Rows(weight, seen)
    return Moments.of(weight, (seen, near, off, scatter), rows)


def _groups(rows: LazyRows, question: Question, shift: Array) -> list[Group]:
    cells, size = question.cells(rows, shift), len(question.names)
    keys = _patterns(rows, question.names) if question.together else []
    questions = [rows.counted()]
    for j, (name, cell) in enumerate(zip(question.names, cells, strict=True)):
        questions += [rows.cell(name).min().alias(f"least{j}"), rows.cell(name).max().alias(f"most{j}")]
        questions += [rows.mass(cell).alias(f"sum{j}"), rows.mass(cell * cell).alias(f"product{j}_{j}")]
        questions += [] if question.together else [rows.seen(name).alias(f"seen{j}")]
    pairs = [(i, j) for j in range(size) for i in range(j)] if question.together else []
    questions += [rows.mass(cells[i] * cells[j]).alias(f"product{i}_{j}") for i, j in pairs]
    found = rows.asked([LABEL, *(f"pattern{i}" for i in range(len(keys)))], questions, keys)
    return [_group(found, g, question, shift) for g in range(len(found[MASS]))]


def _patterns(rows: LazyRows, names: Sequence[str]) -> list[nw.Expr]:
    """Which cells are missing, as whole numbers: a bit for each column."""
    keys = []
    for number, first in enumerate(range(0, len(names), BITS)):
        some = names[first : first + BITS]
        gone = [nw.when(rows.cell(name).is_null()).then(nw.lit(1)).otherwise(nw.lit(0)) for name in some]
        keys.append(reduce(add, (bit * 2**i for i, bit in enumerate(gone))).alias(f"pattern{number}"))
    return keys


def _group(found: Answer, g: int, question: Question, shift: Array) -> Group:
    """One group, from sums of shifted cells; a column that does not vary is what it is, whatever rounding says."""
    size = len(question.names)
    least, most, sums = (_numbers(found, g, [f"{title}{j}" for j in range(size)]) for title in ("least", "most", "sum"))
    _refuse(question, least, most)
    weight = float(found[MASS][g])
    seen = _numbers(found, g, [f"seen{j}" for j in range(size)]) if not question.together else weight * ~np.isnan(least)
    there = np.flatnonzero(np.nan_to_num(seen))
    off, still = sums[there] / seen[there], least[there] == most[there]
    if question.together:
        products = [_numbers(found, g, [f"product{min(i, j)}_{max(i, j)}" for j in there]) for i in there]
        scatter = np.array(products).reshape(len(there), len(there)) - np.outer(sums[there], off)
        scatter[still] = 0.0
    else:
        scatter = _numbers(found, g, [f"product{j}_{j}" for j in there]) - sums[there] * off
    scatter[..., still] = 0.0
    near, off = np.where(still, question.into(least[there]), shift[there]), np.where(still, 0.0, off)
    return Group(found[LABEL][g], there, weight, seen[there], least[there], most[there], near, off, scatter)


def _numbers(found: Answer, g: int, titles: Sequence[str]) -> Array:
    return np.array([np.nan if found[title][g] is None else float(found[title][g]) for title in titles])


def _refuse(question: Question, least: Array, most: Array) -> None:
    """Cells that the kind of a column does not allow, by the least and the largest of them."""
    for name, allowed, low, high in zip(question.names, question.allowed, least, most, strict=True):
        odd = [value for value in (low, high) if abs(value) > LARGEST or allowed.outside(np.array([value])).any()]
        if odd:
            found, expected = allowed.complaint(odd[0]) if abs(odd[0]) <= LARGEST else TOO_LARGE
            raise KindError(
                f"{found} in data: column '{name}' holds {odd[0]:g}; expected {expected}. Change it, or declare "
                "another kind for the column."
            )
