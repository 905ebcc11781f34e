"""Commands that present: boundary, plot, report, export, demo."""

import sys
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import Annotated

import typer

from suffice.cli import options as given
from suffice.cli.output import STANDARD, hints, show, show_data, show_plain, show_text, show_written


def boundary(
    model: given.Model,
    between: Annotated[str, typer.Option(metavar="A,B", help="Which two classes; a name with a comma in quotes.")],
    solve_for: Annotated[str | None, typer.Option(metavar="COLUMN", help="Solve the equation for this column.")] = None,
    as_json: given.Json = False,
) -> None:
    """Print the equation of the boundary between two classes, if it has a closed form.

    Example: suffice boundary bills.suffice --between Gentoo,Chinstrap --solve-for bill_depth_mm
    """
    from suffice import boundary as boundary_of
    from suffice.cli.answers import pair_of
    from suffice.cli.tables import loaded

    with hints():
        fitted = loaded(model)
        found = boundary_of(fitted, *pair_of(between, fitted.classes_))
    if solve_for is not None:
        show_text("equation", found.solve_for(solve_for), as_json)
    else:
        show(found, as_json)


def plot(
    picture: Annotated[str, typer.Argument(metavar="PICTURE", help="regions, densities, roc, calibration, …")],
    model: given.Model,
    table: given.Rows = "-",
    output: Annotated[
        str,
        typer.Option(
            "-o", "--output", metavar="FILE", help="A picture: .svg .png .pdf .eps .jpg …; - is SVG on stdout."
        ),
        given.WRITES,
    ] = "plot.svg",
    label: given.LabelIfAny = None,
    row: given.Row = 1,
    between: given.Between = None,
    as_json: given.Json = False,
) -> None:
    """Draw a picture of a model and its rows.

    Example: suffice plot calibration penguins.suffice penguins.csv -y species -o calibration.svg
    """
    from suffice.cli.answers import pair_of
    from suffice.cli.drawing import drawn, form_of_picture, write_picture
    from suffice.cli.tables import loaded, whole

    with hints():
        form = form_of_picture(output, as_json)
        fitted = loaded(model)
        pair = pair_of(between, fitted.classes_) if between is not None else None
        write_picture(drawn(picture, fitted, whole(table, label), label, row, pair), output, form)
    show_written(output, as_json)


def report(
    model: given.Model,
    label: given.Label,
    table: given.Rows = "-",
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FILE", help="An HTML file; - is stdout."), given.WRITES
    ] = "report.html",
    rows: Annotated[int, typer.Option(metavar="N", min=0, help="How many rows to show with their cells.")] = 0,
    as_json: given.Json = False,
) -> None:
    """Write a report that opens in any browser: verdict, columns, scores, decisions to try, the model in full.

    Example: suffice report penguins.suffice penguins.csv -y species -o penguins.html
    """
    from suffice import report as reported
    from suffice.cli.tables import loaded, whole

    with hints():
        cells = whole(table, label)
        page = None if as_json or output == STANDARD else output
        read = [file for file in (model,) if Path(file).is_file()]
        found = reported(loaded(model), cells, label, path=page, rows=rows, files=read)
    if as_json:
        show_plain(found.plain())
    elif page is None:
        show_data("page", found.html(), as_json)
    else:
        show_written(output, as_json)


def export(
    model: given.Model,
    sql: Annotated[str, typer.Option(help="The dialect: duckdb, postgres or sqlite.")] = "duckdb",
    table: Annotated[str, typer.Option(help="The table that holds the rows.")] = "rows",
    key: Annotated[str, typer.Option(help="The column that tells rows apart.")] = "id",
    answer: Annotated[str, typer.Option(help="proba, log_joint or class.")] = "proba",
    output: given.Output = "-",
    as_json: given.Json = False,
) -> None:
    """Write the model as SQL that scores rows inside a database.

    Example: suffice export sales.suffice --sql postgres --table sales --key id -o score.sql
    """
    from suffice.cli.tables import loaded, write_text

    with hints():
        text = loaded(model).to_sql(sql, table=table, key=key, output=answer)
    if output == STANDARD:
        show_data("sql", text, as_json)
    else:
        write_text(text, output)
        show_written(output, as_json)


def demo(
    folder: Annotated[
        Path | None, typer.Option(help="Where to put the pictures and the report; by default suffice-demo.")
    ] = None,
    as_json: given.Json = False,
) -> None:
    """Show what suffice can do, on two bundled tables.

    Example: suffice demo --folder pictures
    """
    from suffice.examples import demo as shown

    with redirect_stdout(sys.stderr) if as_json else nullcontext():
        path = shown.main([] if folder is None else [str(folder)])
    if as_json:
        show_plain({"report": str(path)})


COMMANDS = (boundary, plot, report, export, demo)
