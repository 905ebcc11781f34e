"""Recipe of logistic regression: P(class | row) is a softmax of linear scores.

In:  rows as numbers.
Out: Logistic, the model; and what rows left out are told, by one Newton step.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from suffice.arrays import Array, Codes, Values, log_sum_exp
from suffice.data.frames import Library
from suffice.data.labelled import Labelled
from suffice.data.levels import Levels, array_of
from suffice.data.table import IntoTable, Table
from suffice.discriminative.columns import Columns
from suffice.discriminative.left_out import scores_without
from suffice.discriminative.logistic import Linear, least_logistic_loss
from suffice.formulas import Expression
from suffice.learn.discriminative import Discriminative, DiscriminativeRecipe, TurnedRows, WarmStart, as_classes
from suffice.learn.model import by_name
from suffice.learn.recipe import Foretold, ToForetell
from suffice.threads import blas_alone


@dataclass(frozen=True, eq=False)
class Logistic(Discriminative):
    SCALE = "ln odds"

    objective: float | None = None  # None if it comes from a file of the first format

    def log_posterior(self, table: Table) -> Array:
        scores = self.scores(table)
        if scores.shape[1] == 1:
            scores = np.column_stack([np.zeros(len(scores)), scores])
        return np.asarray(scores - log_sum_exp(scores)[:, None])

    def answers(self, X: IntoTable, proba: bool) -> Mapping[str, Values]:
        shares = np.exp(self.log_posterior(self.table(X))) if proba else None
        return {**super().answers(X, proba), **({} if shares is None else by_name(array_of(self.classes), shares))}

    def log_posterior_formula(self, scores: Sequence[Expression]) -> Sequence[Expression]:
        return as_classes(scores)

    def extra(self) -> dict[str, Array]:
        return {} if self.objective is None else {"objective": np.array([self.objective])}


class LogisticRecipe(DiscriminativeRecipe):
    name = "LogisticClassifier"
    HEAVIEST: ClassVar[float] = 1e100

    def solve(
        self, rows: TurnedRows, classes: Levels, columns: Columns, library: Library | None, start: WarmStart
    ) -> tuple[Logistic, Linear]:
        found = self._least(rows, start if isinstance(start, Linear) else None)
        return Logistic(self, columns.schema, classes, columns, found.w, found.b, library, found.objective), found

    def _least(self, rows: TurnedRows, start: Linear | None = None) -> Linear:
        cap = float(self.C) * rows.weights
        return least_logistic_loss(rows.z, rows.codes, rows.classes, cap, float(self.tol), start)

    def one_by_one(self, asking: ToForetell) -> Foretold:
        known = asking.known
        _, rows = self.turned(known)
        with blas_alone():
            found = self._least(rows)
            scores, poor = scores_without(rows.z, rows.codes, rows.classes, float(self.C) * rows.weights, found)
        logs = np.asarray(scores - log_sum_exp(scores)[:, None])
        for row in np.flatnonzero(poor):
            logs[row] = self._without(known, row)
        how = "leave-one-out (approximate, by one Newton step)"
        return Foretold(logs, np.arange(len(logs)), how, lambda table: self.learn(known).log_posterior(table))

    def _without(self, known: Labelled, row: np.intp) -> Array:
        """Ln P(class | row) by a model that has learned anew from all others; a class without other rows has none."""
        rest: Codes = np.delete(np.arange(len(known.codes)), row)
        others, alone = self.with_classes(known).take(rest), known.table.take(np.array([row]))
        found: Array = self.foretold(others, alone, known.classes)[0]
        return found

    def of_arrays(self, classes: Levels, columns: Columns, arrays: Mapping[str, Array]) -> Logistic:
        objective = float(arrays["objective"][0]) if "objective" in arrays else None
        return Logistic(self, columns.schema, classes, columns, arrays["w"], arrays["b"], None, objective)

    def extra_shapes(self, scores: int, arrays: Mapping[str, Array]) -> dict[str, tuple[int, ...]]:
        return {"objective": (1,)} if "objective" in arrays else {}  # files of the first format have none
