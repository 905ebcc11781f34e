"""Recipe of the linear soft margin, each class against the rest, with probabilities by Platt's scaling where asked for.

In:  rows as numbers.
Out: MarginModel: weights, how near they are to the optimum, and what they say of the rows that were learned from.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import ClassVar

import numpy as np

from suffice.arrays import Array, Codes, Values
from suffice.data.frames import Library
from suffice.data.levels import Levels, array_of
from suffice.data.table import IntoTable, Table
from suffice.discriminative.columns import Columns
from suffice.discriminative.margin import Margin, soft_margin
from suffice.discriminative.platt import Scaling, scaled
from suffice.errors import NotConvergedWarning, ParameterError, warn
from suffice.formulas import Expression
from suffice.learn.discriminative import (
    Discriminative,
    DiscriminativeParameters,
    DiscriminativeRecipe,
    TurnedRows,
    WarmStart,
)
from suffice.learn.model import by_name
from suffice.options import switch
from suffice.printing.description import Series
from suffice.printing.language import word, worded
from suffice.printing.numbers import amount

FOUND, SUPPORT = ("primal", "dual", "gap", "width"), "support_count"  # of each margin
FOLDS = 5  # folds that the scaling to probabilities is learned from
NO_PROBABILITIES = (
    "A margin is not a probability. Set probabilities=True and fit again, which learns them from rows left out, or "
    "use LogisticClassifier."
)


@dataclass(frozen=True, eq=False)
class OfRows:
    """The rows that a soft margin was learned from, as it sees them; no file holds that."""

    support: list[Codes]  # for each margin, the rows that hold it
    slack: Array  # (N, M) by how much each row falls short of each margin


@dataclass(frozen=True, eq=False)
class MarginModel(Discriminative):
    SCALE = "score"

    primal: Array  # (M,) for each of M margins, as are the next three
    dual: Array
    gap: Array
    width: Array
    support_count: Array | None = None  # (M,) rows that hold each; None if it comes from a file of the first format
    of_rows: OfRows | None = None
    scaling: Scaling | None = None  # turns margins into probabilities, if these were asked for

    @property
    def probabilities(self) -> Scaling:
        """The scaling that makes probabilities of margins; an error if there is none."""
        if self.scaling is None:
            raise ParameterError(NO_PROBABILITIES)
        return self.scaling

    def log_posterior(self, table: Table) -> Array:
        return self.probabilities.log_shares(self.scores(table))

    def answers(self, X: IntoTable, proba: bool) -> Mapping[str, Values]:
        shares = np.exp(self.log_posterior(self.table(X))) if proba and self.scaling is not None else None
        return {**super().answers(X, proba), **({} if shares is None else by_name(array_of(self.classes), shares))}

    def log_posterior_formula(self, scores: Sequence[Expression]) -> Sequence[Expression]:
        return self.probabilities.log_formula(scores)

    def rows_behind(self, name: str) -> OfRows:
        """The rows it was learned from, as the margins see them; an error if it comes from a file."""
        if self.of_rows is None:
            raise AttributeError(
                f"{name} is about the rows that the model was fitted on, of which files hold nothing. Fit it again to "
                "have it; support_count_ says how many rows hold each margin."
            )
        return self.of_rows

    def of_each_score(self) -> list[Series]:
        counts = [] if self.support_count is None else [self.support_count]
        support = [Series(word("support rows"), count, amount) for count in counts]
        numbers = {"primal": self.primal, "dual": self.dual, "gap": self.gap, "width of the margin": self.width}
        return [*support, *(Series(worded(name), values, name=name) for name, values in numbers.items())]

    def extra(self) -> dict[str, Array]:
        found = {name: getattr(self, name) for name in (*FOUND, SUPPORT) if getattr(self, name) is not None}
        scaling = self.scaling
        return found | ({} if scaling is None else {"slope": scaling.slope, "level": scaling.level})


@dataclass(eq=False, repr=False)
class MarginParameters(DiscriminativeParameters):
    probabilities: bool = False


@dataclass(eq=False, repr=False)
class MarginRecipe(MarginParameters, DiscriminativeRecipe):
    name = "MarginClassifier"
    HEAVIEST: ClassVar[float] = 1e20

    def solve(
        self, rows: TurnedRows, classes: Levels, columns: Columns, library: Library | None, start: WarmStart
    ) -> tuple[MarginModel, list[Margin]]:
        first = [margin.by(float(self.C)) for margin in start] if isinstance(start, list) else None
        found = self._margins(rows, first)
        w, b = np.array([m.w for m in found]), np.array([m.b for m in found])
        primal, dual, gap = np.array([(m.primal, m.dual, m.gap) for m in found]).T
        self._tell(gap)
        width = np.array([2 / max(float(np.sqrt(m.w @ m.w)), 1e-300) for m in found])
        support = [rows.numbers[m.alpha > 0] for m in found]
        slack = np.maximum(0.0, 1 - _sides(rows) * (np.asarray(rows.z @ w.T) + b))
        wanted = switch(self.probabilities, "probabilities")
        model = MarginModel(
            self, columns.schema, classes, columns, w, b, library, primal, dual, gap, width,
            np.array([float(len(some)) for some in support]),
            OfRows(support, slack),
            scaled(self._left_out(rows, w, b), rows.codes, rows.weights) if wanted else None,
        )  # fmt: skip
        return model, [margin.by(1 / float(self.C)) for margin in found]

    def _margins(self, rows: TurnedRows, start: list[Margin] | None = None) -> list[Margin]:
        cap, tol = float(self.C) * rows.weights, float(self.tol)
        pairs = zip(_sides(rows).T, start or repeat(None), strict=False)
        return [soft_margin(rows.z, side, cap, tol, first) for side, first in pairs]

    def _tell(self, gap: Array) -> None:
        if (gap > self.tol).any():
            warn(
                "The margin has not converged: relative to its size, its objective may be "
                f"{float(gap.max()):.1e} above the optimum, but tol={self.tol:g}. Scale the columns, or choose "
                "a smaller C.",
                NotConvergedWarning,
            )

    def _left_out(self, rows: TurnedRows, w: Array, b: Array) -> Array:
        """Margins of rows that were left out in learning; the only row of a class is never left out."""
        codes = rows.codes
        order = np.argsort(codes, kind="stable")
        fold = np.empty(len(codes), dtype=np.intp)
        fold[order] = np.arange(len(codes)) % FOLDS
        fold[np.bincount(codes)[codes] == 1] = -1
        out = np.asarray(rows.z @ w.T) + b
        for one in np.unique(fold[fold >= 0]):
            left = np.flatnonzero(fold == one)
            found = self._margins(rows.take(np.flatnonzero(fold != one)))
            out[left] = np.asarray(rows.z[left] @ np.array([m.w for m in found]).T) + np.array([m.b for m in found])
        return out

    def of_arrays(self, classes: Levels, columns: Columns, arrays: Mapping[str, Array]) -> MarginModel:
        scaling = Scaling(arrays["slope"], arrays["level"]) if "slope" in arrays else None
        weights, found = (arrays["w"], arrays["b"], None), [arrays[name] for name in FOUND]
        return MarginModel(
            self, columns.schema, classes, columns, *weights, found[0], found[1], found[2], found[3],
            arrays.get(SUPPORT), scaling=scaling,
        )  # fmt: skip

    def extra_shapes(self, scores: int, arrays: Mapping[str, Array]) -> dict[str, tuple[int, ...]]:
        names = [*FOUND, *(["slope", "level"] if self.probabilities else []), *({SUPPORT} & set(arrays))]
        return dict.fromkeys(names, (scores,))


def _sides(rows: TurnedRows) -> Array:
    """+1 for rows of the class, −1 for all others."""  # (N, K), or (N, 1) of two classes
    wanted = np.arange(rows.classes) if rows.classes > 2 else np.array([1])
    return np.where(rows.codes[:, None] == wanted, 1.0, -1.0)
