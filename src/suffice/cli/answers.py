"""Commands that answer for rows: predict, decide, explain, worked. Rows come and go in batches, in their order."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from suffice.cli import options as given
from suffice.cli.output import Refused, hints, show, show_written

if TYPE_CHECKING:
    import pyarrow as pa

    from suffice.arrays import Values
    from suffice.estimators.face import Face


def predict(
    model: given.Model,
    table: given.Rows = "-",
    output: given.Output = "-",
    skip: given.Skip = False,
    for_spreadsheet: given.Guard = False,
    as_json: given.JsonRows = False,
) -> None:
    """Add to each row its most probable class and the probability of every class.

    Example: suffice predict penguins.suffice new.csv -o answers.csv
    """
    from suffice.cli.tables import loaded, opened, refuse_guarded_json, write_rows

    with hints():
        refuse_guarded_json(for_spreadsheet, output, as_json)
        fitted = loaded(model)
        rows = opened(table, fitted.model_.read, skip)
        many = write_rows(fitted.answered(rows), output, as_json, for_spreadsheet)
    show_written(output, as_json, rows=many)


def decide(
    model: given.Model,
    table: given.Rows = "-",
    output: given.Output = "-",
    loss: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="A table of costs: first the action, then a column for each class."),
        given.READS,
    ] = None,
    reject: Annotated[
        float | None, typer.Option(metavar="COST", help="The cost of giving no answer, where a mistake costs 1.")
    ] = None,
    prior: given.Prior = None,
    skip: given.Skip = False,
    for_spreadsheet: given.Guard = False,
    as_json: given.JsonRows = False,
) -> None:
    """Add to each row the action of least expected cost, and that cost.

    Example: suffice decide ill.suffice patients.csv --loss costs.csv --prior ill=0.02 --prior well=0.98
    """
    from suffice.cli.deciding import decision_on, read_costs
    from suffice.cli.tables import loaded, opened, refuse_guarded_json, write_rows
    from suffice.estimators.batchwise import answered

    with hints():
        refuse_guarded_json(for_spreadsheet, output, as_json)
        fitted = loaded(model)
        classes = fitted.classes_.tolist()
        priors = given.as_classes(given.shares(prior), classes)
        decision = decision_on(fitted, read_costs(loss, reject, classes), priors)
        rows = opened(table, decision.read, skip)
        many = write_rows(answered(decision, rows, proba=False), output, as_json, for_spreadsheet)
    show_written(output, as_json, rows=many)


def explain(
    model: given.Model,
    table: given.Rows = "-",
    row: given.Row = 1,
    between: given.Between = None,
    as_json: given.Json = False,
) -> None:
    """Explain why a row belongs to one class rather than another: its log odds as a sum over columns.

    Example: suffice explain penguins.suffice new.csv --row 3 --between Adelie,Gentoo
    """
    from suffice import explain as explained
    from suffice.cli.tables import loaded

    with hints():
        fitted = loaded(model)
        pair = pair_of(between, fitted.classes_) if between is not None else None
        found = explained(fitted, _one(table, row, fitted), between=pair)
    show(found, as_json)


def worked(model: given.Model, table: given.Rows = "-", row: given.Row = 1, as_json: given.Json = False) -> None:
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
    """Two classes as they were typed, A,B, by the classes themselves, whose names may hold commas."""
    known = {str(name): name for name in classes.tolist()}
    commas = [place for place, char in enumerate(between) if char == ","]
    parted = [[between[:place], between[place + 1 :]] for place in commas]
    found = [pair for pair in parted if all(name in known for name in pair)] or [given.separated(between)]
    if len(found) > 1:
        raise Refused(f'--between {between} can be read in {len(found)} ways; put the names in quotes: \'"A","B"\'')
    if len(found[0]) != 2:
        raise Refused(f"--between takes two classes, A,B; found {between!r}. The classes are {', '.join(known)}")
    return [known.get(name, name) for name in found[0]]


def _one(table: str, row: int, fitted: "Face") -> "pa.Table":
    """A single row, counted from 1."""
    from suffice.cli.tables import opened

    before = 0
    for batch in opened(table, fitted.model_.read).read():
        if before < row <= before + len(batch.table):
            return batch.table.slice(row - 1 - before, 1)
        before += len(batch.table)
    raise Refused(f"{table} has {before} rows, so there is no row {row}")
