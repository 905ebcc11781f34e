"""The run: every study of every table, on two processes, each result stored as it comes; then the page.

In:  options of the command line.
Out: the store, and docs/quality.md where --into says so.
"""

import argparse
import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from quality import mixtures, page
from quality.data import Data, load
from quality.models import LINEAR, LOGISTIC, MODELS, NB, SMALL
from quality.packages import licence_of
from quality.store import Store, stamp
from quality.studies import Record, Sizes, few_labels, folds, small_sample
from quality.tables import BUNDLED, TABLES

QUICK = Sizes(folds=3, samples=(60,), repeats=1, seeds=2, many_starts=10)
WHERE = Path("build") / "quality"
LABELS_FROM, LABELS_WIDEST = 150, 30  # rows and columns of the study of labels
Task = tuple[str, bool, Callable[[], Record]]  # its name, whether it depends on our source, and the work


def tasks(data: Data, sizes: Sizes) -> Iterator[Task]:
    suitable = {name: model for name, model in MODELS.items() if model.fits(data)}
    for name, model in suitable.items():
        yield f"folds/{name}", model.ours, partial(folds, data, name, sizes)
    yield from _small(data, sizes, [name for name in SMALL if name in suitable])
    if len(data.y) >= LABELS_FROM and data.X.shape[1] <= LABELS_WIDEST:
        for name in (NB, LINEAR):
            if name in suitable:
                for alone in (True, False):
                    task = f"labels/{'alone' if alone else 'all'}/{name}"
                    yield task, True, partial(few_labels, data, name, sizes, alone)
        yield f"labels/alone/{LOGISTIC}", False, partial(few_labels, data, LOGISTIC, sizes, True)
    if mixtures.fits(data):
        for name in mixtures.MAKE:
            yield f"mixture/{name}", name == mixtures.OURS, partial(mixtures.held_out, data, name, sizes)
        yield "starts/Mixture", True, partial(mixtures.starts, data, sizes)


def _small(data: Data, sizes: Sizes, names: list[str]) -> Iterator[Task]:
    """Tables that leave at least as many rows as were learned from, and have two rows of a class among them."""
    for rows in sizes.samples:
        if len(data.y) >= 2 * rows and rows >= 5 * len(set(data.y)):
            for name in names:
                yield f"small {rows}/{name}", MODELS[name].ours, partial(small_sample, data, name, sizes, rows)


def study(name: str, where: Path, sizes: Sizes, only: str, made_by: dict[bool, str]) -> str:
    table = next(table for table in TABLES if table.name == name)
    store, started, made = Store(where / "results"), time.perf_counter(), 0
    data = load(table, where / "packages")
    records = store.read(name)
    records["table"] = described(data) | {"licence": licence_of(table.package, where / "packages")}
    store.write(name, records)
    for task, ours, work in tasks(data, sizes):
        if re.search(only, task) and records.get(task, {}).get("stamp") != made_by[ours]:
            with threadpool_limits(1):
                records[task] = work() | {"stamp": made_by[ours]}
            store.write(name, records)
            made += 1
            print(f"  {name}: {task}", flush=True)
    return f"{name}: {made} results in {time.perf_counter() - started:.0f} s"


def described(data: Data) -> Record:
    return {"rows": len(data.y), "columns": data.X.shape[1], "classes": len(set(data.y)), "kind": data.describe()}


def main(arguments: list[str] | None = None) -> None:
    options = read(arguments)
    names = options.tables or (BUNDLED if options.quick else [table.name for table in TABLES])
    chosen = [table for table in TABLES if table.name in names]
    sizes, made_by = QUICK if options.quick else Sizes(), {ours: stamp(ours) for ours in (True, False)}
    work = [(table.name, options.where, sizes, options.only, made_by) for table in chosen]
    for done, line in enumerate(finished(work, options.workers), 1):
        print(f"{done} of {len(chosen)}, {line}", flush=True)
    if options.into:
        options.into.write_text(page.text(Store(options.where / "results"), TABLES), encoding="utf-8")


def read(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="bundled tables and few folds, without network")
    parser.add_argument("--tables", nargs="*", help="some of them, by name")
    parser.add_argument("--only", default="", help="studies and models whose name this pattern finds")
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
