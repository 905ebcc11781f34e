"""Commands that answer for rows: predict, decide, explain, worked. Rows come and go in batches, in their order."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from suffice.cli import options as given
from suffice.cli.output import Refused, hints, show, show_written

if TYPE_CHECKING:
    import pyarrow as pa

    from suffice.arrays import Values
    from suffice.estimators.batchwise import AnswersRows

Row = Annotated[int, typer.Option("--row", metavar="N", help="Which row, counted from 1.")]
Guard = Annotated[bool, typer.Option("--for-spreadsheet", help="Keep a spreadsheet from reading texts as formulas.")]


def predict(
    model: given.Model,
    table: given.Rows = "-",
    output: given.Output = "-",
    skip: given.Skip = False,
    for_spreadsheet: Guard = False,
    as_json: given.JsonRows = False,
) -> None:
    """Add to each row its most probable class and the probability of every class.

    Example: suffice predict penguins.suffice new.csv -o answers.csv
    """
    from suffice.cli.tables import loaded, opened, write_rows

    with hints():
        fitted = loaded(model)
        rows = opened(table, fitted._columns_read(), skip)
        many = write_rows(fitted.answered(rows), output, as_json, for_spreadsheet)
    show_written(output, as_json, rows=many)


def decide(
    model: given.Model,
    table: given.Rows = "-",
    output: given.Output = "-",
    loss: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="A table of costs: first the action, then a column for each class."),
    ] = None,
    reject: Annotated[
        float | None, typer.Option(metavar="COST", help="The cost of giving no answer, where a mistake costs 1.")
    ] = None,
    prior: given.Prior = None,
    skip: given.Skip = False,
    for_spreadsheet: Guard = False,
    as_json: given.JsonRows = False,
) -> None:
    """Add to each row the action of least expected cost, and that cost.

    Example: suffice decide ill.suffice patients.csv --loss costs.csv --prior ill=0.02 --prior well=0.98
    """
    from suffice.cli.deciding import decision_on, read_costs
    from suffice.cli.tables import loaded, opened, write_rows

    with hints():
        fitted = loaded(model)
        classes = fitted.classes_.tolist()
        priors = given.as_classes(given.shares(prior), classes)
        decision = decision_on(fitted, read_costs(loss, reject, classes), priors)
        rows = opened(table, decision._columns_read(), skip)
        many = write_rows(decision.answered(rows), output, as_json, for_spreadsheet)
    show_written(output, as_json, rows=many)


def explain(
    model: given.Model,
    table: given.Rows = "-",
    row: Row = 1,
    between: Annotated[
        str | None, typer.Option(metavar="A,B", help="Which two classes; needed if there are more than two.")
    ] = None,
    as_json: given.Json = False,
) -> None:
    """Explain why a row belongs to one class rather than another: its log odds as a sum over columns.

    Example: suffice explain penguins.suffice new.csv --row 3 --between Adelie,Gentoo
    """
    from suffice import explain as explained
    from suffice.cli.tables import loaded

    with hints():
        fitted = loaded(model)
        pair = pair_of(between, fitted.classes_) if between else None
        found = explained(fitted, _one(table, row, fitted), between=pair)
    show(found, as_json)


def worked(model: given.Model, table: given.Rows = "-", row: Row = 1, as_json: given.Json = False) -> None:
    """Write out Bayes' rule for a row, factor by factor.

    Example: suffice worked melons.suffice melons.csv --row 1
    """
    from suffice import worked as written_out
    from suffice.cli.tables import loaded

    with hints():
        fitted = loaded(model)
        found = written_out(fitted, _one(table, row, fitted))
    show(found, as_json)


COMMANDS = (predict, decide, explain, worked)


def pair_of(between: str, classes: "Values") -> list[Any]:
    """Two classes as they were typed, A,B, by the classes themselves."""
    known = {str(name): name for name in classes.tolist()}
    return [known.get(name, name) for name in between.split(",")]


def _one(table: str, row: int, fitted: "AnswersRows") -> "pa.Table":
    """A single row, counted from 1."""
    from suffice.cli.tables import opened

    before = 0
    for batch in opened(table, fitted._columns_read()).read():
        if before < row <= before + len(batch.table):
            return batch.table.slice(row - 1 - before, 1)
        before += len(batch.table)
    raise Refused(f"{table} has {before} rows, so there is no row {row}")
