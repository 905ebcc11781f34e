"""Commands on summaries as files: collect, merge, forget, inspect, show. Sites share these instead of rows."""

from functools import reduce
from operator import add
from typing import Annotated

import typer

from suffice.cli import options as given
from suffice.cli.output import hints, show

Summaries = Annotated[
    list[str], typer.Argument(metavar="SUMMARY", help="Files that suffice collect wrote."), given.READS
]
Into = Annotated[
    str, typer.Option("-o", "--output", metavar="SUMMARY", help="Where to write the summary."), given.KEEPS
]
Below = Annotated[
    float | None,
    typer.Option(
        "--suppress-below",
        metavar="ROWS",
        help="Drop every record of fewer rows, with its name, so that single rows are harder to read.",
    ),
]


def collect(
    table: given.Table,
    label: given.Label,
    output: Into,
    kind: given.Kind = None,
    ignore: given.Ignore = None,
    weight: given.Weight = None,
    pairs: Annotated[
        bool, typer.Option("--pairs", help="Keep statistics of pairs of columns, for the models tree and averaged.")
    ] = False,
    suppress_below: Below = None,
    skip: given.Skip = False,
    as_json: given.Json = False,
) -> None:
    """Summarise rows in one pass. Models can be fitted from the summary, and summaries can be added.

    Example: suffice collect "sales/*.parquet" -y churned -o sales.stats
    """
    from suffice import collect as collected
    from suffice import suppressed
    from suffice.cli.tables import opened, require

    with hints():
        rows = opened(table, skip=skip, label=label)
        kinds = given.kinds(kind, ignore)
        require(rows.names, table, label, weight, *kinds)
        summary = collected(rows, label, sample_weight=weight, kinds=kinds or None, pairs=pairs)
        summary = summary if suppress_below is None else suppressed(summary, suppress_below)
        summary.save(output)
    show(summary, as_json, aside=True, written=output)


def merge(summaries: Summaries, output: Into, as_json: given.Json = False) -> None:
    """Add summaries: the result is the summary of all their rows together.

    Example: suffice merge beijing.stats shanghai.stats -o both.stats
    """
    from suffice.cli.tables import loaded_summary

    with hints():
        total = reduce(add, map(loaded_summary, summaries))
        total.save(output)
    show(total, as_json, aside=True, written=output)


def forget(
    summary: Annotated[str, typer.Argument(metavar="SUMMARY", help="The summary to take rows from."), given.READS],
    rows: Annotated[str, typer.Argument(metavar="ROWS", help="A summary of the rows to be forgotten."), given.READS],
    output: Into,
    as_json: given.Json = False,
) -> None:
    """Take the rows of one summary out of another.

    Example: suffice forget all.stats withdrawn.stats -o rest.stats
    """
    from suffice.cli.tables import loaded_summary

    with hints():
        rest = loaded_summary(summary) - loaded_summary(rows)
        rest.save(output)
    show(rest, as_json, aside=True, written=output)


def inspect(
    summary: Annotated[str, typer.Argument(metavar="SUMMARY", help="A file that suffice collect wrote."), given.READS],
    other: Annotated[
        str | None,
        typer.Argument(metavar="OTHER", help="Another that shares rows with it: list their difference."),
        given.READS,
    ] = None,
    as_json: given.Json = False,
) -> None:
    """List what a reader of a summary could learn about single rows: records of one or two, and what all rows share.

    Of two summaries that share all other rows, list what their difference says of one or two.

    Example: suffice inspect hospital.stats
    """
    from suffice import disclosed
    from suffice.cli.tables import loaded_summary

    second = None if other is None else loaded_summary(other)
    show(disclosed(loaded_summary(summary), second), as_json)


def show_file(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A model or a summary."), given.READS],
    as_json: given.Json = False,
) -> None:
    """Print what is in a file: a model with its tables, or a summary.

    Example: suffice show penguins.suffice
    """
    from suffice import load

    show(load(file), as_json)


COMMANDS = (collect, merge, forget, inspect, show_file)
