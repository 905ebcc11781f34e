"""Stage 5, classifiers that learn the boundary, or P(class | row), itself: the soft margin and logistic loss.

In:  the same tables and labels as all others.
Out: weights by column, in the user's own units; no density, so no evidence, no samples and no cells filled in, and
     validation goes by folds, learning anew for each. Rows do not add up to a model here, so there is no partial_fit.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat

import numpy as np
from sklearn.utils.validation import check_is_fitted

from suffice.arrays import Array, Codes, Matrix, Values, log_sum_exp
from suffice.data.labelled import Labelled
from suffice.data.table import IntoTable, Table
from suffice.discriminative.left_out import scores_without
from suffice.discriminative.logistic import Linear, least_logistic_loss
from suffice.discriminative.margin import Margin, soft_margin
from suffice.discriminative.platt import Scaling, scaled
from suffice.errors import NoDensityError, NotConvergedWarning, ParameterError, warn
from suffice.estimators.batchwise import batchwise, by_name
from suffice.estimators.linear_scores import LinearClassifier, Start, as_classes
from suffice.formulas import Expression
from suffice.options import switch
from suffice.printing.description import Series
from suffice.printing.language import word, worded
from suffice.printing.numbers import amount
from suffice.threads import blas_alone

FOUND, SUPPORT = ("primal", "dual", "gap", "width"), "support_count"  # of each margin
FOLDS = 5  # that margins become probabilities by
NO_PROBABILITIES = (
    "A margin is not a probability. Set probabilities=True and fit again, which learns them from rows left out, or "
    "use LogisticClassifier."
)


@dataclass(eq=False, repr=False)
class LogisticClassifier(LinearClassifier):
    """Logistic regression: P(class | row) is a softmax of linear scores; minimises C Σ −ln P(class | row) + ½‖w‖².

    Parameters
    ----------
    C : float
        How much the loss of a row counts against the size of the weights.
    kinds : dict, str or None
        As for NaiveBayes; all kinds of numbers are treated alike, and every level of a category becomes a column.
    scale : bool
        Whether to divide every column of numbers by its standard deviation, so that units do not matter; columns of
        levels stay 0 and 1. `coef_` is still in the units of the table.
    unseen : "ignore" or "error"
        What to do with a level that was never seen in fitting: treat the cell as missing, or raise an error.
    tol : float
        How small the gradient must be, relative to that at weights of 0.

    A missing number is replaced by the mean of its column, and each column with missing cells gets a second one that
    marks them.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from suffice import LogisticClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticClassifier().fit(X, y)
    >>> model.predict_proba(X[:1]).round(3).tolist()
    [[0.985, 0.015, 0.0]]

    """

    SCALE = "ln odds"
    HEAVIEST = 1e100

    def _solve(self, z: Matrix, codes: Codes, classes: int, weights: Array, rows: Codes, start: Start) -> Linear:
        first = start if isinstance(start, Linear) else None
        found = least_logistic_loss(z, codes, classes, float(self.C) * weights, float(self.tol), first)
        self._w, self._b, self.objective_ = found.w, found.b, found.objective
        return found

    def _extra(self) -> dict[str, Array]:
        return {"objective": np.array([self.objective_])} if "objective_" in vars(self) else {}

    def _extra_shapes(self, scores: int, arrays: Mapping[str, Array]) -> dict[str, tuple[int, ...]]:
        return {"objective": (1,)} if "objective" in arrays else {}  # files of the first format have none

    def _take_extra(self, arrays: Mapping[str, Array]) -> None:
        if "objective" in arrays:
            self.objective_ = float(arrays["objective"][0])

    @batchwise
    def predict_log_proba(self, X: IntoTable) -> Array:
        """Ln P(class | row) as (N, K), in the order of classes_."""
        return self._log_posterior(self._table(X))

    def predict_proba(self, X: IntoTable) -> Array:
        """P(class | row) as (N, K), in the order of classes_."""
        return np.asarray(np.exp(self.predict_log_proba(X)))

    def _row_answers(self, X: IntoTable, proba: bool) -> dict[str, Values]:
        return super()._row_answers(X, proba) | (by_name(self.classes_, self.predict_proba(X)) if proba else {})

    def _log_posterior(self, table: Table) -> Array:
        scores = self._scores(table)
        if scores.shape[1] == 1:
            scores = np.column_stack([np.zeros(len(scores)), scores])
        return np.asarray(scores - log_sum_exp(scores)[:, None])

    def _log_posterior_formula(self, scores: Sequence[Expression]) -> Sequence[Expression]:
        return as_classes(scores)

    def _left_out(self, known: Labelled) -> tuple[Array, str]:
        _, _, z = self._turned(known)
        codes, classes, cap = known.codes, len(known.classes), float(self.C) * known.weights
        with blas_alone():
            found = least_logistic_loss(z, codes, classes, cap, float(self.tol))
            scores, poor = scores_without(z, codes, classes, cap, found)
        logs = scores - log_sum_exp(scores)[:, None]
        for row in np.flatnonzero(poor):
            logs[row] = self._without(known, row)
        return np.asarray(logs), "leave-one-out (approximate, by one Newton step)"

    def _without(self, known: Labelled, row: np.intp) -> Array:
        """Ln P(class | row) by a model that has learned anew from all others; a class without other rows has none."""
        rest = np.delete(np.arange(len(known.codes)), row)
        left = np.unique(known.codes[rest])
        out = np.full(len(known.classes), -np.inf)
        if len(left) == 1:
            out[left] = 0.0
        else:
            model = self._anew(known.take(rest))
            out[left] = model._log_posterior(known.table.take(np.array([row])))[0]
        return out


@dataclass(frozen=True, eq=False)
class OfRows:
    """What a soft margin says of the rows it was learned from, which no file holds."""

    support: list[Codes]  # of each margin, the rows that hold it
    slack: Array  # (N, M) by how much each row falls short of each margin


@dataclass(eq=False, repr=False)
class MarginClassifier(LinearClassifier):
    """The linear soft-margin classifier: minimises ½‖w‖² + C Σ [1 − s (wᵀx + b)]₊, b free, each class against the rest.

    Parameters
    ----------
    C : float
        How much a row within the margin, or on the wrong side, counts against the size of the weights; at most 1e20,
        times the weight of the row too, which is a hard margin wherever one can be had.
    kinds, scale, unseen
        As for LogisticClassifier.
    tol : float
        How far the objective may be from the optimum, relative to its size; `gap_` says how far it can be.
    probabilities : bool
        Whether to learn P(class | row) from the margins of rows left out (Platt scaling over 5 folds).

    After fitting, for each class against the rest (only once for two classes): `primal_`, `dual_` and `gap_`; `width_`,
    the distance between the two margins in the scaled columns; `slack_` (N, K), by how much rows fall short of their
    margin; and `support_`, the rows that hold it, `support_count_` of them. Files hold nothing about single rows, so a
    model that was loaded has no `slack_` and no `support_`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from suffice import MarginClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MarginClassifier(scale=False).fit(X[:100], y[:100])
    >>> model.coef_.round(4).tolist(), len(model.support_[0]), bool(model.gap_[0] < 1e-6)
    ([[0.046, -0.5217, 1.0032, 0.4642]], 3, True)

    """

    SCALE = "score"
    HEAVIEST = 1e20

    probabilities: bool = False
    _scaling: Scaling | None = field(init=False, default=None)
    _of_rows: "OfRows | None" = field(init=False, default=None)

    def _solve(self, z: Matrix, codes: Codes, classes: int, weights: Array, rows: Codes, start: Start) -> list[Margin]:
        first = [margin.by(float(self.C)) for margin in start] if isinstance(start, list) else None
        found = self._margins(z, codes, classes, weights, first)
        self._w, self._b = np.array([m.w for m in found]), np.array([m.b for m in found])
        self.primal_, self.dual_, self.gap_ = np.array([(m.primal, m.dual, m.gap) for m in found]).T
        self.width_ = np.array([2 / max(float(np.sqrt(m.w @ m.w)), 1e-300) for m in found])
        self._of_rows = OfRows(
            [rows[m.alpha > 0] for m in found],
            np.maximum(0.0, 1 - self._sides(codes, classes) * (np.asarray(z @ self._w.T) + self._b)),
        )
        self.support_count_ = np.array([float(len(rows)) for rows in self._of_rows.support])
        self._tell()
        use = switch(self.probabilities, "probabilities")
        self._scaling = scaled(self._unseen_margins(z, codes, classes, weights), codes, weights) if use else None
        return [margin.by(1 / float(self.C)) for margin in found]

    def _found(self) -> list[Series]:
        counts = [self.support_count_] if "support_count_" in vars(self) else []  # files of the first format have none
        support = [Series(word("support rows"), count, amount) for count in counts]
        numbers = {"primal": self.primal_, "dual": self.dual_, "gap": self.gap_, "width of the margin": self.width_}
        return [*support, *(Series(worded(name), values, name=name) for name, values in numbers.items())]

    @property
    def support_(self) -> list[Codes]:
        """The rows that hold the margin of each class against the rest, by their numbers."""
        return self._rows_behind("support_").support

    @property
    def slack_(self) -> Array:
        """By how much each row falls short of each margin, (N, K), or (N, 1) of two classes."""
        return self._rows_behind("slack_").slack

    def _rows_behind(self, name: str) -> "OfRows":
        check_is_fitted(self)
        if self._of_rows is None:
            raise AttributeError(
                f"{name} is about the rows that the model was fitted on, of which files hold nothing. Fit it again to "
                "have it; support_count_ says how many rows hold each margin."
            )
        return self._of_rows

    def _margins(
        self, z: Matrix, codes: Codes, classes: int, weights: Array, start: list[Margin] | None = None
    ) -> list[Margin]:
        cap, tol, sides = float(self.C) * weights, float(self.tol), self._sides(codes, classes).T
        return [
            soft_margin(z, side, cap, tol, first) for side, first in zip(sides, start or repeat(None), strict=False)
        ]

    @staticmethod
    def _sides(codes: Codes, classes: int) -> Array:
        """+1 for rows of the class, −1 for all others."""  # (N, K), or (N, 1) of two classes
        wanted = np.arange(classes) if classes > 2 else np.array([1])
        return np.where(codes[:, None] == wanted, 1.0, -1.0)

    def _tell(self) -> None:
        if (self.gap_ > self.tol).any():
            warn(
                "The margin has not converged: relative to its size, its objective may be "
                f"{float(self.gap_.max()):.1e} above the optimum, but tol={self.tol:g}. Scale the columns, or choose "
                "a smaller C.",
                NotConvergedWarning,
            )

    def _unseen_margins(self, z: Matrix, codes: Codes, classes: int, weights: Array) -> Array:
        """Of rows that were left out in learning; the only row of a class is never left out."""
        order = np.argsort(codes, kind="stable")
        fold = np.empty(len(codes), dtype=np.intp)
        fold[order] = np.arange(len(codes)) % FOLDS
        fold[np.bincount(codes)[codes] == 1] = -1
        out = np.asarray(z @ self._w.T) + self._b
        for one in np.unique(fold[fold >= 0]):
            rest, left = np.flatnonzero(fold != one), np.flatnonzero(fold == one)
            found = self._margins(z[rest], codes[rest], classes, weights[rest])
            out[left] = np.asarray(z[left] @ np.array([m.w for m in found]).T) + np.array([m.b for m in found])
        return out

    @property
    def predict_log_proba(self) -> Callable[[IntoTable], Array]:
        """Ln P(class | row) as (N, K), in the order of classes_; needs probabilities=True."""
        if not self.probabilities:
            raise NoDensityError(NO_PROBABILITIES)
        return lambda X: self._log_posterior(self._table(X))

    @property
    def predict_proba(self) -> Callable[[IntoTable], Array]:
        """P(class | row) as (N, K), in the order of classes_; needs probabilities=True.

        Raises
        ------
        NoDensityError
            If the model was made without probabilities=True.

        """
        logs = self.predict_log_proba
        return lambda X: np.asarray(np.exp(logs(X)))

    def _log_posterior(self, table: Table) -> Array:
        if self._scaling is None:
            raise ParameterError(NO_PROBABILITIES)
        return self._scaling.log_shares(self._scores(table))

    def _log_posterior_formula(self, scores: Sequence[Expression]) -> Sequence[Expression]:
        if self._scaling is None:
            raise ParameterError(NO_PROBABILITIES)
        return self._scaling.log_formula(scores)

    def _extra(self) -> dict[str, Array]:
        found = {name: vars(self)[f"{name}_"] for name in (*FOUND, SUPPORT) if f"{name}_" in vars(self)}
        scaling = self._scaling
        return found | ({} if scaling is None else {"slope": scaling.slope, "level": scaling.level})

    def _extra_shapes(self, scores: int, arrays: Mapping[str, Array]) -> dict[str, tuple[int, ...]]:
        names = [*FOUND, *(["slope", "level"] if self.probabilities else []), *({SUPPORT} & set(arrays))]
        return dict.fromkeys(names, (scores,))

    def _take_extra(self, arrays: Mapping[str, Array]) -> None:
        for name in {*FOUND, SUPPORT} & set(arrays):
            setattr(self, f"{name}_", arrays[name])
        self._scaling = Scaling(arrays["slope"], arrays["level"]) if "slope" in arrays else None
