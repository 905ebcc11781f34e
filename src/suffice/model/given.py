"""Stage 3, models that nobody has learned: parameters as a text states them, by class and column.

In:  tables as a fitted model prints them, or means and covariances; the kinds of columns where tables leave them open.
Out: Joint. There are no rows behind it, so nothing can be added to it or left out of it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.arrays import Array, Codes
from suffice.data.frames import by_name, named_rows, read_frame
from suffice.data.kinds import BINARY, BINOMIAL, CATEGORICAL, COUNTS, EXPONENTIAL, GAUSSIAN, JOINT, POISSON
from suffice.data.levels import Level, Levels, plain, union
from suffice.data.planning import Kinds, by_column, declared_levels, grouped, read_kind
from suffice.data.schema import BlockPlan, ColumnPlan, Schema
from suffice.errors import ParameterError
from suffice.families.gaussian.densities import CORRELATION, GaussianDensity
from suffice.families.gaussian.shapes import DIAGONAL, FULL, SPHERICAL, Shape
from suffice.families.kinds import family_of
from suffice.families.product import ProductDensity
from suffice.families.protocol import Parametric, Statistics, Tables
from suffice.model.joint import Joint
from suffice.model.rules import prevalence
from suffice.options import numbers, several, shown
from suffice.words import listed

GIVEN = "given"  # the estimate of parameters that were not estimated
BY_HEADINGS = {  # what a column is whose kind nobody declares
    frozenset({"mean", "sd"}): GAUSSIAN,
    frozenset({"success", "failure"}): BINARY,
    frozenset({"rate"}): POISSON,
    frozenset({"rate", "mean"}): EXPONENTIAL,
}
SHAPES_BY_AXES: dict[int, Shape] = {1: SPHERICAL, 2: DIAGONAL, 3: FULL}  # the classes are one of the axes
TRUTH = {"False": False, "True": True}

Entries = dict[Any, Any]  # a table as it was handed in: heading → cells


def joint_of_tables(tables: Any, noun: str, share: str, kinds: Kinds, joint: Any) -> Joint:
    """The model whose tables these are; the rows of each are classes or components, whichever the noun is."""
    read, names, shares = _read(tables, noun, share)
    blocks = _blocks(read, kinds)
    _refuse_other_groups(blocks, joint)
    columns = tuple(name for block in blocks for name in block.names)
    order = [name for title in read for name in columns if _titled(title, name, blocks)]
    unnamed = sorted(order) == sorted(f"x{j}" for j in range(len(order)))
    schema = Schema(tuple(blocks), tuple(dict.fromkeys(order)), named=not unnamed)
    density = ProductDensity(tuple(_density(block, read) for block in blocks))
    return Joint(schema, names, prevalence(np.ones(len(names)), names, shares, 0.0, share), density, GIVEN)


def _read(tables: Any, noun: str, share: str) -> tuple[Tables, Levels, Array]:
    """Tables of numbers by title, rows in the order of the classes, and how common those are."""
    if not isinstance(tables, Mapping) or not tables:
        raise ParameterError(f"tables is what tables() gives, {{title: table}}; found {shown(tables)}.")
    plain_tables = {str(title): _columns(title, table) for title, table in tables.items()}
    head = next((title for title, table in plain_tables.items() if share in table), None)
    stub = next((h for h in plain_tables[head] if str(h).rstrip("_") == noun), None) if head is not None else None
    if head is None or stub is None:
        raise ParameterError(
            f"One of the tables says how common each {noun} is, {{{noun!r}: {{{noun!r}: [names], {share!r}: [...]}}}}; "
            f"found the tables {listed(list(plain_tables))}."
        )
    given = [plain(name) for name in plain_tables[head][stub]]
    names = union(given, ())
    if len(names) < len(given):
        raise ParameterError(f"Each {noun} has a row of its own in the tables; found {given}.")
    order = np.array([given.index(name) for name in names], dtype=np.intp)
    rest = {title: table for title, table in plain_tables.items() if title != head}
    out = {title: _numbers(title, _without_stub(table, noun, given), order) for title, table in rest.items()}
    return out, names, _numbers(head, {share: plain_tables[head][share]}, order)[share]


def _columns(title: Any, table: Any) -> Entries:
    frame = None if isinstance(table, Mapping) else read_frame(table)
    if frame is not None:
        return {name: frame[name].to_list() for name in frame.columns}
    if not isinstance(table, Mapping):
        raise ParameterError(f"Table {title!r} is a data frame or {{heading: numbers}}; found {shown(table)}.")
    return {heading: list(several(cells) or ()) for heading, cells in table.items()}


def _without_stub(table: Entries, noun: str, names: list[Any]) -> Entries:
    """A table without the names of its rows, which must be those of the first."""
    first = next(iter(table), None)
    if first is None or str(first).rstrip("_") != noun:
        return table
    if [plain(name) for name in table[first]] != names:
        raise ParameterError(f"All tables have the same rows, {names}; one has {list(table[first])}.")
    return {heading: cells for heading, cells in table.items() if heading != first}


def _numbers(title: str, table: Entries, order: Codes) -> dict[str, Array]:
    found = {str(heading): numbers(cells, f"Table {title!r}, {heading!r}") for heading, cells in table.items()}
    for heading, cells in found.items():
        if cells.shape != order.shape or np.isnan(cells).any():
            raise ParameterError(f"Table {title!r} has {len(order)} rows; under {heading!r} there is {shown(cells)}.")
    return {heading: cells[order] for heading, cells in found.items()}


# which kind each column is


def _blocks(tables: Tables, kinds: Kinds) -> list[BlockPlan]:
    """Kinds that are declared first; of what is left, by the headings."""
    every = isinstance(kinds, str) and kinds == COUNTS
    words = [word for table in tables.values() for word in table] if every else list(tables)
    given, levels = by_column(kinds, words), declared_levels(kinds, words)
    alone: dict[str, list[ColumnPlan]] = {}
    spoken_for: set[str] = set()
    for name, declared in given.items():
        kind, known = read_kind(name, declared)
        column = _column(name, kind, known, levels.get(name, ()), tables)
        alone.setdefault(column.kind, []).append(column)
        spoken_for.update(family_of(BlockPlan(column.kind, (column,))).titles([name]))
    if COUNTS in alone:
        spoken_for.add(", ".join(column.name for column in alone[COUNTS]))
    groups = []
    for title, table in tables.items():
        if title in spoken_for or title.removeprefix(CORRELATION) in tables.keys() - {title}:
            continue
        members = [heading.removeprefix("mean ") for heading in table if heading.startswith("mean ")]
        if members:
            groups.append(BlockPlan(JOINT, tuple(ColumnPlan(name, JOINT) for name in members)))
        else:
            column = _column(title, BY_HEADINGS.get(frozenset(table), CATEGORICAL), (), (), tables)
            alone.setdefault(column.kind, []).append(column)
    return [*(BlockPlan(kind, tuple(columns)) for kind, columns in alone.items()), *groups]


def _column(name: str, kind: str, known: Any, levels: Levels, tables: Tables) -> ColumnPlan:
    if kind == BINARY:
        return ColumnPlan(name, BINOMIAL, numbers=(1,))
    if kind != CATEGORICAL:
        return ColumnPlan(name, kind, numbers=known)
    if name not in tables:
        raise ParameterError(f"kinds says that '{name}' is categorical, but there is no table of that title.")
    levels = levels or union(_levels(list(tables[name])), ())
    return ColumnPlan(name, CATEGORICAL, levels, declared=levels)


def _levels(headings: list[str]) -> list[Level]:
    """Headings are text; whole numbers and truth values are read as what they spell."""
    if set(headings) <= set(TRUTH):
        return [TRUTH[heading] for heading in headings]
    whole = all(heading.removeprefix("-").isdecimal() and str(int(heading)) == heading for heading in headings)
    return [int(heading) for heading in headings] if whole else list(headings)


def _titled(title: str, name: str, blocks: Sequence[BlockPlan]) -> bool:
    """Whether a table is about that column."""
    block = next(block for block in blocks if name in block.names)
    if block.kind == JOINT:
        return title == ", ".join(block.names)
    family = family_of(block if block.together else block.take([block.names.index(name)]))
    return title in family.titles([name])


def _density(block: BlockPlan, tables: Tables) -> Parametric[Statistics]:
    try:
        return family_of(block).from_tables(tables, block.names)
    except KeyError as error:
        raise ParameterError(
            f"The tables say nothing of {error.args[0]!r}, which {listed(block.names)} ({block.columns[0].described}) "
            "needs. Give that too, or declare another kind."
        ) from None


def _refuse_other_groups(blocks: Sequence[BlockPlan], joint: Any) -> None:
    found = {frozenset(block.names) for block in blocks if block.kind == JOINT}
    wanted = {frozenset(group) for group in grouped(joint)}
    if wanted and wanted != found:
        raise ParameterError(
            f"joint names {sorted(map(sorted, wanted))}, but the tables have {sorted(map(sorted, found))} together: a "
            "table with 'mean a', 'sd a', 'mean b', … and one titled 'correlation of a, b'."
        )


# means and covariances


@dataclass(frozen=True, eq=False)
class Gaussians:
    """Classes with a Gaussian each."""

    names: Levels
    columns: tuple[str, ...]
    named: bool
    density: GaussianDensity
    order: Codes  # where each class is in what was given

    def joint(self, priors: Any, called: str) -> Joint:
        """Class probabilities are by name, or in the order of the means; equal where not given."""
        kind = JOINT if self.density.shape.crosswise else GAUSSIAN
        block = BlockPlan(kind, tuple(ColumnPlan(name, kind) for name in self.columns))
        priors = "uniform" if priors is None else by_name(priors)
        if not isinstance(priors, str | Mapping):
            shares = numbers(priors, called)
            priors = shares[self.order] if shares.shape == self.order.shape else shares
        shares = prevalence(np.ones(len(self.names)), self.names, priors, 0.0, called)
        schema = Schema((block,), self.columns, self.named)
        return Joint(schema, self.names, shares, ProductDensity((self.density,)), GIVEN)


def read_gaussians(means: Any, covariances: Any, columns: Any = None) -> Gaussians:
    """Means by class, {class: [...]} or {class: {column: mean}} or an array; covariances likewise, or one for all."""
    given, rows = _by_class(means)
    of_columns = list(rows[0]) if isinstance(rows[0], Mapping) else None
    cells = [[row.get(c, np.nan) for c in of_columns or ()] if isinstance(row, Mapping) else row for row in rows]
    mean = numbers([np.atleast_1d(numbers(row, "means")) for row in cells], "means")
    if mean.ndim != 2 or not mean.size or not np.isfinite(mean).all():
        raise ParameterError(f"means has for each class a number for each column, all finite; found {shown(means)}.")
    names = union(given, ())
    order = np.array([given.index(name) for name in names], dtype=np.intp)
    own = several(columns) if columns is not None else of_columns
    if own is not None and len(own) != mean.shape[1]:
        raise ParameterError(f"columns names {len(own)} columns, but the means have {mean.shape[1]}.")
    called = tuple(str(name) for name in own) if own is not None else tuple(f"x{j}" for j in range(mean.shape[1]))
    covariance, shape = _covariances(covariances, given, mean.shape[1])
    covariance = covariance[order] if len(covariance) > 1 else covariance
    return Gaussians(names, called, own is not None, GaussianDensity(mean[order], covariance, shape), order)


def _by_class(means: Any) -> tuple[list[Any], list[Any]]:
    rows = list(means.items()) if isinstance(means, Mapping) else named_rows(means, "class")
    rows = list(enumerate(several(means) or ())) if rows is None else rows
    if not rows:
        raise ParameterError(f"means is {{class: mean}}, or an array with a row for each class; found {shown(means)}.")
    return [plain(name) for name, _ in rows], [row for _, row in rows]


def _covariances(given: Any, classes: Sequence[Any], columns: int) -> tuple[Array, Shape]:
    """One for each class, or one for all: matrices, variances of the columns, or one variance for all columns."""
    if isinstance(given, Mapping):
        named = {plain(name): value for name, value in given.items()}
        if set(named) != set(classes):
            raise ParameterError(f"covariances names the classes {list(named)}, but the means have {list(classes)}.")
        found = numbers([named[name] for name in classes], "covariances")
    else:
        found = numbers(given, "covariances")
        own = found.ndim == 3 or (columns == 1 and found.shape == (len(classes),))
        found = found if own else found[None]
    shape = SHAPES_BY_AXES.get(found.ndim, FULL)
    if columns == 1 and found.ndim < 3:
        found, shape = found.reshape(-1, 1, 1), FULL
    found = found[:, None] if shape is SPHERICAL else found
    size = {SPHERICAL.name: (1,), DIAGONAL.name: (columns,), FULL.name: (columns, columns)}[shape.name]
    if found.shape not in ((1, *size), (len(classes), *size)):
        raise ParameterError(
            f"covariances is a matrix ({columns} × {columns}), variances of the columns or one variance, for each of "
            f"{len(classes)} classes or one for all; found shape {np.shape(given) or shown(given)}."
        )
    _refuse_impossible(found, shape)
    return found, shape


def _refuse_impossible(covariance: Array, shape: Shape) -> None:
    values = np.linalg.eigvalsh(covariance) if shape.crosswise else covariance
    symmetric = not shape.crosswise or np.allclose(covariance, covariance.transpose(0, 2, 1), rtol=1e-10, atol=0)
    if not np.isfinite(covariance).all() or not symmetric or not (values > 0).all():
        raise ParameterError(
            "A covariance is a symmetric matrix with variances above 0 in every direction; found "
            f"{shown(covariance.tolist())}."
        )
