"""Decisions on a model that was fitted before: costs from a file, and the class priors where the decisions are made.

In:  a model from a file, costs, priors. Out: something that answers rows with an action and its expected cost.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from suffice.arrays import Array, Values
from suffice.cli.output import Refused
from suffice.cli.tables import whole
from suffice.data.csv_files import Csv
from suffice.data.files import file_of
from suffice.data.levels import plain
from suffice.data.reading import Reading
from suffice.data.schema import Schema
from suffice.data.table import IntoTable
from suffice.decisions.decide import decide
from suffice.decisions.loss import Loss
from suffice.decisions.shift import refuse_impossible, shifted
from suffice.estimators.batchwise import AnswersRows
from suffice.estimators.classifier import Classifier, LearnsAnew
from suffice.estimators.decision import BayesDecision
from suffice.estimators.training_priors import known, priors_of
from suffice.model.rules import prevalence


@dataclass(frozen=True, eq=False)
class FittedDecision(AnswersRows):
    """The action of least expected cost for rows, by the posteriors of a model that is fitted."""

    model: Classifier | LearnsAnew
    loss: Loss
    before: Array | None  # class priors in training
    after: Array | None  # and where the decisions are made

    def _columns_read(self) -> Schema:
        found: Schema = self.model._columns_read()
        return found

    def _row_answers(self, X: IntoTable, proba: bool) -> Mapping[str, Values]:
        posterior = self.model.predict_proba(X)
        if self.before is not None and self.after is not None:
            posterior = shifted(posterior, self.before, self.after)
        found = decide(posterior, self.loss, self.model.classes_)
        return {"action": found.action, "expected cost": found.risk}


def decision_on(
    model: Classifier | LearnsAnew | BayesDecision, loss: Loss, priors: Mapping[Any, float] | None
) -> FittedDecision:
    if isinstance(model, BayesDecision):
        raise Refused("the file holds decisions, with costs and priors of their own; suffice predict gives them")
    names = tuple(plain(name) for name in model.classes_)
    loss.on(names)  # classes that do not fit are an error now
    if priors is None:
        return FittedDecision(model, loss, None, None)
    before = known(priors_of(model, None, None), model)
    after = prevalence(before, names, dict(priors), 0.0)
    refuse_impossible(before, after, names)
    return FittedDecision(model, loss, before, after)


def read_costs(path: str | None, reject: float | None, classes: Sequence[Any]) -> Loss:
    """From a table whose first column names the action; 0–1 loss, perhaps with rejection, without one."""
    if path is None:
        return Loss.zero_one(classes, reject)
    if reject is not None:
        raise Refused("give --loss, in which rejection is an action of its own, or --reject, not both")
    costs = whole(path)
    known_names, (action, *columns) = {str(name): name for name in classes}, costs.column_names
    actions = costs.column(action).to_pylist()
    _refuse_twice(columns, f"{path} has the class {{}} twice, in columns {{}} and {{}}", range(2, 2 + len(columns)))
    _refuse_twice(actions, f"{path} has the action {{}} twice, in lines {{}} and {{}}", _lines(path, len(actions)))
    rows = zip(actions, costs.select(columns).to_pylist(), strict=True)
    return Loss({one: {known_names.get(name, name): cost for name, cost in row.items()} for one, row in rows})


def _refuse_twice(names: Sequence[Any], said: str, places: Sequence[int]) -> None:
    """Names that are the same but for the spaces around them."""
    seen = dict[str, int]()
    for name, place in zip(names, places, strict=True):
        before = seen.setdefault(str(name).strip(), place)
        if before != place:
            raise Refused(f"{said.format(repr(name), before, place)}. Give each its own name, or leave one out")


def _lines(path: str, rows: int) -> Sequence[int]:
    """The lines on which the rows of a file end; where it has no lines, rows as if they were lines below a header."""
    file = file_of(Path(path), Reading()) if Path(path).is_file() else None
    found = [line for line, _ in file.odd_lines(bool)][1:] if isinstance(file, Csv) else []
    return found if len(found) == rows else range(2, 2 + rows)
