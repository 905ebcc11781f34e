"""Stage 1, the schema: which kind each column is, which levels it has, and which columns are modelled together.

In:  what `planning` decides about a table.
Out: Schema, an immutable description that two summaries can compare, merge and store.
"""

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from suffice.data.hints import Hint
from suffice.data.kinds import COUNTS, GAUSSIAN, JOINT, KINDS, TALLIED, Numbers, Range
from suffice.data.levels import Levels, names_of_file, union
from suffice.errors import FileError, KindError, ParameterError
from suffice.lazy import lazy
from suffice.store import Header
from suffice.transforms import Transform
from suffice.words import free, listed


class OfKind:
    """A column, or a block of columns, of some kind; the kind answers what is asked of it."""

    kind: str

    @property
    def coded(self) -> bool:
        """True if cells are codes of levels."""
        return KINDS[self.kind].coded

    @property
    def tallied(self) -> bool:
        """True of numbers kept by their counts, which a model takes for categories or for numbers."""
        return KINDS[self.kind].undecided

    @property
    def categorical(self) -> bool:
        return KINDS[self.kind].coded and not KINDS[self.kind].undecided

    @property
    def numeric(self) -> bool:
        """True of numbers as they stand, which a model may take each by itself or together."""
        return KINDS[self.kind].numeric

    @property
    def columnwise(self) -> bool:
        """True of such numbers where each is kept by itself."""
        return KINDS[self.kind].numeric and not KINDS[self.kind].together

    @property
    def crosswise(self) -> bool:
        """True of such numbers that are kept together."""
        return KINDS[self.kind].numeric and KINDS[self.kind].together

    @property
    def words(self) -> bool:
        """True of a row of counts."""
        return KINDS[self.kind].words

    @property
    def together(self) -> bool:
        return KINDS[self.kind].together


@dataclass(frozen=True)
class ColumnPlan(OfKind):
    name: str
    kind: str
    levels: Levels = ()  # categorical: what its codes stand for
    numbers: Numbers = ()  # known beforehand, as the kind asks for: trials, a shape
    declared: Levels = ()  # categorical: levels that a person or the type of the column has named, met or not
    closed: bool = False  # categorical: whether it may have no others than those, in whatever rows come
    binary: bool = False  # categorical: whether it may have two levels at most, in whatever rows come
    chosen: bool = False  # by the cells there were: others that the kind does not allow are taken for missing

    def __post_init__(self) -> None:
        if self.binary and len(self.levels) > 2:
            raise KindError(
                f"Column '{self.name}' is declared binary but holds {len(self.levels)} values: {listed(self.levels)}. "
                "Declare it categorical, or map its values to two."
            )
        if self.closed and not set(self.levels) <= set(self.declared):
            strange = [level for level in self.levels if level not in self.declared]
            raise KindError(
                f"Column '{self.name}' holds {listed(strange)}, which is not among the values declared: "
                f"{listed(self.declared)}. Declare all possible values, or map the others to those declared."
            )

    @property
    def described(self) -> str:
        return KINDS[self.kind].text(self.numbers)


@dataclass(frozen=True)
class BlockPlan(OfKind):
    """Columns that one family models: independent ones of a kind, or a group modelled together."""

    kind: str
    columns: tuple[ColumnPlan, ...]

    @lazy
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @property
    def transform(self) -> Transform | None:
        """How cells become those that the family models."""
        return KINDS[self.kind].transform

    @property
    def titles(self) -> tuple[str, ...]:
        """What the cells are called that the family models: "ln x"."""
        return self.names if self.transform is None else self.transform.titles(self.names)

    @property
    def numbers(self) -> list[Numbers]:
        """Of each column, what is known beforehand."""
        return [column.numbers for column in self.columns]

    @lazy
    def ranges(self) -> list[tuple[Range, list[int]]]:
        """Which cells are allowed, and in which columns."""
        allows = KINDS[self.kind].allows
        found: dict[Range, list[int]] = {}
        for j, numbers in enumerate(self.numbers):
            found.setdefault(allows(*numbers), []).append(j)
        return list(found.items())

    def take(self, columns: Sequence[int]) -> "BlockPlan":
        return BlockPlan(self.kind, tuple(self.columns[j] for j in columns))


@dataclass(frozen=True)
class Schema:
    blocks: tuple[BlockPlan, ...]
    names: tuple[str, ...] = ()  # all columns of the table, also those that no block models
    named: bool = True  # whether the names are the user's own
    open: bool = False  # whether every column is a word of one row of counts, so that a new one is a new word
    pairs: tuple[str, ...] = ()  # columns of which statistics of every two are kept, in sorted order
    suppressed: float = 0.0  # records of fewer rows were dropped, so that sums are no longer those of the rows
    hints: tuple[Hint, ...] = field(default=(), compare=False, repr=False)  # doubts about kinds, for whoever made it

    @property
    def columns(self) -> tuple[ColumnPlan, ...]:
        """Of all blocks; one that is tallied may also stand among those kept together."""
        return tuple(column for block in self.blocks for column in block.columns)

    @property
    def tallied(self) -> tuple[str, ...]:
        return self._names_of(TALLIED)

    @property
    def kept_together(self) -> frozenset[str]:
        """Numbers of which the scatter between them is kept."""
        return frozenset(self._names_of(JOINT))

    def _names_of(self, *kinds: str) -> tuple[str, ...]:
        return tuple(name for block in self.blocks if block.kind in kinds for name in block.names)

    def with_tallies(self, values: Mapping[str, Levels]) -> "Schema":
        """With some columns that are kept together counted by value too."""
        tallied = tuple(ColumnPlan(name, TALLIED, levels) for name, levels in values.items())
        return replace(self, blocks=(*self.blocks, BlockPlan(TALLIED, tallied))) if tallied else self

    def as_numbers(self, names: Container[str]) -> "Schema":
        """With some of the tallied columns no longer so: each by itself, unless it is kept together with others."""
        given = [name for name in self.tallied if name in names]
        if not given:
            return self
        apart = {*self._names_of(GAUSSIAN), *given} - set(self._names_of(JOINT))
        numbers = BlockPlan(GAUSSIAN, tuple(ColumnPlan(name, GAUSSIAN) for name in self.names if name in apart))
        rest = [
            block.take([j for j, name in enumerate(block.names) if not block.tallied or name not in given])
            for block in self.blocks
            if not block.columnwise
        ]
        return replace(self, blocks=tuple(block for block in (numbers, *rest) if block.columns))

    def apart(self, title: str, block: BlockPlan, taken: Container[str]) -> str:
        """A title for something about a block: a column's own name, or one that is no other column's and not taken."""
        own = {column.name for column in self.columns}
        return title if title in block.names else free(title, lambda name: name in own or name in taken)

    def with_columns(self, change: Callable[[ColumnPlan], ColumnPlan]) -> "Schema":
        blocks = (replace(block, columns=tuple(map(change, block.columns))) for block in self.blocks)
        return replace(self, blocks=tuple(blocks))

    def union(self, other: "Schema") -> "Schema":
        """The schema of rows of both: the same columns and kinds, all levels of either, all words if it is open.

        A column that one of them has not tallied is none of both.
        """
        if self.pairs != other.pairs:
            raise KindError(
                "Only summaries that keep the same pairs of columns can be combined; one keeps those of "
                f"{listed(self.pairs) or 'none'}, the other of {listed(other.pairs) or 'none'}. Collect both with the "
                "same pairs, or take marginal() of both, which keeps none."
            )
        if self.suppressed != other.suppressed:
            below = max(self.suppressed, other.suppressed)
            return replace(self, suppressed=below).union(replace(other, suppressed=below))
        if self.blocks == other.blocks:
            return self
        if self.suppressed and not self.open:
            self, other = self._with_words_of(other), other._with_words_of(self)
        if self.open and other.open:
            names = (*self.names, *self.new(other.names))
            return replace(self, blocks=(words(names),), names=names)
        tallied = set(self.tallied) ^ set(other.tallied)
        if tallied:
            return self.as_numbers(tallied).union(other.as_numbers(tallied))
        mine, theirs = ({(c.name, c.kind, c.numbers) for c in schema.columns} for schema in (self, other))
        odd = sorted({name for name, _, _ in mine ^ theirs})
        if odd:
            raise KindError(
                f"Only summaries of the same columns and kinds can be combined; these differ in {', '.join(odd)}. "
                "Declare the same kinds for both."
            )
        apart = sorted({name for _, names in self.outline ^ other.outline for name, _ in names})
        if apart:
            raise KindError(
                "Only summaries that keep the same columns together can be combined; these differ in "
                f"{', '.join(apart)}. Collect both with the same joint and counts."
            )
        same = {(column.name, column.kind): column for column in other.columns}
        return self.with_columns(lambda column: _with_levels(column, same[column.name, column.kind]))

    def _with_words_of(self, other: "Schema") -> "Schema":
        """Of rows of counts also words that suppression may have left to the other alone."""
        mine, theirs = ([block for block in schema.blocks if block.kind == COUNTS] for schema in (self, other))
        if len(mine) != 1 or len(theirs) != 1:
            return self
        every = words(tuple(sorted({*mine[0].names, *theirs[0].names})))
        blocks = tuple(every if block is mine[0] else block for block in self.blocks)
        return replace(self, blocks=blocks, names=(*self.names, *(n for n in every.names if n not in self.names)))

    def new(self, names: Sequence[str]) -> list[str]:
        """Which of those names are of no column here."""
        mine = set(self.names)
        return [name for name in names if name not in mine]

    def plain(self) -> dict[str, Any]:
        """As plain data, for a file."""
        blocks = [{"kind": block.kind, "columns": [vars(column) for column in block.columns]} for block in self.blocks]
        plain = {"blocks": blocks, "names": list(self.names), "named": self.named, "open": self.open}
        plain |= {"pairs": list(self.pairs)} if self.pairs else {}
        return plain | ({"suppressed": self.suppressed} if self.suppressed else {})

    @classmethod
    def from_plain(cls, data: dict[str, Any]) -> "Schema":
        blocks = tuple(map(_block, data["blocks"]))
        pairs = tuple(data.get("pairs", ()))
        below = float(data.get("suppressed", 0.0))
        switched = all(type(data[name]) is bool for name in ("named", "open"))
        if not switched or not isinstance(data["names"], list | tuple):
            raise FileError("The file's schema says nothing of the names of its columns.")
        schema = cls(blocks, tuple(data["names"]), data["named"], data["open"], pairs, below)
        again = set(schema.tallied) & set(schema._names_of(JOINT))
        columns = [column.name for column in schema.columns if column.kind != TALLIED or column.name not in again]
        if not all(map(_possible, schema.columns)) or not all(isinstance(name, str) for name in schema.names):
            raise FileError("The file's schema has an impossible column.")
        if len(set(columns)) != len(columns) or not set(columns) <= set(schema.names) or _repeated(schema.names):
            raise FileError("The file's schema lacks a column, or has one twice.")
        if sorted(set(pairs) & set(columns)) != list(pairs):
            raise FileError("The file's schema has impossible pairs of columns.")
        if any(not set(column.declared) <= set(column.levels) for column in schema.columns):
            raise FileError("The file's schema declares levels that it does not have.")
        return schema

    @property
    def outline(self) -> set[tuple[str, frozenset[tuple[str, Numbers]]]]:
        """What must agree before summaries can be put together."""
        return {(block.kind, frozenset((c.name, c.numbers) for c in block.columns)) for block in self.blocks}


def _block(plain: Header) -> BlockPlan:
    """One whose kind is that of its columns."""
    block = BlockPlan(str(plain["kind"]), tuple(map(_column, plain["columns"])))
    together = block.kind in KINDS and block.together  # columns of another kind that are one whole
    if not all(column.kind == block.kind or (together and column.kind == GAUSSIAN) for column in block.columns):
        raise FileError(f"The file's schema has columns of other kinds in a block of the kind {block.kind!r:.100}.")
    return block


def _column(plain: Header) -> ColumnPlan:
    named = {name: names_of_file(plain[name]) for name in ("levels", "declared")}
    if any(type(plain[name]) is not bool for name in ("closed", "binary", "chosen")):
        raise FileError("The file's schema has a column of which it does not say what cells it may have.")
    return ColumnPlan(**plain | named | {"numbers": tuple(plain["numbers"])})


def _repeated(names: Sequence[str]) -> bool:
    return len(set(names)) < len(names)


def _possible(column: ColumnPlan) -> bool:
    """Whether its numbers are what its kind takes; one that was registered elsewhere must be registered here too."""
    if column.kind not in KINDS:
        raise FileError(f"Column '{column.name}' is of the kind {column.kind!r}, which is not registered here.")
    try:
        return KINDS[column.kind].read(column.name, column.numbers) == column.numbers
    except ParameterError:
        return False


def _with_levels(column: ColumnPlan, other: ColumnPlan) -> ColumnPlan:
    if column.closed and other.closed and column.declared != other.declared:
        raise KindError(
            f"Column '{column.name}' is declared with the values {listed(column.declared)} in one summary and with "
            f"{listed(other.declared)} in the other, so it is not the same column. Declare the same list of all values "
            "there can be wherever rows are collected, and collect again."
        )
    levels = column.levels if column.levels == other.levels else union(column.levels, other.levels)
    naming = [one for one in (column, other) if one.closed] or [column, other]  # a person knows better than a type
    declared = column.declared if column == other else union(naming[0].declared, naming[-1].declared)
    binary, chosen, closed = column.binary or other.binary, column.chosen or other.chosen, naming[0].closed
    return replace(column, levels=levels, declared=declared, closed=closed, binary=binary, chosen=chosen)


@lru_cache(maxsize=8)
def words(names: tuple[str, ...]) -> BlockPlan:
    """One row of counts over all columns, of which there may be very many."""
    return BlockPlan(COUNTS, tuple(ColumnPlan(name, COUNTS) for name in names))
