"""From ln p(row, class) to an answer: Bayes' rule in layers.

In:  Scoring: a formula of a row, and its classes; what is wanted of it.
Out: one SQL text. A row that the model would refuse has NULL for an answer, and one that is impossible under every
     class has the class priors.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from suffice.arrays import Array
from suffice.data.levels import Levels
from suffice.data.schema import Schema
from suffice.engines.scoring.dialects import Dialect
from suffice.engines.scoring.layers import Layer, Layers
from suffice.engines.scoring.reading import reading
from suffice.formulas import (
    BEYOND,
    NEVER,
    ONE,
    ZERO,
    All,
    Cases,
    Cell,
    Compared,
    Condition,
    Either,
    Expression,
    Formula,
    Function,
    Greatest,
    Least,
    Literal,
    Not,
    Number,
    OrElse,
    added,
    dot,
    exp,
)
from suffice.words import free

PROBA, LOG_JOINT, CLASS, ACTION = "proba", "log_joint", "class", "action"
OUTPUTS = (PROBA, LOG_JOINT, CLASS, ACTION)
SOURCE = "t"  # what queries call the user's table
FITS = Compared(Cell("refused"), "=", ZERO)


@dataclass(frozen=True, eq=False)
class Scoring:
    """A model, as far as SQL is concerned."""

    schema: Schema
    unseen: str  # what to do with levels that are not known
    formula: Callable[[Sequence[Sequence[Expression]]], Formula]  # of the cells of each block: ln p(row, class)
    classes: Levels
    instead: Array  # (C,) probabilities of a row that is impossible under every class
    noun: str = "class"


Answer = Callable[[Layers, list[Expression], Scoring], dict[str, Expression]]  # the last layer, of scores of classes


def written(scoring: Scoring, dialect: Dialect, table: Sequence[str], key: Sequence[str], answer: Answer) -> str:
    """The query."""
    own = {f"k{i}": f"{SOURCE}.{dialect.quoted(name)}" for i, name in enumerate(key)}
    read, layers = reading(scoring.schema, scoring.unseen, dialect, SOURCE), Layers(dialect)
    formula = scoring.formula(read.blocks)
    layers.add({**read.cells, "odd": _flag(read.refused), "large": _flag(read.large)})
    scores = _cells("s", len(formula.own))
    odd = _flag((Compared(Cell("odd"), ">", ZERO), *formula.refused))
    layers.add({**_numbered("s", formula.own), "common": formula.common, "unfit": odd})
    beyond = Either((Compared(Cell("unfit"), ">", ZERO), *map(_lost, scores if read.large else ())))
    layers.add({"refused": _flag((beyond,))})
    out = answer(layers, scores, scoring)
    keys = {name: Cell(f"k{i}") for i, name in enumerate(key)}
    last = {**keys, **_apart(out, keys, dialect)}
    return layers.query(f"{'.'.join(map(dialect.quoted, table))} AS {SOURCE}", own | read.source, last)


def _flag(conditions: Sequence[Condition]) -> Expression:
    return Cases(((Either(tuple(conditions)), ONE),), ZERO) if conditions else ZERO


def _lost(score: Expression) -> Condition:
    """Whether cells are so large that a score is not finite."""
    size = OrElse(Function("abs", score), Number(np.inf))  # SQLite has NULL where a number is not one
    return All((Compared(Cell("large"), ">", ZERO), Compared(size, ">", Number(BEYOND))))


def _numbered(name: str, columns: Sequence[Expression]) -> dict[str, Expression]:
    return {f"{name}{i}": column for i, column in enumerate(columns)}


def _cells(name: str, count: int) -> list[Expression]:
    return [Cell(f"{name}{i}") for i in range(count)]


# answers


def _log_joint(layers: Layers, scores: list[Expression], scoring: Scoring) -> dict[str, Expression]:
    both = [score + Cell("common") for score in scores]
    fits = All((FITS, Not(Either(tuple(map(_lost, both))))))
    logs = (Cases(((fits, log),)) for log in both)
    return {f"ln p(row, {name})": log for name, log in zip(scoring.classes, logs, strict=True)}


def _class(layers: Layers, scores: list[Expression], scoring: Scoring) -> dict[str, Expression]:
    """The first of the greatest scores."""
    top = _with_top(layers, scores)
    likely = Literal(scoring.classes[int(np.argmax(scoring.instead))])
    first = (All((FITS, Compared(top, "=", NEVER))), likely)
    pairs = zip(scores, scoring.classes, strict=True)
    named = ((All((FITS, Compared(score, "=", top))), Literal(name)) for score, name in pairs)
    return {scoring.noun: Cases((first, *named))}


def _proba(layers: Layers, scores: list[Expression], scoring: Scoring) -> dict[str, Expression]:
    shares = _shares(layers, scores, scoring)
    return {f"P({name})": share for name, share in zip(scoring.classes, shares, strict=True)}


def action(actions: Levels, costs: Array) -> Answer:
    """The first of the least risks, and that risk, under costs (A, C)."""

    def answer(layers: Layers, scores: list[Expression], scoring: Scoring) -> dict[str, Expression]:
        layers.add(_numbered("p", _shares(layers, scores, scoring)))
        shares, least = _cells("p", len(scores)), Cell("least")
        layers.add(_numbered("risk", [dot(row, shares) for row in costs]))
        risks = _cells("risk", len(actions))
        layers.add({"least": Least(tuple(risks))})
        pairs = zip(risks, actions, strict=True)
        named = ((All((FITS, Compared(risk, "=", least))), Literal(name)) for risk, name in pairs)
        return {"action": Cases(tuple(named)), "risk": Cases(((FITS, least),))}

    return answer


def _with_top(layers: Layers, scores: list[Expression]) -> Expression:
    layers.add({"top": Greatest(tuple(scores))})
    return Cell("top")


def _shares(layers: Layers, scores: list[Expression], scoring: Scoring) -> list[Expression]:
    """Exponentials of scores less the greatest, over their sum."""
    top = _with_top(layers, scores)
    never = All((FITS, Compared(top, "=", NEVER)))
    powers = [
        Cases(((never, Number(float(prior))), (FITS, exp(score - top))))
        for score, prior in zip(scores, scoring.instead, strict=True)
    ]
    layers.add(_numbered("e", powers))
    parts = _cells("e", len(scores))
    layers.add({"whole": added(parts)})
    return [part / Cell("whole") for part in parts]


ANSWERS: Mapping[str, Answer] = {PROBA: _proba, LOG_JOINT: _log_joint, CLASS: _class}


def _apart(columns: Mapping[str, Expression], keys: Mapping[str, Expression], dialect: Dialect) -> Layer:
    """Columns of ours by names that are neither the user's own nor one to the engine."""
    taken, out = {dialect.known_as(name) for name in keys}, dict[str, Expression]()
    for name, column in columns.items():
        new = free(dialect.shortened(name), lambda one: dialect.known_as(one) in taken)
        taken.add(dialect.known_as(new))
        out[new] = column
    return out
