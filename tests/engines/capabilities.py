"""What each engine can do, tried: the table of the guide is made of it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from engines.rows import table
from suffice import Mixture, NaiveBayes, collect, cross_validate
from suffice.errors import SufficeError

PAGE = Path(__file__).parents[2] / "docs" / "shared" / "generated" / "capabilities.md"
COLUMNS = ["height", "身高 2", "town", "label"]
YES, NO = "yes", "–"
Rows = Callable[[], Any]  # the same rows each time


def frame():
    return table()[COLUMNS]


def _model() -> NaiveBayes:
    return NaiveBayes().fit(frame(), "label")


ASKED: dict[str, Callable[[Rows, Path], Any]] = {
    "rows come here, in batches": lambda rows, folder: collect(rows(), "label", where="here"),
    "summed there": lambda rows, folder: collect(rows(), "label", where="engine"),
    "partitions collected there": lambda rows, folder: collect(rows(), "label", where="partitions"),
    "`fit`": lambda rows, folder: NaiveBayes().fit(rows(), "label"),
    "`predict_proba`": lambda rows, folder: _model().predict_proba(rows()),
    "`predict_file`": lambda rows, folder: _model().predict_file(rows(), folder / "scored.csv"),
    "EM": lambda rows, folder: Mixture(2, max_iter=1000).fit(rows(), "label"),
    "exact validation": lambda rows, folder: cross_validate(NaiveBayes(), rows(), "label", folds=3),
}


def row(name: str, rows: Rows, folder: Path) -> str:
    return f"| {name} | {' | '.join(_tried(asked, rows, folder) for asked in ASKED.values())} |"


def heading() -> list[str]:
    return [f"| rows in | {' | '.join(ASKED)} |", "|---" * (len(ASKED) + 1) + "|"]


def _tried(asked: Callable[[Rows, Path], Any], rows: Rows, folder: Path) -> str:
    try:
        asked(rows, folder)
    except SufficeError:
        return NO
    return YES


def lines_of_the_page() -> list[str]:
    return PAGE.read_text(encoding="utf-8").splitlines()
