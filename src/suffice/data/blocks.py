"""Stage 1, the hand-over: rows of a table as the blocks that families take.

In:  a Table and a Schema made from this table or from the one a model was fitted on.
Out: for any slice of rows a tuple with one block for each BlockPlan: numbers with NaN, codes, or a sparse matrix.
     Whatever a family could not digest is refused here, by name and row. Cells of a kind that is modelled in other
     units, such as ln x, are turned into those: a family sees no others.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from suffice.arrays import MISSING, UNSEEN, Array, Codes, Matrix, Values, is_sparse, row_blocks, workspace
from suffice.data.columns import TEMPORAL, TEXT
from suffice.data.kinds import BINOMIAL, COUNTS, Range
from suffice.data.levels import Level, Levels
from suffice.data.schema import BlockPlan, ColumnPlan, Schema
from suffice.data.table import NARROW, SPARSE_IS_COUNTS, Table
from suffice.errors import KindError, TableError, UnfitCellWarning, UnseenCategoryError, UnseenCategoryWarning, warn
from suffice.transforms import Transform

# what to do with a level that fitting never met
UNSEEN_POLICIES = ("prior", "ignore", "error")
Block = Values  # (n, D) numbers or codes; rows of counts may also be sparse
INFINITE = np.float64(np.inf).view(np.uint64)  # of numbers as bits, only those below 0, infinite or NaN are as large
LARGEST = 1e150  # of which a hundred million squares are still a float
IGNORE_ALOUD = "ignore aloud"  # "prior" where the prior gives it no mass


@dataclass(frozen=True, eq=False)
class Blocks:
    """A table cut to a schema: iterate for pieces of rows, each with its blocks."""

    table: Table
    plans: tuple[BlockPlan, ...]
    readers: tuple[Callable[[slice], Block], ...]

    def __getitem__(self, rows: slice) -> tuple[Block, ...]:
        return tuple(read(rows) for read in self.readers)

    def __iter__(self) -> Iterator[tuple[slice, tuple[Block, ...]]]:
        """Pieces of rows with their blocks, one after the other."""
        return ((rows, self[rows]) for rows in row_blocks(self.table.rows, self.width))

    @property
    def width(self) -> int:
        """Cells of a row, those of a sparse table that are there."""
        matrix, words = self.table.matrix, all(plan.words for plan in self.plans)
        return -(-int(matrix.nnz) // self.table.rows) if is_sparse(matrix) and words else len(self.table.names)

    def turned_once(self) -> "Blocks":
        """For rows that are read many times: cells in other units are worked out the first time, and kept."""
        each = zip(self.plans, self.readers, strict=True)
        readers = (read if plan.transform is None else _keeping(read, self.table.rows) for plan, read in each)
        return replace(self, readers=tuple(readers))

    def volume(self, blocks: Sequence[Block]) -> Array | float:
        """Ln |dx/dz| of each row, by which densities in the units of the families exceed those in the user's own."""
        turned = [(plan.transform, block) for plan, block in zip(self.plans, blocks, strict=True)]
        return sum((by.volume(block).sum(axis=1) for by, block in turned if by is not None), start=0.0)

    def check(self, rows: slice) -> None:
        """Refuse infinite cells among numbers, and those too large to square: their sums are not finite, so nobody need
        look for them beforehand.
        """
        for plan in self.plans:
            if plan.numeric:
                cells = _checked(self.table.numbers(plan.names, rows), plan, rows.start)
                large = np.abs(cells) > LARGEST
                _refuse(
                    large,
                    cells,
                    plan,
                    rows.start,
                    ("Numbers that are too large"),
                    "at most 1e150, so that squares can be added",
                )


def cut(
    table: Table, schema: Schema, unseen: str = "error", passing: bool = False, as_they_are: bool = False
) -> Blocks:
    """Columns are found by name; what else the table holds does not matter.

    `passing` says that each piece of rows is done with before the next is read, which may then take its memory;
    `as_they_are` that cells are to stay in the user's own units, for those who model them without their families.
    """
    absent = [] if table.names == schema.names else _absent(schema, set(table.names))
    if absent and schema.open and table.named and (table.ragged or len(absent) < len(schema.names)):
        table = table.with_zeros(absent)
    elif absent:
        raise TableError(
            f"The table lacks {', '.join(map(repr, absent))}, which the model was fitted with; it has "
            f"{', '.join(map(repr, table.names[:12]))}. A column may be all missing, but it must be there."
        )
    if is_sparse(table.matrix) and any(block.kind not in (COUNTS, BINOMIAL) for block in schema.blocks):
        raise TableError(SPARSE_IS_COUNTS)
    readers = (_reader(table, block, unseen) for block in schema.blocks)
    if not as_they_are:
        readers = (_turning(read, block.transform) for read, block in zip(readers, schema.blocks, strict=True))
    if passing and table.matrix is None:
        plans = enumerate(zip(schema.blocks, readers, strict=True))
        readers = (_passing(table, block, i) if block.numeric else read for i, (block, read) in plans)
    return Blocks(table, schema.blocks, tuple(readers))


def _turning(read: Callable[[slice], Block], by: Transform | None) -> Callable[[slice], Block]:
    """Cells as the family of their kind takes them."""
    return read if by is None else lambda rows: by.into(read(rows))


def _keeping(read: Callable[[slice], Block], rows: int) -> Callable[[slice], Block]:
    whole = read(slice(0, rows))
    return lambda some: whole[some]


def _passing(table: Table, block: BlockPlan, place: int) -> Callable[[slice], Block]:
    """Numbers of a block of rows where those of the last one were: fresh memory costs more than the sums."""

    def read(rows: slice) -> Block:
        return table.numbers(block.names, rows, workspace(f"numbers {place}", rows.stop - rows.start, len(block.names)))

    return read


def _absent(schema: Schema, there: set[str]) -> list[str]:
    return [name for block in schema.blocks for name in block.names if name not in there]


def _reader(table: Table, block: BlockPlan, unseen: str) -> Callable[[slice], Block]:
    if block.coded:
        if _in_numbers(table) and _whole_numbers(block) and (unseen == "prior" or _inside(table, block)):
            return _number_reader(table, block, inside=unseen != "prior")
        codes = [_recoded(table, column, unseen) for column in block.columns]
        return lambda rows: np.stack([column[rows] for column in codes], axis=1)
    for column in block.columns if table.matrix is None else ():
        found = table.type(column.name)
        if found in TEMPORAL or (found == TEXT and table.encoded(column.name).levels):
            raise KindError(
                f"Column '{column.name}' was modelled as {column.described} but now holds {found}. "
                "Give it with the type that it had in fitting; if its first batch was all missing, declare its kind."
            )
    if block.numeric:
        return lambda rows: table.numbers(block.names, rows)
    if is_sparse(table.matrix) and not block.words:  # where a cell that is not there is a failure, and counts
        return lambda rows: _checked(sparse.csr_array(table.numbers(block.names, rows)).toarray(), block, rows.start)
    if block.words:  # of which there may be very many, and none is chosen
        return lambda rows: _checked(_counts(table, block.names, rows), block, rows.start)
    unfit = [
        (j, allowed) for allowed, columns in block.ranges for j in columns if _unfit(table, block.columns[j], allowed)
    ]
    return lambda rows: _checked(_blanked(table.numbers(block.names, rows), unfit), block, rows.start)


def _counts(table: Table, words: Sequence[str], rows: slice) -> Matrix:
    cells = table.numbers(words, rows)
    return np.where(np.isnan(cells), 0.0, cells) if table.ragged else cells


def _unfit(table: Table, column: ColumnPlan, allowed: Range) -> bool:
    """Whether a column whose kind was chosen by other cells has some that the kind does not allow: said aloud."""
    if not column.chosen:
        return False
    cells = table.numbers([column.name], slice(0, table.rows))[:, 0]
    odd = np.flatnonzero(allowed.outside(cells) & np.isfinite(cells))
    if len(odd):
        _, expected = allowed.complaint(float(cells[odd[0]]))
        warn(
            f"Column '{column.name}' ({column.described}, by kinds='auto') holds {cells[odd[0]]:g} in row {odd[0]}; "
            f"expected {expected}. Such cells ({len(odd)} here) are treated as missing. Declare the kind of the "
            f"column, such as kinds={{{column.name!r}: 'gaussian'}}, if that is not right.",
            UnfitCellWarning,
        )
    return bool(len(odd))


def _blanked(cells: Matrix, unfit: list[tuple[int, Range]]) -> Matrix:
    """Missing where a column holds what its kind does not allow."""
    if not unfit:
        return cells
    out = np.array(cells)
    for j, allowed in unfit:
        out[allowed.outside(out[:, j]) & np.isfinite(out[:, j]), j] = np.nan
    return out


def _whole_numbers(block: BlockPlan) -> bool:
    """Whether the levels of each column are whole numbers in a narrow range, so that codes are a look-up away."""
    return all(column.levels and _narrow(column.levels) for column in block.columns)


def _narrow(levels: Levels) -> bool:
    """Whether all are whole numbers, near each other; 0 and 2 may stand around 0.125."""
    whole = [level for level in levels[:NARROW] if type(level) is int]
    return len(whole) == len(levels) and whole[-1] - whole[0] < NARROW


def _in_numbers(table: Table) -> bool:
    """Whether it is an array, whose cells can be codes without a look at all of a column."""
    return table.narrow or (isinstance(table.matrix, np.ndarray) and table.matrix.dtype.kind == "f")


def _inside(table: Table, block: BlockPlan) -> bool:
    """Whether no cell can hold a level that the plan does not have: a tally has all of its table."""
    if block.tallied or not table.narrow:
        return block.tallied
    where = table.positions(block.names)
    lowest, highest = (ends[where] for ends in table.ranges)
    return all(
        len(column.levels) == last + 1 - first and list(column.levels) == list(range(first, last + 1))
        for column, first, last in zip(block.columns, lowest.tolist(), highest.tolist(), strict=True)
    )


def _number_reader(table: Table, block: BlockPlan, inside: bool) -> Callable[[slice], Codes]:
    """Codes of whole numbers, block by block: they are the numbers themselves where levels are 0, 1, 2 and so on.

    `inside` says that every cell that is there is known to hold a level.
    """
    first, last = np.array([(column.levels[0], column.levels[-1]) for column in block.columns]).T
    span = last - first + 1
    starts = np.cumsum(span) - span
    code = np.full(span.sum() + 1, UNSEEN, dtype=np.intp)  # of each number there could be, then of all others
    for column, start in zip(block.columns, starts - first, strict=True):
        code[start + np.array(column.levels)] = np.arange(len(column.levels))
    plain = not (first.any() or (code[:-1] < 0).any())

    def coded(values: Codes) -> Codes:
        if plain and (inside or values.min() >= 0):
            return values  # what is beyond the last level is no level
        off = values - first
        return np.asarray(code[np.where((off >= 0) & (off < span), off + starts, span.sum())])

    def read(rows: slice) -> Codes:
        cells = table.cells(block.names, rows)
        if cells.dtype.kind != "f":
            return coded(cells)
        with np.errstate(invalid="ignore"):  # what is no whole number is none after it
            values = cells.astype(np.intp)
        same = values == cells
        return (
            coded(values) if same.all() else np.where(same, coded(values), np.where(np.isnan(cells), MISSING, UNSEEN))
        )

    return read


def _recoded(table: Table, column: ColumnPlan, unseen: str) -> Codes:
    """Codes into the levels of the schema."""
    found = table.encoded(column.name)
    _refuse_other_type(column, found.levels)
    if found.levels == column.levels:
        return found.codes
    known = {level: code for code, level in enumerate(column.levels)}
    strange = [level for level in found.levels if level not in known]
    there = np.bincount(found.codes[found.codes >= 0], minlength=len(found.levels))
    strange = [level for level in strange if there[found.levels.index(level)]]  # declared but absent is no news
    if strange and unseen != "prior":
        _meet(strange, found.codes, found.levels, column, unseen)
    other = UNSEEN if unseen == "prior" else MISSING
    recode = np.array([*(known.get(level, other) for level in found.levels), MISSING], dtype=np.intp)
    return recode[found.codes]


def _meet(strange: list[Level], codes: Codes, levels: Levels, column: ColumnPlan, unseen: str) -> None:
    row = int(np.flatnonzero(codes == levels.index(strange[0]))[0])
    if unseen == "error":
        raise UnseenCategoryError(
            f"Column '{column.name}' had {len(column.levels)} values when the model was fitted; row {row} holds "
            f"{strange[0]!r}. Map it to a known value, refit with it, or set unseen='ignore'."
        )
    if unseen == IGNORE_ALOUD:
        warn(
            f"Column '{column.name}' holds {', '.join(map(repr, strange[:5]))}, never seen in fitting. With "
            "smoothing=0 such values have no probability, so those cells are ignored.",
            UnseenCategoryWarning,
        )


def _refuse_other_type(column: ColumnPlan, levels: Levels) -> None:
    """Texts are no numbers, and truth values are neither, though Python takes True for 1."""
    if column.levels and levels and _sort_of(column.levels) != _sort_of(levels):
        raise KindError(
            f"Column '{column.name}' held values like {column.levels[0]!r} when the model was fitted and now holds "
            f"{levels[0]!r}. Give it with the type it had."
        )


def _sort_of(levels: Levels) -> type:
    kinds = {type(level) for level in levels}
    return str if str in kinds else bool if kinds == {bool} else float


def _checked(cells: Matrix, block: BlockPlan, first_row: int) -> Matrix:
    """Refuses cells outside what the kind allows; a missing cell is always allowed but in a row of counts."""
    values: Array = cells.data if is_sparse(cells) else cells
    if block.words and values.flags.c_contiguous and values.view(np.uint64).max(initial=0) < INFINITE:
        return cells
    if not np.isfinite(values).all():
        _refuse(
            np.isinf(values),
            cells,
            block,
            first_row,
            "Infinite cells (infinity, or beyond the largest float)",
            "a finite number, or a missing cell",
        )
        if block.words:
            hint = "a count: 0 if the word does not occur"
            _refuse(np.isnan(values), cells, block, first_row, "Missing cells (NaN)", hint)
    for allowed, columns in block.ranges:
        some = values if len(columns) == len(block.columns) else values[:, columns]  # sparse ones are all of one range
        wrong = allowed.outside(some)
        if wrong.any():
            part = cells if some is values else some
            _refuse(wrong, part, block.take(columns), first_row, *allowed.complaint(float(some[wrong][0])))
    return cells


def _refuse(
    wrong: NDArray[np.bool_], cells: Matrix, block: BlockPlan, first_row: int, found: str, expected: str
) -> None:
    if not wrong.any():
        return
    if is_sparse(cells):
        entry = int(np.flatnonzero(wrong)[0])
        row, column = int(np.searchsorted(cells.indptr, entry, side="right")) - 1, int(cells.indices[entry])
    else:
        row, column = (int(position) for position in np.argwhere(wrong)[0])
    plan, held = block.columns[column], float(cells[row, column])
    raise KindError(
        f"{found} in data: column '{plan.name}' ({plan.described}) holds {held:g} in row "
        f"{first_row + row}; expected {expected}. Change it, or declare another kind for the column."
    )
