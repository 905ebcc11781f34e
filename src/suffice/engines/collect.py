"""Rows to a summary, wherever they are: here, in batches that come here, or summed where they are.

In:  a table, batches, a source of batches, or a lazy frame of an engine.
Out: Summary, the same whichever way it was made.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from suffice.data.batches import IntoRows, open_batches
from suffice.data.encodings import checked
from suffice.data.frames import lazy_frame
from suffice.data.hints import tell
from suffice.data.labels import IntoLabels
from suffice.data.levels import Level
from suffice.data.planning import Groups, Kinds, like, plan
from suffice.data.reading import Reading
from suffice.data.schema import Schema
from suffice.data.table import IntoTable, Table
from suffice.engines.lazy_rows import head
from suffice.engines.partitions import (
    Collecting,
    as_all_are_read,
    collected_there,
    columns_of,
    files_of,
    first_rows,
    is_partitioned,
    stays,
)
from suffice.engines.sums_there import obstacle, summed_there
from suffice.errors import ParameterError
from suffice.model.collect import Classes, PlanOf, Weights, columns_named, numbers_together, read_schema, summed
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
    label = labels if isinstance(labels, str) else None
    known = Reading(given, label, classes, kinds, encoding=checked(encoding))
    return gathered(table, labels, sample_weight, plan_of, classes, known=known, where=where)


def gathered(
    rows: IntoRows | Iterable[Any],
    labels: IntoLabels,
    sample_weight: Weights,
    plan_of: PlanOf,
    classes: Classes = None,
    unknown: Level | None = None,
    heard: set[tuple[str, str]] | None = None,
    known: Reading | None = None,
    where: str | None = None,
) -> Summary:
    """The summary of rows wherever they are; `known` says how files are read that have no types."""
    frame, partitioned = lazy_frame(rows), is_partitioned(rows)
    _refuse_elsewhere(rows, where, frame is not None, partitioned)
    if where == HERE or (where is None and frame is None and not stays(rows)):
        source = open_batches(rows, known)
        return summed(rows if source is None else source, labels, sample_weight, plan_of, classes, unknown, heard)
    reading = known or Reading()
    files = files_of(rows, reading) if frame is None else None
    names = columns_of(rows, files) if frame is None else frame.collect_schema().names()
    label, *weight = columns_named(names, labels, sample_weight)
    first = first_rows(rows, [label, *weight], files) if frame is None else head(frame.drop(label, *weight))
    schema = plan_of(first)
    tell(schema.hints, set() if heard is None else heard)
    why = obstacle(schema)
    by = weight[0] if weight else None
    if frame is not None and where != PARTITIONS and why is None:
        return summed_there(frame, schema, first, label, by, classes, unknown)
    if where == ENGINE:
        raise ParameterError(f"The engine cannot sum everything asked for: {why}. Use where='here'.")
    if partitioned:
        work = Collecting(label, by, schema, classes, unknown, as_all_are_read(files, reading))
        return collected_there(rows, work)
    return gathered(rows, labels, sample_weight, plan_of, classes, unknown, heard, known, HERE)


def _refuse_elsewhere(rows: IntoRows | Iterable[Any], where: str | None, lazy: bool, partitioned: bool) -> None:
    """A way that the rows cannot go."""
    if where is None or one_of(where, "where", (HERE, ENGINE, PARTITIONS)) == HERE:
        return
    if where == ENGINE and not lazy:
        raise ParameterError(f"where='engine' is only for lazy frames; found {type(rows).__name__}. Leave where out.")
    if where == PARTITIONS and not partitioned:
        raise ParameterError(
            f"where='partitions' is only for files and for Dask and PySpark frames; found {type(rows).__name__}. Leave "
            "where out."
        )
