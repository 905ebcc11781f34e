"""Posteriors that curves are drawn from: of rows left out, wherever a model can leave them out.

In:  a Validation; or a model, rows and their classes.
Out: Judged: posteriors beside the truth, and in words where they come from, as `evaluate` has them. In-sample
     posteriors are there on request, and the picture says that they are.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from sklearn.base import BaseEstimator

from suffice.arrays import Array, Codes
from suffice.data.labels import IntoLabels
from suffice.data.levels import Level, Levels, plain
from suffice.data.table import IntoTable
from suffice.decisions.loss import Loss
from suffice.errors import ParameterError
from suffice.judge.evaluation import evaluate
from suffice.judge.validation import Validation
from suffice.plots.style import said

IntoJudged: TypeAlias = Validation | BaseEstimator  # rows that were left out, or a model


@dataclass(frozen=True, eq=False)
class Judged:
    posterior: Array  # (N, K) of rows that count
    labels: Codes  # (N,)
    weights: Array  # (N,)
    classes: Levels
    how: str  # where the posteriors come from
    loss: Loss | None = None

    def places(self, positive: Level | None) -> list[int]:
        """The classes that curves are about: the one that is named, else the second of two, or each of more."""
        if positive is None and len(self.classes) > 2:
            return list(range(len(self.classes)))
        name = self.classes[-1] if positive is None else plain(positive)
        if name not in self.classes:
            raise ParameterError(f"There is no class {name!r}; the model has {list(self.classes)}.")
        return [self.classes.index(name)]


def judged(source: IntoJudged, X: IntoTable | None, y: IntoLabels, left_out: bool | None) -> Judged:
    """What a picture is drawn from; `left_out` is whether each row is left out, None where that makes sense."""
    if isinstance(source, Validation):
        if X is not None or y is not None or left_out is not None:
            raise ParameterError("A Validation has its rows already: leave out X, y and left_out.")
        return _of(source)
    if X is None or y is None:
        raise ParameterError(
            f"Give a Validation, such as leave_one_out(model, X, y), or a model, X and y; found "
            f"{type(source).__name__} alone."
        )
    return _of(evaluate(source, X, y, left_out=left_out))


def _of(found: Validation) -> Judged:
    here = (found.labels >= 0) & (found.weights > 0)
    often = np.bincount(found.rows)[found.rows]  # a row predicted several times counts once
    parts = (found.posterior[here], found.labels[here], (found.weights / often)[here])
    return Judged(*parts, found.classes, said(found.how), found.loss)
