"""Stage 8, the numbers of a report: names and numbers only, from a model and what it says of rows it has not seen.

In:  a fitted classifier, a table, and a Validation of it on that table.
Out: one plain dict for each section, the same behind the page, JSON and tests. No cell of the table is in them:
     categories of few rows have no name, and numbers range as rows do that are drawn from the model.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from suffice.arrays import Array, Values
from suffice.data.kinds import CATEGORICAL, COUNTS
from suffice.data.levels import Level, array_of
from suffice.data.schema import ColumnPlan
from suffice.data.table import Table, read_table
from suffice.decisions.curves import calibration
from suffice.errors import SufficeError
from suffice.estimators.calibrated import Calibrated
from suffice.estimators.classifier import Classifier
from suffice.estimators.decision import nomogram
from suffice.estimators.linear_scores import LinearClassifier
from suffice.estimators.validation import Validation
from suffice.plots.along import alone, possible
from suffice.printing.language import say, worded

Section = dict[str, Any]
EDGES = np.linspace(-12.0, 12.0, 241)  # of ln P(second)/P(first); what is beyond counts in the last bins
SAMPLE = 2000  # posteriors of more than two classes that a page holds
DRAWS, TAIL, POINTS = 2000, 0.01, 101  # rows of the model, the share of them beyond each end, points of a curve
COLUMNS, LEVELS = 60, 15  # that are drawn


def plans_of(model: Any) -> tuple[ColumnPlan, ...]:
    """The columns that a model uses."""
    if isinstance(model, Calibrated):
        return plans_of(model.estimator_)
    schema = model._columns.schema if isinstance(model, LinearClassifier) else model.joint_.schema
    return tuple(schema.columns)


# rows left out


def scores(found: Validation) -> list[Section]:
    named = found.scores().items()
    return [{"name": str(worded(name)), "value": float(score), "se": float(score.se)} for name, score in named]


def confusion(found: Validation) -> Section:
    labels, logs, weights = _counted(found)
    many = len(found.classes)
    counts = np.bincount(many * labels + logs.argmax(axis=1), weights, many * many)
    return {"classes": _names(found), "counts": counts.reshape(many, many).tolist()}


def decision(found: Validation) -> Section:
    """What a page needs to decide by any loss: counts by bin of log odds for two classes, some posteriors for more."""
    labels, logs, weights = _counted(found)
    if len(found.classes) != 2:
        some = np.sort(np.random.default_rng(0).permutation(len(labels))[:SAMPLE])
        shares = np.exp(logs[some]).round(6).tolist()
        rows = [[int(label), *share] for label, share in zip(labels[some], shares, strict=True)]
        return {"classes": _names(found), "rows": rows, "of": len(labels)}
    with np.errstate(invalid="ignore"):
        odds = np.nan_to_num(logs[:, 1] - logs[:, 0], posinf=np.inf, neginf=-np.inf)
    bins = np.clip(np.searchsorted(EDGES, odds, side="right") - 1, 0, len(EDGES) - 2)
    counts = [np.bincount(bins[labels == k], weights[labels == k], len(EDGES) - 1).tolist() for k in (0, 1)]
    shares = np.bincount(labels, weights, 2) / weights.sum()
    return {"classes": _names(found), "edges": EDGES.round(6).tolist(), "counts": counts, "shares": shares.tolist()}


def calibrations(found: Validation) -> list[Section]:
    """Of each class; of two, of the second."""
    labels, logs, weights = _counted(found)
    places = [1] if len(found.classes) == 2 else range(len(found.classes))
    curves = ((k, calibration(np.exp(logs[:, k]).clip(0, 1), labels == k, weights=weights)) for k in places)
    parts = ("predicted", "observed", "low", "high", "rows")
    return [
        {"name": str(found.classes[k]), "k": k, "points": _side_by_side({name: getattr(curve, name) for name in parts})}
        for k, curve in curves
    ]


def _counted(found: Validation) -> tuple[Values, Array, Array]:
    """Labels, log posteriors and weights of the rows that count."""
    here = (found.labels >= 0) & (found.weights > 0)
    return found.labels[here], found.log_posterior[here], found.weights[here]


def _names(found: Validation) -> list[str]:
    return [str(name) for name in found.classes]


def _side_by_side(arrays: dict[str, Array]) -> list[Section]:
    rows = zip(*(array.tolist() for array in arrays.values()), strict=True)
    return [dict(zip(arrays, row, strict=True)) for row in rows]


# columns


def columns(model: Any, table: Table) -> list[Section]:
    """Each column of the table: its kind, the share of its cells that is missing, how many levels it has."""
    plans = {plan.name: plan for plan in plans_of(model)}
    return [_column(plans.get(name), table, name) for name in table.names[: 10 * COLUMNS]]


def _column(plan: ColumnPlan | None, table: Table, name: str) -> Section:
    codes = table.encoded(name).codes if plan and plan.kind == CATEGORICAL else None
    cells = table.numbers([name], slice(0, table.rows)) if plan and codes is None else None
    gone = float((codes < 0).mean()) if codes is not None else _missing(cells)
    kind = say("left out") if plan is None else str(worded(plan.kind))
    return {"name": name, "kind": kind, "missing": gone, "levels": len(plan.levels) if plan else 0}


def _missing(cells: Any) -> float | None:
    return None if cells is None or not isinstance(cells, np.ndarray) else float(np.isnan(cells).mean())


def densities(model: Classifier, table: Table, hide_below: float) -> list[Section]:
    """The density of each column in each class, of no more columns than a page can show."""
    plans = [plan for plan in plans_of(model) if plan.kind != COUNTS and plan.name in table.names][:COLUMNS]
    drawn = read_table(_drawn(model)) if plans else table
    shown = (
        _levels(model, table, p, hide_below) if p.kind == CATEGORICAL else _curve(model, table, drawn, p) for p in plans
    )
    return [one for one in shown if one["x"]]


def _drawn(model: Classifier) -> Any:
    return model.sample(DRAWS, random_state=0)[0]


def _curve(model: Classifier, table: Table, drawn: Table, plan: ColumnPlan) -> Section:
    x = _ladder(model, drawn, plan)
    return {"name": plan.name, "x": x.tolist(), **_heights(model, table, plan.name, x)}


def _ladder(model: Classifier, drawn: Table, plan: ColumnPlan) -> Array:
    """Values that the column can have, from end to end of what is drawn but for its tails."""
    cells = drawn.numbers([plan.name], slice(0, drawn.rows))[:, 0]
    low, high = np.nanquantile(cells, [TAIL, 1 - TAIL])
    allowed = possible(model, plan.name)
    x = np.linspace(low, high, POINTS)
    x = np.unique(x.round()) if allowed.whole else x
    return np.asarray(x[~allowed.outside(x)])


def _levels(model: Classifier, table: Table, plan: ColumnPlan, hide_below: float) -> Section:
    """The commonest levels by name; all others together, so that no rare one is named."""
    found = table.encoded(plan.name)
    counts = np.bincount(found.codes[found.codes >= 0], minlength=len(found.levels))
    often = [found.levels[i] for i in np.argsort(-counts, kind="stable")[:LEVELS] if counts[i] >= hide_below]
    named = [level for level in often if level in plan.levels]
    heights = _heights(model, table, plan.name, array_of(tuple(named))) if named else {"classes": [], "heights": []}
    texts = [str(level) for level in named]
    if named and len(named) < len(plan.levels):
        texts.append(say("others"))
        heights["heights"] = [[*row, max(0.0, 1 - sum(row))] for row in heights["heights"]]
    return {"name": plan.name, "x": list(range(len(texts))), "texts": texts, **heights}


def _heights(model: Classifier, table: Table, name: str, values: Values) -> Section:
    """P(value | class), a row for each class."""
    found = np.exp(model.log_density(alone(table, name, values)))
    return {"classes": [str(name) for name in model.joint_.classes], "heights": found.T.tolist()}


def nomogram_of(model: Classifier, hide_below: float, table: Table) -> Section | None:
    """Points of each value for the two commonest classes; None where columns are modelled together."""
    order = np.argsort(-np.asarray(model.priors_), kind="stable")[:2]
    pair = [model.joint_.classes[k] for k in sorted(order, reverse=True)]
    try:
        drawn = read_table(_drawn(model))
        ends = {plan.name: _ends(model, drawn, plan) for plan in plans_of(model)}
        found = nomogram(model, ends, between=pair)
    except SufficeError:
        return None
    rare = {plan.name: _rare(table, plan, hide_below) for plan in plans_of(model)}
    scales = [
        {"name": name, "ordered": scale.ordered, **_named(scale.values, scale.points, rare[name])}
        for name, scale in sorted(found.scales.items(), key=lambda item: -float(np.ptp(item[1].points)))
    ]
    return {"between": [str(name) for name in found.between], "prior": found.prior, "scales": scales[:COLUMNS]}


def _ends(model: Classifier, drawn: Table, plan: ColumnPlan) -> list[Level | None]:
    if plan.kind == CATEGORICAL:
        return [plan.levels[0], None]
    return [float(end) for end in _ladder(model, drawn, plan)[[0, -1]]]


def _rare(table: Table, plan: ColumnPlan, hide_below: float) -> set[Level]:
    if plan.kind != CATEGORICAL:
        return set()
    found = table.encoded(plan.name)
    counts = np.bincount(found.codes[found.codes >= 0], minlength=len(found.levels))
    common = {level for level, many in zip(found.levels, counts, strict=True) if many >= hide_below}
    return set(plan.levels) - common


def _named(values: Sequence[Level], points: Array, rare: set[Level]) -> Section:
    shown = [
        (value if isinstance(value, float) else str(value), float(p))
        for value, p in zip(values, points, strict=True)
        if value not in rare
    ]
    return {"values": [value for value, _ in shown], "points": [point for _, point in shown]}
