"""Rows to a summary, wherever they are: here, in batches that come here, or summed where they are.

In:  a table, batches, a source of batches, or a lazy frame of an engine.
Out: Summary, the same whichever way it was made.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from suffice.data.batches import IntoRows, is_source, on_workers, open_batches, paths_of
from suffice.data.encodings import checked
from suffice.data.foreign import said_by
from suffice.data.frames import LazyFrame, is_dask, is_spark, lazy_frame
from suffice.data.hints import Hint, tell
from suffice.data.labelled import Classes
from suffice.data.labels import IntoLabels
from suffice.data.levels import Level
from suffice.data.planning import Groups, Kinds, like, plan
from suffice.data.reading import Reading
from suffice.data.rows import Rows, columns_named, rows_of
from suffice.data.schema import Schema
from suffice.data.table import IntoTable, Table
from suffice.data.weights import Weights
from suffice.engines.exact_text import refuse_alike
from suffice.engines.lazy_rows import head
from suffice.engines.sums_there import obstacle, summed_there
from suffice.errors import ParameterError
from suffice.lazy import lazy
from suffice.model.collect import PlanOf, collected, numbers_together, read_schema
from suffice.model.pairs import read_pairs, with_pairs
from suffice.model.summary import Summary
from suffice.options import one_of, switch

HERE, ENGINE, PARTITIONS = "here", "engine", "partitions"


def collect(
    table: IntoRows | Iterable[IntoTable | tuple[Any, ...]],
    labels: IntoLabels = None,
    *,
    joint: bool = True,
    pairs: bool | Sequence[str] = False,
    sample_weight: Weights = None,
    kinds: Kinds = None,
    counts: Groups = (),
    classes: Iterable[Level] | None = None,
    schema: Schema | Summary | None = None,
    where: str | None = None,
    encoding: str | None = None,
) -> Summary:
    """Summarise labelled rows; every closed-form model can be fitted from the summary.

    Parameters
    ----------
    table : a table, a path, a list of paths, a stream of Arrow, or an iterable of tables or (table, labels, weights)
        Batches are read one after the other. A path may be a glob or a folder of .parquet, .csv, .feather, .arrow or
        .jsonl files; streams are relations and cursors of DuckDB, datasets and readers of pyarrow, and the like.
    labels : array, series or str
        The class of each row, or the name of the column that holds it; for files and streams always the name.
    joint : bool
        Whether to keep the scatter between numeric columns, for each pattern of missing cells; discriminants and joint
        blocks need it. Otherwise each numeric column is kept by itself.
    pairs : bool, or list of names
        Whether to keep statistics of every pair of columns, or of every pair among those named, from which trees and
        averages of one-dependence models are learned. Their size grows with the square of the number of levels.
    sample_weight : array, or the name of the column that holds it
        How often each row counts: weight 2 means that the row occurs twice, weight 0 that it is absent.
    kinds, counts
        As for `NaiveBayes`.
    classes : list
        All possible classes, in case some have no rows yet.
    schema : Schema or Summary
        Another summary (or its schema), whose kinds of columns, and columns kept together, are to be used. If rows are
        collected in several places by the same schema, their summaries can be added whatever each place holds.

    where : "here", "engine" or "partitions"
        For a lazy frame (Polars, DuckDB, ibis, PySpark): whether its rows come here in batches, or are summed where
        they are, which is the default unless a column is of a kind that engines cannot sum. For a frame of Dask or
        PySpark: whether each partition is collected where it lies, as is the default for Dask. For files: "partitions"
        has the workers of Dask read them.
    encoding : str
        Of CSV and JSON lines that are not in UTF-8, such as "cp1252" or "gb18030".

    Raises
    ------
    TableError
        If rows cannot be read, or labels are of another number.
    KindError
        If a column holds cells that its kind does not allow.
    UnknownLabelsError
        If the class of some row is not known.
    ParameterError
        If a kind, or `where`, is not known.
    NoFileError
        If there is no such file.

    >>> from suffice import collect, example
    >>> columns, species = example("penguins")
    >>> collect(columns, species, kinds={"year": "ignore"})
    Summary · 344 rows · 3 classes · 6 columns
    <BLANKLINE>
    class      rows
    Adelie      152
    Chinstrap    68
    Gentoo      124
    <BLANKLINE>
    categorical: island, sex
    joint: bill_length_mm, bill_depth_mm, flipper_length_mm, body_mass_g

    """
    together = numbers_together if switch(joint, "joint") else lambda schema: schema
    asked = read_pairs(pairs)

    def planned(first: Table) -> Schema:
        return with_pairs(together(plan(first, kinds, counts=counts, tallied=True)), asked)

    given = None if schema is None else read_schema(schema, kinds, counts)
    plan_of = planned if given is None else partial(like, given)
    reading = Reading(given, labels if isinstance(labels, str) else None, classes, kinds, encoding=checked(encoding))
    return gathered(Asked(table, labels, sample_weight, classes, reading=reading, where=where), plan_of)


@dataclass(frozen=True, eq=False)
class Asked:
    """Rows of which a summary is asked for, wherever they are."""

    rows: IntoRows | Iterable[Any]
    labels: IntoLabels
    weights: Weights
    classes: Classes = None
    unknown: Level | None = None
    reading: Reading = field(default_factory=Reading)  # of files that have no types of their own
    where: str | None = None

    @lazy
    def frame(self) -> LazyFrame | None:
        """The rows as a lazy frame of an engine, if they are that."""
        return lazy_frame(self.rows)

    @property
    def stays(self) -> bool:
        """Whether partitions are worked on where they are, as they are unless somebody wants the rows here."""
        return self.where in (None, PARTITIONS)

    def labelled(self) -> Rows:
        """The rows in parts."""
        rows = self.rows
        if self.where == PARTITIONS and _are_files(rows):
            rows = on_workers(rows, self.reading)
        elif (found := open_batches(rows, self.reading)) is not None:
            rows = found if self.stays else replace(found, there=None)
        return rows_of(rows, self.labels, self.weights, self.classes, self.unknown)


def gathered(asked: Asked, plan_of: PlanOf, heard: set[tuple[str, str]] | None = None) -> Summary:
    """The summary of rows wherever they are."""
    _refuse_elsewhere(asked)
    told = set[tuple[str, str]]() if heard is None else heard
    if asked.frame is not None and asked.where in (None, ENGINE):
        with said_by("The engine that holds the rows cannot say which columns there are"):
            names = asked.frame.collect_schema().names()
        refuse_alike(asked.frame)
        label, *weight = columns_named(names, asked.labels, asked.weights)
        first = head(asked.frame.drop(label, *weight))
        schema = plan_of(first)
        why = obstacle(schema)
        if why is None:
            tell(schema.hints, told)
            by = weight[0] if weight else None
            return summed_there(asked.frame, schema, first, label, by, asked.classes, asked.unknown)
        if asked.where == ENGINE:
            raise ParameterError(f"The engine cannot sum everything asked for: {why}. Use where='here'.")
        if not is_spark(asked.rows):  # whose partitions can be worked on where they are
            tell((_coming(why),), told)
    rows = asked.labelled()
    schema = plan_of(rows.head)
    tell(schema.hints, told)
    return collected(rows, schema)


def _coming(why: str) -> Hint:
    """What is said of an engine's rows that come here though nobody has asked for it."""
    text = f"The engine cannot sum everything asked for: {why}. Its rows come here in batches, as with where='here'."
    return Hint(HERE, "", text)


def _are_files(rows: Any) -> bool:
    return is_source(rows) and bool(paths_of(rows))


def _refuse_elsewhere(asked: Asked) -> None:
    """A way that the rows cannot go."""
    where, name = asked.where, type(asked.rows).__name__
    if where is None or one_of(where, "where", (HERE, ENGINE, PARTITIONS)) == HERE:
        return
    if where == ENGINE and asked.frame is None:
        raise ParameterError(f"where='engine' is only for lazy frames; found {name}. Leave where out.")
    if where == PARTITIONS and not (is_dask(asked.rows) or is_spark(asked.rows) or _are_files(asked.rows)):
        raise ParameterError(
            f"where='partitions' is only for files and for Dask and PySpark frames; found {name}. Leave where out."
        )
