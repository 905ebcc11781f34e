"""The sections of the page.

In:  results, {table: {study/model: record}}.
Out: lines of Markdown.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from quality.compare import Records, compared, halves
from quality.mixtures import OURS, THEIRS_MANY
from quality.models import (
    ALL_AUTO,
    BOOSTING,
    CALIBRATED,
    CHOSEN,
    FEW_CATEGORIES,
    FEW_NUMBERS,
    LDA,
    LDA_AUTO,
    LINEAR,
    LOGISTIC,
    MODELS,
    NB,
    NB_AUTO,
    QDA,
    QUADRATIC,
    SK_NB,
    SMALL,
)

Results = dict[str, Records]
PAIRS = [
    (NB, SK_NB),
    (NB_AUTO, SK_NB),
    (NB_AUTO, NB),
    (LINEAR, LDA),
    (LINEAR, LDA_AUTO),
    (QUADRATIC, QDA),
    (ALL_AUTO, LDA_AUTO),
    (ALL_AUTO, LOGISTIC),
    (ALL_AUTO, BOOSTING),
    (CALIBRATED, ALL_AUTO),
    (CALIBRATED, LOGISTIC),
    (CALIBRATED, BOOSTING),
    (NB_AUTO, LOGISTIC),
    (CHOSEN, LDA_AUTO),
    (CHOSEN, LOGISTIC),
    (CHOSEN, BOOSTING),
]
CHOICES = {
    "The estimate of `NaiveBayes`": ["NaiveBayes, map", "NaiveBayes, mean", "NaiveBayes, predictive"],
    "Whole numbers of at most ten values": [FEW_NUMBERS, FEW_CATEGORIES],
    "`LinearDiscriminant` beside LDA with shrinkage": [LDA_AUTO, LINEAR],
    "`QuadraticDiscriminant` beside QDA with regularisation": [QDA, QUADRATIC],
    "The estimate of `LinearDiscriminant`": [
        "LinearDiscriminant, map",
        LINEAR,
        "LinearDiscriminant, predictive",
        "LinearDiscriminant, shrinkage auto",
    ],
    "The estimate of `QuadraticDiscriminant`": [
        "QuadraticDiscriminant, map",
        QUADRATIC,
        "QuadraticDiscriminant, predictive",
        "QuadraticDiscriminant, shrinkage auto",
    ],
}
PLAIN = (NB, LINEAR, QUADRATIC, NB_AUTO, ALL_AUTO, CALIBRATED, CHOSEN)  # defaults and automatic settings
SHOWN = [NB, NB_AUTO, LINEAR, QUADRATIC, ALL_AUTO, CALIBRATED, CHOSEN, SK_NB, LDA_AUTO, QDA, LOGISTIC, BOOSTING]
Rows = Sequence[Sequence[Any]]

EVERY_MODEL = """## Every model

Means over the tables that a model answers; models that answer other tables have other means, and comparisons on the
same tables are below.
"""
SIDE_BY_SIDE = """## Side by side

Better / tie / worse of the first against the second, and the mean difference of log losses where both answer.
"""
CHOOSING = """## Which settings are defaults

Every second table, by name, is for choosing; the others judge what was chosen. Better / tie / worse of each setting,
and the mean difference of log losses.
"""
SMALL_SAMPLES = """## Small samples

Learned from 30, 60 or 120 rows, five times, and judged by all others: mean log loss over the tables that have so many
rows. A model that refuses some (in any of the five) is averaged over those that it answers.
"""
ONE_LABEL_IN_TEN = """## One label in ten

Labels of a tenth of the training rows (two of each class at least), 30 % of all rows kept for judging, five times: the
labelled rows alone, and all rows, the other labels hidden.
"""
MIXTURES = """## Mixtures

Tables of numbers, as many components as classes, which nobody tells. Held out: mean ln p of rows left out in turn (five
folds; columns in standard deviations). Gaps: nats between the objective that a seed ends with and the best of all seeds
and of one run with 100 restarts.
"""


def table(head: Sequence[str], rows: Rows) -> Iterator[str]:
    yield "| " + " | ".join(head) + " |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield "| " + " | ".join(map(str, row)) + " |"


def loss(record: Any) -> float:
    """Mean log loss; NaN where there is none."""
    return float(np.mean(record["losses"])) if record and "losses" in record else float("nan")


def mean(values: Sequence[float]) -> str:
    return f"{np.mean(values):.3f}" if len(values) else "—"


def overview(results: Results) -> Iterator[str]:
    yield EVERY_MODEL
    rows = []
    for name in MODELS:
        records = [records[f"folds/{name}"] for records in results.values() if f"folds/{name}" in records]
        answered = [record for record in records if "losses" in record]
        means = [mean([f(r) for r in answered]) for f in (loss, lambda r: r["accuracy"], lambda r: r["calibration"])]
        seconds = mean([record["seconds"] for record in answered])
        rows.append([f"`{name}`", len(records), len(records) - len(answered), *means, seconds])
    head = ["model", "tables", "refused", "log loss", "accuracy", "calibration error", "seconds a table"]
    yield from table(head, rows)


def comparisons(results: Results) -> Iterator[str]:
    yield SIDE_BY_SIDE
    rows = []
    for first, second in PAIRS:
        found = compared(results, f"folds/{first}", f"folds/{second}")
        if found.verdicts:
            rows.append([f"`{first}`", f"`{second}`", found.tally, f"{found.mean:+.3f}", ", ".join(found.worse) or "—"])
    yield from table(["first", "second", "better / tie / worse", "mean difference", "worse on"], rows)


def choices(results: Results) -> Iterator[str]:
    """Settings compared on one half of the tables, judged on the other."""
    yield CHOOSING
    for title, names in CHOICES.items():
        yield f"\n**{title}**\n"
        first, *others = [f"folds/{name}" for name in names]
        having = [name for name, records in results.items() if first in records]
        rows = []
        for other in others:
            found = compared(results, other, first)
            if not found.verdicts:
                continue
            parts = [found.of(half) for half in halves(having)]
            cells = [cell for part in parts for cell in (part.tally, f"{part.mean:+.3f}")]
            rows.append([f"`{other.removeprefix('folds/')}` against `{names[0]}`", *cells])
        yield from table(["setting", "half to choose", "mean", "half to judge", "mean"], rows)


def by_table(results: Results) -> Iterator[str]:
    yield "## Log loss of every table\n"
    yield "The best is bold; an empty cell was not run, or the model is not for such tables.\n"
    rows = []
    for name in sorted(results, key=str.casefold):
        records = [results[name].get(f"folds/{model}") for model in SHOWN]
        best = min((loss(r) for r in records if r and "losses" in r), default=0.0)
        rows.append([name, *(_cell(r, best) for r in records)])
    yield from table(["table", *(f"`{name}`" for name in SHOWN)], rows)


def _cell(record: Any, best: float) -> str:
    if record is None:
        return ""
    if "refused" in record:
        return "refused"
    return f"**{loss(record):.3f}**" if loss(record) == best else f"{loss(record):.3f}"


def small_samples(results: Results) -> Iterator[str]:
    yield SMALL_SAMPLES
    keys = {key.split("/")[0] for records in results.values() for key in records if key.startswith("small ")}
    studies = sorted(keys, key=lambda study: int(study.split()[1]))
    rows = [[f"`{name}`", *(_small(results, study, name) for study in studies)] for name in SMALL]
    heads = [f"{study.split()[1]} rows, {len(_asked_all(results, study))} tables" for study in studies]
    yield from table(["model", *heads], rows)


def _asked_all(results: Results, study: str) -> list[Records]:
    """The tables that all models were asked for."""
    return [records for records in results.values() if all(f"{study}/{other}" in records for other in SMALL)]


def _small(results: Results, study: str, name: str) -> str:
    records = [records[f"{study}/{name}"] for records in _asked_all(results, study)]
    refused = sum("refused" in record for record in records)
    answer = mean([loss(record) for record in records if "losses" in record])
    return answer + (f" ({refused} of {len(records)} refused)" if refused else "")


def labels(results: Results) -> Iterator[str]:
    yield ONE_LABEL_IN_TEN
    rows = []
    for name in (NB, LINEAR):
        alone, everything = f"labels/alone/{name}", f"labels/all/{name}"
        found = compared(results, everything, alone)
        both = [r for r in results.values() if alone in r and all("losses" in r[key] for key in (alone, everything))]
        losses = [mean([loss(r[key]) for r in both]) for key in (alone, everything)]
        rows.append([f"`{name}`", found.tally, *losses, ", ".join(found.worse) or "—"])
    head = ["model", "all rows better / tie / worse than the labelled alone", "alone", "all rows", "worse on"]
    yield from table(head, rows)


def mixtures(results: Results) -> Iterator[str]:
    yield MIXTURES
    rows = []
    for name, records in sorted(results.items()):
        if "starts/Mixture" in records:
            ours, theirs = (-loss(records.get(f"mixture/{model}")) for model in (OURS, THEIRS_MANY))
            gaps = records["starts/Mixture"]["gaps"]
            near = f"{sum(gap < 0.1 for gap in gaps)} of {len(gaps)}"
            rows.append([name, f"{ours:.3f}", f"{theirs:.3f}", near, f"{np.median(gaps):.2f}", f"{max(gaps):.2f}"])
    head = ["table", "`Mixture`", "`GaussianMixture(n_init=10)`", "seeds within 0.1 nat", "median gap", "largest"]
    yield from table(head, rows)
    found = compared(results, f"mixture/{OURS}", f"mixture/{THEIRS_MANY}")
    yield f"\n`Mixture` against `GaussianMixture(n_init=10)`, held out: {found.tally} (better / tie / worse)."


def refusals(results: Results) -> Iterator[str]:
    yield "## Refusals\n"
    rows = []
    for name in MODELS:
        key = f"folds/{name}"
        refused = {table: r[key]["refused"] for table, r in results.items() if "refused" in r.get(key, {})}
        if refused:
            reasons = sorted({reason.split(":")[0] for reason in refused.values()})
            rows.append([f"`{name}`", len(refused), ", ".join(reasons), ", ".join(refused)])
    yield from table(["model", "tables", "errors", "which"], rows) if rows else iter(["None."])


def goals(results: Results) -> Iterator[str]:
    """Whether each goal is met, on how many tables, and where not."""
    yield "## How the goal stands\n"
    yield _line("No default or automatic setting refuses a table", _asked(results), _refused(results))
    for first, second in ((NB, SK_NB), (LINEAR, LDA_AUTO), (QUADRATIC, QDA)):
        found = compared(results, f"folds/{first}", f"folds/{second}")
        goal = f"`{first}` is never significantly worse than `{second}`"
        yield _line(goal, f"{found.tally} (better / tie / worse)", found.worse)
    for automatic in (CHOSEN, CALIBRATED, ALL_AUTO):
        found = compared(results, f"folds/{automatic}", f"folds/{LOGISTIC}")
        goal = f"`{automatic}` is worse than `{LOGISTIC}` on no more tables than it is better"
        measured = f"{found.tally} on {len(found.verdicts)} tables that were run"
        yield _line(goal, measured, found.worse if found.count(1) > found.count(-1) else [])


def _line(goal: str, measured: str, against: list[str]) -> str:
    where = f" Not on: {', '.join(against)}." if against else ""
    return f"- {goal}: **{'not met' if against else 'met'}**, {measured}.{where}"


def _asked(results: Results) -> str:
    pairs = [name for records in results.values() for name in PLAIN if f"folds/{name}" in records]
    return f"{len(pairs)} pairs of a setting and a table"


def _refused(results: Results) -> list[str]:
    pairs = [(table, name) for table, records in results.items() for name in PLAIN]
    return [f"{table} (`{name}`)" for table, name in pairs if "refused" in results[table].get(f"folds/{name}", {})]
