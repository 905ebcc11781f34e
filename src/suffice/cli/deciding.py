"""Decisions on a model that was fitted before: costs from a file, and the class priors where the decisions are made.

In:  a model from a file, costs, priors. Out: something that answers rows with an action and its expected cost.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from suffice.cli.output import Refused
from suffice.cli.tables import whole
from suffice.data.csv_files import Csv
from suffice.data.files import file_of
from suffice.data.reading import Reading
from suffice.decisions.loss import Loss
from suffice.decisions.shift import refuse_impossible
from suffice.estimators.decision import BayesDecision
from suffice.estimators.face import Face
from suffice.estimators.training_priors import known, priors_of
from suffice.learn.decided import Decided, Deciding, Priors
from suffice.model.rules import prevalence


def decision_on(model: Face | BayesDecision, loss: Loss, priors: Mapping[Any, float] | None) -> Decided:
    """The actions of least expected cost, by the posteriors of a model that is fitted."""
    if isinstance(model, BayesDecision):
        raise Refused("the file holds decisions, with costs and priors of their own; suffice predict gives them")
    inner = model.model_
    names = inner.classes
    loss.on(names)  # classes that do not fit are an error now
    before = after = None
    if priors is not None:
        before = known(priors_of(model, None, None), model)
        after = prevalence(before, names, dict(priors), 0.0)
        refuse_impossible(before, after, names)
    return Decided(Deciding({}), inner, loss, Priors(before, after), inner.schema, names, inner.library)


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
