"""The run: every study of every table, on two processes, each result stored as it comes; then the page.

In:  options of the command line.
Out: the store, and docs/shared/generated/quality.md where --into says so.
"""

import argparse
import re
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from quality import mixtures, page
from quality.data import Data, load
from quality.models import LINEAR, LOGISTIC, MODELS, NB, SMALL
from quality.packages import folder_of, licence_of
from quality.store import Record, Store, of_state, stamp
from quality.studies import Parts, Sizes, few_labels, folds, holds, scored, small_sample
from quality.tables import BUNDLED, TABLES

QUICK = Sizes(folds=3, samples=(60,), repeats=1, seeds=2, many_starts=10)
WHERE = Path("build") / "quality"
LABELS_FROM, LABELS_WIDEST = 150, 30  # rows and columns of the study of labels
Tasks = Iterator["Task"]


def never(found: Record) -> bool:
    return False


@dataclass(frozen=True)
class Task:
    name: str
    ours: bool  # whether it depends on our source
    work: Callable[[], Record]
    holds: Callable[[Record], bool] = never  # whether a record of an earlier state is as it would be now

    def done(self, found: Record | None, state: str) -> Record | None:
        """A record of this state; None where there is one."""
        if found and of_state(found, state):
            return None
        with threadpool_limits(1):
            return found | {"confirmed": state} if found and self.holds(found) else self.work() | {"stamp": state}


def tasks(data: Data, sizes: Sizes) -> Tasks:
    suitable = [name for name, model in MODELS.items() if model.fits(data)]
    yield from asked("folds", data, folds(data, sizes), suitable)
    for rows in sizes.samples:  # tables that leave as many rows, and have two rows of a class among those
        if len(data.y) >= 2 * rows and rows >= 5 * len(set(data.y)):
            parts = small_sample(data, sizes, rows)
            yield from asked(f"small {rows}", data, parts, [name for name in SMALL if name in suitable])
    if len(data.y) >= LABELS_FROM and data.X.shape[1] <= LABELS_WIDEST:
        ours = [name for name in (NB, LINEAR) if name in suitable]
        yield from asked("labels/alone", data, few_labels(data, sizes, alone=True), [*ours, LOGISTIC])
        yield from asked("labels/all", data, few_labels(data, sizes, alone=False), ours)
    if mixtures.fits(data):
        for name in mixtures.MAKE:
            yield Task(f"mixture/{name}", name == mixtures.OURS, partial(mixtures.held_out, data, name, sizes))
        yield Task("starts/Mixture", True, partial(mixtures.starts, data, sizes))


def asked(study: str, data: Data, parts: Parts, names: Sequence[str]) -> Tasks:
    for name in names:
        about = (data, name, parts)
        yield Task(f"{study}/{name}", MODELS[name].ours, partial(scored, *about), partial(holds, *about))


def study(name: str, where: Path, sizes: Sizes, only: str, states: dict[bool, str]) -> str:
    table = next(table for table in TABLES if table.name == name)
    store, started, made = Store(where / "results"), time.perf_counter(), 0
    data = load(table, where / "packages")
    records = store.read(name)
    records["table"] = described(data) | {"licence": licence_of(table.package, where / "packages")}
    store.write(name, records)
    for task in tasks(data, sizes):
        found = task.done(records.get(task.name), states[task.ours]) if re.search(only, task.name) else None
        if found is not None:
            records[task.name] = found
            store.write(name, records)
            made += 1
            print(f"  {name}: {task.name}{' holds' if 'confirmed' in found else ''}", flush=True)
    return f"{name}: {made} results in {time.perf_counter() - started:.0f} s"


def described(data: Data) -> Record:
    return {"rows": len(data.y), "columns": data.X.shape[1], "classes": len(set(data.y)), "kind": data.describe()}


def main(arguments: list[str] | None = None) -> None:
    options = read(arguments)
    names = options.tables or (BUNDLED if options.quick else [table.name for table in TABLES])
    chosen = [table for table in TABLES if table.name in names]
    for package in {table.package for table in chosen}:  # before there are two who would fetch the same
        folder_of(package, options.where / "packages")
    sizes, states = QUICK if options.quick else Sizes(), {ours: stamp(ours) for ours in (True, False)}
    for only in options.only:
        work = [(table.name, options.where, sizes, only, states) for table in chosen]
        for done, line in enumerate(finished(work, options.workers), 1):
            print(f"{done} of {len(chosen)}, {line}", flush=True)
    if options.into:
        options.into.write_text(page.text(Store(options.where / "results"), TABLES), encoding="utf-8")


def read(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="bundled tables and few folds, without network")
    parser.add_argument("--tables", nargs="*", help="some of them, by name")
    parser.add_argument("--only", nargs="*", default=[""], help="patterns of studies and models, the first ones first")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--where", type=Path, default=WHERE, help="folder of packages and results")
    parser.add_argument("--into", type=Path, help="the page")
    return parser.parse_args(arguments)


def finished(work: list[Any], workers: int) -> Iterator[str]:
    if workers == 1:
        yield from (study(*each) for each in work)
        return
    with ProcessPoolExecutor(workers) as pool:
        for future in as_completed([pool.submit(study, *each) for each in work]):
            yield future.result()
