"""Stage 1, files read together: the same columns in all, with one type each, known before the first row is read.

In:  paths, globs, folders.
Out: Files: names and types, and tables of pyarrow. What does not fit says which file, which column, what was found.
     Texts come as codes where the form of the file has them so.
"""

import glob
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from suffice.data.columns import NUMBER, TEXT
from suffice.data.complaints import naming
from suffice.data.csv_files import Csv
from suffice.data.formats import BATCH_CELLS, Feather, File, Names, Parquet, Types, is_text
from suffice.data.frames import CODED_TEXT
from suffice.data.json_files import JsonLines
from suffice.data.reading import CATEGORIES, MEASURED, Reading, Wanted
from suffice.data.sizes import parts_of
from suffice.data.spelling import TYPES, plainest
from suffice.data.text_files import AS_WRITTEN, JSON_VALUES, Text
from suffice.errors import FileError, NoFileError, ParameterError
from suffice.extras import needed
from suffice.store import refuse_impossible
from suffice.words import listed

if TYPE_CHECKING:  # which is imported when it is needed
    import pyarrow as pa

PACKED = (".gz", ".zst", ".bz2")
AnyPath = str | PathLike[str]
FORMATS: dict[str, Callable[..., File]] = {
    ".parquet": Parquet,
    ".feather": Feather,
    ".arrow": Feather,
    ".csv": Csv,
    ".tsv": Csv,
    ".jsonl": JsonLines,
    ".ndjson": JsonLines,
}
TYPED = {  # how categories of files that have types could be spelled
    "int64": frozenset(("whole", "fractions")),
    "double": frozenset(("fractions", "points")),
    "bool": frozenset(("true", "True", "TRUE")),
}


@dataclass(frozen=True)
class Batch:
    table: "pa.Table"
    place: str  # where its rows are, for messages
    file: int = 0  # which of several it is from
    written: "pa.Table | None" = None  # some columns of the same rows as they are written, in files of text


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
        return self._read(lambda file: file.record_batches(columns, self.types), columns)

    def beside(self, own: Names, kept: Names) -> Iterator[Batch]:
        """Rows with some columns by their types, and some as they are written, as far as files are text."""
        if all(file.typed for file in self.files):
            return self.read(tuple(dict.fromkeys((*own, *kept))))
        return self._read(lambda file: _beside(file, own, kept, self.types), own)

    def _read(self, opened: "Callable[[File], Iterable[pa.RecordBatch]]", columns: Names) -> Iterator[Batch]:
        for number, file in enumerate(self.files):
            with naming(file):
                for batch in record_batches(map(validated, opened(file)), columns, str(file.path), self.types):
                    yield replace(batch, file=number)


def _beside(file: File, own: Names, kept: Names, types: Types) -> "Iterator[pa.RecordBatch]":
    """Of a file; one that has types is written out among those that have none."""
    if isinstance(file, Text):
        yield from file.beside(own, kept, types)
        return
    arrow = needed("pyarrow", "arrow", "Reading files")
    for rows in file.record_batches(tuple(dict.fromkeys((*own, *kept))), types):
        texts = [rows.column(name).cast(arrow.string()) for name in kept]
        fields = [arrow.field(name, arrow.string(), metadata=AS_WRITTEN) for name in kept]
        mine = rows.select(list(own))
        yield arrow.RecordBatch.from_arrays([*mine.columns, *texts], schema=arrow.schema([*mine.schema, *fields]))


def open_files(paths: Iterable[AnyPath], reading: Reading) -> Files:
    """Files by their paths, with a type for each column: known, or by the cells of all of their heads."""
    files = tuple(file_of(path, reading) for path in found(paths))
    names = _common_names(files)
    wanted = reading.wanted(names)
    kinds = [dict(zip(file.schema.names, file.schema.types, strict=True)) for file in files]
    types = {name: _type_of(files, [some[name] for some in kinds], name, wanted) for name in names}
    for file in files:
        if isinstance(file, Text):
            file.expect(wanted.label, _literal(wanted))
    return Files(files, types)


def _literal(wanted: Wanted) -> frozenset[str]:
    """Columns of which texts that mean missing elsewhere were declared as levels."""
    missing = set(needed("pyarrow.csv", "arrow", "Reading files").ConvertOptions().null_values)
    return frozenset(name for name, levels in wanted.levels.items() if not missing.isdisjoint(levels))


def _type_of(files: Sequence[File], kinds: "Sequence[pa.DataType]", name: str, wanted: Wanted) -> "pa.DataType":
    arrow, held = needed("pyarrow", "arrow", "Reading files"), wanted.types.get(name)
    if held == TEXT:
        return arrow.string()
    if held == NUMBER:
        return arrow.float64()
    found = list(zip(files, kinds, strict=True))
    _refuse_mixed(arrow, name, found)
    texts = [file for file in files if isinstance(file, Text)]
    if held == CATEGORIES and texts:
        return _type_of_categories(arrow, files, texts, name)
    if held != MEASURED and any(name in file.codes_there for file in texts):
        return arrow.string()
    return _common_type(arrow, found, arrow.float64())


def _type_of_categories(arrow: ModuleType, files: Sequence[File], texts: Sequence[Text], name: str) -> "pa.DataType":
    """Numbers or truth values only if all cells are spelled alike, in all files; else text."""
    spelling = plainest(_spellings(file, name) for file in files)
    if spelling is None or all(arrow.types.is_null(file.schema.field(name).type) for file in files):
        return arrow.string()
    for file in texts:
        file.codes[name] = spelling
    return arrow.type_for_alias(TYPES[spelling])


def _spellings(file: File, name: str) -> frozenset[str]:
    if isinstance(file, Text):
        return file.spellings(name)
    kind = str(file.schema.field(name).type)
    return TYPED.get(re.sub(r"^u?int\d+$", "int64", kind), frozenset())


def _refuse_mixed(arrow: ModuleType, name: str, found: "Sequence[tuple[File, pa.DataType]]") -> None:
    """Truth values in one file and numbers in another: 1 would be taken for true, or for something else."""
    truths = [file for file, kind in found if arrow.types.is_boolean(kind)]
    numbers = [file for file, kind in found if arrow.types.is_integer(kind) or arrow.types.is_floating(kind)]
    if truths and numbers:
        raise FileError(
            f"Column {name!r} holds truth values in {str(truths[0].path)!r}, but numbers in {str(numbers[0].path)!r}. "
            "Files that are read together must hold the same: write it one way in all of them."
        )


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


def file_of(path: Path, reading: Reading) -> File:
    return FORMATS[form_of(path)](path, reading.skip, reading.encoding)


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
        odd = [name for name, times in Counter(names).items() if times > 1] if len(set(names)) < len(names) else []
        if odd:
            raise FileError(f"{str(file.path)!r} has the column {odd[0]!r} twice. Column names must differ.")
        lacking, more = _without(first, names), _without(names, first)
        if lacking or more:
            said = f"lacks {listed(lacking)}, which {str(files[0].path)!r} has" if lacking else ""
            said += " and " * bool(lacking and more) + (
                f"has {listed(more)}, which {str(files[0].path)!r} does not have" if more else ""
            )
            raise FileError(f"{str(file.path)!r} {said}. Files that are read together must have the same columns.")
    return tuple(files[0].schema.names)


def _without(names: Sequence[str], others: Sequence[str]) -> list[str]:
    """Names that are not among the others."""
    known = set(others)
    return [name for name in names if name not in known]


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
        place = f"{path!r}, rows from {row} on" if path else f"rows from {row} on"
        beside = [place for place, field in enumerate(rows.schema) if field.metadata in (AS_WRITTEN, JSON_VALUES)]
        own = rows.select([i for i in range(rows.num_columns) if i not in set(beside)]) if beside else rows
        table = _typed(arrow, own.select(list(columns)), types or {})
        yield Batch(table, place, written=rows.select(beside) if beside else None)
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
