"""Stage 1, files read together: the same columns in all, with one type each, known before the first row is read.

In:  paths, globs, folders.
Out: Files: names and types, and tables of pyarrow. What does not fit says which file, which column, what was found.
     Texts come as codes where the form of the file has them so.
"""

import glob
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from suffice.data.columns import NUMBER, TEXT
from suffice.data.formats import BATCH_CELLS, FORMATS, Csv, File, Names, Skip, Types, is_text
from suffice.data.frames import CODED_TEXT
from suffice.data.sizes import parts_of
from suffice.errors import FileError, NoFileError, ParameterError
from suffice.extras import needed
from suffice.store import refuse_impossible
from suffice.words import listed

if TYPE_CHECKING:  # which is imported when it is needed
    import pyarrow as pa

UNREADABLE = (EOFError, UnicodeDecodeError, LookupError, OverflowError, MemoryError, RecursionError, SystemError)
PACKED = (".gz", ".zst", ".bz2")
ODD_CELL = r"In CSV column #(\d+): (?:Row #\d+: )?CSV conversion error to (\S+): invalid value '(.*)'"
WORDS = {"double": "numbers", "int64": "whole numbers", "bool": "truth values"}
AnyPath = str | PathLike[str]


@dataclass(frozen=True)
class Batch:
    table: "pa.Table"
    place: str  # where its rows are, for messages
    file: int = 0  # which of several it is from


def validated(batch: "pa.RecordBatch") -> "pa.RecordBatch":
    """The batch, once its offsets, codes and texts are known to be what they say: all else reads it as it is."""
    batch.validate(full=True)
    return batch


@dataclass(frozen=True)
class Files:
    """Files of the same columns, one after the other."""

    files: tuple[File, ...]
    types: Types  # of each column, for all files

    @property
    def names(self) -> Names:
        return tuple(self.types)

    @property
    def rows(self) -> int | None:
        every = [file.rows for file in self.files]
        return sum(rows for rows in every if rows is not None) if None not in every else None

    def read(self, columns: Names) -> Iterator[Batch]:
        for number, file in enumerate(self.files):
            with naming(file):
                rows = map(validated, file.record_batches(columns, self.types))
                for batch in record_batches(rows, columns, str(file.path), self.types):
                    yield replace(batch, file=number)


def open_files(
    paths: Iterable[AnyPath], wanted: Mapping[str, str], verbatim: bool = False, skip: Skip | None = None
) -> Files:
    """Files by their paths; `wanted` says which columns hold text or numbers, where somebody knows.

    `verbatim` takes what may be no number further down for text, so that no digit is lost.
    """
    files = tuple(file_of(path, skip) for path in found(paths))
    arrow = needed("pyarrow", "arrow", "Reading files")
    known = {TEXT: arrow.string(), NUMBER: arrow.float64()}
    types, unsure = {}, known[TEXT if verbatim else NUMBER]
    for name in _common_names(files):
        fields = [(file, file.schema.field(name).type) for file in files]
        types[name] = known[wanted[name]] if name in wanted else _common_type(arrow, fields, unsure)
    return Files(files, types)


def found(paths: Iterable[AnyPath]) -> list[Path]:
    """Files that paths, globs and folders stand for, in the order given, those of a glob or folder sorted."""
    every: list[Path] = []
    for given in paths:
        refuse_impossible(given)
        path = Path(given)
        if path.is_dir():
            some = sorted(one for one in path.iterdir() if one.is_file() and _suffix(one) in FORMATS)
        elif path.exists():
            some = [path]
        else:
            some = sorted(Path(one) for one in glob.glob(str(given), recursive=True) if Path(one).is_file())
        if not some:
            raise NoFileError(f"There is no file {str(given)!r}, and no file matches it as a pattern.")
        every += some
    return every


def refuse_among(targets: Iterable[AnyPath], given: Iterable[AnyPath]) -> None:
    """Nothing is written among the files that a folder or pattern stands for, as the next time it would be read too."""
    for one, target in ((one, target) for one in given for target in map(Path, targets)):
        inside = Path(one).is_dir() and _suffix(target) in FORMATS and target.resolve().parent == Path(one).resolve()
        if inside or (not Path(one).exists() and Path(os.path.abspath(target)).match(os.path.abspath(one))):
            raise ParameterError(
                f"{str(target)!r} would lie among the files that are read, {str(one)!r}, and be read with them the "
                "next time. Write it elsewhere."
            )


def file_of(path: Path, skip: Skip | None = None) -> File:
    return FORMATS[form_of(path)](path, skip)


def form_of(path: Path) -> str:
    """The form of a file, by the ending of its name."""
    if _suffix(path) not in FORMATS:
        known = f"{', '.join(FORMATS)}; text files may be compressed ({', '.join(PACKED)})"
        raise FileError(f"{str(path)!r} has an unknown file extension. Known extensions are {known}.")
    return _suffix(path)


def _suffix(path: Path) -> str:
    """What says the form of a file, its packing left aside."""
    packed = path.suffix.lower() in PACKED
    return Path(path.stem).suffix.lower() if packed else path.suffix.lower()


def _common_names(files: Sequence[File]) -> Names:
    """Which columns there are: the same in all files."""
    for file in files:
        with naming(file):
            names, first = file.schema.names, files[0].schema.names
        odd = [name for name in names if names.count(name) > 1]
        if odd:
            raise FileError(f"{str(file.path)!r} has the column {odd[0]!r} twice. Column names must differ.")
        lacking, more = ([name for name in one if name not in other] for one, other in ((first, names), (names, first)))
        if lacking or more:
            said = f"lacks {listed(lacking)}, which {str(files[0].path)!r} has" if lacking else ""
            said += " and " * bool(lacking and more) + (
                f"has {listed(more)}, which {str(files[0].path)!r} does not have" if more else ""
            )
            raise FileError(f"{str(file.path)!r} {said}. Files that are read together must have the same columns.")
    return tuple(files[0].schema.names)


def _common_type(
    arrow: ModuleType, found: "Sequence[tuple[File, pa.DataType]]", unsure: "pa.DataType"
) -> "pa.DataType":
    """The type of a column in all files: one that says something, and of files of text one that fits all heads.

    What is whole in a head may have fractions further down, so that it is not sure.
    """
    types = {kind for _, kind in found if not arrow.types.is_null(kind)}
    if all(file.typed for file, _ in found):
        return next((kind for _, kind in found if kind in types), arrow.null())
    if all(arrow.types.is_integer(kind) or arrow.types.is_floating(kind) for kind in types):
        sure = len(types) == 1 and all(file.whole for file, _ in found)
        return types.pop() if sure else unsure
    return types.pop() if len(types) == 1 else arrow.string()


def record_batches(
    some: "Iterable[pa.RecordBatch]", columns: Names, path: str = "", types: Types | None = None
) -> Iterator[Batch]:
    """Record batches as tables of the columns asked for, those of no type by the type that other files give them."""
    arrow, row = needed("pyarrow", "arrow", "A stream of Arrow"), 0
    for rows in as_tables(some):
        table = _typed(arrow, rows.select(list(columns)), types or {})
        yield Batch(table, f"{path!r}, rows from {row} on" if path else f"rows from {row} on")
        row += len(rows)


def as_tables(some: "Iterable[pa.RecordBatch]") -> "Iterator[pa.Table]":
    """Record batches as tables, small ones together, as engines hand them out: each table has a cost of its own."""
    arrow, waiting, cells = needed("pyarrow", "arrow", "A stream of Arrow"), list["pa.RecordBatch"](), 0
    for batch, more in (part for one in some if len(one) for part in parts_of(one, BATCH_CELLS)):
        if waiting and (cells + more > BATCH_CELLS // 2 or batch.schema != waiting[0].schema):
            yield arrow.Table.from_batches(waiting)
            waiting, cells = [], 0
        waiting.append(batch)
        cells += more
    if waiting:
        yield arrow.Table.from_batches(waiting)


def _typed(arrow: ModuleType, table: "pa.Table", types: Types) -> "pa.Table":
    for place, field in enumerate(table.schema):
        if arrow.types.is_null(field.type) and not arrow.types.is_null(types.get(field.name, field.type)):
            empty = arrow.nulls(len(table), types[field.name])
            table = table.set_column(place, field.name, empty)
        elif arrow.types.is_dictionary(field.type) and is_text(types.get(field.name)):
            table = table.set_column(place, field.with_metadata(CODED_TEXT), table.column(place))
    return table


@contextmanager
def naming(file: File) -> Iterator[None]:
    """What pyarrow says of a file it cannot read, in our words."""
    arrow = needed("pyarrow", "arrow", "Reading files")
    try:
        yield
    except (arrow.ArrowException, OSError, *UNREADABLE) as error:
        if isinstance(error, FileNotFoundError | PermissionError):
            raise
        raise FileError(_explained(file, str(error))) from None


def _explained(file: File, said: str) -> str:
    if not isinstance(file, Csv):
        return _damaged(file, said)
    if cell := re.search(ODD_CELL, said, re.DOTALL):
        return _odd_cell(file, int(cell[1]), WORDS.get(cell[2], cell[2]), cell[3])
    if cells := re.search(r"Expected (\d+) columns, got (\d+)", said):
        expected, found = map(int, cells.groups())
        line = next((line for line, some in file.odd_lines(lambda some: len(some) != expected)), None)
        if line is not None:
            return (
                f"Line {line} of {str(file.path)!r} has {found} cells, but its header has {expected}. Correct the line."
            )
    return _damaged(file, said)


def _damaged(file: File, said: str) -> str:
    return f"{str(file.path)!r} cannot be read; it is damaged, or not what its name says ({said})."


def _odd_cell(file: Csv, column: int, kind: str, value: str) -> str:
    name, many = file.schema.names[column], len(file.schema)
    lines = file.odd_lines(lambda cells: len(cells) == many and cells[column] == value)
    where = next((f", line {line}," for line, _ in lines), "")
    return (
        f"Column {name!r} of {str(file.path)!r}{where} holds {value!r}, but its other rows hold {kind}. Correct the "
        f"cell, or, if all cells are categories, list them: kinds={{{name!r}: ('categorical', [...])}}."
    )
