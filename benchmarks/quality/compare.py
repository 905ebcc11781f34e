"""Two models on the same rows of the same tables: better, tie or worse.

In:  the store.
Out: verdicts. A model is better on a table where its mean log loss is lower by more than two paired standard errors;
     one that refuses is worse than one that answers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Records = dict[str, Any]  # study/model → record
ERRORS = 2.0  # standard errors


@dataclass(frozen=True)
class Verdict:
    table: str
    difference: float  # mean log loss of the first, less that of the second; NaN where one refused
    error: float
    answers: tuple[bool, bool]

    @property
    def sign(self) -> int:
        """−1: the first is better, 0: tie, 1: it is worse."""
        if not all(self.answers):
            return int(self.answers[1]) - int(self.answers[0])
        return int(np.sign(self.difference)) * (abs(self.difference) > ERRORS * self.error)


@dataclass(frozen=True)
class Comparison:
    verdicts: tuple[Verdict, ...]

    def count(self, sign: int) -> int:
        return sum(verdict.sign == sign for verdict in self.verdicts)

    @property
    def tally(self) -> str:
        return " / ".join(str(self.count(sign)) for sign in (-1, 0, 1))

    @property
    def mean(self) -> float:
        differences = [verdict.difference for verdict in self.verdicts if all(verdict.answers)]
        return float(np.mean(differences)) if differences else float("nan")

    @property
    def worse(self) -> list[str]:
        """The tables where the first is worse, and by how much."""
        return [_said(verdict) for verdict in self.verdicts if verdict.sign == 1]

    def of(self, tables: Sequence[str]) -> "Comparison":
        return Comparison(tuple(verdict for verdict in self.verdicts if verdict.table in tables))


def _said(verdict: Verdict) -> str:
    if not all(verdict.answers):
        return f"{verdict.table} (refused)"
    return f"{verdict.table} (+{verdict.difference:.3f} ± {verdict.error:.3f})"


def compared(results: dict[str, Records], first: str, second: str) -> Comparison:
    """Over the tables for which there are records of both."""
    pairs = {table: (records.get(first), records.get(second)) for table, records in results.items()}
    return Comparison(tuple(verdict(table, *pair) for table, pair in pairs.items() if all(pair)))


def verdict(table: str, first: Any, second: Any) -> Verdict:
    answers = ("refused" not in first, "refused" not in second)
    if not all(answers):
        return Verdict(table, float("nan"), float("nan"), answers)
    differences = np.subtract(first["losses"], second["losses"])
    error = differences.std(ddof=1) / np.sqrt(len(differences))
    return Verdict(table, float(differences.mean()), float(error), answers)


def halves(tables: Sequence[str]) -> tuple[list[str], list[str]]:
    """Every second table by name: one half to choose settings by, the other to judge them."""
    ordered = sorted(tables, key=str.casefold)
    return ordered[::2], ordered[1::2]
