"""How near EM comes to the best end known: our starts, plain starts, and those of scikit-learn and StepMix.

    tables ──► ends of 200 plain runs (the best of them is what gaps are measured from)
           ──► our default, ten plain runs, scikit-learn's or StepMix's ten, each with several seeds ──► a table

An end of theirs is followed under our objective, so that all are measured alike. Times are of the processor.
"""

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.mixture import GaussianMixture
from threadpoolctl import threadpool_limits

from suffice import LatentClass, Mixture, choose

sys.path.insert(0, str(Path(__file__).parent))
from quality.data import load
from quality.tables import TABLES

STARTS = 10
NUMERIC = ("iris", "wine", "breast cancer", "penguins", "biopsy", "crabs", "glass", "Pima", "College", "segment")
CATEGORICAL = ("zoo", "biopsy", "titanic", "nodal", "autolander", "skulls")
CACHE = Path("build") / "quality" / "packages"


@dataclass(frozen=True)
class Ends:
    """What runs from several seeds have come to, and what they took."""

    objectives: np.ndarray
    seconds: float  # of one, in the middle

    def gap(self, best: float) -> float:
        return float(np.median(best - self.objectives))


def numbers(name: str, cache: Path) -> tuple[np.ndarray, int]:
    """The numeric columns that vary, rows without missing cells, and as many components as there are classes."""
    data = load(next(table for table in TABLES if table.name == name), cache)
    X = data.X[data.numbers].to_numpy(float)
    X = X[~np.isnan(X).any(axis=1)]
    return X[:, X.std(axis=0) > 0], len(set(data.y))


def categories(name: str, cache: Path) -> tuple[pd.DataFrame, int]:
    """All columns as categories, numbers in three levels where they have more than ten values."""
    data = load(next(table for table in TABLES if table.name == name), cache)
    columns = {column: _levels(data.X[column]) for column in data.X if data.X[column].notna().all()}
    return pd.DataFrame(columns), len(set(data.y)) + 1


def _levels(cells: pd.Series) -> np.ndarray:
    many = cells.dtype.kind in "iuf" and cells.nunique() > 10
    return (pd.qcut(cells, 3, duplicates="drop") if many else cells).astype(str).to_numpy()


def ends(fit: Callable[[int], float], seeds: int, first: int = 0) -> Ends:
    found, seconds = [], []
    for seed in range(first, first + seeds):
        started = time.process_time()
        found.append(fit(seed))
        seconds.append(time.process_time() - started)
    return Ends(np.array(found), float(np.median(seconds)))


def end(model: Any, X: Any) -> float:
    return float(model.fit(X).trace_.objective[-1])


def followed(face: Any, components: int, X: Any, memberships: np.ndarray) -> float:
    """Where our EM comes to from memberships that another library has found."""
    return end(face(components, start=memberships / memberships.sum(axis=1, keepdims=True)), X)


def by_sklearn(X: np.ndarray, components: int, seed: int) -> np.ndarray:
    model = GaussianMixture(components, n_init=STARTS, random_state=seed)
    return model.fit((X - X.mean(axis=0)) / X.std(axis=0)).predict_proba((X - X.mean(axis=0)) / X.std(axis=0))


def by_stepmix(X: pd.DataFrame, components: int, seed: int) -> np.ndarray:
    from stepmix import StepMix

    codes = X.apply(lambda cells: pd.factorize(cells)[0])
    model = StepMix(components, measurement="categorical", n_init=STARTS, random_state=seed, progress_bar=0, verbose=0)
    return model.fit(codes).predict_proba(codes)


def line(name: str, face: Any, X: Any, components: int, peer: Any, seeds: int, plain: int) -> dict[str, Any]:
    """One table: gaps to the best of many plain runs, in nats, and seconds."""
    alone = ends(lambda seed: end(face(components, restarts=1, random_state=seed), X), plain, 1000)
    best = float(alone.objectives.max())
    ours = ends(lambda seed: end(face(components, random_state=seed), X), seeds)
    groups = alone.objectives[: plain // STARTS * STARTS].reshape(-1, STARTS).max(axis=1)[:seeds]
    theirs = ends(lambda seed: followed(face, components, X, peer(X, components, seed)), seeds) if peer else None
    return {
        "table": name,
        "rows": f"{X.shape[0]} × {X.shape[1]}",
        "components": components,
        "ours": ours.gap(best),
        "ten plain": float(np.median(best - groups)),
        "theirs": theirs.gap(best) if theirs else None,
        "seconds": ours.seconds,
        "seconds of ten plain": STARTS * alone.seconds,
        "their seconds": theirs.seconds if theirs else None,
    }


def bic_loops(X: np.ndarray) -> tuple[float, float]:
    """Seconds of choose, and of a loop over scikit-learn's mixtures, with the same numbers of starts."""
    started = time.process_time()
    choose(Mixture(), X, range(1, 7))
    between = time.process_time()
    for k in range(1, 7):
        GaussianMixture(k, n_init=STARTS, random_state=0).fit(X).bic(X)
    return between - started, time.process_time() - between


HEADINGS = {
    "table": "table",
    "rows": "rows × columns",
    "components": "K",
    "ours": "ours, 10",
    "ten plain": "10 plain runs",
    "theirs": "peer, 10",
    "seconds": "ours, s",
    "seconds of ten plain": "10 plain, s",
    "their seconds": "peer, s",
}


def laid_out(rows: list[dict[str, Any]]) -> list[str]:
    lines = ["| " + " | ".join(HEADINGS.values()) + " |", "|---|---|" + "---:|" * (len(HEADINGS) - 2)]
    return lines + ["| " + " | ".join(_cell(row[name]) for name in HEADINGS) + " |" for row in rows]


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def median_of(rows: list[dict[str, Any]], name: str) -> str:
    known = [row[name] for row in rows if row[name] is not None]
    return f"{np.median(known):.2f}" if known else "–"


Rows = list[dict[str, Any]]


def page(numeric: Rows, latent: Rows, loops: dict[str, tuple[float, float]], seeds: int, plain: int) -> str:
    gaps = {name: median_of(numeric, name) for name in ("ours", "ten plain", "theirs")}
    text = [
        f"The best end known is that of {plain} plain runs; medians over {seeds} seeds.",
        "",
        "## Gaussian mixtures, full covariances, beside scikit-learn",
        "",
        *laid_out(numeric),
        "",
        f"In the middle of the tables: ours {gaps['ours']}, ten plain runs {gaps['ten plain']}, scikit-learn's ten",
        f"{gaps['theirs']}.",
        "",
        "## Latent classes, beside StepMix",
        "",
        *laid_out(latent),
        "",
        "## How many components: `choose`, 1 to 6, beside a loop over scikit-learn's mixtures",
        "",
        "| table | ours, s | scikit-learn, s | ratio |",
        "|---|---:|---:|---:|",
        *(f"| {name} | {a:.2f} | {b:.2f} | {a / b:.1f} |" for name, (a, b) in loops.items()),
        "",
    ]
    return "\n".join(text)


def main(arguments: list[str] | None = None) -> str:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--numeric", nargs="*", default=NUMERIC)
    parser.add_argument("--categorical", nargs="*", default=CATEGORICAL)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--plain", type=int, default=200, help="plain runs, of which the best is what gaps are from")
    parser.add_argument("--stepmix", action="store_true", help="StepMix too, where it is installed")
    parser.add_argument("--cache", type=Path, default=CACHE, help="where the packages are that hold the tables")
    parser.add_argument("--into", type=Path, help="the page")
    options = parser.parse_args(arguments)
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")  # of runs that have not settled, of kinds of columns
        tables = {name: numbers(name, options.cache) for name in options.numeric}
        size, latent_peer = (options.seeds, options.plain), by_stepmix if options.stepmix else None
        numeric = [_told(line(name, Mixture, *found, by_sklearn, *size)) for name, found in tables.items()]
        texts = {name: categories(name, options.cache) for name in options.categorical}
        latent = [_told(line(name, LatentClass, *found, latent_peer, *size)) for name, found in texts.items()]
        loops = {name: bic_loops(X) for name, (X, _) in tables.items()}
    written = page(numeric, latent, loops, *size)
    if options.into:
        options.into.write_text(written, encoding="utf-8")
    return written


def _told(row: dict[str, Any]) -> dict[str, Any]:
    print(" ".join(f"{name} {_cell(value)}" for name, value in row.items()), flush=True)
    return row


if __name__ == "__main__":
    print(main())
