"""Stage 8, the numbers of a report on rows left out: scores, confusion, decisions to try, calibration.

In:  a Validation, and the class priors that are in its posteriors.
Out: one plain dict for each section, the same behind the page, JSON and tests. Its size does not grow with the rows.
"""

from typing import Any

import numpy as np

from suffice.arrays import Array, Values
from suffice.decisions.curves import calibration
from suffice.judge.validation import Validation
from suffice.printing.language import say, worded

Section = dict[str, Any]
EDGES = np.linspace(-12.0, 12.0, 241)  # of ln P(second)/P(first); what is beyond counts in the last bins
SAMPLE = 2000  # posteriors of more than two classes that a page holds
CLASSES = 20  # that can be told apart on a page; of more there are scores, and the commonest in the confusion


def scores(found: Validation) -> list[Section]:
    named = found.scores().items()
    return [{"name": str(worded(name)), "value": float(score), "se": float(score.se)} for name, score in named]


def confusion(found: Validation) -> Section:
    """Rows by true class and answer; of very many classes all but the commonest are one."""
    labels, logs, weights = _counted(found)
    shares = np.bincount(labels, weights, len(found.classes))
    often = np.sort(np.argsort(-shares, kind="stable")[:CLASSES])
    place = np.full(len(shares), len(often))
    place[often] = np.arange(len(often))
    many = len(often) + (len(shares) > len(often))
    counts = np.bincount(many * place[labels] + place[logs.argmax(axis=1)], weights, many * many)
    names = [str(found.classes[k]) for k in often] + [say("others")] * (many - len(often))
    return {"classes": names, "counts": counts.reshape(many, many).tolist()}


def decision(found: Validation, priors: Array | None) -> Section | None:
    """What a page needs to decide by any loss: counts by bin of log odds for two classes, some posteriors for more.

    `priors` are those in the posteriors, where they are known; otherwise the shares of the classes stand for them.
    """
    labels, logs, weights = _counted(found)
    many = len(found.classes)
    if many > CLASSES:
        return None
    shares = np.bincount(labels, weights, many) / weights.sum()
    before = shares if priors is None else priors
    known = {"classes": [str(name) for name in found.classes], "priors": before.tolist(), "of": len(labels)}
    return known | (_by_bin(labels, logs, weights) if many == 2 else _sampled(labels, logs, weights))


def _by_bin(labels: Values, logs: Array, weights: Array) -> Section:
    """Rows by true class and by bin of their log odds; of rows without odds, which nothing explains, the middle."""
    with np.errstate(invalid="ignore"):
        odds = np.nan_to_num(logs[:, 1] - logs[:, 0], posinf=np.inf, neginf=-np.inf)
    bins = np.clip(np.searchsorted(EDGES, odds, side="right") - 1, 0, len(EDGES) - 2)
    counts = [np.bincount(bins[labels == k], weights[labels == k], len(EDGES) - 1).tolist() for k in (0, 1)]
    return {"edges": EDGES.round(6).tolist(), "counts": counts}


def _sampled(labels: Values, logs: Array, weights: Array) -> Section:
    """Posteriors of some rows, each after its class and its weight."""
    some = np.sort(np.random.default_rng(0).permutation(len(labels))[:SAMPLE])
    shares = np.exp(logs[some]).round(6).tolist()
    known = zip(labels[some].tolist(), weights[some].tolist(), shares, strict=True)
    return {"rows": [[label, weight, *share] for label, weight, share in known]}


def calibrations(found: Validation) -> list[Section]:
    """Of each class; of two, of the second."""
    labels, logs, weights = _counted(found)
    many = len(found.classes)
    places = [1] if many == 2 else range(many if many <= CLASSES else 0)
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


def _side_by_side(arrays: dict[str, Array]) -> list[Section]:
    rows = zip(*(array.tolist() for array in arrays.values()), strict=True)
    return [dict(zip(arrays, row, strict=True)) for row in rows]
