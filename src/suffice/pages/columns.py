"""Stage 8, the numbers of a report on columns: kinds, densities by class, what each value adds.

In:  a fitted classifier and a table.
Out: one plain dict for each section. No cell of the table is in them: levels of few rows have no name, and numbers
     range as rows do that are drawn from the model.
"""

from collections.abc import Mapping

import numpy as np

from suffice.arrays import Array, Matrix, Values
from suffice.data.levels import Level, array_of
from suffice.data.schema import ColumnPlan
from suffice.data.table import Table, read_table
from suffice.errors import SufficeError
from suffice.estimators.generative import GenerativeClassifier
from suffice.estimators.reasons import nomogram
from suffice.pages.hiding import Hidden
from suffice.pages.levels import Common, Reported, plans_of
from suffice.pages.numbers import CLASSES, Section
from suffice.plots.along import alone, possible
from suffice.printing.language import say, worded

DRAWS, TAIL, POINTS = 2000, 0.01, 61  # rows of the model, the share of them beyond each end, points of a curve
COLUMNS, CURVES, LEVELS = 60, 240, 15  # that are drawn; curves are columns times classes
LISTED = 600  # columns with their kinds


def columns(model: Reported, table: Table) -> list[Section]:
    """Each column of the table: its kind, the share of its cells that is missing, how many levels it has."""
    plans = {plan.name: plan for plan in plans_of(model)}
    return [_column(plans.get(name), table, name) for name in table.names[:LISTED]]


def _column(plan: ColumnPlan | None, table: Table, name: str) -> Section:
    codes = table.encoded(name).codes if plan and plan.categorical else None
    cells = table.numbers([name], slice(0, table.rows)) if plan and codes is None else None
    gone = float((codes < 0).mean()) if codes is not None else _missing(cells)
    kind = say("left out") if plan is None else str(worded(plan.kind))
    return {"name": name, "kind": kind, "missing": gone, "levels": len(plan.levels) if plan else 0}


def _missing(cells: Matrix | None) -> float | None:
    return None if cells is None or not isinstance(cells, np.ndarray) else float(np.isnan(cells).mean())


def densities(model: GenerativeClassifier, table: Table, common: Common, hidden: Hidden) -> list[Section]:
    """The density of each column in each class, of no more columns than a page can show."""
    room = room_for(len(model.joint_.classes))
    named = (plan for plan in plans_of(model) if not plan.words and plan.name in table.names)
    plans = [plan for plan in named if plan.name not in hidden.columns][:room]
    try:
        drawn = _drawn(model) if plans else table
        shown = [
            _levels(model, table, plan, common) if plan.categorical else _curve(model, table, drawn, plan)
            for plan in plans
        ]
    except SufficeError:  # no densities, or none to draw rows from
        return []
    return [_of_common_classes(model, one, hidden) for one in shown if one["x"]]


def _of_common_classes(model: GenerativeClassifier, one: Section, hidden: Hidden) -> Section:
    """Without the heights of classes that the page does not name."""
    kept = [k for k, name in enumerate(model.joint_.classes) if name not in hidden.classes]
    return one | {part: [one[part][k] for k in kept] for part in ("classes", "heights") if one[part]}


def room_for(classes: int) -> int:
    """How many columns are drawn."""
    return min(COLUMNS, CURVES // classes) if classes <= CLASSES else 0


def _drawn(model: GenerativeClassifier) -> Table:
    return read_table(model.sample(DRAWS, random_state=0)[0])


def _curve(model: GenerativeClassifier, table: Table, drawn: Table, plan: ColumnPlan) -> Section:
    x = _ladder(model, drawn, plan)
    return {"name": plan.name, "x": x.tolist(), **_heights(model, table, plan.name, x)}


def _ladder(model: GenerativeClassifier, drawn: Table, plan: ColumnPlan) -> Array:
    """Values that the column can have, from end to end of what is drawn but for its tails."""
    cells = drawn.numbers([plan.name], slice(0, drawn.rows))[:, 0]
    low, high = np.nanquantile(cells, [TAIL, 1 - TAIL])
    allowed = possible(model, plan.name)
    x = np.linspace(low, high, POINTS)
    x = np.unique(x.round()) if allowed.whole else x
    return np.array([float(f"{value:.5g}") for value in x[~allowed.outside(x)]])


def _levels(model: GenerativeClassifier, table: Table, plan: ColumnPlan, common: Common) -> Section:
    """The commonest levels by name; all others together, so that no rare one is named."""
    named = [level for level in common[plan.name] if level in plan.levels][:LEVELS]
    heights = _heights(model, table, plan.name, array_of(tuple(named))) if named else {"classes": [], "heights": []}
    texts = [str(level) for level in named]
    if named and len(named) < len(plan.levels):
        texts.append(say("others"))
        heights["heights"] = [[*row, max(0.0, 1 - sum(row))] for row in heights["heights"]]
    return {"name": plan.name, "x": list(range(len(texts))), "texts": texts, **heights}


def _heights(model: GenerativeClassifier, table: Table, name: str, values: Values) -> Section:
    """P(value | class), a row for each class."""
    found = np.exp(model.log_density(alone(table, name, values))).T
    heights = [[float(f"{height:.4g}") for height in row] for row in found]
    return {"classes": [str(name) for name in model.joint_.classes], "heights": heights}


def nomogram_of(model: GenerativeClassifier, common: Common, hidden: Hidden) -> Section | None:
    """Points of each value for the two commonest classes; None where columns are modelled together, or one is rare."""
    order = np.argsort(-np.asarray(model.priors_), kind="stable")[:2]
    pair = [model.joint_.classes[k] for k in sorted(order, reverse=True)]
    if not hidden.classes.isdisjoint(pair):
        return None
    try:
        drawn = _drawn(model)
        ends = {plan.name: _ends(model, drawn, plan) for plan in plans_of(model)}
        found = nomogram(model, ends, between=pair)
    except SufficeError:
        return None
    scales = [
        {"name": name, "ordered": scale.ordered, **_named(dict(zip(scale.values, scale.points, strict=True)), known)}
        for name, scale in found.scales.items()
        if name not in hidden.columns
        for known in [common.get(name)]
    ]
    widest = sorted((scale for scale in scales if scale["points"]), key=lambda scale: -float(np.ptp(scale["points"])))
    return {"between": [str(name) for name in found.between], "prior": found.prior, "scales": widest[:COLUMNS]}


def _ends(model: GenerativeClassifier, drawn: Table, plan: ColumnPlan) -> list[Level | None]:
    if plan.categorical:
        return [plan.levels[0], None]
    return [float(end) for end in _ladder(model, drawn, plan)[[0, -1]]]


def _named(points: Mapping[Level, float], known: tuple[Level, ...] | None) -> Section:
    """Values and their points, where these are finite; of a column with levels, only those that are common."""
    shown = {value: float(p) for value, p in points.items() if np.isfinite(p) and (known is None or value in known)}
    return {
        "values": [value if isinstance(value, float) else str(value) for value in shown],
        "points": list(shown.values()),
    }
