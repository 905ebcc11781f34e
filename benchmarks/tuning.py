"""Whether tuning pays: settings chosen inside each training fold against every fixed corner, on six real tables.

Honest in that nothing is chosen on rows that are scored: the outer folds are left out by hand, `"auto"` sees the rest.
Writes its table with --into.
"""

import argparse
import csv
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.model_selection import StratifiedKFold

from suffice import GaussianDiscriminant, NaiveBayes, example
from suffice.decisions.scores import Score, log_losses
from suffice.errors import SingularError, SufficeWarning

DATA = Path(__file__).parent.parent / "tests" / "reference" / "data"
FOLDS = 4


def from_csv(name: str, target: str) -> tuple[dict[str, Any], np.ndarray]:
    """A table of categories; an empty cell is a missing one."""
    with open(DATA / f"{name}.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    columns = {name: np.array([row[name] or None for row in rows], dtype=object) for name in rows[0]}
    return columns, columns.pop(target).astype(str)


def corners() -> dict[str, Any]:
    return {
        f"{shape}, {'shared' if shared else 'own'}": GaussianDiscriminant(shape, shared)
        for shape in ("full", "diagonal", "spherical")
        for shared in (False, True)
    }


def smoothed(**kinds: Any) -> dict[str, Any]:
    return {f"smoothing {amount:g}": NaiveBayes(smoothing=amount, **kinds) for amount in (0.01, 0.1, 1.0, 10.0)}


ALL_AUTO = GaussianDiscriminant("auto", "auto", shrink_shared="auto", shrink_spherical="auto")
STUDIES = {
    "iris": (lambda: load_iris(return_X_y=True), ALL_AUTO, corners()),
    "wine": (lambda: load_wine(return_X_y=True), ALL_AUTO, corners()),
    "breast cancer": (lambda: load_breast_cancer(return_X_y=True), ALL_AUTO, corners()),
    "penguins": (lambda: example("penguins"), NaiveBayes(smoothing="auto", kinds="auto"), smoothed()),
    "house votes": (lambda: from_csv("HouseVotes84", "Class"), NaiveBayes(smoothing="auto"), smoothed()),
    "zoo": (lambda: from_csv("Zoo_categorical", "type"), NaiveBayes(smoothing="auto"), smoothed()),
}


@dataclass(frozen=True)
class Result:
    table: str
    rows: int
    tuned: Score
    best: str  # the best fixed corner
    best_loss: Score
    difference: Score  # tuned − best, paired
    failures: tuple[str, ...]

    @property
    def holds(self) -> bool:
        return bool(self.difference <= 2 * self.difference.se)


def study(name: str) -> Result:
    read, auto, fixed = STUDIES[name]
    table, labels = read()
    labels = np.asarray(labels)
    tuned, _ = held_out(auto, table, labels)
    found = {corner: held_out(model, table, labels) for corner, model in fixed.items()}
    failures = tuple(f"{corner}: {reason}" for corner, (_, reason) in found.items() if reason)
    losses = {corner: values for corner, (values, _) in found.items() if np.isfinite(values).all()}
    best = min(losses, key=lambda corner: losses[corner].mean())
    weights = np.ones(len(labels))
    mean = lambda values: Score.mean(values, weights)  # noqa: E731
    return Result(name, len(labels), mean(tuned), best, mean(losses[best]), mean(tuned - losses[best]), failures)


def held_out(model: Any, table: Any, labels: Any) -> tuple[np.ndarray, str]:
    """Log losses of all rows, each by a model that has not seen its fold."""
    losses = np.full(len(labels), np.inf)
    splits = StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(np.zeros(len(labels)), labels)
    for training, test in splits:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SufficeWarning)
                fitted = clone(model).fit(taken(table, training), labels[training])
                log_posterior = fitted.predict_log_proba(taken(table, test))
        except SingularError as error:
            return losses, str(error).split(",")[0]
        codes = np.searchsorted(fitted.classes_, labels[test])
        losses[test] = log_losses(log_posterior, codes)
    return losses, ""


def taken(table: Any, rows: np.ndarray) -> Any:
    if not isinstance(table, dict):
        return table[rows]
    return {name: np.asarray(column, dtype=object)[rows].tolist() for name, column in table.items()}


def page(results: list[Result]) -> Iterator[str]:
    yield "| table | rows | tuned | best fixed corner | its log loss | tuned − best (paired) | within 2 se |"
    yield "|---|---|---|---|---|---|---|"
    for r in results:
        yield (
            f"| {r.table} | {r.rows} | {r.tuned} | {r.best} | {r.best_loss} | {r.difference} | "
            f"{'yes' if r.holds else '**no**'} |"
        )
    failed = [f"- {r.table}, {reason}" for r in results for reason in r.failures]
    if failed:
        yield "\nCorners that could not be fitted in some fold, and so could not be the best:\n"
        yield from failed


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--into", type=Path)
    into = parser.parse_args().into
    text = "\n".join(page([study(name) for name in STUDIES])) + "\n"
    print(text)
    if into:
        into.write_text(text, encoding="utf-8")
