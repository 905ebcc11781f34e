"""Options that several commands share, and how their texts are read.

In:  what a user typed: col=poisson, wins=binomial:10, ill=0.1. Out: what the library takes.
"""

import csv
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

import typer

from suffice.cli.output import Refused

READS, WRITES = "reads", "writes"  # marks of what is a path, to a file that a command reads, or writes: - is stdout
KEEPS = "keeps"  # the same of models and summaries, which are never written to stdout

Table = Annotated[
    str, typer.Argument(metavar="TABLE", help="A file, a pattern in quotes for several files, or - for stdin."), READS
]
Model = Annotated[str, typer.Argument(metavar="MODEL", help="A model that suffice fit wrote."), READS]
Rows = Annotated[
    str, typer.Argument(metavar="TABLE", help="A file, a pattern in quotes for several files, or - for stdin."), READS
]
Label = Annotated[str, typer.Option("-y", "--label", metavar="COLUMN", help="The column that holds the class.")]
LabelIfAny = Annotated[
    str | None, typer.Option("-y", "--label", metavar="COLUMN", help="The column that holds the class.")
]
Row = Annotated[int, typer.Option("--row", metavar="N", min=1, help="Which row, counted from 1.")]
Between = Annotated[
    str | None,
    typer.Option(
        "--between", metavar="A,B", help="Which two classes, if there are more; a name with a comma in quotes."
    ),
]
Seed = Annotated[int, typer.Option("--seed", metavar="N", min=0, help="The seed of the random starts.")]
Guard = Annotated[
    bool,
    typer.Option("--for-spreadsheet", help="Keep a spreadsheet from reading texts as formulas; not for JSON."),
]
Weight = Annotated[
    str | None, typer.Option("-w", "--weight", metavar="COLUMN", help="The column that says how often each row counts.")
]
Kind = Annotated[
    list[str] | None,
    typer.Option(
        "--kind", metavar="COLUMN=KIND", help="The kind of a column, such as visits=poisson or wins=binomial:10."
    ),
]
Ignore = Annotated[
    list[str] | None, typer.Option("--ignore", metavar="COLUMN", help="A column to leave out; may be repeated.")
]
Prior = Annotated[
    list[str] | None,
    typer.Option("--prior", metavar="CLASS=P", help="The probability of a class; repeat for each class."),
]
Skip = Annotated[
    bool, typer.Option("--skip-bad-rows", help="Skip lines with too many or too few cells, and say which.")
]
Json = Annotated[bool, typer.Option("--json", help="Print the same names and numbers as JSON.")]
JsonRows = Annotated[
    bool, typer.Option("--json", help="Print a line of JSON for each row; with -o, where they were written.")
]
Output = Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="Where to write; - is stdout."), WRITES]
Folds = Annotated[
    int, typer.Option("--folds", metavar="N", min=0, help="The number of folds; 0 leaves out one row at a time.")
]
FailUnder = Annotated[
    float | None,
    typer.Option(
        "--fail-under", metavar="ACCURACY", min=0, max=1, help="Exit with code 3 if the accuracy is below this."
    ),
]


def separated(text: str) -> list[str]:
    """Names with commas between them; one that holds a comma is in quotes."""
    try:
        return next(csv.reader([text], strict=True), [""])
    except csv.Error as error:
        raise Refused(
            f"names are separated by commas, one that holds a comma in quotes; found {text!r} ({error})"
        ) from None


def pairs(given: Iterable[str] | None, what: str) -> dict[str, str]:
    """NAME=VALUE texts; a name may hold an =, a value cannot."""
    found: dict[str, str] = {}
    for text in given or ():
        name, equals, value = text.rpartition("=")
        if not equals or not name or not value:
            raise Refused(f"{what}; found {text!r}")
        found[name] = value
    return found


def kinds(given: Iterable[str] | None, ignored: Sequence[str] | None) -> dict[str, Any]:
    """{column: kind}, with the numbers or levels that are declared with a kind behind a colon."""
    named = {
        name: _kind(text) for name, text in pairs(given, "--kind takes COLUMN=KIND, such as visits=poisson").items()
    }
    return named | dict.fromkeys(ignored or (), "ignore")


def _kind(text: str) -> Any:
    name, colon, rest = text.partition(":")
    if not colon:
        return name
    if name == "categorical":
        return name, separated(rest)
    try:
        return name, float(rest) if any(sign in rest for sign in ".eE") else int(rest)
    except ValueError:
        raise Refused(f"--kind {text}: a number must follow the colon, as in binomial:10") from None


def shares(given: Iterable[str] | None) -> dict[str, float] | None:
    """{class as typed: probability}, or nothing."""
    found = pairs(given, "--prior takes CLASS=PROBABILITY, such as ill=0.1")
    try:
        return {name: float(value) for name, value in found.items()} or None
    except ValueError as error:
        raise Refused(f"--prior takes numbers: {error}") from None


def as_classes(named: dict[str, float] | None, classes: Sequence[Any]) -> dict[Any, float] | None:
    """The same by the classes themselves, which may be numbers or truth values."""
    known = {str(name): name for name in classes}
    return named and {known.get(name, name): value for name, value in named.items()}
