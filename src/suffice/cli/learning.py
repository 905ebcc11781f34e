"""Commands that learn: look at a table, fit a model, compare, tune, cluster, evaluate."""

import re
from typing import TYPE_CHECKING, Annotated

import typer

from suffice.cli import options as given
from suffice.cli.models import AUTO, FOLDS, LOG_LOSS, Chosen, chosen, named
from suffice.cli.output import STANDARD, Refused, hints, say, show
from suffice.estimators.registry import BY_COMMAND

if TYPE_CHECKING:
    import pyarrow as pa

    from suffice.judge.validation import Validation
    from suffice.judge.validation_in_batches import BatchedValidation

Name = Annotated[str, typer.Option("--model", "-m", help=f"One of {', '.join((AUTO, *BY_COMMAND))}.")]
OneModel = Annotated[str, typer.Option("--model", "-m", help=f"One of {', '.join(BY_COMMAND)}.")]
Estimate = Annotated[str | None, typer.Option(help="ml, unbiased, map, mean or predictive.")]
Smoothing = Annotated[
    str | None, typer.Option(help="Laplace's λ, the rows added to every cell of a table of counts; or auto.")
]
By = Annotated[
    str,
    typer.Option(
        metavar="SCORE", help="What auto judges models by: log-loss, accuracy, or a file with a table of costs."
    ),
    given.READS,
]
Joint = Annotated[
    list[str] | None,
    typer.Option("--joint", metavar="A,B,…", help="Columns of numbers to model together by one Gaussian."),
]
Counts = Annotated[
    list[str] | None, typer.Option("--counts", metavar="A,B,…", help="Columns that together form a row of counts.")
]


def look(table: given.Table, label: given.LabelIfAny = None, as_json: given.Json = False) -> None:
    """Show what is in a table: kinds of columns as inferred, missing cells, values, classes, hints.

    Example: suffice look penguins.csv -y species
    """
    from suffice.cli.looking import looked_at
    from suffice.cli.tables import whole

    with hints():
        found = looked_at(whole(table, label), label)
    show(found, as_json)


def fit(
    table: given.Table,
    label: given.Label,
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="MODEL", help="Where to write the model."), given.KEEPS
    ],
    model: Name = AUTO,
    by: By = LOG_LOSS,
    kind: given.Kind = None,
    ignore: given.Ignore = None,
    joint: Joint = None,
    counts: Counts = None,
    prior: given.Prior = None,
    estimate: Estimate = None,
    smoothing: Smoothing = None,
    weight: given.Weight = None,
    skip: given.Skip = False,
    fail_under: given.FailUnder = None,
    as_json: given.Json = False,
) -> None:
    """Learn a model from rows with known classes, and write it to a file.

    Prints on stderr (or, with --json, on stdout) how well the model predicts rows that it has not seen: by exact
    leave-one-out where there is a closed form, otherwise by ten folds.

    Example: suffice fit penguins.csv -y species -o penguins.suffice --ignore year
    Example: suffice fit ill.csv -y ill -o m.suffice -m naive-bayes --kind visits=poisson --prior yes=.1 --prior no=.9
    Example: suffice fit loans.csv -y paid -o m.suffice --by costs.csv --fail-under 0.8
    """
    from suffice.cli.tables import classes_of, whole

    with hints():
        kinds = given.kinds(kind, ignore)
        rows = whole(table, label, weight, *kinds, skip=skip)
        settings = {
            "kinds": kinds or None,
            "joint": _groups(joint),
            "counts": _groups(counts),
            "priors": given.as_classes(given.shares(prior), classes_of(rows, label)),
            "estimate": estimate,
            "smoothing": _number(smoothing),
        }
        found = chosen(model, rows, label, settings, weight, by)
        score = _validated(found, rows, label, weight)
        found.model.save(output)
    say(found.reason or f"{found.name} fitted")
    show(score, as_json, aside=True, written=output, model=found.name, reason=found.reason)
    _refuse_below(float(score.accuracy), fail_under)


def compare(
    table: given.Table,
    label: given.Label,
    model: Annotated[
        list[str] | None, typer.Option("--model", "-m", help="A model to compare; repeat for several.")
    ] = None,
    kind: given.Kind = None,
    ignore: given.Ignore = None,
    weight: given.Weight = None,
    folds: given.Folds = FOLDS,
    as_json: given.Json = False,
) -> None:
    """Compare several models on the same rows left out.

    Example: suffice compare penguins.csv -y species -m naive-bayes -m lda -m logistic
    """
    from suffice import compare as compared
    from suffice.cli.tables import whole

    with hints():
        kinds = given.kinds(kind, ignore)
        rows, settings = whole(table, label, weight, *kinds), {"kinds": kinds or None}
        every = [name for name, entry in BY_COMMAND.items() if not entry.posteriors]
        models = {name: named(name, settings) for name in model or every}
        found = compared(models, rows, label, folds=folds or None, sample_weight=weight)
    show(found, as_json)


def tune(
    table: given.Table,
    label: given.Label,
    output: Annotated[
        str | None,
        typer.Option("-o", "--output", metavar="MODEL", help="Where to write the best model."),
        given.KEEPS,
    ] = None,
    model: OneModel = "naive-bayes",
    kind: given.Kind = None,
    ignore: given.Ignore = None,
    weight: given.Weight = None,
    as_json: given.Json = False,
) -> None:
    """Find the settings of a model that predict rows left out best, and list all that were tried.

    Example: suffice tune penguins.csv -y species -m discriminant -o best.suffice
    """
    from suffice import tune as tuned
    from suffice.cli.tables import whole

    with hints():
        kinds = given.kinds(kind, ignore)
        asked = named(model, {"kinds": kinds or None})
        found = tuned(asked, whole(table, label, weight, *kinds), label, sample_weight=weight)
        if output:
            found.best.model.save(output)
    show(found, as_json, written=output)


def cluster(
    table: given.Table,
    output: given.Output = "-",
    save: Annotated[str | None, typer.Option(metavar="MODEL", help="Where to write the mixture."), given.KEEPS] = None,
    components: Annotated[str, typer.Option(help="How many groups; or a range, from which BIC chooses.")] = "1-6",
    shape: Annotated[str, typer.Option(help="full, diagonal or spherical covariances.")] = "full",
    kind: given.Kind = None,
    ignore: given.Ignore = None,
    weight: given.Weight = None,
    seed: given.Seed = 0,
    for_spreadsheet: given.Guard = False,
    as_json: given.JsonRows = False,
) -> None:
    """Find groups in unlabelled rows: a mixture, or latent classes if all columns are categories.

    Adds to each row its most probable component and the probability of every component.

    Example: suffice cluster geyser.csv --components 1-5 -o groups.csv
    """
    from suffice import Mixture, choose
    from suffice.cli.tables import opened, refuse_guarded_json, whole, write_rows

    with hints():
        refuse_guarded_json(for_spreadsheet, output, as_json)
        kinds = given.kinds(kind, ignore)
        rows = whole(table, None, weight, *kinds)
        mixture = Mixture(shape=shape, kinds=kinds or None, random_state=seed)
        found = choose(mixture, rows, components=_numbers(components), sample_weight=weight)
        best = found.best
        if save:
            best.save(save)
        write_rows(best.answered(opened(table, best.model_.read)), output, as_json, for_spreadsheet)
    file = None if output == STANDARD else output
    show(found, as_json and file is not None, aside=True, written=file)


def evaluate(
    model: given.Model,
    label: given.Label,
    table: given.Rows = "-",
    weight: given.Weight = None,
    fail_under: given.FailUnder = None,
    as_json: given.Json = False,
) -> None:
    """Score a model on rows with known classes; rows that it learned from are left out one at a time.

    Example: suffice evaluate penguins.suffice new.csv -y species --fail-under 0.9
    """
    from suffice import evaluate as evaluated
    from suffice.cli.tables import loaded, whole

    with hints():
        found = evaluated(loaded(model), whole(table, label, weight), label, sample_weight=weight)
    show(found, as_json)
    _refuse_below(float(found.accuracy), fail_under)


COMMANDS = (look, fit, compare, tune, cluster, evaluate)


def _validated(found: Chosen, rows: "pa.Table", label: str, weight: str | None) -> "Validation | BatchedValidation":
    """Exactly, by leaving one out; by folds where that has no closed form, or where folds have chosen the model."""
    from suffice import evaluate as evaluated

    if found.comparison is not None and (score := found.comparison.best.validation) is not None:
        return score
    return evaluated(found.model, rows, label, sample_weight=weight, left_out=True)


def _refuse_below(accuracy: float, least: float | None) -> None:
    if least is not None and accuracy < least:
        say(f"suffice: accuracy {accuracy:.4f} is below --fail-under {least:g}")
        raise typer.Exit(3)


def _groups(texts: list[str] | None) -> list[list[str]] | None:
    return [given.separated(text) for text in texts] if texts else None


def _number(text: str | None) -> float | str | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return text


def _numbers(text: str) -> range:
    found = re.fullmatch(r"([0-9]{1,9})(?:-([0-9]{1,9}))?", text.strip())
    low, high = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
    if not 1 <= low <= high:
        raise Refused(f"--components must be a number or a range, such as 3 or 1-6; found {text!r}")
    return range(low, high + 1)
