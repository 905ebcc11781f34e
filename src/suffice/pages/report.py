"""Stage 8, the report: one HTML file that opens anywhere, asks nobody for anything, and shows no cell by itself.

In:  a fitted classifier, a table and its classes.
Out: Report: `plain()` has the names and numbers, `html()` the page, `save(path)` writes it whole or not at all.
"""

import hashlib
import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from importlib.resources import files
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from suffice.data.frames import named_apart
from suffice.data.labels import IntoLabels
from suffice.data.table import IntoTable, Table, read_table
from suffice.decisions.explain import explained
from suffice.estimators.generative import GenerativeClassifier
from suffice.estimators.training_priors import priors_of
from suffice.json_text import finite, json_text
from suffice.judge.evaluation import evaluate, refuse_no_classifier
from suffice.judge.validation import Validation
from suffice.options import number, whole
from suffice.pages import columns, numbers
from suffice.pages.hiding import Hidden, settings
from suffice.pages.levels import Reported, common_levels, plans_of, without_rare
from suffice.pages.words import words
from suffice.printing.html import as_html
from suffice.printing.language import say, spoken, worded
from suffice.store import refuse_overwriting, replacing
from suffice.words import visible

SCRIPTS = ("figures.js", "decision.js", "report.js")
RARE = 5  # rows: a category of fewer has no name in a report
SECTIONS = {  # what a page shows, in this order, where there are numbers for it
    "columns": "Columns",
    "scores": "How well it predicts rows it has not seen",
    "decision": "Decisions: costs, prior, rejection",
    "calibration": "Calibration",
    "nomogram": "What each value adds",
    "densities": "Columns by class",
    "trace": "EM",
    "rows": "Rows, explained",
    "model": "The model in full",
    "made": "How it was made",
}


def report(
    model: Reported,
    X: IntoTable,
    y: IntoLabels,
    path: str | PathLike[str] | None = None,
    rows: int = 0,
    *,
    hide_below: float = RARE,
    files: Sequence[str | PathLike[str]] = (),
) -> "Report":
    """Write a page about a fitted classifier: verdict, scores on rows left out, decisions to try, the model in full.

    Parameters
    ----------
    model : classifier
        A fitted suffice classifier.
    X, y : table and classes
        As for `fit`.
        Rows that the model learned from are left out one at a time; other rows are predicted by the model as it is.
    path : path, optional
        Where to write the page.
    rows : int
        How many rows to show with their values.
    hide_below : float
        Categories and classes with fewer rows than this are not named, and what the model says of such classes is
        left out, as are columns of numbers that do not vary within a class: their mean is a cell.
    files : paths
        The files that the model came from; the page lists them with their SHA-256. Whoever guesses a small file can
        confirm the guess by it, so do not list one with rows.

    Raises
    ------
    TableError
        If the rows cannot be read, or lack a column of the model.
    UnknownLabelsError
        If the class of some row is not known.
    ParameterError
        If `rows` or `hide_below` is below 0, or `path` is one of the `files`.
    NotFittedError
        If the model has not been fitted.

    >>> from suffice import NaiveBayes, example, report
    >>> columns, species = example("penguins")
    >>> page = report(NaiveBayes(kinds={"year": "ignore"}).fit(columns, species), columns, species)
    >>> page.plain()["confusion"]["counts"][0]
    [151.0, 1.0, 0.0]
    >>> page.html()[:15]
    '<!doctype html>'

    """
    shown = whole(rows, "rows, how many rows to show, must be a whole number, 0 or more", least=0)
    few = number(hide_below, "hide_below must be a number of rows, 0 or more", lambda value: value >= 0)
    if path is not None:
        refuse_overwriting([path], files)
    refuse_no_classifier(model)
    check_is_fitted(model)
    found = evaluate(model, X, y)
    cells, _ = named_apart(X, y)
    table = read_table(cells)
    hidden = Hidden.of(model, found, table, few)
    known = _of_rows(model, hidden.renamed(found)) | _of_columns(model, table, few, hidden)
    known |= {"rows": _explained(model, table, shown)} | _words(model, hidden.renamed(found), files)
    page = Report({name: finite(part) for name, part in known.items()}, spoken())
    if path is not None:
        page.save(path)
    return page


def _of_rows(model: Reported, found: Validation) -> dict[str, Any]:
    trace = getattr(model, "trace_", None)
    objective = np.array([]) if trace is None else np.asarray(trace.objective)
    return {
        "scores": numbers.scores(found),
        "confusion": numbers.confusion(found),
        "decision": numbers.decision(found, priors_of(model, None)),
        "calibration": numbers.calibrations(found),
        "trace": objective[np.isfinite(objective)].tolist(),
        "how": str(worded(found.how)),
    }


def _of_columns(model: Reported, table: Table, few: float, hidden: Hidden) -> dict[str, Any]:
    common = common_levels(model, table, few)
    drawn = isinstance(model, GenerativeClassifier)
    return {
        "columns": columns.columns(model, table),
        "densities": columns.densities(model, table, common, hidden) if drawn else [],
        "nomogram": columns.nomogram_of(model, common, hidden) if drawn else None,
        "model": as_html(without_rare(model.description(), model, common, hidden.classes, hidden.columns)),
    }


def _words(model: Reported, found: Validation, files: Sequence[str | PathLike[str]]) -> dict[str, Any]:
    made = {
        "version": version("suffice"),
        "call": settings(model),
        "files": {fspath(file): _digest(file) for file in files},
        "not shown": list(_not_shown(model)),
    }
    return {"title": type(model).__name__, "verdict": verdict(model, found), "made": made, "words": words()}


def _not_shown(model: Reported) -> Iterator[str]:
    """What there is too much of for a page."""
    classes, used = len(model.classes_), len(plans_of(model))
    if classes > numbers.CLASSES:
        yield say("Decisions, calibration and densities: {many} classes are too many for a page.", many=str(classes))
    elif used > (room := columns.room_for(classes)):
        yield say("Densities of columns after the first {many}.", many=str(room))


def _digest(path: str | PathLike[str]) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def verdict(model: Reported, found: Validation) -> str:
    """How good it is, in two sentences, beside what is known without any column."""
    here = (found.labels >= 0) & (found.weights > 0)
    shares = np.bincount(found.labels[here], found.weights[here], len(found.classes)) / found.weights[here].sum()
    best = int(shares.argmax())
    entropy = float(-(shares[shares > 0] * np.log(shares[shares > 0])).sum())
    return say(
        "{model} gives the right class for {accuracy} of rows that it has not seen; always answering {name} would be "
        "right for {share}. Its log loss is {loss}, against {entropy} for the class shares alone.",
        model=type(model).__name__,
        accuracy=f"{float(found.accuracy):.1%}",
        name=str(found.classes[best]),
        share=f"{shares[best]:.1%}",
        loss=f"{float(found.log_loss):.3g}",
        entropy=f"{entropy:.3g}",
    )


def _explained(model: Reported, table: Table, shown: int) -> list[dict[str, Any]]:
    """Log odds of some rows as sums over columns, each between its two most probable classes."""
    found: list[dict[str, Any]] = []
    if not isinstance(model, GenerativeClassifier) or len(model.classes_) < 2:
        return found
    for row in range(min(shown, table.rows)):
        one, unseen = table.take(np.array([row])), model.model_.recipe.unseen_as()
        first, second = np.argsort(-model.model_.log_joint(one)[0], kind="stable")[:2]
        pair = (model.joint_.classes[first], model.joint_.classes[second])
        why = explained(model.joint_, one, pair, unseen, False)
        terms = [
            [say("prior log odds"), why.prior],
            *([str(why.label(name)), term] for name, term in why.strongest(0).items()),
        ]
        title = say(
            "row {row}: ln odds of {first} against {second}", row=str(row + 1), first=str(pair[0]), second=str(pair[1])
        )
        found.append({"title": title, "terms": terms, "total": float(why.log_odds[0])})
    return found


@dataclass(frozen=True, eq=False)
class Report:
    """A report: `plain()` gives names and numbers, `html()` the page, and `save(path)` writes it."""

    numbers: dict[str, Any]
    language: str

    def plain(self) -> dict[str, Any]:
        return {name: value for name, value in self.numbers.items() if name not in ("words", "model")}

    def save(self, path: str | PathLike[str]) -> None:
        with replacing(path) as beside:
            beside.write_text(self.html(), encoding="utf-8")

    def html(self) -> str:
        titles = {name: say(title) for name, title in SECTIONS.items() if self.numbers.get(name)}
        drawn = {name: value for name, value in self.numbers.items() if name not in ("model", "made", "columns")}
        parts = {
            "language": {"zh": "zh-CN"}.get(self.language, self.language),
            "title": html.escape(self.numbers["title"]),
            "verdict": html.escape(self.numbers["verdict"]),
            "script_needed": html.escape(say("The pictures of this page need JavaScript.")),
            "contents": html.escape(say("contents")),
            "links": " ".join(f'<a href="#{name}">{html.escape(title)}</a>' for name, title in titles.items()),
            "sections": "\n".join(self._section(name, title) for name, title in titles.items()),
            "style": _resource("report.css"),
            "script": "\n".join(map(_resource, SCRIPTS)),
            "numbers": json_text(drawn).replace("<", "\\u003c"),
        }
        return re.sub(r"\{(\w+)\}", lambda found: parts[found[1]], _resource("report.html"))

    def _section(self, name: str, title: str) -> str:
        ready = {"model": lambda: self.numbers["model"], "columns": self._columns, "made": self._made}
        body = ready[name]() if name in ready else ""
        return f'<section id="{name}"><h2>{html.escape(title)}</h2><div class="body">{body}</div></section>'

    def _columns(self) -> str:
        """A table of the columns, which needs no script."""
        rows = [
            (one["name"], one["kind"], "" if one["missing"] is None else f"{one['missing']:.1%}", one["levels"] or "")
            for one in self.numbers["columns"]
        ]
        return _table("columns", rows, (say("column"), say("kind"), say("missing"), say("levels")))

    def _made(self) -> str:
        made = self.numbers["made"]
        rows = [(say("version"), f"suffice {made['version']}"), (say("call"), made["call"])]
        rows += [(say("not shown"), sentence) for sentence in made["not shown"]]
        return _table(
            "made", [*rows, *((visible(name), f"SHA-256 {digest}") for name, digest in made["files"].items())]
        )


def _table(name: str, rows: Sequence[Sequence[object]], heads: Sequence[str] = ()) -> str:
    top = "".join(f'<th scope="col">{html.escape(head)}</th>' for head in heads)
    body = "".join(f"<tr>{_row(*row)}</tr>" for row in rows)
    head = f"<thead><tr>{top}</tr></thead>" if heads else ""
    return f'<div class="scroll"><table class="{name}">{head}<tbody>{body}</tbody></table></div>'


def _row(first: object, *cells: object) -> str:
    return f'<th scope="row">{html.escape(str(first))}</th>' + "".join(
        f"<td>{html.escape(str(cell))}</td>" for cell in cells
    )


def _resource(name: str) -> str:
    return files("suffice.pages").joinpath(name).read_text(encoding="utf-8")
