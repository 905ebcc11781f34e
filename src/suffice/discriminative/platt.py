"""Margins as probabilities: a logistic function of the margin, learned from rows that the margin has not seen.

In:  margins (N, M) of rows, one for each class against the rest (of two classes a single one), their classes, weights.
Out: Scaling, two numbers for each margin: P = 1 / (1 + e^−(slope · margin + level)), divided by the sum over classes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from suffice.arrays import Array, Codes
from suffice.discriminative.logistic import least_logistic_loss
from suffice.formulas import ZERO, Expression, Function, Least, Once, exp, ln

LOOSE = 1e6  # times what a row counts: the slope is all but free


@dataclass(frozen=True, eq=False)
class Scaling:
    slope: Array  # (M,)
    level: Array  # (M,)

    def log_shares(self, margins: Array) -> Array:
        """Ln P(class | row)."""  # (N, M) → (N, K)
        odds = self.slope * margins + self.level
        if odds.shape[1] == 1:
            return np.column_stack([-np.logaddexp(0, odds), -np.logaddexp(0, -odds)])
        logs = -np.logaddexp(0, -odds)
        return np.asarray(logs - np.logaddexp.reduce(logs, axis=1)[:, None])

    def log_formula(self, margins: Sequence[Expression]) -> list[Expression]:
        """The same of one row as a formula, up to a term common to all classes."""
        parts = zip(margins, self.slope.tolist(), self.level.tolist(), strict=True)
        odds = [Once(margin * slope + level) for margin, slope, level in parts]
        if len(odds) == 1:
            return [ZERO, *odds]
        return [Least((one, ZERO)) - ln(1.0 + exp(-Function("abs", one))) for one in odds]


def scaled(margins: Array, codes: Codes, weights: Array) -> Scaling:
    """Platt's: each side's rows count a little for the other side too, as if it had one row more."""
    sides = [codes == 1] if margins.shape[1] == 1 else [codes == k for k in range(margins.shape[1])]
    found = [_logistic(margin, side, weights) for margin, side in zip(margins.T, sides, strict=True)]
    slope, level = zip(*found, strict=True)
    return Scaling(np.array(slope), np.array(level))


def _logistic(margin: Array, side: NDArray[np.bool_], weights: Array) -> tuple[float, float]:
    on, off = (float(weights[some].sum()) for some in (side, ~side))
    share = np.where(side, (on + 1) / (on + 2), 1 / (off + 2))  # of the row that counts for the side
    cap = LOOSE * np.concatenate([weights * share, weights * (1 - share)])
    both, which = np.concatenate([margin, margin])[:, None], np.repeat(np.array([1, 0]), len(margin))
    found = least_logistic_loss(both, which, 2, cap, 1e-10)
    return float(found.w[0, 0]), float(found.b[0])
