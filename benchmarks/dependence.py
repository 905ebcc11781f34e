"""When does it pay that columns depend on each other? Naive Bayes, trees, averages and a full Gaussian on real tables.

Ten folds, the same for all models, from statistics that add up. Writes its tables with --into.
"""

import argparse
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from suffice import AveragedOneDependence, GaussianDiscriminant, NaiveBayes, TreeAugmentedBayes, cross_validate
from suffice.errors import SufficeError

sys.path.insert(0, str(Path(__file__).parent))
from quality.data import Data, load
from quality.tables import TABLES

MODELS: dict[str, Any] = {
    "naive Bayes": NaiveBayes,
    "tree": TreeAugmentedBayes,
    "tree by evidence": lambda: TreeAugmentedBayes(criterion="evidence"),
    "averages": AveragedOneDependence,
    "full Gaussian": GaussianDiscriminant,
}
NAIVE = "naive Bayes"
CHOSEN = ("zoo", "titanic", "nodal", "autolander", "iris", "wine", "crabs", "Pima")
CHOSEN += ("penguins", "survey", "heart disease", "german credit")


@dataclass(frozen=True)
class Result:
    data: Data
    found: dict[str, Any]  # model → its Validation, or None where it refuses


def study(data: Data) -> Result:
    found: dict[str, Any] = {}
    for name, make in MODELS.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found[name] = cross_validate(make(), data.X, data.y, folds=10)
            except SufficeError:
                found[name] = None
    return Result(data, found)


def page(results: Sequence[Result]) -> Iterator[str]:
    yield "Log loss, and below it accuracy, of ten folds, each with its standard error; the least log loss is bold."
    yield ""
    yield f"| table | rows | columns | {' | '.join(MODELS)} |"
    yield f"|---|---|---|{'---|' * len(MODELS)}"
    for result in results:
        least = min(float(one.log_loss) for one in result.found.values() if one is not None)
        cells = [_cell(one, least) for one in result.found.values()]
        yield f"| {result.data.table.name} | {len(result.data.y)} | {result.data.describe()} | {' | '.join(cells)} |"
    yield ""
    yield "Against naive Bayes, by more than two standard errors of the paired difference of log losses:"
    yield ""
    for name in MODELS:
        if name != NAIVE:
            yield f"- **{name}**: {_verdict(results, name)}"


def _cell(found: Any, least: float) -> str:
    if found is None:
        return "refused"
    loss, bold = f"{found.log_loss:.3f} ± {found.log_loss.se:.3f}", "**" * (float(found.log_loss) == least)
    return f"{bold}{loss}{bold}<br>{found.accuracy:.3f} ± {found.accuracy.se:.3f}"


def _verdict(results: Sequence[Result], name: str) -> str:
    better, worse, alike = [], [], []
    for result in results:
        mine, naive = result.found[name], result.found[NAIVE]
        if mine is None or naive is None:
            continue
        off = mine.difference(naive)
        into = alike if abs(off) <= 2 * off.se else better if off < 0 else worse
        into.append(result.data.table.name)
    parts = {"better on": better, "worse on": worse, "neither on": alike}
    return "; ".join(f"{word} {', '.join(names)}" for word, names in parts.items() if names) + "."


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", nargs="*", default=CHOSEN)
    parser.add_argument("--cache", type=Path, default=Path("build/quality"))
    parser.add_argument("--into", type=Path)
    given = parser.parse_args(arguments)
    given.cache.mkdir(parents=True, exist_ok=True)
    tables = [table for name in given.tables for table in TABLES if table.name == name]
    text = "\n".join(page([study(load(table, given.cache)) for table in tables])) + "\n"
    if given.into is None:
        print(text)
        return
    given.into.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
