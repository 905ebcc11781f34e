"""Stage 8, the report: one HTML file that opens anywhere, asks nobody for anything, and holds no cell of the data.

In:  a fitted classifier, a table and its classes.
Out: Report: `plain()` has the names and numbers, `html()` the page, `save(path)` writes it whole or not at all.
"""

import html
import json
import re
from dataclasses import dataclass
from importlib.metadata import version
from importlib.resources import files
from os import PathLike
from typing import Any

import numpy as np

from suffice.data.frames import named_apart
from suffice.data.labels import IntoLabels
from suffice.data.table import IntoTable, Table, read_table
from suffice.decisions.explain import explained
from suffice.estimators.classifier import Classifier
from suffice.estimators.evaluation import evaluate
from suffice.estimators.validation import Validation
from suffice.options import number, whole
from suffice.pages import numbers
from suffice.pages.words import words
from suffice.printing.language import say, spoken, worded
from suffice.store import replacing

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
}


def report(
    model: Any,
    X: IntoTable,
    y: IntoLabels,
    path: str | PathLike[str] | None = None,
    rows: int = 0,
    *,
    hide_below: float = RARE,
    source: str = "",
) -> "Report":
    """A page about a fitted classifier: verdict, scores of rows left out, decisions to try, the model in full.

    Parameters
    ----------
    model : classifier
        One of ours, fitted.
    X, y : table and classes
        As for `fit`.
        Rows that the model learned from are left out one at a time; other rows are predicted by the model as it is.
    path : path, optional
        Where to write the page.
    rows : int
        How many rows to show with their own values; 0 shows no cell of the table.
    hide_below : float
        Categories of fewer rows are not named.
    source : str
        Where the rows came from, for the page to say.

    """
    shown = whole(rows, "rows is how many rows to show, 0 or more", least=0)
    few = number(hide_below, "hide_below is a number of rows, 0 or more", lambda value: value >= 0)
    found = evaluate(model, X, y)
    columns, _ = named_apart(X, y)
    page = Report(_numbers(model, read_table(columns), found, shown, few, source), spoken())
    if path is not None:
        page.save(path)
    return page


def _numbers(model: Any, table: Table, found: Validation, shown: int, few: float, source: str) -> dict[str, Any]:
    known = {
        "columns": numbers.columns(model, table),
        "scores": numbers.scores(found),
        "confusion": numbers.confusion(found),
        "decision": numbers.decision(found),
        "calibration": numbers.calibrations(found),
        "model": model._repr_html_(),
        "how": str(worded(found.how)),
    }
    if isinstance(model, Classifier):
        trace = getattr(model, "trace_", None)
        known |= {
            "densities": numbers.densities(model, table, few),
            "nomogram": numbers.nomogram_of(model, few, table),
            "trace": [] if trace is None else np.asarray(trace.objective).tolist(),
            "rows": _explained(model, table, shown),
        }
    made = {"model": type(model).__name__, "version": version("suffice"), "source": source, "call": repr(model)}
    return {"title": type(model).__name__, "verdict": verdict(model, found), "made": made, "words": words()} | known


def verdict(model: Any, found: Validation) -> str:
    """How good it is, in two sentences, beside what is known without any column."""
    here = (found.labels >= 0) & (found.weights > 0)
    shares = np.bincount(found.labels[here], found.weights[here], len(found.classes)) / found.weights[here].sum()
    best = int(shares.argmax())
    entropy = float(-(shares[shares > 0] * np.log(shares[shares > 0])).sum())
    return say(
        "{model} gives the right class for {accuracy} of rows that it has not seen; always answering {name} would be "
        "right for {share}. Its log loss is {loss}, against {entropy} of class shares alone.",
        model=type(model).__name__,
        accuracy=f"{float(found.accuracy):.1%}",
        name=str(found.classes[best]),
        share=f"{shares[best]:.1%}",
        loss=f"{float(found.log_loss):.3g}",
        entropy=f"{entropy:.3g}",
    )


def _explained(model: Classifier, table: Table, shown: int) -> list[dict[str, Any]]:
    """Log odds of some rows as sums over columns, each between its two most probable classes."""
    found = []
    for row in range(min(shown, table.rows)):
        one, unseen = table.take(np.array([row])), model._as_fitted._unseen()
        first, second = np.argsort(-model.joint_.log_joint(one, unseen)[0], kind="stable")[:2]
        pair = (model.joint_.classes[first], model.joint_.classes[second])
        why = explained(model.joint_, one, pair, unseen, False)
        terms = [
            [say("prior odds"), why.prior],
            *([str(why.label(name)), term] for name, term in why.strongest(0).items()),
        ]
        title = say(
            "row {row}: ln odds of {first} against {second}", row=str(row + 1), first=str(pair[0]), second=str(pair[1])
        )
        found.append({"title": title, "terms": terms, "total": float(why.log_odds[0])})
    return found


@dataclass(frozen=True, eq=False)
class Report:
    """`plain()` is names and numbers, `html()` a page, `save(path)` writes it."""

    numbers: dict[str, Any]
    language: str

    def plain(self) -> dict[str, Any]:
        return {name: value for name, value in self.numbers.items() if name not in ("words", "model")}

    def save(self, path: str | PathLike[str]) -> None:
        with replacing(path) as beside:
            beside.write_text(self.html(), encoding="utf-8")

    def html(self) -> str:
        titles = {name: say(title) for name, title in SECTIONS.items() if self.numbers.get(name)}
        made = self.numbers["made"]
        parts = {
            "language": {"zh": "zh-CN"}.get(self.language, self.language),
            "title": html.escape(self.numbers["title"]),
            "verdict": html.escape(self.numbers["verdict"]),
            "made": html.escape(" · ".join(filter(None, (f"suffice {made['version']}", made["source"], made["call"])))),
            "contents": html.escape(say("contents")),
            "links": " ".join(f'<a href="#{name}">{html.escape(title)}</a>' for name, title in titles.items()),
            "sections": "\n".join(self._section(name, title) for name, title in titles.items()),
            "style": _resource("report.css"),
            "script": "\n".join(map(_resource, SCRIPTS)),
            "numbers": json.dumps(self.numbers, ensure_ascii=False, allow_nan=False).replace("<", "\\u003c"),
        }
        return re.sub(r"\{(\w+)\}", lambda found: parts[found[1]], _resource("report.html"))

    def _section(self, name: str, title: str) -> str:
        body = {"model": self.numbers["model"], "columns": self._columns()}.get(name, "")
        return f'<section id="{name}"><h2>{html.escape(title)}</h2><div class="body">{body}</div></section>'

    def _columns(self) -> str:
        """A table of the columns, which needs no script."""
        heads = (say("column"), say("kind"), say("missing"), say("levels"))
        top = "".join(f'<th scope="col">{html.escape(head)}</th>' for head in heads)
        rows = "".join(f"<tr>{_row(column)}</tr>" for column in self.numbers["columns"])
        whole = f'<table class="columns"><thead><tr>{top}</tr></thead><tbody>{rows}</tbody></table>'
        return f'<div class="scroll">{whole}</div>'


def _row(column: dict[str, Any]) -> str:
    missing = "" if column["missing"] is None else f"{column['missing']:.1%}"
    name, *cells = (
        html.escape(str(cell)) for cell in (column["name"], column["kind"], missing, column["levels"] or "")
    )
    return f'<th scope="row">{name}</th>' + "".join(f"<td>{cell}</td>" for cell in cells)


def _resource(name: str) -> str:
    return files("suffice.pages").joinpath(name).read_text(encoding="utf-8")
